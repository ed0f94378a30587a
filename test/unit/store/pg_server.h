/* pg_server.h - a PostgreSQL server of the test's own, and a wire to it that breaks.
 *
 * The binaries are those of Debian's package postgresql; as root the server runs as
 * user postgres. Nothing here skips: without the package the test fails and says so.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_STORE_PG_SERVER_H
#define TEST_UNIT_STORE_PG_SERVER_H

#include <stdbool.h>

/* Make a cluster below 'dir' (which exists) and start it on a socket there. False, with
 * words on stderr, when that does not work. */
bool pg_server_start(const char *dir);
/* Immediate: as if the machine had gone. */
void pg_server_stop(bool immediately);
bool pg_server_start_again(void);
/* Stop it and remove everything. */
void pg_server_end(void);

/* "postgresql:host=... dbname=NAME"; through the wire, or direct. */
const char *pg_server_url(const char *database, bool through_wire);

/* Run SQL in a database as the superuser; false with words on stderr. */
bool pg_server_sql(const char *database, const char *sql);
/* The first value as text, "" when there is none; valid until the next call. */
const char *pg_server_ask(const char *database, const char *sql);

/* What the wire does with the next COMMIT that comes along. */
enum wire_break {
    WIRE_WHOLE,        /* nothing */
    WIRE_BEFORE,       /* breaks before the server gets it */
    WIRE_AFTER,        /* breaks when the server has answered, and the answer is lost */
    WIRE_AT_ONCE,      /* breaks as soon as it has been handed on */
    WIRE_CLIENT_HANGS, /* the client's end breaks; the server's stays for a while */
};
void pg_wire_break(enum wire_break how);

#endif
