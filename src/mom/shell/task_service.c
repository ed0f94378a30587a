/* task_service.c - see task_service.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/task_service.h"

#include "lib/io/conn.h"
#include "lib/io/listen.h"
#include "lib/io/net.h"
#include "mom/shell/attaching.h"
#include "mom/shell/shell.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <unistd.h>
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

#define MAX_CLIENTS     2000
#define MAX_FRAME_BYTES (4u << 20)

struct task_client {
    struct task_service *service;
    struct conn *conn;
    uint64_t id;
    struct sockaddr_in peer;
    UT_hash_handle hh;
};

struct task_service {
    struct shell *shell;
    struct listener *listener;
    struct attaching *attaching;
    struct task_client *clients; /* by id */
    uint64_t last_id;
};

static void client_free(struct task_client *c)
{
    HASH_DEL(c->service->clients, c);
    conn_free(c->conn);
    free(c);
}

/* The core forgets what it was to tell there. */
static void client_end(struct task_client *c)
{
    struct shell *s = c->service->shell;
    struct mom_out out = { .arena = s->arena };
    uint64_t id = c->id;

    client_free(c);
    mom_stream_closed(s->mom, clock_read(), id, &out);
    shell_carry_out(s, &out);
}

static void on_frame(void *arg, struct conn *conn, const struct packet *f)
{
    struct task_client *c = arg;
    struct shell *s = c->service->shell;
    struct mom_out out = { .arena = s->arena };
    struct task_request rq;
    enum dis_error err;

    arena_clear(s->decoding);
    err = task_request_decode(f->data, f->len, s->decoding, &rq);
    if (err) {
        logfile_printf(s->log, LOG_EV_ERROR, LOG_IN_JOB, "tm_request", "%s",
                       dis_error_text(err));
        conn_finish(conn);
        return;
    }
    if (rq.command == TASK_ATTACH) {
        attaching_start(c->service->attaching, c->id, conn_fd(conn), &c->peer, &rq);
        return;
    }
    mom_task_request(s->mom, clock_read(), c->id, &rq, &out);
    shell_carry_out(s, &out);
}

static void on_bad(void *arg, struct conn *conn, enum conn_fault fault)
{
    (void)conn;
    (void)fault;
    client_end(arg);
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

static void on_client(void *arg, int fd, const struct sockaddr_in *peer)
{
    struct task_service *ts = arg;
    struct conn_config cfg = { .events = &events, .max_frame_bytes = MAX_FRAME_BYTES };
    struct task_client *c;
    char text[NET_TEXT_BYTES];

    if (ntohl(peer->sin_addr.s_addr) >> 24 != 127) {
        logfile_printf(ts->shell->log, LOG_EV_ERROR | LOG_EV_SECURITY, LOG_IN_JOB,
                       "tcp_request", "non-local connect from %s",
                       net_text(peer, text));
        close(fd);
        return;
    }
    /* The port is taken before there is a core (open_all() of main.c). */
    if (!ts->shell->mom || HASH_COUNT(ts->clients) >= MAX_CLIENTS) {
        close(fd);
        return;
    }
    c = xcalloc(1, sizeof(*c));
    c->service = ts;
    c->peer = *peer;
    c->id = MOM_TASK_CONNECTION | ++ts->last_id;
    HASH_ADD(hh, ts->clients, id, sizeof(c->id), c);
    cfg.arg = c;
    c->conn = conn_new(ts->shell->loop, fd, &cfg);
}

int task_service_open(struct shell *s, const char *addr, unsigned port,
                      struct task_service **ret, struct diag *why)
{
    struct task_service *ts = xcalloc(1, sizeof(*ts));
    int err;

    ts->shell = s;
    err = listen_tcp(s->loop, addr, port, on_client, ts, &ts->listener, why);
    if (err) {
        free(ts);
        return err;
    }
    ts->attaching = attaching_new(s);
    *ret = ts;
    return 0;
}

void task_service_free(struct task_service *ts)
{
    struct task_client *c, *next;

    if (!ts)
        return;
    HASH_ITER (hh, ts->clients, c, next)
        client_free(c);
    listener_free(ts->listener);
    attaching_free(ts->attaching);
    free(ts);
}

static struct task_client *find(const struct task_service *ts, uint64_t connection)
{
    struct task_client *c = NULL;

    MUST(connection & MOM_TASK_CONNECTION);
    if (ts)
        HASH_FIND(hh, ts->clients, &connection, sizeof(connection), c);
    return c;
}

void task_service_reply(struct task_service *ts, uint64_t connection,
                        const struct task_reply *reply, enum task_command asked)
{
    struct task_client *c = find(ts, connection);
    struct buf b = { 0 };

    if (!c)
        return;
    task_reply_encode(&b, reply, asked);
    conn_send_packet(c->conn, PACKET_DATA, b.data, b.len);
    buf_fini(&b);
}

void task_service_close(struct task_service *ts, uint64_t connection)
{
    struct task_client *c = find(ts, connection);

    if (c)
        conn_finish(c->conn);
}
