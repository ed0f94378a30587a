/* booking.c - what is taken of vnodes: bookings are made, set aside and put back, and
 * the timelines follow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/ceiling.h"

#include <string.h>
#include <utlist.h>

/* What the placement takes of a vnode, all chunks together; made at the first need. */
static int64_t *sum_of_vnode(struct world *w, struct arena *arena, size_t vnode)
{
    if (!w->sum[vnode]) {
        w->sum[vnode] = arena_zero(arena, w->n_res * sizeof(int64_t));
        w->booked[w->n_booked++] = vnode;
    }
    return w->sum[vnode];
}

/* Add what the piece takes, each resource where it is counted. With a place, being
 * on the vnode is counted too, once for the whole placement; without one, where the
 * piece says so. */
static void add_piece(struct world *w, struct arena *arena, const struct piece *piece,
                      const struct place *place)
{
    if (place)
        sum_of_vnode(w, arena, piece->vnode)[RES_PRESENCE] =
            world_use(w, piece->vnode, place) == USE_SHARED ? 1 : PRESENCE_ALL;
    else if (piece->amounts[RES_PRESENCE])
        sum_of_vnode(w, arena, piece->vnode)[RES_PRESENCE] = 1;
    for (size_t r = 1; r < w->n_res; r++)
        if (piece->amounts[r])
            sum_of_vnode(w, arena, world_slot(w, piece->vnode, r) / w->n_res)[r] +=
                piece->amounts[r];
}

const struct request world_anyhow = { .place = { .arrange = PLACE_FREE } };

/* Add what the whole request takes of what the server limits. */
static void add_sums(struct world *w, struct arena *arena, const struct res_sums *all)
{
    for (size_t i = 0; w->has_server && i < all->n; i++)
        if (all->v[i].amount > 0 && world_is_limited(w, all->v[i].res))
            sum_of_vnode(w, arena, world_server(w))[all->v[i].res] = all->v[i].amount;
}

struct demand world_demand(struct world *w, struct arena *arena,
                           const struct request *rq, const struct placement *pl)
{
    const struct place *place = rq ? &rq->place : NULL;
    struct demand d = { 0 };

    MUST(w->n_booked == 0);
    for (size_t c = 0; c < pl->n; c++)
        for (size_t i = 0; i < pl->chunks[c].n; i++)
            add_piece(w, arena, &pl->chunks[c].pieces[i], place);
    if (rq && w->n_booked > 0)
        add_sums(w, arena, &rq->all);
    d.n = w->n_booked;
    d.vnodes = arena_copy(arena, w->booked, d.n * sizeof(*d.vnodes) + 1);
    d.amounts = arena_alloc(arena, d.n * sizeof(*d.amounts) + 1);
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
    if (!w->took.wanted || vnode == world_server(w))
        return;
    ARENA_ROOM(w->arena, &w->took, v, 64);
    w->took.v[w->took.n++] = vnode;
}

static void put_into_table(struct book *l, struct booking *h)
{
    struct booking *first;

    HASH_FIND_STR(l->by_id, h->id, first);
    if (first) {
        h->same_id = first->same_id;
        first->same_id = h;
    } else {
        HASH_ADD_KEYPTR(hh, l->by_id, h->id, strlen(h->id), h);
    }
}

/* 'id' and the demand live as long as the arena. */
static struct booking *take(struct world *w, struct arena *arena, const char *id,
                            const struct demand *d, int64_t start_at, int64_t end_at)
{
    struct book *l = w->book;
    struct booking *h;

    MUST(id);
    if (start_at >= end_at || d->n == 0)
        return NULL;
    h = ARENA_NEW(arena, struct booking);
    h->id = id;
    h->start_at = start_at;
    h->end_at = end_at;
    h->n = d->n;
    h->made = ARENA_ARRAY(arena, struct entry, d->n);
    put_into_table(l, h);
    h->number = l->n_made++;
    if (l->has_ends)
        ends_add(&l->ends, &h->end, end_at, h->number);
    for (size_t i = 0; i < d->n; i++) {
        struct entry *b = &h->made[i];

        b->of = h;
        b->vnode = d->vnodes[i];
        b->amounts = d->amounts[i];
        DL_PREPEND(l->entries[b->vnode], b);
        if (b->vnode < l->n_vnodes)
            l->held[b->vnode / 64] |= (uint64_t)1 << b->vnode % 64;
        ceilings_spoil(l, b->vnode);
        timeline_claim(world_line(w, b->vnode), start_at, end_at, b->amounts);
        note_took(w, b->vnode);
    }
    return h;
}

struct booking *world_take(struct world *w, const char *id, const struct demand *d,
                           int64_t start_at, int64_t end_at)
{
    struct booking *h = take(w, w->arena, id, d, start_at, end_at);

    if (h)
        DL_APPEND(w->book->passing, h);
    return h;
}

struct booking *world_take_for(struct world *w, struct stake *st, const char *id,
                               const struct demand *d, int64_t start_at, int64_t end_at)
{
    struct booking *h = take(w, st->arena, id, d, start_at, end_at);

    if (!h)
        return NULL;
    h->lasting = w->book->lasting;
    DL_APPEND(st->all, h);
    return h;
}

struct booking *world_book(struct world *w, const char *id, const struct request *rq,
                           const struct placement *pl, int64_t start_at, int64_t end_at)
{
    struct demand d = world_demand(w, w->arena, rq, pl);

    return world_take(w, id, &d, start_at, end_at);
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

bool world_has_beside(struct world *w, const struct demand *d, const size_t *at,
                      const char *id, int64_t start_at, int64_t end_at)
{
    const struct booking *h;

    HASH_FIND_STR(w->book->by_id, id, h);
    for (; h; h = h->same_id)
        for (size_t i = 0; i < h->n; i++) {
            size_t k = at[h->made[i].vnode];

            if (k > 0 &&
                !has_free(w, d->vnodes[k - 1], d->amounts[k - 1], start_at, end_at))
                return false;
        }
    return true;
}

static void switch_entries(struct book *l, struct booking *h, bool drop)
{
    h->dropped = drop;
    for (size_t i = 0; i < h->n; i++) {
        const struct entry *b = &h->made[i];

        ceilings_spoil(l, b->vnode);
        if (drop)
            timeline_release(l->line[b->vnode], h->start_at, h->end_at, b->amounts);
        else
            timeline_claim(l->line[b->vnode], h->start_at, h->end_at, b->amounts);
    }
}

void world_switch(struct world *w, struct booking *h, bool drop)
{
    if (h->dropped == drop)
        return;
    switch_entries(w->book, h, drop);
    if (!h->lasting || h->noted)
        return;
    h->noted = true;
    ARENA_ROOM(w->arena, &w->changed, v, 16);
    w->changed.v[w->changed.n++] = h;
}

static void switch_all_of(struct world *w, const char *id, bool drop)
{
    struct booking *h;

    HASH_FIND_STR(w->book->by_id, id, h);
    for (; h; h = h->same_id)
        world_switch(w, h, drop);
}

void world_drop(struct world *w, const char *id)
{
    switch_all_of(w, id, true);
}

void world_restore(struct world *w, const char *id)
{
    switch_all_of(w, id, false);
}

void world_unbook(struct world *w, struct booking *h)
{
    MUST(!h->lasting);
    book_remove(w->book, h);
    DL_DELETE(w->book->passing, h);
}

void world_settle(struct world *w)
{
    struct booking *h, *next;

    DL_FOREACH_SAFE (w->book->passing, h, next)
        world_unbook(w, h);
    for (size_t i = 0; i < w->changed.n; i++) {
        h = w->changed.v[i];
        h->noted = false;
        if (h->dropped)
            switch_entries(w->book, h, false);
    }
    w->changed.n = 0;
}

/* Whoever begins first is named; of two that have begun, or begin at the same instant,
 * the one whose id comes first: the order in which bookings were made differs from plan
 * to plan, and when a running one was booked does, too. */
static bool is_named_before(const struct world *w, const struct booking *a,
                            const struct booking *b)
{
    int64_t a_at = MAX_OF(a->start_at, w->now_at);
    int64_t b_at = MAX_OF(b->start_at, w->now_at);

    return a_at != b_at ? a_at < b_at : strcmp(a->id, b->id) < 0;
}

const struct booking *world_holder(const struct world *w, size_t vnode, size_t res,
                                   int64_t start_at, int64_t end_at)
{
    const struct entry *b;
    const struct booking *best = NULL;

    DL_FOREACH (w->book->entries[vnode], b) {
        const struct booking *h = b->of;

        if (h->dropped || h->start_at >= end_at || h->end_at <= start_at ||
            (res != RES_PRESENCE && b->amounts[res] == 0 &&
             b->amounts[RES_PRESENCE] < PRESENCE_ALL))
            continue;
        if (!best || is_named_before(w, h, best))
            best = h;
    }
    return best;
}
