/* own_chunks.c - see own_chunks.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/own_chunks.h"

#include <string.h>

/* True when the placement and the chunk have a vnode in common. */
static bool uses(const struct placement *at, const struct placed *pd)
{
    for (size_t c = 0; c < at->n; c++)
        for (size_t i = 0; i < at->chunks[c].n; i++)
            if (placed_has(pd, at->chunks[c].pieces[i].vnode))
                return true;
    return false;
}

static bool has_job(const struct planner *pl, const struct snap_resv *r,
                    const struct placed *pd)
{
    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct job_link *link = &pl->links->jobs[i];

        if (link->has_vnodes && link->resv == r && uses(&link->at, pd))
            return true;
    }
    return false;
}

static void note_outside(const struct world *w, const struct resv_link *link,
                         const struct placement *job, bool **ret)
{
    for (size_t c = 0; c < job->n; c++)
        for (size_t i = 0; i < job->chunks[c].n; i++) {
            size_t vnode = job->chunks[c].pieces[i].vnode;

            if (link_has_vnode(link, vnode))
                continue;
            if (!*ret)
                *ret = arena_zero(w->arena, w->n * sizeof(**ret));
            (*ret)[vnode] = true;
        }
}

const bool *vnodes_of_jobs_outside(const struct planner *pl, const struct snap_resv *r)
{
    bool *outside = NULL;

    if (!resv_is_running(pl, r))
        return NULL;
    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct job_link *link = &pl->links->jobs[i];

        if (link->has_vnodes && link->resv == r)
            note_outside(pl->w, link_of_resv(pl, r), &link->at, &outside);
    }
    return outside;
}

static bool is_usable(const struct world *w, const struct placed *pd)
{
    for (size_t i = 0; i < pd->n; i++)
        if (!w->s->vnodes[pd->pieces[i].vnode].usable)
            return false;
    return pd->n > 0 && !pd->incomplete;
}

/* True when the chunk is nothing but vnodes, without an amount: the rest of a host
 * that was taken whole. */
static bool is_bare(const struct world *w, const struct placed *pd)
{
    for (size_t i = 0; i < pd->n; i++)
        for (size_t r = 1; r < w->n_res; r++)
            if (pd->pieces[i].amounts[r])
                return false;
    return !pd->incomplete;
}

bool own_chunks_read(const struct planner *pl, const struct snap_resv *r,
                     const struct request *rq, struct own_chunks *ret)
{
    struct world *w = pl->w;
    const struct resv_link *link = link_of_resv(pl, r);
    size_t chunk = 0;
    int64_t copies = 0;

    if (!link->has_vnodes)
        return false;
    ret->n = link->at.n;
    ret->v = arena_zero(w->arena, link->at.n * sizeof(*ret->v) + 1);
    for (size_t i = 0; i < link->at.n; i++) {
        struct own_chunk *oc = &ret->v[i];

        *oc = (struct own_chunk){ .placed = &link->at.chunks[i], .chunk = SIZE_MAX };
        oc->usable = is_usable(w, oc->placed);
        oc->has_job = has_job(pl, r, oc->placed);
        if ((int64_t)link->at.n > rq->n_total && is_bare(w, oc->placed))
            continue;
        if (chunk == rq->n)
            return false;
        oc->chunk = chunk;
        /* The copies of a chunk stand side by side; after the last of them the next
         * chunk begins. */
        if (++copies == rq->chunks[chunk].count) {
            chunk++;
            copies = 0;
        }
    }
    return chunk == rq->n;
}

static bool same_needs(const struct req_chunk *a, const struct req_chunk *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->needs[i].res != b->needs[i].res ||
            strcmp(a->needs[i].text, b->needs[i].text) != 0)
            return false;
    return true;
}

void own_chunks_tie(const struct request *old, const struct request *proposed,
                    size_t *ret)
{
    size_t next = 0;

    for (size_t o = 0; o < old->n; o++) {
        ret[o] = SIZE_MAX;
        for (size_t k = next; k < proposed->n && ret[o] == SIZE_MAX; k++)
            if (same_needs(&old->chunks[o], &proposed->chunks[k])) {
                ret[o] = k;
                next = k + 1;
            }
    }
}

bool own_chunks_keep(struct own_chunks *all, size_t old_chunk, int64_t count,
                     int64_t *left)
{
    MUST(count >= 0);
    for (size_t i = 0; i < all->n; i++) {
        struct own_chunk *oc = &all->v[i];

        if (oc->chunk != old_chunk || !oc->has_job)
            continue;
        if (!oc->usable || count-- == 0)
            return false;
        oc->kept = true;
    }
    for (size_t i = 0; i < all->n && count > 0; i++) {
        struct own_chunk *oc = &all->v[i];

        if (oc->chunk != old_chunk || oc->kept || !oc->usable)
            continue;
        oc->kept = true;
        count--;
    }
    *left = count;
    return true;
}

bool own_chunks_keep_extras(struct own_chunks *all)
{
    for (size_t i = 0; i < all->n; i++) {
        struct own_chunk *oc = &all->v[i];

        if (oc->chunk != SIZE_MAX)
            continue;
        if (!oc->usable && oc->has_job)
            return false;
        oc->kept = oc->usable;
    }
    return true;
}
