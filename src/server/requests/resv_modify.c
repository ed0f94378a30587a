/* resv_modify.c - ModifyResv: alterations are not understood yet; who asks in vain is
 * told so in the right order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/handlers.h"
#include "server/requests/resv_access.h"

int handle_resv_modify(const struct model *m, const struct request *rq,
                       struct decision *out)
{
    const struct body_modify_resv *body = rq->body;
    const struct resv *r;
    int err = resv_access(m, rq, body->resv_id, &r, out);

    return err ? err : diag_code(&out->why, PBSE_NOSUP);
}
