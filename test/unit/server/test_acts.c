/* test_acts.c - acts of decisions, and what becomes of a request by them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/acts.h"
#include "test/unit/server/harness.h"
#include "test/unit/unit.h"

static void test_each_row_makes_sense(void)
{
    for (int kind = 0; kind < ACT_KINDS; kind++) {
        const struct act_row *row = act_row((enum act_kind)kind);

        CU_ASSERT(row->parks == !row->carry_out);
        CU_ASSERT(!row->parks || !row->answers);
        CU_ASSERT(!row->after_refusal || (!row->answers && !row->needs_store));
    }
}

static void test_a_decision_asks_for_its_acts(void)
{
    static const struct {
        enum act_kind kind;
        bool answers, parks, needs_store;
    } cases[] = {
        { ACT_WAIT, true, false, true },      { ACT_LIST, true, false, false },
        { ACT_FORWARD, true, false, true },   { ACT_TELL_MOM, false, false, true },
        { ACT_GO_ON, false, true, false },    { ACT_ASK_AGAIN, false, true, true },
        { ACT_CLOSE, false, false, false },   { ACT_STOP, true, false, false },
        { ACT_DEFER_RUN, true, false, true }, { ACT_REGISTER, true, false, false },
    };
    struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct decision d = { .arena = arena };

        CU_ASSERT_FALSE(acts_answer(&d) || acts_park(&d) || acts_need_store(&d));
        act_add(&d, ACT_QUIT_SCHEDULERS);
        act_add(&d, cases[i].kind);
        CU_ASSERT_EQUAL(acts_answer(&d), cases[i].answers);
        CU_ASSERT_EQUAL(acts_park(&d), cases[i].parks);
        CU_ASSERT_EQUAL(acts_need_store(&d), cases[i].needs_store);
        CU_ASSERT_PTR_EQUAL(act_find(&d, cases[i].kind), &d.acts.v[1]);
        CU_ASSERT_PTR_NULL(act_find(&d, ACT_END_DEFERRED));
    }
    arena_free(arena);
}

static enum svr_outcome ask(struct rig *r, const struct requester *who, uint32_t number,
                            const void *body)
{
    const struct wire_request rq = { .number = number,
                                     .user = who->user,
                                     .body = body };

    r->out.n = 0;
    return svr_request(r->s, r->now_at, who, &rq, &r->out);
}

static void test_a_request_says_what_became_of_it(void)
{
    struct rig *r = rig_new();
    const struct requester root = {
        .user = "root", .host = "svr", .server_uid = true, .conn = 7
    };
    const struct requester also = {
        .user = "root", .host = "svr", .server_uid = true, .conn = 8
    };
    const struct requester user = { .user = "ann", .host = "svr", .conn = 9 };
    const struct body_id sched = { .id = "default" }, no_job = { .id = "9.svr" };
    const struct body_run run = { .object_id = "9.svr", .vnodes = "" };

    CU_ASSERT_EQUAL(ask(r, &user, BATCH_LOCATE_JOB, &no_job), SVR_ANSWERED);
    CU_ASSERT_EQUAL(ask(r, &user, BATCH_ASYRUN_JOB, &run), SVR_SILENT);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_REPLY), 0);
    CU_ASSERT_EQUAL(ask(r, &user, BATCH_REGISTER_SCHED, &sched), SVR_CLOSED);
    CU_ASSERT_EQUAL(ask(r, &user, 60, NULL), SVR_CLOSED); /* no such request */
    CU_ASSERT_EQUAL(ask(r, &root, BATCH_REGISTER_SCHED, &sched), SVR_SCHEDULER);
    CU_ASSERT_EQUAL(ask(r, &also, BATCH_REGISTER_SCHED, &sched), SVR_COMMANDS);
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "each row of acts makes sense", test_each_row_makes_sense },
    { "a decision asks for its acts", test_a_decision_asks_for_its_acts },
    { "a request says what became of it", test_a_request_says_what_became_of_it },
};

int main(void)
{
    return unit_main("acts", cases, ARRAY_LEN(cases));
}
