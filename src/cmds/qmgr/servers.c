/* servers.c - connections: which servers a command goes to, and what they refused
 * (cli.md 8.2, 8.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "include/pbs_error.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define IDLE_LIMIT_S 900 /* a server closes a connection that is silent for so long */

static bool is_default(const char *name)
{
    return *name == '\0' || strcmp(name, "default") == 0;
}

static struct qmgr_server *find(struct qmgr *q, const char *name)
{
    for (size_t i = 0; i < q->n_servers; i++)
        if (strcasecmp(q->servers[i].name, name) == 0)
            return &q->servers[i];
    return NULL;
}

/* When all connections are in use, the one that waited longest is given up. */
static void make_room(struct qmgr *q)
{
    struct qmgr_server *oldest = NULL;
    size_t open = 0;

    for (size_t i = 0; i < q->n_servers; i++) {
        struct qmgr_server *s = &q->servers[i];

        open += s->conn >= 0;
        /* Active servers are in use by every command, so their connections stay. */
        if (s->conn >= 0 && !s->active && (!oldest || s->used_at < oldest->used_at))
            oldest = s;
    }
    if (open < (size_t)pbs_query_max_connections() || !oldest)
        return;
    pbs_disconnect(oldest->conn);
    oldest->conn = -1;
}

/* Places are taken over, and never moved: targets point to them. */
static struct qmgr_server *unused_place(struct qmgr *q)
{
    if (q->n_servers < QMGR_SERVERS_MAX)
        return &q->servers[q->n_servers++];
    for (size_t i = 0; i < q->n_servers; i++)
        if (q->servers[i].conn < 0)
            return &q->servers[i];
    return NULL;
}

/* The helper's line is printed with -z too (cli.md 8). */
static struct qmgr_server *not_connected(const struct qmgr *q, const char *name)
{
    cmd_print_connect_error();
    if (!q->quiet)
        fprintf(stderr, "qmgr: cannot connect to server %s\n", name);
    return NULL;
}

struct qmgr_server *qmgr_server_open(struct qmgr *q, const char *name)
{
    const char *plain = is_default(name) ? "" : name;
    struct qmgr_server *s = find(q, plain);
    int conn;

    if (s && s->conn >= 0)
        return s;
    make_room(q);
    conn = pbs_connect(plain);
    if (conn < 0)
        return not_connected(q, plain);
    if (!s) {
        s = unused_place(q);
        if (!s) {
            pbs_disconnect(conn);
            pbs_errno = PBSE_NOCONNECTS;
            return not_connected(q, plain);
        }
        free(s->name);
        *s = (struct qmgr_server){ .name = xstrdup(plain) };
    }
    s->conn = conn;
    s->used_at = time(NULL);
    return s;
}

void qmgr_servers_activate(struct qmgr *q, const char *name, bool first)
{
    struct qmgr_server *s = find(q, is_default(name) ? "" : name);

    for (size_t i = 0; first && i < q->n_servers; i++)
        q->servers[i].active = false;
    if (s)
        s->active = true;
}

static int active_targets(struct qmgr *q, const char *word, struct qmgr_targets *ret)
{
    int code = 0;

    for (size_t i = 0; i < q->n_servers; i++) {
        struct qmgr_server *s = &q->servers[i];
        const char *own = *s->name ? s->name : "default";

        if (!s->active)
            continue;
        if (qmgr_server_open(q, s->name))
            ret->v[ret->n++] = (struct qmgr_target){ s, word ? word : own };
        else
            code = EXIT_NO_SERVER;
    }
    /* A command goes to the servers that can be reached; only when there is none it
     * fails. */
    return ret->n ? 0 : code;
}

int qmgr_targets(struct qmgr *q, const char *word, struct qmgr_targets *ret)
{
    struct qmgr_server *s;

    ret->n = 0;
    if (!word || strcmp(word, "active") == 0)
        return active_targets(q, word, ret);
    s = qmgr_server_open(q, word);
    if (!s)
        return EXIT_NO_SERVER;
    ret->v[ret->n++] = (struct qmgr_target){ s, word };
    return 0;
}

void qmgr_servers_close(struct qmgr *q)
{
    for (size_t i = 0; i < q->n_servers; i++) {
        if (q->servers[i].conn >= 0)
            pbs_disconnect(q->servers[i].conn);
        free(q->servers[i].name);
    }
    q->n_servers = 0;
}

/* The exchange was cut off: the connection cannot be used any more. Nobody knows
 * whether the server has done what it was asked, so qmgr ends instead of asking again.
 * A long silence before is the likelier reason than a fault (cli.md 8.3). */
static int tell_lost(struct qmgr *q, struct qmgr_server *s)
{
    bool idle = time(NULL) - s->used_at >= IDLE_LIMIT_S;

    q->lost = true;
    if (!q->quiet)
        fputs(idle ? "qmgr: Server disconnected due to idle connection timeout\n"
                   : "qmgr: Protocol error, server disconnected\n",
              stderr);
    return EXIT_LOCAL;
}

int qmgr_refused(struct qmgr *q, const struct qmgr_target *t, const char *object)
{
    const char *text = cmd_error_text(t->server->conn);

    if (pbs_errno == PBSE_PROTOCOL)
        return tell_lost(q, t->server);
    if (q->quiet)
        return cmd_exit_code(pbs_errno);
    if (text)
        fprintf(stderr, "qmgr obj=%s svr=%s: %s\n", object, t->shown, text);
    if (pbs_errno == PBSE_HOOKERROR)
        fputs("qmgr: hook error returned from server\n", stderr);
    else
        fprintf(stderr, "qmgr: Error (%d) returned from server\n", pbs_errno);
    return cmd_exit_code(pbs_errno);
}
