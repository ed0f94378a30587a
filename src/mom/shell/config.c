/* config.c - see config.h. One row per directive.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/config.h"

#include "lib/base/log.h"
#include "mom/shell/home.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE_BYTES (64u << 20)
#define DEFAULT_MIN    10 /* seconds between samples (execution.md 6) */
#define DEFAULT_MAX    120
#define DEFAULT_PROLOG 30
#define DEFAULT_COPY   600 /* less than a server waits for the answer */
#define SECONDS_MAX                                                                    \
    INT32_MAX /* as milliseconds, and beside a time, it stays a number */

struct reading {
    struct config *c;
    const struct config_log *log;
    const char *file;
    bool ok;
};

static void say(const struct reading *r, int event, const char *object, const char *fmt,
                ...) PRINTF_LIKE(4, 5);

static void say(const struct reading *r, int event, const char *object, const char *fmt,
                ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    r->log->fn(r->log->arg, event, object, text);
}

struct directive;
typedef bool (*directive_fn)(struct reading *r, const struct directive *d,
                             const char *arg);
struct directive {
    const char *name;
    directive_fn take;
    size_t offset; /* in struct config, for the simple ones */
};

static bool read_seconds(struct reading *r, const struct directive *d, const char *arg,
                         int64_t *ret)
{
    char *end;
    long n = strtol(arg, &end, 0);

    if (end == arg || *end || n <= 0 || n > SECONDS_MAX) {
        say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    *ret = n;
    return true;
}

static bool take_seconds(struct reading *r, const struct directive *d, const char *arg)
{
    int64_t n;

    if (!read_seconds(r, d, arg, &n))
        return false;
    /* The row of the directive says which member that is; take_seconds stands in rows
     * of int64_t only. */
    *(int64_t *)(void *)((char *)r->c + d->offset) = n;
    say(r, LOG_EV_SYSTEM, d->name, "setting %" PRId64, n);
    return true;
}

/* Said in words of its own, which suites know (execution.md 6). */
static bool take_prolog_alarm(struct reading *r, const struct directive *d,
                              const char *arg)
{
    int64_t s;

    if (!read_seconds(r, d, arg, &s))
        return false;
    r->c->prolog_alarm_s = s;
    say(r, LOG_EV_SYSTEM, "prolog alarm", "%" PRId64, s);
    return true;
}

static bool take_factor(struct reading *r, const struct directive *d, const char *arg)
{
    char *end;
    double f = strtod(arg, &end);

    if (end == arg || *end || !(f > 0) || !isfinite(f)) {
        say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    /* take_factor stands in rows of double only. */
    *(double *)(void *)((char *)r->c + d->offset) = f;
    say(r, LOG_EV_SYSTEM, d->name, "%s", arg);
    return true;
}

static bool take_mask(struct reading *r, const struct directive *d, const char *arg)
{
    char *end;
    unsigned long n = strtoul(arg, &end, 0);

    (void)d;
    /* Any number is a mask; bits that nobody knows select nothing. */
    if (end == arg || *end)
        return false;
    r->c->log_events = (uint32_t)n;
    return true;
}

static bool take_text(struct reading *r, const struct directive *d, const char *arg)
{
    if (!arg[0])
        return false;
    *(const char **)(void *)((char *)r->c + d->offset) = arena_strdup(r->c->arena, arg);
    return true;
}

static bool take_tmpdir(struct reading *r, const struct directive *d, const char *arg)
{
    struct stat st;

    /* Scratch directories are made there with root's rights. A path that is relative
     * would depend on where the daemon was started. */
    if (arg[0] != '/' || stat(arg, &st) < 0 || !S_ISDIR(st.st_mode)) {
        say(r, LOG_EV_ERROR, "tmp_file_sec_user",
            "Security violation \"%s\" resolves to \"(null)\"", arg);
        return false;
    }
    return take_text(r, d, arg);
}

/* "DIR" or "DIR shared". Everybody makes directories there, and nobody may touch those
 * of others. */
static bool take_jobdir_root(struct reading *r, const struct directive *d,
                             const char *arg)
{
    size_t len = strcspn(arg, " \t");
    const char *dir = arena_strndup(r->c->arena, arg, len);
    const char *word = arg + len + strspn(arg + len, " \t");
    struct stat st;

    if (*word && strcasecmp(word, "shared") != 0) {
        say(r, LOG_EV_SYSTEM, d->name, "bad value \"%s\"", arg);
        return false;
    }
    r->c->jobdir_is_shared = *word != '\0';
    if (strcmp(dir, "PBS_USER_HOME") == 0) {
        r->c->jobdir_root = NULL;
        return true;
    }
    if (dir[0] != '/' || stat(dir, &st) < 0 || !S_ISDIR(st.st_mode) ||
        (st.st_mode & 01777) != 01777 || (st.st_uid != 0 && st.st_uid != geteuid())) {
        say(r, LOG_EV_ERROR, "tmp_file_sec_user",
            "Security violation \"%s\" resolves to \"(null)\"", dir);
        return false;
    }
    r->c->jobdir_root = dir;
    say(r, LOG_EV_SYSTEM, d->name, "%s", arg);
    return true;
}

static bool take_client(struct reading *r, const struct directive *d, const char *arg)
{
    const char **more;

    (void)d;
    if (!arg[0])
        return false;
    /* The list is copied for each name; the arena gives the old ones back with the
     * whole configuration. */
    more = ARENA_ARRAY(r->c->arena, const char *, r->c->n_clients + 1);
    if (r->c->n_clients)
        memcpy(more, r->c->clients, r->c->n_clients * sizeof(*more));
    more[r->c->n_clients++] = arena_strdup(r->c->arena, arg);
    r->c->clients = more;
    return true;
}

/* "host:from to" */
static bool take_usecp(struct reading *r, const struct directive *d, const char *arg)
{
    /* The host ends at the first colon and the prefix at the first blank, so a path
     * with a blank cannot be named (execution.md 6). */
    const char *colon = strchr(arg, ':');
    const char *blank = colon ? strpbrk(colon, " \t") : NULL;
    struct arena *a = r->c->arena;
    struct usecp *more;

    (void)d;
    if (!colon || !blank) {
        say(r, LOG_EV_ERROR, "usecp", "invalid host specification: %s", arg);
        return false;
    }
    more = ARENA_ARRAY(a, struct usecp, r->c->n_usecp + 1);
    if (r->c->n_usecp)
        memcpy(more, r->c->usecp, r->c->n_usecp * sizeof(*more));
    more[r->c->n_usecp++] = (struct usecp){
        .host = arena_strndup(a, arg, (size_t)(colon - arg)),
        .from = arena_strndup(a, colon + 1, (size_t)(blank - colon - 1)),
        .to = arena_strdup(a, blank + strspn(blank, " \t")),
    };
    r->c->usecp = more;
    return true;
}

static bool take_enforce(struct reading *r, const struct directive *d, const char *arg)
{
    (void)d;
    if (strcmp(arg, "mem") == 0)
        r->c->enforce_mem = true;
    else if (strcmp(arg, "!mem") == 0)
        r->c->enforce_mem = false;
    else
        return false;
    return true;
}

/* Known, and without effect here: said once, so that nobody relies on it. */
static bool take_nothing(struct reading *r, const struct directive *d, const char *arg)
{
    (void)arg;
    say(r, LOG_EV_SYSTEM, d->name, "accepted without effect");
    return true;
}

static const struct directive directives[] = {
    { "min_check_poll", take_seconds, offsetof(struct config, min_check_poll_s) },
    { "max_check_poll", take_seconds, offsetof(struct config, max_check_poll_s) },
    { "copy_alarm", take_seconds, offsetof(struct config, copy_alarm_s) },
    { "cputmult", take_factor, offsetof(struct config, cputmult) },
    { "wallmult", take_factor, offsetof(struct config, wallmult) },
    { "logevent", take_mask, 0 },
    { "tmpdir", take_tmpdir, offsetof(struct config, tmpdir) },
    { "momname", take_text, offsetof(struct config, node_name) },
    { "clienthost", take_client, 0 },
    { "usecp", take_usecp, 0 },
    { "enforce", take_enforce, 0 },
    { "configversion", take_nothing, 0 },
    { "alien_attach", take_nothing, 0 },
    { "attach_allow", take_nothing, 0 },
    { "gen_nodefile_on_sister_mom", take_nothing, 0 },
    { "job_launch_delay", take_nothing, 0 },
    { "jobdir_root", take_jobdir_root, 0 },
    { "max_poll_downtime", take_seconds, offsetof(struct config, max_poll_downtime_s) },
    { "prologalarm", take_prolog_alarm, offsetof(struct config, prolog_alarm_s) },
    { "reject_root_scripts", take_nothing, 0 },
    { "report_hook_checksums", take_nothing, 0 },
    { "restrict_user", take_nothing, 0 },
    { "restrict_user_exceptions", take_nothing, 0 },
    { "restrict_user_maxsysid", take_nothing, 0 },
    { "restricted", take_nothing, 0 },
    { "sister_join_job_alarm", take_nothing, 0 },
    { "vnodedef_additive", take_nothing, 0 },
};

static void take_directive(struct reading *r, int n, const char *line)
{
    size_t len = 1;
    const char *arg;

    /* Here line[0] is the '$'; len counts it. */
    while (isalnum((unsigned char)line[len]) || line[len] == '_' || line[len] == ':')
        len++;
    arg = line + len + strspn(line + len, " \t");
    for (size_t i = 0; i < ARRAY_LEN(directives); i++) {
        const struct directive *d = &directives[i];

        if (strlen(d->name) != len - 1 || strncmp(d->name, line + 1, len - 1) != 0)
            continue;
        if (!d->take(r, d, arg)) {
            say(r, LOG_EV_ERROR, "parse_config",
                "%s[%d] command \"%s\" failed, aborting", r->file, n, line);
            r->ok = false;
        }
        return;
    }
    /* All mistakes are told in one run: who reads the file goes on after each of them
     * (execution.md 5). */
    say(r, LOG_EV_ERROR, "parse_config", "command name %.*s not found", (int)len - 1,
        line + 1);
    r->ok = false;
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
        take_directive(r, n, line);
    } else if (line[0]) {
        size_t name = strcspn(line, " \t");

        say(r, LOG_EV_DEBUG, "add_static", "%s[%d] add name %.*s value %s", r->file, n,
            (int)name, line, line + name + strspn(line + name, " \t"));
    }
}

static void complain(void *arg, const char *words)
{
    say(arg, LOG_EV_ERROR, "vnode_additive", "%s", words);
}

static void take_vnode_file(struct reading *r, const struct buf *text,
                            const struct stat *st)
{
    if (!vnode_file_read(text->data, text->len, &r->c->vnodes, r, complain)) {
        say(r, LOG_EV_ERROR, "parse_config",
            "error(s) parsing vnode definitions file %s", r->file);
        r->ok = false;
        return;
    }
    /* Servers take a list of vnodes that is newer than the last; an edited file has to
     * make it newer (tpp.md 5.5). */
    r->c->modtime = MAX_OF(r->c->modtime, (int64_t)st->st_mtime);
}

static bool is_secure(const struct stat *st)
{
    /* Whoever writes this file decides what root does here. System accounts have uids
     * below 10; without root the MoM's own user may own it (execution.md 5). */
    return S_ISREG(st->st_mode) && !(st->st_mode & 022) &&
           (st->st_uid < 10 || st->st_uid == geteuid());
}

static void take_file(struct reading *r, const char *path)
{
    struct buf text = { 0 };
    struct stat st;
    char *line, *save = NULL;
    int n = 0;

    say(r, LOG_EV_DEBUG2, "parse_config", "file %s", r->file);
    /* home_read() opens no symbolic link, so what is judged below is what was read,
     * unless root changes it meanwhile. */
    if (stat(path, &st) < 0 || !home_read(path, MAX_FILE_BYTES, &text)) {
        say(r, LOG_EV_ERROR, "access", "%s: %s", path, strerror(errno));
        r->ok = false;
    } else if (!is_secure(&st)) {
        say(r, LOG_EV_ERROR | LOG_EV_SECURITY, "parse_config",
            "warning: config file has a non-secure file access mask");
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

static void take_config_d(struct reading *r, const char *mom_priv)
{
    char **names = config_names(mom_priv);

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
        say(r, LOG_EV_ERROR, "read_config",
            "min_check_poll(%" PRId64 ") > max_check_poll(%" PRId64 ")",
            c->min_check_poll_s, c->max_check_poll_s);
        c->min_check_poll_s = DEFAULT_MIN;
        c->max_check_poll_s = DEFAULT_MAX;
    }
    say(r, LOG_EV_SYSTEM, "read_config",
        "max_check_poll = %" PRId64 ", min_check_poll = %" PRId64, c->max_check_poll_s,
        c->min_check_poll_s);
}

bool config_read(const char *mom_priv, const char *file, const struct config_log *log,
                 struct config *ret)
{
    struct config c = { .arena = arena_new(),
                        .log_events = LOG_MASK_DEFAULT,
                        .min_check_poll_s = DEFAULT_MIN,
                        .max_check_poll_s = DEFAULT_MAX,
                        .prolog_alarm_s = DEFAULT_PROLOG,
                        .copy_alarm_s = DEFAULT_COPY,
                        .cputmult = 1.0,
                        .wallmult = 1.0 };
    struct reading r = { .c = &c, .log = log, .ok = true };
    /* -c may name a file of mom_priv or one that is anywhere. */
    char *path = file && file[0] == '/'
                     ? xstrdup(file)
                     : xasprintf("%s/%s", mom_priv, file ? file : "config");

    /* Vnodes live as long as the configuration that named them. */
    c.vnodes.arena = c.arena;
    r.file = file ? file : "config";
    if (file || access(path, F_OK) == 0)
        take_file(&r, path);
    else
        say(&r, LOG_EV_ERROR, "access", "config");
    take_config_d(&r, mom_priv);
    check_poll(&r);
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
