/* addresses.c - which addresses a leaf registers (tpp.md 2.1).
 *
 * Order matters: the first one is the source of all streams, and peers know this host
 * by what its name resolves to. Loopback addresses are of use only when the routers
 * are on loopback themselves: then the whole cluster is on this host.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/net.h"
#include "lib/tpp/leaf.h"
#include "lib/tpp/sock.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct list {
    struct tpp_addr *v;
    size_t n;
    bool loopback; /* loopback addresses are taken */
};

static void add(struct list *l, uint32_t ip, uint16_t port)
{
    struct tpp_addr a = tpp_addr_ipv4(ip, port);

    if (ip >> 24 == 127 && !l->loopback)
        return;
    for (size_t i = 0; i < l->n; i++)
        if (tpp_addr_same(&l->v[i], &a))
            return;
    /* A JOIN has no room for more; those that come first are those that peers know us
     * by. */
    if (l->n < TPP_MAX_ADDRS)
        l->v[l->n++] = a;
}

static void add_host(struct list *l, const char *host, uint16_t port)
{
    struct addrinfo *found;

    if (net_addresses(host, &found) != 0)
        return;
    for (struct addrinfo *ai = found; ai; ai = ai->ai_next)
        add(l, ntohl(((struct sockaddr_in *)(void *)ai->ai_addr)->sin_addr.s_addr),
            port);
    freeaddrinfo(found);
}

static void add_interfaces(struct list *l, uint16_t port)
{
    struct ifaddrs *all;

    if (getifaddrs(&all) != 0)
        return;
    for (struct ifaddrs *i = all; i; i = i->ifa_next)
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET && (i->ifa_flags & IFF_UP))
            add(l, ntohl(((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr.s_addr),
                port);
    freeifaddrs(all);
}

static bool is_on_loopback(const char *host)
{
    struct in_addr ip;

    return net_resolve(host, &ip, NULL) == 0 && ntohl(ip.s_addr) >> 24 == 127;
}

/* Call 'fn' for every entry of a comma list until it says false. False: it did, or an
 * entry is no name. */
static bool for_each_name(const char *list, unsigned port_dflt, void *arg,
                          bool (*fn)(void *arg, const char *host, unsigned port))
{
    const char *at = list;

    while (*at) {
        size_t len = strcspn(at, ",");
        char *name = xstrndup(at, len);
        char host[256];
        unsigned port;
        bool on = net_split(name, port_dflt, host, sizeof(host), &port) &&
                  fn(arg, host, port);

        free(name);
        if (!on)
            return false;
        at += len + (at[len] == ',');
    }
    return true;
}

static bool router_is_near(void *arg, const char *host, unsigned port)
{
    (void)arg;
    (void)port;
    return is_on_loopback(host);
}

static bool add_named(void *arg, const char *host, unsigned port)
{
    add_host(arg, host, (uint16_t)port);
    return true;
}

int leaf_addresses(const char *leaf_name, const char *routers, uint16_t port,
                   struct tpp_addr **ret, size_t *ret_n, struct diag *why)
{
    struct list l = { .v = xcalloc(TPP_MAX_ADDRS, sizeof(struct tpp_addr)) };
    char host[256];

    /* One router elsewhere is enough: to it, an address of 127.0.0.0/8 would mean its
     * own host. */
    l.loopback = for_each_name(routers, TPP_ROUTER_PORT, NULL, router_is_near);
    if (leaf_name && leaf_name[0]) {
        for_each_name(leaf_name, port, &l, add_named);
    } else {
        net_host_name(host, sizeof(host));
        add_host(&l, host, port);
        add_interfaces(&l, port);
    }
    if (l.n == 0) {
        free(l.v);
        return diag_set(why, PBSE_SYSTEM, "no usable address for leaf %s",
                        leaf_name ? leaf_name : host);
    }
    MUST(l.n <= TPP_MAX_ADDRS);
    *ret = l.v;
    *ret_n = l.n;
    return 0;
}
