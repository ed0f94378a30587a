/* accrual_rule.c - each job has the kind of time that its state says (attributes.md
 * 14.6).
 *
 * Whatever has changed a job, this rule looks at what has become of it; so no decision
 * knows of eligible time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/accrual.h"
#include "server/model/job_state.h"
#include "server/rules/rules.h"

/* The sum is kept for the day when the site counts again. */
static void stop(const struct rule_context *c, const struct object *o,
                 struct decision *out)
{
    struct record *rec = rule_decide(c, o, FACT_SET, out);

    record_change_num(rec, out->arena, JOB_A_ELIGIBLE_TIME,
                      accrual_total_s(o, c->now_at));
    record_change(rec, out->arena, JOB_A_ACCRUE_TYPE, NULL, NULL);
    record_change(rec, out->arena, JOB_A_SAMPLE_STARTTIME, NULL, NULL);
}

bool job_accrual_due(const struct rule_context *c, const struct object *o,
                     struct decision *out)
{
    bool counts = obj_num(c->m->server, SERVER_A_ELIGIBLE_TIME_ENABLE, 0) != 0;
    bool counted = obj_is_set(o, JOB_A_ACCRUE_TYPE);
    struct record *rec;
    int64_t type;

    if (job_is_history(TO_JOB(o)) || (!counts && !counted))
        return false;
    if (!counts) {
        stop(c, o, out);
        return true;
    }
    type = accrual_of(TO_JOB(o), c->arena);
    if (counted && type == obj_num(o, JOB_A_ACCRUE_TYPE, ACCRUAL_INITIAL))
        return false;
    rec = rule_decide(c, o, FACT_JOB_ACCRUES, out);
    record_change_num(rec, out->arena, JOB_A_ELIGIBLE_TIME,
                      accrual_total_s(o, c->now_at));
    record_change_num(rec, out->arena, JOB_A_ACCRUE_TYPE, type);
    record_change_num(rec, out->arena, JOB_A_SAMPLE_STARTTIME, c->now_at);
    return true;
}
