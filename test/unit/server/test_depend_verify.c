/* test_depend_verify.c - a job that waits for one of another server registers there
 * once more, since an answer may have been late
 * (doc/design/075-dependencies-between-servers.md, "Asked twice").
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/depend_remote.h"
#include "test/unit/server/two.h"
#include "test/unit/unit.h"

#define DAY_S 86400

/* 'there' has registered, its answer is late, and meanwhile its job has ended and
 * 'here' was told of the end twice, before it had the job or the entry. 'alter': it is
 * an entry of ModifyJob of that job, NULL: a new job's. The id of the job that waits.
 */
static const char *told_too_early(struct two *t, const char *alter, enum how how)
{
    static const char entry[] = "afterok:" FIRST "@two";
    struct rig *here = t->out.from, *there = t->fm.r;
    const struct body_manage body = { .command = 2,
                                      .object_type = 2,
                                      .object_name = alter,
                                      .attrs = rig_attrs(here, "depend=afterok:" FIRST
                                                               "@two") };
    const struct need *need;
    struct finding late;

    if (!alter)
        two_ask_for(t, entry);
    else if (rig_ask(here, RIG_USER, BATCH_MODIFY_JOB, &body, NULL))
        CU_FAIL("ModifyJob is answered before it is known");
    t->out.client = here->conn;
    need = transfer_asked(here);
    CU_ASSERT_PTR_NOT_NULL_FATAL(need);
    late = pair_attempt(&t->out, need, FOR_EVER);
    two_let_happen(&t->fm, how);
    while (transfer_asked(there))
        pair_go(&t->back, FOR_EVER);
    rig_advance(there, there->now_at + 60);
    while (transfer_asked(there))
        pair_go(&t->back, FOR_EVER);
    pair_tell(&t->out, need, &late);
    if (!t->out.said)
        t->out.said = rig_go_on(here, t->out.client);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t->out.said);
    CU_ASSERT_EQUAL_FATAL(t->out.said->code, 0);
    return alter ? alter : arena_strdup(here->arena, t->out.said->text);
}

/* The other server has forgotten its job, or has it as history; this server begins
 * again in between, or the other one does not answer for a while. */
static void a_late_answer_leaves_nobody_waiting(void)
{
    static const struct finding nobody = { .failed = true };

    for (int n = 0; n < 16; n++) {
        bool alter = n & 1, restart = n & 2, away = n & 4, history = n & 8;
        struct two t = two_new();
        struct rig *here = t.out.from;
        const char *id =
            alter ? submit(here, RIG_USER, "", "Hold_Types=u", "x\n") : NULL;

        if (history)
            CU_ASSERT_EQUAL(rig_manager(t.fm.r, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                        "job_history_enable=true"),
                            0);
        id = told_too_early(&t, id, IS_DELETED);
        CU_ASSERT_PTR_NOT_NULL_FATAL(the_job(here, id));
        if (restart)
            rig_restart(here);
        if (away)
            two_ask_again(&t, 2, &nobody);
        two_ask_again(&t, away ? 60 : 2, NULL);
        if (!history) {
            CU_ASSERT_PTR_NOT_NULL(the_job(here, id));
            if (restart)
                rig_restart(here);
            two_ask_again(&t, 60, NULL);
        }
        CU_ASSERT_PTR_NULL(the_job(here, id));
        CU_ASSERT_STRING_EQUAL(accounted(here, 'A', 0),
                               "Job deleted as result of dependency on job " FIRST);
        CU_ASSERT_TRUE(rig_logged(here, "is not waited for"));
        two_free(&t);
    }
}

/* The end that it waited for is told once more, where the other server still knows it.
 */
static void a_late_answer_lets_go(void)
{
    struct two t = two_new();
    const char *id;

    CU_ASSERT_EQUAL(rig_manager(t.fm.r, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                "job_history_enable=true"),
                    0);
    id = told_too_early(&t, NULL, ENDS_WELL);
    CU_ASSERT_EQUAL(state_of(t.out.from, id), 'H');
    two_ask_again(&t, 2, NULL);
    CU_ASSERT_EQUAL(state_of(t.out.from, id), 'H');
    two_tell(&t);
    CU_ASSERT_EQUAL(state_of(t.out.from, id), 'Q');
    two_free(&t);
}

/* The answer to the registration is under way for nearly a minute. The end is told
 * meanwhile, and 'here' does not know the job yet: that is kept until it is there. */
static void an_answer_may_take_a_while(void)
{
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const struct need *registers;
    struct finding yes;

    two_ask_for(&t, "afterok:" FIRST "@two");
    registers = transfer_asked(t.out.from);
    CU_ASSERT_PTR_NOT_NULL_FATAL(registers);
    yes = pair_attempt(&t.out, registers, FOR_EVER);
    two_let_happen(&t.fm, ENDS_WELL);
    pair_go(&t.back, FOR_EVER);
    rig_advance(there, there->now_at + 59);
    CU_ASSERT_PTR_NULL(transfer_asked(there));
    pair_tell(&t.out, registers, &yes);
    CU_ASSERT_EQUAL_FATAL(rig_go_on(t.out.from, t.out.client)->code, 0);
    two_ask_again(&t, 2, NULL);
    rig_advance(there, there->now_at + 1);
    two_tell(&t);
    CU_ASSERT_EQUAL(state_of(t.out.from, FIRST), 'Q');
    two_free(&t);
}

/* 'there' tells the end for the second time before 'here' has the job, and hears the
 * answer only after 'here' has registered once more: that answer counts no more. */
static void a_late_answer_takes_off_nobody(void)
{
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const struct need *registers, *second;
    struct finding yes, unknown;

    CU_ASSERT_EQUAL(rig_manager(there, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                "job_history_enable=true"),
                    0);
    two_ask_for(&t, "afterok:" FIRST "@two");
    registers = transfer_asked(t.out.from);
    CU_ASSERT_PTR_NOT_NULL_FATAL(registers);
    yes = pair_attempt(&t.out, registers, FOR_EVER);
    two_let_happen(&t.fm, ENDS_WELL);
    pair_go(&t.back, FOR_EVER);
    rig_advance(there, there->now_at + 60);
    second = transfer_asked(there);
    CU_ASSERT_PTR_NOT_NULL_FATAL(second);
    unknown = pair_attempt(&t.back, second, FOR_EVER);
    CU_ASSERT_EQUAL(unknown.code, PBSE_UNKJOBID);
    pair_tell(&t.out, registers, &yes);
    CU_ASSERT_EQUAL_FATAL(rig_go_on(t.out.from, t.out.client)->code, 0);
    two_ask_again(&t, 2, NULL);
    pair_tell(&t.back, second, &unknown);
    CU_ASSERT_EQUAL(state_of(t.out.from, FIRST), 'H');
    rig_advance(there, there->now_at + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(there));
    pair_go(&t.back, FOR_EVER);
    CU_ASSERT_EQUAL(state_of(t.out.from, FIRST), 'Q');
    CU_ASSERT_FALSE(obj_is_set(the_job(there, FIRST), JOB_A_HF_WAITERS));
    two_free(&t);
}

/* ... deletes no job that waits for one of its own. */
static void who_cannot_look_is_asked_again(void)
{
    for (size_t i = 0; i < ARRAY_LEN(two_says_nothing); i++) {
        const struct finding not_now = { .code = two_says_nothing[i] };
        struct two t = two_new();
        const char *id = two_child(&t, "afterok");

        two_ask_again(&t, 2, &not_now);
        CU_ASSERT_PTR_NOT_NULL_FATAL(the_job(t.out.from, id));
        CU_ASSERT_EQUAL(state_of(t.out.from, id), 'H');
        two_ask_again(&t, 60, NULL);
        CU_ASSERT_TRUE(two_is_confirmed(t.out.from, id));
        CU_ASSERT_EQUAL(state_of(t.out.from, id), 'H');
        two_free(&t);
    }
}

static const char *comment_of(const struct rig *r, const char *id)
{
    return obj_str(the_job(r, id), JOB_A_COMMENT, "");
}

/* It is asked ever more seldom, and its owner is told why the job waits. */
static void who_never_looks_is_asked_seldom(void)
{
    static const struct finding no = { .code = PBSE_PERM };
    static const int64_t pauses_s[] = { 2, 60, 120, 240, 480, 960, 1920, 3600, 3600 };
    struct two t = two_new();
    struct rig *here = t.out.from;
    const char *id = two_child(&t, "afterok");
    const char *why =
        arena_printf(here->arena, "Not confirmed by server two: job 0.svr: %s",
                     pbse_text(PBSE_PERM));

    for (size_t i = 0; i < ARRAY_LEN(pauses_s); i++) {
        rig_advance(here, here->now_at + pauses_s[i] - 1);
        CU_ASSERT_PTR_NULL(transfer_asked(here));
        two_ask_again(&t, 1, &no);
        CU_ASSERT_STRING_EQUAL(comment_of(here, id), i == 0 ? "" : why);
        if (i == 3)
            rig_restart(here);
    }
    two_ask_again(&t, 3600, NULL);
    CU_ASSERT_STRING_EQUAL(comment_of(here, id), "");
    CU_ASSERT_TRUE(two_is_confirmed(here, id));
    CU_ASSERT_EQUAL(state_of(here, id), 'H');
    two_free(&t);
}

/* ... and after a week no more. The job waits on: the other server may still tell it.
 */
static void who_never_looks_is_given_up(void)
{
    static const struct finding nobody = { .failed = true, .words = "Cannot connect" };
    struct two t = two_new();
    struct rig *here = t.out.from;
    const char *id = two_child(&t, "afterany");
    int64_t from_at = here->now_at;
    int n = 0;

    for (; obj_is_set(the_job(here, id), JOB_A_HF_VERIFY) && n < 1000; n++) {
        rig_advance(here, svr_next_deadline(here->s));
        CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(here));
        pair_tell(&t.out, transfer_asked(here), &nobody);
    }
    CU_ASSERT_TRUE(here->now_at - from_at > 6 * 86400);
    CU_ASSERT_TRUE(here->now_at - from_at < 8 * 86400);
    CU_ASSERT_STRING_EQUAL(comment_of(here, id),
                           "Not confirmed by server two: job 0.svr: Cannot connect. It "
                           "is asked no more: delete the job or alter its depend");
    rig_advance(here, here->now_at + 86400);
    CU_ASSERT_PTR_NULL(transfer_asked(here));
    CU_ASSERT_EQUAL(state_of(here, id), 'H');
    two_let_happen(&t.fm, IS_DELETED);
    two_tell(&t);
    CU_ASSERT_EQUAL(state_of(here, id), 'Q');
    two_free(&t);
}

/* The entry is confirmed once; what was let go before is not asked for. */
static void an_entry_is_confirmed_once(void)
{
    for (int told = 0; told < 2; told++) {
        struct two t = two_new();
        struct rig *here = t.out.from;
        const char *id = two_child(&t, "afterany");

        if (told) {
            two_let_happen(&t.fm, IS_DELETED);
            two_tell(&t);
            CU_ASSERT_EQUAL(state_of(here, id), 'Q');
            rig_advance(here, here->now_at + 2);
        } else {
            two_ask_again(&t, 2, NULL);
        }
        CU_ASSERT_PTR_NULL(transfer_asked(here));
        CU_ASSERT_EQUAL(two_is_confirmed(here, id), !told);
        CU_ASSERT_EQUAL(obj_is_set(the_job(here, id), JOB_A_HF_VERIFY), !told);
        CU_ASSERT_EQUAL(obj_is_set(the_job(here, id), JOB_A_HF_VERIFY_AT), !told);
        rig_advance(here, here->now_at + DAY_S - 1);
        CU_ASSERT_PTR_NULL(transfer_asked(here));
        CU_ASSERT_EQUAL(state_of(here, id), told ? 'Q' : 'H');
        two_free(&t);
    }
}

/* The same of what is to be confirmed: one that was not known once is asked for again.
 */
static void each_confirmation_is_a_message(void)
{
    static const struct finding yes = { .found = true },
                                unknown = { .code = PBSE_UNKJOBID };
    struct two t = two_new();
    struct rig *here = t.out.from;
    const char *id;

    two_ask_for(&t, "afterok:" FIRST "@two,afterok:7.svr@slow:8.svr@slow:9.svr@slow:"
                    "10.svr@slow");
    CU_ASSERT_EQUAL(n_asked(here), 5); /* at the same time */
    CU_ASSERT_PTR_NOT_NULL_FATAL(two_answered(&t, &yes));
    CU_ASSERT_EQUAL_FATAL(t.out.said->code, 0);
    id = t.out.said->text;
    rig_advance(here, here->now_at + 2);
    CU_ASSERT_STRING_EQUAL_FATAL(transfer_asked(here)->detail, "@two");
    pair_tell(&t.out, transfer_asked(here), &unknown);
    for (int i = 0; i < 4; i++) { /* one after the other, each late */
        const struct need *slow = transfer_asked(here);

        CU_ASSERT_STRING_EQUAL_FATAL(slow->detail, "@slow");
        rig_advance(here, here->now_at + 19);
        pair_tell(&t.out, slow, &yes);
    }
    CU_ASSERT_TRUE(is_asked(here, "@two"));
    CU_ASSERT_PTR_NOT_NULL_FATAL(the_job(here, id));
    CU_ASSERT_EQUAL(state_of(here, id), 'H');
    two_free(&t);
}

/* The server of FIRST loses who waits for it, as with its store. */
static void lose_waiters(struct two *t, const char *id, enum depend_type type)
{
    const struct body_register_dep body = {
        .owner = RIG_ROOT,
        .parent_id = FIRST,
        .child_id = arena_printf(t->fm.r->arena, "%s@svr.example:15001", id),
        .type = depend_type_to_wire(type),
        .operation = DEPEND_OP_UNREGISTER,
    };
    const struct wire_request rq = { .number = BATCH_REGISTER_DEP,
                                     .user = RIG_ROOT,
                                     .body = &body };

    t->out.conn++;
    CU_ASSERT_EQUAL(pair_served(&t->out, &rq).code, 0);
    CU_ASSERT_FALSE(obj_is_set(the_job(t->fm.r, FIRST), JOB_A_HF_WAITERS));
}

/* A job of 'here' whose entry 'there' has confirmed. */
static const char *confirmed(struct two *t, const char *type)
{
    const char *id = two_child(t, type);

    two_ask_again(t, 2, NULL);
    CU_ASSERT_TRUE(two_is_confirmed(t->out.from, id));
    return id;
}

/* Each day, also when the server was restarted: nothing changes as long as the other
 * server knows it, and nobody is told of that. */
static void what_is_confirmed_is_asked_for_daily(void)
{
    struct two t = two_new();
    struct rig *here = t.out.from;
    const char *id = confirmed(&t, "afterok");

    for (int day = 0; day < 4; day++) {
        rig_advance(here, here->now_at + DAY_S - 1);
        CU_ASSERT_PTR_NULL(transfer_asked(here));
        two_ask_again(&t, 1, NULL);
        CU_ASSERT_FALSE(rig_logged(here, "Job Modified"));
        CU_ASSERT_TRUE(two_is_confirmed(here, id));
        CU_ASSERT_STRING_EQUAL(comment_of(here, id), "");
        if (day == 1)
            rig_restart(here);
    }
    two_let_happen(&t.fm, ENDS_WELL);
    two_tell(&t);
    CU_ASSERT_EQUAL(state_of(here, id), 'Q');
    /* It waits for nothing any more, and so it is asked for no more. */
    rig_advance(here, here->now_at + DAY_S);
    CU_ASSERT_PTR_NULL(transfer_asked(here));
    CU_ASSERT_FALSE(obj_is_set(the_job(here, id), JOB_A_HF_VERIFY));
    two_free(&t);
}

/* The other server has lost who waits, and has the job, or has it as history: it tells
 * what it would have told. */
static void who_has_lost_its_waiters_has_them_again(void)
{
    for (int n = 0; n < 4; n++) {
        bool over = n & 1, restart = n & 2;
        struct two t = two_new();
        struct rig *here = t.out.from;
        const char *id = confirmed(&t, "afterok");

        CU_ASSERT_EQUAL(rig_manager(t.fm.r, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                    "job_history_enable=true"),
                        0);
        lose_waiters(&t, id, DEPEND_AFTEROK);
        if (over)
            two_let_happen(&t.fm, ENDS_WELL);
        if (restart)
            rig_restart(here);
        two_ask_again(&t, DAY_S, NULL);
        CU_ASSERT_EQUAL(state_of(here, id), 'H');
        if (!over)
            two_let_happen(&t.fm, ENDS_WELL);
        two_tell(&t);
        CU_ASSERT_EQUAL(state_of(here, id), 'Q');
        two_free(&t);
    }
}

/* The job is unknown there: its owner is told for a day why it waits, and then it is
 * deleted, unless the store is brought back meanwhile. */
static void what_is_lost_is_given_up_after_a_day(void)
{
    static const struct finding unknown = { .code = PBSE_UNKJOBID },
                                moved = { .code = PBSE_JOB_MOVED };

    for (int n = 0; n < 4; n++) {
        const struct finding *says = n & 1 ? &moved : &unknown;
        bool comes_back = n & 2;
        struct two t = two_new();
        struct rig *here = t.out.from;
        const char *id = confirmed(&t, "afterany");

        two_ask_again(&t, DAY_S, says);
        CU_ASSERT_TRUE(rig_logged(here, "is not known there any more"));
        CU_ASSERT_STRING_EQUAL(
            comment_of(here, id),
            arena_printf(here->arena,
                         "Not confirmed by server two: job 0.svr: %s. It is asked once "
                         "more in a day",
                         pbse_text(says->code)));
        CU_ASSERT_EQUAL(state_of(here, id), 'H');
        rig_advance(here, here->now_at + DAY_S - 1);
        CU_ASSERT_PTR_NULL(transfer_asked(here));
        two_ask_again(&t, 1, comes_back ? NULL : says);
        if (comes_back) {
            CU_ASSERT_STRING_EQUAL(comment_of(here, id), "");
            /* To be unknown twice means twice in succession. */
            two_ask_again(&t, DAY_S, says);
            CU_ASSERT_EQUAL(state_of(here, id), 'H');
        } else {
            CU_ASSERT_PTR_NULL(the_job(here, id));
            CU_ASSERT_STRING_EQUAL(accounted(here, 'A', 0),
                                   "Job deleted as result of dependency on job " FIRST);
        }
        two_free(&t);
    }
}

/* It has ended otherwise, and who waits has not been told. */
static void what_will_never_be_is_given_up_at_once(void)
{
    struct two t = two_new();
    const char *id = confirmed(&t, "afterok");

    CU_ASSERT_EQUAL(rig_manager(t.fm.r, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                "job_history_enable=true"),
                    0);
    lose_waiters(&t, id, DEPEND_AFTEROK);
    two_let_happen(&t.fm, ENDS_BADLY);
    two_ask_again(&t, DAY_S, NULL);
    CU_ASSERT_PTR_NULL(the_job(t.out.from, id));
    two_free(&t);
}

/* A server that is away has the job still: it is asked each hour, for as long as that
 * takes, and its owner reads nothing. What else is said is no news either. */
static void what_is_confirmed_outlasts_silence(void)
{
    static const struct finding nobody = { .failed = true, .words = "Cannot connect" },
                                circle = { .code = PBSE_BADDEPEND };
    struct two t = two_new();
    struct rig *here = t.out.from;
    const char *id = confirmed(&t, "afterok");

    two_ask_again(&t, DAY_S, &nobody);
    for (int i = 0; i < 200; i++)
        two_ask_again(&t, 3600,
                      i % 2 ? &nobody : &(struct finding){ .code = PBSE_PERM });
    CU_ASSERT_STRING_EQUAL(comment_of(here, id), "");
    two_ask_again(&t, 3600, &circle);
    two_ask_again(&t, DAY_S, &circle);
    two_ask_again(&t, DAY_S, NULL);
    CU_ASSERT_EQUAL(state_of(here, id), 'H');
    CU_ASSERT_TRUE(two_is_confirmed(here, id));
    two_free(&t);
}

static const struct unit_case cases[] = {
    { "a late answer leaves nobody waiting", a_late_answer_leaves_nobody_waiting },
    { "a late answer lets go", a_late_answer_lets_go },
    { "an answer may take a while", an_answer_may_take_a_while },
    { "a late answer takes off nobody", a_late_answer_takes_off_nobody },
    { "who cannot look is asked again", who_cannot_look_is_asked_again },
    { "who never looks is asked seldom", who_never_looks_is_asked_seldom },
    { "who never looks is given up", who_never_looks_is_given_up },
    { "an entry is confirmed once", an_entry_is_confirmed_once },
    { "each confirmation is a message", each_confirmation_is_a_message },
    { "what is confirmed is asked for daily", what_is_confirmed_is_asked_for_daily },
    { "who has lost its waiters has them again",
      who_has_lost_its_waiters_has_them_again },
    { "what is lost is given up after a day", what_is_lost_is_given_up_after_a_day },
    { "what will never be is given up at once",
      what_will_never_be_is_given_up_at_once },
    { "what is confirmed outlasts silence", what_is_confirmed_outlasts_silence },
};

int main(void)
{
    return unit_main("dependencies that are confirmed", cases, ARRAY_LEN(cases));
}
