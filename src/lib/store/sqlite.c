/* sqlite.c - the store in an SQLite file.
 *
 * Write-ahead log with synchronous=FULL: a commit returns when it is on disk. What is
 * to be read by people are objects and the view attributes, which say what is, journal
 * and the view journal_changes, which say what happened. What a record changed is one
 * value of its row (changes_text.h), and what an object was made with is one value of
 * the object's (made_text.h): a row for each took most of the time of a commit. Only
 * what changes later has a row for each value, in the table changed. A record that
 * contradicts the store fails with its whole batch: put_object() looks once for each
 * record, where foreign keys would look once for each attribute. Making, checking and
 * bringing up to date is sqlite_schema.c's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/backend.h"

#include "lib/store/changes_text.h"
#include "lib/store/made_text.h"
#include "lib/store/rows.h"
#include "lib/store/sqlite_objects.h"
#include "lib/store/sqlite_schema.h"

#include <stdlib.h>
#include <string.h>

/* Free pages that a file may keep for its next records; more of them go back to the
 * file system, so many behind one commit. */
#define FREE_PAGES   4096
/* So many pages in the write-ahead log are brought into the file, behind a commit. */
#define LOG_PAGES    1000
#define VACUUM_PAGES "1024"

enum statement {
    SQL_BEGIN,
    SQL_COMMIT,
    SQL_ROLLBACK,
    SQL_JOURNAL,
    SQL_CREATE,
    SQL_FIND,
    SQL_REMOVE,
    SQL_EMPTY,
    SQL_SET,
    SQL_PROGRESS,
    SQL_NOTE,
    SQL_NOTE_GET,
    SQL_LOAD,
    SQL_LOAD_KIND,
    SQL_JOURNAL_GET,
    SQL_JOURNAL_OF,
    SQL_PRUNE,
    SQL_FREE_PAGES,
    SQL_COUNT
};

/* 'which' is the condition for the object: SQLite finds rows by an index only where an
 * object must be named. */
#define JOURNAL_ROWS(which)                                                            \
    "SELECT j.seq, j.at, j.actor, j.fact, j.op, j.kind, j.id, j.note,"                 \
    " json_extract(c.value, '$[0]'), json_extract(c.value, '$[1]'),"                   \
    " json_extract(c.value, '$[2]'), json_extract(c.value, '$[3]')"                    \
    " FROM (SELECT * FROM journal"                                                     \
    " WHERE seq > ?1 AND at >= ?2 AND (?3 IS NULL OR at < ?3) AND " which              \
    " AND (?7 IS NULL OR fact = ?7 OR fact = ?8)"                                      \
    " ORDER BY seq LIMIT ?6) j"                                                        \
    " LEFT JOIN json_each(j.changes) c ORDER BY j.seq, c.key"

static const char *const texts[SQL_COUNT] = {
    /* IMMEDIATE takes the lock of writers at once: a file that is locked is found out
     * before anything is written. */
    [SQL_BEGIN] = "BEGIN IMMEDIATE",
    [SQL_COMMIT] = "COMMIT",
    [SQL_ROLLBACK] = "ROLLBACK",
    [SQL_JOURNAL] = "INSERT INTO journal VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [SQL_CREATE] = "INSERT INTO objects (kind, id, seq, made) VALUES (?1, ?2, ?3, ?4)",
    [SQL_FIND] = "SELECT seq FROM objects WHERE kind = ?1 AND id = ?2",
    [SQL_REMOVE] = "DELETE FROM objects WHERE seq = ?1",
    [SQL_EMPTY] = "DELETE FROM changed WHERE seq = ?1",
    [SQL_SET] = "INSERT OR REPLACE INTO changed VALUES (?1, ?2, ?3, ?4)",
    [SQL_PROGRESS] = "UPDATE progress SET last_seq = ?1"
                     " WHERE last_seq = ?2 AND epoch = ?3",
    [SQL_NOTE] = "INSERT OR REPLACE INTO notes VALUES (?1, ?2)",
    [SQL_NOTE_GET] = "SELECT value FROM notes WHERE key = ?1",
    [SQL_LOAD] = SQLITE_OBJECT_ROWS " ORDER BY o.seq, c.attr, c.resource",
    [SQL_LOAD_KIND] =
        SQLITE_OBJECT_ROWS " WHERE o.kind = ?1 ORDER BY o.seq, c.attr, c.resource",
    [SQL_JOURNAL_GET] =
        JOURNAL_ROWS("(?4 IS NULL OR kind = ?4) AND (?5 IS NULL OR id = ?5)"),
    [SQL_JOURNAL_OF] = JOURNAL_ROWS("kind = ?4 AND id = ?5"),
    [SQL_PRUNE] = "DELETE FROM journal WHERE seq IN (SELECT seq FROM journal"
                  " WHERE at < ?1 ORDER BY seq LIMIT ?2)",
    [SQL_FREE_PAGES] = "PRAGMA freelist_count",
};

struct sqlite_store {
    struct store base;
    struct sqlite_file file;
    sqlite3_stmt *sql[SQL_COUNT];
    int n_log_pages;
    struct buf text;     /* of the record under way */
    struct arena *arena; /* likewise */
};

static struct sqlite_store *self(struct store *s)
{
    return STRUCT_OF(s, struct sqlite_store, base);
}

/* Bind texts by position. The statement is run and reset by finish(), before the texts
 * are gone: SQLite does not copy them. */
static sqlite3_stmt *bind(struct sqlite_store *q, enum statement which, size_t n,
                          const char *const *args)
{
    sqlite3_stmt *st = q->sql[which];

    MUST((int)n <= sqlite3_bind_parameter_count(st));
    for (size_t i = 0; i < n; i++)
        sqlite3_bind_text(st, (int)i + 1, args[i], -1, SQLITE_STATIC);
    return st;
}

/* Run the statement to its end and reset it; true when it worked. A bind that failed
 * leaves NULL in its place, which the columns' NOT NULL refuses. */
static bool finish(sqlite3_stmt *st)
{
    int rc = sqlite3_step(st);

    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return rc == SQLITE_DONE || rc == SQLITE_ROW;
}

static bool run(struct sqlite_store *q, enum statement which)
{
    return finish(q->sql[which]);
}

/* Put one change over what the object was made with. That it has a value no more is a
 * row, too: the text that it was made with stays as it is. */
static bool put_change(struct sqlite_store *q, sqlite3_int64 object,
                       const struct store_change *c)
{
    const char *const args[] = { NULL, c->attr, c->resource, c->after };
    sqlite3_stmt *st = bind(q, SQL_SET, ARRAY_LEN(args), args);

    sqlite3_bind_int64(st, 1, object);
    return finish(st);
}

static bool put_changes(struct sqlite_store *q, sqlite3_int64 object,
                        const struct store_record *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (!put_change(q, object, &r->changes[i]))
            return false;
    return true;
}

static bool make_object(struct sqlite_store *q, const struct store_record *r)
{
    const char *const key[] = { r->kind, r->id };
    sqlite3_stmt *st = bind(q, SQL_CREATE, 2, key);

    arena_clear(q->arena);
    made_to_text(r->changes, r->n, q->arena, &q->text);
    sqlite3_bind_int64(st, 3, (sqlite3_int64)r->seq);
    sqlite3_bind_text64(st, 4, q->text.data, q->text.len, SQLITE_STATIC, SQLITE_UTF8);
    return finish(st);
}

/* The number of the record that made the object; false when there is no such object. */
static bool find_object(struct sqlite_store *q, const struct store_record *r,
                        sqlite3_int64 *ret)
{
    const char *const key[] = { r->kind, r->id };
    sqlite3_stmt *st = bind(q, SQL_FIND, 2, key);
    bool found = sqlite3_step(st) == SQLITE_ROW;

    if (found)
        *ret = sqlite3_column_int64(st, 0);
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return found;
}

static bool run_with(struct sqlite_store *q, enum statement which, sqlite3_int64 number)
{
    sqlite3_bind_int64(q->sql[which], 1, number);
    return finish(q->sql[which]);
}

/* Make, change or remove the object. False when that contradicts what is stored. */
static bool put_object(struct sqlite_store *q, const struct store_record *r)
{
    sqlite3_int64 object;

    if (r->op == STORE_CREATE)
        return make_object(q, r);
    if (!find_object(q, r, &object))
        return false;
    if (r->op == STORE_CHANGE)
        return put_changes(q, object, r);
    return run_with(q, SQL_REMOVE, object) && run_with(q, SQL_EMPTY, object);
}

/* Write the journal's row. */
static bool put_journal(struct sqlite_store *q, const struct store_record *r)
{
    const char *const args[] = {
        NULL, NULL, r->actor, r->fact, store_op_name(r->op), r->kind, r->id, r->note
    };
    sqlite3_stmt *st = bind(q, SQL_JOURNAL, ARRAY_LEN(args), args);

    sqlite3_bind_int64(st, 1, (sqlite3_int64)r->seq);
    sqlite3_bind_int64(st, 2, r->at);
    if (r->n > 0) {
        changes_to_text(r, &q->text);
        sqlite3_bind_text64(st, (int)ARRAY_LEN(args) + 1, q->text.data, q->text.len,
                            SQLITE_STATIC, SQLITE_UTF8);
    }
    return finish(st);
}

static bool put_record(struct sqlite_store *q, const struct store_record *r)
{
    return put_journal(q, r) && put_object(q, r);
}

/* Write the whole batch. False when something failed; *at is the record at fault then,
 * NULL when it was a note. */
static bool put_batch(struct sqlite_store *q, const struct store_batch *batch,
                      const struct store_record **at)
{
    for (size_t i = 0; i < batch->n_records; i++) {
        *at = &batch->records[i];
        if (!put_record(q, *at))
            return false;
    }
    *at = NULL;
    for (size_t i = 0; i < batch->n_notes; i++) {
        const char *const args[] = { batch->notes[i].key, batch->notes[i].value };

        if (!finish(bind(q, SQL_NOTE, 2, args)))
            return false;
    }
    return true;
}

/* Move the number of the last record on. It moves only when number and epoch are those
 * that we left: this is how a server finds out that it does not hold the store any
 * more. */
static int put_progress(struct sqlite_store *q, const struct store_batch *batch,
                        struct diag *why)
{
    sqlite3_stmt *st = q->sql[SQL_PROGRESS];
    uint64_t last = q->base.last_seq;

    if (batch->n_records > 0)
        last = batch->records[batch->n_records - 1].seq;
    sqlite3_bind_int64(st, 1, (sqlite3_int64)last);
    sqlite3_bind_int64(st, 2, (sqlite3_int64)q->base.last_seq);
    sqlite3_bind_int64(st, 3, q->file.epoch);
    if (!finish(st))
        return diag_set(why, PBSE_SAVE_ERR, "%s", sqlite3_errmsg(q->file.db));
    if (sqlite3_changes(q->file.db) != 1)
        return diag_set(why, PBSE_OBJBUSY,
                        "the store is not as this server left it: another server has "
                        "taken it over, or it was put back");
    return 0;
}

/* Say why a batch was not written. 'at' is the record at fault, NULL when no single one
 * is. A file that somebody else has locked counts as out of reach: the next try may
 * find it free. */
static int save_error(struct sqlite_store *q, const struct store_record *at,
                      struct diag *why)
{
    int code = sqlite3_errcode(q->file.db) & 0xff;
    const char *words = sqlite3_errcode(q->file.db) == SQLITE_OK
                            ? "it contradicts the stored objects"
                            : sqlite3_errmsg(q->file.db);

    bool wrong = code == SQLITE_OK || code == SQLITE_CONSTRAINT;

    q->base.out_of_reach = code == SQLITE_BUSY || code == SQLITE_LOCKED;
    if (!at)
        return diag_set(why, PBSE_SAVE_ERR, "%s", words);
    return diag_set(why, wrong ? PBSE_INTERNAL : PBSE_SAVE_ERR,
                    "record %" PRIu64 " (%s of %s %s): %s", at->seq, at->fact, at->kind,
                    at->id, words);
}

static int sqlite_commit(struct store *s, const struct store_batch *batch,
                         struct diag *why)
{
    struct sqlite_store *q = self(s);
    const struct store_record *at = NULL;
    int err;

    if (!run(q, SQL_BEGIN))
        return save_error(q, NULL, why);
    /* This comes first: who has lost the store must write nothing. */
    err = put_progress(q, batch, why);
    if (!err && (!put_batch(q, batch, &at) || !run(q, SQL_COMMIT)))
        err = save_error(q, at, why);
    /* Some errors (a full disk) have rolled back already. */
    if (err && !sqlite3_get_autocommit(q->file.db))
        run(q, SQL_ROLLBACK);
    return err;
}

static int take_row(sqlite3_stmt *st, struct rows *rows)
{
    const char *columns[ROW_COLUMNS];

    for (int i = 0; i < ROW_COLUMNS; i++)
        columns[i] = (const char *)sqlite3_column_text(st, i);
    return rows_add(rows, columns);
}

static int each_record(struct sqlite_store *q, sqlite3_stmt *st, store_each_fn each,
                       void *arg, struct diag *why)
{
    struct rows *rows = rows_new(each, arg);
    int rc = SQLITE_DONE, err = 0;

    while (!err && (rc = sqlite3_step(st)) == SQLITE_ROW)
        err = take_row(st, rows);
    if (!err && rc != SQLITE_DONE)
        err = sqlite_file_error(&q->file, why);
    if (!err)
        err = rows_end(rows);
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    rows_free(rows);
    return err;
}

static int sqlite_load(struct store *s, const char *kind, store_each_fn each, void *arg,
                       struct diag *why)
{
    struct sqlite_store *q = self(s);
    sqlite3_stmt *st = kind ? bind(q, SQL_LOAD_KIND, 1, &kind) : q->sql[SQL_LOAD];
    int err = sqlite_each_object(&q->file, st, each, arg, why);

    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return err;
}

static int sqlite_journal(struct store *s, const struct store_query *query,
                          store_each_fn each, void *arg, struct diag *why)
{
    sqlite3_stmt *st = self(s)->sql[query->id ? SQL_JOURNAL_OF : SQL_JOURNAL_GET];

    sqlite3_bind_int64(st, 1, (sqlite3_int64)query->since);
    sqlite3_bind_int64(st, 2, query->from_at);
    if (query->until_at)
        sqlite3_bind_int64(st, 3, query->until_at);
    sqlite3_bind_text(st, 4, query->kind, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 5, query->id, -1, SQLITE_STATIC);
    /* To SQLite a negative limit is none. */
    sqlite3_bind_int64(st, 6, query->limit ? (sqlite3_int64)query->limit : -1);
    for (int i = 0; i < (int)ARRAY_LEN(query->facts); i++)
        sqlite3_bind_text(st, 7 + i, query->facts[i], -1, SQLITE_STATIC);
    return each_record(self(s), st, each, arg, why);
}

static int sqlite_prune(struct store *s, int64_t before_at, uint64_t max, uint64_t *n,
                        struct diag *why)
{
    struct sqlite_store *q = self(s);

    sqlite3_bind_int64(q->sql[SQL_PRUNE], 1, before_at);
    sqlite3_bind_int64(q->sql[SQL_PRUNE], 2,
                       (sqlite3_int64)MIN_OF(max, (uint64_t)INT64_MAX));
    if (!run(q, SQL_PRUNE))
        return save_error(q, NULL, why);
    *n = (uint64_t)sqlite3_changes64(q->file.db);
    return 0;
}

static int sqlite_note_get(struct store *s, const char *key, struct arena *arena,
                           const char **ret, struct diag *why)
{
    sqlite3_stmt *st = bind(self(s), SQL_NOTE_GET, 1, &key);
    int step = sqlite3_step(st), err = 0;

    *ret = NULL;
    if (step == SQLITE_ROW)
        *ret = arena_strdup(arena, (const char *)sqlite3_column_text(st, 0));
    else if (step != SQLITE_DONE)
        err = sqlite_file_error(&self(s)->file, why);
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return err;
}

static int on_logged(void *arg, sqlite3 *db UNUSED, const char *name UNUSED,
                     int n_log_pages)
{
    struct sqlite_store *q = arg;

    q->n_log_pages = n_log_pages;
    return SQLITE_OK;
}

/* The log is brought into the file when nobody waits for it: SQLite by itself would do
 * it within the commit that makes it long, a third of the time of a large one. A file
 * that was made by an older version has no way to give pages back: its free ones are
 * used again only. */
static void sqlite_tidy(struct store *s)
{
    struct sqlite_store *q = self(s);
    sqlite3_stmt *free_pages = q->sql[SQL_FREE_PAGES];
    int64_t n_free = 0;

    if (q->n_log_pages >= LOG_PAGES)
        (void)sqlite3_wal_checkpoint_v2(q->file.db, NULL, SQLITE_CHECKPOINT_PASSIVE,
                                        NULL, NULL);
    if (sqlite3_step(free_pages) == SQLITE_ROW)
        n_free = sqlite3_column_int64(free_pages, 0);
    sqlite3_reset(free_pages);
    if (n_free > FREE_PAGES)
        (void)sqlite3_exec(q->file.db, "PRAGMA incremental_vacuum(" VACUUM_PAGES ")",
                           NULL, NULL, NULL);
}

static void sqlite_close(struct store *s)
{
    struct sqlite_store *q = self(s);

    /* The file cannot be closed before its statements; those that were never made
     * are NULL, which is fine. */
    for (size_t i = 0; i < SQL_COUNT; i++)
        sqlite3_finalize(q->sql[i]);
    sqlite_file_close(&q->file);
    buf_fini(&q->text);
    arena_free(q->arena);
    free(q);
}

static const struct store_ops sqlite_ops = {
    sqlite_close,   sqlite_commit, sqlite_load, sqlite_note_get,
    sqlite_journal, sqlite_prune,  sqlite_tidy,
};

static int prepare(struct sqlite_store *q, struct diag *why)
{
    int64_t objects;

    for (size_t i = 0; i < SQL_COUNT; i++)
        if (sqlite3_prepare_v3(q->file.db, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &q->sql[i], NULL) != SQLITE_OK)
            return sqlite_file_error(&q->file, why);
    if (!sqlite_file_ask(
            &q->file, "SELECT count(*) FROM (SELECT 1 FROM objects LIMIT 1)", &objects))
        return sqlite_file_error(&q->file, why);
    sqlite3_wal_hook(q->file.db, on_logged, q); /* instead of SQLite's own */
    q->base.is_new = objects == 0;
    q->base.last_seq = q->file.last_seq;
    return 0;
}

int store_sqlite_open(const char *path, const char *holder, struct store **ret,
                      struct diag *why)
{
    struct sqlite_store *q = xcalloc(1, sizeof(*q));
    int err;

    q->base.ops = &sqlite_ops;
    q->arena = arena_new();
    err = sqlite_file_open(&q->file, path, holder, why);
    if (!err)
        err = prepare(q, why);
    if (err) {
        sqlite_close(&q->base);
        return err;
    }
    *ret = &q->base;
    return 0;
}
