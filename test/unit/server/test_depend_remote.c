/* test_depend_remote.c - a job waits for one of another server: who is refused at once,
 * what each end means, servers that are away in between, and what a server may not do
 * (wire.md 14, doc/design/075-dependencies-between-servers.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/depend_remote.h"
#include "test/unit/server/pair.h"
#include "test/unit/unit.h"

#include <inttypes.h>
#include <string.h>

#define FIRST "0.svr" /* the job that is waited for; 'there' has it */

struct two {
    struct fake_mom fm; /* of 'there' */
    struct pair out;    /* what 'here' asks 'there' */
    struct pair back;   /* what 'there' tells 'here' */
};

static struct two two_new(void)
{
    struct two t = { .fm = fake_mom_new() };

    CU_ASSERT_STRING_EQUAL_FATAL(submit(t.fm.r, RIG_USER, "", "", "x\n"), FIRST);
    t.out = (struct pair){ .from = rig_new(), .to = t.fm.r, .conn = 1000 };
    t.back = (struct pair){ .from = t.fm.r, .to = t.out.from, .conn = 2000 };
    return t;
}

static void two_free(struct two *t)
{
    CU_ASSERT_TRUE(rig_is_same(t->out.from));
    CU_ASSERT_TRUE(rig_is_same(t->fm.r));
    rig_free(t->out.from);
    fake_mom_free(&t->fm);
}

static void ask_for(struct two *t, const char *depend)
{
    CU_ASSERT_PTR_NULL(submit(t->out.from, RIG_USER, "",
                              arena_printf(t->out.from->arena, "depend=%s", depend),
                              "x\n"));
    t->out.client = t->out.from->conn;
}

/* 'there' answers, and the request goes on: what is said to the client, NULL: there is
 * more to ask. */
static const struct wire_reply *answered(struct two *t, const struct finding *f)
{
    const struct need *need = transfer_asked(t->out.from);
    struct finding own;

    CU_ASSERT_PTR_NOT_NULL_FATAL(need);
    own = f ? *f : pair_attempt(&t->out, need, FOR_EVER);
    pair_tell(&t->out, need, &own);
    if (!t->out.said)
        t->out.said = rig_go_on(t->out.from, t->out.client);
    return t->out.said;
}

/* A job of 'here' waits for FIRST from now on; its id. */
static const char *child(struct two *t, const char *type)
{
    ask_for(t, arena_printf(t->out.from->arena, "%s:" FIRST "@two", type));
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(t->out.from));
    CU_ASSERT_STRING_EQUAL(transfer_asked(t->out.from)->detail, "@two");
    CU_ASSERT_PTR_NOT_NULL_FATAL(answered(t, NULL));
    CU_ASSERT_EQUAL_FATAL(t->out.said->code, 0);
    return t->out.said->text;
}

enum how {
    RUNS,
    ENDS_WELL,
    ENDS_BADLY,
    IS_DELETED,
    HOWS
};

static void let_happen(struct fake_mom *fm, enum how how)
{
    if (how == IS_DELETED) {
        CU_ASSERT_EQUAL(delete_job(fm->r, RIG_USER, FIRST, NULL), 0);
        return;
    }
    CU_ASSERT_EQUAL(run_job(fm->r, FIRST, "(n1:ncpus=1)"), 0);
    fake_answer(fm, fake_told(fm, BATCH_COMMIT, 0), 0, NULL);
    if (how == RUNS)
        return;
    fake_obit(fm, FIRST, 1, how == ENDS_WELL ? 0 : 1);
    fake_answer(fm, fake_told(fm, BATCH_COPY_FILES, 0), 0, NULL);
    fake_answer(fm, fake_told(fm, BATCH_DELETE_JOB, 0), 0, NULL);
}

/* A server that begins again tells what it has not told. */
static void tell(struct two *t)
{
    rig_restart(t->fm.r);
    while (transfer_asked(t->fm.r))
        pair_go(&t->back, FOR_EVER);
}

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
            const char *id = child(&t, cases[i].type);
            char fate = cases[i].fates[how];

            CU_ASSERT_EQUAL(state_of(here, id), 'H');
            CU_ASSERT_EQUAL(obj_num(the_job(here, id), JOB_A_SUBSTATE, 0), 22);
            let_happen(&t.fm, how);
            tell(&t);
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

        ask_for(&t, cases[i].depend);
        said = rig_reply(here, t.out.client);
        while (!said && transfer_asked(here))
            said = answered(&t, NULL);
        if (!said || said->code != cases[i].code)
            printf("%s: %d\n", cases[i].story, said ? said->code : -1);
        CU_ASSERT_TRUE(said && said->code == cases[i].code);
    }
    /* A server that does not answer: nobody knows. */
    ask_for(&t, "afterok:0.svr@two");
    answered(&t, &(struct finding){ .failed = true, .words = "Cannot connect" });
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
    ask_for(&t, "afterok:" FIRST "@two");
    CU_ASSERT_PTR_NOT_NULL_FATAL(answered(&t, NULL));
    CU_ASSERT_EQUAL(t.out.said->code, PBSE_BADDEPEND);
    pair_tell(&t.back, leaves, &(struct finding){ .found = true });
    CU_ASSERT_EQUAL(state_of(t.fm.r, FIRST), 'M');
    ask_for(&t, "afterok:" FIRST "@two");
    CU_ASSERT_PTR_NOT_NULL_FATAL(answered(&t, NULL));
    CU_ASSERT_EQUAL(t.out.said->code, PBSE_BADDEPEND);
    CU_ASSERT_TRUE(rig_logged(t.out.from, pbse_text(PBSE_JOB_MOVED)));
    two_free(&t);
}

static void who_is_waited_for_stays(void)
{
    struct two t = two_new();
    const struct body_move body = { .job_id = FIRST, .destination = "q@three" };
    const char *shown;

    child(&t, "afterok");
    shown = rig_value(t.fm.r, RIG_USER, BATCH_STATUS_JOB, FIRST, "depend");
    CU_ASSERT_STRING_EQUAL(shown ? shown : "", "beforeok:0.svr@svr.example");
    CU_ASSERT_EQUAL(rig_ask(t.fm.r, RIG_USER, BATCH_MOVE_JOB, &body, NULL)->code,
                    PBSE_NOSUP);
    two_free(&t);
}

/* The other server is away when it is to be told: it is told later. */
static void a_server_that_is_away_is_told_later(void)
{
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const char *id = child(&t, "afterany");
    const struct finding nobody = { .failed = true };

    let_happen(&t.fm, IS_DELETED);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(there));
    CU_ASSERT_STRING_EQUAL(transfer_asked(there)->detail, "@svr.example:15001");
    pair_tell(&t.back, transfer_asked(there), &nobody);
    CU_ASSERT_PTR_NULL(transfer_asked(there));
    rig_advance(there, there->now_at + 2);
    pair_tell(&t.back, transfer_asked(there), &nobody);
    rig_restart(t.out.from);
    rig_advance(there, there->now_at + 59);
    CU_ASSERT_PTR_NULL(transfer_asked(there));
    rig_advance(there, there->now_at + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(there));
    /* It hears it, and its answer is lost; it is told again. */
    pair_attempt(&t.back, transfer_asked(there), FOR_EVER);
    CU_ASSERT_EQUAL(state_of(t.out.from, id), 'Q');
    tell(&t);
    CU_ASSERT_PTR_NULL(the_job(there, FIRST));
    CU_ASSERT_EQUAL(state_of(t.out.from, id), 'Q');
    two_free(&t);
}

/* Whoever deletes its history takes nothing from those that wait for it. */
static void history_is_deleted_when_all_are_told(void)
{
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const char *id = child(&t, "afterok");

    CU_ASSERT_EQUAL(rig_manager(there, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                "job_history_enable=true"),
                    0);
    let_happen(&t.fm, IS_DELETED);
    CU_ASSERT_EQUAL(delete_job(there, RIG_USER, FIRST, "deletehist"), 0);
    CU_ASSERT_PTR_NOT_NULL(the_job(there, FIRST));
    tell(&t);
    CU_ASSERT_PTR_NULL(the_job(there, FIRST));
    CU_ASSERT_PTR_NULL(the_job(t.out.from, id));
    two_free(&t);
}

/* Nobody knows the job that waits: it is asked for once more, since it may be on its
 * way in, and then not any more. */
static void a_job_that_is_gone_is_told_twice(void)
{
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const char *id = child(&t, "afterok");

    CU_ASSERT_EQUAL(delete_job(t.out.from, RIG_USER, id, NULL), 0);
    let_happen(&t.fm, IS_DELETED);
    pair_go(&t.back, FOR_EVER);
    CU_ASSERT_PTR_NOT_NULL(the_job(there, FIRST));
    rig_advance(there, there->now_at + 2);
    pair_go(&t.back, FOR_EVER);
    CU_ASSERT_PTR_NULL(the_job(there, FIRST));
    two_free(&t);
}

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
        ask_for(t, entry);
    else if (rig_ask(here, RIG_USER, BATCH_MODIFY_JOB, &body, NULL))
        CU_FAIL("ModifyJob is answered before it is known");
    t->out.client = here->conn;
    need = transfer_asked(here);
    CU_ASSERT_PTR_NOT_NULL_FATAL(need);
    late = pair_attempt(&t->out, need, FOR_EVER);
    let_happen(&t->fm, how);
    while (transfer_asked(there))
        pair_go(&t->back, FOR_EVER);
    rig_advance(there, there->now_at + 2);
    while (transfer_asked(there))
        pair_go(&t->back, FOR_EVER);
    pair_tell(&t->out, need, &late);
    if (!t->out.said)
        t->out.said = rig_go_on(here, t->out.client);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t->out.said);
    CU_ASSERT_EQUAL_FATAL(t->out.said->code, 0);
    return alter ? alter : arena_strdup(here->arena, t->out.said->text);
}

static void ask_again(struct two *t, int64_t after_s, const struct finding *f)
{
    struct rig *here = t->out.from;

    rig_advance(here, here->now_at + after_s);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(here));
    if (f)
        pair_tell(&t->out, transfer_asked(here), f);
    else
        pair_go(&t->out, FOR_EVER);
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
            ask_again(&t, 2, &nobody);
        ask_again(&t, away ? 60 : 2, NULL);
        if (!history) {
            CU_ASSERT_PTR_NOT_NULL(the_job(here, id));
            if (restart)
                rig_restart(here);
            ask_again(&t, 60, NULL);
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
    ask_again(&t, 2, NULL);
    CU_ASSERT_EQUAL(state_of(t.out.from, id), 'H');
    tell(&t);
    CU_ASSERT_EQUAL(state_of(t.out.from, id), 'Q');
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
    ask_for(&t, "afterok:" FIRST "@two");
    registers = transfer_asked(t.out.from);
    CU_ASSERT_PTR_NOT_NULL_FATAL(registers);
    yes = pair_attempt(&t.out, registers, FOR_EVER);
    let_happen(&t.fm, ENDS_WELL);
    pair_go(&t.back, FOR_EVER);
    rig_advance(there, there->now_at + 2);
    second = transfer_asked(there);
    CU_ASSERT_PTR_NOT_NULL_FATAL(second);
    unknown = pair_attempt(&t.back, second, FOR_EVER);
    CU_ASSERT_EQUAL(unknown.code, PBSE_UNKJOBID);
    pair_tell(&t.out, registers, &yes);
    CU_ASSERT_EQUAL_FATAL(rig_go_on(t.out.from, t.out.client)->code, 0);
    ask_again(&t, 2, NULL);
    pair_tell(&t.back, second, &unknown);
    CU_ASSERT_EQUAL(state_of(t.out.from, FIRST), 'H');
    rig_advance(there, there->now_at + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(there));
    pair_go(&t.back, FOR_EVER);
    CU_ASSERT_EQUAL(state_of(t.out.from, FIRST), 'Q');
    CU_ASSERT_FALSE(obj_is_set(the_job(there, FIRST), JOB_A_HF_WAITERS));
    two_free(&t);
}

/* What a server says that cannot look at the job now, or cannot store what it is told.
 */
static const int says_nothing[] = { PBSE_SAVE_ERR, PBSE_SVRDOWN, PBSE_SYSTEM, PBSE_PERM,
                                    PBSE_IVALREQ };

static void who_cannot_store_it_is_told_again(void)
{
    for (size_t i = 0; i < ARRAY_LEN(says_nothing); i++) {
        const struct finding not_now = { .code = says_nothing[i] };
        struct two t = two_new();
        struct rig *there = t.fm.r;
        const char *id = child(&t, "afterany");

        let_happen(&t.fm, IS_DELETED);
        CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(there));
        pair_tell(&t.back, transfer_asked(there), &not_now);
        CU_ASSERT_PTR_NULL(transfer_asked(there));
        rig_advance(there, there->now_at + 2);
        CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(there));
        pair_tell(&t.back, transfer_asked(there), &not_now);
        CU_ASSERT_PTR_NOT_NULL_FATAL(the_job(there, FIRST));
        rig_advance(there, there->now_at + 60);
        CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(there));
        pair_go(&t.back, FOR_EVER);
        CU_ASSERT_EQUAL(state_of(t.out.from, id), 'Q');
        CU_ASSERT_PTR_NULL(the_job(there, FIRST));
        two_free(&t);
    }
}

/* ... deletes no job that waits for one of its own. */
static void who_cannot_look_is_asked_again(void)
{
    for (size_t i = 0; i < ARRAY_LEN(says_nothing); i++) {
        const struct finding not_now = { .code = says_nothing[i] };
        struct two t = two_new();
        const char *id = child(&t, "afterok");

        ask_again(&t, 2, &not_now);
        CU_ASSERT_PTR_NOT_NULL_FATAL(the_job(t.out.from, id));
        CU_ASSERT_EQUAL(state_of(t.out.from, id), 'H');
        ask_again(&t, 60, NULL);
        CU_ASSERT_FALSE(obj_is_set(the_job(t.out.from, id), JOB_A_HF_VERIFY));
        CU_ASSERT_EQUAL(state_of(t.out.from, id), 'H');
        two_free(&t);
    }
}

/* The entry is confirmed once; what was let go before is not asked for. */
static void an_entry_is_confirmed_once(void)
{
    for (int told = 0; told < 2; told++) {
        struct two t = two_new();
        struct rig *here = t.out.from;
        const char *id = child(&t, "afterany");

        if (told) {
            let_happen(&t.fm, IS_DELETED);
            tell(&t);
            CU_ASSERT_EQUAL(state_of(here, id), 'Q');
            rig_advance(here, here->now_at + 2);
        } else {
            ask_again(&t, 2, NULL);
        }
        CU_ASSERT_PTR_NULL(transfer_asked(here));
        CU_ASSERT_FALSE(obj_is_set(the_job(here, id), JOB_A_HF_VERIFY));
        CU_ASSERT_FALSE(obj_is_set(the_job(here, id), JOB_A_HF_VERIFY_AT));
        rig_advance(here, here->now_at + 3600);
        CU_ASSERT_PTR_NULL(transfer_asked(here));
        CU_ASSERT_EQUAL(state_of(here, id), told ? 'Q' : 'H');
        two_free(&t);
    }
}

static size_t n_asked(const struct rig *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->out.n; i++)
        n += r->out.v[i].kind == EFFECT_FIND_OUT;
    return n;
}

#define DEAD 64

static bool is_asked(const struct rig *r, const char *detail)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_FIND_OUT && r->out.v[i].u.need.detail &&
            strcmp(r->out.v[i].u.need.detail, detail) == 0)
            return true;
    return false;
}

/* So many jobs of a dead server wait as may be asked for at a time, and behind them one
 * of a live server: that one is told, too. */
static void a_dead_server_delays_no_other(void)
{
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const struct finding nobody = { .failed = true };
    char child[40];
    struct body_register_dep body = { "ann", FIRST, child, 3, 1, 0 };
    const struct wire_request rq = { .number = BATCH_REGISTER_DEP,
                                     .user = RIG_ROOT,
                                     .body = &body };
    bool asked = false;

    for (int i = 0; i <= DEAD; i++) {
        snprintf(child, sizeof(child), i < DEAD ? "%d.dead@dead" : "%d.live@live", i);
        t.out.conn++;
        CU_ASSERT_EQUAL_FATAL(pair_served(&t.out, &rq).code, 0);
    }
    let_happen(&t.fm, IS_DELETED);
    for (int minute = 0; minute < 60 && !asked; minute++) {
        asked = is_asked(there, "@live");
        if (transfer_asked(there) && !asked)
            pair_tell(&t.back, transfer_asked(there), &nobody);
        asked = asked || is_asked(there, "@live");
        rig_advance(there, there->now_at + 60);
    }
    CU_ASSERT_TRUE(asked);
    two_free(&t);
}

/* Jobs of other servers wait for the first job here, which is deleted then. */
static void delete_awaited(struct two *t, const char *const *children, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct body_register_dep body = { "ann", FIRST, children[i], 3, 1, 0 };
        const struct wire_request rq = { .number = BATCH_REGISTER_DEP,
                                         .user = RIG_ROOT,
                                         .body = &body };

        t->out.conn++;
        CU_ASSERT_EQUAL_FATAL(pair_served(&t->out, &rq).code, 0);
    }
    let_happen(&t->fm, IS_DELETED);
}

/* A server that is away does not answer; what a live one says for the first time is no
 * second time, whether this server begins again in between or not. */
static void each_server_has_its_own_times(void)
{
    static const struct finding nobody = { .failed = true },
                                unknown = { .code = PBSE_UNKJOBID };
    struct two t = two_new();
    struct rig *there = t.fm.r;
    static const char *const children[] = { "1.dead@dead", "2.live@live",
                                            "3.dead@dead" };

    delete_awaited(&t, children, ARRAY_LEN(children));
    CU_ASSERT_STRING_EQUAL_FATAL(transfer_asked(there)->detail, "@dead");
    pair_tell(&t.back, transfer_asked(there), &nobody);
    rig_restart(there);
    CU_ASSERT_STRING_EQUAL_FATAL(transfer_asked(there)->detail, "@live");
    pair_tell(&t.back, transfer_asked(there), &unknown);
    CU_ASSERT_PTR_NULL(transfer_asked(there));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(obj_str(the_job(there, FIRST), JOB_A_HF_WAITERS, ""), "2.live live"));
    rig_restart(there);
    rig_advance(there, there->now_at + 2);
    CU_ASSERT_TRUE(is_asked(there, "@live"));
    CU_ASSERT_TRUE(is_asked(there, "@dead"));
    CU_ASSERT_EQUAL(n_asked(there), 2);
    two_free(&t);
}

/* A server is asked again when that is due, though what it said before is still known
 * because another server has not answered yet. */
static void each_attempt_is_a_message(void)
{
    static const struct finding nobody = { .failed = true },
                                unknown = { .code = PBSE_UNKJOBID };
    static const char *const children[] = { "1.dead@dead", "2.slow@slow" };
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const struct need *slow;

    delete_awaited(&t, children, ARRAY_LEN(children));
    CU_ASSERT_EQUAL_FATAL(n_asked(there), 2);
    slow = transfer_asked(there);
    for (size_t i = 0; i < there->out.n; i++)
        if (there->out.v[i].kind == EFFECT_FIND_OUT)
            slow = &there->out.v[i].u.need;
    CU_ASSERT_STRING_EQUAL_FATAL(slow->detail, "@slow");
    pair_tell(&t.back, transfer_asked(there), &nobody);
    rig_advance(there, there->now_at + 3);
    pair_tell(&t.back, slow, &unknown);
    CU_ASSERT_TRUE(is_asked(there, "@dead"));
    two_free(&t);
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

    ask_for(&t, "afterok:" FIRST "@two,afterok:7.svr@slow:8.svr@slow:9.svr@slow:"
                "10.svr@slow");
    for (int i = 0; i < 4; i++)
        CU_ASSERT_PTR_NULL(answered(&t, &yes));
    CU_ASSERT_PTR_NOT_NULL_FATAL(answered(&t, &yes));
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

static int say(struct two *t, const struct body_register_dep *body)
{
    const struct wire_request rq = { .number = BATCH_REGISTER_DEP,
                                     .user = RIG_ROOT,
                                     .body = body };

    t->back.conn++;
    return pair_served(&t->back, &rq).code;
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
    ask_for(&t, "afterok:" FIRST "@two,afterany:" FIRST);
    CU_ASSERT_PTR_NOT_NULL_FATAL(answered(&t, NULL));
    CU_ASSERT_EQUAL_FATAL(t.out.said->code, 0);
    for (size_t i = 0; i < ARRAY_LEN(said); i++) {
        uint64_t before = svr_model(here->s)->seq;
        int code = say(&t, &said[i].body);

        if (code != said[i].code)
            printf("%s: %d\n", said[i].story, code);
        CU_ASSERT_EQUAL(code, said[i].code);
        CU_ASSERT_EQUAL(svr_model(here->s)->seq, before); /* and nothing is changed */
    }
    /* A client is no server, whoever he is. */
    CU_ASSERT_EQUAL(rig_ask(here, RIG_ROOT, BATCH_REGISTER_DEP, &good, NULL)->code,
                    PBSE_IVALREQ);
    /* What it says of its own job counts, and the other dependency stays. */
    CU_ASSERT_EQUAL(say(&t, &good), 0);
    CU_ASSERT_STRING_EQUAL(obj_str(the_job(here, "1.svr"), JOB_A_DEPEND, ""),
                           "afterany:" FIRST "@svr");
    CU_ASSERT_EQUAL(state_of(here, "1.svr"), 'H');
    two_free(&t);
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
        CU_ASSERT_EQUAL(say(&t, &body), 0);
    }
    CU_ASSERT_EQUAL(say(&t, &body), 0); /* it is registered already */
    body.child_id = "1000.far";
    CU_ASSERT_EQUAL(say(&t, &body), PBSE_BADDEPEND);
    body.child_id = "3.far";
    body.operation = DEPEND_OP_UNREGISTER;
    CU_ASSERT_EQUAL(say(&t, &body), 0);
    body.child_id = "1000.far";
    body.operation = DEPEND_OP_REGISTER;
    CU_ASSERT_EQUAL(say(&t, &body), 0);
    two_free(&t);
}

/* So many are told at a time (decide/know.h). */
#define AT_A_TIME 64

/* 'n' jobs more than FIRST at 'there', of each of which a job of another server waits.
 */
static void many_awaited(struct two *t, int n)
{
    char child[40], id[40];
    const struct body_register_dep body = { "ann", id, child, 3, 1, 0 };
    const struct wire_request rq = { .number = BATCH_REGISTER_DEP,
                                     .user = RIG_ROOT,
                                     .body = &body };

    for (int i = 1; i <= n; i++) {
        snprintf(id, sizeof(id), "%d.svr", i);
        snprintf(child, sizeof(child), "%d.far@far", i);
        CU_ASSERT_PTR_NOT_NULL_FATAL(submit(t->fm.r, RIG_USER, "", "", NULL));
        t->out.conn++;
        CU_ASSERT_EQUAL_FATAL(pair_served(&t->out, &rq).code, 0);
    }
}

/* The rule looks at those of which there is something to tell, and at no others. */
static void thousands_may_be_awaited(void)
{
    static const struct finding yes = { .found = true };
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const struct model *m;
    const struct need *asked[2 * AT_A_TIME];
    size_t n = 0, told = 0;
    char id[40];

    many_awaited(&t, 100);
    m = svr_model(there->s);
    CU_ASSERT_EQUAL(deadlines_next(&m->to_tell), DEADLINE_NEVER);
    for (int i = 1; i <= 100; i++) {
        snprintf(id, sizeof(id), "%d.svr", i);
        CU_ASSERT_EQUAL(delete_job(there, RIG_USER, id, NULL), 0);
        CU_ASSERT_EQUAL(n_asked(there), i <= AT_A_TIME);
        if (transfer_asked(there))
            asked[n++] = transfer_asked(there);
    }
    /* Each answer lets one more be asked for. */
    for (; told < n; told++) {
        pair_tell(&t.back, asked[told], &yes);
        if (transfer_asked(there))
            asked[n++] = transfer_asked(there);
    }
    CU_ASSERT_EQUAL(told, 100);
    CU_ASSERT_EQUAL(deadlines_next(&m->to_tell), DEADLINE_NEVER);
    CU_ASSERT_PTR_NULL(the_job(there, "100.svr"));
    two_free(&t);
}

/* Of an array whose beginning is awaited there is nothing to tell before it begins. */
static void an_array_is_told_of_when_it_begins(void)
{
    struct fake_mom fm = fake_mom_new();
    struct two t = { .fm = fm, .out = { .to = fm.r, .conn = 1000 } };
    const struct body_register_dep body = { "ann", "0[].svr", "5.far@far", 0, 1, 0 };
    const struct wire_request rq = { .number = BATCH_REGISTER_DEP,
                                     .user = RIG_ROOT,
                                     .body = &body };
    const struct model *m = svr_model(fm.r->s);

    CU_ASSERT_STRING_EQUAL_FATAL(
        submit(fm.r, RIG_USER, "", "array_indices_submitted=1-3", "x\n"), "0[].svr");
    CU_ASSERT_EQUAL_FATAL(pair_served(&t.out, &rq).code, 0);
    CU_ASSERT_EQUAL(deadlines_next(&m->to_tell), DEADLINE_NEVER);
    CU_ASSERT_EQUAL(run_job(fm.r, "0[1].svr", "(n1:ncpus=1)"), 0);
    fake_answer(&fm, fake_told(&fm, BATCH_COMMIT, 0), 0, NULL);
    CU_ASSERT_NOT_EQUAL(deadlines_next(&m->to_tell), DEADLINE_NEVER);
    CU_ASSERT_TRUE(rig_is_same(fm.r));
    rig_restart(fm.r);
    CU_ASSERT_TRUE(is_asked(fm.r, "@far"));
    fake_mom_free(&fm);
}

/* The other way round: a job of the server with a MoM comes before FIRST of the other
 * one, which is to wait for it. */
struct other_way {
    struct fake_mom fm;
    struct rig *other;
    struct two t; /* 'out' asks the other server, 'back' is what that one asks */
};

static struct other_way other_way_new(void)
{
    struct other_way w = { .fm = fake_mom_new(), .other = rig_new() };

    CU_ASSERT_STRING_EQUAL_FATAL(submit(w.other, RIG_USER, "", "", "x\n"), FIRST);
    w.t.fm = w.fm;
    w.t.out = (struct pair){ .from = w.fm.r, .to = w.other, .conn = 1000 };
    w.t.back = (struct pair){ .from = w.other, .to = w.fm.r, .conn = 2000 };
    return w;
}

static void other_way_free(struct other_way *w)
{
    CU_ASSERT_TRUE(rig_is_same(w->other));
    CU_ASSERT_TRUE(rig_is_same(w->fm.r));
    rig_free(w->other);
    fake_mom_free(&w->fm);
}

static void come_before(struct other_way *w, const char *type)
{
    ask_for(&w->t, arena_printf(w->fm.r->arena, "%s:" FIRST "@two", type));
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(w->fm.r));
    CU_ASSERT_PTR_NOT_NULL_FATAL(answered(&w->t, NULL));
    CU_ASSERT_EQUAL_FATAL(w->t.out.said->code, 0);
    CU_ASSERT_EQUAL(state_of(w->other, FIRST), 'H');
}

/* The other server finds out whether the job is there that it was told of. */
static void verify(struct other_way *w)
{
    rig_advance(w->other, w->other->now_at + 2);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(w->other));
    pair_go(&w->t.back, FOR_EVER);
    CU_ASSERT_PTR_NULL(transfer_asked(w->other));
}

static void who_comes_before_lets_go(void)
{
    static const struct {
        const char *type, *stored, *shown, *fates; /* as in every_end_is_told() */
    } cases[] = {
        { "before", "after:0.svr@svr.example", "before:0.svr@two", "QQQ-" },
        { "beforeok", "afterok:0.svr@svr.example", "beforeok:0.svr@two", "HQ--" },
        { "beforenotok", "afternotok:0.svr@svr.example", "beforenotok:0.svr@two",
          "H-QQ" },
        { "beforeany", "afterany:0.svr@svr.example", "beforeany:0.svr@two", "HQQQ" },
    };

    /* Before the other server has asked, and after that. */
    for (size_t n = 0; n < 2 * ARRAY_LEN(cases); n++)
        for (enum how how = 0; how < HOWS; how++) {
            const size_t i = n / 2;
            struct other_way w = other_way_new();
            char fate = cases[i].fates[how];

            come_before(&w, cases[i].type);
            CU_ASSERT_STRING_EQUAL(obj_str(the_job(w.other, FIRST), JOB_A_DEPEND, ""),
                                   cases[i].stored);
            CU_ASSERT_STRING_EQUAL(
                rig_value(w.fm.r, RIG_USER, BATCH_STATUS_JOB, "0.svr", "depend"),
                cases[i].shown);
            if (n % 2)
                verify(&w);
            let_happen(&w.fm, how);
            rig_restart(w.fm.r);
            while (transfer_asked(w.fm.r))
                pair_go(&w.t.out, FOR_EVER);
            CU_ASSERT_EQUAL(the_job(w.other, FIRST) ? state_of(w.other, FIRST) : '-',
                            fate);
            CU_ASSERT_EQUAL(the_job(w.fm.r, "0.svr") != NULL, how == RUNS);
            /* Whatever is asked for afterwards changes nothing. */
            rig_advance(w.other, w.other->now_at + 2);
            while (transfer_asked(w.other))
                pair_go(&w.t.back, FOR_EVER);
            rig_advance(w.other, w.other->now_at + 60);
            while (transfer_asked(w.other))
                pair_go(&w.t.back, FOR_EVER);
            CU_ASSERT_EQUAL(the_job(w.other, FIRST) ? state_of(w.other, FIRST) : '-',
                            fate);
            other_way_free(&w);
        }
}

/* The server that was to commit it died: nobody waits for a job that is not there. */
static void a_job_that_never_came_is_not_waited_for(void)
{
    struct other_way w = other_way_new();

    ask_for(&w.t, "before:" FIRST "@two");
    pair_attempt(&w.t.out, transfer_asked(w.fm.r), FOR_EVER);
    CU_ASSERT_EQUAL(state_of(w.other, FIRST), 'H');
    rig_restart(w.fm.r);
    CU_ASSERT_EQUAL(svr_model(w.fm.r->s)->kinds[OBJ_JOB].n, 0);
    /* It may be on its way in: it is asked for once more. */
    rig_restart(w.other);
    verify(&w);
    CU_ASSERT_EQUAL(state_of(w.other, FIRST), 'H');
    /* A server that is away says nothing of its jobs. */
    rig_advance(w.other, w.other->now_at + 60);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(w.other));
    pair_tell(&w.t.back, transfer_asked(w.other), &(struct finding){ .failed = true });
    CU_ASSERT_EQUAL(state_of(w.other, FIRST), 'H');
    rig_advance(w.other, w.other->now_at + 60);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(w.other));
    pair_go(&w.t.back, FOR_EVER);
    CU_ASSERT_EQUAL(state_of(w.other, FIRST), 'Q');
    CU_ASSERT_FALSE(obj_is_set(the_job(w.other, FIRST), JOB_A_DEPEND));
    CU_ASSERT_TRUE(rig_logged(w.other, "is not waited for"));
    other_way_free(&w);
}

/* Through jobs of this server: 2.svr waits for 1.svr, which waits for 0.svr of two. */
static void nobody_waits_in_a_circle_over_servers(void)
{
    struct two t = two_new();
    struct rig *here = t.out.from;
    struct body_register_dep body = { "ann", "2.svr", "0.svr@two", 1, 1, 0 };

    CU_ASSERT_STRING_EQUAL_FATAL(submit(here, RIG_USER, "", "", NULL), FIRST);
    ask_for(&t, "afterok:" FIRST "@two");
    CU_ASSERT_PTR_NOT_NULL_FATAL(answered(&t, NULL));
    CU_ASSERT_STRING_EQUAL_FATAL(submit(here, RIG_USER, "", "depend=after:1.svr", NULL),
                                 "2.svr");
    CU_ASSERT_EQUAL(say(&t, &body), PBSE_BADDEPEND);
    body.parent_id = FIRST; /* it waits for nobody */
    CU_ASSERT_EQUAL(say(&t, &body), 0);
    /* 0.svr of two waits for FIRST now: FIRST may not wait for it. */
    body.type = 4;
    CU_ASSERT_EQUAL(say(&t, &body), PBSE_BADDEPEND);
    body.parent_id = "2.svr";
    body.child_id = "9.svr@two";
    CU_ASSERT_EQUAL(say(&t, &body), 0);
    CU_ASSERT_EQUAL(say(&t, &body), 0); /* once more is the same */
    CU_ASSERT_STRING_EQUAL(obj_str(the_job(here, "2.svr"), JOB_A_DEPEND, ""),
                           "after:1.svr@svr:9.svr@two");
    CU_ASSERT_STRING_EQUAL(
        obj_str(the_job(here, "2.svr"), JOB_A_HF_VERIFY, ""),
        arena_printf(here->arena, "after 9.svr two %" PRId64, here->now_at + 2));
    two_free(&t);
}

static const struct unit_case cases[] = {
    { "every end is told", every_end_is_told },
    { "what cannot be is refused at once", what_cannot_be_is_refused_at_once },
    { "a job that moved is not waited for", a_job_that_moved_is_not_waited_for },
    { "who is waited for stays", who_is_waited_for_stays },
    { "a server that is away is told later", a_server_that_is_away_is_told_later },
    { "history is deleted when all are told", history_is_deleted_when_all_are_told },
    { "a job that is gone is told twice", a_job_that_is_gone_is_told_twice },
    { "a server touches only who waits for it",
      a_server_touches_only_who_waits_for_it },
    { "so many wait and no more", so_many_wait_and_no_more },
    { "thousands may be awaited", thousands_may_be_awaited },
    { "who comes before lets go", who_comes_before_lets_go },
    { "a job that never came is not waited for",
      a_job_that_never_came_is_not_waited_for },
    { "a late answer leaves nobody waiting", a_late_answer_leaves_nobody_waiting },
    { "a late answer lets go", a_late_answer_lets_go },
    { "a late answer takes off nobody", a_late_answer_takes_off_nobody },
    { "who cannot store it is told again", who_cannot_store_it_is_told_again },
    { "who cannot look is asked again", who_cannot_look_is_asked_again },
    { "an array is told of when it begins", an_array_is_told_of_when_it_begins },
    { "each attempt is a message", each_attempt_is_a_message },
    { "each confirmation is a message", each_confirmation_is_a_message },
    { "an entry is confirmed once", an_entry_is_confirmed_once },
    { "a dead server delays no other", a_dead_server_delays_no_other },
    { "each server has its own times", each_server_has_its_own_times },
    { "nobody waits in a circle over servers", nobody_waits_in_a_circle_over_servers },
};

int main(void)
{
    return unit_main("dependencies between servers", cases, ARRAY_LEN(cases));
}
