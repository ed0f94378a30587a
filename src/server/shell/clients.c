/* clients.c - the table of connections.
 *
 * A connection on the local socket is authenticated at once, by the kernel's word on
 * its peer. One on TCP is a stranger until a method of wire.md 4 makes it somebody.
 * When the table is full the oldest stranger goes first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/clients.h"

#include "lib/auth/auth.h"
#include "lib/io/daemon.h"
#include "lib/io/net.h"
#include "server/shell/client.h"
#include "server/shell/outbox.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utlist.h>

static struct client *client_find(struct clients *cs, uint64_t number)
{
    struct client *c;

    HASH_FIND(hh, cs->by_number, &number, sizeof(number), c);
    return c;
}

static void client_free(struct client *c)
{
    struct clients *cs = c->all;

    long_reply_drop(c);
    HASH_DEL(cs->by_number, c);
    DL_DELETE(cs->list, c);
    cs->n--;
    conn_free(c->conn);
    buf_fini(&c->message);
    free(c->sched);
    free(c);
}

/* It ended: the core drops what it held for it. */
static void client_gone(struct client *c)
{
    struct shell *sh = c->all->sh;
    uint64_t number = c->number;

    client_free(c);
    svr_client_gone(sh->svr, shell_now(sh), number, outbox_effects(sh->outbox));
}

static void on_frame(void *arg, struct conn *conn, const struct packet *f)
{
    struct client *c = arg;

    (void)conn;
    if (c->role == ROLE_SECOND)
        sched_conn_packet(c, f->data, f->len);
    else
        serve_packet(c, f->data, f->len);
}

static void on_bad(void *arg, struct conn *conn, enum conn_fault fault)
{
    struct client *c = arg;

    (void)conn;
    (void)fault;
    client_refuse(c, 0, "", PBSE_DISPROTO, true);
}

static void on_closed(void *arg, struct conn *conn, enum conn_end end)
{
    struct client *c = arg;
    struct shell *sh = c->all->sh;

    if (end == CONN_IDLE)
        shell_log(sh, LOG_EV_DEBUG, LOG_IN_REQUEST, "timeout connection from %s",
                  c->host);
    else if (end == CONN_STALLED || end == CONN_OVERFLOW)
        shell_log(sh, LOG_EV_ERROR, LOG_IN_REQUEST,
                  "DIS reply failure, -1, to host %s, errno=%d write timed out",
                  c->host, conn_errno(conn));
    client_gone(c);
}

static void on_room(void *arg, struct conn *conn)
{
    (void)conn;
    long_reply_write(arg);
}

static const struct conn_events client_events = {
    .frame = on_frame, .bad = on_bad, .room = on_room, .closed = on_closed
};

/* Room for one more: strangers go first, the oldest before the others. */
static bool make_room(struct clients *cs)
{
    struct client *c;

    if (cs->n < cs->max)
        return true;
    DL_FOREACH(cs->list, c)
    if (!c->user[0]) {
        client_gone(c);
        return true;
    }
    return false;
}

static struct client *client_new(struct clients *cs, int fd)
{
    struct client *c = xcalloc(1, sizeof(*c));
    struct conn_config cfg = { .events = &client_events,
                               .arg = c,
                               .idle_ms = CONN_IDLE_MS,
                               .max_frame_bytes = CLIENT_MAX_STRANGER_BYTES };

    c->all = cs;
    c->number = ++cs->last_number;
    c->conn = conn_new(cs->sh->loop, fd, &cfg);
    HASH_ADD(hh, cs->by_number, number, sizeof(c->number), c);
    DL_APPEND(cs->list, c);
    cs->n++;
    return c;
}

static void on_tcp(void *arg, int fd, const struct sockaddr_in *peer)
{
    struct clients *cs = arg;
    struct client *c;

    if (!make_room(cs)) {
        close(fd);
        return;
    }
    c = client_new(cs, fd);
    c->peer = *peer;
    inet_ntop(AF_INET, &peer->sin_addr, c->host, sizeof(c->host));
}

static void on_local(void *arg, int fd, const struct sockaddr_in *peer)
{
    struct clients *cs = arg;
    struct auth_peer who;
    struct client *c;
    struct diag why;

    (void)peer;
    if (auth_peer(fd, &who, &why)) {
        shell_log(cs->sh, LOG_EV_SECURITY, LOG_IN_REQUEST, "local client refused: %s",
                  why.text);
        close(fd);
        return;
    }
    if (!make_room(cs)) {
        close(fd);
        return;
    }
    c = client_new(cs, fd);
    c->local = true;
    c->server_uid = who.uid == 0 || who.uid == geteuid();
    strcpy(c->user, who.user);
    strcpy(c->host, cs->sh->host);
    conn_set_max_frame(c->conn, CONN_MAX_FRAME_BYTES);
}

/* Replies. */

void client_send_reply(struct client *c, const struct wire_reply *reply)
{
    struct buf bytes = { 0 };

    batch_encode_reply(&bytes, reply);
    conn_send_packet(c->conn, PACKET_DATA, bytes.data, bytes.len);
    buf_fini(&bytes);
}

void client_refuse(struct client *c, uint32_t number, const char *user, int code,
                   bool close)
{
    const char *text = pbse_text(code);
    struct wire_reply reply = { .code = code, .choice = REPLY_NULL };

    if (text && *text) {
        reply.choice = REPLY_TEXT;
        reply.text = text;
    }
    logfile_printf(c->all->sh->log, LOG_EV_DEBUG, LOG_IN_REQUEST, "req_reject",
                   "Reject reply code=%d, aux=0, type=%u, from %s@%s", code, number,
                   user, c->host);
    client_send_reply(c, &reply);
    if (close) {
        c->closing = true;
        conn_finish(c->conn);
    }
}

static void on_resume(void *arg)
{
    struct clients *cs = arg;
    struct client *c, *next;

    DL_FOREACH_SAFE(cs->list, c, next)
    {
        if (!c->to_resume)
            continue;
        c->to_resume = false;
        serve_rest(c);
    }
}

/* The reply is on its way: what the client has sent meanwhile is served next, but not
 * from inside the effects of another request. */
void client_answered(struct client *c)
{
    if (!c->waiting)
        return;
    c->waiting = false;
    c->to_resume = true;
    loop_timer_set(c->all->resume, 0);
}

void clients_reply(struct clients *cs, uint64_t conn, const struct wire_reply *reply)
{
    struct client *c = client_find(cs, conn);

    if (!c || c->closing)
        return;
    client_send_reply(c, reply);
    if (!reply->more)
        client_answered(c);
}

void clients_listing(struct clients *cs, uint64_t conn)
{
    struct client *c = client_find(cs, conn);

    if (!c || c->closing)
        return;
    c->reading = true;
    long_reply_write(c);
}

void clients_close(struct clients *cs, uint64_t conn)
{
    struct client *c = client_find(cs, conn);

    if (!c || c->closing)
        return;
    c->closing = true;
    conn_finish(c->conn);
}

bool clients_have_unsent(const struct clients *cs)
{
    const struct client *c;

    DL_FOREACH(cs->list, c)
    if (conn_unsent_bytes(c->conn) > 0 || c->reading || c->gathering)
        return true;
    return false;
}

/* Life of the table. */

static size_t most_clients(void)
{
    struct rlimit lim;

    if (getrlimit(RLIMIT_NOFILE, &lim) < 0 || lim.rlim_cur > CLIENTS_MAX)
        return CLIENTS_MAX;
    return lim.rlim_cur > 2 * CLIENTS_SPARE_FDS ? lim.rlim_cur - CLIENTS_SPARE_FDS
                                                : CLIENTS_SPARE_FDS;
}

static int make_socket_dir(const char *path, struct diag *why)
{
    char *dir = xstrdup(path), *slash = strrchr(dir, '/');
    int err = 0;

    if (slash && slash != dir) {
        *slash = '\0';
        err = daemon_mkdir(dir, 0755, why);
    }
    free(dir);
    return err;
}

int clients_new(struct shell *sh, struct clients **ret, struct diag *why)
{
    struct clients *cs = xcalloc(1, sizeof(*cs));
    const char *socket_path = conf_server_socket(sh->conf);
    int err;

    cs->sh = sh;
    cs->max = most_clients();
    cs->resume = loop_timer_new(sh->loop, on_resume, cs);
    cs->gather = loop_timer_new(sh->loop, long_replies_gather, cs);
    err = listen_tcp(sh->loop, NULL, sh->conf->batch_port, on_tcp, cs, &cs->tcp, why);
    if (!err)
        err = make_socket_dir(socket_path, why);
    if (!err)
        err = listen_unix(sh->loop, socket_path, on_local, cs, &cs->local, why);
    if (err) {
        clients_free(cs);
        return err;
    }
    *ret = cs;
    return 0;
}

void clients_stop_listening(struct clients *cs)
{
    listener_free(cs->tcp);
    listener_free(cs->local);
    cs->tcp = cs->local = NULL;
}

void clients_free(struct clients *cs)
{
    if (!cs)
        return;
    clients_stop_listening(cs);
    while (cs->list)
        client_free(cs->list);
    loop_timer_free(cs->resume);
    loop_timer_free(cs->gather);
    buf_fini(&cs->bytes);
    free(cs);
}
