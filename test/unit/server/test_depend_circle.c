/* test_depend_circle.c - nobody waits for himself through jobs of several servers: a
 * circle is refused, and one that two servers have closed at the same time is seen
 * (doc/design/075-dependencies-between-servers.md, "Circles").
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/depend_chain.h"
#include "server/model/waiters.h"
#include "test/unit/server/two.h"
#include "test/unit/unit.h"

#include <string.h>

/* At 'here' 1.svr waits for FIRST. FIRST is to wait for a job of two. */
static struct two awaited_first(void)
{
    struct two t = two_new();

    CU_ASSERT_STRING_EQUAL_FATAL(submit(t.out.from, RIG_USER, "", "", NULL), FIRST);
    CU_ASSERT_STRING_EQUAL_FATAL(
        submit(t.out.from, RIG_USER, "", "depend=afterany:" FIRST, NULL), "1.svr");
    return t;
}

static void alter(struct two *t, const char *depend)
{
    const struct body_manage body = {
        .command = 2,
        .object_type = 2,
        .object_name = FIRST,
        .attrs = rig_attrs(t->out.from,
                           arena_printf(t->out.from->arena, "depend=%s", depend)),
    };

    CU_ASSERT_PTR_NULL(rig_ask(t->out.from, RIG_USER, BATCH_MODIFY_JOB, &body, NULL));
    t->out.client = t->out.from->conn;
}

/* Another server says that its job waits for these; NULL: it is not there. */
static struct finding waits_for(const char *depend)
{
    return (
        struct finding){ .found = depend != NULL, .failed = !depend, .words = depend };
}

/* 'here' asks that server for that job, and is told what it waits for. */
static const struct wire_reply *told(struct two *t, const char *server, const char *job,
                                     const char *depend)
{
    const struct need *need = transfer_asked(t->out.from);
    const struct finding f = waits_for(depend);

    CU_ASSERT_PTR_NOT_NULL_FATAL(need);
    CU_ASSERT_STRING_EQUAL(need->detail, server);
    CU_ASSERT_PTR_NOT_NULL_FATAL(strstr(need->name, job));
    CU_ASSERT_PTR_EQUAL_FATAL(strstr(need->name, "depend of "), need->name);
    return two_answered(t, &f);
}

static const struct {
    const char *story, *wish, *two, *three; /* what they say; "": of nobody */
    bool is_circle;
} chains[] = {
    { "back from the second server", "afterok:0.svr@two", "afterok:1.svr@svr", NULL,
      true },
    { "by the host's name", "afterok:0.svr@two", "after:1.svr@svr.example", NULL,
      true },
    { "through a third server", "afterok:0.svr@two", "afterany:5.c@three",
      "afternotok:1.svr@svr", true },
    { "one entry of several", "afterok:0.svr@two",
      "beforeok:9.svr@svr:8.svr@svr,afterok:5.c@three", "after:9.svr@svr:1.svr@svr",
      true },
    { "a job that the wish has wait", "afterok:0.svr@two,beforeok:7.b@two",
      "afterok:7.b@two", NULL, true },
    { "an end", "afterok:0.svr@two", "", NULL, false },
    { "who is waited for does not count", "afterok:0.svr@two", "beforeok:1.svr@svr",
      NULL, false },
    { "a set does not count", "afterok:0.svr@two", "runone:1.svr@svr", NULL, false },
    { "the other servers' own circle", "afterok:0.svr@two", "afterok:5.c@three",
      "afterok:0.svr@two", false },
    { "nonsense", "afterok:0.svr@two", "afterok:,:x@@", NULL, false },
};

static void a_circle_over_servers_is_refused(void)
{
    for (size_t i = 0; i < ARRAY_LEN(chains); i++) {
        static const struct finding yes = { .found = true };
        struct two t = awaited_first();
        const struct wire_reply *said;
        const struct need *need;

        alter(&t, chains[i].wish);
        said = told(&t, "@two", "0.svr", chains[i].two);
        while (!said && (need = transfer_asked(t.out.from)) &&
               strncmp(need->name, "depend of ", 10) == 0) {
            const struct finding f =
                waits_for(strstr(need->name, " 5.c ") ? chains[i].three : "");

            said = two_answered(&t, &f);
        }
        /* Nobody has been told to note anything of a circle. */
        CU_ASSERT_EQUAL(said != NULL, chains[i].is_circle);
        if (!said)
            said = two_answered(&t, &yes);
        CU_ASSERT_PTR_NOT_NULL_FATAL(said);
        if (said->code != (chains[i].is_circle ? PBSE_BADDEPEND : 0))
            printf("%s: %d\n", chains[i].story, said->code);
        CU_ASSERT_EQUAL(said->code, chains[i].is_circle ? PBSE_BADDEPEND : 0);
        CU_ASSERT_EQUAL(rig_logged(t.out.from, "would wait for itself"),
                        chains[i].is_circle);
        two_free(&t);
    }
}

/* A server that is away says nothing of its jobs: the wish is decided without that. */
static void who_does_not_say_ends_the_chain(void)
{
    struct two t = awaited_first();

    alter(&t, "afterok:0.svr@two");
    CU_ASSERT_PTR_NULL(told(&t, "@two", "0.svr", "afterok:5.c@three"));
    CU_ASSERT_PTR_NULL(told(&t, "@three", "5.c", NULL));
    CU_ASSERT_PTR_NOT_NULL_FATAL(two_answered(&t, NULL));
    CU_ASSERT_EQUAL(t.out.said->code, 0);
    CU_ASSERT_EQUAL(state_of(t.out.from, FIRST), 'H');
    two_free(&t);
}

/* A job that nobody waits for is in no circle: nobody is asked. */
static void who_is_not_awaited_asks_nobody(void)
{
    struct two t = two_new();

    two_child(&t, "afterok"); /* one question, to register */
    two_ask_again(&t, 2, NULL);
    CU_ASSERT_PTR_NULL(transfer_asked(t.out.from));
    two_free(&t);
}

/* So many jobs of others are asked for, and no more. */
static void a_chain_without_end_is_cut(void)
{
    struct two t = awaited_first();
    struct rig *here = t.out.from;
    const struct need *need;
    int n = 0;

    alter(&t, "afterok:0.svr@two");
    while ((need = transfer_asked(here)) &&
           strncmp(need->name, "depend of ", 10) == 0 && n < 1000) {
        const struct finding f =
            waits_for(arena_printf(here->arena, "afterok:%d.b@two", ++n));

        CU_ASSERT_PTR_NULL_FATAL(two_answered(&t, &f));
    }
    CU_ASSERT_EQUAL(n, DEPEND_FAR_MAX);
    CU_ASSERT_PTR_NOT_NULL_FATAL(two_answered(&t, NULL));
    CU_ASSERT_EQUAL(t.out.said->code, 0);
    two_free(&t);
}

/* FIRST has its entry; the circle was closed meanwhile. 'own': its owner has asked for
 * the entry, and no other server. */
static struct two closed_meanwhile(bool own)
{
    struct two t = awaited_first();
    struct body_register_dep body = { "ann", FIRST, "0.svr@two", 5, 1, 0 };
    struct rig *here = t.out.from;

    if (own) {
        alter(&t, "afterok:" FIRST "@two");
        CU_ASSERT_PTR_NULL(told(&t, "@two", "0.svr", ""));
        CU_ASSERT_PTR_NOT_NULL_FATAL(two_answered(&t, NULL));
        CU_ASSERT_EQUAL(t.out.said->code, 0);
    } else {
        CU_ASSERT_EQUAL(two_say(&t, &body), 0);
    }
    CU_ASSERT_EQUAL(state_of(here, FIRST), 'H');
    rig_advance(here, here->now_at + 2);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(here));
    if (own)
        pair_tell(&t.out, transfer_asked(here), &(struct finding){ .found = true });
    /* Where the other job was to come first, its server is asked for it anyway. */
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(here));
    pair_tell(&t.out, transfer_asked(here),
              &(struct finding){ .found = true,
                                 .words = "afterok:1.svr@svr.example,"
                                          "beforeok:0.svr@svr.example" });
    CU_ASSERT_PTR_NULL(transfer_asked(here));
    CU_ASSERT_FALSE(obj_is_set(the_job(here, FIRST), JOB_A_HF_VERIFY));
    CU_ASSERT_TRUE(rig_logged(here, "Waits for itself through jobs of other servers"));
    return t;
}

static void a_circle_that_was_closed_twice_is_seen(void)
{
    struct two t = closed_meanwhile(true);
    struct rig *here = t.out.from;

    CU_ASSERT_STRING_EQUAL(obj_str(the_job(here, FIRST), JOB_A_COMMENT, ""),
                           "Waits for itself through jobs of other servers: delete one "
                           "of them or alter its depend");
    CU_ASSERT_EQUAL(state_of(here, FIRST), 'H');
    rig_restart(here);
    /* Its owner may do so. */
    CU_ASSERT_EQUAL(delete_job(here, RIG_USER, FIRST, NULL), 0);
    CU_ASSERT_PTR_NULL(the_job(here, FIRST));
    CU_ASSERT_EQUAL(state_of(here, "1.svr"), 'Q');
    two_free(&t);
}

/* What another server has asked for is no wish of the owner's: it goes. */
static void a_circle_of_another_server_is_opened(void)
{
    struct two t = closed_meanwhile(false);
    struct rig *here = t.out.from;

    CU_ASSERT_EQUAL(state_of(here, FIRST), 'Q');
    CU_ASSERT_FALSE(obj_is_set(the_job(here, FIRST), JOB_A_DEPEND));
    CU_ASSERT_FALSE(obj_is_set(the_job(here, FIRST), JOB_A_COMMENT));
    two_free(&t);
}

/* What a real server answers is what is looked for. */
static void a_server_says_what_its_job_waits_for(void)
{
    struct two t = awaited_first();

    alter(&t, "afterok:" FIRST "@two");
    /* That one waits for nobody, and 1.svr of that server for it. */
    CU_ASSERT_STRING_EQUAL_FATAL(
        submit(t.fm.r, RIG_USER, "", "depend=afterok:" FIRST, NULL), "1.svr");
    CU_ASSERT_PTR_NULL(two_answered(&t, NULL));
    CU_ASSERT_PTR_NOT_NULL_FATAL(two_answered(&t, NULL));
    CU_ASSERT_EQUAL(t.out.said->code, 0);
    two_ask_again(&t, 2, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(t.out.from));
    pair_go(&t.out, FOR_EVER);
    CU_ASSERT_TRUE(two_is_confirmed(t.out.from, FIRST));
    CU_ASSERT_EQUAL(state_of(t.out.from, FIRST), 'H');
    /* The words of the answer are the attribute. */
    alter(&t, "afterok:1.svr@two");
    {
        const struct need *need = transfer_asked(t.out.from);
        const struct finding f = pair_attempt(&t.out, need, FOR_EVER);

        CU_ASSERT_TRUE(f.found);
        CU_ASSERT_STRING_EQUAL(f.words ? f.words : "", "afterok:" FIRST "@svr");
    }
    two_free(&t);
}

static const struct unit_case cases[] = {
    { "a circle over servers is refused", a_circle_over_servers_is_refused },
    { "who does not say ends the chain", who_does_not_say_ends_the_chain },
    { "who is not awaited asks nobody", who_is_not_awaited_asks_nobody },
    { "a chain without end is cut", a_chain_without_end_is_cut },
    { "a circle that was closed twice is seen",
      a_circle_that_was_closed_twice_is_seen },
    { "a circle of another server is opened", a_circle_of_another_server_is_opened },
    { "a server says what its job waits for", a_server_says_what_its_job_waits_for },
};

int main(void)
{
    return unit_main("circles over servers", cases, ARRAY_LEN(cases));
}
