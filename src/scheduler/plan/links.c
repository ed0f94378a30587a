/* links.c - see links.h.
 *
 * Where a name stands for several objects, the first of them in the order of the server
 * counts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/links.h"

#include "scheduler/plan/names.h"

#include <string.h>

static struct names queue_names(const struct world *w)
{
    const struct snapshot *s = w->s;
    struct names names;

    names_init(&names, w->arena, s->n_queues);
    for (size_t i = 0; i < s->n_queues; i++)
        names_add(&names, s->queues[i].name, i);
    names_sort(&names);
    return names;
}

static struct names resv_queue_names(const struct world *w)
{
    const struct snapshot *s = w->s;
    struct names names;

    names_init(&names, w->arena, s->n_resvs);
    for (size_t i = 0; i < s->n_resvs; i++)
        names_add(&names, s->resvs[i].queue, i);
    names_sort(&names);
    return names;
}

/* Jobs that run, end or are suspended (R, E, S, U) have vnodes. The exec_vnode of a
 * job in any other state is what it had before. */
static bool is_placed(const struct snap_job *j)
{
    return j->exec_vnode && j->state && strchr("RESU", j->state);
}

static bool is_suspended(const struct snap_job *j)
{
    return j->state == 'S' || j->state == 'U';
}

/* A job that has given all back stays on its vnodes with nothing. */
static bool is_any(const struct world *w, const struct placement *at)
{
    for (size_t c = 0; c < at->n; c++)
        for (size_t i = 0; i < at->chunks[c].n; i++)
            for (size_t r = 1; r < w->n_res; r++)
                if (at->chunks[c].pieces[i].amounts[r])
                    return true;
    return false;
}

/* Where the snapshot is kept, so is what was read of an element, as long as vnodes and
 * resources have the numbers that they had then. NULL: it has to be read. */
static const void *recall(const struct world *w, const struct snap_memo *memo)
{
    return memo && memo->version == snap_derived_version(w->s) ? memo->what : NULL;
}

/* The memory of what is read: as lasting as the memo. */
static struct arena *arena_of(const struct world *w, const struct snap_memo *memo)
{
    return memo ? snap_derived_arena(w->s) : w->arena;
}

static void remember(const struct world *w, struct snap_memo *memo, const void *what,
                     size_t size_bytes)
{
    if (memo)
        *memo = (struct snap_memo){ .version = snap_derived_version(w->s),
                                    .what = arena_copy(arena_of(w, memo), what,
                                                       size_bytes) };
}

/* The vnodes of the job, without its queue and reservation. */
static struct job_link where_job_is(const struct world *w, const struct snap_job *j)
{
    const struct job_link *known = recall(w, j->memo);
    struct job_link link = { 0 };

    if (known)
        return *known;
    link.has_vnodes =
        is_placed(j) &&
        placement_read_into(w, j->exec_vnode, arena_of(w, j->memo), &link.at);
    if (link.has_vnodes && j->kept && is_suspended(j))
        link.keeps =
            placement_read_into(w, j->kept, arena_of(w, j->memo), &link.kept) &&
            is_any(w, &link.kept);
    remember(w, j->memo, &link, sizeof(link));
    return link;
}

static struct job_link link_job(const struct world *w, const struct snap_job *j,
                                const struct names *queues, const struct names *resvs)
{
    struct job_link link = where_job_is(w, j);
    size_t queue = j->queue ? names_find(queues, j->queue) : SIZE_MAX;
    size_t resv = j->queue ? names_find(resvs, j->queue) : SIZE_MAX;

    if (queue != SIZE_MAX && w->s->queues[queue].execution)
        link.queue = &w->s->queues[queue];
    if (resv != SIZE_MAX)
        link.resv = &w->s->resvs[resv];
    return link;
}

/* Note which resources the pieces of the reservation name: by one of them at least,
 * and by all of them. Most questions are answered by these two alone. */
static void note_names(const struct world *w, struct arena *arena,
                       struct resv_link *link)
{
    link->named_somewhere = arena_zero(arena, w->n_res * sizeof(bool));
    link->named_everywhere = arena_alloc(arena, w->n_res * sizeof(bool));
    memset(link->named_everywhere, 1, w->n_res * sizeof(bool));
    for (size_t c = 0; c < link->at.n; c++)
        for (size_t i = 0; i < link->at.chunks[c].n; i++)
            for (size_t r = 1; r < w->n_res; r++) {
                if (link->at.chunks[c].pieces[i].amounts[r])
                    link->named_somewhere[r] = true;
                else
                    link->named_everywhere[r] = false;
            }
}

static struct resv_link link_resv(const struct world *w, const struct snap_resv *r)
{
    const struct resv_link *known = recall(w, r->memo);
    struct arena *arena = arena_of(w, r->memo);
    struct resv_link link = { 0 };

    if (known)
        return *known;
    link.has_vnodes = placement_read_into(w, r->nodes, arena, &link.at);
    if (link.has_vnodes)
        note_names(w, arena, &link);
    remember(w, r->memo, &link, sizeof(link));
    return link;
}

struct links *links_new(struct world *w)
{
    const struct snapshot *s = w->s;
    struct links *links = arena_alloc(w->arena, sizeof(*links));
    struct names queues = queue_names(w);
    struct names resvs = resv_queue_names(w);

    links->jobs = arena_alloc(w->arena, s->n_jobs * sizeof(*links->jobs) + 1);
    links->resvs = arena_alloc(w->arena, s->n_resvs * sizeof(*links->resvs) + 1);
    links->queue_has_vnodes = arena_zero(w->arena, s->n_queues * sizeof(bool) + 1);
    for (size_t i = 0; i < s->n_jobs; i++)
        links->jobs[i] = link_job(w, &s->jobs[i], &queues, &resvs);
    for (size_t i = 0; i < s->n_resvs; i++)
        links->resvs[i] = link_resv(w, &s->resvs[i]);
    for (size_t v = 0; v < s->n_vnodes; v++) {
        const char *queue = s->vnodes[v].queue;
        size_t i = queue ? names_find(&queues, queue) : SIZE_MAX;

        if (i != SIZE_MAX)
            links->queue_has_vnodes[i] = true;
    }
    return links;
}

bool link_names(const struct world *w, const struct resv_link *r, size_t vnode,
                size_t res)
{
    MUST(r->has_vnodes && res != RES_PRESENCE);
    if (!r->named_somewhere[res] || r->named_everywhere[res])
        return r->named_somewhere[res];
    for (size_t c = 0; c < r->at.n; c++)
        for (size_t i = 0; i < r->at.chunks[c].n; i++) {
            const struct piece *piece = &r->at.chunks[c].pieces[i];

            if (piece->amounts[res] &&
                world_slot(w, piece->vnode, res) == world_slot(w, vnode, res))
                return true;
        }
    return false;
}

/* Copy the amounts of 'from' that the reservation does not name on that vnode. False
 * when there are none. */
static bool piece_beside(const struct world *w, const struct resv_link *r,
                         const struct piece *from, struct piece *to)
{
    bool any = false;

    for (size_t res = 1; res < w->n_res; res++) {
        if (!from->amounts[res] || link_names(w, r, from->vnode, res))
            continue;
        to->amounts[res] = from->amounts[res];
        any = true;
    }
    return any;
}

/* True when every resource that the placement uses is named by every piece of the
 * reservation. */
static bool is_all_named(const struct world *w, const struct resv_link *r,
                         const struct placement *at)
{
    for (size_t c = 0; c < at->n; c++)
        for (size_t i = 0; i < at->chunks[c].n; i++)
            for (size_t res = 1; res < w->n_res; res++)
                if (at->chunks[c].pieces[i].amounts[res] && !r->named_everywhere[res])
                    return false;
    return true;
}

bool link_beside(const struct world *w, const struct resv_link *r,
                 const struct placement *at, struct placement *ret)
{
    bool any = false;

    MUST(r->has_vnodes);
    *ret = (struct placement){ 0 };
    /* This is the usual case, and it needs no memory. */
    if (is_all_named(w, r, at))
        return false;
    for (size_t c = 0; c < at->n; c++) {
        struct placed *pd = placement_add(ret, w->arena);

        for (size_t i = 0; i < at->chunks[c].n; i++) {
            const struct piece *from = &at->chunks[c].pieces[i];

            if (piece_beside(w, r, from, placed_add(pd, w->arena, w, from->vnode)))
                any = true;
        }
    }
    return any;
}
