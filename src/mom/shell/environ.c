/* environ.c - see environ.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/environ.h"

#include "mom/shell/home.h"

#include <stdlib.h>
#include <string.h>

static void put(struct environment *e, char *entry, size_t name_len)
{
    for (size_t i = 0; i < e->n; i++) {
        if (strncmp(e->v[i], entry, name_len + 1) == 0) {
            e->v[i] = entry;
            return;
        }
    }
    if (e->n + 2 > e->cap) {
        size_t cap = e->cap ? e->cap * 2 : 64;
        char **v = ARENA_ARRAY(e->arena, char *, cap);

        if (e->n)
            memcpy(v, e->v, e->n * sizeof(*v));
        e->v = v;
        e->cap = cap;
    }
    e->v[e->n++] = entry;
    e->v[e->n] = NULL;
}

void environment_set(struct environment *e, const char *name, const char *value)
{
    put(e, arena_printf(e->arena, "%s=%s", name, value), strlen(name));
}

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

    if (home_read(path, 1 << 20, &text) && text.data) {
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
