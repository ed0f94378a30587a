/* sockowner.c - see sockowner.h.
 *
 * The kernel is asked with the four values that name a connection, from the side of the
 * socket in question. It looks through listening sockets as well when no connection has
 * these values, so state and ports of what it found are compared again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/sockowner.h"

#include "lib/auth/resvport.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_BYTES 8192
#define LINE_BYTES   512

struct question {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
};

struct answer {
    struct nlmsghdr head;
    struct inet_diag_msg body;
};

static struct question question_for(const struct sockaddr_in *own,
                                    const struct sockaddr_in *peer)
{
    struct question q = {
        .head = { .nlmsg_len = sizeof(q),
                  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                  .nlmsg_flags = NLM_F_REQUEST },
        .body = { .sdiag_family = AF_INET,
                  .sdiag_protocol = IPPROTO_TCP,
                  .idiag_states = ~0u,
                  .id = { .idiag_sport = own->sin_port,
                          .idiag_dport = peer->sin_port,
                          .idiag_cookie = { INET_DIAG_NOCOOKIE,
                                            INET_DIAG_NOCOOKIE } } },
    };

    q.body.id.idiag_src[0] = own->sin_addr.s_addr;
    q.body.id.idiag_dst[0] = peer->sin_addr.s_addr;
    return q;
}

/* Ask the kernel about one connection. A socket that no process holds has no inode, and
 * the uid that is told for it is root's; is_meant() looks at the inode for that reason.
 */
static bool ask_kernel(const struct sockaddr_in *own, const struct sockaddr_in *peer,
                       struct inet_diag_msg *ret)
{
    const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
    const struct question q = question_for(own, peer);
    union {
        char bytes[ANSWER_BYTES];
        struct answer a;
    } got;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    ssize_t n = -1;

    if (fd < 0)
        return false;
    if (sendto(fd, &q, sizeof(q), 0, (const struct sockaddr *)&kernel,
               sizeof(kernel)) == (ssize_t)sizeof(q))
        n = recv(fd, &got, sizeof(got), 0);
    close(fd);
    if (n < (ssize_t)sizeof(got.a) || got.a.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return false;
    *ret = got.a.body;
    return true;
}

/* True when the answer is about the connection that was asked for, and a process
 * holds it. */
static bool is_meant(const struct inet_diag_msg *m, const struct sockaddr_in *own,
                     const struct sockaddr_in *peer)
{
    return m->idiag_state == TCP_ESTABLISHED && m->idiag_inode != 0 &&
           m->id.idiag_sport == own->sin_port && m->id.idiag_dport == peer->sin_port;
}

/* An address as the tables write it: words of 32 bits, each as a number of this host.
 */
static void table_text(const struct sockaddr_in *in, bool ipv6, char *text, size_t size)
{
    snprintf(text, size, "%s%08" PRIX32 ":%04X",
             !ipv6           ? ""
             : htonl(1) == 1 ? "00000000000000000000FFFF"
                             : "0000000000000000FFFF0000",
             in->sin_addr.s_addr, (unsigned)ntohs(in->sin_port));
}

bool auth_owner_in_table(const char *path, bool ipv6, const struct sockaddr_in *own,
                         const struct sockaddr_in *peer, uid_t *ret)
{
    char line[LINE_BYTES], from[64], to[64], is_from[64], is_to[64];
    unsigned long uid, inode;
    unsigned state;
    bool found = false;
    FILE *f = fopen(path, "re");

    if (!f)
        return false;
    table_text(own, ipv6, from, sizeof(from));
    table_text(peer, ipv6, to, sizeof(to));
    while (!found && fgets(line, sizeof(line), f))
        found = sscanf(line, "%*s %63s %63s %x %*s %*s %*s %lu %*s %lu", is_from, is_to,
                       &state, &uid, &inode) == 5 &&
                strcmp(is_from, from) == 0 && strcmp(is_to, to) == 0 &&
                state == TCP_ESTABLISHED && inode != 0;
    fclose(f);
    if (found)
        *ret = (uid_t)uid;
    return found;
}

int auth_socket_owner(const struct sockaddr_in *own, const struct sockaddr_in *peer,
                      uid_t *ret, struct diag *why)
{
    struct inet_diag_msg m;

    /* The kernel says the same when it knows no such socket and when it has no part
     * that could tell: then the tables are looked at. */
    if (ask_kernel(own, peer, &m)) {
        if (!is_meant(&m, own, peer))
            return diag_set(why, PBSE_BADCRED,
                            "no process of this host has that socket");
        *ret = m.idiag_uid;
        return 0;
    }
    if (auth_owner_in_table("/proc/self/net/tcp", false, own, peer, ret) ||
        auth_owner_in_table("/proc/self/net/tcp6", true, own, peer, ret))
        return 0;
    return diag_set(why, PBSE_BADCRED, "no process of this host has that socket");
}

/* On this host the kernel says whose the port is. On another host a reserved port
 * has to do. */
bool auth_is_privileged(int fd, const struct sockaddr_in *peer, bool peer_is_own)
{
    struct sockaddr_in own = { 0 };
    socklen_t len = sizeof(own);
    struct diag why;
    uid_t uid;

    if (ntohs(peer->sin_port) >= RESVPORT_END)
        return false;
    if (!peer_is_own)
        return true;
    return getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
           auth_socket_owner(peer, &own, &uid, &why) == 0 &&
           (uid == 0 || uid == geteuid());
}

bool auth_is_established(int fd)
{
    struct tcp_info info;
    socklen_t len = sizeof(info);

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 &&
           info.tcpi_state == TCP_ESTABLISHED;
}
