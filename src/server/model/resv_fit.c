/* resv_fit.c - judging an offer of vnodes.
 *
 * What else is promised on a vnode is in resv_claims.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_fit.h"

#include "lib/base/instant.h"
#include "server/model/indirect.h"
#include "server/model/job_suspend.h"
#include "server/model/node_life.h"
#include "server/model/resv_claims.h"
#include "server/model/resv_state.h"
#include "server/model/resv_time.h"

#include <string.h>

const char *resv_fit_unknown(const struct model *m, const struct exec_vnode *vnodes)
{
    for (size_t i = 0; i < vnodes->n; i++)
        for (size_t k = 0; k < vnodes->chunks[i].n; k++)
            if (!model_node(m, vnodes->chunks[i].parts[k].vnode))
                return vnodes->chunks[i].parts[k].vnode;
    return NULL;
}

bool resv_has_job_on(const struct resv *r, const struct node *n)
{
    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv == r)
            return true;
    return false;
}

bool resv_job_is_on_lost(const struct resv *r)
{
    const struct bookings *held = &r->current.bookings;

    for (size_t i = 0; i < held->n; i++)
        if (!node_is_usable(held->v[i].node) && resv_has_job_on(r, held->v[i].node))
            return true;
    return false;
}

/* Jobs of a reservation are in its current occurrence. */
static bool has_job_on(const struct occurrence *oc, const struct node *n)
{
    return occurrence_is_current(oc) && resv_has_job_on(oc->resv, n);
}

static struct window window_of(const struct resv_offer *o)
{
    /* What is past needs no vnodes. */
    return (struct window){ .start_at = MAX_OF(o->start_at, o->now_at),
                            .end_at = o->end_at };
}

static bool is_within_window(const struct resv_offer *o)
{
    struct window has = occurrence_window(o->occurrence);

    return o->start_at >= has.start_at && o->end_at <= has.end_at;
}

/* What the reservation has already for all of this window: nobody is asked about it
 * again. */
static const struct resources *promised_on(const struct resv_offer *o,
                                           const struct node *n)
{
    static const struct bookings none;

    return bookings_on(is_within_window(o) ? &o->occurrence->bookings : &none, n);
}

static bool is_promised(const struct resv_offer *o, const struct node *n)
{
    return promised_on(o, n)->n > 0;
}

static bool offers_all(const struct resv_offer *o, const struct booking *h)
{
    if (!exec_vnode_has(o->vnodes, h->node->obj.id))
        return false;
    for (size_t i = 0; i < h->amount.n; i++) {
        const char *name = h->amount.v[i].def->name;

        if (exec_vnode_amount(o->vnodes, h->node->obj.id, name) <
            resources_amount(&h->amount, name, 0))
            return false;
    }
    return true;
}

/* What the reservation's jobs use of a vnode is offered. */
static bool offers_jobs(const struct resv_offer *o, const struct booking *h)
{
    for (size_t i = 0; i < h->amount.n; i++) {
        const char *name = h->amount.v[i].def->name;
        int64_t used = 0;

        for (size_t k = 0; k < h->node->n_jobs; k++)
            if (occurrence_is_current(o->occurrence) &&
                h->node->jobs[k]->resv == o->occurrence->resv)
                used += resources_amount(
                    bookings_on(&h->node->jobs[k]->bookings, h->node), name, 0);
        if (exec_vnode_amount(o->vnodes, h->node->obj.id, name) < used)
            return false;
    }
    return exec_vnode_has(o->vnodes, h->node->obj.id);
}

static bool keeps_what_works(const struct resv_offer *o, struct arena *arena,
                             const char **ret_why)
{
    for (size_t i = 0; i < o->occurrence->bookings.n; i++) {
        const struct booking *h = &o->occurrence->bookings.v[i];
        bool job = has_job_on(o->occurrence, h->node);
        bool usable = node_is_usable(h->node);

        /* A vnode with a job cannot be given up, and cannot be promised while it is
         * unusable. The reservation waits until the job has left. */
        if (job && !usable) {
            *ret_why =
                arena_printf(arena, "a job runs on unusable vnode %s", h->node->obj.id);
            return false;
        }
        /* A smaller request gives vnodes back, except where jobs run. */
        if (o->smaller && job && !offers_jobs(o, h)) {
            *ret_why = arena_printf(arena, "a job runs on vnode %s", h->node->obj.id);
            return false;
        }
        /* Users have arranged themselves with what they have, so a vnode that works is
         * not exchanged. */
        if (!o->smaller && usable && !offers_all(o, h)) {
            *ret_why =
                arena_printf(arena, "vnode %s is usable and not kept", h->node->obj.id);
            return false;
        }
    }
    return true;
}

static bool is_shared_against_will(const struct claims *list, const struct node *n,
                                   const struct resources *wants, struct arena *arena)
{
    /* Nobody else is there in this window. */
    if (list->n == 0)
        return false;
    if (claim_is_exclusive(n, wants, arena))
        return true;
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].list && claim_is_exclusive(n, list->v[i].list, arena))
            return true;
    return false;
}

static bool meets(const struct resv_offer *o, const struct resv_offer *other)
{
    struct window w = window_of(o);

    return other->start_at < w.end_at && other->end_at > w.start_at;
}

/* What they hold now is given back by the same change. A job that is resumed asks for
 * all that it has there and does not stand in its own way. */
static void leave_out_others(const struct resv_offer *o, struct claims *list)
{
    size_t n = 0;

    if (o->n_with == 0 && !o->job)
        return;
    for (size_t i = 0; i < list->n; i++) {
        bool theirs = o->job && list->v[i].by == &o->job->obj;

        for (size_t k = 0; k < o->n_with && !theirs; k++)
            /* The claim is that of an occurrence of the same change, which gives it
             * back at the same instant. */
            theirs = list->v[i].occurrence == o->with[k].occurrence;
        if (!theirs)
            list->v[n++] = list->v[i];
    }
    list->n = n;
}

/* What one of them would hold on the vnode, or of what several vnodes share at the
 * vnode that has it. */
static int64_t other_amount(const struct model *m, const struct resv_offer *other,
                            const struct node *n, const char *resource)
{
    return node_shares(n, resource)
               ? offer_at_home(m, other->vnodes, n, resource)
               : exec_vnode_amount(other->vnodes, n->obj.id, resource);
}

static bool others_take(const struct model *m, const struct resv_offer *o,
                        const struct node *n, const char *resource)
{
    for (size_t i = 0; i < o->n_with; i++)
        if (meets(o, &o->with[i]) && other_amount(m, &o->with[i], n, resource) > 0)
            return true;
    return false;
}

/* What is claimed at that instant, with what the others would hold then. */
static int64_t taken_at(const struct model *m, const struct resv_offer *o,
                        const struct node *n, const struct claims *list,
                        const char *resource, int64_t at)
{
    int64_t sum = claims_at(list, resource, at);

    for (size_t i = 0; i < o->n_with; i++) {
        const struct resv_offer *other = &o->with[i];

        if (other->start_at <= at && at < other->end_at &&
            /* A sum that is too large fits nowhere. */
            __builtin_add_overflow(sum, other_amount(m, other, n, resource), &sum))
            return INT64_MAX;
    }
    return sum;
}

/* The most of it: that can only be at the start, or where a claim or an offer begins.
 */
static int64_t most_taken(const struct model *m, const struct resv_offer *o,
                          const struct node *n, const struct claims *list,
                          const char *resource)
{
    struct window w = window_of(o);
    int64_t most = claims_most(list, resource, w.start_at);

    if (o->n_with == 0)
        return most;
    most = MAX_OF(most, taken_at(m, o, n, list, resource, w.start_at));
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].start_at > w.start_at)
            most = MAX_OF(most, taken_at(m, o, n, list, resource, list->v[i].start_at));
    for (size_t i = 0; i < o->n_with; i++)
        if (meets(o, &o->with[i]) && o->with[i].start_at > w.start_at)
            most = MAX_OF(most, taken_at(m, o, n, list, resource, o->with[i].start_at));
    return most;
}

static bool others_are_in_the_way(const struct resv_offer *o, const struct node *n,
                                  struct arena *arena)
{
    const struct resources *own = occurrence_resources(o->occurrence);

    for (size_t i = 0; i < o->n_with; i++) {
        const struct resv_offer *other = &o->with[i];

        /* Only an offer for the same vnode at the same time can be in the way. */
        if (!meets(o, other) || !exec_vnode_has(other->vnodes, n->obj.id))
            continue;
        if (claim_is_exclusive(n, own, arena) ||
            claim_is_exclusive(n, occurrence_resources(other->occurrence), arena))
            return true;
    }
    return false;
}

/* The same question to all vnodes that share one amount. */
static bool has_room_at_home(const struct model *m, const struct resv_offer *o,
                             const struct node *n, const char *resource,
                             struct arena *arena)
{
    static const struct bookings none;
    const struct node *home = node_home(n, resource);
    const struct resources *has = obj_resources(&home->obj, NODE_A_RESOURCES_AVAILABLE);
    int64_t wanted = offer_at_home(m, o->vnodes, home, resource);
    const struct bookings *held =
        o->occurrence && is_within_window(o) ? &o->occurrence->bookings : &none;
    struct claims list;

    if (!resources_find(has, resource) ||
        (wanted <= bookings_at_home(held, home, resource) &&
         !others_take(m, o, home, resource)))
        return true;
    list =
        claims_at_home(home, resource, o->occurrence, window_of(o), o->now_at, arena);
    leave_out_others(o, &list);
    return wanted <=
           resources_amount(has, resource, 0) - most_taken(m, o, home, &list, resource);
}

/* A resource that the vnode does not name is not counted on it. */
static bool has_room(const struct model *m, const struct resv_offer *o,
                     const struct node *n, const struct claims *list,
                     const char *resource)
{
    const struct resources *has = obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE);
    int64_t wanted = exec_vnode_amount(o->vnodes, n->obj.id, resource);

    if (!resources_find(has, resource) ||
        (wanted <= resources_amount(promised_on(o, n), resource, 0) &&
         !others_take(m, o, n, resource)))
        return true;
    return wanted <=
           resources_amount(has, resource, 0) - most_taken(m, o, n, list, resource);
}

/* A vnode that is only down or offline may be promised to a reservation that starts
 * after the next retry: it is degraded from the beginning, and made anew if the vnode
 * does not come back. */
static bool may_return_in_time(const struct model *m, const struct resv_offer *o,
                               const struct node *n)
{
    return o->away && !(node_state_stored(n) & NODE_UNUSABLE & ~NODE_AWAY) &&
           o->start_at - o->now_at > resv_retry_time_s(m);
}

static bool share_fits(const struct model *m, const struct resv_offer *o,
                       const struct vnode_part *share, struct arena *arena,
                       const char **ret_why)
{
    const struct node *n = model_node(m, share->vnode);
    struct claims list = claims_on(n, o->occurrence, window_of(o), o->now_at, arena);

    if (!node_is_usable(n) && !may_return_in_time(m, o, n)) {
        *ret_why = arena_printf(arena, "vnode %s is not usable", n->obj.id);
        return false;
    }
    leave_out_others(o, &list);
    if (others_are_in_the_way(o, n, arena)) {
        *ret_why = arena_printf(arena, "vnode %s cannot be shared", n->obj.id);
        return false;
    }
    /* A vnode that is promised already is not judged again, even if an administrator
     * has changed it since. */
    if (!is_promised(o, n) &&
        is_shared_against_will(&list, n, occurrence_resources(o->occurrence), arena)) {
        *ret_why = arena_printf(arena, "vnode %s cannot be shared", n->obj.id);
        return false;
    }
    for (size_t i = 0; i < share->n; i++) {
        const struct resource_def *def = share->res[i].def;

        if (!def || !(def->flags & RESOURCE_CONSUMABLE))
            continue;
        if (node_shares(n, def->name) ? !has_room_at_home(m, o, n, def->name, arena)
                                      : !has_room(m, o, n, &list, def->name)) {
            *ret_why =
                arena_printf(arena, "vnode %s has not enough %s", n->obj.id, def->name);
            return false;
        }
    }
    return true;
}

/* One that has not begun may go anywhere, but for a job that qrun put into it. */
static bool keeps_jobs(const struct resv_offer *o, struct arena *arena,
                       const char **ret_why)
{
    for (size_t i = 0; i < o->occurrence->bookings.n; i++) {
        const struct booking *h = &o->occurrence->bookings.v[i];

        if (has_job_on(o->occurrence, h->node) && !offers_jobs(o, h)) {
            *ret_why = arena_printf(arena, "a job runs on vnode %s", h->node->obj.id);
            return false;
        }
    }
    return true;
}

/* Maintenance may have taken a vnode on which jobs of it run on: given to it again in
 * part, they would use more than it holds. */
static const struct node *find_outside(const struct model *m,
                                       const struct resv_offer *o)
{
    for (size_t i = 0; i < o->vnodes->n; i++)
        for (size_t k = 0; k < o->vnodes->chunks[i].n; k++) {
            const struct node *n = model_node(m, o->vnodes->chunks[i].parts[k].vnode);

            if (n && has_job_on(o->occurrence, n) &&
                !bookings_has(&o->occurrence->bookings, n))
                return n;
        }
    return NULL;
}

bool resv_fit(const struct model *m, const struct resv_offer *o, struct arena *arena,
              const char **ret_why)
{
    const struct node *outside = find_outside(m, o);

    /* A reservation that runs keeps its vnodes; one that waits only keeps those with
     * jobs. */
    bool stays = phase_is_running(occurrence_phase(o->occurrence)) && !o->moves;

    if (stays ? !keeps_what_works(o, arena, ret_why) : !keeps_jobs(o, arena, ret_why))
        return false;
    if (outside) {
        *ret_why = arena_printf(arena, "a job runs on vnode %s, which was taken",
                                outside->obj.id);
        return false;
    }
    for (size_t i = 0; i < o->vnodes->n; i++)
        for (size_t k = 0; k < o->vnodes->chunks[i].n; k++)
            if (!share_fits(m, o, &o->vnodes->chunks[i].parts[k], arena, ret_why))
                return false;
    return true;
}

static bool job_share_fits(const struct model *m, const struct job *job,
                           const struct resv_offer *o, const struct vnode_part *share,
                           struct arena *arena)
{
    const struct node *n = model_node(m, share->vnode);
    const struct resources *has = obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE);
    struct claims list = claims_on(n, o->occurrence, window_of(o), o->now_at, arena);

    leave_out_others(o, &list);
    if (is_shared_against_will(&list, n, obj_resources(&job->obj, JOB_A_RESOURCE_LIST),
                               arena))
        return false;
    for (size_t i = 0; i < share->n; i++) {
        const struct resource_def *def = share->res[i].def;

        if (!def || !(def->flags & RESOURCE_CONSUMABLE))
            continue;
        /* An amount that several vnodes share is judged where it is. */
        if (node_shares(n, def->name)) {
            if (!has_room_at_home(m, o, n, def->name, arena))
                return false;
        } else if (resources_find(has, def->name) &&
                   exec_vnode_amount(o->vnodes, n->obj.id, def->name) >
                       resources_amount(has, def->name, 0) -
                           claims_most(&list, def->name, o->start_at))
            return false;
    }
    return true;
}

bool resv_fit_job(const struct model *m, const struct job *job,
                  const struct exec_vnode *vnodes, int64_t now_at, struct arena *arena)
{
    const struct resv_offer o = {
        .job = job,
        .vnodes = vnodes,
        .start_at = now_at,
        .end_at = instant_after(now_at, job_walltime_left(job)),
        .now_at = now_at,
    };

    for (size_t i = 0; i < vnodes->n; i++)
        for (size_t k = 0; k < vnodes->chunks[i].n; k++)
            if (!job_share_fits(m, job, &o, &vnodes->chunks[i].parts[k], arena))
                return false;
    return true;
}
