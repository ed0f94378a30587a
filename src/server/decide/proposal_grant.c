/* proposal_grant.c - a change becomes the reservation's: its records, and those of its
 * queue, whose limits and lists follow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resv_number.h"
#include "server/decide/proposal_priv.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_queue.h"
#include "server/decide/resv_record.h"
#include "server/decide/resv_series.h"
#include "server/model/occurrence.h"

void proposal_keep_series_start(const struct resv *r, struct arena *arena,
                                struct record *rec)
{
    if (obj_num(&r->obj, RESV_A_RESERVE_STANDING, 0) &&
        !obj_is_set(&r->obj, RESV_A_HF_SERIES_START))
        record_change_num(rec, arena, RESV_A_HF_SERIES_START,
                          obj_num(&r->obj, RESV_A_RESERVE_START, 0));
}

static bool moves_out(const struct resv *r, const struct proposal_grant *g)
{
    return phase_is_running(resv_phase(r)) &&
           edit_num(g->e, RESV_A_RESERVE_START, 0) > g->now_at;
}

static enum resv_phase phase_after(const struct resv *r, const struct proposal_grant *g)
{
    enum resv_phase from = resv_phase(r);
    enum resv_phase to = moves_out(r, g) ? resv_next(from, RESV_EV_MOVE_OUT) : from;

    /* Without vnodes it has what it had: nothing, or not all that it is to have. */
    if (!g->vnodes && (to == PHASE_UNCONFIRMED || phase_is_in_conflict(to)))
        return to;
    return resv_next(to, RESV_EV_CONFIRM);
}

static void switch_queue(const struct model *m, const struct resv *r,
                         const struct proposal_grant *g, enum resv_phase to,
                         struct decision *out)
{
    bool started = r->queue && obj_num(&r->queue->obj, QUEUE_A_STARTED, 0);
    struct record *rec;

    if (to == PHASE_RUNNING && phase_is_in_conflict(resv_phase(r)))
        resv_queue_switch(m, r, true, true, REASON_NONE, g->now_at, out);
    /* In every other phase the queue is as that phase has left it. */
    if (to != PHASE_CONFIRMED)
        return;
    /* Only what confirms the reservation is told of its queue. */
    resv_queue_switch(m, r, true, started && !moves_out(r, g),
                      resv_phase(r) == PHASE_UNCONFIRMED ? REASON_RESV_KEEPS
                                                         : REASON_NONE,
                      g->now_at, out);
    if (!g->partition)
        return;
    rec = resv_queue_record(m, r, FACT_SET, REASON_NONE, g->now_at, out);
    if (rec)
        record_change(rec, out->arena, QUEUE_A_PARTITION, NULL, g->partition);
}

/* The phase that a later occurrence is in then. */
static enum resv_phase later_phase_after(const struct proposal_grant *g)
{
    enum resv_phase from = occurrence_phase(g->later);

    return !g->vnodes && phase_is_in_conflict(from) ? from
                                                    : resv_next(from, RESV_EV_CONFIRM);
}

/* The reservation forgets the proposal; what else stands in it is the current
 * occurrence's. */
static void close_later(const struct resv *r, const struct proposal_grant *g,
                        struct decision *out)
{
    struct record *rec = proposal_record(r, FACT_SET, g->actor, g->now_at, out);

    proposal_keep_series_start(r, out->arena, rec);
    question_over(rec, out->arena);
    proposal_record_forgotten(rec, out->arena);
    record_change(rec, out->arena, RESV_A_ALTER_DENIED, NULL, NULL);
    record_change(rec, out->arena, RESV_A_PUSHED, NULL, g->pushed);
    record_change_num(rec, out->arena, RESV_A_MTIME, g->now_at);
}

static void grant_later(const struct resv *r, const struct proposal_grant *g,
                        struct decision *out)
{
    struct record *rec =
        record_add(&out->records, out->arena, FACT_RESV_ALTERED, OBJ_OCCURRENCE,
                   arena_strdup(out->arena, g->later->values->id), g->actor, g->now_at);

    MUST(g->later->resv == r || g->later->resv == r->stands_for);
    rec->reason = g->reason;
    rec->note = g->note;
    record_change_num(rec, out->arena, OCCURRENCE_A_START,
                      edit_num(g->e, RESV_A_RESERVE_START, 0));
    record_change_num(rec, out->arena, OCCURRENCE_A_END,
                      edit_num(g->e, RESV_A_RESERVE_END, 0));
    later_record_request(g->later, rec, out->arena,
                         edit_value(g->e, RESV_A_RESOURCE_LIST),
                         edit_value(g->e, RESV_A_SCHEDSELECT));
    later_record_phase(rec, out->arena, later_phase_after(g));
    if (g->vnodes)
        record_change(rec, out->arena, OCCURRENCE_A_RESV_NODES, NULL, g->vnodes);
    if (g->reason == REASON_PUSHED) /* nobody has asked about it */
        record_change_num(proposal_record(r, FACT_SET, g->actor, g->now_at, out),
                          out->arena, RESV_A_MTIME, g->now_at);
    else
        close_later(r, g, out);
}

/* The first occurrence of a new series has been altered. With vnodes the series is
 * confirmed, and its caller makes the others; without, all are asked about anew. */
static void record_new_series(const struct resv *r, const struct proposal_grant *g,
                              struct arena *arena, struct record *rec)
{
    struct series_times times;

    if (!series_times_read(r, arena, &times))
        return;
    times.v[0] = (struct window){ edit_num(g->e, RESV_A_RESERVE_START, 0),
                                  edit_num(g->e, RESV_A_RESERVE_END, 0) };
    record_change(rec, arena, RESV_A_HF_STARTS, NULL,
                  g->vnodes ? NULL : series_starts_text(&times, arena));
    if (!g->vnodes)
        return;
    /* What it was submitted with need not be its first occurrence. */
    record_change_num(rec, arena, RESV_A_RESERVE_START, times.v[0].start_at);
    record_change_num(rec, arena, RESV_A_RESERVE_END, times.v[0].end_at);
    record_change_num(rec, arena, RESV_A_RESERVE_INDEX, 1);
}

void proposal_grant(const struct model *m, const struct resv *r,
                    const struct proposal_grant *g, struct decision *out)
{
    if (g->later) {
        grant_later(r, g, out);
        return;
    }

    enum resv_phase to = phase_after(r, g);
    struct record *rec =
        record_add(&out->records, out->arena, FACT_RESV_ALTERED, OBJ_RESV,
                   arena_strdup(out->arena, r->obj.id), g->actor, g->now_at);

    rec->reason = g->reason;
    rec->note = g->note;
    /* Later occurrences keep what the series was asked to have, unless they are altered
     * themselves. */
    if (g->e->touched[RESV_A_RESOURCE_LIST] || g->e->touched[RESV_A_SCHEDSELECT])
        occurrence_keep_series(r, out->arena, rec);
    proposal_keep_series_start(r, out->arena, rec);
    edit_commit(g->e, out->arena, rec);
    record_new_series(r, g, out->arena, rec);
    /* An end that somebody asks for takes the place of the one before. */
    if (g->e->touched[RESV_A_RESERVE_END] && !g->e->touched[RESV_A_HF_ASKED_END])
        record_change(rec, out->arena, RESV_A_HF_ASKED_END, NULL, NULL);
    record_change_phase(rec, out->arena, to);
    if (g->vnodes)
        record_change(rec, out->arena, RESV_A_RESV_NODES, NULL, g->vnodes);
    if (to == PHASE_CONFIRMED && g->partition)
        record_change(rec, out->arena, RESV_A_PARTITION, NULL, g->partition);
    /* The reservation has not begun any more, so it cannot be idle either. */
    if (moves_out(r, g)) {
        record_change(rec, out->arena, RESV_A_HF_BEGUN_AT, NULL, NULL);
        record_change(rec, out->arena, RESV_A_HF_IDLE_AT, NULL, NULL);
    }
    resv_record_unasked(rec, out->arena);
    /* The proposal is closed by the same record that makes it true. */
    proposal_record_forgotten(rec, out->arena);
    record_change(rec, out->arena, RESV_A_ALTER_DENIED, NULL, NULL);
    record_change(rec, out->arena, RESV_A_PUSHED, NULL, g->pushed);
    record_change_num(rec, out->arena, RESV_A_MTIME, g->now_at);
    resv_queue_follow(m, r, g->e, g->now_at, out);
    switch_queue(m, r, g, to, out);
}
