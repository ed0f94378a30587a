/* sched.h - the door of the scheduler's core: a snapshot, a policy and a time go in;
 * decisions with their reasons come out.
 *
 * The snapshot is built from status replies, so any PBS server can feed it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SCHED_H
#define SCHEDULER_SCHED_H

#include "lib/wire/batch.h"

struct snapshot;
struct policy;

/* An empty snapshot; add what the server answered, then sched_plan(). Objects that lack
 * something a plan needs are kept and never chosen. Texts are copied. */
struct snapshot *snapshot_new(void);
void snapshot_free(struct snapshot *s);
void snapshot_add(struct snapshot *s, const struct wire_objects *objects);

/* The defaults of sched_config; policy_set() takes one "name: value" line's parts and
 * returns false with a reason when it means nothing. */
struct policy *policy_new(void);
void policy_free(struct policy *p);

enum plan_kind {
    PLAN_CONFIRM_RESV, /* ConfirmResv success */
    PLAN_DENY_RESV,    /* ConfirmResv failure */
    PLAN_RUN_JOB,      /* AsyrunJob */
    PLAN_COMMENT_JOB,  /* ModifyJob_Async: the job's comment says why it waits */
};

struct plan_step {
    enum plan_kind kind;
    const char *id;
    const char *vnodes; /* exec_vnode; NULL for a denial */
    int64_t start_at;   /* reservations: the start confirmed, 0 for a denial */
    const char *reason; /* denials and comments: words for the log and the job */
};

struct plan {
    struct arena *arena;
    size_t n;
    size_t cap;
    struct plan_step *steps; /* in the order in which they are to be carried out */
};

/* What the server asked for (wire.md 12.3) only matters as a hint; the states in the
 * snapshot decide. 'job_id' is for command 11, else NULL. The plan lives in 'arena'. */
void sched_plan(const struct snapshot *s, const struct policy *p, int64_t now_at,
                const char *job_id, struct arena *arena, struct plan *ret);

/* A step as the request that carries it out; body and texts in the arena. */
void plan_step_request(const struct plan_step *step, struct arena *arena,
                       struct wire_request *ret);

#endif
