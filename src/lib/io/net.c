/* net.c - addresses and outgoing connections.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/net.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* "localhost" and names below it mean this host whatever a name server says (RFC 6761,
 * 6.3). */
static bool is_localhost(const char *host)
{
    static const char name[] = "localhost", below[] = ".localhost";
    size_t len = strlen(host);

    if (len > 0 && host[len - 1] == '.')
        len--;
    if (len == sizeof(name) - 1)
        return strncasecmp(host, name, len) == 0;
    return len > sizeof(below) - 1 &&
           strncasecmp(host + len - (sizeof(below) - 1), below, sizeof(below) - 1) == 0;
}

int net_addresses(const char *host, struct addrinfo **ret)
{
    /* Without a type of socket each address would be listed once for every type. */
    const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };

    return getaddrinfo(is_localhost(host) ? "127.0.0.1" : host, NULL, &hints, ret);
}

int net_resolve(const char *host, struct in_addr *ret, struct diag *why)
{
    struct addrinfo *found = NULL;
    int rc = net_addresses(host, &found);

    if (rc)
        return diag_set(why, PBSE_BADHOST, "%.200s: %s", host, gai_strerror(rc));
    /* A list that was made has an entry, and net_addresses() asked for IPv4 only. */
    *ret = ((const struct sockaddr_in *)(const void *)found->ai_addr)->sin_addr;
    freeaddrinfo(found);
    return 0;
}

/* All of 127.0.0.0/8 is this host. */
enum whose {
    WHOSE_UNKNOWN,
    WHOSE_OWN,
    WHOSE_FOREIGN
};

static enum whose whose_is(struct in_addr addr)
{
    bool found = ntohl(addr.s_addr) >> 24 == 127;
    struct ifaddrs *list, *i;

    if (found)
        return WHOSE_OWN;
    if (getifaddrs(&list))
        return WHOSE_UNKNOWN;
    for (i = list; i && !found; i = i->ifa_next)
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET) {
            const struct sockaddr_in *own = (const void *)i->ifa_addr;

            found = own->sin_addr.s_addr == addr.s_addr;
        }
    freeifaddrs(list);
    return found ? WHOSE_OWN : WHOSE_FOREIGN;
}

bool net_is_own(struct in_addr addr)
{
    return whose_is(addr) == WHOSE_OWN;
}

bool net_is_foreign(struct in_addr addr)
{
    return whose_is(addr) == WHOSE_FOREIGN;
}

bool net_split(const char *text, unsigned port_dflt, char *host, size_t host_size,
               unsigned *port)
{
    size_t len = strcspn(text, ":");
    unsigned long n = port_dflt;
    char *end;

    MUST(host_size > 0);
    if (len == 0 || len >= host_size)
        return false;
    if (text[len] == ':') {
        /* strtoul() would take blanks and a sign; a number that is too large becomes
         * ULONG_MAX, which is out of range below. */
        if (!isdigit((unsigned char)text[len + 1]))
            return false;
        n = strtoul(text + len + 1, &end, 10);
        if (*end)
            return false;
    }
    if (n < 1 || n > 65535)
        return false;
    memcpy(host, text, len);
    host[len] = '\0';
    *port = (unsigned)n;
    return true;
}

int net_connect_from(const struct sockaddr_in *from, const struct sockaddr_in *to,
                     int *fd)
{
    const int on = 1;
    int err, s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (s < 0)
        return errno;
    /* Messages are written whole, so nothing is gained by waiting for more of them. */
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if ((from && bind(s, (const struct sockaddr *)from, sizeof(*from)) < 0) ||
        (connect(s, (const struct sockaddr *)to, sizeof(*to)) < 0 &&
         errno != EINPROGRESS)) {
        err = errno;
        close(s);
        return err;
    }
    *fd = s;
    return 0;
}

int net_connect(const struct sockaddr_in *to, int *fd)
{
    return net_connect_from(NULL, to, fd);
}

const char *net_text(const struct sockaddr_in *a, char *text)
{
    char ip[INET_ADDRSTRLEN];

    inet_ntop(AF_INET, &a->sin_addr, ip, sizeof(ip));
    snprintf(text, NET_TEXT_BYTES, "%s:%u", ip, (unsigned)ntohs(a->sin_port));
    return text;
}

void net_host_name(char *name, size_t size)
{
    const struct addrinfo hints = { .ai_family = AF_INET, .ai_flags = AI_CANONNAME };
    struct addrinfo *found = NULL;
    char host[256] = "localhost";

    MUST(size > 1);
    if (gethostname(host, sizeof(host)) < 0 || !host[0])
        strcpy(host, "localhost");
    host[sizeof(host) - 1] = '\0'; /* POSIX leaves it open when the name is cut */
    if (getaddrinfo(host, NULL, &hints, &found) == 0 && found->ai_canonname)
        snprintf(name, size, "%s", found->ai_canonname);
    else
        snprintf(name, size, "%s", host);
    if (found)
        freeaddrinfo(found);
    for (char *p = name; *p; p++)
        *p = (char)tolower((unsigned char)*p);
}

void net_short_name(const char *host, char *name, size_t size)
{
    snprintf(name, size, "%.*s", (int)strcspn(host, "."), host);
}
