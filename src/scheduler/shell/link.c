/* link.c - packets over a local socket, with a bounded wait on both sides.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/link.h"

#include "lib/io/clock.h"
#include "lib/wire/packet.h"
#include "scheduler/shell/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct link {
    int fd;
    bool broken;
    char *user;
    struct buf in;
    struct buf out;
};

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
    free(l->user);
    free(l);
}

/* Passes an error on. */
static int broken(struct link *l, int err)
{
    if (err)
        l->broken = true;
    return err;
}

/* --- bytes --- */

/* Wait until the socket is ready. 0: it is; PBSE_SYSTEM otherwise, with a stop signal
 * too. */
static int wait_ready(struct link *l, short what, int64_t deadline_ms, bool *timed_out,
                      struct diag *why)
{
    struct pollfd p = { .fd = l->fd, .events = what };

    *timed_out = false;
    for (;;) {
        int64_t left_ms = deadline_ms < 0 ? -1 : deadline_ms - clock_mono_ms();
        int n;

        if (signals_stop())
            return diag_set(why, PBSE_SYSTEM, "interrupted by a signal");
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
    int64_t deadline_ms = clock_mono_ms() + LINK_TIMEOUT_MS;
    bool timed_out;
    int err = 0;

    while (l->out.len > 0 && !err) {
        ssize_t n = send(l->fd, l->out.data, l->out.len, MSG_NOSIGNAL);

        if (n > 0)
            buf_eat(&l->out, (size_t)n);
        else if (errno == EAGAIN || errno == EINTR)
            err = wait_ready(l, POLLOUT, deadline_ms, &timed_out, why);
        else
            err = diag_set(why, PBSE_SYSTEM, "write: %s", strerror(errno));
    }
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
        err = wait_ready(l, POLLIN, deadline_ms, timed_out, why);
        if (err)
            return err;
    }
}

/* One whole packet at the front of l->in; the caller eats it. */
static int read_packet(struct link *l, int64_t deadline_ms, bool *timed_out,
                       struct packet *ret, struct diag *why)
{
    *timed_out = false;
    for (;;) {
        int err;

        switch (packet_peek(l->in.data, l->in.len, LINK_PACKET_MAX, ret)) {
        case PACKET_READY:
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

/* --- requests and replies --- */

int link_send(struct link *l, const struct wire_request *rq, struct diag *why)
{
    struct wire_request named = *rq;
    struct buf payload = { 0 };

    named.user = l->user;
    batch_encode_request(&payload, &named);
    packet_put(&l->out, PACKET_DATA, payload.data, payload.len);
    buf_fini(&payload);
    return broken(l, flush(l, why));
}

static int read_reply(struct link *l, struct arena *arena, struct wire_reply *ret,
                      struct diag *why)
{
    struct packet p;
    bool timed_out;
    enum dis_error e;
    int err = read_packet(l, clock_mono_ms() + LINK_TIMEOUT_MS, &timed_out, &p, why);

    if (err)
        return err;
    *ret = (struct wire_reply){ 0 };
    e = batch_decode_reply(p.data, p.len, arena, ret);
    buf_eat(&l->in, p.total_bytes);
    return e ? diag_set(why, PBSE_PROTOCOL, "%s", dis_error_text(e)) : 0;
}

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

/* --- commands --- */

int link_read_command(struct link *l, int64_t timeout_ms, struct arena *arena,
                      int32_t *command, const char **job_id, struct diag *why)
{
    int64_t deadline_ms = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
    struct dis_in in = { .arena = arena };
    enum dis_error e;
    struct packet p;
    bool timed_out;
    int err;

    *command = -1;
    *job_id = NULL;
    err = read_packet(l, deadline_ms, &timed_out, &p, why);
    if (err)
        return timed_out ? 0 : broken(l, err);
    in.at = p.data;
    in.end = p.data + p.len;
    e = dis_get_int(&in, command);
    if (!e && *command == 11)
        e = dis_get_string(&in, 0, job_id);
    buf_eat(&l->in, p.total_bytes);
    return e ? broken(l, diag_set(why, PBSE_PROTOCOL, "%s", dis_error_text(e))) : 0;
}

int link_send_done(struct link *l, struct diag *why)
{
    struct buf payload = { 0 };

    dis_put_int(&payload, 0);
    packet_put(&l->out, PACKET_DATA, payload.data, payload.len);
    buf_fini(&payload);
    return broken(l, flush(l, why));
}

/* --- opening --- */

static int open_socket(const char *path, int *ret, struct diag *why)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    int fd;

    if (strlen(path) >= sizeof(to.sun_path))
        return diag_set(why, PBSE_SYSTEM, "%s: too long for a socket", path);
    strcpy(to.sun_path, path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 ||
        fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
        diag_set(why, PBSE_SYSTEM, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return PBSE_SYSTEM;
    }
    *ret = fd;
    return 0;
}

int link_open(const char *path, const char *user, struct link **ret, struct diag *why)
{
    static const struct wire_request greeting = { .number = BATCH_CONNECT };
    struct arena *arena;
    struct wire_reply reply;
    struct link *l;
    int fd = -1;
    int err;

    err = open_socket(path, &fd, why);
    if (err)
        return err;
    l = xcalloc(1, sizeof(*l));
    l->fd = fd;
    l->user = xstrdup(user);
    arena = arena_new();
    err = link_call(l, &greeting, arena, &reply, why);
    if (!err && reply.code)
        err = diag_set(why, reply.code, "%s", reply.text ? reply.text : "refused");
    arena_free(arena);
    if (err) {
        link_close(l);
        return err;
    }
    *ret = l;
    return 0;
}
