/* remarks.c - see remarks.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/remarks.h"

#include "scheduler/plan/rules.h"
#include "scheduler/plan/series.h"

static bool names_vnode(const struct placement *at, size_t vnode)
{
    for (size_t c = 0; c < at->n; c++)
        for (size_t i = 0; i < at->chunks[c].n; i++)
            if (at->chunks[c].pieces[i].vnode == vnode)
                return true;
    return false;
}

/* The first vnode of the job that its reservation has not; SIZE_MAX: it has all. */
static size_t first_stray(const struct job_link *job, const struct resv_link *resv)
{
    for (size_t c = 0; c < job->at.n; c++)
        for (size_t i = 0; i < job->at.chunks[c].n; i++) {
            size_t vnode = job->at.chunks[c].pieces[i].vnode;

            if (!names_vnode(&resv->at, vnode))
                return vnode;
        }
    return SIZE_MAX;
}

/* Of vnodes that cannot be read nothing is known. */
static bool vnodes_are_known(const struct planner *pl, const struct snap_resv *r)
{
    return link_of_resv(pl, r)->has_vnodes || !r->nodes || !*r->nodes;
}

void strays_each(const struct planner *pl, stray_fn each, void *arg)
{
    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];
        const struct job_link *link = link_of_job(pl, j);
        size_t vnode;

        if (!rules_runs(j) || !link->has_vnodes || !link->resv ||
            !vnodes_are_known(pl, link->resv))
            continue;
        vnode = first_stray(link, link_of_resv(pl, link->resv));
        if (vnode != SIZE_MAX)
            each(arg, j->id, pl->s->vnodes[vnode].name);
    }
}

static void each_of_series(const struct snap_resv *r, const struct series *series,
                           occurrence_fn each, void *arg)
{
    for (size_t i = 0; i < series->n; i++)
        /* One that was deleted only keeps its place. */
        if (series->v[i].end_at > 0)
            each(arg, r->id, series->v[i].number, r->count, series->v[i].start_at);
}

void occurrences_each(const struct planner *pl, occurrence_fn each, void *arg)
{
    for (size_t i = 0; i < pl->s->n_resvs; i++) {
        const struct snap_resv *r = &pl->s->resvs[i];

        /* Until it is confirmed it has no vnodes in any of its occurrences. */
        if (r->standing && r->map.n > 0 && !r->alien)
            each_of_series(r, series_of(pl, r), each, arg);
    }
}
