/* jobs.h - the jobs of a plan while they are looked at one after another: what the
 * files job.c, job_field.c, job_say.c and job_preempt.c share, and nobody else sees.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_JOBS_H
#define SCHEDULER_PLAN_JOBS_H

#include "scheduler/plan/alike.h"
#include "scheduler/plan/room.h"
#include "scheduler/plan/shrink.h"
#include "scheduler/plan/subjobs.h"
#include "scheduler/plan/top_job.h"
#include "scheduler/plan/victims.h"

/* What is said of all jobs that wait for one reason. */
struct failure_words {
    const char *log;
    const char *comment; /* with "Not Running: " and the like before it */
};

/* Why a job waits, and the key of the other jobs that wait for the same reason. */
struct failure {
    struct {
        const struct request *request;
        const void *where; /* the reservation, or the queue that has its own vnodes */
        int64_t walltime_s;
        int64_t least_s; /* 1 more than the min_walltime of who may be shortened */
        size_t owner;    /* to whom limits of vnodes close some, 0: they close none */
    } key;
    enum plan_failure kind;
    bool never;
    bool of_owner; /* a limit of its owner, its group or its project */
    const char *resource;
    const char *numbers;
    struct failure_words *words; /* made for the first job; NULL: a job's own */
    UT_hash_handle hh;
};

struct jobs {
    struct planner *pl;
    bool asked; /* command 11 */
    struct failure *failures;
    const char *last_waiting;     /* the last one that was tried in vain, or NULL */
    struct room room;             /* of the reservation that was looked at last */
    struct alike alike;           /* of what was searched outside of reservations */
    const char *only;             /* what is to be run alone, NULL: all */
    struct subjobs sub;           /* of the array that is looked at now */
    struct top_jobs top;          /* and who waits for others */
    struct starts starts;         /* of what is promised to others */
    size_t n, next;               /* jobs, and the first that was not tried yet */
    const struct snap_job **list; /* in the order of policy, */
    int64_t *levels;              /* [n] which they had then, and */
    bool levels_fall;             /* which change as jobs start */
    bool *beyond; /* [job of the snapshot] its owner's limits, with what stands before
                     it; NULL: nobody counts */
    struct preempting *preempting; /* whom they may preempt; NULL: nobody has asked */
    struct plan_notes notes;       /* of the job that is looked at, */
    bool tells_sets;               /* ... with the placement sets that are tried */
    struct failure_words words[N_FAILURES]; /* of failures that name nothing */
    struct failure last_own;                /* the last one that was a job's own, */
    struct failure_words last_words;        /* and what was said of it */
    bool pause;                             /* the slice ends here */
    struct waiter **waiters; /* [n] what is kept of them (waiting.h); NULL: nothing */
    struct waiter *who;      /* ... of the one that is looked at */
    bool news_only;          /* what a job was told before is not told again */
    size_t last_passed; /* the last one that waits as others of its crowd; SIZE_MAX:
                           last_waiting is later */
    struct plan_check *check; /* in builds with checks, else NULL: plan_check.h */
};

struct waiter;
struct plan_check;

/* What it costs to try a job, in jobs whose failure is known already. */
#define SEARCH_COST 32

/* job.c */

/* A step that starts the job, or the subjob of that id, on the vnodes that were found
 * and are booked; 'shrunk' says how long it may last. */
struct plan_step *jobs_run(struct planner *pl, const struct snap_job *j, const char *id,
                           const struct placement *found, const struct shrunk *shrunk);

/* More is free than before: what was known of failures does not hold any more, and the
 * levels of the others may have risen. Whoever carries the plan out has to know whether
 * the victims have left, before anything else is decided on it. */
void jobs_begin_anew(struct jobs *jobs);

/* job_field.c: vnodes outside of all reservations. */

/* The queue whose own vnodes its jobs use; NULL: the vnodes of no queue. */
const char *jobs_queue_with_vnodes(const struct planner *pl, const struct snap_job *j);

/* A job, and the vnodes outside of all reservations that it may have. */
struct job_field {
    struct jobs *jobs;
    const struct snap_job *j;
    const char *queue;
    struct failure *fail;
    const bool *closed; /* [vnode] by its limits, NULL: none is */
};

/* Look for such vnodes for the job, and book them under 'id'. The sums over all vnodes
 * come first: they are cheap, and they have comments of their own. FAIL_NONE: *found
 * has them, and *ret says how long the job may last where it may be shortened. Else
 * f->fail has the words that go with the failure. */
enum plan_failure jobs_search_field(struct job_field *f, const char *id,
                                    struct placement *found,
                                    struct shrunk *ret) MUST_CHECK;

/* job_say.c */

/* A step with the reason for which the job waits, and with the place that it is kept;
 * 'est' NULL: it is no top job. It takes the notes of 'jobs'. */
void jobs_say_why(struct jobs *jobs, const struct snap_job *j,
                  const struct failure *fail, const struct estimate *est);

/* job_preempt.c: jobs for which others leave, and jobs that were stopped. */

/* Start the job on what others leave, of which 'fail' says that it is short; false:
 * they do not, and nothing has changed. */
bool jobs_start_by_preemption(struct jobs *jobs, const struct snap_job *j,
                              const char *id, const struct failure *fail) MUST_CHECK;

/* Let the job go on, from a suspension or from its checkpoint, or say why it stands.
 * What it needs is where it is, so that nothing follows for others who ask for the
 * same. Returns what that has cost. */
size_t jobs_try_resume(struct jobs *jobs, const struct snap_job *j);

#endif
