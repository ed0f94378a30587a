/* mom.c - what jobs cost the MoM's core, beside few others and beside many.
 *
 *   test/bench/mom [--jobs N]
 *
 * N pretended jobs are started and then all ended by the server, each with every
 * message that belongs to it: QueueJob, JobScript and Commit; TermJob, the
 * acknowledgement of the obituary, CopyFiles and DeleteJob. After each the core is
 * asked for its next deadline, as the daemon does. Then N jobs end in the same second,
 * and N others are all killed in one. Messages to the server are encoded and thrown
 * away; log lines are not written. Printed is the processor time of this thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/mock/mock.h"

#include "../unit/mom/node1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STREAM 77
#define NOW_AT 1000000

struct bench {
    struct mom *m;
    struct mock *mock;
    struct executor executor;
    struct mom_out out;
    struct wire_attrs attrs;
    int64_t now_at;
    int64_t longest_ns;
};

static int64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void carry_out_only(struct bench *b)
{
    for (size_t i = 0; i < b->out.n; i++) {
        const struct mom_effect e = b->out.v[i];
        struct buf bytes = { 0 };

        if (e.kind == MOM_SEND)
            is_encode(&bytes, &e.u.msg);
        else if (executor_has(e.kind))
            b->executor.carry_out(b->executor.self, b->now_at, &e, &b->out);
        buf_fini(&bytes);
    }
    b->out = (struct mom_out){ .arena = b->out.arena };
    arena_clear(b->out.arena);
}

static int64_t next_deadline(const struct bench *b)
{
    return MIN_OF(mom_next_deadline(b->m), b->executor.next_deadline(b->mock));
}

static void carry_out(struct bench *b)
{
    carry_out_only(b);
    if (next_deadline(b) < b->now_at)
        mom_tick(b->m, b->now_at, &b->out);
}

static void message(struct bench *b, const struct is_message *msg)
{
    int64_t from_ns = cpu_ns();

    mom_message(b->m, b->now_at, STREAM, node1_server(), msg, true, &b->out);
    carry_out(b);
    b->longest_ns = MAX_OF(b->longest_ns, cpu_ns() - from_ns);
}

static void request(struct bench *b, uint32_t number, const void *body)
{
    const struct is_message msg = {
        .command = IS_CMD,
        .msgid = "1:0",
        .request = { .number = number, .user = "root", .body = body },
    };

    message(b, &msg);
}

static void start_job(struct bench *b, const char *id)
{
    const struct body_queue queue = { .id = id,
                                      .destination = "node1",
                                      .attrs = b->attrs };
    const struct body_script script = { .job_id = "", .data = { "sleep 1\n", 8 } };
    const struct body_id commit = { .id = id };

    request(b, BATCH_QUEUE_JOB, &queue);
    request(b, BATCH_JOB_SCRIPT, &script);
    request(b, BATCH_COMMIT, &commit);
}

static void end_job(struct bench *b, const char *id)
{
    const struct body_signal term = { .job_id = id, .signal = "TermJob" };
    const struct is_message ack = { .command = IS_OBITREPLY,
                                    .acks = { .n = 1, .v = &id } };
    struct wire_file_pair pair = { 1, "1.OU", "node1:/tmp/out" };
    const struct body_files files = { .job_id = id,
                                      .owner = "joe",
                                      .user = "joe",
                                      .group = "",
                                      .direction = 1,
                                      .n_pairs = 1,
                                      .pairs = &pair };
    const struct body_manage del = { .object_name = id };

    request(b, BATCH_SIGNAL_JOB, &term);
    message(b, &ack);
    request(b, BATCH_COPY_FILES, &files);
    request(b, BATCH_DELETE_JOB, &del);
}

static void add(struct bench *b, struct arena *a, const char *name,
                const char *resource, const char *value)
{
    wire_attrs_add(&b->attrs, a, name, resource, value, WIRE_OP_SET);
}

/* What our server sends, as far as it matters how much it is. */
static void make_attrs(struct bench *b, struct arena *a)
{
    static const char *const plain[][2] = {
        { "Job_Name", "STDIN" },
        { "Job_Owner", "joe@node1" },
        { "queue", "workq" },
        { "server", "svr" },
        { "Checkpoint", "u" },
        { "Error_Path", "node1:/home/joe/STDIN.e1" },
        { "Join_Path", "n" },
        { "Keep_Files", "n" },
        { "exec_host", "node1/0" },
        { "Output_Path", "node1:/home/joe/STDIN.o1" },
        { "exec_host2", "node1:15002/0" },
        { "exec_vnode", "(node1:ncpus=1)" },
        { "schedselect", "1:ncpus=1" },
        { "Variable_List", "PBS_O_HOME=/home/joe" },
        { "euser", "joe" },
        { "egroup", "joe" },
        { "hashname", "1.svr" },
        { "run_count", "1" },
        { "run_version", "1" },
        { "project", "_pbs_project_default" },
    };

    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        add(b, a, plain[i][0], NULL, plain[i][1]);
    add(b, a, "Resource_List", "ncpus", "1");
    add(b, a, "Resource_List", "walltime", "10:00:00");
}

static void begin(struct bench *b)
{
    const struct mom_config cfg = node1_config();
    const struct is_message hello = { .command = IS_REPLYHELLO };

    b->now_at = NOW_AT;
    b->out.arena = arena_new();
    b->m = mom_new(&cfg);
    b->mock = mock_new(b->m, cfg.wallmult);
    b->executor = mock_executor(b->mock);
    mom_start(b->m, NOW_AT, false, &b->out);
    mom_router_up(b->m, NOW_AT, &b->out);
    mom_connected(b->m, NOW_AT, STREAM, 1, &b->out);
    message(b, &hello);
}

static int64_t each(struct bench *b, int n, void (*fn)(struct bench *b, const char *id))
{
    int64_t from_ns = cpu_ns();
    char id[32];

    for (int i = 0; i < n; i++) {
        snprintf(id, sizeof(id), "%d.svr", i);
        fn(b, id);
    }
    return cpu_ns() - from_ns;
}

/* Turns of the clock until nothing is due (executor_turn() of mom/executor.h, which
 * older versions do not have). How many there were. */
static int turns(struct bench *b)
{
    int n = 0;

    for (; next_deadline(b) <= b->now_at; n++) {
        int64_t from_ns = cpu_ns();

        b->executor.tick(b->executor.self, b->now_at, &b->out);
        if (b->executor.next_deadline(b->mock) > b->now_at)
            mom_tick(b->m, b->now_at, &b->out);
        carry_out_only(b);
        b->longest_ns = MAX_OF(b->longest_ns, cpu_ns() - from_ns);
    }
    return n;
}

static void term_job(struct bench *b, const char *id)
{
    const struct body_signal term = { .job_id = id, .signal = "TermJob" };

    request(b, BATCH_SIGNAL_JOB, &term);
}

static void end_together(int n, bool are_killed)
{
    struct arena *attrs = arena_new();
    struct bench b = { 0 };
    int n_turns;

    make_attrs(&b, attrs);
    begin(&b);
    (void)each(&b, n, start_job);
    turns(&b);
    b.longest_ns = 0;
    if (are_killed)
        (void)each(&b, n, term_job);
    else
        b.now_at += 36000; /* their walltime */
    n_turns = turns(&b);
    printf("%6d jobs %s in one second: %d turns, the longest %.2f ms\n", n,
           are_killed ? "are killed" : "end", n_turns, (double)b.longest_ns / 1e6);
    mock_free(b.mock);
    mom_free(b.m);
    arena_free(b.out.arena);
    arena_free(attrs);
}

static void run(int n)
{
    struct arena *attrs = arena_new();
    struct bench b = { 0 };
    int64_t start_ns, start_longest_ns, end_ns;

    make_attrs(&b, attrs);
    begin(&b);
    b.longest_ns = 0;
    start_ns = each(&b, n, start_job);
    start_longest_ns = b.longest_ns;
    b.longest_ns = 0;
    end_ns = each(&b, n, end_job);
    printf("%6d jobs: a start %.1f us, longest message %.2f ms; an end %.1f us, "
           "longest message %.2f ms; all ends %.3f s; %zu left\n",
           n, (double)start_ns / n / 1e3, (double)start_longest_ns / 1e6,
           (double)end_ns / n / 1e3, (double)b.longest_ns / 1e6, (double)end_ns / 1e9,
           mom_n_jobs(b.m));
    mock_free(b.mock);
    mom_free(b.m);
    arena_free(b.out.arena);
    arena_free(attrs);
}

int main(int argc, char **argv)
{
    int n = argc == 3 && strcmp(argv[1], "--jobs") == 0 ? atoi(argv[2]) : 10000;

    if (n <= 0) {
        fprintf(stderr, "Usage: %s [--jobs N]\n", argv[0]);
        return 2;
    }
    if (n > 100)
        run(100);
    if (n > 1000)
        run(1000);
    run(n);
    end_together(n, false);
    end_together(n, true);
    return 0;
}
