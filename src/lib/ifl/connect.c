/* connect.c - reaching a server: the local socket where there is one, else TCP.
 *
 * On the local socket the server knows the caller by the kernel's word and nothing more
 * is said than Connect. Over TCP the configured method has to vouch for the caller.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"
#include "lib/io/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* A server may be slow while it starts, and a request with "interactive" waits as long
 * as its user said; both are bounded all the same. */
#define FIRST_REPLY_S 600
#define LATER_REPLY_S 10800
#define NOBLK_S       2
#define MOST_CONNECTS 49 /* what programs are told; there is no limit here */

struct target {
    const struct conf *conf;
    char host[PBS_MAXHOSTNAME + 1];
    unsigned port;
    int connect_s; /* for each step; 0: as long as the system takes */
    bool answered; /* there is a server, whatever it said */
};

static int fail(int code)
{
    int keep = errno;

    ifl_set_error(-1, code, NULL);
    errno = keep;
    return -1;
}

/* pbs_server names the host last tried also when it cannot be reached: commands print
 * it (cli.md 1.5). */
static int set_target(const char *server, struct target *t)
{
    if (!net_split(server, t->conf->batch_port, t->host, sizeof(t->host), &t->port))
        return fail(PBSE_BADHOST);
    snprintf(pbs_server, PBS_MAXHOSTNAME + 1, "%s", t->host);
    return 0;
}

static int find_target(const char *server, struct target *t)
{
    t->conf = ifl_conf();
    if (!t->conf)
        return fail(PBSE_NOSERVER);
    if (!server || !*server)
        server = conf_server_host(t->conf);
    return server && *server ? set_target(server, t) : fail(PBSE_NOSERVER);
}

/* Is this the server whose socket the settings name? Its address decides, not its name:
 * PBS_SERVER in the environment may name another host than the socket's. */
static bool is_local(const struct target *t)
{
    struct in_addr addr;

    /* The socket belongs to the server of the settings' port; a second server on this
     * host has another one. */
    if (!t->conf->local_socket || t->port != t->conf->batch_port)
        return false;
    return net_resolve(t->host, &addr, NULL) == 0 && net_is_own(addr);
}

/* The connected socket, or -1: there is none, nobody listens, or its path is too long.
 */
static int open_local(const struct conf *conf, bool nowait)
{
    /* A local connect() waits while the listener's queue is full: a server that hangs
     * would be waited for without end. It has as long as for its first reply. Who
     * cannot wait is told at once that the queue is full. */
    const int how = SOCK_STREAM | SOCK_CLOEXEC | (nowait ? SOCK_NONBLOCK : 0);
    const struct timeval most = { .tv_sec = FIRST_REPLY_S };
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    const char *path = conf_server_socket(conf);
    int fd;

    if (strlen(path) >= sizeof(to.sun_path))
        return -1;
    strcpy(to.sun_path, path);
    fd = socket(AF_UNIX, how, 0);
    if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most)) < 0 ||
                    connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0 ||
                    (nowait && fcntl(fd, F_SETFL, 0) < 0))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Finish a connect that was started without waiting. */
static int wait_connected(int fd, int seconds)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    int err = 0, n;
    socklen_t len = sizeof(err);

    do
        n = poll(&p, 1, seconds ? seconds * 1000 : -1);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        return ETIMEDOUT;
    if (n < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
        return errno;
    return err;
}

/* The helper has the connection beside its stdin, stdout and stderr, also when the
 * program has closed its own. */
static int above_standard(int fd)
{
    int high, keep;

    if (fd > STDERR_FILENO)
        return fd;
    high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    keep = errno;
    close(fd);
    errno = keep;
    return high < 0 ? fail(PBSE_SYSTEM) : high;
}

/* The address that the settings want us to come from. */
static int find_source(const struct conf *conf, struct sockaddr_in *from)
{
    *from = (struct sockaddr_in){ .sin_family = AF_INET };
    return conf->public_host_name
               ? net_resolve(conf->public_host_name, &from->sin_addr, NULL)
               : 0;
}

static int open_tcp(const struct target *t)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)t->port) };
    struct sockaddr_in from;
    int err, fd = -1;

    if (net_resolve(t->host, &to.sin_addr, NULL) || find_source(t->conf, &from))
        return fail(PBSE_BADHOST);
    err = net_connect_from(t->conf->public_host_name ? &from : NULL, &to, &fd);
    if (!err)
        err = wait_connected(fd, t->connect_s);
    /* The descriptor is the program's handle, and programs expect one that blocks. */
    if (!err && fcntl(fd, F_SETFL, 0) < 0)
        err = errno;
    if (!err)
        return above_standard(fd);
    if (fd >= 0)
        close(fd);
    errno = err;
    return fail(PBSE_SYSTEM);
}

static bool is_tcp(int fd)
{
    struct sockaddr_storage own;
    socklen_t len = sizeof(own);

    return getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
           own.ss_family == AF_INET;
}

/* Close what was greeted in vain. The error and errno are those of the greeting, and
 * not of the closing. */
static void drop(int c)
{
    int code = pbs_errno, keep = errno;
    struct ifl_handle *h = ifl_handle_lock(c);

    if (h)
        ifl_handle_close(h);
    fail(code);
    errno = keep;
}

/* Connect, authentication; the handle, or -1 with everything closed. */
static int greet(struct target *t, int fd, const char *extend)
{
    struct ifl_handle *h;
    int err;

    /* The kernel takes connections for a server that hangs, so who cannot wait for the
     * connection cannot wait for the first replies either. */
    if (ifl_handle_add(fd, t->connect_s ? t->connect_s : FIRST_REPLY_S))
        return -1;
    err = ifl_do(fd, BATCH_CONNECT, NULL, extend);
    /* A server that refuses is a server: the other one of a pair is not asked then. */
    t->answered = err != PBSE_PROTOCOL;
    if (err || (is_tcp(fd) && ifl_authenticate(t->conf, fd, t->host, t->port))) {
        drop(fd);
        return -1;
    }
    h = ifl_handle_lock(fd);
    if (!h)
        return -1;
    h->timeout_s = LATER_REPLY_S;
    ifl_handle_unlock(h);
    ifl_set_error(fd, 0, NULL);
    return fd;
}

static int connect_target(struct target *t, const char *extend)
{
    /* A socket that nobody listens on is no failure: the server may have TCP only. */
    int fd = is_local(t) ? open_local(t->conf, t->connect_s > 0) : -1;

    if (fd < 0)
        fd = open_tcp(t);
    return fd < 0 ? -1 : greet(t, fd, extend);
}

/* Of a pair the second is asked when the first does not answer, and once. */
static int connect_to(const char *server, const char *extend, int connect_s)
{
    struct target t = { .connect_s = connect_s };
    char name[PBS_MAXHOSTNAME + 1];
    struct ifl_pair pair;
    int fd = -1;

    if (find_target(server, &t))
        return -1;
    /* The pair keeps a pointer to the name, and set_target() changes t.host below. */
    memcpy(name, t.host, sizeof(name));
    ifl_pair_find(t.conf, name, t.port, &pair);
    if (pair.n == 1)
        return connect_target(&t, extend);
    for (int i = 0; i < pair.n && fd < 0 && !t.answered; i++) {
        if (set_target(pair.servers[i], &t))
            continue;
        fd = connect_target(&t, extend);
        if (fd >= 0)
            ifl_pair_used(t.conf, &pair, i);
    }
    return fd;
}

int ifl_connect(const char *server)
{
    return connect_to(server, NULL, 0);
}

int ifl_connect_extend(const char *server, const char *extend)
{
    return connect_to(server, extend, 0);
}

int ifl_connect_noblk(const char *server)
{
    return connect_to(server, "NOBLK", NOBLK_S);
}

/* Tell the server and wait until it has closed, so that it has seen all we sent. What
 * it still sends is of no interest, and a server that goes on sending is not waited
 * for. */
int ifl_disconnect(int c)
{
    struct ifl_handle *h;
    char rest[256];

    if (c < 0)
        return 0;
    ifl_tell(c, BATCH_DISCONNECT, NULL, NULL);
    h = ifl_handle_lock(c);
    if (!h)
        return -1;
    if (!h->broken) {
        int64_t until_ms = ifl_now_ms() + NOBLK_S * 1000;

        while (ifl_wait(c, POLLIN, until_ms) &&
               recv(c, rest, sizeof(rest), MSG_DONTWAIT) > 0)
            ;
    }
    ifl_handle_close(h);
    ifl_set_error(-1, 0, NULL);
    return 0;
}

int ifl_query_max_connections(void)
{
    return MOST_CONNECTS;
}

int ifl_connection_set_nodelay(int c)
{
    const int on = 1;

    if (setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0)
        return 0;
    /* a local socket sends at once anyway */
    return errno == EOPNOTSUPP || errno == ENOPROTOOPT ? 0 : -1;
}
