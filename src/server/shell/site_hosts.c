/* site_hosts.c - names and addresses of hosts (site_names.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/net.h"
#include "server/shell/site_names.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netdb.h>
#include <strings.h>

#define ADDRS_MAX 64 /* of one host */

/* The service said nothing: it may know more when it is asked again. */
static bool is_silence(int err)
{
    return err == EAI_AGAIN || err == EAI_SYSTEM || err == EAI_MEMORY;
}

void site_addrs(const char *host, struct arena *arena, struct finding *ret)
{
    struct addrinfo *list = NULL;
    uint32_t *v = ARENA_ARRAY(arena, uint32_t, ADDRS_MAX);
    int err = net_addresses(host, &list);

    ret->failed = is_silence(err);
    /* An error that is no silence says that there is no such host. */
    if (err)
        return;
    for (const struct addrinfo *i = list; i && ret->n_addrs < ADDRS_MAX;
         i = i->ai_next) {
        const struct sockaddr_in *in = (const void *)i->ai_addr;

        v[ret->n_addrs++] = ntohl(in->sin_addr.s_addr);
    }
    ret->addrs = v;
    ret->found = ret->n_addrs > 0;
    freeaddrinfo(list);
}

void site_full_name(const char *host, struct finding *ret)
{
    const struct addrinfo hints = { .ai_family = AF_INET,
                                    .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_CANONNAME };
    struct addrinfo *list = NULL;
    int err = getaddrinfo(host, NULL, &hints, &list);

    if (err == 0) {
        /* The name is a full one when the name service calls the host so itself. */
        ret->found = list->ai_canonname && strcasecmp(list->ai_canonname, host) == 0;
        freeaddrinfo(list);
    }
    /* A machine may be without an /etc/hosts. */
    ret->found |= strcasecmp(host, "localhost") == 0;
    ret->failed = !ret->found && is_silence(err);
}

/* What an address is called, in lower case; an EAI_ value otherwise. */
static int name_of(const char *addr, char *name, size_t size)
{
    struct sockaddr_in in = { .sin_family = AF_INET };
    int err;

    if (inet_pton(AF_INET, addr, &in.sin_addr) != 1)
        return EAI_NONAME;
    err = getnameinfo((const struct sockaddr *)&in, sizeof(in), name, (socklen_t)size,
                      NULL, 0, NI_NAMEREQD);
    /* Names of hosts are compared in lower case. */
    for (char *p = name; !err && *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return err;
}

/* Who runs the zone of an address calls it what he likes: the addresses of that name
 * tell whether it is so. */
void site_peer(const char *addr, struct arena *arena, struct finding *ret)
{
    char name[NI_MAXHOST];
    int err = name_of(addr, name, sizeof(name));

    ret->failed = is_silence(err);
    if (err)
        return;
    site_addrs(name, arena, ret);
    ret->found = true;
    ret->words = arena_strdup(arena, name);
}
