/* Unit tests of ceilings: a search looks at few vnodes, however many there are. What it
 * finds is compared with a search that looks at all of them in builds with checks
 * (pool_fit.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/ceiling_walk.h"
#include "scheduler/plan/desk.h"

#include "scene.h"

enum {
    VNODES = 1000,
    FEW = 64 /* those that are looked at one after the other, and some more */
};

/* What a search found, and how many vnodes it looked at. */
struct looked {
    enum plan_failure failure;
    size_t first; /* vnode of the first chunk, SIZE_MAX: none */
    size_t n;
    struct plan_short why;
};

/* A complex whose vnodes with an odd number are of the second kind. */
static struct scene two_kinds(const char *even, const char *odd)
{
    struct scene sc = scene_new();
    char name[32];

    scene_add(&sc, OBJECT_RESOURCE, "colour", "type=3 flag=131072");
    for (int i = 0; i < VNODES; i++) {
        snprintf(name, sizeof(name), "v%d", i);
        scene_vnode(&sc, name, name, i % 2 ? 64 : 16, i % 2 ? odd : even);
    }
    return sc;
}

static struct world *world_of(struct scene *sc)
{
    return world_new(sc->snapshot, sc->policy, NOW, sc->arena);
}

/* Somebody has so many cpus of every 'step'-th of the vnodes [from, to). */
static void take(struct scene *sc, struct world *w, size_t from, size_t to, size_t step,
                 int64_t ncpus, int64_t start_at, int64_t end_at)
{
    static const struct request shared = { .place = { .arrange = PLACE_FREE } };
    size_t res = snap_res_find(sc->snapshot, "ncpus");

    for (size_t v = from; v < to; v += step) {
        struct placement pl = { 0 };
        struct piece *piece =
            placed_add(placement_add(&pl, sc->arena), sc->arena, w, v);

        piece->amounts[res] = ncpus;
        (void)world_book(w, arena_printf(sc->arena, "%zu.svr", v), &shared, &pl,
                         start_at, end_at + (int64_t)v);
    }
}

static struct looked search(struct scene *sc, struct world *w, const char *select,
                            const char *place, int64_t start_at, int64_t end_at)
{
    struct pool pool = { .asker = ASKER_RESV, .start_at = start_at, .end_at = end_at };
    const struct request *rq = snap_request(sc->snapshot, select, place, NULL);
    struct placement found = { 0 };
    struct looked ret = { .first = SIZE_MAX };

    ret.failure = pool_search(&pool, w, rq, &found, &ret.why);
    if (found.n > 0)
        ret.first = found.chunks[0].pieces[0].vnode;
    for (size_t v = 0; v < w->n; v++)
        ret.n += w->desk->judged[v] == pool.turn;
    return ret;
}

static void end(struct scene *sc, struct world *w)
{
    world_fini(w);
    scene_free(sc);
}

static void test_what_never_fits_is_known(void)
{
    struct scene sc = two_kinds("", "");
    struct world *w = world_of(&sc);
    struct looked l = search(&sc, w, "1:ncpus=65", "free", NOW + 10, NOW + 20);

    CU_ASSERT_EQUAL(l.failure, FAIL_SHORT);
    CU_ASSERT_EQUAL(l.why.most_free, 64);
    CU_ASSERT_PTR_NULL(l.why.holder);
    CU_ASSERT_TRUE(l.n <= FEW);
    end(&sc, w);
}

static void test_taken_vnodes_are_passed_over(void)
{
    static const char *const places[] = { "free", "scatter", "vscatter", "pack" };

    for (size_t i = 0; i < COUNT(places); i++) {
        struct scene sc = two_kinds("", "");
        struct world *w = world_of(&sc);
        struct looked l;

        take(&sc, w, 0, VNODES - 4, 1, 16, NOW, NOW + 100000);
        take(&sc, w, 1, VNODES - 4, 2, 48, NOW, NOW + 100000);
        l = search(&sc, w, "2:ncpus=8", places[i], NOW + 10, NOW + 20000);
        CU_ASSERT_EQUAL(l.failure, FAIL_NONE);
        CU_ASSERT_EQUAL(l.first, VNODES - 4);
        CU_ASSERT_TRUE(l.n <= FEW);
        take(&sc, w, VNODES - 4, VNODES, 1, 16, NOW, NOW + 100000);
        take(&sc, w, VNODES - 3, VNODES, 2, 48, NOW, NOW + 100000);
        l = search(&sc, w, "2:ncpus=8", places[i], NOW + 10, NOW + 20000);
        CU_ASSERT_EQUAL(l.failure, FAIL_SHORT);
        CU_ASSERT_EQUAL(l.why.most_free, 0);
        CU_ASSERT_STRING_EQUAL(l.why.holder, "0.svr");
        CU_ASSERT_TRUE(l.n <= FEW);
        end(&sc, w);
    }
}

/* Each has some cpus left, but none enough; and only in the window. */
static void test_small_rests_are_passed_over(void)
{
    struct scene sc = two_kinds("", "");
    struct world *w = world_of(&sc);
    struct looked l;

    take(&sc, w, 0, VNODES, 1, 12, NOW + 80000, NOW + 700000);
    take(&sc, w, 1, VNODES, 2, 48, NOW + 80000, NOW + 700000);
    l = search(&sc, w, "1:ncpus=5", "free", NOW + 90000, NOW + 95000);
    CU_ASSERT_EQUAL(l.failure, FAIL_SHORT);
    CU_ASSERT_EQUAL(l.why.most_free, 4);
    CU_ASSERT_TRUE(l.n <= FEW);
    l = search(&sc, w, "1:ncpus=5", "free", NOW + 5, NOW + 10);
    CU_ASSERT_EQUAL(l.first, 0);
    end(&sc, w);
}

static void test_other_vnodes_hide_nothing(void)
{
    struct scene sc =
        two_kinds("resources_available.colour=blue", "resources_available.colour=red");
    struct world *w = world_of(&sc);
    struct looked l;

    take(&sc, w, 0, VNODES - 2, 2, 16, NOW, NOW + 100000);
    l = search(&sc, w, "1:ncpus=4:colour=blue", "free", NOW + 10, NOW + 20);
    CU_ASSERT_EQUAL(l.first, VNODES - 2);
    CU_ASSERT_TRUE(l.n <= FEW);
    l = search(&sc, w, "1:ncpus=17:colour=blue", "free", NOW + 10, NOW + 20);
    CU_ASSERT_EQUAL(l.failure, FAIL_SHORT);
    CU_ASSERT_EQUAL(l.why.most_free, 16);
    CU_ASSERT_TRUE(l.n <= FEW);
    l = search(&sc, w, "1:ncpus=1:colour=green", "free", NOW + 10, NOW + 20);
    CU_ASSERT_STRING_EQUAL(l.why.value, "green");
    CU_ASSERT_TRUE(l.n <= FEW);
    end(&sc, w);
}

static void test_vnodes_in_use_are_passed_over(void)
{
    struct scene sc = two_kinds("", "");
    struct world *w = world_of(&sc);
    struct looked l;

    take(&sc, w, 0, VNODES, 1, 1, NOW, NOW + 100000);
    l = search(&sc, w, "1:ncpus=1", "excl", NOW + 10, NOW + 20);
    CU_ASSERT_EQUAL(l.failure, FAIL_IN_USE);
    CU_ASSERT_TRUE(l.n <= FEW);
    l = search(&sc, w, "1:ncpus=1", "exclhost", NOW + 10, NOW + 20);
    CU_ASSERT_EQUAL(l.failure, FAIL_IN_USE);
    CU_ASSERT_TRUE(l.n <= FEW);
    end(&sc, w);
}

/* What was known of vnodes before they were taken, or given back, holds no more. */
static void test_bookings_are_noticed(void)
{
    static const struct request shared = { .place = { .arrange = PLACE_FREE } };
    struct scene sc = two_kinds("", "");
    struct world *w = world_of(&sc);
    struct placement pl = { 0 };
    struct piece *piece;
    struct looked l;

    CU_ASSERT_EQUAL(search(&sc, w, "1:ncpus=65", "free", NOW, NOW + 9).failure,
                    FAIL_SHORT);
    take(&sc, w, 0, VNODES - 1, 1, 16, NOW, NOW + 100000);
    take(&sc, w, 1, VNODES - 1, 2, 48, NOW, NOW + 100000);
    piece = placed_add(placement_add(&pl, sc.arena), sc.arena, w, VNODES - 1);
    piece->amounts[snap_res_find(sc.snapshot, "ncpus")] = 64;
    (void)world_book(w, "last.svr", &shared, &pl, NOW, NOW + 100000);
    l = search(&sc, w, "1:ncpus=1", "free", NOW + 10, NOW + 20);
    CU_ASSERT_EQUAL(l.failure, FAIL_SHORT);
    CU_ASSERT_TRUE(l.n <= FEW);
    world_drop(w, "last.svr");
    l = search(&sc, w, "1:ncpus=1", "free", NOW + 10, NOW + 20);
    CU_ASSERT_EQUAL(l.first, VNODES - 1);
    CU_ASSERT_TRUE(l.n <= FEW);
    world_restore(w, "last.svr");
    l = search(&sc, w, "1:ncpus=1", "free", NOW + 10, NOW + 20);
    CU_ASSERT_EQUAL(l.failure, FAIL_SHORT);
    end(&sc, w);
}

/* A host of many vnodes stands between hosts of one. Whatever is booked of it, before
 * each search, is seen at all of its vnodes. */
static void test_hosts_of_many_vnodes_are_brought_up_to_date(void)
{
    struct scene sc = scene_new();
    struct world *w;
    char name[32];

    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof(name), "v%d", i);
        scene_vnode(&sc, name, i < 10 || i >= 50 ? name : "big", 4, "");
    }
    w = world_of(&sc);
    for (size_t n = 0; n < 60; n += 4) {
        struct looked l = search(&sc, w, "1:ncpus=4", "free", NOW + 10, NOW + 20);

        CU_ASSERT_EQUAL(l.failure, FAIL_NONE);
        CU_ASSERT_EQUAL(l.first, n);
        take(&sc, w, n, n + 4, 1, 4, NOW, NOW + 100000);
    }
    CU_ASSERT_EQUAL(search(&sc, w, "1:ncpus=1", "free", NOW + 10, NOW + 20).failure,
                    FAIL_SHORT);
    end(&sc, w);
}

static void test_the_clock_may_be_set_back(void)
{
    struct scene sc = two_kinds("", "");
    struct world *w = world_of(&sc);

    take(&sc, w, 0, VNODES, 1, 16, NOW + 1, NOW + 100000);
    take(&sc, w, 1, VNODES, 2, 48, NOW + 1, NOW + 100000);
    w->now_at = NOW + 100;
    CU_ASSERT_EQUAL(search(&sc, w, "1:ncpus=1", "free", NOW + 200, NOW + 300).failure,
                    FAIL_SHORT);
    w->now_at = NOW;
    CU_ASSERT_EQUAL(search(&sc, w, "1:ncpus=1", "free", NOW, NOW + 1).first, 0);
    end(&sc, w);
}

/* Vnodes that differ only in how they are shared, or in how many chunks they take. */
static const char *setting_of(int vnode)
{
    if (vnode >= VNODES - 8)
        return "no_multinode_jobs=True";
    return vnode == VNODES - 12 ? "" : "sharing=force_excl";
}

static void test_settings_of_vnodes_count(void)
{
    struct scene sc = scene_new();
    struct world *w;

    for (int i = 0; i < VNODES; i++) {
        const char *name = arena_printf(sc.arena, "v%03d", i);

        scene_vnode(&sc, name, name, 16, setting_of(i));
    }
    w = world_of(&sc);
    take(&sc, w, 0, VNODES - 8, 1, 1, NOW, NOW + 100000);
    CU_ASSERT_EQUAL(search(&sc, w, "1:ncpus=1", "free", NOW + 10, NOW + 20).first,
                    VNODES - 12);
    CU_ASSERT_EQUAL(search(&sc, w, "1:ncpus=16", "free", NOW + 10, NOW + 20).first,
                    VNODES - 8);
    CU_ASSERT_EQUAL(search(&sc, w, "2:ncpus=16", "free", NOW + 10, NOW + 20).failure,
                    FAIL_SHORT);
    end(&sc, w);
}

/* All vnodes are taken, and given back one after the other. */
static void test_a_later_start_is_found(void)
{
    struct pool pool = { .asker = ASKER_RESV,
                         .start_at = NOW + 10,
                         .end_at = NOW + 20 };
    struct scene sc = two_kinds("", "");
    struct world *w = world_of(&sc);
    const struct request *rq = snap_request(sc.snapshot, "3:ncpus=16", "scatter", NULL);
    uint64_t before = w->desk->n_looks;

    take(&sc, w, 0, VNODES, 1, 16, NOW, NOW + 100000);
    take(&sc, w, 1, VNODES, 2, 48, NOW, NOW + 100000);
    CU_ASSERT_EQUAL(pool_earliest(&pool, w, rq, 64), NOW + 100000 + 2);
    CU_ASSERT_TRUE(w->desk->n_looks - before <= 8 * FEW);
    rq = snap_request(sc.snapshot, "1:ncpus=65", "free", NULL);
    CU_ASSERT_EQUAL(pool_earliest(&pool, w, rq, 64), 0);
    CU_ASSERT_TRUE(w->desk->n_looks - before <= 9 * FEW);
    end(&sc, w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "what never fits is known without a look at each vnode",
          test_what_never_fits_is_known },
        { "vnodes that are taken are passed over", test_taken_vnodes_are_passed_over },
        { "so are those with too little left in the window",
          test_small_rests_are_passed_over },
        { "vnodes that the request cannot use hide none that it can",
          test_other_vnodes_hide_nothing },
        { "vnodes in use are passed over by who wants them alone",
          test_vnodes_in_use_are_passed_over },
        { "bookings are noticed", test_bookings_are_noticed },
        { "so are those on a host of many vnodes",
          test_hosts_of_many_vnodes_are_brought_up_to_date },
        { "a later start is found", test_a_later_start_is_found },
        { "the clock may be set back", test_the_clock_may_be_set_back },
        { "settings of vnodes count", test_settings_of_vnodes_count },
    };

    return unit_main("scheduler/ceiling", cases, COUNT(cases));
}
