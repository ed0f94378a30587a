/* question_confirm.c - the questions to which a yes confirms a reservation: may it be,
 * which vnodes are maintained, and which replace those that it has lost.
 *
 * A no ends a new reservation when every scheduler asked has said it, and sets the next
 * retry of a degraded one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/question_kind.h"
#include "server/decide/question_series.h"
#include "server/decide/resv_conflict.h"
#include "server/decide/resv_qmove.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_record.h"
#include "server/decide/resv_series.h"
#include "server/decide/sched_link.h"
#include "server/model/occurrence.h"
#include "server/model/resv_time.h"

#include "lib/attr/resv_attrs.h"
#include "lib/base/instant.h"

/* When a new one is asked about: at once, again when a no was not final, and again
 * after resv_answer_time. */
static int64_t new_due_at(const struct model *m, const struct resv *r)
{
    int64_t asked_at = question_asked_at(r);

    if (asked_at == INT64_MIN)
        return obj_num(&r->obj, RESV_A_CTIME, 0);
    return MIN_OF(question_again_at(r), instant_after(asked_at, resv_answer_time_s(m)));
}

/* A degraded one: at the retry time, and again after another retry interval. */
static int64_t replace_due_at(const struct model *m, const struct resv *r)
{
    int64_t retry_at = obj_num(&r->obj, RESV_A_RESERVE_RETRY, 0);
    int64_t asked_at = question_asked_at(r);

    if (retry_at == 0)
        return INT64_MAX;
    return asked_at < retry_at ? retry_at
                               : instant_after(asked_at, resv_retry_time_s(m));
}

/* The start moves only while it has not come; the length stays. */
static int find_window(const struct resv_answer *a, struct window *ret)
{
    int64_t length_s = obj_num(&a->r->obj, RESV_A_RESERVE_DURATION, 0);
    struct window w = occurrence_window(&a->r->current);

    if (a->start_at != 0 && !phase_is_running(resv_phase(a->r))) {
        if (a->start_at > INT64_MAX)
            return diag_code(&a->out->why, PBSE_BADTSPEC);
        w.start_at = (int64_t)a->start_at;
        if (__builtin_add_overflow(w.start_at, length_s, &w.end_at))
            return diag_code(&a->out->why, PBSE_BADTSPEC);
    }
    /* The answer may have come too late for the window. */
    if (w.end_at <= a->rq->now_at)
        return diag_code(&a->out->why, PBSE_BADTSPEC);
    *ret = w;
    return 0;
}

static void record_window(const struct resv_answer *a, const struct window *w,
                          struct record *rec)
{
    /* Only a scheduler that was free to choose the start moves the window. */
    if (w->start_at == obj_num(&a->r->obj, RESV_A_RESERVE_START, 0))
        return;
    record_change_num(rec, a->rq->arena, RESV_A_RESERVE_START, w->start_at);
    record_change_num(rec, a->rq->arena, RESV_A_RESERVE_END, w->end_at);
}

static void record_yes(const struct resv_answer *a, const struct resv_offer *offer,
                       enum fact fact)
{
    enum resv_phase to = resv_next(resv_phase(a->r), RESV_EV_CONFIRM);
    const struct window w = { offer->start_at, offer->end_at };
    struct record *rec;

    MUST(to != PHASE_NONE);
    if (to == PHASE_CONFIRMED)
        answer_open_queue(a); /* told before its reservation */
    rec = decide(a->out, a->rq, fact, OBJ_RESV, a->r->obj.id);
    record_change_phase(rec, a->rq->arena, to);
    record_window(a, &w, rec);
    record_change(rec, a->rq->arena, RESV_A_RESV_NODES, NULL,
                  exec_vnode_print(offer->vnodes, a->rq->arena));
    resv_record_unasked(rec, a->rq->arena);
    if (to == PHASE_CONFIRMED)
        record_change(rec, a->rq->arena, RESV_A_PARTITION, NULL, a->partition);
    record_change_num(rec, a->rq->arena, RESV_A_MTIME, a->rq->now_at);
}

/* 'away': vnodes that are down or offline may be promised. */
static int confirm(const struct resv_answer *a, enum fact fact, bool away)
{
    struct exec_vnode vnodes;
    struct window w = { 0 };
    int err;

    if ((err = find_window(a, &w)) || (err = answer_vnodes(a, &vnodes)))
        return err;

    const struct resv_offer offer = {
        .occurrence = &a->r->current,
        .vnodes = &vnodes,
        .start_at = w.start_at,
        .end_at = w.end_at,
        .now_at = a->rq->now_at,
        .away = away,
    };

    /* The scheduler's picture may be old, so the offer is compared with what is true
     * now. */
    err = answer_judge(a, &offer, obj_str(&a->r->obj, RESV_A_SCHEDSELECT, ""));
    if (!err)
        record_yes(a, &offer, fact);
    return err;
}

/* The reservation is for a job that waits, and without it is of no use to anybody: when
 * the job has gone, or runs by now, the reservation ends instead. */
static int confirm_for_job(const struct resv_answer *a)
{
    const struct job *job = resv_qmove_job(a->m, a->r);
    int err;

    if (!job) {
        resv_record_ending(a->m, a->r, a->rq->actor, REASON_JOB_STAYS, a->rq->now_at,
                           a->out);
        return 0;
    }
    err = confirm(a, FACT_RESV_CONFIRMED, a->away);
    if (!err)
        resv_qmove_record(a->rq, a->r, job, a->out);
    return err;
}

static int new_yes(const struct resv_answer *a)
{
    if (series_is_new(a->r))
        return series_confirm(a);
    if (resv_qmove_is(a->r))
        return confirm_for_job(a);
    return confirm(a, FACT_RESV_CONFIRMED, a->away);
}

/* Whoever makes maintenance says which vnodes it has, and takes them from others. A
 * scheduler was not asked: it would look for free ones. */
static int maintain_yes(const struct resv_answer *a)
{
    struct exec_vnode vnodes;
    struct window w = { 0 };
    int err;

    if (sched_link_of_conn(a->rq->view->links, a->rq->who->conn))
        return diag_code(&a->out->why, PBSE_BADSTATE);
    if ((err = find_window(a, &w)) || (err = answer_vnodes(a, &vnodes)))
        return err;

    const struct resv_offer offer = {
        .vnodes = &vnodes,
        .start_at = w.start_at,
        .end_at = w.end_at,
    };

    record_yes(a, &offer, FACT_RESV_CONFIRMED);
    resv_conflict_record(a->m, a->r, &vnodes, w, a->rq->actor, a->rq->now_at, a->out);
    return 0;
}

static int maintain_no(const struct resv_answer *a)
{
    return diag_code(&a->out->why, PBSE_BADSTATE);
}

static int new_no(const struct resv_answer *a)
{
    struct record *rec;

    if (answer_is_for_awaited_vnodes(a)) {
        answer_ask_again(a);
        return 0;
    }
    if (!question_is_denied_by(a->m, a->r, a->sched)) {
        answer_note_no(a);
        return 0;
    }
    rec = decide(a->out, a->rq, FACT_RESV_DENIED, OBJ_RESV, a->r->obj.id);
    rec->note = a->reason; /* for the journal */
    record_change_phase(rec, a->rq->arena, resv_next(resv_phase(a->r), RESV_EV_DENY));
    return 0;
}

/* An answer that comes before the next attempt is due answers an older question. */
static int replace_no(const struct resv_answer *a)
{
    int64_t retry_at = obj_num(&a->r->obj, RESV_A_RESERVE_RETRY, 0);
    struct record *rec;

    if (retry_at > a->rq->now_at)
        return 0;
    rec = decide(a->out, a->rq, FACT_RESV_RETRY, OBJ_RESV, a->r->obj.id);
    rec->note = a->reason; /* for the journal */
    resv_record_in_vain(rec, a->rq->arena, a->r, a->reason, a->rq->now_at);
    resv_record_retry(rec, a->rq->arena, a->m, a->r, a->rq->now_at);
    return 0;
}

/* A series of which nothing could be moved is one that nothing was found for. */
static int replace_yes(const struct resv_answer *a)
{
    bool moved;
    int err;

    if (a->r->n_later == 0)
        return confirm(a, FACT_RESV_RECONFIRMED, false);
    err = series_replace(a, &moved);
    if (!err && !moved)
        return replace_no(a);
    return err;
}

const struct question_row question_new = {
    .due_at = new_due_at,
    .command = SCHED_NEW,
    .yes = new_yes,
    .no = new_no,
};

const struct question_row question_maintain = {
    .command = SCHED_NEW,
    .yes = maintain_yes,
    .no = maintain_no,
};

const struct question_row question_replace = {
    .due_at = replace_due_at,
    .command = SCHED_RECONFIRM,
    .yes = replace_yes,
    .no = replace_no,
};
