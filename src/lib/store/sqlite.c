/* sqlite.c - the store in an SQLite file.
 *
 * Write-ahead log with synchronous=FULL: a commit returns when it is on disk. The
 * tables are meant to be read by people too: objects and attributes say what is,
 * journal and journal_changes what happened. Foreign keys keep attributes and objects
 * together, so a batch that contradicts the store fails as a whole.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA_VERSION 1
#define BUSY_MS        5000

/* Objects of one kind and id come and go; 'seq' is the record that made this one. */
static const char schema[] =
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
    "INSERT INTO progress VALUES (0);";

enum statement {
    SQL_BEGIN,
    SQL_COMMIT,
    SQL_ROLLBACK,
    SQL_JOURNAL,
    SQL_CHANGE,
    SQL_CREATE,
    SQL_REMOVE,
    SQL_SET,
    SQL_UNSET,
    SQL_EXISTS,
    SQL_PROGRESS,
    SQL_NOTE,
    SQL_NOTE_GET,
    SQL_LOAD,
    SQL_JOURNAL_GET,
    SQL_PRUNE,
    SQL_COUNT
};

static const char *const texts[SQL_COUNT] = {
    [SQL_BEGIN] = "BEGIN IMMEDIATE",
    [SQL_COMMIT] = "COMMIT",
    [SQL_ROLLBACK] = "ROLLBACK",
    [SQL_JOURNAL] = "INSERT INTO journal VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [SQL_CHANGE] = "INSERT INTO journal_changes VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [SQL_CREATE] = "INSERT INTO objects VALUES (?1, ?2, ?3)",
    [SQL_REMOVE] = "DELETE FROM objects WHERE kind = ?1 AND id = ?2",
    [SQL_SET] = "INSERT OR REPLACE INTO attributes VALUES (?1, ?2, ?3, ?4, ?5)",
    [SQL_UNSET] = "DELETE FROM attributes WHERE kind = ?1 AND id = ?2 AND attr = ?3"
                  " AND resource = ?4",
    [SQL_EXISTS] = "SELECT 1 FROM objects WHERE kind = ?1 AND id = ?2",
    [SQL_PROGRESS] = "UPDATE progress SET last_seq = ?1",
    [SQL_NOTE] = "INSERT OR REPLACE INTO notes VALUES (?1, ?2)",
    [SQL_NOTE_GET] = "SELECT value FROM notes WHERE key = ?1",
    [SQL_LOAD] = "SELECT o.seq, 0, '', 'loaded', 'create', o.kind, o.id, NULL,"
                 " a.attr, a.resource, NULL, a.value FROM objects o"
                 " LEFT JOIN attributes a ON a.kind = o.kind AND a.id = o.id"
                 " WHERE o.seq > ?1 ORDER BY o.seq, a.attr, a.resource",
    [SQL_JOURNAL_GET] =
        "SELECT j.seq, j.at, j.actor, j.fact, j.op, j.kind, j.id, j.note,"
        " c.attr, c.resource, c.before, c.after FROM journal j"
        " LEFT JOIN journal_changes c ON c.seq = j.seq"
        " WHERE j.seq > ?1 ORDER BY j.seq, c.n",
    [SQL_PRUNE] = "DELETE FROM journal WHERE at < ?1",
};

struct sqlite_store {
    struct store base;
    sqlite3 *db;
    sqlite3_stmt *sql[SQL_COUNT];
};

static struct sqlite_store *self(struct store *s)
{
    return STRUCT_OF(s, struct sqlite_store, base);
}

/* Statements: bound by position, run, and reset at once. */

static sqlite3_stmt *bind(struct sqlite_store *q, enum statement which, size_t n,
                          const char *const *args)
{
    sqlite3_stmt *st = q->sql[which];

    for (size_t i = 0; i < n; i++)
        sqlite3_bind_text(st, (int)i + 1, args[i], -1, SQLITE_STATIC);
    return st;
}

/* Run to the end; true when it worked. A failing bind shows as a missing value, which
 * NOT NULL refuses. */
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

static bool put_change(struct sqlite_store *q, const struct store_record *r, size_t n)
{
    const struct store_change *c = &r->changes[n];
    const char *const args[] = {
        NULL, NULL, c->attr, c->resource, c->before, c->after
    };
    const char *const key[] = { r->kind, r->id, c->attr, c->resource, c->after };
    sqlite3_stmt *st = bind(q, SQL_CHANGE, ARRAY_LEN(args), args);

    sqlite3_bind_int64(st, 1, (sqlite3_int64)r->seq);
    sqlite3_bind_int64(st, 2, (sqlite3_int64)n);
    if (!finish(st))
        return false;
    if (r->op == STORE_REMOVE)
        return true;
    return finish(c->after ? bind(q, SQL_SET, 5, key) : bind(q, SQL_UNSET, 4, key));
}

static bool put_object(struct sqlite_store *q, const struct store_record *r)
{
    const char *const key[] = { r->kind, r->id };
    sqlite3_stmt *st;
    bool found;

    switch (r->op) {
    case STORE_CREATE:
        st = bind(q, SQL_CREATE, 2, key);
        sqlite3_bind_int64(st, 3, (sqlite3_int64)r->seq);
        return finish(st);
    case STORE_REMOVE:
        return finish(bind(q, SQL_REMOVE, 2, key)) && sqlite3_changes(q->db) == 1;
    default:
        st = bind(q, SQL_EXISTS, 2, key);
        found = sqlite3_step(st) == SQLITE_ROW;
        sqlite3_reset(st);
        return found;
    }
}

static bool put_record(struct sqlite_store *q, const struct store_record *r)
{
    const char *const args[] = {
        NULL, NULL, r->actor, r->fact, store_op_name(r->op), r->kind, r->id, r->note
    };
    sqlite3_stmt *st = bind(q, SQL_JOURNAL, ARRAY_LEN(args), args);

    sqlite3_bind_int64(st, 1, (sqlite3_int64)r->seq);
    sqlite3_bind_int64(st, 2, r->at);
    if (!finish(st) || !put_object(q, r))
        return false;
    for (size_t i = 0; i < r->n; i++)
        if (!put_change(q, r, i))
            return false;
    return true;
}

/* *at is left at the record that failed. */
static bool put_batch(struct sqlite_store *q, const struct store_batch *batch,
                      const struct store_record **at)
{
    for (size_t i = 0; i < batch->n_records; i++) {
        *at = &batch->records[i];
        if (!put_record(q, *at))
            return false;
    }
    *at = NULL;
    if (batch->n_records > 0) {
        uint64_t last = batch->records[batch->n_records - 1].seq;

        sqlite3_bind_int64(q->sql[SQL_PROGRESS], 1, (sqlite3_int64)last);
        if (!run(q, SQL_PROGRESS))
            return false;
    }
    for (size_t i = 0; i < batch->n_notes; i++) {
        const char *const args[] = { batch->notes[i].key, batch->notes[i].value };

        if (!finish(bind(q, SQL_NOTE, 2, args)))
            return false;
    }
    return true;
}

/* 'at' is the record at fault, NULL when no single one is. */
static int save_error(struct sqlite_store *q, const struct store_record *at,
                      struct diag *why)
{
    const char *words = sqlite3_errcode(q->db) == SQLITE_OK
                            ? "it contradicts the stored objects"
                            : sqlite3_errmsg(q->db);

    if (!at)
        return diag_set(why, PBSE_SAVE_ERR, "%s", words);
    return diag_set(why, PBSE_SAVE_ERR, "record %" PRIu64 " (%s of %s %s): %s", at->seq,
                    at->fact, at->kind, at->id, words);
}

static int sqlite_commit(struct store *s, const struct store_batch *batch,
                         struct diag *why)
{
    struct sqlite_store *q = self(s);
    const struct store_record *at = NULL;
    int err;

    if (!run(q, SQL_BEGIN))
        return save_error(q, NULL, why);
    if (put_batch(q, batch, &at) && run(q, SQL_COMMIT))
        return 0;
    err = save_error(q, at, why);
    /* Some errors (a full disk) have rolled back already. */
    if (!sqlite3_get_autocommit(q->db))
        run(q, SQL_ROLLBACK);
    return err;
}

/* Reading: rows of one record follow one another; each has one change or none. */

static const char *column(sqlite3_stmt *st, int i, struct arena *arena)
{
    return arena_strdup(arena, (const char *)sqlite3_column_text(st, i));
}

static void row_start(sqlite3_stmt *st, struct arena *arena, struct store_record *r)
{
    *r = (struct store_record){
        .seq = (uint64_t)sqlite3_column_int64(st, 0),
        .at = sqlite3_column_int64(st, 1),
        .actor = column(st, 2, arena),
        .fact = column(st, 3, arena),
        .op = store_op_find(column(st, 4, arena)),
        .kind = column(st, 5, arena),
        .id = column(st, 6, arena),
        .note = column(st, 7, arena),
    };
}

static void row_change(sqlite3_stmt *st, struct arena *arena, struct store_record *r,
                       struct store_change **v, size_t *cap)
{
    if (sqlite3_column_type(st, 8) == SQLITE_NULL)
        return;
    if (r->n == *cap) {
        *cap = *cap ? *cap * 2 : 64;
        *v = xrealloc(*v, *cap * sizeof(**v));
    }
    (*v)[r->n++] = (struct store_change){
        .attr = column(st, 8, arena),
        .resource = column(st, 9, arena),
        .before = column(st, 10, arena),
        .after = column(st, 11, arena),
    };
    r->changes = *v;
}

static int each_record(struct sqlite_store *q, enum statement which, uint64_t since,
                       store_each_fn each, void *arg, struct diag *why)
{
    sqlite3_stmt *st = q->sql[which];
    struct arena *arena = arena_new();
    struct store_record r = { 0 };
    struct store_change *v = NULL;
    size_t cap = 0;
    int rc, err = 0;

    sqlite3_bind_int64(st, 1, (sqlite3_int64)since);
    while (!err && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        if (r.id && r.seq != (uint64_t)sqlite3_column_int64(st, 0)) {
            err = each(arg, &r);
            r.id = NULL;
        }
        if (!r.id) {
            arena_clear(arena);
            row_start(st, arena, &r);
        }
        row_change(st, arena, &r, &v, &cap);
    }
    if (!err && rc != SQLITE_DONE)
        err = diag_set(why, PBSE_SYSTEM, "%s", sqlite3_errmsg(q->db));
    if (!err && r.id)
        err = each(arg, &r);
    sqlite3_reset(st);
    free(v);
    arena_free(arena);
    return err;
}

static int sqlite_load(struct store *s, store_each_fn each, void *arg, struct diag *why)
{
    return each_record(self(s), SQL_LOAD, 0, each, arg, why);
}

static int sqlite_journal(struct store *s, uint64_t since, store_each_fn each,
                          void *arg, struct diag *why)
{
    return each_record(self(s), SQL_JOURNAL_GET, since, each, arg, why);
}

static int sqlite_prune(struct store *s, int64_t before_at, struct diag *why)
{
    struct sqlite_store *q = self(s);

    sqlite3_bind_int64(q->sql[SQL_PRUNE], 1, before_at);
    return run(q, SQL_PRUNE) ? 0 : save_error(q, NULL, why);
}

static const char *sqlite_note_get(struct store *s, const char *key,
                                   struct arena *arena)
{
    sqlite3_stmt *st = bind(self(s), SQL_NOTE_GET, 1, &key);
    const char *value = NULL;

    if (sqlite3_step(st) == SQLITE_ROW)
        value = column(st, 0, arena);
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return value;
}

static void sqlite_close(struct store *s)
{
    struct sqlite_store *q = self(s);

    for (size_t i = 0; i < SQL_COUNT; i++)
        sqlite3_finalize(q->sql[i]);
    sqlite3_close(q->db);
    free(q);
}

static const struct store_ops sqlite_ops = {
    sqlite_close,    sqlite_commit,  sqlite_load,
    sqlite_note_get, sqlite_journal, sqlite_prune,
};

/* Opening. */

static bool exec(struct sqlite_store *q, const char *sql)
{
    return sqlite3_exec(q->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* One number from a query, or 'dflt' when there is no row or it fails. */
static int64_t ask(struct sqlite_store *q, const char *sql, int64_t dflt)
{
    sqlite3_stmt *st = NULL;

    if (sqlite3_prepare_v2(q->db, sql, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        dflt = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return dflt;
}

static int open_error(struct sqlite_store *q, const char *path, struct diag *why)
{
    return diag_set(why, PBSE_SYSTEM, "%s: %s", path, sqlite3_errmsg(q->db));
}

static int schema_make(struct sqlite_store *q, const char *path, struct diag *why)
{
    char version[64];

    sqlite3_snprintf(sizeof(version), version, "INSERT INTO schema_version VALUES (%d)",
                     SCHEMA_VERSION);
    if (exec(q, "BEGIN IMMEDIATE") && exec(q, schema) && exec(q, version) &&
        exec(q, "COMMIT"))
        return 0;
    return open_error(q, path, why);
}

static int schema_check(struct sqlite_store *q, const char *path, struct diag *why)
{
    int64_t tables = ask(q, "SELECT count(*) FROM sqlite_master", -1), version;

    if (tables < 0)
        return open_error(q, path, why);
    if (tables == 0)
        return schema_make(q, path, why);
    version = ask(q, "SELECT version FROM schema_version", -1);
    if (version != SCHEMA_VERSION)
        return diag_set(why, PBSE_SYSTEM,
                        "%s: schema version %lld, this program needs %d", path,
                        (long long)version, SCHEMA_VERSION);
    return 0;
}

/* Make the file ourselves: SQLite would use the umask, and others must not read it. Its
 * name must be on disk before anything in it counts. */
static int file_make(const char *path, struct diag *why)
{
    char *dir = xstrdup(path), *slash = strrchr(dir, '/');
    int err = 0, dfd, fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        err = diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
    else
        close(fd);
    if (slash)
        slash[slash == dir] = '\0';
    dfd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!err && (dfd < 0 || fsync(dfd) < 0))
        err = diag_set(why, PBSE_SYSTEM, "%s: %s", dir, strerror(errno));
    if (dfd >= 0)
        close(dfd);
    free(dir);
    return err;
}

static int sqlite_prepare(struct sqlite_store *q, const char *path, struct diag *why)
{
    int err;

    if (sqlite3_open_v2(path, &q->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return open_error(q, path, why);
    sqlite3_busy_timeout(q->db, BUSY_MS);
    if (!exec(q, "PRAGMA journal_mode = WAL") ||
        !exec(q, "PRAGMA synchronous = FULL") || !exec(q, "PRAGMA foreign_keys = ON"))
        return open_error(q, path, why);
    err = schema_check(q, path, why);
    if (err)
        return err;
    for (size_t i = 0; i < SQL_COUNT; i++)
        if (sqlite3_prepare_v3(q->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &q->sql[i], NULL) != SQLITE_OK)
            return open_error(q, path, why);
    q->base.is_new = ask(q, "SELECT 1 FROM objects LIMIT 1", 0) == 0;
    q->base.last_seq = (uint64_t)ask(q, "SELECT last_seq FROM progress", 0);
    return 0;
}

int store_sqlite_open(const char *path, struct store **ret, struct diag *why)
{
    struct sqlite_store *q;
    int err = file_make(path, why);

    if (err)
        return err;
    q = xcalloc(1, sizeof(*q));
    q->base.ops = &sqlite_ops;
    err = sqlite_prepare(q, path, why);
    if (err) {
        sqlite_close(&q->base);
        return err;
    }
    *ret = &q->base;
    return 0;
}
