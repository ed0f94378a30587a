/* test_many_ends.c - many jobs whose time has come at once have it in slices.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "bench.h"

#include "mom/mock/mock.h"

#include <signal.h>
#include <stdlib.h>

#define N_JOBS (2 * MOM_JOBS_IN_TURN + 50) /* three turns */

struct crowd {
    struct bench b;
    size_t n_told[N_JOBS]; /* how often the end of each was */
};

static const char *id_of(struct crowd *c, size_t i)
{
    return arena_printf(c->b.out.arena, "%zu.svr", i);
}

static void crowd_init(struct crowd *c)
{
    memset(c, 0, sizeof(*c));
    bench_init(&c->b);
}

static void all_run(struct crowd *c)
{
    for (size_t i = 0; i < N_JOBS; i++)
        run_job(&c->b, id_of(c, i));
}

/* How many ends the last input has told, each with that status; it is forgotten. */
static size_t told(struct crowd *c, int32_t status)
{
    size_t n = 0;

    for (size_t i = 0; i < c->b.out.n; i++) {
        const struct is_message *msg = &c->b.out.v[i].u.msg;

        if (c->b.out.v[i].kind != MOM_SEND || msg->command != IS_JOBOBIT)
            continue;
        CU_ASSERT_EQUAL_FATAL(msg->n_updates, 1);
        CU_ASSERT_EQUAL(msg->updates[0].status, status);
        c->n_told[atoi(msg->updates[0].job_id)]++;
        n++;
    }
    forget(&c->b);
    return n;
}

/* How many jobs the last input has sent SIGTERM. */
static size_t terminated(struct crowd *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->b.out.n; i++)
        n += c->b.out.v[i].kind == MOM_KILL && c->b.out.v[i].u.signo == SIGTERM;
    forget(&c->b);
    return n;
}

/* The next turn, which is due. */
static void turn(struct crowd *c)
{
    CU_ASSERT(mom_next_deadline(c->b.m) <= c->b.now_at);
    CU_ASSERT(mom_recount_deadline(c->b.m) >= mom_next_deadline(c->b.m));
    mom_tick(c->b.m, c->b.now_at, &c->b.out);
}

static void expect_each_once(const struct crowd *c)
{
    for (size_t i = 0; i < N_JOBS; i++)
        CU_ASSERT_EQUAL(c->n_told[i], 1);
}

static void limits_are_kept_in_slices(void)
{
    struct crowd c;

    crowd_init(&c);
    all_run(&c);
    c.b.now_at += 61;
    turn(&c);
    CU_ASSERT_EQUAL(terminated(&c), MOM_JOBS_IN_TURN);
    turn(&c);
    CU_ASSERT_EQUAL(terminated(&c), MOM_JOBS_IN_TURN);
    turn(&c);
    CU_ASSERT_EQUAL(terminated(&c), 50);
    CU_ASSERT(mom_next_deadline(c.b.m) > c.b.now_at);
    bench_fini(&c.b);
}

/* A server that comes back is told the ends of the time without it. */
static void ends_are_told_in_slices(void)
{
    struct crowd c;

    crowd_init(&c);
    all_run(&c);
    mom_stream_closed(c.b.m, c.b.now_at, c.b.stream, &c.b.out);
    for (size_t i = 0; i < N_JOBS; i++)
        mom_exited(c.b.m, c.b.now_at, id_of(&c, i), 7, NULL, &c.b.out);
    CU_ASSERT_EQUAL(told(&c, 7), 0);
    say_hello(&c.b);
    CU_ASSERT_EQUAL(told(&c, 7), MOM_JOBS_IN_TURN);
    turn(&c);
    CU_ASSERT_EQUAL(told(&c, 7), MOM_JOBS_IN_TURN);
    turn(&c);
    CU_ASSERT_EQUAL(told(&c, 7), 50);
    CU_ASSERT(mom_next_deadline(c.b.m) > c.b.now_at);
    expect_each_once(&c);
    bench_fini(&c.b);
}

/* The ends were told a moment ago, to a server that has gone: the one that comes is
 * told all of them at once and not after the time of a repetition. */
static void ends_told_to_another_server_do_not_wait(void)
{
    struct crowd c;
    size_t n;

    crowd_init(&c);
    all_run(&c);
    for (size_t i = 0; i < N_JOBS; i++)
        mom_exited(c.b.m, c.b.now_at, id_of(&c, i), 0, NULL, &c.b.out);
    CU_ASSERT_EQUAL(told(&c, 0), N_JOBS);
    expect_each_once(&c);
    mom_stream_closed(c.b.m, c.b.now_at, c.b.stream, &c.b.out);
    forget(&c.b);
    say_hello(&c.b);
    n = told(&c, 0);
    for (int i = 0; i < 2; i++) {
        turn(&c);
        n += told(&c, 0);
    }
    CU_ASSERT_EQUAL(n, N_JOBS);
    bench_fini(&c.b);
}

/* What pretends has its ends in slices as well. However late these are, the core does
 * not see a job that is over its walltime: it would kill it. */
static void pretended_ends_come_before_limits(void)
{
    struct executor x;
    struct mock *mock;
    struct crowd c;
    size_t n, n_turns = 0;

    crowd_init(&c);
    mock = mock_new(c.b.m, 1);
    x = mock_executor(mock);
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct wire_attrs attrs = job_attrs(&c.b, "3");

        send_job(&c.b, id_of(&c, i), &attrs);
    }
    for (size_t i = 0; i < c.b.out.n; i++) {
        const struct mom_effect e = c.b.out.v[i];

        if (executor_has(e.kind))
            x.carry_out(x.self, c.b.now_at, &e, &c.b.out);
    }
    forget(&c.b);
    c.b.now_at += 120;
    for (n = 0; n < N_JOBS && n_turns < 3; n_turns++) {
        CU_ASSERT(x.next_deadline(x.self) <= c.b.now_at);
        executor_turn(&x, c.b.m, c.b.now_at, &c.b.out);
        n += told(&c, 0);
        CU_ASSERT(n <= (n_turns + 1) * MOM_JOBS_IN_TURN);
    }
    CU_ASSERT_EQUAL(n, N_JOBS);
    expect_each_once(&c);
    mock_free(mock);
    bench_fini(&c.b);
}

static const struct unit_case cases[] = {
    { "limits are kept in slices", limits_are_kept_in_slices },
    { "ends are told in slices", ends_are_told_in_slices },
    { "ends told to another server do not wait",
      ends_told_to_another_server_do_not_wait },
    { "pretended ends come before limits", pretended_ends_come_before_limits },
};

int main(void)
{
    return unit_main("many ends", cases, ARRAY_LEN(cases));
}
