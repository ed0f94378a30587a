/* link.c - packets, requests and commands on a connection, with a bounded wait on both
 * sides.
 *
 * A packet that was read stays at the front of what has come until the next one is
 * asked for: what was decoded from it may point into it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/link_priv.h"

#include "lib/io/clock.h"
#include "lib/wire/sched_command.h"
#include "scheduler/shell/signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool link_is_broken(const struct link *l)
{
    return l->broken;
}

int link_fd(const struct link *l)
{
    return l->fd;
}

void link_close(struct link *l)
{
    if (!l)
        return;
    close(l->fd);
    buf_fini(&l->in);
    buf_fini(&l->out);
    buf_fini(&l->plain);
    auth_session_free(l->session);
    free(l->user);
    free(l);
}

/* Note that the link is of no use after an error; returns 'err'. */
static int broken(struct link *l, int err)
{
    if (err)
        l->broken = true;
    return err;
}

int link_wait(int fd, short what, int64_t deadline_ms, bool *timed_out,
              struct diag *why)
{
    struct pollfd p = { .fd = fd, .events = what };

    *timed_out = false;
    for (;;) {
        /* A negative deadline is none. After a signal that does not end the daemon, the
         * wait goes on with the time that is left. */
        int64_t left_ms = deadline_ms < 0 ? -1 : deadline_ms - clock_mono_ms();
        int n;

        if (signals_stop())
            return diag_set(why, PBSE_SYSTEM, "interrupted by a signal");
        /* A deadline that has passed must not become a wait without end. */
        if (deadline_ms >= 0 && left_ms < 0)
            left_ms = 0;
        n = signals_wait(&p, 1, left_ms);
        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return diag_set(why, PBSE_SYSTEM, "poll: %s", strerror(errno));
        if (n == 0) {
            *timed_out = true;
            return diag_set(why, PBSE_SYSTEM, "no answer from the server");
        }
    }
}

static int flush(struct link *l, struct diag *why)
{
    /* One deadline holds for the whole of it: a server that reads a byte now and then
     * does not hold us longer. */
    int64_t deadline_ms = clock_mono_ms() + l->timeout_ms;
    bool timed_out;
    int err = 0;

    while (l->out.len > 0 && !err) {
        ssize_t n = send(l->fd, l->out.data, l->out.len, MSG_NOSIGNAL);

        if (n > 0)
            buf_eat(&l->out, (size_t)n);
        else if (errno == EAGAIN || errno == EINTR)
            err = link_wait(l->fd, POLLOUT, deadline_ms, &timed_out, why);
        else
            err = diag_set(why, PBSE_SYSTEM, "write: %s", strerror(errno));
    }
    MUST(err || l->out.len == 0);
    return err;
}

/* Read what is there, waiting for at least one byte. */
static int fill(struct link *l, int64_t deadline_ms, bool *timed_out, struct diag *why)
{
    for (;;) {
        char *room = buf_reserve(&l->in, 65536);
        ssize_t n = recv(l->fd, room, 65536, 0);
        int err;

        if (n > 0) {
            l->in.len += (size_t)n;
            return 0;
        }
        if (n == 0)
            return diag_set(why, PBSE_SYSTEM, "the server closed the connection");
        if (errno != EAGAIN && errno != EINTR)
            return diag_set(why, PBSE_SYSTEM, "read: %s", strerror(errno));
        err = link_wait(l->fd, POLLIN, deadline_ms, timed_out, why);
        if (err)
            return err;
    }
}

/* The packet that was read before is dropped first: nobody uses it any more. */
int link_read_packet(struct link *l, int64_t deadline_ms, bool *timed_out,
                     struct packet *ret, struct diag *why)
{
    MUST(l->read_bytes <= l->in.len);
    buf_eat(&l->in, l->read_bytes);
    l->read_bytes = 0;
    *timed_out = false;
    for (;;) {
        int err;

        switch (packet_peek(l->in.data, l->in.len, LINK_PACKET_MAX, ret)) {
        case PACKET_READY:
            MUST(ret->total_bytes <= l->in.len);
            l->read_bytes = ret->total_bytes;
            return 0;
        case PACKET_BAD:
            return diag_set(why, PBSE_PROTOCOL, "bytes that are no packet");
        case PACKET_PARTIAL:
            break;
        }
        err = fill(l, deadline_ms, timed_out, why);
        if (err)
            return err;
    }
}

int link_write_packet(struct link *l, uint8_t type, const void *data, size_t len,
                      struct diag *why)
{
    packet_put(&l->out, type, data, len);
    return flush(l, why);
}

/* Read a message: the payload of a packet, decrypted where the session encrypts. */
static int read_message(struct link *l, int64_t deadline_ms, bool *timed_out,
                        struct dis_in *ret, struct diag *why)
{
    struct packet p;
    int err = link_read_packet(l, deadline_ms, timed_out, &p, why);

    if (err)
        return err;
    ret->at = p.data;
    ret->end = p.data + p.len;
    if (!l->session)
        return 0;
    /* The decrypted text lives in the link, so it too is valid until the next message.
     */
    buf_clear(&l->plain);
    if (!auth_session_open(l->session, p.data, p.len, &l->plain))
        return diag_set(why, PBSE_PROTOCOL, "a packet that is not encrypted as agreed");
    ret->at = l->plain.data;
    ret->end = l->plain.data + l->plain.len;
    return 0;
}

static int write_message(struct link *l, const struct buf *message, struct diag *why)
{
    struct buf sealed = { 0 };
    int err;

    if (!l->session)
        return link_write_packet(l, PACKET_DATA, message->data, message->len, why);
    if (!auth_session_seal(l->session, message->data, message->len, &sealed))
        err = diag_set(why, PBSE_SYSTEM, "what is to be sent cannot be encrypted");
    else
        err = link_write_packet(l, PACKET_DATA, sealed.data, sealed.len, why);
    buf_fini(&sealed);
    return err;
}

int link_send(struct link *l, const struct wire_request *rq, struct diag *why)
{
    struct wire_request named = *rq;
    struct buf message = { 0 };
    int err;

    MUST(l->user);
    /* Every request names the user of the link in its header. */
    named.user = l->user;
    batch_encode_request(&message, &named);
    err = write_message(l, &message, why);
    buf_fini(&message);
    return broken(l, err);
}

static int read_reply(struct link *l, struct arena *arena, struct wire_reply *ret,
                      struct diag *why)
{
    struct dis_in in;
    bool timed_out;
    enum dis_error e;
    int err = read_message(l, clock_mono_ms() + l->timeout_ms, &timed_out, &in, why);

    if (err)
        return err;
    *ret = (struct wire_reply){ 0 };
    e = batch_decode_reply(in.at, (size_t)(in.end - in.at), arena, ret);
    return e ? diag_set(why, PBSE_PROTOCOL, "%s", dis_error_text(e)) : 0;
}

/* A long status reply comes in parts; their objects are listed together, in order. */
static void join_objects(struct wire_objects *all, const struct wire_objects *part,
                         struct arena *arena)
{
    for (size_t i = 0; i < part->n; i++)
        wire_objects_add(all, arena, part->v[i].type, part->v[i].name)->attrs =
            part->v[i].attrs;
}

int link_call(struct link *l, const struct wire_request *rq, struct arena *arena,
              struct wire_reply *ret, struct diag *why)
{
    struct wire_objects all = { 0 };
    struct wire_reply part;
    bool joined = false;
    int err = link_send(l, rq, why);

    while (!err) {
        err = read_reply(l, arena, &part, why);
        if (err || (!part.more && !joined))
            break;
        /* A server that never stops sending parts must not fill our memory. */
        MUST(all.n <= LINK_OBJECTS_MAX);
        if (part.objects.n > LINK_OBJECTS_MAX - all.n) {
            err = diag_set(why, PBSE_PROTOCOL, "too many objects in a reply");
            break;
        }
        join_objects(&all, &part.objects, arena);
        joined = true;
        if (!part.more)
            break;
    }
    if (err)
        return broken(l, err);
    if (joined)
        part.objects = all;
    *ret = part;
    return 0;
}

int link_read_reply(struct link *l, struct arena *arena, struct wire_reply *ret,
                    struct diag *why)
{
    return broken(l, read_reply(l, arena, ret, why));
}

int link_read_command(struct link *l, int64_t timeout_ms, struct arena *arena,
                      int32_t *command, const char **job_id, struct diag *why)
{
    int64_t deadline_ms = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
    struct dis_in in = { .arena = arena };
    enum dis_error e;
    bool timed_out;
    int err;

    /* -1 tells the caller that no command came in time, which is no error. */
    *command = -1;
    *job_id = NULL;
    err = read_message(l, deadline_ms, &timed_out, &in, why);
    if (err)
        return timed_out ? 0 : broken(l, err);
    e = dis_get_int(&in, command);
    /* Only the command to run one job has the id of a job behind it. */
    if (!e && *command == SCHED_RUN_JOB)
        e = dis_get_string(&in, 0, job_id);
    return e ? broken(l, diag_set(why, PBSE_PROTOCOL, "%s", dis_error_text(e))) : 0;
}

int link_send_done(struct link *l, struct diag *why)
{
    struct buf message = { 0 };
    int err;

    dis_put_int(&message, 0);
    err = write_message(l, &message, why);
    buf_fini(&message);
    return broken(l, err);
}
