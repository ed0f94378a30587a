/* test_many_tasks.c - jobs that spawn thousands of tasks: what is told of those that
 * have ended, what is kept of them, and who waits for whom.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "bench.h"

#include "mom/job/askers.h"
#include "mom/job/tasks.h"

#define ID      "1.svr"
#define CLIENT  (MOM_TASK_CONNECTION | 5)
#define OTHER   (MOM_TASK_CONNECTION | 6)
#define SISTER  88 /* the stream of another host */
#define N_TASKS 10000

static void crowd_init(struct bench *b)
{
    struct wire_attrs attrs;

    bench_init(b);
    attrs = job_attrs(b, "3");
    add(b, &attrs, "cookie", NULL, "c00kie");
    send_job(b, ID, &attrs);
    mom_stored(b->m, b->now_at, ID, NULL, &b->out);
    mom_started(b->m, b->now_at, ID, 4711, 0, NULL, &b->out);
    forget(b);
}

static struct mom_job *job(const struct bench *b)
{
    struct mom_job *j = job_find(b->m, ID);

    CU_ASSERT_PTR_NOT_NULL_FATAL(j);
    return j;
}

/* A task asks on a connection; 'target' is one of job's, where that matters. */
static void ask(struct bench *b, uint64_t client, enum task_command command,
                int32_t event, uint32_t target)
{
    static const char *program = "true";
    const struct task_request rq = { .version = 2,
                                     .job_id = ID,
                                     .cookie = "c00kie",
                                     .command = command,
                                     .event = event,
                                     .task = 1,
                                     .target_task = target,
                                     .args = { 1, &program } };

    mom_task_request(b->m, b->now_at, client, &rq, &b->out);
}

/* How many answers the last input had; they are forgotten. '*last' is the last one. */
static size_t answers(struct bench *b, struct task_reply *last)
{
    size_t n = 0;

    for (size_t i = 0; i < b->out.n; i++)
        if (b->out.v[i].kind == MOM_ANSWER_TASK) {
            *last = b->out.v[i].u.answer.reply;
            n++;
        }
    forget(b);
    return n;
}

static uint32_t spawn(struct bench *b, uint64_t client, int32_t event)
{
    const struct mom_effect *e;
    struct task_reply r = { 0 };
    uint32_t task;

    ask(b, client, TASK_SPAWN, event, 0);
    e = effect(b, MOM_SPAWN, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(e);
    task = e->task;
    mom_task_started(b->m, b->now_at, ID, task, (int32_t)(5000 + task), 0, NULL,
                     &b->out);
    CU_ASSERT_EQUAL(answers(b, &r), 1);
    CU_ASSERT_EQUAL(r.task, task);
    return task;
}

static void end(struct bench *b, uint32_t task, int32_t status)
{
    mom_task_ended(b->m, b->now_at, ID, task, status, NULL, &b->out);
}

static void expect_obit(struct bench *b, uint32_t task, int32_t status)
{
    struct task_reply r = { 0 };

    ask(b, CLIENT, TASK_OBIT, 1, task);
    CU_ASSERT_EQUAL(answers(b, &r), 1);
    CU_ASSERT_FALSE(r.failed);
    CU_ASSERT_EQUAL(r.exit_status, status);
}

static void expect_refused(struct bench *b, enum task_command command, uint32_t task)
{
    struct task_reply r = { 0 };

    ask(b, CLIENT, command, 1, task);
    CU_ASSERT_EQUAL(answers(b, &r), 1);
    CU_ASSERT_TRUE(r.failed);
    CU_ASSERT_EQUAL(r.code, TASK_ENOTFOUND);
}

/* One after another: the job has one task at a time, and all that is kept of those that
 * have ended is how. */
static void test_of_tasks_that_have_ended_the_status_stays(void)
{
    struct task_reply r = { 0 };
    struct bench b;
    uint32_t task;

    crowd_init(&b);
    for (int32_t i = 0; i < N_TASKS; i++) {
        task = spawn(&b, CLIENT, 10 + i);
        CU_ASSERT_EQUAL(spawned_n_live(job(&b)), 1);
        end(&b, task, i % 300);
        forget(&b);
        CU_ASSERT_EQUAL(spawned_n_live(job(&b)), 0);
    }
    for (int32_t i = 0; i < N_TASKS; i++)
        expect_obit(&b, (uint32_t)(2 + i), i % 300);
    expect_refused(&b, TASK_SIGNAL, 2);
    expect_refused(&b, TASK_OBIT, 2 + N_TASKS);
    expect_refused(&b, TASK_OBIT, 0);
    ask(&b, CLIENT, TASK_TASKS, 1, 0);
    CU_ASSERT_EQUAL(answers(&b, &r), 1);
    CU_ASSERT_EQUAL(r.tasks.n, 1);
    CU_ASSERT(job(&b)->ended_tasks.n_places * sizeof(struct ended_task) <= 256u << 10);
    CU_ASSERT_PTR_NULL(job(&b)->ended_orders); /* connections say nothing twice */
    CU_ASSERT_PTR_NULL(b.m->askers);
    bench_fini(&b);
}

static void test_what_is_kept_of_all_is_bounded(void)
{
    struct ended_tasks e = { 0 };
    int32_t status;

    for (uint32_t i = 1; i <= MAX_TASKS; i++)
        ended_tasks_put(&e, 0x40000000 | i, (int32_t)(i % 256));
    CU_ASSERT_EQUAL(e.n, MAX_TASKS);
    CU_ASSERT(e.n_places * sizeof(*e.v) <= 2u << 20);
    for (uint32_t i = 1; i <= MAX_TASKS; i++) {
        CU_ASSERT_TRUE_FATAL(ended_tasks_find(&e, 0x40000000 | i, &status));
        CU_ASSERT_EQUAL(status, (int32_t)(i % 256));
    }
    CU_ASSERT_FALSE(ended_tasks_find(&e, 1, &status));
    ended_tasks_put(&e, 0x40000001, 7); /* again: it was restored */
    CU_ASSERT_EQUAL(e.n, MAX_TASKS);
    CU_ASSERT_TRUE(ended_tasks_find(&e, 0x40000001, &status));
    CU_ASSERT_EQUAL(status, 7);
    ended_tasks_fini(&e);
}

/* All live at once; they end in another order. */
static void test_each_end_is_told_to_who_waits_for_it(void)
{
    const uint32_t n = 1000;
    struct task_reply r = { 0 };
    struct bench b;

    crowd_init(&b);
    for (uint32_t i = 0; i < n; i++)
        CU_ASSERT_EQUAL(spawn(&b, CLIENT, (int32_t)i), 2 + i);
    for (uint32_t i = 0; i < n; i++) {
        ask(&b, CLIENT, TASK_OBIT, (int32_t)(n + i), 2 + i);
        ask(&b, OTHER, TASK_OBIT, (int32_t)i, 2 + i);
    }
    CU_ASSERT_EQUAL(answers(&b, &r), 0);
    CU_ASSERT_EQUAL(job(&b)->n_watchers, 2 * n);
    for (uint32_t i = 0; i < n; i += 2) {
        end(&b, 2 + (i * 7) % n, 3);
        CU_ASSERT_EQUAL(b.out.v[0].kind, MOM_LOG);
        CU_ASSERT_EQUAL(answers(&b, &r), 2);
        CU_ASSERT_EQUAL(r.event, (int32_t)((i * 7) % n)); /* in the order of asking */
    }
    /* Whoever goes is not told; the other one is. */
    mom_stream_closed(b.m, b.now_at, CLIENT, &b.out);
    CU_ASSERT_EQUAL(job(&b)->n_watchers, n / 2);
    CU_ASSERT_PTR_NULL(askers_find(b.m, CLIENT));
    for (uint32_t i = 1; i < n; i += 2) {
        end(&b, 2 + (i * 7) % n, 3);
        CU_ASSERT_EQUAL(answers(&b, &r), 1);
    }
    CU_ASSERT_EQUAL(spawned_n_live(job(&b)), 0);
    CU_ASSERT_PTR_NULL(b.m->askers);
    bench_fini(&b);
}

/* The job ends while tasks of it are waited for. */
static void test_nothing_is_left_of_who_waited(void)
{
    struct bench b;

    crowd_init(&b);
    for (int32_t i = 0; i < 20; i++)
        ask(&b, CLIENT, TASK_OBIT, 100 + i, spawn(&b, CLIENT, i));
    ask(&b, OTHER, TASK_OBIT, 1, 1);
    CU_ASSERT_EQUAL(job(&b)->n_watchers, 21);
    bench_fini(&b); /* which asserts it */
}

static uint32_t order(struct bench *b, int32_t event)
{
    static const char *program = "true";
    const struct im_message msg = { .command = IM_SPAWN_TASK,
                                    .event = event,
                                    .args = { 1, &program } };
    const struct asker asker = { .stream = SISTER, .event = event, .task = 7 };
    const struct mom_effect *e;
    uint32_t task = 0;

    forget(b);
    spawned_start(b->m, job(b), &msg, &asker, &b->out);
    e = effect(b, MOM_SPAWN, 0);
    if (e)
        task = e->task;
    if (e)
        mom_task_started(b->m, b->now_at, ID, task, (int32_t)(5000 + task), 0, NULL,
                         &b->out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(effect(b, MOM_SEND_IM, 0));
    CU_ASSERT_EQUAL(effect(b, MOM_SEND_IM, 0)->u.im.event, event);
    CU_ASSERT(!task || effect(b, MOM_SEND_IM, 0)->u.im.target_task == task);
    return effect(b, MOM_SEND_IM, 0)->u.im.target_task;
}

/* Another host may say an order twice, and what it has begun may have ended. */
static void test_an_order_said_twice_is_one_task(void)
{
    struct bench b;
    uint32_t first;

    crowd_init(&b);
    first = order(&b, 50);
    CU_ASSERT_EQUAL(order(&b, 50), first);
    CU_ASSERT_NOT_EQUAL(order(&b, 51), first);
    end(&b, first, 0);
    for (uint32_t i = 1; i < MOST_ENDED_ORDERS; i++)
        end(&b, order(&b, (int32_t)(100 + i)), 0);
    CU_ASSERT_EQUAL(order(&b, 50), first);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_SPAWN, 0));
    /* That is not remembered without end. */
    end(&b, order(&b, 1000), 0);
    CU_ASSERT_NOT_EQUAL(order(&b, 50), first);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_SPAWN, 0));
    bench_fini(&b);
}

static void test_a_task_starts_once_or_not(void)
{
    struct task_reply r = { 0 };
    struct bench b;
    uint32_t task;

    crowd_init(&b);
    task = spawn(&b, CLIENT, 1);
    mom_task_started(b.m, b.now_at, ID, task, 9999, 0, NULL, &b.out);
    CU_ASSERT_EQUAL(b.out.n, 0);
    CU_ASSERT_EQUAL(spawned_find(job(&b), task)->session, (int32_t)(5000 + task));
    ask(&b, CLIENT, TASK_SPAWN, 2, 0);
    task = effect(&b, MOM_SPAWN, 0)->task;
    mom_task_started(b.m, b.now_at, ID, task, 0, -3, NULL, &b.out);
    CU_ASSERT_EQUAL(answers(&b, &r), 1);
    CU_ASSERT_TRUE(r.failed);
    CU_ASSERT_EQUAL(r.code, TASK_ESYSTEM);
    expect_refused(&b, TASK_OBIT, task);
    bench_fini(&b);
}

static void test_a_vnode_that_is_not_of_the_job_is_not_found(void)
{
    static const uint32_t vnodes[] = { 1, 2, UINT32_MAX };
    struct bench b;

    crowd_init(&b);
    for (size_t i = 0; i < ARRAY_LEN(vnodes); i++) {
        const struct task_request rq = { .version = 2,
                                         .job_id = ID,
                                         .cookie = "c00kie",
                                         .command = TASK_TASKS,
                                         .event = 3,
                                         .task = 1,
                                         .vnode = vnodes[i] };
        struct task_reply r = { 0 };

        mom_task_request(b.m, b.now_at, CLIENT, &rq, &b.out);
        CU_ASSERT_EQUAL(answers(&b, &r), 1);
        CU_ASSERT_TRUE(r.failed);
        CU_ASSERT_EQUAL(r.code, TASK_ENOTFOUND);
    }
    bench_fini(&b);
}

static const struct unit_case cases[] = {
    { "of tasks that have ended the status stays",
      test_of_tasks_that_have_ended_the_status_stays },
    { "what is kept of all is bounded", test_what_is_kept_of_all_is_bounded },
    { "each end is told to who waits for it",
      test_each_end_is_told_to_who_waits_for_it },
    { "nothing is left of who waited", test_nothing_is_left_of_who_waited },
    { "an order said twice is one task", test_an_order_said_twice_is_one_task },
    { "a task starts once or not", test_a_task_starts_once_or_not },
    { "a vnode that is not of the job is not found",
      test_a_vnode_that_is_not_of_the_job_is_not_found },
};

int main(void)
{
    return unit_main("many tasks", cases, ARRAY_LEN(cases));
}
