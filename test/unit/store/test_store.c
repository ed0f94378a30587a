/* Unit tests of lib/store: the suite against SQLite and memory, then what only a file
 * can suffer: a killed process, another process, damage, an older and a newer program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/store.h"

#include "lib/base/buf.h"
#include "lib/store/password.h"

#include "../unit.h"
#include "suite.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/hf-store-XXXXXX";
static char path[64];
static char url[80];

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

static struct store *open_new_file(void)
{
    remove_files();
    return open_file();
}

static struct store *reopen_file(struct store *s)
{
    store_close(s);
    return open_file();
}

static struct store *open_new_memory(void)
{
    struct store *s = NULL;
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &s, &why), 0);
    return s;
}

static void test_memory_fails_on_demand(void)
{
    struct store *s = NULL;
    struct diag why;

    CU_ASSERT_EQUAL_FATAL(store_open("memory:", &s, &why), 0);
    store_memory_fail(s, true);
    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), PBSE_SAVE_ERR);
    ASSERT_TEXT(suite_objects(s), "");
    store_memory_fail(s, false);
    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    ASSERT_TEXT(suite_objects(s), FIRST);
    store_close(s);
}

/* The file alone. */

static int64_t file_bytes(void)
{
    struct stat st;

    CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
    return st.st_size;
}

/* One object with a value of 40 MB; without a value it goes again. */
static void put_large(struct store *s, uint64_t seq, const char *value)
{
    const struct store_change change = { "script", "", NULL, value };
    const struct store_record r = { .seq = seq,
                                    .actor = "root",
                                    .fact = "job",
                                    .op = value ? STORE_CREATE : STORE_REMOVE,
                                    .kind = "job",
                                    .id = "1.svr",
                                    .n = value ? 1 : 0,
                                    .changes = &change };

    CU_ASSERT_EQUAL(suite_commit(s, &r, 1), 0);
}

/* Nobody who waits for a commit waits for the log to be brought into the file. */
static void test_log_comes_into_the_file_behind_the_commit(void)
{
    const size_t n = (size_t)8 << 20;
    char *value = xcalloc(1, n + 1);
    struct store *s;
    int64_t before;

    remove_files();
    s = open_file();
    before = file_bytes();
    memset(value, 'x', n);
    put_large(s, 1, value);
    CU_ASSERT_EQUAL(file_bytes(), before);
    store_tidy(s);
    CU_ASSERT(file_bytes() > (int64_t)n);
    store_close(s);
    remove_files();
    free(value);
}

static void test_what_is_free_goes_back_to_the_file_system(void)
{
    const size_t n = (size_t)40 << 20;
    char *value = xcalloc(1, n + 1);
    struct store *s;

    remove_files();
    s = open_file();
    memset(value, 'x', n);
    put_large(s, 1, value);
    store_tidy(s); /* nothing is free: nothing happens */
    store_close(s);
    CU_ASSERT(file_bytes() > (int64_t)n);
    s = open_file();
    put_large(s, 2, NULL);
    for (int i = 0; i < 20; i++)
        store_tidy(s);
    store_close(s);
    CU_ASSERT(file_bytes() < (int64_t)n / 2);
    free(value);
}

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
        if (suite_commit(s, r, 2) || write(fd, &r[1].seq, sizeof(r[1].seq)) < 0)
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

/* The whole file. */
static char *bytes_of(const char *name, size_t *len)
{
    FILE *f = fopen(name, "r");
    struct buf b = { 0 };
    size_t n;

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    while ((n = fread(buf_reserve(&b, 65536), 1, 65536, f)) > 0)
        b.len += n;
    fclose(f);
    *len = b.len;
    return b.data ? b.data : xstrdup("");
}

static void write_bytes(const char *name, const char *data, size_t len)
{
    FILE *f = fopen(name, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_EQUAL(fwrite(data, 1, len, f), len);
    CU_ASSERT_EQUAL(fclose(f), 0);
}

/* It is refused with these words, and not a byte of the file is different then. */
static void assert_refused(const char *story, const char *words)
{
    struct store *s = NULL;
    struct diag why = { 0 };
    size_t before_len, after_len;
    char *before = bytes_of(path, &before_len), *after;
    int err = store_open(url, &s, &why);

    if (err != PBSE_SYSTEM || !strstr(why.text, words) || !strstr(why.text, path))
        fprintf(stderr, "%s: got %d: %s\n", story, err, why.text);
    CU_ASSERT_EQUAL(err, PBSE_SYSTEM);
    CU_ASSERT_PTR_NULL(s);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, words));
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, path));
    after = bytes_of(path, &after_len);
    CU_ASSERT_TRUE(before_len == after_len && memcmp(before, after, after_len) == 0);
    free(before);
    free(after);
}

static void test_newer_or_other_layout_is_refused(void)
{
    static const struct {
        const char *story, *sql, *words;
    } cases[] = {
        { "newer", "UPDATE schema_version SET version = 99",
          "made by a newer version (layout 99, this program knows up to 6)" },
        { "no version", "DELETE FROM schema_version", "restore a backup" },
        { "version 0", "UPDATE schema_version SET version = 0", "restore a backup" },
        { "no version table", "DROP TABLE schema_version", "restore a backup" },
        { "no changed values", "DROP TABLE changed", "damaged; restore a backup" },
        { "no objects", "DROP TABLE objects", "damaged; restore a backup" },
        { "no journal", "DROP TABLE journal", "damaged; restore a backup" },
        { "a column less", "ALTER TABLE notes DROP COLUMN value", "restore a backup" },
        { "no progress", "DROP TABLE progress", "damaged; restore a backup" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct store *s = open_new_file();

        CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
        store_close(s);
        sql("PRAGMA journal_mode = DELETE");
        sql(cases[i].sql);
        if (strstr(cases[i].story, "version") || strstr(cases[i].story, "newer"))
            assert_refused(cases[i].story, cases[i].words);
        else {
            struct diag why = { 0 };

            CU_ASSERT_EQUAL(store_open(url, &s, &why), PBSE_SYSTEM);
            if (!strstr(why.text, cases[i].words))
                fprintf(stderr, "%s: %s\n", cases[i].story, why.text);
            CU_ASSERT_PTR_NOT_NULL(strstr(why.text, cases[i].words));
        }
    }
    remove_files();
    sql("CREATE TABLE another_program (x)");
    assert_refused("another program's", "belongs to something else");
}

/* Who looks sees what was committed last, beside a writer or without one, and a store
 * that it does not understand is refused. */
static void test_others_may_look(void)
{
    const struct store_record more =
        RECORD(3, STORE_CHANGE, "queue", "workq", { "max_run", "a", "1", "7" });
    const struct store_config cfg = { .url = url }, memory = { .url = "memory:" };
    struct arena *arena = arena_new();
    struct store *s = open_new_file();
    struct store_record seen;
    struct diag why = { 0 };
    bool found = true;

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    for (int closed = 0; closed < 2; closed++) {
        CU_ASSERT_EQUAL(store_peek(&cfg, "queue", "workq", arena, &seen, &found, &why),
                        0);
        CU_ASSERT_TRUE_FATAL(found);
        CU_ASSERT(strcmp(seen.kind, "queue") == 0 && strcmp(seen.id, "workq") == 0);
        CU_ASSERT_EQUAL_FATAL(seen.n, 3);
        CU_ASSERT_STRING_EQUAL(seen.changes[0].attr, "enabled");
        CU_ASSERT_STRING_EQUAL(seen.changes[1].resource, "a");
        CU_ASSERT_STRING_EQUAL(seen.changes[1].after, closed ? "7" : "1");
        CU_ASSERT_EQUAL(store_peek(&cfg, "job", "workq", arena, &seen, &found, &why),
                        0);
        CU_ASSERT_FALSE(found);
        if (closed)
            break;
        CU_ASSERT_EQUAL(suite_commit(s, &more, 1), 0);
        store_close(s);
    }
    sql("UPDATE schema_version SET version = 99");
    CU_ASSERT_EQUAL(store_peek(&cfg, "queue", "workq", arena, &seen, &found, &why),
                    PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "made by a newer version"));
    remove_files();
    CU_ASSERT_EQUAL(store_peek(&cfg, "queue", "workq", arena, &seen, &found, &why),
                    PBSE_SYSTEM);
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0); /* looking makes no store */
    CU_ASSERT_EQUAL(store_peek(&memory, "queue", "workq", arena, &seen, &found, &why),
                    PBSE_SYSTEM);
    arena_free(arena);
}

static void put_damage(char *data, size_t len, size_t from, size_t n, unsigned seed)
{
    for (size_t i = from; i < from + n && i < len; i++) {
        seed = seed * 1103515245 + 12345;
        data[i] = (char)(seed >> 16);
    }
}

/* Each page of a store that has something in every table, overwritten in turn: refused,
 * or the page was none that is in use. The file stays as it was. */
static void test_damaged_file_is_refused(void)
{
    const struct store_note note = { "k", "v" };
    const struct store_batch batch = { 2, suite_first, 1, &note };
    struct store *s = open_new_file();
    struct diag why = { 0 };
    size_t len, page = 4096, n_refused = 0;
    char *whole;

    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), 0);
    store_close(s);
    whole = bytes_of(path, &len);
    CU_ASSERT_TRUE_FATAL(len > 10 * page);
    for (size_t at = 0; at < len; at += page) {
        char *copy = xmalloc(len);

        memcpy(copy, whole, len);
        put_damage(copy, len, at, page, (unsigned)at + 1);
        remove_files();
        write_bytes(path, copy, len);
        assert_refused("a damaged page", "damaged");
        n_refused++;
        free(copy);
    }
    CU_ASSERT_EQUAL(n_refused, len / page);
    for (size_t cut = 1; cut < len; cut += 1 + len / 23) {
        remove_files();
        write_bytes(path, whole, cut);
        assert_refused("a file that was cut", "damaged");
    }
    for (size_t at = 0; at < 100; at += 7) { /* the header */
        char *copy = xmalloc(len);

        memcpy(copy, whole, len);
        put_damage(copy, len, at, 16, (unsigned)at + 1);
        remove_files();
        write_bytes(path, copy, len);
        if (store_open(url, &s, &why) == 0) /* some bytes of it mean nothing */
            store_close(s);
        else
            CU_ASSERT_PTR_NOT_NULL(strstr(why.text, path));
        free(copy);
    }
    remove_files();
    write_bytes(path, whole, len);
    s = open_file();
    ASSERT_TEXT(suite_objects(s), FIRST);
    store_close(s);
    free(whole);
}

static void test_what_is_no_store_is_refused(void)
{
    struct store *s = NULL;
    struct diag why;
    FILE *f;

    remove_files();
    f = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("this is no database ", f);
    fclose(f);
    assert_refused("a text", "restore a backup");
    CU_ASSERT_EQUAL(store_open("sqlite:/nonexistent/x.db", &s, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "/nonexistent/x.db: No such file"));
    CU_ASSERT_EQUAL(store_open("sqlite:/tmp", &s, &why), PBSE_SYSTEM);
    CU_ASSERT_EQUAL(store_open("sqlite:", &s, &why), PBSE_SYSTEM);
    CU_ASSERT_EQUAL(store_open("oracle:x", &s, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NULL(s);
}

/* SQLite throws the log of an empty file away: that would be the end of the store. */
static void test_emptied_file_with_a_log_is_refused(void)
{
    char wal[80], *log;
    struct store *s = open_new_file();
    size_t len, after_len;

    snprintf(wal, sizeof(wal), "%s-wal", path);
    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    log = bytes_of(wal, &len);
    store_close(s);
    remove_files();
    write_bytes(path, "", 0);
    write_bytes(wal, log, len);
    assert_refused("an emptied file", "damaged");
    free(log);
    log = bytes_of(wal, &after_len);
    CU_ASSERT_EQUAL(len, after_len);
    free(log);
}

/* As nobody, for whom the directory is closed. */
static void test_unwritable_place_is_refused(void)
{
    int status = -1;
    pid_t pid;

    remove_files();
    CU_ASSERT_EQUAL(chmod(dir, 0555), 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        struct store *s;
        struct diag why = { 0 };

        if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
            _exit(3);
        if (store_open(url, &s, &why) != PBSE_SYSTEM ||
            !strstr(why.text, "Permission denied") || !strstr(why.text, path))
            _exit(4);
        _exit(access(path, F_OK) == 0 ? 5 : 0);
    }
    CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
    CU_ASSERT_EQUAL(status, 0);
    CU_ASSERT_EQUAL(chmod(dir, 0755), 0);
}

/* The layout of version 1, as the first release made it. */
static const char version_1[] =
    "CREATE TABLE schema_version (version INTEGER NOT NULL);"
    "CREATE TABLE progress (last_seq INTEGER NOT NULL);"
    "CREATE TABLE objects ("
    " kind TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL UNIQUE,"
    " PRIMARY KEY (kind, id)) WITHOUT ROWID;"
    "CREATE TABLE attributes ("
    " kind TEXT NOT NULL, id TEXT NOT NULL, attr TEXT NOT NULL,"
    " resource TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY (kind, id, attr, resource),"
    " FOREIGN KEY (kind, id) REFERENCES objects ON DELETE CASCADE) WITHOUT ROWID;"
    "CREATE TABLE journal ("
    " seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, actor TEXT NOT NULL,"
    " fact TEXT NOT NULL, op TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,"
    " note TEXT);"
    "CREATE INDEX journal_object ON journal (kind, id);"
    "CREATE INDEX journal_at ON journal (at);"
    "CREATE TABLE journal_changes ("
    " seq INTEGER NOT NULL REFERENCES journal ON DELETE CASCADE, n INTEGER NOT NULL,"
    " attr TEXT NOT NULL, resource TEXT NOT NULL, before TEXT, after TEXT,"
    " PRIMARY KEY (seq, n)) WITHOUT ROWID;"
    "CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "INSERT INTO schema_version VALUES (1);"
    "INSERT INTO progress VALUES (4);"
    "INSERT INTO objects VALUES ('queue', 'workq', 2);"
    "INSERT INTO attributes VALUES ('queue', 'workq', 'enabled', '', 'True');"
    "INSERT INTO journal VALUES (2, 77, 'a@b', 'f', 'create', 'queue', 'workq', NULL);"
    "INSERT INTO journal VALUES (3, 78, 'a@b', 'g', 'change', 'queue', 'workq', 'why');"
    "INSERT INTO journal VALUES (4, 79, 'a@b', 'h', 'change', 'queue', 'workq', NULL);"
    "INSERT INTO journal_changes VALUES (3, 1, 'max', 'mem', '1', NULL);"
    "INSERT INTO journal_changes VALUES (3, 0, 'words', '', 'a\"b', 'c\\d\n');"
    "INSERT INTO journal_changes VALUES (2, 0, 'enabled', '', NULL, 'True');"
    "INSERT INTO notes VALUES ('k', 'v');";

static void test_older_layout_is_brought_up_to_date(void)
{
    const struct store_record r[] = { RECORD(5, STORE_CHANGE, "queue", "workq",
                                             { "enabled", "", "True", "False" }) };
    struct arena *arena = arena_new();
    struct store *s;

    remove_files();
    sql("PRAGMA journal_mode = WAL");
    sql(version_1);
    s = open_file();
    CU_ASSERT_EQUAL(store_last_seq(s), 4);
    ASSERT_TEXT(suite_objects(s), "+queue/workq@2 enabled=True; ");
    ASSERT_TEXT(suite_journal(s, 0), "+queue/workq@2(f a@b 77 -) enabled=True; "
                                     "*queue/workq@3(g a@b 78 why) words=[a\"b>]c\\d\n"
                                     " max.mem=[1>]unset; "
                                     "*queue/workq@4(h a@b 79 -); ");
    CU_ASSERT_STRING_EQUAL(suite_note(s, "k", arena), "v");
    CU_ASSERT_EQUAL(suite_commit(s, r, 1), 0);
    s = reopen_file(s);
    ASSERT_TEXT(suite_objects(s), "+queue/workq@2 enabled=False; ");
    store_close(s);
    sql("UPDATE progress SET holder = 'x' WHERE epoch = 2; SELECT * FROM jobs, queues");
    arena_free(arena);
}

/* The objects of version 5, as they were until a text of each was made. */
static const char version_5[] =
    "CREATE TABLE objects ("
    " kind TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL UNIQUE,"
    " PRIMARY KEY (kind, id)) WITHOUT ROWID;"
    "CREATE TABLE attributes ("
    " kind TEXT NOT NULL, id TEXT NOT NULL, attr TEXT NOT NULL,"
    " resource TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY (kind, id, attr, resource),"
    " FOREIGN KEY (kind, id) REFERENCES objects ON DELETE CASCADE) WITHOUT ROWID;"
    "CREATE VIEW jobs AS SELECT o.id, max(a.value) FROM objects o"
    " LEFT JOIN attributes a ON a.kind = o.kind AND a.id = o.id GROUP BY o.id;"
    "UPDATE schema_version SET version = 5;";

/* A store of version 5 with these objects beside the first two. */
static void make_version_5(int n_more)
{
    char *text = xasprintf(
        "BEGIN; DROP VIEW jobs; DROP VIEW reservations; DROP VIEW vnodes;"
        "DROP VIEW queues; DROP VIEW attributes; DROP VIEW object_values;"
        "DROP TABLE changed; DROP TABLE objects; %s"
        "INSERT INTO objects VALUES ('queue', 'workq', 2), ('server', 'svr', 1);"
        "INSERT INTO attributes VALUES ('server', 'svr', 'comment', '',"
        " 'it''s \"me\"; x'), ('queue', 'workq', 'max_run', 'b', '2'),"
        " ('queue', 'workq', 'enabled', '', 'True'),"
        " ('queue', 'workq', 'max_run', 'a', '1');"
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " INSERT INTO objects SELECT 'job', i, 10 + i FROM n WHERE %d;"
        "INSERT INTO attributes SELECT 'job', id, 'x', '', 'of ' || id FROM objects"
        " WHERE kind = 'job'; UPDATE progress SET last_seq = 10 + %d; COMMIT",
        version_5, MAX_OF(n_more, 1), n_more > 0, n_more);

    store_close(open_new_file());
    sql(text);
    free(text);
}

static void test_rows_of_values_become_texts(void)
{
    struct store *s;

    make_version_5(1);
    sql("INSERT INTO objects VALUES ('job', 'bare', 5);"
        "INSERT INTO attributes VALUES ('job', '1', 'y', 'm', char(1, 10, 228) || "
        "'[\"\\');"
        "INSERT INTO attributes VALUES ('job', '1', 'z', '', CAST(x'ff22fe' AS TEXT))");
    s = open_file();
    ASSERT_TEXT(suite_objects(s), FIRST "+job/bare@5; +job/1@11 x=of 1"
                                        " y.m=\x01\n\xc3\xa4[\"\\ z=\xff\"\xfe; ");
    store_close(s);
    sql("SELECT name FROM jobs");
}

/* How many objects there are, and that each is whole. */
static int check_taken_over(void *arg, const struct store_record *r)
{
    char value[32];

    ++*(int *)arg;
    if (strcmp(r->kind, "job") != 0)
        return 0;
    snprintf(value, sizeof(value), "of %s", r->id);
    CU_ASSERT_EQUAL(r->n, 1);
    CU_ASSERT_STRING_EQUAL(r->changes[0].after, value);
    return 0;
}

/* A start that is killed while it takes the old layout over leaves the old one, or the
 * new one, whole; the next start goes on from there. */
static void test_killed_take_over_loses_nothing(void)
{
    enum {
        JOBS = 20000,
        ROUNDS = 12
    };

    for (int round = 0; round < ROUNDS; round++) {
        struct store *s;
        struct diag why;
        int n = 0;
        pid_t pid;

        make_version_5(JOBS);
        pid = fork();
        if (pid == 0) {
            _exit(store_open(url, &s, &why) != 0);
        }
        usleep((unsigned)round * 10000);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        s = open_file();
        CU_ASSERT_EQUAL(store_last_seq(s), 10 + JOBS);
        CU_ASSERT_EQUAL(store_load(s, check_taken_over, &n, &why), 0);
        CU_ASSERT_EQUAL(n, JOBS + 2);
        store_close(s);
    }
}

/* What doc/store.md says about a store that is corrected by hand. */
static void test_attributes_are_edited(void)
{
    const struct store_record r[] = { RECORD(3, STORE_CHANGE, "queue", "workq",
                                             { "max_run", "b", "2", "5" }) };
    struct store *s = open_new_file();

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    CU_ASSERT_EQUAL(suite_commit(s, r, 1), 0);
    store_close(s);
    sql("UPDATE attributes SET value = '7' WHERE kind = 'queue' AND attr = 'max_run';"
        "DELETE FROM attributes WHERE id = 'workq' AND attr = 'enabled';"
        "UPDATE attributes SET attr = 'words' WHERE attr = 'comment';"
        "INSERT INTO attributes VALUES ('queue', 'workq', 'x', '', 'y')");
    s = open_file();
    ASSERT_TEXT(suite_objects(s), "+server/svr@1 words=it's \"me\"; x; "
                                  "+queue/workq@2 max_run.a=7 max_run.b=7 x=y; ");
    store_close(s);
}

static void test_damaged_values_are_refused(void)
{
    static const char *const wrong[] = {
        "",
        "[",
        "[]x",
        "[[]]",
        "[[\"a\"]]",
        "{}",
        "[[\"a\",\"\"]]",
        "[[\"a\",\"\",1]]",
        "[[\"a\",\"\",\"1\"],]",
        "[[\"a\",\"\",\"1\\u0000\"]]",
        "[[\"a\",\"\",\"1\\ud800\"]]",
        "[[\"a\",\"\",\"1\\x\"]]",
        "[[\"a\",\"\",\"1\\u00\"]]",
        "[[\"a\",\"\",\"1]]",
        "[[\"a\",\"\",\"1\\",
        "[[\"a\",\"\",\"1\"]",
    };

    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        struct store *s = open_new_file();
        char *text =
            xasprintf("UPDATE objects SET made = '%s' WHERE id = 'workq'", wrong[i]);
        struct diag why = { 0 };
        int n = 0;

        CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
        store_close(s);
        sql(text);
        free(text);
        s = open_file();
        CU_ASSERT_EQUAL(store_load(s, check_taken_over, &n, &why), PBSE_SYSTEM);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "the store's queue workq has values"));
        CU_ASSERT_EQUAL(n, 1); /* the object before it */
        store_close(s);
    }
}

/* Another program may have written the text: blanks, another order, other escapes. */
static void test_values_of_another_hand_are_read(void)
{
    struct store *s = open_new_file();

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    store_close(s);
    sql("UPDATE objects SET made = ' [ [\"b\" , \"\", \"2\\t\\u00e4\\u20AC\\/\"], \n"
        " [\"a\",\"\",\"1\"],[\"b\",\"\",\"\\b\\f\\r\\n\\\\\"] ] ' WHERE id = 'workq'");
    s = open_file();
    ASSERT_TEXT(suite_objects(s), "+server/svr@1 comment=it's \"me\"; x; "
                                  "+queue/workq@2 a=1 b=\b\f\r\n\\; ");
    store_close(s);
}

/* Which bytes a value may have is for its type to say, not for the journal. */
static void test_journal_keeps_every_byte(void)
{
    static char all[256];
    const struct store_record r[] = { RECORD(3, STORE_CHANGE, "queue", "workq",
                                             { "x", "y\"", NULL, all },
                                             { "x", "", all, NULL }) };
    struct arena *arena = arena_new();
    struct store *s = open_new_file();
    char *expect;

    for (size_t i = 0; i < sizeof(all) - 1; i++)
        all[i] = (char)(i + 1);
    expect =
        xasprintf("*queue/workq@3(f me@h 1003 -) x.y\"=%s x=[%s>]unset; ", all, all);
    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    CU_ASSERT_EQUAL(suite_commit(s, r, 1), 0);
    s = reopen_file(s);
    ASSERT_TEXT(suite_journal(s, 2), expect);
    /* And people see each change in a row of its own. */
    sql("INSERT INTO notes SELECT 'seen', count(*) FROM journal_changes WHERE seq = 3"
        " AND n = 1 AND attr = 'x' AND resource = '' AND after IS NULL"
        " AND length(before) > 200");
    CU_ASSERT_STRING_EQUAL(suite_note(s, "seen", arena), "1");
    arena_free(arena);
    free(expect);
    store_close(s);
}

/* A second process is refused, and told who has it; a killed holder holds nothing. */
static void test_one_writer_only(void)
{
    const struct store_config cfg = { .url = url, .holder = "host7:4711" };
    struct store *s = NULL;
    struct diag why = { 0 };
    int up[2];
    char c;
    pid_t pid;

    remove_files();
    CU_ASSERT_EQUAL_FATAL(pipe(up), 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        if (store_open_as(&cfg, &s, &why) || write(up[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    CU_ASSERT_EQUAL(read(up[0], &c, 1), 1);
    CU_ASSERT_EQUAL(store_open(url, &s, &why), PBSE_OBJBUSY);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(why.text, "another server uses this store: host7:4711"));
    CU_ASSERT_EQUAL(store_put_aside(&cfg, 1, &why), PBSE_OBJBUSY);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(up[0]);
    close(up[1]);
    store_close(open_file());
}

/* Should the lock fail (another host, another file system): the epoch does not. */
static void test_other_epoch_ends_the_writer(void)
{
    static const char *const changes[] = { "UPDATE progress SET epoch = epoch + 1",
                                           "UPDATE progress SET last_seq = 1" };

    for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
        const struct store_record r[] = { RECORD(3, STORE_CHANGE, "queue", "workq",
                                                 { "x", "", NULL, "1" }) };
        const struct store_batch notes = { .n_notes = 1,
                                           .notes = &(struct store_note){ "k", "v" } };
        struct store *s = open_new_file();
        struct diag why;

        CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
        sql(changes[i]);
        CU_ASSERT_EQUAL(suite_commit(s, r, 1), PBSE_OBJBUSY);
        CU_ASSERT_EQUAL(store_commit(s, &notes, &why), PBSE_OBJBUSY);
        ASSERT_TEXT(suite_objects(s), FIRST);
        ASSERT_TEXT(suite_journal(s, 2), "");
        store_close(s);
    }
}

static void test_store_is_put_aside(void)
{
    const struct store_config cfg = { .url = url };
    char aside[80];
    struct store *s = open_new_file();
    struct diag why;

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    store_close(s);
    CU_ASSERT_TRUE(store_exists(&cfg));
    CU_ASSERT_EQUAL(store_put_aside(&cfg, 77, &why), 0);
    CU_ASSERT_FALSE(store_exists(&cfg));
    s = open_file();
    CU_ASSERT_TRUE(store_is_new(s));
    store_close(s);
    snprintf(aside, sizeof(aside), "%s.77", path);
    CU_ASSERT_EQUAL(rename(aside, path), 0);
    s = open_file();
    ASSERT_TEXT(suite_objects(s), FIRST);
    store_close(s);
}

/* A store that may not grow: nothing of the batch is in it, and it goes on when there
 * is room. */
static void test_full_disk_keeps_what_was(void)
{
    static char text[1 << 20];
    const struct store_record r[] = { RECORD(3, STORE_CHANGE, "queue", "workq",
                                             { "x", "", NULL, text }) };
    struct rlimit old, small;
    struct store *s = open_new_file();

    memset(text, 'x', sizeof(text) - 1);
    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    signal(SIGXFSZ, SIG_IGN);
    CU_ASSERT_EQUAL(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 200000;
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(suite_commit(s, r, 1), PBSE_SAVE_ERR);
    CU_ASSERT_EQUAL(store_last_seq(s), 2);
    ASSERT_TEXT(suite_objects(s), FIRST);
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &old), 0);
    CU_ASSERT_EQUAL(suite_commit(s, r, 1), 0);
    CU_ASSERT_EQUAL(store_last_seq(s), 3);
    s = reopen_file(s);
    CU_ASSERT_EQUAL(store_last_seq(s), 3);
    store_close(s);
}

static void test_password_file_is_private(void)
{
    static const struct {
        const char *story, *text;
        mode_t mode;
        int err;
        const char *words;
    } cases[] = {
        { "good", "se cret\nsecond line\n", 0600, 0, "se cret" },
        { "without a line end", "x", 0400, 0, "x" },
        { "the group may read", "x", 0640, PBSE_SYSTEM, "(mode 0640); chmod 600 it" },
        { "others may write", "x", 0602, PBSE_SYSTEM, "chmod 600 it" },
        { "empty", "", 0600, PBSE_SYSTEM, "no password" },
        { "an empty line", "\nx\n", 0600, PBSE_SYSTEM, "no password" },
    };
    char name[80], *got = NULL;
    struct diag why;

    snprintf(name, sizeof(name), "%s/password", dir);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int err;

        write_bytes(name, cases[i].text, strlen(cases[i].text));
        CU_ASSERT_EQUAL(chmod(name, cases[i].mode), 0);
        err = store_password_read(name, &got, &why);
        CU_ASSERT_EQUAL(err, cases[i].err);
        if (err) {
            CU_ASSERT_PTR_NOT_NULL(strstr(why.text, cases[i].words));
            CU_ASSERT_PTR_NOT_NULL(strstr(why.text, name));
        } else {
            CU_ASSERT_STRING_EQUAL(got, cases[i].words);
            free(got);
        }
    }
    CU_ASSERT_EQUAL(unlink(name), 0);
    CU_ASSERT_EQUAL(store_password_read(name, &got, &why), PBSE_SYSTEM);
    CU_ASSERT_EQUAL(store_password_read(dir, &got, &why), PBSE_SYSTEM);
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
    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 1), 0);
    CU_ASSERT_EQUAL(suite_commit(s, suite_first + 1, 1), 0);
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
        got = suite_objects(s);
        CU_ASSERT_TRUE(strncmp(FIRST, got, strlen(got)) == 0);
        CU_ASSERT_TRUE(store_last_seq(s) <= 2);
        CU_ASSERT_EQUAL(*got == '\0', store_last_seq(s) == 0);
        free(got);
        store_close(s);
    }
    free(bytes);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the memory store fails on demand", test_memory_fails_on_demand },
        { "the log comes into the file behind the commit",
          test_log_comes_into_the_file_behind_the_commit },
        { "what is free goes back to the file system",
          test_what_is_free_goes_back_to_the_file_system },
        { "a killed writer loses nothing that was told",
          test_killed_writer_loses_nothing_told },
        { "the file is private", test_file_is_private },
        { "a newer or other layout is refused", test_newer_or_other_layout_is_refused },
        { "the journal keeps every byte", test_journal_keeps_every_byte },
        { "an older layout is brought up to date",
          test_older_layout_is_brought_up_to_date },
        { "rows of values become texts", test_rows_of_values_become_texts },
        { "a killed take-over loses nothing", test_killed_take_over_loses_nothing },
        { "attributes are edited", test_attributes_are_edited },
        { "damaged values are refused", test_damaged_values_are_refused },
        { "values of another hand are read", test_values_of_another_hand_are_read },
        { "others may look while a server writes", test_others_may_look },
        { "a damaged file is refused", test_damaged_file_is_refused },
        { "what is no store is refused", test_what_is_no_store_is_refused },
        { "an emptied file with a log is refused",
          test_emptied_file_with_a_log_is_refused },
        { "an unwritable place is refused", test_unwritable_place_is_refused },
        { "a torn log is an earlier commit", test_torn_log_is_an_earlier_commit },
        { "there is one writer only", test_one_writer_only },
        { "another epoch ends the writer", test_other_epoch_ends_the_writer },
        { "a store is put aside", test_store_is_put_aside },
        { "a full disk keeps what was", test_full_disk_keeps_what_was },
        { "a password file is private", test_password_file_is_private },
    };
    static const struct backend file = { "store: sqlite", open_new_file, reopen_file };
    static const struct backend memory = { "store: memory", open_new_memory,
                                           store_memory_reopen };
    int rc;

    if (!mkdtemp(dir))
        return 2;
    chmod(dir, 0755);
    snprintf(path, sizeof(path), "%s/s.db", dir);
    snprintf(url, sizeof(url), "sqlite:%s", path);
    rc = suite_run(&file);
    rc |= suite_run(&memory);
    rc |= unit_main("store: file", cases, ARRAY_LEN(cases));
    remove_files();
    rmdir(dir);
    return rc;
}
