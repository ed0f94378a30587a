/* job_log.c - the server's log lines about jobs (operations.md 14).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/react/job_react.h"
#include "server/react/reactions.h"
#include "server/react/resv_react.h"

#include <string.h>

static void line(const struct reaction *r, uint32_t event, const char *text)
{
    effect_log(r->out, r->rec->seq, event, LOG_IN_JOB, r->rec->id, "%s", text);
}

static char state_of(const struct object *o)
{
    return (char)obj_num(o, JOB_A_JOB_STATE, 'T');
}

static void log_enqueuing(const struct reaction *r, const struct object *o)
{
    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG2, LOG_IN_JOB, r->rec->id,
               "enqueuing into %s, state %c hop %" PRId64, obj_str(o, JOB_A_QUEUE, ""),
               state_of(o), obj_num(o, JOB_A_HOP_COUNT, 1));
}

static const char *queue_before(const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == JOB_A_QUEUE)
            return rec->changes[i].before;
    return NULL;
}

static bool was_made_of(const struct resv *resv, const char *job_id)
{
    return str_same(obj_str(&resv->obj, RESV_A_RESERVE_JOB, ""), job_id);
}

/* A job that moves into the reservation made out of it is the end of its making. */
static void log_moved(const struct reaction *r, const struct object *o)
{
    const struct resv *resv = TO_JOB(o)->resv;
    const char *from = queue_before(r->rec);

    if (from)
        effect_log(r->out, r->rec->seq, LOG_EV_DEBUG2, LOG_IN_JOB, r->rec->id,
                   "dequeuing from %s, state %c", from, state_of(o));
    log_enqueuing(r, o);
    if (resv && was_made_of(resv, r->rec->id))
        react_resv_log_new(r, &resv->obj);
}

static void log_queued(const struct reaction *r, const struct object *o)
{
    const char *queue = obj_str(o, JOB_A_QUEUE, "");

    log_enqueuing(r, o);
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
               "Job Queued at request of %s, owner = %s, job name = %s, queue = %s",
               r->rec->actor, obj_str(o, JOB_A_JOB_OWNER, ""),
               obj_str(o, JOB_A_JOB_NAME, ""), queue);
}

static void log_run(const struct reaction *r, const struct object *o)
{
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
               "Job Run at request of %s on exec_vnode %s", r->rec->actor,
               obj_str(o, JOB_A_EXEC_VNODE, ""));
}

static void log_state(const struct reaction *r, const struct object *o)
{
    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG3, LOG_IN_JOB, r->rec->id,
               "Updated job state to %d and substate to %" PRId64, state_of(o),
               obj_num(o, JOB_A_SUBSTATE, 0));
}

static void log_started(const struct reaction *r, const struct object *o)
{
    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG3, LOG_IN_JOB, r->rec->id,
               "Received session ID for job: %" PRId64,
               obj_num(o, JOB_A_SESSION_ID, 0));
    log_state(r, o);
}

static void log_deletion(const struct reaction *r)
{
    if (r->rec->reason == REASON_SHUTDOWN) {
        line(r, LOG_EV_SYSTEM | LOG_EV_JOB | LOG_EV_DEBUG, record_words(r->rec));
        return;
    }
    effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
               "Job to be deleted at request of %s", r->rec->actor);
    if (r->rec->note)
        line(r, LOG_EV_JOB, r->rec->note);
}

static void log_obit(const struct reaction *r, const struct object *o)
{
    struct buf text = { 0 };

    job_usage_text(o, r->out->arena, &text);
    line(r, LOG_EV_JOB_USAGE, text.data);
    buf_fini(&text);
    if (r->rec->note)
        line(r, LOG_EV_JOB, r->rec->note);
}

static void log_gone(const struct reaction *r, const struct object *o)
{
    effect_log(r->out, r->rec->seq, LOG_EV_DEBUG2, LOG_IN_JOB, r->rec->id,
               "dequeuing from %s, state %c", obj_str(o, JOB_A_QUEUE, ""), state_of(o));
}

static void log_modified(const struct reaction *r, const struct object *o)
{
    if (r->rec->reason == REASON_ALTERED)
        effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
                   "Job Modified at request of %s", r->rec->actor);
    else if (r->rec->reason == REASON_RERUN)
        effect_log(r->out, r->rec->seq, LOG_EV_JOB, LOG_IN_JOB, r->rec->id,
                   "Job Rerun at request of %s", r->rec->actor);
    else if (r->rec->note)
        line(r, LOG_EV_JOB, r->rec->note);
    else
        log_state(r, o);
}

void react_job_log(const struct reaction *r)
{
    const struct object *o = job_of_reaction(r);

    switch (r->rec->fact) {
    case FACT_JOB_QUEUED:
        log_queued(r, o);
        break;
    case FACT_JOB_MOVED:
        log_moved(r, o);
        break;
    case FACT_JOB_RUN:
        log_run(r, o);
        break;
    case FACT_JOB_STARTED:
        log_started(r, o);
        break;
    case FACT_JOB_MODIFIED:
        log_modified(r, o);
        break;
    case FACT_JOB_KILLED:
        log_deletion(r);
        break;
    case FACT_JOB_DELETED:
        if (!obj_is_set(o, JOB_A_HF_KILL_BY))
            log_deletion(r);
        log_gone(r, o);
        break;
    case FACT_JOB_OBIT:
        log_obit(r, o);
        break;
    case FACT_JOB_ENDED:
        log_gone(r, o);
        break;
    default:
        log_state(r, o);
        break;
    }
}
