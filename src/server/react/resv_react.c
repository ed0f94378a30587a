/* resv_react.c - what the reactions to reservations' records share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/resv_react.h"

#include "server/model/occurrence.h"

#include <stdlib.h>
#include <string.h>

int64_t react_resv_state_before(const struct reaction *r)
{
    const struct change *c = reaction_change(r->rec, RESV_A_RESERVE_STATE);

    MUST(r->rec->kind == OBJ_RESV); /* its state is the attribute asked for */
    /* The object has the new state already; the old one is in the record. */
    if (c)
        return c->before ? atoll(c->before) : 0;
    return obj_num(r->o, RESV_A_RESERVE_STATE, 0);
}

const struct resv *react_resv(const struct reaction *r)
{
    const char *id = r->rec->id;

    MUST(r->rec->kind == OBJ_RESV || r->rec->kind == OBJ_OCCURRENCE);
    if (r->rec->kind == OBJ_RESV)
        return TO_RESV(r->o);
    return model_resv(r->m, arena_strndup(r->out->arena, id, strcspn(id, "[")));
}

const char *react_occurrence_name(const struct reaction *r)
{
    return r->rec->kind == OBJ_RESV
               ? occurrence_name(&TO_RESV(r->o)->current, r->out->arena)
               : r->rec->id;
}

struct date react_date(const struct reaction *r, int64_t at)
{
    return date_of(at,
                   r->cfg->utc_offset_s ? r->cfg->utc_offset_s(r->cfg->arg, at) : 0);
}
