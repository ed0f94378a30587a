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

void table_drop(struct router *r, struct link *l)
{
    for (size_t i = 0; i < l->n_routes; i++)
        HASH_DEL(r->routes, &l->routes[i]);
    if (l->joined)
        r->n_leaves--;
    else
        DL_DELETE(r->waiting, l);
    HASH_DEL(r->links, l);
    free(l->routes);
    free(l);
}

size_t table_join(struct router *r, struct link *l, const struct tpp_packet *join)
{
    l->routes = xcalloc(join->n_addrs, sizeof(*l->routes));
    for (size_t i = 0; i < join->n_addrs; i++) {
        struct route *rt = &l->routes[l->n_routes];

        if (find_route(r, &join->addrs[i]))
            continue;
        memset(rt, 0, sizeof(*rt));
        rt->addr = key_of(&join->addrs[i]);
        rt->link = l;
        HASH_ADD(hh, r->routes, addr, sizeof(rt->addr), rt);
        l->n_routes++;
    }
    if (l->n_routes) {
        DL_DELETE(r->waiting, l);
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

void out_send(struct router_out *out, uint64_t link, const char *data, size_t len)
{
    *add(out) = (struct router_effect){
        .kind = ROUTER_SEND, .link = link, .data = data, .len = len
    };
}

void out_packet(struct router_out *out, uint64_t link, const struct tpp_packet *pkt)
{
    struct buf b = { 0 };

    tpp_encode(&b, pkt);
    out_send(out, link, arena_copy(out->arena, b.data, b.len), b.len);
    buf_fini(&b);
}

void out_close(struct router_out *out, uint64_t link)
{
    *add(out) = (struct router_effect){ .kind = ROUTER_CLOSE, .link = link };
}

void out_log(struct router_out *out, int event, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    *add(out) = (struct router_effect){ .kind = ROUTER_LOG,
                                        .event = event,
                                        .text = arena_strdup(out->arena, text) };
}
