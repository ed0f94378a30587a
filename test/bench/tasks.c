/* tasks.c - what tasks beside a job's top task cost the MoM's core.
 *
 *   test/bench/tasks [--tasks N]
 *
 * One job spawns N tasks over TM, and waits for each of them (tm_spawn, tm_obit): first
 * one after another, then all together, which end when all of them run. In a third part
 * each task is spawned over a connection of its own, as pbs_tmrsh does, and all of them
 * run at once. Shepherds are played; effects are thrown away. Printed is the processor
 * time of this thread for each task, and what memory is in use more at the end, for a
 * thousand tasks and for N.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/mom.h"

#include "../unit/mom/node1.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STREAM 77
#define NOW_AT 1000000
#define ID     "1.svr"

struct bench {
    struct mom *m;
    struct mom_out out;
    uint32_t last_task;
    int32_t event;
};

static int64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void take_out(struct bench *b)
{
    for (size_t i = 0; i < b->out.n; i++)
        if (b->out.v[i].kind == MOM_SPAWN)
            b->last_task = b->out.v[i].task;
    b->out = (struct mom_out){ .arena = b->out.arena };
    arena_clear(b->out.arena);
}

static void request(struct bench *b, uint32_t number, const void *body)
{
    const struct is_message msg = {
        .command = IS_CMD,
        .msgid = "1:0",
        .request = { .number = number, .user = "root", .body = body },
    };

    mom_message(b->m, NOW_AT, STREAM, node1_server(), &msg, true, &b->out);
    take_out(b);
}

static void begin(struct bench *b)
{
    static struct wire_attr attrs[] = {
        { .name = "cookie", .value = "c00kie" },
        { .name = "euser", .value = "joe" },
        { .name = "run_version", .value = "1" },
        { .name = "exec_vnode", .value = "(node1:ncpus=1)" },
    };
    const struct mom_config cfg = node1_config();
    const struct is_message hello = { .command = IS_REPLYHELLO };
    const struct body_queue queue = { .id = ID,
                                      .destination = "node1",
                                      .attrs = { .n = ARRAY_LEN(attrs), .v = attrs } };
    const struct body_script script = { .job_id = "", .data = { "sleep 1\n", 8 } };
    const struct body_id commit = { .id = ID };

    *b = (struct bench){ .out.arena = arena_new(), .m = mom_new(&cfg) };
    mom_start(b->m, NOW_AT, false, &b->out);
    mom_router_up(b->m, NOW_AT, &b->out);
    mom_connected(b->m, NOW_AT, STREAM, 1, &b->out);
    mom_message(b->m, NOW_AT, STREAM, node1_server(), &hello, true, &b->out);
    take_out(b);
    request(b, BATCH_QUEUE_JOB, &queue);
    request(b, BATCH_JOB_SCRIPT, &script);
    request(b, BATCH_COMMIT, &commit);
    mom_stored(b->m, NOW_AT, ID, NULL, &b->out);
    mom_started(b->m, NOW_AT, ID, 4711, 0, NULL, &b->out);
    take_out(b);
}

static void ask(struct bench *b, uint64_t client, enum task_command command,
                uint32_t target)
{
    static const char *program = "true";
    const struct task_request rq = { .version = 2,
                                     .job_id = ID,
                                     .cookie = "c00kie",
                                     .command = command,
                                     .event = ++b->event,
                                     .task = 1,
                                     .target_task = target,
                                     .args = { 1, &program } };

    mom_task_request(b->m, NOW_AT, MOM_TASK_CONNECTION | client, &rq, &b->out);
    take_out(b);
}

static uint32_t spawn(struct bench *b, uint64_t client)
{
    char mark[64];

    ask(b, client, TASK_SPAWN, 0);
    snprintf(mark, sizeof(mark), "0b3a9c2e-7a83-4f5c-8f7b-1f2f3b4c5d6e/%u",
             b->last_task);
    mom_set_session_mark(b->m, ID, b->last_task, mark);
    mom_task_started(b->m, NOW_AT, ID, b->last_task, (int32_t)b->last_task + 5000, 0,
                     NULL, &b->out);
    take_out(b);
    ask(b, client, TASK_OBIT, b->last_task);
    return b->last_task;
}

static void end(struct bench *b, uint32_t task)
{
    static const struct mom_usage used = { .cput_s = 1 };

    mom_set_session_mark(b->m, ID, task, "-");
    mom_task_ended(b->m, NOW_AT, ID, task, 0, &used, &b->out);
    take_out(b);
}

static void one_after_another(struct bench *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        end(b, spawn(b, 1));
}

static void all_together(struct bench *b, uint32_t n)
{
    uint32_t first = spawn(b, 1);

    for (uint32_t i = 1; i < n; i++)
        spawn(b, 1);
    for (uint32_t i = 0; i < n; i++)
        end(b, first + i);
}

static void each_with_a_client(struct bench *b, uint32_t n)
{
    uint32_t first = spawn(b, 1);

    for (uint32_t i = 1; i < n; i++)
        spawn(b, 1 + i);
    for (uint32_t i = 0; i < n; i++) {
        end(b, first + i);
        mom_stream_closed(b->m, NOW_AT, MOM_TASK_CONNECTION | (1 + i), &b->out);
        take_out(b);
    }
}

static void run(const char *name, uint32_t n, void (*fn)(struct bench *b, uint32_t n))
{
    struct mallinfo2 before;
    struct bench b;
    int64_t from_ns;

    begin(&b);
    before = mallinfo2();
    from_ns = cpu_ns();
    fn(&b, n);
    from_ns = cpu_ns() - from_ns;
    printf("%-20s %6u tasks: %8.2f us each, %7zu KiB more\n", name, n,
           (double)from_ns / n / 1e3, (mallinfo2().uordblks - before.uordblks) / 1024);
    mom_free(b.m);
    arena_free(b.out.arena);
}

int main(int argc, char **argv)
{
    int n = argc == 3 && strcmp(argv[1], "--tasks") == 0 ? atoi(argv[2]) : 10000;

    if (n <= 0) {
        fprintf(stderr, "Usage: %s [--tasks N]\n", argv[0]);
        return 2;
    }
    for (int k = MIN_OF(1000, n); k <= n; k = k < n ? n : n + 1) {
        run("one after another", (uint32_t)k, one_after_another);
        run("all together", (uint32_t)k, all_together);
        run("each with a client", (uint32_t)k, each_with_a_client);
    }
    return 0;
}
