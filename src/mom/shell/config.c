/* config.c - see config.h. What a line may say is in directives.c and directive_*.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/config.h"

#include "lib/base/log.h"
#include "mom/shell/directives.h"
#include "mom/shell/home.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whoever may write the program of "!program" would run what he likes as root
 * (execution.md 8). */
static bool is_safe_resource(struct reading *r, const char *value)
{
    char file[PATH_MAX];
    int err;

    if (value[0] != '!' || host_script_is_fit(value + 1, file, sizeof(file), &err))
        return true;
    reading_say(r, LOG_EV_SECURITY, "add_static",
                "error: %s file has a non-secure file access, errno: %d", file, err);
    return false;
}

static void take_line(struct reading *r, int n, char *line)
{
    size_t len;

    /* A comment begins in the first column only (execution.md 5). */
    if (line[0] == '#')
        return;
    line += strspn(line, " \t");
    len = strlen(line);
    while (len > 0 && isspace((unsigned char)line[len - 1]))
        line[--len] = '\0';
    if (line[0] == '$') {
        directive_take(r, n, line);
    } else if (line[0]) {
        size_t name = strcspn(line, " \t");
        const char *value = line + name + strspn(line + name, " \t");

        reading_say(r, LOG_EV_DEBUG, "add_static", "%s[%d] add name %.*s value %s",
                    r->file, n, (int)name, line, value);
        if (is_safe_resource(r, value))
            directive_add_resource(r, line, name, value);
    }
}

static void complain(void *arg, const char *words)
{
    reading_fail(arg, 0, 0, "vnode_additive", "%s", words);
}

static void take_vnode_file(struct reading *r, const struct buf *text,
                            const struct stat *st)
{
    if (!vnode_file_read(text->data, text->len, &r->c->vnodes, r, complain)) {
        reading_fail(r, 0, 0, "parse_config",
                     "error(s) parsing vnode definitions file %s", r->file);
        r->ok = false;
        return;
    }
    /* Servers take a list of vnodes that is newer than the last; an edited file has to
     * make it newer (tpp.md 5.5). */
    r->c->modtime = MAX_OF(r->c->modtime, (int64_t)st->st_mtime);
}

/* Whoever writes this file decides what root does here. System accounts have uids below
 * 10; without root the MoM's own user may own it (execution.md 5). */
static bool is_secure(const struct stat *st)
{
    return !(st->st_mode & 022) && (st->st_uid < 10 || st->st_uid == geteuid());
}

static void say_insecure(struct reading *r)
{
    reading_fail(r, LOG_EV_SECURITY, 0, "parse_config",
                 "warning: config file has a non-secure file access mask");
    r->ok = false;
}

static void take_file(struct reading *r, const char *path)
{
    struct buf text = { 0 };
    struct diag why;
    struct stat st;
    char *line, *save = NULL;
    int n = 0;

    reading_say(r, LOG_EV_DEBUG2, "parse_config", "file %s", r->file);
    if (home_read_setting(path, &text, &st, &why) != 0) {
        reading_fail(r, 0, 0, "access", "%s", why.text);
        r->ok = false;
    } else if (!is_secure(&st)) {
        say_insecure(r);
    } else if (text.data && memchr(text.data, '\0', text.len)) {
        /* What follows the byte would be left out without a word. */
        reading_fail(r, 0, 0, "parse_config", "%s has a NUL byte", r->file);
        r->ok = false;
    } else if (text.data && vnode_file_is_one(text.data)) {
        take_vnode_file(r, &text, &st);
    } else if (text.data) {
        /* strtok_r() would swallow blank lines and with them the line numbers */
        for (line = text.data; line; line = save) {
            save = strchr(line, '\n');
            if (save)
                *save++ = '\0';
            take_line(r, ++n, line);
        }
    }
    buf_fini(&text);
}

static int by_name(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    /* Later files replace what earlier ones say, so the order has to be the same each
     * time (execution.md 5). */
    bool px = strncmp(x, "PBS", 3) == 0, py = strncmp(y, "PBS", 3) == 0;

    return px != py ? (px ? -1 : 1) : strcmp(x, y);
}

char **config_names(const char *mom_priv)
{
    char *dir = xasprintf("%s/config.d", mom_priv);
    char **names = xcalloc(1, sizeof(*names));
    DIR *d = opendir(dir);
    struct dirent *e;
    size_t n = 0;

    free(dir);
    /* Without insertions there is no such directory. */
    if (!d)
        return names;
    while ((e = readdir(d))) {
        if (e->d_name[0] == '.')
            continue;
        names = xrealloc(names, (n + 2) * sizeof(*names));
        names[n++] = xstrdup(e->d_name);
        names[n] = NULL;
    }
    closedir(d);
    qsort(names, n, sizeof(*names), by_name);
    return names;
}

void config_names_free(char **names)
{
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}

/* Whoever may write in the directory may remove files of it, and so vnodes. */
static void check_config_d(struct reading *r, const char *mom_priv)
{
    char *path = xasprintf("%s/config.d", mom_priv);
    struct stat st;

    r->file = "config.d";
    if (stat(path, &st) == 0 && !is_secure(&st)) {
        reading_say(r, LOG_EV_DEBUG2, "parse_config", "file %s", r->file);
        say_insecure(r);
    }
    free(path);
}

static void take_config_d(struct reading *r, const char *mom_priv)
{
    char **names = config_names(mom_priv);

    check_config_d(r, mom_priv);
    for (size_t i = 0; names[i]; i++) {
        char *path = xasprintf("%s/config.d/%s", mom_priv, names[i]);

        r->file = names[i];
        take_file(r, path);
        free(path);
    }
    config_names_free(names);
}

static void check_poll(struct reading *r)
{
    struct config *c = r->c;

    /* The two lines may stand in different files, so they are compared at the end. */
    if (c->min_check_poll_s > c->max_check_poll_s) {
        reading_fail(r, 0, 0, "read_config",
                     "min_check_poll(%" PRId64 ") > max_check_poll(%" PRId64 ")",
                     c->min_check_poll_s, c->max_check_poll_s);
        directives_default_polls(c);
    }
    reading_say(r, LOG_EV_SYSTEM, "read_config",
                "max_check_poll = %" PRId64 ", min_check_poll = %" PRId64,
                c->max_check_poll_s, c->min_check_poll_s);
}

/* Without an own line a host is busy until its load is below $max_load again. */
static void check_loads(struct reading *r)
{
    struct config *c = r->c;

    if (c->max_load >= 0 && c->ideal_load > c->max_load)
        reading_fail(r, 0, 0, "read_config",
                     "ideal_load(%g) > max_load(%g): the latter counts for both",
                     c->ideal_load, c->max_load);
    if (c->ideal_load < 0 || c->ideal_load > c->max_load)
        c->ideal_load = c->max_load;
}

/* The values may stand in different files, so they are compared at the end. */
static void check_sharing(struct reading *r, const char *host)
{
    const char *wrong = vnode_list_mixed_sharing(&r->c->vnodes, host);

    if (!wrong)
        return;
    reading_fail(r, 0, 0, "vnode_additive", "%s", wrong);
    r->ok = false;
}

bool config_read(const char *mom_priv, const char *file, const char *host,
                 const struct config_log *log, struct config *ret)
{
    struct config c = { .arena = arena_new() };
    struct reading r = { .c = &c, .log = log, .mom_priv = mom_priv, .ok = true };
    /* -c may name a file of mom_priv or one that is anywhere. */
    char *path = file && file[0] == '/'
                     ? xstrdup(file)
                     : xasprintf("%s/%s", mom_priv, file ? file : "config");

    directives_defaults(&c);
    /* Vnodes live as long as the configuration that named them. */
    c.vnodes.arena = c.arena;
    r.file = file ? file : "config";
    if (file || access(path, F_OK) == 0)
        take_file(&r, path);
    else
        reading_fail(&r, 0, errno, "access", "config");
    take_config_d(&r, mom_priv);
    check_poll(&r);
    check_loads(&r);
    check_sharing(&r, host);
    free(path);
    /* The core calculates with these. */
    MUST(c.min_check_poll_s > 0 && c.min_check_poll_s <= c.max_check_poll_s);
    MUST(c.copy_alarm_s > 0 && c.prolog_alarm_s > 0);
    MUST(c.cputmult > 0 && c.wallmult > 0);
    *ret = c;
    return r.ok;
}

void config_fini(struct config *c)
{
    arena_free(c->arena);
    *c = (struct config){ 0 };
}
