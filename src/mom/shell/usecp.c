/* usecp.c - see usecp.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/usecp.h"

#include "lib/io/net.h"

#include <netdb.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* By an alias: all addresses that the name has are this host's. Of a name for several
 * hosts another one may be meant. */
static bool leads_here(const char *host)
{
    struct addrinfo *found = NULL;
    bool is_here = net_addresses(host, &found) == 0 && found;

    for (const struct addrinfo *a = found; a && is_here; a = a->ai_next)
        is_here = net_is_own(((struct sockaddr_in *)(void *)a->ai_addr)->sin_addr);
    if (found)
        freeaddrinfo(found);
    return is_here;
}

/* The short name in front of another domain is another host's: it leads there, or
 * nowhere. */
static bool host_is_here(const struct plan_host *h, const char *host)
{
    char self[256];

    if (strcasecmp(host, "localhost") == 0 || strcasecmp(host, h->host) == 0)
        return true;
    if (h->full_name && strcasecmp(host, h->full_name) == 0)
        return true;
    if (gethostname(self, sizeof(self)) == 0 && strcasecmp(host, self) == 0)
        return true;
    return leads_here(host);
}

static bool host_matches(const char *pattern, const char *host)
{
    size_t p, n;

    if (pattern[0] != '*')
        return strcasecmp(pattern, host) == 0;
    p = strlen(++pattern);
    n = strlen(host);
    return n >= p && strcasecmp(host + n - p, pattern) == 0;
}

const char *usecp_path(const struct plan_host *h, const char *remote,
                       struct arena *arena)
{
    const char *colon = strchr(remote, ':');
    const char *host, *path;

    /* A path that begins with a slash is on this host, whatever colons are in it. */
    if (!colon || remote[0] == '/')
        return remote;
    host = arena_strndup(arena, remote, (size_t)(colon - remote));
    path = colon + 1;
    if (strchr(host, '@'))
        host = strchr(host, '@') + 1;
    /* The first line that fits counts, in the order of the file (execution.md 22). */
    for (size_t i = 0; i < h->config->n_usecp; i++) {
        const struct usecp *u = &h->config->usecp[i];
        size_t len = strlen(u->from);

        if (host_matches(u->host, host) && strncmp(path, u->from, len) == 0)
            return arena_printf(arena, "%s%s", u->to, path + len);
    }
    return host_is_here(h, host) ? path : NULL;
}
