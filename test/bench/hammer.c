/* hammer.c - many connections that change attributes as fast as the server answers.
 *
 * usage: hammer [-c connections] [-s seconds] [-n nodes] [-w] socket
 *
 * Each connection has one request under way. By default they set one attribute of the
 * server, of a queue and of nodes in turn, and the rate is printed: each answer is one
 * durable change. With -w each connection leads a queue of its own through its life
 * (made, set, set again, deleted), survives the server's death, and checks after each
 * reconnection that what it was told is there: all of it, or the one change under way
 * as well, and never half of one (the kill test).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/wire/batch.h"
#include "lib/wire/packet.h"

#include <err.h>
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define COMMAND_CREATE 0
#define COMMAND_DELETE 1
#define COMMAND_SET    2
#define LIFE           8 /* steps of a queue: made, six times set, deleted */
#define MAX_FRAME      (16u << 20)
#define RECONNECT_MS   5

enum stage {
    STAGE_DOWN,    /* not connected */
    STAGE_CONNECT, /* Connect was sent */
    STAGE_LOOK,    /* -w: the queue's status was asked */
    STAGE_CHANGE   /* a change is under way */
};

struct client {
    int fd;
    int index;
    enum stage stage;
    struct buf in;
    uint64_t n_acked; /* changes that were answered with yes */
    bool in_doubt;    /* the next one was sent before the connection broke */
};

static const char *socket_path, *user;
static int n_clients = 64, n_nodes, epoll_fd;
static bool careful; /* -w */
static volatile sig_atomic_t over;
static uint64_t n_acked, n_lives, n_reconnects;

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void on_signal(int signo)
{
    (void)signo;
    over = 1;
}

/* Sending. */

static void down(struct client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    buf_clear(&c->in);
    c->stage = STAGE_DOWN;
}

static void ask(struct client *c, uint32_t number, const void *body)
{
    struct wire_request rq = { .number = number, .user = user, .body = body };
    struct buf payload = { 0 }, frame = { 0 };

    batch_encode_request(&payload, &rq);
    packet_put(&frame, PACKET_DATA, payload.data, payload.len);
    if (send(c->fd, frame.data, frame.len, MSG_NOSIGNAL) != (ssize_t)frame.len)
        down(c); /* they are small: all or nothing */
    buf_fini(&payload);
    buf_fini(&frame);
}

static void manage(struct client *c, uint32_t command, uint32_t type, const char *name,
                   struct arena *arena, const char *const *pairs)
{
    struct body_manage body = { .command = command,
                                .object_type = type,
                                .object_name = name };

    for (; pairs && pairs[0]; pairs += 2)
        wire_attrs_add(&body.attrs, arena, pairs[0], NULL, pairs[1], WIRE_OP_SET);
    c->stage = STAGE_CHANGE;
    ask(c, BATCH_MANAGER, &body);
}

static void change_some(struct client *c, struct arena *arena)
{
    uint64_t turn = c->n_acked + (uint64_t)c->index;
    const char *text = arena_printf(arena, "change %d of client %d",
                                    (int)(c->n_acked % 100000), c->index);
    const char *const comment[] = { "comment", text, NULL };
    /* Never the value that it has: that would be no change. */
    const char *const number[] = {
        "max_queuable",
        arena_printf(arena, "%d", (int)(c->n_acked % 100000) * n_clients + c->index),
        NULL
    };

    if (n_nodes > 0 && turn % 3 == 0)
        manage(c, COMMAND_SET, OBJECT_NODE,
               arena_printf(arena, "hn%d", c->index % n_nodes), arena, comment);
    else if (turn % 3 == 1)
        manage(c, COMMAND_SET, OBJECT_QUEUE, "workq", arena, number);
    else
        manage(c, COMMAND_SET, OBJECT_SERVER, "", arena, comment);
}

static const char *queue_name(const struct client *c, struct arena *arena)
{
    return arena_printf(arena, "hammer%d", c->index);
}

/* The change with this number in the queue's life; each sets two attributes to it. */
static void change_life(struct client *c, struct arena *arena)
{
    uint64_t n = c->n_acked + 1;
    const char *text = arena_printf(arena, "%" PRIu64, n);
    const char *const pairs[] = {
        "Priority", arena_printf(arena, "%d", (int)(n % 1000)), "max_queuable",
        text,       n % LIFE == 1 ? "queue_type" : NULL,        "execution",
        NULL
    };

    c->in_doubt = true;
    if (n % LIFE == 0)
        manage(c, COMMAND_DELETE, OBJECT_QUEUE, queue_name(c, arena), arena, NULL);
    else
        manage(c, n % LIFE == 1 ? COMMAND_CREATE : COMMAND_SET, OBJECT_QUEUE,
               queue_name(c, arena), arena, pairs);
}

static void look(struct client *c, struct arena *arena)
{
    struct body_status body = { .id = queue_name(c, arena) };

    c->stage = STAGE_LOOK;
    ask(c, BATCH_STATUS_QUEUE, &body);
}

static void change(struct client *c, struct arena *arena)
{
    if (careful)
        change_life(c, arena);
    else
        change_some(c, arena);
}

/* Judging. */

static const char *attr_of(const struct wire_object *o, const char *name)
{
    for (size_t i = 0; i < o->attrs.n; i++)
        if (strcmp(o->attrs.v[i].name, name) == 0)
            return o->attrs.v[i].value;
    return NULL;
}

/* Is the queue as the change with number n left it? */
static bool is_as_after(const struct wire_reply *reply, uint64_t n)
{
    const char *count, *priority;

    if (n % LIFE == 0)
        return reply->code != 0;
    if (reply->code != 0 || reply->objects.n != 1)
        return false;
    count = attr_of(&reply->objects.v[0], "max_queuable");
    priority = attr_of(&reply->objects.v[0], "Priority");
    return count && strtoull(count, NULL, 10) == n && priority &&
           strtoull(priority, NULL, 10) == n % 1000;
}

static void judge(struct client *c, const struct wire_reply *reply)
{
    if (c->in_doubt && is_as_after(reply, c->n_acked + 1))
        c->n_acked++;
    else if (!is_as_after(reply, c->n_acked)) {
        struct buf b = { 0 };

        batch_dump_reply(&b, reply);
        errx(1, "client %d: change %" PRIu64 " was told and is not there: %s", c->index,
             c->n_acked, b.data);
    }
    c->in_doubt = false;
    n_lives++;
}

static void on_reply(struct client *c, const struct wire_reply *reply,
                     struct arena *arena)
{
    if (c->stage == STAGE_LOOK) {
        judge(c, reply);
    } else if (reply->code != 0) {
        /* A store that fails is no fault of ours; the test says when it may. */
        errx(2, "client %d: refused with %d in stage %d: %s", c->index, reply->code,
             c->stage, reply->choice == REPLY_TEXT ? reply->text : "");
    } else if (c->stage == STAGE_CHANGE) {
        c->in_doubt = false;
        c->n_acked++;
        n_acked++;
    }
    if (c->stage == STAGE_CONNECT && careful)
        look(c, arena);
    else
        change(c, arena);
}

/* The connection. */

static void on_bytes(struct client *c, struct arena *arena)
{
    struct wire_reply reply;
    struct packet p;
    ssize_t n = recv(c->fd, buf_reserve(&c->in, 65536), 65536, MSG_DONTWAIT);

    if (n < 0 && errno == EAGAIN)
        return;
    if (n <= 0) {
        if (!careful)
            errx(2, "the server has gone");
        down(c);
        return;
    }
    c->in.len += (size_t)n;
    if (packet_peek(c->in.data, c->in.len, MAX_FRAME, &p) != PACKET_READY)
        return;
    arena_clear(arena);
    if (batch_decode_reply(p.data, p.len, arena, &reply) != DIS_OK)
        errx(2, "not a reply");
    buf_eat(&c->in, p.total_bytes);
    on_reply(c, &reply, arena);
}

static void up(struct client *c)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    struct epoll_event ev = { .events = EPOLLIN, .data.ptr = c };

    snprintf(at.sun_path, sizeof(at.sun_path), "%s", socket_path);
    c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&at, sizeof(at)) < 0) {
        if (!careful)
            err(2, "%s", socket_path);
        down(c);
        return;
    }
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &ev) < 0)
        err(2, "epoll");
    n_reconnects++;
    c->stage = STAGE_CONNECT;
    ask(c, BATCH_CONNECT, NULL);
}

static void hammer(struct client *clients, double until_s)
{
    struct arena *arena = arena_new();
    struct epoll_event events[256];

    while (!over && (until_s == 0 || now_s() < until_s)) {
        bool all_up = true;
        int n;

        for (int i = 0; i < n_clients; i++) {
            if (clients[i].stage == STAGE_DOWN)
                up(&clients[i]);
            all_up = all_up && clients[i].stage != STAGE_DOWN;
        }
        n = epoll_wait(epoll_fd, events, 256, all_up ? 200 : RECONNECT_MS);
        for (int i = 0; i < n; i++)
            on_bytes(events[i].data.ptr, arena);
    }
    arena_free(arena);
}

/* Queue workq may be missing, and the nodes are: one connection makes them. */
static void ask_and_wait(struct client *c, struct arena *arena)
{
    uint64_t before = n_acked;
    struct wire_reply reply;
    struct packet p;

    while (packet_peek(c->in.data, c->in.len, MAX_FRAME, &p) != PACKET_READY) {
        ssize_t n = recv(c->fd, buf_reserve(&c->in, 65536), 65536, 0);

        if (n <= 0)
            errx(2, "no answer");
        c->in.len += (size_t)n;
    }
    if (batch_decode_reply(p.data, p.len, arena, &reply) != DIS_OK)
        errx(2, "not a reply");
    buf_eat(&c->in, p.total_bytes);
    n_acked = before;
}

static void make_objects(void)
{
    struct client c = { .fd = -1, .in = { 0 } };
    struct arena *arena = arena_new();
    const char *const type[] = { "queue_type", "execution", NULL };
    const char *const mom[] = { "Mom", "localhost", NULL };

    up(&c);
    ask_and_wait(&c, arena);
    manage(&c, COMMAND_CREATE, OBJECT_QUEUE, "workq", arena, type);
    ask_and_wait(&c, arena);
    for (int i = 0; i < n_nodes; i++) {
        manage(&c, COMMAND_CREATE, OBJECT_NODE, arena_printf(arena, "hn%d", i), arena,
               mom);
        ask_and_wait(&c, arena);
    }
    down(&c);
    buf_fini(&c.in);
    arena_free(arena);
    n_reconnects = 0;
}

int main(int argc, char **argv)
{
    struct passwd *pw = getpwuid(geteuid());
    struct client *clients;
    double begin_s, seconds = 5;
    int opt;

    while ((opt = getopt(argc, argv, "c:s:n:w")) >= 0) {
        if (opt == 'c')
            n_clients = atoi(optarg);
        else if (opt == 's')
            seconds = atof(optarg);
        else if (opt == 'n')
            n_nodes = atoi(optarg);
        else if (opt == 'w')
            careful = true;
        else
            return 2;
    }
    if (optind != argc - 1 || n_clients < 1 || !pw)
        errx(2, "usage: hammer [-c connections] [-s seconds] [-n nodes] [-w] socket");
    socket_path = argv[optind];
    user = pw->pw_name;
    signal(SIGTERM, on_signal);
    signal(SIGINT, on_signal);
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (!careful)
        make_objects();
    clients = xcalloc((size_t)n_clients, sizeof(*clients));
    for (int i = 0; i < n_clients; i++)
        clients[i] = (struct client){ .fd = -1, .index = i };
    begin_s = now_s();
    hammer(clients, seconds > 0 ? begin_s + seconds : 0);
    seconds = now_s() - begin_s;
    printf("%" PRIu64 " changes in %.1f s: %.0f a second; %" PRIu64
           " connections, %" PRIu64 " looks\n",
           n_acked, seconds, (double)n_acked / seconds, n_reconnects, n_lives);
    for (int i = 0; i < n_clients; i++) {
        down(&clients[i]);
        buf_fini(&clients[i].in);
    }
    free(clients);
    return 0;
}
