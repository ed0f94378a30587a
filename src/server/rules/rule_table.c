/* rule_table.c - which rules there are, in the order in which they are asked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/rules/rules.h"

const struct rule_row rule_rows[] = {
    /* reservations: what ends one is looked at before what makes it go on */
    { OBJ_RESV, "resv expire", rule_resv_expire, deadline_resv_expire },
    { OBJ_RESV, "resv end", rule_resv_end, deadline_resv_end },
    { OBJ_RESV, "resv purge", rule_resv_purge, NULL },
    { OBJ_RESV, "resv start", rule_resv_start, deadline_resv_start },
    { OBJ_RESV, "resv health", rule_resv_health, NULL },
    { OBJ_RESV, "resv alter", rule_resv_alter, deadline_resv_alter },
    { OBJ_RESV, "resv ask", rule_resv_ask, deadline_resv_ask },
    { OBJ_RESV, "resv idle", rule_resv_idle, deadline_resv_idle },

    /* jobs */
    { OBJ_JOB, "job resv ends", job_resv_ends_due, NULL },
    { OBJ_JOB, "resv from job", rule_resv_from_job, NULL },
    { OBJ_JOB, "job time", job_time_due, job_time_deadline },
    { OBJ_JOB, "job node fail", job_node_fail_due, job_node_fail_deadline },
    { OBJ_JOB, "hot restart", hot_restart_due, NULL },

    /* vnodes */
    { OBJ_NODE, "node wait", node_wait_due, node_wait_deadline },

    /* the server */
    { OBJ_SERVER, "hot start over", hot_over_due, hot_over_deadline },
};
const size_t n_rule_rows = ARRAY_LEN(rule_rows);

struct record *rule_decide(const struct rule_context *c, const struct object *o,
                           enum fact fact, struct decision *out)
{
    MUST(fact < FACT_COUNT);
    MUST(model_find(c->m, o->kind, o->id) == o); /* a rule speaks of what is there */
    return record_add(&out->records, out->arena, fact, o->kind,
                      arena_strdup(out->arena, o->id), c->server_actor, c->now_at);
}
