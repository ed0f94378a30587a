/* servers.c - which addresses are the server's, for the core (tpp.md 5.1).
 *
 * Names are asked again with every attempt to reach the server: a host that starts
 * before its name service must not refuse the server for ever.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/net.h"
#include "mom/shell/shell.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

struct servers {
    size_t n;
    uint32_t ips[MOM_SERVER_IPS_MAX]; /* host order */
    bool is_local;
};

static bool has_ip(const uint32_t *ips, size_t n, uint32_t ip)
{
    for (size_t i = 0; i < n; i++)
        if (ips[i] == ip)
            return true;
    return false;
}

static void add(struct servers *sv, struct in_addr addr)
{
    uint32_t ip = ntohl(addr.s_addr);

    if (sv->n < MOM_SERVER_IPS_MAX && !has_ip(sv->ips, sv->n, ip))
        sv->ips[sv->n++] = ip;
}

/* All addresses of a name, which may have a port behind it. */
static void add_host(struct servers *sv, const char *text)
{
    struct addrinfo *list = NULL;
    char name[256];
    unsigned port;

    if (!text || !net_split(text, 1, name, sizeof(name), &port) ||
        net_addresses(name, &list) != 0)
        return;
    for (const struct addrinfo *i = list; i; i = i->ai_next) {
        const struct sockaddr_in *in = (const void *)i->ai_addr;

        add(sv, in->sin_addr);
        sv->is_local = sv->is_local || net_is_own(in->sin_addr);
    }
    freeaddrinfo(list);
}

/* A server on this host may come from any of its addresses. */
static void add_interfaces(struct servers *sv)
{
    struct ifaddrs *all;

    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *i = all; i; i = i->ifa_next)
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET) {
            const struct sockaddr_in *in = (const void *)i->ifa_addr;

            add(sv, in->sin_addr);
        }
    freeifaddrs(all);
}

static void log_authorized(struct shell *s, uint32_t ip)
{
    const struct in_addr addr = { .s_addr = htonl(ip) };
    char text[INET_ADDRSTRLEN];

    inet_ntop(AF_INET, &addr, text, sizeof(text));
    logfile_printf(s->log, LOG_EV_SYSTEM, LOG_IN_SERVER, "pbs_mom",
                   "Adding IP address %s as authorized", text);
}

void servers_look_up(struct shell *s)
{
    struct servers sv = { 0 };

    add_host(&sv, conf_server_host(s->conf));
    add_host(&sv, s->conf->primary);
    add_host(&sv, s->conf->secondary);
    if (sv.is_local)
        add_interfaces(&sv);
    for (size_t i = 0; i < s->config.n_clients; i++)
        add_host(&sv, s->config.clients[i]);
    if (sv.n == 0)
        return; /* what was known before is better than nothing */
    for (size_t i = 0; i < sv.n; i++)
        if (!has_ip(s->server_ips, s->n_server_ips, sv.ips[i]))
            log_authorized(s, sv.ips[i]);
    MUST(sv.n <= ARRAY_LEN(s->server_ips));
    memcpy(s->server_ips, sv.ips, sizeof(sv.ips));
    s->n_server_ips = sv.n;
    mom_set_servers(s->mom, sv.n, sv.ips, sv.is_local);
}
