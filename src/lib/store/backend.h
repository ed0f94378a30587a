/* backend.h - what a store is made of, behind store.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_BACKEND_H
#define LIB_STORE_BACKEND_H

#include "lib/store/store.h"

struct store_ops {
    void (*close)(struct store *s);
    int (*commit)(struct store *s, const struct store_batch *batch, struct diag *why);
    int (*load)(struct store *s, const char *kind, store_each_fn each, void *arg,
                struct diag *why); /* 'kind' NULL: of all kinds */
    int (*note_get)(struct store *s, const char *key, struct arena *arena,
                    const char **ret, struct diag *why);
    int (*journal)(struct store *s, const struct store_query *query, store_each_fn each,
                   void *arg, struct diag *why);
    int (*prune)(struct store *s, int64_t before_at, uint64_t max, uint64_t *n,
                 struct diag *why);
    void (*tidy)(struct store *s); /* NULL: nothing is to be done */
};

/* First member of each backend's own struct. */
struct store {
    const struct store_ops *ops;
    bool is_new;
    bool out_of_reach; /* see store_is_out_of_reach() */
    uint64_t last_seq;
};

/* The layout of the tables, for both databases: a step for each version in the room's
 * sqlite_schema.c and pg_schema.c. */
#define STORE_SCHEMA_VERSION 6

/* Open the file, make it or bring it to today's layout. 'holder' is noted as its user,
 * for the message that others get while it is held. 0; PBSE_OBJBUSY: somebody holds it;
 * PBSE_SYSTEM with the reason. */
int store_sqlite_open(const char *path, const char *holder, struct store **ret,
                      struct diag *why) MUST_CHECK;
/* 'conninfo' as libpq takes it: keywords or a URI. */
int store_pg_open(const char *conninfo, const struct store_config *cfg,
                  struct store **ret, struct diag *why) MUST_CHECK;
struct store *store_memory_open(void);

/* The part of the URL that libpq gets: a URI whole, keywords without "postgresql:".
 * NULL for a URL of another store. */
const char *store_pg_conninfo(const char *url);
/* The path of an SQLite file; NULL for another URL. */
const char *store_sqlite_path(const char *url);

/* store_peek() of each: the object, if there is one, goes to 'each'. */
int store_sqlite_peek(const char *path, const char *kind, const char *id,
                      store_each_fn each, void *arg, struct diag *why) MUST_CHECK;
int store_pg_peek(const char *conninfo, const struct store_config *cfg,
                  const char *kind, const char *id, store_each_fn each, void *arg,
                  struct diag *why) MUST_CHECK;

/* store_exists() and store_put_aside() of each: is there a store with tables, and a
 * store that is renamed by 'now_at', so that a new one can take its place. */
bool store_sqlite_exists(const char *path);
int store_sqlite_put_aside(const char *path, int64_t now_at,
                           struct diag *why) MUST_CHECK;
bool store_pg_exists(const char *conninfo, const struct store_config *cfg);
int store_pg_put_aside(const char *conninfo, const struct store_config *cfg,
                       int64_t now_at, struct diag *why) MUST_CHECK;

/* The value as the journal has it: the front of one that is longer than
 * STORE_JOURNAL_BYTES, with its length behind. NULL stays NULL. */
const char *store_journal_text(const char *value, struct arena *arena);

/* What all backends say of a layout that is not theirs; 'where' names the store. */
int store_version_error(const char *where, int64_t version,
                        struct diag *why) MUST_CHECK;

/* "create", "change", "remove", as the journal has them. */
const char *store_op_name(enum store_op op);
enum store_op store_op_find(const char *name); /* STORE_CHANGE for an unknown one */

#endif
