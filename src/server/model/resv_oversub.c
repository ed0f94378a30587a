/* resv_oversub.c - see resv_oversub.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_oversub.h"

#include "server/model/claims_over.h"
#include "server/model/indirect.h"
#include "server/model/resv_state.h"

#include "lib/base/buf.h"

#include <inttypes.h>
#include <stdlib.h>

/* Somebody meets the occurrence on a vnode. */
struct hit {
    const struct claim *claim;
    const struct node *node; /* NULL: not there, but in a resource of the server */
    const char *resource;
    size_t n; /* in the order of finding */
};

struct search {
    const struct model *m;
    const struct held *held;
    int64_t now_at;
    struct window window;
    struct arena *arena;
    size_t n_own;            /* of the occurrences on each of its vnodes */
    const struct node *node; /* which is looked at; NULL: the server */
    size_t n_looked_at;
    size_t n, cap;
    struct hit *v;
};

static void find(struct search *s, const struct claim *c, const char *resource)
{
    ARENA_ROOM(s->arena, s, v, 16);
    s->v[s->n] = (struct hit){ c, s->node, resource, s->n };
    s->n++;
}

/* Whoever has some of the resource at an instant when there is not enough of it. */
static void find_short(struct search *s, const struct claims *list, const char *name,
                       int64_t left)
{
    struct spans over = claims_over(list, name, left, s->window, s->arena);

    for (size_t i = 0; over.n > 0 && i < list->n; i++)
        if (spans_meet(&over, list->v[i].start_at, list->v[i].end_at) &&
            resources_amount(list->v[i].amount, name, 0) > 0)
            find(s, &list->v[i], name);
}

static void find_amount(struct search *s, const struct node *n, const char *name,
                        int64_t own, const struct claims *list)
{
    const struct resources *has = obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE);

    if (resources_find(has, name))
        find_short(s, list, name, resources_amount(has, name, 0) - own);
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
        s->n_looked_at += all.n;
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
            find(s, &list->v[i], NULL);
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
    s->n_looked_at++;
    /* Nobody else is on the vnode, which is what is nearly always found. */
    if (h->node->n_occurrences <= s->n_own && h->node->n_jobs == 0 && !shares)
        return;
    list = claims_on(h->node, s->held->own, s->window, s->now_at, s->arena);
    s->n_looked_at += list.n;
    if (list.n == 0 && !shares)
        return;
    find_amounts(s, h, &list);
    find_exclusive(s, h, &list);
}

/* What running reservations and jobs outside have now is known as a sum. So the jobs
 * are looked at only when they can be too many. */
static bool jobs_matter(const struct search *s, const struct claims *resvs,
                        const char *name, int64_t own, int64_t left)
{
    int64_t jobs = resources_amount(&s->m->assigned.shown, name, 0);

    if (s->held->own && s->held->own->counted)
        jobs -= own;
    for (size_t i = 0; i < resvs->n; i++)
        if (resvs->v[i].occurrence->counted)
            jobs -= resources_amount(resvs->v[i].amount, name, 0);
    return jobs > 0 &&
           (jobs > left ||
            claims_over(resvs, name, left - jobs, s->window, s->arena).n > 0);
}

/* One of the resources that the server has for all together. */
static void search_server_resource(struct search *s, const char *name, int64_t left,
                                   int64_t own)
{
    const struct occurrence *itself = s->held->own;
    struct claims list =
        claims_of_resvs(s->m, itself, s->window, name, s->now_at, s->arena);

    if (jobs_matter(s, &list, name, own, left)) {
        struct claims jobs =
            claims_of_jobs(s->m, itself, s->window, name, s->now_at, s->arena);

        claims_join(&list, &jobs, s->arena);
    }
    s->n_looked_at += list.n;
    find_short(s, &list, name, left);
}

static void search_server(struct search *s)
{
    const struct resources *has =
        obj_resources(s->m->server, SERVER_A_RESOURCES_AVAILABLE);

    s->node = NULL;
    for (size_t i = 0; i < has->n; i++) {
        const struct resource_def *def = has->v[i].def;
        int64_t own = resources_amount(s->held->list, def->name, 0);

        if (def->flags & RESOURCE_QUEUE && own > 0)
            search_server_resource(s, def->name,
                                   resources_amount(has, def->name, 0) - own, own);
    }
}

/* By creation of the job or reservation, then in the order of the series. */
static int by_owner(const struct claim *a, const struct claim *b)
{
    size_t i, k;

    if (a->by != b->by)
        return a->by->created_seq < b->by->created_seq ? -1 : 1;
    if (!a->occurrence || !b->occurrence)
        return 0;
    i = occurrence_index(a->occurrence);
    k = occurrence_index(b->occurrence);
    return (i > k) - (i < k);
}

static int by_who_and_where(const void *x, const void *y)
{
    const struct hit *a = x, *b = y;
    int order = by_owner(a->claim, b->claim);

    return order ? order : (a->n > b->n) - (a->n < b->n);
}

/* One more place where they meet; a vnode may be found for several reasons. */
static void add_place(const struct hit *hit, bool is_new, struct oversub_met *met)
{
    if (hit->node && is_new && met->n_nodes++ < OVERSUB_VNODES_MAX)
        met->nodes[met->n_nodes - 1] = hit->node;
    if (!hit->node && met->n_of_server < OVERSUB_VNODES_MAX)
        met->of_server[met->n_of_server++] = hit->resource;
}

/* All hits of one job or occurrence. */
static struct oversub_met what_met(const struct search *s, const struct hit *hits,
                                   size_t n)
{
    const struct claim *c = hits[0].claim;
    int64_t start_at = c->start_at, end_at = c->end_at;
    size_t most = MIN_OF(n, (size_t)OVERSUB_VNODES_MAX);
    struct oversub_met met = {
        .name = c->occurrence ? occurrence_name(c->occurrence, s->arena) : c->by->id,
        .nodes = ARENA_ARRAY(s->arena, const struct node *, most),
        .of_server = ARENA_ARRAY(s->arena, const char *, most),
    };

    for (size_t i = 0; i < n; i++) {
        start_at = MIN_OF(start_at, hits[i].claim->start_at);
        end_at = MAX_OF(end_at, hits[i].claim->end_at);
        add_place(&hits[i], i == 0 || hits[i].node != hits[i - 1].node, &met);
    }
    met.start_at = MAX_OF(start_at, s->window.start_at);
    /* One whose end has passed has its vnodes at least now. */
    met.end_at = MAX_OF(MIN_OF(end_at, s->window.end_at), met.start_at + 1);
    return met;
}

static struct oversub result(const struct search *s)
{
    struct oversub ret = { .n_looked_at = s->n_looked_at };
    size_t n;

    if (s->n == 0)
        return ret;
    qsort(s->v, s->n, sizeof(*s->v), by_who_and_where);
    ret.met = ARENA_ARRAY(s->arena, struct oversub_met, s->n);
    ret.jobs = ARENA_ARRAY(s->arena, const char *, s->n);
    ret.resvs = ARENA_ARRAY(s->arena, const char *, s->n);
    for (size_t i = 0; i < s->n; i += n) {
        n = 1;
        while (i + n < s->n && by_owner(s->v[i].claim, s->v[i + n].claim) == 0)
            n++;
        ret.met[ret.n_met] = what_met(s, s->v + i, n);
        if (s->v[i].claim->occurrence)
            ret.resvs[ret.n_resvs++] = ret.met[ret.n_met].name;
        else
            ret.jobs[ret.n_jobs++] = ret.met[ret.n_met].name;
        ret.n_met++;
    }
    return ret;
}

static struct oversub search(const struct model *m, const struct held *held,
                             size_t n_own, int64_t now_at, struct arena *arena)
{
    struct search s = {
        .m = m,
        .held = held,
        .now_at = now_at,
        .n_own = n_own,
        .arena = arena,
        .window = { .start_at = MAX_OF(held->window.start_at, now_at),
                    .end_at = held->window.end_at },
    };

    for (size_t i = 0; i < held->bookings->n; i++)
        search_vnode(&s, &held->bookings->v[i]);
    if (held->bookings->n > 0) /* without vnodes nothing is promised */
        search_server(&s);
    return result(&s);
}

struct oversub resv_oversub(const struct model *m, const struct occurrence *oc,
                            int64_t now_at, struct arena *arena)
{
    const struct held held = { .own = oc,
                               .bookings = &oc->bookings,
                               .window = occurrence_window(oc),
                               .list = occurrence_resources(oc) };

    /* Only a confirmed reservation has been promised anything. */
    if (!phase_is_confirmed(occurrence_phase(oc)))
        return (struct oversub){ 0 };
    return search(m, &held, 1, now_at, arena);
}

struct oversub resv_oversub_if(const struct model *m, const struct held *held,
                               int64_t now_at, struct arena *arena)
{
    return search(m, held, 0, now_at, arena);
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

    MUST(n + met->n_of_server > 0 && met->start_at < met->end_at);
    buf_printf(&text, "%s on ", met->name);
    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "%s%s", i ? "+" : "", met->nodes[i]->obj.id);
    if (met->n_nodes > n)
        buf_printf(&text, " and %zu more", met->n_nodes - n);
    for (size_t i = 0; i < met->n_of_server; i++)
        buf_printf(&text, "%s%s",
                   i   ? "+"
                   : n ? " and server resource "
                       : "server resource ",
                   met->of_server[i]);
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
    struct buf text = { 0 };
    const char *copy;

    if (n == 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        buf_add_str(&text, i ? "," : "");
        buf_add_str(&text, ids[i]);
    }
    copy = arena_strdup(arena, text.data);
    buf_fini(&text);
    return copy;
}
