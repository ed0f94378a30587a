/* serve.c - from packets to requests, and what is decided before the core is asked
 * (wire.md 4.7 and 5).
 *
 * Packets are only a way to carry messages: several requests may share one, and one may
 * go on in the next. Requests of a connection are served in order, the next one when
 * the reply to the last is on its way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/resvport.h"
#include "lib/io/net.h"
#include "lib/wire/batch.h"
#include "server/shell/client.h"
#include "server/shell/outbox.h"

#include <string.h>

/* A buffer that grew beyond this is given back when it is empty. */
#define KEEP_BYTES (1u << 20)

static void log_request(const struct client *c, const struct wire_request *rq)
{
    /* A scheduler's requests are logged under its own name (wire.md 12.1). */
    logfile_printf(c->all->sh->log, LOG_EV_DEBUG2, LOG_IN_REQUEST, "",
                   "Type %u request received from %s@%s, sock=%d", rq->number,
                   c->scheduler ? "Scheduler" : rq->user, c->host, conn_fd(c->conn));
}

static bool is_privileged_port(const struct client *c)
{
    return !c->local && ntohs(c->peer.sin_port) < RESVPORT_END;
}

static void serve_connect(struct client *c, const struct wire_request *rq)
{
    const struct wire_reply done = { .choice = REPLY_NULL };

    /* PBS answers Connect from a privileged port like a request that it does not
     * know. */
    if (is_privileged_port(c))
        client_refuse(c, rq->number, rq->user, PBSE_UNKREQ, true);
    else
        client_send_reply(c, &done);
}

/* False: it has to be looked up whether it may be a scheduler, and the core was not
 * asked. */
static bool serve_by_core(struct client *c, const struct wire_request *rq)
{
    struct shell *sh = c->all->sh;
    struct effects *out = outbox_effects(sh->outbox);
    struct requester who = { .user = c->user,
                             .host = c->host,
                             .server_uid = c->server_uid,
                             .at_home = c->local || net_is_own(c->peer.sin_addr),
                             .host_root = c->host_root,
                             .peer = c->is_server,
                             .conn = c->number };
    size_t bytes_before = arena_used_bytes(out->arena);
    enum svr_outcome outcome;

    if (rq->number == BATCH_REGISTER_SCHED) {
        const struct body_id *body = rq->body;
        enum trust trust = sched_conn_may_register(c, body->id);

        if (trust == TRUST_LATER)
            return false;
        who.may_schedule = trust == TRUST_YES;
    }
    outcome = svr_request(sh->svr, shell_now(sh), &who, rq, out);
    MUST(arena_used_bytes(out->arena) >= bytes_before);
    /* What the request has put into memory counts for its user until it is saved. */
    outbox_charge(sh->outbox, crowd_shares(&c->all->crowd, c->rank), c->share,
                  arena_used_bytes(out->arena) - bytes_before);
    client_fate(c, outcome);
    return true;
}

void client_fate(struct client *c, enum svr_outcome outcome)
{
    /* Nobody waits for an answer, so the next request is served. */
    if (outcome == SVR_SILENT)
        return;
    client_happens(c, LIFE_EV_ASKED);
    if (outcome == SVR_GATHERING)
        client_happens(c, LIFE_EV_GATHER);
    if (outcome == SVR_COMMANDS)
        client_happens(c, LIFE_EV_REGISTERED);
    if (outcome == SVR_SCHEDULER || outcome == SVR_COMMANDS) {
        c->scheduler = true;
        /* A scheduler may be silent for as long as it likes. */
        conn_set_idle(c->conn, 0);
    }
}

/* What servers ask each other: jobs that are handed over, and dependencies, for which a
 * job of the other server is looked at. Nothing else is served on such a connection. */
static bool is_between_servers(uint32_t number)
{
    static const uint32_t numbers[] = {
        BATCH_QUEUE_JOB,    BATCH_JOB_SCRIPT,    BATCH_RDY_TO_COMMIT,
        BATCH_COMMIT,       BATCH_MOVE_JOB_FILE, BATCH_JOB_CRED,
        BATCH_REGISTER_DEP, BATCH_TRACK_JOB,     BATCH_STATUS_JOB,
    };

    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* Whose the connection is, if nobody has said so yet. False: later. */
static bool know_sender(struct client *c, const struct wire_request *rq)
{
    return c->user[0] || !is_between_servers(rq->number) || serve_as_server(c, rq);
}

static bool is_senders(const struct client *c, const struct wire_request *rq)
{
    return c->user[0] && strcmp(c->user, rq->user) == 0 &&
           (!c->is_server || is_between_servers(rq->number));
}

/* The order of these checks is the protocol's (wire.md 5). False: something has to be
 * looked up first, and it is to be served again from its beginning. */
static bool serve_request(struct client *c, const struct wire_request *rq)
{
    if (!seeker_is_back(&c->seeker))
        log_request(c, rq);
    c->request = rq->number;
    if (rq->number == BATCH_DISCONNECT) {
        client_happens(c, LIFE_EV_CLOSE);
    } else if (rq->number == BATCH_AUTHENTICATE) {
        return serve_authenticate(c, rq);
    } else if (rq->number == BATCH_CONNECT) {
        serve_connect(c, rq);
    } else if (!know_sender(c, rq)) {
        return false;
    } else if (!is_senders(c, rq)) {
        client_refuse(c, rq->number, rq->user, PBSE_BADCRED, true);
    } else {
        return serve_by_core(c, rq);
    }
    return true;
}

static size_t unserved(const struct client *c)
{
    MUST(c->message_at <= c->message.len);
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
    size_t front = c->message_at;

    if (err == DIS_EOD && may_go_on(c)) {
        arena_rewind(out->arena, &mark); /* it is read again from its front */
        conn_expect_more(c->conn, true);
        return false;
    }
    /* Where a message goes wrong nothing behind it can be read. */
    if (err != DIS_OK) {
        client_refuse(c, 0, "", PBSE_DISPROTO, true);
        return false;
    }
    if (!known) {
        client_refuse(c, rq.number, rq.user, PBSE_UNKREQ, true);
        return false;
    }
    MUST(in.at > c->message.data + c->message_at); /* a request has bytes */
    c->message_at = (size_t)(in.at - c->message.data);
    c->n_packets = unserved(c) > 0 ? 1 : 0;
    conn_expect_more(c->conn, false);
    if (serve_request(c, &rq)) {
        seeker_end(&c->seeker);
        return true;
    }
    c->message_at = front;
    c->n_packets = 1;
    client_happens(c, LIFE_EV_LOOK);
    return false;
}

/* Who does not read its replies gets no further ones. */
static bool is_choked(const struct client *c)
{
    size_t most = c->user[0] ? CLIENT_MAX_UNREAD_BYTES : CLIENT_MAX_STRANGER_BYTES;

    return conn_unsent_bytes(c->conn) > most;
}

/* Forget what was served; amortised: at most half of the message moves. */
static void consume(struct client *c)
{
    if (client_is_closing(c) || unserved(c) == 0) {
        buf_clear(&c->message);
        c->message_at = 0;
        if (client_is_closing(c) || c->message.cap > KEEP_BYTES)
            buf_fini(&c->message);
    } else if (c->message_at > c->message.len / 2) {
        buf_eat(&c->message, c->message_at);
        c->message_at = 0;
    }
    client_count(c);
}

/* The disk is slower than this user asks: he waits until what he has asked for is
 * saved, and all users wait when it is too much of all of them. */
static bool is_starved(const struct client *c)
{
    const struct clients *cs = c->all;

    return c->rank == CROWD_USER && (c->share->unsaved.bytes > cs->max_user_unsaved ||
                                     cs->crowd.unsaved.bytes > cs->max_unsaved);
}

/* Is its next request served now? */
static bool may_serve(struct client *c)
{
    if (c->life != LIFE_READY || unserved(c) == 0)
        return false;
    if (is_choked(c))
        client_happens(c, LIFE_EV_CHOKE);
    else if (is_starved(c))
        client_happens(c, LIFE_EV_STARVE);
    return c->life == LIFE_READY;
}

void serve_rest(struct client *c)
{
    struct clients *cs = c->all;
    int n = 0;

    MUST(!cs->serving);
    cs->serving = c;
    /* A client that has sent many requests is served a few at a time. */
    while (n < CLIENT_TURN_REQUESTS && may_serve(c) && serve_one(c))
        n++;
    cs->serving = NULL;
    if (n == CLIENT_TURN_REQUESTS && may_serve(c))
        client_happens(c, LIFE_EV_REST);
    consume(c);
}

void serve_packet(struct client *c, const char *data, size_t len)
{
    if (client_is_closing(c))
        return;
    /* The bytes are kept until the request is whole, whatever packets it came in. */
    buf_add(&c->message, data, len);
    c->n_packets++;
    serve_rest(c);
}
