/* test_search_wide.c - feasibility on random small complexes with hosts of several
 * vnodes: chunks that are split, texts, amounts that are borrowed, vnodes and requests
 * that are exclusive, others who are there already (scheduling.md 13 to 15).
 *
 * The oracle tries each host (with vscatter each vnode) for each copy of a chunk. Of
 * those on one host it counts: they find room when, for each set of its vnodes, those
 * that can lie nowhere else need no more than the set has. An answer has to hold by the
 * same rules. test_search.c has the order of first fit, and placement sets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include "lib/base/rnd.h"

enum {
    CASES = 100000,
    HOSTS_MAX = 3,
    VNODES_MAX = 6, /* two for each host */
    ITEMS_MAX = 5,
    NCPUS = 0,
    MEM,
    LIC, /* borrowed from the first vnode of the host */
    KINDS
};

#define UN "reserve_state=1 reserve_substate=1"
#define CO "reserve_state=2 reserve_substate=2"

static const char *const arrangements[] = { "free", "pack", "scatter", "vscatter" };
static const char *const uses[] = { "", ":shared", ":excl", ":exclhost" };
static const char *const sharings[] = { "default_shared", "default_excl", "force_excl",
                                        "ignore_excl" };
static const char *const colours[] = { "", "red", "blue" };

enum use {
    USE_UNSAID,
    USE_SHARED,
    USE_EXCL,
    USE_EXCLHOST
};

struct toy_vnode {
    int host, free[KINDS];
    int colour, sharing;
    bool busy;       /* there is somebody else in the window */
    enum use others; /* and how */
    bool usable;     /* by the request */
};

struct toy {
    int n_hosts, n_vnodes, n_items;
    struct toy_vnode v[VNODES_MAX];
    int lic[HOSTS_MAX];
    int need[ITEMS_MAX][KINDS], colour[ITEMS_MAX];
    const char *arrangement;
    enum use use;
    char select[256];
};

static int below(struct rnd *rnd, int n)
{
    return (int)rnd_range(rnd, 0, n - 1);
}

/* Who uses a vnode in this way has it alone. */
static bool is_exclusive(enum use use, int sharing)
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

static bool host_is_busy(const struct toy *t, int host)
{
    bool busy = false;

    for (int v = 0; v < t->n_vnodes; v++)
        busy |= t->v[v].host == host && t->v[v].busy;
    return busy;
}

static bool is_usable(const struct toy *t, const struct toy_vnode *v)
{
    if (t->use == USE_EXCLHOST && host_is_busy(t, v->host))
        return false;
    return !v->busy ||
           (!is_exclusive(v->others, v->sharing) && !is_exclusive(t->use, v->sharing));
}

static void make_vnodes(struct toy *t, struct rnd *rnd)
{
    t->n_hosts = 1 + below(rnd, HOSTS_MAX);
    for (int h = 0; h < t->n_hosts; h++) {
        int n = 1 + below(rnd, 2);

        t->lic[h] = below(rnd, 4);
        for (int i = 0; i < n; i++) {
            struct toy_vnode *v = &t->v[t->n_vnodes++];

            v->host = h;
            v->free[NCPUS] = 1 + below(rnd, 5);
            v->free[MEM] = 1 + below(rnd, 5);
            v->colour = below(rnd, 3);
            /* Of whole hosts that some vnodes do not belong to nothing is said. */
            v->sharing = t->use == USE_EXCLHOST ? 0 : below(rnd, 4);
            v->busy = below(rnd, 6) == 0;
            v->others = (enum use)below(rnd, 3);
        }
    }
    for (int i = 0; i < t->n_vnodes; i++)
        t->v[i].usable = is_usable(t, &t->v[i]);
    for (int i = 0; i < t->n_vnodes; i++)
        t->v[i].free[NCPUS] -= t->v[i].busy;
}

static void make_items(struct toy *t, struct rnd *rnd)
{
    size_t len = 0;

    for (int kinds = 1 + below(rnd, 3); kinds > 0; kinds--) {
        int copies = 1 + below(rnd, 2);
        int need[KINDS];
        int colour = below(rnd, 3) == 0 ? 1 + below(rnd, 2) : 0;

        need[NCPUS] = 1 + below(rnd, 3);
        need[MEM] = below(rnd, 4);
        need[LIC] = below(rnd, 3) == 0 ? 1 + below(rnd, 2) : 0;
        if (t->n_items + copies > ITEMS_MAX)
            break;
        len += (size_t)snprintf(t->select + len, sizeof(t->select) - len,
                                "%s%d:ncpus=%d", len ? "+" : "", copies, need[NCPUS]);
        if (need[MEM])
            len += (size_t)snprintf(t->select + len, sizeof(t->select) - len,
                                    ":mem=%dgb", need[MEM]);
        if (need[LIC])
            len += (size_t)snprintf(t->select + len, sizeof(t->select) - len, ":lic=%d",
                                    need[LIC]);
        if (colour)
            len += (size_t)snprintf(t->select + len, sizeof(t->select) - len,
                                    ":colour=%s", colours[colour]);
        for (; copies > 0; copies--) {
            memcpy(t->need[t->n_items], need, sizeof(need));
            t->colour[t->n_items++] = colour;
        }
    }
}

static struct toy make_toy(struct rnd *rnd)
{
    struct toy t = { .n_items = 0 };

    t.arrangement = arrangements[below(rnd, COUNT(arrangements))];
    t.use = (enum use)below(rnd, COUNT(uses));
    make_vnodes(&t, rnd);
    make_items(&t, rnd);
    return t;
}

static bool may_lie_on(const struct toy *t, int item, int v)
{
    return t->v[v].usable && (!t->colour[item] || t->colour[item] == t->v[v].colour);
}

static bool arrangement_is(const struct toy *t, const char *name)
{
    return strcmp(t->arrangement, name) == 0;
}

/* The vnodes of the host as bits that the item may lie on. */
static unsigned room_of(const struct toy *t, int item, int host)
{
    unsigned bits = 0;

    for (int v = 0; v < t->n_vnodes; v++)
        if (t->v[v].host == host && may_lie_on(t, item, v))
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

static bool apart(const int *at, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (at[i] == at[k])
                return false;
    return true;
}

static bool together(const int *at, int n)
{
    for (int i = 1; i < n; i++)
        if (at[i] != at[0])
            return false;
    return true;
}

/* Each copy of a chunk has its host. */
static bool hosts_hold(const struct toy *t, const int *at)
{
    if ((arrangement_is(t, "pack") && !together(at, t->n_items)) ||
        (arrangement_is(t, "scatter") && !apart(at, t->n_items)))
        return false;
    for (int h = 0; h < t->n_hosts; h++)
        if (!host_holds(t, at, h))
            return false;
    return true;
}

/* Each copy of a chunk has its vnode, and no other. */
static bool vnodes_hold(const struct toy *t, const int *at)
{
    int lic[HOSTS_MAX] = { 0 };

    if (!apart(at, t->n_items))
        return false;
    for (int i = 0; i < t->n_items; i++) {
        const struct toy_vnode *v = &t->v[at[i]];

        if (!may_lie_on(t, i, at[i]) || t->need[i][NCPUS] > v->free[NCPUS] ||
            t->need[i][MEM] > v->free[MEM] ||
            (lic[v->host] += t->need[i][LIC]) > t->lic[v->host])
            return false;
    }
    return true;
}

static bool is_feasible(const struct toy *t)
{
    bool by_vnode = arrangement_is(t, "vscatter");
    int n_places = by_vnode ? t->n_vnodes : t->n_hosts;
    int at[ITEMS_MAX] = { 0 };
    int i = 0;

    while (i < t->n_items) {
        if (by_vnode ? vnodes_hold(t, at) : hosts_hold(t, at))
            return true;
        /* The next assignment, as a number with one digit for each item. */
        for (i = 0; i < t->n_items && ++at[i] == n_places; i++)
            at[i] = 0;
    }
    return false;
}

/* What an answer takes. */
struct taken {
    struct toy left;
    int host[ITEMS_MAX], vnode[ITEMS_MAX]; /* of each chunk; the last vnode */
    unsigned used;                         /* vnodes as bits */
};

static int amount_in(const char *part, const char *name)
{
    const char *p = strstr(part, name);

    return p ? atoi(p + strlen(name)) : 0;
}

static bool take_part(struct taken *k, int item, const char *part, bool is_first)
{
    struct toy *t = &k->left;
    int v = atoi(part + 1);
    int got[KINDS] = { amount_in(part, ":ncpus="), amount_in(part, ":mem=") / 1048576,
                       amount_in(part, ":lic=") };

    if (part[0] != 'v' || v >= t->n_vnodes || !may_lie_on(t, item, v) ||
        (!is_first && (t->v[v].host != k->host[item] || arrangement_is(t, "vscatter"))))
        return false;
    k->host[item] = t->v[v].host;
    k->vnode[item] = v;
    k->used |= 1u << v;
    for (int kind = 0; kind < KINDS; kind++)
        t->need[item][kind] -= got[kind];
    t->lic[t->v[v].host] -= got[LIC];
    return (t->v[v].free[NCPUS] -= got[NCPUS]) >= 0 &&
           (t->v[v].free[MEM] -= got[MEM]) >= 0 && t->lic[t->v[v].host] >= 0;
}

static bool take_chunk(struct taken *k, int item, char *chunk)
{
    char *rest = NULL;
    bool is_first = true;

    for (char *part = strtok_r(chunk, "+", &rest); part;
         part = strtok_r(NULL, "+", &rest)) {
        if (!take_part(k, item, part, is_first))
            return false;
        is_first = false;
    }
    for (int kind = 0; kind < KINDS; kind++)
        if (k->left.need[item][kind] != 0)
            return false;
    return true;
}

/* Hosts that are taken whole are named with all of their vnodes; those that no chunk
 * lies on stand alone. */
static bool whole_hosts_are_named(const struct toy *t, const int *named,
                                  const int *host)
{
    for (int v = 0; v < t->n_vnodes; v++) {
        bool taken = false;

        for (int i = 0; i < t->n_items; i++)
            taken |= host[i] == t->v[v].host;
        if (named[v] > 1 || (named[v] > 0 && !taken) ||
            (t->use == USE_EXCLHOST && taken && !named[v]))
            return false;
    }
    return true;
}

static bool arrangement_is_kept(const struct toy *t, const struct taken *k)
{
    if (arrangement_is(t, "pack"))
        return together(k->host, t->n_items);
    if (arrangement_is(t, "scatter"))
        return apart(k->host, t->n_items);
    return !arrangement_is(t, "vscatter") || apart(k->vnode, t->n_items);
}

static bool answer_is_right(const struct toy *t, const char *answer)
{
    struct taken k = { .left = *t };
    char text[1024], *rest = NULL;
    int named[VNODES_MAX] = { 0 }, n = 0;

    snprintf(text, sizeof(text), "%s", answer);
    for (char *chunk = strtok_r(text, "()", &rest); chunk;
         chunk = strtok_r(NULL, "()", &rest)) {
        if (strcmp(chunk, "+") == 0)
            continue;
        if (!strchr(chunk, ':')) {
            if (t->use != USE_EXCLHOST || *chunk != 'v' ||
                atoi(chunk + 1) >= t->n_vnodes)
                return false;
            named[atoi(chunk + 1)]++;
        } else if (n == t->n_items || !take_chunk(&k, n++, chunk)) {
            return false;
        }
    }
    for (int v = 0; v < t->n_vnodes; v++)
        named[v] += !!(k.used >> v & 1);
    return n == t->n_items && whole_hosts_are_named(t, named, k.host) &&
           arrangement_is_kept(t, &k);
}

static void add_vnode(struct scene *sc, const struct toy *t, int at, int *first)
{
    const struct toy_vnode *v = &t->v[at];
    char name[16], host[16], more[256];
    int len;

    if (first[v->host] < 0)
        first[v->host] = at;
    snprintf(name, sizeof(name), "v%d", at);
    snprintf(host, sizeof(host), "h%d", v->host);
    len = snprintf(more, sizeof(more), "resources_available.mem=%dgb sharing=%s",
                   v->free[MEM], sharings[v->sharing]);
    if (v->colour)
        len += snprintf(more + len, sizeof(more) - (size_t)len,
                        " resources_available.colour=%s", colours[v->colour]);
    if (first[v->host] == at)
        snprintf(more + len, sizeof(more) - (size_t)len, " resources_available.lic=%d",
                 t->lic[v->host]);
    else
        snprintf(more + len, sizeof(more) - (size_t)len,
                 " resources_available.lic=@v%d", first[v->host]);
    scene_vnode(sc, name, host, v->free[NCPUS] + v->busy, more);
}

/* Somebody has one cpu of it in the same window. */
static void add_others(struct scene *sc, const struct toy *t, int at)
{
    char more[128];

    snprintf(more, sizeof(more), "Resource_List.place=free%s resv_nodes=(v%d:ncpus=1)",
             uses[t->v[at].others], at);
    scene_resv(sc, 10 + at, CO, NOW + 10, NOW + 20, "1:ncpus=1", more);
}

/* Whatever the order of vnodes is, it does not decide what is feasible. */
static const char *const orders[] = {
    "node_sort_key: \"sort_priority HIGH\"",
    "node_sort_key: \"ncpus HIGH unused\"",
    "node_sort_key: \"mem LOW unused\"",
    "node_sort_key: \"ncpus HIGH assigned\"",
};

static void say_toy(const struct toy *t, uint64_t seed, const char *said, bool feasible)
{
    fprintf(stderr, "seed %llu: %s place=%s%s, feasible %d: %s\n",
            (unsigned long long)seed, t->select, t->arrangement, uses[t->use], feasible,
            said);
    for (int v = 0; v < t->n_vnodes; v++)
        fprintf(stderr, "  v%d h%d ncpus %d mem %d lic %d %s %s%s%s\n", v, t->v[v].host,
                t->v[v].free[NCPUS], t->v[v].free[MEM], t->lic[t->v[v].host],
                colours[t->v[v].colour], sharings[t->v[v].sharing],
                t->v[v].busy ? " busy" : "", t->v[v].busy ? uses[t->v[v].others] : "");
}

/* Whether the answer is right; *n counts those that are feasible. */
static bool try_toy(uint64_t seed, size_t *n)
{
    struct rnd rnd = rnd_seeded(seed);
    struct toy t = make_toy(&rnd);
    bool feasible = is_feasible(&t), right;
    int first[HOSTS_MAX] = { -1, -1, -1 };
    struct scene sc = scene_new();
    struct diag why = { 0 };
    char place[64];

    *n += feasible;
    CU_ASSERT_EQUAL(policy_line(sc.policy, orders[below(&rnd, COUNT(orders))], &why),
                    POLICY_FINE);
    scene_add(&sc, OBJECT_RESOURCE, "lic", "type=1 flag=163840");
    scene_add(&sc, OBJECT_RESOURCE, "colour", "type=3 flag=131072");
    for (int v = 0; v < t.n_vnodes; v++)
        add_vnode(&sc, &t, v, first);
    for (int v = 0; v < t.n_vnodes; v++)
        if (t.v[v].busy)
            add_others(&sc, &t, v);
    snprintf(place, sizeof(place), "Resource_List.place=%s%s", t.arrangement,
             uses[t.use]);
    scene_resv(&sc, 1, UN, NOW + 10, NOW + 20, t.select, place);
    scene_plan(&sc);
    right = scene_step(&sc, "R1.svr") &&
            (scene_step(&sc, "R1.svr")->kind == PLAN_CONFIRM_RESV) == feasible &&
            (!feasible || answer_is_right(&t, scene_said(&sc, "R1.svr")));
    if (!right)
        say_toy(&t, seed, scene_said(&sc, "R1.svr"), feasible);
    scene_free(&sc);
    return right;
}

static void test_feasible_is_never_refused(void)
{
    size_t n_wrong = 0, n_feasible = 0;

    for (uint64_t seed = 1; seed <= CASES && n_wrong < 10; seed++)
        n_wrong += !try_toy(seed, &n_feasible);
    printf("%d complexes, %zu requests are feasible\n", CASES, n_feasible);
    CU_ASSERT_EQUAL(n_wrong, 0);
    /* Both answers are common enough to say something. */
    CU_ASSERT_TRUE(n_feasible > CASES / 5 && n_feasible < CASES / 5 * 4);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "what is feasible is never refused, and answers hold",
          test_feasible_is_never_refused },
    };

    return unit_main("scheduler/search_wide", cases, COUNT(cases));
}
