/* fake.c - see fake.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fake.h"

#include "lib/wire/packet.h"

#include <arpa/inet.h>
#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MOST_LINES   200
#define MOST_CLIENTS 16

struct answer {
    char *bytes;
    size_t len;
    bool then_close;
};

struct fake {
    char home[64];
    int local, tcp, stop[2];
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t noted;
    char *lines[MOST_LINES];
    size_t n_lines;
    struct answer answers[MOST_LINES];
    size_t n_answers, next_answer;
    struct {
        int fd;
        struct buf in;
    } clients[MOST_CLIENTS];
    size_t n_clients;
};

static int listen_local(const char *home)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    char dir[80];
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(dir, sizeof(dir), "%s/ipc", home);
    snprintf(a.sun_path, sizeof(a.sun_path), "%s/ipc/server.sock", home);
    if (mkdir(dir, 0755) || bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 8))
        err(2, "%s", a.sun_path);
    return fd;
}

static int listen_tcp(unsigned *port)
{
    struct sockaddr_in a = { .sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(a);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (bind(fd, (struct sockaddr *)&a, len) || listen(fd, 8) ||
        getsockname(fd, (struct sockaddr *)&a, &len))
        err(2, "listen");
    *port = ntohs(a.sin_port);
    return fd;
}

static void note(struct fake *f, const struct wire_request *rq)
{
    struct buf b = { 0 };

    batch_dump_request(&b, rq);
    pthread_mutex_lock(&f->lock);
    if (f->n_lines == MOST_LINES)
        errx(2, "too many requests");
    f->lines[f->n_lines++] = buf_take(&b);
    pthread_cond_broadcast(&f->noted);
    pthread_mutex_unlock(&f->lock);
}

static void send_bytes(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

        if (n <= 0)
            return;
        bytes += n;
        len -= (size_t)n;
    }
}

/* False: close. */
static bool answer_next(struct fake *f, int fd)
{
    struct answer *a = NULL;

    pthread_mutex_lock(&f->lock);
    if (f->next_answer < f->n_answers)
        a = &f->answers[f->next_answer++];
    pthread_mutex_unlock(&f->lock);
    if (a)
        send_bytes(fd, a->bytes, a->len);
    return a && !a->then_close;
}

static bool serve(struct fake *f, int fd, const struct packet *p)
{
    static const struct wire_reply null_reply = { .choice = REPLY_NULL };
    struct arena *arena = arena_new();
    struct wire_request rq;
    struct buf payload = { 0 }, frame = { 0 };
    bool known, go_on = true;

    if (batch_decode_request(p->data, p->len, arena, &rq, &known) || !known)
        errx(2, "a request that does not decode");
    note(f, &rq);
    if (rq.number == BATCH_CONNECT) {
        batch_encode_reply(&payload, &null_reply);
        packet_put(&frame, PACKET_DATA, payload.data, payload.len);
        send_bytes(fd, frame.data, frame.len);
    } else {
        go_on = rq.number != BATCH_DISCONNECT && answer_next(f, fd);
    }
    buf_fini(&payload);
    buf_fini(&frame);
    arena_free(arena);
    return go_on;
}

static bool read_client(struct fake *f, size_t i)
{
    struct buf *in = &f->clients[i].in;
    ssize_t n = read(f->clients[i].fd, buf_reserve(in, 65536), 65536);
    struct packet p;

    if (n <= 0)
        return false;
    in->len += (size_t)n;
    while (packet_peek(in->data, in->len, 1 << 24, &p) == PACKET_READY) {
        if (!serve(f, f->clients[i].fd, &p))
            return false;
        buf_eat(in, p.total_bytes);
    }
    return true;
}

static void drop_client(struct fake *f, size_t i)
{
    close(f->clients[i].fd);
    buf_fini(&f->clients[i].in);
    f->clients[i] = f->clients[--f->n_clients];
}

static void accept_client(struct fake *f, int from)
{
    int fd = accept(from, NULL, NULL);

    if (fd < 0 || f->n_clients == MOST_CLIENTS)
        errx(2, "accept");
    f->clients[f->n_clients].fd = fd;
    f->clients[f->n_clients++].in = (struct buf){ 0 };
}

static void *run(void *arg)
{
    struct fake *f = arg;

    for (;;) {
        struct pollfd p[3 + MOST_CLIENTS] = { { f->stop[0], POLLIN, 0 },
                                              { f->local, POLLIN, 0 },
                                              { f->tcp, POLLIN, 0 } };
        size_t n = f->n_clients;

        for (size_t i = 0; i < n; i++)
            p[3 + i] = (struct pollfd){ f->clients[i].fd, POLLIN, 0 };
        if (poll(p, 3 + n, -1) < 0)
            continue;
        if (p[0].revents)
            return NULL;
        for (size_t i = n; i-- > 0;)
            if (p[3 + i].revents && !read_client(f, i))
                drop_client(f, i);
        for (int i = 1; i <= 2; i++)
            if (p[i].revents)
                accept_client(f, p[i].fd);
    }
}

struct fake *fake_start(void)
{
    struct fake *f = xcalloc(1, sizeof(*f));
    unsigned port;
    char text[16];

    strcpy(f->home, "/tmp/hf-ifl-XXXXXX");
    if (!mkdtemp(f->home) || pipe(f->stop))
        err(2, "%s", f->home);
    f->local = listen_local(f->home);
    f->tcp = listen_tcp(&port);
    snprintf(text, sizeof(text), "%u", port);
    setenv("PBS_CONF_FILE", "/nonexistent", 1);
    setenv("PBS_HOME", f->home, 1);
    setenv("PBS_EXEC", "/opt/nowhere", 1);
    setenv("PBS_SERVER", "localhost", 1);
    setenv("PBS_BATCH_SERVICE_PORT", text, 1);
    setenv("PBS_AUTH_METHOD", "resvport", 1);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->noted, NULL);
    if (pthread_create(&f->thread, NULL, run, f))
        errx(2, "no thread");
    return f;
}

static void remove_home(const struct fake *f)
{
    char path[96];

    snprintf(path, sizeof(path), "%s/ipc/server.sock", f->home);
    unlink(path);
    snprintf(path, sizeof(path), "%s/ipc", f->home);
    rmdir(path);
    rmdir(f->home);
}

void fake_stop(struct fake *f)
{
    if (write(f->stop[1], "", 1) != 1)
        err(2, "write");
    pthread_join(f->thread, NULL);
    while (f->n_clients > 0)
        drop_client(f, 0);
    close(f->local);
    close(f->tcp);
    close(f->stop[0]);
    close(f->stop[1]);
    for (size_t i = 0; i < f->n_lines; i++)
        free(f->lines[i]);
    for (size_t i = 0; i < f->n_answers; i++)
        free(f->answers[i].bytes);
    remove_home(f);
    free(f);
}

const char *fake_home(const struct fake *f)
{
    return f->home;
}

static void add_answer(struct fake *f, const char *bytes, size_t len, bool then_close)
{
    char *copy = xmalloc(len + 1);

    memcpy(copy, bytes, len);
    pthread_mutex_lock(&f->lock);
    if (f->n_answers == MOST_LINES)
        errx(2, "too many answers");
    f->answers[f->n_answers++] = (struct answer){ copy, len, then_close };
    pthread_mutex_unlock(&f->lock);
}

void fake_parts(struct fake *f, const struct wire_reply *parts, size_t n)
{
    struct buf payload = { 0 }, frames = { 0 };

    for (size_t i = 0; i < n; i++) {
        buf_clear(&payload);
        batch_encode_reply(&payload, &parts[i]);
        packet_put(&frames, PACKET_DATA, payload.data, payload.len);
    }
    fake_raw(f, frames.data, frames.len);
    buf_fini(&payload);
    buf_fini(&frames);
}

void fake_reply(struct fake *f, const struct wire_reply *reply)
{
    fake_parts(f, reply, 1);
}

void fake_raw(struct fake *f, const char *bytes, size_t len)
{
    add_answer(f, bytes, len, false);
}

void fake_cut(struct fake *f, const char *bytes, size_t len)
{
    add_answer(f, bytes, len, true);
}

void fake_null(struct fake *f, int n_times)
{
    const struct wire_reply reply = { .choice = REPLY_NULL };

    while (n_times-- > 0)
        fake_reply(f, &reply);
}

void fake_silence(struct fake *f)
{
    fake_raw(f, "", 0);
}

const char *fake_request(struct fake *f, size_t n)
{
    const char *line;

    pthread_mutex_lock(&f->lock);
    while (f->n_lines <= n)
        pthread_cond_wait(&f->noted, &f->lock);
    line = f->lines[n];
    pthread_mutex_unlock(&f->lock);
    return line;
}

size_t fake_count(struct fake *f)
{
    size_t n;

    pthread_mutex_lock(&f->lock);
    n = f->n_lines;
    pthread_mutex_unlock(&f->lock);
    return n;
}
