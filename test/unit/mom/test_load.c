/* Unit tests of $max_load and $ideal_load in the MoM's core: when the host is busy, and
 * when the server hears of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <signal.h>
#include <stdio.h>

#define BUSY 0x80

static void set_loads(struct bench *b, double max, double ideal)
{
    struct mom_config cfg = node1_config();

    cfg.has_max_load = max >= 0;
    cfg.max_load = max;
    cfg.ideal_load = ideal;
    mom_set_rules(b->m, b->now_at, &cfg, &b->out);
}

/* The load of the next look. True: it was asked for. */
static bool look(struct bench *b, double load)
{
    forget(b);
    mom_tick(b->m, b->now_at, &b->out);
    if (!effect(b, MOM_READ_LOAD, 0))
        return false;
    mom_host_load(b->m, b->now_at, load, &b->out);
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
    mom_host_load(b.m, b.now_at, 9, &b.out); /* of a question before the HUP */
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

/* Jobs of a busy host. */

static void set_stops(struct bench *b, bool by_load, bool by_keyboard)
{
    struct mom_config cfg = node1_config();

    cfg.has_max_load = by_load;
    cfg.max_load = 4;
    cfg.ideal_load = 2;
    cfg.load_suspends = by_load;
    cfg.checkpoint_aborts = true;
    cfg.has_kbd_idle = by_keyboard;
    cfg.kbd_idle_s = 600;
    cfg.kbd_busy_s = 10;
    cfg.kbd_poll_s = 1;
    mom_set_rules(b->m, b->now_at, &cfg, &b->out);
}

/* 1 or 0: the server was told that the job stands, or not any more; -1: nothing. */
static int told_stands(const struct bench *b)
{
    const struct is_message *msg = sent(b, IS_IDLE);

    return msg ? (int)msg->stands : -1;
}

static int64_t walltime_told(struct bench *b)
{
    const struct is_message *msg;
    const char *text;
    int64_t m, s;

    forget(b);
    mom_sampled(b->m, b->now_at, &b->out);
    msg = sent(b, IS_RESCUSED);
    text = msg ? wire_attrs_value(&msg->updates[0].attrs, "resources_used", "walltime")
               : NULL;
    return text && sscanf(text, "00:%" SCNd64 ":%" SCNd64, &m, &s) == 2 ? 60 * m + s
                                                                        : -1;
}

static void test_jobs_stand_while_the_host_is_busy(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    set_stops(&b, true, false);
    CU_ASSERT(look(&b, 3) && !killed_with(&b, SIGSTOP));
    CU_ASSERT(look(&b, 5) && killed_with(&b, SIGSTOP) && told_stands(&b) == 1);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_SAVE, 0));
    CU_ASSERT_EQUAL(walltime_told(&b), 10);              /* its clock stands */
    CU_ASSERT(look(&b, 6) && !killed_with(&b, SIGSTOP)); /* once is enough */
    CU_ASSERT_EQUAL(walltime_told(&b), 10);
    CU_ASSERT(look(&b, 1) && killed_with(&b, SIGCONT) && told_stands(&b) == 0);
    CU_ASSERT_EQUAL(walltime_told(&b), 20);
    bench_fini(&b);
}

static void test_a_job_that_begins_on_a_busy_host_stands(void)
{
    struct bench b;

    bench_init(&b);
    set_stops(&b, true, false);
    CU_ASSERT(look(&b, 5) && !killed_with(&b, SIGSTOP));
    run_job(&b, "1.svr");
    CU_ASSERT(look(&b, 5) && killed_with(&b, SIGSTOP));
    bench_fini(&b);
}

/* Its processes run when neither the host nor the server stops them. */
static void test_the_server_suspends_beside_the_host(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    set_stops(&b, true, false);
    CU_ASSERT(look(&b, 5));
    signal_job(&b, "1.svr", "suspend");
    CU_ASSERT(look(&b, 1) && told_stands(&b) == 0 && !killed_with(&b, SIGCONT));
    CU_ASSERT(look(&b, 5) && !killed_with(&b, SIGSTOP)); /* it is suspended */
    forget(&b);
    signal_job(&b, "1.svr", "resume");
    CU_ASSERT(killed_with(&b, SIGCONT));
    CU_ASSERT(look(&b, 5) && killed_with(&b, SIGSTOP));
    forget(&b);
    signal_job(&b, "1.svr", "suspend");
    signal_job(&b, "1.svr", "resume");
    CU_ASSERT_FALSE(killed_with(&b, SIGCONT)); /* the host is still busy */
    CU_ASSERT(look(&b, 1) && killed_with(&b, SIGCONT));
    bench_fini(&b);
}

static void test_a_job_that_stands_can_be_ended(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    set_stops(&b, true, false);
    CU_ASSERT(look(&b, 5));
    forget(&b);
    signal_job(&b, "1.svr", "TermJob");
    CU_ASSERT(killed_with(&b, SIGCONT) && killed_with(&b, SIGTERM));
    b.now_at -= 8; /* the next look comes before its SIGKILL */
    CU_ASSERT_FALSE(look(&b, 5));
    b.now_at += 8;
    CU_ASSERT(look(&b, 5) && !killed_with(&b, SIGSTOP));
    bench_fini(&b);
}

/* A signal of a client would let it go on, or wait with it. */
static void test_nobody_else_lets_it_go_on(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    set_stops(&b, true, false);
    CU_ASSERT(look(&b, 5));
    forget(&b);
    signal_job(&b, "1.svr", "SIGCONT");
    CU_ASSERT_PTR_NULL(effect(&b, MOM_KILL, 0));
    signal_job(&b, "1.svr", "SIGKILL");
    CU_ASSERT(killed_with(&b, SIGKILL));
    bench_fini(&b);
}

/* What changed while the server was away it hears at the next registration. */
static void test_a_server_that_was_away_hears_of_it(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    mom_stream_closed(b.m, b.now_at, b.stream, &b.out);
    forget(&b);
    say_hello(&b);
    CU_ASSERT_EQUAL(told_stands(&b), -1); /* it never stood */
    set_stops(&b, true, false);
    CU_ASSERT(look(&b, 5) && told_stands(&b) == 1);
    mom_stream_closed(b.m, b.now_at, b.stream, &b.out);
    forget(&b);
    say_hello(&b);
    CU_ASSERT_EQUAL(told_stands(&b), 1);
    mom_stream_closed(b.m, b.now_at, b.stream, &b.out);
    CU_ASSERT(look(&b, 1) && killed_with(&b, SIGCONT) && told_stands(&b) == -1);
    forget(&b);
    say_hello(&b);
    CU_ASSERT_EQUAL(told_stands(&b), 0);
    bench_fini(&b);
}

/* The image is of a job that stands; nothing changes that before it is there. */
static void test_an_image_is_of_a_job_that_stands(void)
{
    const struct body_manage body = { .command = 2,
                                      .object_type = 2,
                                      .object_name = "1.svr" };
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    set_stops(&b, true, false);
    CU_ASSERT(look(&b, 5));
    request(&b, BATCH_HOLD_JOB, &body, "m9");
    CU_ASSERT_PTR_NOT_NULL_FATAL(effect(&b, MOM_CHECKPOINT, 0));
    CU_ASSERT(look(&b, 1) && !killed_with(&b, SIGCONT));
    forget(&b);
    mom_checkpointed(b.m, b.now_at, "1.svr", NULL, 1, &b.out);
    CU_ASSERT(killed_with(&b, SIGCONT) && told_stands(&b) == 0);
    bench_fini(&b);
}

/* A script that ends it is at work. */
static void test_what_is_being_ended_does_not_stand(void)
{
    struct mom_config cfg = node1_config();
    struct bench b;

    bench_init(&b);
    cfg.has_max_load = cfg.load_suspends = true;
    cfg.ends_by = "/end";
    cfg.max_load = 4;
    mom_set_rules(b.m, b.now_at, &cfg, &b.out);
    run_job(&b, "1.svr");
    signal_job(&b, "1.svr", "TermJob");
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_TERMINATE, 0));
    CU_ASSERT(look(&b, 5) && !killed_with(&b, SIGSTOP));
    bench_fini(&b);
}

/* HUP takes the line away: nobody would let the jobs go on later. */
static void test_without_the_line_jobs_go_on(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    set_stops(&b, true, false);
    CU_ASSERT(look(&b, 5) && killed_with(&b, SIGSTOP));
    forget(&b);
    set_stops(&b, false, false);
    CU_ASSERT(killed_with(&b, SIGCONT));
    bench_fini(&b);
}

/* The MoM is killed, and the next one reads her record of the job, whose processes are
 * there. */
static void next_mom(struct bench *b)
{
    struct mom_config cfg = node1_config();
    struct buf record = { 0 };
    const char *id;

    mom_job_encode(b->m, "1.svr", &record);
    mom_free(b->m);
    forget(b);
    b->m = mom_new(&cfg);
    CU_ASSERT_FATAL(mom_load(b->m, record.data, record.len, &id));
    mom_found(b->m, id, true, 0);
    buf_fini(&record);
}

/* A new MoM knows by the record that the job stands. */
static void test_a_restart_lets_jobs_go_on(void)
{
    for (int busy = 0; busy <= 1; busy++) {
        struct bench b;

        bench_init(&b);
        run_job(&b, "1.svr");
        set_stops(&b, true, false);
        CU_ASSERT(look(&b, 5) && killed_with(&b, SIGSTOP));
        next_mom(&b);
        if (busy)
            set_stops(&b, true, false);
        mom_start(b.m, b.now_at, false, &b.out);
        CU_ASSERT_EQUAL(killed_with(&b, SIGCONT), !busy);
        /* Between the two loads it stays as it was before the restart. */
        if (busy)
            CU_ASSERT(look(&b, 3) && !killed_with(&b, SIGCONT));
        if (busy)
            CU_ASSERT(look(&b, 1) && killed_with(&b, SIGCONT));
        bench_fini(&b);
    }
}

/* Is it noted (MOM_SAVE) before the processes get the signal? */
static bool is_noted_before(const struct bench *b, int signo)
{
    for (size_t i = 0; i < b->out.n; i++) {
        if (b->out.v[i].kind == MOM_SAVE)
            return true;
        if (b->out.v[i].kind == MOM_KILL && b->out.v[i].u.signo == signo)
            return false;
    }
    CU_FAIL("no signal");
    return false;
}

/* A MoM may be killed between the two: never are processes stopped that are noted as
 * running. */
static void test_what_stops_is_noted_first(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    set_stops(&b, true, false);
    CU_ASSERT(look(&b, 5) && is_noted_before(&b, SIGSTOP));
    CU_ASSERT(look(&b, 1) && !is_noted_before(&b, SIGCONT));
    forget(&b);
    signal_job(&b, "1.svr", "suspend");
    CU_ASSERT(is_noted_before(&b, SIGSTOP));
    forget(&b);
    signal_job(&b, "1.svr", "resume");
    CU_ASSERT_FALSE(is_noted_before(&b, SIGCONT));
    bench_fini(&b);
}

/* One way through the host serves the signals of all, and each record comes behind. */
static void test_all_go_on_before_the_first_is_noted(void)
{
    size_t n_signals = 0, n_notes = 0;
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    run_job(&b, "2.svr");
    set_stops(&b, true, false);
    CU_ASSERT(look(&b, 5));
    forget(&b);
    CU_ASSERT(look(&b, 1));
    for (size_t i = 0; i < b.out.n; i++) {
        if (b.out.v[i].kind == MOM_KILL) {
            CU_ASSERT_EQUAL(n_notes, 0);
            n_signals++;
        }
        n_notes += b.out.v[i].kind == MOM_SAVE;
    }
    CU_ASSERT(n_signals == 2 && n_notes == 2);
    bench_fini(&b);
}

/* ... and what is noted as stopped is stopped by the next MoM. */
static void test_a_restart_stops_what_is_noted(void)
{
    for (int suspended = 0; suspended <= 1; suspended++) {
        struct bench b;

        bench_init(&b);
        run_job(&b, "1.svr");
        if (suspended)
            signal_job(&b, "1.svr", "suspend");
        set_stops(&b, !suspended, false);
        CU_ASSERT(suspended || look(&b, 5));
        next_mom(&b);
        set_stops(&b, !suspended, false);
        forget(&b);
        mom_start(b.m, b.now_at, false, &b.out);
        CU_ASSERT(killed_with(&b, SIGSTOP));
        bench_fini(&b);
    }
}

/* What is being ended is not stopped any more, or it could not end by itself. */
static void test_a_restart_does_not_stop_what_is_being_ended(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    signal_job(&b, "1.svr", "suspend");
    signal_job(&b, "1.svr", "TermJob");
    next_mom(&b);
    forget(&b);
    mom_start(b.m, b.now_at, false, &b.out);
    CU_ASSERT_FALSE(killed_with(&b, SIGSTOP));
    bench_fini(&b);
}

/* Keyboard and mouse. */

static bool touched(struct bench *b, int64_t ago_s)
{
    forget(b);
    b->now_at++;
    mom_tick(b->m, b->now_at, &b->out);
    if (!effect(b, MOM_READ_IDLE, 0))
        return false;
    mom_host_idle(b->m, b->now_at, ago_s, &b->out);
    return true;
}

#define WATCHED 0x4000

static void test_a_used_keyboard_makes_the_host_busy(void)
{
    struct bench b;
    int at = 0;

    bench_init(&b);
    run_job(&b, "1.svr");
    set_stops(&b, false, true);
    /* One key is no use, */
    for (int s = 0; s < 20; s++)
        CU_ASSERT(touched(&b, s) && told_state(&b) == -1);
    /* ... keys for so long are, */
    for (at = 1; at < 20; at++)
        if (touched(&b, at % 5) && told_state(&b) == (BUSY | WATCHED))
            break;
    CU_ASSERT_EQUAL(at, 11);
    CU_ASSERT(killed_with(&b, SIGSTOP) && told_stands(&b) == 1);
    /* ... and then the host is left alone for a while. */
    CU_ASSERT(touched(&b, 599) && told_state(&b) == -1);
    CU_ASSERT(touched(&b, 600) && told_state(&b) == WATCHED);
    CU_ASSERT(killed_with(&b, SIGCONT) && told_stands(&b) == 0);
    /* A new MoM does not know since when it is left alone, and waits as long. */
    for (at = 1; at < 20 && told_stands(&b) != 1; at++)
        CU_ASSERT(touched(&b, 0));
    next_mom(&b);
    set_stops(&b, false, true);
    mom_start(b.m, b.now_at, false, &b.out);
    CU_ASSERT(touched(&b, 599) && !killed_with(&b, SIGCONT));
    CU_ASSERT(touched(&b, 600) && killed_with(&b, SIGCONT));
    set_stops(&b, false, false);
    CU_ASSERT_FALSE(touched(&b, 0));
    CU_ASSERT_EQUAL(mom_next_deadline(b.m), mom_recount_deadline(b.m));
    bench_fini(&b);
}

/* From the first record that cannot be written on the server sends nothing, until an
 * attempt succeeds. */
static void test_a_full_disk_makes_the_host_busy(void)
{
    const struct diag full = { .code = PBSE_SYSTEM, .text = "No space left" };
    struct bench b;

    bench_init(&b);
    set_loads(&b, -1, -1);
    mom_noted(b.m, b.now_at, NULL, &b.out);
    CU_ASSERT_EQUAL(told_state(&b), -1); /* it is as it was */
    CU_ASSERT_EQUAL(mom_next_deadline(b.m), INT64_MAX);
    mom_noted(b.m, b.now_at, &full, &b.out);
    CU_ASSERT_EQUAL(told_state(&b), BUSY);
    forget(&b);
    mom_noted(b.m, b.now_at, &full, &b.out);
    CU_ASSERT_EQUAL(told_state(&b), -1);
    mom_tick(b.m, b.now_at, &b.out);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_TRY_NOTE, 0));
    b.now_at += 10;
    CU_ASSERT_EQUAL(mom_next_deadline(b.m), b.now_at);
    CU_ASSERT_EQUAL(mom_recount_deadline(b.m), b.now_at);
    mom_tick(b.m, b.now_at, &b.out);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_TRY_NOTE, 0));
    mom_noted(b.m, b.now_at, NULL, &b.out);
    CU_ASSERT_EQUAL(told_state(&b), 0);
    CU_ASSERT_EQUAL(mom_next_deadline(b.m), INT64_MAX);
    bench_fini(&b);
}

/* Jobs that go on are written when there is room again, those alone, and once. */
static void test_what_could_not_be_written_is_written_later(void)
{
    const struct diag full = { .code = PBSE_SYSTEM, .text = "No space left" };
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    run_job(&b, "2.svr");
    forget(&b);
    mom_not_saved(b.m, b.now_at, "2.svr", &full, &b.out);
    mom_not_saved(b.m, b.now_at, "3.svr", &full, &b.out); /* which is gone */
    CU_ASSERT_EQUAL(told_state(&b), BUSY);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_SAVE, 0));
    mom_noted(b.m, b.now_at, NULL, &b.out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(effect(&b, MOM_SAVE, 0));
    CU_ASSERT_STRING_EQUAL(effect(&b, MOM_SAVE, 0)->job_id, "2.svr");
    CU_ASSERT_PTR_NULL(effect(&b, MOM_SAVE, 1));
    forget(&b);
    mom_noted(b.m, b.now_at, &full, &b.out);
    mom_noted(b.m, b.now_at, NULL, &b.out);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_SAVE, 0));
    bench_fini(&b);
}

static const struct unit_case cases[] = {
    { "a host is busy from one load on, and free below another",
      test_busy_has_two_limits },
    { "the load is looked at every 10 s, and only where it counts",
      test_looks_are_10_s_apart },
    { "without an ideal load the other one counts for both", test_one_limit_is_both },
    { "new limits count at once", test_new_rules_count_at_once },
    { "a full disk makes the host busy", test_a_full_disk_makes_the_host_busy },
    { "what could not be written is written later",
      test_what_could_not_be_written_is_written_later },
    { "jobs stand while the host is busy", test_jobs_stand_while_the_host_is_busy },
    { "a job that begins on a busy host stands",
      test_a_job_that_begins_on_a_busy_host_stands },
    { "the server suspends and resumes beside the host",
      test_the_server_suspends_beside_the_host },
    { "a job that stands can be ended", test_a_job_that_stands_can_be_ended },
    { "nobody else lets it go on", test_nobody_else_lets_it_go_on },
    { "a server that was away hears of it", test_a_server_that_was_away_hears_of_it },
    { "an image is of a job that stands", test_an_image_is_of_a_job_that_stands },
    { "what is being ended does not stand", test_what_is_being_ended_does_not_stand },
    { "without the line jobs go on", test_without_the_line_jobs_go_on },
    { "a restart lets jobs go on that stood", test_a_restart_lets_jobs_go_on },
    { "what stops is noted first", test_what_stops_is_noted_first },
    { "all go on before the first is noted", test_all_go_on_before_the_first_is_noted },
    { "a restart stops what is noted", test_a_restart_stops_what_is_noted },
    { "a restart does not stop what is being ended",
      test_a_restart_does_not_stop_what_is_being_ended },
    { "a keyboard that is used makes the host busy",
      test_a_used_keyboard_makes_the_host_busy },
    { "a server that comes back hears that the host is busy",
      test_a_new_server_hears_it },
};

int main(void)
{
    return unit_main("mom/load", cases, ARRAY_LEN(cases));
}
