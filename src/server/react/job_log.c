/* job_log.c - the server's log lines about jobs (operations.md 14).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "lib/attr/indices.h"
#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "server/decide/accrual.h"
#include "server/decide/sched_link.h"
#include "server/react/job_react.h"
#include "server/react/reactions.h"
#include "server/react/resv_react.h"

#include <string.h>

static void line(const struct reaction *r, uint32_t event, const char *text)
{
    MUST(text); /* the reasons that are told have words */
    effect_log(r->out, r->rec->seq, event, LOG_IN_JOB, r->rec->id, "%s", text);
}

static char state_of(const struct object *o)
{
    return (char)obj_num(o, JOB_A_JOB_STATE, 'T');
}

/* Nobody will ever run it (scheduling.md 8). */
static void log_unserved(const struct reaction *r, const struct job *job)
{
    const char *partition =
        job->queue ? obj_str(&job->queue->obj, QUEUE_A_PARTITION, NULL) : NULL;

    if (partition && !sched_of_partition(r->m, partition))
        effect_log(r->out, r->rec->seq, LOG_EV_ERROR, LOG_IN_SERVER,
                   log_server_name(r->cfg, r->out->arena),
                   "svr_enquejob, Unable to reach scheduler associated with job %s",
                   r->rec->id);
}

static void log_enqueuing(const struct reaction *r, const struct object *o)
{
    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG2, LOG_IN_JOB, r->rec->id,
               "enqueuing into %s, state %c hop %" PRId64, obj_str(o, JOB_A_QUEUE, ""),
               state_of(o), obj_num(o, JOB_A_HOP_COUNT, 1));
    log_unserved(r, TO_JOB(o));
}

static bool was_made_of(const struct resv *resv, const char *job_id)
{
    return str_same(obj_str(&resv->obj, RESV_A_RESERVE_JOB, ""), job_id);
}

/* A job that moves into the reservation made out of it is the end of its making. */
void log_job_moved(const struct reaction *r)
{
    const struct object *o = r->o;
    const struct resv *resv = TO_JOB(o)->resv;
    const struct change *from = reaction_change(r->rec, JOB_A_QUEUE);

    /* The queue that the job has left is known from the record only. */
    if (from && from->before)
        effect_log(r->out, r->rec->seq, LOG_EV_DEBUG2, LOG_IN_JOB, r->rec->id,
                   "dequeuing from %s, state %c", from->before, state_of(o));
    MUST(!resv || resv->queue == TO_JOB(o)->queue);
    log_enqueuing(r, o);
    if (resv && was_made_of(resv, r->rec->id))
        react_resv_log_new(r, &resv->obj);
    else
        effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
                   "Job moved to %s at request of %s", obj_str(o, JOB_A_QUEUE, ""),
                   r->rec->actor);
}

void log_job_leaves(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
               "Job moves to %s at request of %s", record_words(r->rec), r->rec->actor);
}

void log_job_left(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG2, LOG_IN_JOB, r->rec->id,
               "dequeuing from %s, state %c", obj_str(r->o, JOB_A_QUEUE, ""),
               state_of(r->o));
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
               "Job Moved to destination: \"%s\"", record_words(r->rec));
}

/* The note is a code and its words. */
void log_job_stays(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id, "%s: %s",
               r->rec->fact == FACT_JOB_STAYS
                   ? "Job stays here, the other server has not taken it"
                   : "The other server will be asked again whether it has the job",
               record_words(r->rec));
}

void log_job_queued(const struct reaction *r)
{
    const struct object *o = r->o;
    const char *queue = obj_str(o, JOB_A_QUEUE, "");

    log_enqueuing(r, o);
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
               "Job Queued at request of %s, owner = %s, job name = %s, queue = %s",
               r->rec->actor, obj_str(o, JOB_A_JOB_OWNER, ""),
               obj_str(o, JOB_A_JOB_NAME, ""), queue);
}

void log_job_run(const struct reaction *r)
{
    const struct object *o = r->o;

    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
               "Job Run at request of %s on exec_vnode %s", r->rec->actor,
               obj_str(o, JOB_A_EXEC_VNODE, ""));
}

void log_job_state(const struct reaction *r)
{
    const struct object *o = r->o;

    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG3, LOG_IN_JOB, r->rec->id,
               "Updated job state to %d and substate to %" PRId64, state_of(o),
               obj_num(o, JOB_A_SUBSTATE, 0));
}

void log_job_stands(const struct reaction *r)
{
    line(r, LOG_EV_JOB,
         r->rec->fact == FACT_JOB_STANDS
             ? "job suspended, its host is busy"
             : "job goes on, its host is not busy any more");
}

void log_job_started(const struct reaction *r)
{
    const struct object *o = r->o;

    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG3, LOG_IN_JOB, r->rec->id,
               "Received session ID for job: %" PRId64,
               obj_num(o, JOB_A_SESSION_ID, 0));
    log_job_state(r);
}

void log_job_killed(const struct reaction *r)
{
    if (r->rec->reason == REASON_SHUTDOWN) {
        line(r, LOG_EV_SYSTEM | LOG_EV_JOB | LOG_EV_DEBUG, record_words(r->rec));
        return;
    }
    if (reason_aborts(r->rec->reason)) {
        line(r, LOG_EV_JOB, record_words(r->rec));
        return;
    }
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
               "Job to be deleted at request of %s", r->rec->actor);
    /* The note says "Delete forced", where that was asked for; then nobody waits for
     * what the MoM says of the run. */
    if (r->rec->note) {
        line(r, LOG_EV_JOB, r->rec->note);
        line(r, LOG_EV_JOB, "Discard running job, Forced Delete ");
    }
}

void log_job_obit(const struct reaction *r)
{
    const struct object *o = r->o;
    struct buf text = { 0 };

    job_usage_text(o, r->out->arena, &text);
    /* Usage comes before the reason, as in PBS's log. */
    line(r, LOG_EV_JOB_USAGE, text.data);
    buf_fini(&text);
    if (r->rec->note)
        line(r, LOG_EV_JOB, r->rec->note);
}

void log_job_ended(const struct reaction *r)
{
    const struct object *o = r->o;
    const struct change *state = reaction_change(r->rec, JOB_A_JOB_STATE);

    /* A job that is kept has another state by now. */
    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG2, LOG_IN_JOB, r->rec->id,
               "dequeuing from %s, state %c", obj_str(o, JOB_A_QUEUE, ""),
               state ? *state->before : state_of(o));
}

void log_job_accrues(const struct reaction *r)
{
    const struct change *type = reaction_change(r->rec, JOB_A_ACCRUE_TYPE);
    const struct change *since = reaction_change(r->rec, JOB_A_SAMPLE_STARTTIME);
    int64_t s = since && since->before
                    ? r->rec->at - (int64_t)strtoll(since->before, NULL, 10)
                    : 0;
    struct buf total = { 0 };

    if (!type || !type->after)
        return;
    duration_print(obj_num(r->o, JOB_A_ELIGIBLE_TIME, 0), &total);
    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG3, LOG_IN_JOB, r->rec->id,
               "Accrue type has changed to %s, previous accrue type was %s for %" PRId64
               " secs, total eligible_time=%s",
               accrual_name(strtoll(type->after, NULL, 10)),
               accrual_name(type->before ? strtoll(type->before, NULL, 10) : 0), s,
               total.data);
    buf_fini(&total);
}

void log_job_modified(const struct reaction *r)
{
    log_job_accrues(r);
    if (r->rec->reason == REASON_ALTERED)
        effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
                   "Job Modified at request of %s", r->rec->actor);
    else if (r->rec->reason == REASON_RERUN)
        effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
                   "Job Rerun at request of %s", r->rec->actor);
    else if (r->rec->reason == REASON_SUSPEND || r->rec->reason == REASON_RESUME)
        effect_log(r->out, r->rec->seq, LOG_EV_ADMIN, LOG_IN_JOB, r->rec->id,
                   "%s job by %s", r->rec->note, r->rec->actor);
    else if (r->rec->note || r->rec->reason == REASON_RESV_REQUEUES)
        line(r, LOG_EV_JOB, record_words(r->rec));
    else
        log_job_state(r);
}

/* Each subjob that the note lists was deleted before it was an object. */
void log_array_cut(const struct reaction *r)
{
    const char *list = r->rec->note;
    struct index_range range;

    while (list && *list && index_list_next(&list, &range))
        for (int64_t i = range.first; i <= range.last; i += range.step)
            effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB,
                       subjob_id_make(r->rec->id, i, r->out->arena),
                       "Job to be deleted at request of %s", r->rec->actor);
}

/* A job that had been asked to end was told of then. */
void log_job_deleted(const struct reaction *r)
{
    if (!obj_is_set(r->o, JOB_A_HF_KILL_BY))
        log_job_killed(r);
    log_job_ended(r);
}

static void log_pruned(const struct reaction *r)
{
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
               "pruned from exec_vnode=%s", obj_str(r->o, JOB_A_EXEC_VNODE_ACCT, ""));
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
               "pruned to exec_vnode=%s", obj_str(r->o, JOB_A_EXEC_VNODE, ""));
}

void log_job_released(const struct reaction *r)
{
    if (r->rec->reason == REASON_PRUNED || r->rec->reason == REASON_PRUNED_AT_START) {
        log_pruned(r);
        return;
    }
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
               "vnodes released, exec_vnode is now %s",
               obj_str(r->o, JOB_A_EXEC_VNODE, ""));
}
