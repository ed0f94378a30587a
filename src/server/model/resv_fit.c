/* resv_fit.c - judging an offer of vnodes.
 *
 * What else is promised on a vnode is found through the model's links: its reservations
 * and its jobs. Each is an amount during a span; the sum of those can only be greatest
 * at the beginning of the window or where one of them begins.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_fit.h"

#include "server/model/node_state.h"
#include "server/model/resource_request.h"
#include "server/model/resv_state.h"

#include <string.h>

/* Somebody else on a vnode. */
struct claim {
    int64_t start_at;
    int64_t end_at;
    const struct resources *amount; /* what of the vnode */
    const struct resources *list;   /* its Resource_List, for place */
};

struct claims {
    size_t n;
    struct claim *v;
};

const char *resv_fit_unknown(const struct model *m, const struct exec_vnode *vnodes)
{
    for (size_t i = 0; i < vnodes->n; i++)
        for (size_t k = 0; k < vnodes->chunks[i].n; k++)
            if (!model_node(m, vnodes->chunks[i].shares[k].vnode))
                return vnodes->chunks[i].shares[k].vnode;
    return NULL;
}

bool resv_has_job_on(const struct resv *r, const struct node *n)
{
    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv == r)
            return true;
    return false;
}

/* What is held on the vnode; nothing when it is not among them. */
static const struct resources *amount_on(const struct holds *holds,
                                         const struct node *n)
{
    static const struct resources nothing;

    for (size_t i = 0; i < holds->n; i++)
        if (holds->v[i].node == n)
            return &holds->v[i].amount;
    return &nothing;
}

static bool same_window(const struct resv_offer *o)
{
    return o->start_at == obj_num(&o->resv->obj, RESV_A_RESERVE_START, 0) &&
           o->end_at == obj_num(&o->resv->obj, RESV_A_RESERVE_END, 0);
}

/* What the reservation has already for this window: nobody is asked about it again. */
static const struct resources *promised_on(const struct resv_offer *o,
                                           const struct node *n)
{
    static const struct holds none;

    return amount_on(same_window(o) ? &o->resv->holds : &none, n);
}

static bool is_promised(const struct resv_offer *o, const struct node *n)
{
    return promised_on(o, n)->n > 0;
}

/* --- keeping what works -------------------------------------------------------- */

static bool offers_all(const struct resv_offer *o, const struct hold *h)
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

static bool keeps_what_works(const struct resv_offer *o, struct arena *arena,
                             const char **ret_why)
{
    for (size_t i = 0; i < o->resv->holds.n; i++) {
        const struct hold *h = &o->resv->holds.v[i];
        bool job = resv_has_job_on(o->resv, h->node);
        bool usable = node_is_usable(h->node);

        if (job && !usable) {
            *ret_why =
                arena_printf(arena, "a job runs on unusable vnode %s", h->node->obj.id);
            return false;
        }
        if (usable && !offers_all(o, h)) {
            *ret_why =
                arena_printf(arena, "vnode %s is usable and not kept", h->node->obj.id);
            return false;
        }
    }
    return true;
}

/* --- promising no more than there is -------------------------------------------- */

static void claim_add(struct claims *list, const struct resv_offer *o, struct claim c)
{
    if (c.start_at < o->end_at && c.end_at > MAX_OF(o->start_at, o->now_at))
        list->v[list->n++] = c;
}

static struct claim claim_of_resv(const struct resv *r, const struct node *n,
                                  int64_t now_at)
{
    int64_t end_at = obj_num(&r->obj, RESV_A_RESERVE_END, 0);

    return (struct claim){
        .start_at = obj_num(&r->obj, RESV_A_RESERVE_START, 0),
        .end_at = r->counted ? MAX_OF(end_at, now_at + 1) : end_at,
        .amount = amount_on(&r->holds, n),
        .list = obj_resources(&r->obj, RESV_A_RESOURCE_LIST),
    };
}

/* A job ends with its walltime; without one, nobody knows. */
static struct claim claim_of_job(const struct job *j, const struct node *n,
                                 int64_t now_at)
{
    const struct resources *list = obj_resources(&j->obj, JOB_A_RESOURCE_LIST);
    int64_t walltime_s = resources_amount(list, "walltime", INT64_MAX);
    int64_t start_at = obj_num(&j->obj, JOB_A_STIME, now_at);
    int64_t end_at;

    if (__builtin_add_overflow(start_at, walltime_s, &end_at))
        end_at = INT64_MAX;
    return (struct claim){
        .start_at = MIN_OF(start_at, now_at),
        .end_at = MAX_OF(end_at, now_at + 1),
        .amount = amount_on(&j->holds, n),
        .list = list,
    };
}

/* Jobs inside a running reservation use what it has claimed already. */
static struct claims claims_on(const struct node *n, const struct resv_offer *o,
                               struct arena *arena)
{
    struct claims list = { 0 };

    list.v = ARENA_ARRAY(arena, struct claim, n->n_resvs + n->n_jobs + 1);
    for (size_t i = 0; i < n->n_resvs; i++)
        if (n->resvs[i] != o->resv)
            claim_add(&list, o, claim_of_resv(n->resvs[i], n, o->now_at));
    for (size_t i = 0; i < n->n_jobs; i++) {
        const struct resv *inside = n->jobs[i]->resv;
        bool own = inside && inside == o->resv;

        if (!own && !(inside && inside->counted))
            claim_add(&list, o, claim_of_job(n->jobs[i], n, o->now_at));
    }
    return list;
}

static int64_t claimed_at(const struct claims *list, const char *resource, int64_t at)
{
    int64_t sum = 0;

    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].start_at <= at && at < list->v[i].end_at)
            sum += resources_amount(list->v[i].amount, resource, 0);
    return sum;
}

static int64_t claimed_most(const struct claims *list, const char *resource,
                            int64_t from_at)
{
    int64_t most = claimed_at(list, resource, from_at);

    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].start_at > from_at)
            most = MAX_OF(most, claimed_at(list, resource, list->v[i].start_at));
    return most;
}

/* Does who asks with this Resource_List want the vnode alone? Its 'sharing' may settle
 * it, or say what holds when place does not. */
static bool is_exclusive(const struct node *n, const struct resources *list,
                         struct arena *arena)
{
    const char *sharing = obj_str(&n->obj, NODE_A_SHARING, "default_shared");
    const char *text = resources_text(list, "place", arena);
    struct place place;

    if (strcmp(sharing, "ignore_excl") == 0)
        return false;
    if (strncmp(sharing, "force_excl", strlen("force_excl")) == 0)
        return true;
    if (text && place_parse(text, arena, &place, NULL) == 0 && place.share_given)
        return place.share != PLACE_SHARED;
    return strncmp(sharing, "default_excl", strlen("default_excl")) == 0;
}

static bool is_shared_against_will(const struct claims *list, const struct node *n,
                                   const struct object *wants, int attr,
                                   struct arena *arena)
{
    if (list->n == 0)
        return false;
    if (is_exclusive(n, obj_resources(wants, attr), arena))
        return true;
    for (size_t i = 0; i < list->n; i++)
        if (is_exclusive(n, list->v[i].list, arena))
            return true;
    return false;
}

/* A resource that the vnode does not name is not counted on it. */
static bool has_room(const struct resv_offer *o, const struct node *n,
                     const struct claims *list, const char *resource)
{
    const struct resources *has = obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE);
    int64_t wanted = exec_vnode_amount(o->vnodes, n->obj.id, resource);
    int64_t from_at = MAX_OF(o->start_at, o->now_at);

    if (!resources_find(has, resource) ||
        wanted <= resources_amount(promised_on(o, n), resource, 0))
        return true;
    return wanted <=
           resources_amount(has, resource, 0) - claimed_most(list, resource, from_at);
}

static bool share_fits(const struct model *m, const struct resv_offer *o,
                       const struct vnode_share *share, struct arena *arena,
                       const char **ret_why)
{
    const struct node *n = model_node(m, share->vnode);
    struct claims list = claims_on(n, o, arena);

    if (!node_is_usable(n)) {
        *ret_why = arena_printf(arena, "vnode %s is not usable", n->obj.id);
        return false;
    }
    if (!is_promised(o, n) &&
        is_shared_against_will(&list, n, &o->resv->obj, RESV_A_RESOURCE_LIST, arena)) {
        *ret_why = arena_printf(arena, "vnode %s cannot be shared", n->obj.id);
        return false;
    }
    for (size_t i = 0; i < share->n; i++) {
        const struct resource_def *def = share->res[i].def;

        if (def && def->flags & RESOURCE_CONSUMABLE &&
            !has_room(o, n, &list, def->name)) {
            *ret_why =
                arena_printf(arena, "vnode %s has not enough %s", n->obj.id, def->name);
            return false;
        }
    }
    return true;
}

bool resv_fit(const struct model *m, const struct resv_offer *o, struct arena *arena,
              const char **ret_why)
{
    if (phase_is_running(resv_phase(o->resv)) && !keeps_what_works(o, arena, ret_why))
        return false;
    for (size_t i = 0; i < o->vnodes->n; i++)
        for (size_t k = 0; k < o->vnodes->chunks[i].n; k++)
            if (!share_fits(m, o, &o->vnodes->chunks[i].shares[k], arena, ret_why))
                return false;
    return true;
}

/* --- a job outside of reservations ------------------------------------------------ */

static bool job_share_fits(const struct model *m, const struct job *job,
                           const struct resv_offer *o, const struct vnode_share *share,
                           struct arena *arena)
{
    const struct node *n = model_node(m, share->vnode);
    const struct resources *has = obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE);
    struct claims list = claims_on(n, o, arena);

    if (is_shared_against_will(&list, n, &job->obj, JOB_A_RESOURCE_LIST, arena))
        return false;
    for (size_t i = 0; i < share->n; i++) {
        const struct resource_def *def = share->res[i].def;

        if (def && def->flags & RESOURCE_CONSUMABLE && resources_find(has, def->name) &&
            exec_vnode_amount(o->vnodes, n->obj.id, def->name) >
                resources_amount(has, def->name, 0) -
                    claimed_most(&list, def->name, o->start_at))
            return false;
    }
    return true;
}

bool resv_fit_job(const struct model *m, const struct job *job,
                  const struct exec_vnode *vnodes, int64_t now_at, struct arena *arena)
{
    int64_t walltime_s = resources_amount(obj_resources(&job->obj, JOB_A_RESOURCE_LIST),
                                          "walltime", INT64_MAX);
    struct resv_offer o = { .vnodes = vnodes, .start_at = now_at, .now_at = now_at };

    if (__builtin_add_overflow(now_at, walltime_s, &o.end_at))
        o.end_at = INT64_MAX;
    for (size_t i = 0; i < vnodes->n; i++)
        for (size_t k = 0; k < vnodes->chunks[i].n; k++)
            if (!job_share_fits(m, job, &o, &vnodes->chunks[i].shares[k], arena))
                return false;
    return true;
}
