/* question_alter.c - the question whether a proposed change may be made
 * (resv_proposal.h).
 *
 * A proposal may be about several reservations: a yes to one of them is kept until each
 * has one, and then all are judged together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/question_kind.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_record.h"
#include "server/model/occurrence.h"

#include "lib/attr/resv_attrs.h"
#include "lib/base/instant.h"

/* A yes to one part of the proposal. */
struct part_yes {
    const struct resv_answer *a;
    const struct edit *e; /* what the part is to be */
    struct exec_vnode vnodes;
    struct resv_offer offer; /* its 'with': what is known of the other parts */
};

/* An alteration is put when it is asked for, and again when a no was not final. It is
 * the only question that somebody may be waiting for without a date of his own. */
static int64_t due_at(const struct model *m UNUSED, const struct resv *r)
{
    return question_again_at(r);
}

/* One that a former version stored has no change that could be made. */
static int64_t limit_at(const struct model *m, const struct resv *r)
{
    if (!obj_is_set(&r->obj, RESV_A_HF_ALTER_EDIT))
        return INT64_MIN;
    return instant_after(obj_num(&r->obj, RESV_A_HF_ALTER_AT, 0),
                         resv_answer_time_s(m));
}

/* It is denied for that reason, and a forced one is made. */
static void give_up(const struct model *m, const struct resv *r, const char *actor,
                    int64_t now_at, struct decision *out)
{
    const char *against = proposal_obstacle(m, r, now_at, out->arena);

    if (!against && proposal_is_forced(r)) {
        proposal_force(m, r, actor, REASON_LOCAL, now_at, out);
        return;
    }
    if (!against)
        against = arena_printf(out->arena, "no scheduler answered within %" PRId64 " s",
                               resv_answer_time_s(m));
    proposal_deny(m, r, actor, against, now_at, out);
}

static void deny(const struct resv_answer *a, const char *reason)
{
    proposal_deny(a->m, a->r, a->rq->actor, reason, a->rq->now_at, a->out);
}

static int take_no(const struct resv_answer *a)
{
    const char *against = proposal_obstacle(a->m, a->r, a->rq->now_at, a->rq->arena);

    /* What is impossible by now is denied, whoever has said no and for whatever
     * reason. */
    if (against) {
        deny(a, against);
    } else if (!question_is_denied_by(a->m, a->r, a->sched)) {
        answer_note_no(a);
    } else if (proposal_is_forced(a->r)) {
        proposal_force(a->m, a->r, a->rq->actor, REASON_NONE, a->rq->now_at, a->out);
    } else if (answer_is_for_awaited_vnodes(a)) {
        answer_ask_again(a);
    } else {
        deny(a, a->reason ? a->reason : "the scheduler gave no reason");
    }
    return 0;
}

/* What a part wants, with vnodes that are not known yet. */
static struct resv_offer offer_of(const struct resv_answer *a, const struct resv *r,
                                  const struct edit *e)
{
    int64_t start_at = edit_num(e, RESV_A_RESERVE_START, 0);

    return (struct resv_offer){
        .occurrence = &r->current,
        .start_at = start_at,
        .end_at = edit_num(e, RESV_A_RESERVE_END, 0),
        .now_at = a->rq->now_at,
        .smaller = e->touched[RESV_A_SCHEDSELECT],
        .moves = start_at > a->rq->now_at,
    };
}

/* What another part would be given; no vnodes when nobody has said yes to it. False
 * when it cannot be made any more. */
static bool read_part(const struct resv_answer *a, const struct resv *r,
                      struct resv_offer *ret)
{
    const char *text = proposal_vnodes(r);
    struct exec_vnode *vnodes = arena_zero(a->rq->arena, sizeof(*vnodes));
    struct edit e;
    bool whole = proposal_read(a->m, r, &e, a->rq->arena);

    if (whole)
        *ret = offer_of(a, r, &e);
    ret->vnodes = vnodes;
    edit_fini(&e);
    return whole &&
           (!text || !exec_vnode_parse(text, a->m->defs, a->rq->arena, vnodes, NULL));
}

static int read_parts(struct part_yes *y)
{
    const struct resv_answer *a = y->a;
    struct proposal_others others = proposal_others(a->m, a->r, a->rq->arena);
    struct resv_offer *with = arena_zero(a->rq->arena, (others.n + 1) * sizeof(*with));

    for (size_t i = 0; i < others.n; i++)
        if (!read_part(a, others.v[i], &with[i]))
            return diag_code(&a->out->why, PBSE_BADSTATE);
    y->offer.with = with;
    y->offer.n_with = others.n;
    return 0;
}

/* Does the yes to that part still hold, beside the answer and the other parts? */
static bool part_holds(const struct part_yes *y, size_t i)
{
    const struct resv_answer *a = y->a;
    struct resv_offer offer = y->offer.with[i];
    struct resv_offer *rest =
        arena_copy(a->rq->arena, y->offer.with, (y->offer.n_with + 1) * sizeof(*rest));
    const char *why;

    rest[i] = y->offer;
    offer.with = rest;
    offer.n_with = y->offer.n_with;
    return !resv_fit_unknown(a->m, offer.vnodes) &&
           resv_fit(a->m, &offer, a->rq->arena, &why);
}

/* True when every other part has a yes; one that holds no more is asked again. */
static bool others_agree(const struct part_yes *y)
{
    const struct resv_answer *a = y->a;
    bool agree = true;

    for (size_t i = 0; i < y->offer.n_with; i++) {
        const struct resv_offer *other = &y->offer.with[i];

        if (other->vnodes->n == 0) {
            agree = false;
        } else if (!part_holds(y, i)) {
            proposal_forget_yes(other->occurrence->resv, a->rq->actor, a->rq->now_at,
                                a->out);
            agree = false;
        }
    }
    return agree;
}

static void grant(const struct part_yes *y, const char *vnodes)
{
    const struct resv_answer *a = y->a;
    const struct proposal_grant g = {
        .e = y->e,
        .vnodes = vnodes,
        .partition = a->partition,
        .actor = a->rq->actor,
        .now_at = a->rq->now_at,
    };

    proposal_grant(a->m, a->r, &g, a->out);
    proposal_grant_others(a->m, a->r, a->rq->actor, REASON_NONE, a->rq->now_at, a->out);
}

static int join(struct part_yes *y)
{
    const struct resv_answer *a = y->a;
    const char *against, *vnodes;
    int err;

    y->offer = offer_of(a, a->r, y->e);
    y->offer.vnodes = &y->vnodes;
    if (a->start_at != 0 && a->start_at != (uint64_t)y->offer.start_at)
        return diag_code(&a->out->why, PBSE_BADSTATE); /* of an older question */
    against = proposal_obstacle(a->m, a->r, a->rq->now_at, a->rq->arena);
    if (against) {
        deny(a, against);
        return 0;
    }
    if ((err = answer_vnodes(a, &y->vnodes)) || (err = read_parts(y)) ||
        (err = answer_judge(a, &y->offer, edit_str(y->e, RESV_A_SCHEDSELECT, ""))))
        return err;
    vnodes = exec_vnode_print(&y->vnodes, a->rq->arena);
    /* The last yes makes all parts true in one decision. */
    if (others_agree(y))
        grant(y, vnodes);
    else
        proposal_note_yes(a->r, vnodes, a->partition, a->rq->actor, a->rq->now_at,
                          a->out);
    return 0;
}

static int take_yes(const struct resv_answer *a)
{
    struct edit e;
    struct part_yes y = { .a = a, .e = &e };
    int err;

    if (proposal_read(a->m, a->r, &e, a->rq->arena))
        err = join(&y);
    else
        err = take_no(a); /* it can no longer be made */
    edit_fini(&e);
    return err;
}

const struct question_row question_alter = {
    .due_at = due_at,
    .command = SCHED_RECONFIRM,
    .yes = take_yes,
    .no = take_no,
    .limit_at = limit_at,
    .give_up = give_up,
};
