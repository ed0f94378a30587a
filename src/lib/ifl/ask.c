/* ask.c - one request, one reply.
 *
 * Bytes are read exactly up to the end of a packet, never further: on a scheduler's
 * connection the next packet belongs to the program. A message that goes on in the next
 * packet is put together before it is decoded. After an exchange that was cut off the
 * connection is of no use: a late reply would be taken for the next one's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include "lib/wire/packet.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST_PACKET_BYTES ((size_t)1 << 30)
#define READ_STEP_BYTES   ((size_t)1 << 16)

struct incoming { /* payload read so far; malloc'd */
    char *data;
    size_t len;
    size_t cap;
};

static int64_t now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Until 'until_ms'; interrupted waits go on. */
static bool wait_for(int fd, short events, int64_t until_ms)
{
    struct pollfd p = { .fd = fd, .events = events };

    for (;;) {
        int64_t left = until_ms - now_ms();
        int n = poll(&p, 1, left > 0 ? (int)left : 0);

        if (n > 0)
            return true;
        if (n == 0 || errno != EINTR)
            return false;
    }
}

static bool send_all(int fd, const char *data, size_t len, int64_t until_ms)
{
    while (len > 0) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0) {
            data += n;
            len -= (size_t)n;
        } else if (errno == EAGAIN) {
            if (!wait_for(fd, POLLOUT, until_ms))
                return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* 'len' bytes: DIS_OK, or what is wrong: nothing more came, or not enough. */
static enum dis_error recv_all(int fd, char *to, size_t len, int64_t until_ms)
{
    size_t got = 0;

    while (got < len) {
        ssize_t n = recv(fd, to + got, len - got, MSG_DONTWAIT);

        if (n > 0)
            got += (size_t)n;
        else if (n == 0)
            return got ? DIS_EOD : DIS_EOF;
        else if (errno == EAGAIN && !wait_for(fd, POLLIN, until_ms))
            return DIS_EOD;
        else if (errno != EAGAIN && errno != EINTR)
            return DIS_EOD;
    }
    return DIS_OK;
}

/* Memory grows with what has come, not with what was promised. */
static enum dis_error recv_payload(int fd, size_t len, int64_t until_ms,
                                   struct incoming *in)
{
    while (len > 0) {
        size_t step = MIN_OF(len, MAX_OF(READ_STEP_BYTES, in->len));
        enum dis_error e;

        if (in->cap - in->len < step) {
            char *p = realloc(in->data, in->len + step);

            if (!p)
                return DIS_NO_MEMORY;
            in->data = p;
            in->cap = in->len + step;
        }
        e = recv_all(fd, in->data + in->len, step, until_ms);
        if (e)
            return e == DIS_EOF ? DIS_EOD : e;
        in->len += step;
        len -= step;
    }
    return DIS_OK;
}

static enum dis_error recv_packet(int fd, int64_t until_ms, struct incoming *in)
{
    char head[PACKET_HEADER_BYTES];
    struct packet p;
    const unsigned char *b = (const unsigned char *)head;
    enum dis_error e = recv_all(fd, head, sizeof(head), until_ms);
    size_t len;

    if (e)
        return e;
    if (packet_peek(head, sizeof(head), MOST_PACKET_BYTES, &p) == PACKET_BAD)
        return DIS_PROTOCOL;
    len = (size_t)b[7] << 24 | (size_t)b[8] << 16 | (size_t)b[9] << 8 | b[10];
    return recv_payload(fd, len, until_ms, in);
}

/* A message of one or more packets. What stands behind it in the packet is dropped. */
static enum dis_error recv_reply(const struct ifl_handle *h, struct arena *arena,
                                 struct wire_reply *ret)
{
    int64_t until_ms = now_ms() + (int64_t)h->timeout_s * 1000;
    struct incoming in = { 0 };
    enum dis_error e;

    do {
        struct dis_in at;

        e = recv_packet(h->fd, until_ms, &in);
        if (e) {
            if (e == DIS_EOF && in.len > 0)
                e = DIS_EOD;
            break;
        }
        at = (struct dis_in){ in.data, in.data + in.len, arena };
        e = batch_read_reply(&at, ret);
    } while (e == DIS_EOD);
    free(in.data);
    return e;
}

static void join(struct wire_objects *all, const struct wire_objects *part,
                 struct arena *arena)
{
    for (size_t i = 0; i < part->n; i++)
        wire_objects_add(all, arena, part->v[i].type, part->v[i].name)->attrs =
            part->v[i].attrs;
}

/* All parts; an error that ends them is the reply, what came before is dropped. */
static enum dis_error recv_parts(const struct ifl_handle *h, struct arena *arena,
                                 struct wire_reply *ret)
{
    struct wire_objects all = { 0 };
    enum dis_error e;

    do {
        e = recv_reply(h, arena, ret);
        if (!e && ret->choice == REPLY_STATUS)
            join(&all, &ret->objects, arena);
    } while (!e && ret->more);
    if (!e && ret->choice == REPLY_STATUS)
        ret->objects = all;
    return e;
}

static int lost(struct ifl_handle *h, enum dis_error e)
{
    h->broken = true;
    return ifl_set_error(h->fd, PBSE_PROTOCOL, dis_error_text(e));
}

static int send_request(struct ifl_handle *h, uint32_t number, const void *body,
                        const char *extend)
{
    struct wire_request rq = { .number = number, .body = body, .extend = extend };
    struct buf payload = { 0 }, frame = { 0 };
    bool sent;

    if (h->broken)
        return ifl_set_error(h->fd, PBSE_PROTOCOL, dis_error_text(DIS_EOF));
    rq.user = ifl_user();
    if (!rq.user)
        return ifl_set_error(h->fd, PBSE_SYSTEM, "this process has no account name");
    batch_encode_request(&payload, &rq);
    packet_put(&frame, PACKET_DATA, payload.data, payload.len);
    sent =
        send_all(h->fd, frame.data, frame.len, now_ms() + (int64_t)h->timeout_s * 1000);
    buf_fini(&payload);
    buf_fini(&frame);
    return sent ? ifl_set_error(h->fd, 0, NULL) : lost(h, DIS_EOF);
}

int ifl_tell(int c, uint32_t number, const void *body, const char *extend)
{
    struct ifl_handle *h = ifl_handle_lock(c);
    int err;

    if (!h)
        return pbs_errno;
    err = send_request(h, number, body, extend);
    ifl_handle_unlock(h);
    return err;
}

int ifl_ask(int c, uint32_t number, const void *body, const char *extend,
            struct arena *arena, struct wire_reply *reply)
{
    struct ifl_handle *h = ifl_handle_lock(c);
    int err;

    if (!h)
        return pbs_errno;
    err = send_request(h, number, body, extend);
    if (!err) {
        enum dis_error e = recv_parts(h, arena, reply);

        if (e)
            err = lost(h, e);
        else
            err = ifl_set_error(c, reply->code,
                                reply->choice == REPLY_TEXT ? reply->text : NULL);
    }
    ifl_handle_unlock(h);
    return err;
}

int ifl_do(int c, uint32_t number, const void *body, const char *extend)
{
    struct arena *arena = arena_new();
    struct wire_reply reply;
    int err = ifl_ask(c, number, body, extend, arena, &reply);

    arena_free(arena);
    return err;
}

char *ifl_ask_text(int c, uint32_t number, const void *body, const char *extend,
                   uint32_t choice)
{
    struct arena *arena = arena_new();
    struct wire_reply reply;
    char *text = NULL;

    if (ifl_ask(c, number, body, extend, arena, &reply) == 0) {
        if (reply.choice != choice)
            ifl_set_error(c, PBSE_PROTOCOL, NULL);
        else if (!(text = strdup(reply.text)))
            ifl_set_error(c, PBSE_SYSTEM, NULL);
    }
    arena_free(arena);
    return text;
}

bool ifl_has_id(int c, const char *id)
{
    if (id && *id)
        return true;
    ifl_set_error(c, PBSE_IVALREQ, NULL);
    return false;
}
