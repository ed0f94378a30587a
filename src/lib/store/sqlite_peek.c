/* sqlite_peek.c - a look at one object of an SQLite file, by a connection that cannot
 * write. The log lets readers in beside the server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/backend.h"
#include "lib/store/sqlite_objects.h"

#define BUSY_MS 5000

static int check_layout(const struct sqlite_file *f, struct diag *why)
{
    int64_t version;

    if (!sqlite_file_ask(f, "SELECT version FROM schema_version", &version))
        return sqlite_file_error(f, why);
    return version == STORE_SCHEMA_VERSION ? 0
                                           : store_version_error(f->path, version, why);
}

static int read_object(const struct sqlite_file *f, const char *kind, const char *id,
                       store_each_fn each, void *arg, struct diag *why)
{
    sqlite3_stmt *st = NULL;
    int err;

    if (sqlite3_prepare_v2(f->db,
                           SQLITE_OBJECT_ROWS " WHERE o.kind = ? AND o.id = ?"
                                              " ORDER BY o.seq, c.attr, c.resource",
                           -1, &st, NULL) != SQLITE_OK)
        return sqlite_file_error(f, why);
    sqlite3_bind_text(st, 1, kind, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, id, -1, SQLITE_STATIC);
    err = sqlite_each_object(f, st, each, arg, why);
    sqlite3_finalize(st);
    return err;
}

int store_sqlite_peek(const char *path, const char *kind, const char *id,
                      store_each_fn each, void *arg, struct diag *why)
{
    struct sqlite_file f = { .path = (char *)path, .lock_fd = -1 };
    int err;

    if (sqlite3_open_v2(path, &f.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        err = diag_set(why, PBSE_SYSTEM, "%s: %s", path, sqlite3_errmsg(f.db));
    } else {
        sqlite3_busy_timeout(f.db, BUSY_MS);
        err = check_layout(&f, why);
        if (!err)
            err = read_object(&f, kind, id, each, arg, why);
    }
    sqlite3_close(f.db);
    return err;
}
