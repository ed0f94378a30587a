/* Unit tests of questions about reservations with two schedulers: a no counts for who
 * says it, and a yes of anyone is enough.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "server/decide/sched_link.h"

#include <string.h>

#define NO  "PBS_RESV_CONFIRM_FAIL"
#define YES "PBS_RESV_CONFIRM_SUCCESS:partition="
#define SUBMIT                                                                         \
    "reserve_start=1795248000|Resource_List.walltime=600|"                             \
    "Resource_List.select=1:ncpus=2"

static const struct requester by_default = {
    .user = "root", .host = "svr", .server_uid = true, .conn = CONN_SCHED
};
static const struct requester by_second = {
    .user = "root", .host = "svr", .server_uid = true, .conn = CONN_SECOND
};
/* Somebody of the staff who is no scheduler. */
static const struct requester by_hand = { .user = "mgr1",
                                          .host = "svr",
                                          .conn = CONN_OTHER };

/* One letter of a story: lower case says no, upper case yes. */
static void tell(struct world *w, char c)
{
    switch (c) {
    case 'd':
        world_confirm_at(w, &by_default, "R1.svr", "null", 0, NO);
        break;
    case 's':
        world_confirm_at(w, &by_second, "R1.svr", "null", 0, NO);
        break;
    case 'm':
        world_confirm_at(w, &by_hand, "R1.svr", "null", 0, NO);
        break;
    case 'D':
        world_confirm_at(w, &by_default, "R1.svr", "(vn[0]:ncpus=2)", 0,
                         YES "pbs-default");
        break;
    case 'S':
        world_confirm_at(w, &by_second, "R1.svr", "(vn[0]:ncpus=2)", 0, YES "p2");
        break;
    case 'a': /* the second scheduler comes */
        world_second_sched(w);
        break;
    case 'g': /* it goes */
        svr_client_gone(w->s, w->now_at, CONN_SECOND, &w->out);
        break;
    case 'x': /* there is no such scheduler any more */
        world_fact(w, FACT_DELETED, OBJ_SCHED, "second", SCHED_A_COMMENT, NULL, NULL);
        break;
    case 't': /* nobody has answered for too long: the question is put again */
        world_go(w, w->now_at + 600);
        break;
    case 'q': /* the reservation is asked for */
        world_submit(w, "user1", SUBMIT);
        break;
    case 'w': /* another length is */
        world_modify(w, "user1", "R1.svr", "reserve_duration=700", NULL);
        break;
    default:
        CU_FAIL("a letter that nobody knows");
    }
}

static const struct story {
    const char *told;
    const char *phase; /* of the reservation afterwards */
    const char *noes;  /* hf_answered */
} stories[] = {
    { "qd", "gone", "" },
    { "qm", "gone", "" }, /* who is no scheduler speaks for the default one */
    { "aqd", "1/1", "default" },
    { "aqdd", "1/1", "default" },
    { "aqss", "1/1", "second" },
    { "aqds", "gone", "" },
    { "aqsd", "gone", "" },
    { "aqddms", "gone", "" },
    { "aqdS", "2/2", "" },
    { "aqsD", "2/2", "" },
    { "qas", "1/1", "second" }, /* was not asked: it does not speak for the other */
    { "qasd", "gone", "" },
    { "aqxd", "gone", "" },
    { "aqgd", "1/1", "default" }, /* it may come back */
    { "aqgdt", "1/1", "" },       /* and is not waited for the next time */
    { "aqgdtd", "gone", "" },
    { "aqwd", "1/1", "default" },
    { "aqwdd", "1/1", "default" },
    { "aqwds", "1/1", "" }, /* the alteration is denied, the reservation asked about */
    { "aqwdsd", "1/1", "default" },
    { "aqwdsds", "gone", "" },
    { "aqDwd", "2/2", "" }, /* in the default one's partition: the other is not asked */
};

static void test_stories(void)
{
    for (size_t i = 0; i < ARRAY_LEN(stories); i++) {
        const struct story *st = &stories[i];
        const char *noes;
        struct world w;

        world_new(&w);
        for (const char *p = st->told; *p; p++)
            tell(&w, *p);
        noes = world_attr(&w, OBJ_RESV, "R1", RESV_A_HF_ANSWERED, NULL);
        if (strcmp(world_phase(&w, "R1"), st->phase) != 0 ||
            strcmp(noes, st->noes) != 0)
            fprintf(stderr, "%s: %s, no said %s\n", st->told, world_phase(&w, "R1"),
                    noes);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1"), st->phase);
        CU_ASSERT_STRING_EQUAL(noes, st->noes);
        world_free(&w);
    }
}

/* A no that is said twice changes nothing and makes no record. */
static void test_a_no_is_said_once(void)
{
    struct world w;

    world_new(&w);
    tell(&w, 'a');
    tell(&w, 'q');
    tell(&w, 'd');
    world_clear(&w);
    tell(&w, 'd');
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_SET), 0);
    world_free(&w);
}

/* Who has said what is stored: a restart does not forget it. */
static void test_a_restart_knows_who_said_no(void)
{
    struct world w;

    world_new(&w);
    tell(&w, 'a');
    tell(&w, 'q');
    tell(&w, 'd');
    world_restart(&w);
    world_attach(&w, "second", CONN_SECOND, CONN_SECOND2);
    tell(&w, 'd');
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1"), "1/1");
    tell(&w, 's');
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1"), "gone");
    world_free(&w);
}

/* A no was not final, and then the scheduler has gone: the time limit comes all the
 * same. */
static void test_the_limit_comes_when_nobody_is_there(void)
{
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, 1795250000, 600);
    tell(&w, 'w');
    world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_HF_ASK_AGAIN_AT, NULL,
               arena_printf(w.arena, "%" PRId64, w.now_at + 5));
    svr_client_gone(w.s, w.now_at, CONN_SCHED, &w.out);
    world_go(&w, w.now_at + 601);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_ALTER_DENIED, NULL),
                "no scheduler answered within 600 s");
    world_free(&w);
}

/* A scheduler may have looked before a vnode was given to another one. */
static void test_a_yes_with_vnodes_of_another_partition(void)
{
    struct world w;

    world_new(&w);
    tell(&w, 'a');
    tell(&w, 'q');
    world_fact(&w, FACT_SET, OBJ_NODE, "vn[0]", NODE_A_PARTITION, NULL, "p2");
    tell(&w, 'D');
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1"), "1/1");
    tell(&w, 'S');
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1"), "2/2");
    /* What it has it keeps, whoever looks after the vnode now. */
    world_fact(&w, FACT_SET, OBJ_NODE, "vn[0]", NODE_A_PARTITION, NULL, "p3");
    tell(&w, 'w');
    tell(&w, 'S');
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SECOND), 0);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_DURATION, NULL), "700");
    world_free(&w);
}

static size_t n_woken(const struct world *w, uint64_t conn)
{
    size_t n = 0;

    for (size_t i = 0; i < w->out.n; i++)
        n += w->out.v[i].kind == EFFECT_SCHED_COMMAND &&
             w->out.v[i].u.sched.command == SCHED_ENDED &&
             w->out.v[i].u.sched.conn == conn;
    return n;
}

/* Maintenance may have had vnodes of any partition; another reservation has its own
 * scheduler's. */
static void test_whom_the_end_wakes(void)
{
    for (int maintenance = 0; maintenance < 2; maintenance++) {
        const char *id = maintenance ? "M1.svr" : "R1.svr";
        struct world w;

        world_new(&w);
        tell(&w, 'a');
        world_submit_as(&w, &by_hand, maintenance ? "m" : NULL, "", SUBMIT);
        world_confirm_at(&w, &by_hand, id, "(vn[0]:ncpus=2)", 0, YES "pbs-default");
        CU_ASSERT_STRING_EQUAL(world_phase(&w, id), "2/2");
        for (int i = 0; i < 3; i++) { /* no cycle runs, and none is due */
            svr_sched_done(w.s, w.now_at, CONN_SCHED2, &w.out);
            svr_sched_done(w.s, w.now_at, CONN_SECOND2, &w.out);
        }
        world_clear(&w);
        world_delete(&w, "mgr1", id);
        CU_ASSERT_EQUAL(n_woken(&w, CONN_SCHED2), 1);
        CU_ASSERT_EQUAL(n_woken(&w, CONN_SECOND2), (size_t)maintenance);
        world_free(&w);
    }
}

/* A question comes while a cycle runs. */
static void ask_one_more(struct world *w)
{
    world_clear(w);
    world_submit(w, "user1", SUBMIT);
}

static void end_cycle(struct world *w)
{
    world_clear(w);
    svr_sched_done(w->s, w->now_at, CONN_SCHED2, &w->out);
}

static void test_a_cycle_is_cut_for_a_question(void)
{
    struct world w;

    world_new(&w);
    world_attach_ours(&w);
    ask_one_more(&w);
    CU_ASSERT_TRUE(world_commanded(&w, SCHED_NEW));
    ask_one_more(&w);
    CU_ASSERT_TRUE(world_commanded(&w, SCHED_RESTART_CYCLE));
    ask_one_more(&w); /* it is cut already */
    CU_ASSERT_FALSE(world_commanded(&w, SCHED_RESTART_CYCLE));
    end_cycle(&w);
    CU_ASSERT_TRUE(world_commanded(&w, SCHED_NEW));
    end_cycle(&w);
    CU_ASSERT_FALSE(world_commanded(&w, SCHED_NEW)); /* one looks at all questions */

    /* A job waits for the end of a cycle. */
    ask_one_more(&w);
    world_clear(&w);
    world_job(&w, "9.svr", "workq", NULL, NULL);
    CU_ASSERT_FALSE(world_commanded(&w, SCHED_RESTART_CYCLE));
    world_free(&w);
}

/* A scheduler of another make is not cut, one that reads its configuration neither. */
static void test_what_is_not_cut(void)
{
    struct world w;

    world_new(&w);
    ask_one_more(&w);
    ask_one_more(&w);
    CU_ASSERT_FALSE(world_commanded(&w, SCHED_RESTART_CYCLE));
    end_cycle(&w);
    CU_ASSERT_TRUE(world_commanded(&w, SCHED_NEW));
    end_cycle(&w);
    world_attach_ours(&w);
    world_fact(&w, FACT_SET, OBJ_SCHED, "default", SCHED_A_COMMENT, NULL, "x");
    CU_ASSERT_TRUE(world_commanded(&w, SCHED_CONFIGURE));
    ask_one_more(&w);
    CU_ASSERT_FALSE(world_commanded(&w, SCHED_RESTART_CYCLE));
    end_cycle(&w);
    CU_ASSERT_TRUE(world_commanded(&w, SCHED_NEW));
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a cycle is cut for a question", test_a_cycle_is_cut_for_a_question },
        { "what is not cut", test_what_is_not_cut },
        { "every scheduler speaks for itself", test_stories },
        { "a no is said once", test_a_no_is_said_once },
        { "a restart knows who said no", test_a_restart_knows_who_said_no },
        { "a yes with vnodes of another partition",
          test_a_yes_with_vnodes_of_another_partition },
        { "whom the end wakes", test_whom_the_end_wakes },
        { "the limit comes when nobody is there",
          test_the_limit_comes_when_nobody_is_there },
    };

    return unit_main("resv_question", cases, ARRAY_LEN(cases));
}
