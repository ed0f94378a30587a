/* Unit tests of the search for series on random small complexes, against an oracle that
 * tries everything: all occurrences of a new series find vnodes exactly when each of
 * them can, and of a degraded one exactly those are re-made that can be.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include "lib/attr/execvnodes.h"
#include "lib/base/rnd.h"

#define CASES        50000
#define VNODES_MAX   4
#define TAKEN_MAX    40
#define ITEMS_MAX    4
#define MOST_OF_THEM 5
#define PERIOD       100

/* Somebody has some cpus of a vnode, or all of it. */
struct taken {
    int start, end, vnode, ncpus;
    bool alone;
    int occurrence; /* of the series, or -1 */
};

struct toy {
    int n_vnodes;
    int ncpus[VNODES_MAX];
    bool down[VNODES_MAX];
    size_t n_taken;
    struct taken taken[TAKEN_MAX];
    int n_occurrences, length, first;
    const char *place;
    int n_items, need[ITEMS_MAX];
    char select[64];
};

static bool is_excl(const struct toy *t)
{
    return strcmp(t->place, "excl") == 0;
}

static bool meets(const struct taken *k, int start, int end)
{
    return k->start < end && start < k->end;
}

/* The cpus of the vnode that are free at an instant, with those of occurrence 'own'. */
static int free_at(const struct toy *t, int vnode, int at, int own)
{
    int free = t->ncpus[vnode];

    for (size_t i = 0; i < t->n_taken; i++) {
        const struct taken *k = &t->taken[i];

        if (k->vnode == vnode && meets(k, at, at + 1) &&
            (own < 0 || k->occurrence != own))
            free -= k->alone ? t->ncpus[vnode] : k->ncpus;
    }
    return free;
}

/* What is free all through the window, second by second. */
static int free_through(const struct toy *t, int vnode, int start, int end, int own)
{
    int least = t->ncpus[vnode];

    for (int at = start; at < end; at++) {
        int free = free_at(t, vnode, at, own);

        least = free < least ? free : least;
    }
    for (size_t i = 0; i < t->n_taken && is_excl(t); i++)
        if (t->taken[i].vnode == vnode && meets(&t->taken[i], start, end) &&
            (own < 0 || t->taken[i].occurrence != own))
            return 0;
    return least;
}

static bool place_allows(const struct toy *t, const int *at, int item, int vnode)
{
    for (int k = 0; k < item; k++)
        if ((strcmp(t->place, "pack") == 0 && at[k] != vnode) ||
            (strcmp(t->place, "scatter") == 0 && at[k] == vnode))
            return false;
    return true;
}

static bool try_items(const struct toy *t, int *free, int *at, int item)
{
    if (item == t->n_items)
        return true;
    for (int v = 0; v < t->n_vnodes; v++) {
        bool found;

        if (t->down[v] || free[v] < t->need[item] || !place_allows(t, at, item, v))
            continue;
        free[v] -= t->need[item];
        at[item] = v;
        found = try_items(t, free, at, item + 1);
        free[v] += t->need[item];
        if (found)
            return true;
    }
    return false;
}

static int start_of(const struct toy *t, int occurrence)
{
    return t->first + occurrence * PERIOD;
}

static bool is_feasible(const struct toy *t, int occurrence, int own)
{
    int free[VNODES_MAX], at[ITEMS_MAX];
    int start = start_of(t, occurrence);

    for (int v = 0; v < t->n_vnodes; v++)
        free[v] = free_through(t, v, start, start + t->length, own);
    return try_items(t, free, at, 0);
}

/* The vnodes of an exec_vnode, one per chunk; -1: it cannot be read. */
static int read_vnodes(const char *text, int *at)
{
    int n = 0;

    while ((text = strchr(text, '('))) {
        if (n == ITEMS_MAX || sscanf(text, "(n%d:", &at[n]) != 1)
            return -1;
        at[n++]--;
        text++;
    }
    return n;
}

/* Does the answer for this occurrence hold by the oracle's own rules? */
static bool holds(const struct toy *t, int occurrence, int own, const char *text)
{
    int free[VNODES_MAX], at[ITEMS_MAX];
    int start = start_of(t, occurrence);

    if (read_vnodes(text, at) != t->n_items)
        return false;
    for (int v = 0; v < t->n_vnodes; v++)
        free[v] = free_through(t, v, start, start + t->length, own);
    for (int i = 0; i < t->n_items; i++) {
        if (at[i] < 0 || at[i] >= t->n_vnodes || t->down[at[i]] ||
            !place_allows(t, at, i, at[i]))
            return false;
        free[at[i]] -= t->need[i];
        if (free[at[i]] < 0)
            return false;
    }
    return true;
}

static void make_select(struct toy *t, struct rnd *rnd)
{
    int kinds = (int)rnd_range(rnd, 1, 2);
    size_t len = 0;

    t->n_items = 0;
    for (int k = 0; k < kinds; k++) {
        int copies = (int)rnd_range(rnd, 1, 2);
        int ncpus = (int)rnd_range(rnd, 1, 3);

        len += (size_t)snprintf(t->select + len, sizeof(t->select) - len,
                                "%s%d:ncpus=%d", k ? "+" : "", copies, ncpus);
        for (int c = 0; c < copies; c++)
            t->need[t->n_items++] = ncpus;
    }
}

static struct toy make_toy(struct rnd *rnd)
{
    static const char *const places[] = { "free", "free", "pack", "scatter", "excl" };
    struct toy t = { .n_vnodes = (int)rnd_range(rnd, 1, VNODES_MAX) };

    for (int v = 0; v < t.n_vnodes; v++)
        t.ncpus[v] = (int)rnd_range(rnd, 1, 4);
    t.place = places[rnd_range(rnd, 0, 4)];
    t.n_occurrences = (int)rnd_range(rnd, 2, MOST_OF_THEM);
    t.first = (int)rnd_range(rnd, 1, 50);
    t.length = (int)rnd_range(rnd, 1, 40);
    make_select(&t, rnd);
    return t;
}

static void add_taken(struct toy *t, struct taken k)
{
    MUST(t->n_taken < TAKEN_MAX);
    t->taken[t->n_taken++] = k;
}

/* Reservations of one chunk of others, that do not overlap in what they have. */
static void add_others(struct toy *t, struct rnd *rnd, struct scene *sc)
{
    int n = (int)rnd_range(rnd, 0, 10);

    for (int i = 0; i < n; i++) {
        int vnode = (int)rnd_range(rnd, 0, t->n_vnodes - 1);
        int start = (int)rnd_range(rnd, 1, 100 + t->n_occurrences * PERIOD);
        struct taken k = { .vnode = vnode,
                           .start = start,
                           .end = start + (int)rnd_range(rnd, 1, 150),
                           .ncpus = (int)rnd_range(rnd, 1, t->ncpus[vnode]),
                           .alone = rnd_percent(rnd, 20),
                           .occurrence = -1 };
        char more[160], select[32];
        bool clash = false;

        for (int at = k.start; at < k.end; at++)
            clash = clash ||
                    free_at(t, vnode, at, -1) < (k.alone ? t->ncpus[vnode] : k.ncpus);
        if (clash)
            continue;
        add_taken(t, k);
        snprintf(more, sizeof(more), "resv_nodes=(n%d:ncpus=%d) Resource_List.place=%s",
                 vnode + 1, k.ncpus, k.alone ? "excl" : "free");
        snprintf(select, sizeof(select), "1:ncpus=%d", k.ncpus);
        scene_resv(sc, 10 + i, "reserve_state=2 reserve_substate=2", NOW + k.start,
                   NOW + k.end, select, more);
    }
}

static void add_vnodes(const struct toy *t, struct scene *sc)
{
    for (int v = 0; v < t->n_vnodes; v++) {
        char name[16];

        snprintf(name, sizeof(name), "n%d", v + 1);
        scene_vnode(sc, name, name, t->ncpus[v], t->down[v] ? "state=down" : "");
    }
}

/* 'marks' has true for each occurrence that wants other vnodes; 'map' NULL: the series
 * is new. */
static void add_series(const struct toy *t, struct scene *sc, const bool *marks,
                       const char *map, const char *nodes)
{
    struct buf text = { 0 };

    /* Its number says that the server is ours; away vnodes are out of reach so soon. */
    buf_printf(&text,
               "reserve_state=%d reserve_substate=%d reserve_start=%d reserve_end=%d "
               "queue=S5 schedselect=%s Resource_List.place=%s alter_seq=0 "
               "reserve_standing=1 reserve_count=%d ",
               map ? 2 : 1, map ? 10 : 1, NOW + t->first, NOW + t->first + t->length,
               t->select, t->place, t->n_occurrences);
    if (map)
        buf_printf(
            &text,
            "reserve_index=1 reserve_retry=1 reserve_execvnodes=%s resv_nodes=%s ", map,
            nodes);
    buf_printf(&text, "reserve_occurrences=");
    for (int i = 0; i < t->n_occurrences; i++)
        buf_printf(&text, "%s%d+%d%s", i ? "," : "", NOW + start_of(t, i), t->length,
                   marks && marks[i] ? "!" : "");
    scene_add(sc, OBJECT_RESV, "S5.svr", text.data);
    buf_fini(&text);
}

static bool read_map(const struct toy *t, struct scene *sc, struct execvnodes *ret)
{
    const struct plan_step *step = scene_step(sc, "S5.svr");

    return step && step->kind == PLAN_CONFIRM_RESV &&
           execvnodes_parse(step->vnodes, MOST_OF_THEM, sc->arena, ret, NULL) == 0 &&
           (int)ret->n == t->n_occurrences;
}

static void report(const struct toy *t, uint64_t seed, const struct scene *sc)
{
    fprintf(stderr, "seed %llu: %s %s: %s\n", (unsigned long long)seed, t->select,
            t->place, scene_said(sc, "S5.svr"));
}

static bool new_is_right(const struct toy *t, struct scene *sc)
{
    bool feasible = true;
    struct execvnodes map;

    for (int i = 0; i < t->n_occurrences; i++)
        feasible = feasible && is_feasible(t, i, -1);
    if (!feasible)
        return scene_step(sc, "S5.svr")->kind == PLAN_DENY_RESV;
    if (!read_map(t, sc, &map))
        return false;
    for (int i = 0; i < t->n_occurrences; i++)
        if (!holds(t, i, -1, map.texts[map.which[i]]))
            return false;
    return true;
}

/* How many cases were confirmed, and how many of these with different vnodes: a test
 * that only ever sees one answer would prove little. */
static int n_yes, n_no, n_apart;

static void try_new(uint64_t seed)
{
    struct rnd rnd = rnd_seeded(seed);
    struct scene sc = scene_new();
    struct toy t = make_toy(&rnd);
    struct execvnodes map;

    add_vnodes(&t, &sc);
    add_others(&t, &rnd, &sc);
    add_series(&t, &sc, NULL, NULL, NULL);
    scene_plan(&sc);
    if (!new_is_right(&t, &sc)) {
        report(&t, seed, &sc);
        CU_FAIL("wrong");
    }
    if (read_map(&t, &sc, &map)) {
        n_yes++;
        n_apart += map.n_texts > 1;
    } else {
        n_no++;
    }
    scene_free(&sc);
}

static void test_new_series(void)
{
    n_yes = n_no = n_apart = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++)
        try_new(seed);
    CU_ASSERT(n_yes > CASES / 10);
    CU_ASSERT(n_no > CASES / 10);
    CU_ASSERT(n_apart > CASES / 50);
}

/* Where each occurrence of the confirmed series is: what the plan of an earlier
 * moment found. */
static void take_places(struct toy *t, const struct execvnodes *map)
{
    for (int i = 0; i < t->n_occurrences; i++) {
        int at[ITEMS_MAX];
        int n = read_vnodes(map->texts[map->which[i]], at);

        for (int k = 0; k < n; k++)
            add_taken(t, (struct taken){ .vnode = at[k],
                                         .start = start_of(t, i),
                                         .end = start_of(t, i) + t->length,
                                         .ncpus = t->need[k],
                                         .alone = false,
                                         .occurrence = i });
    }
}

static bool is_lost(const struct toy *t, const char *text)
{
    int at[ITEMS_MAX];
    int n = read_vnodes(text, at);

    for (int i = 0; i < n; i++)
        if (t->down[at[i]])
            return true;
    return false;
}

/* A series of chunks that share a vnode when it is exclusive books the vnode alone;
 * other places are what the plan counts too. */
static bool degraded_is_right(const struct toy *t, struct scene *sc, const bool *lost,
                              const struct execvnodes *was)
{
    struct execvnodes now;
    bool any = false;

    for (int i = 0; i < t->n_occurrences; i++)
        any = any || (lost[i] && is_feasible(t, i, i));
    if (!any)
        return scene_step(sc, "S5.svr")->kind == PLAN_DENY_RESV;
    if (!read_map(t, sc, &now))
        return false;
    for (int i = 0; i < t->n_occurrences; i++) {
        const char *before = was->texts[was->which[i]];
        const char *after = now.texts[now.which[i]];
        bool same = strcmp(before, after) == 0;

        if (lost[i] && is_feasible(t, i, i) ? !holds(t, i, i, after) : !same)
            return false;
    }
    return true;
}

static void try_degraded(uint64_t seed)
{
    struct rnd rnd = rnd_seeded(seed);
    struct scene sc = scene_new(), later = scene_new();
    struct toy t = make_toy(&rnd);
    struct rnd others = rnd_seeded(rnd_next(&rnd)), again = others;
    bool lost[MOST_OF_THEM] = { false }, any = false;
    struct toy full;
    struct execvnodes map;

    add_vnodes(&t, &sc);
    full = t;
    add_others(&full, &others, &sc);
    add_series(&full, &sc, NULL, NULL, NULL);
    scene_plan(&sc);
    if (read_map(&full, &sc, &map)) {
        t.down[rnd_range(&rnd, 0, t.n_vnodes - 1)] = true;
        add_vnodes(&t, &later);
        add_others(&t, &again, &later);
        take_places(&t, &map);
        for (int i = 0; i < t.n_occurrences; i++) {
            lost[i] = is_lost(&t, map.texts[map.which[i]]);
            any = any || lost[i];
        }
        add_series(&t, &later, lost, scene_said(&sc, "S5.svr"),
                   map.texts[map.which[0]]);
        scene_plan(&later);
        if (!any) {
            CU_ASSERT_PTR_NULL(scene_step(&later, "S5.svr"));
        } else if (!degraded_is_right(&t, &later, lost, &map)) {
            report(&t, seed, &later);
            CU_FAIL("wrong");
        } else {
            n_yes += scene_step(&later, "S5.svr")->kind == PLAN_CONFIRM_RESV;
            n_no += scene_step(&later, "S5.svr")->kind == PLAN_DENY_RESV;
        }
    }
    scene_free(&sc);
    scene_free(&later);
}

static void test_degraded_series(void)
{
    n_yes = n_no = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++)
        try_degraded(seed);
    CU_ASSERT(n_yes > CASES / 20);
    CU_ASSERT(n_no > CASES / 20);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a new series is confirmed exactly when each occurrence fits",
          test_new_series },
        { "of a degraded series exactly those are re-made that can be",
          test_degraded_series },
    };

    return unit_main("scheduler/search-series", cases, COUNT(cases));
}
