/* test_watch.c - which objects rules look at, and when.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/unit.h"

#include "server/engine/watch.h"

#include <stdlib.h>

#define N 50

static struct object objects[N];

static void make_objects(void)
{
    for (size_t i = 0; i < N; i++)
        objects[i] = (struct object){ .kind = OBJ_RESV, .created_seq = i };
}

/* Take everything that is dirty and give it a deadline. */
static void set_deadlines(struct watches *w, const int64_t *at)
{
    struct watch *x;

    while ((x = watch_take(w)))
        watch_set_deadline(w, x, at[x->o - objects]);
}

static void test_what_is_touched_is_taken_once(void)
{
    struct watches w = { 0 };

    make_objects();
    watch_touch(&w, &objects[3]);
    watch_touch(&w, &objects[1]);
    watch_touch(&w, &objects[3]);
    CU_ASSERT_PTR_EQUAL(watch_take(&w)->o, &objects[3]);
    CU_ASSERT_PTR_EQUAL(watch_take(&w)->o, &objects[1]);
    CU_ASSERT_PTR_NULL(watch_take(&w));
    watch_again(&w, &objects[9]); /* never seen */
    CU_ASSERT_PTR_NULL(watch_take(&w));
    watch_again(&w, &objects[3]);
    CU_ASSERT_PTR_NOT_NULL(watch_take(&w));
    watches_fini(&w);
}

static void test_deadlines_come_in_order(void)
{
    struct watches w = { 0 };
    int64_t at[N];
    int64_t last = 0;

    make_objects();
    srand(7);
    for (size_t i = 0; i < N; i++) {
        at[i] = 100 + rand() % 20;
        watch_touch(&w, &objects[i]);
    }
    set_deadlines(&w, at);
    while (watch_deadline(&w) != INT64_MAX) {
        int64_t now_at = watch_deadline(&w);
        uint64_t seq = 0;
        struct watch *x;

        CU_ASSERT(now_at > last);
        last = now_at;
        watch_due(&w, now_at);
        /* All that are due together come in the order of creation. */
        while ((x = watch_take(&w))) {
            CU_ASSERT_EQUAL(at[x->o - objects], now_at);
            CU_ASSERT(x->o->created_seq >= seq);
            seq = x->o->created_seq;
        }
    }
    watches_fini(&w);
}

static void test_deadlines_move_and_go(void)
{
    struct watches w = { 0 };
    int64_t at[N];
    struct watch *x;

    make_objects();
    for (size_t i = 0; i < N; i++) {
        at[i] = 1000 - (int64_t)i;
        watch_touch(&w, &objects[i]);
    }
    set_deadlines(&w, at);
    CU_ASSERT_EQUAL(watch_deadline(&w), 1000 - (N - 1));
    for (size_t i = 1; i < N; i++)
        watch_forget(&w, &objects[i]);
    CU_ASSERT_EQUAL(watch_deadline(&w), 1000);
    watch_touch(&w, &objects[0]);
    x = watch_take(&w);
    watch_set_deadline(&w, x, 5);
    CU_ASSERT_EQUAL(watch_deadline(&w), 5);
    watch_set_deadline(&w, x, INT64_MAX);
    CU_ASSERT_EQUAL(watch_deadline(&w), INT64_MAX);
    watches_fini(&w);
}

/* What a turn has not looked at waits for a later one, behind what waits already; what
 * such a turn makes dirty goes behind that. */
static void test_the_rest_is_put_off(void)
{
    struct watches w = { 0 };
    static const size_t order[] = { 1, 2, 4, 0 };

    make_objects();
    for (size_t i = 0; i < 3; i++)
        watch_touch(&w, &objects[i]);
    CU_ASSERT_PTR_EQUAL(watch_take(&w)->o, &objects[0]);
    CU_ASSERT_FALSE(watches_are_put_off(&w));
    watches_put_off(&w);
    CU_ASSERT_TRUE(watches_are_put_off(&w));
    CU_ASSERT_PTR_NULL(watch_take(&w));
    CU_ASSERT_TRUE(watch_is_pending(&w, &objects[2], 0));
    watch_touch(&w, &objects[2]); /* keeps its place */
    watch_touch(&w, &objects[3]);
    CU_ASSERT_PTR_EQUAL(watch_take(&w)->o, &objects[3]);
    watch_touch(&w, &objects[3]);
    watch_touch(&w, &objects[4]);
    watch_forget(&w, &objects[3]);
    watches_put_off(&w);
    watches_resume(&w);
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        CU_ASSERT_PTR_EQUAL_FATAL(watch_take(&w)->o, &objects[order[i]]);
        if (i == 1)
            watch_touch(&w, &objects[0]);
    }
    watches_put_off(&w);
    CU_ASSERT_FALSE(watches_are_put_off(&w));
    watch_touch(&w, &objects[1]);
    watches_put_off(&w);
    watch_forget(&w, &objects[1]);
    CU_ASSERT_FALSE(watches_are_put_off(&w));
    watches_fini(&w);
}

static const struct unit_case cases[] = {
    { "what is touched is taken once", test_what_is_touched_is_taken_once },
    { "deadlines come in order", test_deadlines_come_in_order },
    { "deadlines move and go", test_deadlines_move_and_go },
    { "the rest is put off", test_the_rest_is_put_off },
};

int main(void)
{
    return unit_main("server watches", cases, ARRAY_LEN(cases));
}
