/* tm_talk.c - see tm_talk.h. Here is tm_poll() as well, which takes the answers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/tm_talk.h"

#include "lib/base/base.h"
#include "lib/wire/packet.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_TRIES 5
#define READ_BYTES    (size_t)(64u << 10)
#define MOST_BYTES    (64u << 20) /* of an answer */

struct tm_talk tm_talk = { .fd = -1 };

/* With the connection goes all that was to be told on it. */
static void disconnect(void)
{
    if (tm_talk.fd >= 0)
        close(tm_talk.fd);
    tm_talk.fd = -1;
    tm_talk.in_at = tm_talk.in_len = 0;
    for (struct tm_pending *p = tm_talk.pending; p; p = p->next)
        p->is_lost = true;
}

static bool connect_to(int port)
{
    const struct sockaddr_in to = { .sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

    for (int i = 0; i < CONNECT_TRIES && tm_talk.fd < 0; i++) {
        if (i > 0)
            (void)poll(NULL, 0, 1000);
        tm_talk.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (tm_talk.fd >= 0 &&
            connect(tm_talk.fd, (const struct sockaddr *)&to, sizeof(to)) != 0)
            disconnect();
    }
    return tm_talk.fd >= 0;
}

static bool make_room(size_t len)
{
    size_t cap;
    char *in;

    /* Bytes move when at least as many were taken: each moves once on average. */
    if (tm_talk.in_at > tm_talk.in_len / 2 || tm_talk.in_at == tm_talk.in_len) {
        tm_talk.in_len -= tm_talk.in_at;
        if (tm_talk.in_len > 0)
            memmove(tm_talk.in, tm_talk.in + tm_talk.in_at, tm_talk.in_len);
        tm_talk.in_at = 0;
    }
    cap = MAX_OF(2 * tm_talk.in_cap, tm_talk.in_len + len);
    if (tm_talk.in_cap - tm_talk.in_len >= len)
        return true;
    in = realloc(tm_talk.in, cap);
    if (!in)
        return false;
    tm_talk.in = in;
    tm_talk.in_cap = cap;
    return true;
}

/* Keep what has come; 'wait' for something where nothing has. Returns how much; 0:
 * nothing yet, -1: the connection is of no use any more. */
static ssize_t fill(bool wait)
{
    ssize_t n;

    if (!make_room(READ_BYTES))
        return -1;
    do {
        n = recv(tm_talk.fd, tm_talk.in + tm_talk.in_len, READ_BYTES,
                 wait ? 0 : MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (n <= 0)
        return -1;
    tm_talk.in_len += (size_t)n;
    return n;
}

/* A MoM whose answers are not taken takes no more requests: they are taken meanwhile.
 */
static bool wait_to_send(void)
{
    struct pollfd ready = { .fd = tm_talk.fd, .events = POLLIN | POLLOUT };

    if (poll(&ready, 1, -1) < 0)
        return errno == EINTR;
    return !(ready.revents & POLLIN) || fill(false) >= 0;
}

static bool send_all(const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = send(tm_talk.fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!wait_to_send())
                return false;
            continue;
        }
        if (n <= 0)
            return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

/* What allocates through lib/base runs under xmem_try(), so that a lack of memory is an
 * error of the call. */
struct sending {
    const struct task_request *rq;
    struct buf payload, frame;
};

static void encode_step(void *arg)
{
    struct sending *s = arg;

    task_request_encode(&s->payload, s->rq);
    packet_put(&s->frame, PACKET_DATA, s->payload.data, s->payload.len);
}

int tm_send(const struct task_request *rq)
{
    struct sending s = { .rq = rq };
    int code = TM_SUCCESS;

    if (!xmem_try(encode_step, &s) || s.payload.len > TASK_MAX_BYTES)
        code = TM_ESYSTEM;
    else if ((tm_talk.fd < 0 && !connect_to(tm_talk.port)) ||
             !send_all(s.frame.data, s.frame.len))
        code = TM_ENOTCONNECTED;
    buf_fini(&s.payload);
    buf_fini(&s.frame);
    return code;
}

static void copy_text(const struct tm_pending *p, const char *from, size_t len)
{
    size_t n = MIN_OF(len, (size_t)MAX_OF(p->room, 0));

    if (p->text && n > 0)
        memcpy(p->text, from, n);
}

bool tm_note_task(tm_task_id tid, tm_node_id node)
{
    struct tm_known *k;

    for (k = tm_talk.known; k; k = k->next)
        if (k->tid == tid)
            return true;
    k = calloc(1, sizeof(*k));
    if (!k)
        return false;
    *k = (struct tm_known){ tid, node, tm_talk.known };
    tm_talk.known = k;
    return true;
}

bool tm_find_task(tm_task_id tid, tm_node_id *node)
{
    for (const struct tm_known *k = tm_talk.known; k; k = k->next)
        if (k->tid == tid) {
            *node = k->node;
            return true;
        }
    return false;
}

static int take_init(const struct task_reply *r)
{
    tm_talk.nodes = calloc(r->n_vnodes + 1, sizeof(*tm_talk.nodes));
    if (!tm_talk.nodes)
        return TM_ESYSTEM;
    for (size_t i = 0; i < r->n_vnodes; i++)
        tm_talk.nodes[i] = r->vnodes[i].number;
    tm_talk.n_nodes = (int)r->n_vnodes;
    tm_talk.parent = r->parent_task;
    return TM_SUCCESS;
}

static int take_tasks(const struct tm_pending *p, const struct task_reply *r)
{
    for (size_t i = 0; i < r->tasks.n; i++) {
        if (!tm_note_task(r->tasks.v[i], p->node))
            return TM_ESYSTEM;
        if ((int64_t)i < p->room)
            p->list[i] = r->tasks.v[i];
    }
    *p->number = (int)r->tasks.n;
    return TM_SUCCESS;
}

/* Give the caller of the call what it has asked for. */
static int take_answer(const struct tm_pending *p, const struct task_reply *r)
{
    switch (p->asked) {
    case TASK_INIT:
        return take_init(r);
    case TASK_TASKS:
        return take_tasks(p, r);
    case TASK_SPAWN:
        *p->tid = r->task;
        return tm_note_task(r->task, p->node) ? TM_SUCCESS : TM_ESYSTEM;
    case TASK_ATTACH:
        *p->tid = r->task;
        return TM_SUCCESS;
    case TASK_OBIT:
        *p->number = r->exit_status;
        return TM_SUCCESS;
    case TASK_RESOURCES:
        copy_text(p, r->text, strlen(r->text) + 1);
        if (p->room > 0)
            p->text[p->room - 1] = '\0';
        return TM_SUCCESS;
    case TASK_GETINFO:
        copy_text(p, r->info.data, r->info.len);
        *p->number = (int)r->info.len;
        return TM_SUCCESS;
    default:
        return TM_SUCCESS;
    }
}

struct receiving {
    const char *data;
    size_t len;
    struct arena *arena;
    struct tm_pending *of; /* the event that has happened; NULL: none that is known */
    int code;
    bool ok;
};

static struct tm_pending *find_pending(tm_event_t event)
{
    for (struct tm_pending *p = tm_talk.pending; p; p = p->next)
        if (p->event == event)
            return p;
    return NULL;
}

static void decode_step(void *arg)
{
    struct receiving *r = arg;
    struct task_reply reply;

    r->arena = arena_new();
    if (task_reply_decode(r->data, r->len, r->arena, &reply) != DIS_OK)
        return;
    r->of = find_pending(reply.event);
    r->ok = !r->of || task_reply_decode_body(&reply, r->of->asked, r->arena) == DIS_OK;
    if (r->of && r->ok)
        r->code = reply.failed ? reply.code : take_answer(r->of, &reply);
}

enum taken {
    TAKEN_ONE,     /* an answer */
    TAKEN_NOTHING, /* none is there yet */
    TAKEN_ROT,     /* the connection is of no use any more */
};

/* Take the next answer of those that have come. */
static enum taken take_next(struct receiving *ret)
{
    struct receiving r = { 0 };
    struct packet p;
    enum packet_status status =
        packet_peek(tm_talk.in ? tm_talk.in + tm_talk.in_at : "",
                    tm_talk.in_len - tm_talk.in_at, MOST_BYTES, &p);

    if (status != PACKET_READY)
        return status == PACKET_PARTIAL ? TAKEN_NOTHING : TAKEN_ROT;
    r.data = p.data;
    r.len = p.len;
    if (!xmem_try(decode_step, &r))
        r.ok = false;
    if (r.arena)
        arena_free(r.arena);
    tm_talk.in_at += p.total_bytes;
    *ret = r;
    return r.ok ? TAKEN_ONE : TAKEN_ROT;
}

static void forget(struct tm_pending *p)
{
    struct tm_pending **at = &tm_talk.pending;

    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    free(p);
}

int tm_ask(struct tm_pending p, struct task_request rq, tm_event_t *event)
{
    struct tm_pending *q = malloc(sizeof(*q)), **end = &tm_talk.pending;
    int err;

    if (!q)
        return TM_ESYSTEM;
    *q = p;
    q->event = ++tm_talk.last;
    q->asked = rq.command;
    q->next = NULL;
    rq.version = TM_VERSION;
    rq.job_id = tm_talk.job_id;
    rq.cookie = tm_talk.cookie;
    rq.event = q->event;
    rq.task = tm_talk.me;
    while (*end)
        end = &(*end)->next;
    *end = q;
    err = tm_send(&rq);
    if (err) {
        forget(q);
        if (err == TM_ENOTCONNECTED)
            disconnect();
        return err;
    }
    *event = q->event;
    return TM_SUCCESS;
}

static struct tm_pending *find_lost(void)
{
    for (struct tm_pending *p = tm_talk.pending; p; p = p->next)
        if (p->is_lost)
            return p;
    return NULL;
}

/* The next event that has happened, and its code; 'of' NULL: none yet. */
static struct receiving next_event(bool wait)
{
    struct receiving r = { 0 };

    while (!r.of) {
        enum taken taken = TAKEN_NOTHING;

        r = (struct receiving){ .of = find_lost(), .code = TM_ENOTCONNECTED };
        if (r.of)
            break;
        taken = take_next(&r);
        if (taken == TAKEN_NOTHING) {
            ssize_t n = fill(wait);

            if (n == 0)
                break;
            if (n < 0)
                taken = TAKEN_ROT;
        }
        if (taken == TAKEN_ROT) {
            /* The MoM is gone, and with her all that she was to tell. */
            r.of = NULL;
            disconnect();
        }
    }
    return r;
}

int tm_poll(tm_event_t poll_event, tm_event_t *result_event, int wait, int *tm_errno)
{
    struct receiving r;

    if (!tm_talk.is_on)
        return TM_BADINIT;
    if (!result_event || !tm_errno || poll_event != TM_NULL_EVENT)
        return TM_ENOTIMPLEMENTED;
    *result_event = TM_NULL_EVENT;
    *tm_errno = TM_SUCCESS;
    if (!tm_talk.pending)
        return TM_ENOEVENT;
    r = next_event(wait);
    if (!r.of)
        return TM_SUCCESS;
    *result_event = r.of->event;
    *tm_errno = r.code;
    forget(r.of);
    /* Between two questions there is no connection: the MoM may be another one at the
     * next, and counts those that stand idle (tpp.md 8). */
    if (!tm_talk.pending)
        disconnect();
    return TM_SUCCESS;
}

int tm_wait_for(tm_event_t event)
{
    tm_event_t happened;
    int code, err;

    do {
        err = tm_poll(TM_NULL_EVENT, &happened, 1, &code);
    } while (err == TM_SUCCESS && happened != event);
    return err ? err : code;
}

void tm_clear(void)
{
    disconnect();
    while (tm_talk.pending)
        forget(tm_talk.pending);
    while (tm_talk.known) {
        struct tm_known *k = tm_talk.known;

        tm_talk.known = k->next;
        free(k);
    }
    free(tm_talk.in);
    free(tm_talk.nodes);
    free(tm_talk.job_id);
    free(tm_talk.cookie);
    memset(&tm_talk, 0, sizeof(tm_talk));
    tm_talk.fd = -1;
}
