/* three_hosts.h - a job over three hosts. Each host is a core of its own; what they
 * send one another goes through the wire's form. What executors do is played, and goes
 * well unless the test says otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_MOM_THREE_HOSTS_H
#define TEST_UNIT_MOM_THREE_HOSTS_H

#include "mom/job/core.h"

#include "../unit.h"
#include "node1.h"

#include <signal.h>
#include <string.h>

#define N      3
#define ID     "7.svr"
#define COOKIE "0123456789ABCDEF0123456789ABCDEF"
#define SERVER 77 /* the stream to it */
#define CLIENT (MOM_TASK_CONNECTION | 5)

struct host {
    struct mom *m;
    struct mom_out out;
    size_t n_done;    /* effects that were carried out */
    bool is_cut;      /* nothing reaches it, and what it sends is lost */
    bool keeps_alive; /* SIGKILL ends nothing */
    int n_starts, n_spawns, n_drops;
    int32_t status; /* of its obituary; INT32_MIN: none */
    int32_t code;   /* of its last answer to the server; -1: none */
    int32_t task_code;
    uint32_t task;   /* that was spawned for CLIENT */
    char where[200]; /* exec_vnode as the server was told last */
    int script;      /* what scripts for images end with: a number of errno.h; -1: they
                        do not end */
    bool restores_badly;
    int n_scripts, n_restores, n_back, n_rests;
    int n_hellos;   /* first reports of a run */
    int n_left;     /* actions: a job has left this host */
    uint64_t left;  /* the last of them */
    char text[200]; /* of its last answer to the server */
};

struct world {
    struct host h[N];
    int64_t now_at;
    bool twice;        /* every message between MoMs */
    int n_requests;    /* of the server: each has an id of its own */
    bool notices_loss; /* no stream can be opened to a host that is cut off */
};

static inline void run(struct world *w);

static inline uint64_t stream_of(size_t from, size_t to)
{
    return 1000 + from * 10 + to;
}

static inline void deliver(struct world *w, size_t from, size_t to, uint64_t stream,
                           const struct im_message *msg)
{
    struct host *h = &w->h[to];
    const struct tpp_addr peer = tpp_addr_ipv4(0x0a00000a + (uint32_t)from, 15003);
    struct im_message got;
    struct buf b = { 0 };

    if (h->is_cut || w->h[from].is_cut)
        return;
    im_encode(&b, msg);
    CU_ASSERT_EQUAL_FATAL(
        im_decode(arena_copy(h->out.arena, b.data, b.len), b.len, h->out.arena, &got),
        DIS_OK);
    buf_fini(&b);
    mom_im(h->m, w->now_at, stream, &peer, &got, &h->out);
}

/* Streams that a host has opened are 1000 and more, those that it was found on 2000. */
static inline void send_im(struct world *w, size_t from, const struct mom_effect *e)
{
    size_t opener = e->stream / 10 % 10, other = e->stream % 10;
    size_t to = e->stream >= 2000 ? opener : other;
    uint64_t there = e->stream >= 2000 ? e->stream - 1000 : e->stream + 1000;

    deliver(w, from, to, there, &e->u.im);
    if (w->twice)
        deliver(w, from, to, there, &e->u.im);
}

static inline void kill_all(struct world *w, struct host *h, const struct mom_effect *e)
{
    const struct mom_job_task *tasks;
    size_t n;

    if (e->u.signo != SIGKILL || h->keeps_alive)
        return;
    n = mom_job_tasks(h->m, ID, h->out.arena, &tasks);
    for (size_t i = 0; i < n; i++)
        mom_task_ended(h->m, w->now_at, ID, tasks[i].number, 256 + 9, NULL, &h->out);
    if (mom_job_session(h->m, ID)) /* a sister has no top task */
        mom_exited(h->m, w->now_at, ID, 256 + 9, NULL, &h->out);
}

static inline void told(struct host *h, const struct is_message *msg)
{
    if (msg->command == IS_JOBOBIT)
        h->status = msg->updates[0].status;
    if (msg->command == IS_CMD_REPLY) {
        h->code = msg->reply.code;
        snprintf(h->text, sizeof(h->text), "%s",
                 msg->reply.choice == REPLY_TEXT ? msg->reply.text : "");
    }
    for (size_t i = 0; i < msg->n_actions; i++, h->n_left++)
        h->left = msg->actions[i].id;
    if (msg->command == IS_RESCUSED &&
        wire_attrs_value(&msg->updates[0].attrs, "session_id", NULL))
        h->n_hellos++;
    if (msg->command == IS_RESCUSED &&
        wire_attrs_value(&msg->updates[0].attrs, "exec_vnode", NULL))
        snprintf(h->where, sizeof(h->where), "%s",
                 wire_attrs_value(&msg->updates[0].attrs, "exec_vnode", NULL));
}

static inline void restored(struct world *w, struct host *h, uint32_t task)
{
    h->n_restores++;
    if (h->restores_badly && task)
        mom_task_ended(h->m, w->now_at, ID, task, -7, NULL, &h->out);
    else if (h->restores_badly)
        mom_exited(h->m, w->now_at, ID, -7, NULL, &h->out);
    else if (task)
        mom_task_restarted(h->m, w->now_at, ID, task, &h->out);
    else
        mom_restarted(h->m, w->now_at, ID, &h->out);
}

/* Any other name leads to the third host. */
static inline size_t found_at(const char *host)
{
    return strncmp(host, "node1", 5) == 0 ? 0 : strncmp(host, "node2", 5) == 0 ? 1 : 2;
}

static inline void carry_out(struct world *w, size_t k, const struct mom_effect *e)
{
    struct host *h = &w->h[k];
    const struct mom_usage used = { .cput_s = 5, .mem_kb = 100 };
    int32_t session;

    switch (e->kind) {
    case MOM_SEND:
        told(h, &e->u.msg);
        break;
    case MOM_SEND_IM:
        send_im(w, k, e);
        break;
    case MOM_REACH:
        mom_reached(h->m, w->now_at, e->u.reach.host, e->u.reach.port,
                    h->is_cut ||
                            (w->notices_loss && w->h[found_at(e->u.reach.host)].is_cut)
                        ? 0
                        : stream_of(k, found_at(e->u.reach.host)),
                    &h->out);
        break;
    case MOM_ANSWER_TASK:
        h->task_code = e->u.answer.reply.failed ? e->u.answer.reply.code : 0;
        h->task = e->u.answer.reply.task;
        break;
    case MOM_STORE:
        mom_stored(h->m, w->now_at, ID, NULL, &h->out);
        break;
    case MOM_PREPARE:
        mom_prepared(h->m, w->now_at, ID, COOKIE, 7001, 7002, &h->out);
        break;
    case MOM_START:
        h->n_starts++;
        mom_started(h->m, w->now_at, ID, 4711, 0, NULL, &h->out);
        if (mom_job_restarts(h->m, ID, &session))
            restored(w, h, 0);
        break;
    case MOM_SPAWN:
        h->n_spawns++;
        mom_task_started(h->m, w->now_at, ID, e->task, 4800 + h->n_spawns, 0, NULL,
                         &h->out);
        if (e->u.spawn.restart_session)
            restored(w, h, e->task);
        break;
    case MOM_CHECKPOINT:
        h->n_scripts += !e->u.checkpoint.was_begun;
        if (h->script >= 0)
            mom_checkpointed(h->m, w->now_at, ID, h->script ? NULL : "/ck", h->script,
                             &h->out);
        break;
    case MOM_GO_BACK:
        h->n_back++;
        break;
    case MOM_REST:
        h->n_rests++;
        break;
    case MOM_SAMPLE:
        mom_used(h->m, w->now_at, ID, &used);
        mom_sampled(h->m, w->now_at, &h->out);
        break;
    case MOM_KILL:
        kill_all(w, h, e);
        break;
    case MOM_DROP:
        h->n_drops++;
        break;
    default:
        break;
    }
}

/* Until nobody has anything left to do. */
static inline void run(struct world *w)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t k = 0; k < N; k++)
            while (w->h[k].n_done < w->h[k].out.n) {
                const struct mom_effect e = w->h[k].out.v[w->h[k].n_done++];

                carry_out(w, k, &e);
                more = true;
            }
    }
}

static inline void later(struct world *w, int64_t s)
{
    w->now_at += s;
    for (size_t k = 0; k < N; k++)
        if (w->h[k].m)
            mom_tick(w->h[k].m, w->now_at, &w->h[k].out);
    run(w);
}

static inline void make_core(struct world *w, size_t k)
{
    static const char *const names[N] = { "node1", "node2", "node3" };
    struct mom_config cfg = node1_config();

    cfg.host = cfg.node_name = names[k];
    w->h[k].m = mom_new(&cfg);
}

/* Its server is there at once. */
static inline void start_core(struct world *w, size_t k)
{
    struct is_range all = { 0x0a000000, 255 };
    const struct is_message hello = { .command = IS_REPLYHELLO,
                                      .n_ranges = 1,
                                      .ranges = &all };
    struct host *h = &w->h[k];

    mom_set_vnodes(h->m, w->now_at, 5, 0, NULL, &h->out);
    mom_start(h->m, w->now_at, false, &h->out);
    mom_router_up(h->m, w->now_at, &h->out);
    mom_connected(h->m, w->now_at, SERVER, 1, &h->out);
    mom_message(h->m, w->now_at, SERVER, node1_server(), &hello, true, &h->out);
}

static inline void world_init(struct world *w)
{
    *w = (struct world){ .now_at = 100000 };
    for (size_t k = 0; k < N; k++) {
        struct host *h = &w->h[k];

        h->out.arena = arena_new();
        h->status = INT32_MIN;
        h->code = h->task_code = -1;
        make_core(w, k);
        start_core(w, k);
    }
    w->now_at += 100; /* the routers are old */
}

static inline void world_fini(struct world *w)
{
    for (size_t k = 0; k < N; k++) {
        mom_free(w->h[k].m);
        arena_free(w->h[k].out.arena);
    }
}

/* The same request as before, with the same id, when w->n_requests was set back. */
static inline void request(struct world *w, uint32_t number, const void *body)
{
    const struct is_message msg = {
        .command = IS_CMD,
        .msgid = arena_printf(w->h[0].out.arena, "m%d", w->n_requests++),
        .request = { .number = number, .user = "root", .body = body },
    };

    w->h[0].code = -1;
    mom_message(w->h[0].m, w->now_at, SERVER, node1_server(), &msg, true, &w->h[0].out);
}

static inline void add(struct world *w, struct wire_attrs *attrs, const char *name,
                       const char *value)
{
    wire_attrs_add(attrs, w->h[0].out.arena, name, NULL, value, WIRE_OP_SET);
}

static inline void send_job_with(struct world *w, const char *hosts,
                                 const struct wire_attrs *more)
{
    struct body_queue queue = { .id = ID, .destination = "node1", .attrs = *more };
    const struct body_script script = { .job_id = "", .data = { "sleep 1\n", 8 } };
    const struct body_id commit = { .id = ID };

    add(w, &queue.attrs, "euser", "joe");
    if (!wire_attrs_value(&queue.attrs, "run_version", NULL))
        add(w, &queue.attrs, "run_version", "3");
    add(w, &queue.attrs, "exec_host2", hosts);
    request(w, BATCH_QUEUE_JOB, &queue);
    request(w, BATCH_JOB_SCRIPT, &script);
    request(w, BATCH_COMMIT, &commit);
}

static inline void send_job_on(struct world *w, const char *hosts)
{
    const struct wire_attrs none = { 0 };

    send_job_with(w, hosts, &none);
}

static inline void send_job(struct world *w)
{
    send_job_on(w, "node1:15002/0+node2.dom:15002/0*2+node3:15002/1");
    run(w);
}

static inline void spawn(struct world *w, uint32_t vnode)
{
    static const char *args[] = { "/bin/true", "" };
    const struct task_request rq = { .version = 2,
                                     .job_id = ID,
                                     .cookie = COOKIE,
                                     .command = TASK_SPAWN,
                                     .event = 9,
                                     .task = 1,
                                     .vnode = vnode,
                                     .args = { 2, args } };

    mom_task_request(w->h[0].m, w->now_at, CLIENT, &rq, &w->h[0].out);
    run(w);
}

static inline void signal_job(struct world *w, const char *name)
{
    const struct body_signal body = { .job_id = ID, .signal = name };

    request(w, BATCH_SIGNAL_JOB, &body);
    run(w);
}

static inline void delete_job(struct world *w)
{
    const struct body_manage body = { .object_name = ID };

    request(w, BATCH_DELETE_JOB, &body);
    run(w);
}

static inline void lose_stream(struct world *w, size_t from, size_t to)
{
    mom_stream_closed(w->h[from].m, w->now_at, stream_of(from, to), &w->h[from].out);
    mom_stream_closed(w->h[to].m, w->now_at, stream_of(from, to) + 1000, &w->h[to].out);
}

#endif
