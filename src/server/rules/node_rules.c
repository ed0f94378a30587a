/* node_rules.c - the last known availability of a vnode does not hold for ever, and its
 * maintenance lasts as long as jobs on it are suspended with admin-suspend.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/node_attrs.h"
#include "server/model/job_suspend.h"
#include "server/model/node_life.h"
#include "server/rules/rules.h"

int64_t node_wait_deadline(const struct model *m UNUSED, const struct object *o)
{
    if (!(node_state_stored(TO_NODE(o)) & NODE_LAST_KNOWN))
        return INT64_MAX;
    return obj_num(o, NODE_A_HF_UNKNOWN_AT, 0) + NODE_WAIT_S;
}

bool node_wait_due(const struct rule_context *c, const struct object *o,
                   struct decision *out)
{
    uint32_t bits = node_state_stored(TO_NODE(o));
    struct record *rec;

    if (node_wait_deadline(c->m, o) > c->now_at)
        return false;
    MUST(bits & NODE_LAST_KNOWN); /* the others have no deadline */
    rec = rule_decide(c, o, FACT_NODE_STATE, out);
    record_change_num(rec, out->arena, NODE_A_HF_STATE,
                      (int64_t)(bits & ~(uint32_t)NODE_LAST_KNOWN));
    record_change(rec, out->arena, NODE_A_HF_UNKNOWN_AT, NULL, NULL);
    record_change_num(rec, out->arena, NODE_A_LAST_STATE_CHANGE_TIME, c->now_at);
    return true;
}

/* The jobs that admin-suspend has stopped there, as maintenance_jobs has them; NULL:
 * none. */
static const char *stopped_by_admin(const struct node *n, struct arena *arena)
{
    struct buf text = { 0 };
    const char *ret;

    for (size_t i = 0; n->n_by_admin > 0 && i < n->n_jobs; i++)
        if (job_is_suspended_by_admin(n->jobs[i]))
            buf_printf(&text, "%s%s", text.len ? "," : "", n->jobs[i]->obj.id);
    ret = text.len ? arena_strdup(arena, text.data) : NULL;
    buf_fini(&text);
    return ret;
}

bool node_maintenance_due(const struct rule_context *c, const struct object *o,
                          struct decision *out)
{
    const struct node *n = TO_NODE(o);
    uint32_t bits = node_state_stored(n);
    bool is_listed = obj_is_set(o, NODE_A_MAINTENANCE_JOBS);
    const char *jobs;
    struct record *rec;

    /* Nearly every vnode. */
    if (n->n_by_admin == 0 && !(bits & NODE_MAINTENANCE) && !is_listed)
        return false;
    jobs = stopped_by_admin(n, out->arena);
    if (str_same(jobs,
                 attr_value_text(&attr_strings, obj_attr(o, NODE_A_MAINTENANCE_JOBS),
                                 out->arena)) &&
        !jobs == !(bits & NODE_MAINTENANCE))
        return false;
    bits = jobs ? bits | NODE_MAINTENANCE : bits & ~(uint32_t)NODE_MAINTENANCE;
    rec = rule_decide(c, o, FACT_NODE_STATE, out);
    record_change_num(rec, out->arena, NODE_A_HF_STATE, (int64_t)bits);
    record_change(rec, out->arena, NODE_A_MAINTENANCE_JOBS, NULL, jobs);
    record_change_num(rec, out->arena, NODE_A_LAST_STATE_CHANGE_TIME, c->now_at);
    return true;
}
