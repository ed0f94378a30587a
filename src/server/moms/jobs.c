/* jobs.c - what a job wants from its MoM next, as a function of its state.
 *
 *   R, files to be fetched      CopyFiles
 *   R, not taken by the MoM     QueueJob, JobScript, Commit
 *   R, deletion asked for       TermJob, then SIGKILL again and again; SIGKILL alone
 *                               when the server ends immediately
 *   R, requeue asked for        Rerun, then SIGKILL
 *   R, gives vnodes back        ModifyJob with where it lies then
 *   R, to be suspended          suspend; to go on: resume
 *   R, an image is to be made   HoldJob, beside the others
 *   R, not listed by its MoM    given up after a while
 *   E, substate 51              CopyFiles
 *   E, files that were fetched  DelFiles
 *   E, other                    DeleteJob
 *   gone, or another run        DISCARD_JOB
 *
 * One command at a time is asked about a job. A command without an answer is forgotten
 * with its stream and asked again when the MoM is back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/checkpoint.h"
#include "server/decide/job_end.h"
#include "server/model/job_hosts.h"
#include "server/model/job_state.h"
#include "server/model/node_life.h"
#include "server/moms/moms_priv.h"

/* The MoM itself sends SIGTERM, waits for job_kill_delay and sends SIGKILL. The
 * server sends SIGKILL again when the job has not ended this long after that. */
#define KILL_AGAIN_S 60

static bool is_up(const struct mom_job *j)
{
    return j->mom && j->mom->compared;
}

/* What hosts have is the image that the job goes on from. After a restart of the server
 * a sister may be the first that is heard of. */
static bool rests(const struct mom_job *j, const struct job *job)
{
    int64_t image = job ? job_image_run(job) : 0;

    return image > 0 && (!j->mom || j->run_version == image);
}

/* Forgets what was known of a run that is over. Its hosts are told to do the same, but
 * only when they may know of the run. */
static void drop_run(struct moms_turn *t, struct mom_job *j, const struct job *job)
{
    if (j->known && !rests(j, job))
        run_discard(t, j, job);
    j->known = false;
    j->busy = false;
    j->stop_told = false;
    j->image_told = false;
    j->n_tries = 0;
    j->n_resends = 0;
    j->retry_at = INT64_MIN;
    j->lost_at = 0;
    j->sure_at = 0;
}

static bool wait_until(struct moms *ms, struct mom_job *j, int64_t at, int64_t now_at)
{
    if (at <= now_at)
        return false;
    j->retry_at = at;
    moms_wake_at(ms, at);
    return true;
}

/* Asks the MoM to end the job: with 'first' at first, which the MoM follows up by
 * itself, and later with SIGKILL. */
static void press(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                  const struct job *job, const char *first)
{
    int64_t delay_s = obj_num(&job->obj, JOB_A_JOB_KILL_DELAY, 10) + KILL_AGAIN_S;

    if (wait_until(ms, j, j->retry_at, t->now_at))
        return;
    send_signal(ms, t, j, j->n_tries == 0 ? first : "SIGKILL");
    j->n_tries++;
    j->retry_at = t->now_at + delay_s;
    moms_wake_at(ms, j->retry_at);
}

/* The job was to be deleted before it was sent to its MoM. No process of it exists, so
 * it ends here. */
static void never_ran(struct moms_turn *t, const struct job *job)
{
    /* A job that was sent may run, and only its MoM can say that it has ended. */
    MUST(!obj_num(&job->obj, JOB_A_HF_SENT, 0));
    moms_withdraw(t, job, obj_str(&job->obj, JOB_A_HF_KILL_BY, ""));
}

static void cannot_send(struct moms_turn *t, const struct job *job)
{
    MUST(!obj_num(&job->obj, JOB_A_HF_SENT, 0)); /* one that was sent may run */

    struct record *rec = moms_record(t, FACT_JOB_REJECTED, OBJ_JOB, job->obj.id);

    rec->reason = REASON_MOM_MISSING;
    job_back_in_queue(job, rec, NULL, t->now_at, t->out);
    record_change(rec, t->out->arena, JOB_A_COMMENT, NULL,
                  "Not Running: PBS Error: Request to MOM failed");
}

/* The MoM of the job has no stream. A job of which the MoM cannot have heard goes back
 * to its queue, unless the vnode is usable, since its MoM may then return at once. */
static void without_mom(struct moms_turn *t, struct mom_job *j, const struct job *job)
{
    const struct node *n = job_first_node(job);

    MUST(!is_up(j));
    if (job_is_being_stopped(job))
        stop_without_mom(t, j, job);
    if (job_wants_image(job))
        image_without_mom(t, j, job);
    if (job_state(job) != 'R' || obj_num(&job->obj, JOB_A_HF_SENT, 0) || j->known)
        return;
    if (n && node_is_usable(n))
        return;
    if (obj_is_set(&job->obj, JOB_A_HF_KILL_BY))
        never_ran(t, job);
    else
        cannot_send(t, job);
}

/* After a hot start the server takes a job to run on when nothing else was heard until
 * sure_at. From then on it does not look for the job any more. */
static void runs_on(struct moms_turn *t, struct mom_job *j, const struct job *job)
{
    struct record *rec;

    if (j->sure_at == 0 || j->sure_at > t->now_at)
        return;
    j->sure_at = 0;
    rec = moms_record(t, FACT_SET, OBJ_JOB, job->obj.id);
    record_change(rec, t->out->arena, JOB_A_HF_HOT_VNODES, NULL, NULL);
}

/* Its files come before the job itself, of which the MoM knows nothing yet
 * (tpp.md 6.2).
 */
static void to_begin(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                     const struct job *job)
{
    bool staged = obj_num(&job->obj, JOB_A_HF_STAGED_IN, 0) != 0;

    if (obj_is_set(&job->obj, JOB_A_HF_KILL_BY)) {
        if (staged)
            send_unstage(ms, t, j, job, false);
        never_ran(t, job);
    } else if (obj_is_set(&job->obj, JOB_A_STAGEIN) && !staged) {
        send_stage_in(ms, t, j, job);
    } else {
        send_job(ms, t, j, job);
    }
}

static void running(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                    const struct job *job)
{
    const struct object *o = &job->obj;

    MUST(is_up(j) && !j->busy); /* look_at_job() sent the other cases elsewhere */
    runs_on(t, j, job);
    if (!obj_num(o, JOB_A_HF_SENT, 0)) {
        to_begin(ms, t, j, job);
    } else if (j->lost_at && j->lost_at <= t->now_at) {
        j->lost_at = 0;
        j->known = false;
        job_was_lost(t, job);
    } else if (obj_is_set(o, JOB_A_HF_KILL_BY)) {
        press(ms, t, j, job, obj_num(o, JOB_A_HF_KILL_HARD, 0) ? "SIGKILL" : "TermJob");
    } else if (obj_num(o, JOB_A_HF_REQUEUE, 0)) {
        press(ms, t, j, job, "Rerun");
    } else if (obj_is_set(o, JOB_A_HF_RELEASE)) {
        send_release(ms, t, j, job);
    } else if (job_is_being_stopped(job)) {
        send_stop(ms, t, j, job);
    } else if (job_wants_image(job) && !j->image_told) {
        send_image(ms, t, j, job);
    }
}

static void exiting(struct moms *ms, struct moms_turn *t, struct mom_job *j,
                    const struct job *job)
{
    /* An ending job keeps its run, whose number its MoM knows. */
    MUST(is_up(j) && j->run_version == obj_num(&job->obj, JOB_A_RUN_VERSION, 0));
    if (wait_until(ms, j, j->retry_at, t->now_at))
        return;
    if (job_substate(job) == JOB_SUB_STAGE_OUT)
        send_copy(ms, t, j, job);
    else if (obj_num(&job->obj, JOB_A_HF_STAGED_IN, 0))
        send_unstage(ms, t, j, job, true);
    else
        send_delete(ms, t, j);
}

static void begin_run(struct moms *ms, struct mom_job *j, const struct job *job,
                      int64_t run_version)
{
    const struct node *n = job_first_node(job);

    j->run_version = run_version;
    j->mom = n ? mom_of_node(ms, n->obj.id) : NULL;
    run_note_hosts(ms, j, job);
}

/* A server that was killed may have sent the job without hearing the answer, so the MoM
 * is taken to know of it. */
void job_of_before(struct moms *ms, const struct job *job)
{
    struct mom_job *j = moms_job(ms, job->obj.id);

    begin_run(ms, j, job, obj_num(&job->obj, JOB_A_RUN_VERSION, 0));
    j->known = true;
    j->stop_told = job_is_being_stopped(job);
}

/* Tries and waiting times belong to one state of the job. They begin again when its
 * state changes or when its deletion is asked for. */
static void note_state(struct mom_job *j, const struct job *job)
{
    char state = job_state(job);
    bool pressed = obj_is_set(&job->obj, JOB_A_HF_KILL_BY);

    if (j->state == state && j->pressed == pressed)
        return;
    j->state = state;
    j->pressed = pressed;
    j->n_tries = 0;
    j->n_resends = 0;
    j->retry_at = INT64_MIN;
}

void look_at_job(struct moms *ms, struct moms_turn *t, struct mom_job *j)
{
    const struct job *job = model_job(t->m, j->id);
    int64_t run_version;

    MUST(j->looked_at); /* not in the list: it may be forgotten here */
    if (job && !job_is_at_mom(job) && rests(j, job)) {
        drop_run(t, j, job);
        j->known = true; /* they are told when the image is not wanted any more */
        return;
    }
    if (!job || !job_is_at_mom(job)) {
        drop_run(t, j, job);
        moms_forget_job(ms, j);
        return;
    }
    run_version = obj_num(&job->obj, JOB_A_RUN_VERSION, 0);
    if (!j->mom || j->run_version != run_version) {
        drop_run(t, j, job);
        begin_run(ms, j, job, run_version);
    }
    note_state(j, job);
    if (j->busy)
        return;
    if (!is_up(j))
        without_mom(t, j, job);
    else if (job_state(job) == 'R')
        running(ms, t, j, job);
    else
        exiting(ms, t, j, job);
}
