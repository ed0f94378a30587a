/* booking.c - who has what of which vnode from when until when: bookings are made, set
 * aside and put back, and the timelines follow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/world.h"

#include <string.h>

/* What the placement takes of a vnode, all chunks together; made at the first need. */
static int64_t *sum_of_vnode(struct world *w, size_t vnode)
{
    if (!w->sum[vnode]) {
        w->sum[vnode] = arena_zero(w->arena, w->n_res * sizeof(int64_t));
        w->booked[w->n_booked++] = vnode;
    }
    return w->sum[vnode];
}

/* Add what the piece takes, each resource where it is counted. With a place, being
 * on the vnode is counted too, once for the whole placement. */
static void add_piece(struct world *w, const struct piece *piece,
                      const struct place *place)
{
    if (place)
        sum_of_vnode(w, piece->vnode)[RES_PRESENCE] =
            world_use(w, piece->vnode, place) == USE_SHARED ? 1 : PRESENCE_ALL;
    for (size_t r = 1; r < w->n_res; r++)
        if (piece->amounts[r])
            sum_of_vnode(w, world_slot(w, piece->vnode, r) / w->n_res)[r] +=
                piece->amounts[r];
}

struct demand world_demand(struct world *w, const struct place *place,
                           const struct placement *pl)
{
    struct demand d = { 0 };

    MUST(w->n_booked == 0);
    for (size_t c = 0; c < pl->n; c++)
        for (size_t i = 0; i < pl->chunks[c].n; i++)
            add_piece(w, &pl->chunks[c].pieces[i], place);
    d.n = w->n_booked;
    d.vnodes = arena_copy(w->arena, w->booked, d.n * sizeof(*d.vnodes) + 1);
    d.amounts = arena_alloc(w->arena, d.n * sizeof(*d.amounts) + 1);
    for (size_t i = 0; i < d.n; i++) {
        d.amounts[i] = w->sum[d.vnodes[i]];
        MUST(d.amounts[i][RES_PRESENCE] >= 0);
        w->sum[d.vnodes[i]] = NULL;
    }
    w->n_booked = 0;
    return d;
}

static void note_took(struct world *w, size_t vnode)
{
    if (!w->took.wanted)
        return;
    ARENA_ROOM(w->arena, &w->took, v, 64);
    w->took.v[w->took.n++] = vnode;
}

struct booking *world_take(struct world *w, const char *id, const struct demand *d,
                           int64_t start_at, int64_t end_at)
{
    struct booking *made;

    MUST(id);
    if (start_at >= end_at || d->n == 0)
        return NULL;
    made = arena_alloc(w->arena, d->n * sizeof(*made));
    for (size_t i = 0; i < d->n; i++) {
        size_t vnode = d->vnodes[i];

        made[i] = (struct booking){ .id = id,
                                    .start_at = start_at,
                                    .end_at = end_at,
                                    .amounts = d->amounts[i],
                                    .next = w->bookings[vnode] };
        w->bookings[vnode] = &made[i];
        timeline_claim(world_line(w, vnode), start_at, end_at, d->amounts[i]);
        note_took(w, vnode);
    }
    return made;
}

void world_book(struct world *w, const char *id, const struct place *place,
                const struct placement *pl, int64_t start_at, int64_t end_at)
{
    struct demand d = world_demand(w, place, pl);

    (void)world_take(w, id, &d, start_at, end_at);
}

/* Is the vnode free of others as far as the demand needs it? What the policy counts as
 * infinite where it is not set lacks nowhere. */
static bool has_free(struct world *w, size_t vnode, const int64_t *amounts,
                     int64_t start_at, int64_t end_at)
{
    for (size_t r = 0; r < w->n_res; r++)
        if (amounts[r] > 0 && !(w->infinite[r] && !w->is_set[vnode * w->n_res + r]) &&
            world_least(w, vnode, r, start_at, end_at) < amounts[r])
            return false;
    return true;
}

bool world_has(struct world *w, const struct demand *d, int64_t start_at,
               int64_t end_at)
{
    MUST(start_at < end_at);
    for (size_t i = 0; i < d->n; i++)
        if (!has_free(w, d->vnodes[i], d->amounts[i], start_at, end_at))
            return false;
    return true;
}

static void switch_booking(struct world *w, size_t vnode, struct booking *b, bool drop)
{
    if (b->dropped == drop)
        return;
    b->dropped = drop;
    if (drop)
        timeline_release(w->line[vnode], b->start_at, b->end_at, b->amounts);
    else
        timeline_claim(w->line[vnode], b->start_at, b->end_at, b->amounts);
}

void world_switch(struct world *w, const struct demand *d, struct booking *made,
                  bool drop)
{
    for (size_t i = 0; made && i < d->n; i++)
        switch_booking(w, d->vnodes[i], &made[i], drop);
}

/* Take what is picked out of the timelines, or put it back. */
static void switch_bookings(struct world *w, world_pick pick, const void *arg,
                            bool drop)
{
    for (size_t i = 0; i < w->n; i++)
        for (struct booking *h = w->bookings[i]; h; h = h->next)
            if (h->dropped != drop && pick(h, arg))
                switch_booking(w, i, h, drop);
}

static bool is_of(const struct booking *b, const void *id)
{
    return strcmp(b->id, id) == 0;
}

void world_drop(struct world *w, const char *id)
{
    switch_bookings(w, is_of, id, true);
}

void world_restore(struct world *w, const char *id)
{
    switch_bookings(w, is_of, id, false);
}

void world_drop_if(struct world *w, world_pick pick, const void *arg)
{
    switch_bookings(w, pick, arg, true);
}

void world_restore_if(struct world *w, world_pick pick, const void *arg)
{
    switch_bookings(w, pick, arg, false);
}

void world_unbook_if(struct world *w, world_pick pick, const void *arg)
{
    for (size_t i = 0; i < w->n; i++) {
        struct booking **at = &w->bookings[i];

        while (*at) {
            struct booking *h = *at;

            if (!pick(h, arg)) {
                at = &h->next;
                continue;
            }
            *at = h->next;
            if (!h->dropped)
                timeline_release(w->line[i], h->start_at, h->end_at, h->amounts);
        }
    }
}
