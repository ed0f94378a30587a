/* fit_complete.c - when first fit fails: try every way to place the chunks, within a
 * budget.
 *
 * Chunks are placed one after another, those with the fewest vnodes and the largest
 * demands first. Three rules keep the tree small without losing an answer: copies of
 * one chunk go to candidates in ascending order; of vnodes that are equal in all that
 * counts only one is tried; a demand above the sum of what is free ends the search at
 * once.
 *
 * A candidate is a vnode that holds the chunk whole or, after those, a host of several
 * vnodes that holds it in parts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/fit.h"

#include <stdlib.h>
#include <string.h>

/* Placing a chunk costs as much as so many comparisons. Each placing takes memory of
 * the scratch arena, so the budget of comparisons bounds the memory too. */
enum {
    PLACING_CHECKS = 8
};

struct search {
    struct fit *f;
    size_t n_items;
    size_t *items;       /* chunk of each copy, hardest first */
    struct placed *done; /* [n_items] */
    size_t n_vnodes;
    size_t *vnodes; /* candidates in order, then the hosts */
    size_t first_host, last_host;
    bool *matches;     /* [chunk * w->n + vnode] */
    size_t *n_matches; /* [chunk] */
};

/* List the vnodes of the hosts that are searched, and note which chunk may go on
 * which vnode. What is free now is not asked here: it changes during the search. */
static void list_candidates(struct search *s)
{
    struct fit *f = s->f;

    s->n_vnodes = 0;
    for (size_t h = s->first_host; h < s->last_host; h++)
        for (size_t i = 0; i < f->hosts[h].n; i++)
            s->vnodes[s->n_vnodes++] = f->hosts[h].vnodes[i];
    for (size_t c = 0; c < f->rq->n; c++) {
        s->n_matches[c] = 0;
        for (size_t i = 0; i < s->n_vnodes; i++) {
            bool fits = fit_matches(f, &f->rq->chunks[c], s->vnodes[i]);

            s->matches[c * f->w->n + s->vnodes[i]] = fits;
            s->n_matches[c] += fits;
        }
    }
}

/* What one copy of the chunk asks for of a resource that is counted; a chunk may
 * name it more than once. */
static int64_t demand(const struct search *s, size_t chunk, size_t res)
{
    const struct req_chunk *rc = &s->f->rq->chunks[chunk];
    int64_t sum = 0;

    for (size_t i = 0; i < rc->n; i++)
        if (rc->needs[i].res == res && fit_is_counted(s->f->w, &rc->needs[i]))
            sum += rc->needs[i].amount;
    return sum;
}

/* False when the whole request asks for more of a resource than all candidates have
 * together: no placement exists, and the search is not begun. */
static bool sums_suffice(const struct search *s)
{
    const struct fit *f = s->f;

    for (size_t r = 1; r < f->w->n_res; r++) {
        int64_t wanted = 0;
        int64_t has = 0;

        for (size_t c = 0; c < f->rq->n; c++)
            wanted += f->counts[c] * demand(s, c, r);
        for (size_t i = 0; i < s->n_vnodes; i++)
            if (f->free[world_slot(f->w, s->vnodes[i], r)] > 0)
                has += f->free[world_slot(f->w, s->vnodes[i], r)];
        if (wanted > has && !f->w->infinite[r])
            return false;
    }
    return true;
}

/* Fewer vnodes first, then the larger demand in the first resource that differs. */
static int compare_chunks(const void *a, const void *b, void *arg)
{
    const struct search *s = arg;
    size_t c = *(const size_t *)a;
    size_t d = *(const size_t *)b;

    if (s->n_matches[c] != s->n_matches[d])
        return s->n_matches[c] < s->n_matches[d] ? -1 : 1;
    for (size_t r = 1; r < s->f->w->n_res; r++) {
        int64_t difference = demand(s, c, r) - demand(s, d, r);

        if (difference != 0)
            return difference > 0 ? -1 : 1;
    }
    return c < d ? -1 : 1;
}

/* One item for each copy of each chunk, in the order in which the search places
 * them. */
static void list_items(struct search *s)
{
    const struct fit *f = s->f;
    size_t *chunks = arena_alloc(f->w->scratch, f->rq->n * sizeof(*chunks) + 1);
    size_t n = 0;

    for (size_t c = 0; c < f->rq->n; c++)
        chunks[c] = c;
    qsort_r(chunks, f->rq->n, sizeof(*chunks), compare_chunks, s);
    for (size_t i = 0; i < f->rq->n; i++)
        for (int64_t copy = 0; copy < f->counts[chunks[i]]; copy++)
            s->items[n++] = chunks[i];
    s->n_items = n;
}

/* True when the vnode, or its host, has its one chunk already. */
static bool scatter_forbids(const struct search *s, size_t vnode)
{
    const struct fit *f = s->f;

    return (f->rq->place.arrange == PLACE_SCATTER && fit_host_is_used(f, vnode)) ||
           (f->rq->place.arrange == PLACE_VSCATTER && fit_is_used(f, vnode));
}

/* True when two candidates are equal for every chunk that is left: if no answer was
 * found with the first, none is found with the second. */
static bool are_alike(const struct search *s, size_t u, size_t v)
{
    const struct fit *f = s->f;
    size_t n = f->w->n_res;

    if (f->w->host[u] != f->w->host[v] &&
        (fit_host_of(f, u)->n > 1 || fit_host_of(f, v)->n > 1))
        return false;
    if (fit_is_used(f, u) != fit_is_used(f, v))
        return false;
    /* Two vnodes may borrow from different vnodes; equal numbers do not make them equal
     * then. */
    if (f->w->home || memcmp(&f->free[u * n + 1], &f->free[v * n + 1],
                             (n - 1) * sizeof(int64_t)) != 0)
        return false;
    for (size_t c = 0; c < f->rq->n; c++)
        if (s->matches[c * f->w->n + u] != s->matches[c * f->w->n + v])
            return false;
    return true;
}

static bool place_items(struct search *s, size_t item, size_t from);

/* The copies of one chunk go to ascending candidates; the next chunk starts afresh. */
static bool place_rest(struct search *s, size_t item, size_t candidate)
{
    bool same = item + 1 < s->n_items && s->items[item + 1] == s->items[item];

    /* Copies of one chunk are interchangeable. When each goes to the same or a later
     * candidate than the one before, every set of candidates is tried once only. */
    if (place_items(s, item + 1, same ? candidate : 0))
        return true;
    fit_take(s->f, &s->done[item], -1);
    return false;
}

static bool try_whole(struct search *s, size_t item, size_t from)
{
    const struct req_chunk *chunk = &s->f->rq->chunks[s->items[item]];
    size_t last_tried = SIZE_MAX;

    for (size_t i = from; i < s->n_vnodes && s->f->checks > 0; i++) {
        size_t vnode = s->vnodes[i];

        s->f->checks--;
        if (!s->matches[s->items[item] * s->f->w->n + vnode] ||
            scatter_forbids(s, vnode) || !fit_has_room(s->f, chunk, vnode))
            continue;
        if (last_tried != SIZE_MAX && are_alike(s, last_tried, vnode))
            continue;
        last_tried = vnode;
        s->f->checks -= PLACING_CHECKS;
        s->done[item] = (struct placed){ 0 };
        fit_place_whole(s->f, chunk, vnode, &s->done[item]);
        if (place_rest(s, item, i))
            return true;
    }
    return false;
}

static bool try_split(struct search *s, size_t item, size_t from)
{
    struct fit *f = s->f;
    size_t first = from > s->n_vnodes ? from - s->n_vnodes : 0;

    if (f->rq->place.arrange == PLACE_VSCATTER)
        return false;
    for (size_t h = s->first_host + first; h < s->last_host && s->f->checks > 0; h++) {
        s->f->checks -= (int64_t)f->hosts[h].n + PLACING_CHECKS;
        if (f->hosts[h].n < 2 || (f->rq->place.arrange == PLACE_SCATTER &&
                                  fit_host_is_used(f, f->hosts[h].vnodes[0])))
            continue;
        s->done[item] = (struct placed){ 0 };
        if (fit_place_split(f, &f->rq->chunks[s->items[item]], h, &s->done[item]) &&
            place_rest(s, item, s->n_vnodes + h - s->first_host))
            return true;
    }
    return false;
}

static bool place_items(struct search *s, size_t item, size_t from)
{
    MUST(item <= s->n_items);
    if (item == s->n_items)
        return true;
    return try_whole(s, item, from) || try_split(s, item, from);
}

/* Copies of chunk 0 first, then of chunk 1, ... as first fit leaves them. */
static void order_result(struct search *s)
{
    struct fit *f = s->f;

    MUST(f->n_placed == 0);
    f->n_placed = 0;
    for (size_t c = 0; c < f->rq->n; c++)
        for (size_t i = 0; i < s->n_items; i++)
            if (s->items[i] == c)
                f->placed[f->n_placed++] = s->done[i];
}

static bool search_hosts(struct search *s, size_t first, size_t last)
{
    MUST(first < last && last <= s->f->n_hosts);
    s->first_host = first;
    s->last_host = last;
    list_candidates(s);
    if (!sums_suffice(s))
        return false;
    list_items(s);
    if (!place_items(s, 0, 0))
        return false;
    order_result(s);
    return true;
}

/* place_items() calls itself once for each item. A request of more items than this
 * keeps the answer of first fit, so that the stack stays small. */
enum {
    SEARCH_ITEMS_MAX = 2000
};

bool fit_complete(struct fit *f)
{
    struct search s = { .f = f };
    struct arena *arena = f->w->scratch;
    int64_t n = 0;

    MUST(f->n_placed == 0); /* first fit has given back what it tried */
    for (size_t c = 0; c < f->rq->n; c++)
        n += f->counts[c];
    if (n > SEARCH_ITEMS_MAX || f->n_hosts == 0)
        return false;
    s.items = arena_alloc(arena, (size_t)n * sizeof(*s.items) + 1);
    s.done = arena_zero(arena, (size_t)n * sizeof(*s.done) + 1);
    s.vnodes = arena_alloc(arena, f->w->n * sizeof(*s.vnodes) + 1);
    s.matches = arena_zero(arena, f->rq->n * f->w->n * sizeof(*s.matches) + 1);
    s.n_matches = arena_zero(arena, f->rq->n * sizeof(*s.n_matches) + 1);
    if (f->rq->place.arrange != PLACE_PACK)
        return search_hosts(&s, 0, f->n_hosts);
    for (size_t h = 0; h < f->n_hosts; h++)
        if ((f->only_host == SIZE_MAX ||
             f->w->host[f->hosts[h].vnodes[0]] == f->only_host) &&
            search_hosts(&s, h, h + 1))
            return true;
    return false;
}
