/* site_env.c - see site_env.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/site_env.h"

#include "lib/base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Larger ids than this are those of people. */
#define SYSTEM_UID_MAX 10
/* Whatever comments there are. */
#define FILE_BYTES_MAX (4u << 20)

/* Who writes it says where the daemons and the scripts that run with their rights look
 * for programs and libraries. */
static int check_file(const char *path, const struct stat *st, struct diag *why)
{
    if (!S_ISREG(st->st_mode))
        return diag_set(why, PBSE_SYSTEM, "%.200s: not a file", path);
    if ((st->st_uid > SYSTEM_UID_MAX && st->st_uid != geteuid()) ||
        (st->st_mode & (S_IWGRP | S_IWOTH)))
        return diag_set(why, PBSE_PERM, "%.200s: others may write it", path);
    return 0;
}

static int read_all(int fd, const char *path, struct buf *text, struct diag *why)
{
    ssize_t n;

    do {
        n = read(fd, buf_reserve(text, 65536), 65536);
        if (n > 0)
            text->len += (size_t)n;
    } while ((n > 0 && text->len <= FILE_BYTES_MAX) || (n < 0 && errno == EINTR));
    if (n != 0)
        return diag_set(why, PBSE_SYSTEM, "%.200s: %s", path,
                        n < 0 ? strerror(errno) : "the file is too large");
    text->data[text->len] = '\0'; /* buf_reserve() has left room for it */
    if (strlen(text->data) != text->len)
        return diag_set(why, PBSE_SYSTEM, "%.200s: it has a NUL byte", path);
    return 0;
}

/* A missing file is as good as an empty one: '*found' is false then. */
static int read_file(const char *path, struct buf *text, bool *found, struct diag *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), err = 0;
    struct stat st;

    *found = fd >= 0;
    if (fd < 0)
        return errno == ENOENT
                   ? 0
                   : diag_set(why, PBSE_SYSTEM, "%.200s: %s", path, strerror(errno));
    if (fstat(fd, &st) < 0)
        err = diag_set(why, PBSE_SYSTEM, "%.200s: %s", path, strerror(errno));
    if (!err)
        err = check_file(path, &st, why);
    if (!err)
        err = read_all(fd, path, text, why);
    close(fd);
    return err;
}

/* Where the variable of 'entry' stands in the list, NULL: nowhere. */
static char **find(char **v, size_t n, const char *entry)
{
    size_t len = strcspn(entry, "=");

    for (size_t i = 0; i < n; i++)
        if (strncmp(v[i], entry, len) == 0 && v[i][len] == '=')
            return &v[i];
    return NULL;
}

/* The entry of a variable of 'from'; NULL: there is none. */
static const char *entry_of(char *const *from, const char *name)
{
    size_t len = strlen(name);

    for (; *from; from++)
        if (strncmp(*from, name, len) == 0 && (*from)[len] == '=')
            return *from;
    return NULL;
}

static void add(struct site_env *e, const char *entry)
{
    char **known = find(e->v, e->n, entry);

    MUST(e->n < SITE_ENV_MAX_LINES); /* each line adds one at most */
    if (!known)
        known = &e->v[e->n++];
    *known = arena_strdup(e->arena, entry);
}

static void add_line(struct site_env *e, const char *line, char *const *started_with)
{
    const char *entry = strchr(line, '=') ? line : entry_of(started_with, line);

    if (entry)
        add(e, entry);
}

static bool is_passed_over(const char *line)
{
    return *line == '\0' || *line == '#' || *line == ' ' || *line == '\t';
}

static int add_lines(struct site_env *e, const char *path, char *text,
                     char *const *started_with, struct diag *why)
{
    size_t n = 0, number = 1;

    for (char *line = text, *end; line; line = end, number++) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (is_passed_over(line))
            continue;
        if (strlen(line) > SITE_ENV_MAX_LINE_BYTES)
            return diag_set(why, PBSE_SYSTEM, "%.200s: line %zu has more than %d bytes",
                            path, number, SITE_ENV_MAX_LINE_BYTES);
        if (line[0] == '=')
            return diag_set(why, PBSE_SYSTEM, "%.200s: line %zu names no variable",
                            path, number);
        if (n++ == SITE_ENV_MAX_LINES)
            return diag_set(why, PBSE_SYSTEM,
                            "%.200s: line %zu is one more than the %d that may be",
                            path, number, SITE_ENV_MAX_LINES);
        add_line(e, line, started_with);
    }
    return 0;
}

int site_env_read(const char *path, char *const *started_with, struct site_env *ret,
                  struct diag *why)
{
    struct site_env e = { .arena = arena_new() };
    struct buf text = { 0 };
    int err = read_file(path, &text, &e.is_there, why);

    e.v = ARENA_ARRAY(e.arena, char *, SITE_ENV_MAX_LINES);
    if (!err && text.data)
        err = add_lines(&e, path, text.data, started_with, why);
    buf_fini(&text);
    if (err)
        site_env_fini(&e);
    else
        *ret = e;
    return err;
}

void site_env_fini(struct site_env *e)
{
    arena_free(e->arena);
    *e = (struct site_env){ 0 };
}

char **site_env_with(const struct site_env *e, char *const *others, struct arena *arena)
{
    size_t n_others = 0, n = 0;
    char **v;

    while (others[n_others])
        n_others++;
    v = ARENA_ARRAY(arena, char *, e->n + n_others + 1);
    for (; n < e->n; n++)
        v[n] = e->v[n];
    for (; *others; others++)
        if (!find(e->v, e->n, *others))
            v[n++] = *others;
    v[n] = NULL;
    return v;
}

/* The daemons read these themselves, some of them later than at the start. */
static bool is_of_daemon(const char *entry)
{
    return strncmp(entry, "PBS_", strlen("PBS_")) == 0 ||
           strncmp(entry, "HWLOC_", strlen("HWLOC_")) == 0;
}

static char **of_daemon(char *const *started_with, struct arena *arena)
{
    size_t n = 0;
    char **v;

    while (started_with[n])
        n++;
    v = ARENA_ARRAY(arena, char *, n + 1);
    n = 0;
    for (; *started_with; started_with++)
        if (is_of_daemon(*started_with))
            v[n++] = arena_strdup(arena, *started_with);
    v[n] = NULL;
    return v;
}

static bool is_environment(char *const *v)
{
    char *const *now = environ;

    while (*now && *v && strcmp(*now, *v) == 0) {
        now++;
        v++;
    }
    return *now == *v; /* both are at their ends */
}

/* All environments that were ever taken: somebody may hold a text of an earlier one. */
static struct taken {
    struct taken *before;
    struct arena *arena;
} * taken;

void site_env_take(const struct site_env *e, char *const *started_with)
{
    struct arena *arena = arena_new();
    struct site_env own = { .n = e->n, .arena = arena };
    struct taken *t;
    char **v;

    own.v = ARENA_ARRAY(arena, char *, e->n + 1);
    for (size_t i = 0; i < e->n; i++)
        own.v[i] = arena_strdup(arena, e->v[i]);
    v = site_env_with(&own, of_daemon(started_with, arena), arena);
    if (!e->is_there || is_environment(v)) {
        arena_free(arena);
        return;
    }
    t = ARENA_NEW(arena, struct taken);
    *t = (struct taken){ .before = taken, .arena = arena };
    taken = t;
    environ = v;
    tzset();
}
