/* resv_access.c - who may delete or alter a reservation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/resv_access.h"

#include "lib/base/log.h"

#include <string.h>

bool resv_owner_is(const char *owner, const char *user)
{
    size_t len = strcspn(owner, "@");

    return len > 0 && strlen(user) == len && strncmp(owner, user, len) == 0;
}

static bool is_owner(const struct resv *r, const char *user)
{
    return resv_owner_is(obj_str(&r->obj, RESV_A_RESERVE_OWNER, ""), user);
}

int resv_unauthorized(const struct request *rq, const struct resv *r,
                      struct decision *out)
{
    decide_log(out, LOG_EV_SECURITY, LOG_IN_RESV, r->obj.id,
               "Unauthorized Request, request type: %" PRIu32
               ", Object: RESCRESV, Name: %s, request from: %s",
               rq->wire->number, r->obj.id, rq->actor);
    return diag_code(&out->why, PBSE_PERM);
}

int resv_access(const struct model *m, const struct request *rq, const char *id,
                const struct resv **ret, struct decision *out)
{
    const struct resv *r = model_resv(m, id);
    bool maintenance = r && r->obj.id[0] == 'M';

    if (!r) {
        decide_log(out, LOG_EV_DEBUG, LOG_IN_RESV, id, "%s", pbse_text(PBSE_UNKRESVID));
        return diag_code(&out->why, PBSE_UNKRESVID);
    }
    if (!(rq->who->rights & WHO_STAFF) && (maintenance || !is_owner(r, rq->who->user)))
        return resv_unauthorized(rq, r, out);
    *ret = r;
    return 0;
}
