/* pg_peek.c - a look at one object in PostgreSQL, in a session that can do nothing
 * else.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/pg_link.h"
#include "lib/store/pg_text.h"
#include "lib/store/rows.h"

#include <libpq-fe.h>

static int check_layout(struct pg_link *l, struct diag *why)
{
    int64_t version = 0;
    int err = pg_number(l, "SELECT version FROM schema_version", -1, &version, why);

    if (err || version == STORE_SCHEMA_VERSION)
        return err;
    return store_version_error("PostgreSQL", version, why);
}

static int read_rows(struct pg_link *l, const char *kind, const char *id,
                     struct rows *rows, struct diag *why)
{
    struct arena *arena = arena_new();
    const char *const params[] = { pg_text_out(kind, arena), pg_text_out(id, arena) };
    PGresult *res =
        pg_query(l,
                 "SELECT o.seq, 0, '', 'loaded', 'create', o.kind, o.id, NULL,"
                 " a.attr, a.resource, NULL, a.value FROM objects o"
                 " LEFT JOIN attributes a ON a.kind = o.kind AND a.id = o.id"
                 " WHERE o.kind = $1 AND o.id = $2"
                 " ORDER BY a.attr COLLATE \"C\", a.resource COLLATE \"C\"",
                 2, params, why);
    int err = res ? 0 : PBSE_SYSTEM;

    for (int i = 0; res && !err && i < PQntuples(res); i++) {
        const char *columns[ROW_COLUMNS];

        for (int c = 0; c < ROW_COLUMNS; c++)
            columns[c] = PQgetisnull(res, i, c)
                             ? NULL
                             : pg_text_in(PQgetvalue(res, i, c), arena);
        err = rows_add(rows, columns);
    }
    PQclear(res);
    arena_free(arena);
    return err;
}

int store_pg_peek(const char *conninfo, const struct store_config *cfg,
                  const char *kind, const char *id, struct rows *rows, struct diag *why)
{
    struct pg_link l;
    int err = pg_link_init(&l, conninfo, cfg->password_file, why);

    if (!err)
        err = pg_link_open(&l, why);
    if (!err)
        err = pg_script(&l, "SET default_transaction_read_only = on", why);
    if (!err)
        err = check_layout(&l, why);
    if (!err)
        err = read_rows(&l, kind, id, rows, why);
    pg_link_fini(&l);
    return err;
}
