/* length.c - see length.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/length.h"

#include "lib/attr/value.h"
#include "lib/base/instant.h"
#include "scheduler/plan/shrink.h"

const char *length_text(struct arena *arena, int64_t length_s)
{
    const struct attr_value v = { .set = true, .u.num = length_s };

    return attr_value_text(&attr_duration, &v, arena);
}

bool job_has_soft(const struct snap_job *j)
{
    return j->soft_walltime_s > 0 && !job_may_shrink(j);
}

static int64_t hard_s(const struct snap_job *j)
{
    int64_t full_s = j->walltime_s;

    if (job_may_shrink(j) && j->max_walltime_s >= 0)
        full_s = j->max_walltime_s;
    if (full_s < 0)
        return WALLTIME_NONE_S;
    /* A walltime that a manager has set below the minimum is raised to it. */
    return job_may_shrink(j) ? MAX_OF(full_s, j->min_walltime_s) : full_s;
}

static bool is_running(const struct snap_job *j)
{
    return j->state == 'R' || j->state == 'E';
}

/* Seconds that it has run by now. */
static int64_t used_s(const struct planner *pl, const struct snap_job *j)
{
    int64_t from_at = j->runs_from_at ? j->runs_from_at : j->started_at;
    int64_t now_s = is_running(j) && from_at ? MAX_OF(pl->now_at - from_at, 0) : 0;

    return MAX_OF(j->ran_s, 0) + now_s;
}

/* The soft_walltime, or its first multiple that is not over. */
static int64_t soft_s(const struct planner *pl, const struct snap_job *j)
{
    const int64_t soft = j->soft_walltime_s, used = used_s(pl, j);
    int64_t times = MAX_OF((used - 1) / soft + 1, 1), all_s;

    if (__builtin_mul_overflow(times, soft, &all_s))
        return hard_s(j);
    return MIN_OF(all_s, hard_s(j));
}

/* When the next reservation or occurrence begins; INT64_MAX: none does. */
static int64_t next_resv_at(const struct planner *pl)
{
    int64_t *known = pl->next_resv_at, next_at = INT64_MAX;

    if (*known)
        return *known;
    for (size_t i = 0; i < pl->s->n_resvs; i++) {
        const struct snap_resv *r = &pl->s->resvs[i];
        const int64_t starts[] = { r->start_at, r->old_start_at };

        for (size_t k = 0; k < ARRAY_LEN(starts); k++)
            if (starts[k] > pl->now_at)
                next_at = MIN_OF(next_at, starts[k]);
        for (size_t k = 0; k < r->occurrences.n; k++)
            if (r->occurrences.v[k].start_at > pl->now_at)
                next_at = MIN_OF(next_at, r->occurrences.v[k].start_at);
    }
    *known = next_at;
    return next_at;
}

int64_t job_full_s(const struct planner *pl, const struct snap_job *j)
{
    if (!pl->soft || !job_has_soft(j))
        return hard_s(j);
    if (!is_running(j) && next_resv_at(pl) < instant_after(pl->now_at, hard_s(j)))
        return hard_s(j);
    return soft_s(pl, j);
}

int64_t job_extended_s(const struct planner *pl, const struct snap_job *j)
{
    if (!job_has_soft(j) || j->state != 'R' || used_s(pl, j) <= j->soft_walltime_s)
        return -1;
    return soft_s(pl, j);
}
