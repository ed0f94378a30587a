/* check_start.c - starts that a scheduler names: the one of a denial would be confirmed
 * in the same world, and before the one of a reservation that begins as soon as
 * possible there is no room.
 *
 * Each is asked of the same snapshot once more, as an ordinary reservation with another
 * start; the answers to all other questions stay what they are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resv_number.h"
#include "sim.h"
#include "what_if.h"

static const struct plan_step *ask(const struct sim *s, const struct planner *p,
                                   const char *id, int64_t start_at,
                                   struct arena *arena)
{
    return what_if(p->snapshot, p->policy, sim_now_at(s), id, start_at, arena);
}

static void check_denial(struct sim *s, const struct planner *p,
                         const struct plan_step *step, struct arena *arena)
{
    const struct plan_step *then = ask(s, p, step->id, step->start_at, arena);

    if (!then || then->kind != PLAN_CONFIRM_RESV)
        check_failed(s, CHECK_START,
                     "%s is denied and told to fit from second %" PRId64
                     ", and does not: %s",
                     step->id, step->start_at - SIM_EPOCH_S,
                     then && then->reason ? then->reason : "");
}

/* Right before it, or at any instant from now on. */
static int64_t sooner_than(const struct sim *s, int64_t start_at)
{
    uint64_t span_s = (uint64_t)(start_at - sim_now_at(s));

    return s->n_steps % 3 == 0 ? start_at - 1
                               : sim_now_at(s) + (int64_t)(s->n_steps % span_s);
}

/* Vnodes that are away today are promised to those only who say when they come. */
static void check_soonest(struct sim *s, const struct planner *p,
                          const struct plan_step *step, struct arena *arena)
{
    int64_t start_at = sooner_than(s, step->start_at);
    const struct plan_step *then = ask(s, p, step->id, start_at, arena);

    if (!then || (then->kind == PLAN_CONFIRM_RESV && !then->away))
        check_failed(s, CHECK_START,
                     "%s is to begin in second %" PRId64
                     ", and could begin in second %" PRId64,
                     step->id, step->start_at - SIM_EPOCH_S, start_at - SIM_EPOCH_S);
}

void check_starts(struct sim *s, const struct planner *p)
{
    struct arena *arena = arena_new();

    for (size_t i = 0; i < p->plan.n; i++) {
        const struct plan_step *step = &p->plan.steps[i];
        int64_t asked = what_is_asked(p->snapshot, step->id);

        if (asked && step->kind == PLAN_DENY_RESV && step->start_at)
            check_denial(s, p, step, arena);
        if (asked == RESV_START_OPEN && step->kind == PLAN_CONFIRM_RESV &&
            step->start_at > sim_now_at(s))
            check_soonest(s, p, step, arena);
    }
    arena_free(arena);
}
