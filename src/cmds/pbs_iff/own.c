/* own.c - is this the caller's socket, and does it lead to that server?
 *
 * Having the descriptor is the proof: nobody has one of another user's socket. It must
 * also be of this network: in a network namespace of their own users may connect from
 * any address and port to any other, and that says nothing about ours.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbs_iff/iff.h"
#include "lib/io/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

static int not_ours(const char *why)
{
    fprintf(stderr, "pbs_iff: bad descriptor: %s\n", why);
    return IFF_USAGE;
}

static int look_up(const char *host, struct addrinfo **ret)
{
    if (net_addresses(host, ret) == 0)
        return IFF_OK;
    fprintf(stderr, "pbs_iff: unknown host %s\n", host);
    return IFF_USAGE;
}

int iff_resolve(const struct iff_args *a, struct sockaddr_in *ret)
{
    struct addrinfo *found;
    int err = look_up(a->host, &found);

    if (err)
        return err;
    /* There is no connection yet: the first address is as good as the others. */
    *ret = *(const struct sockaddr_in *)(const void *)found->ai_addr;
    ret->sin_port = htons((uint16_t)a->port);
    freeaddrinfo(found);
    return IFF_OK;
}

static int check_peer(const struct iff_args *a, const struct sockaddr_in *peer)
{
    struct addrinfo *found, *i;
    int err = look_up(a->host, &found);
    bool same = false;

    if (err)
        return err;
    /* A host may have several addresses, and the library may have taken any of them. */
    for (i = found; i && !same; i = i->ai_next) {
        const struct sockaddr_in *in = (const void *)i->ai_addr;

        same = in->sin_addr.s_addr == peer->sin_addr.s_addr;
    }
    freeaddrinfo(found);
    if (!same || peer->sin_port != htons((uint16_t)a->port))
        return not_ours("not connected to that server");
    return IFF_OK;
}

/* For kernels without the cookie: this network's table of sockets has its inode. */
static bool is_in_table(int fd)
{
    char line[512];
    struct stat st;
    bool found = false;
    FILE *f = fopen("/proc/self/net/tcp", "re");

    if (!f)
        return false;
    if (fstat(fd, &st) == 0)
        while (!found && fgets(line, sizeof(line), f)) {
            uintmax_t inode;

            found =
                sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %ju", &inode) == 1 &&
                inode == st.st_ino;
        }
    fclose(f);
    return found;
}

static bool is_in_this_network(int fd)
{
    uint64_t theirs = 0, ours = 0;
    socklen_t len = sizeof(theirs);
    int own, err;

    if (getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &theirs, &len) < 0)
        /* Only a kernel without the option is asked in the older way; every other error
         * is a no. */
        return errno == ENOPROTOOPT && is_in_table(fd);
    /* A socket that is made here is of this program's network for certain. */
    own = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (own < 0)
        return false;
    len = sizeof(ours);
    err = getsockopt(own, SOL_SOCKET, SO_NETNS_COOKIE, &ours, &len);
    close(own);
    return err == 0 && ours == theirs;
}

static bool is_tcp(int fd)
{
    int domain = 0, type = 0, protocol = 0;
    /* A socket of another kind has other things where these have addresses. */
    socklen_t len = sizeof(int);

    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
           getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
           getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) == 0 &&
           domain == AF_INET && type == SOCK_STREAM && protocol == IPPROTO_TCP;
}

static int check_local(const struct iff_args *a, const struct sockaddr_in *local)
{
    struct in_addr named;

    if (a->lport_given && a->lport != local->sin_port)
        return not_ours("it has another port");
    if (!a->addr)
        return IFF_OK;
    if (inet_pton(AF_INET, a->addr, &named) != 1 ||
        named.s_addr != local->sin_addr.s_addr)
        return not_ours("it has another address");
    return IFF_OK;
}

int iff_own_socket(const struct iff_args *a, struct sockaddr_in *local,
                   struct sockaddr_in *peer)
{
    socklen_t len = sizeof(*local);
    int err;

    if (getsockname(a->fd, (struct sockaddr *)local, &len) < 0) {
        fprintf(stderr, "pbs_iff: descriptor %d: %s\n", a->fd, strerror(errno));
        return IFF_SELF;
    }
    len = sizeof(*peer);
    if (!is_tcp(a->fd))
        return not_ours("not a TCP socket");
    if (getpeername(a->fd, (struct sockaddr *)peer, &len) < 0)
        return not_ours("not connected");
    if (!is_in_this_network(a->fd))
        return not_ours("of another network");
    err = check_local(a, local);
    return err ? err : check_peer(a, peer);
}
