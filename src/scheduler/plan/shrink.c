/* shrink.c - see shrink.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/shrink.h"

#include "lib/attr/value.h"
#include "lib/base/instant.h"
#include "scheduler/plan/length.h"

#include <stdlib.h>

bool job_may_shrink(const struct snap_job *j)
{
    return j->min_walltime_s >= 0 && j->state == 'Q';
}

void starts_add(struct starts *st, struct arena *arena, int64_t at)
{
    st->at = arena_grow(arena, st->at, st->n, &st->cap, 16, sizeof(*st->at));
    st->at[st->n++] = at;
    st->in_order = false;
}

static void add_resv(struct starts *st, struct arena *arena, const struct snap_resv *r)
{
    starts_add(st, arena, r->start_at);
    starts_add(st, arena, r->old_start_at);
    for (size_t i = 0; i < r->occurrences.n; i++)
        starts_add(st, arena, r->occurrences.v[i].start_at);
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void know(struct starts *st, struct planner *pl)
{
    for (size_t i = 0; !st->known && i < pl->s->n_resvs; i++)
        add_resv(st, pl->arena, &pl->s->resvs[i]);
    if (!st->in_order && st->n > 0)
        qsort(st->at, st->n, sizeof(*st->at), by_time);
    st->known = st->in_order = true;
}

/* The first of them that is not before 'at'. */
static size_t first_from(const struct starts *st, int64_t at)
{
    size_t low = 0, high = st->n;

    MUST(st->in_order);
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (st->at[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What of a job that fits until 'least_at' fits until the latest start before
 * 'most_at'; 'least_at' when it fits until none of them. */
static int64_t latest_end(const struct starts *st, int64_t least_at, int64_t most_at,
                          shrink_try_fn attempt, void *arg)
{
    size_t low = first_from(st, least_at), high = first_from(st, most_at);
    int64_t best_at = least_at;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (attempt(arg, st->at[middle]) != FAIL_NONE) {
            high = middle;
            continue;
        }
        best_at = st->at[middle];
        low = middle + 1;
    }
    return best_at;
}

static const char *lasts(const struct planner *pl, int64_t length_s, const char *why)
{
    return arena_printf(pl->arena,
                        "Considering shrinking job to duration=%s, due to %s",
                        length_text(pl->arena, length_s), why);
}

/* Where dedicated time begins or ends that the job would run into, or out of. */
static int64_t boundary_of(const struct planner *pl, int64_t end_at)
{
    const struct period *p = policy_crossed(pl->p, pl->now_at, end_at);

    return p ? policy_next_start(p, pl->now_at) : end_at;
}

enum plan_failure shrink_to_fit(struct planner *pl, const struct snap_job *j,
                                struct starts *st, enum plan_failure at_full,
                                shrink_try_fn attempt, void *arg, struct shrunk *ret)
{
    int64_t least_at = instant_after(pl->now_at, MAX_OF(j->min_walltime_s, 1));
    int64_t most_at = instant_after(pl->now_at, job_full_s(pl, j)), end_at;
    enum plan_failure failure = at_full;
    size_t n = 0;

    MUST(job_may_shrink(j) && at_full != FAIL_NONE);
    *ret = (struct shrunk){ 0 };
    if (at_full == FAIL_CROSSES_DEDICATED) {
        most_at = boundary_of(pl, most_at);
        if (most_at < least_at)
            return at_full;
        ret->length_s = most_at - pl->now_at;
        ret->why[n++] = lasts(pl, ret->length_s, "a prime/dedicated time conflict");
        failure = attempt(arg, most_at);
        if (failure == FAIL_NONE)
            return FAIL_NONE;
    }
    failure = attempt(arg, least_at);
    if (failure != FAIL_NONE)
        return failure;
    know(st, pl);
    end_at = latest_end(st, least_at, most_at, attempt, arg);
    ret->length_s = end_at - pl->now_at;
    ret->why[n] = end_at > least_at
                      ? lasts(pl, ret->length_s, "a reservation/top job conflict")
                      : "Considering shrinking job to it's minimum walltime";
    return FAIL_NONE;
}

bool shrink_step(struct planner *pl, const struct snap_job *j,
                 const struct shrunk *shrunk)
{
    struct plan_step *step;

    if (shrunk->length_s == j->walltime_s || shrunk->length_s >= WALLTIME_NONE_S)
        return false;
    step = plan_add(pl, PLAN_SHRINK_JOB, j->id);
    step->walltime = length_text(pl->arena, shrunk->length_s);
    step->why_shrunk[0] = shrunk->why[0];
    step->why_shrunk[1] = shrunk->why[1];
    return true;
}
