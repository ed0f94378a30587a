/* trust.c - see trust.h.
 *
 * What an address is called decides only which configured names are looked up; the
 * proof is always that the configured name has the address. So whoever owns a reverse
 * zone gains nothing, and a cluster of thousands of nodes costs a look-up or two.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/trust.h"

#include "lib/io/net.h"
#include "server/decide/host_book.h"
#include "server/shell/lookups.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HOST_MAX 256

/* Of two answers the one that decides. */
static enum trust either(enum trust a, enum trust b)
{
    return MAX_OF(a, b);
}

static bool is_among(const struct finding *f, uint32_t addr)
{
    /* The proof is the address that the configured name leads to. */
    for (size_t i = 0; i < f->n_addrs; i++)
        if (f->addrs[i] == addr)
            return true;
    return false;
}

static enum trust name_has(struct shell *sh, struct seeker *who, const char *name,
                           struct in_addr addr)
{
    const struct need need = { .kind = NEED_ADDRS, .name = name };
    uint32_t number = addr_of_text(name);
    const struct finding *f;

    if (number != 0) /* nobody has to be asked */
        return number == ntohl(addr.s_addr) ? TRUST_YES : TRUST_NO;
    f = lookup(sh->lookups, who, &need);
    if (!f)
        return TRUST_LATER;
    return is_among(f, ntohl(addr.s_addr)) ? TRUST_YES : TRUST_NO;
}

/* A comma list of "host" or "host:port". All are asked for before one is waited for. */
static enum trust list_has(struct shell *sh, struct seeker *who, const char *list,
                           struct in_addr addr)
{
    enum trust all = TRUST_NO;
    char host[HOST_MAX];

    while (list && *list && all != TRUST_YES) {
        size_t skip = strspn(list, ", \t"), len = strcspn(list + skip, ",: \t");

        /* A name that is too long is no host's, and is passed over. */
        if (len > 0 && len < sizeof(host)) {
            memcpy(host, list + skip, len);
            host[len] = '\0';
            all = either(all, name_has(sh, who, host, addr));
        }
        list += skip + len;
        list += strcspn(list, ",");
    }
    return all;
}

static enum trust node_has(struct shell *sh, struct seeker *who, const char *name,
                           struct in_addr addr)
{
    struct host *h;

    HASH_FIND_STR(svr_model(sh->svr)->hosts, name, h);
    return h ? name_has(sh, who, name, addr) : TRUST_NO;
}

/* What an address is called, whoever says so. */
static const struct finding *peer_of(struct shell *sh, struct seeker *who,
                                     struct in_addr addr)
{
    char text[INET_ADDRSTRLEN];
    const struct need need = { .kind = NEED_PEER, .name = text };

    inet_ntop(AF_INET, &addr, text, sizeof(text));
    return lookup(sh->lookups, who, &need);
}

/* Nodes may have been created by full or short name, or by address. */
static enum trust nodes_have(struct shell *sh, struct seeker *who, struct in_addr addr)
{
    char name[HOST_MAX], brief[HOST_MAX];
    const struct finding *peer;
    enum trust by_name;

    inet_ntop(AF_INET, &addr, name, sizeof(name));
    if (node_has(sh, who, name, addr) == TRUST_YES)
        return TRUST_YES;
    peer = peer_of(sh, who, addr);
    if (!peer)
        return TRUST_LATER;
    /* A host without a name, or with one that is too long, can only be known by its
     * address. */
    if (!peer->found || strlen(peer->words) >= sizeof(name))
        return TRUST_NO;
    strcpy(name, peer->words); /* the next look-up may move it */
    net_short_name(name, brief, sizeof(brief));
    by_name = node_has(sh, who, name, addr);
    return by_name == TRUST_YES ? TRUST_YES
                                : either(by_name, node_has(sh, who, brief, addr));
}

enum trust trust_has(struct shell *sh, struct seeker *who, struct in_addr addr)
{
    const struct conf *c = sh->conf;
    const char *const lists[] = { c->trusted_hosts, c->primary, c->secondary,
                                  conf_routers(c) };
    enum trust all = net_is_own(addr) ? TRUST_YES : TRUST_NO;

    /* The settings are asked before the vnodes, of which there are many more. */
    for (size_t i = 0; i < ARRAY_LEN(lists) && all != TRUST_YES; i++)
        all = either(all, list_has(sh, who, lists[i], addr));
    return all == TRUST_YES ? all : either(all, nodes_have(sh, who, addr));
}

enum trust trust_has_server(struct shell *sh, struct seeker *who, struct in_addr addr)
{
    const struct conf *c = sh->conf;
    const char *const lists[] = { c->trusted_hosts, c->primary, c->secondary };
    enum trust all = net_is_own(addr) ? TRUST_YES : TRUST_NO;

    for (size_t i = 0; i < ARRAY_LEN(lists) && all != TRUST_YES; i++)
        all = either(all, list_has(sh, who, lists[i], addr));
    return all;
}

enum trust trust_has_sched(struct shell *sh, struct seeker *who, const char *sched,
                           struct in_addr addr)
{
    const struct object *o = model_find(svr_model(sh->svr), OBJ_SCHED, sched);
    const char *host = o ? obj_str(o, SCHED_A_SCHED_HOST, NULL) : NULL;
    enum trust all =
        net_is_own(addr) ? TRUST_YES : list_has(sh, who, sh->conf->trusted_hosts, addr);

    if (all == TRUST_YES || !host)
        return all;
    return either(all, name_has(sh, who, host, addr));
}

/* Another host's address is never shown under this host's own name. */
static bool is_name(const struct shell *sh, const struct finding *peer,
                    struct in_addr addr, size_t size)
{
    return peer->found && strlen(peer->words) < size &&
           is_among(peer, ntohl(addr.s_addr)) && strcasecmp(peer->words, sh->host) != 0;
}

bool trust_host_name(struct shell *sh, struct seeker *who, struct in_addr addr,
                     char *name, size_t size)
{
    const struct finding *peer;

    if (net_is_own(addr)) {
        snprintf(name, size, "%s", sh->host);
        return true;
    }
    peer = peer_of(sh, who, addr);
    if (!peer)
        return false;
    if (is_name(sh, peer, addr, size))
        snprintf(name, size, "%s", peer->words);
    else
        inet_ntop(AF_INET, &addr, name, (socklen_t)size);
    return true;
}
