/* sched.h - the door of the scheduler's core: a snapshot, a policy and a time go in;
 * decisions with their reasons come out.
 *
 * The snapshot is built from status replies, so any PBS server can feed it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SCHED_H
#define SCHEDULER_SCHED_H

#include "lib/attr/select.h"
#include "lib/base/buf.h"
#include "lib/base/diag.h"
#include "lib/wire/batch.h"

struct snapshot;
struct policy;

/* An empty snapshot; add what the server answered, then sched_plan(). Objects that lack
 * something a plan needs are kept and never chosen. Texts are copied. Resource
 * definitions (StatusRsc) go in before what uses them; those built into PBS are known.
 * Vnodes, queues, reservations and jobs are kept in the order given. */
struct snapshot *snapshot_new(void);
void snapshot_free(struct snapshot *s);
void snapshot_add(struct snapshot *s, const struct wire_objects *objects);

/* Make an empty snapshot one that lasts: snapshot_patch() changes it between plans. A
 * plan, and what it points to, is over before the next patch. */
void snapshot_keep(struct snapshot *s);

/* The number of the mark that came last: what StatusChanges asks with; 0: none has. */
uint64_t snapshot_seq(const struct snapshot *s);

/* What is added or patched from now on was told at that instant. Without it what grows
 * with time is taken for what it is at the time of the plan. */
void snapshot_told_at(struct snapshot *s, int64_t now_at);

/* Take over the reply to StatusChanges (doc/extensions.md): each object whole, in place
 * of what was there under its name, a new one behind all others of its kind; one
 * without attributes is gone; the mark at the end. False: it does not follow what is
 * there, or the order of the objects is not known any more; the snapshot has to be made
 * anew. */
bool snapshot_patch(struct snapshot *s, const struct wire_objects *objects) MUST_CHECK;

/* The classes of objects that a snapshot has, with what it reads of each, as
 * StatusChanges asks for them; in 'arena'. */
void snapshot_classes(struct arena *arena, struct body_changes *ret);

/* True when a plan reads the same from both, but for which reservations are skipped and
 * the slots of resources. 'why' names the first difference. */
bool snapshot_same(const struct snapshot *a, const struct snapshot *b,
                   struct diag *why) MUST_CHECK;

/* Append the attributes that a snapshot reads of OBJECT_SERVER, OBJECT_NODE,
 * OBJECT_QUEUE, OBJECT_RESV or OBJECT_JOB: all that has to be asked for. 'ours': also
 * those that only our own server knows. */
void snapshot_wants(uint32_t type, bool ours, struct arena *arena,
                    struct wire_attrs *ret);

/* The scheduler object this plan is for: "default" unless set. Its partition comes from
 * its StatusSched object; vnodes, queues and reservations of others are not looked at.
 */
void snapshot_set_name(struct snapshot *s, const char *sched_name);

/* Names of the execution queues of this scheduler's partition, in the order of the
 * server: one SelStat each is due. */
size_t snapshot_queue_count(const struct snapshot *s);
const char *snapshot_queue_name(const struct snapshot *s, size_t i);

/* Names of the time zones in which series repeat whose occurrences the server does not
 * tell. Without the contents of a zone's file such a series is not understood. What is
 * no zoneinfo file is as none. */
size_t snapshot_zone_count(const struct snapshot *s);
const char *snapshot_zone_name(const struct snapshot *s, size_t i);
void snapshot_give_zone(struct snapshot *s, size_t i, const void *data, size_t len);

/* What holds without sched_config. */
struct policy *policy_new(void);
void policy_free(struct policy *p);

enum policy_line {
    POLICY_FINE,
    POLICY_NOTICE, /* obeyed as far as it has a meaning; 'why' is for the log */
    POLICY_WRONG,  /* 'why' is for the log, after "Error reading line N: " */
};

/* One line of sched_config (comments and empty lines are fine), with the texts of
 * scheduling.md 5.1 and 5.3. What cannot be used is left alone. */
enum policy_line policy_line(struct policy *p, const char *line,
                             struct diag *why) MUST_CHECK;

/* Append the names of the settings that were read and ask for something that no plan
 * does yet, as "a, b". */
void policy_unserved(const struct policy *p, struct buf *out);

/* Is what the server said kept from one cycle to the next, where the server tells what
 * has changed? Is it compared with the status of everything in each cycle? */
bool policy_keeps_status(const struct policy *p);
bool policy_checks_status(const struct policy *p);

/* A pair of queues (scheduling.md 28): jobs that wait in 'remote' of another server are
 * run as if they were in 'local', and moved there when they can run. */
struct policy_peer {
    char *local, *remote;
    char *server; /* host[:port]; NULL: this server */
};
#define POLICY_PEERS_MAX 50
size_t policy_peer_count(const struct policy *p);
const struct policy_peer *policy_peer(const struct policy *p, size_t i);

/* A line of dedicated_time: from from_at until before to_at. False: there are too many.
 * A period that ends before it begins means nothing. */
bool policy_add_dedicated(struct policy *p, int64_t from_at, int64_t to_at) MUST_CHECK;

enum plan_kind {
    PLAN_CONFIRM_RESV, /* ConfirmResv success */
    PLAN_DENY_RESV,    /* ConfirmResv failure */
    PLAN_RUN_JOB,      /* one of plan_wait, or SignalJob of one that is resumed */
    PLAN_SHRINK_JOB,   /* ModifyJob_Async: its walltime is what fits; PLAN_RUN_JOB is
                          next */
    PLAN_EXTEND_JOB,  /* ModifyJob_Async: it runs for longer than its soft_walltime, and
                         the estimate of that is another one */
    PLAN_COMMENT_JOB, /* ModifyJob_Async: the job's comment says why it waits */
    PLAN_PREEMPT_JOBS, /* PreemptJobs: others leave for this job, which the next step
                          runs if all of them have */
};

/* What a run of a job is awaited for (job_run_wait, scheduling.md 19). */
enum plan_wait {
    PLAN_WAIT_NONE,   /* the server has no answer: AsyrunJob */
    PLAN_WAIT_HOOKS,  /* its runjob hooks have agreed: AsyrunJob_ack */
    PLAN_WAIT_STARTS, /* the MoM has taken the job: RunJob */
};

/* Why a job or a reservation has to wait or is refused. What each is called is in
 * plan/failure.c (scheduling.md 12, reservations.md 23). */
enum plan_failure {
    FAIL_NONE,
    FAIL_QUEUE_STOPPED,
    FAIL_DEDICATED,         /* its queue is one of dedicated time and it is not, or the
                               other way round */
    FAIL_CROSSES_DEDICATED, /* it would run into, or out of, dedicated time */
    FAIL_NONPRIME_ONLY,
    FAIL_NO_VNODES,
    FAIL_IN_USE,
    FAIL_SHORT,       /* of a resource: struct plan_short has the details */
    FAIL_VNODE_LIMIT, /* of jobs on a vnode, all or those of its user or group */
    FAIL_VNODE_USER_LIMIT,
    FAIL_VNODE_GROUP_LIMIT,
    FAIL_LIMIT,        /* of running jobs: its words are made where it is found */
    FAIL_QUEUE_SHORT,  /* of what the job's queue has available, */
    FAIL_SERVER_SHORT, /* ... or the server for all jobs */
    FAIL_CONFLICT,
    FAIL_NOT_FOR_RESV,
    FAIL_SET_BUSY,       /* a placement set could hold it, but has no room now */
    FAIL_SETS_TOO_SMALL, /* none ever could, and none other may be used */
    FAIL_FEW_FREE_VNODES,
    FAIL_FEW_VNODES,
    FAIL_FORMULA,         /* its value is not above the threshold */
    FAIL_STRICT,          /* one before it cannot run, and the order is strict */
    FAIL_SUBJOB_LIMIT,    /* as many of the array run as it allows */
    FAIL_JOB_SELECT,      /* no select, or one that cannot be read */
    FAIL_RESV_STATE,      /* jobs: their reservation has no vnodes that can be read */
    FAIL_RESV_UNREADABLE, /* reservations: no select, or one that cannot be read */
    FAIL_RESV_STANDING,   /* the server does not tell its occurrences */
    FAIL_RESV_TIMES,
    FAIL_RESV_JOBS, /* a job holds on to what would have to be replaced */
    N_FAILURES,
};

/* Why something does not fit, as a value. Fields that say nothing are NULL or 0. The
 * first six may point into the snapshot, and are good until it changes. */
struct plan_short {
    const char *resource;  /* what is short, "" or NULL when it is no amount; the name
                              of the set for FAIL_SET_BUSY */
    const struct res *res; /* of the two amounts that follow; of the snapshot */
    int64_t needed;        /* by the chunk that found no place */
    int64_t most_free;     /* the most any eligible vnode has through the window */
    int64_t total;         /* of_server: what it has */
    const char *value;     /* what it needs, where that is no amount: of the request */
    bool of_server;        /* it is what the server has for all together, and all
                              chunks need it together */
    size_t chunk;          /* index of that chunk in the request, from 0 */
    int64_t n_placed;      /* so many copies of the chunk found room, */
    int64_t n_copies;      /* of so many that are wanted */
    enum place_arrange arrange; /* of the request */
    bool never; /* it does not fit the vnodes of today, even with nobody on them */
    const char *vnode;   /* a vnode big enough but for what holds it; of_server: the
                            resource, in words */
    const char *holder;  /* the job or reservation that holds it */
    int64_t until_at;    /* when the holder gives it back */
    int64_t earliest_at; /* first start at which the request fits, 0: none found */
};

/* What a yes gives to one reservation, and when. */
struct plan_place {
    const char *id;
    int64_t start_at;
    int64_t end_at;
    const char *vnodes; /* exec_vnode */
};

/* What PreemptJobs says of a job that has not left (wire.md 8.5). */
#define PREEMPT_FAILED "000"

/* A line for the log. */
struct plan_note {
    uint32_t event; /* LOG_EV_... */
    const char *job_id;
    const char *text;
};

struct plan_step {
    enum plan_kind kind;
    const char *id;
    const char *vnodes;    /* exec_vnode, of a series lib/attr/execvnodes.h; NULL for a
                              denial */
    int64_t start_at;      /* reservations: the start confirmed; a denial: the earliest
                              start that would fit, 0 when none is known */
    const char *partition; /* PLAN_CONFIRM_RESV */
    enum plan_failure failure; /* denials and comments */
    bool never;              /* comments: not on this complex, even if it were empty */
    bool early;              /* comments: known before the job was considered */
    const char *reason;      /* denials: the log's words; comments: the whole comment */
    const char *log;         /* PLAN_COMMENT_JOB: the log's words (scheduling.md 12) */
    const char *accrue_type; /* PLAN_COMMENT_JOB: what becomes of it; NULL: it is so
                                already, or nobody counts */
    const char *walltime;    /* PLAN_SHRINK_JOB, PLAN_EXTEND_JOB */
    const char *why_shrunk[2]; /* ... and the log's words, in order; NULL: no more */
    bool considered;      /* PLAN_RUN_JOB: the step before has said that in the log */
    bool resumes;         /* PLAN_RUN_JOB: it is suspended, and goes on there */
    bool preempts;        /* PLAN_RUN_JOB: others have just left for it */
    enum plan_wait waits; /* PLAN_RUN_JOB */
    struct wire_strings victims; /* PLAN_PREEMPT_JOBS: one or more */
    size_t n_notes; /* PLAN_RUN_JOB, PLAN_PREEMPT_JOBS, PLAN_COMMENT_JOB: what was
                       tried */
    const struct plan_note *notes;
    bool top;               /* PLAN_COMMENT_JOB: its place is kept free (scheduling.md
                               20.3), */
    int64_t est_start_at;   /* from then on, 0: none was found, */
    const char *est_vnodes; /* on these; NULL: none */
    bool est_known;         /* the job has that estimate already */
    const char *topjob;     /* what becomes of its attribute; NULL: it is so already */
    bool unchanged;       /* PLAN_COMMENT_JOB: the job has this comment already; for the
                             log and for command 11, not to be sent */
    bool degraded;        /* PLAN_DENY_RESV: it was to be reconfirmed */
    bool altered;         /* reservations: it was to be altered */
    const char *advice;   /* PLAN_DENY_RESV: what else to do, after the reason; or "" */
    size_t n_occurrences; /* PLAN_CONFIRM_RESV of a new series; else 0 */
    bool away;            /* PLAN_CONFIRM_RESV: some vnodes are down or offline today */
    size_t n_places;      /* PLAN_CONFIRM_RESV with other times than were asked for,
                             else 0: what it has then, and those that it moves */
    const struct plan_place *places;
    bool has_seq; /* reservations: the server numbers its questions, and */
    int64_t seq;  /* this is the answer to that one */
    struct plan_short why;
    const char *shortage; /* PLAN_DENY_RESV: what was short, in words; or "" */
};

struct plan {
    struct arena *arena;
    size_t n;
    size_t cap;
    struct plan_step *steps; /* in the order in which they are to be carried out */
    bool again; /* carry this out, take a new snapshot and plan again: jobs wait for it
                 */
};

/* A plan that is made in slices. */
struct planning;

/* How much is looked at in one slice, so that it takes some milliseconds: a search for
 * vnodes counts 32, a job that waits for what another one waits for 1. */
#define PLANNING_EFFORT 1024

/* What a plan looks at. */
struct sched_look {
    const char *job_id;  /* of command 11, else NULL */
    const char *last_id; /* jobs up to this one were looked at a moment ago, by a plan
                            that was left, so that they come behind the others; NULL:
                            the order is that of policy */
    bool tells_sets; /* jobs that are searched for have notes of the placement sets that
                        were tried */
    bool news_only; /* a job that waits for the reason that it was told by the last plan
                       on this snapshot, and of which the server shows that, has no step
                       (doc/design/088-remembered-looks.md) */
};

/* Begin a plan: all steps about reservations, and those about jobs that wait whatever
 * the vnodes have. What the server asked for (wire.md 12.3) only matters as a hint; the
 * states in the snapshot decide. The plan lives in 'arena', which outlives the
 * planning, as the texts of 'look' do; its texts may point into the snapshot. */
struct planning *planning_new(const struct snapshot *s, const struct policy *p,
                              int64_t now_at, const struct sched_look *look,
                              struct arena *arena, struct plan *ret);

/* Up to which job it has looked, for the plan that goes on where this one is left;
 * NULL: at none that waits on. Lives as long as the snapshot. */
const char *planning_last_waiting(const struct planning *p);

/* Append the steps about the next jobs, at least one job and as many as that effort is
 * good for; a slice ends behind a job that preempts. False: none is left. Steps that
 * are there already stay as they are, but the array may move. A caller may carry them
 * out in between: what the plan has decided is taken into account, whatever else
 * happens meanwhile is not. */
bool planning_go_on(struct planning *p, size_t effort) MUST_CHECK;
void planning_free(struct planning *p);

/* Each job that runs on a vnode that its reservation does not have, with the first such
 * vnode; linear in the jobs. */
typedef void (*stray_fn)(void *arg, const char *job_id, const char *vnode);
void planning_strays(const struct planning *p, stray_fn each, void *arg);

/* Each occurrence that is left, the current one included, of each standing reservation
 * that is confirmed: the number-th of so many. */
typedef void (*occurrence_fn)(void *arg, const char *resv_id, int64_t number,
                              int64_t count, int64_t start_at);
void planning_occurrences(const struct planning *p, occurrence_fn each, void *arg);

/* What a job is worth by the formula that orders jobs, for the log; each job, where
 * there is a formula. */
struct job_worth {
    const char *id;
    double value;
    const char *why; /* it could not be computed and counts as 0; NULL: it could */
    bool under;      /* it is not above the threshold, so the job does not run */
    double threshold;
};
typedef void (*value_fn)(void *arg, const struct job_worth *w);
void planning_values(const struct planning *p, value_fn each, void *arg);
/* Why the formula is none that this scheduler computes; NULL: it is one, or there is
 * none. */
const char *planning_formula_fault(const struct planning *p);
/* There is a formula, and keys of job_sort_key, which decide between jobs that are
 * worth the same only. */
bool planning_orders_twice(const struct planning *p);

/* Does its object name a partition, and is there any vnode of it? */
bool planning_has_partition(const struct planning *p);
bool planning_has_vnodes(const struct planning *p);

/* How many kinds of jobs there are, of those that wait and those that run; 0: there are
 * no jobs. Linear in the jobs and vnodes. */
size_t planning_classes(struct planning *p);

/* The same at once, of all jobs. */
void sched_plan(const struct snapshot *s, const struct policy *p, int64_t now_at,
                const char *job_id, struct arena *arena, struct plan *ret);

/* What a plan would say now about a reservation if it were as 'o' shows it: beside the
 * questions that are open, and in its place among them. The answer as a DryRun request,
 * all of it in 'arena'; the snapshot is as it was. */
void sched_try(struct snapshot *s, const struct policy *p, int64_t now_at,
               const struct wire_object *o, struct arena *arena,
               struct wire_request *ret);

/* This running job could not be preempted: it is no candidate in this cycle. */
void snapshot_spare_job(struct snapshot *s, const char *job_id);

/* For this job, or the array of this subjob, others were made to leave in vain too
 * often: it preempts nobody in this cycle. */
void snapshot_give_up(struct snapshot *s, const char *job_id);

/* This job, or the array of this subjob, was refused by the server after others had
 * left for it: it is none of the jobs of this cycle, which neither start it nor speak
 * of it. A cycle that was asked for it alone has nothing to do. */
void snapshot_put_off(struct snapshot *s, const char *job_id);

/* Leave this reservation's question alone: it was answered in this cycle already; or
 * none, in the next one. */
void snapshot_skip_resv(struct snapshot *s, const char *resv_id);
void snapshot_skip_none(struct snapshot *s); /* spare no job, nobody has given up
                                                or is put off */

/* A step as the request that carries it out; body and texts in the arena. False for a
 * step that has nothing to send. */
bool plan_step_request(const struct plan_step *step, struct arena *arena,
                       struct wire_request *ret) MUST_CHECK;

/* Is the server's answer to the step of use? To the others there may be none. */
bool plan_step_is_awaited(const struct plan_step *step);

/* The server has refused to run the job of the step, with these words: its comment as a
 * request. False: comments are not written, or it is a subjob, which has none. */
bool plan_refused_request(const struct plan_step *step, const struct policy *p,
                          const char *words, struct arena *arena,
                          struct wire_request *ret) MUST_CHECK;

/* How many steps from 'from' on are answers about reservations that may travel in one
 * request to a server that offers EXTENSION_ANSWERS; 0 or 1: there is none to share it
 * with. */
size_t plan_answers(const struct plan *plan, size_t from) MUST_CHECK;

/* Such steps as one request; wire_answers_reply() reads what became of each. */
void plan_answers_request(const struct plan_step *steps, size_t n, struct arena *arena,
                          struct wire_request *ret);

#endif
