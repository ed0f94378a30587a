/* service.c - see service.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/service.h"

#include "lib/auth/porttoken.h"
#include "lib/auth/resvport.h"
#include "lib/auth/sockowner.h"
#include "lib/io/conn.h"
#include "lib/io/listen.h"
#include "lib/io/net.h"
#include "mom/shell/shell.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

/* Who is not known yet has little room and little time; a server sends a job of any
 * legal size. */
#define MAX_STRANGERS      16
#define MAX_SERVERS        64
#define STRANGER_MS        10000
#define STRANGER_MAX_BYTES 4096
#define SERVER_MAX_BYTES   (16u << 20)

struct client {
    struct service *service;
    struct conn *conn;
    uint64_t id;
    struct sockaddr_in peer;
    bool may_serve; /* a server's address, and a reserved port */
    bool is_known;  /* and it has shown its token */
    struct client *prev, *next;
};

struct service {
    struct shell *shell;
    struct listener *listener;
    struct client *clients; /* oldest first */
    size_t n_strangers, n_known;
    uint64_t last_id;
};

static void client_free(struct client *c)
{
    struct service *sv = c->service;

    MUST(c->is_known ? sv->n_known > 0 : sv->n_strangers > 0);
    if (c->is_known)
        sv->n_known--;
    else
        sv->n_strangers--;
    DL_DELETE(sv->clients, c);
    conn_free(c->conn);
    free(c);
}

/* End a connection, and tell the core when it has heard of it. */
static void client_end(struct client *c)
{
    struct shell *s = c->service->shell;
    struct mom_out out = { .arena = s->arena };
    uint64_t id = c->id;
    bool was_known = c->is_known;

    client_free(c);
    /* The core was never told of a stranger. */
    if (!was_known)
        return;
    mom_stream_closed(s->mom, clock_steady(), id, &out);
    shell_carry_out(s, &out);
}

static void say(const struct client *c, const char *words)
{
    char peer[NET_TEXT_BYTES];

    logfile_printf(c->service->shell->log, LOG_EV_ERROR | LOG_EV_SECURITY,
                   LOG_IN_REQUEST, "service_port", "%s from %s", words,
                   net_text(&c->peer, peer));
}

static void send_reply(struct client *c, const struct wire_reply *reply)
{
    struct buf b = { 0 };

    batch_encode_reply(&b, reply);
    conn_send_packet(c->conn, PACKET_DATA, b.data, b.len);
    buf_fini(&b);
}

static void refuse(struct client *c, int code)
{
    const struct wire_reply reply = { .code = code,
                                      .choice = REPLY_TEXT,
                                      .text = pbse_text(code) };

    send_reply(c, &reply);
    /* The words still go out; the connection ends behind them. */
    conn_finish(c->conn);
}

/* Take the first packet of a stranger, which has to be a token. A token is not
 * answered; who sends something else is told why it is refused. */
static void take_first(struct client *c, const struct packet *f)
{
    struct service *sv = c->service;
    struct diag why = { 0 };

    if (f->type != PACKET_TOKEN) {
        say(c,
            c->may_serve ? "failed to receive auth token" : "bad attempt to connect");
        refuse(c, c->may_serve || mom_may_connect(sv->shell->mom,
                                                  ntohl(c->peer.sin_addr.s_addr))
                      ? PBSE_BADCRED
                      : PBSE_BADHOST);
        return;
    }
    if (!c->may_serve)
        diag_set(&why, PBSE_BADHOST, "bad attempt to connect");
    else if (sv->n_known >= MAX_SERVERS)
        diag_set(&why, PBSE_SYSTEM, "too many connections");
    /* The token is looked at last: who may not be served need not learn whether it is
     * right. */
    if (why.code || port_token_check(f->data, f->len, ntohs(c->peer.sin_port),
                                     clock_read(), &why) != 0) {
        say(c, why.text);
        conn_finish(c->conn);
        return;
    }
    MUST(!c->is_known && sv->n_strangers > 0);
    c->is_known = true;
    sv->n_strangers--;
    sv->n_known++;
    conn_set_idle(c->conn, CONN_IDLE_MS);
    conn_set_max_frame(c->conn, SERVER_MAX_BYTES);
    conn_send_packet(c->conn, PACKET_OK, "", 1);
}

static void take_request(struct client *c, const struct packet *f)
{
    struct shell *s = c->service->shell;
    struct mom_out out = { .arena = s->arena };
    char peer[NET_TEXT_BYTES];
    struct wire_request rq;
    enum dis_error err;
    bool known;

    MUST(c->is_known); /* strangers say nothing but their token */
    arena_clear(s->decoding);
    err = batch_decode_request(f->data, f->len, s->decoding, &rq, &known);
    if (err) {
        say(c, dis_error_text(err));
        refuse(c, PBSE_DISPROTO);
    } else if (known && rq.number == BATCH_DISCONNECT) {
        conn_finish(c->conn);
    } else {
        mom_request(s->mom, clock_steady(), c->id, net_text(&c->peer, peer), &rq, known,
                    &out);
        shell_carry_out(s, &out);
    }
}

static void on_frame(void *arg, struct conn *conn, const struct packet *f)
{
    struct client *c = arg;

    (void)conn;
    if (c->is_known)
        take_request(c, f);
    else
        take_first(c, f);
}

/* Bytes that are no frame, or too many for somebody who is not known. */
static void on_bad(void *arg, struct conn *conn, enum conn_fault fault)
{
    struct client *c = arg;

    (void)conn;
    (void)fault;
    if (!c->is_known)
        say(c, "failed to receive auth token");
    client_end(c);
}

static void on_closed(void *arg, struct conn *conn, enum conn_end end)
{
    (void)conn;
    (void)end;
    client_end(arg);
}

static const struct conn_events events = { .frame = on_frame,
                                           .bad = on_bad,
                                           .closed = on_closed };

/* Room for one more: of those who are not known the one that came first goes, and one
 * that may be served only when there is no other. */
static void make_room(struct service *sv)
{
    struct client *c, *first = NULL;

    if (sv->n_strangers < MAX_STRANGERS)
        return;
    DL_FOREACH (sv->clients, c)
        if (!c->is_known && (!first || (first->may_serve && !c->may_serve)))
            first = c;
    /* No answer is written: the client has had its time, or somebody opens connections
     * without end. */
    if (first)
        client_free(first);
}

static bool may_serve(const struct service *sv, int fd, const struct sockaddr_in *peer)
{
    const struct shell *s = sv->shell;

    /* All three have to hold: root on that host made the connection, the site believes
     * in reserved ports, and the host is a server's. */
    return auth_is_privileged(fd, peer, net_is_own(peer->sin_addr)) &&
           conf_list_has(s->conf->supported_auth_methods, RESVPORT_METHOD) &&
           mom_may_connect(s->mom, ntohl(peer->sin_addr.s_addr));
}

static void on_client(void *arg, int fd, const struct sockaddr_in *peer)
{
    struct service *sv = arg;
    struct client *c;
    struct conn_config cfg = { .events = &events,
                               .max_frame_bytes = STRANGER_MAX_BYTES,
                               .partial_ms = STRANGER_MS,
                               .idle_ms = STRANGER_MS };

    /* The port is taken before there is a core (open_all() of main.c). */
    if (!sv->shell->mom) { /* we are only beginning */
        close(fd);
        return;
    }
    make_room(sv);
    c = xcalloc(1, sizeof(*c));
    *c = (struct client){ .service = sv,
                          .id = MOM_CONNECTION | ++sv->last_id,
                          .peer = *peer,
                          .may_serve = may_serve(sv, fd, peer) };
    DL_APPEND(sv->clients, c);
    sv->n_strangers++;
    cfg.arg = c;
    c->conn = conn_new(sv->shell->loop, fd, &cfg);
}

int service_open(struct shell *s, const char *addr, unsigned port, struct service **ret,
                 struct diag *why)
{
    struct service *sv = xcalloc(1, sizeof(*sv));
    int err;

    sv->shell = s;
    err = listen_tcp(s->loop, addr, port, on_client, sv, &sv->listener, why);
    if (err) {
        free(sv);
        return err;
    }
    *ret = sv;
    return 0;
}

void service_free(struct service *sv)
{
    struct client *c, *next;

    if (!sv)
        return;
    DL_FOREACH_SAFE (sv->clients, c, next)
        client_free(c);
    listener_free(sv->listener);
    free(sv);
}

static struct client *client_find(const struct service *sv, uint64_t connection)
{
    struct client *c;

    MUST(connection & MOM_CONNECTION); /* other numbers are streams of the leaf */
    DL_FOREACH (sv->clients, c)
        if (c->id == connection)
            return c;
    return NULL;
}

void service_reply(struct service *sv, uint64_t connection,
                   const struct wire_reply *reply)
{
    struct client *c = client_find(sv, connection);

    /* The server may have gone while a child copied for it. */
    if (c)
        send_reply(c, reply);
}

void service_close(struct service *sv, uint64_t connection)
{
    struct client *c = client_find(sv, connection);

    if (c)
        conn_finish(c->conn);
}
