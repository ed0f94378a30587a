/* talk.c - the one request of pbs_iff and its answer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbs_iff/iff.h"

#include "lib/wire/batch.h"
#include "lib/wire/packet.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* An answer to this request is a code and a short text. */
#define MOST_REPLY_BYTES 65536

/* Wait until the socket, which does not block, is ready for 'events'; false when the
 * time is over first. */
static bool wait_for(int fd, short events, int64_t until_ms)
{
    struct pollfd p = { .fd = fd, .events = events };
    int left_ms = iff_left_ms(until_ms);

    return left_ms > 0 && (poll(&p, 1, left_ms) >= 0 || errno == EINTR);
}

static bool send_all(int fd, const struct buf *bytes, int64_t until_ms)
{
    size_t sent = 0;

    while (sent < bytes->len) {
        ssize_t n = send(fd, bytes->data + sent, bytes->len - sent, MSG_NOSIGNAL);

        if (n > 0)
            sent += (size_t)n;
        else if (errno != EINTR && errno != EAGAIN)
            return false;
        else if (!wait_for(fd, POLLOUT, until_ms))
            return false;
    }
    return true;
}

static bool send_request(int fd, const struct iff_args *a, unsigned port,
                         int64_t until_ms)
{
    const struct body_authenticate body = { "resvport", a->encrypt_method, port };
    const struct wire_request rq = { .number = BATCH_AUTHENTICATE,
                                     .user = a->user,
                                     .body = &body };
    struct buf message = { 0 }, frame = { 0 };
    bool ok;

    batch_encode_request(&message, &rq);
    packet_put(&frame, PACKET_DATA, message.data, message.len);
    ok = send_all(fd, &frame, until_ms);
    buf_fini(&message);
    buf_fini(&frame);
    return ok;
}

/* More bytes into 'in'; false: there are none in time. */
static bool read_more(int fd, int64_t until_ms, struct buf *in)
{
    ssize_t n;

    if (in->len >= MOST_REPLY_BYTES || !wait_for(fd, POLLIN, until_ms))
        return false;
    /* poll() may promise bytes that do not come; this program must end in its time all
     * the same. */
    n = recv(fd, buf_reserve(in, 4096), 4096, MSG_DONTWAIT);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    in->len += (size_t)n;
    return n > 0;
}

static bool read_reply(int fd, int64_t until_ms, int *code, char **text)
{
    struct arena *arena = arena_new();
    enum packet_status state = PACKET_PARTIAL;
    struct buf in = { 0 };
    struct wire_reply reply;
    struct packet p;
    bool ok;

    /* A server that never completes its answer is left when the time is over. */
    while (state == PACKET_PARTIAL && read_more(fd, until_ms, &in))
        state = packet_peek(in.data, in.len, MOST_REPLY_BYTES, &p);
    ok = state == PACKET_READY &&
         batch_decode_reply(p.data, p.len, arena, &reply) == DIS_OK;
    if (ok) {
        *code = reply.code;
        *text = reply.choice == REPLY_TEXT && reply.text ? xstrdup(reply.text) : NULL;
    }
    buf_fini(&in);
    arena_free(arena);
    return ok;
}

int iff_vouch(int fd, const struct iff_args *a, unsigned port, int64_t until_ms,
              int *code, char **text)
{
    if (send_request(fd, a, port, until_ms) && read_reply(fd, until_ms, code, text))
        return IFF_OK;
    fputs("pbs_iff: no answer from the server\n", stderr);
    return IFF_TALK;
}
