/* subjobs.c - the subjobs that a server does not list (wire.md 8.2).
 *
 * A server sends the parent of an array and, right behind it, the subjobs that exist
 * apart from it. The others are queued and look like the parent: they are made here,
 * from the indices that the parent says remain, and stand in the order of the indices.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A few bytes of a range ask for millions of records, so what is made is bounded by
 * count and by size. Sites have arrays of some ten thousand. */
#define MOST_SUBJOBS    10000000
#define MOST_MADE_BYTES ((size_t)1 << 28)

struct subjob {
    long index;
    struct batch_status *st;
};

struct subjobs { /* of one parent */
    size_t n, cap;
    struct subjob *v;
    size_t made_bytes;
};

/* "12[]" or "12[].server": where its brackets are. */
static const char *brackets(const char *name)
{
    const char *at = name + strspn(name, "0123456789");

    return at > name && strncmp(at, "[]", 2) == 0 ? at : NULL;
}

/* The index of 'name' when it is a subjob of that parent, else -1. */
static long index_in(const char *name, const char *parent, const char *at)
{
    size_t len = (size_t)(at - parent) + 1; /* with the bracket */
    char *end;
    long i;

    if (strncmp(name, parent, len) != 0 || !isdigit((unsigned char)name[len]))
        return -1;
    i = strtol(name + len, &end, 10);
    return *end == ']' ? i : -1;
}

static bool add(struct subjobs *all, long index, struct batch_status *st)
{
    if (all->n == all->cap) {
        size_t cap = all->cap ? all->cap * 2 : 64;
        struct subjob *v = realloc(all->v, cap * sizeof(*v));

        if (!v)
            return false;
        all->v = v;
        all->cap = cap;
    }
    all->v[all->n++] = (struct subjob){ index, st };
    return true;
}

static const char *value_of(const struct attrl *a, const char *like)
{
    if (strcmp(a->name, ATTR_state) == 0)
        return "Q";
    return strcmp(a->name, ATTR_substate) == 0 ? "10" : like;
}

/* The parent's attributes up to "array": servers put what a subjob shares before it,
 * and what is the parent's alone behind (wire.md 8.2). */
static struct batch_status *like_parent(const struct batch_status *parent,
                                        const char *at, long index, size_t *bytes)
{
    struct batch_status *st = calloc(1, sizeof(*st));
    const size_t size = strlen(parent->name) + 24;
    struct attrl **end;
    bool ok;

    if (!st)
        return NULL;
    end = &st->attribs;
    st->name = malloc(size);
    ok = st->name != NULL;
    *bytes += 2 * size;
    if (ok)
        snprintf(st->name, size, "%.*s[%ld]%s", (int)(at - parent->name), parent->name,
                 index, at + 2);
    for (const struct attrl *a = parent->attribs;
         a && ok && strcmp(a->name, ATTR_array) != 0; a = a->next) {
        *end = ifl_attrl_new(a->name, a->resource, value_of(a, a->value), SET);
        ok = *end != NULL;
        if (ok)
            end = &(*end)->next;
        *bytes += sizeof(*a) + strlen(a->name) + strlen(a->value);
    }
    if (ok)
        return st;
    ifl_statfree(st);
    return NULL;
}

/* "3", "1-5", "1-9:2": read the next range. False when the text is no range. */
static bool next_range(const char **at, long *first, long *last, long *step)
{
    char *end;

    if (!isdigit((unsigned char)**at))
        return false;
    *first = *last = strtol(*at, &end, 10);
    *step = 1;
    if (*end == '-' && isdigit((unsigned char)end[1]))
        *last = strtol(end + 1, &end, 10);
    if (*end == ':' && isdigit((unsigned char)end[1]))
        *step = strtol(end + 1, &end, 10);
    *at = end + (*end == ',');
    return *step > 0 && *step < MOST_SUBJOBS && *last < MOST_SUBJOBS &&
           (*end == '\0' || *end == ',');
}

static int by_index(const void *a, const void *b)
{
    const struct subjob *x = a, *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

/* Among the first 'n', which are sorted. */
static bool is_there(const struct subjobs *all, size_t n, long index)
{
    const struct subjob key = { index, NULL };

    return n > 0 && bsearch(&key, all->v, n, sizeof(key), by_index);
}

static const char *remaining(const struct batch_status *st)
{
    for (const struct attrl *a = st->attribs; a; a = a->next)
        if (strcmp(a->name, ATTR_array_indices_remaining) == 0)
            return a->value;
    return "";
}

/* 0 or PBSE_SYSTEM, PBSE_PROTOCOL: no answer of an honest server. */
static int make_missing(struct subjobs *all, const struct batch_status *parent,
                        const char *brackets_at)
{
    /* The indices that were sent are looked up among themselves; those made here come
     * behind them, and all are sorted once at the end. */
    const char *at = remaining(parent);
    const size_t n_sent = all->n;
    long first, last, step;

    if (n_sent > 0)
        qsort(all->v, n_sent, sizeof(*all->v), by_index);
    while (next_range(&at, &first, &last, &step))
        for (long i = first; i <= last; i += step) {
            struct batch_status *st;

            if (is_there(all, n_sent, i))
                continue;
            if (all->n >= MOST_SUBJOBS || all->made_bytes > MOST_MADE_BYTES)
                return PBSE_PROTOCOL;
            st = like_parent(parent, brackets_at, i, &all->made_bytes);
            if (!st || !add(all, i, st)) {
                ifl_statfree(st);
                return PBSE_SYSTEM;
            }
        }
    return 0;
}

/* What stands behind the parent: its subjobs, all of them; the next object follows. */
static int fill_parent(struct batch_status *parent, const char *at,
                       struct batch_status **last)
{
    struct subjobs all = { 0 };
    struct batch_status *st = parent->next, *rest;
    int err = 0;

    /* Links are set only when nothing can fail any more, so that the caller can free
     * the list as the server sent it. */
    *last = parent;
    for (long i; st && !err && (i = index_in(st->name, parent->name, at)) >= 0;
         st = st->next)
        err = add(&all, i, st) ? 0 : PBSE_SYSTEM;
    rest = st;
    if (!err) {
        size_t n_sent = all.n;

        err = make_missing(&all, parent, at);
        for (size_t i = n_sent; err && i < all.n; i++)
            ifl_statfree(all.v[i].st);
    }
    if (!err && all.n > 0) {
        qsort(all.v, all.n, sizeof(*all.v), by_index);
        for (size_t i = 0; i < all.n; i++, *last = (*last)->next)
            (*last)->next = all.v[i].st;
        (*last)->next = rest;
    }
    free(all.v);
    return err;
}

int ifl_fill_subjobs(struct batch_status *list)
{
    int err = 0;

    while (list && !err) {
        struct batch_status *last = list;
        const char *at = brackets(list->name);

        if (at)
            err = fill_parent(list, at, &last);
        list = last->next;
    }
    return err;
}
