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
#define MOST_BYTES    (64u << 20) /* of an answer */

struct tm_talk tm_talk = { .fd = -1 };

static void disconnect(void)
{
    if (tm_talk.fd >= 0)
        close(tm_talk.fd);
    tm_talk.fd = -1;
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

static bool send_all(const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = send(tm_talk.fd, data, len, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

static bool recv_all(char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = recv(tm_talk.fd, data, len, 0);

        if (n < 0 && errno == EINTR)
            continue;
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

bool tm_send(const struct task_request *rq)
{
    struct sending s = { .rq = rq };
    bool ok = (tm_talk.fd >= 0 || connect_to(tm_talk.port)) &&
              xmem_try(encode_step, &s) && send_all(s.frame.data, s.frame.len);

    buf_fini(&s.payload);
    buf_fini(&s.frame);
    return ok;
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

/* Read one answer whole. False: the connection is of no use any more. */
static bool receive(struct receiving *ret)
{
    char head[PACKET_HEADER_BYTES], *data;
    struct receiving r = { 0 };
    struct packet p;

    if (!recv_all(head, sizeof(head)))
        return false;
    /* A good head announces bytes that have not come yet. */
    if (packet_peek(head, sizeof(head), MOST_BYTES, &p) != PACKET_PARTIAL)
        return false;
    r.len = (size_t)(uint8_t)head[7] << 24 | (size_t)(uint8_t)head[8] << 16 |
            (size_t)(uint8_t)head[9] << 8 | (uint8_t)head[10];
    data = malloc(r.len);
    r.data = data;
    if (data && recv_all(data, r.len) && !xmem_try(decode_step, &r))
        r.ok = false;
    if (r.arena)
        arena_free(r.arena);
    free(data);
    *ret = r;
    return r.ok;
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
    if (!tm_send(&rq)) {
        forget(q);
        disconnect();
        return TM_ENOTCONNECTED;
    }
    *event = q->event;
    return TM_SUCCESS;
}

int tm_poll(tm_event_t poll_event, tm_event_t *result_event, int wait, int *tm_errno)
{
    struct receiving r = { 0 };

    if (!tm_talk.is_on)
        return TM_BADINIT;
    if (!result_event || !tm_errno || poll_event != TM_NULL_EVENT)
        return TM_ENOTIMPLEMENTED;
    *result_event = TM_NULL_EVENT;
    *tm_errno = TM_SUCCESS;
    if (!tm_talk.pending)
        return TM_ENOEVENT;
    while (!r.of) {
        struct pollfd ready = { .fd = tm_talk.fd, .events = POLLIN };

        if (tm_talk.fd >= 0 && !wait && poll(&ready, 1, 0) <= 0)
            return TM_SUCCESS;
        r = (struct receiving){ 0 };
        if (tm_talk.fd < 0 || !receive(&r)) {
            /* The MoM is gone, and with her all that she was to tell. */
            disconnect();
            r.of = tm_talk.pending;
            r.code = TM_ENOTCONNECTED;
        }
    }
    *result_event = r.of->event;
    *tm_errno = r.code;
    forget(r.of);
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
    free(tm_talk.nodes);
    free(tm_talk.job_id);
    free(tm_talk.cookie);
    memset(&tm_talk, 0, sizeof(tm_talk));
    tm_talk.fd = -1;
}
