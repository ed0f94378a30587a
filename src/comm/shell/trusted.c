/* trusted.c - hosts whose privileged ports count (only with the resvport method).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "comm/shell/shell.h"
#include "lib/io/net.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void trust(struct comm *c, uint32_t ip)
{
    MUST(!c->router); /* which knows the list by its address */
    c->trusted_ips =
        xrealloc(c->trusted_ips, (c->n_trusted + 1) * sizeof(*c->trusted_ips));
    c->trusted_ips[c->n_trusted++] = ip;
}

static void trust_own_interfaces(struct comm *c)
{
    struct ifaddrs *all;

    if (getifaddrs(&all) != 0)
        return;
    for (struct ifaddrs *i = all; i; i = i->ifa_next)
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET)
            trust(c,
                  ntohl(((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr.s_addr));
    freeifaddrs(all);
}

static void trust_list(struct comm *c, const char *names)
{
    char *list = xstrdup(names ? names : ""), *save = NULL;

    for (char *name = strtok_r(list, ", ", &save); name;
         name = strtok_r(NULL, ", ", &save)) {
        char host[256];
        unsigned port;
        struct in_addr ip;

        if (net_split(name, 1, host, sizeof(host), &port) &&
            net_resolve(host, &ip, NULL) == 0)
            trust(c, ntohl(ip.s_addr));
    }
    free(list);
}

void comm_find_trusted(struct comm *c)
{
    /* The own host is trusted by its interfaces, which need no name service. A name
     * that cannot be resolved now is not trusted until the router is started again. */
    trust_own_interfaces(c);
    trust_list(c, conf_server_host(c->conf));
    trust_list(c, c->conf->primary);
    trust_list(c, c->conf->secondary);
    trust_list(c, c->conf->leaf_routers);
    trust_list(c, c->conf->trusted_hosts);
}
