/* plan.h - the parts of a plan, for each other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_PLAN_H
#define SCHEDULER_PLAN_PLAN_H

#include "lib/attr/resv_number.h"
#include "scheduler/plan/links.h"
#include "scheduler/plan/vnode_pool.h"

#define JOB_SUBSTATE_SCHED_SUSPENDED 45

/* How many later starts a denial looks at. */
enum {
    EARLIEST_TRIES = 64,
    /* The same for a reservation that takes whatever start comes first. */
    OPEN_TRIES = 2000
};

/* The last text of plan_numbers(). */
struct numbers {
    const struct res *res;
    int64_t asked, left, total;
    const char *text;
};

struct plan_check;

struct planner {
    const struct snapshot *s;
    const struct policy *p;
    struct world *w;
    struct links *links;
    struct series **series; /* [reservation of the snapshot] of standing ones: series.h
                             */
    int64_t now_at;
    struct arena *arena;
    struct plan *plan;
    struct sums *sums;                 /* of quick_fit() */
    struct running_counts *running;    /* of limit_fit(); NULL: nobody has asked */
    const struct limits_kinds *limits; /* which there are; likewise */
    struct levels *levels;             /* of level_of(); likewise */
    struct vnode_limits *vnode_limits; /* of vnode_limit.h; NULL: nobody has asked */
    struct job_formula *formula;       /* of job_value.h; NULL: there is none */
    struct queue_used **queues; /* [queue of the snapshot] of queue_fit(); NULL: none */
    struct queue_used *all;     /* of the server, likewise */
    struct numbers numbers;
    bool soft;             /* soft_walltimes count: length.h */
    int64_t *next_resv_at; /* likewise; *next_resv_at 0: nobody has asked */
    bool plain; /* nothing that is kept of jobs that wait is used: plan_check.h */
};

/* Lines for the log, in the arena of the plan. */
struct plan_notes {
    size_t n, cap;
    struct plan_note *v;
};

/* 'id' and 'text' live as long as the plan. */
void plan_note_add(struct planner *pl, struct plan_notes *notes, uint32_t event,
                   const char *id, const char *text);

/* Append a step about 'id', which must live as long as the plan. The pointer is good
 * until the next step is added. */
struct plan_step *plan_add(struct planner *pl, enum plan_kind kind, const char *id);

/* Is the reservation's time running (also while it is being altered)? */
bool resv_is_running(const struct planner *pl, const struct snap_resv *r);

/* Seconds that the job runs when it starts or goes on now; at least 1. */
int64_t job_left_s(const struct planner *pl, const struct snap_job *j);

/* When the job would end if it started now. The length is bounded, so that sums of
 * instants stay in their range whatever a user asks for. */
int64_t job_end_at(const struct planner *pl, const struct snap_job *j);

/* The links of an object of the snapshot. */
static inline const struct job_link *link_of_job(const struct planner *pl,
                                                 const struct snap_job *j)
{
    return &pl->links->jobs[j - pl->s->jobs];
}

static inline const struct resv_link *link_of_resv(const struct planner *pl,
                                                   const struct snap_resv *r)
{
    return &pl->links->resvs[r - pl->s->resvs];
}

/* Is there a question about a reservation? Answer every one. */
bool plan_resvs_are_open(const struct planner *pl);
void plan_resvs(struct planner *pl);

/* Would jobs_new() have a job to look at? */
bool jobs_wait(struct planner *pl);

/* The jobs that wait, in the order of policy; of those that are refused without a look
 * at the vnodes the steps are made here, where nothing is kept of jobs that wait.
 * 'look' as in sched.h; 'check' NULL: nothing is compared. In the arena of the plan;
 * end it with jobs_fini(). */
struct jobs *jobs_new(struct planner *pl, const struct sched_look *look,
                      struct plan_check *check);

/* The last job that was tried and waits on; NULL: none was. */
const char *jobs_last_waiting(const struct jobs *jobs);

/* Start those that can run now, say why the others wait: as many as so much effort is
 * good for (PLANNING_EFFORT), at least one. True while some are left. */
bool jobs_go_on(struct jobs *jobs, size_t effort) MUST_CHECK;
void jobs_fini(struct jobs *jobs);

/* May the job run at all, by sums over all vnodes of 'queue' (scheduling.md 11, check
 * 3)? On failure the numbers "(R: 4 A: 2 T: 2)" are in *numbers, and *never says that
 * the complex is too small. */
enum plan_failure quick_fit(struct planner *pl, const struct snap_job *j,
                            const char *queue, const char **resource,
                            const char **numbers, bool *never);

/* "(R: 4 A: 2 T: 2)": what is asked for, what is left, what there is. */
const char *plan_numbers(struct planner *pl, const struct res *res, int64_t asked,
                         int64_t left, int64_t total);

/* Do the limits of running jobs let it start, now and beside each top job that will
 * start before this one would end at 'end_at' (scheduling.md 13)? If not, the words of
 * the first limit that does not are set. A job of a running reservation ends with that
 * at the latest. Command 11 does not ask. The first question of a plan looks at all
 * jobs, where there are limits. */
struct limit_words {
    const char *comment, *log;
    bool of_all; /* it counts the jobs of everybody */
};
bool limit_fit(struct planner *pl, const struct snap_job *j, int64_t end_at,
               struct limit_words *words);
/* The job has been started since, and will end then; or it has left its vnodes, which
 * it would have had until then. */
void limit_fit_took(struct planner *pl, const struct snap_job *j, int64_t end_at);
void limit_fit_left(struct planner *pl, const struct snap_job *j, int64_t end_at);
/* It is a top job, to which vnodes are promised during [start_at, end_at): only where
 * top_jobs_may_be() says so. */
void limit_fit_promise(struct planner *pl, const struct snap_job *j, int64_t start_at,
                       int64_t end_at);

/* Is there a limit anywhere that stops jobs of a user, a group or a project? Is the job
 * beyond one of these, where what was asked about before in this plan is taken to run,
 * too (scheduling.md 30)? */
bool limit_fit_is_of_owner(struct planner *pl);
bool limit_fit_is_beyond(struct planner *pl, const struct snap_job *j);

/* Is there a soft limit anywhere? Which of them are the job's user, group, project and
 * everybody over, with what runs now: PREEMPT_QUEUE_SOFT, PREEMPT_SERVER_SOFT. One of a
 * resource is that of jobs which ask for it (scheduling.md 13). */
bool limit_fit_is_soft(struct planner *pl);
/* Another number whenever what is counted has changed; 0: nothing is counted. */
uint64_t limit_fit_version(const struct planner *pl);
uint32_t limit_fit_soft(struct planner *pl, const struct snap_job *j);
void limit_fit_fini(struct planner *pl);

/* Do the resources_available of the queue have room for the job beside those that run
 * from it, and those of the server beside all that run? If not (FAIL_QUEUE_SHORT,
 * FAIL_SERVER_SHORT), the resource and its numbers are set, and *never says that they
 * could not have it without the others either. The first question about a queue of a
 * plan looks at all jobs. */
enum plan_failure queue_fit(struct planner *pl, const struct snap_job *j,
                            const char **resource, const char **numbers, bool *never);
/* Is that failure one of queue_fit()? */
bool failure_is_of_sums(enum plan_failure failure);

/* The job has been started since, or has left its vnodes. */
void queue_fit_took(struct planner *pl, const struct snap_job *j);
void queue_fit_left(struct planner *pl, const struct snap_job *j);

/* These vnodes have got a job since, or have lost one. */
void quick_fit_took(struct planner *pl, const struct placement *found);

/* What is told of one job that waits has no more bytes than these (scheduling.md 12).
 */
#define FAILURE_MAX_BYTES 1023

/* The words of a failure in a job's comment and in the log (scheduling.md 12). The
 * resource and its numbers are used by failures that name one; both may be NULL. */
const char *failure_comment(struct arena *arena, enum plan_failure failure,
                            const char *resource, const char *numbers);
const char *failure_log(struct arena *arena, enum plan_failure failure,
                        enum asker asker, const char *resource, const char *numbers);

/* Is it found when jobs are read, so that the job is not even considered? */
bool failure_is_early(enum plan_failure failure);

#endif
