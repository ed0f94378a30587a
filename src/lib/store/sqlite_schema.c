/* sqlite_schema.c - the file of a store: found sound, brought up to date, and held.
 *
 * Nothing is written before the file has proved to be ours and sound: not even the
 * header's note that there is a write-ahead log, nor the log's way back into the file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/sqlite_schema.h"

#include "lib/store/backend.h"
#include "lib/store/views.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_MS         5000
/* The write-ahead log is cut to this when all of it is in the file. */
#define LOG_KEPT_BYTES  "16777216"
#define LEAST_BYTES     512 /* the smallest page, and so the smallest database */

/* Looking at each page takes a second for some hundred megabytes: above this size only
 * the tables of objects are looked at, and not the journal. */
#define CHECK_ALL_BYTES (256ll << 20)

/* What the records changed, a row for each change, for people to ask. */
#define CHANGES_VIEW                                                                   \
    "CREATE VIEW journal_changes AS SELECT j.seq AS seq, c.key AS n,"                  \
    " json_extract(c.value, '$[0]') AS attr,"                                          \
    " json_extract(c.value, '$[1]') AS resource,"                                      \
    " json_extract(c.value, '$[2]') AS before,"                                        \
    " json_extract(c.value, '$[3]') AS after"                                          \
    " FROM journal j, json_each(j.changes) c;"

/* Objects of one kind and id come and go; 'seq' is the record that made this one, and
 * 'made' what it was made with (made_text.h). */
#define OBJECTS_TABLE(name)                                                            \
    "CREATE TABLE " name " ("                                                          \
    " kind TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER PRIMARY KEY,"                  \
    " made TEXT NOT NULL DEFAULT '[]', UNIQUE (kind, id));"

/* What has changed of an object since it was made: a row for each value, NULL for one
 * that it has no more. 'seq' is the object's. */
#define CHANGED_TABLE                                                                  \
    "CREATE TABLE changed ("                                                           \
    " seq INTEGER NOT NULL, attr TEXT NOT NULL, resource TEXT NOT NULL, value TEXT,"   \
    " PRIMARY KEY (seq, attr, resource)) WITHOUT ROWID;"

/* clang-format off */
#define MADE(n) "json_extract(m.value, '$[" #n "]')"

/* The values of all objects, a row for each, and a row without a value for each object.
 */
#define VALUES_VIEW                                                                    \
    "CREATE VIEW object_values AS SELECT o.kind AS kind, o.id AS id, o.seq AS seq,"    \
    " c.attr AS attr, c.resource AS resource, c.value AS value"                        \
    " FROM objects o JOIN changed c ON c.seq = o.seq WHERE c.value IS NOT NULL"        \
    " UNION ALL SELECT o.kind, o.id, o.seq, " MADE(0) ", " MADE(1) ", " MADE(2)        \
    " FROM objects o, json_each(o.made) m WHERE NOT EXISTS (SELECT 1 FROM changed c"   \
    " WHERE c.seq = o.seq AND c.attr = " MADE(0) " AND c.resource = " MADE(1) ")"      \
    " UNION ALL SELECT kind, id, seq, NULL, NULL, NULL FROM objects;"

/* Puts a value that somebody has edited over what the object was made with. */
#define EDIT(row, value)                                                               \
    " INSERT OR REPLACE INTO changed SELECT seq, " row ".attr, " row ".resource, "     \
    value " FROM objects WHERE kind = " row ".kind AND id = " row ".id;"

/* People ask for attributes, and correct them in a store that a start has refused. */
#define ATTRIBUTES_VIEW                                                                \
    "CREATE VIEW attributes AS SELECT kind, id, attr, resource, value"                 \
    " FROM object_values WHERE attr IS NOT NULL;"                                      \
    "CREATE TRIGGER attributes_insert INSTEAD OF INSERT ON attributes BEGIN"           \
    EDIT("new", "new.value") " END;"                                                   \
    "CREATE TRIGGER attributes_update INSTEAD OF UPDATE ON attributes BEGIN"           \
    EDIT("old", "NULL") EDIT("new", "new.value") " END;"                               \
    "CREATE TRIGGER attributes_delete INSTEAD OF DELETE ON attributes BEGIN"           \
    EDIT("old", "NULL") " END;"
static const char tables[] =
    "CREATE TABLE schema_version (version INTEGER NOT NULL);"
    "CREATE TABLE progress (last_seq INTEGER NOT NULL,"
    " epoch INTEGER NOT NULL DEFAULT 0, holder TEXT NOT NULL DEFAULT '');"
    OBJECTS_TABLE("objects") CHANGED_TABLE VALUES_VIEW ATTRIBUTES_VIEW
    "CREATE TABLE journal ("
    " seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, actor TEXT NOT NULL,"
    " fact TEXT NOT NULL, op TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,"
    " note TEXT, changes TEXT);"
    "CREATE INDEX journal_object ON journal (kind, id);"
    "CREATE INDEX journal_at ON journal (at);" CHANGES_VIEW
    "CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "INSERT INTO progress (last_seq) VALUES (0);";

/* What brings a layout to the next one, by its version. */
static const struct {
    const char *sql;
    bool views; /* and make the views */
} steps[STORE_SCHEMA_VERSION] = {
    [1] = { .sql = "ALTER TABLE progress ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;"
                   "ALTER TABLE progress ADD COLUMN holder TEXT NOT NULL DEFAULT '';" },
    /* What a record changed was a row for each change. */
    [2] = { .sql = "ALTER TABLE journal ADD COLUMN changes TEXT;"
                   "UPDATE journal SET changes = (SELECT"
                   " json_group_array(json_array(attr, resource, before, after))"
                   " FROM (SELECT * FROM journal_changes c WHERE c.seq = journal.seq"
                   " ORDER BY n)) WHERE EXISTS"
                   " (SELECT 1 FROM journal_changes c WHERE c.seq = journal.seq);"
                   "DROP TABLE journal_changes;" CHANGES_VIEW },
    /* Some values of occurrences have no rows any more (server/shell/records.c). What
     * has them is read as before; an older program could not do without. */
    [3] = { .sql = "" },
    /* Occurrences that are made together are one object (server/shell/bundles.h). The
     * same holds. */
    [4] = { .sql = "" },
    /* What an object was made with was a row for each value. */
    [5] = { .sql = "DROP VIEW IF EXISTS jobs; DROP VIEW IF EXISTS reservations;"
                   "DROP VIEW IF EXISTS vnodes; DROP VIEW IF EXISTS queues;"
                   OBJECTS_TABLE("objects_new") CHANGED_TABLE
                   "INSERT INTO objects_new SELECT kind, id, seq, (SELECT"
                   " json_group_array(json_array(attr, resource, value))"
                   " FROM (SELECT * FROM attributes a WHERE a.kind = o.kind"
                   " AND a.id = o.id ORDER BY attr, resource))"
                   " FROM objects o ORDER BY seq;"
                   "DROP TABLE attributes; DROP TABLE objects;"
                   "ALTER TABLE objects_new RENAME TO objects;"
                   VALUES_VIEW ATTRIBUTES_VIEW,
            .views = true },
};
/* clang-format on */

int sqlite_file_error(const struct sqlite_file *f, struct diag *why)
{
    int code = sqlite3_errcode(f->db) & 0xff;
    bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
                   code == SQLITE_ERROR; /* a table or column that is missing */

    return diag_set(why, PBSE_SYSTEM, "%s: %s%s", f->path, sqlite3_errmsg(f->db),
                    damaged ? ": the store is damaged; restore a backup (the file was "
                              "left as it is)"
                            : "");
}

static int damaged(const struct sqlite_file *f, const char *words, struct diag *why)
{
    return diag_set(why, PBSE_SYSTEM,
                    "%s: the store is damaged (%.80s); restore a backup (the file was "
                    "left as it is)",
                    f->path, words);
}

static bool exec(const struct sqlite_file *f, const char *sql)
{
    return sqlite3_exec(f->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

bool sqlite_file_ask(const struct sqlite_file *f, const char *sql, int64_t *ret)
{
    sqlite3_stmt *st = NULL;
    bool found = sqlite3_prepare_v2(f->db, sql, -1, &st, NULL) == SQLITE_OK &&
                 sqlite3_step(st) == SQLITE_ROW;

    if (found)
        *ret = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return found;
}

static int file_error(const char *path, struct diag *why)
{
    return diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
}

/* Write the directory to disk: the file's name must be there before anything in the
 * file counts. */
static int sync_dir(const char *path, struct diag *why)
{
    char *dir = xstrdup(path), *slash = strrchr(dir, '/');
    int fd, err = 0;

    if (slash)
        slash[slash == dir] = '\0';
    fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) < 0)
        err = file_error(dir, why);
    if (fd >= 0)
        close(fd);
    free(dir);
    return err;
}

/* Refuse what SQLite would take for a new file: a file that was cut to less than a
 * page, and an empty file beside a log with something in it, which SQLite would
 * throw away. */
static int check_not_emptied(const struct sqlite_file *f, struct diag *why)
{
    char *wal = xasprintf("%s-wal", f->path);
    struct stat st, log;
    int err = 0;

    if (fstat(f->lock_fd, &st) < 0)
        err = file_error(f->path, why);
    else if (st.st_size > 0 && st.st_size < LEAST_BYTES)
        err = damaged(f, "it was cut", why);
    else if (st.st_size == 0 && stat(wal, &log) == 0 && log.st_size > 0)
        err = damaged(f, "it is empty, and its log is not", why);
    free(wal);
    return err;
}

/* Say that another server has the store, and which one. Its name is read without a
 * lock. */
static int held_error(struct sqlite_file *f, struct diag *why)
{
    sqlite3_stmt *st = NULL;
    const char *holder = "";

    if (sqlite3_open_v2(f->path, &f->db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(f->db, "SELECT holder FROM progress", -1, &st, NULL) ==
            SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        holder = (const char *)sqlite3_column_text(st, 0);
    diag_set(why, PBSE_OBJBUSY, "%s: another server uses this store%s%s", f->path,
             *holder ? ": " : "", holder);
    sqlite3_finalize(st);
    return PBSE_OBJBUSY;
}

/* Open and lock the file. It is made here when there is none, since SQLite would use
 * the umask, and others must not read it. */
static int take_file(struct sqlite_file *f, struct diag *why)
{
    int err;

    f->lock_fd = open(f->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (f->lock_fd < 0)
        return file_error(f->path, why);
    if (flock(f->lock_fd, LOCK_EX | LOCK_NB) < 0)
        return errno == EWOULDBLOCK ? held_error(f, why) : file_error(f->path, why);
    err = check_not_emptied(f, why);
    return err ? err : sync_dir(f->path, why);
}

static bool has_table(const struct sqlite_file *f, const char *name)
{
    char sql[128];
    int64_t n = 0;

    snprintf(sql, sizeof(sql),
             "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '%s'",
             name);
    return sqlite_file_ask(f, sql, &n) && n > 0;
}

static int check_pages(const struct sqlite_file *f, const char *sql, struct diag *why)
{
    sqlite3_stmt *st = NULL;
    const char *words;
    int err = 0;

    if (sqlite3_prepare_v2(f->db, sql, -1, &st, NULL) != SQLITE_OK ||
        sqlite3_step(st) != SQLITE_ROW) {
        err = sqlite_file_error(f, why);
    } else {
        words = (const char *)sqlite3_column_text(st, 0);
        if (strcmp(words, "ok") != 0)
            err = damaged(f, words + strspn(words, "* \n"), why);
    }
    sqlite3_finalize(st);
    return err;
}

/* Look for damage before anything is written; how much is looked at depends on the
 * size. */
static int check_sound(const struct sqlite_file *f, struct diag *why)
{
    const char *const of_objects[] = { "objects",
                                       has_table(f, "changed") ? "changed"
                                                               : "attributes",
                                       "notes", "progress" };
    struct stat st;
    char sql[64];
    int err = 0;

    if (fstat(f->lock_fd, &st) == 0 && st.st_size <= CHECK_ALL_BYTES)
        return check_pages(f, "PRAGMA quick_check(1)", why);
    for (size_t i = 0; i < ARRAY_LEN(of_objects) && !err; i++) {
        snprintf(sql, sizeof(sql), "PRAGMA quick_check(%s)", of_objects[i]);
        err = check_pages(f, sql, why);
    }
    return err;
}

/* Run what the layout needs and say its version, all or nothing. */
static int layout(const struct sqlite_file *f, const char *sql, bool views,
                  int64_t version, struct diag *why)
{
    struct arena *arena = arena_new();
    char *text = xasprintf("BEGIN IMMEDIATE; %s %s DELETE FROM schema_version;"
                           "INSERT INTO schema_version VALUES (%" PRId64 "); COMMIT;",
                           sql, views ? store_views_sql(arena) : "", version);
    int err = exec(f, text) ? 0 : sqlite_file_error(f, why);

    free(text);
    arena_free(arena);
    return err;
}

static int bring_up_to_date(const struct sqlite_file *f, struct diag *why)
{
    int64_t n_tables, version;
    int err;

    if (!sqlite_file_ask(f, "SELECT count(*) FROM sqlite_master", &n_tables))
        return sqlite_file_error(f, why);
    if (n_tables == 0) {
        /* Counts only before the first table is made: free pages can be given back. */
        if (!exec(f, "PRAGMA auto_vacuum = INCREMENTAL"))
            return sqlite_file_error(f, why);
        return layout(f, tables, true, STORE_SCHEMA_VERSION, why);
    }
    err = check_sound(f, why);
    if (err)
        return err;
    if (!sqlite_file_ask(f, "SELECT version FROM schema_version", &version))
        version = -1;
    if (version < 1 || version > STORE_SCHEMA_VERSION)
        return store_version_error(f->path, version, why);
    for (; version < STORE_SCHEMA_VERSION && !err; version++)
        err = layout(f, steps[version].sql, steps[version].views, version + 1, why);
    return err;
}

/* Nothing in here writes to the file: a store that turns out to be damaged stays as
 * it is. */
static int set_up(const struct sqlite_file *f, struct diag *why)
{
    /* sqlite.c keeps attributes and objects together, at a lower price. */
    sqlite3_busy_timeout(f->db, BUSY_MS);
    /* Closing must not bring the log into a file that has not proved sound. */
    sqlite3_db_config(f->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (!exec(f, "PRAGMA synchronous = FULL") ||
        !exec(f, "PRAGMA foreign_keys = OFF") ||
        !exec(f, "PRAGMA journal_size_limit = " LOG_KEPT_BYTES))
        return sqlite_file_error(f, why);
    return 0;
}

/* Begin a new epoch, now that the file has proved sound. From here on, no commit of
 * an earlier holder succeeds. */
static int begin_epoch(struct sqlite_file *f, const char *holder, struct diag *why)
{
    sqlite3_stmt *st = NULL;
    int64_t last_seq = 0;
    bool good;

    if (!exec(f, "PRAGMA journal_mode = WAL"))
        return sqlite_file_error(f, why);
    sqlite3_db_config(f->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    good =
        sqlite3_prepare_v2(f->db, "UPDATE progress SET epoch = epoch + 1, holder = ?1",
                           -1, &st, NULL) == SQLITE_OK &&
        sqlite3_bind_text(st, 1, holder, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_DONE;
    sqlite3_finalize(st);
    if (!good)
        return sqlite_file_error(f, why);
    if (!sqlite_file_ask(f, "SELECT epoch FROM progress", &f->epoch) ||
        !sqlite_file_ask(f, "SELECT last_seq FROM progress", &last_seq))
        return damaged(f, "table progress is empty", why);
    f->last_seq = (uint64_t)last_seq;
    return 0;
}

int sqlite_file_open(struct sqlite_file *f, const char *path, const char *holder,
                     struct diag *why)
{
    int err;

    *f = (struct sqlite_file){ .path = xstrdup(path), .lock_fd = -1 };
    err = take_file(f, why);
    if (err)
        return err;
    /* Nobody asks SQLite how much memory it has, and counting that takes a lock at each
     * of its allocations. Refused when SQLite is in use already. */
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (sqlite3_open_v2(path, &f->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return sqlite_file_error(f, why);
    err = set_up(f, why);
    if (!err)
        err = bring_up_to_date(f, why);
    return err ? err : begin_epoch(f, holder, why);
}

void sqlite_file_close(struct sqlite_file *f)
{
    sqlite3_close(f->db);
    if (f->lock_fd >= 0)
        close(f->lock_fd);
    free(f->path);
}

bool store_sqlite_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* The log is moved first. When the move stops in between, the file without its log is
 * still an older store, but the log without its file would be useless. */
int store_sqlite_put_aside(const char *path, int64_t now_at, struct diag *why)
{
    static const char *const ends[] = { "-wal", "-shm", "" };
    int err = 0, fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0)
        err = diag_set(why, PBSE_OBJBUSY, "%s: a server uses this store", path);
    for (size_t i = 0; i < ARRAY_LEN(ends) && !err; i++) {
        char *from = xasprintf("%s%s", path, ends[i]);
        char *to = xasprintf("%s.%" PRId64 "%s", path, now_at, ends[i]);

        if (rename(from, to) < 0 && errno != ENOENT)
            err = file_error(from, why);
        free(from);
        free(to);
    }
    if (fd >= 0)
        close(fd);
    return err;
}
