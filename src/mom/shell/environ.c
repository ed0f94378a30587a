/* environ.c - see environ.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/environ.h"

#include "lib/base/buf.h"

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

void environment_add_site(struct environment *e, const struct site_env *site)
{
    for (size_t i = 0; site && i < site->n; i++)
        environment_add(e, site->v[i]);
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
        buf_add_char(&entry, '\0');
        if (entry.data[0] != '#')
            environment_add(e, entry.data);
    }
    buf_fini(&entry);
}
