/* test_depend_tell.c - servers whose jobs wait are told how these ended, though some
 * are away, do not know a job or cannot store what they are told
 * (doc/design/075-dependencies-between-servers.md, "Release").
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/engine/svr_priv.h"
#include "server/model/waiters.h"
#include "test/unit/server/two.h"
#include "test/unit/unit.h"

#include <string.h>

/* The other server is away when it is to be told: it is told later. */
static void a_server_that_is_away_is_told_later(void)
{
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const char *id = two_child(&t, "afterany");
    const struct finding nobody = { .failed = true };

    two_let_happen(&t.fm, IS_DELETED);
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
    two_tell(&t);
    CU_ASSERT_PTR_NULL(the_job(there, FIRST));
    CU_ASSERT_EQUAL(state_of(t.out.from, id), 'Q');
    two_free(&t);
}

/* Nobody knows the job that waits: it is asked for once more, since it may be on its
 * way in, and then not any more. */
static void a_job_that_is_gone_is_told_twice(void)
{
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const char *id = two_child(&t, "afterok");

    CU_ASSERT_EQUAL(delete_job(t.out.from, RIG_USER, id, NULL), 0);
    two_let_happen(&t.fm, IS_DELETED);
    pair_go(&t.back, FOR_EVER);
    CU_ASSERT_PTR_NOT_NULL(the_job(there, FIRST));
    rig_advance(there, there->now_at + 60);
    pair_go(&t.back, FOR_EVER);
    CU_ASSERT_PTR_NULL(the_job(there, FIRST));
    two_free(&t);
}

static void who_cannot_store_it_is_told_again(void)
{
    for (size_t i = 0; i < ARRAY_LEN(two_says_nothing); i++) {
        const struct finding not_now = { .code = two_says_nothing[i] };
        struct two t = two_new();
        struct rig *there = t.fm.r;
        const char *id = two_child(&t, "afterany");

        two_let_happen(&t.fm, IS_DELETED);
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

#define DEAD 64

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
    two_let_happen(&t.fm, IS_DELETED);
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
    two_let_happen(&t->fm, IS_DELETED);
}

/* A server that was away registers again: it is told then, whenever it was to be told.
 */
static void who_registers_again_is_back(void)
{
    static const struct finding nobody = { .failed = true };
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const char *id = two_child(&t, "afterany");

    two_let_happen(&t.fm, IS_DELETED);
    pair_tell(&t.back, transfer_asked(there), &nobody);
    rig_advance(there, there->now_at + 2);
    pair_tell(&t.back, transfer_asked(there), &nobody);
    two_ask_again(&t, 2, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(transfer_asked(there));
    pair_go(&t.back, FOR_EVER);
    CU_ASSERT_EQUAL(state_of(t.out.from, id), 'Q');
    CU_ASSERT_PTR_NULL(the_job(there, FIRST));
    two_free(&t);
}

static bool still_waits(const struct rig *r, const char *id)
{
    const struct waiters list = waiters_of(TO_JOB(the_job(r, FIRST)), r->arena);

    return waiters_find(&list, DEPEND_AFTERANY, id) < list.n;
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
    CU_ASSERT_TRUE(still_waits(there, "2.live"));
    rig_restart(there);
    rig_advance(there, there->now_at + 60);
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

/* One server is slow, so that the rule never knows enough; what others have said does
 * not stay in memory. */
static void what_was_used_is_forgotten(void)
{
    static const struct finding yes = { .found = true };
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const struct need *asked[20];
    const struct watch *x;
    char id[40];

    many_awaited(&t, ARRAY_LEN(asked));
    for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
        snprintf(id, sizeof(id), "%zu.svr", i + 1);
        CU_ASSERT_EQUAL(delete_job(there, RIG_USER, id, NULL), 0);
        asked[i] = transfer_asked(there);
        CU_ASSERT_PTR_NOT_NULL_FATAL(asked[i]);
    }
    for (size_t i = 1; i < ARRAY_LEN(asked); i++)
        pair_tell(&t.back, asked[i], &yes);
    x = watch_find(&there->s->watches, svr_model(there->s)->server);
    CU_ASSERT_PTR_NOT_NULL_FATAL(x);
    CU_ASSERT_PTR_NOT_NULL_FATAL(x->asker); /* the slow one has not answered */
    CU_ASSERT_EQUAL(asker_bytes(x->asker), 0);
    two_free(&t);
}

/* The bytes that are written when the list of who waits for FIRST becomes another one;
 * 'was' is what it was, and is now what it is. */
static size_t written(const struct rig *r, const char *was[2])
{
    static const int attrs[2] = { JOB_A_HF_WAITERS, JOB_A_HF_WAITERS_NEWS };
    size_t n = 0;

    for (int i = 0; i < 2; i++) {
        const char *is = obj_str(the_job(r, FIRST), attrs[i], "");

        if (strcmp(is, was[i]) != 0)
            n += strlen(is);
        was[i] = arena_strdup(r->arena, is);
    }
    return n;
}

/* What the server asks now behind what it has asked before; how many these are. */
static size_t all_asked(const struct rig *r, struct need *asked, size_t n,
                        struct arena *arena)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_FIND_OUT)
            asked[n++] = need_copy(&r->out.v[i].u.need, arena);
    return n;
}

#define N_LONG 400

/* A long list is not written for each that comes and for each that is told. */
static void what_is_stored_follows_the_change(void)
{
    static const struct finding yes = { .found = true },
                                unknown = { .code = PBSE_UNKJOBID };
    struct two t = two_new();
    struct rig *there = t.fm.r;
    const char *was[2] = { "", "" };
    char child[40];
    const struct body_register_dep body = { "ann", FIRST, child, 3, 1, 0 };
    const struct wire_request rq = { .number = BATCH_REGISTER_DEP,
                                     .user = RIG_ROOT,
                                     .body = &body };
    struct need asked[2 * N_LONG];
    size_t n_bytes = 0, n_whole, n = 0, n_told = 0;

    for (int i = 0; i < N_LONG; i++) {
        snprintf(child, sizeof(child), "%d.far@far", i);
        t.out.conn++;
        CU_ASSERT_EQUAL_FATAL(pair_served(&t.out, &rq).code, 0);
        n_bytes += written(there, was);
    }
    n_whole = strlen(was[0]);
    CU_ASSERT_TRUE(n_bytes < n_whole * N_LONG / 5);
    two_let_happen(&t.fm, IS_DELETED);
    n = all_asked(there, asked, n, t.out.from->arena);
    for (n_bytes = 0; n_told < 2 * N_LONG && the_job(there, FIRST); n_told++) {
        if (n_told == n) {
            rig_advance(there, there->now_at + 60);
            n = all_asked(there, asked, n, t.out.from->arena);
        }
        CU_ASSERT_FATAL(n_told < n);
        /* Every other one is not known the first time. */
        pair_tell(&t.back, &asked[n_told], n_told % 2 ? &unknown : &yes);
        n = all_asked(there, asked, n, t.out.from->arena);
        n_bytes += the_job(there, FIRST) ? written(there, was) : 0;
    }
    CU_ASSERT_PTR_NULL(the_job(there, FIRST));
    CU_ASSERT_TRUE(n_bytes < n_whole * N_LONG / 5);
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

static const struct unit_case cases[] = {
    { "a server that is away is told later", a_server_that_is_away_is_told_later },
    { "a job that is gone is told twice", a_job_that_is_gone_is_told_twice },
    { "who cannot store it is told again", who_cannot_store_it_is_told_again },
    { "a dead server delays no other", a_dead_server_delays_no_other },
    { "each server has its own times", each_server_has_its_own_times },
    { "each attempt is a message", each_attempt_is_a_message },
    { "thousands may be awaited", thousands_may_be_awaited },
    { "who registers again is back", who_registers_again_is_back },
    { "what is stored follows the change", what_is_stored_follows_the_change },
    { "what was used is forgotten", what_was_used_is_forgotten },
    { "an array is told of when it begins", an_array_is_told_of_when_it_begins },
};

int main(void)
{
    return unit_main("ends told to other servers", cases, ARRAY_LEN(cases));
}
