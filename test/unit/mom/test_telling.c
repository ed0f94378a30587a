/* test_telling.c - a MoM of many jobs tells of them in rounds of many turns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

/* Three messages: a message is about 100 jobs at most. */
#define N_JOBS 201
#define LAST   (N_JOBS - 1)

struct crowd {
    struct bench b;
    size_t n_told[N_JOBS]; /* how often each was told of */
    size_t n_messages;     /* of the last input */
};

static const char *id_of(struct crowd *c, size_t i)
{
    return arena_printf(c->b.out.arena, "%zu.svr", i);
}

/* Count what the last input has sent, and forget it. */
static size_t told(struct crowd *c)
{
    size_t n = 0;

    c->n_messages = 0;
    for (size_t i = 0; i < c->b.out.n; i++) {
        const struct is_message *msg = &c->b.out.v[i].u.msg;

        if (c->b.out.v[i].kind != MOM_SEND || msg->command != IS_RESCUSED)
            continue;
        c->n_messages++;
        n += msg->n_updates;
        for (size_t k = 0; k < msg->n_updates; k++) {
            size_t job = (size_t)atoi(msg->updates[k].job_id);

            CU_ASSERT_FATAL(job < N_JOBS);
            c->n_told[job]++;
        }
    }
    forget(&c->b);
    return n;
}

static void crowd_init(struct crowd *c)
{
    memset(c, 0, sizeof(*c));
    bench_init(&c->b);
    for (size_t i = 0; i < N_JOBS; i++)
        run_job(&c->b, id_of(c, i));
    forget(&c->b);
}

static size_t sampled(struct crowd *c)
{
    mom_sampled(c->b.m, c->b.now_at, &c->b.out);
    return told(c);
}

/* The next turn of the loop. */
static size_t turn(struct crowd *c)
{
    CU_ASSERT(mom_next_deadline(c->b.m) <= c->b.now_at);
    CU_ASSERT(mom_recount_deadline(c->b.m) == mom_next_deadline(c->b.m));
    mom_tick(c->b.m, c->b.now_at, &c->b.out);
    return told(c);
}

static void expect_over(struct crowd *c)
{
    CU_ASSERT(mom_next_deadline(c->b.m) > c->b.now_at);
    mom_tick(c->b.m, c->b.now_at, &c->b.out);
    CU_ASSERT_EQUAL(told(c), 0);
}

static void end_job(struct crowd *c, size_t i)
{
    const char *id = id_of(c, i);
    const struct body_manage del = { .object_name = id };

    mom_exited(c->b.m, c->b.now_at, id, 0, NULL, &c->b.out);
    obit_reply(&c->b, id, false);
    request(&c->b, BATCH_DELETE_JOB, &del, "m9");
    CU_ASSERT_PTR_NULL(mom_job_attrs(c->b.m, id));
    forget(&c->b);
}

static void a_message_is_a_turn(void)
{
    struct crowd c;

    crowd_init(&c);
    CU_ASSERT_EQUAL(sampled(&c), 100);
    CU_ASSERT_EQUAL(c.n_messages, 1);
    CU_ASSERT_EQUAL(turn(&c), 100);
    CU_ASSERT_EQUAL(turn(&c), 1);
    expect_over(&c);
    for (size_t i = 0; i < N_JOBS; i++)
        CU_ASSERT_EQUAL(c.n_told[i], 1);
    bench_fini(&c.b);
}

static void jobs_may_leave_between(void)
{
    struct crowd c;

    crowd_init(&c);
    sampled(&c);
    /* The next one, one that has been told of, and the last one. */
    end_job(&c, 100);
    end_job(&c, 3);
    end_job(&c, LAST);
    CU_ASSERT_EQUAL(turn(&c), 99);
    CU_ASSERT_EQUAL(c.n_told[101], 1);
    expect_over(&c);
    bench_fini(&c.b);
}

/* The last one in the round is the one that leaves: nothing is due any more. */
static void a_round_may_lose_its_rest(void)
{
    struct crowd c;

    crowd_init(&c);
    sampled(&c);
    turn(&c);
    end_job(&c, LAST);
    expect_over(&c);
    bench_fini(&c.b);
}

static void a_sample_meanwhile_is_another_round(void)
{
    struct crowd c;

    crowd_init(&c);
    sampled(&c);
    /* The round goes on, so that its last job has its turn. */
    CU_ASSERT_EQUAL(sampled(&c), 100);
    CU_ASSERT_EQUAL(sampled(&c), 1);
    CU_ASSERT_EQUAL(c.n_told[LAST], 1);
    CU_ASSERT_EQUAL(turn(&c), 100);
    CU_ASSERT_EQUAL(turn(&c), 100);
    CU_ASSERT_EQUAL(turn(&c), 1);
    expect_over(&c);
    CU_ASSERT_EQUAL(c.n_told[LAST], 2);
    bench_fini(&c.b);
}

/* A server that comes back hears of all jobs, also of those that the one before was
 * told of. */
static void a_registration_begins_anew(void)
{
    struct crowd c;

    crowd_init(&c);
    sampled(&c);
    mom_stream_closed(c.b.m, c.b.now_at, c.b.stream, &c.b.out);
    forget(&c.b);
    /* Nobody is there to be told. */
    CU_ASSERT_EQUAL(turn(&c), 0);
    say_hello(&c.b);
    CU_ASSERT_EQUAL(told(&c), 100);
    CU_ASSERT_EQUAL(c.n_told[0], 2);
    CU_ASSERT_EQUAL(turn(&c), 100);
    CU_ASSERT_EQUAL(turn(&c), 1);
    expect_over(&c);
    bench_fini(&c.b);
}

static const struct unit_case cases[] = {
    { "a message is a turn", a_message_is_a_turn },
    { "jobs may leave between", jobs_may_leave_between },
    { "a round may lose its rest", a_round_may_lose_its_rest },
    { "a sample meanwhile is another round", a_sample_meanwhile_is_another_round },
    { "a registration begins anew", a_registration_begins_anew },
};

int main(void)
{
    return unit_main("telling", cases, ARRAY_LEN(cases));
}
