/* test_depend_remote.c - a job waits for one of another server: who is refused at once,
 * what each end means, and what a server may not do (wire.md 14,
 * doc/design/075-dependencies-between-servers.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/depend_remote.h"
#include "test/unit/server/two.h"
#include "test/unit/unit.h"

#include <string.h>

static void every_end_is_told(void)
{
    static const struct {
        const char *type, *fates; /* of each end; '-' deleted */
    } cases[] = {
        { "after", "QQQ-" },
        { "afterok", "HQ--" },
        { "afternotok", "H-QQ" },
        { "afterany", "HQQQ" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (enum how how = 0; how < HOWS; how++) {
            struct two t = two_new();
            struct rig *here = t.out.from;
            const char *id = two_child(&t, cases[i].type);
            char fate = cases[i].fates[how];

            CU_ASSERT_EQUAL(state_of(here, id), 'H');
            CU_ASSERT_EQUAL(obj_num(the_job(here, id), JOB_A_SUBSTATE, 0), 22);
            two_let_happen(&t.fm, how);
            two_tell(&t);
            if (fate == '-')
                CU_ASSERT_PTR_NULL(the_job(here, id));
            if (fate == '-')
                CU_ASSERT_STRING_EQUAL(
                    accounted(here, 'A', 0),
                    "Job deleted as result of dependency on job " FIRST);
            if (fate != '-' && state_of(here, id) != fate)
                printf("%s %d\n", cases[i].type, (int)how);
            if (fate != '-')
                CU_ASSERT_EQUAL(state_of(here, id), fate);
            /* It is forgotten when everybody was told. */
            CU_ASSERT_EQUAL(the_job(t.fm.r, FIRST) != NULL, how == RUNS);
            two_free(&t);
        }
}

static void what_cannot_be_is_refused_at_once(void)
{
    static const struct {
        const char *story, *depend;
        int code;
    } cases[] = {
        { "that server has no such job", "afterok:77.svr@two", PBSE_BADDEPEND },
        { "it ended otherwise", "afterok:1.svr@two", PBSE_HISTDEPEND },
        { "a job that is not there were to wait", "before:77.svr@two", PBSE_BADDEPEND },
        { "one that is over there", "beforeany:1.svr@two", PBSE_BADDEPEND },
        { "a job that it waits for", "afterok:0.svr@two,before:0.svr@two",
          PBSE_BADDEPEND },
        { "a set over two servers", "runone:0.svr@two", PBSE_BADDEPEND },
        { "one is there, one is not", "afterok:0.svr@two:77.svr@two", PBSE_BADDEPEND },
    };
    struct two t = two_new();
    struct rig *here = t.out.from;

    CU_ASSERT_EQUAL(rig_manager(t.fm.r, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                "job_history_enable=true"),
                    0);
    delete_job(t.fm.r, RIG_USER, submit(t.fm.r, RIG_USER, "", "", NULL), NULL);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct wire_reply *said;

        two_ask_for(&t, cases[i].depend);
        said = rig_reply(here, t.out.client);
        while (!said && transfer_asked(here))
            said = two_answered(&t, NULL);
        if (!said || said->code != cases[i].code)
            printf("%s: %d\n", cases[i].story, said ? said->code : -1);
        CU_ASSERT_TRUE(said && said->code == cases[i].code);
    }
    /* The words say what is wrong with a set. */
    two_ask_for(&t, "runone:0.svr@two");
    CU_ASSERT_STRING_EQUAL(
        rig_reply(here, t.out.client)->text,
        "Invalid Job Dependency: all jobs of a runone set have to be "
        "at one server, and job 0.svr@two is at another one");
    /* A server that does not answer: nobody knows. */
    two_ask_for(&t, "afterok:0.svr@two");
    two_answered(&t, &(struct finding){ .failed = true, .words = "Cannot connect" });
    CU_ASSERT_PTR_NOT_NULL_FATAL(t.out.said);
    CU_ASSERT_EQUAL(t.out.said->code, PBSE_SYSTEM);
    CU_ASSERT_STRING_EQUAL(t.out.said->text, "Cannot connect");
    CU_ASSERT_EQUAL(svr_model(here->s)->kinds[OBJ_JOB].n, 0);
    two_free(&t);
}

/* It moved on, and the server that had it says so. */
static void a_job_that_moved_is_not_waited_for(void)
{
    struct two t = two_new();
    const struct body_move body = { .job_id = FIRST, .destination = "q@three" };
    const struct need *leaves;

    CU_ASSERT_EQUAL(rig_manager(t.fm.r, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                "job_history_enable=true"),
                    0);
    CU_ASSERT_PTR_NULL(rig_ask(t.fm.r, RIG_USER, BATCH_MOVE_JOB, &body, NULL));
    leaves = transfer_asked(t.fm.r);
    two_ask_for(&t, "afterok:" FIRST "@two");
    CU_ASSERT_PTR_NOT_NULL_FATAL(two_answered(&t, NULL));
    CU_ASSERT_EQUAL(t.out.said->code, PBSE_BADDEPEND);
    pair_tell(&t.back, leaves, &(struct finding){ .found = true });
    CU_ASSERT_EQUAL(state_of(t.fm.r, FIRST), 'M');
    two_ask_for(&t, "afterok:" FIRST "@two");
    CU_ASSERT_PTR_NOT_NULL_FATAL(two_answered(&t, NULL));
    CU_ASSERT_EQUAL(t.out.said->code, PBSE_BADDEPEND);
    CU_ASSERT_TRUE(rig_logged(t.out.from, pbse_text(PBSE_JOB_MOVED)));
    two_free(&t);
}

static void who_is_waited_for_stays(void)
{
    struct two t = two_new();
    const struct body_move body = { .job_id = FIRST, .destination = "q@three" };
    const char *shown;

    two_child(&t, "afterok");
    shown = rig_value(t.fm.r, RIG_USER, BATCH_STATUS_JOB, FIRST, "depend");
    CU_ASSERT_STRING_EQUAL(shown ? shown : "", "beforeok:0.svr@svr.example");
    CU_ASSERT_EQUAL(rig_ask(t.fm.r, RIG_USER, BATCH_MOVE_JOB, &body, NULL)->code,
                    PBSE_NOSUP);
    two_free(&t);
}

/* Whoever deletes its history takes nothing from those that wait for it. */
static void history_is_deleted_when_all_are_told(void)
{
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const char *id = two_child(&t, "afterok");

    CU_ASSERT_EQUAL(rig_manager(there, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                "job_history_enable=true"),
                    0);
    two_let_happen(&t.fm, IS_DELETED);
    CU_ASSERT_EQUAL(delete_job(there, RIG_USER, FIRST, "deletehist"), 0);
    CU_ASSERT_PTR_NOT_NULL(the_job(there, FIRST));
    two_tell(&t);
    CU_ASSERT_PTR_NULL(the_job(there, FIRST));
    CU_ASSERT_PTR_NULL(the_job(t.out.from, id));
    two_free(&t);
}

/* What a server says to 'here', where 1.svr waits for 0.svr of here and of two. */
static const struct {
    const char *story;
    struct body_register_dep body;
    int code;
} said[] = {
    { "a job that is not here", { "ann", "77.svr", "5.far", 1, 1, 0 }, PBSE_UNKJOBID },
    { "no id", { "ann", FIRST, "5", 1, 1, 0 }, PBSE_IVALREQ },
    { "an id with a path", { "ann", FIRST, "5.far/..", 1, 1, 0 }, PBSE_IVALREQ },
    { "an id with a comma", { "ann", FIRST, "5.far,x", 1, 1, 0 }, PBSE_IVALREQ },
    { "a server with blanks", { "ann", FIRST, "5.far@a b", 1, 1, 0 }, PBSE_IVALREQ },
    { "no server", { "ann", FIRST, "5.far@", 1, 1, 0 }, PBSE_IVALREQ },
    { "a subjob", { "ann", FIRST, "5[1].far", 1, 1, 0 }, PBSE_IVALREQ },
    { "no type", { "ann", FIRST, "5.far", 10, 1, 0 }, PBSE_IVALREQ },
    { "somebody else's job were to wait",
      { "eve", FIRST, "5.far", 4, 1, 0 },
      PBSE_BADDEPEND },
    { "the beginning of the owner's name",
      { "an", FIRST, "5.far", 4, 1, 0 },
      PBSE_BADDEPEND },
    { "a job were to wait for one of this server",
      { "ann", FIRST, "5.svr", 4, 1, 0 },
      PBSE_BADDEPEND },
    { "a job that is not here were to wait",
      { "ann", "77.svr", "5.far", 4, 1, 0 },
      PBSE_UNKJOBID },
    { "a circle: 1.svr waits for that one",
      { "ann", "1.svr", "0.svr@far", 1, 1, 0 },
      PBSE_BADDEPEND },
    { "a set of which one runs", { "ann", FIRST, "5.far", 9, 1, 0 }, PBSE_BADDEPEND },
    { "a number of others", { "ann", FIRST, "5.far", 8, 1, 0 }, PBSE_BADDEPEND },
    { "no operation", { "ann", FIRST, "5.far", 1, 9, 0 }, PBSE_IVALREQ },
    { "the end of what is not awaited", { "ann", "9.far", "1.svr", 1, 4, 0 }, 0 },
    { "the end of a job of here", { "ann", FIRST, "1.svr", 3, 4, 0 }, 0 },
    { "another end than is awaited", { "ann", FIRST, "1.svr", 0, 4, 0 }, 0 },
    { "the end of a job's wait that is not here",
      { "ann", FIRST, "77.svr", 1, 2, 0 },
      PBSE_UNKJOBID },
};

static void a_server_touches_only_who_waits_for_it(void)
{
    struct two t = two_new();
    struct rig *here = t.out.from;
    const struct body_register_dep good = { "ann", FIRST, "1.svr", 1, 2, 0 };

    CU_ASSERT_STRING_EQUAL_FATAL(submit(here, RIG_USER, "", "", NULL), FIRST);
    two_ask_for(&t, "afterok:" FIRST "@two,afterany:" FIRST);
    CU_ASSERT_PTR_NOT_NULL_FATAL(two_answered(&t, NULL));
    CU_ASSERT_EQUAL_FATAL(t.out.said->code, 0);
    for (size_t i = 0; i < ARRAY_LEN(said); i++) {
        uint64_t before = svr_model(here->s)->seq;
        int code = two_say(&t, &said[i].body);

        if (code != said[i].code)
            printf("%s: %d\n", said[i].story, code);
        CU_ASSERT_EQUAL(code, said[i].code);
        CU_ASSERT_EQUAL(svr_model(here->s)->seq, before); /* and nothing is changed */
    }
    /* A client is no server, whoever he is. */
    CU_ASSERT_EQUAL(rig_ask(here, RIG_ROOT, BATCH_REGISTER_DEP, &good, NULL)->code,
                    PBSE_IVALREQ);
    /* What it says of its own job counts, and the other dependency stays. */
    CU_ASSERT_EQUAL(two_say(&t, &good), 0);
    CU_ASSERT_STRING_EQUAL(obj_str(the_job(here, "1.svr"), JOB_A_DEPEND, ""),
                           "afterany:" FIRST "@svr");
    CU_ASSERT_EQUAL(state_of(here, "1.svr"), 'H');
    two_free(&t);
}

/* A server that asks for a set is told what is wrong with it. */
static void a_set_is_refused_with_words(void)
{
    static const struct body_register_dep body = { "ann", FIRST, "5.far", 9, 1, 0 };
    const struct wire_request rq = { .number = BATCH_REGISTER_DEP,
                                     .user = RIG_ROOT,
                                     .body = &body };
    struct two t = two_new();
    struct wire_reply reply;

    CU_ASSERT_PTR_NOT_NULL_FATAL(submit(t.out.from, RIG_USER, "", "", NULL));
    reply = pair_served(&t.back, &rq);
    CU_ASSERT_EQUAL(reply.code, PBSE_BADDEPEND);
    CU_ASSERT_EQUAL_FATAL(reply.choice, REPLY_TEXT);
    CU_ASSERT_STRING_EQUAL(reply.text,
                           "Invalid Job Dependency: all jobs of a runone set "
                           "have to be at one server");
    two_free(&t);
}

/* What another server says is one line, of which so much is kept. */
static void words_of_a_server_are_one_line(void)
{
    struct arena *arena = arena_new();
    char text[FINDING_MAX_WORDS + 100];
    struct wire_reply reply = { .code = PBSE_SYSTEM,
                                .choice = REPLY_TEXT,
                                .text = "No\n28;0080;Svr\033[2J" };

    CU_ASSERT_STRING_EQUAL(finding_words(&reply, arena), "No 28;0080;Svr^[[2J");
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    reply.text = text;
    CU_ASSERT_EQUAL(strlen(finding_words(&reply, arena)), FINDING_MAX_WORDS);
    reply.text = "";
    CU_ASSERT_STRING_EQUAL(finding_words(&reply, arena), "");
    reply.choice = REPLY_NULL;
    CU_ASSERT_PTR_NULL(finding_words(&reply, arena));
    arena_free(arena);
}

static void so_many_wait_and_no_more(void)
{
    struct two t = two_new();
    struct body_register_dep body = { "ann", FIRST, "", 1, 1, 0 };
    char id[40];

    CU_ASSERT_PTR_NOT_NULL_FATAL(submit(t.out.from, RIG_USER, "", "", NULL));
    for (int i = 0; i < WAITERS_MAX; i++) {
        snprintf(id, sizeof(id), "%d.far@far:15001", i);
        body.child_id = id;
        CU_ASSERT_EQUAL(two_say(&t, &body), 0);
    }
    CU_ASSERT_EQUAL(two_say(&t, &body), 0); /* it is registered already */
    body.child_id = "1000.far";
    CU_ASSERT_EQUAL(two_say(&t, &body), PBSE_BADDEPEND);
    body.child_id = "3.far";
    body.operation = DEPEND_OP_UNREGISTER;
    CU_ASSERT_EQUAL(two_say(&t, &body), 0);
    body.child_id = "1000.far";
    body.operation = DEPEND_OP_REGISTER;
    CU_ASSERT_EQUAL(two_say(&t, &body), 0);
    two_free(&t);
}

static const struct unit_case cases[] = {
    { "every end is told", every_end_is_told },
    { "what cannot be is refused at once", what_cannot_be_is_refused_at_once },
    { "a job that moved is not waited for", a_job_that_moved_is_not_waited_for },
    { "who is waited for stays", who_is_waited_for_stays },
    { "history is deleted when all are told", history_is_deleted_when_all_are_told },
    { "a server touches only who waits for it",
      a_server_touches_only_who_waits_for_it },
    { "a set is refused with words", a_set_is_refused_with_words },
    { "words of a server are one line", words_of_a_server_are_one_line },
    { "so many wait and no more", so_many_wait_and_no_more },
};

int main(void)
{
    return unit_main("dependencies between servers", cases, ARRAY_LEN(cases));
}
