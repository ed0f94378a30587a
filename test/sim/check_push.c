/* check_push.c - see check_push.h.
 *
 * That nothing is promised twice is looked at by check_promise.c. Who is moved had
 * something where another one is now. A scheduler of the simulator may have looked long
 * before its answer comes, so whether the one who is moved could have stayed is asked
 * of its plan, and only where nothing has happened since it looked. That nobody is
 * moved by more than is needed is asked by test/unit/scheduler/test_plan_push.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_push.h"

#include "server/decide/resv_proposal.h"
#include "server/model/occurrence.h"
#include "server/model/resv_claims.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static const struct change *change_of(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return &rec->changes[i];
    return NULL;
}

static int64_t after(const struct record *rec, int attr, const struct object *o)
{
    const struct change *c = change_of(rec, attr);

    return c && c->after ? atoll(c->after) : obj_num(o, attr, 0);
}

/* Anything else than these stays. */
static bool may_change(int attr)
{
    static const int attrs[] = {
        RESV_A_RESERVE_START, RESV_A_RESERVE_END,      RESV_A_RESV_NODES,
        RESV_A_RESERVE_STATE, RESV_A_RESERVE_SUBSTATE, RESV_A_PARTITION,
        RESV_A_MTIME,         RESV_A_RESERVE_RETRY,    RESV_A_ALTER_DENIED,
        RESV_A_PUSHED,
    };

    for (size_t i = 0; i < ARRAY_LEN(attrs); i++)
        if (attrs[i] == attr)
            return true;
    return (resv_rows[attr].flags & ATTR_INTERNAL) != 0;
}

/* What may change of an occurrence that comes later. */
static bool may_change_later(int attr)
{
    return attr == OCCURRENCE_A_START || attr == OCCURRENCE_A_END ||
           attr == OCCURRENCE_A_RESV_NODES || attr == OCCURRENCE_A_STATE ||
           attr == OCCURRENCE_A_SUBSTATE;
}

static void check_moved_alone(struct sim *s, const struct record *rec)
{
    bool later = rec->kind == OBJ_OCCURRENCE;

    for (size_t i = 0; i < rec->n_changes; i++) {
        const struct change *c = &rec->changes[i];

        if (!(later ? may_change_later(c->attr) : may_change(c->attr)) &&
            !str_same(c->before, c->after))
            check_failed(s, CHECK_ALTER, "%s is moved and has another %s", rec->id,
                         kind_table(rec->kind)->rows[c->attr].name);
    }
}

static struct window window_after(const struct occurrence *oc, const struct record *rec)
{
    bool later = rec->kind == OBJ_OCCURRENCE;
    int start = later ? (int)OCCURRENCE_A_START : (int)RESV_A_RESERVE_START;
    int end = later ? (int)OCCURRENCE_A_END : (int)RESV_A_RESERVE_END;

    return (struct window){ after(rec, start, oc->values),
                            after(rec, end, oc->values) };
}

/* Of the series of the altered one others may be moved while it is asked about. */
static bool may_be_moved(const struct occurrence *oc, int64_t now_at)
{
    enum resv_phase phase = occurrence_phase(oc);
    bool later = !occurrence_is_current(oc);

    return (later || !proposal_is_open(oc->resv)) && !resv_is_maintenance(oc->resv) &&
           (phase == PHASE_CONFIRMED || phase == PHASE_DEGRADED ||
            (later && phase_is_in_conflict(phase))) &&
           occurrence_start_at(oc, 0) > now_at;
}

static void check_record(struct sim *s, const struct occurrence *oc,
                         const struct record *rec)
{
    struct window was = occurrence_window(oc), is = window_after(oc, rec);

    if (!s->alters.agreed || !may_be_moved(oc, rec->at))
        check_failed(s, CHECK_ALTER, "%s is moved, and may not be", rec->id);
    if (is.start_at < was.start_at || is.start_at - was.start_at > PUSH_FARTHEST_S ||
        is.end_at - is.start_at != was.end_at - was.start_at)
        check_failed(s, CHECK_ALTER, "%s is moved from %" PRId64 " to %" PRId64,
                     rec->id, was.start_at, is.start_at);
    check_moved_alone(s, rec);
}

static void note(struct sim *s, const struct occurrence *oc, const struct record *rec)
{
    struct pushes *all = &s->pushes;
    struct pushed *one = &all->v[all->n++];

    MUST(all->n < PUSHES_MAX);
    snprintf(one->id, sizeof(one->id), "%s", rec->id);
    snprintf(one->vnodes, sizeof(one->vnodes), "%s", occurrence_vnodes(oc));
    snprintf(one->room_for, sizeof(one->room_for), "%s",
             rec->note ? rec->note + strcspn(rec->note, "RSM") : "");
    one->until_at = occurrence_end_at(oc, 0);
    one->from_at = occurrence_start_at(oc, 0);
    one->to_at = window_after(oc, rec).start_at;
}

/* Which occurrence the record is about; NULL: none. */
static const struct occurrence *moved(const struct model *m, const struct record *rec)
{
    const struct resv *r;

    if (rec->fact != FACT_RESV_ALTERED || rec->reason != REASON_PUSHED)
        return NULL;
    if (rec->kind == OBJ_OCCURRENCE)
        return occurrence_find(m, rec->id);
    r = rec->kind == OBJ_RESV ? model_resv(m, rec->id) : NULL;
    return r ? &r->current : NULL;
}

void check_push_before(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct change *names =
        rec->kind == OBJ_RESV ? change_of(rec, RESV_A_PUSHED) : NULL;
    const struct occurrence *oc = moved(m, rec);

    if (names && names->after)
        snprintf(s->pushes.names, sizeof(s->pushes.names), "%s", names->after);
    if (!oc)
        return;
    check_record(s, oc, rec);
    note(s, oc, rec);
}

/* "vn[1]" of "(vn[1]:ncpus=2)+...", in the other text too. */
static bool share_vnode(const char *a, const char *b)
{
    for (const char *at = a; (at = strstr(at, "vn[")); at++) {
        char name[16];
        int len = (int)strcspn(at, ":)+");

        snprintf(name, sizeof(name), "%.*s:", len, at);
        if (strstr(b, name))
            return true;
    }
    return false;
}

static const char *vnodes_now(const struct model *m, const char *id)
{
    const struct occurrence *oc = occurrence_find(m, id);
    const struct resv *r = oc ? NULL : model_resv(m, id);

    if (oc)
        return occurrence_vnodes(oc);
    return r ? obj_str(&r->obj, RESV_A_RESV_NODES, "") : "";
}

static void check_order(struct sim *s, const struct model *m, const struct pushed *a,
                        const struct pushed *b)
{
    if (a->from_at < b->from_at && b->to_at < a->to_at &&
        share_vnode(a->vnodes, b->vnodes) &&
        share_vnode(vnodes_now(m, a->id), vnodes_now(m, b->id)))
        check_failed(s, CHECK_ALTER, "%s is moved behind %s", a->id, b->id);
}

/* Of one series: an occurrence moves the next one on whatever vnodes that is. */
static bool are_of_one_series(const char *a, const char *b)
{
    size_t len = strcspn(a, "[.");

    return strcspn(b, "[.") == len && strncmp(a, b, len) == 0;
}

static bool stands_there(const struct occurrence *oc, const struct pushed *a)
{
    struct window w = occurrence_window(oc);

    return w.start_at < a->until_at && w.end_at > a->from_at &&
           share_vnode(a->vnodes, occurrence_vnodes(oc));
}

/* Is that one, or of a series any occurrence, now where the other was? */
static bool takes_place(const struct model *m, const char *id, const struct pushed *a)
{
    const struct occurrence *oc = occurrence_find(m, id);
    const struct resv *r = oc ? NULL : model_resv(m, id);

    if (are_of_one_series(id, a->id) || (oc && stands_there(oc, a)) ||
        (r && stands_there(&r->current, a)))
        return true;
    if (r)
        DL_FOREACH (r->later, oc)
            if (stands_there(oc, a))
                return true;
    return false;
}

/* What the server has for all may be why one has to move, and not what vnodes have. */
static bool server_limits(const struct model *m)
{
    return obj_is_set(m->server, SERVER_A_RESOURCES_AVAILABLE);
}

static void check_needed(struct sim *s, const struct model *m, const struct pushed *a)
{
    bool needed = server_limits(m) || takes_place(m, a->room_for, a);

    for (size_t i = 0; i < s->pushes.n && !needed; i++)
        needed = &s->pushes.v[i] != a && takes_place(m, s->pushes.v[i].id, a);
    if (!needed)
        check_failed(s, CHECK_ALTER, "%s is moved for %s, and nobody needs its place",
                     a->id, a->room_for);
}

void check_push_settled(struct sim *s, const struct model *m)
{
    struct pushes *all = &s->pushes;

    for (size_t i = 0; i < all->n; i++) {
        if (!strstr(all->names, all->v[i].id))
            check_failed(s, CHECK_ALTER, "%s is moved for nobody", all->v[i].id);
        check_needed(s, m, &all->v[i]);
        for (size_t k = 0; k < all->n; k++)
            check_order(s, m, &all->v[i], &all->v[k]);
    }
    *all = (struct pushes){ 0 };
}

/* The plan. */

/* One that a plan moves, as if it stayed. */
struct stayer {
    const struct model *m;
    const struct plan *plan;
    const struct plan_place *own;
    const struct occurrence *oc;
    struct window w;
    const struct node *n; /* the vnode of it that is looked at */
    struct arena *arena;
};

static const struct occurrence *occurrence_of(const struct model *m, const char *id)
{
    const struct occurrence *oc = occurrence_find(m, id);
    const struct resv *r = oc ? NULL : model_resv(m, id);

    return r ? &r->current : oc;
}

/* Others that are moved too count where they stand and where they go: each of the two
 * was in the way at some time. */
static int64_t standing(const struct stayer *x, const char *resource)
{
    struct claims list = claims_on(x->n, x->oc, x->w, x->w.start_at, x->arena);
    int64_t sum = 0;

    for (size_t i = 0; i < list.n; i++)
        sum += resources_amount(list.v[i].amount, resource, 0);
    return sum;
}

/* NULL: nothing of the vnode is in the text. */
static const struct resources *given(const struct stayer *x, const char *vnodes,
                                     struct bookings *list)
{
    bookings_read(x->m, vnodes, x->arena, list);
    return bookings_has(list, x->n) ? bookings_on(list, x->n) : NULL;
}

static int64_t amount_given(const struct stayer *x, const char *vnodes,
                            const char *resource)
{
    struct bookings list = { 0 };
    const struct resources *own = given(x, vnodes, &list);
    int64_t ret = own ? resources_amount(own, resource, 0) : 0;

    bookings_drop(&list);
    return ret;
}

static bool is_given(const struct stayer *x, const char *vnodes)
{
    struct bookings list = { 0 };
    bool ret = given(x, vnodes, &list) != NULL;

    bookings_drop(&list);
    return ret;
}

static bool is_beside(const struct stayer *x, const struct plan_place *p)
{
    return p != x->own && p->start_at < x->w.end_at && p->end_at > x->w.start_at;
}

/* What the plan gives on the vnode in these times, to whomever. */
static int64_t planned(const struct stayer *x, const char *resource)
{
    int64_t sum = 0;

    for (size_t i = 0; i < x->plan->n; i++) {
        const struct plan_step *step = &x->plan->steps[i];

        for (size_t k = 0; k < step->n_places; k++)
            if (is_beside(x, &step->places[k]))
                sum += amount_given(x, step->places[k].vnodes, resource);
        if (step->n_places == 0 && step->vnodes)
            sum += amount_given(x, step->vnodes, resource);
    }
    return sum;
}

static bool is_exclusive(const struct stayer *x, const struct occurrence *oc)
{
    return !oc || claim_is_exclusive(x->n, occurrence_resources(oc), x->arena);
}

/* One of the two wants the vnode alone. */
static bool is_shut_out(const struct stayer *x, const struct plan_step *step)
{
    for (size_t i = 0; i < step->n_places; i++) {
        const struct plan_place *p = &step->places[i];

        if (is_beside(x, p) && is_given(x, p->vnodes) &&
            (is_exclusive(x, x->oc) || is_exclusive(x, occurrence_of(x->m, p->id))))
            return true;
    }
    return false;
}

static bool has_no_room(const struct stayer *x, const struct plan_step *step,
                        const struct booking *h)
{
    const struct resources *has = obj_resources(&x->n->obj, NODE_A_RESOURCES_AVAILABLE);

    if (is_shut_out(x, step))
        return true;
    for (size_t i = 0; i < h->amount.n; i++) {
        const char *name = h->amount.v[i].def->name;

        if (resources_find(has, name) && resources_amount(&h->amount, name, 0) +
                                                 standing(x, name) + planned(x, name) >
                                             resources_amount(has, name, 0))
            return true;
    }
    return false;
}

static bool has_to_move(struct stayer *x, const struct plan_step *step)
{
    for (size_t i = 0; i < step->n_places; i++)
        if (&step->places[i] != x->own &&
            are_of_one_series(step->places[i].id, x->own->id))
            return true;
    for (size_t i = 0; i < x->oc->bookings.n; i++) {
        x->n = x->oc->bookings.v[i].node;
        if (has_no_room(x, step, &x->oc->bookings.v[i]))
            return true;
    }
    return false;
}

/* A new series may be given what is read otherwise. */
static bool gives_series(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        if (plan->steps[i].n_occurrences > 0)
            return true;
    return false;
}

static void check_step(struct sim *s, const struct planner *p,
                       const struct plan_step *step, struct arena *arena)
{
    /* The first place is that of the one that is altered. */
    for (size_t i = 1; i < step->n_places; i++) {
        const struct model *m = shell_model(s);
        struct stayer x = { .m = m,
                            .plan = &p->plan,
                            .own = &step->places[i],
                            .oc = occurrence_of(m, step->places[i].id),
                            .arena = arena };

        if (!x.oc)
            continue;
        x.w = occurrence_window(x.oc);
        if (!has_to_move(&x, step))
            check_failed(s, CHECK_ALTER, "%s is to be moved for %s, and could stay",
                         x.own->id, step->id);
    }
}

void check_push_plan(struct sim *s, const struct planner *p)
{
    struct arena *arena;

    if (!shell_model(s) || shell_model(s)->seq != p->seen_seq ||
        server_limits(shell_model(s)) || gives_series(&p->plan))
        return;
    arena = arena_new();
    for (size_t i = 0; i < p->plan.n; i++)
        check_step(s, p, &p->plan.steps[i], arena);
    arena_free(arena);
}
