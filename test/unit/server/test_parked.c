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
    rig_settle(r);
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

/* What follows from something else does not keep a request from going on, and the other
 * way round. */
static void requests_and_what_was_put_off_take_turns(void)
{
    struct rig *r = sliced_rig(1);
    const struct body_list body = all_jobs(r);

    CU_ASSERT_PTR_NULL(delete_as(r, CONN, RIG_USER, &body));
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "eligible_time_enable=True"),
        0); /* all jobs are looked at */
    for (size_t i = 0; i < 4; i++) {
        CU_ASSERT_TRUE(svr_is_settling(r->s));
        CU_ASSERT_EQUAL(n_jobs(r), JOBS - i);
        rig_go_on(r, CONN);
        rig_go_on(r, CONN);
    }
    CU_ASSERT_PTR_NOT_NULL(go_on_to_the_end(r, CONN));
    CU_ASSERT_EQUAL(n_jobs(r), 0);
    rig_free(r);
}

/* Questions. */

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

/* What has to be found out. */

static struct rig *asking_rig(void)
{
    struct rig *r;

    rig_finds_out = true;
    r = rig_new();
    rig_finds_out = false;
    rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "flatuid=True");
    return r;
}

static const struct wire_reply *queue_on(struct rig *r, uint64_t conn, const char *user)
{
    const struct body_queue body = { .id = "", .destination = "" };

    return rig_ask_on(r, conn, user, BATCH_QUEUE_JOB, &body, ":C:");
}

static const struct need *asked(const struct rig *r, size_t n)
{
    const struct effect *e = rig_effect(r, EFFECT_FIND_OUT, n);

    return e ? &e->u.need : NULL;
}

/* 'group' NULL: there is no such user. */
static void learn(struct rig *r, const char *user, const char *group)
{
    const struct need need = { .kind = NEED_GROUPS, .name = user };
    const char *groups[] = { group };
    const struct finding finding = { .found = group != NULL,
                                     .groups = { group ? 1 : 0, groups } };
    struct effects none = { .arena = r->arena };

    svr_learned(r->s, r->now_at, &need, &finding, &none);
}

static void who_is_not_known_is_asked_for_and_others_are_served(void)
{
    struct rig *r = asking_rig();
    const struct wire_reply *reply;

    CU_ASSERT_PTR_NULL(queue_on(r, CONN, RIG_USER));
    CU_ASSERT_PTR_NOT_NULL_FATAL(asked(r, 0));
    CU_ASSERT_EQUAL(asked(r, 0)->kind, NEED_GROUPS);
    CU_ASSERT_STRING_EQUAL(asked(r, 0)->name, RIG_USER);
    CU_ASSERT_FALSE(svr_has_work(r->s)); /* nothing to do before the answer */
    CU_ASSERT_PTR_NOT_NULL(rig_status(r, RIG_USER, SVR, "", ""));
    learn(r, RIG_USER, "users");
    CU_ASSERT_TRUE(svr_has_work(r->s));
    reply = rig_go_on(r, CONN);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 0);
    CU_ASSERT_STRING_EQUAL(
        rig_value(r, RIG_ROOT, BATCH_STATUS_JOB, reply->text, "egroup"), "users");
    rig_free(r);
}

static void an_answer_is_good_for_a_minute(void)
{
    struct rig *r = asking_rig();

    learn(r, RIG_USER, "users");
    r->now_at += 59;
    CU_ASSERT_PTR_NOT_NULL(queue_on(r, CONN, RIG_USER));
    r->now_at += 1;
    CU_ASSERT_PTR_NULL(queue_on(r, CONN + 1, RIG_USER));
    CU_ASSERT_PTR_NOT_NULL(asked(r, 0));
    rig_free(r);
}

static void a_user_that_is_not_there_is_refused(void)
{
    struct rig *r = asking_rig();

    CU_ASSERT_PTR_NULL(queue_on(r, CONN, RIG_USER));
    learn(r, RIG_USER, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, PBSE_BADUSER);
    rig_free(r);
}

static void what_all_wait_for_is_asked_once(void)
{
    struct rig *r = asking_rig();

    CU_ASSERT_PTR_NULL(queue_on(r, CONN, RIG_USER));
    CU_ASSERT_PTR_NULL(queue_on(r, CONN + 1, RIG_USER));
    CU_ASSERT_PTR_NULL(asked(r, 0));
    CU_ASSERT_PTR_NULL(queue_on(r, CONN + 2, "bob"));
    CU_ASSERT_PTR_NOT_NULL_FATAL(asked(r, 0));
    CU_ASSERT_STRING_EQUAL(asked(r, 0)->name, "bob");
    learn(r, RIG_USER, "users");
    CU_ASSERT_PTR_NOT_NULL(rig_go_on(r, CONN));
    CU_ASSERT_PTR_NOT_NULL(rig_go_on(r, CONN + 1));
    CU_ASSERT_FALSE(svr_has_work(r->s)); /* bob waits on */
    rig_free(r);
}

static void an_answer_that_never_comes_is_not_waited_for_longer(void)
{
    struct rig *r = asking_rig();

    CU_ASSERT_PTR_NULL(queue_on(r, CONN, RIG_USER));
    CU_ASSERT_EQUAL(svr_next_deadline(r->s), r->now_at + 30);
    rig_advance(r, r->now_at + 29);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    rig_advance(r, r->now_at + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(rig_text(r), "try again later"));
    /* The next one is refused at once, until the service is asked again. */
    CU_ASSERT_PTR_NOT_NULL(queue_on(r, CONN + 1, RIG_USER));
    learn(r, RIG_USER, "users"); /* late, and welcome */
    CU_ASSERT_PTR_NOT_NULL_FATAL(queue_on(r, CONN + 2, RIG_USER));
    CU_ASSERT_EQUAL(rig_reply(r, CONN + 2)->code, 0);
    rig_free(r);
}

static void who_waits_for_an_answer_may_go(void)
{
    struct rig *r = asking_rig();
    struct effects none = { .arena = r->arena };

    CU_ASSERT_PTR_NULL(queue_on(r, CONN, RIG_USER));
    svr_client_gone(r->s, r->now_at, CONN, &none);
    CU_ASSERT_EQUAL(n_jobs(r), 0);
    learn(r, RIG_USER, "users");
    CU_ASSERT_FALSE(svr_has_work(r->s));
    CU_ASSERT_EQUAL(n_jobs(r), 0);
    rig_free(r);
}

static void what_was_deleted_meanwhile_is_unknown_afterwards(void)
{
    struct rig *r = asking_rig();
    const struct body_queue body = { .id = "", .destination = "q1" };

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, CREATE, OBJECT_QUEUE, "q1",
                                "queue_type=e enabled=True"),
                    0);
    CU_ASSERT_PTR_NULL(rig_ask_on(r, CONN, RIG_USER, BATCH_QUEUE_JOB, &body, ":C:"));
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, DELETE, OBJECT_QUEUE, "q1", ""), 0);
    learn(r, RIG_USER, "users");
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, PBSE_UNKQUE);
    rig_free(r);
}

static void a_killed_server_has_forgotten_who_waited(void)
{
    struct rig *r = asking_rig();

    CU_ASSERT_PTR_NULL(queue_on(r, CONN, RIG_USER));
    rig_restart(r);
    CU_ASSERT_FALSE(svr_has_work(r->s));
    CU_ASSERT_EQUAL(n_jobs(r), 0);
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
}

static void waiting_requests_of_a_user_are_bounded_too(void)
{
    struct rig *r = asking_rig();

    for (uint64_t i = 0; i < PARKED_MAX_OF_USER; i++)
        CU_ASSERT_PTR_NULL(queue_on(r, CONN + i, RIG_USER));
    CU_ASSERT_PTR_NOT_NULL_FATAL(queue_on(r, CONN + 500, RIG_USER));
    CU_ASSERT_EQUAL(rig_reply(r, CONN + 500)->code, PBSE_IVALREQ);
    CU_ASSERT_PTR_NULL(queue_on(r, CONN + 600, "bob"));
    learn(r, "bob", "users"); /* and is served before all of them */
    CU_ASSERT_PTR_NOT_NULL(rig_go_on(r, CONN + 600));
    rig_free(r);
}

/* ModifyJob_Async, as one connection of another host sends it without waiting. */
static enum svr_outcome alter_silently(struct rig *r, const char *host)
{
    static const struct body_manage body = { .command = 2,
                                             .object_type = 2,
                                             .object_name = "1.svr" };
    const struct requester who = { .user = RIG_USER, .host = host, .conn = CONN };
    const struct wire_request rq = { .number = BATCH_MODIFY_JOB_ASYNC,
                                     .user = RIG_USER,
                                     .body = &body };

    r->out = (struct effects){ .arena = r->arena };
    return svr_request(r->s, r->now_at, &who, &rq, &r->out);
}

static struct rig *guarded_rig(void)
{
    struct rig *r = asking_rig();

    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "",
                                "acl_host_enable=True acl_hosts=10.0.0.0/8"),
                    0);
    return r;
}

/* Its connection goes on, so only the limit of its user keeps it in bounds. */
static void a_thousand_requests_that_nobody_answers_are_bounded(void)
{
    struct rig *r = guarded_rig();
    size_t n_asked = 0, n_refused = 0;

    for (int i = 0; i < 1000; i++) {
        CU_ASSERT_EQUAL(alter_silently(r, "far.example"), SVR_SILENT);
        CU_ASSERT_EQUAL(rig_count(r, EFFECT_REPLY), 0);
        n_asked += rig_count(r, EFFECT_FIND_OUT);
        n_refused += rig_logged(r, "Reject reply code=15004");
    }
    CU_ASSERT_EQUAL(n_asked, 1); /* all of them wait for one answer */
    CU_ASSERT_EQUAL(n_refused, 1000 - PARKED_MAX_OF_USER);
    /* Whoever else comes is served, and the same user from elsewhere, too. */
    CU_ASSERT_PTR_NOT_NULL(rig_status(r, RIG_USER, SVR, "", ""));
    CU_ASSERT_PTR_NULL(queue_on(r, CONN + 1, "bob"));
    rig_free(r);
}

/* The connection may be somebody else's by now: it is neither answered nor closed. */
static void what_comes_of_them_reaches_no_connection(void)
{
    const struct need need = { .kind = NEED_ADDRS, .name = "far.example" };
    const struct finding nowhere = { .words = "no such host" };
    struct rig *r = guarded_rig();

    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(alter_silently(r, "far.example"), SVR_SILENT);
    svr_client_gone(r->s, r->now_at, CONN, &r->out);
    svr_learned(r->s, r->now_at, &need, &nowhere, &r->out);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_TRUE(svr_has_work(r->s));
        CU_ASSERT_PTR_NULL(rig_go_on(r, CONN));
        CU_ASSERT_EQUAL(rig_count(r, EFFECT_CLOSE), 0);
        CU_ASSERT_TRUE(rig_logged(r, "far.example"));
    }
    CU_ASSERT_FALSE(svr_has_work(r->s));
    rig_free(r);
}

static void waiting_requests_have_a_budget_of_bytes(void)
{
    struct rig *r = asking_rig();
    struct body_queue body = { .id = "", .destination = "" };
    char *name = arena_zero(r->arena, (7 << 20) + 1);

    memset(name, 'x', 7 << 20);
    wire_attrs_add(&body.attrs, r->arena, "Account_Name", NULL, name, WIRE_OP_SET);
    for (uint64_t i = 0; i < 9; i++)
        CU_ASSERT_PTR_NULL(
            rig_ask_on(r, CONN + i, RIG_USER, BATCH_QUEUE_JOB, &body, ":C:"));
    CU_ASSERT_PTR_NOT_NULL_FATAL(
        rig_ask_on(r, CONN + 9, RIG_USER, BATCH_QUEUE_JOB, &body, ":C:"));
    CU_ASSERT_EQUAL(rig_reply(r, CONN + 9)->code, PBSE_IVALREQ);
    CU_ASSERT_PTR_NULL(queue_on(r, CONN + 10, RIG_USER)); /* a small one */
    rig_free(r);
}

static void reservations_need_accounts_too(void)
{
    struct rig *r = asking_rig();
    const struct body_queue body = {
        .id = "",
        .destination = "",
        .attrs = rig_attrs(r, arena_printf(r->arena,
                                           "Resource_List.select=1:ncpus=1 "
                                           "reserve_start=%lld reserve_end=%lld",
                                           (long long)r->now_at + 100,
                                           (long long)r->now_at + 200)),
    };

    CU_ASSERT_PTR_NULL(rig_ask_on(r, CONN, RIG_USER, BATCH_SUBMIT_RESV, &body, NULL));
    CU_ASSERT_PTR_NOT_NULL(asked(r, 0));
    learn(r, RIG_USER, "users");
    CU_ASSERT_PTR_NOT_NULL_FATAL(rig_go_on(r, CONN));
    CU_ASSERT_EQUAL(rig_reply(r, CONN)->code, 0);
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
    { "requests and what was put off take turns",
      requests_and_what_was_put_off_take_turns },
    { "a long selection is what a short one is",
      a_long_selection_is_what_a_short_one_is },
    { "jobs go while they are selected", jobs_go_while_they_are_selected },
    { "a question goes with its client", a_question_goes_with_its_client },
    { "a wrong criterion is refused in its turn",
      a_wrong_criterion_is_refused_in_its_turn },
    { "who is not known is asked for, and others are served",
      who_is_not_known_is_asked_for_and_others_are_served },
    { "an answer is good for a minute", an_answer_is_good_for_a_minute },
    { "a user that is not there is refused", a_user_that_is_not_there_is_refused },
    { "what all wait for is asked once", what_all_wait_for_is_asked_once },
    { "an answer that never comes is not waited for longer",
      an_answer_that_never_comes_is_not_waited_for_longer },
    { "who waits for an answer may go", who_waits_for_an_answer_may_go },
    { "what was deleted meanwhile is unknown afterwards",
      what_was_deleted_meanwhile_is_unknown_afterwards },
    { "a killed server has forgotten who waited",
      a_killed_server_has_forgotten_who_waited },
    { "waiting requests of a user are bounded too",
      waiting_requests_of_a_user_are_bounded_too },
    { "a thousand requests that nobody answers are bounded",
      a_thousand_requests_that_nobody_answers_are_bounded },
    { "what comes of them reaches no connection",
      what_comes_of_them_reaches_no_connection },
    { "waiting requests have a budget of bytes",
      waiting_requests_have_a_budget_of_bytes },
    { "reservations need accounts too", reservations_need_accounts_too },
};

int main(void)
{
    return unit_main("parked requests", cases, ARRAY_LEN(cases));
}
