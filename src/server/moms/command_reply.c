/* command_reply.c - what a MoM answered to a command.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/checkpoint.h"
#include "server/decide/job_end.h"
#include "server/decide/job_letter.h"
#include "server/decide/job_over.h"
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

/* Its deletion was asked for. */
static bool job_is_doomed(const struct job *job)
{
    return obj_is_set(&job->obj, JOB_A_HF_KILL_BY);
}

/* PBS writes these two lines, whose words scripts of sites look for. */
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
static void refused(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                    const struct job *job, const struct wire_reply *reply)
{
    bool doomed = job_is_doomed(job);
    struct record *rec;

    /* It may run elsewhere next, and its files come anew then. */
    if (obj_num(&job->obj, JOB_A_HF_STAGED_IN, 0))
        send_unstage(ms, t, j, job, false);
    if (doomed || reply->code == PBSE_HOOK_REJECT_DELETEJOB) {
        /* The deletion is noted under the name of the one who asked for it, and
         * otherwise under the server's. */
        moms_withdraw(t, job,
                      doomed ? obj_str(&job->obj, JOB_A_HF_KILL_BY, "") : t->actor);
        return;
    }
    rec = moms_record(t, FACT_JOB_REJECTED, OBJ_JOB, job->obj.id);
    rec->reason = REASON_MOM_REFUSED;
    job_back_in_queue(job, rec, NULL, t->now_at, t->out);
    record_change(rec, t->out->arena, JOB_A_COMMENT, NULL,
                  "Not Running: PBS Error: Execution server rejected request");
    /* The scheduler places the job afresh: the vnodes of a hot start are forgotten. */
    record_change(rec, t->out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
}

static void reply_to_send(struct moms *ms, struct moms_turn *t, const struct mom *mom,
                          struct mom_job *j, const struct command *c,
                          const struct job *job, const struct wire_reply *reply)
{
    if (reply->code == 0) {
        job_is_taken(t, job); /* its first update may have been faster */
        return;
    }
    log_refused(t, mom, c, reply);
    /* It holds the job of this run already when it was listed as running. */
    if (obj_num(&job->obj, JOB_A_HF_SENT, 0))
        return;
    /* Only a MoM that has the job already needs to be told to discard it. */
    j->known = reply->code == PBSE_JOBEXIST;
    refused(ms, t, j, job, reply);
}

/* The MoM has forgotten the job: the run is over, and the job ends or goes back to its
 * queue as the obituary decided. */
static void end_job(struct moms_turn *t, struct mom_job *j, const struct job *job)
{
    struct record *rec;

    MUST(job_state(job) == 'E'); /* what still runs is not deleted at its MoM */
    /* Where an image rests that is told when the job goes, which may be in this turn.
     */
    j->known = job_image_run(job) == j->run_version;
    if (!obj_num(&job->obj, JOB_A_HF_REQUEUE, 0)) {
        /* It is over and its hosts have it rest all the same (mom/job/resting.c): a
         * deletion has overtaken its image. They are told when the record is applied.
         */
        j->known = job_has_image(job);
        /* The vnodes note when they were last used while the job still has its bookings
         * on them. */
        nodes_used_records(&job->bookings, t->actor, t->now_at, t->out);
        job_over_record(t->m, job, t->actor, t->now_at,
                        obj_num(&job->obj, JOB_A_EXIT_STATUS, 0), t->out);
        return;
    }
    rec = moms_record(t, FACT_JOB_REQUEUED, OBJ_JOB, job->obj.id);
    job_back_in_queue(job, rec, obj_str(&job->obj, JOB_A_HF_OBIT_COMMENT, NULL),
                      t->now_at, t->out);
}

/* Always sent, whatever points of mail the job has: its output is not where its user
 * looks for it (operations.md 18). */
static void mail_about_files(struct moms_turn *t, const struct job *job,
                             const char *words, const char *text)
{
    if (job_wants_letter(&job->obj, LETTER_ALWAYS))
        job_letter(t->effects, t->m->seq, &job->obj,
                   arena_printf(t->effects->arena, "%s\n%s\n", words, text));
}

static void set_staged(struct moms_turn *t, const struct job *job, const char *value)
{
    struct record *rec = moms_record(t, FACT_SET, OBJ_JOB, job->obj.id);

    record_change(rec, t->out->arena, JOB_A_HF_STAGED_IN, NULL, value);
}

/* What comes first of the words, as a comment has it. */
static const char *stage_in_comment(const char *text, struct arena *arena)
{
    return arena_printf(arena, "Not Running: File stage in failed: %.*s",
                        (int)MIN_OF(strcspn(text, "\n"), (size_t)1000), text);
}

static void reply_to_stage_in(struct moms_turn *t, const struct job *job,
                              const struct wire_reply *reply)
{
    const char *text = reply->choice == REPLY_TEXT && reply->text ? reply->text : "";
    struct record *rec;

    /* It runs already, or has ended: the answer is late. */
    if (job_next(job_phase(job), JOB_EV_STAGE_FAIL) == JOB_PHASE_NONE)
        return;
    if (!reply->code) {
        set_staged(t, job, "True");
        return;
    }
    effect_log(t->effects, t->m->seq, LOG_EV_JOB, LOG_IN_JOB, job->obj.id,
               "File stage in failed: %s", text);
    mail_about_files(
        t, job,
        "File stage in failed, see below.\nJob will be retried later, please "
        "investigate and correct problem.",
        text);
    rec = moms_record(t, FACT_JOB_REJECTED, OBJ_JOB, job->obj.id);
    rec->reason = REASON_STAGE_IN;
    /* A subjob does not wait by itself: it is tried again until its array is held. */
    if (job->parent)
        job_back_in_queue(job, rec, NULL, t->now_at, t->out);
    else
        job_waits_for_files(job, rec, stage_in_comment(text, t->out->arena), t->now_at,
                            t->out);
}

static void reply_to_copy(struct moms_turn *t, const struct mom *mom,
                          const struct job *job, const struct wire_reply *reply)
{
    const char *text = reply->choice == REPLY_TEXT && reply->text ? reply->text : "";
    struct record *rec;

    if (job_next(job_phase(job), JOB_EV_DELIVERED) == JOB_PHASE_NONE)
        return; /* the answer is late: the job has gone on without it */
    rec = moms_record(t, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);
    /* The end goes on even when files were not copied: they stay at the MoM, and the
     * user is told by mail. */
    record_job_event(rec, t->out->arena, job, JOB_EV_DELIVERED, t->now_at);
    if (obj_is_set(&job->obj, JOB_A_STAGEOUT))
        record_change_num(rec, t->out->arena, JOB_A_STAGEOUT_STATUS, reply->code == 0);
    if (!reply->code)
        return;
    effect_log(t->effects, t->m->seq, LOG_EV_JOB, LOG_IN_JOB, job->obj.id,
               "Job files not copied: %s", text);
    mail_about_files(t, job,
                     arena_printf(t->effects->arena,
                                  "Post job file processing error; job %s on host %s",
                                  job->obj.id, mom->host),
                     text);
}

/* The MoM could not reach a sister; or it does not know the job any more, and what it
 * had said of its sisters was lost on the way. An image that the job is to go on from
 * is nothing that is left over. */
static bool sisters_may_keep(const struct mom_job *j, const struct job *job, int code)
{
    return code == PBSE_SISCOMM ||
           (code == PBSE_UNKJOBID && job_image_run(job) != j->run_version);
}

static void reply_to_delete(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                            const struct job *job, const struct wire_reply *reply)
{
    /* The MoM still copies files of the job. The pause grows with the square of the
     * tries, up to a quarter of an hour. */
    if (reply->code == PBSE_TRYAGAIN) {
        j->retry_at = t->now_at + (int64_t)j->n_tries * j->n_tries;
        j->n_tries = MIN_OF(j->n_tries + 1, 30);
        moms_wake_at(ms, j->retry_at);
        moms_touch_job(ms, j->id);
        return;
    }
    /* Any of the hosts may keep its share of the job, so each is told to discard the
     * run (tpp.md 6.4). */
    if (sisters_may_keep(j, job, reply->code))
        run_discard(t, j, job);
    end_job(t, j, job);
}

#define RESEND_DELAY_S 5  /* resend_term_delay that is not set */
#define RESENDS_MAX    10 /* tpp.md 6.3 */

/* The MoM was sent the job and has said nothing of its start: she may be about to take
 * it up, and is told again that it is to end. */
static bool term_is_sent_again(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                               const struct job *job)
{
    if (job_substate(job) != JOB_SUB_PRERUN || !job_is_doomed(job) ||
        j->n_resends >= RESENDS_MAX)
        return false;
    j->n_resends++;
    j->n_tries = 0; /* the next one is the first that she knows */
    j->retry_at =
        t->now_at + obj_num(t->m->server, SERVER_A_RESEND_TERM_DELAY, RESEND_DELAY_S);
    moms_wake_at(ms, j->retry_at);
    return true;
}

/* A MoM that does not know a running job any more will never send its obituary. */
static void reply_to_signal(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                            const struct job *job, const struct wire_reply *reply)
{
    if (reply->code && job_is_doomed(job))
        effect_log(t->effects, t->m->seq, LOG_EV_JOB, LOG_IN_JOB, job->obj.id,
                   "MOM rejected signal during delete (%d)", reply->code);
    if (reply->code != PBSE_UNKJOBID || job_state(job) != 'R')
        return;
    if (!term_is_sent_again(ms, t, j, job))
        job_was_lost(t, job);
}

/* 'c' is about to be freed. */
static void reply_to_client(struct moms_turn *t, struct command *c,
                            const struct wire_reply *reply)
{
    struct forwarded *f = c->forwarded;

    MUST(c->kind == COMMAND_FORWARD);
    c->forwarded = NULL;
    if (f)
        forwarded_answer(t, f, reply);
}

static void reply_about_job(struct moms *ms, struct moms_turn *t, const struct mom *mom,
                            const struct command *c, const struct wire_reply *reply)
{
    const struct job *job = job_of(t, c);
    struct mom_job *j;

    /* The job is gone or has been run again: the answer is about a run that nobody
     * follows any more. */
    if (!job)
        return;
    j = moms_job(ms, c->job_id);
    MUST(j->busy); /* by this command: there is one at a time */
    /* The next command depends on what this answer leads to, so the job is looked at
     * after the records are applied. */
    j->busy = false;
    moms_touch_job(ms, c->job_id);
    if (c->kind == COMMAND_SEND)
        reply_to_send(ms, t, mom, j, c, job, reply);
    else if (c->kind == COMMAND_STAGE_IN)
        reply_to_stage_in(t, job, reply);
    else if (c->kind == COMMAND_UNSTAGE)
        set_staged(t, job, NULL);
    else if (c->kind == COMMAND_SIGNAL)
        reply_to_signal(ms, t, j, job, reply);
    else if (c->kind == COMMAND_COPY)
        reply_to_copy(t, mom, job, reply);
    else if (c->kind == COMMAND_RELEASE)
        reply_to_release(ms, t, job, reply);
    else if (c->kind == COMMAND_STOP)
        reply_to_stop(t, j, job, reply);
    else
        reply_to_delete(ms, t, j, job, reply);
}

static void reply_about_image(struct moms *ms, struct moms_turn *t,
                              const struct command *c, const struct wire_reply *reply)
{
    const struct job *job = job_of(t, c);

    if (!job)
        return;
    moms_touch_job(ms, c->job_id);
    reply_to_image(t, moms_job(ms, c->job_id), job, reply);
}

void mom_take_reply(struct moms *ms, struct moms_turn *t, struct mom *mom,
                    const struct is_message *msg)
{
    struct command *c;

    /* Answers come mostly in the order of the commands, so the first entry is the
     * one. */
    DL_FOREACH (mom->commands, c)
        if (str_same(c->msgid, msg->msgid))
            break;
    /* An answer that was not asked for, or for a command of an earlier stream, is
     * ignored. */
    if (!c)
        return;
    DL_DELETE(mom->commands, c);
    if (c->kind == COMMAND_FORWARD)
        reply_to_client(t, c, &msg->reply);
    else if (c->kind == COMMAND_IMAGE)
        reply_about_image(ms, t, c, &msg->reply);
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
    } else if (c->kind == COMMAND_IMAGE && job_of(t, c)) {
        moms_job(ms, c->job_id)->image_told = false;
        moms_touch_job(ms, c->job_id);
    } else if (job_of(t, c)) {
        struct mom_job *j = moms_job(ms, c->job_id);

        j->busy = false;
        /* When the MoM is back, its job is looked at as if nothing had been tried. */
        j->n_tries = 0;
        j->retry_at = INT64_MIN;
        moms_touch_job(ms, c->job_id);
    }
}
