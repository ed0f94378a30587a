/* ceiling_walk.h - the vnodes that a search has to look at, in the order of first fit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_CEILING_WALK_H
#define SCHEDULER_PLAN_CEILING_WALK_H

#include "scheduler/plan/ceiling.h"
#include "scheduler/plan/vnode_pool.h"

/* What is sought: hosts that may have all of this. */
struct sought {
    const struct pool *pool; /* which vnodes it may use, and when */
    const struct request *rq;
    const struct req_chunk *chunk; /* what of it is not counted has to be met, */
    bool room;                     /* and what is counted has to be free; NULL chunk:
                                      neither */
    const struct need *met; /* this need, which is not counted, too; NULL: none */
    bool present;           /* the request may be on a vnode beside those who are */
    bool other_kind;        /* vnodes that reservations may not use, and no others */
};

struct want {
    size_t slot;
    int64_t amount;
};

/* One class on the way. */
struct ceiling_way {
    const struct ceiling_class *of;
    int64_t presence; /* the least that somebody needs */
    size_t next;      /* vnode of the class; of->n: there is none */
    size_t known;     /* up to there vnodes are worth a look */
};

struct ceiling_walk {
    const struct world *w;
    const struct ceilings *c;
    bool as_if_empty, without_endless;
    bool with_away, away;   /* then those that are there come first, then the others */
    uint64_t kinds;         /* of both */
    uint32_t spans;         /* bits: that the window touches */
    size_t from;            /* place in the order of the world */
    const uint64_t *gained; /* bits of places that are worth a look in any case, NULL:
                               none is */
    size_t next_gained;     /* SIZE_MAX: there is none */
    size_t n_wants, n_ways;
    struct want *wants;
    struct ceiling_way *ways;
};

/* Can the vnodes of the pool be sought by ceilings? */
bool ceiling_walk_can(const struct pool *pool, struct world *w);

/* Begin at that place in the order of the world. Memory is the world's scratch. */
void ceiling_walk_begin(struct ceiling_walk *k, struct world *w,
                        const struct sought *what, size_t from);

/* The next vnode that is worth a look, SIZE_MAX: there is none. Those that are left out
 * do not have what is sought, nor do their hosts; all vnodes of a host that is not left
 * out are returned. */
size_t ceiling_walk_next(struct ceiling_walk *k);

/* From now on more than 'amount' is sought of the resource; no vnode has any: false. */
bool ceiling_walk_raise(struct ceiling_walk *k, size_t res, int64_t amount);

#endif
