/* candidate.c - see candidate.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/candidate.h"

#include "lib/attr/preempt.h"
#include "scheduler/plan/holders.h"
#include "scheduler/plan/level.h"

#include <stdlib.h>

#define ORDER_DEFAULT "SCR"

int64_t level_of_preemptor(struct planner *pl, const struct preemptor *who)
{
    return who->asked ? LEVEL_ASKED : level_of(pl, who->job);
}

static bool is_candidate(const struct planner *pl, const struct snap_job *j)
{
    const struct job_link *link = link_of_job(pl, j);

    return j->state == 'R' && link->has_vnodes && link->queue && !link->resv &&
           !j->array && !j->spared;
}

static int by_worth(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->job->started_at != y->job->started_at)
        return x->job->started_at > y->job->started_at ? -1 : 1;
    return x->job < y->job ? 1 : x->job > y->job ? -1 : 0;
}

static void sort(struct planner *pl, struct preempting *p)
{
    for (size_t i = 0; i < p->n; i++)
        p->v[i].level = level_of(pl, p->v[i].job);
    if (p->n > 0)
        qsort(p->v, p->n, sizeof(*p->v), by_worth);
    p->version = limit_fit_version(pl);
}

static void make(struct planner *pl, struct preempting *p)
{
    size_t n = 0;

    for (size_t i = 0; i < pl->s->n_jobs; i++)
        n += is_candidate(pl, &pl->s->jobs[i]);
    p->v = ARENA_ARRAY(pl->arena, struct candidate, n + 1);
    for (size_t i = 0; i < pl->s->n_jobs; i++)
        if (is_candidate(pl, &pl->s->jobs[i]))
            p->v[p->n++].job = &pl->s->jobs[i];
    p->may_use = ARENA_ARRAY(pl->arena, bool, pl->w->n + 1);
    p->at = ARENA_ARRAY(pl->arena, size_t, pl->w->n + 1);
    sort(pl, p);
    p->made = true;
}

bool candidates_for(struct planner *pl, struct preempting **p,
                    const struct preemptor *who)
{
    if (!pl->p->preemptive || link_of_job(pl, who->job)->resv ||
        (!who->asked && !levels_differ(pl)))
        return false;
    if (!*p)
        *p = ARENA_NEW(pl->arena, struct preempting);
    if (!(*p)->made)
        make(pl, *p);
    /* What has started or left since has changed who is over a soft limit. */
    if ((*p)->version != limit_fit_version(pl))
        sort(pl, *p);
    for (size_t i = 0; i < (*p)->n; i++)
        if (!(*p)->v[i].out)
            return (*p)->v[i].level < level_of_preemptor(pl, who);
    return false;
}

/* Which method comes first for a job, 0: none may be tried. The server tries them, and
 * knows better how much of its time a job has left. */
static char first_method(const struct planner *pl, const struct snap_job *j)
{
    const char *order = pl->s->preempt.order;
    int64_t from_at = j->runs_from_at ? j->runs_from_at : j->started_at;
    struct preempt_methods m = preempt_methods_for(
        order ? order : ORDER_DEFAULT,
        preempt_percent_left(j->soft_walltime_s >= 0 ? j->soft_walltime_s
                                                     : j->walltime_s,
                             j->ran_s + MAX_OF(pl->now_at - from_at, 0)));

    for (size_t i = 0; i < m.n; i++)
        if ((m.v[i] != 'R' || !j->no_rerun) && (m.v[i] != 'C' || !j->no_checkpoint))
            return m.v[i];
    return 0;
}

/* What restrict_res_to_release_on_suspend does not name stays with the job. */
static struct demand kept_of(const struct planner *pl, const struct snap_job *j)
{
    const struct placement *at = &link_of_job(pl, j)->at;
    struct placement keeps = { 0 };

    for (size_t c = 0; c < at->n; c++) {
        struct placed *pd = placement_add(&keeps, pl->arena);

        for (size_t i = 0; i < at->chunks[c].n; i++) {
            const struct piece *from = &at->chunks[c].pieces[i];
            struct piece *to = placed_add(pd, pl->arena, pl->w, from->vnode);

            for (size_t r = 1; r < pl->w->n_res; r++)
                if (!policy_list_has(pl->s->suspend_releases, pl->s->res.v[r].name))
                    to->amounts[r] = from->amounts[r];
        }
    }
    return world_demand(pl->w, pl->arena, NULL, &keeps);
}

static bool is_on_usable(const struct planner *pl, const struct snap_job *j)
{
    const struct placement *at = &link_of_job(pl, j)->at;

    for (size_t c = 0; c < at->n; c++)
        for (size_t i = 0; i < at->chunks[c].n; i++)
            if (!pl->s->vnodes[at->chunks[c].pieces[i].vnode].usable)
                return false;
    return true;
}

bool candidate_may_leave(const struct planner *pl, struct candidate *c)
{
    char method;

    if (c->looked_at)
        return c->has_method;
    c->looked_at = true;
    method = first_method(pl, c->job);
    c->has_method = method && is_on_usable(pl, c->job);
    if (method == 'S' && pl->s->suspend_releases)
        c->keeps = kept_of(pl, c->job);
    return c->has_method;
}

void candidate_leaves(struct planner *pl, struct candidate *c)
{
    MUST(!c->out);
    world_drop(pl->w, c->job->id);
    c->kept = world_take(pl->w, c->job->id, &c->keeps, pl->now_at,
                         pl->now_at + job_left_s(pl, c->job));
    limit_fit_left(pl, c->job, holders_end_at(pl, c->job));
    queue_fit_left(pl, c->job);
    c->out = true;
}

void candidate_comes_back(struct planner *pl, struct candidate *c)
{
    MUST(c->out);
    if (c->kept)
        world_unbook(pl->w, c->kept);
    c->kept = NULL;
    world_restore(pl->w, c->job->id);
    limit_fit_took(pl, c->job, holders_end_at(pl, c->job));
    queue_fit_took(pl, c->job);
    c->out = false;
}
