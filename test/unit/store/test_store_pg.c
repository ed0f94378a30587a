/* Unit tests of the store in PostgreSQL: the suite, then what only a server on a wire
 * can do: go away, come back, and leave a commit in doubt.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/store.h"

#include "lib/base/buf.h"

#include "../unit.h"
#include "pg_server.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DB "hf"

static char dir[] = "/tmp/hf-store-pg-XXXXXX";

static struct store *open_at(const char *url)
{
    struct store *s = NULL;
    struct diag why = { 0 };

    if (store_open(url, &s, &why))
        fprintf(stderr, "%s\n", why.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    return s;
}

static void empty(void)
{
    CU_ASSERT_TRUE_FATAL(pg_server_sql(DB, "DROP SCHEMA IF EXISTS holdfast CASCADE"));
}

static struct store *open_new(void)
{
    empty();
    return open_at(pg_server_url(DB, false));
}

static struct store *reopen(struct store *s)
{
    store_close(s);
    return open_at(pg_server_url(DB, false));
}

static const struct store_record third[] = {
    RECORD(3, STORE_CREATE, "job", "1", { "a", "", NULL, "1" }),
    RECORD(4, STORE_CHANGE, "queue", "workq", { "enabled", "", "True", "False" }),
};
#define THIRD                                                                          \
    "+server/svr@1 comment=it's \"me\"; x; "                                           \
    "+queue/workq@2 enabled=False max_run.a=1 max_run.b=2; +job/1@3 a=1; "

/* Try until it works, as the server does; how often it did not. */
static int commit_in_the_end(struct store *s, const struct store_record *r, size_t n)
{
    struct store_batch b = { .n_records = n, .records = r };
    struct diag why = { 0 };

    for (int i = 0; i < 200; i++) {
        int err = store_commit(s, &b, &why);

        if (!err)
            return i;
        CU_ASSERT_EQUAL(err, PBSE_SAVE_ERR);
        if (err != PBSE_SAVE_ERR)
            break;
        usleep(50000);
    }
    fprintf(stderr, "%s\n", why.text);
    CU_FAIL("the store did not come back");
    return -1;
}

static void test_restarted_server_is_found_again(void)
{
    struct store *s = open_new();
    struct diag why;
    const struct store_batch batch = { .n_records = 2, .records = third };

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    pg_server_stop(true);
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_SAVE_ERR);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "PostgreSQL: "));
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_SAVE_ERR);
    CU_ASSERT_TRUE_FATAL(pg_server_start_again());
    commit_in_the_end(s, third, 2);
    ASSERT_TEXT(suite_objects(s), THIRD);
    CU_ASSERT_EQUAL(store_last_seq(s), 4);
    store_close(s);
}

/* Whatever becomes of the COMMIT and its answer: it counts once. */
static void test_commit_in_doubt_counts_once(void)
{
    static const enum wire_break breaks[] = { WIRE_BEFORE, WIRE_AFTER, WIRE_AT_ONCE,
                                              WIRE_CLIENT_HANGS };

    for (size_t i = 0; i < ARRAY_LEN(breaks); i++) {
        struct store *s;

        empty();
        s = open_at(pg_server_url(DB, true));
        CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
        pg_wire_break(breaks[i]);
        CU_ASSERT_EQUAL(suite_commit(s, third, 2), PBSE_SAVE_ERR);
        commit_in_the_end(s, third, 2);
        ASSERT_TEXT(suite_objects(s), THIRD);
        ASSERT_TEXT(suite_journal(s, 2),
                    "+job/1@3(f me@h 1003 -) a=1; "
                    "*queue/workq@4(f me@h 1004 -) enabled=[True>]False; ");
        store_close(s);
    }
}

static void test_doubt_about_notes_is_harmless(void)
{
    const struct store_note note = { "k", "v" };
    const struct store_batch batch = { .n_notes = 1, .notes = &note };
    struct arena *arena = arena_new();
    const char *value;
    struct store *s;
    struct diag why;

    empty();
    s = open_at(pg_server_url(DB, true));
    pg_wire_break(WIRE_AFTER);
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_SAVE_ERR);
    /* No answer is not "there is none". */
    CU_ASSERT_EQUAL(store_note_get(s, "k", arena, &value, &why), PBSE_SYSTEM);
    for (int i = 0; i < 200 && store_commit(s, &batch, &why); i++)
        usleep(50000);
    CU_ASSERT_STRING_EQUAL(suite_note(s, "k", arena), "v");
    arena_free(arena);
    store_close(s);
}

/* A deferred trigger refuses the COMMIT itself, as a full disk may. */
static void test_refused_commit_is_tried_again(void)
{
    struct store *s = open_new();
    const struct store_batch batch = { .n_records = 2, .records = third };
    struct diag why;

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    CU_ASSERT_TRUE(pg_server_sql(
        DB, "SET search_path TO holdfast; CREATE FUNCTION refuse() RETURNS trigger"
            " LANGUAGE plpgsql AS $$BEGIN RAISE 'no room'; END$$;"
            " CREATE CONSTRAINT TRIGGER t AFTER INSERT ON journal DEFERRABLE"
            " INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()"));
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_SAVE_ERR);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "no room"));
    }
    CU_ASSERT_TRUE(pg_server_sql(DB, "DROP TRIGGER t ON holdfast.journal"));
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), 0);
    ASSERT_TEXT(suite_objects(s), THIRD);
    store_close(s);
}

static void test_one_writer_only(void)
{
    struct store_config cfg = { .url = pg_server_url(DB, false), .holder = "h7:4711" };
    struct store *s = NULL, *other = NULL;
    struct diag why;

    empty();
    CU_ASSERT_EQUAL_FATAL(store_open_as(&cfg, &s, &why), 0);
    CU_ASSERT_EQUAL(store_open_as(&cfg, &other, &why), PBSE_OBJBUSY);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "another server uses this store: h7:4711"));
    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    store_close(s);
    CU_ASSERT_EQUAL(store_open_as(&cfg, &other, &why), 0);
    store_close(other);
}

/* While its server was away, another took the store: the first one is out. */
static void test_other_epoch_ends_the_writer(void)
{
    const struct store_batch batch = { .n_records = 2, .records = third };
    struct store *s = open_new(), *other;
    struct diag why;

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    pg_server_stop(true);
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_SAVE_ERR);
    CU_ASSERT_TRUE_FATAL(pg_server_start_again());
    other = open_at(pg_server_url(DB, false));
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_OBJBUSY);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "taken over by another server"));
    CU_ASSERT_EQUAL(suite_commit(other, third, 2), 0);
    store_close(other);
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_OBJBUSY);
    store_close(s);
    s = open_at(pg_server_url(DB, false));
    ASSERT_TEXT(suite_objects(s), THIRD);
    CU_ASSERT_TRUE(pg_server_sql(DB, "UPDATE holdfast.progress SET epoch = epoch + 1"));
    CU_ASSERT_EQUAL(
        suite_commit(s,
                     (struct store_record[]){
                         RECORD(5, STORE_REMOVE, "job", "1", { "a", "", "1", NULL }) },
                     1),
        PBSE_OBJBUSY);
    ASSERT_TEXT(suite_objects(s), THIRD);
    store_close(s);
}

/* A replica that was behind became the server: what was acknowledged is missing. */
static void test_store_that_went_back_is_refused(void)
{
    const struct store_batch batch = { .n_records = 2, .records = third };
    struct store *s = open_new();
    struct diag why;

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    CU_ASSERT_TRUE(pg_server_sql(DB, "UPDATE holdfast.progress SET last_seq = 1"));
    CU_ASSERT_TRUE(pg_server_sql(DB, "SELECT pg_terminate_backend(pid) FROM"
                                     " pg_stat_activity WHERE application_name ="
                                     " 'holdfast'"));
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_SAVE_ERR);
    CU_ASSERT_EQUAL(store_commit(s, &batch, &why), PBSE_OBJBUSY);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "at record 1, this server left it at 2"));
    store_close(s);
}

static void test_newer_or_other_layout_is_refused(void)
{
    static const struct {
        const char *story, *sql, *words;
    } cases[] = {
        { "newer", "UPDATE schema_version SET version = 99",
          "made by a newer version (layout 99, this program knows up to 6)" },
        { "no version", "DELETE FROM schema_version", "restore a backup" },
        { "older than any", "UPDATE schema_version SET version = 1",
          "restore a backup" },
        { "no version table", "DROP TABLE schema_version", "restore a backup" },
        { "no changed values", "DROP TABLE changed CASCADE",
          "\"changed\" does not exist" },
        { "no progress", "DELETE FROM progress", "restore a backup" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct store *s = open_new();
        struct diag why = { 0 };
        char *sql = xasprintf("SET search_path TO holdfast; %s", cases[i].sql);

        CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
        store_close(s);
        s = NULL;
        CU_ASSERT_TRUE(pg_server_sql(DB, sql));
        CU_ASSERT_EQUAL(store_open(pg_server_url(DB, false), &s, &why), PBSE_SYSTEM);
        if (!strstr(why.text, cases[i].words))
            fprintf(stderr, "%s: %s\n", cases[i].story, why.text);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.text, cases[i].words));
        CU_ASSERT_PTR_NULL(s);
        CU_ASSERT_STRING_EQUAL(
            pg_server_ask(DB, "SELECT count(*) FROM holdfast.journal"), "2");
        free(sql);
    }
}

/* The objects of version 5, as they were until a text of each was made. */
static const char version_5[] =
    "SET search_path TO holdfast; BEGIN;"
    "DROP VIEW jobs, reservations, vnodes, queues, attributes, object_values;"
    "DROP FUNCTION attributes_edit; DROP TABLE changed; DROP TABLE objects;"
    "CREATE TABLE objects ("
    " kind TEXT NOT NULL, id TEXT NOT NULL, seq BIGINT NOT NULL UNIQUE,"
    " PRIMARY KEY (kind, id));"
    "CREATE TABLE attributes ("
    " kind TEXT NOT NULL, id TEXT NOT NULL, attr TEXT NOT NULL,"
    " resource TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY (kind, id, attr, resource),"
    " FOREIGN KEY (kind, id) REFERENCES objects ON DELETE CASCADE)"
    " WITH (fillfactor = 70);"
    "CREATE VIEW jobs AS SELECT o.id, max(a.value) FROM objects o"
    " LEFT JOIN attributes a ON a.kind = o.kind AND a.id = o.id GROUP BY o.id;"
    "INSERT INTO objects VALUES ('queue', 'workq', 2), ('server', 'svr', 1),"
    " ('job', 'bare', 5);"
    "INSERT INTO attributes VALUES ('server', 'svr', 'comment', '',"
    " 'it''s \"me\"; x'), ('queue', 'workq', 'max_run', 'b', '2'),"
    " ('queue', 'workq', 'enabled', '', 'True'),"
    " ('queue', 'workq', 'max_run', 'a', E'1\\x01\\n\\\\\"\\u00e4');"
    "UPDATE schema_version SET version = 5; UPDATE progress SET last_seq = 5; COMMIT";

static void test_rows_of_values_become_texts(void)
{
    const struct store_record more[] = {
        RECORD(6, STORE_CHANGE, "queue", "workq", { "max_run", "b", "2", NULL }),
        RECORD(7, STORE_CREATE, "job", "1", { "Job_Name", "", NULL, "n" }),
    };
    struct store *s = open_new();

    store_close(s);
    CU_ASSERT_TRUE(pg_server_sql(DB, version_5));
    s = open_at(pg_server_url(DB, false));
    CU_ASSERT_EQUAL(suite_commit(s, more, 2), 0);
    s = reopen(s);
    ASSERT_TEXT(suite_objects(s), "+server/svr@1 comment=it's \"me\"; x; +queue/workq@2"
                                  " enabled=True max_run.a=1\x01\n\\\"\xc3\xa4; "
                                  "+job/bare@5; +job/1@7 Job_Name=n; ");
    CU_ASSERT_STRING_EQUAL(pg_server_ask(DB, "SELECT name FROM holdfast.jobs"
                                             " WHERE id = '1'"),
                           "n");
    store_close(s);
}

/* What doc/store.md says about a store that is corrected by hand; also of one that was
 * put aside. */
static void test_attributes_are_edited(void)
{
    const struct store_config cfg = { .url = pg_server_url(DB, false) };
    struct store *s = open_new();
    struct diag why;

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    store_close(s);
    CU_ASSERT_TRUE(pg_server_sql(
        DB, "SET search_path TO holdfast;"
            "UPDATE attributes SET value = '7' WHERE id = 'workq' AND attr = 'max_run';"
            "DELETE FROM attributes WHERE id = 'workq' AND attr = 'enabled';"
            "UPDATE attributes SET attr = 'words' WHERE attr = 'comment';"
            "INSERT INTO attributes VALUES ('queue', 'workq', 'x', '', 'y')"));
    s = open_at(cfg.url);
    ASSERT_TEXT(suite_objects(s), "+server/svr@1 words=it's \"me\"; x; "
                                  "+queue/workq@2 max_run.a=7 max_run.b=7 x=y; ");
    store_close(s);
    CU_ASSERT_EQUAL(store_put_aside(&cfg, 78, &why), 0);
    CU_ASSERT_TRUE(pg_server_sql(
        DB, "UPDATE holdfast_78.attributes SET value = 'old' WHERE attr = 'x'"));
    CU_ASSERT_STRING_EQUAL(pg_server_ask(DB, "SELECT value FROM holdfast_78.attributes"
                                             " WHERE attr = 'x'"),
                           "old");
    CU_ASSERT_TRUE(pg_server_sql(DB, "DROP SCHEMA holdfast_78 CASCADE"));
}

static void test_store_is_put_aside(void)
{
    const struct store_config cfg = { .url = pg_server_url(DB, false) };
    struct store *s = open_new();
    struct diag why;

    CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
    store_close(s);
    CU_ASSERT_TRUE(store_exists(&cfg));
    CU_ASSERT_EQUAL(store_put_aside(&cfg, 77, &why), 0);
    CU_ASSERT_FALSE(store_exists(&cfg));
    s = open_at(cfg.url);
    CU_ASSERT_TRUE(store_is_new(s));
    store_close(s);
    CU_ASSERT_STRING_EQUAL(
        pg_server_ask(DB, "SELECT count(*) FROM holdfast_77.objects"), "2");
    CU_ASSERT_TRUE(pg_server_sql(DB, "DROP SCHEMA holdfast_77 CASCADE"));
}

static void test_what_cannot_be_reached_is_told(void)
{
    enum { /* what a start may wait for, and what it may not */
        LATER = PBSE_TRYAGAIN,
        NEVER = PBSE_SYSTEM
    };
    static const struct {
        const char *url, *words;
        int code;
    } cases[] = {
        { "postgresql:host=/nonexistent dbname=x", "PostgreSQL: ", LATER },
        { "postgresql:no such keyword", "PostgreSQL: missing \"=\"", NEVER },
        { "postgresql:port=1 host=127.0.0.1 dbname=x", "PostgreSQL: ", LATER },
        { "postgresql://127.0.0.1:1/x", "PostgreSQL: ", LATER },
        { "postgresql://u:secret@127.0.0.1:1/x", "PBS_STORE_PASSWORD_FILE", NEVER },
        { "postgresql:password=secret", "PBS_STORE_PASSWORD_FILE", NEVER },
    };
    struct store *s = NULL;
    struct diag why;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CU_ASSERT_EQUAL(store_open(cases[i].url, &s, &why), cases[i].code);
        CU_ASSERT_EQUAL(why.code, cases[i].code);
        if (!strstr(why.text, cases[i].words))
            fprintf(stderr, "%s: %s\n", cases[i].url, why.text);
        CU_ASSERT_PTR_NOT_NULL(strstr(why.text, cases[i].words));
        CU_ASSERT_PTR_NULL(strstr(why.text, "secret"));
    }
    CU_ASSERT_TRUE(pg_server_sql("postgres", "CREATE DATABASE latin TEMPLATE template0"
                                             " ENCODING 'LATIN1' LOCALE 'C'"));
    CU_ASSERT_EQUAL(store_open(pg_server_url("latin", false), &s, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "createdb -E UTF8"));
    CU_ASSERT_PTR_NULL(s);
}

/* A role that must give a password, from the file. */
static void test_password_comes_from_the_file(void)
{
    char *file = xasprintf("%s-password", dir);
    char *url = xasprintf("%s", pg_server_url(DB, false));
    char *user = strstr(url, "user=postgres");
    struct store_config cfg = { .url = url, .password_file = file };
    struct store *s = NULL;
    struct diag why = { 0 };
    FILE *f = fopen(file, "w");

    empty();
    CU_ASSERT_PTR_NOT_NULL_FATAL(user);
    memcpy(user, "user=pbsadmin", 13);
    CU_ASSERT_TRUE(
        pg_server_sql("postgres", "CREATE ROLE pbsadmin LOGIN PASSWORD 'a b''c'"));
    CU_ASSERT_TRUE(
        pg_server_sql("postgres", "GRANT CREATE ON DATABASE " DB " TO pbsadmin"));
    fputs("wrong\n", f);
    fclose(f);
    chmod(file, 0640);
    CU_ASSERT_EQUAL(store_open_as(&cfg, &s, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "chmod 600"));
    chmod(file, 0600);
    CU_ASSERT_EQUAL(store_open_as(&cfg, &s, &why), PBSE_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.text, "password authentication failed"));
    f = fopen(file, "w");
    fputs("a b'c\n", f);
    fclose(f);
    CU_ASSERT_EQUAL(store_open_as(&cfg, &s, &why), 0);
    if (s) {
        CU_ASSERT_EQUAL(suite_commit(s, suite_first, 2), 0);
        store_close(s);
    }
    unlink(file);
    free(file);
    free(url);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a restarted server is found again", test_restarted_server_is_found_again },
        { "a commit in doubt counts once", test_commit_in_doubt_counts_once },
        { "doubt about notes is harmless", test_doubt_about_notes_is_harmless },
        { "a refused commit is tried again", test_refused_commit_is_tried_again },
        { "there is one writer only", test_one_writer_only },
        { "another epoch ends the writer", test_other_epoch_ends_the_writer },
        { "a store that went back is refused", test_store_that_went_back_is_refused },
        { "a newer or other layout is refused", test_newer_or_other_layout_is_refused },
        { "rows of values become texts", test_rows_of_values_become_texts },
        { "attributes are edited", test_attributes_are_edited },
        { "a store is put aside", test_store_is_put_aside },
        { "what cannot be reached is told", test_what_cannot_be_reached_is_told },
        { "a password comes from its file", test_password_comes_from_the_file },
    };
    static const struct backend backend = { "store: postgresql", open_new, reopen };
    int rc = 1;

    if (!mkdtemp(dir))
        return 2;
    if (pg_server_start(dir) && pg_server_sql("postgres", "CREATE DATABASE " DB)) {
        rc = suite_run(&backend);
        rc |= unit_main("store: a server on a wire", cases, ARRAY_LEN(cases));
    }
    pg_server_end();
    return rc;
}
