/* test_resv_on_end.c - on_end: who may set it to what, and what becomes of the jobs of
 * a reservation, and of an occurrence, when its end comes (doc/design/045-on-end.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "lib/attr/job_attrs.h"
#include "server/decide/job_end.h"
#include "server/model/job_exit.h"
#include "server/model/job_state.h"

#include <string.h>

#define LENGTH 600
#define END    (NOW + LENGTH)
#define RUNS   "(vn[0]:ncpus=1)"

/* Worlds. */

static void make_queue(struct world *w, const char *name)
{
    world_fact(w, FACT_CREATED, OBJ_QUEUE, name, QUEUE_A_QUEUE_TYPE, NULL, "Execution");
    world_fact(w, FACT_SET, OBJ_QUEUE, name, QUEUE_A_ENABLED, NULL, "True");
    world_fact(w, FACT_SET, OBJ_QUEUE, name, QUEUE_A_STARTED, NULL, "True");
}

static void only_for(struct world *w, const char *queue, const char *user)
{
    world_fact(w, FACT_SET, OBJ_QUEUE, queue, QUEUE_A_ACL_USER_ENABLE, NULL, "True");
    world_fact(w, FACT_SET, OBJ_QUEUE, queue, QUEUE_A_ACL_USERS, NULL, user);
}

/* R1 of user1 runs; there are the queues workq, the default one, and "late". */
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
    world_clear(w);
}

/* A job of that user in R1: it runs, or it is queued when 'vnodes' is NULL. */
static void make_job(struct world *w, const char *id, const char *user,
                     const char *vnodes)
{
    world_job(w, id, "R1", vnodes, NULL);
    world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, id, JOB_A_JOB_OWNER, NULL,
               arena_printf(w->arena, "%s@svr", user));
    world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, id, JOB_A_EUSER, NULL, user);
    world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, id, JOB_A_RESERVE_ID, NULL, "R1.svr");
    if (vnodes) {
        world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, id, JOB_A_HF_SENT, NULL, "True");
        return;
    }
    world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, id, JOB_A_JOB_STATE, NULL, "Q");
    world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, id, JOB_A_SUBSTATE, NULL, "10");
}

static const char *job(struct world *w, const char *id, int attr)
{
    return world_attr(w, OBJ_JOB, id, attr, NULL);
}

/* "workq Q", or "gone" */
static const char *place(struct world *w, const char *id)
{
    if (!model_job(svr_model(w->s), id))
        return "gone";
    return arena_printf(w->arena, "%s %s", job(w, id, JOB_A_QUEUE),
                        job(w, id, JOB_A_JOB_STATE));
}

/* Its MoM has ended the run as it was asked to. */
static void run_ends(struct world *w, const char *id)
{
    struct decision d = { .arena = w->arena };

    job_requeue_records(model_job(svr_model(w->s), id), "root@svr", w->now_at,
                        JOB_EXIT_RERUN, "Rerun", &d);
    world_take(w, &d);
}

static size_t n_accounts(const struct world *w, char type)
{
    size_t n = 0;

    while (world_account(w, type, n))
        n++;
    return n;
}

static bool is_logged(const struct world *w, const char *about, const char *text)
{
    return strstr(world_log_of(w, about), text) != NULL;
}

/* What may be set. */

static void test_words(void)
{
    static const struct {
        const char *story, *attrs;
        int code;
    } cases[] = {
        { "kill", "on_end=kill", 0 },
        { "requeue", "on_end=requeue", 0 },
        { "hold", "on_end=hold", 0 },
        { "and where to", "on_end=hold|on_end_queue=late", 0 },
        { "a queue alone", "on_end_queue=late", 0 },
        { "the server's default again", "on_end=", 0 },
        { "no queue again", "on_end_queue=", 0 },
        { "another word", "on_end=keep", PBSE_BADATVAL },
        { "the word in capitals", "on_end=Hold", PBSE_BADATVAL },
        { "extend", "on_end=extend", 0 },
        { "steps", "auto_extend=60|auto_extend_max=02:00:00", 0 },
        { "steps that are too short", "auto_extend=59", PBSE_BADATVAL },
        { "steps of more than a year", "auto_extend=31622401", PBSE_BADATVAL },
        { "the longest step", "auto_extend=31622400", 0 },
        { "no more than nothing", "auto_extend_max=0", PBSE_BADATVAL },
        { "no steps again", "auto_extend=|auto_extend_max=", 0 },
        { "no such queue", "on_end_queue=nowhere", PBSE_UNKQUE },
        { "its own queue", "on_end_queue=R1", PBSE_BADATVAL },
        { "a routing queue", "on_end_queue=route", 0 },
        { "a queue of others", "on_end_queue=theirs", PBSE_PERM },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (int manager = 0; manager < 2; manager++) {
            struct world w;

            make(&w, NULL);
            make_queue(&w, "route");
            make_queue(&w, "theirs");
            only_for(&w, "theirs", "user2");
            world_fact(&w, FACT_SET, OBJ_QUEUE, "route", QUEUE_A_QUEUE_TYPE, NULL,
                       "Route");
            world_clear(&w);
            /* A manager may set it too, and the owner's rights count. */
            world_modify(&w, manager ? "mgr1" : "user1", "R1.svr", cases[i].attrs,
                         NULL);
            CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), cases[i].code);
            if (world_reply_code(&w, CONN_OTHER) != cases[i].code)
                fprintf(stderr, "%s: %d\n", cases[i].story,
                        world_reply_code(&w, CONN_OTHER));
            CU_ASSERT_EQUAL(world_count_fact(&w, FACT_SET), cases[i].code == 0);
            world_restart(&w);
            world_free(&w);
        }
}

static void test_others_may_not(void)
{
    struct world w;

    make(&w, NULL);
    world_modify(&w, "user2", "R1.svr", "on_end=hold", NULL);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_PERM);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_ON_END, NULL), "");
    world_free(&w);
}

static void test_a_new_reservation(void)
{
    static const struct {
        const char *attrs;
        int code;
        const char *shown[4]; /* on_end, on_end_queue, auto_extend, auto_extend_max */
    } cases[] = {
        { "on_end=requeue|on_end_queue=late", 0, { "requeue", "late", "", "" } },
        { "on_end=extend", 0, { "extend", "", "", "" } },
        { "auto_extend=600|auto_extend_max=3600",
          0,
          { "", "", "00:10:00", "01:00:00" } },
        { "auto_extend=1", PBSE_BADATVAL, { 0 } },
        { "on_end=none", PBSE_BADATVAL, { 0 } },
        { "on_end_queue=nowhere", PBSE_UNKQUE, { 0 } },
        { "on_end_queue=R1", PBSE_BADATVAL, { 0 } },
    };

    static const char *const names[] = { "on_end", "on_end_queue", "auto_extend",
                                         "auto_extend_max" };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, NULL);
        world_submit(&w, "user1",
                     arena_printf(w.arena,
                                  "reserve_start=%d|reserve_duration=60|"
                                  "Resource_List.select=1:ncpus=1|%s",
                                  NOW + 5000, cases[i].attrs));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_USER), cases[i].code);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_SUBMITTED), cases[i].code == 0);
        if (cases[i].code == 0) {
            const char *id =
                arena_strndup(w.arena, world_reply_text(&w, CONN_USER),
                              strcspn(world_reply_text(&w, CONN_USER), " "));

            for (size_t k = 0; k < ARRAY_LEN(names); k++) {
                const char *is = world_shown(&w, "user1", id, names[k], NULL, NULL);

                EXPECT_TEXT(is ? is : "", cases[i].shown[k]);
            }
        }
        world_restart(&w);
        world_free(&w);
    }
}

/* Together with times it is one proposal. */
static void test_with_times_it_waits_for_them(void)
{
    struct world w;

    make(&w, NULL);
    world_modify(&w, "user1", "R1.svr",
                 arena_printf(w.arena, "on_end=hold|reserve_end=%d", END + 60), NULL);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_ON_END, NULL), "");
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_ON_END, NULL), "hold");
    world_free(&w);
}

/* What becomes of the jobs. */

/* At the end one job of each kind is there: it runs, it runs and cannot be repeated, it
 * waits, it is held by an operator. */
static void test_kinds_of_jobs(void)
{
    static const struct {
        const char *on_end;
        const char *runs, *once, *waits, *held; /* when all has settled */
        size_t n_R, n_D;
    } cases[] = {
        { NULL, "gone", "gone", "gone", "gone", 0, 4 },
        { "kill", "gone", "gone", "gone", "gone", 0, 4 },
        { "requeue", "late Q", "gone", "late Q", "late H", 1, 1 },
        { "hold", "late H", "gone", "late H", "late H", 1, 1 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        bool keeps = cases[i].n_R > 0;
        struct world w;

        make(&w, cases[i].on_end);
        world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_ON_END_QUEUE, NULL, "late");
        make_job(&w, "5.svr", "user1", RUNS);
        make_job(&w, "6.svr", "user1", "(vn[1]:ncpus=1)");
        world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "6.svr", JOB_A_RERUNABLE, NULL,
                   "False");
        make_job(&w, "7.svr", "user1", NULL);
        make_job(&w, "8.svr", "user1", NULL);
        world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "8.svr", JOB_A_HOLD_TYPES, NULL,
                   "o");
        world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "8.svr", JOB_A_JOB_STATE, NULL, "H");
        world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "8.svr", JOB_A_SUBSTATE, NULL, "20");
        world_clear(&w);
        world_go(&w, END);
        /* Those that run are still there, and the reservation with them. */
        EXPECT_TEXT(world_phase(&w, "R1"), "7/9");
        EXPECT_TEXT(place(&w, "5.svr"), "R1 R");
        CU_ASSERT_EQUAL(strlen(job(&w, "5.svr", JOB_A_HF_KILL_BY)) > 0, !keeps);
        CU_ASSERT_EQUAL(strlen(job(&w, "5.svr", JOB_A_HF_REQUEUE)) > 0, keeps);
        CU_ASSERT_TRUE(strlen(job(&w, "6.svr", JOB_A_HF_KILL_BY)) > 0);
        CU_ASSERT_EQUAL(is_logged(&w, "6.svr", "not rerunable"), keeps);
        EXPECT_TEXT(place(&w, "7.svr"), cases[i].waits);
        EXPECT_TEXT(place(&w, "8.svr"), cases[i].held);
        if (keeps)
            run_ends(&w, "5.svr");
        else
            world_job_end(&w, "5.svr");
        world_job_end(&w, "6.svr");
        EXPECT_TEXT(place(&w, "5.svr"), cases[i].runs);
        EXPECT_TEXT(place(&w, "6.svr"), cases[i].once);
        EXPECT_TEXT(world_phase(&w, "R1"), "gone");
        CU_ASSERT_EQUAL(n_accounts(&w, 'R'), cases[i].n_R);
        CU_ASSERT_EQUAL(n_accounts(&w, 'D'), cases[i].n_D);
        CU_ASSERT_EQUAL(n_accounts(&w, 'F'), 1);
        CU_ASSERT_EQUAL(n_accounts(&w, 'K'), 1);
        EXPECT_TEXT(job(&w, "5.svr", JOB_A_RESERVE_ID), "");
        world_restart(&w);
        world_free(&w);
    }
}

/* A job that is suspended runs, and one that has ended goes its own way. */
static void test_suspended_and_ended_ones(void)
{
    static const struct {
        const char *state, *substate;
        bool asked;
    } cases[] = {
        { "R", "41", true },  /* begun, without a session yet */
        { "R", "43", true },  /* suspended by a client */
        { "R", "45", true },  /* suspended by the scheduler */
        { "E", "51", false }, /* its files are delivered */
        { "E", "53", false },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, "hold");
        make_job(&w, "5.svr", "user1", RUNS);
        world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "5.svr", JOB_A_JOB_STATE, NULL,
                   cases[i].state);
        world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "5.svr", JOB_A_SUBSTATE, NULL,
                   cases[i].substate);
        world_go(&w, END);
        CU_ASSERT_EQUAL(strlen(job(&w, "5.svr", JOB_A_HF_REQUEUE)) > 0, cases[i].asked);
        CU_ASSERT_EQUAL(strlen(job(&w, "5.svr", JOB_A_HOLD_TYPES)) > 0, cases[i].asked);
        EXPECT_TEXT(world_phase(&w, "R1"), "7/9");
        world_free(&w);
    }
}

/* F and K of the reservation come first, then what becomes of its jobs. */
static void test_the_order_of_what_is_told(void)
{
    struct world w;
    char order[16] = "";

    make(&w, "requeue");
    make_job(&w, "5.svr", "user1", RUNS);
    world_clear(&w);
    world_go(&w, END);
    CU_ASSERT_PTR_NOT_NULL(strstr(world_account(&w, 'F', 0), " on_end=requeue "));
    EXPECT_TEXT(world_account(&w, 'K', 0), "requestor=root@svr");
    CU_ASSERT_TRUE(
        is_logged(&w, "5.svr", "Job is requeued at the end of its reservation"));
    run_ends(&w, "5.svr");
    for (size_t i = 0; i < w.out.n; i++)
        if (w.out.v[i].kind == EFFECT_ACCOUNT)
            order[strlen(order)] = w.out.v[i].u.account.type;
    EXPECT_TEXT(order, "FKRQ");
    /* The run was the reservation's, the job that waits is not. */
    CU_ASSERT_PTR_NOT_NULL(strstr(world_account(&w, 'R', 0), "resvID=R1.svr "));
    CU_ASSERT_PTR_NULL(strstr(world_account(&w, 'Q', 0), "resvID="));
    CU_ASSERT_TRUE(is_logged(&w, "5.svr", "Job moved to workq at request of root@svr"));
    world_free(&w);
}

/* Whose hold it is: the job's owner can release it. */
static void test_the_hold_is_the_users(void)
{
    struct world w;

    make(&w, "hold");
    make_job(&w, "5.svr", "user1", RUNS);
    make_job(&w, "7.svr", "user1", NULL);
    world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "7.svr", JOB_A_HOLD_TYPES, NULL, "o");
    world_go(&w, END);
    EXPECT_TEXT(job(&w, "5.svr", JOB_A_HOLD_TYPES), "u");
    EXPECT_TEXT(job(&w, "7.svr", JOB_A_HOLD_TYPES), "ou");
    run_ends(&w, "5.svr");
    EXPECT_TEXT(place(&w, "5.svr"), "workq H");
    CU_ASSERT_PTR_NOT_NULL(strstr(job(&w, "5.svr", JOB_A_COMMENT), "R1.svr"));
    EXPECT_TEXT(job(&w, "5.svr", JOB_A_ETIME), "");
    world_free(&w);
}

/* The queue is the first that takes the job, and its owner's rights are asked about. */
static void test_which_queue(void)
{
    static const struct {
        const char *story;
        const char *wanted, *before, *dflt, *user;
        const char *place;
    } cases[] = {
        { "the one that is named", "late", "early", "workq", "user1", "late Q" },
        { "where it was", NULL, "early", "workq", "user1", "early Q" },
        { "the default one", NULL, NULL, "workq", "user1", "workq Q" },
        { "the named one is gone", "nowhere", "early", "workq", "user1", "early Q" },
        { "the named one is closed", "closed", NULL, "workq", "user1", "workq Q" },
        { "the named one is full", "full", NULL, "workq", "user1", "workq Q" },
        { "the user has enough there", "enough", NULL, "workq", "user1", "workq Q" },
        { "the job is too large for it", "small", NULL, "workq", "user1", "workq Q" },
        { "a queue of a reservation", "R1", NULL, "workq", "user1", "workq Q" },
        { "by a route only", "behind", NULL, "workq", "user1", "workq Q" },
        { "a routing queue", "route", NULL, "workq", "user1", "workq Q" },
        { "not for this owner", "mine", "early", "workq", "user2", "early Q" },
        { "for this owner", "mine", "early", "workq", "user1", "mine Q" },
        { "not for his group", "group", NULL, "workq", "user2", "workq Q" },
        { "for his group", "group", NULL, "workq", "user1", "group Q" },
        { "an owner without an account", "group", NULL, "workq", "nobody1", "workq Q" },
        { "nowhere", "mine", NULL, "mine", "user2", "gone" },
        { "there is none", NULL, NULL, NULL, "user1", "gone" },
    };
    static const struct {
        const char *queue;
        int attr;
        const char *resource, *value;
    } doors[] = {
        { "early", QUEUE_A_PRIORITY, NULL, "1" },
        { "closed", QUEUE_A_ENABLED, NULL, "False" },
        { "full", QUEUE_A_MAX_QUEUABLE, NULL, "0" },
        { "enough", QUEUE_A_MAX_QUEUED, NULL, "[u:user1=0]" },
        { "small", QUEUE_A_RESOURCES_MAX, "walltime", "10" },
        { "behind", QUEUE_A_FROM_ROUTE_ONLY, NULL, "True" },
        { "route", QUEUE_A_QUEUE_TYPE, NULL, "Route" },
        { "group", QUEUE_A_ACL_GROUP_ENABLE, NULL, "True" },
        { "mine", QUEUE_A_ACL_USER_ENABLE, NULL, "True" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, "requeue");
        for (size_t k = 0; k < ARRAY_LEN(doors); k++) {
            make_queue(&w, doors[k].queue);
            world_fact(&w, FACT_SET, OBJ_QUEUE, doors[k].queue, doors[k].attr,
                       doors[k].resource, doors[k].value);
        }
        world_fact(&w, FACT_SET, OBJ_QUEUE, "route", QUEUE_A_ROUTE_DESTINATIONS, NULL,
                   "workq");
        world_fact(&w, FACT_SET, OBJ_QUEUE, "group", QUEUE_A_ACL_GROUPS, NULL, "g1");
        only_for(&w, "mine", "user1");
        world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_ON_END_QUEUE, NULL,
                   cases[i].wanted);
        world_server(&w, SERVER_A_DEFAULT_QUEUE, NULL, cases[i].dflt);
        make_job(&w, "7.svr", cases[i].user, NULL);
        world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "7.svr", JOB_A_RESOURCE_LIST,
                   "walltime", "100");
        world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "7.svr", JOB_A_HF_QUEUE_BEFORE, NULL,
                   cases[i].before);
        world_go(&w, END);
        if (strcmp(place(&w, "7.svr"), cases[i].place) != 0)
            fprintf(stderr, "%s\n", cases[i].story);
        EXPECT_TEXT(place(&w, "7.svr"), cases[i].place);
        EXPECT_TEXT(world_phase(&w, "R1"), "gone");
        world_restart(&w);
        world_free(&w);
    }
}

/* A limit of the whole complex counts the job already. */
static void test_a_limit_of_the_complex_counts_it_once(void)
{
    struct world w;

    make(&w, "requeue");
    make_job(&w, "7.svr", "user1", NULL);
    world_server(&w, SERVER_A_MAX_QUEUED, NULL, "[u:user1=1]");
    world_go(&w, END);
    EXPECT_TEXT(place(&w, "7.svr"), "workq Q");
    world_free(&w);
}

static void test_the_scheduler_hears_of_it(void)
{
    struct world w;

    make(&w, "requeue");
    make_job(&w, "5.svr", "user1", RUNS);
    make_job(&w, "7.svr", "user1", NULL);
    world_sched_done(&w);
    world_clear(&w);
    world_go(&w, END); /* the reservation is not gone yet, so nothing else wakes it */
    EXPECT_TEXT(place(&w, "7.svr"), "workq Q");
    CU_ASSERT_TRUE(world_commanded(&w, 1));
    world_free(&w);
}

/* Who deletes a reservation deletes its jobs. */
static void test_a_deletion_is_no_end(void)
{
    struct world w;

    make(&w, "requeue");
    make_job(&w, "5.svr", "user1", RUNS);
    make_job(&w, "7.svr", "user1", NULL);
    world_delete(&w, "user1", "R1.svr");
    EXPECT_TEXT(place(&w, "7.svr"), "gone");
    CU_ASSERT_TRUE(strlen(job(&w, "5.svr", JOB_A_HF_KILL_BY)) > 0);
    world_free(&w);
}

/* A deletion that comes while the end goes on changes nothing of it. */
static void test_a_deletion_after_the_end(void)
{
    struct world w;

    make(&w, "requeue");
    make_job(&w, "5.svr", "user1", RUNS);
    world_go(&w, END);
    world_delete(&w, "user1", "R1.svr");
    EXPECT_TEXT(job(&w, "5.svr", JOB_A_HF_KILL_BY), "");
    run_ends(&w, "5.svr");
    EXPECT_TEXT(place(&w, "5.svr"), "workq Q");
    world_free(&w);
}

/* A job that somebody deletes meanwhile does not come back. */
static void test_a_job_that_is_deleted_meanwhile(void)
{
    struct world w;

    make(&w, "hold");
    make_job(&w, "5.svr", "user1", RUNS);
    world_go(&w, END);
    world_fact(&w, FACT_JOB_KILLED, OBJ_JOB, "5.svr", JOB_A_HF_KILL_BY, NULL,
               "user1@svr");
    world_clear(&w);
    world_go(&w, END + 100);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_JOB_MODIFIED), 0);
    world_job_end(&w, "5.svr");
    EXPECT_TEXT(world_phase(&w, "R1"), "gone");
    world_free(&w);
}

/* The server's default, as it is when the end comes. */
static void test_the_default_of_the_server(void)
{
    static const struct {
        const char *own, *dflt, *place;
    } cases[] = {
        { NULL, "requeue", "workq Q" }, { "kill", "requeue", "gone" },
        { "hold", "kill", "workq H" },  { NULL, NULL, "gone" },
        { "extend", NULL, "gone" }, /* nobody was asked in time */
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, cases[i].own);
        make_job(&w, "5.svr", "user1", RUNS);
        make_job(&w, "7.svr", "user1", NULL);
        world_server(&w, SERVER_A_RESV_DEFAULT_ON_END, NULL, cases[i].dflt);
        world_go(&w, END);
        EXPECT_TEXT(place(&w, "7.svr"), cases[i].place);
        /* What is set now is for later ends. */
        world_server(&w, SERVER_A_RESV_DEFAULT_ON_END, NULL,
                     cases[i].dflt ? "kill" : "hold");
        if (strcmp(cases[i].place, "gone") != 0)
            run_ends(&w, "5.svr");
        else
            world_job_end(&w, "5.svr");
        EXPECT_TEXT(place(&w, "5.svr"), cases[i].place);
        world_free(&w);
    }
}

/* Whatever the server has reached when it dies, it goes on from there. */
static void test_restarts(void)
{
    struct world w;

    make(&w, "hold");
    make_job(&w, "5.svr", "user1", RUNS);
    world_restart(&w);
    world_go(&w, END);
    world_restart(&w);
    EXPECT_TEXT(place(&w, "5.svr"), "R1 R");
    EXPECT_TEXT(job(&w, "5.svr", JOB_A_HF_REQUEUE), "True");
    run_ends(&w, "5.svr");
    world_restart(&w);
    EXPECT_TEXT(place(&w, "5.svr"), "workq H");
    EXPECT_TEXT(world_phase(&w, "R1"), "gone");
    world_free(&w);
}

/* The MoM is away for good: the run is given up, and the job goes where it belongs. */
static void test_a_mom_that_is_gone(void)
{
    struct world w;

    make(&w, "hold");
    make_job(&w, "5.svr", "user1", RUNS);
    world_go(&w, END);
    world_fact(&w, FACT_NODE_STATE, OBJ_NODE, "vn[0]", NODE_A_LAST_STATE_CHANGE_TIME,
               NULL, arena_printf(w.arena, "%d", END));
    world_vnode(&w, "vn[0]", NODE_DOWN);
    EXPECT_TEXT(place(&w, "5.svr"), "R1 R");
    world_go(&w, END + 400);
    EXPECT_TEXT(place(&w, "5.svr"), "workq H");
    EXPECT_TEXT(world_phase(&w, "R1"), "gone");
    world_free(&w);
}

/* Series. */

static void make_series(struct world *w, const char *on_end)
{
    make(w, on_end);
    world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_RESERVE_COUNT, NULL, "2");
    world_fact(w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_RESERVE_INDEX, NULL, "1");
    world_later(w, 2, NOW + 3600, LENGTH, "(vn[1]:ncpus=2)+(vn[2]:ncpus=2)");
    make_job(w, "5.svr", "user1", RUNS);
    make_job(w, "6.svr", "user1", "(vn[1]:ncpus=1)");
    world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, "6.svr", JOB_A_RERUNABLE, NULL, "False");
    make_job(w, "7.svr", "user1", NULL);
    world_clear(w);
}

/* The jobs stay in the queue of the reservation until its last end. */
static void test_the_end_of_an_occurrence(void)
{
    static const struct {
        const char *on_end, *between, *at_last;
    } cases[] = {
        { "requeue", "R1 Q", "workq Q" },
        { "hold", "R1 H", "workq H" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make_series(&w, cases[i].on_end);
        world_go(&w, END);
        EXPECT_TEXT(world_phase(&w, "R1"), "9/5");
        EXPECT_TEXT(place(&w, "5.svr"), "R1 R");
        EXPECT_TEXT(job(&w, "5.svr", JOB_A_HF_REQUEUE), "True");
        CU_ASSERT_TRUE(strlen(job(&w, "6.svr", JOB_A_HF_KILL_BY)) > 0);
        EXPECT_TEXT(world_account(&w, 'A', 0),
                    "Deleting running job at end of reservation occurrence");
        world_job_end(&w, "6.svr");
        run_ends(&w, "5.svr");
        EXPECT_TEXT(world_phase(&w, "R1"), "2/2");
        EXPECT_TEXT(place(&w, "5.svr"), cases[i].between);
        /* It did not run, so nothing happened to it. */
        EXPECT_TEXT(place(&w, "7.svr"), "R1 Q");
        world_restart(&w);
        world_go(&w, NOW + 3600 + LENGTH);
        EXPECT_TEXT(world_phase(&w, "R1"), "gone");
        EXPECT_TEXT(place(&w, "5.svr"), cases[i].at_last);
        EXPECT_TEXT(place(&w, "7.svr"), cases[i].at_last);
        world_free(&w);
    }
}

static void test_a_series_that_is_deleted_between(void)
{
    struct world w;

    make_series(&w, "requeue");
    world_go(&w, END);
    world_delete(&w, "user1", "R1.svr");
    CU_ASSERT_TRUE(strlen(job(&w, "5.svr", JOB_A_HF_KILL_BY)) > 0);
    EXPECT_TEXT(place(&w, "7.svr"), "gone");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "words and queues are checked", test_words },
        { "others may not", test_others_may_not },
        { "a new reservation", test_a_new_reservation },
        { "with times it waits for them", test_with_times_it_waits_for_them },
        { "each kind of job has its end", test_kinds_of_jobs },
        { "suspended and ended ones", test_suspended_and_ended_ones },
        { "accounting has its order", test_the_order_of_what_is_told },
        { "the hold is the user's", test_the_hold_is_the_users },
        { "the first queue that takes it", test_which_queue },
        { "the complex counts it once", test_a_limit_of_the_complex_counts_it_once },
        { "the scheduler hears of it", test_the_scheduler_hears_of_it },
        { "a deletion is no end", test_a_deletion_is_no_end },
        { "a deletion after the end", test_a_deletion_after_the_end },
        { "a job is deleted meanwhile", test_a_job_that_is_deleted_meanwhile },
        { "the default of the server", test_the_default_of_the_server },
        { "a restart at any time", test_restarts },
        { "a MoM that is gone", test_a_mom_that_is_gone },
        { "the end of an occurrence", test_the_end_of_an_occurrence },
        { "a series is deleted between", test_a_series_that_is_deleted_between },
    };

    return unit_main("resv_on_end", cases, ARRAY_LEN(cases));
}
