/* notes.c - what the records of a job cost that begins and ends many tasks.
 *
 *   test/bench/notes [--tasks N] [--alive N] [--whole] [--dir DIRECTORY]
 *
 * One job begins N tasks and ends them all, so many alive at a time as is said (all of
 * them without that). The core says what is to be written, and the record is written as
 * the MoM does it, with its synchronisations, below a directory that is made and
 * removed: under /tmp, or where --dir says. --whole writes the record whole each time,
 * as MoMs did that knew no notes. Printed are the bytes that were given to write(), and
 * the processor time of the writes, of which the kernel's is a part; what the core does
 * beside that is not counted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/mom.h"
#include "mom/shell/home.h"
#include "mom/shell/records.h"

#include "../unit/mom/node1.h"
#include "measure.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STREAM 77
#define NOW_AT 1000000
#define ID     "1.svr"
#define CLIENT (MOM_TASK_CONNECTION | 5)

struct bench {
    struct mom *m;
    struct mom_out out;
    struct records records;
    char path[PATH_MAX];
    bool whole;
    int32_t last_session;
    uint32_t spawned; /* the number of the last task */
    double write_ms;
    uint64_t n_whole, n_notes;
};

/* What this process has given to write() so far. */
static uint64_t written_bytes(void)
{
    FILE *f = fopen("/proc/self/io", "r");
    char line[128];
    uint64_t n = 0;

    while (f && fgets(line, sizeof(line), f))
        (void)sscanf(line, "wchar: %" SCNu64, &n);
    if (f)
        (void)fclose(f);
    return n;
}

static void save(struct bench *b, uint32_t task)
{
    double from_ms = measure_now_ms();
    struct buf bytes = { 0 };
    struct diag why;
    bool ok = task && !b->whole && mom_job_note(b->m, ID, task, &bytes) &&
              records_note(&b->records, b->path, mom_job_base(b->m, ID), bytes.data,
                           bytes.len);

    b->n_notes += ok;
    if (!ok) {
        buf_clear(&bytes);
        mom_job_encode(b->m, ID, &bytes);
        b->n_whole++;
        if (records_save(&b->records, b->path, mom_job_base(b->m, ID), bytes.data,
                         bytes.len, &why) != 0) {
            fprintf(stderr, "notes: %s\n", why.text);
            exit(1);
        }
    }
    buf_fini(&bytes);
    b->write_ms += measure_now_ms() - from_ms;
}

static void carry_out(struct bench *b)
{
    for (size_t i = 0; i < b->out.n; i++) {
        const struct mom_effect e = b->out.v[i];

        if (e.kind == MOM_SAVE || e.kind == MOM_BEGIN)
            save(b, e.task);
        else if (e.kind == MOM_STORE)
            mom_stored(b->m, NOW_AT, ID, NULL, &b->out);
        else if (e.kind == MOM_START)
            mom_started(b->m, NOW_AT, ID, ++b->last_session, 0, NULL, &b->out);
        else if (e.kind == MOM_SPAWN)
            b->spawned = e.task;
    }
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
}

/* About as much as a job of our server has. */
static struct wire_attrs attrs_of_job(struct arena *a)
{
    static const char *const plain[][2] = {
        { "Job_Name", "STDIN" },
        { "Job_Owner", "joe@node1" },
        { "queue", "workq" },
        { "server", "svr" },
        { "Error_Path", "node1:/home/joe/STDIN.e1" },
        { "Output_Path", "node1:/home/joe/STDIN.o1" },
        { "exec_host", "node1/0" },
        { "exec_host2", "node1:15002/0" },
        { "exec_vnode", "(node1:ncpus=1)" },
        { "euser", "joe" },
        { "egroup", "joe" },
        { "hashname", ID },
        { "run_version", "1" },
        { "cookie", "0123456789abcdef0123456789abcdef" },
    };
    struct wire_attrs attrs = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        wire_attrs_add(&attrs, a, plain[i][0], NULL, plain[i][1], WIRE_OP_SET);
    wire_attrs_add(&attrs, a, "Resource_List", "walltime", "10:00:00", WIRE_OP_SET);
    wire_attrs_add(&attrs, a, "Variable_List", NULL,
                   memset(arena_zero(a, 2001), 'v', 2000), WIRE_OP_SET);
    return attrs;
}

static void start_job(struct bench *b)
{
    const struct body_queue queue = { .id = ID,
                                      .destination = "node1",
                                      .attrs = attrs_of_job(b->out.arena) };
    const struct body_script script = { .job_id = "", .data = { "x\n", 2 } };
    const struct body_id commit = { .id = ID };

    request(b, BATCH_QUEUE_JOB, &queue);
    request(b, BATCH_JOB_SCRIPT, &script);
    request(b, BATCH_COMMIT, &commit);
    carry_out(b);
}

static uint32_t begin_task(struct bench *b, int32_t event)
{
    static const char *args[] = { "/bin/true" };
    const struct task_request rq = { .version = 2,
                                     .job_id = ID,
                                     .cookie = "0123456789abcdef0123456789abcdef",
                                     .command = TASK_SPAWN,
                                     .event = event,
                                     .task = 1,
                                     .args = { 1, args } };

    b->spawned = 0;
    mom_task_request(b->m, NOW_AT, CLIENT, &rq, &b->out);
    carry_out(b);
    MUST(b->spawned);
    mom_set_session_mark(b->m, ID, b->spawned, "12345678-1234:987654321");
    mom_task_started(b->m, NOW_AT, ID, b->spawned, ++b->last_session, 0, NULL, &b->out);
    carry_out(b);
    return b->spawned;
}

static void end_task(struct bench *b, uint32_t number)
{
    const struct mom_usage used = { .cput_s = 1, .mem_kb = 1000 };

    mom_task_ended(b->m, NOW_AT, ID, number, 0, &used, &b->out);
    carry_out(b);
}

static void run(struct bench *b, size_t n_tasks, size_t n_alive)
{
    uint32_t *tasks = xcalloc(n_tasks, sizeof(*tasks));
    uint64_t from;

    start_job(b);
    b->write_ms = 0;
    b->n_whole = b->n_notes = 0;
    from = written_bytes();
    for (size_t i = 0; i < n_tasks; i++) {
        tasks[i] = begin_task(b, (int32_t)i);
        if (i + 1 > n_alive)
            end_task(b, tasks[i - n_alive]);
    }
    for (size_t i = n_tasks - MIN_OF(n_alive, n_tasks); i < n_tasks; i++)
        end_task(b, tasks[i]);
    printf("%zu tasks, %zu alive: %.1f MB written, %.1f ms of processor time, %" PRIu64
           " records, %" PRIu64 " notes\n",
           n_tasks, MIN_OF(n_alive, n_tasks), (double)(written_bytes() - from) / 1e6,
           b->write_ms, b->n_whole, b->n_notes);
    free(tasks);
}

static void make_home(struct bench *b, const char *dir, char home[PATH_MAX])
{
    char path[PATH_MAX];

    snprintf(home, PATH_MAX, "%s/hf-bench-XXXXXX", dir);
    if (!mkdtemp(home)) {
        perror(home);
        exit(1);
    }
    snprintf(path, sizeof(path), "%.4000s/mom_priv", home);
    (void)mkdir(path, 0700);
    snprintf(path, sizeof(path), "%.4000s/mom_priv/jobs", home);
    (void)mkdir(path, 0700);
    snprintf(path, sizeof(path), "%.4000s/mom_priv/spare", home);
    (void)mkdir(path, 0700);
    records_open(&b->records, home);
    home_path(home, HOME_RECORD, ID, b->path);
}

static void remove_home(struct bench *b, const char *home)
{
    static const char *const names[] = { "mom_priv/spare", "mom_priv/jobs", "mom_priv",
                                         "." };
    char path[PATH_MAX];

    (void)unlink(b->path);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        snprintf(path, sizeof(path), "%.4000s%s%s", home, i < 3 ? "/" : "",
                 i < 3 ? names[i] : "");
        (void)rmdir(path);
    }
}

int main(int argc, char **argv)
{
    const struct mom_config cfg = node1_config();
    const struct is_message hello = { .command = IS_REPLYHELLO, .need_inventory = 1 };
    size_t n_tasks = 1000, n_alive = SIZE_MAX;
    const char *dir = "/tmp";
    char home[PATH_MAX];
    struct bench b = { .out.arena = arena_new() };

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--whole") == 0)
            b.whole = true;
        else if (strcmp(argv[i], "--tasks") == 0 && i + 1 < argc)
            n_tasks = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--alive") == 0 && i + 1 < argc)
            n_alive = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--dir") == 0 && i + 1 < argc)
            dir = argv[++i];
        else
            return 2;
    }
    make_home(&b, dir, home);
    b.m = mom_new(&cfg);
    mom_set_vnodes(b.m, NOW_AT, 5, 0, NULL, &b.out);
    mom_start(b.m, NOW_AT, false, &b.out);
    mom_router_up(b.m, NOW_AT, &b.out);
    mom_connected(b.m, NOW_AT, STREAM, 1, &b.out);
    mom_message(b.m, NOW_AT, STREAM, node1_server(), &hello, true, &b.out);
    carry_out(&b);
    run(&b, n_tasks, n_alive);
    mom_free(b.m);
    records_close(&b.records);
    remove_home(&b, home);
    arena_free(b.out.arena);
    return 0;
}
