/* command_reply.c - what a MoM answered to a command.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/job_end.h"
#include "server/decide/node_used.h"
#include "server/model/job_phase.h"
#include "server/moms/moms_priv.h"

#include <string.h>
#include <utlist.h>

/* The job as it is now, if it is still the run that the command was about. */
static const struct job *job_of(const struct moms_turn *t, const struct command *c)
{
    const struct job *job = model_job(t->m, c->job_id);

    if (!job || !job_is_at_mom(job) ||
        obj_num(&job->obj, JOB_A_RUN_VERSION, 0) != c->run_version)
        return NULL;
    return job;
}

/* Sending a job. */

static void log_refused(struct moms_turn *t, const struct mom *mom,
                        const struct command *c, const struct wire_reply *reply)
{
    const char *text = reply->choice == REPLY_TEXT ? reply->text : NULL;

    effect_log(t->effects, t->m->seq, LOG_EV_JOB, LOG_IN_JOB, c->job_id,
               "send of job to %s failed error = %d%s%s", mom->host, reply->code,
               text ? " reject_msg=" : "", text ? text : "");
    effect_log(t->effects, t->m->seq, LOG_EV_JOB, LOG_IN_JOB, c->job_id,
               "Unable to Run Job, MOM rejected");
}

/* A MoM that has a hook delete the job, or a job whose deletion was asked for: it ends.
 * Every other one goes back. */
static void refused(struct moms_turn *t, const struct job *job,
                    const struct wire_reply *reply)
{
    bool doomed = obj_is_set(&job->obj, JOB_A_HF_KILL_BY);
    struct record *rec;

    if (doomed || reply->code == PBSE_HOOK_REJECT_DELETEJOB) {
        rec = moms_record(t, FACT_JOB_DELETED, OBJ_JOB, job->obj.id);
        if (doomed)
            rec->actor =
                arena_strdup(t->out->arena, obj_str(&job->obj, JOB_A_HF_KILL_BY, ""));
        return;
    }
    rec = moms_record(t, FACT_JOB_REJECTED, OBJ_JOB, job->obj.id);
    rec->reason = REASON_MOM_REFUSED;
    job_back_in_queue(job, rec, NULL, t->now_at, t->out);
    record_change(rec, t->out->arena, JOB_A_COMMENT, NULL,
                  "Not Running: PBS Error: Execution server rejected request");
    record_change(rec, t->out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
}

static void reply_to_send(struct moms_turn *t, const struct mom *mom, struct mom_job *j,
                          const struct command *c, const struct job *job,
                          const struct wire_reply *reply)
{
    if (reply->code == 0) {
        job_is_taken(t, job); /* its first update may have been faster */
        return;
    }
    log_refused(t, mom, c, reply);
    /* It holds the job of this run already when it was listed as running. */
    if (obj_num(&job->obj, JOB_A_HF_SENT, 0))
        return;
    j->known = reply->code == PBSE_JOBEXIST;
    refused(t, job, reply);
}

/* The end of a job. */

static void end_job(struct moms_turn *t, struct mom_job *j, const struct job *job)
{
    struct record *rec;

    MUST(job_state(job) == 'E'); /* what still runs is not deleted at its MoM */
    j->known = false;
    if (!obj_num(&job->obj, JOB_A_HF_REQUEUE, 0)) {
        nodes_used_records(&job->bookings, t->actor, t->now_at, t->out);
        moms_record(t, FACT_JOB_ENDED, OBJ_JOB, job->obj.id);
        return;
    }
    rec = moms_record(t, FACT_JOB_REQUEUED, OBJ_JOB, job->obj.id);
    job_back_in_queue(job, rec, obj_str(&job->obj, JOB_A_HF_OBIT_COMMENT, NULL),
                      t->now_at, t->out);
}

/* To Mail_Users, else to the owner (operations.md 18). */
static const char *recipients(const struct job *job, struct arena *arena)
{
    const struct attr_value *users = obj_attr(&job->obj, JOB_A_MAIL_USERS);

    if (users->set)
        return attr_value_text(job_rows[JOB_A_MAIL_USERS].type, users, arena);
    return arena_strdup(arena, obj_str(&job->obj, JOB_A_JOB_OWNER, ""));
}

/* Always sent, whatever points of mail the job has: its output is not where its user
 * looks for it (operations.md 18). */
static void mail_not_copied(struct moms_turn *t, const struct mom *mom,
                            const struct job *job, const char *text)
{
    struct arena *arena = t->effects->arena;
    struct effect *e = effect_add(t->effects, EFFECT_MAIL, t->m->seq);

    e->u.mail.to = recipients(job, arena);
    e->u.mail.subject = arena_printf(arena, "PBS JOB %s", job->obj.id);
    e->u.mail.text = arena_printf(arena,
                                  "PBS Job Id: %s\n"
                                  "Job Name:   %s\n"
                                  "Post job file processing error; job %s on host %s\n"
                                  "%s\n",
                                  job->obj.id, obj_str(&job->obj, JOB_A_JOB_NAME, ""),
                                  job->obj.id, mom->host, text);
}

static void reply_to_copy(struct moms_turn *t, const struct mom *mom,
                          const struct job *job, const struct wire_reply *reply)
{
    const char *text = reply->choice == REPLY_TEXT && reply->text ? reply->text : "";
    struct record *rec;

    if (job_next(job_phase(job), JOB_EV_DELIVERED) == JOB_PHASE_NONE)
        return; /* the answer is late: the job has gone on without it */
    rec = moms_record(t, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);
    record_job_event(rec, t->out->arena, job, JOB_EV_DELIVERED, t->now_at);
    if (obj_is_set(&job->obj, JOB_A_STAGEOUT))
        record_change_num(rec, t->out->arena, JOB_A_STAGEOUT_STATUS, reply->code == 0);
    if (!reply->code)
        return;
    effect_log(t->effects, t->m->seq, LOG_EV_JOB, LOG_IN_JOB, job->obj.id,
               "Job files not copied: %s", text);
    mail_not_copied(t, mom, job, text);
}

static void reply_to_delete(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                            const struct job *job, const struct wire_reply *reply)
{
    if (reply->code == PBSE_TRYAGAIN) {
        j->retry_at = t->now_at + (int64_t)j->n_tries * j->n_tries;
        j->n_tries = MIN_OF(j->n_tries + 1, 30);
        moms_wake_at(ms, j->retry_at);
        moms_look(ms, j->id);
        return;
    }
    if (reply->code == PBSE_SISCOMM)
        mom_discard(t, j->mom, j->id, j->run_version);
    end_job(t, j, job);
}

/* Signals and what clients sent. */

static void reply_to_signal(struct moms_turn *t, const struct job *job,
                            const struct wire_reply *reply)
{
    if (reply->code == PBSE_UNKJOBID && job_state(job) == 'R')
        job_was_lost(t, job);
}

static struct wire_reply copy_reply(const struct wire_reply *reply, struct arena *arena)
{
    struct wire_reply copy = { .code = reply->code,
                               .aux = reply->aux,
                               .choice = REPLY_NULL };

    if (reply->choice == REPLY_TEXT) {
        copy.choice = REPLY_TEXT;
        copy.text = arena_strdup(arena, reply->text);
    }
    return copy;
}

static void reply_to_client(struct moms_turn *t, const struct command *c,
                            const struct wire_reply *reply)
{
    struct effect *e;

    if (!c->conn)
        return;
    e = effect_add(t->effects, EFFECT_REPLY, t->m->seq);
    e->u.reply.conn = c->conn;
    e->u.reply.reply = copy_reply(reply, t->effects->arena);
}

static void reply_about_job(struct moms *ms, struct moms_turn *t, const struct mom *mom,
                            const struct command *c, const struct wire_reply *reply)
{
    const struct job *job = job_of(t, c);
    struct mom_job *j;

    if (!job)
        return;
    j = moms_job(ms, c->job_id);
    MUST(j->busy); /* by this command: there is one at a time */
    j->busy = false;
    moms_look(ms, c->job_id);
    if (c->kind == COMMAND_SEND)
        reply_to_send(t, mom, j, c, job, reply);
    else if (c->kind == COMMAND_SIGNAL)
        reply_to_signal(t, job, reply);
    else if (c->kind == COMMAND_COPY)
        reply_to_copy(t, mom, job, reply);
    else
        reply_to_delete(ms, t, j, job, reply);
}

void mom_take_reply(struct moms *ms, struct moms_turn *t, struct mom *mom,
                    const struct is_message *msg)
{
    struct command *c;

    DL_FOREACH (mom->commands, c)
        if (str_same(c->msgid, msg->msgid))
            break;
    if (!c)
        return;
    DL_DELETE(mom->commands, c);
    if (c->kind == COMMAND_FORWARD)
        reply_to_client(t, c, &msg->reply);
    else
        reply_about_job(ms, t, mom, c, &msg->reply);
    command_free(c);
}

void command_failed(struct moms *ms, struct moms_turn *t, struct command *c)
{
    const struct wire_reply reply = { .code = PBSE_NORELYMOM,
                                      .choice = REPLY_TEXT,
                                      .text = pbse_text(PBSE_NORELYMOM) };

    if (c->kind == COMMAND_FORWARD) {
        reply_to_client(t, c, &reply);
    } else if (job_of(t, c)) {
        struct mom_job *j = moms_job(ms, c->job_id);

        j->busy = false;
        j->n_tries = 0;
        j->retry_at = INT64_MIN;
        moms_look(ms, c->job_id);
    }
}
