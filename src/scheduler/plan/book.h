/* book.h - who has what of which vnode from when until when.
 *
 * Where the snapshot is kept, so is the book: a plan begins with what the plan before
 * had booked for reservations and jobs, books anew what has changed (holders.h), and
 * takes back at its end what it decided itself. The server shows that when it has
 * become true.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_BOOK_H
#define SCHEDULER_PLAN_BOOK_H

#include "lib/cal/timeline.h"
#include "scheduler/plan/ends.h"

#include <uthash.h>

/* What somebody has, taken at once. */
struct booking {
    const char *id; /* of who has it; several bookings may have the same */
    int64_t start_at, end_at;
    bool endless; /* a job's without a walltime that stands for itself: endless.h */
    bool dropped; /* set aside: others may have it meanwhile */
    bool lasting; /* kept for the next plan, as that stake's */
    bool noted;   /* lasting, and among world->changed */
    size_t n;
    struct entry *made;          /* [n] one for each vnode */
    struct booking *same_id;     /* the next one of that id */
    struct booking *prev, *next; /* of the stake, or of the plan */
    UT_hash_handle hh;           /* of the first one of an id */
    uint64_t number;             /* of all that were made, one after the other */
    struct end_node end;         /* book_ends() */
};

/* One vnode of a booking. */
struct entry {
    struct booking *of;
    size_t vnode;
    const int64_t *amounts;    /* [n_res] */
    struct entry *prev, *next; /* on the vnode, in no order */
};

/* What one reservation or job of the snapshot has. */
struct stake {
    struct arena *arena;   /* of all that it has; lasting: of its own */
    uint64_t turn;         /* of the last plan in which it was right */
    bool inside;           /* a job's, beside what its reservation has */
    bool spoilt;           /* the plan has changed 'series' */
    struct booking *own;   /* NULL: nothing */
    struct series *series; /* of a standing reservation, else NULL */
    struct booking *all;   /* list, 'own' and those of the series */
    struct stake *prev, *next;
};

struct ceilings;

struct book {
    bool lasting;
    struct arena *arena; /* of the timelines */
    size_t n_vnodes;
    /* Of vnodes, and [n_vnodes] of the server: world_server(). */
    struct timeline **line;    /* [vnode], NULL while nobody has been there */
    struct entry **entries;    /* [vnode] lists */
    uint64_t *held;            /* [vnode / 64] bits: it has one */
    struct ceilings *ceilings; /* ceiling.h; NULL: nobody has wanted them yet */
    struct end_node *ends; /* of all bookings: book_ends(); NULL: nobody has asked */
    bool has_ends;
    uint64_t n_made;         /* bookings, so far */
    struct booking *by_id;   /* the first one of each id; the others behind it */
    struct stake *stakes;    /* list */
    struct booking *passing; /* list: what the plan has taken itself */
    uint64_t turn;           /* counts plans */
    /* What is booked of elements that are not shown again stays right in plans from
     * looked_at on, until before steady_until; unless each has to be looked at. */
    int64_t looked_at, steady_until;
    bool unsteady;
    bool is_soft; /* soft_walltimes count: length.h */
};

/* An empty book in that arena, which outlives it. */
struct book *book_new(struct arena *arena, size_t n_vnodes, bool lasting);

/* Give back what it has beside the arena. */
void book_fini(struct book *l);

/* The first vnode >= from of which somebody has something, SIZE_MAX: there is none.
 * Time: n_vnodes / 64. */
size_t book_next_held(const struct book *l, size_t from);

/* All bookings by their ends (ends.h). The first question puts them in order. */
struct end_node *book_ends(struct book *l);

/* Has a job without a walltime something of the vnode? */
bool book_has_endless(const struct book *l, size_t vnode);

/* Have the vnode's timeline without such jobs, while somebody asks ('aside'), and with
 * them again. */
void book_set_endless_aside(struct book *l, size_t vnode, bool aside);

/* A new stake, of this plan; give all back that a stake has, and end it. */
struct stake *book_stake(struct book *l, struct arena *arena);
void book_end_stake(struct book *l, struct stake *st);

/* Take a booking out of the book; its memory stays. */
void book_remove(struct book *l, struct booking *h);

/* End those stakes that no part of this plan has wanted. */
void book_sweep(struct book *l);

#endif
