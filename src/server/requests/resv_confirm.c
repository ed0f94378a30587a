/* resv_confirm.c - ConfirmResv: a scheduler's answer about a reservation
 * (reservations.md 7.3, 7.4).
 *
 * A yes is judged against the model as it is now and refused when it no longer holds;
 * then nothing has changed, and the scheduler looks again. A no ends a new reservation
 * when every scheduler asked has said it, and sets the next retry of a degraded one.
 * While an alteration is open the answer is about that one; our own schedulers say by
 * its number which question they answer, and a number that is over is refused
 * (lib/wire/confirm.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/config.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_queue.h"
#include "server/decide/resv_record.h"
#include "server/decide/sched_link.h"
#include "server/model/node_life.h"
#include "server/model/resv_fit.h"
#include "server/model/resv_state.h"
#include "server/model/resv_time.h"
#include "server/requests/handlers.h"

#include "lib/base/log.h"
#include "lib/wire/confirm.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_PARTITION "pbs-default"

/* How long to wait for vnodes that were not heard of before asking again. */
#define ASK_AGAIN_S       5

struct answer {
    const struct model *m;
    const struct request *rq;
    struct decision *out;
    const struct resv *r;
    const struct body_run *body;
    enum resv_phase phase;
    const char *partition;       /* of who answers */
    const char *sched;           /* who answers */
    bool away;                   /* it knows that vnodes are down or offline */
    const char *reason;          /* of a no, NULL when it was not said */
    const struct edit *proposed; /* of the open alteration, NULL: none */
    int64_t start_at;
    int64_t end_at;
    struct exec_vnode vnodes;
    /* Of an alteration that is about several reservations: what is known of the
     * others. */
    struct resv_offer *with;
    size_t n_with;
};

/* No. */

/* A no that was said while vnodes were awaited, or in a cycle that began before they
 * had all reported, may be for that alone: it is not final, and the question is put
 * again. */
static bool is_for_awaited_vnodes(const struct answer *a)
{
    const struct sched_link *l =
        sched_link_of_conn(a->rq->view->links, a->rq->who->conn);

    return nodes_are_awaited(a->m) || (l && l->began_unsure);
}

static void ask_again_soon(const struct answer *a)
{
    question_put_again(decide(a->out, a->rq, FACT_SET, OBJ_RESV, a->r->obj.id),
                       a->rq->arena, a->rq->now_at + ASK_AGAIN_S);
}

/* The others who were asked have not said no. */
static void note_no(const struct answer *a)
{
    struct record *rec = decide(a->out, a->rq, FACT_SET, OBJ_RESV, a->r->obj.id);

    question_note_no(rec, a->rq->arena, a->r, a->sched);
    if (rec->n_changes == 0)
        a->out->records.n--; /* it has said so already */
}

static void deny_new(const struct answer *a)
{
    struct record *rec;

    if (is_for_awaited_vnodes(a)) {
        ask_again_soon(a);
        return;
    }
    if (!question_is_denied_by(a->m, a->r, a->sched)) {
        note_no(a);
        return;
    }
    rec = decide(a->out, a->rq, FACT_RESV_DENIED, OBJ_RESV, a->r->obj.id);
    rec->note = a->reason; /* for the journal */
    record_change_phase(rec, a->rq->arena, resv_next(a->phase, RESV_EV_DENY));
}

/* An answer that comes before the next attempt is due answers an older question. */
static void retry_later(const struct answer *a)
{
    int64_t retry_at = obj_num(&a->r->obj, RESV_A_RESERVE_RETRY, 0);
    struct record *rec;

    if (retry_at > a->rq->now_at)
        return;
    rec = decide(a->out, a->rq, FACT_RESV_RETRY, OBJ_RESV, a->r->obj.id);
    resv_record_retry(rec, a->rq->arena, a->m, a->r, a->rq->now_at);
}

/* About an alteration. */

static void grant(const struct answer *a, const char *vnodes)
{
    const struct proposal_grant g = {
        .e = a->proposed,
        .vnodes = vnodes,
        .partition = vnodes ? a->partition : NULL,
        .actor = a->rq->actor,
        .now_at = a->rq->now_at,
    };

    proposal_grant(a->m, a->r, &g, a->out);
}

static void deny(const struct answer *a, const char *reason)
{
    proposal_deny(a->m, a->r, a->rq->actor, reason, a->rq->now_at, a->out);
}

static int take_no_to_wanted(const struct answer *a)
{
    const char *against = proposal_obstacle(a->m, a->r, a->rq->now_at, a->rq->arena);

    if (against) {
        deny(a, against);
    } else if (!question_is_denied_by(a->m, a->r, a->sched)) {
        note_no(a);
    } else if (proposal_is_forced(a->r)) {
        proposal_force(a->m, a->r, a->rq->actor, REASON_NONE, a->rq->now_at, a->out);
    } else if (is_for_awaited_vnodes(a)) {
        ask_again_soon(a);
    } else {
        deny(a, a->reason ? a->reason : "the scheduler gave no reason");
    }
    return 0;
}

static int take_no(const struct answer *a)
{
    if (a->proposed)
        return take_no_to_wanted(a);
    if (phase_is_degraded(a->phase))
        retry_later(a);
    else if (a->phase == PHASE_UNCONFIRMED)
        deny_new(a);
    return 0;
}

/* Yes. */

/* A healthy reservation was not asked about, or was healed since: taking other vnodes
 * now would only move it. */
static int check_phase(const struct answer *a)
{
    if (a->phase == PHASE_ENDING || a->phase == PHASE_DELETED)
        return diag_code(&a->out->why, PBSE_BADTSPEC);
    if (a->phase != PHASE_UNCONFIRMED && !phase_is_degraded(a->phase))
        return diag_code(&a->out->why, PBSE_BADSTATE);
    return 0;
}

/* The start moves only while it has not come; the length stays. */
static int take_window(struct answer *a)
{
    int64_t length_s = obj_num(&a->r->obj, RESV_A_RESERVE_DURATION, 0);

    a->start_at = obj_num(&a->r->obj, RESV_A_RESERVE_START, 0);
    a->end_at = obj_num(&a->r->obj, RESV_A_RESERVE_END, 0);
    if (a->body->argument != 0 && !phase_is_running(a->phase)) {
        if (a->body->argument > INT64_MAX)
            return diag_code(&a->out->why, PBSE_BADTSPEC);
        a->start_at = (int64_t)a->body->argument;
        if (__builtin_add_overflow(a->start_at, length_s, &a->end_at))
            return diag_code(&a->out->why, PBSE_BADTSPEC);
    }
    if (a->end_at <= a->rq->now_at)
        return diag_code(&a->out->why, PBSE_BADTSPEC);
    return 0;
}

static int take_vnodes(struct answer *a)
{
    const char *unknown;
    int err = exec_vnode_parse(a->body->vnodes, a->m->defs, a->rq->arena, &a->vnodes,
                               &a->out->why);

    if (err)
        return err;
    unknown = resv_fit_unknown(a->m, &a->vnodes);
    if (!unknown)
        return 0;
    decide_log(a->out, LOG_EV_DEBUG, LOG_IN_RESV, a->r->obj.id,
               "Unknown node %s received", unknown);
    return diag_set(&a->out->why, PBSE_SYSTEM, "Unknown node %s received", unknown);
}

/* An answer to an older question may offer what a larger or smaller select asked for.
 */
static bool is_as_much(const struct answer *a, const char **ret_why)
{
    const struct object *o = &a->r->obj;
    const char *text = a->proposed ? edit_str(a->proposed, RESV_A_SCHEDSELECT, "")
                                   : obj_str(o, RESV_A_SCHEDSELECT, "");
    struct resources want = { 0 };
    struct select select;
    bool same = true;

    if (select_parse(text, a->m->defs, a->rq->arena, &select, NULL))
        return true;
    select_sum(&select, a->m->defs, &want);
    for (size_t i = 0; same && i < want.n; i++) {
        const char *name = want.v[i].def->name;
        int64_t offered = exec_vnode_amount(&a->vnodes, NULL, name);

        same = offered == 0 || offered == resources_amount(&want, name, 0);
        if (!same)
            *ret_why = arena_printf(a->rq->arena, "it offers %" PRId64 " of %s",
                                    offered, name);
    }
    resources_clear(&want);
    return same;
}

static int check_fit(struct answer *a)
{
    const struct resv_offer offer = {
        .occurrence = &a->r->current,
        .vnodes = &a->vnodes,
        .start_at = a->start_at,
        .end_at = a->end_at,
        .now_at = a->rq->now_at,
        .away = a->away && a->phase == PHASE_UNCONFIRMED && !a->proposed,
        .smaller = a->proposed && a->proposed->touched[RESV_A_SCHEDSELECT],
        .moves = a->proposed && a->start_at > a->rq->now_at,
        .with = a->with,
        .n_with = a->n_with,
    };
    const char *why = "";

    if (is_as_much(a, &why) && resv_fit(a->m, &offer, a->rq->arena, &why))
        return 0;
    decide_log(a->out, LOG_EV_RESV, LOG_IN_RESV, a->r->obj.id,
               "Confirmation refused: %s", why);
    return diag_code(&a->out->why, PBSE_BADSTATE);
}

static void record_window(const struct answer *a, struct record *rec)
{
    if (a->start_at == obj_num(&a->r->obj, RESV_A_RESERVE_START, 0))
        return;
    record_change_num(rec, a->rq->arena, RESV_A_RESERVE_START, a->start_at);
    record_change_num(rec, a->rq->arena, RESV_A_RESERVE_END, a->end_at);
}

static void record_queue(const struct answer *a, enum resv_phase to)
{
    bool enabled = a->r->queue && obj_num(&a->r->queue->obj, QUEUE_A_ENABLED, 0);
    struct record *rec;

    if (to != PHASE_CONFIRMED)
        return;
    rec = resv_queue_record(a->m, a->r, FACT_SET,
                            enabled ? REASON_NONE : REASON_RESV_KEEPS, a->rq->now_at,
                            a->out);
    if (!rec)
        return;
    if (!enabled)
        record_change(rec, a->rq->arena, QUEUE_A_ENABLED, NULL, "True");
    record_change(rec, a->rq->arena, QUEUE_A_PARTITION, NULL, a->partition);
}

static void record_yes(const struct answer *a)
{
    enum resv_phase to = resv_next(a->phase, RESV_EV_CONFIRM);
    bool first = a->phase == PHASE_UNCONFIRMED;
    struct record *rec;

    record_queue(a, to); /* told before its reservation */
    rec = decide(a->out, a->rq, first ? FACT_RESV_CONFIRMED : FACT_RESV_RECONFIRMED,
                 OBJ_RESV, a->r->obj.id);
    record_change_phase(rec, a->rq->arena, to);
    record_window(a, rec);
    record_change(rec, a->rq->arena, RESV_A_RESV_NODES, NULL,
                  exec_vnode_print(&a->vnodes, a->rq->arena));
    resv_record_unasked(rec, a->rq->arena);
    if (to == PHASE_CONFIRMED)
        record_change(rec, a->rq->arena, RESV_A_PARTITION, NULL, a->partition);
    record_change_num(rec, a->rq->arena, RESV_A_MTIME, a->rq->now_at);
}

/* An alteration of several reservations: a yes to one of them is kept until each has
 * one, and then all are judged together. */

/* What a part would be given; no vnodes when nobody has said yes to it. */
static bool read_part(const struct answer *a, const struct resv *r,
                      struct resv_offer *ret)
{
    const char *text = proposal_vnodes(r);
    struct exec_vnode *vnodes = arena_zero(a->rq->arena, sizeof(*vnodes));
    struct edit e;
    bool whole = proposal_read(a->m, r, &e, a->rq->arena);

    *ret = (struct resv_offer){
        .occurrence = &r->current,
        .vnodes = vnodes,
        .start_at = edit_num(&e, RESV_A_RESERVE_START, 0),
        .end_at = edit_num(&e, RESV_A_RESERVE_END, 0),
        .now_at = a->rq->now_at,
        .smaller = e.touched[RESV_A_SCHEDSELECT],
    };
    ret->moves = ret->start_at > a->rq->now_at;
    edit_fini(&e);
    return whole &&
           (!text || !exec_vnode_parse(text, a->m->defs, a->rq->arena, vnodes, NULL));
}

static int read_parts(struct answer *a)
{
    struct proposal_others others = proposal_others(a->m, a->r, a->rq->arena);

    a->n_with = others.n;
    a->with = arena_zero(a->rq->arena, (others.n + 1) * sizeof(*a->with));
    for (size_t i = 0; i < others.n; i++)
        if (!read_part(a, others.v[i], &a->with[i]))
            return diag_code(&a->out->why, PBSE_BADSTATE);
    return 0;
}

/* Does the yes to that part still hold, beside the answer and the other parts? */
static bool part_holds(const struct answer *a, size_t i)
{
    struct resv_offer offer = a->with[i];
    struct resv_offer *rest =
        arena_copy(a->rq->arena, a->with, (a->n_with + 1) * sizeof(*rest));
    const char *why;

    rest[i] = (struct resv_offer){
        .occurrence = &a->r->current,
        .vnodes = &a->vnodes,
        .start_at = a->start_at,
        .end_at = a->end_at,
    };
    offer.with = rest;
    offer.n_with = a->n_with;
    return !resv_fit_unknown(a->m, offer.vnodes) &&
           resv_fit(a->m, &offer, a->rq->arena, &why);
}

/* True when every other part has a yes; one that holds no more is asked again. */
static bool others_agree(const struct answer *a)
{
    bool agree = true;

    for (size_t i = 0; i < a->n_with; i++) {
        if (a->with[i].vnodes->n == 0) {
            agree = false;
        } else if (!part_holds(a, i)) {
            proposal_forget_yes(a->with[i].occurrence->resv, a->rq->actor,
                                a->rq->now_at, a->out);
            agree = false;
        }
    }
    return agree;
}

static void join_yes(const struct answer *a)
{
    const char *vnodes = exec_vnode_print(&a->vnodes, a->rq->arena);

    if (!others_agree(a)) {
        proposal_note_yes(a->r, vnodes, a->partition, a->rq->actor, a->rq->now_at,
                          a->out);
        return;
    }
    grant(a, vnodes);
    proposal_grant_others(a->m, a->r, a->rq->actor, REASON_NONE, a->rq->now_at, a->out);
}

static int take_yes_to_proposal(struct answer *a)
{
    const char *against;
    int err;

    a->start_at = edit_num(a->proposed, RESV_A_RESERVE_START, 0);
    a->end_at = edit_num(a->proposed, RESV_A_RESERVE_END, 0);
    if (a->body->argument != 0 && a->body->argument != (uint64_t)a->start_at)
        return diag_code(&a->out->why, PBSE_BADSTATE); /* of an older question */
    against = proposal_obstacle(a->m, a->r, a->rq->now_at, a->rq->arena);
    if (against) {
        deny(a, against);
        return 0;
    }
    if ((err = take_vnodes(a)) || (err = read_parts(a)) || (err = check_fit(a)))
        return err;
    join_yes(a);
    return 0;
}

static int take_yes(struct answer *a)
{
    int err;

    if (a->proposed)
        return take_yes_to_proposal(a);
    if ((err = check_phase(a)) || (err = take_window(a)) || (err = take_vnodes(a)) ||
        (err = check_fit(a)))
        return err;
    record_yes(a);
    return 0;
}

static int take_answer(struct answer *a, const struct wire_confirm *said)
{
    a->partition = said->partition ? said->partition : DEFAULT_PARTITION;
    a->sched = question_who(a->m, a->rq, said->partition);
    a->reason = said->reason;
    a->away = said->away;
    if (said->has_seq && said->seq != proposal_seq(a->r))
        return diag_code(&a->out->why, PBSE_BADSTATE);
    return 0;
}

static int take(struct answer *a, bool yes)
{
    struct edit proposed;
    int err;

    if (!proposal_is_open(a->r))
        return yes ? take_yes(a) : take_no(a);
    a->proposed = &proposed;
    if (proposal_read(a->m, a->r, &proposed, a->rq->arena))
        err = yes ? take_yes(a) : take_no(a);
    else
        err = take_no(a); /* it can no longer be made */
    edit_fini(&proposed);
    return err;
}

int handle_resv_confirm(const struct model *m, const struct request *rq,
                        struct decision *out)
{
    struct answer a = { .m = m, .rq = rq, .out = out, .body = rq->body };
    struct wire_confirm said;
    int err;

    if (!(rq->who->rights & WHO_STAFF))
        return diag_code(&out->why, PBSE_PERM);
    a.r = model_resv(m, a.body->object_id);
    if (!a.r)
        return diag_code(&out->why, PBSE_UNKRESVID);
    a.phase = resv_phase(a.r);
    if (!wire_confirm_read(rq->wire->extend, rq->arena, &said))
        return diag_code(&out->why, PBSE_resvFail);
    if ((err = take_answer(&a, &said)))
        return err;
    return take(&a, said.yes);
}
