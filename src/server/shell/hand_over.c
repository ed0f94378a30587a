/* hand_over.c - see hand_over.h.
 *
 * Whatever goes wrong before the first byte of Commit is sent leaves the job here.
 * After that only an answer tells.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/hand_over.h"

#include "lib/base/diag.h"
#include "lib/io/clock.h"
#include "lib/io/net.h"
#include "lib/wire/batch.h"
#include "lib/wire/packet.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_MS      5000
#define HOST_MAX        256
/* A job may wait for a thousand others, which its status names. */
#define REPLY_MAX_BYTES (512u << 10)
#define PORT_FIRST      1023
#define PORT_LAST       600

struct talk {
    const struct need *need;
    const char *server; /* of its destination */
    struct arena *arena;
    struct finding *f;
    int fd;
    int64_t until_ms; /* by the monotonic clock */
    struct buf in;
};

static void fail(struct talk *t, const char *what, int error)
{
    t->f->failed = true;
    t->f->words = arena_printf(t->arena, "%s %s: %s", what, t->server,
                               error ? strerror(error) : "no answer in time");
}

/* 0, or an errno value. */
static int ready(const struct talk *t, short what, int64_t until_ms)
{
    struct pollfd p = { .fd = t->fd, .events = what };
    int64_t left_ms;
    int n;

    do {
        left_ms = MIN_OF(until_ms, t->until_ms) - clock_mono_ms();
        n = left_ms > 0 ? poll(&p, 1, (int)left_ms) : 0;
    } while (n < 0 && errno == EINTR);
    return n < 0 ? errno : n == 0 ? ETIMEDOUT : 0;
}

static int connected(const struct talk *t)
{
    int error = ready(t, POLLOUT, clock_mono_ms() + CONNECT_MS);
    socklen_t len = sizeof(error);

    if (!error && getsockopt(t->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
        error = errno;
    return error;
}

/* From the first port below 1024 that is free; from any one where those are root's and
 * this process is not: the other server says then what it thinks of it. */
static int connect_reserved(struct talk *t, const struct sockaddr_in *to)
{
    struct sockaddr_in from = { .sin_family = AF_INET };
    int err = EACCES;

    for (unsigned port = PORT_FIRST; port >= PORT_LAST; port--) {
        from.sin_port = htons((uint16_t)port);
        err = net_connect_from(&from, to, &t->fd);
        if (!err)
            return 0;
        if (err != EADDRINUSE && err != EADDRNOTAVAIL)
            break;
    }
    return err == EACCES || err == EPERM ? net_connect(to, &t->fd) : err;
}

static bool open_it(struct talk *t, unsigned port)
{
    struct sockaddr_in to = { .sin_family = AF_INET };
    char host[HOST_MAX];
    struct diag why;
    int err;

    if (!net_split(t->server, port, host, sizeof(host), &port)) {
        t->f->code = PBSE_BADHOST;
        return false;
    }
    /* A name that nobody can look up now is not yet a wrong one. */
    if (net_resolve(host, &to.sin_addr, &why)) {
        t->f->failed = true;
        t->f->words = arena_strdup(t->arena, why.text);
        return false;
    }
    to.sin_port = htons((uint16_t)port);
    err = connect_reserved(t, &to);
    if (!err)
        err = connected(t);
    if (err)
        fail(t, "Cannot connect to server", err);
    return !err;
}

static int send_all(struct talk *t, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = send(t->fd, data, len, MSG_NOSIGNAL);
        int err = n < 0 ? errno : 0;

        if (err == EAGAIN || err == EINTR)
            err = ready(t, POLLOUT, t->until_ms);
        if (err)
            return err;
        if (n > 0) {
            data += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

static int read_some(struct talk *t)
{
    char room[4096];
    int err = ready(t, POLLIN, t->until_ms);
    ssize_t n = err ? 0 : recv(t->fd, room, sizeof(room), 0);

    if (err)
        return err;
    if (n == 0)
        return ECONNRESET;
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : errno;
    buf_add(&t->in, room, (size_t)n);
    return 0;
}

static int read_reply(struct talk *t, struct wire_reply *ret)
{
    struct packet f;
    enum packet_status status;
    enum dis_error err;

    while ((status = packet_peek(t->in.data, t->in.len, REPLY_MAX_BYTES, &f)) ==
           PACKET_PARTIAL) {
        int error = read_some(t);

        if (error)
            return error;
    }
    if (status == PACKET_BAD)
        return EPROTO;
    err = batch_decode_reply(f.data, f.len, t->arena, ret);
    buf_eat(&t->in, f.total_bytes);
    return err == DIS_OK ? 0 : EPROTO;
}

/* Send one request, which is 'len' bytes, and hear its answer. False: this is the end.
 */
static bool ask(struct talk *t, const struct wire_request *rq, const char *data,
                size_t len)
{
    struct wire_reply reply = { 0 };
    struct buf out = { 0 };
    int err;

    packet_put(&out, PACKET_DATA, data, len);
    /* From here on the other server may have the job. */
    if (rq->number == BATCH_COMMIT)
        t->f->doubt = true;
    err = send_all(t, out.data, out.len);
    buf_fini(&out);
    if (!err)
        err = read_reply(t, &reply);
    if (err) {
        fail(t, "No answer of server", err);
        return false;
    }
    t->f->code = reply.code;
    t->f->words = finding_words(&reply, t->arena);
    return reply.code == 0;
}

static void talk(struct talk *t)
{
    struct dis_in in = { t->need->data, t->need->data + t->need->len, t->arena };
    struct wire_request rq;
    bool known;

    while (in.at < in.end) {
        const char *from = in.at;

        if (batch_read_request(&in, &rq, &known) != DIS_OK || !known) {
            fail(t, "Cannot send the job to", EPROTO);
            return;
        }
        if (!ask(t, &rq, from, (size_t)(in.at - from)))
            return;
    }
    t->f->found = true;
}

unsigned hand_over_port(const char *servers, const char *destination, unsigned dflt)
{
    const char *at = strchr(destination, '@');
    size_t len = at ? strlen(at + 1) : 0;

    for (const char *p = servers; at && p && *p; p += *p == ',') {
        size_t n = strcspn(p, ",");

        if (n > len + 1 && p[len] == ':' && strncasecmp(p, at + 1, len) == 0)
            return (unsigned)strtoul(p + len + 1, NULL, 10);
        p += n;
    }
    return dflt;
}

void hand_over(const struct need *need, unsigned port, struct arena *arena,
               struct finding *ret)
{
    struct talk t = { .need = need, .arena = arena, .f = ret, .fd = -1 };

    MUST(need_is_deed(need->kind) && need->data);
    t.server = need->detail + strcspn(need->detail, "@");
    t.server += *t.server == '@';
    t.until_ms = clock_mono_ms() + HAND_OVER_MS;
    /* The next attempt may begin before this one would be over. */
    if (need->begin_until_at && clock_read() > need->begin_until_at)
        fail(&t, "Too late to ask server", 0);
    else if (open_it(&t, port))
        talk(&t);
    if (t.fd >= 0)
        close(t.fd);
    buf_fini(&t.in);
}
