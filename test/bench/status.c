/* status.c - how fast status replies and requests are turned into bytes and back.
 *
 *   test/bench/status [--objects N] [--finished N] [--rounds N]
 *
 * The server's core alone, in one process, without sockets: N vnodes and N jobs are
 * loaded, and the reply to "status of all" is gathered and read as the shell does it,
 * first when nothing is kept, then again. Requests as small as clients send them are
 * decoded over and over. With --finished there are so many jobs of the past besides, of
 * which nobody asks. Prints megabytes for a second of processor time, the median
 * of the rounds, so that others on the machine disturb little.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/packet.h"
#include "server/engine/listing.h"
#include "server/engine/svr.h"

#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CONN        5
#define MOST_ROUNDS 99

/* Of this thread's processor time. */
static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A cluster. */

struct value {
    const char *name, *resource, *text;
};

static void load(struct svr *s, enum obj_kind kind, const char *id,
                 const struct value *v, size_t n, uint64_t seq)
{
    struct arena *arena = arena_new();
    struct records list = { 0 };
    struct record *rec = record_add(&list, arena, FACT_LOADED, kind, id, "root@svr", 1);

    rec->seq = seq;
    for (size_t i = 0; i < n; i++)
        record_change(rec, arena, attr_find_any(kind_table(kind), v[i].name),
                      v[i].resource, v[i].text);
    MUST(!svr_load(s, rec));
    arena_free(arena);
}

static void load_vnode(struct svr *s, size_t i, uint64_t seq)
{
    char id[32], host[64], cpus[8];
    const struct value v[] = {
        { "Mom", NULL, host },
        { "Port", NULL, "15002" },
        { "ntype", NULL, "PBS" },
        { "pcpus", NULL, cpus },
        { "resv_enable", NULL, "True" },
        { "sharing", NULL, "default_shared" },
        { "last_state_change_time", NULL, "1795247621" },
        { "resources_available", "arch", "linux" },
        { "resources_available", "host", id },
        { "resources_available", "mem", "131784096kb" },
        { "resources_available", "ncpus", cpus },
        { "resources_available", "vnode", id },
        { "hf_state", NULL, "0" },
    };

    snprintf(id, sizeof(id), "node%06zu", i);
    snprintf(host, sizeof(host), "%s.example.org", id);
    snprintf(cpus, sizeof(cpus), "%d", 16 << i % 4);
    load(s, OBJ_NODE, id, v, ARRAY_LEN(v), seq);
}

static void load_job(struct svr *s, size_t i, bool finished, uint64_t seq)
{
    char id[32], vars[300];
    const struct value v[] = {
        { "Job_Name", NULL, "simulate" },
        { "Job_Owner", NULL, "ann@login1.example.org" },
        { "job_state", NULL, finished ? "F" : "Q" },
        { "history_timestamp", NULL, finished ? "1799999999" : NULL },
        { "queue", NULL, "workq" },
        { "server", NULL, "svr" },
        { "Checkpoint", NULL, "u" },
        { "ctime", NULL, "1795247621" },
        { "Error_Path", NULL, "login1.example.org:/home/ann/runs/simulate.e" },
        { "Hold_Types", NULL, "n" },
        { "Join_Path", NULL, "n" },
        { "Keep_Files", NULL, "n" },
        { "Mail_Points", NULL, "a" },
        { "mtime", NULL, "1795247621" },
        { "Output_Path", NULL, "login1.example.org:/home/ann/runs/simulate.o" },
        { "Priority", NULL, "0" },
        { "qtime", NULL, "1795247621" },
        { "Rerunable", NULL, "True" },
        { "Resource_List", "ncpus", "16" },
        { "Resource_List", "nodect", "2" },
        { "Resource_List", "place", "scatter" },
        { "Resource_List", "select", "2:ncpus=8:mem=16gb" },
        { "Resource_List", "walltime", "12:00:00" },
        { "schedselect", NULL, "2:ncpus=8:mem=16gb" },
        { "substate", NULL, finished ? "92" : "10" },
        { "Variable_List", NULL, vars },
        { "etime", NULL, "1795247621" },
        { "Submit_arguments", NULL, "run.sh" },
        { "project", NULL, "_pbs_project_default" },
    };

    snprintf(id, sizeof(id), "%zu.svr", i);
    snprintf(vars, sizeof(vars),
             "PBS_O_HOME=/home/ann,PBS_O_LANG=en_US.UTF-8,PBS_O_LOGNAME=ann,"
             "PBS_O_PATH=/usr/local/bin:/usr/bin:/bin,PBS_O_SHELL=/bin/bash,"
             "PBS_O_WORKDIR=/home/ann/runs/%zu,PBS_O_SYSTEM=Linux,PBS_O_QUEUE=workq,"
             "PBS_O_HOST=login1.example.org",
             i);
    load(s, OBJ_JOB, id, v, ARRAY_LEN(v), seq);
}

static struct svr *make_cluster(size_t n, size_t n_finished)
{
    double begin_s = now_s(), loaded_s;
    const struct svr_config cfg = { .server_name = "svr",
                                    .server_host = "svr.example.org",
                                    .version = "23.06.06",
                                    .holdfast_version = "0" };
    const struct value queue[] = { { "queue_type", NULL, "Execution" },
                                   { "enabled", NULL, "True" } };
    const struct value history[] = { { "job_history_enable", NULL, "True" } };
    struct svr *s = svr_new(&cfg);
    struct effects out = { .arena = arena_new() };

    load(s, OBJ_QUEUE, "workq", queue, ARRAY_LEN(queue), 1);
    if (n_finished > 0)
        load(s, OBJ_SERVER, "svr", history, ARRAY_LEN(history), 1);
    for (size_t i = 0; i < n; i++) {
        load_vnode(s, i, 2 * i + 2);
        load_job(s, i, false, 2 * i + 3);
    }
    for (size_t i = 0; i < n_finished; i++)
        load_job(s, n + i, true, 2 * n + 4 + i);
    svr_loaded(s, 2 * n + 3 + n_finished);
    loaded_s = now_s();
    svr_start(s, 1800000000, SVR_HOT, &out);
    printf("%zu jobs and %zu finished ones: loaded in %.2f s, started in %.3f s\n", n,
           n_finished, loaded_s - begin_s, now_s() - loaded_s);
    arena_free(out.arena);
    return s;
}

/* Status. */

static struct svr *server;

/* The whole reply as the shell sends it, into a buffer that is used again and again;
 * returns its bytes. *ret_worst_s: the longest slice. */
static size_t status_all(uint32_t number, const char *user, bool root,
                         double *ret_worst_s)
{
    static struct buf bytes;
    const struct requester who = {
        .user = user, .host = "h", .server_uid = root, .conn = CONN
    };
    const struct body_status body = { .id = "" };
    const struct wire_request rq = { .number = number, .user = user, .body = &body };
    struct effects out = { .arena = arena_new() };
    double begin = now_s(), worst = 0;
    enum svr_listing left = SVR_LISTING_PART;
    size_t sum = 0;

    svr_request(server, 1800000000, &who, &rq, &out);
    while (left != SVR_LISTING_ALL) {
        double end = now_s();

        worst = end - begin > worst ? end - begin : worst;
        begin = end;
        if (svr_listing_is_gathering(server, CONN)) {
            svr_listing_go_on(server, 1800000000, CONN, &out);
            continue;
        }
        buf_clear(&bytes);
        left = svr_listing_read(server, CONN, 256u << 10, &bytes);
        sum += bytes.len;
    }
    arena_free(out.arena);
    *ret_worst_s = worst;
    return sum;
}

static void bench_status(const char *what, uint32_t number, size_t rounds)
{
    double first_mb_s, again[MOST_ROUNDS], worst = 0, worst_again = 0;
    double begin = now_s();
    size_t bytes = status_all(number, "ann", false, &worst);

    first_mb_s = (double)bytes / 1e6 / (now_s() - begin);
    for (size_t i = 0; i < rounds; i++) {
        double slice;

        begin = now_s();
        bytes = status_all(number, "ann", false, &slice);
        again[i] = (double)bytes / 1e6 / (now_s() - begin);
        worst_again = slice > worst_again ? slice : worst_again;
    }
    printf("%-36s %8.1f MB %8.0f MB/s first %8.0f MB/s again"
           "   longest slice %.1f ms, %.1f ms\n",
           what, (double)bytes / 1e6, first_mb_s, measure_median(again, rounds),
           worst * 1e3, worst_again * 1e3);
}

/* Requests. */

static void bench_decode(const char *what, const struct wire_request *rq, size_t rounds)
{
    struct buf bytes = { 0 };
    struct arena *arena = arena_new();
    double mb_s[MOST_ROUNDS];
    size_t n = 2000000;

    batch_encode_request(&bytes, rq);
    n = 40000000 / bytes.len;
    for (size_t round = 0; round < rounds; round++) {
        double begin = now_s();

        for (size_t i = 0; i < n; i++) {
            struct wire_request got;
            bool known;

            if (batch_decode_request(bytes.data, bytes.len, arena, &got, &known))
                exit(1);
            arena_clear(arena);
        }
        mb_s[round] = (double)bytes.len * (double)n / 1e6 / (now_s() - begin);
    }
    printf("%-36s %8zu B  %8.0f MB/s decoded, %.0f ns each\n", what, bytes.len,
           measure_median(mb_s, rounds),
           (double)bytes.len * 1e3 / measure_median(mb_s, rounds));
    buf_fini(&bytes);
    arena_free(arena);
}

static void bench_requests(size_t rounds)
{
    struct arena *arena = arena_new();
    struct body_status server_body = { .id = "" };
    struct body_status wanted = { .id = "" };
    struct body_manage set = { .command = 2, .object_type = 0, .object_name = "" };
    struct body_manage modify = { .object_type = 2, .object_name = "123.svr" };
    struct body_queue queue = { .id = "", .destination = "" };
    static const char *const names[] = { "Job_Name",  "Job_Owner", "resources_used",
                                         "job_state", "queue",     "Resource_List" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        wire_attrs_add(&wanted.wanted, arena, names[i], NULL, "", 0);
    wire_attrs_add(&set.attrs, arena, "scheduling", NULL, "True", 0);
    wire_attrs_add(&modify.attrs, arena, "Resource_List", "walltime", "01:00:00", 0);
    for (size_t i = 0; i < 3; i++) {
        wire_attrs_add(&queue.attrs, arena, "Resource_List", "select",
                       "2:ncpus=8:mem=16gb", 0);
        wire_attrs_add(&queue.attrs, arena, "Job_Name", NULL, "simulate", 0);
        wire_attrs_add(&queue.attrs, arena, "Output_Path", NULL,
                       "login1.example.org:/home/ann/runs/", 0);
    }
    bench_decode(
        "StatusSvr",
        &(struct wire_request){ BATCH_STATUS_SERVER, "ann", &server_body, NULL },
        rounds);
    bench_decode("StatusJob, 6 names",
                 &(struct wire_request){ BATCH_STATUS_JOB, "ann", &wanted, NULL },
                 rounds);
    bench_decode("Manager, 1 attribute",
                 &(struct wire_request){ BATCH_MANAGER, "root", &set, NULL }, rounds);
    bench_decode("ModifyJob, 1 attribute",
                 &(struct wire_request){ BATCH_MODIFY_JOB, "ann", &modify, NULL },
                 rounds);
    bench_decode("QueueJob, 9 attributes",
                 &(struct wire_request){ BATCH_QUEUE_JOB, "ann", &queue, NULL },
                 rounds);
    arena_free(arena);
}

static size_t number_after(int argc, char **argv, const char *option, size_t otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], option) == 0)
            return (size_t)strtoul(argv[i + 1], NULL, 10);
    return otherwise;
}

int main(int argc, char **argv)
{
    size_t n = number_after(argc, argv, "--objects", 100000);
    size_t rounds =
        MIN_OF(number_after(argc, argv, "--rounds", 9), (size_t)MOST_ROUNDS);
    char what[64];

    bench_requests(rounds);
    server = make_cluster(n, number_after(argc, argv, "--finished", 0));
    snprintf(what, sizeof(what), "status of %zu vnodes", n);
    bench_status(what, BATCH_STATUS_NODE, rounds);
    snprintf(what, sizeof(what), "status of %zu jobs", n);
    bench_status(what, BATCH_STATUS_JOB, rounds);
    svr_free(server);
    return 0;
}
