/* trust.c - see trust.h.
 *
 * What an address is called decides only which configured names are looked up; the
 * proof is always that the configured name has the address. So whoever owns a reverse
 * zone gains nothing, and a cluster of thousands of nodes costs a look-up or two.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/trust.h"

#include "lib/io/net.h"
#include "server/shell/accounts.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HOST_MAX       256
#define HOST_ADDRS_MAX 64

static bool name_has(struct shell *sh, const char *name, struct in_addr addr)
{
    uint32_t addrs[HOST_ADDRS_MAX];
    size_t n = accounts_host_addrs(sh->accounts, name, addrs, HOST_ADDRS_MAX);

    for (size_t i = 0; i < n; i++)
        if (addrs[i] == ntohl(addr.s_addr))
            return true;
    return false;
}

/* A comma list of "host" or "host:port". */
static bool list_has(struct shell *sh, const char *list, struct in_addr addr)
{
    char host[HOST_MAX];

    while (list && *list) {
        size_t skip = strspn(list, ", \t"), len = strcspn(list + skip, ",: \t");

        if (len > 0 && len < sizeof(host)) {
            memcpy(host, list + skip, len);
            host[len] = '\0';
            if (name_has(sh, host, addr))
                return true;
        }
        list += skip + len;
        list += strcspn(list, ",");
    }
    return false;
}

static bool node_has(struct shell *sh, const char *name, struct in_addr addr)
{
    struct host *h;

    HASH_FIND_STR(svr_model(sh->svr)->hosts, name, h);
    return h && name_has(sh, name, addr);
}

/* Nodes may have been created by full or short name, or by address. */
static bool nodes_have(struct shell *sh, struct in_addr addr)
{
    char name[HOST_MAX], brief[HOST_MAX], text[INET_ADDRSTRLEN];

    inet_ntop(AF_INET, &addr, text, sizeof(text));
    if (node_has(sh, text, addr))
        return true;
    if (!accounts_host_name(sh->accounts, ntohl(addr.s_addr), name, sizeof(name)))
        return false;
    net_short_name(name, brief, sizeof(brief));
    return node_has(sh, name, addr) || node_has(sh, brief, addr);
}

bool trust_has(struct shell *sh, struct in_addr addr)
{
    const struct conf *c = sh->conf;

    return net_is_own(addr) || list_has(sh, c->trusted_hosts, addr) ||
           list_has(sh, c->primary, addr) || list_has(sh, c->secondary, addr) ||
           list_has(sh, conf_routers(c), addr) || nodes_have(sh, addr);
}

bool trust_has_sched(struct shell *sh, const char *sched, struct in_addr addr)
{
    const struct object *o = model_find(svr_model(sh->svr), OBJ_SCHED, sched);
    const char *host = o ? obj_str(o, SCHED_A_SCHED_HOST, NULL) : NULL;

    return net_is_own(addr) || list_has(sh, sh->conf->trusted_hosts, addr) ||
           (host && name_has(sh, host, addr));
}

void trust_host_name(struct shell *sh, struct in_addr addr, char *name, size_t size)
{
    char text[INET_ADDRSTRLEN];

    if (net_is_own(addr)) {
        snprintf(name, size, "%s", sh->host);
        return;
    }
    /* Nobody else bears this host's name. */
    if (accounts_host_name(sh->accounts, ntohl(addr.s_addr), name, size) &&
        name_has(sh, name, addr) && strcasecmp(name, sh->host) != 0)
        return;
    inet_ntop(AF_INET, &addr, text, sizeof(text));
    snprintf(name, size, "%s", text);
}
