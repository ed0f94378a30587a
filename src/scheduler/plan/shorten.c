/* shorten.c - see shorten.h.
 *
 * What is free until some end is free until each earlier one, so the latest end is
 * found by halving.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/shorten.h"

/* Search up to that end. After a yes the reservation is taken back into the world, as
 * it was: the next search drops it again. */
static bool fits_until(struct question *q, int64_t end_at, struct verdict *v)
{
    struct verdict found = { 0 };

    q->end_at = end_at;
    question_find_current(q, &found);
    if (found.failure != FAIL_NONE)
        return false;
    *v = found;
    return true;
}

void shorten_find(struct question *q, struct verdict *v)
{
    int64_t wanted_at = q->end_at;
    int64_t fits_at = MAX_OF(q->r->old_end_at, q->start_at);
    int64_t fails_at = wanted_at;
    struct verdict best = { 0 };
    struct plan_place *place;

    MUST(v->failure != FAIL_NONE && q->altered);
    /* Where the end of before is not known it is taken to be the wanted one, and there
     * is nothing in between. */
    if (!q->running)
        return;
    while (fails_at - fits_at > 1) {
        int64_t half_at = fits_at + (fails_at - fits_at) / 2;

        if (fits_until(q, half_at, &best))
            fits_at = half_at;
        else
            fails_at = half_at;
    }
    q->end_at = wanted_at;
    if (best.found.n == 0)
        return;
    /* The last search may have been one in vain, which has put it back. */
    world_drop(q->pl->w, q->r->id);
    q->end_at = fits_at;
    place = arena_zero(q->pl->arena, sizeof(*place));
    *place = (struct plan_place){
        .id = q->r->id,
        .start_at = q->r->start_at,
        .end_at = fits_at,
        .vnodes = placement_print(q->pl->w, &best.found),
    };
    *v = best;
    v->places = place;
    v->n_places = 1;
}
