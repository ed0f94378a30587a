/* test_put_off.c - what follows from one input takes several turns when it is much:
 * others are served in between, and it does not matter where the server is killed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/server_attrs.h"
#include "lib/wire/sched_command.h"

#define START (NOW + 100)
#define JOBS  200
/* More than one turn deletes, and far fewer than all. */
#define FEW   50

static size_t n_jobs(const struct world *w)
{
    return svr_model(w->s)->kinds[OBJ_JOB].n;
}

/* R1 runs, and many jobs wait in it. */
static void full_reservation(struct world *w)
{
    world_new(w);
    world_reserve(w, 1, START, 600);
    world_go(w, START);
    for (int i = 0; i < JOBS; i++)
        world_job(w, arena_printf(w->arena, "%d.svr", 1000 + i), "R1", NULL, NULL);
    world_sched_done(w);
    world_clear(w);
}

static void expect_told(struct world *w)
{
    struct buf why = { 0 };

    CU_ASSERT_TRUE(svr_is_settled(w->s, w->now_at, &why));
    if (why.len)
        fprintf(stderr, "%s\n", why.data);
    buf_fini(&why);
}

static void go_on(struct world *w)
{
    CU_ASSERT_TRUE(svr_has_work(w->s));
    svr_go_on(w->s, w->now_at, &w->out);
    expect_told(w);
}

static void go_on_to_the_end(struct world *w)
{
    for (int i = 0; i < JOBS && svr_has_work(w->s); i++)
        go_on(w);
    CU_ASSERT_FALSE(svr_has_work(w->s));
    CU_ASSERT_FALSE(svr_is_settling(w->s));
}

static void a_full_reservation_goes_in_many_turns(void)
{
    struct world w;
    size_t left;

    full_reservation(&w);
    world_delete(&w, "user1", "R1.svr");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), 0);
    expect_told(&w);
    for (left = n_jobs(&w); left > 0; left = n_jobs(&w)) {
        EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "reserve_state", NULL, NULL),
                    "7");
        CU_ASSERT_TRUE(svr_is_settling(w.s));
        go_on(&w);
        CU_ASSERT_TRUE_FATAL(n_jobs(&w) < left);
        CU_ASSERT_TRUE(n_jobs(&w) + FEW > left);
    }
    go_on_to_the_end(&w);
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "gone");
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_JOB_DELETED), JOBS);
    world_free(&w);
}

/* What follows from a small input is not behind what was put off. */
static void who_comes_with_little_does_not_wait(void)
{
    struct world w;

    full_reservation(&w);
    world_submit(&w, "user1",
                 arena_printf(w.arena, "reserve_start=%d|Resource_List.walltime=60",
                              START + 5000));
    EXPECT_TEXT(world_phase(&w, "R2.svr"), "1/1");
    world_delete(&w, "user1", "R1.svr");
    world_delete(&w, "user1", "R2.svr");
    EXPECT_TEXT(world_phase(&w, "R2.svr"), "gone");
    CU_ASSERT_TRUE(n_jobs(&w) > FEW);
    go_on_to_the_end(&w);
    world_free(&w);
}

static void a_killed_server_goes_on_where_it_was(void)
{
    struct world w;
    size_t left;

    full_reservation(&w);
    world_delete(&w, "user1", "R1.svr");
    go_on(&w);
    left = n_jobs(&w);
    CU_ASSERT_TRUE(left > FEW && left < JOBS);
    world_restart(&w);
    CU_ASSERT_TRUE(n_jobs(&w) <= left);
    go_on_to_the_end(&w);
    CU_ASSERT_EQUAL(n_jobs(&w), 0);
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "gone");
    world_free(&w);
}

/* A scheduler does not look at a world in which not all has followed. */
static void schedulers_hear_of_it_when_all_has_followed(void)
{
    struct world w;

    full_reservation(&w);
    world_delete(&w, "user1", "R1.svr");
    while (svr_is_settling(w.s)) {
        CU_ASSERT_FALSE(world_commanded(&w, SCHED_ENDED));
        go_on(&w);
    }
    CU_ASSERT_TRUE(world_commanded(&w, SCHED_ENDED));
    world_free(&w);
}

/* What was put off may be what somebody waits for: his time does not end before. */
static void nobody_has_waited_long_enough_before_all_has_followed(void)
{
    struct world w;

    full_reservation(&w);
    world_submit(&w, "user1",
                 arena_printf(w.arena,
                              "reserve_start=%d|Resource_List.walltime=60|"
                              "interactive=10",
                              START + 5000));
    world_delete(&w, "user1", "R1.svr");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_USER), -1);
    CU_ASSERT_TRUE(svr_next_deadline(w.s) > w.now_at + 10);
    w.now_at += 10;
    svr_tick(w.s, w.now_at, &w.out);
    CU_ASSERT_TRUE(svr_is_settling(w.s));
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_USER), -1);
    go_on_to_the_end(&w);
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R2.svr UNCONFIRMED");
    world_free(&w);
}

/* The same for what is due by the time. */
static void what_is_due_at_once_takes_many_turns_too(void)
{
    struct world w;

    full_reservation(&w);
    world_go(&w, START + 600);
    CU_ASSERT_TRUE(n_jobs(&w) > FEW && n_jobs(&w) < JOBS);
    go_on_to_the_end(&w);
    EXPECT_TEXT(world_phase(&w, "R1.svr"), "gone");
    world_free(&w);
}

/* So many jobs are over and kept. */
static void long_history(struct world *w, int n)
{
    struct decision d = { .arena = w->arena };

    for (int i = 0; i < n; i++) {
        struct record *rec =
            record_add(&d.records, w->arena, FACT_JOB_QUEUED, OBJ_JOB,
                       arena_printf(w->arena, "%d.svr", i), "user1@svr", w->now_at);

        record_change(rec, w->arena, JOB_A_JOB_STATE, NULL, "F");
        record_change_num(rec, w->arena, JOB_A_SUBSTATE, 92);
        record_change_num(rec, w->arena, JOB_A_HISTORY_TIMESTAMP, w->now_at);
    }
    world_take(w, &d);
    world_clear(w);
}

/* However long it is: what one turn forgets does not grow with it. */
static void a_long_history_goes_in_many_turns(void)
{
    enum {
        MANY = 12000,
        AT_ONCE = 100
    };
    struct world w;
    size_t left;

    world_new(&w);
    world_fact(&w, FACT_SET, OBJ_SERVER, "svr", SERVER_A_JOB_HISTORY_ENABLE, NULL,
               "True");
    long_history(&w, MANY);
    CU_ASSERT_EQUAL_FATAL(n_jobs(&w), MANY);
    world_fact(&w, FACT_SET, OBJ_SERVER, "svr", SERVER_A_JOB_HISTORY_ENABLE, NULL,
               "False");
    CU_ASSERT_TRUE(n_jobs(&w) + AT_ONCE >= MANY);
    for (left = n_jobs(&w); left > 0; left = n_jobs(&w)) {
        CU_ASSERT_TRUE_FATAL(svr_has_work(w.s));
        svr_go_on(w.s, w.now_at, &w.out);
        CU_ASSERT_TRUE_FATAL(n_jobs(&w) < left && n_jobs(&w) + AT_ONCE >= left);
        world_clear(&w);
    }
    world_free(&w);
}

/* More jobs than one turn looks at: a setting that is nothing to them leaves nothing to
 * be done, and one that is makes each of them look. */
static void a_setting_wakes_only_who_looks_at_it(void)
{
    enum {
        MANY = 1000
    };
    struct world w;
    size_t n = 0;

    world_new(&w);
    for (int i = 0; i < MANY; i++)
        world_job(&w, arena_printf(w.arena, "%d.svr", 1000 + i), NULL, NULL, NULL);
    world_sched_done(&w);
    world_clear(&w);
    world_server(&w, SERVER_A_MAX_QUEUED, NULL, "[u:PBS_GENERIC=5]");
    CU_ASSERT_FALSE(svr_is_settling(w.s));
    world_server(&w, SERVER_A_RESOURCES_DEFAULT, "walltime", "60");
    CU_ASSERT_FALSE(svr_is_settling(w.s));
    world_server(&w, SERVER_A_ELIGIBLE_TIME_ENABLE, NULL, "True");
    CU_ASSERT_TRUE(svr_is_settling(w.s));
    while (svr_is_settling(w.s))
        svr_go_on(w.s, w.now_at, &w.out);
    MODEL_EACH_LIVE(svr_model(w.s), OBJ_JOB, o)
    {
        n += obj_is_set(o, JOB_A_ACCRUE_TYPE);
    }
    CU_ASSERT_EQUAL(n, MANY);
    world_free(&w);
}

static const struct unit_case cases[] = {
    { "a full reservation goes in many turns", a_full_reservation_goes_in_many_turns },
    { "who comes with little does not wait", who_comes_with_little_does_not_wait },
    { "a killed server goes on where it was", a_killed_server_goes_on_where_it_was },
    { "schedulers hear of it when all has followed",
      schedulers_hear_of_it_when_all_has_followed },
    { "nobody has waited long enough before all has followed",
      nobody_has_waited_long_enough_before_all_has_followed },
    { "what is due at once takes many turns too",
      what_is_due_at_once_takes_many_turns_too },
    { "a long history goes in many turns", a_long_history_goes_in_many_turns },
    { "a setting wakes only who looks at it", a_setting_wakes_only_who_looks_at_it },
};

int main(void)
{
    return unit_main("what is put off", cases, ARRAY_LEN(cases));
}
