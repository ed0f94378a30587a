/* resv_retry.c - attempts to make a degraded reservation anew that do not wait for the
 * next retry time: something happened that may let them succeed.
 *
 * The ordinary attempts are those of resv_health.c. These two only set reserve_retry to
 * now, and each says of what it has taken notice, so that the same event does not cause
 * another attempt.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_record.h"
#include "server/model/node_life.h"
#include "server/model/occurrence.h"
#include "server/model/resv_fit.h"
#include "server/rules/rules.h"

#include <utlist.h>

/* Unusable vnodes of the current occurrence and later occurrences that lack any. */
static int64_t count_lost(const struct resv *r)
{
    const struct bookings *held = &r->current.bookings;
    const struct occurrence *oc;
    int64_t n = 0;

    for (size_t i = 0; i < held->n; i++)
        n += !node_is_usable(held->v[i].node);
    DL_FOREACH (r->later, oc)
        n += phase_is_replaced(occurrence_phase(oc));
    return n;
}

/* reserve_retry_now: whenever there is more to replace than before. */
bool rule_resv_lost(const struct rule_context *c, const struct object *o,
                    struct decision *out)
{
    const struct resv *r = TO_RESV(o);
    int64_t known = obj_num(o, RESV_A_HF_LOST, 0);
    struct record *rec;
    int64_t n;

    /* What is not sought is not tried for: resv_health.c says so first. */
    if (!obj_num(c->m->server, SERVER_A_RESERVE_RETRY_NOW, 0) ||
        obj_num(o, RESV_A_RESERVE_RETRY, 0) == 0)
        return false;
    n = count_lost(r);
    if (n == known)
        return false;
    rec = rule_decide(c, o, n > known ? FACT_RESV_RETRY : FACT_SET, out);
    record_change_num(rec, c->arena, RESV_A_HF_LOST, n);
    if (n > known)
        resv_record_retry_now(rec, c->arena, r, c->now_at);
    return true;
}

/* An attempt failed while a job was on a lost vnode, and now none is: the next attempt
 * follows the end of the job at once. */
bool rule_resv_unblocked(const struct rule_context *c, const struct object *o,
                         struct decision *out)
{
    const struct resv *r = TO_RESV(o);
    struct record *rec;

    if (!obj_num(o, RESV_A_HF_REPLACE_BLOCKED, 0) || resv_job_is_on_lost(r))
        return false;
    MUST(obj_num(o, RESV_A_RESERVE_RETRY, 0) != 0);
    rec = rule_decide(c, o, FACT_RESV_RETRY, out);
    rec->note = "no job is on its lost vnodes any more";
    record_change(rec, c->arena, RESV_A_HF_REPLACE_BLOCKED, NULL, NULL);
    resv_record_retry_now(rec, c->arena, r, c->now_at);
    return true;
}
