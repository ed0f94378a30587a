/* follower.c - see follower.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/follower.h"

#include "scheduler/plan/links.h"
#include "scheduler/plan/series.h"

#include <stdlib.h>
#include <string.h>

const char *altered_id(const struct question *q)
{
    return q->later ? q->later->id : q->r->id;
}

int64_t altered_old_start(const struct question *q)
{
    return q->later ? q->later->start_at : q->r->old_start_at;
}

int64_t altered_old_end(const struct question *q)
{
    return q->later ? q->later->end_at : q->r->old_end_at;
}

/* The server tells the occurrences of the series, and these are all of them. */
static bool has_occurrences(const struct planner *pl, const struct snap_resv *r)
{
    return r->standing && r->occurrences.n > 0 &&
           series_of(pl, r)->n == r->occurrences.n;
}

/* The place of the occurrence that is altered among those of its series. */
static size_t altered_place(const struct question *q)
{
    return q->later ? (size_t)(q->later - series_of(q->pl, q->r)->v) : 0;
}

/* May anything of this reservation be moved? Whose own is altered, its other
 * occurrences may follow. */
static bool may_follow(const struct question *q, const struct snap_resv *r)
{
    return !r->alien && !r->skip && r->id[0] != 'M' &&
           (r == q->r || (r->state != RESV_BEING_ALTERED && r->later.index == 0)) &&
           (!r->standing || has_occurrences(q->pl, r));
}

static bool is_behind(const struct question *q, int64_t start_at, int64_t end_at)
{
    return start_at > q->pl->now_at && start_at > altered_old_start(q) &&
           end_at > start_at;
}

/* The current occurrence: all of an advance reservation. */
static bool current_follows(const struct question *q, const struct snap_resv *r)
{
    return r != q->r && (r->state == RESV_CONFIRMED || r->state == RESV_DEGRADED) &&
           r->substate != RESV_IN_CONFLICT && r->request && r->request->valid &&
           is_behind(q, r->start_at, r->end_at) && link_of_resv(q->pl, r)->has_vnodes;
}

static const struct request *request_of(const struct snap_resv *r,
                                        const struct series_one *one)
{
    return one->request ? one->request : r->request_series;
}

/* One that comes later, also of a series that runs. */
static bool later_follows(const struct question *q, const struct snap_resv *r, size_t i)
{
    const struct series_one *one = &series_of(q->pl, r)->v[i];
    const struct request *rq = request_of(r, one);

    return (r == q->r || r->state == RESV_CONFIRMED || r->state == RESV_DEGRADED ||
            r->state == RESV_RUNNING) &&
           !(r == q->r && i == altered_place(q)) && one->on && one->booked && rq &&
           rq->valid && is_behind(q, one->start_at, one->end_at);
}

static void add_current(const struct question *q, const struct snap_resv *r,
                        struct followers *to)
{
    if (!current_follows(q, r))
        return;
    to->v[to->n++] = (struct follower){
        .r = r,
        .id = r->id,
        .request = r->request,
        .at = &link_of_resv(q->pl, r)->at,
        .from_at = r->start_at,
        .until_at = r->end_at,
        .next_at = INT64_MAX,
    };
}

static void add_later(const struct question *q, const struct snap_resv *r,
                      struct followers *to)
{
    const struct series *ser = series_of(q->pl, r);

    for (size_t i = 1; i < ser->n; i++) {
        const struct series_one *one = &ser->v[i];

        if (!later_follows(q, r, i))
            continue;
        to->v[to->n++] = (struct follower){
            .r = r,
            .place = i,
            .id = one->id,
            .request = request_of(r, one),
            .at = &one->on->at,
            .from_at = one->start_at,
            .until_at = one->end_at,
            .next_at = INT64_MAX,
        };
    }
}

static size_t count_most(const struct planner *pl)
{
    size_t n = 0;

    for (size_t i = 0; i < pl->s->n_resvs; i++)
        n += 1 + pl->s->resvs[i].occurrences.n;
    return n;
}

static int compare(const void *va, const void *vb)
{
    const struct follower *a = va, *b = vb;

    if (a->from_at != b->from_at)
        return a->from_at < b->from_at ? -1 : 1;
    return strcmp(a->id, b->id);
}

/* What follows place 'from' in the series: one that may be moved, or where another one
 * begins. One that was deleted only keeps its place in the list. */
static void find_next(const struct series *ser, struct follower *const *slots,
                      size_t from, struct follower **next, int64_t *next_at)
{
    size_t i = from + 1;

    while (i < ser->n && ser->v[i].end_at == 0)
        i++;
    if (i < ser->n) {
        *next = slots[i];
        *next_at = slots[i] ? INT64_MAX : ser->v[i].start_at;
    }
}

/* Tie the occurrences of one series to each other. */
static void tie(const struct question *q, const struct snap_resv *r,
                struct follower **slots, struct followers *all)
{
    const struct series *ser = series_of(q->pl, r);

    for (size_t i = 0; i < ser->n; i++)
        if (slots[i])
            find_next(ser, slots, i, &slots[i]->next, &slots[i]->next_at);
    if (r == q->r)
        find_next(ser, slots, altered_place(q), &all->next, &all->next_at);
}

static void tie_all(const struct question *q, struct followers *all)
{
    const struct snapshot *s = q->pl->s;
    struct arena *arena = q->pl->arena;
    struct follower ***slots = arena_zero(arena, s->n_resvs * sizeof(*slots) + 1);

    for (size_t i = 0; i < s->n_resvs; i++)
        if (may_follow(q, &s->resvs[i]) && s->resvs[i].standing)
            slots[i] = arena_zero(arena, s->resvs[i].occurrences.n * sizeof(*slots[i]));
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].r->standing)
            slots[all->v[i].r - s->resvs][all->v[i].place] = &all->v[i];
    for (size_t i = 0; i < s->n_resvs; i++)
        if (slots[i])
            tie(q, &s->resvs[i], slots[i], all);
}

struct followers followers_of(const struct question *q)
{
    const struct snapshot *s = q->pl->s;
    struct followers all = { .next_at = INT64_MAX };

    all.v = arena_zero(q->pl->arena, count_most(q->pl) * sizeof(*all.v) + 1);
    for (size_t i = 0; i < s->n_resvs; i++) {
        const struct snap_resv *r = &s->resvs[i];

        if (!may_follow(q, r))
            continue;
        add_current(q, r, &all);
        if (r->standing)
            add_later(q, r, &all);
    }
    if (all.n > 0)
        qsort(all.v, all.n, sizeof(*all.v), compare);
    tie_all(q, &all);
    return all;
}
