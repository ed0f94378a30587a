/* wide_toy.h - random small complexes with hosts of several vnodes, a request for them,
 * and an oracle that says whether the request can be served: chunks that are split,
 * texts, amounts that are borrowed, vnodes and requests that are exclusive, placement
 * sets, jobs and reservations that have vnodes in the window, before it or after it
 * (scheduling.md 13 to 16).
 *
 * The oracle tries each host (with vscatter each vnode) for each copy of a chunk. Of
 * those on one host it counts: they find room when, for each set of its vnodes, those
 * that can lie nowhere else need no more than the set has.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_SCHEDULER_WIDE_TOY_H
#define TEST_UNIT_SCHEDULER_WIDE_TOY_H

#include "lib/base/rnd.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    TOY_HOSTS_MAX = 3,
    TOY_VNODES_MAX = 6, /* two for each host */
    TOY_ITEMS_MAX = 5,
    TOY_OTHERS_MAX = 2 * TOY_VNODES_MAX,
    TOY_RACKS = 3, /* none, A, B */
    NCPUS = 0,
    MEM,
    LIC, /* borrowed from the first vnode of the host */
    KINDS
};

enum toy_use {
    USE_UNSAID,
    USE_SHARED,
    USE_EXCL,
    USE_EXCLHOST
};

/* What makes placement sets of the racks. */
enum toy_sets {
    SETS_NONE,
    SETS_GROUP, /* place=group=rack */
    SETS_SERVER /* node_group_key */
};

enum toy_kind {
    OTHER_CONFIRMED,
    OTHER_RUNNING,      /* a reservation */
    OTHER_RUNNING_USED, /* ... with a job on all that it has */
    OTHER_JOB
};

struct toy_vnode {
    int host, total[KINDS], free[KINDS]; /* free: through the whole window */
    int colour, sharing;
    unsigned racks; /* bits */
    bool usable;    /* by the request, in the window */
};

/* Somebody who has a part of a vnode, in seconds from now on. */
struct toy_other {
    enum toy_kind kind;
    int vnode, from, until;
    int has[KINDS];
    enum toy_use use;
};

struct toy {
    int n_hosts, n_vnodes, n_items, n_others;
    struct toy_vnode v[TOY_VNODES_MAX];
    struct toy_other others[TOY_OTHERS_MAX];
    bool lends; /* else nobody has LIC, and nobody asks for it */
    int lic_total[TOY_HOSTS_MAX], lic[TOY_HOSTS_MAX];
    int need[TOY_ITEMS_MAX][KINDS], colour[TOY_ITEMS_MAX];
    bool is_job; /* that wants to begin now; else a reservation */
    int from, until;
    const char *arrangement;
    enum toy_use use;
    enum toy_sets sets;
    bool only_explicit, may_not_span;
    unsigned within; /* vnodes that are looked at, as bits */
    char select[256];
};

extern const char *const toy_uses[], *const toy_sharings[], *const toy_colours[];

struct toy toy_make(struct rnd *rnd);

/* Whether that item may have a part of the vnode at all. */
bool toy_may_lie_on(const struct toy *t, int item, int v);
bool toy_arranges(const struct toy *t, const char *name);
/* All of at[n] differ; all are the same. */
bool toy_apart(const int *at, int n);
bool toy_together(const int *at, int n);

/* Whether it can be served, and in *sets where: bit r when the answer may lie in rack r
 * (0: vnodes without one); 0: anywhere. */
bool toy_is_feasible(const struct toy *t, unsigned *sets);
/* Vnodes of that rack as bits. */
unsigned toy_rack(const struct toy *t, int rack);

#endif
