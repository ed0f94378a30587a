/* resv_start.c - a confirmed reservation runs when its start has come, degraded or not.
 *
 * A restart in the middle finds it running or not, as it was stored, so the start is
 * told once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_queue.h"
#include "server/decide/resv_record.h"
#include "server/model/occurrence.h"
#include "server/rules/rules.h"

static bool waits_for_start(const struct resv *r)
{
    return resv_next(resv_phase(r), RESV_EV_OPEN) != PHASE_NONE;
}

bool rule_resv_start(const struct rule_context *c, const struct object *o,
                     struct decision *out)
{
    const struct resv *r = TO_RESV(o);
    enum resv_phase to = resv_next(resv_phase(r), RESV_EV_OPEN);
    bool has_vnodes = r->current.bookings.n > 0;
    struct record *rec;

    if (!waits_for_start(r) ||
        c->now_at < occurrence_start_at(&TO_RESV(o)->current, INT64_MAX))
        return false;
    /* The queue first: of what schedulers are told of both, the start comes last. */
    resv_queue_switch(c->m, r, true, has_vnodes, REASON_RESV_KEEPS, c->now_at, out);
    rec = rule_decide(c, o, FACT_RESV_STARTED, out);
    record_change_phase(rec, c->arena, to);
    if (to == PHASE_RUNNING_CONFLICT) /* nobody seeks vnodes for it any more */
        resv_record_unsought(rec, c->arena);
    record_change_num(rec, c->arena, RESV_A_HF_BEGUN_AT, c->now_at);
    record_change_num(rec, c->arena, RESV_A_MTIME, c->now_at);
    return true;
}

int64_t deadline_resv_start(const struct model *m, const struct object *o)
{
    (void)m;
    return waits_for_start(TO_RESV(o))
               ? occurrence_start_at(&TO_RESV(o)->current, INT64_MAX)
               : INT64_MAX;
}
