/* task_service.c - see task_service.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/task_service.h"

#include "lib/base/shares.h"
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

#define MAX_STRANGERS      200
#define MAX_KNOWN          1800
#define STRANGER_MS        30000
#define MAX_OUTPUT_BYTES   (16u << 20) /* what answers in time that are not taken */
#define MAX_STRANGER_BYTES (64u << 20) /* of memory, all of them together */
#define MAX_KNOWN_BYTES    (256u << 20)

struct task_client {
    struct task_service *service;
    struct conn *conn;
    uint64_t id;
    struct sockaddr_in peer;
    struct share *share; /* of its job's user; NULL: a stranger */
    int32_t version;     /* that its first request has; 0: none has come */
    bool is_attaching;   /* whose it is is being asked: it is not dropped for another */
    UT_hash_handle hh;
};

struct task_service {
    struct shell *shell;
    struct listener *listener;
    struct attaching *attaching;
    struct task_client *clients; /* by id, oldest first */
    size_t n_strangers, n_known;
    struct budget strangers; /* memory of them */
    struct shares users;     /* of jobs whose tasks are connected */
    uint64_t last_id;
};

static void leave(struct task_client *c)
{
    struct task_service *ts = c->service;

    MUST(c->share ? ts->n_known > 0 : ts->n_strangers > 0);
    conn_set_budget(c->conn, NULL);
    if (c->share)
        ts->n_known--;
    else
        ts->n_strangers--;
    share_drop(&ts->users, c->share);
}

static void client_free(struct task_client *c)
{
    leave(c);
    HASH_DEL(c->service->clients, c);
    conn_free(c->conn);
    free(c);
}

/* The core forgets what it was to tell there; it was never told of a stranger. */
static void client_end(struct task_client *c)
{
    struct shell *s = c->service->shell;
    struct mom_out out = { .arena = s->arena };
    uint64_t id = c->id;
    bool was_known = c->share;

    client_free(c);
    if (!was_known)
        return;
    mom_stream_closed(s->mom, clock_steady(), id, &out);
    shell_carry_out(s, &out);
}

/* Answers that are not taken wait here: nothing more is read meanwhile. */
static void mind_output(struct task_client *c)
{
    bool is_full = conn_unsent_bytes(c->conn) > CONN_ROOM_BYTES;

    conn_hold(c->conn, is_full);
    conn_want_room(c->conn, is_full);
}

static void on_room(void *arg, struct conn *conn)
{
    (void)conn;
    mind_output(arg);
}

static void send_reply(struct task_client *c, const struct task_reply *reply,
                       enum task_command asked)
{
    struct task_reply said = *reply;
    struct buf b = { 0 };

    said.version = c->version; /* whoever answers may not know it */
    task_reply_encode(&b, &said, asked);
    conn_send_packet(c->conn, PACKET_DATA, b.data, b.len);
    buf_fini(&b);
    mind_output(c);
}

/* The newest connection of that user; NULL: of strangers, the one that holds most. */
static struct task_client *who_goes(const struct task_service *ts,
                                    const struct share *of)
{
    struct task_client *c, *next, *goes = NULL;

    /* This looks at all clients, which is done only when there are too many. */
    HASH_ITER (hh, ts->clients, c, next)
        if (c->share == of &&
            (of || !goes || conn_held_bytes(c->conn) > conn_held_bytes(goes->conn)))
            goes = c;
    return goes;
}

static void say(const struct task_service *ts, const char *user, const char *words)
{
    logfile_printf(ts->shell->log, LOG_EV_ERROR | LOG_EV_SECURITY, LOG_IN_JOB,
                   "task_service", "tasks of %s: %s", user, words);
}

/* Room for one more client of that share: the user with most connections loses his
 * newest. False: that is the one who comes. */
static bool make_room(struct task_service *ts, const struct share *own)
{
    const struct share *most = shares_with_most(&ts->users);

    if (ts->n_known < MAX_KNOWN)
        return true;
    MUST(most);
    say(ts, most->key, "too many connections, the newest is closed");
    if (own->n >= most->n)
        return false;
    client_end(who_goes(ts, most));
    return true;
}

/* The client has shown the cookie of a job of that user. False: there is no room for
 * one more of his. */
static bool come_in(struct task_client *c, const char *user)
{
    struct task_service *ts = c->service;
    struct share *own = share_hold(&ts->users, user);

    if (!make_room(ts, own)) {
        share_drop(&ts->users, own);
        return false;
    }
    ts->n_strangers--;
    ts->n_known++;
    c->share = own;
    conn_set_budget(c->conn, &own->memory);
    conn_set_idle(c->conn, 0);
    return true;
}

/* It is not answered (tpp.md 8). */
static void refuse(struct task_client *c)
{
    char peer[NET_TEXT_BYTES];

    logfile_printf(c->service->shell->log, LOG_EV_ERROR | LOG_EV_SECURITY, LOG_IN_JOB,
                   "tm_request", "message refused from port %u addr %s",
                   ntohs(c->peer.sin_port),
                   inet_ntop(AF_INET, &c->peer.sin_addr, peer, sizeof(peer)));
    conn_finish(c->conn);
}

static void take(struct task_client *c, const struct task_request *rq)
{
    const struct task_reply no = {
        .version = rq->version, .failed = true, .code = TASK_ESYSTEM, .event = rq->event
    };
    struct shell *s = c->service->shell;
    struct mom_out out = { .arena = s->arena };
    const char *user = mom_task_user(s->mom, rq);

    if (!user) {
        refuse(c);
        return;
    }
    if (!c->share && !come_in(c, user)) {
        send_reply(c, &no, rq->command);
        conn_finish(c->conn);
        return;
    }
    mom_task_request(s->mom, clock_steady(), c->id, rq, &out);
    shell_carry_out(s, &out);
}

static void on_frame(void *arg, struct conn *conn, const struct packet *f)
{
    struct task_client *c = arg;
    struct shell *s = c->service->shell;
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
    /* All of a connection is of one version, and so are the answers. */
    if (c->version && rq.version != c->version) {
        refuse(c);
        return;
    }
    c->version = rq.version;
    if (rq.command == TASK_ATTACH) {
        c->is_attaching = true;
        attaching_start(c->service->attaching, c->id, conn_fd(conn), &c->peer, &rq);
        return;
    }
    take(c, &rq);
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

static const struct conn_events events = {
    .frame = on_frame, .bad = on_bad, .closed = on_closed, .room = on_room
};

/* Of strangers the oldest goes, but for those who wait for an answer. */
static void drop_stranger(struct task_service *ts)
{
    struct task_client *c, *next;

    HASH_ITER (hh, ts->clients, c, next)
        if (!c->share && !c->is_attaching) {
            client_free(c);
            return;
        }
}

static void on_client(void *arg, int fd, const struct sockaddr_in *peer)
{
    struct task_service *ts = arg;
    struct conn_config cfg = { .events = &events,
                               .max_frame_bytes = TASK_MAX_BYTES,
                               .max_output_bytes = MAX_OUTPUT_BYTES,
                               .idle_ms = STRANGER_MS,
                               .budget = &ts->strangers };
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
    if (!ts->shell->mom) {
        close(fd);
        return;
    }
    if (ts->n_strangers >= MAX_STRANGERS)
        drop_stranger(ts);
    c = xcalloc(1, sizeof(*c));
    c->service = ts;
    c->peer = *peer;
    c->id = MOM_TASK_CONNECTION | ++ts->last_id;
    HASH_ADD(hh, ts->clients, id, sizeof(c->id), c);
    ts->n_strangers++;
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

    if (!c)
        return;
    c->is_attaching = c->is_attaching && asked != TASK_ATTACH;
    send_reply(c, reply, asked);
}

void task_service_close(struct task_service *ts, uint64_t connection)
{
    struct task_client *c = find(ts, connection);

    if (c)
        conn_finish(c->conn);
}

void task_service_keep_limits(struct task_service *ts)
{
    if (!ts)
        return;
    while (ts->strangers.bytes > MAX_STRANGER_BYTES)
        client_free(who_goes(ts, NULL));
    while (ts->users.memory.bytes > MAX_KNOWN_BYTES) {
        const struct share *most = shares_with_most_memory(&ts->users);

        MUST(most);
        say(ts, most->key, "too much memory, the newest connection is closed");
        client_end(who_goes(ts, most));
    }
}
