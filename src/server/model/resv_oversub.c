/* resv_oversub.c - see resv_oversub.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_oversub.h"

#include "server/model/indirect.h"
#include "server/model/resv_state.h"

#include "lib/base/buf.h"

#include <inttypes.h>

struct met {
    const struct claim *claim;
    int64_t start_at; /* of all its claims */
    int64_t end_at;
    const struct node *last; /* on which they were found to meet */
    size_t n_nodes;          /* also of those for which there is no room in the list */
    size_t n, cap;
    const struct node **nodes;
};

struct search {
    const struct held *held;
    int64_t now_at;
    struct window window;
    struct arena *arena;
    size_t n_own;            /* of the occurrences on each of its vnodes */
    const struct node *node; /* which is looked at */
    size_t n;
    size_t cap;
    struct met *found; /* each job and each occurrence once */
};

/* The vnode that is looked at is one more on which they meet; it may be found for
 * several reasons. */
static void meet_here(struct search *s, struct met *met)
{
    if (met->last == s->node)
        return;
    met->last = s->node;
    met->n_nodes++;
    if (met->n == OVERSUB_VNODES_MAX)
        return;
    ARENA_ROOM(s->arena, met, nodes, 4);
    met->nodes[met->n++] = s->node;
}

static void find(struct search *s, const struct claim *c)
{
    struct met *met = NULL;

    for (size_t i = 0; i < s->n; i++)
        /* One job on many vnodes is named once. */
        if (s->found[i].claim->by == c->by &&
            s->found[i].claim->occurrence == c->occurrence)
            met = &s->found[i];
    if (!met) {
        ARENA_ROOM(s->arena, s, found, 8);
        met = &s->found[s->n++];
        *met = (struct met){ .claim = c, .start_at = c->start_at, .end_at = c->end_at };
    }
    met->start_at = MIN_OF(met->start_at, c->start_at);
    met->end_at = MAX_OF(met->end_at, c->end_at);
    meet_here(s, met);
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

    s->node = h->node;
    /* Nobody else is on the vnode, which is what is nearly always found. */
    if (h->node->n_occurrences <= s->n_own && h->node->n_jobs == 0 && !shares)
        return;
    list = claims_on(h->node, s->held->own, s->window, s->now_at, s->arena);
    if (list.n == 0 && !shares)
        return;
    find_amounts(s, h, &list);
    find_exclusive(s, h, &list);
}

/* By creation: there are few, so each is put in its place among those before it. */
static void sort_found(struct search *s)
{
    for (size_t i = 1; i < s->n; i++)
        for (size_t k = i; k > 0 && is_before(s->found[k].claim, s->found[k - 1].claim);
             k--) {
            struct met swap = s->found[k];

            s->found[k] = s->found[k - 1];
            s->found[k - 1] = swap;
        }
}

static struct oversub_met what_met(const struct search *s, const struct met *met,
                                   const char *name)
{
    int64_t start_at = MAX_OF(met->start_at, s->window.start_at);

    return (struct oversub_met){
        .name = name,
        .start_at = start_at,
        /* One whose end has passed has its vnodes at least now. */
        .end_at = MAX_OF(MIN_OF(met->end_at, s->window.end_at), start_at + 1),
        .n_nodes = met->n_nodes,
        .nodes = met->nodes,
    };
}

static struct oversub result(const struct search *s)
{
    struct oversub ret = { 0 };

    if (s->n == 0)
        return ret;
    ret.met = ARENA_ARRAY(s->arena, struct oversub_met, s->n);
    ret.jobs = ARENA_ARRAY(s->arena, const char *, s->n);
    ret.resvs = ARENA_ARRAY(s->arena, const char *, s->n);
    for (size_t i = 0; i < s->n; i++) {
        const struct met *met = &s->found[i];
        const struct claim *c = met->claim;
        const char *name =
            c->occurrence ? occurrence_name(c->occurrence, s->arena) : c->by->id;

        if (c->occurrence)
            ret.resvs[ret.n_resvs++] = name;
        else
            ret.jobs[ret.n_jobs++] = name;
        ret.met[ret.n_met++] = what_met(s, met, name);
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
    sort_found(&s);
    return result(&s);
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

static const char *date_or_number(oversub_date_fn *date, const void *arg, int64_t at,
                                  struct arena *arena)
{
    return date ? date(arg, at, arena) : arena_printf(arena, "@%" PRId64, at);
}

const char *oversub_met_text(const struct oversub_met *met, oversub_date_fn *date,
                             const void *arg, struct arena *arena)
{
    size_t n = MIN_OF(met->n_nodes, (size_t)OVERSUB_VNODES_MAX);
    struct buf text = { 0 };
    const char *copy;

    MUST(n > 0 && met->start_at < met->end_at);
    buf_printf(&text, "%s on ", met->name);
    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "%s%s", i ? "+" : "", met->nodes[i]->obj.id);
    if (met->n_nodes > n)
        buf_printf(&text, " and %zu more", met->n_nodes - n);
    buf_printf(&text, " from %s to %s", date_or_number(date, arg, met->start_at, arena),
               date_or_number(date, arg, met->end_at, arena));
    copy = arena_strdup(arena, text.data);
    buf_fini(&text);
    return copy;
}

const char *oversub_met_list(const struct oversub *found, struct arena *arena)
{
    size_t n = MIN_OF(found->n_met, (size_t)OVERSUB_MET_MAX);
    struct buf text = { 0 };
    const char *copy;

    if (n == 0)
        return NULL;
    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "%s%s", i ? ", " : "",
                   oversub_met_text(&found->met[i], NULL, NULL, arena));
    if (found->n_met > n)
        buf_printf(&text, ", and %zu more", found->n_met - n);
    copy = arena_strdup(arena, text.data);
    buf_fini(&text);
    return copy;
}

const char *oversub_text(const char *const *ids, size_t n, struct arena *arena)
{
    const char *text = n ? ids[0] : NULL;

    for (size_t i = 1; i < n; i++)
        text = arena_printf(arena, "%s,%s", text, ids[i]);
    return text;
}
