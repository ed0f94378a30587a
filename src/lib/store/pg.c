/* pg.c - the store in PostgreSQL.
 *
 * The same tables as in SQLite (pg_schema.c), written in sets (pg_batch.c) over one
 * connection (pg_link.c). A lost connection is made again by the next try of the
 * commit. Was the commit itself under way when it broke, nobody knows whether it
 * happened; the number of the last record tells, once the old session has surely ended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/backend.h"

#include "lib/store/batch_sum.h"
#include "lib/store/pg_batch.h"
#include "lib/store/pg_link.h"
#include "lib/store/pg_objects.h"
#include "lib/store/pg_schema.h"
#include "lib/store/pg_text.h"
#include "lib/store/rows.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

struct pg_store {
    struct store base;
    struct pg_link link;
    struct pg_lease lease;
    bool in_doubt; /* COMMIT was sent, and no answer came */
};

static struct pg_store *self(struct store *s)
{
    return STRUCT_OF(s, struct pg_store, base);
}

/* A failed commit is PBSE_SAVE_ERR to the caller, whatever the cause, unless no further
 * try helps: another server has the store, or a record contradicts it. */
static int save_error(int err)
{
    return err == PBSE_OBJBUSY || err == PBSE_INTERNAL ? err : PBSE_SAVE_ERR;
}

/* Connect again and make sure that the store is as we left it. *done says that the
 * batch was committed before the last connection broke. */
static int come_back(struct pg_store *p, uint64_t new_seq, bool *done, struct diag *why)
{
    uint64_t last_seq = 0;
    MUST(!p->link.conn);

    int err = pg_link_open(&p->link, why);

    /* The lease comes first: when another server has the store, nothing else
     * matters. */
    if (!err)
        err = pg_schema_resume(&p->link, &p->lease, &last_seq, why);
    if (!err)
        err = pg_batch_prepare(&p->link, why);
    if (err) {
        pg_link_drop(&p->link);
        return err;
    }
    /* After a commit whose answer never came, the store may be at either number. */
    if (last_seq != p->base.last_seq && !(p->in_doubt && last_seq == new_seq)) {
        pg_link_drop(&p->link);
        return diag_set(why, PBSE_OBJBUSY,
                        "PostgreSQL: the store is at record %" PRIu64
                        ", this server left it at %" PRIu64 ": it was put back",
                        last_seq, p->base.last_seq);
    }
    *done = p->in_doubt && last_seq == new_seq && new_seq != p->base.last_seq;
    p->in_doubt = false;
    return 0;
}

static int write_all(struct pg_store *p, const struct store_batch *batch,
                     const struct net *net, uint64_t new_seq, struct diag *why)
{
    const struct pg_step step = { p->base.last_seq, new_seq, p->lease.epoch };
    int err;

    MUST(p->link.conn && !p->in_doubt && new_seq >= p->base.last_seq);
    err = pg_batch_write(&p->link, batch, net, &step, why);
    if (err)
        return err;
    /* This is set before COMMIT leaves us: from now on a broken connection tells
     * nothing. */
    p->in_doubt = true;
    err = pg_batch_commit(&p->link, why);
    /* There was an answer, yes or no, if the connection still stands. */
    if (!err || p->link.conn)
        p->in_doubt = false;
    return err;
}

static int pg_commit(struct store *s, const struct store_batch *batch, struct diag *why)
{
    struct pg_store *p = self(s);
    struct arena *arena = arena_new();
    uint64_t new_seq =
        batch->n_records ? batch->records[batch->n_records - 1].seq : s->last_seq;
    bool done = false;
    struct net net;
    /* A batch that contradicts itself is refused without asking the server. */
    int err = net_of(batch, arena, &net, why);

    if (!err && !p->link.conn)
        err = come_back(p, new_seq, &done, why);
    if (!err && !done)
        err = write_all(p, batch, &net, new_seq, why);
    arena_free(arena);
    p->base.out_of_reach = err && !p->link.conn;
    if (err && why)
        why->code = save_error(err);
    return err ? save_error(err) : 0;
}

/* Who takes the rows of a result and makes records of them. */
struct taker {
    int (*take)(void *to, const PGresult *res, struct arena *arena);
    int (*end)(void *to);
    void *to;
};

/* Take the journal rows of one result, with their texts brought back to the bytes that
 * were stored. */
static int take_rows(void *to, const PGresult *res, struct arena *arena)
{
    const char *columns[ROW_COLUMNS];
    int err = 0;

    for (int i = 0; i < PQntuples(res) && !err; i++) {
        for (int c = 0; c < ROW_COLUMNS; c++)
            columns[c] = PQgetisnull(res, i, c)
                             ? NULL
                             : pg_text_in(PQgetvalue(res, i, c), arena);
        err = rows_add(to, columns);
    }
    /* rows_add() has copied what it needs. */
    arena_clear(arena);
    return err;
}

static int end_rows(void *to)
{
    return rows_end(to);
}

static int take_objects(void *to, const PGresult *res, struct arena *arena)
{
    return pg_object_rows(to, res, arena);
}

static int end_objects(void *to)
{
    return object_rows_end(to);
}

/* The caller wants no further rows: those that still come are read and dropped. */
static void stop_reading(struct pg_link *l)
{
    PGcancel *cancel = PQgetCancel(l->conn);
    char ignored[256];
    PGresult *res;

    if (cancel)
        PQcancel(cancel, ignored, sizeof(ignored));
    PQfreeCancel(cancel);
    while (pg_next(l, PG_STATEMENT_MS, &res, NULL) && res)
        PQclear(res);
}

/* Read results until there are no more. In single-row mode each result has one row. */
static int read_all(struct pg_store *p, const struct taker *taker, struct diag *why)
{
    struct arena *arena = arena_new();
    PGresult *res = NULL;
    int err = 0;

    while (!err) {
        if (!pg_next(&p->link, PG_LOAD_MS, &res, why)) {
            err = PBSE_SYSTEM;
            break;
        }
        if (!res)
            break;
        if (PQresultStatus(res) == PGRES_FATAL_ERROR)
            err = pg_failed(&p->link, res, why);
        else
            err = taker->take(taker->to, res, arena);
        PQclear(res);
    }
    arena_free(arena);
    if (!err)
        return taker->end(taker->to);
    if (p->link.conn)
        stop_reading(&p->link);
    return err;
}

static int each_row(struct pg_store *p, const char *sql, int n,
                    const char *const *params, const struct taker *taker,
                    struct diag *why)
{
    if (!p->link.conn)
        return diag_set(why, PBSE_SYSTEM, "PostgreSQL: no connection");
    if (!PQsendQueryParams(p->link.conn, sql, n, NULL, params, NULL, NULL, 0))
        return pg_failed(&p->link, NULL, why);
    /* Otherwise libpq would hold all rows in memory at once. */
    PQsetSingleRowMode(p->link.conn);
    return read_all(p, taker, why);
}

static int pg_load(struct store *s, const char *kind, store_each_fn each, void *arg,
                   struct diag *why)
{
    struct object_rows *rows = object_rows_new(each, arg, why);
    const struct taker taker = { take_objects, end_objects, rows };
    int err =
        kind ? each_row(self(s), PG_OBJECT_ROWS("o.kind = $1"), 1, &kind, &taker, why)
             : each_row(self(s), PG_OBJECT_ROWS("true"), 0, NULL, &taker, why);

    object_rows_free(rows);
    return err;
}

static int pg_journal(struct store *s, const struct store_query *query,
                      store_each_fn each, void *arg, struct diag *why)
{
    struct arena *arena = arena_new();
    struct rows *rows = rows_new(each, arg);
    const struct taker taker = { take_rows, end_rows, rows };
    const char *const params[] = {
        arena_printf(arena, "%" PRIu64, query->since),
        arena_printf(arena, "%" PRId64, query->from_at),
        query->until_at ? arena_printf(arena, "%" PRId64, query->until_at) : NULL,
        pg_text_out(query->kind, arena),
        pg_text_out(query->id, arena),
        query->limit ? arena_printf(arena, "%" PRIu64, query->limit) : NULL,
        pg_text_out(query->facts[0], arena),
        pg_text_out(query->facts[1], arena),
    };
    int err = each_row(
        self(s),
        "SELECT j.seq, j.at, j.actor, j.fact, j.op, j.kind, j.id, j.note,"
        " c.attr, c.resource, c.before, c.after FROM (SELECT * FROM journal"
        " WHERE seq > $1::bigint AND at >= $2::bigint"
        " AND ($3::bigint IS NULL OR at < $3::bigint)"
        " AND ($4::text IS NULL OR kind = $4) AND ($5::text IS NULL OR id = $5)"
        " AND ($7::text IS NULL OR fact = $7 OR fact = $8::text)"
        " ORDER BY seq LIMIT $6::bigint) j"
        " LEFT JOIN journal_changes c ON c.seq = j.seq ORDER BY j.seq, c.n",
        ARRAY_LEN(params), params, &taker, why);

    rows_free(rows);
    arena_free(arena);
    return err;
}

static int pg_prune(struct store *s, int64_t before_at, uint64_t max, uint64_t *n,
                    struct diag *why)
{
    struct pg_store *p = self(s);
    struct arena *arena = arena_new();
    const char *const params[] = { arena_printf(arena, "%" PRId64, before_at),
                                   arena_printf(arena, "%" PRIu64, max) };
    /* This is one statement, so it is one transaction, and both deletions see the same
     * "old". */
    PGresult *res = pg_query(&p->link,
                             "WITH old AS (SELECT seq FROM journal WHERE"
                             " at < $1::bigint ORDER BY seq LIMIT $2::bigint),"
                             " c AS (DELETE FROM journal_changes USING old"
                             " WHERE journal_changes.seq = old.seq)"
                             " DELETE FROM journal USING old"
                             " WHERE journal.seq = old.seq",
                             2, params, why);

    arena_free(arena);
    if (!res)
        return PBSE_SAVE_ERR;
    *n = strtoull(PQcmdTuples(res), NULL, 10);
    PQclear(res);
    return 0;
}

static int pg_note_get(struct store *s, const char *key, struct arena *arena,
                       const char **ret, struct diag *why)
{
    PGresult *res = pg_query(&self(s)->link, "SELECT value FROM notes WHERE key = $1",
                             1, &key, why);

    if (!res)
        return PBSE_SYSTEM;
    *ret = NULL;
    if (PQntuples(res) == 1)
        *ret = arena_strdup(arena, pg_text_in(PQgetvalue(res, 0, 0), arena));
    PQclear(res);
    return 0;
}

static void pg_close(struct store *s)
{
    struct pg_store *p = self(s);

    pg_link_fini(&p->link);
    free(p);
}

static const struct store_ops pg_ops = {
    pg_close, pg_commit, pg_load, pg_note_get, pg_journal, pg_prune, NULL,
};

static int open_all(struct pg_store *p, const char *holder, struct diag *why)
{
    int64_t objects = 0, last_seq = 0;
    int err = pg_link_open(&p->link, why);

    /* A service that is not up yet is PBSE_TRYAGAIN; one that refuses us would do so
     * again. */
    if (err && !pg_link_is_served(&p->link)) {
        why->code = PBSE_TRYAGAIN;
        return PBSE_TRYAGAIN;
    }
    if (!err)
        err = pg_schema_open(&p->link, holder, &p->lease, why);
    if (!err)
        err = pg_batch_prepare(&p->link, why);
    if (!err)
        err = pg_number(&p->link, "SELECT 1 FROM objects LIMIT 1", 0, &objects, why);
    if (!err)
        err = pg_number(&p->link, "SELECT last_seq FROM progress", 0, &last_seq, why);
    p->base.is_new = objects == 0;
    p->base.last_seq = (uint64_t)last_seq;
    return err;
}

int store_pg_open(const char *conninfo, const struct store_config *cfg,
                  struct store **ret, struct diag *why)
{
    struct pg_store *p = xcalloc(1, sizeof(*p));
    int err;

    p->base.ops = &pg_ops;
    err = pg_link_init(&p->link, conninfo, cfg->password_file, why);
    if (!err)
        err = open_all(p, cfg->holder ? cfg->holder : "", why);
    if (err) {
        pg_close(&p->base);
        return err;
    }
    *ret = &p->base;
    return 0;
}

bool store_pg_exists(const char *conninfo, const struct store_config *cfg)
{
    struct pg_link l;
    struct diag ignored;
    bool exists = false;
    int err = pg_link_init(&l, conninfo, cfg->password_file, &ignored);

    if (!err)
        err = pg_link_open(&l, &ignored);
    if (!err)
        err = pg_schema_exists(&l, &exists, &ignored);
    pg_link_fini(&l);
    return !err && exists;
}

int store_pg_put_aside(const char *conninfo, const struct store_config *cfg,
                       int64_t now_at, struct diag *why)
{
    struct pg_link l;
    int err = pg_link_init(&l, conninfo, cfg->password_file, why);

    if (!err)
        err = pg_link_open(&l, why);
    if (!err)
        err = pg_schema_put_aside(&l, now_at, why);
    pg_link_fini(&l);
    return err;
}
