/* job_wake.c - which scheduler hears of what happened to a job, and who waited for it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "server/decide/job_transfer.h"
#include "server/model/job_exit.h"
#include "server/model/job_state.h"
#include "server/react/job_react.h"
#include "server/react/reactions.h"

#include <stdlib.h>
#include <string.h>

/* The partition of the job's queue; jobs of the default one are every scheduler's
 * business that serves it. */
static const char *partition_of(const struct reaction *r)
{
    const struct queue *q = model_queue(r->m, obj_str(r->o, JOB_A_QUEUE, ""));

    return q ? obj_str(&q->obj, QUEUE_A_PARTITION, NULL) : NULL;
}

/* What a routing queue has not sent on no scheduler can run. */
static bool is_routed(const struct object *o)
{
    return obj_num(o, JOB_A_QUEUE_TYPE, 'E') == 'R';
}

void wake_job_queued(const struct reaction *r)
{
    const struct change *state = reaction_change(r->rec, JOB_A_JOB_STATE);

    /* A job that is held or waits gives a scheduler nothing to do. */
    if (r->rec->reason == REASON_RESUME ||
        (state && !is_routed(r->o) &&
         (str_same(state->after, "Q") || str_same(state->after, "B"))))
        effect_wake_schedulers(r, partition_of(r), SCHED_NEW);
}

/* A cycle follows a request that asks for less, or is another's, and a change of places
 * in the order of jobs. What schedulers write about a job themselves wakes nobody. */
static bool may_run_otherwise(const struct reaction *r)
{
    bool by_hand = r->rec->reason == REASON_ALTERED && reaction_lets_run(r);

    /* A running job that ends sooner, or later, moves what is planned behind it. */
    return (by_hand || reaction_change(r->rec, JOB_A_QUEUE_RANK)) && !is_routed(r->o) &&
           strchr("QBRS", job_state(TO_JOB(r->o)));
}

void wake_job_modified(const struct reaction *r)
{
    if (may_run_otherwise(r))
        effect_wake_schedulers(r, partition_of(r), SCHED_NEW);
    else
        wake_job_queued(r);
}

/* A job that has come into another queue may begin at once. In a reservation it may
 * when that one has begun; otherwise the beginning is told of. */
void wake_job_moved(const struct reaction *r)
{
    const struct job *job = TO_JOB(r->o);

    if (job_state(job) == 'Q' && !is_routed(r->o) &&
        (!job->resv || obj_num(&job->queue->obj, QUEUE_A_STARTED, 0)))
        effect_wake_schedulers(r, partition_of(r), SCHED_NEW);
}

void wake_job_ended(const struct reaction *r)
{
    effect_wake_schedulers(r, partition_of(r), SCHED_ENDED);
}

/* A refused resumption frees what was free before it, and who is woken then asks for
 * the same again: that waits for the next cycle. */
void wake_job_suspended(const struct reaction *r)
{
    if (r->rec->reason != REASON_NOT_RESUMED)
        wake_job_ended(r);
}

/* The answer to RunJob, which waits until the MoM took or refused the job. */
static void refuse(struct wire_reply *ret, int code)
{
    *ret = (struct wire_reply){ .code = code,
                                .choice = REPLY_TEXT,
                                .text = pbse_text(code) };
}

bool answer_job_sent(const struct answering *a, struct wire_reply *ret)
{
    MUST(a->wait_for->kind == a->rec->kind);
    /* An alteration is waited for at a reservation. */
    MUST(a->wait_for->why != WAIT_FOR_ALTERATION);
    if (a->wait_for->why == WAIT_FOR_RUN)
        return false; /* answered by the scheduler */
    *ret = (struct wire_reply){ .choice = REPLY_NULL };
    return true;
}

bool answer_job_refused(const struct answering *a, struct wire_reply *ret)
{
    int code = reason_code(a->rec->reason);

    MUST(a->wait_for->why != WAIT_FOR_ALTERATION);
    /* The scheduler will be told of the refusal, and answers for itself. */
    if (a->wait_for->why == WAIT_FOR_RUN)
        return false;
    refuse(ret, code ? code : PBSE_MOMREJECT);
    return true;
}

/* MoveJob to another server: it is that server's word that answers. */
bool answer_job_left(const struct answering *a, struct wire_reply *ret)
{
    MUST(a->wait_for->kind == a->rec->kind);
    if (a->wait_for->why == WAIT_FOR_RUN)
        refuse(ret, PBSE_JOB_MOVED);
    else
        *ret = (struct wire_reply){ .choice = REPLY_NULL };
    return true;
}

/* The note is a code and its words. */
static bool answer_note(const struct answering *a, struct wire_reply *ret)
{
    char *words;
    long code = strtol(record_words(a->rec), &words, 10);

    MUST(code > 0 && *words == ' ');
    *ret = (struct wire_reply){ .code = (int32_t)code,
                                .choice = REPLY_TEXT,
                                .text = arena_strdup(a->arena, words + 1) };
    return true;
}

/* The note is that of rules/job_transfer_rule.c. */
bool answer_job_stays(const struct answering *a, struct wire_reply *ret)
{
    return a->wait_for->why != WAIT_FOR_RUN && answer_note(a, ret);
}

/* A server that begins again soon says yes yet; nobody waits longer for it. */
#define WAVERS_FOR_S 30
bool answer_job_wavers(const struct answering *a, struct wire_reply *ret)
{
    const struct job *job = model_job(a->m, a->rec->id);
    int64_t until_at = job ? obj_num(&job->obj, JOB_A_HF_MOVE_UNTIL, 0) : 0;

    if (a->rec->at < until_at - TRANSFER_ASKS_S + WAVERS_FOR_S)
        return false;
    return answer_job_stays(a, ret);
}

/* A subjob that is over stays for its array, and is no job any more to who waits. */
bool answer_subjob_gone(const struct answering *a, struct wire_reply *ret)
{
    if (a->wait_for->why == WAIT_FOR_RUN)
        return false;
    refuse(ret, PBSE_UNKJOBID);
    return true;
}

/* The reply to RelnodesJob. Whoever waits for the start of the job or of a deferred run
 * has nothing to do with it; a job that gives vnodes back has been started. */
bool answer_released(const struct answering *a, struct wire_reply *ret)
{
    /* Nobody has asked for hosts to fail. */
    if (a->wait_for->why != WAIT_FOR_OBJECT || a->rec->reason == REASON_PRUNED ||
        a->rec->reason == REASON_PRUNED_AT_START)
        return false;
    *ret = (struct wire_reply){ .choice = REPLY_NULL };
    return true;
}

static bool answer_not_released(const struct answering *a, struct wire_reply *ret)
{
    *ret = (struct wire_reply){ .code = reason_code(a->rec->reason),
                                .choice = REPLY_TEXT,
                                .text = arena_strdup(a->arena, record_words(a->rec)) };
    return true;
}

/* A MoM without the means leaves the job running, and the hold is set all the same. */
static bool answer_not_checkpointed(const struct answering *a, struct wire_reply *ret)
{
    if (!answer_note(a, ret))
        return false;
    if (ret->code == PBSE_NOSUP)
        *ret = (struct wire_reply){ .choice = REPLY_NULL };
    return true;
}

/* Whoever waits for its image: it is there. */
bool answer_job_obit(const struct answering *a, struct wire_reply *ret)
{
    const struct job *job = model_job(a->m, a->rec->id);

    if (a->wait_for->why != WAIT_FOR_OBJECT || !job ||
        obj_num(&job->obj, JOB_A_EXIT_STATUS, 0) != JOB_EXIT_CHECKPOINTED)
        return false;
    *ret = (struct wire_reply){ .choice = REPLY_NULL };
    return true;
}

/* What a job was to do and its MoM does not. */
bool answer_job_modified(const struct answering *a, struct wire_reply *ret)
{
    if (a->wait_for->why != WAIT_FOR_OBJECT)
        return false;
    if (a->rec->reason == REASON_NOT_RELEASED)
        return answer_not_released(a, ret);
    if (a->rec->reason == REASON_NOT_CHECKPOINTED)
        return answer_not_checkpointed(a, ret);
    return a->rec->reason == REASON_NOT_SUSPENDED && answer_note(a, ret);
}

bool answer_job_stopped(const struct answering *a, struct wire_reply *ret)
{
    if (a->wait_for->why != WAIT_FOR_OBJECT)
        return false;
    if (a->rec->reason == REASON_NOT_RESUMED)
        return answer_note(a, ret);
    *ret = (struct wire_reply){ .choice = REPLY_NULL };
    return true;
}
