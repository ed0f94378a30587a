/* wide_toy.c - see wide_toy.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "wide_toy.h"

#include <stdio.h>
#include <string.h>

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define WINDOW     10
#define EVER_S     157680000
#define ALL_VNODES ((1u << TOY_VNODES_MAX) - 1)

static const char *const arrangements[] = { "free", "pack", "scatter", "vscatter" };
const char *const toy_uses[] = { "", ":shared", ":excl", ":exclhost" };
const char *const toy_sharings[] = { "default_shared", "default_excl", "force_excl",
                                     "ignore_excl" };
const char *const toy_colours[] = { "", "red", "blue" };

static int below(struct rnd *rnd, int n)
{
    return (int)rnd_range(rnd, 0, n - 1);
}

static bool one_in(struct rnd *rnd, int n)
{
    return below(rnd, n) == 0;
}

/* Who uses a vnode in this way has it alone. */
static bool is_exclusive(enum toy_use use, int sharing)
{
    switch (sharing) {
    case 0:
        return use == USE_EXCL || use == USE_EXCLHOST;
    case 1:
        return use != USE_SHARED;
    default:
        return sharing == 2;
    }
}

static bool meets(const struct toy_other *o, int from, int until)
{
    return o->from < until && o->until > from;
}

static bool host_is_busy(const struct toy *t, int host)
{
    for (int i = 0; i < t->n_others; i++)
        if (t->v[t->others[i].vnode].host == host &&
            meets(&t->others[i], t->from, t->until))
            return true;
    return false;
}

static bool is_usable(const struct toy *t, int vnode)
{
    const struct toy_vnode *v = &t->v[vnode];

    if (t->use == USE_EXCLHOST && host_is_busy(t, v->host))
        return false;
    for (int i = 0; i < t->n_others; i++) {
        const struct toy_other *o = &t->others[i];

        if (o->vnode == vnode && meets(o, t->from, t->until) &&
            (is_exclusive(o->use, v->sharing) || is_exclusive(t->use, v->sharing)))
            return false;
    }
    return true;
}

/* What others have of the host's vnodes, or of one of them, in that second. */
static int taken_at(const struct toy *t, int host, int vnode, int kind, int second)
{
    int sum = 0;

    for (int i = 0; i < t->n_others; i++) {
        const struct toy_other *o = &t->others[i];

        if ((vnode < 0 ? t->v[o->vnode].host == host : o->vnode == vnode) &&
            meets(o, second, second + 1))
            sum += o->has[kind];
    }
    return sum;
}

static int taken(const struct toy *t, int host, int vnode, int kind)
{
    int most = 0;

    for (int second = t->from; second < t->until; second++) {
        int sum = taken_at(t, host, vnode, kind, second);

        most = sum > most ? sum : most;
    }
    return most;
}

static void reckon(struct toy *t)
{
    for (int h = 0; h < t->n_hosts; h++)
        t->lic[h] = t->lic_total[h] - taken(t, h, -1, LIC);
    for (int v = 0; v < t->n_vnodes; v++) {
        t->v[v].usable = is_usable(t, v);
        for (int kind = NCPUS; kind <= MEM; kind++)
            t->v[v].free[kind] = t->v[v].total[kind] - taken(t, -1, v, kind);
    }
}

static void make_vnodes(struct toy *t, struct rnd *rnd)
{
    t->n_hosts = 1 + below(rnd, TOY_HOSTS_MAX);
    for (int h = 0; h < t->n_hosts; h++) {
        int n = 1 + below(rnd, 2);

        t->lic_total[h] = t->lends ? below(rnd, 4) : 0;
        for (int i = 0; i < n; i++) {
            struct toy_vnode *v = &t->v[t->n_vnodes++];

            v->host = h;
            v->total[NCPUS] = 2 + below(rnd, 5);
            v->total[MEM] = 1 + below(rnd, 5);
            v->colour = below(rnd, 3);
            v->racks = (unsigned)below(rnd, 4) << 1;
            v->racks = v->racks ? v->racks : 1;
            /* Of whole hosts that some vnodes do not belong to nothing is said. */
            v->sharing = t->use == USE_EXCLHOST ? 0 : below(rnd, 4);
        }
    }
}

static void choose_time(struct toy_other *o, struct rnd *rnd)
{
    switch (o->kind) {
    case OTHER_CONFIRMED:
        o->from = 1 + below(rnd, 25);
        o->until = o->from + 1 + below(rnd, 20);
        return;
    case OTHER_RUNNING:
    case OTHER_RUNNING_USED:
        o->from = -5;
        o->until = 1 + below(rnd, 25);
        return;
    case OTHER_JOB:
        o->from = -5;
        o->until = one_in(rnd, 4) ? EVER_S - 5 : 1 + below(rnd, 25);
    }
}

/* Those who are on a vnode together may be there together. */
static bool may_come(const struct toy *t, const struct toy_other *o)
{
    int sharing = t->v[o->vnode].sharing;

    for (int i = 0; i < t->n_others; i++) {
        const struct toy_other *p = &t->others[i];

        if (p->vnode == o->vnode && meets(p, o->from, o->until) &&
            (is_exclusive(p->use, sharing) || is_exclusive(o->use, sharing)))
            return false;
    }
    return true;
}

/* What they have comes on top of what the vnode has for the request. */
static void add_other(struct toy *t, struct rnd *rnd, int vnode)
{
    struct toy_other o = { .kind = (enum toy_kind)below(rnd, 4), .vnode = vnode };

    choose_time(&o, rnd);
    o.use = (enum toy_use)below(rnd, 3);
    o.has[NCPUS] = 1 + below(rnd, 2);
    o.has[MEM] = below(rnd, 2);
    o.has[LIC] = t->lends && one_in(rnd, 3);
    if (!may_come(t, &o))
        return;
    t->others[t->n_others++] = o;
    t->v[vnode].total[NCPUS] += o.has[NCPUS];
    t->v[vnode].total[MEM] += o.has[MEM];
    t->lic_total[t->v[vnode].host] += o.has[LIC];
}

static size_t say_chunk(const struct toy *t, char *to, int copies, const int *need,
                        int colour)
{
    size_t size = (size_t)(t->select + sizeof(t->select) - to), len;

    len = (size_t)snprintf(to, size, "%s%d:ncpus=%d", to > t->select ? "+" : "", copies,
                           need[NCPUS]);
    if (need[MEM])
        len += (size_t)snprintf(to + len, size - len, ":mem=%dgb", need[MEM]);
    if (need[LIC])
        len += (size_t)snprintf(to + len, size - len, ":lic=%d", need[LIC]);
    if (colour)
        len +=
            (size_t)snprintf(to + len, size - len, ":colour=%s", toy_colours[colour]);
    return len;
}

static void make_items(struct toy *t, struct rnd *rnd)
{
    char *to = t->select;

    for (int kinds = 1 + below(rnd, 3); kinds > 0; kinds--) {
        int copies = 1 + below(rnd, 2);
        int need[KINDS];
        int colour = one_in(rnd, 3) ? 1 + below(rnd, 2) : 0;

        need[NCPUS] = 1 + below(rnd, 3);
        need[MEM] = below(rnd, 4);
        need[LIC] = t->lends && one_in(rnd, 3) ? 1 + below(rnd, 2) : 0;
        if (t->n_items + copies > TOY_ITEMS_MAX)
            break;
        to += say_chunk(t, to, copies, need, colour);
        for (; copies > 0; copies--) {
            memcpy(t->need[t->n_items], need, sizeof(need));
            t->colour[t->n_items++] = colour;
        }
    }
}

struct toy toy_make(struct rnd *rnd)
{
    struct toy t = { .within = ALL_VNODES, .lends = one_in(rnd, 2) };

    t.arrangement = arrangements[below(rnd, (int)COUNT(arrangements))];
    t.use = (enum toy_use)below(rnd, 4);
    t.is_job = one_in(rnd, 3);
    t.from = t.is_job ? 0 : WINDOW;
    t.until = t.from + WINDOW;
    t.sets = (enum toy_sets)below(rnd, 3);
    t.only_explicit = one_in(rnd, 3);
    t.may_not_span = one_in(rnd, 3);
    make_vnodes(&t, rnd);
    for (int i = 0; i < 2 * t.n_vnodes; i++)
        if (one_in(rnd, 5))
            add_other(&t, rnd, i / 2);
    make_items(&t, rnd);
    reckon(&t);
    return t;
}

bool toy_may_lie_on(const struct toy *t, int item, int v)
{
    return (t->within >> v & 1) && t->v[v].usable &&
           (!t->colour[item] || t->colour[item] == t->v[v].colour);
}

bool toy_arranges(const struct toy *t, const char *name)
{
    return strcmp(t->arrangement, name) == 0;
}

/* The vnodes of the host as bits that the item may lie on. */
static unsigned room_of(const struct toy *t, int item, int host)
{
    unsigned bits = 0;

    for (int v = 0; v < t->n_vnodes; v++)
        if (t->v[v].host == host && toy_may_lie_on(t, item, v))
            bits |= 1u << v;
    return bits;
}

static int free_of(const struct toy *t, unsigned bits, int kind)
{
    int sum = 0;

    for (int v = 0; v < t->n_vnodes; v++)
        if (bits >> v & 1)
            sum += t->v[v].free[kind];
    return sum;
}

static bool set_holds(const struct toy *t, const int *at, int host, unsigned set)
{
    for (int kind = NCPUS; kind <= MEM; kind++) {
        int needed = 0;

        for (int i = 0; i < t->n_items; i++)
            if (at[i] == host && !(room_of(t, i, host) & ~set))
                needed += t->need[i][kind];
        if (needed > free_of(t, set, kind))
            return false;
    }
    return true;
}

static bool host_holds(const struct toy *t, const int *at, int host)
{
    int lic = 0;

    for (int i = 0; i < t->n_items; i++) {
        if (at[i] != host)
            continue;
        lic += t->need[i][LIC];
        if (!room_of(t, i, host))
            return false;
    }
    if (lic > t->lic[host])
        return false;
    for (unsigned set = 0; set < 1u << t->n_vnodes; set++)
        if (!set_holds(t, at, host, set))
            return false;
    return true;
}

bool toy_apart(const int *at, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (at[i] == at[k])
                return false;
    return true;
}

bool toy_together(const int *at, int n)
{
    for (int i = 1; i < n; i++)
        if (at[i] != at[0])
            return false;
    return true;
}

/* Each copy of a chunk has its host. */
static bool hosts_hold(const struct toy *t, const int *at)
{
    if ((toy_arranges(t, "pack") && !toy_together(at, t->n_items)) ||
        (toy_arranges(t, "scatter") && !toy_apart(at, t->n_items)))
        return false;
    for (int h = 0; h < t->n_hosts; h++)
        if (!host_holds(t, at, h))
            return false;
    return true;
}

/* Each copy of a chunk has its vnode, and no other. */
static bool vnodes_hold(const struct toy *t, const int *at)
{
    int lic[TOY_HOSTS_MAX] = { 0 };

    if (!toy_apart(at, t->n_items))
        return false;
    for (int i = 0; i < t->n_items; i++) {
        const struct toy_vnode *v = &t->v[at[i]];

        if (!toy_may_lie_on(t, i, at[i]) || t->need[i][NCPUS] > v->free[NCPUS] ||
            t->need[i][MEM] > v->free[MEM] ||
            (lic[v->host] += t->need[i][LIC]) > t->lic[v->host])
            return false;
    }
    return true;
}

static bool fits_within(const struct toy *whole, unsigned vnodes)
{
    struct toy t = *whole;
    bool by_vnode = toy_arranges(&t, "vscatter");
    int n_places = by_vnode ? t.n_vnodes : t.n_hosts;
    int at[TOY_ITEMS_MAX] = { 0 };
    int i = 0;

    t.within = vnodes;
    while (i < t.n_items) {
        if (by_vnode ? vnodes_hold(&t, at) : hosts_hold(&t, at))
            return true;
        /* The next assignment, as a number with one digit for each item. */
        for (i = 0; i < t.n_items && ++at[i] == n_places; i++)
            at[i] = 0;
    }
    return false;
}

unsigned toy_rack(const struct toy *t, int rack)
{
    unsigned bits = 0;

    for (int v = 0; v < t->n_vnodes; v++)
        bits |= (t->v[v].racks >> rack & 1) << v;
    return bits;
}

/* The racks that can hold it, as bits. */
static unsigned racks_that_hold(const struct toy *t)
{
    unsigned racks = 0;

    for (int r = t->only_explicit; r < TOY_RACKS; r++)
        if (toy_rack(t, r) && fits_within(t, toy_rack(t, r)))
            racks |= 1u << r;
    return racks;
}

/* Sets are tried by what they have in all: ncpus, then mem. What decides between equal
 * ones is not looked at here. */
static int size_of(const struct toy *t, int rack)
{
    int size = 0;

    for (int v = 0; v < t->n_vnodes; v++)
        if (toy_rack(t, rack) >> v & 1)
            size += 1000 * t->v[v].total[NCPUS] + t->v[v].total[MEM];
    return size;
}

static unsigned smallest(const struct toy *t, unsigned racks)
{
    unsigned ret = 0;
    int least = 0;

    for (int r = 0; r < TOY_RACKS; r++) {
        if (!(racks >> r & 1))
            continue;
        if (!ret || size_of(t, r) < least) {
            ret = 0;
            least = size_of(t, r);
        }
        if (size_of(t, r) == least)
            ret |= 1u << r;
    }
    return ret;
}

/* As if nobody else were there. */
static bool fits_in_an_empty_set(const struct toy *t)
{
    struct toy empty = *t;

    empty.n_others = 0;
    reckon(&empty);
    return racks_that_hold(&empty) != 0;
}

bool toy_is_feasible(const struct toy *t, unsigned *sets)
{
    unsigned racks = t->sets == SETS_NONE ? 0 : racks_that_hold(t);

    *sets = smallest(t, racks);
    if (*sets)
        return true;
    if (t->sets != SETS_NONE && (t->may_not_span || fits_in_an_empty_set(t)))
        return false;
    return fits_within(t, ALL_VNODES);
}
