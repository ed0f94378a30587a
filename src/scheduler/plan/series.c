/* series.c - the occurrences of standing reservations are read and booked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/series.h"

#include "lib/cal/recur.h"

#include <string.h>

static bool is_usable(const struct world *w, const struct placement *at)
{
    for (size_t c = 0; c < at->n; c++) {
        if (at->chunks[c].incomplete)
            return false;
        for (size_t i = 0; i < at->chunks[c].n; i++)
            if (!w->s->vnodes[at->chunks[c].pieces[i].vnode].usable)
                return false;
    }
    return at->n > 0;
}

static struct series_vnodes *read_vnodes(struct planner *pl, struct arena *arena,
                                         const char *text, const struct request *rq)
{
    struct series_vnodes *on = ARENA_NEW(arena, struct series_vnodes);

    on->text = text;
    on->readable = placement_read_into(pl->w, text, arena, &on->at);
    if (on->readable)
        on->demand = world_demand(pl->w, arena, rq ? rq : &world_anyhow, &on->at);
    return on;
}

/* "S5.svr" and 3: "S5[3].svr" */
static const char *name_of(struct arena *arena, const struct snap_resv *r,
                           int64_t number)
{
    size_t len = strcspn(r->id, ".");

    return arena_printf(arena, "%.*s[%lld]%s", (int)len, r->id, (long long)number,
                        r->id + len);
}

static void add_one(const struct snap_resv *r, struct series *ser, int64_t start_at,
                    int64_t end_at)
{
    int64_t number = MIN_OF(MAX_OF(r->index, 1), AMOUNT_MAX) + (int64_t)ser->n;

    ser->v[ser->n] =
        (struct series_one){ .number = number,
                             .id = ser->n == 0 ? r->id
                                               : name_of(ser->stake->arena, r, number),
                             .start_at = start_at,
                             .end_at = end_at };
    ser->n++;
}

/* Has the reservation's next attempt come? It is that of the occurrence whose turn it
 * is first. */
static bool is_time(const struct planner *pl, const struct snap_resv *r)
{
    return r->retry.is_set && r->retry.value <= pl->now_at;
}

/* The occurrences as our server tells them. */
static void read_times(const struct snap_resv *r, struct series *ser)
{
    ser->n_left = r->occurrences.n;
    ser->v = ARENA_ARRAY(ser->stake->arena, struct series_one, r->occurrences.n);
    for (size_t i = 0; i < r->occurrences.n; i++) {
        const struct snap_occurrence *from = &r->occurrences.v[i];

        add_one(r, ser, from->start_at, from->end_at);
        ser->v[i].request = from->request;
    }
}

/* How many occurrences are left of a series under way, the current one included. */
static size_t count_left(const struct snap_resv *r)
{
    int64_t left;

    if (__builtin_sub_overflow(r->count, MAX_OF(r->index, 1) - 1, &left))
        return 0;
    return (size_t)MIN_OF(MAX_OF(left, 0), RECUR_MAX);
}

/* The starts of the rule from 'from_at' on, at most 'max' of them. */
static size_t list_starts(const struct planner *pl, const struct snap_resv *r,
                          int64_t from_at, size_t max, int64_t **ret)
{
    const struct zone *zone = r->zone ? snap_zone(pl->s, r->zone) : NULL;
    struct recur *rule;

    if (!zone || !r->rule || from_at < 0 || from_at > AMOUNT_MAX ||
        recur_parse(r->rule, pl->arena, &rule, NULL) != 0)
        return 0;
    *ret = ARENA_ARRAY(pl->arena, int64_t, max + 1);
    return recur_list(rule, zone, from_at, from_at + RECUR_HORIZON_S, max, *ret);
}

/* The later occurrences of a series under way: those of the rule behind the current
 * one, and behind the one that was altered first, from which they are counted. */
static void unroll_rest(const struct planner *pl, const struct snap_resv *r,
                        struct series *ser)
{
    int64_t from_at = r->series_start_at ? r->series_start_at : r->start_at;
    int64_t after_at = MAX_OF(from_at, r->start_at);
    int64_t length_s =
        r->series_length_s ? r->series_length_s : r->end_at - r->start_at;
    int64_t *at;
    size_t n = list_starts(pl, r, from_at, RECUR_MAX, &at);

    ser->n_left = count_left(r);
    if (n == 0 || ser->n_left == 0)
        return;
    ser->v = ARENA_ARRAY(ser->stake->arena, struct series_one, ser->n_left);
    add_one(r, ser, r->start_at, r->end_at);
    for (size_t i = 0; i < n && ser->n < ser->n_left; i++)
        if (at[i] > after_at)
            add_one(r, ser, at[i], at[i] + length_s);
}

/* All occurrences of a new series. */
static void unroll_all(const struct planner *pl, const struct snap_resv *r,
                       struct series *ser)
{
    int64_t *at;

    ser->n_left = list_starts(pl, r, r->start_at, RECUR_MAX, &at);
    ser->v = ARENA_ARRAY(ser->stake->arena, struct series_one, ser->n_left);
    for (size_t i = 0; i < ser->n_left; i++)
        add_one(r, ser, at[i], at[i] + (r->end_at - r->start_at));
}

/* The occurrences of a server that does not tell them: both sides compute them from the
 * rule (reservations.md 25.1). */
static void unroll(const struct planner *pl, const struct snap_resv *r,
                   struct series *ser)
{
    bool has_times = r->start_at >= 0 && r->start_at < r->end_at &&
                     r->end_at <= AMOUNT_MAX && r->series_length_s >= 0 &&
                     r->series_length_s <= AMOUNT_MAX;

    if (has_times && r->state == RESV_UNCONFIRMED)
        unroll_all(pl, r, ser);
    else if (has_times)
        unroll_rest(pl, r, ser);
}

/* Give each occurrence its vnodes. The last position of the map is the last occurrence
 * (reservations.md 9.3); a map that is too short says nothing about any. */
static void read_map(struct planner *pl, const struct snap_resv *r, struct series *ser)
{
    struct series_vnodes **on;

    if (r->map.n < ser->n_left || ser->n == 0)
        return;
    on = ARENA_ARRAY(pl->arena, struct series_vnodes *, r->map.n_texts);
    for (size_t i = 0; i < ser->n; i++) {
        size_t at = r->map.which[r->map.n - ser->n_left + i];

        if (r->occurrences.n > 0 && r->occurrences.v[i].bare)
            continue;
        if (!on[at])
            on[at] =
                read_vnodes(pl, ser->stake->arena, r->map.texts[at], r->request_series);
        if (on[at]->readable)
            ser->v[i].on = on[at];
    }
}

/* What the current one has is shown beside the map, also after an alteration of it. */
static void read_current(struct planner *pl, const struct snap_resv *r,
                         struct series *ser)
{
    struct series_vnodes *on;

    if (ser->n == 0 || !r->nodes)
        return;
    on = read_vnodes(pl, ser->stake->arena, r->nodes, r->request);
    ser->v[0].on = on->readable ? on : NULL;
}

/* Book what the later ones have. One that is over has nothing any more. */
static void book_later(struct planner *pl, struct series *ser)
{
    for (size_t i = 1; i < ser->n; i++) {
        struct series_one *one = &ser->v[i];

        if (one->on && one->end_at > pl->now_at)
            one->booked = world_take_for(pl->w, ser->stake, one->id, &one->on->demand,
                                         one->start_at, one->end_at);
    }
}

void series_book(struct planner *pl, const struct snap_resv *r, struct stake *st)
{
    struct series *ser = ARENA_NEW(st->arena, struct series);

    st->series = ser;
    ser->stake = st;
    if (r->occurrences.n > 0)
        read_times(r, ser);
    else
        unroll(pl, r, ser);
    read_map(pl, r, ser);
    read_current(pl, r, ser);
    book_later(pl, ser);
}

bool series_one_is_due(const struct planner *pl, const struct snap_resv *r, size_t i)
{
    const struct series_vnodes *on = series_of(pl, r)->v[i].on;

    if (!is_time(pl, r))
        return false;
    if (r->occurrences.n > 0)
        return r->occurrences.v[i].degraded;
    /* Where the server does not say which occurrences want other vnodes, their vnodes
     * do. */
    return !on || !is_usable(pl->w, &on->at) ||
           (i == 0 && r->substate == RESV_IN_CONFLICT);
}

bool series_is_unconfirmed(const struct snap_resv *r)
{
    return r->standing && r->state == RESV_BEING_ALTERED && r->occurrences.n > 0 &&
           r->map.n == 0 && !r->nodes;
}

struct series_one *series_altered(const struct planner *pl, const struct snap_resv *r)
{
    struct series *ser = r->standing && r->later.index ? series_of(pl, r) : NULL;

    for (size_t i = 1; ser && i < ser->n; i++)
        if (ser->v[i].number == r->later.index && ser->v[i].end_at > 0)
            return &ser->v[i];
    return NULL;
}

bool series_is_due(const struct planner *pl, const struct snap_resv *r)
{
    MUST(r->occurrences.n > 0);
    for (size_t i = 0; i < r->occurrences.n && is_time(pl, r); i++)
        if (r->occurrences.v[i].degraded)
            return true;
    return false;
}
