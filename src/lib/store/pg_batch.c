/* pg_batch.c - a batch on its way to PostgreSQL.
 *
 * A group commit of many records costs two round trips: one pipeline with a statement
 * for each table, whose parameters are whole columns as arrays, and the COMMIT when all
 * of them touched as many rows as they should.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/pg_batch.h"

#include "lib/store/backend.h"
#include "lib/store/made_text.h"
#include "lib/store/pg_text.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 8

enum statement {
    PG_BEGIN,
    PG_PROGRESS,
    PG_JOURNAL,
    PG_CHANGES,
    PG_NEEDED,
    PG_GONE,
    PG_MADE,
    PG_SET,
    PG_NOTES,
    PG_COMMIT,
    PG_ROLLBACK,
    PG_COUNT
};

/* clang-format off */
static const struct {
    const char *name;
    int n_params;
    bool exactly; /* as many rows as there are elements, or the batch does not fit */
    const char *sql;
} statements[PG_COUNT] = {
    [PG_BEGIN] = { "hf_begin", 0, false, "BEGIN ISOLATION LEVEL READ COMMITTED" },
    [PG_PROGRESS] = { "hf_progress", 3, true,
        "UPDATE progress SET last_seq = $1::bigint"
        " WHERE last_seq = $2::bigint AND epoch = $3::bigint" },
    [PG_JOURNAL] = { "hf_journal", 8, true,
        "INSERT INTO journal SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[],"
        " $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])" },
    [PG_CHANGES] = { "hf_changes", 6, true,
        "INSERT INTO journal_changes SELECT * FROM unnest($1::bigint[], $2::bigint[],"
        " $3::text[], $4::text[], $5::text[], $6::text[])" },
    [PG_NEEDED] = { "hf_needed", 2, true,
        "SELECT 1 FROM objects JOIN unnest($1::text[], $2::text[]) AS b (kind, id)"
        " USING (kind, id)" },
    [PG_GONE] = { "hf_gone", 2, true,
        "DELETE FROM objects o USING unnest($1::text[], $2::text[]) AS b (kind, id)"
        " WHERE o.kind = b.kind AND o.id = b.id" },
    [PG_MADE] = { "hf_made", 4, true,
        "INSERT INTO objects (kind, id, seq, made) SELECT * FROM unnest($1::text[],"
        " $2::text[], $3::bigint[], $4::text[])" },
    [PG_SET] = { "hf_set", 5, true,
        "INSERT INTO changed SELECT o.seq, b.attr, b.resource, b.value"
        " FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])"
        " AS b (kind, id, attr, resource, value) JOIN objects o USING (kind, id)"
        " ON CONFLICT (seq, attr, resource) DO UPDATE SET value = excluded.value" },
    [PG_NOTES] = { "hf_notes", 2, true,
        "INSERT INTO notes SELECT * FROM unnest($1::text[], $2::text[])"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value" },
    [PG_COMMIT] = { "hf_commit", 0, false, "COMMIT" },
    [PG_ROLLBACK] = { "hf_rollback", 0, false, "ROLLBACK" },
};
/* clang-format on */

int pg_batch_prepare(struct pg_link *l, struct diag *why)
{
    for (size_t i = 0; i < PG_COUNT; i++) {
        PGresult *res =
            PQprepare(l->conn, statements[i].name, statements[i].sql, 0, NULL);
        int err = PQresultStatus(res) == PGRES_COMMAND_OK ? 0 : pg_failed(l, res, why);

        PQclear(res);
        if (err)
            return err;
    }
    return 0;
}

/* A pipeline: what was sent, and how many rows each is to touch. */
struct pipeline {
    struct pg_link *l;
    struct arena *arena;
    struct buf columns[COLUMNS_MAX];
    size_t n;
    struct {
        enum statement which;
        uint64_t rows;
    } sent[PG_COUNT];
    bool failed; /* sending; the connection is of no more use */
};

/* A failure to send is noted and told by pipeline_end(), so that callers need not
 * ask after each statement. */
static void pipeline_begin(struct pipeline *p, struct pg_link *l)
{
    *p = (struct pipeline){ .l = l, .arena = arena_new() };
    p->failed = !l->conn || !PQenterPipelineMode(l->conn);
}

static void send_params(struct pipeline *p, enum statement which, uint64_t rows,
                        const char *const *params)
{
    MUST(p->n < PG_COUNT); /* each statement is sent once at most */
    if (p->failed)
        return;
    p->sent[p->n].which = which;
    p->sent[p->n++].rows = rows;
    if (!PQsendQueryPrepared(p->l->conn, statements[which].name,
                             statements[which].n_params, params, NULL, NULL, 0))
        p->failed = true;
}

/* The columns were filled with 'rows' elements each; nothing is sent for none. */
static void send_columns(struct pipeline *p, enum statement which, uint64_t rows)
{
    const char *params[COLUMNS_MAX];

    if (rows == 0)
        return;
    MUST(statements[which].n_params <= COLUMNS_MAX);
    for (int i = 0; i < statements[which].n_params; i++)
        params[i] = pg_array_end(&p->columns[i]);
    send_params(p, which, rows, params);
    for (int i = 0; i < COLUMNS_MAX; i++)
        buf_clear(&p->columns[i]);
}

static void text(struct pipeline *p, int column, const char *s)
{
    MUST(column < COLUMNS_MAX);
    pg_array_text(&p->columns[column], s, p->arena);
}

static void number(struct pipeline *p, int column, uint64_t n)
{
    pg_array_number(&p->columns[column], (int64_t)n);
}

/* True when the statement touched as many rows as it had elements; where it did not,
 * a record contradicts what is stored. */
static bool is_what_it_should_be(const struct pipeline *p, size_t i,
                                 const PGresult *res)
{
    uint64_t rows;

    if (!statements[p->sent[i].which].exactly)
        return true;
    rows = PQresultStatus(res) == PGRES_TUPLES_OK
               ? (uint64_t)PQntuples(res)
               : strtoull(PQcmdTuples((PGresult *)res), NULL, 10);
    return rows == p->sent[i].rows;
}

/* Say what did not fit: the mark of progress, or the objects. */
static int misfit(const struct pipeline *p, size_t i, struct diag *why)
{
    if (p->sent[i].which == PG_PROGRESS)
        return diag_set(why, PBSE_OBJBUSY,
                        "PostgreSQL: the store is not as this server left it: another "
                        "server has taken it over, or it was put back");
    return diag_set(why, PBSE_INTERNAL, "a record contradicts the stored objects");
}

/* What the database itself refuses because of what is stored: class 23 of its codes are
 * broken constraints, such as an object that is there already. */
static int statement_error(const PGresult *res)
{
    const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);

    return state && strncmp(state, "23", 2) == 0 ? PBSE_INTERNAL : PBSE_SAVE_ERR;
}

/* Take one statement's result and the mark behind it. The first error is kept in *err;
 * those that follow come of it. False: the connection is lost. */
static bool take_result(struct pipeline *p, size_t i, int *err, struct diag *why)
{
    PGresult *res, *mark;
    ExecStatusType status;

    MUST(i < p->n);
    if (!pg_next(p->l, PG_STATEMENT_MS, &res, *err ? NULL : why))
        return false;
    status = PQresultStatus(res);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
        if (!*err && !is_what_it_should_be(p, i, res))
            *err = misfit(p, i, why);
    } else if (!*err) {
        *err = diag_set(why, statement_error(res), "PostgreSQL: %s",
                        PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY)
                            ? PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY)
                            : PQerrorMessage(p->l->conn));
        pg_failed(p->l, res, NULL);
    }
    PQclear(res);
    if (!p->l->conn || !pg_next(p->l, PG_STATEMENT_MS, &mark, NULL))
        return false;
    PQclear(mark); /* NULL: the end of this statement */
    return true;
}

/* Take all results and leave the pipeline. A connection that is not in order
 * afterwards is dropped: nobody could tell which answer belongs to which statement. */
static int pipeline_end(struct pipeline *p, struct diag *why)
{
    bool up = !p->failed && PQpipelineSync(p->l->conn);
    PGresult *mark;
    int err = 0;

    for (size_t i = 0; i < p->n && up; i++)
        up = take_result(p, i, &err, why);
    if (up && pg_next(p->l, PG_STATEMENT_MS, &mark, err ? NULL : why)) {
        up = PQresultStatus(mark) == PGRES_PIPELINE_SYNC;
        PQclear(mark);
    } else {
        up = false;
    }
    if (up)
        up = PQexitPipelineMode(p->l->conn);
    if (!up) {
        if (p->l->conn && !err)
            diag_set(why, PBSE_SAVE_ERR, "PostgreSQL: %s", PQerrorMessage(p->l->conn));
        pg_link_drop(p->l);
        err = err ? err : PBSE_SAVE_ERR;
    }
    for (int i = 0; i < COLUMNS_MAX; i++)
        buf_fini(&p->columns[i]);
    arena_free(p->arena);
    return err;
}

/* The mark of progress, as in SQLite: it moves only from where we left it. */
static void send_progress(struct pipeline *p, const struct pg_step *step)
{
    const char *const params[] = {
        arena_printf(p->arena, "%" PRIu64, step->new_seq),
        arena_printf(p->arena, "%" PRIu64, step->old_seq),
        arena_printf(p->arena, "%" PRId64, step->epoch),
    };

    send_params(p, PG_PROGRESS, 1, params);
}

static void send_journal(struct pipeline *p, const struct store_batch *batch)
{
    uint64_t n_changes = 0;

    for (size_t i = 0; i < batch->n_records; i++) {
        const struct store_record *r = &batch->records[i];

        number(p, 0, r->seq);
        number(p, 1, (uint64_t)r->at);
        text(p, 2, r->actor);
        text(p, 3, r->fact);
        text(p, 4, store_op_name(r->op));
        text(p, 5, r->kind);
        text(p, 6, r->id);
        text(p, 7, r->note);
    }
    send_columns(p, PG_JOURNAL, batch->n_records);
    for (size_t i = 0; i < batch->n_records; i++)
        for (size_t j = 0; j < batch->records[i].n; j++) {
            const struct store_change *c = &batch->records[i].changes[j];

            number(p, 0, batch->records[i].seq);
            number(p, 1, j);
            text(p, 2, c->attr);
            text(p, 3, c->resource);
            text(p, 4, store_journal_text(c->before, p->arena));
            text(p, 5, store_journal_text(c->after, p->arena));
            n_changes++;
        }
    send_columns(p, PG_CHANGES, n_changes);
}

static void send_objects(struct pipeline *p, enum statement which,
                         const struct net_object *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        text(p, 0, v[i].kind);
        text(p, 1, v[i].id);
    }
    send_columns(p, which, n);
}

static void send_made(struct pipeline *p, const struct net_object *v, size_t n)
{
    struct buf made = { 0 };

    for (size_t i = 0; i < n; i++) {
        text(p, 0, v[i].kind);
        text(p, 1, v[i].id);
        number(p, 2, v[i].seq);
        made_to_text(v[i].values, v[i].n, p->arena, &made);
        text(p, 3, made.data);
    }
    send_columns(p, PG_MADE, n);
    buf_fini(&made);
}

static void send_values(struct pipeline *p, const struct net_value *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        text(p, 0, v[i].kind);
        text(p, 1, v[i].id);
        text(p, 2, v[i].attr);
        text(p, 3, v[i].resource);
        text(p, 4, v[i].value);
    }
    send_columns(p, PG_SET, n);
}

/* A key may be in the batch more than once, and the last one counts. One statement
 * cannot set a row twice, so the others are left out. */
static bool is_last(const struct store_batch *batch, size_t i)
{
    for (size_t j = i + 1; j < batch->n_notes; j++)
        if (strcmp(batch->notes[i].key, batch->notes[j].key) == 0)
            return false;
    return true;
}

static void send_notes(struct pipeline *p, const struct store_batch *batch)
{
    uint64_t n = 0;

    for (size_t i = 0; i < batch->n_notes; i++)
        if (is_last(batch, i)) {
            text(p, 0, batch->notes[i].key);
            text(p, 1, batch->notes[i].value);
            n++;
        }
    send_columns(p, PG_NOTES, n);
}

static int run_alone(struct pg_link *l, enum statement which, struct diag *why)
{
    struct pipeline p;

    pipeline_begin(&p, l);
    send_params(&p, which, 0, NULL);
    return pipeline_end(&p, why);
}

int pg_batch_write(struct pg_link *l, const struct store_batch *batch,
                   const struct net *net, const struct pg_step *step, struct diag *why)
{
    struct pipeline p;
    int err;

    MUST(step->new_seq >= step->old_seq);
    pipeline_begin(&p, l);
    send_params(&p, PG_BEGIN, 0, NULL);
    send_progress(&p, step);
    send_journal(&p, batch);
    send_objects(&p, PG_NEEDED, net->needed, net->n_needed);
    send_objects(&p, PG_GONE, net->gone, net->n_gone);
    send_made(&p, net->made, net->n_made);
    send_values(&p, net->set, net->n_set);
    send_notes(&p, batch);
    err = pipeline_end(&p, why);
    if (err && l->conn)
        (void)!run_alone(l, PG_ROLLBACK, NULL);
    return err;
}

int pg_batch_commit(struct pg_link *l, struct diag *why)
{
    return run_alone(l, PG_COMMIT, why);
}
