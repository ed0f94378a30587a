/* book.c - see book.h. Bookings are made and changed in booking.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/ceiling.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct book *book_new(struct arena *arena, size_t n_vnodes, bool lasting)
{
    struct book *l = ARENA_NEW(arena, struct book);

    l->lasting = lasting;
    l->arena = arena;
    l->n_vnodes = n_vnodes;
    l->line = ARENA_ARRAY(arena, struct timeline *, n_vnodes + 1);
    l->entries = ARENA_ARRAY(arena, struct entry *, n_vnodes + 1);
    l->held = ARENA_ARRAY(arena, uint64_t, n_vnodes / 64 + 1);
    return l;
}

void book_fini(struct book *l)
{
    struct stake *st, *next;

    /* The table first: its entries are in the memory of stakes. */
    HASH_CLEAR(hh, l->by_id);
    if (!l->lasting)
        return;
    DL_FOREACH_SAFE (l->stakes, st, next) {
        arena_free(st->arena);
        free(st);
    }
}

size_t book_next_held(const struct book *l, size_t from)
{
    size_t n_words = (l->n_vnodes + 63) / 64;

    for (size_t i = from / 64; i < n_words; i++) {
        uint64_t word = l->held[i];

        if (i == from / 64)
            word &= ~(uint64_t)0 << from % 64;
        if (word)
            return i * 64 + (size_t)__builtin_ctzll(word);
    }
    return SIZE_MAX;
}

struct end_node *book_ends(struct book *l)
{
    if (l->has_ends)
        return l->ends;
    l->has_ends = true;
    for (struct booking *first = l->by_id; first; first = first->hh.next)
        for (struct booking *h = first; h; h = h->same_id)
            ends_add(&l->ends, &h->end, h->end_at, h->number);
    return l->ends;
}

bool book_has_endless(const struct book *l, size_t vnode)
{
    const struct entry *b;

    DL_FOREACH (l->entries[vnode], b)
        if (b->of->endless)
            return true;
    return false;
}

void book_set_endless_aside(struct book *l, size_t vnode, bool aside)
{
    const struct entry *b;

    DL_FOREACH (l->entries[vnode], b) {
        const struct booking *h = b->of;

        if (!h->endless || h->dropped)
            continue;
        if (aside)
            timeline_release(l->line[vnode], h->start_at, h->end_at, b->amounts);
        else
            timeline_claim(l->line[vnode], h->start_at, h->end_at, b->amounts);
    }
}

struct stake *book_stake(struct book *l, struct arena *arena)
{
    struct stake *st =
        l->lasting ? xcalloc(1, sizeof(*st)) : ARENA_NEW(arena, struct stake);

    /* A lasting one has memory of its own, so that it can be given back. */
    st->arena = l->lasting ? arena_new_small() : arena;
    st->turn = l->turn;
    DL_APPEND(l->stakes, st);
    return st;
}

static void take_out_of_table(struct book *l, struct booking *h)
{
    struct booking *first;

    HASH_FIND_STR(l->by_id, h->id, first);
    MUST(first);
    if (first != h) {
        while (first->same_id != h)
            first = first->same_id;
        first->same_id = h->same_id;
        return;
    }
    HASH_DEL(l->by_id, h);
    if (h->same_id)
        HASH_ADD_KEYPTR(hh, l->by_id, h->same_id->id, strlen(h->id), h->same_id);
}

void book_remove(struct book *l, struct booking *h)
{
    take_out_of_table(l, h);
    if (l->has_ends)
        ends_remove(&l->ends, &h->end);
    for (size_t i = 0; i < h->n; i++) {
        struct entry *b = &h->made[i];

        DL_DELETE(l->entries[b->vnode], b);
        if (!l->entries[b->vnode] && b->vnode < l->n_vnodes)
            l->held[b->vnode / 64] &= ~((uint64_t)1 << b->vnode % 64);
        ceilings_spoil(l, b->vnode);
        if (!h->dropped)
            timeline_release(l->line[b->vnode], h->start_at, h->end_at, b->amounts);
    }
}

void book_end_stake(struct book *l, struct stake *st)
{
    struct booking *h;

    MUST(l->lasting);
    DL_FOREACH (st->all, h)
        book_remove(l, h);
    DL_DELETE(l->stakes, st);
    arena_free(st->arena);
    free(st);
}

void book_sweep(struct book *l)
{
    struct stake *st, *next;

    DL_FOREACH_SAFE (l->stakes, st, next)
        if (st->turn != l->turn)
            book_end_stake(l, st);
}
