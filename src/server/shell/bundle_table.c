/* bundle_table.c - see bundle_table.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/bundle_table.h"

#include <stdlib.h>
#include <uthash.h>
#include <utlist.h>

/* The bundles of a series that have anything left, by the text before the bracket. */
struct series {
    char *name;
    struct bundle *first;
    UT_hash_handle hh;
};

struct bundle_table {
    struct series *series;
};

struct bundle_table *bundle_table_new(void)
{
    return xcalloc(1, sizeof(struct bundle_table));
}

static void bundle_free(struct bundle *u)
{
    free(u->id);
    free(u->gone);
    free(u);
}

static void series_free(struct bundle_table *t, struct series *s)
{
    MUST(!s->first);
    HASH_DEL(t->series, s);
    free(s->name);
    free(s);
}

void bundle_table_free(struct bundle_table *t)
{
    struct series *s, *next;
    struct bundle *u, *after;

    if (!t)
        return;
    HASH_ITER (hh, t->series, s, next) {
        DL_FOREACH_SAFE (s->first, u, after) {
            DL_DELETE(s->first, u);
            bundle_free(u);
        }
        series_free(t, s);
    }
    free(t);
}

static struct series *series_find(const struct bundle_table *t,
                                  const struct bundle_id *id)
{
    struct series *s;

    HASH_FIND(hh, t->series, id->series, id->series_len, s);
    return s;
}

struct bundle *bundle_table_add(struct bundle_table *t, const struct bundle_id *id,
                                const char *text)
{
    struct series *s = series_find(t, id);
    struct bundle *u = xcalloc(1, sizeof(*u));

    u->id = xstrdup(text);
    u->from = id->from;
    u->n = u->n_left = (size_t)(id->to - id->from + 1);
    u->gone = xcalloc(u->n, sizeof(*u->gone));
    if (!s) {
        s = xcalloc(1, sizeof(*s));
        s->name = xstrndup(id->series, id->series_len);
        HASH_ADD_KEYPTR(hh, t->series, s->name, id->series_len, s);
    }
    DL_APPEND(s->first, u);
    return u;
}

void bundle_table_remove(struct bundle_table *t, struct bundle *u,
                         const struct bundle_id *id)
{
    struct series *s = series_find(t, id);

    MUST(s && u->n_left == 0);
    DL_DELETE(s->first, u);
    bundle_free(u);
    if (!s->first)
        series_free(t, s);
}

struct bundle *bundle_table_find(const struct bundle_table *t,
                                 const struct bundle_id *id)
{
    const struct series *s = series_find(t, id);
    struct bundle *u;

    if (!s)
        return NULL;
    DL_FOREACH (s->first, u)
        if (id->from >= u->from && id->from - u->from < (int64_t)u->n)
            return u->gone[id->from - u->from] ? NULL : u;
    return NULL;
}

void bundle_mark_gone(struct bundle *u, int64_t index)
{
    MUST(index >= u->from && index - u->from < (int64_t)u->n);
    MUST(!u->gone[index - u->from] && u->n_left > 0);
    u->gone[index - u->from] = true;
    u->n_left--;
}
