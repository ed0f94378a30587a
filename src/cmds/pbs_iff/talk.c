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
#include <time.h>

#define REPLY_S          600 /* as long as the client waits for first replies */
#define MOST_REPLY_BYTES 65536

static time_t now_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec;
}

static bool send_request(int fd, const struct iff_args *a, unsigned port)
{
    const struct body_authenticate body = { "resvport", a->encrypt_method, port };
    const struct wire_request rq = { .number = BATCH_AUTHENTICATE,
                                     .user = a->user,
                                     .body = &body };
    struct buf message = { 0 }, frame = { 0 };
    size_t sent = 0;
    ssize_t n = 0;

    batch_encode_request(&message, &rq);
    packet_put(&frame, PACKET_DATA, message.data, message.len);
    while (sent < frame.len && n >= 0) {
        n = send(fd, frame.data + sent, frame.len - sent, MSG_NOSIGNAL);
        if (n > 0)
            sent += (size_t)n;
        else if (n < 0 && errno == EINTR)
            n = 0;
    }
    n = sent == frame.len;
    buf_fini(&message);
    buf_fini(&frame);
    return n;
}

/* More bytes into 'in'; false: there are none in time. */
static bool read_more(int fd, time_t until_s, struct buf *in)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    time_t left = until_s - now_s();
    ssize_t n;

    if (left <= 0 || in->len >= MOST_REPLY_BYTES)
        return false;
    if (poll(&p, 1, (int)left * 1000) < 0)
        return errno == EINTR;
    n = recv(fd, buf_reserve(in, 4096), 4096, MSG_DONTWAIT);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    in->len += (size_t)n;
    return n > 0;
}

static bool read_reply(int fd, int *code, char **text)
{
    time_t until_s = now_s() + REPLY_S;
    struct arena *arena = arena_new();
    enum packet_status state = PACKET_PARTIAL;
    struct buf in = { 0 };
    struct wire_reply reply;
    struct packet p;
    bool ok;

    while (state == PACKET_PARTIAL && read_more(fd, until_s, &in))
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

int iff_vouch(int fd, const struct iff_args *a, unsigned port, int *code, char **text)
{
    if (send_request(fd, a, port) && read_reply(fd, code, text))
        return IFF_OK;
    fputs("pbs_iff: no answer from the server\n", stderr);
    return IFF_TALK;
}
