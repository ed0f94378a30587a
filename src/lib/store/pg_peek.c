/* pg_peek.c - a look at one object in PostgreSQL, in a session that can do nothing
 * else.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/backend.h"
#include "lib/store/pg_link.h"
#include "lib/store/pg_objects.h"
#include "lib/store/pg_text.h"

#include <libpq-fe.h>

static int check_layout(struct pg_link *l, struct diag *why)
{
    int64_t version = 0;
    int err = pg_number(l, "SELECT version FROM schema_version", -1, &version, why);

    if (err || version == STORE_SCHEMA_VERSION)
        return err;
    return store_version_error("PostgreSQL", version, why);
}

static int read_object(struct pg_link *l, const char *kind, const char *id,
                       store_each_fn each, void *arg, struct diag *why)
{
    struct arena *arena = arena_new();
    const char *const params[] = { pg_text_out(kind, arena), pg_text_out(id, arena) };
    struct object_rows *rows = object_rows_new(each, arg, why);
    PGresult *res =
        pg_query(l, PG_OBJECT_ROWS("o.kind = $1 AND o.id = $2"), 2, params, why);
    int err = res ? pg_object_rows(rows, res, arena) : PBSE_SYSTEM;

    if (!err)
        err = object_rows_end(rows);
    PQclear(res);
    object_rows_free(rows);
    arena_free(arena);
    return err;
}

int store_pg_peek(const char *conninfo, const struct store_config *cfg,
                  const char *kind, const char *id, store_each_fn each, void *arg,
                  struct diag *why)
{
    struct pg_link l;
    int err = pg_link_init(&l, conninfo, cfg->password_file, why);

    if (!err)
        err = pg_link_open(&l, why);
    if (!err)
        err = pg_script(&l, PG_STATEMENT_MS, "SET default_transaction_read_only = on",
                        why);
    if (!err)
        err = check_layout(&l, why);
    if (!err)
        err = read_object(&l, kind, id, each, arg, why);
    pg_link_fini(&l);
    return err;
}
