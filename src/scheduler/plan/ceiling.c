/* ceiling.c - see ceiling.h. Who asks is ceiling_walk.c.
 *
 * A host of several vnodes counts as a whole: a chunk may be split over it. Its ceiling
 * stands at each of its vnodes, since nobody knows which of them a search comes to
 * first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "scheduler/plan/ceiling.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* When each span but the last ends: they are short soon and long later on. Builds with
 * checks have small complexes and short stories. */
#ifdef HF_CHECKS
enum {
    CLASSES_MAX = 4,
    LEAF = 2,
    MENDED_APART = 1,
    SPANS_PASSED = 12
};
static const int64_t ends_s[CEILING_SPANS - 1] = {
    5, 10, 15, 20, 25, 30, 40, 50, 100, 600, 3600, 7200, 14400, 86400, 604800,
};
#else
enum {
    CLASSES_MAX = 64, /* of vnodes */
    LEAF = 8,
    MENDED_APART =
        4, /* that part of all vnodes is mended one by one, more all at once */
    SPANS_PASSED = 4 /* so many may have passed before all are laid anew */
};
static const int64_t ends_s[CEILING_SPANS - 1] = {
    1800,   3600,   7200,   14400,  28800,  43200,   64800,   86400,
    129600, 172800, 259200, 345600, 604800, 1209600, 2592000,
};
#endif

unsigned ceiling_kind(const struct snap_vnode *v)
{
    return (v->usable ? VNODE_USABLE : 0) | (v->may_return ? VNODE_MAY_RETURN : 0) |
           (v->busy ? VNODE_BUSY : 0) | (v->resv_enable ? VNODE_FOR_RESVS : 0) |
           (v->no_multinode ? VNODE_ONE_CHUNK : 0);
}

static void lay_spans(struct ceilings *c, int64_t now_at)
{
    c->at[0] = INT64_MIN;
    for (size_t k = 1; k < CEILING_SPANS; k++)
        c->at[k] = now_at + ends_s[k - 1];
    c->at[CEILING_SPANS] = INT64_MAX;
}

/* Texts by which a vnode differs from all others; every vnode answers to them. */
static bool is_name(const struct res *res)
{
    return strcasecmp(res->name, "host") == 0 || strcasecmp(res->name, "vnode") == 0;
}

static bool same_texts(const struct world *w, size_t u, size_t v)
{
    const struct res_values *a = &w->s->vnodes[u].available;
    const struct res_values *b = &w->s->vnodes[v].available;

    for (size_t i = 0; i < a->n; i++) {
        const struct res *res = &w->s->res.v[a->v[i].res];
        const struct res_value *other;

        if (res->kind != RES_TEXT || is_name(res))
            continue;
        other = snap_values_find(b, a->v[i].res);
        if (!other || !str_same(a->v[i].text, other->text))
            return false;
    }
    return true;
}

/* Which of its resources a vnode has set is the same too, so that one list of texts
 * has no other texts than the other. */
static bool same_vnodes(const struct world *w, size_t u, size_t v)
{
    const struct snap_vnode *a = &w->s->vnodes[u], *b = &w->s->vnodes[v];
    size_t n = w->n_res;

    for (size_t r = 0; r < n; r++)
        if (!is_name(&w->s->res.v[r]) && w->is_set[u * n + r] != w->is_set[v * n + r])
            return false;
    return a->sharing == b->sharing && str_same(a->queue, b->queue) &&
           memcmp(&w->total[u * n], &w->total[v * n], n * sizeof(int64_t)) == 0 &&
           same_texts(w, u, v);
}

static size_t n_on(const struct world *w, size_t host)
{
    return w->host_first[host + 1] - w->host_first[host];
}

static bool same_hosts(const struct world *w, size_t g, size_t h)
{
    if (n_on(w, g) != n_on(w, h))
        return false;
    for (size_t i = 0; i < n_on(w, g); i++)
        if (!same_vnodes(w, w->on_host[w->host_first[g] + i],
                         w->on_host[w->host_first[h] + i]))
            return false;
    return true;
}

/* The class of the host. The last class takes in all that are left when there are too
 * many. */
static size_t class_of(struct ceilings *c, const struct world *w, size_t host)
{
    for (size_t k = 0; k < c->n_classes; k++)
        if (same_hosts(w, c->v[k].host, host))
            return k;
    if (c->n_classes == CLASSES_MAX) {
        c->v[CLASSES_MAX - 1].alike = false;
        return CLASSES_MAX - 1;
    }
    c->v[c->n_classes] = (struct ceiling_class){ .host = host, .alike = true };
    return c->n_classes++;
}

/* Is the resource counted without end where it is not set? */
static bool is_endless(const struct world *w, size_t vnode, size_t res)
{
    return w->infinite[res] && !w->is_set[vnode * w->n_res + res];
}

static int64_t sum_of(int64_t a, int64_t b)
{
    return a == INT64_MAX || b == INT64_MAX ? INT64_MAX : a + b;
}

/* What a host of several vnodes may have: of the presence that of one of them, of
 * others the sum. */
static void join(int64_t *sum, size_t slot, int64_t part)
{
    if (slot == RES_PRESENCE)
        *sum = MAX_OF(*sum, part);
    else if (part > 0)
        *sum = sum_of(*sum, part);
}

static void raise_total(const struct ceilings *c, const struct world *w,
                        struct ceiling_class *of, size_t host)
{
    for (size_t slot = 0; slot < c->n_slots; slot++) {
        size_t r = c->res[slot];
        int64_t sum = 0;

        for (size_t i = w->host_first[host]; i < w->host_first[host + 1]; i++)
            join(&sum, slot,
                 is_endless(w, w->on_host[i], r)
                     ? INT64_MAX
                     : w->total[w->on_host[i] * w->n_res + r]);
        of->total[slot] = MAX_OF(of->total[slot], sum);
    }
}

/* The resources that some vnode has, and that are counted. */
static void list_slots(struct ceilings *c, const struct world *w, struct arena *arena)
{
    c->res = ARENA_ARRAY(arena, size_t, w->n_res);
    c->slot = ARENA_ARRAY(arena, size_t, w->n_res);
    for (size_t r = 0; r < w->n_res; r++) {
        bool any = r == RES_PRESENCE || w->infinite[r];

        for (size_t v = 0; v < w->n && !any; v++)
            any = w->total[v * w->n_res + r] > 0;
        any = any && (r == RES_PRESENCE || w->s->res.v[r].consumable);
        c->slot[r] = any ? c->n_slots : SIZE_MAX;
        if (any)
            c->res[c->n_slots++] = r;
    }
    MUST(c->slot[RES_PRESENCE] == RES_PRESENCE);
}

static void make_class(const struct ceilings *c, struct ceiling_class *of,
                       struct arena *arena)
{
    size_t n_leaves = (of->n + c->leaf - 1) / c->leaf;

    for (of->n_leaves = 1; of->n_leaves < n_leaves;)
        of->n_leaves *= 2;
    of->places = ARENA_ARRAY(arena, size_t, of->n);
    of->total = ARENA_ARRAY(arena, int64_t, c->n_slots);
    of->kinds = ARENA_ARRAY(arena, uint64_t, 2 * of->n_leaves);
    of->most =
        ARENA_ARRAY(arena, int64_t, 2 * of->n_leaves * c->n_slots * CEILING_SPANS);
    of->n = 0;
}

/* Divide the hosts into classes, and list the vnodes of each. */
static void make_classes(struct ceilings *c, struct world *w, struct arena *arena)
{
    c->v = ARENA_ARRAY(arena, struct ceiling_class, CLASSES_MAX);
    c->of_host = ARENA_ARRAY(arena, size_t, w->n_hosts + 1);
    c->member = ARENA_ARRAY(arena, size_t, w->n + 1);
    c->joint = ARENA_ARRAY(arena, int64_t *, w->n_hosts + 1);
    c->joint_kinds = ARENA_ARRAY(arena, uint64_t, w->n_hosts + 1);
    for (size_t h = 0; h < w->n_hosts; h++) {
        c->of_host[h] = class_of(c, w, h);
        c->v[c->of_host[h]].n += n_on(w, h);
        if (n_on(w, h) > 1)
            c->joint[h] = ARENA_ARRAY(arena, int64_t, c->n_slots * CEILING_SPANS);
    }
    for (size_t k = 0; k < c->n_classes; k++)
        make_class(c, &c->v[k], arena);
    for (size_t h = 0; h < w->n_hosts; h++)
        raise_total(c, w, &c->v[c->of_host[h]], h);
    for (size_t place = 0; place < w->n; place++) {
        size_t vnode = w->order[place];
        struct ceiling_class *of = &c->v[c->of_host[w->host[vnode]]];

        c->member[vnode] = of->n;
        of->places[of->n++] = place;
    }
}

static void spoil_all(struct ceilings *c, const struct world *w)
{
    c->n_stale = 0;
    for (size_t v = 0; v < w->n; v++) {
        c->is_stale[v] = true;
        c->stale[c->n_stale++] = v;
    }
}

static struct ceilings *ceilings_new(struct world *w)
{
    struct arena *arena = w->book->arena;
    struct ceilings *c = ARENA_NEW(arena, struct ceilings);

    c->leaf = LEAF;
    list_slots(c, w, arena);
    make_classes(c, w, arena);
    c->stale = ARENA_ARRAY(arena, size_t, w->n + 1);
    c->is_stale = ARENA_ARRAY(arena, bool, w->n + 1);
    lay_spans(c, w->now_at);
    spoil_all(c, w);
    return c;
}

/* The most that is free of a vnode in each span, from now on: into most[slot][span].
 * 'all' has room for a vector. */
static void ask_vnode(const struct ceilings *c, const struct world *w, size_t vnode,
                      int64_t *all, int64_t *most)
{
    struct timeline *line = w->line[vnode];
    bool changes = true;

    for (size_t k = 0; k < CEILING_SPANS; k++) {
        int64_t from_at = MAX_OF(c->at[k], w->now_at);
        const int64_t *free = line ? all : &w->total[vnode * w->n_res];
        bool has_passed = c->at[k + 1] <= w->now_at;

        /* Behind the last change all spans have the same. */
        if (line && !has_passed && changes) {
            timeline_most_all(line, from_at, c->at[k + 1], all);
            changes = timeline_next_change(line, from_at) != TIMELINE_NEVER;
        }
        for (size_t slot = 0; slot < c->n_slots; slot++)
            most[slot * CEILING_SPANS + k] = has_passed ? INT64_MIN
                                             : is_endless(w, vnode, c->res[slot])
                                                 ? INT64_MAX
                                                 : free[c->res[slot]];
    }
}

static uint64_t host_kinds(const struct world *w, size_t host)
{
    uint64_t kinds = 0;

    for (size_t i = w->host_first[host]; i < w->host_first[host + 1]; i++) {
        size_t vnode = w->on_host[i];

        kinds |= (uint64_t)1 << ceiling_kind(&w->s->vnodes[vnode]);
        if (book_has_endless(w->book, vnode))
            kinds |= KIND_ENDLESS;
    }
    return kinds;
}

static void ask_joint(const struct ceilings *c, const struct world *w, size_t host,
                      int64_t *all, int64_t *one)
{
    size_t n = c->n_slots * CEILING_SPANS;

    c->joint_kinds[host] = host_kinds(w, host);
    memset(c->joint[host], 0, n * sizeof(int64_t));
    for (size_t i = w->host_first[host]; i < w->host_first[host + 1]; i++) {
        ask_vnode(c, w, w->on_host[i], all, one);
        for (size_t k = 0; k < n; k++)
            join(&c->joint[host][k], k / CEILING_SPANS, one[k]);
    }
}

/* Work to bring trees up to date. */
struct mending {
    struct ceilings *c;
    const struct world *w;
    int64_t *all, *one, *sum; /* room for vectors */
    size_t bytes;             /* of a node's */
};

static struct mending mend_begin(struct ceilings *c, const struct world *w)
{
    struct mending m = { .c = c, .w = w };

    m.bytes = c->n_slots * CEILING_SPANS * sizeof(int64_t);
    m.all = xmalloc(w->n_res * sizeof(int64_t));
    m.one = xmalloc(m.bytes);
    m.sum = xmalloc(m.bytes);
    return m;
}

static void mend_end(struct mending *m)
{
    free(m->all);
    free(m->one);
    free(m->sum);
}

static int64_t *most_of(const struct mending *m, const struct ceiling_class *of,
                        size_t node)
{
    return &of->most[node * m->c->n_slots * CEILING_SPANS];
}

/* What is free of the leaf's vnodes, into m->sum; returns their kinds. */
static uint64_t sum_up_leaf(struct mending *m, const struct ceiling_class *of,
                            size_t leaf)
{
    size_t end = MIN_OF(of->n, (leaf + 1) * m->c->leaf), n = m->bytes / sizeof(int64_t);
    size_t before = SIZE_MAX;
    uint64_t kinds = 0;

    for (size_t k = 0; k < n; k++)
        m->sum[k] = INT64_MIN;
    for (size_t i = leaf * m->c->leaf; i < end; i++) {
        size_t vnode = m->w->order[of->places[i]], host = m->w->host[vnode];
        const int64_t *part = m->c->joint[host];

        if (host == before)
            continue;
        before = host;
        kinds |= part ? m->c->joint_kinds[host] : host_kinds(m->w, host);
        if (!part) {
            ask_vnode(m->c, m->w, vnode, m->all, m->one);
            part = m->one;
        }
        for (size_t k = 0; k < n; k++)
            m->sum[k] = MAX_OF(m->sum[k], part[k]);
    }
    return kinds;
}

/* Sum up what is below; true: that has made a difference. */
static bool mend_node(struct mending *m, struct ceiling_class *of, size_t node)
{
    const int64_t *left = most_of(m, of, 2 * node),
                  *right = most_of(m, of, 2 * node + 1);
    uint64_t kinds = of->kinds[2 * node] | of->kinds[2 * node + 1];
    int64_t *most = most_of(m, of, node);
    bool changed = kinds != of->kinds[node];

    of->kinds[node] = kinds;
    for (size_t k = 0; k < m->bytes / sizeof(int64_t); k++) {
        int64_t sum = MAX_OF(left[k], right[k]);

        changed = changed || sum != most[k];
        most[k] = sum;
    }
    return changed;
}

static void mend_leaf(struct mending *m, struct ceiling_class *of, size_t leaf)
{
    size_t node = of->n_leaves + leaf;

    of->kinds[node] = sum_up_leaf(m, of, leaf);
    memcpy(most_of(m, of, node), m->sum, m->bytes);
}

/* The host, and each leaf once that has some of its vnodes: those of a class are in
 * the order of its leaves. */
static void mend_host(struct mending *m, size_t host)
{
    struct ceiling_class *of = &m->c->v[m->c->of_host[host]];
    size_t before = SIZE_MAX;

    if (m->c->joint[host])
        ask_joint(m->c, m->w, host, m->all, m->one);
    for (size_t k = m->w->host_first[host]; k < m->w->host_first[host + 1]; k++) {
        size_t vnode = m->w->on_host[k], leaf = m->c->member[vnode] / m->c->leaf;

        m->c->is_stale[vnode] = false;
        if (leaf == before)
            continue;
        before = leaf;
        mend_leaf(m, of, leaf);
        for (size_t node = (of->n_leaves + leaf) / 2; node > 0; node /= 2)
            if (!mend_node(m, of, node))
                break;
    }
}

/* The hosts of all vnodes that have changed, each once, however many of its vnodes
 * have. */
static void mend_some(struct mending *m)
{
    for (size_t i = 0; i < m->c->n_stale; i++)
        if (m->c->is_stale[m->c->stale[i]])
            mend_host(m, m->w->host[m->c->stale[i]]);
}

static void mend_all(struct mending *m)
{
    for (size_t h = 0; h < m->w->n_hosts; h++)
        if (m->c->joint[h])
            ask_joint(m->c, m->w, h, m->all, m->one);
    for (size_t k = 0; k < m->c->n_classes; k++) {
        struct ceiling_class *of = &m->c->v[k];

        for (size_t leaf = 0; leaf < of->n_leaves; leaf++)
            mend_leaf(m, of, leaf);
        for (size_t node = of->n_leaves - 1; node > 0; node--)
            (void)mend_node(m, of, node);
    }
    memset(m->c->is_stale, 0, m->w->n * sizeof(bool));
}

#ifdef HF_CHECKS
/* No ceiling is lower than what is free below it. */
static void check_ceilings(struct mending *m)
{
    for (size_t h = 0; h < m->w->n_hosts; h++)
        MUST(!m->c->joint[h] || m->c->joint_kinds[h] == host_kinds(m->w, h));
    for (size_t k = 0; k < m->c->n_classes; k++) {
        struct ceiling_class *of = &m->c->v[k];

        for (size_t leaf = 0; leaf < of->n_leaves; leaf++) {
            uint64_t kinds = sum_up_leaf(m, of, leaf);

            for (size_t node = of->n_leaves + leaf; node > 0; node /= 2) {
                MUST((of->kinds[node] & kinds) == kinds);
                for (size_t i = 0; i < m->bytes / sizeof(int64_t); i++)
                    MUST(most_of(m, of, node)[i] >= m->sum[i]);
            }
            MUST(of->kinds[of->n_leaves + leaf] == kinds);
        }
    }
}
#endif

static void bring_up_to_date(struct ceilings *c, const struct world *w)
{
    struct mending m = mend_begin(c, w);

    if (c->n_stale > w->n / MENDED_APART)
        mend_all(&m);
    else
        mend_some(&m);
    c->n_stale = 0;
#ifdef HF_CHECKS
    check_ceilings(&m);
#endif
    mend_end(&m);
}

const struct ceilings *ceilings_find(struct world *w)
{
    struct ceilings *c = w->book->ceilings;

    if (w->home || w->n == 0)
        return NULL;
    if (!c)
        c = w->book->ceilings = ceilings_new(w);
    /* The clock may have been set back, too. */
    if (w->now_at < c->from_at || w->now_at >= c->at[SPANS_PASSED]) {
        lay_spans(c, w->now_at);
        spoil_all(c, w);
    }
    c->from_at = w->now_at;
    if (c->n_stale > 0)
        bring_up_to_date(c, w);
    return c;
}
