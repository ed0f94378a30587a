/* Unit tests of lib/store: the same cases against SQLite and memory, then what only a
 * file can suffer: a killed process, another process, damage.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/store.h"

#include "lib/base/buf.h"

#include "../unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/hf-store-XXXXXX";
static char path[64];
static char url[80];
static bool in_memory; /* which backend the shared cases run against */

static void remove_files(void)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal" };

    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        char name[80];

        snprintf(name, sizeof(name), "%s%s", path, ends[i]);
        unlink(name);
    }
}

static struct store *open_file(void)
{
    struct store *s = NULL;
    struct diag why = { 0 };

    if (store_open(url, &s, &why))
        fprintf(stderr, "%s\n", why.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    return s;
}

static struct store *open_new(void)
{
    struct store *s = NULL;
    struct diag why;

    remove_files();
    if (!in_memory)
        return open_file();
    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &s, &why), 0);
    return s;
}

static struct store *reopen(struct store *s)
{
    if (in_memory)
        return store_memory_reopen(s);
    store_close(s);
    return open_file();
}

/* Everything the store holds, in one text. */
static int tell(void *arg, const struct store_record *r)
{
    static const char *const ops[] = { "+", "*", "-" };
    struct buf *b = arg;

    buf_printf(b, "%s%s/%s@%d", ops[r->op], r->kind, r->id, (int)r->seq);
    if (strcmp(r->fact, "loaded") != 0)
        buf_printf(b, "(%s %s %d %s)", r->fact, r->actor, (int)r->at,
                   r->note ? r->note : "-");
    for (size_t i = 0; i < r->n; i++) {
        const struct store_change *c = &r->changes[i];

        buf_printf(b, " %s%s%s=", c->attr, *c->resource ? "." : "", c->resource);
        if (c->before)
            buf_printf(b, "[%s>]", c->before);
        buf_add_str(b, c->after ? c->after : "unset");
    }
    buf_add_str(b, "; ");
    return 0;
}

static char *objects(struct store *s)
{
    struct buf b = { 0 };
    struct diag why;

    CU_ASSERT_EQUAL(store_load(s, tell, &b, &why), 0);
    return buf_take(&b);
}

static char *journal(struct store *s, uint64_t since)
{
    struct buf b = { 0 };
    struct diag why;

    CU_ASSERT_EQUAL(store_journal(s, since, tell, &b, &why), 0);
    return buf_take(&b);
}

#define ASSERT_TEXT(made, expected)                                                    \
    do {                                                                               \
        char *made_ = (made);                                                          \
        if (strcmp(made_, expected) != 0)                                              \
            fprintf(stderr, "got:  %s\nnot:  %s\n", made_, expected);                  \
        CU_ASSERT_STRING_EQUAL(made_, expected);                                       \
        free(made_);                                                                   \
    } while (0)

#define RECORD(seq_, op_, kind_, id_, ...)                                             \
    {                                                                                  \
        .seq = seq_, .at = 1000 + seq_, .actor = "me@h", .fact = "f", .op = op_,       \
        .kind = kind_, .id = id_,                                                      \
        .n = sizeof((const struct store_change[]){ __VA_ARGS__ }) /                    \
             sizeof(struct store_change),                                              \
        .changes = (const struct store_change[])                                       \
        {                                                                              \
            __VA_ARGS__                                                                \
        }                                                                              \
    }

static int commit(struct store *s, const struct store_record *r, size_t n)
{
    struct store_batch b = { .n_records = n, .records = r };
    struct diag why;

    return store_commit(s, &b, &why);
}

static const struct store_record first[] = {
    RECORD(1, STORE_CREATE, "server", "svr", { "comment", "", NULL, "it's \"me\"; x" }),
    RECORD(2, STORE_CREATE, "queue", "workq", { "max_run", "b", NULL, "2" },
           { "max_run", "a", NULL, "1" }, { "enabled", "", NULL, "True" }),
};
#define FIRST                                                                          \
    "+server/svr@1 comment=it's \"me\"; x; "                                           \
    "+queue/workq@2 enabled=True max_run.a=1 max_run.b=2; "

static void test_objects_come_back_in_order(void)
{
    const struct store_record more[] = {
        RECORD(5, STORE_CHANGE, "queue", "workq", { "max_run", "a", "1", "7" },
               { "max_run", "b", "2", NULL }, { "started", "", NULL, "" }),
        RECORD(6, STORE_CREATE, "resv", "R1.svr", { "x", "", NULL, "\xc3\xa4\n" }),
        RECORD(7, STORE_REMOVE, "server", "svr", { "comment", "", "it's", NULL }),
        RECORD(9, STORE_CREATE, "server", "svr", { "y", "", NULL, "z" }),
    };
    struct store *s = open_new();

    CU_ASSERT_TRUE(store_is_new(s));
    CU_ASSERT_EQUAL(store_last_seq(s), 0);
    CU_ASSERT_EQUAL(commit(s, first, 2), 0);
    ASSERT_TEXT(objects(s), FIRST);
    CU_ASSERT_EQUAL(commit(s, more, 4), 0);
    s = reopen(s);
    CU_ASSERT_FALSE(store_is_new(s));
    CU_ASSERT_EQUAL(store_last_seq(s), 9);
    ASSERT_TEXT(objects(s), "+queue/workq@2 enabled=True max_run.a=7 started=; "
                            "+resv/R1.svr@6 x=\xc3\xa4\n; +server/svr@9 y=z; ");
    store_close(s);
}

static void test_journal_keeps_what_happened(void)
{
    const struct store_record more[] = {
        { .seq = 3,
          .at = 77,
          .actor = "a@b",
          .fact = "queue.set",
          .note = "why not",
          .op = STORE_CHANGE,
          .kind = "queue",
          .id = "workq",
          .n = 2,
          .changes = (const struct store_change[]){ { "z", "", "1", NULL },
                                                    { "a", "m", NULL, "2" } } },
        { .seq = 4,
          .at = 78,
          .actor = "a@b",
          .fact = "queue.deleted",
          .op = STORE_REMOVE,
          .kind = "queue",
          .id = "workq" },
    };
    struct store *s = open_new();
    struct diag why;

    CU_ASSERT_EQUAL(commit(s, first, 2), 0);
    CU_ASSERT_EQUAL(commit(s, more, 2), 0);
    s = reopen(s);
    ASSERT_TEXT(journal(s, 2), "*queue/workq@3(queue.set a@b 77 why not) z=[1>]unset "
                               "a.m=2; -queue/workq@4(queue.deleted a@b 78 -); ");
    CU_ASSERT_EQUAL(store_journal_prune(s, 1000, &why), 0);
    ASSERT_TEXT(journal(s, 1), "+queue/workq@2(f me@h 1002 -) max_run.b=2 max_run.a=1 "
                               "enabled=True; ");
    CU_ASSERT_EQUAL(store_journal_prune(s, 9999, &why), 0);
    s = reopen(s);
    CU_ASSERT_EQUAL(store_last_seq(s), 4); /* numbers do not go back with the rows */
    ASSERT_TEXT(journal(s, 0), "");
    store_close(s);
}

static void test_notes_travel_with_the_batch(void)
{
    static const struct store_note notes[] = { { "a", "1" },
                                               { "b", "" },
                                               { "a", "2" } };
    struct store_batch batch = {
        .n_records = 2, .records = first, .n_notes = 3, .notes = notes
    };
    struct store *s = open_new();
    struct arena *a = arena_new();
    struct diag why;

    CU_ASSERT_PTR_NULL(store_note_get(s, "a", a));
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), 0);
    s = reopen(s);
    CU_ASSERT_STRING_EQUAL(store_note_get(s, "a", a), "2");
    CU_ASSERT_STRING_EQUAL(store_note_get(s, "b", a), "");
    CU_ASSERT_PTR_NULL(store_note_get(s, "c", a));
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_SAVE_ERR); /* old numbers */
    arena_free(a);
    store_close(s);
}

static void test_wrong_batch_changes_nothing(void)
{
    const struct {
        const char *story;
        struct store_record r[2];
    } cases[] = {
        { "created twice",
          { RECORD(3, STORE_CREATE, "resv", "R1", { "x", "", NULL, "1" }),
            RECORD(4, STORE_CREATE, "queue", "workq", { "x", "", NULL, "1" }) } },
        { "created twice in one batch",
          { RECORD(3, STORE_CREATE, "resv", "R1", { "x", "", NULL, "1" }),
            RECORD(4, STORE_CREATE, "resv", "R1", { "x", "", NULL, "1" }) } },
        { "a change of nothing",
          { RECORD(3, STORE_CREATE, "resv", "R1", { "x", "", NULL, "1" }),
            RECORD(4, STORE_CHANGE, "resv", "R2", { "x", "", NULL, "1" }) } },
        { "an unset of nothing",
          { RECORD(3, STORE_CREATE, "resv", "R1", { "x", "", NULL, "1" }),
            RECORD(4, STORE_CHANGE, "resv", "R2", { "x", "", "1", NULL }) } },
        { "removed before it is changed",
          { RECORD(3, STORE_REMOVE, "queue", "workq", { "x", "", NULL, NULL }),
            RECORD(4, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }) } },
        { "a removal of nothing",
          { RECORD(3, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }),
            RECORD(4, STORE_REMOVE, "resv", "R2", { "x", "", "1", NULL }) } },
        { "numbers that fall",
          { RECORD(4, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }),
            RECORD(3, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }) } },
        { "a number twice",
          { RECORD(3, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }),
            RECORD(3, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }) } },
        { "a number of before",
          { RECORD(2, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }),
            RECORD(3, STORE_CHANGE, "queue", "workq", { "x", "", NULL, "1" }) } },
    };
    struct store *s = open_new();

    CU_ASSERT_EQUAL(commit(s, first, 2), 0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int err = commit(s, cases[i].r, 2);

        if (err != PBSE_SAVE_ERR)
            fprintf(stderr, "%s: got %d\n", cases[i].story, err);
        CU_ASSERT_EQUAL(err, PBSE_SAVE_ERR);
        ASSERT_TEXT(objects(s), FIRST);
        ASSERT_TEXT(journal(s, 2), "");
        CU_ASSERT_EQUAL(store_last_seq(s), 2);
    }
    s = reopen(s);
    ASSERT_TEXT(objects(s), FIRST);
    CU_ASSERT_EQUAL(commit(s, cases[0].r, 1), 0); /* and it goes on */
    store_close(s);
}

static int stop_at_second(void *arg, const struct store_record *r)
{
    (void)r;
    return ++*(int *)arg == 2 ? 42 : 0;
}

static void test_reader_can_stop(void)
{
    struct store *s = open_new();
    struct diag why;
    int n = 0;

    CU_ASSERT_EQUAL(commit(s, first, 2), 0);
    CU_ASSERT_EQUAL(store_load(s, stop_at_second, &n, &why), 42);
    n = 0;
    CU_ASSERT_EQUAL(store_journal(s, 0, stop_at_second, &n, &why), 42);
    ASSERT_TEXT(objects(s), FIRST);
    store_close(s);
}

static void test_memory_fails_on_demand(void)
{
    struct store *s = NULL;
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &s, &why), 0);
    store_memory_fail(s, true);
    CU_ASSERT_EQUAL(commit(s, first, 2), PBSE_SAVE_ERR);
    ASSERT_TEXT(objects(s), "");
    store_memory_fail(s, false);
    CU_ASSERT_EQUAL(commit(s, first, 2), 0);
    ASSERT_TEXT(objects(s), FIRST);
    store_close(s);
}

/* The file alone. */

/* Commit records until killed, telling each acknowledged number through the pipe. */
static void commit_for_ever(int fd)
{
    struct store *s = open_file();

    for (uint64_t seq = 1;; seq += 2) {
        char id[32], value[32];
        struct store_change c = { "n", "", NULL, value };
        struct store_record r[2] = {
            { .seq = seq,
              .actor = "a",
              .fact = "f",
              .op = STORE_CREATE,
              .kind = "job",
              .id = id,
              .n = 1,
              .changes = &c },
            { .seq = seq + 1,
              .actor = "a",
              .fact = "f",
              .op = STORE_CHANGE,
              .kind = "job",
              .id = id,
              .n = 1,
              .changes = &c },
        };

        snprintf(id, sizeof(id), "%d.svr", (int)seq);
        snprintf(value, sizeof(value), "%d", (int)seq + 1);
        if (commit(s, r, 2) || write(fd, &r[1].seq, sizeof(r[1].seq)) < 0)
            _exit(1);
    }
}

static int check_number(void *arg, const struct store_record *r)
{
    uint64_t *expect = arg;

    CU_ASSERT_EQUAL(r->seq, *expect);
    CU_ASSERT_EQUAL(r->n, 1);
    CU_ASSERT_EQUAL(strtoull(r->changes[0].after, NULL, 10), *expect + 1);
    *expect += 2;
    return 0;
}

static void test_killed_writer_loses_nothing_told(void)
{
    for (int round = 0; round < 5; round++) {
        uint64_t told = 0, got, expect = 1, n_before = 3 + 7 * (uint64_t)round;
        struct store *s;
        struct diag why;
        int fds[2];
        pid_t pid;

        remove_files();
        CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
        pid = fork();
        if (pid == 0)
            commit_for_ever(fds[1]);
        close(fds[1]);
        while (n_before-- > 0 && read(fds[0], &got, sizeof(got)) == sizeof(got))
            told = got;
        kill(pid, SIGKILL);
        while (read(fds[0], &got, sizeof(got)) == sizeof(got))
            told = got;
        waitpid(pid, NULL, 0);
        close(fds[0]);
        s = open_file();
        CU_ASSERT_TRUE(told > 0);
        CU_ASSERT_TRUE(store_last_seq(s) == told || store_last_seq(s) == told + 2);
        CU_ASSERT_EQUAL(store_load(s, check_number, &expect, &why), 0);
        CU_ASSERT_EQUAL(expect, store_last_seq(s) + 1); /* both or none of each pair */
        store_close(s);
    }
}

static void test_file_is_private(void)
{
    struct store *s;
    struct stat st;

    remove_files();
    s = open_file();
    CU_ASSERT_EQUAL(stat(path, &st), 0);
    CU_ASSERT_EQUAL(st.st_mode & 07777, 0600);
    store_close(s);
}

static void sql(const char *text)
{
    sqlite3 *db;

    CU_ASSERT_EQUAL_FATAL(sqlite3_open(path, &db), SQLITE_OK);
    CU_ASSERT_EQUAL(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void test_other_schema_is_refused(void)
{
    struct store *s = NULL;
    struct diag why;

    remove_files();
    store_close(open_file());
    sql("UPDATE schema_version SET version = 99");
    CU_ASSERT_EQUAL(store_open(url, &s, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "schema version 99"));
    remove_files();
    sql("CREATE TABLE another_program (x)");
    CU_ASSERT_EQUAL(store_open(url, &s, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NULL(s);
}

static void test_damaged_file_is_refused(void)
{
    struct store *s = NULL;
    struct diag why;
    FILE *f;

    remove_files();
    f = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("this is no database ", f);
    fclose(f);
    CU_ASSERT_EQUAL(store_open(url, &s, &why), PBSE_SYSTEM);
    CU_ASSERT_EQUAL(store_open("sqlite:/nonexistent/x.db", &s, &why), PBSE_SYSTEM);
    CU_ASSERT_EQUAL(store_open("sqlite:", &s, &why), PBSE_SYSTEM);
    CU_ASSERT_EQUAL(store_open("oracle:x", &s, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NULL(s);
}

/* A copy of a live store whose log was cut anywhere opens as of some commit. */
static void test_torn_log_is_an_earlier_commit(void)
{
    char wal[80], *bytes;
    struct store *s;
    struct stat st;
    int fd;

    snprintf(wal, sizeof(wal), "%s-wal", path);
    remove_files();
    store_close(open_file());
    s = open_file();
    CU_ASSERT_EQUAL(commit(s, first, 1), 0);
    CU_ASSERT_EQUAL(commit(s, first + 1, 1), 0);
    CU_ASSERT_EQUAL_FATAL(stat(wal, &st), 0);
    bytes = xmalloc((size_t)st.st_size);
    fd = open(wal, O_RDONLY);
    CU_ASSERT_EQUAL(read(fd, bytes, (size_t)st.st_size), st.st_size);
    close(fd);
    store_close(s);

    for (off_t cut = 0; cut <= st.st_size; cut += 1 + st.st_size / 40) {
        char *got;

        remove_files();
        store_close(open_file());
        fd = open(wal, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        CU_ASSERT_EQUAL(write(fd, bytes, (size_t)cut), cut);
        close(fd);
        s = open_file();
        got = objects(s);
        CU_ASSERT_TRUE(strncmp(FIRST, got, strlen(got)) == 0);
        CU_ASSERT_TRUE(store_last_seq(s) <= 2);
        CU_ASSERT_EQUAL(*got == '\0', store_last_seq(s) == 0);
        free(got);
        store_close(s);
    }
    free(bytes);
}

static int both(void)
{
    static const struct unit_case cases[] = {
        { "objects come back in order", test_objects_come_back_in_order },
        { "the journal keeps what happened", test_journal_keeps_what_happened },
        { "notes travel with the batch", test_notes_travel_with_the_batch },
        { "a wrong batch changes nothing", test_wrong_batch_changes_nothing },
        { "a reader can stop", test_reader_can_stop },
    };

    return unit_main(in_memory ? "store: memory" : "store: sqlite", cases,
                     ARRAY_LEN(cases));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the memory store fails on demand", test_memory_fails_on_demand },
        { "a killed writer loses nothing that was told",
          test_killed_writer_loses_nothing_told },
        { "the file is private", test_file_is_private },
        { "another schema is refused", test_other_schema_is_refused },
        { "a damaged file is refused", test_damaged_file_is_refused },
        { "a torn log is an earlier commit", test_torn_log_is_an_earlier_commit },
    };
    int rc;

    if (!mkdtemp(dir))
        return 2;
    snprintf(path, sizeof(path), "%s/s.db", dir);
    snprintf(url, sizeof(url), "sqlite:%s", path);
    rc = both();
    in_memory = true;
    rc |= both();
    rc |= unit_main("store: file", cases, ARRAY_LEN(cases));
    remove_files();
    rmdir(dir);
    return rc;
}
