/* counter_offer.c - see counter_offer.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/counter_offer.h"

#include "server/decide/resv_proposal.h"
#include "server/model/occurrence.h"

#include "lib/attr/resv_attrs.h"
#include "lib/base/buf.h"

#include <string.h>

/* What becomes of one of the reservations. */
struct change_of {
    const struct resv *r;
    const struct wire_offer *said;
    struct edit e;
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

static int64_t start_of(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_RESERVE_START, 0);
}

static int64_t end_of(const struct resv *r)
{
    return obj_num(&r->obj, RESV_A_RESERVE_END, 0);
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
static bool are_allowed(const struct resv *r, const struct edit *e, struct window w)
{
    int64_t wanted_at = edit_num(e, RESV_A_RESERVE_END, 0);

    if (w.start_at != edit_num(e, RESV_A_RESERVE_START, 0))
        return false;
    if (w.end_at == wanted_at)
        return true;
    return (proposal_allows(r) & ALLOWS_SHORTER) && w.end_at > end_of(r) &&
           w.end_at < wanted_at;
}

static int read_own(struct counter *c)
{
    struct change_of *own = &c->v[0];
    struct window w;

    if (!proposal_read(c->a->m, own->r, &own->e, c->a->rq->arena))
        return refuse(c, own->said, "can no longer be altered");
    if (!read_window(own->said, &w) || !are_allowed(own->r, &own->e, w))
        return refuse(c, own->said, "was not asked about with these times");
    if (w.end_at != edit_num(&own->e, RESV_A_RESERVE_END, 0))
        proposal_set_times(&own->e, w.start_at, w.end_at, c->a->rq->arena);
    return 0;
}

/* NULL when the reservation may be moved at all. */
static const char *unmovable(const struct counter *c, const struct resv *r)
{
    enum resv_phase phase = resv_phase(r);
    const char *partition = obj_str(&r->obj, RESV_A_PARTITION, c->a->partition);

    if ((phase != PHASE_CONFIRMED && phase != PHASE_DEGRADED) ||
        start_of(r) <= now_at(c))
        return "has started, or is not confirmed";
    if (resv_is_maintenance(r))
        return "is maintenance";
    if (proposal_is_open(r))
        return "is being altered";
    if (start_of(r) <= start_of(c->a->r))
        return "does not begin behind it";
    if (strcmp(partition, c->a->partition) != 0)
        return "is of another partition";
    return NULL;
}

/* NULL when it may be moved there. */
static const char *misplaced(const struct resv *r, struct window w)
{
    if (w.end_at - w.start_at != end_of(r) - start_of(r))
        return "would have another length";
    if (w.start_at < start_of(r))
        return "would begin earlier";
    if (w.start_at - start_of(r) > PUSH_FARTHEST_S)
        return "would be moved too far";
    if (proposal_meets_later(r, w.start_at) || proposal_meets_later(r, w.end_at))
        return "would meet its next occurrence";
    return NULL;
}

static bool is_named_before(const struct counter *c, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (c->v[k].r == c->v[i].r)
            return true;
    return false;
}

static int read_moved(struct counter *c, size_t i)
{
    struct change_of *one = &c->v[i];
    const char *why = NULL;
    struct window w;

    one->r = model_resv(c->a->m, one->said->id);
    if (!one->r)
        return refuse(c, one->said, "is gone");
    if (is_named_before(c, i))
        return refuse(c, one->said, "is named twice");
    if (!(proposal_allows(c->a->r) & ALLOWS_PUSH))
        return refuse(c, one->said, "is not to be moved");
    if (!read_window(one->said, &w))
        return refuse(c, one->said, "would have no window");
    if ((why = unmovable(c, one->r)) || (why = misplaced(one->r, w)))
        return refuse(c, one->said, why);
    edit_init(&one->e, c->a->m, OBJ_RESV, &one->r->obj);
    proposal_set_times(&one->e, w.start_at, w.end_at, c->a->rq->arena);
    return 0;
}

static int read_vnodes(struct counter *c, size_t i)
{
    const struct change_of *one = &c->v[i];
    struct exec_vnode *vnodes = arena_zero(c->a->rq->arena, sizeof(*vnodes));
    int err = answer_vnodes_of(c->a, one->said->vnodes, vnodes);

    c->offers[i] = proposal_offer(one->r, &one->e, now_at(c));
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
        int64_t to_at = (int64_t)c->v[i].said->start_at;

        buf_printf(&text, "%s%s", i > 1 ? ", " : "", c->v[i].r->obj.id);
        if (to_at == start_of(c->v[i].r))
            buf_add_str(&text, " to other vnodes");
        else
            buf_printf(&text, " from @%" PRId64 " to @%" PRId64, start_of(c->v[i].r),
                       to_at);
    }
    if (text.len > 0)
        copy = arena_strdup(c->a->out->arena, text.data);
    buf_fini(&text);
    return copy;
}

static void grant(const struct counter *c, size_t i)
{
    struct arena *arena = c->a->out->arena;
    const struct proposal_grant g = {
        .e = &c->v[i].e,
        .vnodes = exec_vnode_print(c->offers[i].vnodes, arena),
        .partition = c->a->partition,
        .actor = c->a->rq->actor,
        .reason = i > 0 ? REASON_PUSHED : REASON_NONE,
        .note =
            i > 0 ? arena_printf(arena, "to make room for %s", c->a->r->obj.id) : NULL,
        .pushed = i > 0 ? NULL : pushed_text(c),
        .now_at = now_at(c),
    };

    MUST(i == 0 || !proposal_is_open(c->v[i].r));
    proposal_grant(c->a->m, c->v[i].r, &g, c->a->out);
}

/* All is read and judged before anything is decided. */
static int take(struct counter *c)
{
    int err = read_own(c);

    for (size_t i = 1; i < c->n && !err; i++)
        err = read_moved(c, i);
    for (size_t i = 0; i < c->n && !err; i++)
        err = read_vnodes(c, i);
    for (size_t i = 0; i < c->n && !err; i++)
        err = judge(c, i);
    for (size_t i = 0; i < c->n && !err; i++)
        grant(c, i);
    return err;
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
    /* A part of a proposal about several, and one about a later occurrence, is content
     * with nothing else, and is answered as it was asked. */
    if (!proposal_allows(a->r))
        return diag_code(&a->out->why, PBSE_BADSTATE);
    MUST(proposal_others(a->m, a->r, arena).n == 0 && proposal_is_about_shown(a->r));
    c.v = arena_zero(arena, c.n * sizeof(*c.v));
    c.offers = arena_zero(arena, c.n * sizeof(*c.offers));
    for (size_t i = 0; i < c.n; i++)
        c.v[i].said = &body->offers[i];
    c.v[0].r = a->r;
    err = take(&c);
    for (size_t i = 0; i < c.n; i++)
        if (c.v[i].e.table) /* it was read before another one was refused */
            edit_fini(&c.v[i].e);
    return err;
}
