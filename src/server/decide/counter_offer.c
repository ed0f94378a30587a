/* counter_offer.c - see counter_offer.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/counter_offer.h"

#include "server/decide/resv_proposal.h"
#include "server/model/occurrence.h"

#include "lib/attr/resv_attrs.h"
#include "lib/base/buf.h"

#include <string.h>

/* What becomes of one occurrence: of the one that is altered, or of one that is moved.
 */
struct change_of {
    const struct occurrence *oc; /* of the model */
    const struct resv *r; /* whose it is; of the altered one, as it is asked about */
    const struct resv *shown; /* the reservation in its turn; 'r' when that is now */
    const struct wire_offer *said;
    struct window to;
    struct edit e; /* of 'shown' */
};

/* The one that is altered first, then those that it moves. */
struct counter {
    const struct resv_answer *a;
    size_t n;
    struct change_of *v;
    struct resv_offer *offers;
};

static int64_t now_at(const struct counter *c)
{
    return c->a->rq->now_at;
}

static int refuse(const struct counter *c, const struct wire_offer *said,
                  const char *why)
{
    return answer_refuse(c->a, arena_printf(c->a->rq->arena, "%s %s", said->id, why));
}

static int64_t start_of(const struct change_of *one)
{
    return occurrence_window(one->oc).start_at;
}

static bool is_later(const struct change_of *one)
{
    return !occurrence_is_current(one->oc);
}

/* Instants of the wire are unsigned; what is no instant of ours fits nowhere. */
static bool read_window(const struct wire_offer *said, struct window *ret)
{
    if (said->start_at >= said->end_at || said->end_at >= INT64_MAX)
        return false;
    *ret = (struct window){ (int64_t)said->start_at, (int64_t)said->end_at };
    return true;
}

/* The wanted times, or an end between the present one and the wanted one where the
 * question is content with that. */
static bool are_allowed(const struct change_of *own)
{
    int64_t wanted_at = edit_num(&own->e, RESV_A_RESERVE_END, 0);

    if (own->to.start_at != edit_num(&own->e, RESV_A_RESERVE_START, 0))
        return false;
    if (own->to.end_at == wanted_at)
        return true;
    return (proposal_allows(own->r) & ALLOWS_SHORTER) &&
           own->to.end_at > occurrence_window(own->oc).end_at &&
           own->to.end_at < wanted_at;
}

static int read_own(struct counter *c)
{
    struct change_of *own = &c->v[0];

    if (!proposal_read(c->a->m, own->r, &own->e, c->a->rq->arena))
        return refuse(c, own->said, "can no longer be altered");
    if (!read_window(own->said, &own->to) || !are_allowed(own))
        return refuse(c, own->said, "was not asked about with these times");
    if (own->to.end_at != edit_num(&own->e, RESV_A_RESERVE_END, 0))
        proposal_set_times(&own->e, own->to.start_at, own->to.end_at, c->a->rq->arena);
    return 0;
}

/* One that comes later has not begun; what it has lost it may be given elsewhere. */
static bool waits(const struct counter *c, const struct change_of *one)
{
    enum resv_phase phase = occurrence_phase(one->oc);

    return (phase == PHASE_CONFIRMED || phase == PHASE_DEGRADED ||
            (is_later(one) && phase_is_in_conflict(phase))) &&
           start_of(one) > now_at(c);
}

/* NULL when it may be moved at all. */
static const char *unmovable(const struct counter *c, const struct change_of *one)
{
    const struct resv *r = one->r;
    const char *partition = obj_str(&r->obj, RESV_A_PARTITION, c->a->partition);

    if (!waits(c, one))
        return "has started, or is not confirmed";
    if (resv_is_maintenance(r))
        return "is maintenance";
    /* Of the series of the altered one other occurrences may follow. */
    if (proposal_is_open(r) && r != c->v[0].oc->resv)
        return "is being altered";
    if (start_of(one) <= start_of(&c->v[0]))
        return "does not begin behind it";
    if (strcmp(partition, c->a->partition) != 0)
        return "is of another partition";
    return NULL;
}

/* NULL when it may be moved there. */
static const char *misplaced(const struct change_of *one)
{
    struct window was = occurrence_window(one->oc);

    if (one->to.end_at - one->to.start_at != was.end_at - was.start_at)
        return "would have another length";
    if (one->to.start_at < was.start_at)
        return "would begin earlier";
    if (one->to.start_at - was.start_at > PUSH_FARTHEST_S)
        return "would be moved too far";
    return NULL;
}

static bool is_named_before(const struct counter *c, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (c->v[k].oc == c->v[i].oc)
            return true;
    return false;
}

/* "S5[3].svr" is an occurrence, and any other id a reservation: its current one. */
static bool find_one(const struct counter *c, struct change_of *one)
{
    const struct resv *r;

    one->oc = occurrence_find(c->a->m, one->said->id);
    if (!one->oc && (r = model_resv(c->a->m, one->said->id)))
        one->oc = &r->current;
    if (!one->oc)
        return false;
    one->r = one->oc->resv;
    one->shown = is_later(one) ? occurrence_as_resv(one->oc, c->a->rq->arena) : one->r;
    return true;
}

static int read_moved(struct counter *c, size_t i)
{
    struct change_of *one = &c->v[i];
    const char *why = NULL;

    if (!find_one(c, one))
        return refuse(c, one->said, "is gone");
    if (is_named_before(c, i))
        return refuse(c, one->said, "is named twice");
    if (!(proposal_allows(c->a->r) & ALLOWS_PUSH))
        return refuse(c, one->said, "is not to be moved");
    if (!read_window(one->said, &one->to))
        return refuse(c, one->said, "would have no window");
    if ((why = unmovable(c, one)) || (why = misplaced(one)))
        return refuse(c, one->said, why);
    edit_init(&one->e, c->a->m, OBJ_RESV, &one->shown->obj);
    proposal_set_times(&one->e, one->to.start_at, one->to.end_at, c->a->rq->arena);
    return 0;
}

/* When that occurrence will be, all of the offer made. */
static struct window window_then(const struct counter *c, const struct occurrence *oc)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i].oc == oc)
            return c->v[i].to;
    return occurrence_window(oc);
}

/* Does an occurrence end before the one behind it begins? Where both instants stay that
 * is not asked, as in the rule. */
static bool keeps_order(const struct counter *c, const struct occurrence *oc)
{
    const struct occurrence *behind = oc ? occurrence_after(oc) : NULL;
    int64_t end_at, start_at;

    if (!behind)
        return true;
    end_at = window_then(c, oc).end_at;
    start_at = window_then(c, behind).start_at;
    return end_at < start_at || (end_at == occurrence_window(oc).end_at &&
                                 start_at == occurrence_window(behind).start_at);
}

static int check_order(const struct counter *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct change_of *one = &c->v[i];

        if (!keeps_order(c, one->oc) || !keeps_order(c, occurrence_before(one->oc)))
            return refuse(c, one->said, "would meet another occurrence of its series");
    }
    return 0;
}

static int read_vnodes(struct counter *c, size_t i)
{
    const struct change_of *one = &c->v[i];
    struct exec_vnode *vnodes = arena_zero(c->a->rq->arena, sizeof(*vnodes));
    int err = answer_vnodes_of(c->a, one->said->vnodes, vnodes);

    c->offers[i] = proposal_offer(one->shown, &one->e, now_at(c));
    c->offers[i].occurrence = one->oc;
    c->offers[i].vnodes = vnodes;
    return err;
}

static int judge(const struct counter *c, size_t i)
{
    const struct resv_offer offer = offer_beside(c->offers, c->n, i, c->a->rq->arena);
    struct resv_answer about = *c->a;

    about.r = c->v[i].r;
    return answer_judge(&about, &offer, edit_str(&c->v[i].e, RESV_A_SCHEDSELECT, ""));
}

/* "R6.svr from @1795248127 to @1795248727, ...": an instant is "@" and its number, as
 * in reasons. One that keeps its times has other vnodes only. */
static const char *pushed_text(const struct counter *c)
{
    struct buf text = { 0 };
    const char *copy = NULL;

    for (size_t i = 1; i < c->n; i++) {
        const struct change_of *one = &c->v[i];

        buf_printf(&text, "%s%s", i > 1 ? ", " : "", one->shown->obj.id);
        if (one->to.start_at == start_of(one))
            buf_add_str(&text, " to other vnodes");
        else
            buf_printf(&text, " from @%" PRId64 " to @%" PRId64, start_of(one),
                       one->to.start_at);
    }
    if (text.len > 0)
        copy = arena_strdup(c->a->out->arena, text.data);
    buf_fini(&text);
    return copy;
}

static void grant(const struct counter *c, size_t i)
{
    struct arena *arena = c->a->out->arena;
    const struct change_of *one = &c->v[i];
    const struct proposal_grant g = {
        .e = &one->e,
        .later = is_later(one) ? one->oc : NULL,
        .vnodes = exec_vnode_print(c->offers[i].vnodes, arena),
        .partition = c->a->partition,
        .actor = c->a->rq->actor,
        .reason = i > 0 ? REASON_PUSHED : REASON_NONE,
        .note = i > 0
                    ? arena_printf(arena, "to make room for %s", c->v[0].shown->obj.id)
                    : NULL,
        .pushed = i > 0 ? NULL : pushed_text(c),
        .now_at = now_at(c),
    };

    MUST(i == 0 || !proposal_is_open(one->r) || one->r == c->v[0].oc->resv);
    proposal_grant(c->a->m, one->r, &g, c->a->out);
}

/* The altered one comes last: what its record says of others is so then. */
static void grant_all(const struct counter *c)
{
    for (size_t i = 1; i < c->n; i++)
        grant(c, i);
    grant(c, 0);
}

/* All is read and judged before anything is decided. */
static int take(struct counter *c)
{
    int err = read_own(c);

    for (size_t i = 1; i < c->n && !err; i++)
        err = read_moved(c, i);
    if (!err)
        err = check_order(c);
    for (size_t i = 0; i < c->n && !err; i++)
        err = read_vnodes(c, i);
    for (size_t i = 0; i < c->n && !err; i++)
        err = judge(c, i);
    if (!err)
        grant_all(c);
    return err;
}

/* The altered one: proposal_obstacle() has said nothing, so its occurrence is there. */
static void set_own(struct counter *c)
{
    const struct occurrence *oc =
        proposal_occurrence(c->a->m, c->a->r, c->a->rq->arena);
    struct change_of *own = &c->v[0];

    MUST(oc);
    own->oc = occurrence_is_current(oc) ? resv_current(c->a->r) : oc;
    own->r = c->a->r;
    own->shown = is_later(own) ? occurrence_as_resv(oc, c->a->rq->arena) : own->r;
}

int counter_offer_take(const struct resv_answer *a, const struct body_offer_resv *body)
{
    struct arena *arena = a->rq->arena;
    struct counter c = { .a = a, .n = body->n };
    const char *against = proposal_obstacle(a->m, a->r, a->rq->now_at, arena);
    int err;

    MUST(proposal_is_open(a->r));
    if (body->n < 1 || body->n > 1 + PUSH_MOST)
        return diag_code(&a->out->why, PBSE_IVALREQ);
    if (against) {
        proposal_deny(a->m, a->r, a->rq->actor, against, a->rq->now_at, a->out);
        return 0;
    }
    /* A part of a proposal about several is content with nothing else, and is answered
     * as it was asked. */
    if (!proposal_allows(a->r))
        return diag_code(&a->out->why, PBSE_BADSTATE);
    MUST(proposal_others(a->m, a->r, arena).n == 0);
    c.v = arena_zero(arena, c.n * sizeof(*c.v));
    c.offers = arena_zero(arena, c.n * sizeof(*c.offers));
    for (size_t i = 0; i < c.n; i++)
        c.v[i].said = &body->offers[i];
    set_own(&c);
    err = take(&c);
    for (size_t i = 0; i < c.n; i++)
        if (c.v[i].e.table) /* it was read before another one was refused */
            edit_fini(&c.v[i].e);
    return err;
}
