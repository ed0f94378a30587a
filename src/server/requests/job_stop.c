/* job_stop.c - SignalJob with suspend, resume and their forms for administrators
 * (execution.md 23, attributes.md 14.1): who may say which to whom.
 *
 * What is asked for becomes an attribute of the job, its MoM is told what follows from
 * that (moms/stopping.c), and the reply waits for the record with which it is so. Of an
 * array or a range what can be done is done, and the reply has the first failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_stop.h"
#include "lib/attr/job_attrs.h"
#include "lib/base/log.h"
#include "server/decide/job_start.h"
#include "server/decide/suspension.h"
#include "server/model/job_phase.h"

#include <string.h>

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

/* 'code': of what was refused. */
static void promise_reply(struct decision *out, int code)
{
    const char **ids = ARENA_ARRAY(out->arena, const char *, out->records.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < out->records.n; i++)
        if (is_the_moms(out->records.v[i]))
            ids[n++] = out->records.v[i]->id;
    if (n > 0)
        act_wait_jobs(out, n, ids, code);
    else if (code)
        out->reply = (struct wire_reply){ .code = code,
                                          .choice = REPLY_TEXT,
                                          .text = pbse_text(code) };
}

void job_signal_log(const struct request *rq, const char *id, struct decision *out)
{
    const struct body_signal *body = rq->body;

    decide_log(out, LOG_EV_JOB, LOG_IN_JOB, id, "job signaled with %s by %s",
               body->signal, rq->actor);
}

int job_stop_all(const struct model *m, const struct request *rq,
                 const struct job_list *jobs, struct decision *out)
{
    const struct body_signal *body = rq->body;
    const struct stop_row *row = row_of(body->signal);
    const struct stopping st = { m, rq, row->word };
    int err = 0;

    MUST(jobs->n > 0);
    for (size_t i = 0; i < jobs->n; i++) {
        const char *id = jobs->v[i]->obj.id;
        int no = row->act(&st, jobs->v[i], out);

        err = err ? err : no;
        if (!no)
            job_signal_log(rq, id, out);
    }
    if (out->records.n == 0)
        return diag_code(&out->why, err);
    promise_reply(out, err);
    return 0;
}
