/* forward.c - packets on their way from leaf to leaf (tpp.md 4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm/router/table.h"
#include "lib/tpp/inflate.h"

#include <string.h>

/* No leaf speaks in the name of another. */
static bool source_is_own(const struct link *l, const struct tpp_addr *src)
{
    /* A leaf has a handful of addresses. */
    for (size_t i = 0; i < l->n_routes; i++)
        if (tpp_addr_same(&l->routes[i].addr, src))
            return true;
    return false;
}

static bool source_checked(struct router *r, struct link *l, const struct tpp_addr *src,
                           struct router_out *out)
{
    char text[TPP_ADDR_TEXT_BYTES];

    if (source_is_own(l, src))
        return true;
    router_out_log(out, ROUTER_LOG_FAULT,
                   "tfd=%" PRIu64 ", forged source address %s, dropping connection",
                   l->id, tpp_addr_text(src, text));
    link_end(r, l, out);
    return false;
}

static void send_noroute(struct link *to, const struct tpp_addr *src, uint32_t src_sd,
                         const struct tpp_addr *dest, const char *text,
                         struct router_out *out)
{
    const struct tpp_packet pkt = { .type = TPP_CTL_MSG,
                                    .code = TPP_CTL_NOROUTE,
                                    .src_sd = src_sd,
                                    .src_addr = *dest,
                                    .dest_addr = *src,
                                    .text = text };
    char a[TPP_ADDR_TEXT_BYTES], b[TPP_ADDR_TEXT_BYTES];

    router_out_log(out, ROUTER_LOG_DEBUG, "Pkt from src=%s[%u], noroute to dest=%s, %s",
                   tpp_addr_text(src, a), src_sd, tpp_addr_text(dest, b), text);
    router_out_packet(out, to->id, &pkt);
}

void forward_unicast(struct router *r, struct link *from, const struct tpp_packet *pkt,
                     const char *bytes, size_t len, struct router_out *out)
{
    struct link *to;

    if (!source_checked(r, from, &pkt->src_addr, out))
        return;
    to = table_route(r, &pkt->dest_addr);
    if (to) {
        MUST(to->joined); /* routes lead to leaves only */
        /* As it came: the router changes nothing of a packet for one receiver. */
        router_out_send(out, to->id, bytes, len);
        return;
    }
    /* A NOROUTE without a way back is lost, and an empty DATA asks for no answer. */
    if (pkt->type == TPP_CTL_MSG || (pkt->type == TPP_DATA && pkt->payload_len == 0))
        return;
    send_noroute(from, &pkt->src_addr, pkt->src_sd, &pkt->dest_addr,
                 arena_printf(out->arena,
                              "tfd=%" PRIu64 ", pbs_comm:%s: Dest not found", from->id,
                              r->cfg.name),
                 out);
}

/* Header and payload go out one after the other, so that the payload is shared by all
 * members. */
static void send_member(struct link *to, const struct tpp_packet *pkt,
                        const struct tpp_member *m, struct router_out *out)
{
    const struct tpp_packet head = { .type = TPP_DATA,
                                     .src_magic = m->src_magic,
                                     .src_sd = m->src_sd,
                                     .dest_sd = m->dest_sd,
                                     .totlen = pkt->totlen,
                                     .src_addr = pkt->src_addr,
                                     .dest_addr = m->dest_addr };
    struct buf b = { 0 };
    uint32_t whole;
    char *bytes;

    MUST(to->joined); /* routes lead to leaves only */
    tpp_encode(&b, &head);
    bytes = arena_copy(out->arena, b.data, b.len);
    /* The packet begins with its whole length (tpp.md 2.4), which has to cover the
     * payload that is sent behind it. */
    whole = (uint32_t)(b.len + pkt->payload_len);
    bytes[0] = (char)(whole >> 24);
    bytes[1] = (char)(whole >> 16);
    bytes[2] = (char)(whole >> 8);
    bytes[3] = (char)whole;
    router_out_send(out, to->id, bytes, b.len);
    router_out_send(out, to->id, pkt->payload, pkt->payload_len);
    buf_fini(&b);
}

static bool members_are_readable(struct router *r, struct link *from,
                                 struct tpp_packet *pkt, struct router_out *out)
{
    if (tpp_plain_members(pkt, out->arena))
        return true;
    router_out_log(out, ROUTER_LOG_FAULT,
                   "tfd=%" PRIu64
                   ", member list of a multicast is wrong, dropping connection",
                   from->id);
    link_end(r, from, out);
    return false;
}

void forward_multicast(struct router *r, struct link *from, struct tpp_packet *pkt,
                       struct router_out *out)
{
    char text[TPP_ADDR_TEXT_BYTES];

    if (!source_checked(r, from, &pkt->src_addr, out) ||
        !members_are_readable(r, from, pkt, out))
        return;
    router_out_log(out, ROUTER_LOG_DEBUG,
                   "tfd=%" PRIu64
                   ", MCAST packet from %s, %zu member streams, cmprsd_len=%zu, "
                   "info_len=%zu, len=%zu",
                   from->id, tpp_addr_text(&pkt->src_addr, text), pkt->n_members,
                   pkt->info_len, pkt->n_members * TPP_MEMBER_BYTES, pkt->payload_len);
    /* The order is part of the protocol: members are served from last to first (tpp.md
     * 4). */
    for (size_t i = pkt->n_members; i-- > 0;) {
        const struct tpp_member *m = &pkt->members[i];
        struct link *to = table_route(r, &m->dest_addr);

        if (to)
            send_member(to, pkt, m, out);
        else
            send_noroute(from, &pkt->src_addr, m->src_sd, &m->dest_addr,
                         arena_printf(out->arena,
                                      "pbs_comm:%s: Dest not found at pbs_comm",
                                      r->cfg.name),
                         out);
    }
    router_out_log(out, ROUTER_LOG_DEBUG, "mcast done");
}
