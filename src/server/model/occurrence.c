/* occurrence.c - see occurrence.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/occurrence.h"

#include "server/model/node_life.h"

#include <string.h>

struct window occurrence_window(const struct occurrence *oc)
{
    return (struct window){ .start_at = occurrence_start_at(oc, 0),
                            .end_at = occurrence_end_at(oc, 0) };
}

int64_t occurrence_start_at(const struct occurrence *oc, int64_t unset)
{
    return obj_num(oc->values, RESV_A_RESERVE_START, unset);
}

int64_t occurrence_end_at(const struct occurrence *oc, int64_t unset)
{
    return obj_num(oc->values, RESV_A_RESERVE_END, unset);
}

enum resv_phase occurrence_phase(const struct occurrence *oc)
{
    return resv_phase_find(obj_num(oc->values, RESV_A_RESERVE_STATE, RESV_NONE),
                           obj_num(oc->values, RESV_A_RESERVE_SUBSTATE, RESV_NONE));
}

const struct resources *occurrence_resources(const struct occurrence *oc)
{
    const struct resources *own = obj_resources(oc->values, RESV_A_RESOURCE_LIST);

    return own->n > 0 ? own : obj_resources(&oc->resv->obj, RESV_A_RESOURCE_LIST);
}

bool occurrence_is_current(const struct occurrence *oc)
{
    return oc == &oc->resv->current;
}

int64_t occurrence_index(const struct occurrence *oc)
{
    return obj_num(oc->values, RESV_A_RESERVE_INDEX, 1);
}

const char *occurrence_name(const struct occurrence *oc, struct arena *arena)
{
    const char *id = oc->resv->obj.id;
    size_t len = strcspn(id, ".");

    if (obj_num(&oc->resv->obj, RESV_A_RESERVE_COUNT, 1) <= 1)
        return id;
    return arena_printf(arena, "%.*s[%" PRId64 "]%s", (int)len, id,
                        occurrence_index(oc), id + len);
}

const struct node *occurrence_unusable(const struct occurrence *oc)
{
    for (size_t i = 0; i < oc->bookings.n; i++)
        if (!node_is_usable(oc->bookings.v[i].node))
            return oc->bookings.v[i].node;
    return NULL;
}
