/* job_stop.c - SignalJob with suspend, resume and their forms for administrators
 * (execution.md 23, attributes.md 14.1): who may say which to whom.
 *
 * What is asked for becomes an attribute of the job, its MoM is told what follows from
 * that (moms/stopping.c), and the reply waits for the record with which it is so. Of an
 * array or a range what can be done is done, in slices when that is much
 * (doc/design/006), and the reply has the first failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_stop.h"
#include "lib/attr/job_attrs.h"
#include "lib/base/log.h"
#include "server/decide/job_start.h"
#include "server/decide/suspension.h"
#include "server/model/job_phase.h"
#include "server/requests/array_walk.h"

#include <string.h>

/* In the units of request_slice_cost(): what one job is asked for. */
#define STOP_COST 100

/* One job that the request names. */
struct stopping {
    const struct model *m;
    const struct request *rq;
    const char *word;
};

static int suspend(const struct stopping *st, const struct job *job,
                   enum suspend_manner manner, struct decision *out)
{
    int err = suspension_may_begin(job, out);
    struct record *rec;

    if (err)
        return err;
    rec = decide(out, st->rq, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);
    rec->reason = REASON_SUSPEND;
    rec->note = st->word;
    suspension_ask(rec, out->arena, manner);
    return 0;
}

/* A scheduler's suspension is one that it ends itself. */
static int suspend_plain(const struct stopping *st, const struct job *job,
                         struct decision *out)
{
    return suspend(st, job,
                   st->rq->who->scheduler ? SUSPEND_BY_SCHEDULER : SUSPEND_BY_CLIENT,
                   out);
}

static int suspend_admin(const struct stopping *st, const struct job *job,
                         struct decision *out)
{
    return suspend(st, job, SUSPEND_BY_ADMIN, out);
}

/* Is it suspended, and in the manner that this word ends? */
static int check_suspended(const struct job *job, bool by_admin, struct decision *out)
{
    static const int in_the_way[] = { JOB_A_HF_KILL_BY, JOB_A_HF_REQUEUE };

    if (!job_is_suspended(job))
        return diag_code(&out->why, PBSE_BADSTATE);
    if (job_is_suspended_by_admin(job) != by_admin)
        return diag_code(&out->why, PBSE_WRONG_RESUME);
    for (size_t i = 0; i < ARRAY_LEN(in_the_way); i++)
        if (obj_is_set(&job->obj, in_the_way[i]))
            return diag_code(&out->why, PBSE_BADSTATE);
    return 0;
}

/* From this record on the job has its vnodes. */
static int go_on(const struct stopping *st, const struct job *job, bool needs_room,
                 struct decision *out)
{
    const struct job_start start = {
        .m = st->m,
        .cfg = st->rq->cfg,
        .job = job,
        .vnodes = obj_str(&job->obj, JOB_A_EXEC_VNODE, ""),
        .actor = st->rq->actor,
        .now_at = st->rq->now_at,
        .needs_room = needs_room,
    };
    struct record *rec;
    const char *comment;
    int err = job_may_go_on(&start, &comment, out);

    if (err)
        return err;
    rec = decide(out, st->rq, FACT_JOB_RESUMING, OBJ_JOB, job->obj.id);
    suspension_leave(job, rec, out->arena);
    /* A scheduler may have said meanwhile why it waits. */
    record_change(rec, out->arena, JOB_A_COMMENT, NULL, comment);
    return 0;
}

/* Anybody else than a scheduler only says that it may go on. */
static int resume_plain(const struct stopping *st, const struct job *job,
                        struct decision *out)
{
    int err = check_suspended(job, false, out);
    struct record *rec;

    if (err)
        return err;
    if (st->rq->who->scheduler && job_phase(job) != JOB_SCHED_SUSPENDED)
        return diag_code(&out->why, PBSE_BADSTATE);
    if (st->rq->who->scheduler)
        return go_on(st, job, true, out);
    rec = decide(out, st->rq, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);
    rec->reason = REASON_RESUME;
    rec->note = st->word;
    record_job_event(rec, out->arena, job, JOB_EV_SCHED_SUSPEND, st->rq->now_at);
    return 0;
}

static int resume_admin(const struct stopping *st, const struct job *job,
                        struct decision *out)
{
    int err = check_suspended(job, true, out);

    /* It has given nothing back, so there is room. */
    return err ? err : go_on(st, job, false, out);
}

static const struct stop_row {
    const char *word;
    int (*act)(const struct stopping *st, const struct job *job, struct decision *out);
} rows[] = {
    { "suspend", suspend_plain },
    { "resume", resume_plain },
    { "admin-suspend", suspend_admin },
    { "admin-resume", resume_admin },
};

static const struct stop_row *row_of(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(word, rows[i].word) == 0)
            return &rows[i];
    return NULL;
}

bool is_stop_signal(const char *name)
{
    return row_of(name) != NULL;
}

/* Does the reply wait for the MoM, after that record? */
static bool is_the_moms(const struct record *rec)
{
    return rec->fact == FACT_JOB_RESUMING || rec->reason == REASON_SUSPEND;
}

void job_signal_log(const struct request *rq, const char *id, struct decision *out)
{
    const struct body_signal *body = rq->body;

    decide_log(out, LOG_EV_JOB, LOG_IN_JOB, id, "job signaled with %s by %s",
               body->signal, rq->actor);
}

/* What becomes of all that the request names. */
struct stop_all {
    size_t n_done;
    int err;                /* the first failure */
    bool waits;             /* for a MoM, since an earlier slice */
    struct array_walk walk; /* of a request in slices */
};

static void stop_one(const struct stopping *st, const struct job *job,
                     struct stop_all *all, struct decision *out)
{
    const struct body_signal *body = st->rq->body;
    int no = row_of(body->signal)->act(st, job, out);

    if (no) {
        all->err = all->err ? all->err : no;
        return;
    }
    job_signal_log(st->rq, job->obj.id, out);
    all->n_done++;
}

/* The reply waits for the MoMs of those jobs of this decision that one is told of. */
static size_t ids_of_waits(const struct decision *out, const char ***ret)
{
    const char **ids = ARENA_ARRAY(out->arena, const char *, out->records.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < out->records.n; i++)
        if (is_the_moms(out->records.v[i]))
            ids[n++] = out->records.v[i]->id;
    *ret = ids;
    return n;
}

static int reply_to(const struct stop_all *all, struct decision *out)
{
    const char **ids;
    size_t n = ids_of_waits(out, &ids);

    if (all->n_done == 0)
        /* An array of which nothing runs any more when its turn comes is no failure. */
        return all->err ? diag_code(&out->why, all->err) : 0;
    if (n > 0 || all->waits)
        act_wait_jobs(out, n, ids, all->err);
    else if (all->err)
        out->reply = (struct wire_reply){ .code = all->err,
                                          .choice = REPLY_TEXT,
                                          .text = pbse_text(all->err) };
    return 0;
}

static struct stopping stopping_of(const struct model *m, const struct request *rq)
{
    return (struct stopping){
        m, rq, row_of(((const struct body_signal *)rq->body)->signal)->word
    };
}

struct stop_slice {
    struct stopping st;
    struct stop_all *all;
    struct decision *out;
};

static void stop_next(void *arg, const struct job *job)
{
    const struct stop_slice *slice = arg;

    stop_one(&slice->st, job, slice->all, slice->out);
}

int job_stop_go_on(const struct model *m, const struct request *rq,
                   struct decision *out)
{
    struct stop_all *all = rq->progress->state;
    struct stop_slice slice = { stopping_of(m, rq), all, out };
    const char **ids;
    size_t n;

    if (array_walk_slice(&all->walk, m, rq, STOP_COST, stop_next, &slice))
        return reply_to(all, out);
    n = ids_of_waits(out, &ids);
    if (n > 0)
        act_wait_jobs(out, n, ids, 0);
    all->waits = all->waits || n > 0;
    act_add(out, ACT_GO_ON);
    return 0;
}

static void stop_drop(void *state)
{
    array_walk_fini(&((struct stop_all *)state)->walk);
}

static int stop_begin(const struct model *m, const struct request *rq,
                      const struct job *array, const struct job_list *jobs,
                      struct decision *out)
{
    struct progress *p = rq->progress;
    struct stop_all *all = ARENA_NEW(p->arena, struct stop_all);

    array_walk_init(&all->walk, array, jobs, p->arena);
    p->state = all;
    p->drop = stop_drop;
    return job_stop_go_on(m, rq, out);
}

int job_stop_all(const struct model *m, const struct request *rq,
                 const struct job *array, const struct job_list *jobs,
                 struct decision *out)
{
    const struct stopping st = stopping_of(m, rq);
    struct stop_all all = { 0 };

    MUST(jobs->n > 0);
    if (rq->progress && array)
        return stop_begin(m, rq, array, jobs, out);
    if (array && jobs->n * STOP_COST > request_slice_cost(rq)) {
        act_add(out, ACT_GO_ON);
        return 0;
    }
    for (size_t i = 0; i < jobs->n; i++)
        stop_one(&st, jobs->v[i], &all, out);
    return reply_to(&all, out);
}
