/* shell_leave.c - what leaves the server when its turn has ended and is durable:
 * answers, messages, commands, questions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell_parts.h"

#include "lib/wire/packet.h"

#include <stdlib.h>

static void send_reply(struct sim *s, const struct effect *e)
{
    struct conn *c = net_conn(&s->net, e->u.reply.conn);
    const struct wire_reply *reply = &e->u.reply.reply;

    if (!c || c->dead)
        return;
    net_reply(s, c->id, reply);
    if (!reply->more)
        c->asked = 0;
}

/* A part of a long status: read a little at a time, decoded as the client's library
 * would. */
static void send_listing(struct sim *s, uint64_t conn)
{
    struct arena *arena = arena_new();
    struct effect e = { .kind = EFFECT_REPLY, .u.reply.conn = conn };
    struct buf bytes = { 0 };
    struct packet p;
    enum svr_listing left;

    do {
        left = svr_listing_read(s->shell.svr, conn, 700, &bytes);
    } while (left == SVR_LISTING_SOME);
    if (packet_peek(bytes.data, bytes.len, bytes.len, &p) != PACKET_READY ||
        batch_decode_reply(p.data, p.len, arena, &e.u.reply.reply))
        check_failed(s, CHECK_WIRE, "a listing cannot be decoded");
    else
        send_reply(s, &e);
    if (left == SVR_LISTING_PART)
        shell_list_later(s, conn);
    buf_fini(&bytes);
    arena_free(arena);
}

static void gone_later(struct sim *s, void *arg)
{
    shell_client_gone(s, *(uint64_t *)arg);
}

static void close_conn(struct sim *s, uint64_t conn)
{
    uint64_t *id = xmalloc(sizeof(*id));

    *id = conn;
    net_close(s, conn);
    sim_after(s, 0, gone_later, id, free);
}

static uint64_t call_mom(struct sim *s, const char *host, uint32_t port)
{
    uint32_t ip;
    struct tpp_addr addr;

    if (shell_host_addrs(s, host, &ip, 1) == 0)
        return 0;
    addr = tpp_addr_ipv4(ip, (uint16_t)port);
    return comm_open(s, SERVER_LEAF, &addr);
}

static void send_to_mom(struct sim *s, const struct effect *e)
{
    uint64_t stream = e->u.mom.stream;
    bool twice = sweep_doubles(s, SERVER_LEAF, true);
    struct buf b = { 0 };

    if (stream == 0)
        stream = call_mom(s, e->u.mom.host, e->u.mom.port);
    is_encode(&b, &e->u.mom.msg);
    comm_send(s, SERVER_LEAF, stream, b.data, b.len);
    if (twice)
        comm_send(s, SERVER_LEAF, stream, b.data, b.len);
    buf_fini(&b);
}

static void trace_log(const struct sim *s, const struct effect *e)
{
    sim_trace(s, "server: %s: %s", e->u.log.object ? e->u.log.object : "",
              e->u.log.text);
}

/* What its client waits for leaves as a refusal. */
static bool refuse(struct sim *s, const struct effect *e)
{
    struct effect refusal = {
        .kind = EFFECT_REPLY,
        .u.reply = { .conn = e->u.reply.conn,
                     .reply = { .code = PBSE_SAVE_ERR,
                                .choice = REPLY_TEXT,
                                .text = SVR_IN_DOUBT } },
    };

    if (e->kind == EFFECT_LISTING) {
        svr_listing_drop(s->shell.svr, e->u.listing_conn);
        refusal.u.reply.conn = e->u.listing_conn;
        refusal.u.reply.reply.text = SVR_NOT_SHOWN;
    } else if (e->kind != EFFECT_REPLY) {
        return false;
    } else if (e->u.reply.reads_only) {
        refusal.u.reply.reply.text = SVR_NOT_SHOWN;
    }
    send_reply(s, &refusal);
    return true;
}

static void leave(struct sim *s, const struct turns_leaving *l)
{
    const struct effect *e = l->effect;

    if (l->given_up && refuse(s, e))
        return;
    check_leaves(s, l);
    switch (e->kind) {
    case EFFECT_REPLY:
        send_reply(s, e);
        break;
    case EFFECT_LISTING:
        send_listing(s, e->u.listing_conn);
        break;
    case EFFECT_CLOSE:
        close_conn(s, e->u.close_conn);
        break;
    case EFFECT_SCHED_COMMAND:
        sim_trace(s, "server: command %d to the scheduler", e->u.sched.command);
        net_command(s, e->u.sched.conn, e->u.sched.command, e->u.sched.job_id);
        break;
    case EFFECT_MOM_MESSAGE:
        send_to_mom(s, e);
        break;
    case EFFECT_MOM_CLOSE:
        comm_close(s, SERVER_LEAF, e->u.mom.stream);
        break;
    case EFFECT_LOG:
        trace_log(s, e);
        break;
    case EFFECT_FIND_OUT:
        shell_find_out(s, &e->u.need);
        break;
    case EFFECT_RECORD:
    case EFFECT_ACCOUNT: /* written with its commit */
    case EFFECT_MAIL:
    case EFFECT_CALL:
    case EFFECT_EXIT:
        break;
    }
}

/* Leaving may bring new turns (a scheduler that is attached); they queue up behind. */
static void release_all(struct sim *s)
{
    struct turns_leaving l;

    while (turns_next(s->shell.turns, &l))
        leave(s, &l);
}

void shell_release(struct sim *s)
{
    if (s->shell.releasing)
        return;
    s->shell.releasing = true;
    release_all(s);
    s->shell.releasing = false;
}
