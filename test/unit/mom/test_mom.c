/* Unit tests of the MoM's core: registration, the life of a job, and what may go wrong.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/rnd.h"
#include "lib/wire/job_notes.h"
#include "mom/job/core.h"
#include "mom/mock/mock.h"

#include "../unit.h"
#include "bench.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void files_request(struct bench *b, uint32_t number, const char *user)
{
    struct wire_file_pair pair = { .flag = 3, .local = "a", .remote = "node1:/b" };
    const struct body_files files = { .job_id = "9.svr",
                                      .owner = user,
                                      .user = user,
                                      .group = "",
                                      .n_pairs = 1,
                                      .pairs = &pair };

    request(b, number, &files, "m3");
}

/* A stranger's server stages files in before it sends the job (tpp.md 6.2). */
static void test_files_come_before_their_job(void)
{
    struct bench b;
    const struct mom_effect *e;
    const struct is_message *msg;

    bench_init(&b);
    files_request(&b, BATCH_COPY_FILES, "joe");
    e = effect(&b, MOM_FILES, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(e);
    CU_ASSERT_STRING_EQUAL(e->job_id, "9.svr");
    CU_ASSERT_PTR_NULL(sent(&b, IS_CMD_REPLY));
    mom_files_done(b.m, b.now_at, e->u.files.token, 0, NULL, &b.out);
    msg = sent(&b, IS_CMD_REPLY);
    CU_ASSERT_PTR_NOT_NULL_FATAL(msg);
    CU_ASSERT_EQUAL(msg->reply.code, 0);
    forget(&b);
    files_request(&b, BATCH_DEL_FILES, "joe");
    CU_ASSERT(effect(&b, MOM_FILES, 0)->u.files.remove);
    bench_fini(&b);
}

/* The answer to a message waits until its words are written, and the job does not wait
 * for them. A number of files that nobody knows means the error output. */
static void test_a_message_is_answered_when_it_is_written(void)
{
    static const struct {
        uint32_t file;
        bool to_output, to_error;
    } rows[] = { { 1, true, false },
                 { 2, false, true },
                 { 3, true, true },
                 { 0, false, true },
                 { 4, false, true } };
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct body_message body = { .job_id = "1.svr",
                                     .file = rows[i].file,
                                     .text = "hello" };
        const struct mom_effect *e;
        uint64_t token;

        request(&b, BATCH_MESSAGE_JOB, &body, "m1");
        e = effect(&b, MOM_TELL, 0);
        CU_ASSERT_PTR_NOT_NULL_FATAL(e);
        CU_ASSERT_EQUAL(e->u.tell.to_output, rows[i].to_output);
        CU_ASSERT_EQUAL(e->u.tell.to_error, rows[i].to_error);
        CU_ASSERT_STRING_EQUAL(e->u.tell.text, "hello");
        CU_ASSERT_PTR_NULL(effect(&b, MOM_TELL, 1));
        CU_ASSERT_PTR_NULL(sent(&b, IS_CMD_REPLY));
        token = e->u.tell.token;
        forget(&b);
        mom_files_done(b.m, b.now_at, token, i ? PBSE_SYSTEM : 0, "why", &b.out);
        CU_ASSERT_PTR_NOT_NULL_FATAL(sent(&b, IS_CMD_REPLY));
        CU_ASSERT_STRING_EQUAL(sent(&b, IS_CMD_REPLY)->msgid, "m1");
        CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, i ? PBSE_SYSTEM : 0);
        forget(&b);
        mom_files_done(b.m, b.now_at, token, 0, NULL, &b.out); /* once */
        CU_ASSERT_PTR_NULL(sent(&b, IS_CMD_REPLY));
    }
    bench_fini(&b);
}

/* Every step on a connection is answered, the first and only answer over the router
 * network is the Commit's; the end of one does not touch what came by the other. */
static void test_a_job_comes_over_a_connection(void)
{
    const uint64_t conn = MOM_CONNECTION | 1;
    struct bench b;
    struct wire_attrs attrs;
    struct body_queue queue = { .id = "1.svr", .destination = "node1" };
    const struct body_script output = { .file_type = 2,
                                        .job_id = "",
                                        .data = { "x", 1 } };
    const struct body_id commit = { .id = "1.svr" };
    const struct {
        uint32_t number;
        const void *body;
        enum reply_choice choice;
    } steps[] = { { BATCH_QUEUE_JOB, &queue, REPLY_QUEUE },
                  { BATCH_MOVE_JOB_FILE, &output, REPLY_NULL },
                  { BATCH_COMMIT, &commit, REPLY_COMMIT } };
    const char *data;
    size_t len;

    bench_init(&b);
    attrs = job_attrs(&b, "3");
    queue.attrs = attrs;
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        const struct wire_request rq = { .number = steps[i].number,
                                         .user = "root",
                                         .body = steps[i].body };
        const struct mom_effect *e;

        forget(&b);
        mom_stream_closed(b.m, b.now_at, conn + 1, &b.out); /* somebody else's */
        mom_request(b.m, b.now_at, conn, "10.0.0.1:1000", &rq, true, &b.out);
        if (rq.number == BATCH_COMMIT) {
            CU_ASSERT(mom_job_saved(b.m, "1.svr", false, &data, &len) && len == 1);
            CU_ASSERT_FALSE(mom_job_saved(b.m, "1.svr", true, &data, &len));
            mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
            mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
        }
        e = effect(&b, MOM_SEND, 0);
        CU_ASSERT_PTR_NOT_NULL_FATAL(e);
        CU_ASSERT_EQUAL(e->stream, conn);
        CU_ASSERT_EQUAL(e->u.msg.reply.code, 0);
        CU_ASSERT_EQUAL(e->u.msg.reply.choice, steps[i].choice);
    }
    mom_stream_closed(b.m, b.now_at, conn, &b.out);
    CU_ASSERT_EQUAL(mom_n_jobs(b.m), 1);
    CU_ASSERT(mom_may_connect(b.m, SERVER_IP));
    CU_ASSERT_FALSE(mom_may_connect(b.m, SERVER_IP + 1));
    bench_fini(&b);
}

/* QueueJob with ":C:" is all there is of a job without a script (tpp.md 6.3). */
static void test_a_commit_may_be_implied(void)
{
    struct bench b;
    struct wire_attrs attrs;
    struct body_queue queue = { .id = "1.svr", .destination = "node1" };
    struct is_message msg = {
        .command = IS_CMD,
        .msgid = "m1",
        .request = { .number = BATCH_QUEUE_JOB, .user = "root", .extend = ":C:" },
    };

    bench_init(&b);
    attrs = job_attrs(&b, "3");
    queue.attrs = attrs;
    msg.request.body = &queue;
    message(&b, &msg);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_STORE, 0));
    mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_START, 0));
    mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(sent(&b, IS_CMD_REPLY));
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.choice, REPLY_COMMIT);
    bench_fini(&b);
}

/* A short one is made a file when the job starts, a long one before the job is
 * answered; neither stays in memory while the job runs. */
static void test_a_script_is_held_until_it_is_a_file(void)
{
    static char text[MOM_SCRIPT_HELD_BYTES + 1];
    static const size_t sizes[] = { 0, 1, MOM_SCRIPT_HELD_BYTES,
                                    MOM_SCRIPT_HELD_BYTES + 1 };

    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        const struct body_script part = { .job_id = "1.svr",
                                          .data = { text, sizes[i] } };
        const struct body_id commit = { .id = "1.svr" };
        struct body_queue queue = { .id = "1.svr", .destination = "node1" };
        const char *script;
        struct bench b;
        size_t len;

        bench_init(&b);
        queue.attrs = job_attrs(&b, "3");
        request(&b, BATCH_QUEUE_JOB, &queue, "m1");
        if (sizes[i])
            request(&b, BATCH_JOB_SCRIPT, &part, "m1");
        request(&b, BATCH_COMMIT, &commit, "m1");
        CU_ASSERT(mom_job_script(b.m, "1.svr", &script, &len) && len == sizes[i]);
        mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
        CU_ASSERT_EQUAL(mom_job_script(b.m, "1.svr", &script, &len),
                        sizes[i] <= MOM_SCRIPT_HELD_BYTES);
        mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
        CU_ASSERT_FALSE(mom_job_script(b.m, "1.svr", &script, &len));
        bench_fini(&b);
    }
}

/* Between the end of the processes and the obituary stands the epilogue; only SIGKILL
 * reaches it, and a restart in between runs it again. */
static void test_an_epilogue_comes_before_the_obituary(void)
{
    struct mom_config cfg = node1_config();
    struct bench b;
    struct buf record = { 0 };
    const struct mom_effect *e;
    const char *id;

    bench_init(&b);
    mom_free(b.m);
    cfg.runs_epilogues = true;
    b.m = mom_new(&cfg);
    mom_start(b.m, b.now_at, false, &b.out);
    forget(&b);
    say_hello(&b);
    run_job(&b, "1.svr");
    mom_exited(b.m, b.now_at + 7, "1.svr", 3, NULL, &b.out);
    e = effect(&b, MOM_EPILOGUE, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(e);
    CU_ASSERT_EQUAL(e->u.epilogue.status, 3);
    CU_ASSERT_EQUAL(e->u.epilogue.session, 4711);
    CU_ASSERT_STRING_EQUAL(e->u.epilogue.asked, "ncpus=1,walltime=00:01:00");
    CU_ASSERT_STRING_EQUAL(e->u.epilogue.used,
                           "cpupercent=0,cput=00:00:00,mem=0kb,ncpus=1,vmem=0kb,"
                           "walltime=00:00:07");
    CU_ASSERT_PTR_NULL(sent(&b, IS_JOBOBIT));
    forget(&b);
    signal_job(&b, "1.svr", "TermJob");
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, PBSE_BADSTATE);
    CU_ASSERT(logged(&b, "cannot signal job, job substate = 57"));
    forget(&b);
    signal_job(&b, "1.svr", "SIGKILL");
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, 0);
    CU_ASSERT(killed_with(&b, SIGKILL));
    /* A MoM that is restarted now does it again. */
    mom_job_encode(b.m, "1.svr", &record);
    forget(&b);
    mom_epilogue_done(b.m, b.now_at, "1.svr", 17, &b.out);
    CU_ASSERT_EQUAL(told_status(&b), 3);
    forget(&b);
    mom_epilogue_done(b.m, b.now_at, "1.svr", 17, &b.out); /* once */
    CU_ASSERT_EQUAL(b.out.n, 0);
    mom_free(b.m);
    b.m = mom_new(&cfg);
    CU_ASSERT_FATAL(mom_load(b.m, record.data, record.len, &id));
    mom_start(b.m, b.now_at, false, &b.out);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_EPILOGUE, 0));
    buf_fini(&record);
    bench_fini(&b);
}

/* More processors than asked for: said once, or the end, as $enforce says. */
static void test_processors_are_counted(void)
{
    static const struct {
        const char *story;
        bool burst, average;
        int64_t cput_s; /* of the second minute; the first is idle */
        int32_t status; /* INT32_MIN: it goes on */
        const char *text;
    } rows[] = {
        { "as many as asked for", true, true, 60, INT32_MIN, NULL },
        { "a burst, which nobody forbids", false, false, 400, INT32_MIN,
          "ncpus 3.3 exceeded limit 1 (burst)" },
        { "a burst", true, false, 400, -24, "ncpus 3.3 exceeded limit 1 (burst)" },
        { "both at once", true, true, 400, -24, "ncpus 3.3 exceeded limit 1 (burst)" },
        { "on average", false, true, 400, -25, "ncpus 3.3 exceeded limit 1 (sum)" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct mom_config cfg = node1_config();
        struct mom_usage used = { .cput_s = 0 };
        struct wire_attrs attrs;
        struct bench b;

        bench_init(&b);
        cfg.enforce = (struct mom_enforce)MOM_ENFORCE_DEFAULTS;
        cfg.enforce.cpuburst = rows[i].burst;
        cfg.enforce.cpuaverage = rows[i].average;
        cfg.enforce.average_trialperiod_s = 60;
        cfg.enforce.delta_weightup = 1;
        cfg.max_check_poll_s = cfg.min_check_poll_s;
        mom_set_rules(b.m, b.now_at, &cfg, &b.out);
        attrs = job_attrs(&b, "3");
        attrs.n = 0;
        add(&b, &attrs, "euser", NULL, "joe");
        add(&b, &attrs, "Resource_List", "ncpus", "1");
        send_job(&b, "1.svr", &attrs);
        mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
        mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
        forget(&b);
        used.cput_s = rows[i].cput_s;
        for (int minute = 2; minute <= 3; minute++) {
            mom_used(b.m, b.now_at + (minute - 1) * 120, "1.svr", &used);
            mom_sampled(b.m, b.now_at + (minute - 1) * 120, &b.out);
        }
        if (rows[i].text && !logged(&b, rows[i].text))
            fprintf(stderr, "%s\n", rows[i].story);
        CU_ASSERT(!rows[i].text || logged(&b, rows[i].text));
        CU_ASSERT_EQUAL(killed_with(&b, SIGTERM), rows[i].status != INT32_MIN);
        CU_ASSERT(!effect(&b, MOM_TELL, 1)); /* one reason is enough */
        forget(&b);
        /* Its end is asked for once; what it uses meanwhile is no further reason. */
        used.cput_s *= 3;
        mom_used(b.m, b.now_at + 361, "1.svr", &used);
        mom_sampled(b.m, b.now_at + 361, &b.out);
        CU_ASSERT(rows[i].status == INT32_MIN || !effect(&b, MOM_TELL, 0));
        forget(&b);
        mom_exited(b.m, b.now_at + 300, "1.svr", 256 + SIGTERM, NULL, &b.out);
        if (rows[i].status != INT32_MIN)
            CU_ASSERT_EQUAL(told_status(&b), rows[i].status);
        bench_fini(&b);
    }
}

/* Memory is limited by what the chunks on this host have of it; processor time by what
 * all hosts have used. */
static void test_memory_is_limited_by_host(void)
{
    struct mom_config cfg = node1_config();
    struct mom_usage used = { .mem_kb = 1500 };
    struct wire_attrs attrs;
    struct bench b;

    bench_init(&b);
    cfg.enforce = (struct mom_enforce)MOM_ENFORCE_DEFAULTS;
    cfg.enforce.mem = true;
    cfg.enforce.delta_cpufactor = 0; /* a value like any other: nothing is left out */
    mom_set_rules(b.m, b.now_at, &cfg, &b.out);
    attrs = job_attrs(&b, "3");
    add(&b, &attrs, "Resource_List", "mem", "3mb");
    run_job(&b, "2.svr"); /* without a limit of memory */
    send_job(&b, "1.svr", &attrs);
    mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
    mom_started(b.m, b.now_at, "1.svr", 4712, 0, NULL, &b.out);
    forget(&b);
    for (int i = 0; i < 2; i++) {
        used.mem_kb = i ? 3073 : 3072;
        mom_used(b.m, b.now_at + 1, "1.svr", &used);
        mom_used(b.m, b.now_at + 1, "2.svr", &used);
        mom_sampled(b.m, b.now_at + 1, &b.out);
        CU_ASSERT_EQUAL(logged(&b, "mem 3073kb exceeded limit 3072kb"), i == 1);
    }
    CU_ASSERT_PTR_NULL(effect(&b, MOM_KILL, 1)); /* one job, once */
    bench_fini(&b);
}

/* The kernel ends all of a job's group, for it has no memory left. */
static void test_out_of_memory_is_an_end_of_its_own(void)
{
    struct wire_attrs attrs;
    struct bench b;

    bench_init(&b);
    attrs = job_attrs(&b, "3");
    add(&b, &attrs, "Resource_List", "mem", "3mb");
    send_job(&b, "1.svr", &attrs);
    mom_out_of_memory(b.m, b.now_at, "1.svr", &b.out); /* it has no processes yet */
    mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
    mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
    forget(&b);
    for (int i = 0; i < 2; i++)
        mom_out_of_memory(b.m, b.now_at + 1, "1.svr", &b.out);
    mom_out_of_memory(b.m, b.now_at + 1, "2.svr", &b.out); /* unknown */
    CU_ASSERT_STRING_EQUAL(
        effect(&b, MOM_TELL, 0)->u.tell.text,
        "=>> PBS: job killed: mem exceeded limit 3072kb of this host");
    CU_ASSERT_PTR_NULL(effect(&b, MOM_TELL, 1)); /* said once */
    CU_ASSERT(killed_with(&b, SIGTERM));
    mom_exited(b.m, b.now_at + 1, "1.svr", 256 + SIGKILL, NULL, &b.out);
    CU_ASSERT_EQUAL(told_status(&b), -27);
    bench_fini(&b);
}

/* $suspendsig: other signals than SIGSTOP and SIGCONT. */
static void test_suspension_has_its_signals(void)
{
    struct mom_config cfg = node1_config();
    struct bench b;

    bench_init(&b);
    cfg.suspend_signo = SIGTSTP;
    cfg.resume_signo = SIGUSR2;
    mom_set_rules(b.m, b.now_at, &cfg, &b.out);
    run_job(&b, "1.svr");
    signal_job(&b, "1.svr", "suspend");
    CU_ASSERT(killed_with(&b, SIGTSTP) && !killed_with(&b, SIGSTOP));
    forget(&b);
    signal_job(&b, "1.svr", "suspend");
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, PBSE_BADSTATE);
    CU_ASSERT_FALSE(killed_with(&b, SIGTSTP));
    forget(&b);
    signal_job(&b, "1.svr", "resume");
    CU_ASSERT(killed_with(&b, SIGUSR2) && !killed_with(&b, SIGCONT));
    bench_fini(&b);
}

/* Which is not taken by a suspended job, but for the one that always is. */
static void test_a_suspended_job_is_killed(void)
{
    static const struct {
        const char *name;
        int code;
    } rows[] = {
        { "SIGUSR1", PBSE_BADSTATE },
        { "10", PBSE_BADSTATE },
        { "SIGKILL", 0 },
        { "KILL", 0 },
        { "9", 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct bench b;

        bench_init(&b);
        run_job(&b, "1.svr");
        signal_job(&b, "1.svr", "suspend");
        forget(&b);
        signal_job(&b, "1.svr", rows[i].name);
        CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, rows[i].code);
        CU_ASSERT_EQUAL(killed_with(&b, SIGKILL), rows[i].code == 0);
        bench_fini(&b);
    }
}

static void test_registration(void)
{
    const struct mom_config cfg = node1_config();
    struct bench b = { .out = { .arena = arena_new() }, .now_at = 100000 };
    const struct is_message *msg;

    b.m = mom_new(&cfg);
    mom_set_vnodes(b.m, b.now_at, 5, 0, NULL, &b.out);
    mom_start(b.m, b.now_at, false, &b.out);
    say_hello(&b);
    msg = sent(&b, IS_HELLOSVR);
    CU_ASSERT_PTR_NOT_NULL_FATAL(msg);
    CU_ASSERT_EQUAL(msg->mom_port, 15002);
    msg = sent(&b, IS_REGISTERMOM);
    CU_ASSERT_PTR_NOT_NULL_FATAL(msg);
    CU_ASSERT(msg->state.has_vnodes);
    CU_ASSERT_EQUAL(msg->state.n_vnodes, 1);
    CU_ASSERT_STRING_EQUAL(msg->state.vnodes[0].name, "node1");
    CU_ASSERT_STRING_EQUAL(msg->state.vnodes[0].attrs[0].name, "topology_info");
    CU_ASSERT_EQUAL(msg->state.vnodes[0].attrs[0].type, 3);
    CU_ASSERT_EQUAL(msg->state.vnodes[0].attrs[0].flags, 21);
    CU_ASSERT_EQUAL(msg->state.pcpus, 4);
    CU_ASSERT(logged(&b, "HELLO sent to server at svr:15001, stream:1"));
    CU_ASSERT(logged(&b, "ReplyHello from server at 10.0.0.1:15001"));
    bench_fini(&b);
}

/* What is read again keeps its time; a new name never does, nor does a newer file. */
static void test_the_time_of_the_vnodes(void)
{
    static const struct is_vnode v[] = { { .name = "a" }, { .name = "b" } };
    static const struct is_vnode other[] = { { .name = "b" }, { .name = "c" } };
    static const struct {
        const char *story;
        int64_t modtime;
        size_t n;
        const struct is_vnode *v;
        int64_t reported;
    } rows[] = {
        { "the same again", 5, 0, NULL, 5 },
        { "an old file with a new name", 5, 2, v, 6 },
        { "the same again", 5, 2, v, 6 },
        { "a newer file", 9, 2, v, 9 },
        { "one name less", 5, 1, v, 9 },
        { "another name", 5, 2, other, 10 },
        { "one that was gone", 5, 2, v, 11 },
    };
    struct bench b;

    bench_init(&b);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct is_message *msg;

        forget(&b);
        mom_set_vnodes(b.m, b.now_at, rows[i].modtime, rows[i].n, rows[i].v, &b.out);
        msg = sent(&b, IS_UPDATE2);
        CU_ASSERT_PTR_NOT_NULL_FATAL(msg);
        if (msg->state.modtime != rows[i].reported)
            fprintf(stderr, "%s\n", rows[i].story);
        CU_ASSERT_EQUAL(msg->state.modtime, rows[i].reported);
        CU_ASSERT_EQUAL(msg->state.n_vnodes, rows[i].n + 1);
    }
    bench_fini(&b);
}

/* 1, then 2 five times, 4 nine times, 8 seventeen times...; the clock must show more.
 */
static void test_hello_series(void)
{
    static const int expected[] = { 1, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8 };
    const struct mom_config cfg = node1_config();
    struct bench b = { .out = { .arena = arena_new() }, .now_at = 100000 };

    b.m = mom_new(&cfg);
    mom_set_vnodes(b.m, b.now_at, 5, 0, NULL, &b.out);
    CU_ASSERT_EQUAL(mom_next_deadline(b.m), INT64_MAX);
    mom_router_up(b.m, b.now_at, &b.out);
    for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
        CU_ASSERT_EQUAL(mom_next_deadline(b.m) - b.now_at, expected[i] + 1);
        forget(&b);
        mom_tick(b.m, b.now_at + expected[i], &b.out);
        CU_ASSERT_PTR_NULL(effect(&b, MOM_CONNECT, 0));
        b.now_at = mom_next_deadline(b.m);
        mom_tick(b.m, b.now_at, &b.out);
        CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_CONNECT, 0));
    }
    bench_fini(&b);
}

static void test_server_lost_and_back(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    mom_stream_closed(b.m, b.now_at, b.stream, &b.out);
    CU_ASSERT(logged(&b, "Server closed connection."));
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_CONNECT, 0));
    mom_router_down(b.m, b.now_at, &b.out);
    forget(&b);
    mom_tick(b.m, b.now_at + 500, &b.out);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_CONNECT, 0));
    say_hello(&b);
    CU_ASSERT_EQUAL(sent(&b, IS_REGISTERMOM)->n_running, 1);
    CU_ASSERT_STRING_EQUAL(sent(&b, IS_REGISTERMOM)->running[0].job_id, "1.svr");
    CU_ASSERT_EQUAL(sent(&b, IS_REGISTERMOM)->running[0].substate, 42);
    CU_ASSERT_EQUAL(sent(&b, IS_REGISTERMOM)->running[0].run_version, 3);
    CU_ASSERT_STRING_EQUAL(
        wire_attrs_value(&sent(&b, IS_RESCUSED)->updates[0].attrs, "session_id", NULL),
        "4711");
    bench_fini(&b);
}

/* The lines of the log, all of them and in this order. */
static void check_lines(const struct bench *b, const char *const *lines, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; i < b->out.n; i++) {
        if (b->out.v[i].kind != MOM_LOG)
            continue;
        CU_ASSERT_FATAL(at < n);
        CU_ASSERT_STRING_EQUAL(b->out.v[i].u.log.text, lines[at]);
        at++;
    }
    CU_ASSERT_EQUAL(at, n);
}

static void test_life_of_a_job(void)
{
    static const char *const lines_of_end[] = {
        "task 00000001 terminated",      "Terminated",
        "task 00000001 cput=00:01:01",   "kill_job",
        "node1 cput=00:01:01 mem=300kb", "Obit sent",
    };
    static const char *const lines_of_deletion[] = {
        "Type 6 request received from root@10.0.0.1:15001, sock=77",
        "delete job request received",
        "kill_job",
    };
    const struct mom_usage used = { .cput_s = 61, .mem_kb = 300, .vmem_kb = 400 };
    const struct body_files files = {
        .job_id = "1.svr", .owner = "joe", .user = "joe", .group = ""
    };
    const struct body_manage del = { .object_name = "1.svr" };
    struct wire_attrs attrs;
    const struct is_message *msg;
    uint64_t token;
    struct bench b;

    bench_init(&b);
    attrs = job_attrs(&b, "3");
    send_job(&b, "1.svr", &attrs);
    CU_ASSERT_PTR_NULL(sent(&b, IS_CMD_REPLY)); /* not before it is on disk */
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_STORE, 0));
    mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_START, 0));
    mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
    msg = sent(&b, IS_CMD_REPLY);
    CU_ASSERT_PTR_NOT_NULL_FATAL(msg);
    CU_ASSERT_STRING_EQUAL(msg->msgid, "m1");
    CU_ASSERT_EQUAL(msg->reply.choice, REPLY_COMMIT);
    CU_ASSERT_STRING_EQUAL(msg->reply.text, "1.svr");
    msg = sent(&b, IS_RESCUSED);
    CU_ASSERT_PTR_NOT_NULL_FATAL(msg);
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&msg->updates[0].attrs, "session_id", NULL),
                           "4711");
    CU_ASSERT_EQUAL(msg->updates[0].run_version, 3);
    CU_ASSERT(logged(&b, "Started, pid = 4711"));

    forget(&b);
    b.now_at += 30;
    mom_exited(b.m, b.now_at, "1.svr", 5, &used, &b.out);
    msg = sent(&b, IS_JOBOBIT);
    CU_ASSERT_PTR_NOT_NULL_FATAL(msg);
    CU_ASSERT_EQUAL(msg->updates[0].status, 5);
    CU_ASSERT_EQUAL(msg->updates[0].run_version, 3);
    CU_ASSERT_STRING_EQUAL(
        wire_attrs_value(&msg->updates[0].attrs, "resources_used", "cput"), "00:01:01");
    CU_ASSERT_STRING_EQUAL(
        wire_attrs_value(&msg->updates[0].attrs, "resources_used", "walltime"),
        "00:00:30");
    CU_ASSERT(killed_with(&b, SIGKILL)); /* what is left of its session */
    check_lines(&b, lines_of_end, ARRAY_LEN(lines_of_end));
    obit_reply(&b, "1.svr", false);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_DROP, 0)); /* its files are wanted */

    request(&b, BATCH_COPY_FILES, &files, "m3");
    CU_ASSERT_PTR_NOT_NULL_FATAL(effect(&b, MOM_FILES, 0));
    token = effect(&b, MOM_FILES, 0)->u.files.token;
    forget(&b);
    request(&b, BATCH_DELETE_JOB, &del, "m4");
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, PBSE_TRYAGAIN);
    forget(&b);
    mom_files_done(b.m, b.now_at, token, 0, NULL, &b.out);
    CU_ASSERT_STRING_EQUAL(sent(&b, IS_CMD_REPLY)->msgid, "m3");
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, 0);
    forget(&b);
    request(&b, BATCH_DELETE_JOB, &del, "m5");
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(effect(&b, MOM_DROP, 0));
    CU_ASSERT_FALSE(effect(&b, MOM_DROP, 0)->u.drop.may_have_images);
    CU_ASSERT_EQUAL(mom_n_jobs(b.m), 0);
    check_lines(&b, lines_of_deletion, ARRAY_LEN(lines_of_deletion));
    forget(&b);
    request(&b, BATCH_DELETE_JOB, &del, "m6");
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, PBSE_UNKJOBID);
    bench_fini(&b);
}

static void test_store_failure_is_told(void)
{
    struct wire_attrs attrs;
    struct diag why;
    struct bench b;

    bench_init(&b);
    attrs = job_attrs(&b, "3");
    send_job(&b, "1.svr", &attrs);
    diag_set(&why, PBSE_SYSTEM, "disk full");
    mom_stored(b.m, b.now_at, "1.svr", &why, &b.out);
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, PBSE_SYSTEM);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_START, 0));
    CU_ASSERT_EQUAL(mom_n_jobs(b.m), 0);
    bench_fini(&b);
}

static void test_same_run_twice_starts_once(void)
{
    struct wire_attrs same, other;
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    same = job_attrs(&b, "3");
    send_job(&b, "1.svr", &same);
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.choice, REPLY_COMMIT);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_STORE, 0));
    CU_ASSERT_PTR_NULL(effect(&b, MOM_START, 0));
    CU_ASSERT_PTR_NOT_NULL(sent(&b, IS_RESCUSED));
    forget(&b);
    other = job_attrs(&b, "4");
    send_job(&b, "1.svr", &other);
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, PBSE_JOBEXIST);
    CU_ASSERT_EQUAL(mom_n_jobs(b.m), 1);
    bench_fini(&b);
}

static void test_refused_jobs(void)
{
    static const struct {
        const char *id, *name, *value;
        int code;
    } cases[] = {
        { "1.svr", "no_such_attribute", "x", PBSE_NOATTR },
        { "1.svr", "euser", "", PBSE_BADUSER },
        { "../../etc/x", "comment", "x", PBSE_IVALREQ },
        { "1.svr/../../x", "comment", "x", PBSE_IVALREQ },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct body_queue q = { .id = cases[i].id, .destination = "node1" };
        struct bench b;

        bench_init(&b);
        add(&b, &q.attrs, cases[i].name, NULL, cases[i].value);
        add(&b, &q.attrs, "euser", NULL, "joe");
        request(&b, BATCH_QUEUE_JOB, &q, "m1");
        CU_ASSERT_PTR_NOT_NULL_FATAL(sent(&b, IS_CMD_REPLY));
        CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, cases[i].code);
        CU_ASSERT_EQUAL(mom_n_jobs(b.m), 0);
        bench_fini(&b);
    }
}

static void test_half_a_job_goes_with_its_stream(void)
{
    struct body_queue q = { .id = "1.svr", .destination = "node1" };
    const struct body_id commit = { .id = "1.svr" };
    struct bench b;

    bench_init(&b);
    q.attrs = job_attrs(&b, "3");
    request(&b, BATCH_QUEUE_JOB, &q, "m1");
    CU_ASSERT_EQUAL(mom_n_jobs(b.m), 1);
    mom_stream_closed(b.m, b.now_at, b.stream, &b.out);
    CU_ASSERT_EQUAL(mom_n_jobs(b.m), 0);
    say_hello(&b);
    forget(&b);
    request(&b, BATCH_COMMIT, &commit, "m1");
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, PBSE_UNKJOBID);
    CU_ASSERT_STRING_EQUAL(sent(&b, IS_CMD_REPLY)->reply.text, "Unknown Job Id");
    bench_fini(&b);
}

static void test_obit_is_repeated(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    mom_exited(b.m, b.now_at, "1.svr", 0, NULL, &b.out);
    forget(&b);
    mom_tick(b.m, b.now_at + 44, &b.out);
    CU_ASSERT_PTR_NULL(sent(&b, IS_JOBOBIT));
    CU_ASSERT_EQUAL(mom_next_deadline(b.m), b.now_at + 45);
    mom_tick(b.m, b.now_at + 45, &b.out);
    CU_ASSERT_PTR_NOT_NULL(sent(&b, IS_JOBOBIT));
    mom_stream_closed(b.m, b.now_at, b.stream, &b.out);
    forget(&b);
    mom_tick(b.m, b.now_at + 500, &b.out);
    CU_ASSERT_PTR_NULL(sent(&b, IS_JOBOBIT));
    say_hello(&b);
    CU_ASSERT_PTR_NOT_NULL(sent(&b, IS_JOBOBIT));
    obit_reply(&b, "1.svr", false);
    forget(&b);
    mom_tick(b.m, b.now_at + 1000, &b.out);
    CU_ASSERT_PTR_NULL(sent(&b, IS_JOBOBIT));
    bench_fini(&b);
}

/* A server that sends the same run of a job once more has forgotten what became of it:
 * it hears of the end at once, not with the next repetition. */
static void test_a_run_that_is_sent_again_after_its_end(void)
{
    struct wire_attrs attrs;
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    mom_exited(b.m, b.now_at, "1.svr", 9, NULL, &b.out);
    forget(&b);
    attrs = job_attrs(&b, "3");
    send_job(&b, "1.svr", &attrs);
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, 0);
    CU_ASSERT_EQUAL(told_status(&b), 9);
    bench_fini(&b);
}

#define CLIENT (MOM_TASK_CONNECTION | 5)

/* A program asks for a task and goes before it has begun: its connection's number may
 * be another one's by then, who is told nothing. */
static void test_a_client_that_has_gone_is_not_answered(void)
{
    static const char *args[] = { "/bin/true", "" };
    const struct task_request rq = { .version = 2,
                                     .job_id = "1.svr",
                                     .cookie = "c00kie",
                                     .command = TASK_SPAWN,
                                     .event = 9,
                                     .task = 1,
                                     .args = { 2, args } };

    for (int goes = 0; goes <= 1; goes++) {
        struct wire_attrs attrs;
        struct bench b;

        bench_init(&b);
        attrs = job_attrs(&b, "3");
        add(&b, &attrs, "cookie", NULL, "c00kie");
        send_job(&b, "1.svr", &attrs);
        mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
        mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
        mom_task_request(b.m, b.now_at, CLIENT, &rq, &b.out);
        CU_ASSERT_PTR_NOT_NULL_FATAL(effect(&b, MOM_SPAWN, 0));
        if (goes)
            mom_stream_closed(b.m, b.now_at, CLIENT, &b.out);
        mom_task_started(b.m, b.now_at, "1.svr", effect(&b, MOM_SPAWN, 0)->task, 4712,
                         0, NULL, &b.out);
        CU_ASSERT_EQUAL(effect(&b, MOM_ANSWER_TASK, 0) != NULL, !goes);
        bench_fini(&b);
    }
}

/* A task may ask for the same end without end. */
static void test_who_waits_for_ends_is_counted(void)
{
    struct task_request rq = { .version = 2,
                               .job_id = "1.svr",
                               .cookie = "c00kie",
                               .command = TASK_OBIT,
                               .task = 1,
                               .target_task = 1 };
    struct wire_attrs attrs;
    struct bench b;

    bench_init(&b);
    attrs = job_attrs(&b, "3");
    add(&b, &attrs, "cookie", NULL, "c00kie");
    send_job(&b, "1.svr", &attrs);
    mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
    mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
    forget(&b);
    for (uint32_t i = 0; i < MAX_WATCHERS; i++) {
        rq.event = (int32_t)i;
        mom_task_request(b.m, b.now_at, CLIENT, &rq, &b.out);
    }
    CU_ASSERT_PTR_NULL(effect(&b, MOM_ANSWER_TASK, 0));
    mom_task_request(b.m, b.now_at, CLIENT, &rq, &b.out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(effect(&b, MOM_ANSWER_TASK, 0));
    CU_ASSERT_EQUAL(effect(&b, MOM_ANSWER_TASK, 0)->u.answer.reply.code, TASK_ESYSTEM);
    mom_stream_closed(b.m, b.now_at, CLIENT, &b.out);
    mom_task_request(b.m, b.now_at, CLIENT, &rq, &b.out);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_ANSWER_TASK, 1));
    bench_fini(&b);
}

static void test_rejected_obit_drops_the_job(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    mom_exited(b.m, b.now_at, "1.svr", 0, NULL, &b.out);
    obit_reply(&b, "1.svr", true);
    CU_ASSERT(logged(&b, "Job removed, Server rejected Obit"));
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_DROP, 0));
    CU_ASSERT_EQUAL(mom_n_jobs(b.m), 0);
    bench_fini(&b);
}

/* Answers name no run: one to the obituary of a run that was discarded meanwhile is not
 * taken for one of the next run, whatever that does. */
static void test_answers_are_of_their_run(void)
{
    static const struct {
        bool reject, has_ended;
    } cases[] = { { true, false }, { false, false }, { true, true }, { false, true } };
    const struct is_message discard = { .command = IS_DISCARD_JOB,
                                        .job_id = "1.svr",
                                        .run_version = 3 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct bench b;

        bench_init(&b);
        run_job(&b, "1.svr");
        mom_exited(b.m, b.now_at, "1.svr", 0, NULL, &b.out);
        message(&b, &discard);
        run_job(&b, "1.svr");
        if (cases[i].has_ended)
            mom_exited(b.m, b.now_at, "1.svr", 7, NULL, &b.out);
        obit_reply(&b, "1.svr", cases[i].reject);
        CU_ASSERT_EQUAL(mom_n_jobs(b.m), 1);
        CU_ASSERT_FALSE(killed_with(&b, SIGTERM));
        CU_ASSERT_PTR_NULL(effect(&b, MOM_DROP, 0));
        forget(&b);
        if (!cases[i].has_ended)
            mom_exited(b.m, b.now_at, "1.svr", 7, NULL, &b.out);
        else
            mom_tick(b.m, b.now_at + 45, &b.out); /* not acknowledged: repeated */
        CU_ASSERT_EQUAL(told_status(&b), 7);
        obit_reply(&b, "1.svr", true);
        CU_ASSERT_EQUAL(mom_n_jobs(b.m), 0);
        bench_fini(&b);
    }
}

static void test_discard(void)
{
    static const struct {
        int32_t version;
        bool gone;
    } cases[] = { { -1, true }, { 3, true }, { 2, false } };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct is_message msg = { .command = IS_DISCARD_JOB,
                                  .job_id = "1.svr",
                                  .run_version = cases[i].version };
        struct bench b;

        bench_init(&b);
        run_job(&b, "1.svr");
        message(&b, &msg);
        CU_ASSERT_EQUAL(mom_n_jobs(b.m), !cases[i].gone);
        CU_ASSERT_EQUAL(killed_with(&b, SIGKILL), cases[i].gone);
        CU_ASSERT_EQUAL(sent(&b, IS_DISCARD_DONE)->run_version, cases[i].version);
        forget(&b);
        msg.job_id = "99.svr"; /* an unknown one is answered too */
        message(&b, &msg);
        CU_ASSERT_STRING_EQUAL(sent(&b, IS_DISCARD_DONE)->job_id, "99.svr");
        mom_exited(b.m, b.now_at, "1.svr", 9, NULL, &b.out); /* too late to matter */
        bench_fini(&b);
    }
}

static void test_kill_sequence(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    signal_job(&b, "1.svr", "TermJob");
    CU_ASSERT(killed_with(&b, SIGTERM));
    CU_ASSERT_FALSE(killed_with(&b, SIGKILL));
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, 0);
    CU_ASSERT_EQUAL(mom_next_deadline(b.m), b.now_at + 5); /* job_kill_delay */
    forget(&b);
    mom_tick(b.m, b.now_at + 5, &b.out);
    CU_ASSERT(killed_with(&b, SIGKILL));
    mom_exited(b.m, b.now_at + 5, "1.svr", 265, NULL, &b.out);
    CU_ASSERT_EQUAL(sent(&b, IS_JOBOBIT)->updates[0].status, 265);
    bench_fini(&b);
}

static void test_signals(void)
{
    static const struct {
        const char *name;
        int code, signo;
    } cases[] = {
        { "SIGUSR1", 0, SIGUSR1 },
        { "USR1", 0, SIGUSR1 },
        { "10", 0, 10 },
        { "9", 0, SIGKILL },
        { "NULL", 0, 0 },
        { "SIGNOSE", PBSE_UNKSIG, -1 },
        { "9999", PBSE_UNKSIG, -1 },
        { "suspend", 0, SIGSTOP },
        { "resume", PBSE_BADSTATE, -1 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct bench b;

        bench_init(&b);
        run_job(&b, "1.svr");
        signal_job(&b, "1.svr", cases[i].name);
        CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, cases[i].code);
        if (cases[i].signo >= 0)
            CU_ASSERT(killed_with(&b, cases[i].signo));
        bench_fini(&b);
    }
}

static void test_rerun_keeps_its_status(void)
{
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    signal_job(&b, "1.svr", "Rerun");
    mom_exited(b.m, b.now_at, "1.svr", 271, NULL, &b.out);
    CU_ASSERT_EQUAL(sent(&b, IS_JOBOBIT)->updates[0].status, -11);
    bench_fini(&b);
}

static void test_walltime_is_enforced_in_time(void)
{
    struct bench b;
    int64_t start;

    bench_init(&b);
    start = b.now_at;
    run_job(&b, "1.svr");
    for (b.now_at = start; b.now_at <= start + 60; b.now_at++)
        mom_tick(b.m, b.now_at, &b.out);
    CU_ASSERT_FALSE(killed_with(&b, SIGTERM)); /* 60 s are allowed */
    CU_ASSERT_EQUAL(mom_next_deadline(b.m) <= start + 61, true);
    mom_tick(b.m, start + 61, &b.out);
    CU_ASSERT(killed_with(&b, SIGTERM));
    CU_ASSERT_STRING_EQUAL(effect(&b, MOM_TELL, 0)->u.tell.text,
                           "=>> PBS: job killed: walltime 61 exceeded limit 60");
    mom_exited(b.m, start + 61, "1.svr", 271, NULL, &b.out);
    CU_ASSERT_EQUAL(sent(&b, IS_JOBOBIT)->updates[0].status, -29);
    bench_fini(&b);
}

static void test_suspension_stops_the_clock(void)
{
    struct bench b;
    int64_t start;

    bench_init(&b);
    start = b.now_at;
    run_job(&b, "1.svr");
    b.now_at = start + 20;
    signal_job(&b, "1.svr", "suspend");
    b.now_at = start + 1000;
    forget(&b);
    mom_tick(b.m, b.now_at, &b.out);
    CU_ASSERT_FALSE(killed_with(&b, SIGTERM));
    signal_job(&b, "1.svr", "resume");
    CU_ASSERT(killed_with(&b, SIGCONT));
    mom_tick(b.m, start + 1040, &b.out);
    CU_ASSERT_FALSE(killed_with(&b, SIGTERM));
    mom_tick(b.m, start + 1041, &b.out);
    CU_ASSERT(killed_with(&b, SIGTERM));
    bench_fini(&b);
}

/* A start that waits for a dead file server: a deletion gives it time to come to an
 * end, and then gives it up. */
static void test_a_start_that_hangs_is_given_up(void)
{
    struct wire_attrs attrs;
    struct bench b;

    bench_init(&b);
    attrs = job_attrs(&b, "3");
    send_job(&b, "1.svr", &attrs);
    mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
    mom_tick(b.m, b.now_at + 1, &b.out); /* its Commit is answered */
    signal_job(&b, "1.svr", "TermJob");
    CU_ASSERT_EQUAL(mom_next_deadline(b.m), b.now_at + 10);
    mom_tick(b.m, b.now_at + 9, &b.out);
    CU_ASSERT_FALSE(killed_with(&b, SIGKILL));
    mom_tick(b.m, b.now_at + 10, &b.out);
    CU_ASSERT(killed_with(&b, SIGKILL));
    mom_started(b.m, b.now_at + 10, "1.svr", 0, -3, "the job's shepherd ended", &b.out);
    CU_ASSERT_EQUAL(told_status(&b), -3);
    /* A full disk may be why. */
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_TRY_NOTE, 0));
    bench_fini(&b);
}

/* What the server wants to be forgotten is not waited for. */
static void test_a_start_that_is_dropped_is_killed(void)
{
    const struct is_message discard = { .command = IS_DISCARD_JOB,
                                        .job_id = "1.svr",
                                        .run_version = -1 };
    struct wire_attrs attrs;
    struct bench b;

    bench_init(&b);
    attrs = job_attrs(&b, "3");
    send_job(&b, "1.svr", &attrs);
    mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
    message(&b, &discard);
    CU_ASSERT(killed_with(&b, SIGKILL));
    CU_ASSERT_EQUAL(mom_n_jobs(b.m), 1);
    mom_started(b.m, b.now_at, "1.svr", 0, -3, NULL, &b.out);
    CU_ASSERT_EQUAL(mom_n_jobs(b.m), 0);
    CU_ASSERT_EQUAL(told_status(&b), INT32_MIN);
    bench_fini(&b);
}

static void test_start_failure_becomes_an_obit(void)
{
    struct wire_attrs attrs;
    struct bench b;

    bench_init(&b);
    attrs = job_attrs(&b, "3");
    send_job(&b, "1.svr", &attrs);
    mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
    mom_started(b.m, b.now_at, "1.svr", 0, -10, "No Password Entry for User joe",
                &b.out);
    CU_ASSERT_EQUAL(sent(&b, IS_JOBOBIT)->updates[0].status, -10);
    CU_ASSERT(logged(&b, "No Password Entry for User joe"));
    CU_ASSERT(logged(&b, "job not started, Failure -10"));
    bench_fini(&b);
}

/* Encode a job, make a new MoM, load it there. */
static void restart(struct bench *b, bool kill_jobs, bool found, bool running,
                    int32_t status)
{
    const struct mom_config cfg = node1_config();
    struct buf record = { 0 };
    const char *id;

    mom_job_encode(b->m, "1.svr", &record);
    mom_free(b->m);
    b->m = mom_new(&cfg);
    CU_ASSERT_FATAL(mom_load(b->m, record.data, record.len, &id));
    CU_ASSERT_STRING_EQUAL(id, "1.svr");
    if (found)
        mom_found(b->m, id, running, status);
    mom_set_vnodes(b->m, b->now_at, 5, 0, NULL, &b->out);
    forget(b);
    mom_start(b->m, b->now_at, kill_jobs, &b->out);
    buf_fini(&record);
}

static void test_restart(void)
{
    static const struct {
        bool kill_jobs, found, running;
        int32_t status, obit;
    } cases[] = {
        { false, true, false, 5, 5 },   /* ended meanwhile */
        { false, false, false, 0, -4 }, /* gone without a trace */
        { true, false, false, 0, -4 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct bench b;

        bench_init(&b);
        run_job(&b, "1.svr");
        restart(&b, cases[i].kill_jobs, cases[i].found, cases[i].running,
                cases[i].status);
        say_hello(&b);
        CU_ASSERT_PTR_NOT_NULL_FATAL(sent(&b, IS_JOBOBIT));
        CU_ASSERT_EQUAL(sent(&b, IS_JOBOBIT)->updates[0].status, cases[i].obit);
        CU_ASSERT_EQUAL(sent(&b, IS_JOBOBIT)->updates[0].run_version, 3);
        bench_fini(&b);
    }
}

static void test_restart_keeps_running_jobs(void)
{
    struct bench b;
    int64_t start;

    bench_init(&b);
    start = b.now_at;
    run_job(&b, "1.svr");
    b.now_at += 30;
    restart(&b, false, true, true, 0);
    CU_ASSERT_FALSE(killed_with(&b, SIGKILL));
    CU_ASSERT_STRING_EQUAL(mom_running(b.m, 0), "1.svr");
    CU_ASSERT_EQUAL(mom_job_session(b.m, "1.svr"), 4711);
    say_hello(&b);
    CU_ASSERT_EQUAL(sent(&b, IS_REGISTERMOM)->running[0].substate, 42);
    mom_tick(b.m, start + 61, &b.out);
    CU_ASSERT_FALSE(killed_with(&b, SIGTERM)); /* does it run at all? */
    mom_used(b.m, start + 61, "1.svr", &(struct mom_usage){ .cput_s = 1 });
    mom_tick(b.m, start + 61, &b.out); /* it does, and its walltime went on */
    CU_ASSERT(killed_with(&b, SIGTERM));

    restart(&b, true, true, true, 0); /* -r */
    CU_ASSERT(killed_with(&b, SIGKILL));
    bench_fini(&b);
}

/* The name of the server had no answer when the first hello was due. */
static void test_hello_leaves_when_the_server_is_known(void)
{
    const struct mom_config cfg = node1_config();
    struct bench b = { .out.arena = arena_new(), .now_at = 100, .m = mom_new(&cfg) };

    mom_server_known(b.m, b.now_at, &b.out);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_CONNECT, 0)); /* there is no router */
    mom_router_up(b.m, b.now_at, &b.out);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_CONNECT, 0));
    mom_connected(b.m, b.now_at, 0, -1, &b.out);
    forget(&b);
    mom_tick(b.m, b.now_at, &b.out);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_CONNECT, 0)); /* the timer would wait */
    mom_server_known(b.m, b.now_at, &b.out);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_CONNECT, 0));
    bench_fini(&b);

    bench_init(&b); /* it is registered */
    mom_server_known(b.m, b.now_at, &b.out);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_CONNECT, 0));
    bench_fini(&b);
}

/* Servers take any number for ncpus, and the bound of cpupercent is a hundred times it.
 */
static void test_cpupercent_of_very_many_cpus(void)
{
    static const char *const ncpus[] = { "4", "92233720368547759",
                                         "9223372036854775807" };

    for (size_t i = 0; i < ARRAY_LEN(ncpus); i++) {
        struct wire_attrs attrs = { 0 };
        const struct is_message *msg;
        struct bench b;

        bench_init(&b);
        add(&b, &attrs, "euser", NULL, "joe");
        add(&b, &attrs, "Resource_List", "ncpus", ncpus[i]);
        send_job(&b, "1.svr", &attrs);
        mom_stored(b.m, b.now_at, "1.svr", NULL, &b.out);
        mom_started(b.m, b.now_at, "1.svr", 4711, 0, NULL, &b.out);
        forget(&b);
        b.now_at += 10;
        mom_used(b.m, b.now_at, "1.svr", &(struct mom_usage){ .cput_s = 20 });
        mom_sampled(b.m, b.now_at, &b.out);
        msg = sent(&b, IS_RESCUSED);
        CU_ASSERT_PTR_NOT_NULL_FATAL(msg);
        CU_ASSERT_STRING_EQUAL(
            wire_attrs_value(&msg->updates[0].attrs, "resources_used", "cpupercent"),
            "200"); /* the average of its run */
        bench_fini(&b);
    }
}

static const char *told_percent(struct bench *b)
{
    const struct is_message *msg;

    forget(b);
    mom_sampled(b->m, b->now_at, &b->out);
    msg = sent(b, IS_RESCUSED);
    CU_ASSERT_PTR_NOT_NULL_FATAL(msg);
    return wire_attrs_value(&msg->updates[0].attrs, "resources_used", "cpupercent");
}

static const char *percent_at(struct bench *b, int64_t now_at, int64_t cput_s)
{
    const struct mom_usage used = { .cput_s = cput_s };

    b->now_at = now_at;
    mom_used(b->m, b->now_at, "1.svr", &used);
    return told_percent(b);
}

/* Two samples in one second, or a clock that was set back, say nothing about the time
 * between them; no more does a run that has not lasted a second. */
static void test_cpupercent_needs_time_to_pass(void)
{
    const int64_t begin_at = 100000;
    struct bench b;

    bench_init(&b);
    CU_ASSERT_EQUAL_FATAL(b.now_at, begin_at);
    run_job(&b, "1.svr");
    CU_ASSERT_STRING_EQUAL(percent_at(&b, begin_at + 10, 9), "90");
    /* It has slept since; more than its average of 0 is left of the 90. */
    CU_ASSERT_STRING_EQUAL(percent_at(&b, begin_at + 1000, 9), "15");
    CU_ASSERT_STRING_EQUAL(percent_at(&b, begin_at + 1000, 9), "15");
    CU_ASSERT_STRING_EQUAL(percent_at(&b, begin_at + 1000, 10), "15");
    CU_ASSERT_STRING_EQUAL(percent_at(&b, begin_at + 500, 11), "15");
    CU_ASSERT_STRING_NOT_EQUAL(percent_at(&b, begin_at + 1000, 11), "15");
    bench_fini(&b);

    bench_init(&b);
    run_job(&b, "1.svr");
    signal_job(&b, "1.svr", "suspend");
    b.now_at += 20;
    signal_job(&b, "1.svr", "resume");
    CU_ASSERT_STRING_EQUAL(percent_at(&b, b.now_at, 5), "0");
    CU_ASSERT_STRING_EQUAL(percent_at(&b, b.now_at + 10, 10), "100");
    bench_fini(&b);
}

/* What was used before the restart was not used since some second 0. */
static void test_cpupercent_of_a_job_that_is_found_again(void)
{
    const struct mom_config cfg = node1_config();
    struct buf record = { 0 };
    struct bench b;
    const char *id;

    bench_init(&b);
    run_job(&b, "1.svr");
    CU_ASSERT_STRING_EQUAL(percent_at(&b, b.now_at + 10, 5), "50");
    mom_job_encode(b.m, "1.svr", &record);
    mom_free(b.m);
    b.m = mom_new(&cfg);
    CU_ASSERT_TRUE_FATAL(mom_load(b.m, record.data, record.len, &id));
    mom_found(b.m, "1.svr", true, 0);
    mom_start(b.m, b.now_at, false, &b.out);
    forget(&b);
    say_hello(&b);
    CU_ASSERT_STRING_EQUAL(percent_at(&b, b.now_at + 10, 15), "0");
    CU_ASSERT_STRING_EQUAL(percent_at(&b, b.now_at + 10, 20), "66");
    buf_fini(&record);
    bench_fini(&b);
}

static const char *jobdir_of(const struct bench *b, const char *id)
{
    const struct wire_attrs *attrs = mom_job_attrs(b->m, id);

    return attrs ? wire_attrs_value(attrs, "jobdir", NULL) : NULL;
}

/* What everybody expects is not kept with the job. */
static void test_where_a_job_works_is_kept_if_not_in_its_home(void)
{
    struct wire_attrs attrs = { 0 };
    struct bench b;

    bench_init(&b);
    add(&b, &attrs, "euser", NULL, "joe");
    add(&b, &attrs, "Variable_List", NULL, "PBS_O_HOME=/home/joe,PBS_O_LANG=C");
    send_job(&b, "1.svr", &attrs);
    run_job(&b, "2.svr"); /* nobody knows its home */
    mom_set_jobdir(b.m, "1.svr", "/home/joe");
    CU_ASSERT_PTR_NULL(jobdir_of(&b, "1.svr"));
    mom_set_jobdir(b.m, "1.svr", "/home/joe/pbs.1");
    CU_ASSERT_STRING_EQUAL(jobdir_of(&b, "1.svr"), "/home/joe/pbs.1");
    mom_set_jobdir(b.m, "1.svr", "/home/joe/pbs.1");
    CU_ASSERT_STRING_EQUAL(jobdir_of(&b, "1.svr"), "/home/joe/pbs.1");
    mom_set_jobdir(b.m, "1.svr", "/home/joe"); /* the directory is one of its own */
    CU_ASSERT_STRING_EQUAL(jobdir_of(&b, "1.svr"), "/home/joe");
    mom_set_jobdir(b.m, "2.svr", "/home/joe");
    CU_ASSERT_STRING_EQUAL(jobdir_of(&b, "2.svr"), "/home/joe");
    mom_set_jobdir(b.m, "3.svr", "/home/joe"); /* it is gone */
    CU_ASSERT_PTR_NULL(jobdir_of(&b, "3.svr"));
    bench_fini(&b);
}

static void run_of(struct bench *b, const char *id, const char *user, int32_t session)
{
    struct wire_attrs attrs = { 0 };

    add(b, &attrs, "euser", NULL, user);
    send_job(b, id, &attrs);
    mom_stored(b->m, b->now_at, id, NULL, &b->out);
    mom_started(b->m, b->now_at, id, session, 0, NULL, &b->out);
    forget(b);
}

/* $alien_attach: of each process it is asked once whether its session is that of a job,
 * and whose it may become. */
static void test_a_look_knows_all_jobs(void)
{
    struct mom_attach found = { .user = "joe",
                                .uid = 1000,
                                .session = 99,
                                .owner = 1000,
                                .leader_owner = 1000,
                                .mark = "" };
    struct mom_look *l;
    struct bench b;

    bench_init(&b);
    run_of(&b, "1.svr", "joe", 4711);
    run_of(&b, "2.svr", "ann", 4712);
    run_of(&b, "3.svr", "ann", 4713);
    run_of(&b, "4.svr", "bob", 4714);
    run_of(&b, "5.svr", "bob", 4715);
    run_of(&b, "6.svr", "eve", 4716);
    mom_exited(b.m, b.now_at, "4.svr", 0, NULL, &b.out);
    mom_exited(b.m, b.now_at, "6.svr", 0, NULL, &b.out);
    forget(&b);
    l = mom_look_begin(b.m);
    CU_ASSERT(mom_look_has_session(l, 4711) && mom_look_has_session(l, 4713));
    CU_ASSERT_FALSE(mom_look_has_session(l, 4714)); /* it has ended */
    CU_ASSERT_FALSE(mom_look_has_session(l, 99));
    found.leader_owner = 0;
    CU_ASSERT_FALSE(mom_look_attach(l, &found, &b.out));
    found.leader_owner = 1000;
    CU_ASSERT_TRUE(mom_look_attach(l, &found, &b.out));
    CU_ASSERT_PTR_NOT_NULL_FATAL(effect(&b, MOM_ADOPT, 0));
    CU_ASSERT_STRING_EQUAL(effect(&b, MOM_ADOPT, 0)->job_id, "1.svr");
    CU_ASSERT_TRUE(mom_look_has_session(l, 99));
    CU_ASSERT_FALSE(mom_look_attach(l, &found, &b.out)); /* twice */
    found.session = 4712;
    CU_ASSERT_FALSE(mom_look_attach(l, &found, &b.out)); /* another job's */
    found.session = 98;
    found.user = "ann"; /* she has two */
    CU_ASSERT_FALSE(mom_look_attach(l, &found, &b.out));
    found.user = "eve"; /* hers has ended */
    CU_ASSERT_FALSE(mom_look_attach(l, &found, &b.out));
    found.user = "tom";
    CU_ASSERT_FALSE(mom_look_attach(l, &found, &b.out));
    CU_ASSERT_PTR_NULL(effect(&b, MOM_ADOPT, 1));
    found.user = "bob"; /* one of his has ended */
    CU_ASSERT_TRUE(mom_look_attach(l, &found, &b.out));
    CU_ASSERT_PTR_NOT_NULL_FATAL(effect(&b, MOM_ADOPT, 1));
    CU_ASSERT_STRING_EQUAL(effect(&b, MOM_ADOPT, 1)->job_id, "5.svr");
    mom_look_end(l);
    l = mom_look_begin(b.m); /* what was attached is known to the next one */
    CU_ASSERT_TRUE(mom_look_has_session(l, 99));
    mom_look_end(l);
    bench_fini(&b);
}

/* A file in mom_priv/jobs may be a copy that somebody has made under another name. */
static void test_a_record_belongs_to_its_name(void)
{
    struct buf record = { 0 };
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    mom_job_encode(b.m, "1.svr", &record);
    CU_ASSERT(mom_record_is_of(record.data, record.len, "1.svr"));
    CU_ASSERT_FALSE(mom_record_is_of(record.data, record.len, "1.svr.old"));
    CU_ASSERT_FALSE(mom_record_is_of(record.data, record.len, ""));
    CU_ASSERT_FALSE(mom_record_is_of(record.data, 3, "1.svr"));
    buf_fini(&record);
    bench_fini(&b);
}

/* The server may have given it up and let it run elsewhere: it runs it again. */
static void test_accepted_job_goes_back_after_restart(void)
{
    struct wire_attrs attrs;
    struct bench b;

    bench_init(&b);
    attrs = job_attrs(&b, "3");
    send_job(&b, "1.svr", &attrs);
    restart(&b, false, false, false, 0);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_START, 0));
    say_hello(&b);
    CU_ASSERT_EQUAL(told_status(&b), -3);
    bench_fini(&b);
}

/* Whole files with a number that no job has. */
static void test_numbers_of_a_record_are_checked(void)
{
    const struct mom_config cfg = node1_config();
    static const struct {
        const char *record;
        bool taken;
    } rows[] = {
        { "+4HFJ1+112+42+12+10+0+0+0+0+1+0+0+0+0", true },
        { "+4HFJ1+02+42+12+10+0+0+0+0+1+0+0+0+0", false },  /* nobody's */
        { "+4HFJ1+11+7+12+10+0+0+0+0+1+0+0+0+0", false },   /* phase */
        { "+4HFJ1+112+42+1-1+0+0+0+0+1+0+0+0+0", false },   /* session */
        { "+4HFJ1+112+42+12+10+0+2+0+0+1+0+0+0+0", false }, /* is the status set */
        { "+4HFJ1+112+42+12+10+0+0-1+0+1+0+0+0+0", false }, /* since when */
        { "+4HFJ1+112+42+12+10+0+0+0219+9223372036854775807+1+0+0+0+0",
          false }, /* walltime */
        { "+4HFJ1+112+42+12+10+0+0+0+0219+9223372036854775807+0+0+0+0",
          true }, /* never killed */
        { "+4HFJ2+112+42+12+10+0+0+0+0+1+0+0+0+0+0+0+0+0+0+1+0", true },
        { "+4HFJ2+112+42+12+10+0+0+0+0+1+0+0+0+0", false },               /* no width */
        { "+4HFJ2+112+42+12+10+0+0+0+0+1+0+0+0+0+2+0+0+0+0+1+0", false }, /* sister */
        { "+4HFJ2+112+42+12+10+0+0+0+0+1+0+0+0+0+0+05+70000+0+0+1+0",
          false }, /* port */
        { "+4HFJ2+112+42+12+10+0+0+0+0+1+0+0+0+0+0+0+0+0+06+200000+0",
          false }, /* tasks */
        { "+4HFJ2+112+42+12+10+0+0+0+0+1+0+0+0+0+0+0+0+0+0+2+1+2+7+0", true },
        { "+4HFJ2+112+42+12+10+0+0+0+0+1+0+0+0+0+0+0+0+0+0+2+1+2+0+0",
          false }, /* its session */
        { "+4HFJ3+112+42+12+10+0+0+0+0+1+0+0+0+0+0+0+0+0+0+1+0+3b:1", true },
        { "+4HFJ3+112+42+12+10+0+0+0+0+1+0+0+0+0+0+0+0+0+0+1+0",
          false }, /* no mark of its session */
        { "+4HFJ3+112+42+12+10+0+0+0+0+1+0+0+0+0+0+0+0+0+0+2+1+2+7+0+0+3b:1+0", true },
        { "+4HFJ3+112+42+12+10+0+0+0+0+1+0+0+0+0+0+0+0+0+0+2+1+2+7+0+3b:1",
          false }, /* no mark of that of its task */
        { "+4HFJ1+112+42+12+10+0+0+0+0+1-5+0+0+0", false }, /* cput */
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct mom *m = mom_new(&cfg);
        const char *id;

        CU_ASSERT_EQUAL(mom_load(m, rows[i].record, strlen(rows[i].record), &id),
                        rows[i].taken);
        mom_free(m);
    }
}

/* What tells its session from a later one is there after a restart. */
static void test_the_mark_of_a_session_is_kept(void)
{
    static const char record[] =
        "+4HFJ3+112+42+12+10+0+0+0+0+1+0+0+0+0+0+0+0+0+0+2+1+2+7+0+3b:1+3b:2+1";
    const struct mom_config cfg = node1_config();
    struct mom *m = mom_new(&cfg);
    struct buf again = { 0 };
    const char *id;

    CU_ASSERT_TRUE_FATAL(mom_load(m, record, strlen(record), &id));
    CU_ASSERT_STRING_EQUAL(mom_session_mark(m, "1", 1), "b:1");
    CU_ASSERT_STRING_EQUAL(mom_session_mark(m, "1", 2), "b:2");
    CU_ASSERT_STRING_EQUAL(mom_session_mark(m, "1", 3), "");
    CU_ASSERT_TRUE(mom_task_is_attached(m, "1", 2));
    mom_set_session_mark(m, "1", 2, "c:3");
    mom_job_encode(m, "1", &again);
    CU_ASSERT_PTR_NOT_NULL(strstr(again.data, "+3b:1+3c:3+1"));
    buf_fini(&again);
    mom_free(m);
}

static void test_damaged_record_is_refused(void)
{
    const struct mom_config cfg = node1_config();
    struct buf record = { 0 };
    const char *id;
    struct bench b;
    struct mom *m = mom_new(&cfg);

    bench_init(&b);
    run_job(&b, "1.svr");
    mom_job_encode(b.m, "1.svr", &record);
    for (size_t len = 0; len < record.len; len++)
        CU_ASSERT_FALSE(mom_load(m, record.data, len, &id));
    CU_ASSERT(mom_load(m, record.data, record.len, &id));
    mom_free(m);
    buf_fini(&record);
    bench_fini(&b);
}

/* An address of the server's host is not enough: any leaf there has that. */
static void test_only_the_server_commands(void)
{
    static const struct {
        uint32_t ip;
        uint16_t port;
        bool is_local; /* the server is on this host */
        bool believed;
        const char *log;
    } cases[] = {
        { SERVER_IP, SERVER_PORT, false, true, NULL },
        { 0x0a000063, SERVER_PORT, false, false, "bad connect from 10.0.0.99:15001" },
        { SERVER_IP, 15003, false, false, "bad connect from 10.0.0.1:15003" },
        { SERVER_IP, 1023, false, false, "bad connect from 10.0.0.1:1023" },
        { 0x7f000001, SERVER_PORT, false, false, "bad connect from 127.0.0.1:15001" },
        { 0x7f000001, SERVER_PORT, true, true, NULL },
        { 0x7f000101, SERVER_PORT, true, true, NULL },
        { 0x7f000001, 15003, true, false, "bad connect from 127.0.0.1:15003" },
    };
    const struct is_message msg = { .command = IS_SHUTDOWN };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tpp_addr from = tpp_addr_ipv4(cases[i].ip, cases[i].port);
        const uint32_t server_ip = SERVER_IP;
        struct bench b;

        bench_init(&b);
        mom_set_servers(b.m, 1, &server_ip, cases[i].is_local);
        mom_message(b.m, b.now_at, 5, &from, &msg, true, &b.out);
        CU_ASSERT_EQUAL(effect(&b, MOM_EXIT, 0) != NULL, cases[i].believed);
        if (!cases[i].believed) {
            CU_ASSERT_EQUAL(effect(&b, MOM_CLOSE, 0)->stream, 5);
            CU_ASSERT(logged(&b, cases[i].log));
        }
        bench_fini(&b);
    }
}

/* What a name means may change; what it meant before is no server any more. */
static void test_the_servers_addresses_may_change(void)
{
    const struct is_message msg = { .command = IS_SHUTDOWN };
    const uint32_t moved[] = { 0x0a000002, 0x0a000003 };
    struct tpp_addr there = tpp_addr_ipv4(moved[1], SERVER_PORT);
    struct bench b;

    bench_init(&b);
    mom_set_servers(b.m, 2, moved, false);
    message(&b, &msg);
    CU_ASSERT_PTR_NULL(effect(&b, MOM_EXIT, 0));
    mom_message(b.m, b.now_at, 5, &there, &msg, true, &b.out);
    CU_ASSERT_PTR_NOT_NULL(effect(&b, MOM_EXIT, 0));
    bench_fini(&b);
}

static void test_unknown_requests_are_refused(void)
{
    const struct is_message unknown = { .command = (enum is_command)55 };
    struct bench b;

    bench_init(&b);
    message(&b, &unknown);
    CU_ASSERT(logged(&b, "unknown command 55 sent"));
    CU_ASSERT_EQUAL(effect(&b, MOM_CLOSE, 0)->stream, b.stream);
    forget(&b);
    request(&b, BATCH_STATUS_SERVER, NULL, "m9"); /* crashes others */
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, PBSE_UNKREQ);
    bench_fini(&b);
}

/* What the core wants is carried out by the executor that pretends; what was carried
 * out before is not again. */
static void pretend(struct bench *b, const struct executor *x)
{
    for (size_t i = b->n_carried; i < b->out.n; i++) {
        const struct mom_effect e = b->out.v[i];

        if (executor_has(e.kind))
            x->carry_out(x->self, b->now_at, &e, &b->out);
    }
    b->n_carried = b->out.n;
}

static void tick_pretending(struct bench *b, const struct executor *x, int64_t now_at)
{
    b->now_at = now_at;
    executor_turn(x, b->m, now_at, &b->out);
    pretend(b, x);
}

static const char *told_used(const struct bench *b, const char *resource)
{
    const struct is_message *msg = sent(b, IS_RESCUSED);

    return msg ? wire_attrs_value(&msg->updates[0].attrs, "resources_used", resource)
               : NULL;
}

/* A configuration with scripts and signals of a site's own. */
static void pretend_rules(struct bench *b)
{
    struct mom_config cfg = node1_config();

    cfg.suspend_signo = SIGTSTP;
    cfg.resume_signo = SIGUSR2;
    cfg.checkpoints = cfg.checkpoint_aborts = true;
    cfg.ends_by = "/end";
    mock_fill_rules(&cfg);
    mom_set_rules(b->m, b->now_at, &cfg, &b->out);
    forget(b);
}

static void test_a_pretended_run(void)
{
    struct wire_attrs attrs = { 0 };
    const struct body_manage longer = { .object_name = "1.svr" };
    struct body_manage change = longer;
    struct mock *mock;
    struct executor x;
    struct bench b;
    int64_t begun_at;

    bench_init(&b);
    pretend_rules(&b);
    mock = mock_new(b.m, 1);
    x = mock_executor(mock);
    attrs = job_attrs(&b, "3");
    add(&b, &attrs, "Resource_List", "mem", "2gb");
    send_job(&b, "1.svr", &attrs);
    pretend(&b, &x);
    CU_ASSERT(logged(&b, "Started mock run of job"));
    CU_ASSERT_STRING_EQUAL(told_used(&b, "mem"), "2gb");
    CU_ASSERT_STRING_EQUAL(told_used(&b, "vmem"), "2gb");
    forget(&b);
    begun_at = b.now_at;
    CU_ASSERT_EQUAL(x.next_deadline(x.self), begun_at + 60);
    request(&b, BATCH_HOLD_JOB, &longer, "m3"); /* no script makes its image */
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, PBSE_NOSUP);
    forget(&b);
    tick_pretending(&b, &x, begun_at + 20);
    signal_job(&b, "1.svr", "suspend"); /* which does not count */
    pretend(&b, &x);
    CU_ASSERT_EQUAL(x.next_deadline(x.self), INT64_MAX);
    b.now_at = begun_at + 50;
    signal_job(&b, "1.svr", "resume");
    pretend(&b, &x);
    CU_ASSERT_EQUAL(x.next_deadline(x.self), begun_at + 90);
    add(&b, &change.attrs, "Resource_List", "walltime", "00:01:10");
    request(&b, BATCH_MODIFY_JOB, &change, "m4");
    pretend(&b, &x);
    CU_ASSERT_EQUAL(x.next_deadline(x.self), begun_at + 100);
    signal_job(&b, "1.svr", "SIGUSR1"); /* nobody is there who hears it */
    tick_pretending(&b, &x, begun_at + 99);
    CU_ASSERT_EQUAL(told_status(&b), INT32_MIN);
    tick_pretending(&b, &x, begun_at + 100);
    CU_ASSERT_EQUAL(told_status(&b), 0);
    CU_ASSERT_EQUAL(x.next_deadline(x.self), INT64_MAX);
    mock_free(mock);
    bench_fini(&b);
}

/* The groups of jobs in the kernel follow what a job may have of the host, behind its
 * record; what does not change it disturbs none. */
static void test_a_change_of_the_share_is_a_limit(void)
{
    static const struct {
        const char *resource, *value;
        bool is_limit;
    } rows[] = { { "walltime", "02:00:00", false },
                 { "ncpus", "1", false },
                 { "ncpus", "3", true },
                 { "mem", "2gb", true },
                 { "mem", "2048mb", false },
                 { "vmem", "4gb", true } };
    const struct mom_effect *e;
    struct mom_share share;
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct body_manage change = { .object_name = "1.svr" };

        add(&b, &change.attrs, "Resource_List", rows[i].resource, rows[i].value);
        forget(&b);
        request(&b, BATCH_MODIFY_JOB, &change, "m4");
        e = effect(&b, MOM_LIMIT, 0);
        CU_ASSERT_EQUAL(e != NULL, rows[i].is_limit);
        CU_ASSERT(!e ||
                  (e > effect(&b, MOM_SAVE, 0) && strcmp(e->job_id, "1.svr") == 0));
    }
    CU_ASSERT(mom_job_share(b.m, "1.svr", &share));
    CU_ASSERT(share.ncpus == 3 && share.mem_kb == 2 << 20 && share.vmem_kb == 4 << 20);
    bench_fini(&b);
}

/* A job may be changed as often as its user likes: what was replaced is given back. */
static void test_changes_without_end(void)
{
    struct body_manage change = { .object_name = "1.svr" };
    char text[4096];
    struct bench b;

    bench_init(&b);
    run_job(&b, "1.svr");
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    add(&b, &change.attrs, "Account_Name", NULL, text);
    add(&b, &change.attrs, "Resource_List", "mem", "2gb");
    for (int i = 0; i < 1000; i++) {
        request(&b, BATCH_MODIFY_JOB, &change, "m4");
        forget(&b);
    }
    CU_ASSERT(arena_used_bytes(job_find(b.m, "1.svr")->attrs_arena) < 16384);
    CU_ASSERT_STRING_EQUAL(
        wire_attrs_value(mom_job_attrs(b.m, "1.svr"), "Account_Name", NULL), text);
    CU_ASSERT_STRING_EQUAL(
        wire_attrs_value(mom_job_attrs(b.m, "1.svr"), "Resource_List", "mem"), "2gb");
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(mom_job_attrs(b.m, "1.svr"), "euser", NULL),
                           "joe");
    bench_fini(&b);
}

static void test_a_pretended_run_is_ended(void)
{
    static const struct {
        const char *name;
        int32_t status;
    } rows[] = { { "TermJob", 256 + SIGTERM },
                 { "SIGKILL", 256 + SIGKILL },
                 { "Rerun", -11 } };
    struct wire_attrs attrs = { 0 };
    struct mock *mock;
    struct executor x;
    struct bench b;

    bench_init(&b);
    pretend_rules(&b);
    mock = mock_new(b.m, 1);
    x = mock_executor(mock);
    add(&b, &attrs, "euser", NULL, "joe"); /* without a walltime it runs until then */
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        send_job(&b, "2.svr", &attrs);
        pretend(&b, &x);
        tick_pretending(&b, &x, b.now_at + 40);
        CU_ASSERT_EQUAL(told_status(&b), INT32_MIN);
        signal_job(&b, "2.svr", rows[i].name);
        pretend(&b, &x);
        CU_ASSERT_EQUAL(told_status(&b), rows[i].status);
        forget(&b);
        obit_reply(&b, "2.svr", true);
        pretend(&b, &x);
        CU_ASSERT_EQUAL(mom_n_jobs(b.m), 0);
        forget(&b);
    }
    mock_free(mock);
    bench_fini(&b);
}

/* Whatever happens to jobs, the core's next deadline is not behind what a look at each
 * of them says. */
static void test_no_deadline_is_forgotten(void)
{
    static const char *const names[] = { "TermJob", "suspend", "resume", "SIGKILL",
                                         "Rerun" };
    struct rnd r = rnd_seeded(4);
    struct wire_attrs attrs;
    struct bench b;
    char id[16];

    bench_init(&b);
    for (int step = 0; step < 5000; step++) {
        snprintf(id, sizeof(id), "%d.svr", (int)rnd_range(&r, 1, 9));
        switch (rnd_range(&r, 0, 8)) {
        case 0:
            attrs = job_attrs(&b, "3");
            send_job(&b, id, &attrs);
            mom_stored(b.m, b.now_at, id, NULL, &b.out);
            break;
        case 1:
            mom_started(b.m, b.now_at, id, 4711, rnd_percent(&r, 10) ? -3 : 0, NULL,
                        &b.out);
            break;
        case 2:
            mom_exited(b.m, b.now_at, id, 0, NULL, &b.out);
            break;
        case 3:
            obit_reply(&b, id, rnd_percent(&r, 50));
            break;
        case 4:
            if (rnd_percent(&r, 10)) {
                mom_router_down(b.m, b.now_at, &b.out);
                say_hello(&b);
            }
            break;
        case 5:
            mom_tick(b.m, b.now_at, &b.out);
            CU_ASSERT(mom_next_deadline(b.m) > b.now_at);
            break;
        default:
            signal_job(&b, id, names[rnd_range(&r, 0, ARRAY_LEN(names) - 1)]);
        }
        CU_ASSERT_FATAL(mom_next_deadline(b.m) <= mom_recount_deadline(b.m));
        b.now_at += rnd_range(&r, 0, 8);
        forget(&b);
    }
    bench_fini(&b);
}

static void test_own_user_only(void)
{
    struct mom_config cfg = node1_config();
    struct body_queue q = { .id = "1.svr", .destination = "node1" };
    struct bench b;

    bench_init(&b);
    mom_free(b.m);
    cfg.only_user = "ann";
    b.m = mom_new(&cfg);
    mom_set_vnodes(b.m, b.now_at, 5, 0, NULL, &b.out);
    q.attrs = job_attrs(&b, "1");
    request(&b, BATCH_QUEUE_JOB, &q, "m1");
    CU_ASSERT_EQUAL(sent(&b, IS_CMD_REPLY)->reply.code, PBSE_BADUSER);
    /* The administrator of the host sees why. */
    CU_ASSERT(
        logged(&b, "Reject reply code=15023, aux=0, type=1, from root@10.0.0.1:15001"));
    CU_ASSERT(logged(&b, "this MoM runs jobs of ann only"));
    bench_fini(&b);
}

/* The job's record with that note behind it is what the record would be now. */
static void check_note(struct bench *b, const struct buf *before, uint32_t task)
{
    struct buf now = { 0 }, note = { 0 }, file = { 0 }, bytes = { 0 }, folded = { 0 };
    struct job_file f;
    size_t offset;

    mom_job_encode(b->m, "1.svr", &now);
    CU_ASSERT_TRUE_FATAL(mom_job_note(b->m, "1.svr", task, &note));
    job_file_make(before->data, before->len, 0, &file, &f);
    CU_ASSERT_TRUE_FATAL(job_file_add_note(&f, note.data, note.len, &bytes, &offset));
    memcpy(file.data + offset, bytes.data, bytes.len);
    f = job_file_read(file.data, file.len);
    CU_ASSERT_TRUE_FATAL(job_notes_fold(&f, &folded));
    CU_ASSERT(folded.len == now.len && memcmp(folded.data, now.data, now.len) == 0);
    buf_fini(&now);
    buf_fini(&note);
    buf_fini(&file);
    buf_fini(&bytes);
    buf_fini(&folded);
}

static uint32_t spawn_task(struct bench *b)
{
    static const char *args[] = { "/bin/true" };
    const struct task_request rq = { .version = 2,
                                     .job_id = "1.svr",
                                     .cookie = "c",
                                     .command = TASK_SPAWN,
                                     .event = 9,
                                     .task = 1,
                                     .args = { 1, args } };

    mom_task_request(b->m, b->now_at, MOM_TASK_CONNECTION | 1, &rq, &b->out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(effect(b, MOM_SPAWN, 0));
    return effect(b, MOM_SPAWN, 0)->task;
}

static void test_a_note_is_of_one_task(void)
{
    const struct mom_usage used = { .cput_s = 7, .mem_kb = 8, .vmem_kb = 9 };
    struct buf before = { 0 }, none = { 0 };
    struct bench b;
    uint64_t base;
    uint32_t task;

    bench_init(&b);
    run_job(&b, "1.svr");
    mom_set_cookie(b.m, "1.svr", "c");
    base = mom_job_base(b.m, "1.svr");
    mom_job_encode(b.m, "1.svr", &before);
    task = spawn_task(&b);
    mom_set_session_mark(b.m, "1.svr", task, "boot:5");
    mom_task_started(b.m, b.now_at, "1.svr", task, 5000, 0, NULL, &b.out);
    CU_ASSERT_EQUAL(effect(&b, MOM_BEGIN, 0)->task, task);
    CU_ASSERT_EQUAL(mom_job_base(b.m, "1.svr"), base);
    check_note(&b, &before, task);
    buf_clear(&before);
    mom_job_encode(b.m, "1.svr", &before);
    forget(&b);
    mom_task_ended(b.m, b.now_at + 5, "1.svr", task, 0, &used, &b.out);
    CU_ASSERT_EQUAL(effect(&b, MOM_SAVE, 0)->task, task);
    CU_ASSERT_EQUAL(mom_job_base(b.m, "1.svr"), base);
    check_note(&b, &before, task);
    /* What is of the job is none of the task's. */
    forget(&b);
    signal_job(&b, "1.svr", "suspend");
    CU_ASSERT_EQUAL(effect(&b, MOM_SAVE, 0)->task, 0);
    CU_ASSERT_NOT_EQUAL(mom_job_base(b.m, "1.svr"), base);
    base = mom_job_base(b.m, "1.svr");
    mom_set_jobdir(b.m, "1.svr", "/tmp/box");
    CU_ASSERT_NOT_EQUAL(mom_job_base(b.m, "1.svr"), base);
    CU_ASSERT_FALSE(mom_job_note(b.m, "2.svr", task, &none));
    CU_ASSERT(none.len == 0 && mom_job_base(b.m, "2.svr") == 0);
    buf_fini(&before);
    bench_fini(&b);
}

static const struct unit_case cases[] = {
    { "a note is of one task alone", test_a_note_is_of_one_task },
    { "processors are counted, and more than asked for is said or ended",
      test_processors_are_counted },
    { "memory is limited by host", test_memory_is_limited_by_host },
    { "suspension has its signals", test_suspension_has_its_signals },
    { "a suspended job is killed, by whatever name", test_a_suspended_job_is_killed },
    { "an epilogue comes before the obituary",
      test_an_epilogue_comes_before_the_obituary },
    { "files come before their job", test_files_come_before_their_job },
    { "a message is answered when it is written",
      test_a_message_is_answered_when_it_is_written },
    { "a job comes over a connection", test_a_job_comes_over_a_connection },
    { "a commit may be implied", test_a_commit_may_be_implied },
    { "a script is held until it is a file", test_a_script_is_held_until_it_is_a_file },
    { "a hello is followed by registration", test_registration },
    { "vnodes that are read again keep their time", test_the_time_of_the_vnodes },
    { "hellos come at their intervals", test_hello_series },
    { "a lost server is found again and told of the jobs", test_server_lost_and_back },
    { "a job lives from QueueJob to DeleteJob", test_life_of_a_job },
    { "a job that cannot be stored is refused", test_store_failure_is_told },
    { "the same run sent twice starts once", test_same_run_twice_starts_once },
    { "wrong jobs are refused", test_refused_jobs },
    { "half a job goes with its stream", test_half_a_job_goes_with_its_stream },
    { "an obituary is repeated until it is acknowledged", test_obit_is_repeated },
    { "a run that is sent again after its end is answered with its end",
      test_a_run_that_is_sent_again_after_its_end },
    { "who waits for ends is counted", test_who_waits_for_ends_is_counted },
    { "a client that has gone is not answered",
      test_a_client_that_has_gone_is_not_answered },
    { "a rejected obituary drops the job", test_rejected_obit_drops_the_job },
    { "answers to obituaries are of their run", test_answers_are_of_their_run },
    { "a discard is always answered", test_discard },
    { "SIGKILL follows SIGTERM after the delay", test_kill_sequence },
    { "signals have names", test_signals },
    { "a rerun keeps its status", test_rerun_keeps_its_status },
    { "a job that the kernel ends for its memory has used too much",
      test_out_of_memory_is_an_end_of_its_own },
    { "walltime is enforced to the second", test_walltime_is_enforced_in_time },
    { "suspension stops the clock", test_suspension_stops_the_clock },
    { "a failed start becomes an obituary", test_start_failure_becomes_an_obit },
    { "a restart knows what became of jobs", test_restart },
    { "a restart keeps running jobs", test_restart_keeps_running_jobs },
    { "an accepted job goes back after a restart",
      test_accepted_job_goes_back_after_restart },
    { "a hello leaves when the server is known",
      test_hello_leaves_when_the_server_is_known },
    { "a look knows all jobs", test_a_look_knows_all_jobs },
    { "cpupercent needs time to pass", test_cpupercent_needs_time_to_pass },
    { "cpupercent of a job that is found again begins anew",
      test_cpupercent_of_a_job_that_is_found_again },
    { "where a job works is kept if that is not its home",
      test_where_a_job_works_is_kept_if_not_in_its_home },
    { "very many cpus do not make cpupercent small",
      test_cpupercent_of_very_many_cpus },
    { "a record belongs to the job that its file is named after",
      test_a_record_belongs_to_its_name },
    { "the mark of a session is kept", test_the_mark_of_a_session_is_kept },
    { "a damaged record is refused", test_damaged_record_is_refused },
    { "numbers that no job has are refused", test_numbers_of_a_record_are_checked },
    { "only the server commands", test_only_the_server_commands },
    { "the server's addresses may change", test_the_servers_addresses_may_change },
    { "unknown requests are refused", test_unknown_requests_are_refused },
    { "a pretended run ends on time", test_a_pretended_run },
    { "a change of what a job may have of the host is a limit",
      test_a_change_of_the_share_is_a_limit },
    { "changes without end", test_changes_without_end },
    { "a pretended run is ended", test_a_pretended_run_is_ended },
    { "a start that hangs is given up", test_a_start_that_hangs_is_given_up },
    { "a start that is dropped is killed", test_a_start_that_is_dropped_is_killed },
    { "no deadline is forgotten", test_no_deadline_is_forgotten },
    { "a MoM without root runs its own user's jobs", test_own_user_only },
};

int main(void)
{
    return unit_main("mom/core", cases, ARRAY_LEN(cases));
}
