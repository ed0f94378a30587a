/* pg_schema.c - the tables in PostgreSQL, and who may write them.
 *
 * Everything is in the schema "holdfast". The writer holds an advisory lock for as long
 * as its session lives. A session may outlive its connection (a cable, a sleeping
 * client): the same server, back on a new connection, ends its old session first, so
 * that a commit which was under way there is surely over.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/pg_schema.h"

#include "lib/store/backend.h"
#include "lib/store/views.h"

#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#define WHERE "PostgreSQL, schema holdfast"
#define LOCK  "5219509671615886196" /* the letters of "Holdfast" */

/* clang-format off */
/* As in SQLite (sqlite_schema.c): what an object was made with is one text. */
#define OBJECTS_TABLE(name)                                                            \
    "CREATE TABLE " name " ("                                                          \
    " kind TEXT NOT NULL, id TEXT NOT NULL, seq BIGINT PRIMARY KEY,"                   \
    " made TEXT NOT NULL DEFAULT '[]', UNIQUE (kind, id));"

#define CHANGED_TABLE                                                                  \
    "CREATE TABLE changed ("                                                           \
    " seq BIGINT NOT NULL REFERENCES objects ON DELETE CASCADE, attr TEXT NOT NULL,"   \
    " resource TEXT NOT NULL, value TEXT, PRIMARY KEY (seq, attr, resource))"          \
    " WITH (fillfactor = 70);"

#define VALUES_VIEW                                                                    \
    "CREATE VIEW object_values AS SELECT o.kind, o.id, o.seq, c.attr, c.resource,"     \
    " c.value FROM objects o JOIN changed c ON c.seq = o.seq"                          \
    " WHERE c.value IS NOT NULL"                                                       \
    " UNION ALL SELECT o.kind, o.id, o.seq, m.v->>0, m.v->>1, m.v->>2"                 \
    " FROM objects o, json_array_elements(o.made::json) AS m (v)"                      \
    " WHERE NOT EXISTS (SELECT 1 FROM changed c WHERE c.seq = o.seq"                   \
    " AND c.attr = m.v->>0 AND c.resource = m.v->>1)"                                  \
    " UNION ALL SELECT kind, id, seq, NULL, NULL, NULL FROM objects;"

/* Puts a value that somebody has edited over what the object was made with. The schema
 * may have been renamed since (pg_schema_put_aside()). */
#define EDIT(row, value)                                                               \
    " EXECUTE format('INSERT INTO %1$I.changed SELECT seq, $3, $4, $5"                 \
    " FROM %1$I.objects WHERE kind = $1 AND id = $2"                                   \
    " ON CONFLICT (seq, attr, resource) DO UPDATE SET value = excluded.value',"        \
    " TG_TABLE_SCHEMA) USING " row ".kind, " row ".id, " row ".attr, "                 \
    row ".resource, " value ";"

#define ATTRIBUTES_VIEW                                                                \
    "CREATE VIEW attributes AS SELECT kind, id, attr, resource, value"                 \
    " FROM object_values WHERE attr IS NOT NULL;"                                      \
    "CREATE FUNCTION attributes_edit() RETURNS trigger LANGUAGE plpgsql AS $edit$"     \
    " BEGIN IF TG_OP <> 'INSERT' THEN" EDIT("OLD", "NULL::text") " END IF;"            \
    " IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;" EDIT("NEW", "NEW.value")           \
    " RETURN NEW; END $edit$;"                                                         \
    "CREATE TRIGGER attributes_edit INSTEAD OF INSERT OR UPDATE OR DELETE"             \
    " ON attributes FOR EACH ROW EXECUTE FUNCTION attributes_edit();"

static const char tables[] =
    "CREATE SCHEMA IF NOT EXISTS holdfast;"
    "CREATE TABLE schema_version (version BIGINT NOT NULL);"
    "CREATE TABLE progress (last_seq BIGINT NOT NULL, epoch BIGINT NOT NULL,"
    " holder TEXT NOT NULL);"
    OBJECTS_TABLE("objects") CHANGED_TABLE VALUES_VIEW ATTRIBUTES_VIEW
    "CREATE TABLE journal ("
    " seq BIGINT PRIMARY KEY, at BIGINT NOT NULL, actor TEXT NOT NULL,"
    " fact TEXT NOT NULL, op TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,"
    " note TEXT);"
    "CREATE INDEX journal_object ON journal (kind, id);"
    "CREATE INDEX journal_at ON journal (at);"
    "CREATE TABLE journal_changes ("
    " seq BIGINT NOT NULL, n BIGINT NOT NULL, attr TEXT NOT NULL,"
    " resource TEXT NOT NULL, before TEXT, after TEXT, PRIMARY KEY (seq, n));"
    "CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO progress VALUES (0, 0, '');";

/* How long a start waits for another session to go. */
#define LOCK_TRIES  50
#define LOCK_TRY_MS 100

/* What brings a layout to the next one, by its version. Version 2 is the first that a
 * store in PostgreSQL can have; version 3 changed the file of SQLite only, and 4 and 5
 * what the server puts into the tables. Until 5 each value of an object had a row. */
static const struct {
    const char *sql;
    bool views; /* and make the views */
} steps[STORE_SCHEMA_VERSION] = {
    [2] = { .sql = "" },
    [3] = { .sql = "" },
    [4] = { .sql = "" },
    [5] = { .sql = "DROP VIEW IF EXISTS jobs, reservations, vnodes, queues;"
                   OBJECTS_TABLE("objects_new")
                   "INSERT INTO objects_new SELECT kind, id, o.seq,"
                   " coalesce(a.made, '[]') FROM objects o LEFT JOIN"
                   " (SELECT kind, id, json_agg(json_build_array(attr, resource, value)"
                   " ORDER BY attr COLLATE \"C\", resource COLLATE \"C\")::text AS made"
                   " FROM attributes GROUP BY kind, id) a USING (kind, id)"
                   " ORDER BY o.seq;"
                   "DROP TABLE attributes; DROP TABLE objects;"
                   "ALTER TABLE objects_new RENAME TO objects;"
                   CHANGED_TABLE VALUES_VIEW ATTRIBUTES_VIEW,
            .views = true },
};
/* clang-format on */

/* Try to take the writer's lock. 1: we have it, 0: another session has it, -1: failed.
 */
static int try_lock(struct pg_link *l, struct diag *why)
{
    int64_t got;

    if (pg_number(l, "SELECT pg_try_advisory_lock(" LOCK ")::int", 0, &got, why))
        return -1;
    return got != 0;
}

/* A server that was killed a moment ago has a session for a moment more; a start waits
 * for it to end. */
static int try_lock_for_a_while(struct pg_link *l, struct diag *why)
{
    int locked = try_lock(l, why);

    for (int i = 0; locked == 0 && i < LOCK_TRIES; i++) {
        poll(NULL, 0, LOCK_TRY_MS);
        locked = try_lock(l, why);
    }
    return locked;
}

/* Note which session of the database is ours, so that it can be ended when it
 * outlives its connection. A process number may be used again, so its start belongs
 * to it. */
static int remember_session(struct pg_link *l, struct pg_lease *lease, struct diag *why)
{
    PGresult *res = pg_query(l,
                             "SELECT pid, backend_start FROM pg_stat_activity"
                             " WHERE pid = pg_backend_pid()",
                             0, NULL, why);

    if (!res)
        return PBSE_SYSTEM;
    if (PQntuples(res) == 1) {
        snprintf(lease->pid, sizeof(lease->pid), "%s", PQgetvalue(res, 0, 0));
        snprintf(lease->since, sizeof(lease->since), "%s", PQgetvalue(res, 0, 1));
    }
    PQclear(res);
    return 0;
}

/* Say that another server has the store, and which one, as far as it can be read. */
static int holder_error(struct pg_link *l, struct diag *why)
{
    struct diag ignored;
    PGresult *res =
        pg_query(l, "SELECT holder FROM holdfast.progress", 0, NULL, &ignored);

    diag_set(why, PBSE_OBJBUSY, "%s: another server uses this store%s%s", WHERE,
             res && PQntuples(res) ? ": " : "",
             res && PQntuples(res) ? PQgetvalue(res, 0, 0) : "");
    PQclear(res);
    return PBSE_OBJBUSY;
}

/* The version of the layout; 0 when the database has no tables yet, -1 when its tables
 * are not ours. */
static int version_of(struct pg_link *l, int64_t *version, struct diag *why)
{
    int64_t n, table;
    int err = pg_number(l,
                        "SELECT count(*) FROM pg_class"
                        " WHERE relnamespace = to_regnamespace('holdfast')",
                        0, &n, why);

    if (!err)
        err = pg_number(l,
                        "SELECT (to_regclass('holdfast.schema_version') IS NOT NULL)"
                        "::int",
                        0, &table, why);
    if (err)
        return err;
    *version = n ? -1 : 0;
    if (!table)
        return 0;
    return pg_number(l, "SELECT version FROM schema_version", -1, version, why);
}

/* Bring the layout to the next version, all or nothing. */
static int step(struct pg_link *l, int64_t from, struct diag *why)
{
    struct arena *arena = arena_new();
    const char *text = arena_printf(
        arena,
        "BEGIN; DELETE FROM schema_version;"
        "INSERT INTO schema_version VALUES (%" PRId64 "); %s %s; COMMIT",
        from + 1, steps[from].sql, steps[from].views ? store_views_sql(arena) : "");
    int err = pg_script(l, PG_LOAD_MS, text, why);

    arena_free(arena);
    return err;
}

static int make(struct pg_link *l, struct diag *why)
{
    struct arena *arena = arena_new();
    char *text =
        xasprintf("BEGIN; %s %s INSERT INTO schema_version VALUES (%d); COMMIT", tables,
                  store_views_sql(arena), STORE_SCHEMA_VERSION);
    int err = pg_script(l, PG_STATEMENT_MS, text, why);

    free(text);
    arena_free(arena);
    return err;
}

static int bring_up_to_date(struct pg_link *l, struct diag *why)
{
    int64_t version;
    int err = version_of(l, &version, why);

    if (err)
        return err;
    if (version == 0)
        return make(l, why);
    if (version < 0 || version > STORE_SCHEMA_VERSION)
        return store_version_error(WHERE, version, why);
    for (; version < STORE_SCHEMA_VERSION && !err; version++)
        err = steps[version].sql ? step(l, version, why)
                                 : store_version_error(WHERE, version, why);
    return err;
}

/* Begin a new epoch: from here on, no commit of an earlier holder succeeds. */
static int begin_epoch(struct pg_link *l, const char *holder, struct pg_lease *lease,
                       struct diag *why)
{
    PGresult *res = pg_query(l,
                             "UPDATE progress SET epoch = epoch + 1, holder = $1"
                             " RETURNING epoch",
                             1, &holder, why);
    int err = 0;

    if (!res)
        return PBSE_SYSTEM;
    if (PQntuples(res) == 1)
        lease->epoch = strtoll(PQgetvalue(res, 0, 0), NULL, 10);
    else
        err = store_version_error(WHERE, -1, why);
    PQclear(res);
    return err;
}

int pg_schema_open(struct pg_link *l, const char *holder, struct pg_lease *lease,
                   struct diag *why)
{
    int err, locked = try_lock_for_a_while(l, why);

    if (locked < 0)
        return PBSE_SYSTEM;
    if (!locked)
        return holder_error(l, why);
    err = bring_up_to_date(l, why);
    if (!err)
        err = begin_epoch(l, holder, lease, why);
    return err ? err : remember_session(l, lease, why);
}

/* End the session that our last connection had. It may still be in the middle of a
 * commit. */
static int end_old_session(struct pg_link *l, const struct pg_lease *lease,
                           struct diag *why)
{
    const char *const params[] = { lease->pid, lease->since };
    PGresult *res = pg_query(l,
                             "SELECT pg_terminate_backend(pid, 5000)"
                             " FROM pg_stat_activity WHERE pid = $1::int"
                             " AND backend_start = $2::timestamptz",
                             2, params, why);

    if (!res)
        return PBSE_SYSTEM;
    PQclear(res);
    return 0;
}

/* Take the lock on a new connection, from our own old session where that has it. 1: we
 * have it, 0: another session has it, -1: failed. */
static int take_lock_again(struct pg_link *l, struct pg_lease *lease, struct diag *why)
{
    int locked = try_lock(l, why);

    if (locked == 0) {
        if (end_old_session(l, lease, why))
            return -1;
        locked = try_lock(l, why);
    }
    if (locked == 1 && remember_session(l, lease, why))
        return -1;
    return locked;
}

int pg_schema_resume(struct pg_link *l, struct pg_lease *lease, uint64_t *last_seq,
                     struct diag *why)
{
    int err = 0, locked = take_lock_again(l, lease, why);
    PGresult *res;

    if (locked < 0)
        return PBSE_SYSTEM;
    res = pg_query(l, "SELECT epoch, last_seq, holder FROM progress", 0, NULL, why);
    if (!res)
        return PBSE_SYSTEM;
    if (PQntuples(res) != 1)
        err = store_version_error(WHERE, -1, why);
    else if (strtoll(PQgetvalue(res, 0, 0), NULL, 10) != lease->epoch)
        err = diag_set(why, PBSE_OBJBUSY, "%s: taken over by another server: %s", WHERE,
                       PQgetvalue(res, 0, 2));
    /* The epoch is still ours, so no other server has the store: the session is most
     * likely our own. */
    else if (!locked)
        err = diag_set(why, PBSE_SYSTEM,
                       "%s: another session has the writer's lock; if it is process "
                       "%s of the database, this server's last one, which does not "
                       "end: end it there",
                       WHERE, lease->pid);
    else
        *last_seq = strtoull(PQgetvalue(res, 0, 1), NULL, 10);
    PQclear(res);
    return err;
}

int pg_schema_exists(struct pg_link *l, bool *exists, struct diag *why)
{
    int64_t version;
    int err = version_of(l, &version, why);

    if (!err)
        *exists = version != 0;
    return err;
}

int pg_schema_put_aside(struct pg_link *l, int64_t now_at, struct diag *why)
{
    int err, locked = try_lock_for_a_while(l, why);
    char *text;

    if (locked < 0)
        return PBSE_SYSTEM;
    if (!locked)
        return holder_error(l, why);
    text = xasprintf("ALTER SCHEMA holdfast RENAME TO holdfast_%" PRId64, now_at);
    err = pg_script(l, PG_STATEMENT_MS, text, why);
    free(text);
    return err;
}
