/* test_array_resv.c - what becomes of an array that has begun when its reservation
 * ends, or the occurrence that its subjobs run in (doc/design/045-on-end.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "lib/attr/job_attrs.h"
#include "server/decide/array_run.h"
#include "server/decide/job_end.h"
#include "server/model/job_array.h"
#include "server/model/job_exit.h"

#include <string.h>

#define LENGTH 600
#define END    (NOW + LENGTH)
#define ARRAY  "9[].svr"

static void set(struct world *w, const char *id, int attr, const char *value)
{
    world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, id, attr, NULL, value);
}

static void make_queue(struct world *w, const char *name)
{
    world_fact(w, FACT_CREATED, OBJ_QUEUE, name, QUEUE_A_QUEUE_TYPE, NULL, "Execution");
    world_fact(w, FACT_SET, OBJ_QUEUE, name, QUEUE_A_ENABLED, NULL, "True");
    world_fact(w, FACT_SET, OBJ_QUEUE, name, QUEUE_A_STARTED, NULL, "True");
}

static void of_user1(struct world *w, const char *id)
{
    set(w, id, JOB_A_JOB_OWNER, "user1@svr");
    set(w, id, JOB_A_EUSER, "user1");
    set(w, id, JOB_A_RESERVE_ID, "R1.svr");
}

static void make_subjob(struct world *w, const char *id, const char *index,
                        const char *vnodes)
{
    world_job(w, id, "R1", vnodes, NULL);
    of_user1(w, id);
    set(w, id, JOB_A_ARRAY_ID, ARRAY);
    set(w, id, JOB_A_ARRAY_INDEX, index);
    if (vnodes) {
        set(w, id, JOB_A_HF_SENT, "True");
        return;
    }
    set(w, id, JOB_A_JOB_STATE, "Q");
    set(w, id, JOB_A_SUBSTATE, "10");
}

/* R1 runs, and in it an array of which 1 and 2 run, 3 was requeued and 4 waits. */
static void make(struct world *w, const char *on_end)
{
    world_new(w);
    make_queue(w, "workq");
    make_queue(w, "late");
    world_server(w, SERVER_A_DEFAULT_QUEUE, NULL, "workq");
    world_reserve(w, 2, NOW, LENGTH);
    world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_EUSER, NULL, "user1");
    if (on_end)
        world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_ON_END, NULL, on_end);
    world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_ON_END_QUEUE, NULL, "late");
    world_job(w, ARRAY, "R1", NULL, NULL);
    of_user1(w, ARRAY);
    set(w, ARRAY, JOB_A_ARRAY_INDICES_SUBMITTED, "1-4");
    set(w, ARRAY, JOB_A_STIME, "1");
    set(w, ARRAY, JOB_A_JOB_STATE, "B");
    set(w, ARRAY, JOB_A_SUBSTATE, "70");
    make_subjob(w, "9[1].svr", "1", "(vn[0]:ncpus=1)");
    make_subjob(w, "9[2].svr", "2", "(vn[1]:ncpus=1)");
    make_subjob(w, "9[3].svr", "3", NULL);
    world_clear(w);
}

static const char *value(struct world *w, const char *id, int attr)
{
    return world_attr(w, OBJ_JOB, id, attr, NULL);
}

/* "workq Q", or "gone" */
static const char *place(struct world *w, const char *id)
{
    if (!model_job(svr_model(w->s), id))
        return "gone";
    return arena_printf(w->arena, "%s %s", value(w, id, JOB_A_QUEUE),
                        value(w, id, JOB_A_JOB_STATE));
}

static bool is_asked_back(struct world *w, const char *id)
{
    return strlen(value(w, id, JOB_A_HF_REQUEUE)) > 0;
}

static void run_ends(struct world *w, const char *id)
{
    struct decision d = { .arena = w->arena };

    job_requeue_records(model_job(svr_model(w->s), id), "root@svr", w->now_at,
                        JOB_EXIT_RERUN, "Rerun", &d);
    world_take(w, &d);
}

/* A run ends by itself. */
static void run_is_over(struct world *w, const char *id)
{
    struct decision d = { .arena = w->arena };

    record_change_num(subjob_over_record(model_job(svr_model(w->s), id),
                                         FACT_SUBJOB_ENDED, 0, "root@svr", w->now_at,
                                         &d),
                      w->arena, JOB_A_EXIT_STATUS, 0);
    world_take(w, &d);
}

/* The array leaves with the last of its runs, and its subjobs with it. */
static void an_array_leaves_as_one(void)
{
    static const struct {
        const char *on_end, *waits, *there;
    } cases[] = {
        { "requeue", "R1 B", "late B" },
        { "hold", "R1 H", "late H" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, cases[i].on_end);
        world_go(&w, END);
        CU_ASSERT_TRUE(is_asked_back(&w, "9[1].svr") && is_asked_back(&w, "9[2].svr"));
        EXPECT_TEXT(place(&w, ARRAY), cases[i].waits);
        EXPECT_TEXT(place(&w, "9[3].svr"), "R1 Q");
        run_ends(&w, "9[1].svr");
        EXPECT_TEXT(place(&w, ARRAY), cases[i].waits);
        EXPECT_TEXT(world_phase(&w, "R1"), "7/9");
        run_ends(&w, "9[2].svr");
        EXPECT_TEXT(place(&w, ARRAY), cases[i].there);
        for (int k = 1; k <= 3; k++) {
            const char *id = arena_printf(w.arena, "9[%d].svr", k);

            EXPECT_TEXT(place(&w, id), "late Q");
            EXPECT_TEXT(value(&w, id, JOB_A_RESERVE_ID), "");
        }
        EXPECT_TEXT(world_phase(&w, "R1"), "gone");
        /* The array is told once, its subjobs are not. */
        CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'Q', 0));
        CU_ASSERT_PTR_NULL(world_account(&w, 'Q', 1));
        world_restart(&w);
        world_free(&w);
    }
}

static void without_a_word_it_is_killed(void)
{
    struct world w;

    make(&w, NULL);
    world_go(&w, END);
    CU_ASSERT_TRUE(strlen(value(&w, ARRAY, JOB_A_HF_KILL_BY)) > 0);
    CU_ASSERT_TRUE(strlen(value(&w, "9[1].svr", JOB_A_HF_KILL_BY)) > 0);
    CU_ASSERT_FALSE(is_asked_back(&w, "9[1].svr"));
    world_free(&w);
}

/* Nothing of it waits when the last run has ended by itself: the array ends where it
 * is. */
static void an_array_of_which_nothing_waits_ends(void)
{
    struct world w;

    make(&w, "requeue");
    set(&w, ARRAY, JOB_A_HF_ARRAY_ENDS, "3-4:91::0");
    world_job_end(&w, "9[3].svr");
    world_go(&w, END);
    run_is_over(&w, "9[1].svr");
    EXPECT_TEXT(place(&w, ARRAY), "R1 B");
    run_is_over(&w, "9[2].svr");
    EXPECT_TEXT(place(&w, ARRAY), "gone");
    EXPECT_TEXT(world_phase(&w, "R1"), "gone");
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_JOB_MOVED), 0);
    world_free(&w);
}

/* It begins once: its runs end, and it goes on in the next occurrence. */
static void an_array_goes_on_in_the_next_occurrence(void)
{
    static const struct {
        const char *on_end;
        bool back;
    } cases[] = { { NULL, false }, { "requeue", true }, { "hold", true } };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, cases[i].on_end);
        world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_RESERVE_COUNT, NULL, "2");
        world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_RESERVE_INDEX, NULL, "1");
        world_later(&w, 2, NOW + 3600, LENGTH, "(vn[1]:ncpus=2)+(vn[2]:ncpus=2)");
        world_go(&w, END);
        CU_ASSERT_EQUAL(is_asked_back(&w, "9[1].svr"), cases[i].back);
        CU_ASSERT_EQUAL(strlen(value(&w, "9[1].svr", JOB_A_HF_KILL_BY)) > 0,
                        !cases[i].back);
        EXPECT_TEXT(value(&w, ARRAY, JOB_A_HF_KILL_BY), "");
        EXPECT_TEXT(place(&w, ARRAY), "R1 B");
        EXPECT_TEXT(place(&w, "9[3].svr"), "R1 Q");
        world_free(&w);
    }
}

/* The queue has to take all of it that waits, and no routing queue takes it. */
static void a_queue_that_does_not_take_it(void)
{
    static const struct {
        int attr;
        const char *value, *place;
    } cases[] = {
        { QUEUE_A_MAX_QUEUED, "[u:user1=4]", "late B" },
        { QUEUE_A_MAX_QUEUED, "[u:user1=3]", "workq B" },
        { QUEUE_A_QUEUE_TYPE, "Route", "workq B" },
        { QUEUE_A_ENABLED, "False", "workq B" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, "requeue");
        world_fact(&w, FACT_SET, OBJ_QUEUE, "late", cases[i].attr, NULL,
                   cases[i].value);
        world_fact(&w, FACT_SET, OBJ_QUEUE, "late", QUEUE_A_ROUTE_DESTINATIONS, NULL,
                   "workq");
        world_go(&w, END);
        run_ends(&w, "9[1].svr");
        run_ends(&w, "9[2].svr");
        EXPECT_TEXT(place(&w, ARRAY), cases[i].place);
        EXPECT_TEXT(world_phase(&w, "R1"), "gone");
        world_free(&w);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "an array leaves as one", an_array_leaves_as_one },
        { "without a word it is killed", without_a_word_it_is_killed },
        { "an array of which nothing waits ends",
          an_array_of_which_nothing_waits_ends },
        { "an array goes on in the next occurrence",
          an_array_goes_on_in_the_next_occurrence },
        { "a queue that does not take it", a_queue_that_does_not_take_it },
    };

    return unit_main("array_resv", cases, ARRAY_LEN(cases));
}
