/* Unit tests of the search for vnodes: the order of first fit as users know it, and
 * feasibility on random small complexes against an oracle that tries everything.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define UN "reserve_state=1 reserve_substate=1"

static struct scene asked(const char *select, const char *place)
{
    struct scene sc = scene_new();
    char more[64];

    /* The hosts of scheduling.md 15.4 in the order its examples show. */
    scene_vnode(&sc, "v[3]", "h2", 2, "resources_available.mem=1gb");
    scene_vnode(&sc, "v[2]", "h2", 2, "resources_available.mem=1gb");
    scene_vnode(&sc, "v[0]", "h1", 2, "resources_available.mem=1gb");
    scene_vnode(&sc, "v[1]", "h1", 2, "resources_available.mem=1gb");
    snprintf(more, sizeof(more), "Resource_List.place=%s", place);
    scene_resv(&sc, 1, UN, NOW + 100, NOW + 200, select, more);
    scene_plan(&sc);
    return sc;
}

static void test_hosts_of_several_vnodes(void)
{
    static const struct {
        const char *select, *place, *expect;
    } cases[] = {
        { "2:ncpus=3", "free",
          "(v[3]:ncpus=2+v[2]:ncpus=1)+(v[0]:ncpus=2+v[1]:ncpus=1)" },
        { "3:ncpus=1", "pack", "(v[3]:ncpus=1)+(v[3]:ncpus=1)+(v[2]:ncpus=1)" },
        { "1:ncpus=1", "exclhost", "(v[3]:ncpus=1)+(v[2])" },
        { "2:ncpus=1", "scatter", "(v[3]:ncpus=1)+(v[0]:ncpus=1)" },
        { "3:ncpus=1", "scatter", "denied: Insufficient amount of resource: ncpus " },
        { "4:ncpus=1", "vscatter",
          "(v[3]:ncpus=1)+(v[2]:ncpus=1)+(v[0]:ncpus=1)+(v[1]:ncpus=1)" },
        { "1:ncpus=3", "vscatter", "denied: Insufficient amount of resource: ncpus " },
        { "1:mem=1100mb:ncpus=1", "free",
          "(v[3]:ncpus=1:mem=1048576kb+v[2]:mem=77824kb)" },
        { "1:mem=1100kb:ncpus=1", "free", "(v[3]:mem=1100kb:ncpus=1)" },
        { "2:ncpus=1", "excl", "(v[3]:ncpus=1)+(v[3]:ncpus=1)" },
        { "1:ncpus=2+2:ncpus=1:host=h1", "free",
          "(v[3]:ncpus=2)+(v[0]:ncpus=1)+(v[0]:ncpus=1)" },
        { "1:ncpus=2:vnode=v[1]", "free", "(v[1]:ncpus=2)" },
        { "5:ncpus=1", "pack", "denied: Insufficient amount of resource: ncpus " },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = asked(cases[i].select, cases[i].place);

        ASSERT_SAID(&sc, "R1.svr", cases[i].expect);
        scene_free(&sc);
    }
}

/* A host stands where its first eligible vnode does, and has all its vnodes there. */
static void test_hosts_whose_vnodes_are_apart(void)
{
    static const struct {
        const char *first, *place, *expect;
    } cases[] = {
        { "", "free", "(v[0]:ncpus=1)+(v[1]:ncpus=1)+(w[0]:ncpus=1)" },
        { "state=offline", "free", "(w[0]:ncpus=1)+(w[1]:ncpus=1)+(v[1]:ncpus=1)" },
        { "", "exclhost", "(v[0]:ncpus=1)+(v[1]:ncpus=1)+(w[0]:ncpus=1)+(w[1])" },
        { "state=offline", "vscatter:exclhost",
          "(w[0]:ncpus=1)+(w[1]:ncpus=1)+(v[1]:ncpus=1)+(v[0])" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        char place[64];

        scene_vnode(&sc, "v[0]", "h1", 1, cases[i].first);
        scene_vnode(&sc, "w[0]", "h2", 1, "");
        scene_vnode(&sc, "v[1]", "h1", 1, "");
        scene_vnode(&sc, "w[1]", "h2", 1, "");
        snprintf(place, sizeof(place), "Resource_List.place=%s", cases[i].place);
        scene_resv(&sc, 1, UN, NOW + 1, NOW + 2, "3:ncpus=1", place);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R1.svr", cases[i].expect);
        scene_free(&sc);
    }
}

static void test_hosts_of_one_vnode(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 4, 2);
    scene_resv(&sc, 1, UN, NOW + 1, NOW + 2, "5:ncpus=1", "Resource_List.place=free");
    scene_resv(&sc, 2, UN, NOW + 3, NOW + 4, "1:ncpus=3", "Resource_List.place=free");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr",
                "(n1:ncpus=1)+(n1:ncpus=1)+(n2:ncpus=1)+(n2:ncpus=1)+(n3:ncpus=1)");
    ASSERT_SAID(&sc, "R2.svr", "denied: Insufficient amount of resource: ncpus ");
    scene_free(&sc);
}

/* The case that first fit refuses (scheduling.md 15.4). */
static void test_backtracking(void)
{
    struct scene sc = scene_new();

    scene_add(&sc, OBJECT_RESOURCE, "big", "type=11 flag=131135");
    scene_vnode(&sc, "n1", "n1", 2, "resources_available.big=True");
    scene_vnode(&sc, "n2", "n2", 2, "");
    scene_resv(&sc, 1, UN, NOW + 1, NOW + 2, "1:ncpus=2+1:ncpus=2:big=True",
               "Resource_List.place=free");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "(n2:ncpus=2)+(n1:ncpus=2)");
    scene_free(&sc);
}

static void test_exclusive_over_time(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    scene_resv(&sc, 1, UN, NOW + 100, NOW + 200, "1:ncpus=1",
               "Resource_List.place=excl");
    scene_resv(&sc, 2, UN, NOW + 100, NOW + 200, "1:ncpus=1",
               "Resource_List.place=free");
    scene_resv(&sc, 3, UN, NOW + 100, NOW + 200, "1:ncpus=1",
               "Resource_List.place=excl");
    scene_resv(&sc, 4, UN, NOW + 200, NOW + 300, "1:ncpus=1",
               "Resource_List.place=excl");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R1.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "R2.svr", "(n2:ncpus=1)");
    CU_ASSERT_EQUAL(scene_step(&sc, "R3.svr")->kind, PLAN_DENY_RESV);
    ASSERT_SAID(&sc, "R4.svr", "(n1:ncpus=1)");
    scene_free(&sc);
}

/* Somebody on one vnode of a host keeps the whole host from being taken. */
static void test_whole_hosts(void)
{
    for (int busy = 0; busy < 4; busy++) {
        struct scene sc = scene_new();
        char nodes[64];

        for (int v = 0; v < 4; v++) {
            static const char *const names[] = { "v[0]", "v[1]", "v[2]", "v[3]" };

            scene_vnode(&sc, names[v], v < 2 ? "h1" : "h2", 2, "");
        }
        snprintf(nodes, sizeof(nodes),
                 "Resource_List.place=free resv_nodes=(v[%d]:ncpus=1)", busy);
        scene_resv(&sc, 1, "reserve_state=2 reserve_substate=2", NOW + 100, NOW + 200,
                   "1:ncpus=1", nodes);
        scene_resv(&sc, 2, UN, NOW + 150, NOW + 250, "1:ncpus=1",
                   "Resource_List.place=exclhost");
        scene_resv(&sc, 3, UN, NOW + 200, NOW + 250, "1:ncpus=1",
                   "Resource_List.place=exclhost");
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R2.svr",
                    busy < 2 ? "(v[2]:ncpus=1)+(v[3])" : "(v[0]:ncpus=1)+(v[1])");
        ASSERT_SAID(&sc, "R3.svr",
                    busy < 2 ? "(v[0]:ncpus=1)+(v[1])" : "(v[2]:ncpus=1)+(v[3])");
        scene_free(&sc);
    }
}

/* Keys of node_sort_key that change with what is placed (scheduling.md 15.3); n2 has a
 * reservation on half of it and was used last. */
static void test_orders_that_change(void)
{
    static const struct {
        const char *line, *select, *place, *expect;
    } cases[] = {
        { "node_sort_key: \"ncpus HIGH unused\"", "5:ncpus=1", "free",
          "(n1:ncpus=1)+(n3:ncpus=1)+(n1:ncpus=1)+(n3:ncpus=1)+(n1:ncpus=1)" },
        { "node_sort_key: \"ncpus LOW unused\"", "3:ncpus=1", "free",
          "(n2:ncpus=1)+(n2:ncpus=1)+(n1:ncpus=1)" },
        { "node_sort_key: \"ncpus LOW assigned\"", "3:ncpus=1", "free",
          "(n1:ncpus=1)+(n3:ncpus=1)+(n1:ncpus=1)" },
        { "node_sort_key: \"ncpus HIGH assigned\"", "3:ncpus=1", "free",
          "(n2:ncpus=1)+(n2:ncpus=1)+(n1:ncpus=1)" },
        { "node_sort_key: \"ncpus HIGH assigned\"", "2:ncpus=1", "scatter",
          "(n2:ncpus=1)+(n1:ncpus=1)" },
        { "node_sort_key: \"ncpus HIGH assigned\"", "2:ncpus=2", "pack",
          "(n1:ncpus=2)+(n1:ncpus=2)" },
        { "node_sort_key: \"last_used_time HIGH\"", "1:ncpus=1", "free",
          "(n2:ncpus=1)" },
        { "node_sort_key: \"last_used_time LOW\"", "1:ncpus=1", "free",
          "(n1:ncpus=1)" },
        { "node_sort_key: \"ncpus LOW unused\"", "1:ncpus=3+1:ncpus=1", "free",
          "(n1:ncpus=3)+(n1:ncpus=1)" },
        { "node_sort_key: \"gold HIGH unused\"", "1:ncpus=1", "free", "(n1:ncpus=1)" },
        { "node_sort_key: \"ncpus HIGH unused\"", "11:ncpus=1", "free",
          "denied: Job would conflict with reservation or top job" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        char place[64];
        struct diag why = { 0 };

        CU_ASSERT_EQUAL(policy_line(sc.policy, cases[i].line, &why), POLICY_FINE);
        scene_vnode(&sc, "n1", "n1", 4, "");
        scene_vnode(&sc, "n2", "n2", 4, "last_used_time=5");
        scene_vnode(&sc, "n3", "n3", 4, "");
        scene_resv(&sc, 1, "reserve_state=2 reserve_substate=2", NOW + 100, NOW + 200,
                   "1:ncpus=2", "Resource_List.place=free resv_nodes=(n2:ncpus=2)");
        snprintf(place, sizeof(place), "Resource_List.place=%s", cases[i].place);
        scene_resv(&sc, 2, UN, NOW + 100, NOW + 200, cases[i].select, place);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R2.svr", cases[i].expect);
        scene_free(&sc);
    }
}

/* The vnodes of one host change places like those of several. */
static void test_orders_change_within_a_host(void)
{
    static const struct {
        const char *line, *expect;
    } cases[] = {
        { "node_sort_key: \"ncpus HIGH unused\"",
          "(v[0]:ncpus=1)+(v[1]:ncpus=1)+(w[0]:ncpus=1)+(v[0]:ncpus=1)+(v[1]:ncpus="
          "1)" },
        { "node_sort_key: \"ncpus LOW unused\"",
          "(v[0]:ncpus=1)+(v[0]:ncpus=1)+(v[1]:ncpus=1)+(v[1]:ncpus=1)+(w[0]:ncpus="
          "1)" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        struct diag why = { 0 };

        CU_ASSERT_EQUAL(policy_line(sc.policy, cases[i].line, &why), POLICY_FINE);
        scene_vnode(&sc, "v[0]", "h1", 2, "");
        scene_vnode(&sc, "v[1]", "h1", 2, "");
        scene_vnode(&sc, "w[0]", "h2", 2, "");
        scene_resv(&sc, 1, UN, NOW + 1, NOW + 2, "5:ncpus=1",
                   "Resource_List.place=free");
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R1.svr", cases[i].expect);
        scene_free(&sc);
    }
}

/* Each job that starts counts for the next one. */
static void test_orders_change_from_job_to_job(void)
{
    struct scene sc = scene_new();
    struct diag why = { 0 };

    CU_ASSERT_EQUAL(
        policy_line(sc.policy, "node_sort_key: \"ncpus HIGH unused\" ALL", &why),
        POLICY_FINE);
    scene_hosts(&sc, 3, 2);
    scene_queue(&sc, "workq", true);
    for (int i = 1; i <= 5; i++)
        scene_job(&sc, arena_printf(sc.arena, "%d.svr", i), "workq", "1:ncpus=1", "");
    scene_plan(&sc);
    for (int i = 1; i <= 5; i++)
        ASSERT_SAID(&sc, arena_printf(sc.arena, "%d.svr", i),
                    arena_printf(sc.arena, "(n%d:ncpus=1)", (i - 1) % 3 + 1));
    scene_free(&sc);
}

/* Random complexes. */

enum {
    CASES = 100000,
    SPLIT_CASES = 20000,
    VNODES_MAX = 5,
    KINDS_MAX = 3,
    COPIES_MAX = 3
};

static uint64_t next_random(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

struct toy {
    int n_vnodes;
    int free[VNODES_MAX][2]; /* ncpus, mem in gb */
    bool big[VNODES_MAX];
    int host[VNODES_MAX];
    char rack[VNODES_MAX]; /* a letter; 0: none */
    bool grouped;          /* place=group=rack */
    int n_items;
    int kind[KINDS_MAX * COPIES_MAX];
    int need[KINDS_MAX * COPIES_MAX][2];
    bool need_big[KINDS_MAX * COPIES_MAX];
    const char *place;
};

static bool toy_place_allows(const struct toy *t, const int *at, int item, int vnode)
{
    for (int k = 0; k < item; k++) {
        bool same_host = t->host[at[k]] == t->host[vnode];

        if ((strcmp(t->place, "pack") == 0 && !same_host) ||
            (strcmp(t->place, "scatter") == 0 && same_host) ||
            (strcmp(t->place, "vscatter") == 0 && at[k] == vnode))
            return false;
    }
    return true;
}

static bool toy_holds(const struct toy *t, const int *at, int item, int vnode)
{
    return (!t->need_big[item] || t->big[vnode]) &&
           t->free[vnode][0] >= t->need[item][0] &&
           t->free[vnode][1] >= t->need[item][1] &&
           toy_place_allows(t, at, item, vnode);
}

static void toy_put(struct toy *t, int item, int vnode, int sign)
{
    t->free[vnode][0] -= sign * t->need[item][0];
    t->free[vnode][1] -= sign * t->need[item][1];
}

/* Every assignment of items to vnodes of the rack; rack -1: to any. */
static bool toy_is_feasible_in(struct toy *t, int rack, int *at, int item)
{
    bool found = false;

    if (item == t->n_items)
        return true;
    for (int v = 0; v < t->n_vnodes && !found; v++) {
        if ((rack != -1 && t->rack[v] != rack) || !toy_holds(t, at, item, v))
            continue;
        toy_put(t, item, v, 1);
        at[item] = v;
        found = toy_is_feasible_in(t, rack, at, item + 1);
        toy_put(t, item, v, -1);
    }
    return found;
}

static bool toy_is_feasible(struct toy *t, int *at, int item)
{
    return toy_is_feasible_in(t, -1, at, item);
}

/* What first fit answers, vnode by vnode (scheduling.md 15.4): the copies of a chunk
 * go on where the last one went; pack tries each host alone. */
static bool toy_first_fit(struct toy t, int *at)
{
    bool pack = strcmp(t.place, "pack") == 0;

    for (int only = 0; only < (pack ? t.n_vnodes : 1); only++) {
        struct toy left = t;
        int item = 0;
        int v = 0;

        for (; item < t.n_items; item++) {
            if (item == 0 || t.kind[item] != t.kind[item - 1])
                v = pack ? only : 0;
            while (v < (pack ? only + 1 : t.n_vnodes) && !toy_holds(&left, at, item, v))
                v++;
            if (v == (pack ? only + 1 : t.n_vnodes))
                break;
            toy_put(&left, item, v, 1);
            at[item] = v;
        }
        if (item == t.n_items)
            return true;
    }
    return false;
}

/* A random toy; hosts of one vnode, so that a chunk is never split. */
static struct toy make_toy(uint64_t *seed, char *select, size_t size)
{
    static const char *const places[] = { "free", "free", "pack", "scatter",
                                          "vscatter" };
    struct toy t = { .n_vnodes = 1 + (int)next_random(seed, VNODES_MAX) };
    int kinds = 1 + (int)next_random(seed, KINDS_MAX);
    size_t len = 0;

    for (int v = 0; v < t.n_vnodes; v++) {
        t.free[v][0] = 1 + (int)next_random(seed, 6);
        t.free[v][1] = 1 + (int)next_random(seed, 6);
        t.big[v] = next_random(seed, 2);
        t.rack[v] = "AB\0"[next_random(seed, 3)];
        t.host[v] = v;
    }
    for (int k = 0; k < kinds; k++) {
        int copies = 1 + (int)next_random(seed, COPIES_MAX);
        int ncpus = (int)next_random(seed, 4);
        int mem = (int)next_random(seed, 4);
        bool big = next_random(seed, 3) == 0;

        len +=
            (size_t)snprintf(select + len, size - len, "%s%d:ncpus=%d:mem=%dgb%s",
                             k ? "+" : "", copies, ncpus, mem, big ? ":big=True" : "");
        for (int c = 0; c < copies; c++) {
            t.kind[t.n_items] = k;
            t.need[t.n_items][0] = ncpus;
            t.need[t.n_items][1] = mem;
            t.need_big[t.n_items++] = big;
        }
    }
    t.place = places[next_random(seed, COUNT(places))];
    t.grouped = next_random(seed, 3) == 0;
    return t;
}

/* The vnodes named by an answer, one per chunk; -1: the answer cannot be read. */
static int read_answer(const char *text, int *at, int max)
{
    int n = 0;

    while ((text = strchr(text, '('))) {
        if (n == max || sscanf(text, "(n%d:", &at[n]) != 1)
            return -1;
        at[n++]--;
        text++;
    }
    return n;
}

/* An answer must hold by the oracle's own rules. */
static bool answer_is_right(struct toy t, const char *text)
{
    int at[KINDS_MAX * COPIES_MAX];

    if (read_answer(text, at, t.n_items) != t.n_items)
        return false;
    for (int i = 0; i < t.n_items; i++) {
        if ((t.need_big[i] && !t.big[at[i]]) || !toy_place_allows(&t, at, i, at[i]))
            return false;
        t.free[at[i]][0] -= t.need[i][0];
        t.free[at[i]][1] -= t.need[i][1];
        if (t.free[at[i]][0] < 0 || t.free[at[i]][1] < 0)
            return false;
    }
    return true;
}

static bool lies_in_one_rack(const struct toy *t, const int *at)
{
    for (int i = 1; i < t->n_items; i++)
        if (t->rack[at[i]] != t->rack[at[0]])
            return false;
    return true;
}

/* The answer to what is feasible: where first fit finds it, when nothing groups the
 * vnodes; in one rack, when one can hold it. */
static bool place_is_right(struct toy *t, const char *text)
{
    int at[KINDS_MAX * COPIES_MAX], expected[KINDS_MAX * COPIES_MAX];
    bool in_a_rack = false;

    if (!answer_is_right(*t, text) || read_answer(text, at, t->n_items) != t->n_items)
        return false;
    if (!t->grouped)
        return !toy_first_fit(*t, expected) ||
               memcmp(at, expected, (size_t)t->n_items * sizeof(*at)) == 0;
    for (size_t i = 0; i < 3 && !in_a_rack; i++)
        in_a_rack = toy_is_feasible_in(t, "AB"[i], expected, 0);
    return !in_a_rack || lies_in_one_rack(t, at);
}

static void add_toy_vnodes(struct scene *sc, const struct toy *t)
{
    for (int v = 0; v < t->n_vnodes; v++) {
        char name[16], more[160];
        int len = snprintf(more, sizeof(more),
                           "resources_available.mem=%dgb resources_available.big=%s",
                           t->free[v][1], t->big[v] ? "True" : "False");

        if (t->rack[v])
            snprintf(more + len, sizeof(more) - (size_t)len,
                     " resources_available.rack=%c", t->rack[v]);
        snprintf(name, sizeof(name), "n%d", v + 1);
        scene_vnode(sc, name, name, t->free[v][0], more);
    }
}

static void try_toy(uint64_t seed)
{
    uint64_t state = seed;
    char select[256], place[64];
    struct toy t = make_toy(&state, select, sizeof(select));
    struct scene sc = scene_new();
    int at[KINDS_MAX * COPIES_MAX];
    bool feasible = toy_is_feasible(&t, at, 0);
    bool right;

    scene_add(&sc, OBJECT_RESOURCE, "big", "type=11 flag=131135");
    scene_add(&sc, OBJECT_RESOURCE, "rack", "type=13 flag=131087");
    add_toy_vnodes(&sc, &t);
    snprintf(place, sizeof(place), "Resource_List.place=%s%s", t.place,
             t.grouped ? ":group=rack" : "");
    scene_resv(&sc, 1, UN, NOW + 1, NOW + 2, select, place);
    scene_plan(&sc);
    right = scene_step(&sc, "R1.svr") &&
            (scene_step(&sc, "R1.svr")->kind == PLAN_CONFIRM_RESV) == feasible &&
            (!feasible || place_is_right(&t, scene_said(&sc, "R1.svr")));
    if (!right)
        fprintf(stderr, "seed %llu: %s %s: %s\n", (unsigned long long)seed, select,
                place, scene_said(&sc, "R1.svr"));
    CU_ASSERT_TRUE(right);
    scene_free(&sc);
}

static void test_feasible_is_never_refused(void)
{
    for (uint64_t seed = 1; seed <= CASES; seed++)
        try_toy(seed * 7919);
}

/* On hosts of several vnodes a chunk can be split at will: only the hosts' sums count.
 */
static void test_split_feasibility(void)
{
    uint64_t state = 42;

    for (int round = 0; round < SPLIT_CASES; round++) {
        struct scene sc = scene_new();
        struct toy t = { .n_vnodes = 2, .place = "free", .big = { true, true } };
        int at[KINDS_MAX * COPIES_MAX];
        char select[128] = "";
        size_t len = 0;

        for (int h = 0; h < 2; h++) {
            for (int v = 0; v < 2; v++) {
                int ncpus = 1 + (int)next_random(&state, 4);
                char name[32], host[16];

                snprintf(name, sizeof(name), "v%d%d", h, v);
                snprintf(host, sizeof(host), "h%d", h);
                scene_vnode(&sc, name, host, ncpus, "");
                t.free[h][0] += ncpus;
            }
            t.host[h] = h;
        }
        for (int k = 0; k < 3; k++) {
            t.need[t.n_items][0] = 1 + (int)next_random(&state, 6);
            len += (size_t)snprintf(select + len, sizeof(select) - len, "%s1:ncpus=%d",
                                    k ? "+" : "", t.need[t.n_items][0]);
            t.n_items++;
        }
        scene_resv(&sc, 1, UN, NOW + 1, NOW + 2, select, "Resource_List.place=free");
        scene_plan(&sc);
        CU_ASSERT_EQUAL(scene_step(&sc, "R1.svr")->kind == PLAN_CONFIRM_RESV,
                        toy_is_feasible(&t, at, 0));
        scene_free(&sc);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "hosts of several vnodes are filled as users know it",
          test_hosts_of_several_vnodes },
        { "a host stands where its first eligible vnode does",
          test_hosts_whose_vnodes_are_apart },
        { "hosts of one vnode are filled one after another", test_hosts_of_one_vnode },
        { "the order of chunks does not decide feasibility", test_backtracking },
        { "exclusive use lasts for the window only", test_exclusive_over_time },
        { "a host is taken whole when nobody is on any of its vnodes",
          test_whole_hosts },
        { "orders of vnodes that change with what is placed", test_orders_that_change },
        { "orders change from job to job", test_orders_change_from_job_to_job },
        { "orders change within a host", test_orders_change_within_a_host },
        { "what is feasible is never refused, in first fit's order, in one set",
          test_feasible_is_never_refused },
        { "what is feasible with split chunks is never refused",
          test_split_feasibility },
    };

    return unit_main("scheduler/search", cases, COUNT(cases));
}
