/* net.c - see net.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

/* Something on its way. */
struct parcel {
    uint64_t to; /* connection */
    struct buf bytes;
    int32_t number;
};

static void parcel_drop(void *arg)
{
    struct parcel *p = arg;

    buf_fini(&p->bytes);
    free(p);
}

static struct parcel *parcel_new(uint64_t to)
{
    struct parcel *p = xcalloc(1, sizeof(*p));

    p->to = to;
    return p;
}

/* 'last_ms' keeps what is sent one way in order. */
static void send_parcel(struct sim *s, int64_t *last_ms, struct parcel *p, event_fn fn)
{
    int64_t at_ms = s->clock.now_ms + sim_latency_ms(s);

    *last_ms = MAX_OF(*last_ms, at_ms);
    clock_post(&s->clock, *last_ms, fn, p, parcel_drop);
}

static void forget_conn(struct net *n, struct conn *c)
{
    HASH_DEL(n->conns, c);
    free(c->yes);
    free(c);
}

void net_fini(struct net *n)
{
    while (n->conns)
        forget_conn(n, n->conns);
}

struct conn *net_conn(const struct net *n, uint64_t id)
{
    struct conn *c;

    HASH_FIND(hh, n->conns, &id, sizeof(id), c);
    return c;
}

/* Clients. */

uint64_t net_connect(struct sim *s, const char *user, bool server_uid,
                     const struct conn_ops *ops, void *owner)
{
    struct conn *c;

    if (!s->shell.up)
        return 0;
    c = xcalloc(1, sizeof(*c));
    c->id = ++s->net.last_id;
    c->user = user;
    c->server_uid = server_uid;
    c->ops = ops;
    c->owner = owner;
    HASH_ADD(hh, s->net.conns, id, sizeof(c->id), c);
    return c->id;
}

static void request_arrives(struct sim *s, void *arg)
{
    struct parcel *p = arg;
    struct conn *c = net_conn(&s->net, p->to);

    if (c && !c->dead)
        shell_request(s, c, p->bytes.data, p->bytes.len);
}

void net_request(struct sim *s, uint64_t conn, const struct wire_request *rq)
{
    struct conn *c = net_conn(&s->net, conn);
    struct parcel *p;

    if (!c)
        return;
    p = parcel_new(conn);
    batch_encode_request(&p->bytes, rq);
    send_parcel(s, &c->to_server_ms, p, request_arrives);
}

static void done_arrives(struct sim *s, void *arg)
{
    struct parcel *p = arg;

    const struct conn *c = net_conn(&s->net, p->to);

    if (c && !c->dead)
        shell_sched_done(s, p->to);
}

void net_sched_done(struct sim *s, uint64_t conn)
{
    struct conn *c = net_conn(&s->net, conn);

    if (c)
        send_parcel(s, &c->to_server_ms, parcel_new(conn), done_arrives);
}

static void end_arrives(struct sim *s, void *arg)
{
    struct parcel *p = arg;

    shell_client_gone(s, p->to);
}

void net_disconnect(struct sim *s, uint64_t conn)
{
    struct conn *c = net_conn(&s->net, conn);

    if (!c)
        return;
    send_parcel(s, &c->to_server_ms, parcel_new(conn), end_arrives);
    forget_conn(&s->net, c);
}

/* The server's end. */

static void reply_arrives(struct sim *s, void *arg)
{
    struct parcel *p = arg;
    struct conn *c = net_conn(&s->net, p->to);
    struct arena *arena = arena_new();
    struct wire_reply reply;

    if (c) {
        if (batch_decode_reply(p->bytes.data, p->bytes.len, arena, &reply) != DIS_OK)
            check_failed(s, CHECK_WIRE, "a reply cannot be decoded");
        else
            c->ops->reply(s, c->owner, c->id, &reply);
    }
    arena_free(arena);
}

void net_reply(struct sim *s, uint64_t conn, const struct wire_reply *reply)
{
    struct conn *c = net_conn(&s->net, conn);
    struct parcel *p;

    if (!c)
        return;
    p = parcel_new(conn);
    batch_encode_reply(&p->bytes, reply);
    send_parcel(s, &c->to_client_ms, p, reply_arrives);
}

static void command_arrives(struct sim *s, void *arg)
{
    struct parcel *p = arg;
    struct conn *c = net_conn(&s->net, p->to);

    if (c && c->ops->command)
        c->ops->command(s, c->owner, p->number, p->bytes.len ? p->bytes.data : NULL);
}

void net_command(struct sim *s, uint64_t conn, int32_t command, const char *job_id)
{
    struct conn *c = net_conn(&s->net, conn);
    struct parcel *p;

    if (!c)
        return;
    p = parcel_new(conn);
    p->number = command;
    if (job_id)
        buf_add_str(&p->bytes, job_id);
    send_parcel(s, &c->to_client_ms, p, command_arrives);
}

static void close_arrives(struct sim *s, void *arg)
{
    struct parcel *p = arg;
    struct conn *c = net_conn(&s->net, p->to);
    struct conn copy;

    if (!c)
        return;
    copy = *c;
    forget_conn(&s->net, c);
    copy.ops->closed(s, copy.owner, copy.id);
}

void net_close(struct sim *s, uint64_t conn)
{
    struct conn *c = net_conn(&s->net, conn);

    if (c)
        send_parcel(s, &c->to_client_ms, parcel_new(conn), close_arrives);
}

void net_server_died(struct sim *s)
{
    struct conn *c, *next_conn;

    HASH_ITER (hh, s->net.conns, c, next_conn) {
        net_close(s, c->id);
        c->dead = true;
    }
}
