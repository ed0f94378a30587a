/* resv_claims.c - see resv_claims.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_claims.h"

#include "server/model/job_suspend.h"
#include "server/model/resource_request.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

bool bookings_has(const struct bookings *list, const struct node *n)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].node == n)
            return true;
    return false;
}

const struct resources *bookings_on(const struct bookings *list, const struct node *n)
{
    static const struct resources nothing;

    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].node == n)
            return &list->v[i].amount;
    return &nothing;
}

static void claim_add(struct claims *list, struct window window, struct claim c)
{
    /* Windows are half-open: one that ends when the other begins does not meet it. */
    if (c.start_at < window.end_at && c.end_at > window.start_at)
        list->v[list->n++] = c;
}

static struct claim claim_of_occurrence(const struct occurrence *oc,
                                        const struct resources *amount, int64_t now_at)
{
    struct window window = occurrence_window(oc);

    return (struct claim){
        .by = &oc->resv->obj,
        .occurrence = oc,
        .start_at = window.start_at,
        /* One that runs still has its vnodes now, even when its end has passed and it
         * is being cleaned up. */
        .end_at = oc->counted ? MAX_OF(window.end_at, now_at + 1) : window.end_at,
        .amount = amount,
        .list = occurrence_resources(oc),
    };
}

static struct claim claim_of_job(const struct job *j, const struct resources *amount,
                                 int64_t now_at)
{
    int64_t start_at = obj_num(&j->obj, JOB_A_STIME, now_at);

    return (struct claim){
        .by = &j->obj,
        /* A job that is on its vnodes is there at least now, whatever its times say. */
        .start_at = MIN_OF(start_at, now_at),
        .end_at = MAX_OF(job_ends_at(j, now_at), now_at + 1),
        .amount = amount,
        /* A suspended job keeps nobody off the vnode. */
        .list = job_gave_back(j) ? NULL : obj_resources(&j->obj, JOB_A_RESOURCE_LIST),
    };
}

/* One that qrun put into a reservation that has not begun is outside until then. */
static struct claim claim_outside(const struct job *j, const struct resources *amount,
                                  int64_t now_at)
{
    struct claim c = claim_of_job(j, amount, now_at);
    int64_t begins_at = j->resv ? occurrence_start_at(&j->resv->current, 0) : INT64_MAX;

    /* From the start of its reservation on the job is part of it. */
    c.end_at = MIN_OF(c.end_at, MAX_OF(begins_at, now_at + 1));
    return c;
}

static bool uses_beside(const struct job *j, const struct node *n)
{
    const struct resources *named = bookings_on(&j->resv->current.bookings, n);
    const struct resources *all = bookings_on(&j->bookings, n);

    for (size_t i = 0; i < all->n; i++)
        if (!resources_find(named, all->v[i].def->name))
            return true;
    return false;
}

/* What a job uses of the vnode beside its reservation while that runs: resources that
 * the reservation does not name there are the vnode's own (reservations.md 11). Nothing
 * else changes with the job: whether others may share the vnode is up to the
 * reservation. */
static struct claim claim_beside(const struct job *j, const struct node *n,
                                 int64_t now_at, struct arena *arena)
{
    const struct resources *named = bookings_on(&j->resv->current.bookings, n);
    const struct resources *all = bookings_on(&j->bookings, n);
    struct resources *beside = arena_zero(arena, sizeof(*beside));
    int64_t resv_end_at = occurrence_end_at(&j->resv->current, 0);
    struct claim c = claim_of_job(j, beside, now_at);

    beside->v = ARENA_ARRAY(arena, struct resource_value, all->n);
    for (size_t i = 0; i < all->n; i++)
        if (!resources_find(named, all->v[i].def->name))
            beside->v[beside->n++] = all->v[i];
    if (!j->resv->current
             .counted) /* until it begins the job is outside with all it has */
        c.start_at = occurrence_start_at(&j->resv->current, 0);
    c.end_at = MIN_OF(c.end_at, MAX_OF(resv_end_at, now_at + 1));
    c.list = NULL;
    return c;
}

/* It stands, and has given back all that it had of the vnode. */
static bool has_nothing(const struct job *j, const struct node *n)
{
    return job_gave_back(j) && bookings_on(&j->bookings, n)->n == 0;
}

/* A job is in the current occurrence of its reservation. */
static bool is_in(const struct job *j, const struct occurrence *oc)
{
    /* Jobs of the reservation itself do not stand in its own way. */
    return oc && j->resv == oc->resv && occurrence_is_current(oc);
}

static int by_order(const void *x, const void *y)
{
    const struct occurrence *a = *(struct occurrence *const *)x;
    const struct occurrence *b = *(struct occurrence *const *)y;

    return occurrence_is_before(a, b) ? -1 : occurrence_is_before(b, a);
}

struct claims claims_on(const struct node *n, const struct occurrence *own,
                        struct window window, int64_t now_at, struct arena *arena)
{
    struct claims list = { 0 };

    size_t n_found;
    struct occurrence **found = occurrence_times_find(&n->times, window.start_at,
                                                      window.end_at, arena, &n_found);

    /* The search finds by time; the order of the series makes equal questions get equal
     * answers. */
    qsort(found, n_found, sizeof(struct occurrence *), by_order);
    /* A job may have two claims, one outside of its reservation and one beside it. */
    list.cap = n_found + 2 * n->n_jobs + 1;
    list.v = ARENA_ARRAY(arena, struct claim, list.cap);
    for (size_t i = 0; i < n_found; i++)
        if (found[i] != own)
            claim_add(&list, window,
                      claim_of_occurrence(found[i], bookings_on(&found[i]->bookings, n),
                                          now_at));
    for (size_t i = 0; i < n->n_jobs; i++) {
        const struct resv *inside = n->jobs[i]->resv;

        if (is_in(n->jobs[i], own) || has_nothing(n->jobs[i], n))
            continue;
        if (!inside || !inside->current.counted)
            claim_add(&list, window,
                      claim_outside(n->jobs[i], bookings_on(&n->jobs[i]->bookings, n),
                                    now_at));
        if (inside && uses_beside(n->jobs[i], n))
            claim_add(&list, window, claim_beside(n->jobs[i], n, now_at, arena));
    }
    MUST(list.n <= list.cap);
    return list;
}

/* What an occurrence that has vnodes has of the server's amounts. */
static void add_server_claim(struct claims *list, const struct occurrence *oc,
                             struct window window, const char *resource, int64_t now_at,
                             struct arena *arena)
{
    const struct resources *has = occurrence_resources(oc);

    if (oc->bookings.n == 0 || oc->booked.start_at >= window.end_at ||
        oc->booked.end_at <= window.start_at || resources_amount(has, resource, 0) <= 0)
        return;
    ARENA_ROOM(arena, list, v, 16);
    claim_add(list, window, claim_of_occurrence(oc, has, now_at));
}

struct claims claims_of_resvs(const struct model *m, const struct occurrence *own,
                              struct window window, const char *resource,
                              int64_t now_at, struct arena *arena)
{
    struct claims list = { 0 };

    MODEL_EACH (m, OBJ_RESV, o) {
        const struct resv *r = TO_RESV(o);
        const struct occurrence *oc;

        if (&r->current != own)
            add_server_claim(&list, &r->current, window, resource, now_at, arena);
        DL_FOREACH (r->later, oc)
            if (oc != own)
                add_server_claim(&list, oc, window, resource, now_at, arena);
    }
    return list;
}

struct claims claims_of_jobs(const struct model *m, const struct occurrence *own,
                             struct window window, const char *resource, int64_t now_at,
                             struct arena *arena)
{
    struct claims list = { 0 };
    const struct job *j;

    DL_FOREACH2 (m->outside, j, outside_next) {
        const struct resources *has = obj_resources(&j->obj, job_counted_list(j));

        if (is_in(j, own) || resources_amount(has, resource, 0) <= 0)
            continue;
        ARENA_ROOM(arena, &list, v, 16);
        claim_add(&list, window, claim_outside(j, has, now_at));
    }
    return list;
}

void claims_join(struct claims *list, const struct claims *others, struct arena *arena)
{
    if (list->n + others->n > list->cap) {
        size_t cap = 2 * (list->n + others->n);
        struct claim *v = ARENA_ARRAY(arena, struct claim, cap);

        if (list->n > 0) /* without any there is no array */
            memcpy(v, list->v, list->n * sizeof(*v));
        list->v = v;
        list->cap = cap;
    }
    if (others->n > 0)
        memcpy(list->v + list->n, others->v, others->n * sizeof(*list->v));
    list->n += others->n;
}

int64_t claims_at(const struct claims *list, const char *resource, int64_t at)
{
    int64_t sum = 0;

    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].start_at <= at && at < list->v[i].end_at)
            sum += resources_amount(list->v[i].amount, resource, 0);
    return sum;
}

int64_t claims_most(const struct claims *list, const char *resource, int64_t from_at)
{
    int64_t most = claims_at(list, resource, from_at);

    /* The sum can only grow when a claim begins, so these instants are enough. */
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].start_at > from_at)
            most = MAX_OF(most, claims_at(list, resource, list->v[i].start_at));
    return most;
}

bool claim_is_exclusive(const struct node *n, const struct resources *list,
                        struct arena *arena)
{
    const char *sharing = obj_str(&n->obj, NODE_A_SHARING, "default_shared");
    const char *text = resources_text(list, "place", arena);
    struct place place;

    if (strcmp(sharing, "ignore_excl") == 0)
        return false;
    if (strncmp(sharing, "force_excl", strlen("force_excl")) == 0)
        return true;
    /* The vnode's default counts only where the place says nothing about sharing. */
    if (text && place_parse(text, arena, &place, NULL) == 0 && place.share_given)
        return place.share != PLACE_SHARED;
    return strncmp(sharing, "default_excl", strlen("default_excl")) == 0;
}
