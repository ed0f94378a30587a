/* resv_health.c - a reservation is degraded while a vnode that it holds is unusable.
 *
 * Derived anew from the states of the vnodes whenever one of them or the reservation
 * changed, never counted: it does not matter how often, in which order or for how many
 * reasons a vnode went away. Only confirmed reservations have a health; one that is
 * being deleted is left alone. Each occurrence of a series has its own health; the
 * reservation has one retry for all of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_record.h"
#include "server/model/node_life.h"
#include "server/model/occurrence.h"
#include "server/rules/rules.h"

static bool degrade(const struct rule_context *c, const struct resv *r,
                    const struct node *lost, struct decision *out)
{
    struct record *rec = rule_decide(c, &r->obj, FACT_RESV_DEGRADED, out);

    MUST(!node_is_usable(lost));
    rec->note = arena_printf(c->arena, "vnode %s is not usable", lost->obj.id);
    record_change_phase(rec, c->arena, resv_next(resv_phase(r), RESV_EV_NODES_LOST));
    if (obj_num(&r->obj, RESV_A_RESERVE_RETRY, 0) == 0)
        resv_record_retry(rec, c->arena, c->m, r, c->now_at);
    record_change_num(rec, c->arena, RESV_A_MTIME, c->now_at);
    return true;
}

static bool heal(const struct rule_context *c, const struct resv *r,
                 struct decision *out)
{
    struct record *rec = rule_decide(c, &r->obj, FACT_RESV_HEALED, out);

    record_change_phase(rec, c->arena, resv_next(resv_phase(r), RESV_EV_HEAL));
    if (!resv_later_is_degraded(r))
        resv_record_unasked(rec, c->arena);
    record_change_num(rec, c->arena, RESV_A_MTIME, c->now_at);
    return true;
}

/* While other vnodes are sought for any occurrence there is a next attempt. */
static bool retry_follows(const struct rule_context *c, const struct resv *r,
                          bool is_lost, struct decision *out)
{
    bool is_set = obj_num(&r->obj, RESV_A_RESERVE_RETRY, 0) != 0;
    bool is_wanted = is_lost || resv_later_is_degraded(r);
    struct record *rec;

    if (is_set == is_wanted)
        return false;
    if (!is_wanted) {
        rec = rule_decide(c, &r->obj, FACT_SET, out);
        resv_record_unasked(rec, c->arena);
        return true;
    }
    rec = rule_decide(c, &r->obj, FACT_RESV_RETRY, out);
    if (!is_lost)
        rec->note = "a vnode of a later occurrence is not usable";
    resv_record_retry(rec, c->arena, c->m, r, c->now_at);
    return true;
}

bool rule_resv_health(const struct rule_context *c, const struct object *o,
                      struct decision *out)
{
    const struct resv *r = TO_RESV(o);
    enum resv_phase phase = resv_phase(r);
    const struct node *lost;

    /* Maintenance has the vnodes that are out of order. */
    if (!phase_is_confirmed(phase) || resv_is_maintenance(r))
        return false;
    /* What maintenance took does not come back by itself. */
    if (phase_is_in_conflict(phase))
        return retry_follows(c, r, phase_is_replaced(phase), out);
    lost = occurrence_unusable(&r->current);
    if (lost && !phase_is_degraded(phase))
        return degrade(c, r, lost, out);
    if (!lost && phase_is_degraded(phase))
        return heal(c, r, out);
    return retry_follows(c, r, lost != NULL, out);
}

/* One that comes later is confirmed, degraded or in conflict, and the last does not
 * heal. */
bool rule_later_health(const struct rule_context *c, const struct object *o,
                       struct decision *out)
{
    const struct occurrence *oc = &TO_LATER(o)->occurrence;
    enum resv_phase phase = occurrence_phase(oc);
    bool is_lost = occurrence_unusable(oc) != NULL;

    if (!phase_is_confirmed(phase) || phase_is_in_conflict(phase) ||
        is_lost == phase_is_degraded(phase))
        return false;
    later_record_phase(rule_decide(c, o, FACT_SET, out), c->arena,
                       resv_next(phase, is_lost ? RESV_EV_NODES_LOST : RESV_EV_HEAL));
    return true;
}
