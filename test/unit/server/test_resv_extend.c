/* test_resv_extend.c - reservations that extend themselves: when they ask for more
 * time, for how much, and what an answer or none does (doc/design/049-auto-extend.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/resv_attrs.h"
#include "lib/wire/sched_command.h"

#include <stdlib.h>

#define LENGTH 600
#define END    (NOW + LENGTH)
#define ASKS   (END - 30) /* half a minute before the end */
#define VNODES "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)"
#define YES    "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default"

static void set(struct world *w, int attr, const char *value)
{
    world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", attr, NULL, value);
}

/* R1 runs until END; with 'job' a job runs in it. */
static void make(struct world *w, const char *step, const char *max, bool job)
{
    world_new(w);
    world_reserve(w, 2, NOW, LENGTH);
    if (step)
        set(w, RESV_A_AUTO_EXTEND, step);
    if (max)
        set(w, RESV_A_AUTO_EXTEND_MAX, max);
    if (job)
        world_job(w, "5.svr", "R1", "(vn[0]:ncpus=1)", NULL);
    world_clear(w);
}

/* The end that an open proposal has, or that of the reservation. */
static int64_t end_of(struct world *w)
{
    return atoll(world_attr(w, OBJ_RESV, "R1", RESV_A_RESERVE_END, NULL));
}

static bool asks(struct world *w)
{
    return *world_attr(w, OBJ_RESV, "R1", RESV_A_HF_ALTER_SEQ, NULL) != '\0';
}

static void say_yes(struct world *w)
{
    world_confirm_at(w, NULL, "R1.svr", VNODES, 0, YES);
    CU_ASSERT_EQUAL(world_reply_code(w, CONN_SCHED), 0);
    world_clear(w);
}

static void test_when_it_asks_and_for_how_much(void)
{
    static const struct {
        const char *story, *step, *max, *on_end;
        bool job;
        int64_t end; /* that a yes gives it; 0: it does not ask */
    } cases[] = {
        { "a step", "120", NULL, NULL, true, END + 120 },
        { "no job", "120", NULL, NULL, false, 0 },
        { "no step", NULL, "120", NULL, true, 0 },
        { "a step that is longer than the maximum", "120", "50", NULL, true, END + 50 },
        { "on_end alone", NULL, NULL, "extend", true, END + 600 },
        { "on_end and a step", "90", NULL, "extend", true, END + 90 },
        { "on_end and a maximum", NULL, "100", "extend", true, END + 100 },
        { "another on_end", NULL, NULL, "requeue", true, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, cases[i].step, cases[i].max, cases[i].job);
        if (cases[i].on_end)
            set(&w, RESV_A_ON_END, cases[i].on_end);
        world_go(&w, ASKS - 1);
        CU_ASSERT_FALSE(asks(&w));
        world_go(&w, ASKS);
        if (asks(&w) != (cases[i].end != 0))
            fprintf(stderr, "%s\n", cases[i].story);
        CU_ASSERT_EQUAL(asks(&w), cases[i].end != 0);
        if (cases[i].end) {
            CU_ASSERT_TRUE(world_commanded(&w, SCHED_RECONFIRM));
            say_yes(&w);
            CU_ASSERT_EQUAL(end_of(&w), cases[i].end);
        }
        world_free(&w);
    }
}

static void test_steps_until_the_maximum(void)
{
    struct world w;

    make(&w, "100", "250", true);
    for (int64_t end = END; end < END + 250;) {
        world_go(&w, end - 30);
        say_yes(&w);
        end = end + 100 < END + 250 ? end + 100 : END + 250;
        CU_ASSERT_EQUAL(end_of(&w), end);
    }
    world_go(&w, END + 220);
    CU_ASSERT_FALSE(asks(&w));
    world_go(&w, END + 250);
    EXPECT_TEXT(world_phase(&w, "R1"), "7/9"); /* its job is being killed */
    world_free(&w);
}

static void test_a_no_is_final(void)
{
    struct world w;

    make(&w, "100", NULL, true);
    world_go(&w, ASKS);
    world_deny_with(&w, "R1.svr", "PBS_RESV_CONFIRM_FAIL:reason=R2 has it");
    CU_ASSERT_FALSE(asks(&w));
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_ALTER_DENIED, NULL), "R2 has it");
    world_go(&w, END - 1);
    CU_ASSERT_FALSE(asks(&w));
    CU_ASSERT_EQUAL(end_of(&w), END);
    world_go(&w, END);
    EXPECT_TEXT(world_phase(&w, "R1"), "7/9");
    world_free(&w);
}

/* No answer until the end is none. */
static void test_the_end_waits_for_nobody(void)
{
    struct world w;

    make(&w, "100", NULL, true);
    world_go(&w, ASKS);
    CU_ASSERT_TRUE(asks(&w));
    world_go(&w, END);
    EXPECT_TEXT(world_phase(&w, "R1"), "7/9");
    CU_ASSERT_FALSE(asks(&w));
    world_free(&w);
}

static void test_a_scheduler_that_comes_late_is_asked(void)
{
    struct world w;

    make(&w, "100", NULL, true);
    svr_client_gone(w.s, w.now_at, CONN_SCHED, &w.out);
    world_go(&w, ASKS + 5);
    CU_ASSERT_FALSE(asks(&w));
    world_attach(&w, "default", CONN_SCHED, CONN_SCHED2);
    CU_ASSERT_TRUE(asks(&w));
    world_free(&w);
}

/* Whoever alters it meanwhile is told that a question is open. An end that somebody has
 * asked for counts from there. */
static void test_somebody_alters_it(void)
{
    struct world w;

    make(&w, "100", "150", true);
    world_go(&w, ASKS);
    world_modify(&w, "user1", "R1.svr", "reserve_duration=900", NULL);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_BADSTATE);
    say_yes(&w);
    world_modify(&w, "user1", "R1.svr", "reserve_duration=900", NULL);
    say_yes(&w);
    CU_ASSERT_EQUAL(end_of(&w), NOW + 900);
    for (int i = 0; i < 2; i++) {
        world_go(&w, end_of(&w) - 30);
        say_yes(&w);
    }
    CU_ASSERT_EQUAL(end_of(&w), NOW + 900 + 150);
    world_free(&w);
}

/* Beyond the end that was asked for it is there for its jobs. */
static void test_it_ends_with_its_jobs(void)
{
    struct world w;

    make(&w, "300", NULL, true);
    world_go(&w, ASKS);
    say_yes(&w);
    world_go(&w, END + 10);
    EXPECT_TEXT(world_phase(&w, "R1"), "5/5");
    world_job_end(&w, "5.svr");
    EXPECT_TEXT(world_phase(&w, "R1"), "gone");
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'F', 0));
    world_free(&w);
}

static void test_a_job_that_ends_before_ends_it_as_planned(void)
{
    struct world w;

    make(&w, "300", NULL, true);
    world_go(&w, ASKS);
    say_yes(&w);
    world_job_end(&w, "5.svr");
    world_go(&w, END - 1);
    EXPECT_TEXT(world_phase(&w, "R1"), "5/5");
    world_go(&w, END);
    EXPECT_TEXT(world_phase(&w, "R1"), "gone");
    world_free(&w);
}

/* Nobody gets a letter about what nobody asked for, and it is asked for again. */
static void test_a_restart_in_between(void)
{
    struct world w;

    make(&w, "100", NULL, true);
    world_go(&w, ASKS);
    CU_ASSERT_TRUE(asks(&w));
    world_restart(&w);
    CU_ASSERT_EQUAL(world_count_mail(&w, "Alteration dropped"), 0);
    CU_ASSERT_TRUE(asks(&w));
    say_yes(&w);
    CU_ASSERT_EQUAL(end_of(&w), END + 100);
    world_free(&w);
}

/* A store that somebody has edited. */
static void test_an_end_behind_all_time(void)
{
    struct world w;

    make(&w, "31622400", NULL, true);
    set(&w, RESV_A_RESERVE_END, arena_printf(w.arena, "%" PRId64, INT64_MAX - 1000));
    world_go(&w, INT64_MAX - 1010);
    CU_ASSERT_FALSE(asks(&w));
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "when it asks, and for how much", test_when_it_asks_and_for_how_much },
        { "steps until the maximum", test_steps_until_the_maximum },
        { "a no is final", test_a_no_is_final },
        { "the end waits for nobody", test_the_end_waits_for_nobody },
        { "a scheduler that comes late is asked",
          test_a_scheduler_that_comes_late_is_asked },
        { "somebody alters it", test_somebody_alters_it },
        { "it ends with its jobs", test_it_ends_with_its_jobs },
        { "a job that ends before ends it as planned",
          test_a_job_that_ends_before_ends_it_as_planned },
        { "a restart in between", test_a_restart_in_between },
        { "an end behind all time", test_an_end_behind_all_time },
    };

    return unit_main("resv_extend", cases, ARRAY_LEN(cases));
}
