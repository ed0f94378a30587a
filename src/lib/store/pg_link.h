/* pg_link.h - one connection to PostgreSQL: made, waited for with a limit, and lost.
 *
 * A statement that does not come back in time counts as a lost connection. Whoever
 * loses one calls pg_link_open() again; what became of the last statement must then be
 * found out from the tables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_STORE_PG_LINK_H
#define LIB_STORE_PG_LINK_H

#include "lib/base/diag.h"

/* As in libpq-fe.h, which who calls libpq includes. */
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

/* How long a statement may take, and how long reading or rewriting everything may. */
#define PG_STATEMENT_MS 30000
#define PG_LOAD_MS      300000

struct pg_link {
    PGconn *conn; /* NULL: down */
    char *conninfo, *password_file;
};

/* A conninfo that libpq does not understand, or that holds a password for everybody to
 * read, is refused with PBSE_SYSTEM. pg_link_fini() ends it in any case. */
int pg_link_init(struct pg_link *l, const char *conninfo, const char *password_file,
                 struct diag *why) MUST_CHECK;
void pg_link_fini(struct pg_link *l);

/* Connect; the session is set up so that a commit waits for the disk. Waits as long as
 * connect_timeout says (5 s a host unless conninfo says otherwise). */
int pg_link_open(struct pg_link *l, struct diag *why) MUST_CHECK;
void pg_link_drop(struct pg_link *l);
/* Is there a service that takes connections, whoever may come in? Waits like
 * pg_link_open(). */
bool pg_link_is_served(const struct pg_link *l);

/* Run statements without parameters, one after the other, each for that long at most.
 * PBSE_SYSTEM. */
int pg_script(struct pg_link *l, int wait_ms, const char *sql,
              struct diag *why) MUST_CHECK;

/* Run one statement with text parameters; NULL with words when it failed. The caller
 * ends the result with PQclear(). */
PGresult *pg_query(struct pg_link *l, const char *sql, int n, const char *const *params,
                   struct diag *why) MUST_CHECK;
/* The first column of the first row as a number, 'dflt' when there is none. */
int pg_number(struct pg_link *l, const char *sql, int64_t dflt, int64_t *ret,
              struct diag *why) MUST_CHECK;

/* The next result of what was sent; false: the connection was lost. *ret is NULL at the
 * end of a statement's results. */
bool pg_next(struct pg_link *l, int wait_ms, PGresult **ret,
             struct diag *why) MUST_CHECK;

/* Words for a failed statement, and an end of the connection when it is of no more
 * use. Returns PBSE_SYSTEM. */
int pg_failed(struct pg_link *l, const PGresult *res, struct diag *why);

#endif
