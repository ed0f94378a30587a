/* pg_link.c - one connection to PostgreSQL.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/pg_link.h"

#include "lib/store/password.h"

#include <libpq-fe.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A name without a schema is one of ours. A commit returns when it is on disk, unless
 * the site asked for more (a synchronous standby). We wait for nobody's lock for long.
 */
static const char session_set_up[] =
    "SET search_path TO holdfast;"
    "SET client_min_messages TO warning;"
    "SET lock_timeout TO '10s';"
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off'";

static void say_nothing(void *arg, const PGresult *res)
{
    (void)arg;
    (void)res;
}

/* Set 'why' to the first line of what libpq says: further lines are hints for people at
 * a terminal. */
static int words_of(const char *text, struct diag *why)
{
    return diag_set(why, PBSE_SYSTEM, "PostgreSQL: %.*s", (int)strcspn(text, "\n"),
                    text);
}

static int check_conninfo(const char *conninfo, struct diag *why)
{
    char *words = NULL;
    PQconninfoOption *options = PQconninfoParse(conninfo, &words);
    int err = 0;

    if (!options) {
        err = words_of(words ? words : "no memory", why);
        PQfreemem(words);
        return err;
    }
    for (PQconninfoOption *o = options; o->keyword; o++)
        if (strcmp(o->keyword, "password") == 0 && o->val)
            err = diag_set(why, PBSE_SYSTEM,
                           "PBS_STORE holds a password that everybody can read: put "
                           "it into a file of mode 0600 and name that in "
                           "PBS_STORE_PASSWORD_FILE");
    PQconninfoFree(options);
    return err;
}

int pg_link_init(struct pg_link *l, const char *conninfo, const char *password_file,
                 struct diag *why)
{
    MUST(conninfo);
    *l = (struct pg_link){ .conninfo = xstrdup(conninfo) };
    if (password_file)
        l->password_file = xstrdup(password_file);
    return check_conninfo(conninfo, why);
}

void pg_link_fini(struct pg_link *l)
{
    pg_link_drop(l);
    free(l->conninfo);
    free(l->password_file);
}

void pg_link_drop(struct pg_link *l)
{
    PQfinish(l->conn);
    l->conn = NULL;
}

/* libpq takes these in order, and "dbname" is the administrator's conninfo: it
 * overrides what stands before it and is overridden by what stands behind it. */
static const char *const names[] = { "connect_timeout",  "tcp_user_timeout",
                                     "keepalives_idle",  "dbname",
                                     "application_name", "client_encoding",
                                     "password",         NULL };

static PGconn *connect_with(const struct pg_link *l, const char *password)
{
    /* 5 seconds to connect; 15,000 milliseconds until data without acknowledgement
     * break the connection; 60 seconds of silence before a keepalive. */
    const char *const values[] = { "5",        "15000", "60",     l->conninfo,
                                   "holdfast", "UTF8",  password, NULL };

    return PQconnectdbParams(names, values, 1);
}

/* A service that is not up, or still starting, is another case than one that refuses
 * us. */
bool pg_link_is_served(const struct pg_link *l)
{
    const char *const values[] = { "5",        "15000", "60", l->conninfo,
                                   "holdfast", "UTF8",  NULL, NULL };
    PGPing ping = PQpingParams(names, values, 1);

    return ping != PQPING_REJECT && ping != PQPING_NO_RESPONSE;
}

static int set_up(struct pg_link *l, struct diag *why)
{
    const char *encoding = PQparameterStatus(l->conn, "server_encoding");

    PQsetNoticeReceiver(l->conn, say_nothing, NULL);
    /* A server that hangs must cost us the time of one wait, not that of a blocked
     * send. */
    if (PQsetnonblocking(l->conn, 1) != 0)
        return words_of(PQerrorMessage(l->conn), why);
    /* SQL_ASCII takes all bytes as they are; any other encoding would convert or refuse
     * some of our texts. */
    if (encoding && strcmp(encoding, "UTF8") != 0 && strcmp(encoding, "SQL_ASCII") != 0)
        return diag_set(why, PBSE_SYSTEM,
                        "PostgreSQL: database %s has the encoding %s; make one with "
                        "createdb -E UTF8 -T template0",
                        PQdb(l->conn), encoding);
    return pg_script(l, PG_STATEMENT_MS, session_set_up, why);
}

int pg_link_open(struct pg_link *l, struct diag *why)
{
    char *password = NULL;
    int err = 0;

    if (l->conn)
        return 0;
    if (l->password_file)
        err = store_password_read(l->password_file, &password, why);
    if (err)
        return err;
    l->conn = connect_with(l, password);
    /* Our copy is wiped before it is freed, so that no core dump has it; libpq
     * keeps its own. */
    if (password)
        explicit_bzero(password, strlen(password));
    free(password);
    if (PQstatus(l->conn) != CONNECTION_OK)
        err = words_of(PQerrorMessage(l->conn), why);
    if (!err)
        err = set_up(l, why);
    if (err)
        pg_link_drop(l);
    MUST(err ? !l->conn : l->conn != NULL);
    return err;
}

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Send what is to be sent and read until a result is whole; false when the connection
 * is lost or the time is over. */
static bool wait_result(struct pg_link *l, int wait_ms)
{
    int64_t until_ms = now_ms() + wait_ms;

    for (;;) {
        struct pollfd p = { .fd = PQsocket(l->conn), .events = POLLIN };
        /* The server may stop reading until we have read what it sends; so while there
         * is something to send, the wait is for both directions. */
        int unsent = PQflush(l->conn);
        int64_t left_ms = until_ms - now_ms();

        if (unsent < 0)
            return false;
        if (unsent == 0 && !PQisBusy(l->conn))
            return true;
        if (unsent > 0)
            p.events |= POLLOUT;
        /* A signal ends poll() early; then the next turn waits for the time that is
         * left. */
        if (left_ms <= 0 || poll(&p, 1, (int)left_ms) == 0)
            return false;
        if ((p.revents & (POLLIN | POLLHUP | POLLERR)) && !PQconsumeInput(l->conn))
            return false;
    }
}

bool pg_next(struct pg_link *l, int wait_ms, PGresult **ret, struct diag *why)
{
    if (!l->conn) {
        diag_set(why, PBSE_SYSTEM, "PostgreSQL: no connection");
        return false;
    }
    if (!wait_result(l, wait_ms)) {
        const char *words = PQerrorMessage(l->conn);

        words_of(*words ? words : "no answer in time", why);
        pg_link_drop(l);
        return false;
    }
    *ret = PQgetResult(l->conn);
    return true;
}

/* True when the connection is of no more use: it is broken, its server is shutting down
 * (57P, 08), or the server only reads now (25006), as a standby does. */
static bool is_useless(const struct pg_link *l, const PGresult *res)
{
    const char *state = res ? PQresultErrorField(res, PG_DIAG_SQLSTATE) : NULL;

    return PQstatus(l->conn) != CONNECTION_OK ||
           (state && (strncmp(state, "57P", 3) == 0 || strncmp(state, "08", 2) == 0 ||
                      strcmp(state, "25006") == 0));
}

int pg_failed(struct pg_link *l, const PGresult *res, struct diag *why)
{
    const char *words = res ? PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    int err;

    if (!l->conn)
        return PBSE_SYSTEM;
    err = words_of(words ? words : PQerrorMessage(l->conn), why);
    if (is_useless(l, res))
        pg_link_drop(l);
    return err;
}

static bool is_good(const PGresult *res)
{
    ExecStatusType status = PQresultStatus(res);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* All results of what was sent; the last good one, or NULL when one was not. */
static PGresult *take_results(struct pg_link *l, int wait_ms, struct diag *why)
{
    PGresult *last = NULL, *res;
    bool failed = false;

    /* The next statement can be sent only when all results of this one were fetched, so
     * an error does not end the loop. The first error is told: later ones follow from
     * it. */
    for (;;) {
        if (!pg_next(l, wait_ms, &res, why)) {
            PQclear(last);
            return NULL;
        }
        if (!res)
            break;
        if (!is_good(res)) {
            if (!failed)
                pg_failed(l, res, why);
            failed = true;
            PQclear(res);
            if (!l->conn)
                break;
            continue;
        }
        PQclear(last);
        last = res;
    }
    if (failed) {
        PQclear(last);
        return NULL;
    }
    return last;
}

int pg_script(struct pg_link *l, int wait_ms, const char *sql, struct diag *why)
{
    PGresult *res;

    if (!PQsendQuery(l->conn, sql))
        return pg_failed(l, NULL, why);
    res = take_results(l, wait_ms, why);
    if (!res)
        return PBSE_SYSTEM;
    PQclear(res);
    return 0;
}

PGresult *pg_query(struct pg_link *l, const char *sql, int n, const char *const *params,
                   struct diag *why)
{
    if (!l->conn) {
        diag_set(why, PBSE_SYSTEM, "PostgreSQL: no connection");
        return NULL;
    }
    if (!PQsendQueryParams(l->conn, sql, n, NULL, params, NULL, NULL, 0)) {
        pg_failed(l, NULL, why);
        return NULL;
    }
    return take_results(l, PG_STATEMENT_MS, why);
}

int pg_number(struct pg_link *l, const char *sql, int64_t dflt, int64_t *ret,
              struct diag *why)
{
    PGresult *res = pg_query(l, sql, 0, NULL, why);

    if (!res)
        return PBSE_SYSTEM;
    *ret = PQntuples(res) > 0 ? strtoll(PQgetvalue(res, 0, 0), NULL, 10) : dflt;
    PQclear(res);
    return 0;
}
