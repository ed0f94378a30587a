/* resv_record.c - changes that several decisions about reservations share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_record.h"

#include "server/decide/denials.h"
#include "server/decide/node_used.h"
#include "server/decide/resv_on_end.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_queue.h"
#include "server/decide/resv_turn.h"
#include "server/model/occurrence.h"
#include "server/model/resv_fit.h"
#include "server/model/resv_time.h"

#include <string.h>

#define RESV_ANSWER_TIME_S 600

int64_t resv_answer_time_s(const struct model *m)
{
    return obj_num(m->server, SERVER_A_RESV_ANSWER_TIME, RESV_ANSWER_TIME_S);
}

void resv_record_retry(struct record *rec, struct arena *arena, const struct model *m,
                       const struct resv *r, int64_t now_at)
{
    int64_t start_at = occurrence_start_at(&r->current, 0);

    record_change_num(rec, arena, RESV_A_RESERVE_RETRY,
                      resv_next_retry(now_at, start_at, resv_retry_time_s(m)));
    /* The attempt is over; the next one is a new question. */
    question_over(rec, arena);
}

void resv_record_retry_now(struct record *rec, struct arena *arena,
                           const struct resv *r, int64_t now_at)
{
    if (!proposal_is_open(r))
        question_over(rec, arena);
    record_change_num(rec, arena, RESV_A_RESERVE_RETRY, now_at);
}

void resv_record_in_vain(struct record *rec, struct arena *arena, const struct resv *r,
                         const char *reason, int64_t now_at)
{
    record_change(rec, arena, RESV_A_HF_REPLACE_BLOCKED, NULL,
                  resv_job_is_on_lost(r) ? "True" : NULL);
    record_change(rec, arena, RESV_A_HF_REPLACE_DENIED, NULL,
                  reason ? arena_strndup(arena, reason, denial_reason_length(reason))
                         : NULL);
    record_change_num(rec, arena, RESV_A_HF_REPLACE_DENIED_AT, now_at);
}

void resv_record_unsought(struct record *rec, struct arena *arena)
{
    record_change(rec, arena, RESV_A_RESERVE_RETRY, NULL, NULL);
    record_change(rec, arena, RESV_A_HF_REPLACE_DENIED, NULL, NULL);
    record_change(rec, arena, RESV_A_HF_REPLACE_DENIED_AT, NULL, NULL);
    record_change(rec, arena, RESV_A_HF_REPLACE_BLOCKED, NULL, NULL);
    record_change(rec, arena, RESV_A_HF_LOST, NULL, NULL);
}

void resv_record_unasked(struct record *rec, struct arena *arena)
{
    resv_record_unsought(rec, arena);
    question_over(rec, arena);
}

void resv_record_ending(const struct model *m, const struct resv *r, const char *actor,
                        enum reason reason, int64_t now_at, struct decision *out)
{
    enum resv_phase to = resv_next(resv_phase(r), RESV_EV_END);
    struct record *rec;

    MUST(to != PHASE_NONE);
    /* The occurrences that were still to come go first, each with a reason that the log
     * can tell. */
    resv_turn_drop(r, NULL, reason == REASON_END_REACHED ? REASON_SKIPPED : REASON_NONE,
                   actor, now_at, out);
    rec = record_add(&out->records, out->arena, FACT_RESV_ENDING, OBJ_RESV,
                     arena_strdup(out->arena, r->obj.id), actor, now_at);
    rec->reason = reason;
    record_change_phase(rec, out->arena, to);
    if (resv_phase(r) != PHASE_ENDING) { /* who asks again has not ended it */
        record_change(rec, out->arena, RESV_A_HF_ENDED_BY, NULL, actor);
        resv_record_on_end(rec, out->arena,
                           reason == REASON_END_REACHED ? resv_on_end(m, r)
                                                        : ON_END_KILL);
    }
    resv_record_unasked(rec, out->arena);
    /* Other reservations that would have changed together with this one are told that
     * they do not. */
    proposal_deny_others(m, r, actor, now_at, out);
    proposal_record_forgotten(rec, out->arena);
    record_change_num(rec, out->arena, RESV_A_MTIME, now_at);
    resv_queue_close(m, r, actor, now_at, out);
    /* Only an occurrence that began has used its vnodes. */
    if (r->current.counted)
        nodes_used_records(&r->current.bookings, actor, now_at, out);
}
