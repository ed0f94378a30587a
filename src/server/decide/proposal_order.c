/* proposal_order.c - the occurrences of a series keep their order: what an alteration
 * would meet of its own series.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/proposal_priv.h"
#include "server/decide/resv_series.h"
#include "server/model/occurrence.h"

bool proposal_meets_later(const struct resv *r, int64_t at)
{
    int64_t next_at = r->n_later > 0 ? occurrence_start_at(r->later, INT64_MAX)
                                     : series_second_start_at(r);

    return next_at != INT64_MAX && at >= next_at;
}

bool proposal_meets_before(const struct occurrence *oc, int64_t start_at)
{
    const struct occurrence *before = occurrence_before(oc);

    return before && start_at != occurrence_start_at(oc, 0) &&
           start_at <= occurrence_end_at(before, INT64_MIN);
}

bool proposal_meets_neighbour(const struct occurrence *oc, int64_t start_at,
                              int64_t end_at)
{
    const struct occurrence *after = occurrence_after(oc);

    if (proposal_meets_before(oc, start_at))
        return true;
    return after && end_at != occurrence_end_at(oc, 0) &&
           end_at >= occurrence_start_at(after, INT64_MAX);
}

/* A time that stays may be the one at which the next occurrence begins. */
static bool keeps_off_later(const struct proposal_part *part, int attr)
{
    int64_t at = edit_num(part->e, attr, 0);

    return at == obj_num(&part->resv->obj, attr, 0) ||
           !proposal_meets_later(part->resv, at);
}

bool proposal_part_keeps_order(const struct proposal_part *part)
{
    if (part->later)
        return !proposal_meets_neighbour(part->later,
                                         edit_num(part->e, RESV_A_RESERVE_START, 0),
                                         edit_num(part->e, RESV_A_RESERVE_END, 0));
    return keeps_off_later(part, RESV_A_RESERVE_START) &&
           keeps_off_later(part, RESV_A_RESERVE_END);
}

bool proposal_keeps_order(const struct model *m, const struct resv *r,
                          const struct edit *e, struct arena *arena)
{
    const struct proposal_part part = { .resv = r,
                                        .later = proposal_later(m, r, arena),
                                        .e = e };

    return proposal_part_keeps_order(&part);
}
