/* question_alter.c - the question whether a proposed change may be made
 * (resv_proposal.h).
 *
 * A proposal may be about several reservations: a yes to one of them is kept until each
 * has one, and then all are judged together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/question_kind.h"
#include "server/decide/question_series.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_record.h"
#include "server/decide/resv_series.h"
#include "server/model/occurrence.h"

#include "lib/attr/resv_attrs.h"
#include "lib/base/instant.h"

/* What the parts of a proposal would be given, each by the yes to it; a part has no
 * vnodes while nobody has said yes. */
struct parts {
    const struct model *m;
    struct arena *arena;
    size_t n;
    struct resv_offer *v;
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

/* The later occurrence that a part is about; NULL: the current one. */
static const struct occurrence *later_of(const struct model *m, const struct resv *r,
                                         struct arena *arena)
{
    const struct occurrence *oc = proposal_occurrence(m, r, arena);

    return oc && !occurrence_is_current(oc) ? oc : NULL;
}

/* False when the part cannot be made any more. */
static bool read_part(const struct parts *ps, const struct resv *r, int64_t now_at,
                      struct resv_offer *ret)
{
    const char *text = proposal_vnodes(r);
    struct exec_vnode *vnodes = arena_zero(ps->arena, sizeof(*vnodes));
    struct edit e;
    bool whole = proposal_read(ps->m, r, &e, ps->arena);

    if (whole)
        *ret = proposal_offer(r, &e, now_at);
    if (whole && later_of(ps->m, r, ps->arena))
        ret->occurrence = later_of(ps->m, r, ps->arena);
    ret->vnodes = vnodes;
    edit_fini(&e);
    return whole &&
           (!text || !exec_vnode_parse(text, ps->m->defs, ps->arena, vnodes, NULL));
}

/* All parts, that of 'r' first. */
static bool read_parts(const struct resv *r, int64_t now_at, struct parts *ps)
{
    struct proposal_others others = proposal_others(ps->m, r, ps->arena);

    ps->n = others.n + 1;
    ps->v = arena_zero(ps->arena, ps->n * sizeof(*ps->v));
    for (size_t i = 0; i < ps->n; i++)
        if (!read_part(ps, i == 0 ? r : others.v[i - 1], now_at, &ps->v[i]))
            return false;
    return true;
}

/* Does the yes to that part still hold, beside those to the others? */
static bool part_holds(const struct parts *ps, size_t i)
{
    const struct resv_offer offer = offer_beside(ps->v, ps->n, i, ps->arena);
    const char *why;

    return offer.vnodes->n > 0 && !resv_fit_unknown(ps->m, offer.vnodes) &&
           resv_fit(ps->m, &offer, ps->arena, &why);
}

/* Make it without a scheduler's word: parts with a yes that still holds get its vnodes,
 * the others keep theirs. Whoever was not asked about would be harmed by a yes that
 * holds no more. */
static void force(const struct model *m, const struct resv *r, const char *actor,
                  enum reason reason, int64_t now_at, struct decision *out)
{
    struct parts ps = { .m = m, .arena = out->arena };
    bool whole = read_parts(r, now_at, &ps);

    MUST(whole); /* proposal_obstacle() has said nothing */
    for (size_t i = 0; i < ps.n; i++)
        proposal_make(m, i == 0 ? r : ps.v[i].occurrence->resv, part_holds(&ps, i),
                      actor, reason, now_at, out);
}

/* Nobody has answered in time: a forced alteration is made, and any other one is
 * denied. */
static void give_up(const struct model *m, const struct resv *r, const char *actor,
                    int64_t now_at, struct decision *out)
{
    const char *against = proposal_obstacle(m, r, now_at, out->arena);

    if (!against && proposal_is_forced(r)) {
        force(m, r, actor, REASON_LOCAL, now_at, out);
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
        force(a->m, a->r, a->rq->actor, REASON_NONE, a->rq->now_at, a->out);
    } else if (answer_is_for_awaited_vnodes(a)) {
        answer_ask_again(a);
    } else {
        deny(a, a->reason ? a->reason : "the scheduler gave no reason");
    }
    return 0;
}

/* True when every other part has a yes; one that holds no more is asked again. */
static bool others_agree(const struct resv_answer *a, const struct parts *ps)
{
    bool agree = true;

    for (size_t i = 1; i < ps->n; i++) {
        const struct resv_offer *other = &ps->v[i];

        if (other->vnodes->n == 0) {
            agree = false;
        } else if (!part_holds(ps, i)) {
            proposal_forget_yes(other->occurrence->resv, a->rq->actor, a->rq->now_at,
                                a->out);
            agree = false;
        }
    }
    return agree;
}

static void grant(const struct resv_answer *a, const struct edit *e, const char *vnodes)
{
    const struct proposal_grant g = {
        .e = e,
        .later = later_of(a->m, a->r, a->rq->arena),
        .vnodes = vnodes,
        .partition = a->partition,
        .actor = a->rq->actor,
        .now_at = a->rq->now_at,
    };
    struct proposal_others others = proposal_others(a->m, a->r, a->rq->arena);

    proposal_grant(a->m, a->r, &g, a->out);
    for (size_t i = 0; i < others.n; i++)
        proposal_make(a->m, others.v[i], true, a->rq->actor, REASON_NONE, a->rq->now_at,
                      a->out);
}

/* The answer takes the place of a yes that its part has. */
static int judge(const struct resv_answer *a, const struct edit *e, struct parts *ps)
{
    struct exec_vnode *vnodes = arena_zero(a->rq->arena, sizeof(*vnodes));
    struct resv_offer offer;
    int err = answer_vnodes(a, vnodes);

    if (err)
        return err;
    if (!read_parts(a->r, a->rq->now_at, ps))
        return diag_code(&a->out->why, PBSE_BADSTATE);
    ps->v[0].vnodes = vnodes;
    offer = offer_beside(ps->v, ps->n, 0, ps->arena);
    return answer_judge(a, &offer, edit_str(e, RESV_A_SCHEDSELECT, ""));
}

static int take_yes_to(const struct resv_answer *a, const struct edit *e)
{
    struct parts ps = { .m = a->m, .arena = a->rq->arena };
    const char *against, *vnodes;
    int err;

    if (a->start_at != 0 &&
        a->start_at != (uint64_t)edit_num(e, RESV_A_RESERVE_START, 0))
        return diag_code(&a->out->why, PBSE_BADSTATE); /* of an older question */
    against = proposal_obstacle(a->m, a->r, a->rq->now_at, a->rq->arena);
    if (against) {
        deny(a, against);
        return 0;
    }
    /* A yes that moves nobody cannot be one to what meets its own series; whoever says
     * it would repeat it. */
    if (!proposal_keeps_order(a->m, a->r, e, a->rq->arena)) {
        deny(a, pbse_text(PBSE_STDG_RESV_OCCR_CONFLICT));
        return 0;
    }
    if (series_is_new(a->r)) /* all of it is confirmed with its first one altered */
        return series_confirm_altered(a, e);
    if ((err = judge(a, e, &ps)))
        return err;
    vnodes = exec_vnode_print(ps.v[0].vnodes, a->rq->arena);
    /* The last yes makes all parts true in one decision. */
    if (others_agree(a, &ps))
        grant(a, e, vnodes);
    else
        proposal_note_yes(a->r, vnodes, a->partition, a->rq->actor, a->rq->now_at,
                          a->out);
    return 0;
}

static int take_yes(const struct resv_answer *a)
{
    struct edit e;
    int err;

    if (proposal_read(a->m, a->r, &e, a->rq->arena))
        err = take_yes_to(a, &e);
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
