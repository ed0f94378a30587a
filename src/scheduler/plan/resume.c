/* resume.c - see resume.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/resume.h"

#include "scheduler/plan/length.h"

int64_t job_left_s(const struct planner *pl, const struct snap_job *j)
{
    return MAX_OF(job_full_s(pl, j) - MAX_OF(j->ran_s, 0), 1);
}

int64_t job_end_at(const struct planner *pl, const struct snap_job *j)
{
    int64_t length_s = job_left_s(pl, j);

    return pl->now_at + MIN_OF(length_s, 10 * (int64_t)WALLTIME_NONE_S);
}

bool resume_may_use(const struct planner *pl, const struct job_link *link)
{
    for (size_t c = 0; c < link->at.n; c++)
        for (size_t i = 0; i < link->at.chunks[c].n; i++)
            if (!pl->s->vnodes[link->at.chunks[c].pieces[i].vnode].usable)
                return false;
    return true;
}

void resume_take(struct planner *pl, const struct snap_job *j, const struct demand *d)
{
    (void)world_take(pl->w, j->id, d, pl->now_at, job_end_at(pl, j));
    quick_fit_took(pl, &link_of_job(pl, j)->at);
}

enum plan_failure resume_field(struct planner *pl, const struct snap_job *j)
{
    const struct job_link *link = link_of_job(pl, j);
    struct demand d = world_demand(pl->w, pl->arena, j->request, &link->at);
    int64_t end_at = job_end_at(pl, j);

    if (policy_crossed(pl->p, pl->now_at, end_at))
        return FAIL_CROSSES_DEDICATED;
    if (!resume_may_use(pl, link))
        return FAIL_NO_VNODES;
    world_drop(pl->w, j->id);
    if (!world_has(pl->w, &d, pl->now_at, end_at)) {
        world_restore(pl->w, j->id);
        return FAIL_NO_VNODES;
    }
    resume_take(pl, j, &d);
    return FAIL_NONE;
}

/* How often a later instant is tried: vnodes may become free one after the other for a
 * long time before all of them are. */
#define LATER_TRIES 2000

/* The first instant from 'at' on at which some vnode is not known to lack anything;
 * TIMELINE_NEVER: one always does. */
static int64_t not_before(struct world *w, const struct demand *d, int64_t at,
                          int64_t length_s)
{
    int64_t last_at = at;

    for (size_t i = 0; i < d->n && last_at != TIMELINE_NEVER; i++)
        last_at = MAX_OF(last_at, timeline_earliest(world_line(w, d->vnodes[i]), at,
                                                    length_s, d->amounts[i]));
    return last_at;
}

static int64_t find_later(struct planner *pl, const struct demand *d, int64_t length_s)
{
    int64_t at = pl->now_at + 1;

    for (int i = 0; i < LATER_TRIES; i++) {
        const struct period *crossed = policy_crossed(pl->p, at, at + length_s);
        int64_t next_at = crossed ? policy_next_start(crossed, at)
                                  : not_before(pl->w, d, at, length_s);

        if (next_at == TIMELINE_NEVER)
            return 0;
        if (next_at == at)
            return at;
        at = next_at;
    }
    return 0;
}

int64_t resume_later(struct planner *pl, const struct snap_job *j)
{
    const struct job_link *link = link_of_job(pl, j);
    int64_t length_s = job_end_at(pl, j) - pl->now_at, at;
    struct demand d;

    if (!link->has_vnodes || link->resv || !resume_may_use(pl, link))
        return 0;
    d = world_demand(pl->w, pl->arena, j->request, &link->at);
    world_drop(pl->w, j->id);
    at = find_later(pl, &d, length_s);
    world_restore(pl->w, j->id);
    if (at)
        (void)world_take(pl->w, j->id, &d, at, at + length_s);
    return at;
}
