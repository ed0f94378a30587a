/* Unit tests of $max_load and $ideal_load in the MoM's core: when the host is busy, and
 * when the server hears of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#define BUSY 0x80

static void set_loads(struct bench *b, double max, double ideal)
{
    struct mom_config cfg = node1_config();

    cfg.has_max_load = max >= 0;
    cfg.max_load = max;
    cfg.ideal_load = ideal;
    mom_set_rules(b->m, &cfg);
}

/* The load of the next look. True: it was asked for. */
static bool look(struct bench *b, double load)
{
    forget(b);
    mom_tick(b->m, b->now_at, &b->out);
    if (!effect(b, MOM_READ_LOAD, 0))
        return false;
    mom_host_load(b->m, load, &b->out);
    b->now_at += 10;
    return true;
}

static int told_state(const struct bench *b)
{
    const struct is_message *msg = sent(b, IS_UPDATE2);

    return msg ? (int)msg->state.state : -1;
}

static void test_busy_has_two_limits(void)
{
    static const struct {
        double load;
        int told; /* the state that the server is sent; -1: nothing */
    } looks[] = { { 3.9, -1 },   { 4.0, BUSY }, { 9.0, -1 },  { 3.9, -1 },
                  { 2.0, -1 },   { 1.9, 0 },    { 2.5, -1 },  { 3.9, -1 },
                  { 4.1, BUSY }, { 0, 0 },      { -1.0, -1 }, { 4.0, BUSY } };
    struct bench b;

    bench_init(&b);
    set_loads(&b, 4, 2);
    for (size_t i = 0; i < ARRAY_LEN(looks); i++) {
        CU_ASSERT(look(&b, looks[i].load));
        CU_ASSERT_EQUAL(told_state(&b), looks[i].told);
    }
    bench_fini(&b);
}

static void test_looks_are_10_s_apart(void)
{
    struct bench b;

    bench_init(&b);
    CU_ASSERT(!look(&b, 9)); /* nobody asks */
    CU_ASSERT_EQUAL(mom_next_deadline(b.m), INT64_MAX);
    set_loads(&b, 4, 4);
    CU_ASSERT(mom_next_deadline(b.m) <= b.now_at);
    CU_ASSERT(look(&b, 0));
    CU_ASSERT_EQUAL(mom_next_deadline(b.m), b.now_at);
    CU_ASSERT_EQUAL(mom_recount_deadline(b.m), b.now_at);
    b.now_at--;
    CU_ASSERT(!look(&b, 0));
    bench_fini(&b);
}

static void test_one_limit_is_both(void)
{
    struct bench b;

    bench_init(&b);
    set_loads(&b, 4, 7); /* an ideal load above it counts as it */
    CU_ASSERT(look(&b, 5) && told_state(&b) == BUSY);
    CU_ASSERT(look(&b, 4) && told_state(&b) == -1);
    CU_ASSERT(look(&b, 3.9) && told_state(&b) == 0);
    set_loads(&b, 0, 0); /* never busy would be no line; always busy is one */
    CU_ASSERT(look(&b, 0) && told_state(&b) == BUSY);
    bench_fini(&b);
}

/* HUP: a line that is gone frees the host, and another limit counts at once. */
static void test_new_rules_count_at_once(void)
{
    struct bench b;

    bench_init(&b);
    set_loads(&b, 4, 2);
    CU_ASSERT(look(&b, 5) && told_state(&b) == BUSY);
    set_loads(&b, 8, 6);
    CU_ASSERT(look(&b, 5) && told_state(&b) == 0);
    set_loads(&b, 4, 2);
    CU_ASSERT(look(&b, 5) && told_state(&b) == BUSY);
    set_loads(&b, -1, -1);
    forget(&b);
    mom_set_vnodes(b.m, b.now_at, 5, 0, NULL, &b.out); /* as after each HUP */
    CU_ASSERT_EQUAL(told_state(&b), 0);
    CU_ASSERT(!look(&b, 9));
    mom_host_load(b.m, 9, &b.out); /* of a question before the HUP */
    CU_ASSERT_EQUAL(told_state(&b), -1);
    bench_fini(&b);
}

/* A server that comes back hears it with the registration. */
static void test_a_new_server_hears_it(void)
{
    const struct is_message *msg;
    struct bench b;

    bench_init(&b);
    set_loads(&b, 4, 2);
    CU_ASSERT(look(&b, 5));
    forget(&b);
    mom_stream_closed(b.m, b.now_at, b.stream, &b.out);
    CU_ASSERT(look(&b, 1)); /* while nobody listens */
    CU_ASSERT_EQUAL(told_state(&b), -1);
    CU_ASSERT(look(&b, 6));
    say_hello(&b);
    msg = sent(&b, IS_REGISTERMOM);
    CU_ASSERT_PTR_NOT_NULL_FATAL(msg);
    CU_ASSERT_EQUAL(msg->state.state, BUSY);
    bench_fini(&b);
}

static const struct unit_case cases[] = {
    { "a host is busy from one load on, and free below another",
      test_busy_has_two_limits },
    { "the load is looked at every 10 s, and only where it counts",
      test_looks_are_10_s_apart },
    { "without an ideal load the other one counts for both", test_one_limit_is_both },
    { "new limits count at once", test_new_rules_count_at_once },
    { "a server that comes back hears that the host is busy",
      test_a_new_server_hears_it },
};

int main(void)
{
    return unit_main("mom/load", cases, ARRAY_LEN(cases));
}
