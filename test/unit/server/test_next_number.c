/* Unit tests of server/decide/next_number.c: no number is told twice, and not each one
 * is stored.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/next_number.h"

#include "lib/attr/ids.h"
#include "server/decide/config.h"
#include "test/unit/server/fake_mom.h"
#include "test/unit/server/one_record.h"
#include "test/unit/unit.h"

#include <string.h>

/* A model, and what the engine keeps beside it. */
static struct {
    struct model *m;
    struct arena *arena;
    struct svr_config cfg;
    struct svr_view view;
    uint64_t seq;
} w;

static void apply(enum fact fact, enum obj_kind kind, const char *id, ...)
{
    struct record *rec;
    va_list changes;

    va_start(changes, id);
    rec = one_record(w.arena, fact, kind, id, changes);
    va_end(changes);
    rec->seq = ++w.seq;
    model_apply(w.m, rec);
}

static void begin(uint32_t window, const char *stored, const char *last)
{
    w.m = model_new("svr");
    w.arena = arena_new();
    w.cfg = (struct svr_config){ .server_name = "svr", .number_window = window };
    apply(FACT_CREATED, OBJ_QUEUE, "workq", "queue_type", "Execution", NULL);
    apply(FACT_SET, OBJ_SERVER, "svr", "hf_next_number", stored, "max_job_sequence_id",
          last, NULL);
    w.view = (struct svr_view){ .next_number = number_window_end(w.m) };
}

static void end(void)
{
    model_free(w.m);
    arena_free(w.arena);
}

static void make_job(const char *id)
{
    apply(FACT_JOB_QUEUED, OBJ_JOB, id, "job_state", "Q", "queue", "workq", NULL);
}

static const struct request *request(void)
{
    static struct request rq;

    rq = (struct request){
        .actor = "root@svr", .arena = w.arena, .cfg = &w.cfg, .view = &w.view
    };
    return &rq;
}

/* Take a number and give it to a job that is on its way, as the engine does. What has
 * to be stored before, or -1. */
static int64_t take(uint64_t *ret)
{
    struct decision d = { .arena = w.arena };
    int64_t stored = -1;

    *ret = number_next(w.m, request());
    number_take(w.m, request(), *ret, &d);
    CU_ASSERT_TRUE_FATAL(d.records.n <= 1);
    if (d.records.n == 1) {
        d.records.v[0]->seq = ++w.seq;
        model_apply(w.m, d.records.v[0]);
        stored = (int64_t)number_window_end(w.m);
    }
    number_given(w.m, OBJ_JOB, job_id_make(*ret, "svr", w.arena), &w.view.next_number);
    return stored;
}

static void numbers_wrap_and_skip_what_is_taken(void)
{
    begin(1, "7", "9999999");
    CU_ASSERT_EQUAL(number_free(w.m, 7), 7);
    apply(FACT_CREATED, OBJ_QUEUE, "R7", "queue_type", "Execution", NULL);
    apply(FACT_RESV_SUBMITTED, OBJ_RESV, "R7.svr", "reserve_state", "1", "queue", "R7",
          NULL);
    make_job("8.svr");
    make_job("9[].svr");
    CU_ASSERT_EQUAL(number_free(w.m, 7), 10);
    /* Jobs from before the server was renamed have their numbers. */
    make_job("10.former");
    CU_ASSERT_EQUAL(number_free(w.m, 7), 11);
    CU_ASSERT_EQUAL(number_free(w.m, 10000000), 0);
    end();
}

static void a_window_is_stored_once(void)
{
    /* Steps: the number, and what is stored with it. */
    static const struct {
        uint64_t number;
        int64_t stored;
    } steps[] = {
        { 5, 8 }, { 6, -1 }, { 7, -1 }, { 8, 11 }, { 9, -1 }, { 10, -1 }, { 11, 14 },
    };
    uint64_t number;

    begin(3, "5", "9999999");
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        CU_ASSERT_EQUAL(take(&number), steps[i].stored);
        CU_ASSERT_EQUAL(number, steps[i].number);
        CU_ASSERT_TRUE(number < number_window_end(w.m));
    }
    end();
}

static void windows_of_one_are_stored_each_time(void)
{
    uint64_t number;

    begin(0, "0", "9999999");
    for (uint64_t i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(take(&number), (int64_t)i + 1);
        CU_ASSERT_EQUAL(number, i);
    }
    end();
}

/* The last window ends with the last number, and the next one begins with 0. */
static void windows_come_round(void)
{
    static const struct {
        uint64_t number;
        int64_t stored;
    } steps[] = {
        { 9999998, 10000000 },
        { 9999999, -1 },
        { 0, 4 },
        { 2, -1 },
        { 3, -1 },
        { 4, 8 },
    };
    uint64_t number;

    begin(4, "9999998", "9999999");
    make_job("1.svr");
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        CU_ASSERT_EQUAL(take(&number), steps[i].stored);
        CU_ASSERT_EQUAL(number, steps[i].number);
    }
    end();
}

/* The last number is lowered in the middle of a window that is above it then. */
static void a_window_that_is_cut_off_is_left(void)
{
    uint64_t number;

    begin(8, "10000000", "20000000");
    CU_ASSERT_EQUAL(take(&number), 10000008);
    apply(FACT_SET, OBJ_SERVER, "svr", "max_job_sequence_id", "9999999", NULL);
    CU_ASSERT_EQUAL(take(&number), 8);
    CU_ASSERT_EQUAL(number, 0);
    CU_ASSERT_EQUAL(take(&number), -1);
    CU_ASSERT_EQUAL(number, 1);
    end();
}

/* What others have named moves nothing. */
static void ids_of_others_give_no_number(void)
{
    uint64_t number;

    begin(8, "0", "9999999");
    CU_ASSERT_EQUAL(take(&number), 8);
    number_given(w.m, OBJ_JOB, "5.other", &w.view.next_number);
    number_given(w.m, OBJ_JOB, "77.svr", &w.view.next_number);
    number_given(w.m, OBJ_JOB, "0[3].svr", &w.view.next_number);
    CU_ASSERT_EQUAL(w.view.next_number, 1);
    number_given(w.m, OBJ_RESV, "R4.svr", &w.view.next_number);
    CU_ASSERT_EQUAL(w.view.next_number, 5);
    end();
}

/* The whole server. */

static const char *queue_job(struct rig *r)
{
    struct body_queue body = { .id = "", .destination = "" };
    const struct wire_reply *reply = rig_ask(r, RIG_USER, BATCH_QUEUE_JOB, &body, NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL(reply->code, 0);
    return reply->text;
}

static int commit(struct rig *r, const char *id)
{
    struct body_id body = { .id = id };

    return rig_ask_on(r, r->conn, RIG_USER, BATCH_COMMIT, &body, NULL)->code;
}

/* The record behind which the reply to the last request leaves. */
static uint64_t waits_for(const struct rig *r)
{
    for (size_t i = 0; i < r->out.n; i++)
        if (r->out.v[i].kind == EFFECT_REPLY && r->out.v[i].u.reply.conn == r->conn)
            return r->out.v[i].seq;
    return UINT64_MAX;
}

static struct rig *rig_with_windows(uint32_t window)
{
    rig_number_window = window;
    return rig_new();
}

static void rig_end(struct rig *r)
{
    CU_ASSERT_TRUE(rig_is_same(r));
    rig_free(r);
    rig_number_window = 0;
}

static void a_job_on_its_way_waits_for_nobody(void)
{
    struct rig *r = rig_with_windows(8);
    const char data[] = "x\n";
    const struct body_script script = { .job_id = "", .data = { data, 2 } };
    uint64_t window, other;

    CU_ASSERT_STRING_EQUAL(queue_job(r), "0.svr");
    window = svr_model(r->s)->seq;
    CU_ASSERT_EQUAL(waits_for(r), window);
    CU_ASSERT_EQUAL(commit(r, "0.svr"), 0);
    other = svr_model(r->s)->seq;
    CU_ASSERT_EQUAL(waits_for(r), other);
    CU_ASSERT_TRUE(other > window);
    /* The next one shows the window, and not the job of another client. */
    CU_ASSERT_STRING_EQUAL(queue_job(r), "1.svr");
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_RECORD), 0);
    CU_ASSERT_EQUAL(waits_for(r), window);
    CU_ASSERT_EQUAL(
        rig_ask_on(r, r->conn, RIG_USER, BATCH_JOB_SCRIPT, &script, NULL)->code, 0);
    CU_ASSERT_EQUAL(waits_for(r), 0);
    CU_ASSERT_EQUAL(commit(r, "1.svr"), 0);
    CU_ASSERT_EQUAL(waits_for(r), svr_model(r->s)->seq);
    rig_end(r);
}

static void a_setting_of_the_queue_is_waited_for(void)
{
    struct rig *r = rig_with_windows(8);

    queue_job(r);
    CU_ASSERT_EQUAL(
        rig_manager(r, RIG_ROOT, SET, OBJECT_QUEUE, "workq", "max_queuable=7"), 0);
    queue_job(r);
    CU_ASSERT_EQUAL(waits_for(r), svr_model(r->s)->seq);
    CU_ASSERT_EQUAL(rig_manager(r, RIG_ROOT, SET, OBJECT_SERVER, "", "comment=open"),
                    0);
    queue_job(r);
    CU_ASSERT_EQUAL(waits_for(r), svr_model(r->s)->seq);
    rig_end(r);
}

static void a_crash_leaves_out_the_rest_of_a_window(void)
{
    struct rig *r = rig_with_windows(8);

    CU_ASSERT_STRING_EQUAL(queue_job(r), "0.svr");
    CU_ASSERT_STRING_EQUAL(queue_job(r), "1.svr"); /* told, and never committed */
    rig_restart(r);
    CU_ASSERT_STRING_EQUAL(queue_job(r), "8.svr");
    rig_end(r);
}

static void an_orderly_end_leaves_out_nothing(void)
{
    static const struct body_number quick = { .value = 2 };
    struct rig *r = rig_with_windows(8);

    CU_ASSERT_STRING_EQUAL(queue_job(r), "0.svr");
    CU_ASSERT_PTR_NOT_NULL(rig_ask(r, RIG_ROOT, BATCH_SHUTDOWN, &quick, NULL));
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_RECORD), 1);
    /* The exit waits for that record. */
    CU_ASSERT_EQUAL(rig_effect(r, EFFECT_EXIT, 0)->seq, svr_model(r->s)->seq);
    rig_restart(r);
    CU_ASSERT_STRING_EQUAL(queue_job(r), "1.svr");
    r->out = (struct effects){ .arena = r->arena };
    svr_end(r->s, r->now_at, &r->out);
    CU_ASSERT_EQUAL(rig_count(r, EFFECT_RECORD), 1);
    rig_restart(r);
    /* One that has told no number stores nothing. */
    r->out = (struct effects){ .arena = r->arena };
    svr_end(r->s, r->now_at, &r->out);
    CU_ASSERT_EQUAL(r->out.n, 0);
    rig_restart(r);
    CU_ASSERT_STRING_EQUAL(queue_job(r), "2.svr");
    rig_end(r);
}

static void a_refusal_takes_no_number(void)
{
    struct body_queue body = { .id = "", .destination = "nosuch" };
    struct rig *r = rig_with_windows(8);

    CU_ASSERT_STRING_EQUAL(queue_job(r), "0.svr");
    CU_ASSERT_EQUAL(rig_ask(r, RIG_USER, BATCH_QUEUE_JOB, &body, NULL)->code,
                    PBSE_UNKQUE);
    CU_ASSERT_STRING_EQUAL(queue_job(r), "1.svr");
    rig_end(r);
}

static const struct unit_case cases[] = {
    { "numbers wrap and skip what is taken", numbers_wrap_and_skip_what_is_taken },
    { "a window is stored once", a_window_is_stored_once },
    { "windows of one are stored each time", windows_of_one_are_stored_each_time },
    { "windows come round", windows_come_round },
    { "a window that is cut off is left", a_window_that_is_cut_off_is_left },
    { "ids of others give no number", ids_of_others_give_no_number },
    { "a job on its way waits for nobody", a_job_on_its_way_waits_for_nobody },
    { "a setting of the queue is waited for", a_setting_of_the_queue_is_waited_for },
    { "a crash leaves out the rest of a window",
      a_crash_leaves_out_the_rest_of_a_window },
    { "an orderly end leaves out nothing", an_orderly_end_leaves_out_nothing },
    { "a refusal takes no number", a_refusal_takes_no_number },
};

int main(void)
{
    return unit_main("server/next_number", cases, ARRAY_LEN(cases));
}
