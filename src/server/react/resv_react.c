/* resv_react.c - what the reactions to reservations' records share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/resv_react.h"

#include <stdlib.h>

const struct object *react_resv(const struct reaction *r)
{
    return r->gone ? r->gone : model_find(r->m, OBJ_RESV, r->rec->id);
}

int64_t react_resv_state_before(const struct reaction *r)
{
    const struct object *o = react_resv(r);

    for (size_t i = 0; i < r->rec->n_changes; i++)
        if (r->rec->changes[i].attr == RESV_A_RESERVE_STATE)
            return r->rec->changes[i].before ? atoll(r->rec->changes[i].before) : 0;
    return o ? obj_num(o, RESV_A_RESERVE_STATE, 0) : 0;
}

struct date react_date(const struct reaction *r, int64_t at)
{
    return date_of(at,
                   r->cfg->utc_offset_s ? r->cfg->utc_offset_s(r->cfg->arg, at) : 0);
}
