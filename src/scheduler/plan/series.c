/* series.c - the occurrences of standing reservations are read and booked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/series.h"

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

static struct series_vnodes *read_vnodes(struct planner *pl, const char *text,
                                         const struct request *rq)
{
    static const struct place anyhow = { .arrange = PLACE_FREE };
    struct series_vnodes *on = ARENA_NEW(pl->arena, struct series_vnodes);

    on->text = text;
    on->readable = placement_read(pl->w, text, &on->at);
    if (!on->readable)
        return on;
    on->usable = is_usable(pl->w, &on->at);
    on->demand = world_demand(pl->w, rq ? &rq->place : &anyhow, &on->at);
    return on;
}

/* "S5.svr" and 3: "S5[3].svr" */
static const char *name_of(const struct planner *pl, const struct snap_resv *r,
                           int64_t number)
{
    size_t len = strcspn(r->id, ".");

    return arena_printf(pl->arena, "%.*s[%lld]%s", (int)len, r->id, (long long)number,
                        r->id + len);
}

/* The retry of the reservation is that of its occurrence whose turn it is first. */
static void read_times(const struct planner *pl, const struct snap_resv *r,
                       struct series *ser)
{
    bool is_time = r->retry.is_set && r->retry.value <= pl->now_at;

    ser->n = r->occurrences.n;
    ser->v = ARENA_ARRAY(pl->arena, struct series_one, ser->n);
    for (size_t i = 0; i < ser->n; i++) {
        const struct snap_occurrence *from = &r->occurrences.v[i];
        int64_t number = MIN_OF(MAX_OF(r->index, 1), AMOUNT_MAX) + (int64_t)i;

        ser->v[i] = (struct series_one){ .number = number,
                                         .id = i == 0 ? r->id : name_of(pl, r, number),
                                         .start_at = from->start_at,
                                         .end_at = from->end_at,
                                         .due = is_time && from->degraded };
    }
}

/* Give each occurrence its vnodes: position p of the map is that of the p-th one that
 * is left. A map of another length says nothing about any of them. */
static void read_map(struct planner *pl, const struct snap_resv *r, struct series *ser)
{
    struct series_vnodes **on;

    if (r->map.n != ser->n || ser->n == 0)
        return;
    on = ARENA_ARRAY(pl->arena, struct series_vnodes *, r->map.n_texts);
    for (size_t i = 0; i < r->map.n_texts; i++)
        on[i] = read_vnodes(pl, r->map.texts[i], r->request_series);
    for (size_t i = 0; i < ser->n; i++)
        if (on[r->map.which[i]]->readable)
            ser->v[i].on = on[r->map.which[i]];
}

/* What the current one has is shown beside the map, also after an alteration of it. */
static void read_current(struct planner *pl, const struct snap_resv *r,
                         struct series *ser)
{
    struct series_vnodes *on;

    if (ser->n == 0 || !r->nodes)
        return;
    on = read_vnodes(pl, r->nodes, r->request);
    ser->v[0].on = on->readable ? on : NULL;
}

/* Book what the later ones have. One that is over has nothing any more. */
static void book_later(struct planner *pl, struct series *ser)
{
    for (size_t i = 1; i < ser->n; i++) {
        struct series_one *one = &ser->v[i];

        if (one->on && one->end_at > pl->now_at)
            one->booked = world_take(pl->w, one->id, &one->on->demand, one->start_at,
                                     one->end_at);
    }
}

void series_book_all(struct planner *pl)
{
    pl->series = ARENA_ARRAY(pl->arena, struct series *, pl->s->n_resvs + 1);
    for (size_t i = 0; i < pl->s->n_resvs; i++) {
        const struct snap_resv *r = &pl->s->resvs[i];
        struct series *ser;

        if (!r->standing)
            continue;
        ser = pl->series[i] = ARENA_NEW(pl->arena, struct series);
        read_times(pl, r, ser);
        read_map(pl, r, ser);
        read_current(pl, r, ser);
        book_later(pl, ser);
    }
}

bool series_is_due(const struct planner *pl, const struct snap_resv *r)
{
    const struct series *ser = series_of(pl, r);

    for (size_t i = 0; i < ser->n; i++)
        if (ser->v[i].due)
            return true;
    return false;
}
