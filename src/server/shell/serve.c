/* serve.c - from packets to requests, and what is decided before the core is asked
 * (wire.md 4.7 and 5).
 *
 * Packets are only a way to carry messages: several requests may share one, and one may
 * go on in the next. Requests of a connection are served in order, the next one when
 * the reply to the last is on its way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/resvport.h"
#include "lib/wire/batch.h"
#include "server/shell/client.h"
#include "server/shell/outbox.h"

#include <string.h>

/* A buffer that grew beyond this is given back when it is empty. */
#define KEEP_BYTES (1u << 20)

static void log_request(const struct client *c, const struct wire_request *rq)
{
    logfile_printf(c->all->sh->log, LOG_EV_DEBUG2, LOG_IN_REQUEST, "",
                   "Type %u request received from %s@%s, sock=%d", rq->number, rq->user,
                   c->host, conn_fd(c->conn));
}

static bool is_privileged_port(const struct client *c)
{
    return !c->local && ntohs(c->peer.sin_port) < RESVPORT_END;
}

static void serve_connect(struct client *c, const struct wire_request *rq)
{
    const struct wire_reply done = { .choice = REPLY_NULL };

    if (is_privileged_port(c))
        client_refuse(c, rq->number, rq->user, PBSE_UNKREQ, true);
    else
        client_send_reply(c, &done);
}

static void serve_by_core(struct client *c, const struct wire_request *rq)
{
    struct shell *sh = c->all->sh;
    struct effects *out = outbox_effects(sh->outbox);
    struct requester who = { .user = c->user,
                             .host = c->host,
                             .server_uid = c->server_uid,
                             .host_root = c->host_root,
                             .conn = c->number };
    size_t bytes_before = arena_used_bytes(out->arena);
    enum svr_outcome outcome;

    if (rq->number == BATCH_REGISTER_SCHED)
        who.may_schedule =
            sched_conn_may_register(c, ((const struct body_id *)rq->body)->id);
    outcome = svr_request(sh->svr, shell_now(sh), &who, rq, out);
    outbox_charge(sh->outbox, crowd_shares(&c->all->crowd, c->rank), c->share,
                  arena_used_bytes(out->arena) - bytes_before);
    client_fate(c, outcome);
}

void client_fate(struct client *c, enum svr_outcome outcome)
{
    c->waiting = outcome != SVR_SILENT; /* also when the reply is on its way out */
    if (outcome == SVR_GATHERING)
        long_reply_begin(c);
    if (outcome == SVR_SCHEDULER || outcome == SVR_COMMANDS) {
        c->role = outcome == SVR_COMMANDS ? ROLE_SECOND : ROLE_FIRST;
        conn_set_idle(c->conn, 0);
    }
}

/* The order of these checks is the protocol's (wire.md 5). */
static void serve_request(struct client *c, const struct wire_request *rq)
{
    log_request(c, rq);
    c->request = rq->number;
    if (rq->number == BATCH_DISCONNECT) {
        c->closing = true;
        conn_finish(c->conn);
    } else if (rq->number == BATCH_AUTHENTICATE) {
        serve_authenticate(c, rq);
    } else if (rq->number == BATCH_CONNECT) {
        serve_connect(c, rq);
    } else if (!c->user[0] || strcmp(c->user, rq->user) != 0) {
        client_refuse(c, rq->number, rq->user, PBSE_BADCRED, true);
    } else {
        serve_by_core(c, rq);
    }
}

static size_t unserved(const struct client *c)
{
    return c->message.len - c->message_at;
}

/* May the message go on in another packet? */
static bool may_go_on(const struct client *c)
{
    size_t max = c->user[0] ? CLIENT_MAX_SPREAD_BYTES : CLIENT_MAX_STRANGER_BYTES;

    return c->n_packets < CLIENT_MAX_PACKETS && unserved(c) <= max;
}

/* One request from the front of the message; false when there is nothing to do now. */
static bool serve_one(struct client *c)
{
    struct effects *out = outbox_effects(c->all->sh->outbox);
    struct dis_in in = { c->message.data + c->message_at,
                         c->message.data + c->message.len, out->arena };
    struct arena_mark mark = arena_mark(out->arena);
    struct wire_request rq;
    bool known = true;
    enum dis_error err = batch_read_request(&in, &rq, &known);

    if (err == DIS_EOD && may_go_on(c)) {
        arena_rewind(out->arena, &mark); /* it is read again from its front */
        conn_expect_more(c->conn, true);
        return false;
    }
    if (err != DIS_OK) {
        client_refuse(c, 0, "", PBSE_DISPROTO, true);
        return false;
    }
    if (!known) {
        client_refuse(c, rq.number, rq.user, PBSE_UNKREQ, true);
        return false;
    }
    c->message_at = (size_t)(in.at - c->message.data);
    c->n_packets = unserved(c) > 0 ? 1 : 0;
    conn_expect_more(c->conn, false);
    serve_request(c, &rq);
    return true;
}

/* Who does not read its replies gets no further ones. */
static bool is_choked(struct client *c)
{
    size_t most = c->user[0] ? CLIENT_MAX_UNREAD_BYTES : CLIENT_MAX_STRANGER_BYTES;

    c->choked = conn_unsent_bytes(c->conn) > most;
    if (c->choked)
        conn_want_room(c->conn, true);
    return c->choked;
}

/* Forget what was served; amortised: at most half of the message moves. */
static void consume(struct client *c)
{
    if (c->closing || unserved(c) == 0) {
        buf_clear(&c->message);
        c->message_at = 0;
        if (c->closing || c->message.cap > KEEP_BYTES)
            buf_fini(&c->message);
    } else if (c->message_at > c->message.len / 2) {
        buf_eat(&c->message, c->message_at);
        c->message_at = 0;
    }
    client_count(c);
}

/* The disk is slower than this user asks: he waits until what he has asked for is
 * saved, and all users wait when it is too much of all of them. */
static bool is_starved(struct client *c)
{
    struct clients *cs = c->all;
    bool starved =
        c->rank == CROWD_USER && (c->share->unsaved.bytes > cs->max_user_unsaved ||
                                  cs->crowd.unsaved.bytes > cs->max_unsaved);

    if (starved) {
        cs->starving = true;
        c->to_resume = true;
    }
    return starved;
}

static bool may_serve(struct client *c)
{
    return !c->closing && !c->waiting && !c->shake && c->role != ROLE_SECOND &&
           unserved(c) > 0 && !is_choked(c) && !is_starved(c);
}

void serve_rest(struct client *c)
{
    int n = 0;

    while (n < CLIENT_TURN_REQUESTS && may_serve(c) && serve_one(c))
        n++;
    if (n == CLIENT_TURN_REQUESTS && may_serve(c))
        client_resume(c);
    consume(c);
    conn_hold(c->conn, c->waiting || c->choked || c->to_resume);
}

void serve_packet(struct client *c, const char *data, size_t len)
{
    if (c->closing)
        return;
    buf_add(&c->message, data, len);
    c->n_packets++;
    serve_rest(c);
}
