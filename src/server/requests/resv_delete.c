/* resv_delete.c - DeleteResv: take a reservation and its jobs off the calendar.
 *
 * Of a series one occurrence may be named: it goes alone, and a reservation whose last
 * one goes ends.
 *
 * The jobs inside are deleted by their own rule, the queue and the reservation go when
 * none is left, so all that is decided here is whether this requester may
 * (reservations.md 17).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_record.h"
#include "server/decide/resv_turn.h"
#include "server/model/occurrence.h"
#include "server/model/resv_state.h"
#include "server/requests/handlers.h"
#include "server/requests/resv_access.h"

static int delete_occurrence(const struct model *m, const struct request *rq,
                             const struct resv *r, struct decision *out)
{
    const struct occurrence *oc = occurrence_at(m, r, rq->occurrence, rq->arena);

    if (!oc)
        return diag_code(&out->why, PBSE_UNKRESVID);
    /* Its occurrences are confirmed together or not at all. */
    if (resv_phase(r) == PHASE_UNCONFIRMED)
        return diag_set(&out->why, PBSE_BADSTATE,
                        "%s: occurrences can be deleted when the series is confirmed",
                        pbse_text(PBSE_BADSTATE));
    /* One that is over is not deleted again. */
    if (occurrence_is_current(oc) && r->n_later > 0 &&
        resv_next(resv_phase(r), RESV_EV_OVER) == PHASE_NONE)
        return diag_code(&out->why, PBSE_BADSTATE);
    resv_turn_cancel(m, oc, rq->actor, rq->now_at, out);
    return 0;
}

int handle_resv_delete(const struct model *m, const struct request *rq,
                       struct decision *out)
{
    const struct body_manage *body = rq->body;
    const struct resv *r;
    int err = resv_access(m, rq, body->object_name, &r, out);

    if (err)
        return err;
    if (rq->occurrence)
        return delete_occurrence(m, rq, r, out);
    resv_record_ending(m, r, rq->actor, REASON_NONE, rq->now_at, out);
    return 0;
}
