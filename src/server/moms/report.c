/* report.c - what a MoM says of its jobs: usage and obituaries.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/checkpoint.h"
#include "server/decide/job_end.h"
#include "server/decide/job_release.h"
#include "server/model/job_exit.h"
#include "server/model/job_phase.h"
#include "server/moms/moms_priv.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The run version that the MoM reports may be missing (0). */
static bool same_run(const struct job *job, const struct is_job_update *u)
{
    return u->run_version == 0 ||
           u->run_version == obj_num(&job->obj, JOB_A_RUN_VERSION, 0);
}

static bool decodes(const struct moms_turn *t, int attr, const char *resource,
                    const char *text)
{
    const struct attr_type *type = job_rows[attr].type;
    struct attr_value v = { 0 };
    /* The value is decoded for its error only. What is stored is the text, which
     * decodes again at each start. */
    int err = attr_value_set(type, &v, t->m->defs, resource, text, WIRE_OP_SET);

    if (!err)
        type->clear(&v);
    return err == 0;
}

/* Values of a list that decode; what this server does not know is passed over. */
static void take_used(struct moms_turn *t, const struct is_job_update *u,
                      struct record *rec)
{
    for (size_t i = 0; i < u->attrs.n; i++) {
        const struct wire_attr *a = &u->attrs.v[i];

        if (strcasecmp(a->name, "resources_used") == 0 && a->resource &&
            decodes(t, JOB_A_RESOURCES_USED, a->resource, a->value))
            record_change(rec, t->out->arena, JOB_A_RESOURCES_USED,
                          arena_strdup(t->out->arena, a->resource),
                          arena_strdup(t->out->arena, a->value));
    }
}

static void take_text(struct moms_turn *t, const struct is_job_update *u, int attr,
                      struct record *rec)
{
    const char *text = wire_attrs_value(&u->attrs, job_rows[attr].name, NULL);

    if (text && *text && decodes(t, attr, NULL, text))
        record_change(rec, t->out->arena, attr, NULL,
                      arena_strdup(t->out->arena, text));
}

/* The MoM's word that it has the present run is recorded once; from then on the job is
 * not sent to another MoM. */
void job_is_taken(struct moms_turn *t, const struct job *job)
{
    struct record *rec;

    if (obj_num(&job->obj, JOB_A_HF_SENT, 0))
        return;
    rec = moms_record(t, FACT_JOB_SENT, OBJ_JOB, job->obj.id);
    record_change(rec, t->out->arena, JOB_A_HF_SENT, NULL, "True");
    record_change(rec, t->out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
}

static void take_usage(struct moms *ms, struct moms_turn *t, const struct mom *mom,
                       const struct is_job_update *u)
{
    const struct job *job = model_job(t->m, u->job_id);
    const char *where;
    bool starts;
    struct record *rec;

    /* An update of another run, of a job that ends already or from another MoM says
     * nothing about this job. */
    if (!job || job_state(job) != 'R' || !same_run(job, u) ||
        !mom_has_job(ms, t, mom, job))
        return;
    moms_job(ms, job->obj.id)->lost_at = 0;
    moms_touch_job(ms, job->obj.id);
    /* Usage may arrive before the answer to Commit, and proves the same. */
    job_is_taken(t, job);
    /* The first update with a session id says that the job's processes exist, which
     * ends the phase of starting. */
    starts = job_phase(job) == JOB_STARTING &&
             wire_attrs_value(&u->attrs, "session_id", NULL);
    rec = moms_record(t, starts ? FACT_JOB_STARTED : FACT_JOB_USAGE, OBJ_JOB,
                      job->obj.id);
    if (starts)
        record_job_event(rec, t->out->arena, job, JOB_EV_START, t->now_at);
    take_text(t, u, JOB_A_SESSION_ID, rec);
    take_text(t, u, JOB_A_JOBDIR, rec);
    take_text(t, u, JOB_A_ALT_ID, rec);
    take_used(t, u, rec);
    where = wire_attrs_value(&u->attrs, "exec_vnode", NULL);
    if (where)
        prune_job(ms, t, job, where, starts);
}

void mom_take_usage(struct moms *ms, struct moms_turn *t, struct mom *mom,
                    const struct is_message *msg)
{
    for (size_t i = 0; i < msg->n_updates; i++)
        take_usage(ms, t, mom, &msg->updates[i]);
}

/* Files are delivered after a run that had some; a job that goes back to the queue
 * keeps nothing of the run. */
static bool has_files(const struct job *job, int32_t status,
                      const struct job_verdict *verdict)
{
    const char *keep = obj_str(&job->obj, JOB_A_KEEP_FILES, "n");
    const char *unwanted =
        status == 0 ? obj_str(&job->obj, JOB_A_REMOVE_FILES, "") : "";

    if (status == JOB_EXIT_FAIL1)
        return false;
    /* Words about a start that failed are in the files that were set up before. */
    if (verdict->fate != FATE_END && status != JOB_EXIT_FAIL2)
        return false;
    if (obj_is_set(&job->obj, JOB_A_STAGEOUT))
        return true;
    /* An interactive job has a terminal in their place. */
    if (obj_is_set(&job->obj, JOB_A_INTERACTIVE))
        return false;
    return !((strchr(keep, 'o') || strchr(unwanted, 'o')) &&
             (strchr(keep, 'e') || strchr(unwanted, 'e')));
}

/* The files of a job lie on its first host. Where it asks for that, the others are free
 * as soon as its run is over, and not when its files are where they belong. */
static void leave_others(struct moms_turn *t, const struct job *job)
{
    const struct job_release all = { .m = t->m, .job = job, .vnodes = "" };
    struct arena *arena = t->out->arena;
    struct record *rec;
    const char *signs;
    struct diag why;

    if (!obj_num(&job->obj, JOB_A_RELEASE_NODES_ON_STAGEOUT, 0) ||
        job_release_plan(&all, arena, &signs, &why))
        return; /* it is not asked for, or all of it is on one host */
    rec = moms_record(t, FACT_JOB_RELEASED, OBJ_JOB, job->obj.id);
    if (job_release_changes(t->m, job, signs, arena, rec, &why))
        t->out->records.n--; /* a vnode is gone: they are free at the job's end */
}

static void end_run(struct moms_turn *t, const struct job *job, int32_t status,
                    const struct is_job_update *u)
{
    MUST(job_state(job) == 'R'); /* a run ends once */

    /* What becomes of the job is decided once, here. The later steps of the end read it
     * from the attributes. */
    struct job_verdict verdict =
        job_exit_verdict(status, obj_num(&job->obj, JOB_A_RERUNABLE, 1) != 0,
                         obj_is_set(&job->obj, JOB_A_HF_KILL_BY));
    bool back = verdict.fate == FATE_REQUEUE || verdict.fate == FATE_HOLD;
    bool with_files = has_files(job, status, &verdict);
    struct arena *arena = t->out->arena;
    struct record *rec;

    if (with_files)
        leave_others(t, job);
    rec = moms_record(t, FACT_JOB_OBIT, OBJ_JOB, job->obj.id);

    rec->note = verdict.log;
    record_job_event(rec, arena, job, with_files ? JOB_EV_END_WITH_FILES : JOB_EV_END,
                     t->now_at);
    record_change_num(rec, arena, JOB_A_EXIT_STATUS, status);
    record_change_num(rec, arena, JOB_A_OBITTIME, t->now_at);
    /* The values outlive a crash between the obituary and the end of the job. */
    record_change(rec, arena, JOB_A_HF_REQUEUE, NULL, back ? "True" : NULL);
    record_change(rec, arena, JOB_A_HF_OBIT_COMMENT, NULL, verdict.comment);
    checkpoint_note_end(job, status, rec, arena);
    /* There was no report: the server itself found that the job is gone. */
    if (!u)
        return;
    take_text(t, u, JOB_A_SESSION_ID, rec);
    take_used(t, u, rec);
    if (u->comment && *u->comment)
        record_change(rec, arena, JOB_A_COMMENT, NULL, arena_strdup(arena, u->comment));
}

static void take_obit(struct moms *ms, struct moms_turn *t, struct mom *mom,
                      const struct is_job_update *u)
{
    const struct job *job = model_job(t->m, u->job_id);

    /* A MoM that was killed when it heard the answer: its image is counted on. */
    if (job && !job_is_at_mom(job) && job_has_image(job) &&
        job_image_run(job) == u->run_version) {
        moms_answer_obit(ms, mom, u->job_id, true);
        return;
    }
    if (!job || !job_is_at_mom(job) || !same_run(job, u) ||
        !mom_has_job(ms, t, mom, job)) {
        effect_log(t->effects, t->m->seq, LOG_EV_DEBUG, LOG_IN_JOB, u->job_id,
                   "Job Obit notice received has error %d", PBSE_UNKJOBID);
        /* The rejection lets the MoM forget the job, of which nobody here knows. */
        moms_answer_obit(ms, mom, u->job_id, false);
        return;
    }
    /* The MoM repeats the obituary until this answer, which leaves after the record of
     * the end is durable. */
    moms_answer_obit(ms, mom, u->job_id, true);
    if (job_state(job) == 'E')
        return; /* told again: end processing goes on */
    effect_log(
        t->effects, t->m->seq, LOG_EV_DEBUG, LOG_IN_JOB, u->job_id,
        "Obit received momhop:%d serverhop:%" PRId64 " state:R substate:%" PRId64,
        u->run_version, obj_num(&job->obj, JOB_A_RUN_VERSION, 0), job_substate(job));
    /* A short job may end before anything else was heard of it. */
    job_is_taken(t, job);
    end_run(t, job, u->status, u);
}

void mom_take_obits(struct moms *ms, struct moms_turn *t, struct mom *mom,
                    const struct is_message *msg)
{
    for (size_t i = 0; i < msg->n_updates; i++)
        take_obit(ms, t, mom, &msg->updates[i]);
}

/* A job whose deletion was asked for has ended by it; another one runs again if it may,
 * and is given up otherwise. */
void job_was_lost(struct moms_turn *t, const struct job *job)
{
    bool doomed = obj_is_set(&job->obj, JOB_A_HF_KILL_BY);

    effect_log(t->effects, t->m->seq, LOG_EV_JOB, LOG_IN_JOB, job->obj.id,
               "the MoM does not know the job any more");
    /* 271 is 256 and SIGTERM, what a deleted job's end looks like. */
    end_run(t, job, doomed ? 271 : JOB_EXIT_MS_FAIL, NULL);
}
