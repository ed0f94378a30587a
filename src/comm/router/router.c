/* router.c - the door: links come and go, packets find their rule, time passes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm/router/table.h"

#include <string.h>

#define CROWDED_LOG_S 60

struct router *router_new(const struct router_config *cfg)
{
    struct router *r = xcalloc(1, sizeof(*r));

    r->cfg = *cfg;
    r->update_due_at = INT64_MAX;
    return r;
}

void router_free(struct router *r)
{
    struct link *l, *tmp;

    if (!r)
        return;
    HASH_ITER (hh, r->links, l, tmp)
        table_drop(r, l);
    free(r);
}

size_t router_n_links(const struct router *r)
{
    return HASH_COUNT(r->links);
}

size_t router_n_leaves(const struct router *r)
{
    return r->n_leaves;
}

/* A flood is one line a minute. */
static void log_crowd(struct router *r, int64_t now_at, struct router_out *out)
{
    if (now_at < r->crowded_at + CROWDED_LOG_S)
        return;
    r->crowded_at = now_at;
    router_out_log(
        out, ROUTER_LOG_FAULT,
        "%zu connections, %zu of them have not joined: the oldest of the address "
        "that has most of these are dropped",
        router_n_links(r), r->n_waiting);
}

/* Who has joined never goes for somebody who has not. */
static bool make_room(struct router *r, int64_t now_at, const struct tpp_addr *peer,
                      struct router_out *out)
{
    /* A host that has its share gives up its own oldest stranger, also when there is
     * room: otherwise it would fill the room of all others first. */
    bool full = router_n_links(r) >= r->cfg.max_links;
    struct link *same = table_oldest_of_host(r, peer);

    if (same && same->share->n >= r->cfg.max_waiting_of_host) {
        log_crowd(r, now_at, out);
        link_end(r, same, out);
        return true;
    }
    if (!full && r->n_waiting < r->cfg.max_waiting)
        return true;
    log_crowd(r, now_at, out);
    /* The table is full of leaves. */
    if (!r->waiting)
        return false;
    link_end(r, table_most_crowded(r), out);
    return true;
}

void router_link_up(struct router *r, int64_t now_at, uint64_t link,
                    const struct router_peer *peer,
                    const uint8_t nonce[TPP_NONCE_BYTES], struct router_out *out)
{
    char text[TPP_ADDR_TEXT_BYTES];
    struct link *l;

    if (!make_room(r, now_at, &peer->addr, out)) {
        router_out_log(out, ROUTER_LOG_FAULT, "too many connections, refusing %s",
                       tpp_addr_text(&peer->addr, text));
        router_out_close(out, link);
        return;
    }
    /* The nonce lives in the link: the handshake answers with it when the stranger has
     * begun one. */
    l = table_add(r, link, &peer->addr);
    l->privileged = peer->privileged;
    memcpy(l->shake.router_nonce, nonce, TPP_NONCE_BYTES);
    /* The time to join begins here and not with the first packet, which a stranger may
     * never send. */
    l->up_at = now_at;
}

/* LEAVE of its addresses to all other leaves. */
static void link_announce_gone(struct router *r, const struct link *l, int err,
                               struct router_out *out)
{
    struct tpp_packet leave = { .type = TPP_LEAVE, .hop = 2, .ecode = (uint8_t)err };
    struct link *other, *tmp;

    MUST(l->joined && l->n_routes > 0);
    leave.n_addrs = l->n_routes;
    leave.addrs = ARENA_ARRAY(out->arena, struct tpp_addr, l->n_routes);
    for (size_t i = 0; i < l->n_routes; i++)
        leave.addrs[i] = l->routes[i].addr;
    /* All leaves are told, whatever they have to do with this one: only they know which
     * streams they have to it (tpp.md 4). */
    HASH_ITER (hh, r->links, other, tmp) {
        if (other != l && other->joined)
            router_out_packet(out, other->id, &leave);
    }
}

static void leaf_is_gone(struct router *r, struct link *l, int err,
                         struct router_out *out)
{
    char text[TPP_ADDR_TEXT_BYTES];

    if (l->joined) {
        router_out_log(out, ROUTER_LOG_NOTE,
                       "tfd=%" PRIu64 ", Connection from leaf %s down", l->id,
                       tpp_addr_text(&l->routes[0].addr, text));
        link_announce_gone(r, l, err, out);
    }
    /* The addresses are free from here on; a leaf that joins again at once gets them
     * back. */
    table_drop(r, l);
}

void link_end(struct router *r, struct link *l, struct router_out *out)
{
    router_out_close(out, l->id);
    leaf_is_gone(r, l, 0, out);
}

void router_link_down(struct router *r, int64_t now_at, uint64_t link, int err,
                      struct router_out *out)
{
    struct link *l = table_link(r, link);

    (void)now_at;
    /* The core itself may have closed it in the same turn, and has told the others
     * then. */
    if (l)
        leaf_is_gone(r, l, err, out);
}

/* Packets of a leaf that has joined. */
static void take_from_leaf(struct router *r, struct link *l, struct tpp_packet *pkt,
                           const char *data, size_t len, struct router_out *out)
{
    switch (pkt->type) {
    case TPP_DATA:
    case TPP_CLOSE_STRM:
        forward_unicast(r, l, pkt, data, len, out);
        return;
    case TPP_CTL_MSG:
        /* A leaf may say that it does not know a stream. The other control messages are
         * for routers to send. */
        if (pkt->code == TPP_CTL_NOROUTE) {
            forward_unicast(r, l, pkt, data, len, out);
            return;
        }
        break;
    case TPP_MCAST_DATA:
        forward_multicast(r, l, pkt, out);
        return;
    case TPP_LEAVE:
        router_out_log(out, ROUTER_LOG_FAULT,
                       "Internal error! TPP_CTL_LEAVE arrived with a leaf context");
        break;
    default:
        break;
    }
    router_out_log(out, ROUTER_LOG_FAULT,
                   "tfd=%" PRIu64
                   ", packet type %d is not for a router, dropping connection",
                   l->id, pkt->type);
    link_end(r, l, out);
}

static void take_from_stranger(struct router *r, int64_t now_at, struct link *l,
                               const struct tpp_packet *pkt, struct router_out *out)
{
    char text[TPP_ADDR_TEXT_BYTES];

    if (l->waiting_join) {
        router_out_log(out, ROUTER_LOG_FAULT,
                       "tfd=%" PRIu64 ", packet before the JOIN was decided, dropping "
                       "connection",
                       l->id);
        link_end(r, l, out);
    } else if (pkt->type == TPP_AUTH_CTX) {
        join_auth(r, l, pkt, out);
    } else if (pkt->type == TPP_JOIN) {
        join_leaf(r, now_at, l, pkt, out);
    } else {
        router_out_log(out, ROUTER_LOG_FAULT,
                       "tfd=%" PRIu64 " Unauthenticated connection from %s", l->id,
                       tpp_addr_text(&l->peer, text));
        link_end(r, l, out);
    }
}

void router_packet(struct router *r, int64_t now_at, uint64_t link, const char *data,
                   size_t len, struct router_out *out)
{
    struct link *l = table_link(r, link);
    struct tpp_packet pkt;

    if (!l)
        return; /* what was read before the core closed it */
    /* What was decoded points into 'data' and the arena, and lives as long as the
     * effects of this packet. */
    if (!tpp_decode(data, len, out->arena, &pkt)) {
        router_out_log(out, ROUTER_LOG_FAULT,
                       "tfd=%" PRIu64
                       ", Critical error in protocol header, pkt_len=%zu, "
                       "avl_len=%zu, dropping connection",
                       l->id, len, len);
        link_end(r, l, out);
        return;
    }
    if (l->joined)
        take_from_leaf(r, l, &pkt, data, len, out);
    else
        take_from_stranger(r, now_at, l, &pkt, out);
}

void router_proven(struct router *r, int64_t now_at, uint64_t link, size_t n_claims,
                   const struct router_claim *claims, struct router_out *out)
{
    struct link *l = table_link(r, link);

    /* The answer may come for a link that has gone, or that was ended for a packet
     * which it sent meanwhile. */
    if (l && l->waiting_join)
        join_proven(r, now_at, l, n_claims, claims, out);
}

static void send_updates(struct router *r, struct router_out *out)
{
    const struct tpp_packet update = { .type = TPP_CTL_MSG,
                                       .code = TPP_CTL_UPDATE,
                                       .text = "" };
    struct link *l, *tmp;

    r->update_due_at = INT64_MAX;
    HASH_ITER (hh, r->links, l, tmp) {
        if (l->joined && l->node_type == TPP_LEAF_NOTIFIED)
            router_out_packet(out, l->id, &update);
    }
}

void router_tick(struct router *r, int64_t now_at, struct router_out *out)
{
    if (now_at >= r->update_due_at)
        send_updates(r, out);
    while (r->waiting && now_at - r->waiting->up_at >= ROUTER_JOIN_WAIT_S)
        link_end(r, r->waiting, out);
}

int64_t router_next_deadline(const struct router *r)
{
    int64_t at = r->update_due_at;

    if (r->waiting)
        at = MIN_OF(at, r->waiting->up_at + ROUTER_JOIN_WAIT_S);
    return at;
}
