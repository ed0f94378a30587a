/* ask.c - one request, one reply.
 *
 * Bytes are read exactly up to the end of a packet, never further: on a scheduler's
 * connection the next packet belongs to the program. A message that goes on in the next
 * packet is put together before it is decoded. After an exchange that was cut off the
 * connection is of no use: a late reply would be taken for the next one's. One deadline
 * holds for a whole answer, so that a peer that trickles bytes holds nobody for ever.
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

/* An honest server comes nowhere near these. They bound what a strange one can make the
 * calling program hold. */
#define MOST_PACKET_BYTES ((size_t)1 << 30)
#define MOST_ANSWER_BYTES ((size_t)1 << 33) /* of all parts */
#define READ_STEP_BYTES   ((size_t)1 << 16)

static const char NO_MEMORY[] = "no memory";

struct incoming { /* payload read so far; malloc'd */
    char *data;
    size_t len;
    size_t cap;
};

/* Of a clock that nobody sets: a deadline must not move when the time of day does. */
int64_t ifl_now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Signals belong to the calling program, so an interrupted wait goes on. */
bool ifl_wait(int fd, short events, int64_t until_ms)
{
    struct pollfd p = { .fd = fd, .events = events };

    for (;;) {
        int64_t left = until_ms - ifl_now_ms();
        int n = left > 0 ? poll(&p, 1, (int)left) : 0;

        if (n > 0)
            return true;
        if (n == 0 || errno != EINTR)
            return false;
    }
}

/* No call blocks in here but the wait, which ends. A peer that is gone must not end the
 * program by a SIGPIPE. */
static bool send_all(int fd, const char *data, size_t len, int64_t until_ms)
{
    while (len > 0) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0) {
            data += n;
            len -= (size_t)n;
        } else if (errno == EAGAIN) {
            if (!ifl_wait(fd, POLLOUT, until_ms))
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
        else if (errno == EAGAIN && !ifl_wait(fd, POLLIN, until_ms))
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

static enum dis_error recv_packet(int fd, int64_t until_ms, uint8_t *type,
                                  struct incoming *in)
{
    char head[PACKET_HEADER_BYTES];
    struct packet p;
    const unsigned char *b = (const unsigned char *)head;
    enum dis_error e = recv_all(fd, head, sizeof(head), until_ms);
    size_t len;

    if (e)
        return e;
    /* The header is judged before memory is taken for what it promises. */
    if (packet_peek(head, sizeof(head), MOST_PACKET_BYTES, &p) == PACKET_BAD)
        return DIS_PROTOCOL;
    len = (size_t)b[7] << 24 | (size_t)b[8] << 16 | (size_t)b[9] << 8 | b[10];
    *type = b[6];
    return recv_payload(fd, len, until_ms, in);
}

bool ifl_send_packet(const struct ifl_handle *h, uint8_t type, const void *data,
                     size_t len)
{
    struct buf frame = { 0 };
    bool sent;

    packet_put(&frame, (enum packet_type)type, data, len);
    sent = send_all(h->fd, frame.data, frame.len,
                    ifl_now_ms() + (int64_t)h->timeout_s * 1000);
    buf_fini(&frame);
    return sent;
}

bool ifl_recv_packet(const struct ifl_handle *h, uint8_t *type, struct buf *payload)
{
    int64_t until_ms = ifl_now_ms() + (int64_t)h->timeout_s * 1000;
    struct incoming in = { 0 };
    bool ok = recv_packet(h->fd, until_ms, type, &in) == DIS_OK;

    if (ok)
        buf_add(payload, in.data, in.len);
    free(in.data);
    return ok;
}

/* One request and what comes back for it. */
struct exchange {
    struct ifl_handle *h;
    const struct wire_request *rq;
    int64_t until_ms;
    struct buf payload, frame;
    struct buf other; /* the same bytes encrypted, or decrypted */
    struct incoming in;
    size_t packet_at;      /* where the last packet begins in 'in' */
    size_t total_bytes;    /* of all parts */
    struct ifl_answer *to; /* NULL: none is wanted */
    bool answered;         /* before it was asked */
    enum dis_error error;
};

/* The steps of an exchange that allocate through lib/base run under xmem_try(): the
 * rest of the house stops when memory runs out, but a library must return an error.
 * What a step has allocated hangs off the exchange, and is freed with it. */
static void encode_step(void *arg)
{
    struct exchange *x = arg;

    batch_encode_request(&x->payload, x->rq);
    if (!x->h->session)
        packet_put(&x->frame, PACKET_DATA, x->payload.data, x->payload.len);
    else if (auth_session_seal(x->h->session, x->payload.data, x->payload.len,
                               &x->other))
        packet_put(&x->frame, PACKET_DATA, x->other.data, x->other.len);
    else
        x->error = DIS_PROTOCOL;
}

/* The packet that came last: plain text is never longer. */
static void decrypt_step(void *arg)
{
    struct exchange *x = arg;
    char *at = x->in.data + x->packet_at;
    size_t len = x->in.len - x->packet_at;

    buf_clear(&x->other);
    x->error = DIS_PROTOCOL;
    if (!auth_session_open(x->h->session, at, len, &x->other) || x->other.len > len)
        return;
    memcpy(at, x->other.data, x->other.len);
    x->in.len = x->packet_at + x->other.len;
    x->error = DIS_OK;
}

static void decode_step(void *arg)
{
    struct exchange *x = arg;
    struct dis_in at = { x->in.data, x->in.data + x->in.len, x->to->arena };

    x->error = batch_read_reply(&at, &x->to->reply);
}

static enum dis_error recv_message(struct exchange *x)
{
    uint8_t type;
    enum dis_error e;

    /* Each packet is encrypted for itself, so each is decrypted before the message is
     * put together. The type of a packet is of no interest once the handshake is over.
     */
    x->packet_at = x->in.len;
    e = recv_packet(x->h->fd, x->until_ms, &type, &x->in);
    if (e || !x->h->session)
        return e;
    return xmem_try(decrypt_step, x) ? x->error : DIS_NO_MEMORY;
}

/* A message of one or more packets. What stands behind it in the packet is dropped. */
static enum dis_error recv_reply(struct exchange *x)
{
    x->in.len = 0;
    do {
        enum dis_error e = recv_message(x);

        /* "Nothing came" is only true of the first packet; later the message is cut. */
        if (e)
            return e == DIS_EOF && x->packet_at > 0 ? DIS_EOD : e;
        x->total_bytes += x->in.len - x->packet_at;
        if (x->total_bytes > MOST_ANSWER_BYTES)
            return DIS_OVERFLOW;
        if (ifl_now_ms() >= x->until_ms) /* a flood never waits */
            return DIS_EOD;
        /* Whether the message is whole shows only when it is decoded, so it is decoded
         * anew with each packet. */
        arena_clear(x->to->arena);
        if (!xmem_try(decode_step, x))
            return DIS_NO_MEMORY;
    } while (x->error == DIS_EOD);
    return x->error;
}

/* All parts; an error that ends them is the reply, what came before is dropped. The
 * objects of a part become the caller's list at once. */
static enum dis_error recv_parts(struct exchange *x)
{
    struct batch_status **end = &x->to->list;
    struct wire_reply *reply = &x->to->reply;
    enum dis_error e;

    do {
        e = recv_reply(x);
        if (!e && reply->choice == REPLY_STATUS &&
            ifl_status_list(&reply->objects, &end))
            e = DIS_NO_MEMORY;
    } while (!e && reply->more);
    if (e || reply->choice != REPLY_STATUS || reply->code != 0) {
        ifl_statfree(x->to->list);
        x->to->list = NULL;
    }
    return e;
}

/* 0 or PBSE_SYSTEM: the request as a frame. */
static int encode(struct exchange *x)
{
    bool encoded = xmem_try(encode_step, x);

    buf_fini(&x->payload);
    buf_fini(&x->other);
    return encoded ? 0 : ifl_set_error(x->h->fd, PBSE_SYSTEM, NO_MEMORY);
}

/* After this every call on the connection fails at once, until the program closes it.
 */
static int lost(struct ifl_handle *h, enum dis_error e)
{
    h->broken = true;
    return ifl_set_error(h->fd, PBSE_PROTOCOL, dis_error_text(e));
}

/* A server without room for one more says so and closes, before it is asked. */
static int not_sent(struct exchange *x)
{
    x->answered = x->to && recv_reply(x) == DIS_OK && x->to->reply.code != 0;
    if (!x->answered)
        return lost(x->h, DIS_EOF);
    x->h->broken = true;
    return 0;
}

static int send_request(struct exchange *x)
{
    struct ifl_handle *h = x->h;
    bool sent;
    int err;

    if (h->broken)
        return ifl_set_error(h->fd, PBSE_PROTOCOL, dis_error_text(DIS_EOF));
    /* Every request carries the user's name (wire.md 5). */
    if (!x->rq->user)
        return ifl_set_error(h->fd, PBSE_SYSTEM, "this process has no account name");
    err = encode(x);
    if (!err && x->error)
        err = lost(h, x->error);
    if (!err) {
        x->until_ms = ifl_now_ms() + (int64_t)h->timeout_s * 1000;
        sent = send_all(h->fd, x->frame.data, x->frame.len, x->until_ms);
        err = sent ? ifl_set_error(h->fd, 0, NULL) : not_sent(x);
    }
    buf_fini(&x->frame);
    return err;
}

int ifl_tell(int c, uint32_t number, const void *body, const char *extend)
{
    const struct wire_request rq = {
        .number = number, .user = ifl_user(), .body = body, .extend = extend
    };
    struct exchange x = { .h = ifl_handle_lock(c), .rq = &rq };
    int err;

    if (!x.h)
        return pbs_errno;
    err = send_request(&x);
    ifl_handle_unlock(x.h);
    return err;
}

int ifl_ask(int c, uint32_t number, const void *body, const char *extend,
            struct ifl_answer *ret)
{
    const struct wire_request rq = {
        .number = number, .user = ifl_user(), .body = body, .extend = extend
    };
    struct exchange x = { .h = ifl_handle_lock(c), .rq = &rq, .to = ret };
    int err;

    *ret = (struct ifl_answer){ .arena = arena_try_new() };
    if (!x.h)
        return pbs_errno;
    err = ret->arena ? send_request(&x) : ifl_set_error(c, PBSE_SYSTEM, NO_MEMORY);
    if (!err) {
        enum dis_error e = x.answered ? DIS_OK : recv_parts(&x);

        /* A reply that was cut off may have been decoded in part: none of it is shown.
         */
        if (e)
            ret->reply = (struct wire_reply){ 0 };
        /* The text is set with code 0 too: that is how answers about reservations come
         * (wire.md 15.3). */
        err =
            e ? lost(x.h, e)
              : ifl_set_error(c, ret->reply.code,
                              ret->reply.choice == REPLY_TEXT ? ret->reply.text : NULL);
    }
    free(x.in.data);
    buf_fini(&x.other);
    ifl_handle_unlock(x.h);
    return err;
}

void ifl_answer_fini(struct ifl_answer *a)
{
    ifl_statfree(a->list);
    arena_free(a->arena);
}

int ifl_do(int c, uint32_t number, const void *body, const char *extend)
{
    struct ifl_answer answer;
    int err = ifl_ask(c, number, body, extend, &answer);

    ifl_answer_fini(&answer);
    return err;
}

char *ifl_ask_text(int c, uint32_t number, const void *body, const char *extend,
                   uint32_t choice)
{
    struct ifl_answer answer;
    char *text = NULL;

    if (ifl_ask(c, number, body, extend, &answer) == 0) {
        if (answer.reply.choice != choice)
            ifl_set_error(c, PBSE_PROTOCOL, NULL);
        else if (!(text = strdup(answer.reply.text)))
            ifl_set_error(c, PBSE_SYSTEM, NO_MEMORY);
    }
    ifl_answer_fini(&answer);
    return text;
}

bool ifl_has_id(int c, const char *id)
{
    if (id && *id)
        return true;
    ifl_set_error(c, PBSE_IVALREQ, NULL);
    return false;
}
