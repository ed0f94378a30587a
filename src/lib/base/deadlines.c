/* deadlines.c - see deadlines.h: a heap, ordered by time and then by the order of
 * setting, which is a full key.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/deadlines.h"

#include <stdlib.h>

void deadlines_fini(struct deadlines *ds)
{
    free(ds->heap);
    *ds = (struct deadlines){ 0 };
}

static bool is_before(const struct deadline *a, const struct deadline *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void put(struct deadlines *ds, size_t i, struct deadline *d)
{
    ds->heap[i] = d;
    /* 0 means that it is not in the heap, so places count from 1. */
    d->place = i + 1;
}

/* Move the free place 'i' up until 'd' is not before its parent, and put it there. */
static void rise(struct deadlines *ds, size_t i, struct deadline *d)
{
    for (; i > 0 && is_before(d, ds->heap[(i - 1) / 2]); i = (i - 1) / 2)
        put(ds, i, ds->heap[(i - 1) / 2]);
    put(ds, i, d);
}

/* Move the free place 'i' down until no child is before 'd', and put it there. */
static void sink(struct deadlines *ds, size_t i, struct deadline *d)
{
    size_t child;

    while ((child = 2 * i + 1) < ds->n) {
        if (child + 1 < ds->n && is_before(ds->heap[child + 1], ds->heap[child]))
            child++;
        if (!is_before(ds->heap[child], d))
            break;
        put(ds, i, ds->heap[child]);
        i = child;
    }
    put(ds, i, d);
}

static void take_out(struct deadlines *ds, struct deadline *d)
{
    size_t i = d->place - 1;
    /* The last of the heap fills the gap, and may have to move up or down from there.
     */
    struct deadline *last = ds->heap[--ds->n];

    MUST(i <= ds->n && ds->heap[i] == d);
    d->place = 0;
    if (last == d)
        return;
    if (i > 0 && is_before(last, ds->heap[(i - 1) / 2]))
        rise(ds, i, last);
    else
        sink(ds, i, last);
}

void deadline_set(struct deadlines *ds, struct deadline *d, int64_t at)
{
    /* Nothing changes then, and it keeps its order among those of the same time. */
    if (d->place ? d->at == at : at == DEADLINE_NEVER)
        return;
    if (d->place)
        take_out(ds, d);
    if (at == DEADLINE_NEVER)
        return;
    if (ds->n == ds->cap) {
        ds->cap = MAX_OF(2 * ds->cap, (size_t)16);
        ds->heap = xrealloc(ds->heap, ds->cap * sizeof(struct deadline *));
    }
    MUST(d->place == 0 && ds->n < ds->cap);
    d->at = at;
    d->order = ++ds->last_order;
    rise(ds, ds->n++, d);
}

int64_t deadlines_next(const struct deadlines *ds)
{
    return ds->n > 0 ? ds->heap[0]->at : DEADLINE_NEVER;
}

/* What may come next: the children of those that were found. */
struct frontier {
    struct deadline **v;
    size_t n;
};

static void reach(const struct deadlines *ds, int64_t now_at, size_t i,
                  struct frontier *f)
{
    /* No child is due before its parent. */
    if (i < ds->n && ds->heap[i]->at <= now_at)
        f->v[f->n++] = ds->heap[i];
}

static struct deadline *take_first(struct frontier *f)
{
    size_t first = 0;
    struct deadline *d;

    for (size_t i = 1; i < f->n; i++)
        if (is_before(f->v[i], f->v[first]))
            first = i;
    d = f->v[first];
    f->v[first] = f->v[--f->n];
    return d;
}

size_t deadlines_due(const struct deadlines *ds, int64_t now_at, struct deadline **ret,
                     size_t max)
{
    /* Each one that is found takes a place away and adds two at most. */
    struct frontier f = { .v = xcalloc(max + 2, sizeof(struct deadline *)) };
    size_t n = 0;

    reach(ds, now_at, 0, &f);
    while (f.n > 0 && n < max) {
        struct deadline *d = take_first(&f);

        ret[n++] = d;
        reach(ds, now_at, 2 * (d->place - 1) + 1, &f);
        reach(ds, now_at, 2 * (d->place - 1) + 2, &f);
    }
    free(f.v);
    return n;
}

struct deadline *deadlines_take(struct deadlines *ds, int64_t now_at)
{
    struct deadline *d = ds->n > 0 ? ds->heap[0] : NULL;

    if (!d || d->at > now_at)
        return NULL;
    take_out(ds, d);
    return d;
}
