/* test_depend_before.c - a job of another server is to wait for one of this server, and
 * nobody waits in a circle (doc/design/075-dependencies-between-servers.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "test/unit/server/two.h"
#include "test/unit/unit.h"

#include <inttypes.h>
#include <string.h>

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
    two_ask_for(&w->t, arena_printf(w->fm.r->arena, "%s:" FIRST "@two", type));
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(w->fm.r));
    CU_ASSERT_PTR_NOT_NULL_FATAL(two_answered(&w->t, NULL));
    CU_ASSERT_EQUAL_FATAL(w->t.out.said->code, 0);
    CU_ASSERT_EQUAL(state_of(w->other, FIRST), 'H');
}

/* The other server finds out whether the job is there that it was told of: first what
 * that one shows; a job that is not shown may be over. */
static void verify_after(struct other_way *w, int64_t after_s)
{
    rig_advance(w->other, w->other->now_at + after_s);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(w->other));
    pair_go(&w->t.back, FOR_EVER);
    if (transfer_asked(w->other))
        pair_go(&w->t.back, FOR_EVER);
    CU_ASSERT_PTR_NULL(transfer_asked(w->other));
}

static void verify(struct other_way *w)
{
    verify_after(w, 2);
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
            two_let_happen(&w.fm, how);
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

    two_ask_for(&w.t, "before:" FIRST "@two");
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
    verify_after(&w, 60);
    CU_ASSERT_EQUAL(state_of(w.other, FIRST), 'Q');
    CU_ASSERT_FALSE(obj_is_set(the_job(w.other, FIRST), JOB_A_DEPEND));
    CU_ASSERT_TRUE(rig_logged(w.other, "is not waited for"));
    other_way_free(&w);
}

/* 0.svr, which is there already, is to come before FIRST of the other server, and
 * before a job of a third one. */
static void alter_two(struct other_way *w)
{
    struct rig *r = w->fm.r;
    const struct body_manage body = { .command = 2,
                                      .object_type = 2,
                                      .object_name = "0.svr",
                                      .attrs = rig_attrs(r, "depend=beforeok:" FIRST
                                                            "@two:1.c@three") };

    CU_ASSERT_PTR_NULL_FATAL(rig_ask(r, RIG_USER, BATCH_MODIFY_JOB, &body, NULL));
    w->t.out.client = r->conn;
    CU_ASSERT_EQUAL(n_asked(r), 2);
}

/* The other server has it wait, and the third one says 'f' so much later. */
static const struct wire_reply *altered(struct other_way *w, const struct finding *f,
                                        int64_t after_s)
{
    struct rig *r = w->fm.r;
    const struct effects asked = r->out;
    const struct need *third = NULL;

    for (size_t i = 0; i < asked.n; i++)
        if (asked.v[i].kind == EFFECT_FIND_OUT &&
            strcmp(asked.v[i].u.need.detail, "@three") == 0)
            third = &asked.v[i].u.need;
    CU_ASSERT_PTR_NOT_NULL_FATAL(third);
    CU_ASSERT_STRING_EQUAL_FATAL(transfer_asked(r)->detail, "@two");
    pair_go(&w->t.out, FOR_EVER);
    CU_ASSERT_EQUAL(state_of(w->other, FIRST), 'H');
    CU_ASSERT_PTR_NULL_FATAL(rig_go_on(r, w->t.out.client));
    rig_advance(r, r->now_at + after_s);
    pair_tell(&w->t.out, third, f);
    if (!w->t.out.said)
        w->t.out.said = rig_go_on(r, w->t.out.client);
    CU_ASSERT_PTR_NOT_NULL_FATAL(w->t.out.said);
    return w->t.out.said;
}

/* A third server refuses what the other one has noted already, or its answer comes so
 * late that the other one may have let its job go: the alteration is refused, and the
 * other server finds that its job is not to wait, while the job goes on, is history or
 * gone; also when servers begin again in between. */
static void who_is_refused_later_is_not_waited_for(void)
{
    static const struct finding no = { .code = PBSE_UNKJOBID }, yes = { .found = true };

    for (int n = 0; n < 32; n++) {
        bool late = n & 1, restart = n & 2, over = n & 4, history = n & 8,
             gone = n & 16;
        struct other_way w = other_way_new();

        if (history)
            CU_ASSERT_EQUAL(rig_manager(w.fm.r, RIG_ROOT, SET, OBJECT_SERVER, "svr",
                                        "job_history_enable=true"),
                            0);
        CU_ASSERT_STRING_EQUAL_FATAL(submit(w.fm.r, RIG_USER, "", "", NULL), "0.svr");
        alter_two(&w);
        CU_ASSERT_EQUAL(altered(&w, late ? &yes : &no, late ? 21 : 1)->code,
                        late ? PBSE_SYSTEM : PBSE_BADDEPEND);
        CU_ASSERT_FALSE(obj_is_set(the_job(w.fm.r, "0.svr"), JOB_A_HF_WAITERS));
        if (over)
            two_let_happen(&w.fm, gone ? IS_DELETED : ENDS_BADLY);
        if (restart) {
            rig_restart(w.fm.r);
            rig_restart(w.other);
        }
        verify_after(&w, 2);
        CU_ASSERT_EQUAL(state_of(w.other, FIRST), 'H');
        verify_after(&w, 60);
        CU_ASSERT_EQUAL(state_of(w.other, FIRST), 'Q');
        CU_ASSERT_FALSE(obj_is_set(the_job(w.other, FIRST), JOB_A_HF_VERIFY));
        other_way_free(&w);
    }
}

/* Whoever may refuse is asked before a job is told to wait. */
static void who_is_to_wait_is_told_last(void)
{
    static const struct finding yes = { .found = true };
    struct other_way w = other_way_new();

    two_ask_for(&w.t, "beforeok:" FIRST "@two,afterok:1.c@three:2.c@three");
    /* What they wait for, because of circles; that they are waited for. */
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(n_asked(w.fm.r), 2);
        CU_ASSERT_FALSE(is_asked(w.fm.r, "@two"));
        CU_ASSERT_PTR_NULL(two_answered(&w.t, &yes));
    }
    CU_ASSERT_EQUAL(n_asked(w.fm.r), 1);
    CU_ASSERT_TRUE(is_asked(w.fm.r, "@two"));
    other_way_free(&w);
}

/* ... just in time. */
static void who_is_answered_in_time_comes_first(void)
{
    static const struct finding yes = { .found = true };
    struct other_way w = other_way_new();

    CU_ASSERT_STRING_EQUAL_FATAL(submit(w.fm.r, RIG_USER, "", "", NULL), "0.svr");
    alter_two(&w);
    CU_ASSERT_EQUAL(altered(&w, &yes, 20)->code, 0);
    verify_after(&w, 2);
    CU_ASSERT_TRUE(two_is_confirmed(w.other, FIRST));
    rig_advance(w.other, w.other->now_at + 86399);
    CU_ASSERT_PTR_NULL(transfer_asked(w.other));
    CU_ASSERT_EQUAL(state_of(w.other, FIRST), 'H');
    other_way_free(&w);
}

/* It is over before the other server has looked, and will be told of: that server does
 * not let its job go meanwhile. */
static void who_will_be_told_is_not_let_go(void)
{
    struct other_way w = other_way_new();

    come_before(&w, "beforeok");
    two_let_happen(&w.fm, ENDS_BADLY);
    verify_after(&w, 2);
    CU_ASSERT_TRUE(two_is_confirmed(w.other, FIRST));
    CU_ASSERT_EQUAL(state_of(w.other, FIRST), 'H');
    rig_restart(w.fm.r);
    while (transfer_asked(w.fm.r))
        pair_go(&w.t.out, FOR_EVER);
    CU_ASSERT_PTR_NULL(the_job(w.other, FIRST));
    other_way_free(&w);
}

/* Through jobs of this server: 2.svr waits for 1.svr, which waits for 0.svr of two. */
static void nobody_waits_in_a_circle_over_servers(void)
{
    struct two t = two_new();
    struct rig *here = t.out.from;
    struct body_register_dep body = { "ann", "2.svr", "0.svr@two", 1, 1, 0 };

    CU_ASSERT_STRING_EQUAL_FATAL(submit(here, RIG_USER, "", "", NULL), FIRST);
    two_ask_for(&t, "afterok:" FIRST "@two");
    CU_ASSERT_PTR_NOT_NULL_FATAL(two_answered(&t, NULL));
    CU_ASSERT_STRING_EQUAL_FATAL(submit(here, RIG_USER, "", "depend=after:1.svr", NULL),
                                 "2.svr");
    CU_ASSERT_EQUAL(two_say(&t, &body), PBSE_BADDEPEND);
    body.parent_id = FIRST; /* it waits for nobody */
    CU_ASSERT_EQUAL(two_say(&t, &body), 0);
    /* 0.svr of two waits for FIRST now: FIRST may not wait for it. */
    body.type = 4;
    CU_ASSERT_EQUAL(two_say(&t, &body), PBSE_BADDEPEND);
    body.parent_id = "2.svr";
    body.child_id = "9.svr@two";
    CU_ASSERT_EQUAL(two_say(&t, &body), 0);
    CU_ASSERT_EQUAL(two_say(&t, &body), 0); /* once more is the same */
    CU_ASSERT_STRING_EQUAL(obj_str(the_job(here, "2.svr"), JOB_A_DEPEND, ""),
                           "after:1.svr@svr:9.svr@two");
    CU_ASSERT_STRING_EQUAL(
        obj_str(the_job(here, "2.svr"), JOB_A_HF_VERIFY, ""),
        arena_printf(here->arena, "after 9.svr two %" PRId64, here->now_at + 2));
    two_free(&t);
}

static const struct unit_case cases[] = {
    { "who comes before lets go", who_comes_before_lets_go },
    { "a job that never came is not waited for",
      a_job_that_never_came_is_not_waited_for },
    { "who is refused later is not waited for",
      who_is_refused_later_is_not_waited_for },
    { "who is to wait is told last", who_is_to_wait_is_told_last },
    { "who is answered in time comes first", who_is_answered_in_time_comes_first },
    { "who will be told is not let go", who_will_be_told_is_not_let_go },
    { "nobody waits in a circle over servers", nobody_waits_in_a_circle_over_servers },
};

int main(void)
{
    return unit_main("jobs of other servers that wait", cases, ARRAY_LEN(cases));
}
