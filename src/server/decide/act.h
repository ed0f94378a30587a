/* act.h - what a decision asks of the engine besides its records.
 *
 * A decision has a list of acts. The engine carries them out in the order of the list,
 * after the records of the decision have become facts. Which of them answer the request
 * instead of its reply, and which are carried out after a refusal as well, is a row of
 * the table in engine/acts.c (doc/design/033).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_ACT_H
#define SERVER_DECIDE_ACT_H

#include "server/model/model.h"

struct decision;
struct dry_answer;

/* How the server is ending. */
enum server_stop {
    STOP_NOT,
    STOP_DELAYED,   /* it waits for jobs that can neither be requeued nor killed */
    STOP_IMMEDIATE, /* it waits for jobs that are being requeued or killed */
    STOP_NOW,
};

enum act_kind {
    /* This was a slice: its records become facts, and the handler is asked again in a
     * later turn (doc/design/006). */
    ACT_GO_ON,
    /* The handler has decided nothing: it is asked again after each record about the
     * object that 'wait_for' names, and when the time, which is set, is over. */
    ACT_ASK_AGAIN,
    /* The reply waits for what 'wait_for' names. */
    ACT_WAIT,
    /* It waits for each of 'wait_jobs', and is the first failure of them. With
     * ACT_GO_ON in a slice: they are gathered, and the reply waits for what all slices
     * have named. */
    ACT_WAIT_JOBS,
    /* The reply is every object that this status asks for (walk.h). */
    ACT_LIST,
    /* This very request goes to the MoM of each job of 'jobs', in the name of that job;
     * what they answer is the reply, and the first failure is that of all. */
    ACT_FORWARD,
    /* It goes to the MoM of job 'job_id', and the reply does not wait for the MoM. */
    ACT_TELL_MOM,
    /* The scheduler of the queue of job 'job_id' is asked to run it (wire.md 12.4); its
     * DefSchReply is the reply. Refused when there is none. */
    ACT_DEFER_RUN,
    /* The same, but the reply does not wait for the scheduler. */
    ACT_DEFER_RUN_QUIETLY,
    /* Who waits for the deferred run of 'deferred' is answered. Refused when nobody
     * does. */
    ACT_END_DEFERRED,
    /* The job of the record 'job' is what the connection is sending from now on; it
     * becomes fact with its Commit (job_pending.h). */
    ACT_KEEP_JOB,
    /* 'script' is the next part of that job's script. */
    ACT_ADD_SCRIPT,
    /* The connection sends no job any longer, also when the request is refused. */
    ACT_FORGET_JOB,
    /* No connection sends the job 'job_id' any longer, also when the request is
     * refused: another server sends it anew. */
    ACT_FORGET_OTHERS,
    /* The connection becomes one of the two of the scheduler 'sched'. */
    ACT_REGISTER,
    /* Schedulers are told to leave. */
    ACT_QUIT_SCHEDULERS,
    /* What becomes of running jobs before the server ends is decided in this turn and
     * later ones (engine/stop.h), as the ACT_STOP says that follows. */
    ACT_END_JOBS,
    /* The server ends as 'stop' says; who asked for it is answered at the end. */
    ACT_STOP,
    /* A scheduler has asked for a dry run, and answers the one before (dry_run.h). The
     * next one that it has to look at is the reply. */
    ACT_DRY_RUN,
    /* The connection is closed after the reply, or the refusal. */
    ACT_CLOSE,
    ACT_KINDS
};

/* Why a reply waits. */
enum wait_why {
    WAIT_FOR_OBJECT,     /* for a record about it that answers (react_table.c) */
    WAIT_FOR_ALTERATION, /* the same, for the answer to an alteration */
    WAIT_FOR_RUN,        /* for a scheduler's word about a deferred run */
    WAIT_TO_ASK_AGAIN,   /* for any record: then the handler is asked again */
};

/* What a reply waits for. */
struct wait_for {
    enum wait_why why;
    enum obj_kind kind;
    const char *id;   /* of the object */
    int64_t until_at; /* 0: no limit */
};

struct act {
    enum act_kind kind;
    const struct wire_request *told; /* ACT_TELL_MOM: in place of the request; NULL: as
                                        it came */
    union {
        struct wait_for wait_for;
        struct {
            size_t n; /* one or more; in the last of several slices also none */
            const char *const *ids;
            int code; /* of what was refused at once; 0: nothing was */
        } wait_jobs;
        const char *job_id;
        struct {
            size_t n; /* one or more */
            const char *const *ids;
        } jobs;
        const char *sched;
        const struct record *job;
        struct {
            const char *data;
            size_t len;
        } script;
        struct {
            const char *job_id;
            int code;
            const char *text; /* NULL: the code's own text */
        } deferred;
        struct {
            uint64_t number; /* of what is answered, 0: of nothing */
            const struct dry_answer *answer;
        } dry_run;
        struct {
            enum server_stop how;
            bool quit_moms; /* MoMs are told to leave, at the end */
        } stop;
    } u;
};

struct acts {
    size_t n, cap;
    struct act *v;
};

/* Append an act to the decision, in its arena; its texts need not be copied when they
 * live as long as the request. */
struct act *act_add(struct decision *out, enum act_kind kind);
void act_wait(struct decision *out, const struct wait_for *wait_for);
/* ACT_WAIT_JOBS. */
void act_wait_jobs(struct decision *out, size_t n, const char *const *job_ids,
                   int code);
/* An act that is about a job: ACT_TELL_MOM and its like. */
void act_about_job(struct decision *out, enum act_kind kind, const char *job_id);

/* ACT_FORWARD to the MoMs of so many jobs. */
void act_forward(struct decision *out, size_t n, const char *const *job_ids);

/* The first act of that kind, NULL when there is none. */
const struct act *act_find(const struct decision *d, enum act_kind kind);

#endif
