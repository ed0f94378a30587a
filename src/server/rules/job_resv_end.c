/* job_resv_end.c - what becomes of a job when its reservation ends, or the occurrence
 * that it runs in (doc/design/045-on-end.md).
 *
 *                      the reservation ends          an occurrence ends
 *   kill      runs     killed                        killed
 *             waits    deleted                       stays
 *   requeue   runs     its run ends, then as below   its run ends
 *             waits    into another queue            stays
 *   hold      runs     its run ends, then as below   its run ends, and it is held
 *             waits    held, into another queue      stays
 *
 * An array waits, and its subjobs run or wait: it leaves when none of them has a run
 * any longer, and they follow it (array_rules.c).
 *
 * A run that cannot be repeated is killed, and a job that no queue takes is deleted.
 * Who deletes a reservation deletes its jobs, whatever on_end says.
 *
 * Each step is a record that makes the next one due, so a crash between two of them
 * changes nothing: the run ends as one that qrerun has asked to end, and a job that is
 * back in the reservation's queue leaves it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/base/log.h"
#include "server/decide/job_end.h"
#include "server/decide/job_leave.h"
#include "server/decide/know.h"
#include "server/decide/resv_on_end.h"
#include "server/model/job_array.h"
#include "server/model/job_phase.h"
#include "server/model/resv_state.h"
#include "server/rules/rules.h"

#include <string.h>

static bool is_held(const struct job *job, struct arena *arena)
{
    return strchr(job_holds_text(job, arena), 'u') != NULL;
}

/* A hold of the user's own: the job's owner releases it, whoever has reserved. */
static void add_hold(const struct job *job, struct record *rec, struct arena *arena)
{
    const char *holds = job_holds_text(job, arena);

    record_change(rec, arena, JOB_A_HOLD_TYPES, NULL,
                  *holds == 'n' ? "u" : arena_printf(arena, "u%s", holds));
    record_change(rec, arena, JOB_A_COMMENT, NULL,
                  arena_printf(arena, "Job held at the end of reservation %s",
                               job->resv->obj.id));
}

/* The occurrence ends and the reservation goes on. */
static bool is_between(const struct job *job)
{
    return resv_next(resv_phase(job->resv), RESV_EV_TURN) != PHASE_NONE;
}

static bool kill_job(const struct rule_context *c, const struct job *job,
                     struct decision *out)
{
    bool between = is_between(job);
    const char *by = obj_str(&job->resv->obj, RESV_A_HF_ENDED_BY, c->server_actor);

    MUST(out->records.n == 0); /* all that will be there get one reason */
    job_delete_records(c->m, job,
                       between ? c->server_actor : arena_strdup(out->arena, by),
                       c->now_at, 0, out);
    for (size_t i = 0; between && i < out->records.n; i++)
        out->records.v[i]->reason = REASON_OVER;
    return out->records.n > 0;
}

/* The run is to end with the job back in its queue. The hold is written now, so that
 * the job comes back to it, whichever way its run ends. */
static bool ask_back(const struct rule_context *c, const struct job *job, bool hold,
                     struct decision *out)
{
    bool asked = obj_num(&job->obj, JOB_A_HF_REQUEUE, 0) != 0;
    bool holds = hold && !is_held(job, out->arena);
    struct record *rec;

    if (asked && !holds)
        return false;
    rec = rule_decide(c, &job->obj, FACT_JOB_MODIFIED, out);
    rec->reason = REASON_RESV_REQUEUES;
    record_change(rec, out->arena, JOB_A_HF_REQUEUE, NULL, "True");
    /* A hot start does not take the run up again. */
    record_change(rec, out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
    if (holds)
        add_hold(job, rec, out->arena);
    return true;
}

static bool end_run(const struct rule_context *c, const struct job *job,
                    enum on_end what, struct decision *out)
{
    MUST(job_is_at_mom(job));
    /* One that is being deleted, or has ended, goes its own way. */
    if (job_state(job) != 'R' || obj_is_set(&job->obj, JOB_A_HF_KILL_BY))
        return false;
    if (what == ON_END_KILL)
        return kill_job(c, job, out);
    if (obj_num(&job->obj, JOB_A_RERUNABLE, 1))
        return ask_back(c, job, what == ON_END_HOLD, out);
    decide_log(out, LOG_EV_JOB, LOG_IN_JOB, job->obj.id,
               "Job is not rerunable and is deleted at the end of its reservation");
    return kill_job(c, job, out);
}

/* It waits, and is held first where that is wanted: the door of a queue is the same for
 * held jobs, so nothing happens to it between the two records. */
static bool hold_job(const struct rule_context *c, const struct job *job,
                     struct decision *out)
{
    struct record *rec = rule_decide(c, &job->obj, FACT_JOB_MODIFIED, out);

    rec->note =
        arena_printf(out->arena, "Holds u set at request of %s", c->server_actor);
    add_hold(job, rec, out->arena);
    record_job_event(rec, out->arena, job, JOB_EV_HOLD, c->now_at);
    return true;
}

/* Whom the doors of queues see: the job's owner, in whose name nobody is connected. */
static struct request ask_as(const struct rule_context *c, const struct requester *who,
                             const struct job *job)
{
    return (struct request){
        .who = who,
        .actor = obj_str(&job->obj, JOB_A_JOB_OWNER, ""),
        .now_at = c->now_at,
        .arena = c->arena,
        .cfg = c->cfg,
        .view = c->view,
        .knows = c->knows,
    };
}

/* The groups come first, and nothing is decided without them: what the queues say is
 * read when it is certain that something will be said. Groups that nobody can find out
 * open no queue. */
static bool find_groups(const struct request *rq, struct job_account *acct)
{
    struct diag unused = { 0 };
    int err = request_groups(rq, acct->user, &acct->groups, &unused);

    return err != NEEDED;
}

static bool leave(const struct rule_context *c, const struct job *job,
                  struct decision *out)
{
    const struct object *o = &job->obj;
    struct requester who =
        requester_named(c->m, obj_str(o, JOB_A_JOB_OWNER, ""), c->arena);
    struct request rq = ask_as(c, &who, job);
    struct job_account acct = {
        .user = obj_str(o, JOB_A_EUSER, ""),
        .group = obj_str(o, JOB_A_EGROUP, ""),
    };
    const struct queue *q;

    if (!find_groups(&rq, &acct))
        return false;
    q = job_leave_queue(c->m, &rq, job, &acct, out);
    if (!q)
        return kill_job(c, job, out);
    job_leave_record(job, q, c->server_actor, c->now_at, out);
    return true;
}

/* The runs of subjobs end as those of other jobs do, but that a hold would be their
 * array's. What waits of an array is the array's. */
static bool end_subjob(const struct rule_context *c, const struct job *job,
                       enum on_end what, struct decision *out)
{
    if (!job_is_at_mom(job))
        return false;
    return end_run(c, job, what == ON_END_KILL ? ON_END_KILL : ON_END_REQUEUE, out);
}

/* Has an array subjobs that are in the reservation until their runs end, or nothing
 * that would ever run in another queue? Then it is not the time to leave. */
static bool array_stays(const struct job *job)
{
    const struct job_array *a = job->array;

    return a && (a->n_running > 0 || a->n_exiting > 0 || a->waiting.n == 0);
}

bool job_resv_ends_due(const struct rule_context *c, const struct object *o,
                       struct decision *out)
{
    const struct job *job = TO_JOB(o);
    enum on_end what;

    if (!job->resv || (resv_phase(job->resv) != PHASE_ENDING && !is_between(job)))
        return false;
    /* Another server may have it: what becomes of it is known soon. */
    if (job_is_leaving(job))
        return false;
    what = resv_on_end_now(job->resv);
    if (job->parent)
        return end_subjob(c, job, what, out);
    if (job_is_at_mom(job))
        return end_run(c, job, what, out);
    /* Those that do not run stay for the next occurrence. */
    if (is_between(job))
        return false;
    /* An array that is being deleted waits for its subjobs, of whom each has this rule.
     */
    if (array_is_under_way(job) && obj_is_set(&job->obj, JOB_A_HF_KILL_BY))
        return false;
    if (what == ON_END_KILL)
        return kill_job(c, job, out);
    if (what == ON_END_HOLD && !is_held(job, out->arena))
        return hold_job(c, job, out);
    return !array_stays(job) && leave(c, job, out);
}
