/* test_parked.c - requests that take several turns: others are served in between, each
 * slice is fact by itself, and clients, rights and objects may go meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/parked.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define JOBS       10
#define ONE_A_TURN 60 /* a slice of so little has one deletion */
#define CONN       9001

/* A rig whose long requests take a turn for each job, with the jobs 0.svr, 1.svr, ...
 */
static struct rig *sliced_rig(size_t slice_cost)
{
    struct rig *r;

    rig_slice_cost = slice_cost;
    r = rig_new();
    rig_slice_cost = 0;
    for (int i = 0; i < JOBS; i++)
        CU_ASSERT_PTR_NOT_NULL(submit(r, RIG_USER, "", "", NULL));
    return r;
}

static struct body_list list_of(struct rig *r, const char *const *ids, size_t n)
{
    struct body_list body = { .ids = { n, ARENA_ARRAY(r->arena, const char *, n) } };

    for (size_t i = 0; i < n; i++)
        body.ids.v[i] = ids[i];
    return body;
}

static const char *id_of(struct rig *r, int number)
{
    return arena_printf(r->arena, "%d.svr", number);
}

static struct body_list all_jobs(struct rig *r)
{
    const char *ids[JOBS];

    for (int i = 0; i < JOBS; i++)
        ids[i] = id_of(r, i);
    return list_of(r, ids, JOBS);
}

static const struct wire_reply *delete_as(struct rig *r, uint64_t conn,
                                          const char *user,
                                          const struct body_list *body)
{
    return rig_ask_on(r, conn, user, BATCH_DELETE_JOB_LIST, body, NULL);
}

static const struct wire_reply *go_on_to_the_end(struct rig *r, uint64_t conn)
{
    const struct wire_reply *reply = NULL;

    for (int i = 0; i < 1000 && !reply && svr_has_work(r->s); i++)
        reply = rig_go_on(r, conn);
    return reply;
}

static size_t n_jobs(const struct rig *r)
{
    return svr_model(r->s)->kinds[OBJ_JOB].n;
}

static void others_are_answered_in_between(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct body_list body = all_jobs(r);

    CU_ASSERT_PTR_NULL(delete_as(r, CONN, RIG_USER, &body));
    CU_ASSERT_EQUAL(n_jobs(r), JOBS); /* nothing is done before its turn */
    for (size_t left = JOBS; left > 1; left--) {
        CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
        CU_ASSERT_EQUAL(n_jobs(r), left - 1);
        CU_ASSERT_PTR_NULL(the_job(r, id_of(r, (int)(JOBS - left))));
        CU_ASSERT_PTR_NOT_NULL(rig_status(r, RIG_USER, SVR, "", ""));
        CU_ASSERT_TRUE(svr_has_work(r->s));
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->choice, REPLY_DELETE);
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, 0);
    CU_ASSERT_EQUAL(n_jobs(r), 0);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    rig_free(r);
}

/* Whatever is in the list, slices answer what one turn answers. */
static void slices_answer_what_one_turn_answers(void)
{
    static const struct {
        size_t n;
        const char *ids[8];
    } cases[] = {
        { 3, { "0.svr", "1.svr", "2.svr" } },
        { 2, { "98.svr", "99.svr" } },
        { 5, { "98.svr", "0.svr", "99.svr", "1.svr", "" } },
        { 4, { "0.svr", "0.svr", "1.svr", "0.svr" } },
        { 3, { "98.svr", "98.svr", "98.svr" } },
        { 5, { "0.svr", "98.svr", "0.svr", "98.svr", "1.svr" } },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (int other = 0; other < 2; other++) {
            struct rig *a = sliced_rig(0), *b = sliced_rig(1);
            const char *user = other ? "bob" : RIG_USER;
            const struct body_list body = list_of(a, cases[i].ids, cases[i].n);
            const struct wire_reply *x = delete_as(a, CONN, user, &body), *y;

            CU_ASSERT_PTR_NULL(delete_as(b, CONN, user, &body));
            y = go_on_to_the_end(b, CONN);
            CU_ASSERT_PTR_NOT_NULL_FATAL(x);
            CU_ASSERT_PTR_NOT_NULL_FATAL(y);
            CU_ASSERT_EQUAL(x->code, y->code);
            CU_ASSERT_EQUAL_FATAL(x->deleted.n, y->deleted.n);
            for (size_t k = 0; k < x->deleted.n; k++) {
                CU_ASSERT_STRING_EQUAL(x->deleted.v[k].id, y->deleted.v[k].id);
                CU_ASSERT_EQUAL(x->deleted.v[k].code, y->deleted.v[k].code);
            }
            CU_ASSERT_EQUAL(n_jobs(a), n_jobs(b));
            rig_free(a);
            rig_free(b);
        }
}

static void a_request_that_has_not_begun_goes_with_its_client(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct body_list body = all_jobs(r);
    struct effects none = { .arena = r->arena };

    delete_as(r, CONN, RIG_USER, &body);
    svr_client_gone(r->s, r->now_at, CONN, &none);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    CU_ASSERT_EQUAL(n_jobs(r), JOBS);
    rig_free(r);
}

static void what_has_begun_is_done_without_its_client(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct body_list body = all_jobs(r);
    struct effects none = { .arena = r->arena };

    delete_as(r, CONN, RIG_USER, &body);
    rig_go_on(r, CONN);
    svr_client_gone(r->s, r->now_at, CONN, &none);
    for (int i = 0; i < 2 * JOBS && svr_has_work(r->s); i++) {
        rig_go_on(r, CONN);
        CU_ASSERT_EQUAL(rig_count(r, EFFECT_REPLY), 0);
    }
    CU_ASSERT_EQUAL(n_jobs(r), 0);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    /* The number is free for another connection's request. */
    CU_ASSERT_PTR_NULL(delete_as(r, CONN, RIG_USER, &body));
    CU_ASSERT_PTR_NOT_NULL(go_on_to_the_end(r, CONN));
    rig_free(r);
}

static void a_killed_server_has_done_the_first_slices(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct body_list body = all_jobs(r);

    delete_as(r, CONN, RIG_USER, &body);
    for (int i = 0; i < 3; i++)
        rig_go_on(r, CONN);
    rig_restart(r);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    CU_ASSERT_EQUAL(n_jobs(r), JOBS - 3);
    CU_ASSERT_PTR_NULL(the_job(r, id_of(r, 2)));
    CU_ASSERT_PTR_NOT_NULL(the_job(r, id_of(r, 3)));
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

static void what_others_delete_meanwhile_is_unknown(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct body_list body = all_jobs(r);
    const struct wire_reply *reply;

    delete_as(r, CONN, RIG_USER, &body);
    rig_go_on(r, CONN);
    CU_ASSERT_EQUAL(delete_job(r, RIG_ROOT, "5.svr", NULL), 0);
    reply = go_on_to_the_end(r, CONN);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 0);
    CU_ASSERT_EQUAL_FATAL(reply->deleted.n, 1);
    CU_ASSERT_STRING_EQUAL(reply->deleted.v[0].id, "5.svr");
    CU_ASSERT_EQUAL(reply->deleted.v[0].code, PBSE_UNKJOBID);
    rig_free(r);
}

static void rights_are_looked_at_in_each_slice(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct body_list body = all_jobs(r);
    const struct wire_reply *reply;

    rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "operators=opal@" RIG_HOST);
    delete_as(r, CONN, "opal", &body);
    rig_go_on(r, CONN);
    rig_manager(r, RIG_ROOT, UNSET, OBJECT_SERVER, "", "operators=");
    reply = go_on_to_the_end(r, CONN);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 0); /* one was deleted */
    CU_ASSERT_EQUAL_FATAL(reply->deleted.n, JOBS - 1);
    CU_ASSERT_EQUAL(reply->deleted.v[0].code, PBSE_PERM);
    CU_ASSERT_EQUAL(n_jobs(r), JOBS - 1);
    rig_free(r);
}

/* What is fact stays fact; the rest is refused, and not done later. */
static void a_lost_store_ends_it(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct body_list body = all_jobs(r);
    const struct wire_reply *reply;

    delete_as(r, CONN, RIG_USER, &body);
    rig_go_on(r, CONN);
    svr_set_store_failed(r->s, true);
    reply = rig_go_on(r, CONN);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, PBSE_SAVE_ERR);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    CU_ASSERT_EQUAL(n_jobs(r), JOBS - 1);
    rig_free(r);
}

static void users_take_turns(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const char *two[] = { "0.svr", "98.svr" };
    const struct body_list many = all_jobs(r), few = list_of(r, two, 2);
    int n = 0;

    for (uint64_t i = 0; i < 50; i++)
        delete_as(r, CONN + i, RIG_USER, &many);
    CU_ASSERT_PTR_NULL(delete_as(r, CONN + 99, "bob", &few));
    while (!rig_reply(r, CONN + 99) && n++ < 10)
        rig_go_on(r, CONN + 99);
    CU_ASSERT_TRUE(n <= 4); /* two slices of each */
    rig_free(r);
}

static void a_user_has_so_many_and_no_more(void)
{
    struct rig *r = sliced_rig(ONE_A_TURN);
    const struct body_list body = all_jobs(r);
    const struct wire_reply *reply;

    for (uint64_t i = 0; i < PARKED_MAX_OF_USER; i++)
        CU_ASSERT_PTR_NULL(delete_as(r, CONN + i, RIG_USER, &body));
    reply = delete_as(r, CONN + PARKED_MAX_OF_USER, RIG_USER, &body);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, PBSE_IVALREQ);
    CU_ASSERT_PTR_NOT_NULL(strstr(reply->text, "too many long requests"));
    CU_ASSERT_PTR_NULL(delete_as(r, CONN + 500, "bob", &body));
    rig_free(r);
}

/* --- questions --- */

static struct body_select queued(struct rig *r)
{
    struct body_select body = { 0 };

    wire_attrs_add(&body.criteria, r->arena, "job_state", NULL, "Q", WIRE_OP_EQ);
    return body;
}

static void a_long_selection_is_what_a_short_one_is(void)
{
    struct rig *a = sliced_rig(0), *b = sliced_rig(1);
    const struct body_select body = queued(a);
    const struct wire_reply *x = rig_ask(a, RIG_USER, BATCH_SELECT_JOBS, &body, NULL);
    const struct wire_reply *y;
    int n = 1;

    CU_ASSERT_PTR_NULL(rig_ask_on(b, CONN, RIG_USER, BATCH_SELECT_JOBS, &body, NULL));
    while (!(y = rig_go_on(b, CONN)) && n++ < 100)
        CU_ASSERT_PTR_NOT_NULL(rig_status(b, RIG_USER, SVR, "", ""));
    CU_ASSERT_TRUE(n >= JOBS);
    CU_ASSERT_PTR_NOT_NULL_FATAL(y);
    CU_ASSERT_EQUAL_FATAL(x->ids.n, JOBS);
    CU_ASSERT_EQUAL_FATAL(y->ids.n, JOBS);
    for (size_t i = 0; i < JOBS; i++)
        CU_ASSERT_STRING_EQUAL(x->ids.v[i], y->ids.v[i]);
    rig_free(a);
    rig_free(b);
}

static void jobs_go_while_they_are_selected(void)
{
    struct rig *r = sliced_rig(1);
    const struct body_select body = queued(r);
    const struct wire_reply *reply;

    rig_ask_on(r, CONN, RIG_USER, BATCH_SELECT_JOBS, &body, NULL);
    rig_go_on(r, CONN);
    for (int i = 0; i < JOBS - 1; i++) { /* all but the last */
        struct body_manage gone = { .object_name = id_of(r, i) };

        rig_ask(r, RIG_USER, BATCH_DELETE_JOB, &gone, NULL);
    }
    reply = go_on_to_the_end(r, CONN);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL_FATAL(reply->ids.n, 2);
    CU_ASSERT_STRING_EQUAL(reply->ids.v[0], "0.svr"); /* was there when looked at */
    CU_ASSERT_STRING_EQUAL(reply->ids.v[1], "9.svr");
    rig_free(r);
}

static void a_question_goes_with_its_client(void)
{
    struct rig *r = sliced_rig(1);
    const struct body_select body = queued(r);
    struct effects none = { .arena = r->arena };

    rig_ask_on(r, CONN, RIG_USER, BATCH_SELECT_JOBS, &body, NULL);
    rig_go_on(r, CONN);
    svr_client_gone(r->s, r->now_at, CONN, &none);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    rig_free(r);
}

static void a_wrong_criterion_is_refused_in_its_turn(void)
{
    struct rig *r = sliced_rig(1);
    struct body_select body = queued(r);
    const struct wire_reply *reply;

    wire_attrs_add(&body.criteria, r->arena, "nosuch", NULL, "1", WIRE_OP_EQ);
    rig_ask_on(r, CONN, RIG_USER, BATCH_SELECT_JOBS, &body, NULL);
    reply = rig_go_on(r, CONN);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, PBSE_NOATTR);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    rig_free(r);
}

static const struct unit_case cases[] = {
    { "others are answered in between", others_are_answered_in_between },
    { "slices answer what one turn answers", slices_answer_what_one_turn_answers },
    { "a request that has not begun goes with its client",
      a_request_that_has_not_begun_goes_with_its_client },
    { "what has begun is done without its client",
      what_has_begun_is_done_without_its_client },
    { "a killed server has done the first slices",
      a_killed_server_has_done_the_first_slices },
    { "what others delete meanwhile is unknown",
      what_others_delete_meanwhile_is_unknown },
    { "rights are looked at in each slice", rights_are_looked_at_in_each_slice },
    { "a lost store ends it", a_lost_store_ends_it },
    { "users take turns", users_take_turns },
    { "a user has so many and no more", a_user_has_so_many_and_no_more },
    { "a long selection is what a short one is",
      a_long_selection_is_what_a_short_one_is },
    { "jobs go while they are selected", jobs_go_while_they_are_selected },
    { "a question goes with its client", a_question_goes_with_its_client },
    { "a wrong criterion is refused in its turn",
      a_wrong_criterion_is_refused_in_its_turn },
};

int main(void)
{
    return unit_main("parked requests", cases, ARRAY_LEN(cases));
}
