/* rule_table.c - which rules there are, in the order in which they are asked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/server_attrs.h"
#include "server/rules/rules.h"

/* A job that is put back looks at its queue, and at all that may leave it no room. */
#define HOT_RESTART_LOOKS                                                              \
    (SEES(EDGE_HOT_JOB_QUEUE) | SEES(EDGE_JOB_RESV) | SEES(EDGE_HOT_JOB_NODES) |       \
     SEES(EDGE_HOT_JOB_JOBS) | SEES(EDGE_HOT_JOB_RESVS) | SEES(EDGE_HOT_JOB_LATERS) |  \
     SEES_SETTINGS)

/* clang-format off */
const struct rule_row rule_rows[] = {
    /* reservations: what ends one is looked at before what makes it go on */
    { OBJ_RESV, "resv expire", 0,
      rule_resv_expire, deadline_resv_expire },
    { OBJ_RESV, "resv end",
      SEES(EDGE_RESV_JOBS) | SEES(EDGE_RESV_LATER) | SEES_SETTINGS | SEES_SCHEDULERS,
      rule_resv_end, deadline_resv_end },
    { OBJ_RESV, "resv turn",
      SEES(EDGE_RESV_QUEUE) | SEES(EDGE_RESV_JOBS) | SEES(EDGE_RESV_LATER),
      rule_resv_turn, NULL },
    { OBJ_RESV, "resv purge", SEES(EDGE_RESV_QUEUE) | SEES(EDGE_RESV_JOBS),
      rule_resv_purge, NULL },
    { OBJ_RESV, "resv start", 0,
      rule_resv_start, deadline_resv_start },
    { OBJ_RESV, "resv health", SEES(EDGE_RESV_NODES) | SEES(EDGE_RESV_LATER),
      rule_resv_health, NULL },
    { OBJ_RESV, "resv lost",
      SEES(EDGE_RESV_NODES) | SEES(EDGE_RESV_LATER) | SEES_SETTINGS | SEES_SCHEDULERS,
      rule_resv_lost, NULL },
    { OBJ_RESV, "resv unblocked", SEES(EDGE_RESV_NODES) | SEES(EDGE_RESV_JOBS),
      rule_resv_unblocked, NULL },
    { OBJ_RESV, "resv give up", SEES(EDGE_RESV_LATER) | SEES_SETTINGS | SEES_SCHEDULERS,
      rule_resv_give_up, deadline_resv_give_up },
    { OBJ_RESV, "resv ask", SEES(EDGE_RESV_LATER) | SEES_SETTINGS | SEES_SCHEDULERS,
      rule_resv_ask, deadline_resv_ask },
    { OBJ_RESV, "resv extend",
      SEES(EDGE_RESV_JOBS) | SEES(EDGE_RESV_LATER) | SEES_SETTINGS | SEES_SCHEDULERS,
      rule_resv_extend, deadline_resv_extend },
    { OBJ_RESV, "resv idle", SEES(EDGE_RESV_JOBS),
      rule_resv_idle, deadline_resv_idle },

    { OBJ_OCCURRENCE, "later health", SEES(EDGE_LATER_NODES),
      rule_later_health, NULL },

    /* jobs */
    { OBJ_JOB, "job resv ends", SEES(EDGE_JOB_RESV) | SEES(EDGE_ARRAY_SUBJOBS),
      job_resv_ends_due, NULL },
    { OBJ_JOB, "resv from job", SEES(EDGE_JOB_RESV),
      rule_resv_from_job, NULL },
    { OBJ_JOB, "job depend", SEES(EDGE_JOB_PARENTS),
      job_depend_due, NULL },
    { OBJ_JOB, "job transfer", 0,
      job_transfer_due, job_transfer_deadline },
    { OBJ_JOB, "job track", 0,
      job_track_due, job_track_deadline },
    { OBJ_JOB, "job verify", 0,
      job_verify_due, job_verify_deadline },
    { OBJ_JOB, "job time", 0,
      job_time_due, job_time_deadline },
    { OBJ_JOB, "job node fail", SEES(EDGE_JOB_NODES) | SEES_SETTINGS,
      job_node_fail_due, job_node_fail_deadline, { 1, { SERVER_A_NODE_FAIL_REQUEUE } } },
    { OBJ_JOB, "job accrual", SEES_SETTINGS,
      job_accrual_due, NULL, { 1, { SERVER_A_ELIGIBLE_TIME_ENABLE } } },
    { OBJ_JOB, "hot restart", HOT_RESTART_LOOKS,
      hot_restart_due, NULL },

    { OBJ_JOB, "job route", SEES(EDGE_ROUTED_QUEUE),
      job_route_due, job_route_deadline },
    { OBJ_QUEUE, "route again", 0,
      queue_route_due, queue_route_deadline },

    { OBJ_JOB, "subjob doomed", SEES(EDGE_SUBJOB_ARRAY) | SEES(EDGE_JOB_NODES),
      subjob_doomed_due, NULL },
    { OBJ_JOB, "subjob follows", SEES(EDGE_SUBJOB_ARRAY),
      subjob_follows_due, NULL },
    { OBJ_JOB, "array take", SEES(EDGE_ARRAY_SUBJOBS),
      array_take_due, NULL },

    /* vnodes */
    { OBJ_NODE, "node wait", 0,
      node_wait_due, node_wait_deadline },
    { OBJ_NODE, "node maintenance", SEES(EDGE_NODE_JOBS),
      node_maintenance_due, NULL },

    /* the server */
    { OBJ_SERVER, "hot start over", SEES(EDGE_SERVER_JOBS),
      hot_over_due, hot_over_deadline },
    { OBJ_SERVER, "waiters elsewhere", SEES(EDGE_SERVER_WAITED),
      waiters_due, waiters_deadline },
    { OBJ_SERVER, "history over",
      SEES(EDGE_SERVER_OLDEST) | SEES(EDGE_SERVER_WAITING) | SEES_SETTINGS,
      history_over_due, history_over_deadline },
};
/* clang-format on */
const size_t n_rule_rows = ARRAY_LEN(rule_rows);

struct rules_of rules_of(enum obj_kind kind)
{
    struct rules_of all = { 0 };

    for (size_t i = 0; i < n_rule_rows; i++)
        if (rule_rows[i].kind == kind) {
            all.there = true;
            all.looks |= rule_rows[i].looks;
        }
    return all;
}

bool rule_sees_setting(const struct rule_row *row, int attr)
{
    if (!(row->looks & SEES_SETTINGS))
        return false;
    for (size_t i = 0; i < row->settings.n; i++)
        if (row->settings.attrs[i] == attr)
            return true;
    return row->settings.n == 0;
}

struct record *rule_decide(const struct rule_context *c, const struct object *o,
                           enum fact fact, struct decision *out)
{
    MUST(fact < FACT_COUNT);
    MUST(model_find(c->m, o->kind, o->id) == o); /* a rule speaks of what is there */
    return record_add(&out->records, out->arena, fact, o->kind,
                      arena_strdup(out->arena, o->id), c->server_actor, c->now_at);
}
