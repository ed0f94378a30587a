/* join.c - who may be a leaf here: AUTH_CTX and JOIN (tpp.md 2.3, 4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm/router/table.h"

#include <string.h>

static bool list_has(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = list; at && *at; at = strchr(at, ',')) {
        /* The list is a setting that people write, with blanks behind the commas. */
        while (*at == ',' || *at == ' ')
            at++;
        if (strncmp(at, word, len) == 0 && (at[len] == ',' || at[len] == '\0'))
            return true;
    }
    return false;
}

/* A refusal is told, and the connection stays for another try. */
static void send_autherr(const struct link *l, const char *text, struct router_out *out)
{
    const struct tpp_packet pkt = {
        .type = TPP_CTL_MSG, .code = TPP_CTL_AUTHERR, .src_sd = TPP_NO_SD, .text = text
    };

    router_out_log(out, ROUTER_LOG_FAULT, "%s", text);
    router_out_packet(out, l->id, &pkt);
}

static void reject_proof(struct router *r, struct link *l, struct router_out *out)
{
    char text[TPP_ADDR_TEXT_BYTES];

    router_out_log(out, ROUTER_LOG_FAULT,
                   "tfd=%" PRIu64 " Unauthenticated connection from %s", l->id,
                   tpp_addr_text(&l->peer, text));
    link_end(r, l, out);
}

static void shake_hands(struct router *r, struct link *l, const struct tpp_packet *pkt,
                        struct router_out *out)
{
    struct buf answer = { 0 };

    if (!handshake_at_router(&l->shake, &r->cfg.prover, pkt, &answer))
        reject_proof(r, l, out);
    else if (answer.len)
        router_out_send(out, l->id, arena_copy(out->arena, answer.data, answer.len),
                        answer.len);
    buf_fini(&answer);
}

void join_auth(struct router *r, struct link *l, const struct tpp_packet *pkt,
               struct router_out *out)
{
    char text[TPP_ADDR_TEXT_BYTES];

    tpp_addr_text(&l->peer, text);
    /* A reserved port is shown by coming from one, without any packet. Whoever names
     * that method here follows another protocol (tpp.md 2.3). */
    if (strcmp(pkt->auth_method, TPP_METHOD_RESVPORT) == 0) {
        router_out_log(out, ROUTER_LOG_FAULT, "Failed to find authdef");
        link_end(r, l, out);
    } else if (!list_has(r->cfg.methods, pkt->auth_method)) {
        send_autherr(l,
                     arena_printf(out->arena,
                                  "tfd=%" PRIu64 ", Authentication method %s not "
                                  "allowed in connection %s",
                                  l->id, pkt->auth_method, text),
                     out);
    } else if (strcmp(pkt->auth_method, TPP_METHOD_CLUSTERKEY) != 0) {
        send_autherr(l,
                     arena_printf(out->arena,
                                  "tfd=%" PRIu64
                                  ", Authentication method not supported "
                                  "in connection %s",
                                  l->id, text),
                     out);
    } else if (pkt->for_encrypt || pkt->encrypt_method[0]) {
        send_autherr(l,
                     arena_printf(out->arena,
                                  "tfd=%" PRIu64 ", Encryption method not supported in "
                                  "connection %s",
                                  l->id, text),
                     out);
    } else {
        shake_hands(r, l, pkt, out);
    }
}

static bool ip_is_trusted(const struct router *r, uint32_t ip)
{
    for (size_t i = 0; i < r->cfg.n_trusted; i++)
        if (r->cfg.trusted_ips[i] == ip)
            return true;
    return false;
}

/* A privileged port speaks for the host it is on, and for no other. */
static bool joins_as_itself(const struct link *l, const struct tpp_packet *join)
{
    for (size_t i = 0; i < join->n_addrs; i++)
        if (memcmp(join->addrs[i].ip, l->peer.ip, sizeof(l->peer.ip)) == 0)
            return true;
    return false;
}

static bool resvport_is_enough(const struct router *r, const struct link *l,
                               const struct tpp_packet *join, struct router_out *out)
{
    char text[TPP_ADDR_TEXT_BYTES];

    /* A leaf that sends JOIN first has shown nothing but its port. */
    if (!list_has(r->cfg.methods, TPP_METHOD_RESVPORT)) {
        send_autherr(l,
                     arena_printf(out->arena,
                                  "tfd=%" PRIu64 ", Authentication method resvport not "
                                  "allowed in connection %s",
                                  l->id, tpp_addr_text(&l->peer, text)),
                     out);
        return false;
    }
    /* All failures get the same words, so that a stranger does not learn which hosts
     * are trusted. */
    if (!l->privileged || !ip_is_trusted(r, tpp_addr_ip(&l->peer)) ||
        !joins_as_itself(l, join)) {
        send_autherr(l, "Connection from non-reserved port, rejected", out);
        return false;
    }
    return true;
}

/* A host that was reset joins again before its old connection is noticed to be dead:
 * the newcomer wins. */
static void drop_stale(struct router *r, const struct link *l,
                       const struct tpp_packet *join, struct router_out *out)
{
    /* Only the first address decides, since it is the source of all streams and names
     * the leaf (tpp.md 4). */
    struct link *old = table_route(r, &join->addrs[0]);
    char text[TPP_ADDR_TEXT_BYTES];

    if (!old)
        return;
    router_out_log(out, ROUTER_LOG_FAULT,
                   "tfd=%" PRIu64
                   ", Leaf %s still connected while another leaf connect arrived, "
                   "dropping existing connection %" PRIu64,
                   l->id, tpp_addr_text(&join->addrs[0], text), old->id);
    link_end(r, old, out);
}

static void log_duplicates(struct router *r, const struct link *l,
                           const struct tpp_packet *join, struct router_out *out)
{
    char text[TPP_ADDR_TEXT_BYTES];

    for (size_t i = 0; i < join->n_addrs; i++)
        if (table_route(r, &join->addrs[i]) != l)
            router_out_log(out, ROUTER_LOG_FAULT,
                           "tfd=%" PRIu64
                           ", Failed to add address %s to cluster-leaves index "
                           "since address already exists, dropping duplicate",
                           l->id, tpp_addr_text(&join->addrs[i], text));
}

static void admit(struct router *r, int64_t now_at, struct link *l,
                  const struct tpp_packet *join, struct router_out *out)
{
    char text[TPP_ADDR_TEXT_BYTES];

    /* The proofs are in: nobody can end the connection of another host's leaf by naming
     * its address. */
    drop_stale(r, l, join, out);
    if (table_join(r, l, join) == 0) {
        router_out_log(out, ROUTER_LOG_FAULT,
                       "tfd=%" PRIu64
                       ", all duplicates problem adding addresses, rejecting "
                       "connection",
                       l->id);
        link_end(r, l, out);
        return;
    }
    router_out_joined(out, l->id);
    log_duplicates(r, l, join, out);
    for (size_t i = 0; i < l->n_routes; i++)
        router_out_log(out, ROUTER_LOG_NOTE,
                       "tfd=%" PRIu64 ", Leaf registered address %s", l->id,
                       tpp_addr_text(&l->routes[i].addr, text));
    /* A server is told once when many MoMs come at a time; each JOIN puts that off
     * again (tpp.md 4). */
    if (join->node_type == TPP_LEAF)
        r->update_due_at = now_at + ROUTER_UPDATE_DELAY_S;
}

static bool is_loopback(uint32_t ip)
{
    return ip >> 24 == 127;
}

/* Nobody's proof is wanted for the address that the connection comes from. */
static bool is_peers_own(const struct router *r, const struct link *l,
                         const struct tpp_addr *addr)
{
    return memcmp(addr->ip, l->peer.ip, sizeof(l->peer.ip)) == 0 &&
           (r->cfg.loopback || !is_loopback(tpp_addr_ip(addr)));
}

/* An address of one host of the network: not 0.0.0.0/8, multicast or broadcast, and
 * loopback only where nobody else gets to this router. */
static bool may_be_proven(const struct router *r, const struct tpp_addr *addr)
{
    uint32_t ip = tpp_addr_ip(addr);
    struct tpp_addr plain = tpp_addr_ipv4(ip, addr->port);

    return tpp_addr_same(addr, &plain) && ip >> 24 != 0 && ip >> 28 < 0xe &&
           (r->cfg.loopback || !is_loopback(ip));
}

static bool is_proven(const struct tpp_addr *addr, size_t n_claims,
                      const struct router_claim *claims)
{
    for (size_t i = 0; i < n_claims; i++)
        /* Ports do not matter: who has proven a host has proven it for all its
         * ports. */
        if (claims[i].ip == tpp_addr_ip(addr))
            return claims[i].proven;
    return false;
}

static size_t make_claims(const struct router *r, const struct link *l,
                          const struct tpp_packet *join, struct router_claim *v)
{
    size_t n = 0;

    for (size_t i = 0; i < join->n_addrs; i++)
        if (!is_peers_own(r, l, &join->addrs[i]) && may_be_proven(r, &join->addrs[i]))
            v[n++] = (struct router_claim){ .ip = tpp_addr_ip(&join->addrs[i]) };
    return n;
}

static void refuse_first(const struct link *l, const struct tpp_addr *addr,
                         struct router_out *out)
{
    char peer[TPP_ADDR_TEXT_BYTES], text[TPP_ADDR_TEXT_BYTES];

    send_autherr(l,
                 arena_printf(out->arena,
                              "tfd=%" PRIu64 ", Address %s is not known to be of the "
                              "host of connection %s, rejected (its name must have "
                              "both addresses at the router's host)",
                              l->id, tpp_addr_text(addr, text),
                              tpp_addr_text(&l->peer, peer)),
                 out);
}

/* Leave out what is not proven; false: the first address is not. */
static bool keep_proven(struct router *r, const struct link *l, struct tpp_packet *join,
                        size_t n_claims, const struct router_claim *claims,
                        struct router_out *out)
{
    char peer[TPP_ADDR_TEXT_BYTES], text[TPP_ADDR_TEXT_BYTES];
    size_t n = 0;

    for (size_t i = 0; i < join->n_addrs; i++) {
        const struct tpp_addr *addr = &join->addrs[i];

        if (is_peers_own(r, l, addr) ||
            (may_be_proven(r, addr) && is_proven(addr, n_claims, claims))) {
            join->addrs[n++] = *addr;
        } else if (i == 0) {
            refuse_first(l, addr, out);
            return false;
        } else {
            router_out_log(
                out, ROUTER_LOG_NOTE,
                "tfd=%" PRIu64 ", Address %s is not known to be of the host of "
                "connection %s, left out",
                l->id, tpp_addr_text(addr, text), tpp_addr_text(&l->peer, peer));
        }
    }
    MUST(n > 0); /* the first one stays, or the leaf was refused */
    join->n_addrs = n;
    return true;
}

void join_proven(struct router *r, int64_t now_at, struct link *l, size_t n_claims,
                 const struct router_claim *claims, struct router_out *out)
{
    /* The addresses are copied to the arena before the kept JOIN is freed; refused or
     * not, this JOIN is decided now, and the leaf may try another one. */
    struct tpp_packet join = *l->waiting_join;

    MUST(!l->joined);
    join.addrs = arena_copy(out->arena, join.addrs, join.n_addrs * sizeof(*join.addrs));
    table_forget_join(l);
    if (keep_proven(r, l, &join, n_claims, claims, out))
        admit(r, now_at, l, &join, out);
}

static void prove_addresses(struct router *r, int64_t now_at, struct link *l,
                            const struct tpp_packet *join, struct router_out *out)
{
    struct router_claim *claims =
        ARENA_ARRAY(out->arena, struct router_claim, join->n_addrs);
    size_t n = make_claims(r, l, join, claims);

    /* The JOIN is kept in both cases, so that it is decided in one place. */
    table_keep_join(l, join);
    if (n > 0)
        router_out_prove(out, l->id, n, claims);
    else
        join_proven(r, now_at, l, 0, NULL, out);
}

void join_leaf(struct router *r, int64_t now_at, struct link *l,
               const struct tpp_packet *pkt, struct router_out *out)
{
    if (!l->shake.started && !resvport_is_enough(r, l, pkt, out))
        return;
    /* The proof covers the addresses and type of this very JOIN; a leaf that has begun
     * with the key cannot fall back to its port. */
    if (l->shake.started && !handshake_is_proven(&l->shake, &r->cfg.prover, pkt)) {
        reject_proof(r, l, out);
        return;
    }
    /* A leaf that could speak as a router would announce the addresses of others. */
    if (pkt->node_type == TPP_ROUTER || pkt->hop != 1) {
        router_out_log(out, ROUTER_LOG_FAULT,
                       "tfd=%" PRIu64
                       ", links between routers are not offered, dropping "
                       "connection",
                       l->id);
        link_end(r, l, out);
    } else if (pkt->node_type != TPP_LEAF && pkt->node_type != TPP_LEAF_NOTIFIED) {
        router_out_log(out, ROUTER_LOG_DEBUG,
                       "tfd=%" PRIu64 ", JOIN of unknown type %u ignored", l->id,
                       pkt->node_type);
    } else if (pkt->n_addrs == 0) {
        router_out_log(out, ROUTER_LOG_FAULT,
                       "tfd=%" PRIu64 ", No address associated with join msg from leaf",
                       l->id);
        link_end(r, l, out);
    } else {
        prove_addresses(r, now_at, l, pkt, out);
    }
}
