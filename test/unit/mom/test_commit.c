/* Unit tests of when the server hears that a job was taken: behind the record that is
 * durable, which is that of its begin if it begins soon, and before anything else of
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

/* A job whose start is under way. */
static void take_job(struct bench *b)
{
    struct wire_attrs attrs;

    bench_init(b);
    attrs = job_attrs(b, "3");
    send_job(b, "1.svr", &attrs);
    CU_ASSERT_PTR_NOT_NULL_FATAL(effect(b, MOM_STORE, 0));
    CU_ASSERT_FALSE(effect(b, MOM_STORE, 0)->u.store.is_durable);
    mom_stored(b->m, b->now_at, "1.svr", NULL, &b->out);
    CU_ASSERT_PTR_NOT_NULL(effect(b, MOM_START, 0));
    CU_ASSERT_PTR_NULL(effect(b, MOM_SEND, 0));
    CU_ASSERT_PTR_NULL(effect(b, MOM_SAVE, 0));
    forget(b);
}

static size_t n_answers(const struct bench *b)
{
    const struct mom_effect *e;
    size_t n = 0;

    for (size_t i = 0; (e = effect(b, MOM_SEND, i)); i++)
        n += e->u.msg.command == IS_CMD_REPLY;
    return n;
}

/* What was carried out first is of that kind, and what was said first is the answer. */
static bool is_answered_behind(const struct bench *b, enum mom_effect_kind kind)
{
    const struct mom_effect *first = effect(b, MOM_SEND, 0), *e = effect(b, kind, 0);

    return e && first && e < first && first->u.msg.command == IS_CMD_REPLY &&
           strcmp(first->u.msg.msgid, "m1") == 0 && first->stream == b->stream &&
           first->u.msg.reply.choice == REPLY_COMMIT &&
           strcmp(first->u.msg.reply.text, "1.svr") == 0;
}

static void test_a_job_that_begins(void)
{
    struct bench b;

    take_job(&b);
    CU_ASSERT(mom_next_deadline(b.m) <= b.now_at + 1);
    mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
    CU_ASSERT(is_answered_behind(&b, MOM_BEGIN));
    CU_ASSERT_EQUAL(n_answers(&b), 1);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_SAVE, 0));
    forget(&b);
    mom_tick(b.m, b.now_at + 1, &b.out);
    CU_ASSERT_EQUAL(n_answers(&b), 0);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_SAVE, 0));
    bench_fini(&b);
}

static void test_a_start_that_takes_its_time(void)
{
    struct bench b;

    take_job(&b);
    mom_tick(b.m, b.now_at, &b.out);
    CU_ASSERT_EQUAL(n_answers(&b), 0);
    mom_tick(b.m, b.now_at + 1, &b.out);
    CU_ASSERT(is_answered_behind(&b, MOM_SAVE));
    forget(&b);
    mom_tick(b.m, b.now_at + 2, &b.out);
    mom_started(b.m, b.now_at + 3, "1.svr", 4711, 0, NULL, &b.out);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_BEGIN, 0));
    CU_ASSERT_EQUAL(n_answers(&b), 0);
    bench_fini(&b);
}

static void test_a_start_that_fails(void)
{
    struct bench b;

    take_job(&b);
    mom_started(b.m, b.now_at, "1.svr", 0, -3, NULL, &b.out);
    CU_ASSERT(is_answered_behind(&b, MOM_SAVE));
    CU_ASSERT_EQUAL(n_answers(&b), 1);
    CU_ASSERT_EQUAL(told_status(&b), -3);
    bench_fini(&b);
}

/* The list of jobs at a registration tells of it. */
static void test_a_server_that_comes_back_meanwhile(void)
{
    const struct mom_effect *save;
    struct bench b;
    size_t i = 0;

    take_job(&b);
    mom_stream_closed(b.m, b.now_at, b.stream, &b.out);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_SAVE, 0));
    forget(&b);
    say_hello(&b);
    save = effect(&b, MOM_SAVE, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(save);
    while (effect(&b, MOM_SEND, i)->u.msg.command != IS_REGISTERMOM)
        i++;
    CU_ASSERT(save < effect(&b, MOM_SEND, i));
    CU_ASSERT_EQUAL(effect(&b, MOM_SEND, i)->u.msg.n_running, 1);
    forget(&b);
    mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
    CU_ASSERT_EQUAL(n_answers(&b), 0);
    bench_fini(&b);
}

/* It did not hear the answer, and asks once more. */
static void test_the_same_run_is_sent_again(void)
{
    struct wire_attrs attrs;
    struct bench b;

    take_job(&b);
    attrs = job_attrs(&b, "3");
    send_job(&b, "1.svr", &attrs);
    CU_ASSERT(is_answered_behind(&b, MOM_SAVE));
    CU_ASSERT_EQUAL(n_answers(&b), 2); /* to each of both */
    forget(&b);
    mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_BEGIN, 0));
    CU_ASSERT_EQUAL(n_answers(&b), 0);
    bench_fini(&b);
}

static const struct unit_case cases[] = {
    { "a job that begins is answered behind its begin", test_a_job_that_begins },
    { "a start that takes its time is answered before",
      test_a_start_that_takes_its_time },
    { "a start that fails is answered, and told", test_a_start_that_fails },
    { "a server that comes back finds the job on disk",
      test_a_server_that_comes_back_meanwhile },
    { "the same run sent again is answered at once", test_the_same_run_is_sent_again },
};

int main(void)
{
    return unit_main("commit", cases, ARRAY_LEN(cases));
}
