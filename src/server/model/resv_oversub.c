/* resv_oversub.c - see resv_oversub.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_oversub.h"

#include "server/model/indirect.h"
#include "server/model/resv_state.h"

struct search {
    const struct held *held;
    int64_t now_at;
    struct window window;
    struct arena *arena;
    size_t n_own; /* of the occurrences on each of its vnodes */
    size_t n;
    size_t cap;
    const struct claim **found; /* each job and each occurrence once */
};

static void find(struct search *s, const struct claim *c)
{
    for (size_t i = 0; i < s->n; i++)
        /* One job on many vnodes is named once. */
        if (s->found[i]->by == c->by && s->found[i]->occurrence == c->occurrence)
            return;
    ARENA_ROOM(s->arena, s, found, 8);
    s->found[s->n++] = c;
}

/* By creation of the job or reservation, then in the order of the series. */
static bool is_before(const struct claim *a, const struct claim *b)
{
    if (a->by != b->by || !a->occurrence)
        return a->by->created_seq < b->by->created_seq;
    return occurrence_index(a->occurrence) < occurrence_index(b->occurrence);
}

/* Whoever has some of the resource at an instant when there is not enough of it. */
static void find_short(struct search *s, const struct claims *list, const char *name,
                       int64_t left, int64_t at)
{
    if (claims_at(list, name, at) <= left)
        return;
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].start_at <= at && at < list->v[i].end_at &&
            resources_amount(list->v[i].amount, name, 0) > 0)
            find(s, &list->v[i]);
}

static void find_amount(struct search *s, const struct node *n, const char *name,
                        int64_t own, const struct claims *list)
{
    const struct resources *has = obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE);
    int64_t left = resources_amount(has, name, 0) - own;

    if (!resources_find(has, name))
        return;
    find_short(s, list, name, left, s->window.start_at);
    /* The sum can only grow when a claim begins, so these instants are looked at. */
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].start_at > s->window.start_at)
            find_short(s, list, name, left, list->v[i].start_at);
}

static void find_amounts(struct search *s, const struct booking *h,
                         const struct claims *list)
{
    for (size_t k = 0; k < h->amount.n; k++) {
        const char *name = h->amount.v[k].def->name;
        const struct node *home;
        struct claims all;

        if (!node_shares(h->node, name)) {
            find_amount(s, h->node, name, resources_amount(&h->amount, name, 0), list);
            continue;
        }
        /* What is shared is counted at its home, with the claims of all who borrow. */
        home = node_home(h->node, name);
        all = claims_at_home(home, name, s->held->own, s->window, s->now_at, s->arena);
        find_amount(s, home, name, bookings_at_home(s->held->bookings, home, name),
                    &all);
    }
}

static void find_exclusive(struct search *s, const struct booking *h,
                           const struct claims *list)
{
    bool alone = claim_is_exclusive(h->node, s->held->list, s->arena);

    for (size_t i = 0; i < list->n; i++)
        if (alone ||
            (list->v[i].list && claim_is_exclusive(h->node, list->v[i].list, s->arena)))
            find(s, &list->v[i]);
}

/* Whoever is on another vnode has nothing of this one, unless they share something. */
static bool borrows_or_lends(const struct node *n)
{
    return n->n_referrers > 0 || n->n_borrowed > 0;
}

static void search_vnode(struct search *s, const struct booking *h)
{
    bool shares = borrows_or_lends(h->node);
    struct claims list;

    /* Nobody else is on the vnode, which is what is nearly always found. */
    if (h->node->n_occurrences <= s->n_own && h->node->n_jobs == 0 && !shares)
        return;
    list = claims_on(h->node, s->held->own, s->window, s->now_at, s->arena);
    if (list.n == 0 && !shares)
        return;
    find_amounts(s, h, &list);
    find_exclusive(s, h, &list);
}

static struct oversub sorted(const struct search *s)
{
    struct oversub ret = { 0 };

    if (s->n == 0)
        return ret;
    ret.jobs = ARENA_ARRAY(s->arena, const char *, s->n);
    ret.resvs = ARENA_ARRAY(s->arena, const char *, s->n);
    /* Insertion by order of creation: there are few. */
    for (size_t i = 1; i < s->n; i++)
        for (size_t k = i; k > 0 && is_before(s->found[k], s->found[k - 1]); k--) {
            const struct claim *swap = s->found[k];

            s->found[k] = s->found[k - 1];
            s->found[k - 1] = swap;
        }
    for (size_t i = 0; i < s->n; i++) {
        const struct claim *c = s->found[i];

        if (c->occurrence)
            ret.resvs[ret.n_resvs++] = occurrence_name(c->occurrence, s->arena);
        else
            ret.jobs[ret.n_jobs++] = c->by->id;
    }
    MUST(ret.n_jobs + ret.n_resvs == s->n); /* each of them is named once */
    return ret;
}

static struct oversub search(const struct held *held, size_t n_own, int64_t now_at,
                             struct arena *arena)
{
    struct search s = {
        .held = held,
        .now_at = now_at,
        .n_own = n_own,
        .arena = arena,
        .window = { .start_at = MAX_OF(held->window.start_at, now_at),
                    .end_at = held->window.end_at },
    };

    for (size_t i = 0; i < held->bookings->n; i++)
        search_vnode(&s, &held->bookings->v[i]);
    return sorted(&s);
}

struct oversub resv_oversub(const struct occurrence *oc, int64_t now_at,
                            struct arena *arena)
{
    const struct held held = { .own = oc,
                               .bookings = &oc->bookings,
                               .window = occurrence_window(oc),
                               .list = occurrence_resources(oc) };

    /* Only a confirmed reservation has been promised anything. */
    if (!phase_is_confirmed(occurrence_phase(oc)))
        return (struct oversub){ 0 };
    return search(&held, 1, now_at, arena);
}

struct oversub resv_oversub_if(const struct held *held, int64_t now_at,
                               struct arena *arena)
{
    return search(held, 0, now_at, arena);
}

const char *oversub_text(const char *const *ids, size_t n, struct arena *arena)
{
    const char *text = n ? ids[0] : NULL;

    for (size_t i = 1; i < n; i++)
        text = arena_printf(arena, "%s,%s", text, ids[i]);
    return text;
}
