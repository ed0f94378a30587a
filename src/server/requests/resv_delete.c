/* resv_delete.c - DeleteResv: take a reservation and its jobs off the calendar.
 *
 * The jobs inside are deleted by their own rule, the queue and the reservation go when
 * none is left, so all that is decided here is whether this requester may
 * (reservations.md 17).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_record.h"
#include "server/model/resv_state.h"
#include "server/requests/handlers.h"
#include "server/requests/resv_access.h"

int handle_resv_delete(const struct model *m, const struct request *rq,
                       struct decision *out)
{
    const struct body_manage *body = rq->body;
    const struct resv *r;
    int err = resv_access(m, rq, body->object_name, &r, out);

    if (err)
        return err;
    resv_record_ending(m, r, rq->actor, REASON_NONE, rq->now_at, out);
    return 0;
}
