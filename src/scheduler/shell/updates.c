/* updates.c - see updates.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/updates.h"

#include <stdlib.h>

void updates_set_period(struct updates *u, const char *text)
{
    int64_t period_s = text ? MAX_OF(strtoll(text, NULL, 10), 0LL) : 0;

    if (period_s != u->period_s)
        u->last_at = 0;
    u->period_s = period_s;
}

/* A clock that was set back does not hold anything back for longer than a period. */
void updates_begin(struct updates *u, int64_t now_at)
{
    u->now_at = now_at;
    u->is_due =
        !u->last_at || now_at < u->last_at || now_at - u->last_at >= u->period_s;
}

struct plan_step updates_hold_back(const struct updates *u,
                                   const struct plan_step *step)
{
    struct plan_step ret = *step;

    if (!u->is_due && step->kind == PLAN_COMMENT_JOB && !step->accrue_type &&
        !step->topjob)
        ret.unchanged = ret.est_known = true;
    return ret;
}

void updates_sent(struct updates *u)
{
    if (u->is_due)
        u->last_at = u->now_at;
}
