/* jobs_beside.c - see jobs_beside.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/jobs_beside.h"

#include "scheduler/plan/holders.h"

/* Of a later occurrence no job runs yet. */
static bool is_longer(const struct question *q)
{
    return q->altered && !q->later && resv_is_running(q->pl, q->r) &&
           q->end_at > q->r->old_end_at;
}

/* Name whoever has the vnode then. */
static void blame(const struct question *q, const struct demand *d,
                  const struct span *more, struct plan_short *why)
{
    const struct world *w = q->pl->w;

    for (size_t i = 0; i < d->n; i++) {
        const struct booking *h =
            world_holder(w, d->vnodes[i], RES_PRESENCE, more->start_at, more->end_at);

        if (!h)
            continue;
        why->vnode = w->s->vnodes[d->vnodes[i]].name;
        why->holder = h->id;
        why->until_at = h->end_at;
        return;
    }
}

/* Book it for one job after the other; false at the first one that lacks something,
 * where that matters: 'why' is not NULL. */
static bool take(const struct question *q, struct plan_short *why, struct bookings *ret)
{
    const struct planner *pl = q->pl;

    for (size_t i = 0; is_longer(q) && i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];
        struct placement at;
        struct span more;
        struct demand d;

        if (pl->links->jobs[i].resv != q->r ||
            !holders_beside(pl, j, q->end_at, &at, &more))
            continue;
        d = world_demand(pl->w, pl->arena, NULL, &at);
        if (why && !world_has(pl->w, &d, more.start_at, more.end_at)) {
            blame(q, &d, &more, why);
            return false;
        }
        ARENA_ROOM(pl->arena, ret, v, 8);
        ret->v[ret->n] = world_take(pl->w, j->id, &d, more.start_at, more.end_at);
        MUST(ret->v[ret->n]); /* there is something beside, for a while */
        ret->n++;
    }
    return true;
}

bool jobs_beside_fit(const struct question *q, struct plan_short *why)
{
    struct bookings made = { 0 };
    bool fit = take(q, why, &made);

    jobs_beside_give(q, &made);
    return fit;
}

void jobs_beside_take(const struct question *q, struct bookings *ret)
{
    bool taken = take(q, NULL, ret);

    MUST(taken);
}

void jobs_beside_give(const struct question *q, struct bookings *made)
{
    while (made->n > 0)
        world_unbook(q->pl->w, made->v[--made->n]);
}
