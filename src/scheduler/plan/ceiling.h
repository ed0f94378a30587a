/* ceiling.h - the most that can be free on vnodes, for ranges of them at once.
 *
 * First fit walks over vnodes in their order. Where the first ones are all taken, or
 * none has room, it would ask each of them in vain. The ceilings say of a whole range
 * of vnodes, for each of a few spans of time, the most that is free on any of them at
 * any instant of the span. A window that touches the span cannot have more there, so
 * that a range whose ceiling is too low for a request is passed over. What is not
 * passed over is asked as before: the answer of a search is the same with ceilings and
 * without.
 *
 * Vnodes are divided into classes: those of a class are alike in all that does not
 * change from plan to plan. Each class has a tree over its vnodes, so that those that
 * a request cannot use hide none that it can.
 *
 * The ceilings belong to a book and are made by the first search that wants them. What
 * is booked afterwards makes the vnodes stale; the next search that wants the ceilings
 * brings those up to date. Where vnodes borrow from one another there are none.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_CEILING_H
#define SCHEDULER_PLAN_CEILING_H

#include "scheduler/plan/world.h"

enum {
    CEILING_SPANS = 16
};

/* What changes of a vnode without anything being booked, as bits. */
enum {
    VNODE_USABLE = 1,
    VNODE_MAY_RETURN = 2,
    VNODE_BUSY = 4,
    VNODE_FOR_RESVS = 8,
    VNODE_ONE_CHUNK = 16, /* no_multinode */
    VNODE_KINDS = 32      /* so many combinations */
};

/* One more bit of 'kinds': a job without a walltime is there (endless.h). */
#define KIND_ENDLESS ((uint64_t)1 << VNODE_KINDS)

struct ceiling_class {
    size_t n;       /* vnodes: all those of its hosts */
    size_t *places; /* [n] in the order of the world, rising */
    size_t host;    /* one of its hosts */
    bool alike;     /* the others are like it; false: nothing is known of them */
    int64_t *total; /* [slot] that a host has, no host more than that */
    /* The tree; node i > 0 is above 2i and 2i + 1. */
    size_t n_leaves; /* a power of two; those behind the last vnode have no kind */
    int64_t *most;   /* [node][slot][span] of the hosts of the vnodes below */
    uint64_t *kinds; /* [node] bit k: one of the hosts has a vnode of combination k */
};

struct ceilings {
    int64_t at[CEILING_SPANS + 1]; /* where the spans begin, and the last one ends */
    int64_t from_at;               /* they hold from then on */
    size_t leaf;                   /* so many vnodes of a class are not told apart */
    size_t n_slots;                /* resources that have one; slot 0: presence */
    size_t *res;                   /* [slot] */
    size_t *slot;                  /* [res] SIZE_MAX: no vnode has any */
    size_t n_classes;
    struct ceiling_class *v;
    size_t *of_host;       /* [host] its class */
    size_t *member;        /* [vnode] its number in the class */
    int64_t **joint;       /* [host] of a host of several vnodes; NULL: it has one */
    uint64_t *joint_kinds; /* [host] of such a host: the kinds of its vnodes */
    size_t n_stale;
    size_t *stale; /* vnodes, each once */
    bool *is_stale;
};

/* The ceilings of the world's book, up to date; NULL: there are none. */
const struct ceilings *ceilings_find(struct world *w);

/* The vnode has changed. No search looks for a chunk at what the server limits. */
static inline void ceilings_spoil(struct book *l, size_t vnode)
{
    struct ceilings *c = l->ceilings;

    if (!c || vnode == l->n_vnodes || c->is_stale[vnode])
        return;
    c->is_stale[vnode] = true;
    c->stale[c->n_stale++] = vnode;
}

/* The combination of the vnode. */
unsigned ceiling_kind(const struct snap_vnode *v);

static inline const int64_t *ceiling_most(const struct ceilings *c,
                                          const struct ceiling_class *of, size_t node,
                                          size_t slot)
{
    return &of->most[(node * c->n_slots + slot) * CEILING_SPANS];
}

#endif
