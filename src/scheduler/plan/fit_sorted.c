/* fit_sorted.c - first fit where the order of vnodes changes with what is placed: they
 * are sorted by what is assigned or unused, or by when they were used last
 * (scheduling.md 15.3).
 *
 * What is free through the window of the request counts, which for a reservation lies
 * ahead. A host of several vnodes stands where its first vnode does, and has its vnodes
 * in the same order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/fit.h"

#include <stdlib.h>
#include <string.h>

/* The keys with the resources looked up once. */
struct order {
    const struct world *w;
    const int64_t *free;
    size_t res[POLICY_SORT_KEYS_MAX]; /* SIZE_MAX: no resource, or none of that name */
};

static struct order order_of(const struct world *w, const int64_t *free)
{
    struct order o = { .w = w, .free = free };

    for (size_t k = 0; k < w->p->n_sort_keys; k++)
        o.res[k] = snap_res_find(w->s, w->p->sort_keys[k].resource);
    return o;
}

/* What is not set, or has no meaning, counts as 0. */
static int64_t value_of(const struct order *o, size_t key, size_t vnode)
{
    const struct sort_key *k = &o->w->p->sort_keys[key];
    size_t slot;

    if (strcmp(k->resource, "sort_priority") == 0)
        return o->w->s->vnodes[vnode].priority;
    if (strcmp(k->resource, "last_used_time") == 0)
        return o->w->s->vnodes[vnode].last_used_at;
    if (o->res[key] == SIZE_MAX)
        return 0;
    slot = world_slot(o->w, vnode, o->res[key]);
    switch (k->by) {
    case SORT_ASSIGNED:
        return o->w->total[slot] - o->free[slot];
    case SORT_UNUSED:
        return o->free[slot];
    case SORT_TOTAL:
        break;
    }
    return o->w->total[slot];
}

static bool comes_before(const struct order *o, size_t a, size_t b)
{
    const struct snap_vnode *va = &o->w->s->vnodes[a], *vb = &o->w->s->vnodes[b];

    /* Vnodes that are down today serve reservations far ahead, after all others. */
    if (va->usable != vb->usable)
        return va->usable;
    for (size_t k = 0; k < o->w->p->n_sort_keys; k++) {
        int64_t x = value_of(o, k, a), y = value_of(o, k, b);

        if (x != y)
            return (x > y) == o->w->p->sort_keys[k].high_first;
    }
    return a < b; /* the order of the server */
}

static int compare(const void *a, const void *b, void *arg)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    if (x == y)
        return 0;
    return comes_before(arg, x, y) ? -1 : 1;
}

const size_t *fit_sorted(struct world *w, const int64_t *free, const size_t *order,
                         size_t n)
{
    size_t *ret = arena_copy(w->scratch, order, n * sizeof(*ret) + 1);
    struct order o = order_of(w, free);

    MUST(w->p->sorts_anew);
    if (n > 0)
        qsort_r(ret, n, sizeof(*ret), compare, &o);
    return ret;
}

/* The hosts in their present order. */
struct turns {
    size_t n;
    size_t *hosts;
    bool *failed; /* [host of the fit]: had no room for a copy of this chunk */
    struct order order;
};

static bool host_before(const struct fit *f, const struct turns *t, size_t a, size_t b)
{
    return comes_before(&t->order, f->hosts[a].vnodes[0], f->hosts[b].vnodes[0]);
}

static void swap(size_t *a, size_t *b)
{
    size_t was = *a;

    *a = *b;
    *b = was;
}

/* The vnodes of a host on which something was placed: all but those few are in order.
 */
static void sort_host(const struct fit *f, const struct turns *t, size_t host)
{
    /* The array is the fit's own: add_hosts() made it. */
    size_t *v = (size_t *)f->hosts[host].vnodes;

    for (size_t i = 1; i < f->hosts[host].n; i++)
        for (size_t k = i; k > 0 && comes_before(&t->order, v[k], v[k - 1]); k--)
            swap(&v[k], &v[k - 1]);
}

/* Something was placed on the host at 'at', and only that one has changed. */
static void move_host(const struct fit *f, struct turns *t, size_t at)
{
    size_t *h = t->hosts;

    for (; at > 0 && host_before(f, t, h[at], h[at - 1]); at--)
        swap(&h[at], &h[at - 1]);
    for (; at + 1 < t->n && host_before(f, t, h[at + 1], h[at]); at++)
        swap(&h[at], &h[at + 1]);
}

static bool place_copy(struct fit *f, size_t chunk, struct turns *t)
{
    struct placed *pd = &f->placed[f->n_placed];

    *pd = (struct placed){ 0 };
    for (size_t i = 0; i < t->n; i++) {
        size_t host = t->hosts[i];

        if (t->failed[host])
            continue;
        if (fit_place_on_host(f, &f->rq->chunks[chunk], host, pd)) {
            f->n_placed++;
            sort_host(f, t, host);
            move_host(f, t, i);
            return true;
        }
        /* It will not have more room for a further copy. */
        t->failed[host] = true;
    }
    return false;
}

bool fit_place_sorted(struct fit *f, size_t first, size_t last)
{
    struct arena *scratch = f->w->scratch;
    struct turns t = {
        .n = last - first,
        .hosts = arena_alloc(scratch, (last - first) * sizeof(*t.hosts) + 1),
        .failed = arena_alloc(scratch, f->n_hosts * sizeof(*t.failed) + 1),
        .order = order_of(f->w, f->free),
    };

    MUST(first <= last && last <= f->n_hosts);
    /* They were sorted when the fit began, and nothing of it is placed. */
    for (size_t i = 0; i < t.n; i++)
        t.hosts[i] = first + i;
    f->n_placed = 0;
    for (size_t c = 0; c < f->rq->n; c++) {
        memset(t.failed, 0, f->n_hosts * sizeof(*t.failed));
        for (int64_t copy = 0; copy < f->counts[c]; copy++)
            if (!place_copy(f, c, &t)) {
                f->failed_chunk = c;
                f->failed_copy = copy;
                return false;
            }
    }
    return true;
}
