/* environ.c - see environ.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/environ.h"

#include "mom/shell/home.h"

#include <stdlib.h>
#include <string.h>

#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

struct environment_name {
    const char *name; /* its entry in 'v'; not terminated */
    size_t at;
    UT_hash_handle hh;
};

void environment_fini(struct environment *e)
{
    HASH_CLEAR(hh, e->names);
}

static void make_room(struct environment *e)
{
    size_t cap = e->cap ? e->cap * 2 : 64;
    char **v;

    if (e->n + 2 <= e->cap) /* one more and the NULL at the end */
        return;
    v = ARENA_ARRAY(e->arena, char *, cap);
    if (e->n)
        memcpy(v, e->v, e->n * sizeof(*v));
    e->v = v;
    e->cap = cap;
}

/* 'entry' lives in the arena; its first bytes are the name, and a '=' follows. */
static void put(struct environment *e, char *entry, size_t name_len)
{
    struct environment_name *known;

    MUST(entry[name_len] == '=');
    HASH_FIND(hh, e->names, entry, name_len, known);
    if (known) {
        /* The variable keeps its place; only the value changes. */
        e->v[known->at] = entry;
        return;
    }
    make_room(e);
    known = ARENA_NEW(e->arena, struct environment_name);
    known->name = entry;
    known->at = e->n;
    HASH_ADD_KEYPTR(hh, e->names, known->name, name_len, known);
    e->v[e->n++] = entry;
    e->v[e->n] = NULL;
    MUST(e->n < e->cap);
}

void environment_set(struct environment *e, const char *name, const char *value)
{
    put(e, arena_printf(e->arena, "%s=%s", name, value), strlen(name));
}

void environment_add(struct environment *e, const char *entry)
{
    const char *eq = strchr(entry, '=');

    if (eq && eq > entry)
        put(e, arena_strdup(e->arena, entry), (size_t)(eq - entry));
}

/* A line without '=' asks for the daemon's own value, which only the administrator's
 * file may do: environment_add_list() lets no such entry of a user get here. */
static void add_line(struct environment *e, const char *line, size_t len)
{
    const char *eq = memchr(line, '=', len);

    if (len == 0 || line[0] == '#')
        return;
    if (eq) {
        put(e, arena_strndup(e->arena, line, len), (size_t)(eq - line));
    } else {
        const char *name = arena_strndup(e->arena, line, len);
        const char *value = getenv(name);

        if (value)
            environment_set(e, name, value);
    }
}

void environment_add_file(struct environment *e, const char *path)
{
    struct buf text = { 0 };
    struct diag why;
    struct stat st;

    /* The file need not be there. */
    if (home_read_setting(path, &text, &st, &why) == 0 && text.data) {
        for (const char *at = text.data; *at;) {
            size_t len = strcspn(at, "\n");

            add_line(e, at, len);
            at += len + (at[len] == '\n');
        }
    }
    buf_fini(&text);
}

void environment_add_list(struct environment *e, const char *variable_list)
{
    struct buf entry = { 0 };
    const char *at = variable_list ? variable_list : "";

    while (*at) {
        buf_clear(&entry);
        for (; *at && *at != ','; at++) {
            if (*at == '\\' && at[1])
                at++;
            buf_add_char(&entry, *at);
        }
        if (*at == ',')
            at++;
        if (entry.len && memchr(entry.data, '=', entry.len))
            add_line(e, entry.data, entry.len);
    }
    buf_fini(&entry);
}
