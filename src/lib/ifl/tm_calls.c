/* tm_calls.c - task management, as include/tm.h has it: requests go to the MoM of this
 * host over one connection, and answers are told apart by their events (tpp.md 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "include/tm.h"

#include "lib/base/base.h"
#include "lib/wire/packet.h"
#include "lib/wire/task.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define VERSION       2
#define MOM_PORT      15003
#define CONNECT_TRIES 5
#define MOST_BYTES    (64u << 20) /* of an answer */

struct pending { /* asked, and not told yet */
    tm_event_t event;
    enum task_command asked;
    tm_node_id node; /* that it is about */
    tm_task_id *tid;
    int *number; /* exit status, count of tasks, bytes of a value */
    tm_task_id *list;
    char *text; /* also of bytes */
    int room;   /* in list or text */
    struct pending *next;
};

struct known { /* where a task is */
    tm_task_id tid;
    tm_node_id node;
    struct known *next;
};

static struct {
    bool is_on;
    char *job_id, *cookie;
    tm_task_id me;
    int port;
    int fd; /* -1: not connected */
    tm_event_t last;
    struct pending *pending; /* oldest first */
    struct known *known;
    int n_nodes;
    tm_node_id *nodes;
    tm_task_id parent;
} tm = { .fd = -1 };

static void disconnect(void)
{
    if (tm.fd >= 0)
        close(tm.fd);
    tm.fd = -1;
}

static bool connect_to(int port)
{
    const struct sockaddr_in to = { .sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

    for (int i = 0; i < CONNECT_TRIES && tm.fd < 0; i++) {
        if (i > 0)
            (void)poll(NULL, 0, 1000);
        tm.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (tm.fd >= 0 && connect(tm.fd, (const struct sockaddr *)&to, sizeof(to)) != 0)
            disconnect();
    }
    return tm.fd >= 0;
}

static bool send_all(const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = send(tm.fd, data, len, MSG_NOSIGNAL);

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
        ssize_t n = recv(tm.fd, data, len, 0);

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

static bool send_request(const struct task_request *rq)
{
    struct sending s = { .rq = rq };
    bool ok = (tm.fd >= 0 || connect_to(tm.port)) && xmem_try(encode_step, &s) &&
              send_all(s.frame.data, s.frame.len);

    buf_fini(&s.payload);
    buf_fini(&s.frame);
    return ok;
}

static void copy_text(const struct pending *p, const char *from, size_t len)
{
    size_t n = MIN_OF(len, (size_t)MAX_OF(p->room, 0));

    if (p->text && n > 0)
        memcpy(p->text, from, n);
}

static bool note_task(tm_task_id tid, tm_node_id node)
{
    struct known *k;

    for (k = tm.known; k; k = k->next)
        if (k->tid == tid)
            return true;
    k = calloc(1, sizeof(*k));
    if (!k)
        return false;
    *k = (struct known){ tid, node, tm.known };
    tm.known = k;
    return true;
}

static bool find_task(tm_task_id tid, tm_node_id *node)
{
    for (const struct known *k = tm.known; k; k = k->next)
        if (k->tid == tid) {
            *node = k->node;
            return true;
        }
    return false;
}

static int take_init(const struct task_reply *r)
{
    tm.nodes = calloc(r->n_vnodes + 1, sizeof(*tm.nodes));
    if (!tm.nodes)
        return TM_ESYSTEM;
    for (size_t i = 0; i < r->n_vnodes; i++)
        tm.nodes[i] = r->vnodes[i].number;
    tm.n_nodes = (int)r->n_vnodes;
    tm.parent = r->parent_task;
    return TM_SUCCESS;
}

static int take_tasks(const struct pending *p, const struct task_reply *r)
{
    for (size_t i = 0; i < r->tasks.n; i++) {
        if (!note_task(r->tasks.v[i], p->node))
            return TM_ESYSTEM;
        if ((int64_t)i < p->room)
            p->list[i] = r->tasks.v[i];
    }
    *p->number = (int)r->tasks.n;
    return TM_SUCCESS;
}

/* Give the caller of the call what it has asked for. */
static int take_answer(const struct pending *p, const struct task_reply *r)
{
    switch (p->asked) {
    case TASK_INIT:
        return take_init(r);
    case TASK_TASKS:
        return take_tasks(p, r);
    case TASK_SPAWN:
        *p->tid = r->task;
        return note_task(r->task, p->node) ? TM_SUCCESS : TM_ESYSTEM;
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
    struct pending *of; /* the event that has happened; NULL: none that is known */
    int code;
    bool ok;
};

static struct pending *find_pending(tm_event_t event)
{
    for (struct pending *p = tm.pending; p; p = p->next)
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

static void forget(struct pending *p)
{
    struct pending **at = &tm.pending;

    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    free(p);
}

/* Remember what is asked, and ask it. 'p' is copied. */
static int ask(struct pending p, struct task_request rq, tm_event_t *event)
{
    struct pending *q = malloc(sizeof(*q)), **end = &tm.pending;

    if (!q)
        return TM_ESYSTEM;
    *q = p;
    q->event = ++tm.last;
    q->asked = rq.command;
    q->next = NULL;
    rq.version = VERSION;
    rq.job_id = tm.job_id;
    rq.cookie = tm.cookie;
    rq.event = q->event;
    rq.task = tm.me;
    while (*end)
        end = &(*end)->next;
    *end = q;
    if (!send_request(&rq)) {
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

    if (!tm.is_on)
        return TM_BADINIT;
    if (!result_event || !tm_errno || poll_event != TM_NULL_EVENT)
        return TM_ENOTIMPLEMENTED;
    *result_event = TM_NULL_EVENT;
    *tm_errno = TM_SUCCESS;
    if (!tm.pending)
        return TM_ENOEVENT;
    while (!r.of) {
        struct pollfd ready = { .fd = tm.fd, .events = POLLIN };

        if (tm.fd >= 0 && !wait && poll(&ready, 1, 0) <= 0)
            return TM_SUCCESS;
        r = (struct receiving){ 0 };
        if (tm.fd < 0 || !receive(&r)) {
            /* The MoM is gone, and with her all that she was to tell. */
            disconnect();
            r.of = tm.pending;
            r.code = TM_ENOTCONNECTED;
        }
    }
    *result_event = r.of->event;
    *tm_errno = r.code;
    forget(r.of);
    return TM_SUCCESS;
}

/* Wait for that event alone; others keep their turn, since nothing else was asked. */
static int wait_for(tm_event_t event)
{
    tm_event_t happened;
    int code, err;

    do {
        err = tm_poll(TM_NULL_EVENT, &happened, 1, &code);
    } while (err == TM_SUCCESS && happened != event);
    return err ? err : code;
}

static bool read_environment(void)
{
    const char *job_id = getenv("PBS_JOBID"), *cookie = getenv("PBS_JOBCOOKIE");
    const char *node = getenv("PBS_NODENUM"), *task = getenv("PBS_TASKNUM");
    const char *port = getenv("PBS_MOMPORT");

    if (!job_id || !cookie || !node || !task || !port)
        return false;
    tm.job_id = strdup(job_id);
    tm.cookie = strdup(cookie);
    tm.me = (tm_task_id)strtoul(task, NULL, 16);
    tm.port = atoi(port);
    return tm.job_id && tm.cookie && tm.port > 0 && tm.port < 65536;
}

static void clear(void)
{
    disconnect();
    while (tm.pending)
        forget(tm.pending);
    while (tm.known) {
        struct known *k = tm.known;

        tm.known = k->next;
        free(k);
    }
    free(tm.nodes);
    free(tm.job_id);
    free(tm.cookie);
    memset(&tm, 0, sizeof(tm));
    tm.fd = -1;
}

int tm_init(void *info, struct tm_roots *roots)
{
    tm_event_t event;
    int err;

    (void)info;
    if (tm.is_on)
        return TM_BADINIT;
    if (!read_environment()) {
        clear();
        return TM_EBADENVIRONMENT;
    }
    tm.is_on = true;
    err = ask((struct pending){ 0 }, (struct task_request){ .command = TASK_INIT },
              &event);
    if (!err)
        err = wait_for(event);
    if (err) {
        clear();
        return err;
    }
    (void)note_task(tm.me, atoi(getenv("PBS_NODENUM")));
    if (roots)
        *roots = (struct tm_roots){ .tm_me = tm.me,
                                    .tm_parent = tm.parent,
                                    .tm_nnodes = tm.n_nodes,
                                    .tm_taskpoolid = -1 };
    return TM_SUCCESS;
}

int tm_finalize(void)
{
    const struct task_request rq = { .version = VERSION,
                                     .job_id = tm.job_id,
                                     .cookie = tm.cookie,
                                     .command = TASK_FINALIZE,
                                     .event = tm.last + 1,
                                     .task = tm.me };

    if (!tm.is_on)
        return TM_BADINIT;
    if (tm.fd >= 0)
        (void)send_request(&rq);
    clear();
    return TM_SUCCESS;
}

int tm_nodeinfo(tm_node_id **list, int *nnodes)
{
    tm_node_id *copy;

    if (!tm.is_on)
        return TM_BADINIT;
    copy = calloc((size_t)tm.n_nodes + 1, sizeof(*copy));
    if (!copy)
        return TM_ESYSTEM;
    memcpy(copy, tm.nodes, (size_t)tm.n_nodes * sizeof(*copy));
    copy[tm.n_nodes] = TM_ERROR_NODE;
    *list = copy;
    *nnodes = tm.n_nodes;
    return TM_SUCCESS;
}

int tm_atnode(tm_task_id tid, tm_node_id *node)
{
    if (!tm.is_on)
        return TM_BADINIT;
    return find_task(tid, node) ? TM_SUCCESS : TM_ENOTFOUND;
}

static size_t count_strings(char *const *v)
{
    size_t n = 0;

    while (v && v[n])
        n++;
    return n;
}

int tm_spawn(int argc, char *argv[], char *envp[], tm_node_id where, tm_task_id *tid,
             tm_event_t *event)
{
    const struct task_request rq = {
        .command = TASK_SPAWN,
        .vnode = (uint32_t)where,
        .args = { (size_t)MAX_OF(argc, 0), (const char **)(uintptr_t)argv },
        .env = { count_strings(envp), (const char **)(uintptr_t)envp },
    };

    if (!tm.is_on)
        return TM_BADINIT;
    if (argc <= 0 || !argv || !argv[0] || !argv[0][0])
        return TM_ENOTFOUND;
    return ask((struct pending){ .node = where, .tid = tid }, rq, event);
}

/* The vnode of the task, as the request has it. */
static int ask_about(tm_task_id tid, struct pending p, struct task_request rq,
                     tm_event_t *event)
{
    tm_node_id node;

    if (!tm.is_on)
        return TM_BADINIT;
    if (!find_task(tid, &node))
        return TM_ENOTFOUND;
    p.node = node;
    rq.vnode = (uint32_t)node;
    rq.target_task = tid;
    return ask(p, rq, event);
}

int tm_kill(tm_task_id tid, int sig, tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_SIGNAL, .signo = (uint32_t)sig };

    return ask_about(tid, (struct pending){ 0 }, rq, event);
}

int tm_obit(tm_task_id tid, int *obitval, tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_OBIT };

    return ask_about(tid, (struct pending){ .number = obitval }, rq, event);
}

int tm_taskinfo(tm_node_id node, tm_task_id *list, int list_size, int *ntasks,
                tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_TASKS, .vnode = (uint32_t)node };
    const struct pending p = {
        .node = node, .list = list, .room = list_size, .number = ntasks
    };

    return tm.is_on ? ask(p, rq, event) : TM_BADINIT;
}

int tm_rescinfo(tm_node_id node, char *resource, int len, tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_RESOURCES,
                                     .vnode = (uint32_t)node };
    const struct pending p = { .node = node, .text = resource, .room = len };

    return tm.is_on ? ask(p, rq, event) : TM_BADINIT;
}

int tm_publish(char *name, void *info, int len, tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_POSTINFO,
                                     .name = name,
                                     .info = { info, (size_t)MAX_OF(len, 0) } };

    return tm.is_on ? ask((struct pending){ 0 }, rq, event) : TM_BADINIT;
}

int tm_subscribe(tm_task_id tid, char *name, void *info, int len, int *amount,
                 tm_event_t *event)
{
    const struct task_request rq = { .command = TASK_GETINFO, .name = name };

    return ask_about(tid,
                     (struct pending){ .text = info, .room = len, .number = amount },
                     rq, event);
}

static int attach(const char *jobid, const char *cookie, pid_t pid, tm_task_id *tid)
{
    const struct task_request rq = { .command = TASK_ATTACH,
                                     .uid = (uint32_t)getuid(),
                                     .pid = (uint32_t)pid };
    tm_event_t event;
    int err;

    tm.job_id = strdup(jobid ? jobid : "");
    tm.cookie = strdup(cookie ? cookie : "");
    if (!tm.job_id || !tm.cookie)
        return TM_ESYSTEM;
    err = ask((struct pending){ .tid = tid }, rq, &event);
    return err ? err : wait_for(event);
}

int tm_attach(char *jobid, char *cookie, pid_t pid, tm_task_id *tid, char *host,
              int port)
{
    const char *of_job = getenv("PBS_MOMPORT");
    int err;

    (void)host; /* sessions of other hosts cannot be attached */
    if (tm.is_on)
        return TM_BADINIT;
    tm.port = port ? port : of_job ? atoi(of_job) : MOM_PORT;
    tm.is_on = true;
    err = attach(jobid, cookie, pid, tid);
    clear();
    return err;
}

int tm_notify(int tm_signal)
{
    (void)tm_signal;
    return TM_ENOTIMPLEMENTED;
}

int tm_alloc(char *resources, tm_event_t *event)
{
    (void)resources;
    (void)event;
    return TM_ENOTIMPLEMENTED;
}

int tm_dealloc(tm_node_id node, tm_event_t *event)
{
    (void)node;
    (void)event;
    return TM_ENOTIMPLEMENTED;
}

int tm_create_event(tm_event_t *event)
{
    (void)event;
    return TM_ENOTIMPLEMENTED;
}

int tm_destroy_event(tm_event_t *event)
{
    (void)event;
    return TM_ENOTIMPLEMENTED;
}

int tm_register(struct tm_whattodo *what, tm_event_t *event)
{
    (void)what;
    (void)event;
    return TM_ENOTIMPLEMENTED;
}
