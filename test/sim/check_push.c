/* check_push.c - see check_push.h.
 *
 * That nothing is promised twice is looked at by check_promise.c. That nobody is moved
 * by more than is needed is asked of the plan (test/unit/scheduler/test_plan_push.c),
 * since a scheduler of the simulator may have looked long before its answer comes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_push.h"

#include "server/decide/resv_proposal.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void check_record(struct sim *s, const struct resv *r, const struct record *rec)
{
    enum resv_phase phase = resv_phase(r);
    int64_t from_at = obj_num(&r->obj, RESV_A_RESERVE_START, 0);
    int64_t length_s = obj_num(&r->obj, RESV_A_RESERVE_END, 0) - from_at;
    int64_t to_at = after(rec, RESV_A_RESERVE_START, &r->obj);

    if (!s->alters.agreed || proposal_is_open(r) || resv_is_maintenance(r) ||
        (phase != PHASE_CONFIRMED && phase != PHASE_DEGRADED) || from_at <= rec->at)
        check_failed(s, CHECK_ALTER, "%s is moved, and may not be", rec->id);
    if (to_at < from_at || to_at - from_at > PUSH_FARTHEST_S ||
        after(rec, RESV_A_RESERVE_END, &r->obj) - to_at != length_s)
        check_failed(s, CHECK_ALTER, "%s is moved from %" PRId64 " to %" PRId64,
                     rec->id, from_at, to_at);
    for (size_t i = 0; i < rec->n_changes; i++) {
        const struct change *c = &rec->changes[i];

        if (!may_change(c->attr) && !str_same(c->before, c->after))
            check_failed(s, CHECK_ALTER, "%s is moved and has another %s", rec->id,
                         resv_rows[c->attr].name);
    }
}

static void note(struct sim *s, const struct resv *r, const struct record *rec)
{
    struct pushes *all = &s->pushes;
    struct pushed *one = &all->v[all->n++];

    MUST(all->n < PUSHES_MAX);
    snprintf(one->id, sizeof(one->id), "%s", rec->id);
    snprintf(one->vnodes, sizeof(one->vnodes), "%s",
             obj_str(&r->obj, RESV_A_RESV_NODES, ""));
    one->from_at = obj_num(&r->obj, RESV_A_RESERVE_START, 0);
    one->to_at = after(rec, RESV_A_RESERVE_START, &r->obj);
}

void check_push_before(struct sim *s, const struct model *m, const struct record *rec)
{
    const struct resv *r = rec->kind == OBJ_RESV ? model_resv(m, rec->id) : NULL;
    const struct change *names = r ? change_of(rec, RESV_A_PUSHED) : NULL;

    if (names && names->after)
        snprintf(s->pushes.names, sizeof(s->pushes.names), "%s", names->after);
    if (!r || rec->reason != REASON_PUSHED)
        return;
    check_record(s, r, rec);
    note(s, r, rec);
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
    const struct resv *r = model_resv(m, id);

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

void check_push_settled(struct sim *s, const struct model *m)
{
    struct pushes *all = &s->pushes;

    for (size_t i = 0; i < all->n; i++) {
        if (!strstr(all->names, all->v[i].id))
            check_failed(s, CHECK_ALTER, "%s is moved for nobody", all->v[i].id);
        for (size_t k = 0; k < all->n; k++)
            check_order(s, m, &all->v[i], &all->v[k]);
    }
    *all = (struct pushes){ 0 };
}
