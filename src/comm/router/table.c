/* table.c - links, addresses, and what is to be done about them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm/router/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct link *table_link(struct router *r, uint64_t id)
{
    struct link *l;

    HASH_FIND(hh, r->links, &id, sizeof(id), l);
    return l;
}

/* The key is hashed byte by byte: copy the fields into zeroed bytes. */
static struct tpp_addr key_of(const struct tpp_addr *addr)
{
    struct tpp_addr key;

    memset(&key, 0, sizeof(key));
    memcpy(key.ip, addr->ip, sizeof(key.ip));
    key.port = addr->port;
    key.family = addr->family;
    return key;
}

static struct route *find_route(struct router *r, const struct tpp_addr *addr)
{
    struct tpp_addr key = key_of(addr);
    struct route *rt;

    HASH_FIND(hh, r->routes, &key, sizeof(key), rt);
    return rt;
}

struct link *table_route(struct router *r, const struct tpp_addr *addr)
{
    struct route *rt = find_route(r, addr);

    return rt ? rt->link : NULL;
}

/* All ports of an address are one party's. */
static const char *host_key(const struct tpp_addr *peer, char text[TPP_ADDR_TEXT_BYTES])
{
    struct tpp_addr host = key_of(peer);

    host.port = 0;
    return tpp_addr_text(&host, text);
}

struct link *table_add(struct router *r, uint64_t id, const struct tpp_addr *peer)
{
    struct link *l = xcalloc(1, sizeof(*l));
    char text[TPP_ADDR_TEXT_BYTES];

    MUST(!table_link(r, id));
    l->id = id;
    l->peer = *peer;
    /* A stranger counts for its address until it joins, so that one host cannot take
     * all places (table_most_crowded()). */
    l->share = share_hold(&r->strangers, host_key(peer, text));
    /* It has no address yet: routes come with its JOIN, when that is proven. */
    HASH_ADD(hh, r->links, id, sizeof(l->id), l);
    DL_APPEND(r->waiting, l);
    r->n_waiting++;
    return l;
}

static void wait_no_more(struct router *r, struct link *l)
{
    MUST(r->n_waiting > 0 && l->share && !l->joined);
    DL_DELETE(r->waiting, l);
    r->n_waiting--;
    share_drop(&r->strangers, l->share);
    l->share = NULL;
}

static struct link *oldest_of(const struct router *r, const struct share *share)
{
    struct link *l;

    if (!share)
        return NULL;
    /* The list is in the order of arrival, so the first that is found is the oldest. */
    DL_SEARCH_SCALAR(r->waiting, l, share, share);
    return l;
}

struct link *table_most_crowded(const struct router *r)
{
    return oldest_of(r, shares_with_most(&r->strangers));
}

struct link *table_oldest_of_host(const struct router *r, const struct tpp_addr *peer)
{
    char text[TPP_ADDR_TEXT_BYTES];

    return oldest_of(r, share_find(&r->strangers, host_key(peer, text)));
}

void table_drop(struct router *r, struct link *l)
{
    /* The routes are entries of the table and lie in the link: they leave the table
     * before the link is freed. */
    for (size_t i = 0; i < l->n_routes; i++)
        HASH_DEL(r->routes, &l->routes[i]);
    MUST(l->joined == (l->n_routes > 0)); /* a leaf has an address */
    MUST(!l->joined || r->n_leaves > 0);
    if (l->joined)
        r->n_leaves--;
    else
        wait_no_more(r, l);
    HASH_DEL(r->links, l);
    table_forget_join(l);
    free(l->routes);
    free(l);
}

void table_keep_join(struct link *l, const struct tpp_packet *join)
{
    table_forget_join(l);
    l->waiting_join = xcalloc(1, sizeof(*l->waiting_join));
    /* The packet and its addresses lie in the arena of this input, which is cleared
     * before the proofs come. The other members of a JOIN are numbers. */
    *l->waiting_join = *join;
    l->waiting_join->addrs = xcalloc(join->n_addrs, sizeof(*join->addrs));
    memcpy(l->waiting_join->addrs, join->addrs, join->n_addrs * sizeof(*join->addrs));
}

void table_forget_join(struct link *l)
{
    if (l->waiting_join)
        free(l->waiting_join->addrs);
    free(l->waiting_join);
    l->waiting_join = NULL;
}

size_t table_join(struct router *r, struct link *l, const struct tpp_packet *join)
{
    MUST(!l->joined && !l->routes && join->n_addrs > 0);
    /* The whole array is taken at once: entries of a hash must not move, so it cannot
     * grow. */
    l->routes = xcalloc(join->n_addrs, sizeof(*l->routes));
    for (size_t i = 0; i < join->n_addrs; i++) {
        struct route *rt = &l->routes[l->n_routes];

        /* Whoever came first keeps the address (tpp.md 4). This also leaves out an
         * address that the packet names twice. */
        if (find_route(r, &join->addrs[i]))
            continue;
        memset(rt, 0, sizeof(*rt));
        rt->addr = key_of(&join->addrs[i]);
        rt->link = l;
        HASH_ADD(hh, r->routes, addr, sizeof(rt->addr), rt);
        l->n_routes++;
    }
    if (l->n_routes) {
        wait_no_more(r, l);
        l->joined = true;
        l->node_type = join->node_type;
        r->n_leaves++;
    }
    return l->n_routes;
}

static struct router_effect *add(struct router_out *out)
{
    ARENA_ROOM(out->arena, out, v, 16);
    return &out->v[out->n++];
}

void router_out_send(struct router_out *out, uint64_t link, const char *data,
                     size_t len)
{
    MUST(data && len > 0);
    *add(out) = (struct router_effect){
        .kind = ROUTER_SEND, .link = link, .data = data, .len = len
    };
}

void router_out_packet(struct router_out *out, uint64_t link,
                       const struct tpp_packet *pkt)
{
    struct buf b = { 0 };

    tpp_encode(&b, pkt);
    router_out_send(out, link, arena_copy(out->arena, b.data, b.len), b.len);
    buf_fini(&b);
}

void router_out_prove(struct router_out *out, uint64_t link, size_t n_claims,
                      const struct router_claim *claims)
{
    *add(out) = (struct router_effect){
        .kind = ROUTER_PROVE, .link = link, .n_claims = n_claims, .claims = claims
    };
}

void router_out_close(struct router_out *out, uint64_t link)
{
    *add(out) = (struct router_effect){ .kind = ROUTER_CLOSE, .link = link };
}

void router_out_joined(struct router_out *out, uint64_t link)
{
    *add(out) = (struct router_effect){ .kind = ROUTER_JOINED, .link = link };
}

void router_out_log(struct router_out *out, int event, const char *fmt, ...)
{
    /* A line may hold words of a stranger, and their length is not his to choose. */
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    *add(out) = (struct router_effect){ .kind = ROUTER_LOG,
                                        .event = event,
                                        .text = arena_strdup(out->arena, text) };
}
