/* test_watch.c - which objects rules look at, and when.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/unit.h"

#include "server/engine/watch.h"

#include <stdlib.h>
#include <utlist.h>

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

/* The reservations objects[from .. to) as the model's. */
static void put_into(struct model *m, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        DL_APPEND(m->kinds[OBJ_RESV].first, &objects[i]);
}

static void takes(struct watches *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct watch *x = watch_take(w);

        CU_ASSERT_PTR_NOT_NULL_FATAL(x);
        CU_ASSERT_PTR_EQUAL(x->o, &objects[i]);
    }
}

static void test_a_sweep_gives_each_object_once(void)
{
    struct model m = { 0 };
    struct watches w = { .m = &m };

    make_objects();
    put_into(&m, 0, 20);
    watch_touch(&w, &objects[7]);
    watch_sweep(&w, OBJ_RESV);
    CU_ASSERT_TRUE(watch_is_pending(&w, &objects[19], 0));
    takes(&w, 7, 8); /* what is dirty comes first, and looks again with the others */
    CU_ASSERT_TRUE(watch_is_pending(&w, &objects[7], 0));
    takes(&w, 0, 5);
    CU_ASSERT_FALSE(watch_is_pending(&w, &objects[4], 0));
    CU_ASSERT_TRUE(watch_is_pending(&w, &objects[5], 0));
    watches_put_off(&w);
    CU_ASSERT_TRUE(watches_are_put_off(&w));
    CU_ASSERT_PTR_NULL(watch_take(&w)); /* other turns do not go on with it */
    watch_touch(&w, &objects[12]);
    watch_touch(&w, &objects[2]);
    takes(&w, 12, 13);
    takes(&w, 2, 3);
    watches_put_off(&w);
    watches_resume(&w);
    takes(&w, 5, 9);
    /* The next one goes, and one comes. */
    watch_forget(&w, &objects[9]);
    DL_DELETE(m.kinds[OBJ_RESV].first, &objects[9]);
    put_into(&m, 20, 21);
    takes(&w, 10, 21);
    CU_ASSERT_PTR_NULL(watch_take(&w));
    watches_put_off(&w);
    CU_ASSERT_FALSE(watches_are_put_off(&w));
    /* One that was put off is given by a sweep that comes to it first, and then no
     * more. */
    watch_touch(&w, &objects[1]);
    watches_put_off(&w);
    watch_sweep(&w, OBJ_RESV);
    takes(&w, 0, 9);
    watches_put_off(&w);
    watches_resume(&w);
    takes(&w, 10, 21);
    CU_ASSERT_PTR_NULL(watch_take(&w));
    watches_fini(&w);
}

/* Begun anew in its middle, it comes back to the place where it was: who was ahead does
 * not wait longer for it. */
static void test_a_sweep_that_begins_anew_goes_round(void)
{
    struct model m = { 0 };
    struct watches w = { .m = &m };

    make_objects();
    put_into(&m, 0, 10);
    watch_sweep(&w, OBJ_RESV);
    takes(&w, 0, 4);
    watch_sweep(&w, OBJ_RESV);
    for (size_t i = 0; i < 10; i++)
        CU_ASSERT_TRUE(watch_is_pending(&w, &objects[i], 0));
    takes(&w, 4, 8);
    watch_sweep(&w, OBJ_RESV);
    takes(&w, 8, 10);
    takes(&w, 0, 8);
    CU_ASSERT_PTR_NULL(watch_take(&w));
    /* At the end, and when the place where it is to end goes. */
    watch_sweep(&w, OBJ_RESV);
    takes(&w, 0, 10);
    watch_sweep(&w, OBJ_RESV);
    CU_ASSERT_TRUE(watch_is_pending(&w, &objects[9], 0));
    takes(&w, 0, 5);
    watch_sweep(&w, OBJ_RESV);
    takes(&w, 5, 10);
    watch_forget(&w, &objects[5]);
    DL_DELETE(m.kinds[OBJ_RESV].first, &objects[5]);
    takes(&w, 0, 5);
    CU_ASSERT_PTR_NULL(watch_take(&w));
    CU_ASSERT_FALSE(watches_are_put_off(&w));
    watches_fini(&w);
}

#define JOBS 10
static struct job jobs[JOBS];

static void take_jobs(struct watches *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct watch *x = watch_take(w);

        CU_ASSERT_PTR_NOT_NULL_FATAL(x);
        CU_ASSERT_PTR_EQUAL(x->o, &jobs[i].obj);
        CU_ASSERT_FALSE(watch_is_pending(w, &jobs[i].obj, 0));
    }
}

/* The jobs of a queue in the order of their ranks. */
static void test_the_jobs_of_a_queue_are_swept(void)
{
    struct model m = { 0 };
    struct watches w = { .m = &m };
    struct queue q = { .obj = { .kind = OBJ_QUEUE } }, none = q;

    for (size_t i = 0; i < JOBS; i++) {
        jobs[i] = (struct job){ .obj = { .kind = OBJ_JOB, .created_seq = i + 1 },
                                .queue = &q };
        ranks_add(&q.jobs, &jobs[i].in_queue, (struct rank_place){ (int64_t)i, i + 1 });
    }
    watch_sweep_queue(&w, &none);
    CU_ASSERT_PTR_NULL(watch_take(&w));
    watch_sweep_queue(&w, &q);
    watch_sweep_queue(&w, &q); /* before and after one record */
    CU_ASSERT_TRUE(watch_is_pending(&w, &jobs[9].obj, 0));
    take_jobs(&w, 0, 4);
    watches_put_off(&w);
    CU_ASSERT_TRUE(watches_are_put_off(&w));
    CU_ASSERT_PTR_NULL(watch_take(&w));
    watch_sweep_queue(&w, &q);
    CU_ASSERT_TRUE(watch_is_pending(&w, &jobs[0].obj, 0));
    /* The one where it is to end goes, and so does the next one. */
    ranks_remove(&q.jobs, &jobs[3].in_queue);
    ranks_remove(&q.jobs, &jobs[4].in_queue);
    take_jobs(&w, 5, 10);
    take_jobs(&w, 0, 3);
    CU_ASSERT_PTR_NULL(watch_take(&w));
    CU_ASSERT_FALSE(watches_are_put_off(&w));
    watch_sweep_queue(&w, &q);
    watch_forget(&w, &q.obj);
    CU_ASSERT_PTR_NULL(watch_take(&w));
    watch_sweep_queue(&w, &q);
    watches_fini(&w);
}

static const struct unit_case cases[] = {
    { "what is touched is taken once", test_what_is_touched_is_taken_once },
    { "deadlines come in order", test_deadlines_come_in_order },
    { "deadlines move and go", test_deadlines_move_and_go },
    { "the rest is put off", test_the_rest_is_put_off },
    { "a sweep gives each object once", test_a_sweep_gives_each_object_once },
    { "the jobs of a queue are swept", test_the_jobs_of_a_queue_are_swept },
    { "a sweep that begins anew goes round", test_a_sweep_that_begins_anew_goes_round },
};

int main(void)
{
    return unit_main("server watches", cases, ARRAY_LEN(cases));
}
