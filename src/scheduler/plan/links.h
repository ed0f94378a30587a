/* links.h - what belongs to what in a snapshot: a job's queue, its reservation, the
 * vnodes of both. Where the snapshot is kept, so are the links, and a plan finds those
 * of what was shown since the last one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_LINKS_H
#define SCHEDULER_PLAN_LINKS_H

#include "scheduler/plan/world.h"

struct job_link {
    const struct snap_queue *queue; /* an execution queue of ours; NULL: none */
    const struct snap_resv *resv;   /* in whose queue the job is; NULL: none */
    bool has_vnodes;                /* it runs, ends or is suspended, on: */
    bool rests; /* it waits, and goes on from a checkpoint that lies on: */
    struct placement at;
    bool keeps; /* suspended, and some of it is still its own: */
    struct placement kept;
};

struct resv_link {
    bool has_jobs;   /* or had, when the links were made */
    bool has_vnodes; /* resv_nodes can be read: */
    struct placement at;
    bool *named_somewhere;  /* [res] by at least one piece of it */
    bool *named_everywhere; /* [res] by every piece */
    size_t n_vnodes;
    size_t *vnodes; /* [n_vnodes] that it has something of, each once, ascending */
};

struct job_queue;
struct series;

struct links {
    struct job_link *jobs;   /* [job of the snapshot] */
    struct resv_link *resvs; /* [reservation of the snapshot] */
    bool *queue_has_vnodes;  /* [queue of the snapshot] */
    struct series **series;  /* [reservation of the snapshot] series.h */
    /* Bits by job of the snapshot, which holders_book() puts: */
    uint64_t *waits;   /* rules_waits() */
    uint64_t *endless; /* it has vnodes, of no reservation, and no walltime */
    uint64_t *soft;    /* its end depends on whether soft_walltimes count */
    size_t room_jobs, room_resvs, room_queues;
    bool lasting;
    bool anew;                 /* all were found in this plan, */
    bool queues_anew;          /* and not only because jobs have moved */
    bool made;                 /* they hold for what stands there: */
    size_t n_resvs;            /* so many reservations, */
    const void *queues_at;     /* the snapshot's, */
    const void *resvs_at;      /* likewise */
    struct job_queue *by_name; /* the queues that jobs are in */
};

/* No links yet; 'lasting': they stay from plan to plan, in that arena. */
struct links *links_new(struct arena *arena, bool lasting);
void links_fini(struct links *l);

/* Bits of jobs. The next one that is set, from 'from' on, SIZE_MAX: none is; how many
 * are. 'n' is the number of jobs. */
void links_put(uint64_t *bits, size_t job, bool set);
bool links_has(const uint64_t *bits, size_t job);
size_t links_next(const uint64_t *bits, size_t n, size_t from);
size_t links_count(const uint64_t *bits, size_t n);

/* All links of the world's snapshot, as it is now. */
struct links *links_find(struct world *w);

/* Has the reservation something of the vnode? Logarithmic in its vnodes. */
bool link_has_vnode(const struct resv_link *r, size_t vnode);

/* Does the reservation name the resource on that vnode? What it does not name there is
 * the vnode's own and not limited by it (reservations.md 11). */
bool link_names(const struct world *w, const struct resv_link *r, size_t vnode,
                size_t res);

/* The part of 'at', where a job of the reservation is, that is beside it: what it does
 * not name, and all on a vnode that it has lost, with being there. False when there is
 * no such part. */
bool link_beside(const struct world *w, const struct resv_link *r,
                 const struct placement *at, struct placement *ret) MUST_CHECK;

#endif
