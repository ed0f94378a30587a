/* asked.c - questions to other hosts of a job: kept until they are answered, and sent
 * when there is a stream.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/askers.h"
#include "mom/job/core.h"

void asked_free(struct mom_job *j, struct asked *a)
{
    MUST(j->asked_bytes >= a->task_bytes);
    j->asked_bytes -= a->task_bytes;
    askers_forget_asked(a);
    DL_DELETE(j->asked, a);
    if (a->arena)
        arena_free(a->arena);
    free(a);
}

void asked_drop_all(struct mom_job *j)
{
    while (j->asked)
        asked_free(j, j->asked);
}

bool asked_is_open(const struct mom_job *j, enum im_command command)
{
    const struct asked *a;

    DL_FOREACH (j->asked, a)
        if (a->command == command)
            return true;
    return false;
}

/* One that was not sent cannot have been answered: an event that a host invents finds
 * nothing. */
struct asked *asked_find(const struct mom_job *j, size_t host, int32_t event)
{
    struct asked *a;

    DL_FOREACH (j->asked, a)
        if (a->host == host && a->event == event && a->is_sent)
            return a;
    return NULL;
}

/* The job as the sisters get it: as the server has sent it, and what has come since
 * (tpp.md 7.2). */
static struct wire_attrs join_attrs(const struct mom_job *j, struct arena *arena)
{
    struct wire_attrs all = { 0 };

    for (size_t i = 0; i < j->attrs.n; i++) {
        const struct wire_attr *a = &j->attrs.v[i];

        wire_attrs_add(&all, arena, arena_strdup(arena, a->name),
                       arena_strdup(arena, a->resource), arena_strdup(arena, a->value),
                       a->op);
    }
    /* A sister never sees the job in a queue. */
    wire_attrs_add(&all, arena, "job_state", NULL, "R", WIRE_OP_SET);
    wire_attrs_add(&all, arena, "substate", NULL, arena_printf(arena, "%d", JOB_PRERUN),
                   WIRE_OP_SET);
    return all;
}

static struct wire_attrs where_attrs(const struct mom_job *j, struct arena *arena)
{
    static const char *const names[] = { "exec_vnode", "exec_host2", "schedselect" };
    struct wire_attrs some = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *value = wire_attrs_value(&j->attrs, names[i], NULL);

        if (value)
            wire_attrs_add(&some, arena, names[i], NULL, arena_strdup(arena, value),
                           WIRE_OP_SET);
    }
    return some;
}

static const char *cookie_of(const struct mom_job *j)
{
    const char *cookie = wire_attrs_value(&j->attrs, "cookie", NULL);

    return cookie ? cookie : "";
}

struct im_message asked_message(const struct mom_job *j, enum im_command command,
                                int32_t event, struct arena *arena)
{
    struct im_message msg = { .job_id = arena_strdup(arena, j->id),
                              .cookie = arena_strdup(arena, cookie_of(j)),
                              .command = command,
                              .event = event };

    if (command == IM_JOIN_JOB || command == IM_JOIN_RECOV_JOB) {
        msg.n_nodes = (int32_t)j->hosts.n;
        msg.stdout_port = j->out_port;
        msg.stderr_port = j->err_port;
    }
    if (command == IM_JOIN_JOB)
        msg.attrs = join_attrs(j, arena);
    /* Which of their images the others go on from. */
    if (command == IM_JOIN_JOB && j->checkpoint.is_restart)
        wire_attrs_add(&msg.attrs, arena, JOB_IMAGE, NULL,
                       arena_printf(arena, "%d", j->checkpoint.last.event),
                       WIRE_OP_SET);
    if (command == IM_UPDATE_JOB)
        msg.attrs = where_attrs(j, arena);
    return msg;
}

struct im_message asked_copy_message(const struct im_message *order,
                                     struct arena *arena)
{
    struct buf b = { 0 };
    struct im_message copy;
    enum dis_error e;

    /* Through the form of the wire, which names all that a message points to. */
    im_encode(&b, order);
    e = im_decode(b.data, b.len, arena, &copy);
    MUST(e == DIS_OK); /* it was written here */
    buf_fini(&b);
    return copy;
}

static void send_asked(struct mom_job *j, struct asked *a, uint64_t stream,
                       struct mom_out *out)
{
    const struct im_message msg =
        a->arena ? asked_copy_message(&a->order, out->arena)
                 : asked_message(j, a->command, a->event, out->arena);

    MUST(!a->is_sent);
    a->is_sent = true;
    out_send_im(out, stream, &msg);
    /* Nobody answers these (tpp.md 7.2). */
    if (a->command == IM_JOIN_RECOV_JOB || a->command == IM_RECONNECT_TO_MS ||
        a->command == IM_REQUEUE)
        asked_free(j, a);
}

/* Send it now, or when there is a stream. */
void asked_send(struct mom *m, struct mom_job *j, struct asked *a, struct mom_out *out)
{
    const struct job_host *h = &j->hosts.v[a->host];
    uint64_t stream = reach_stream(m, h->name, h->port, out);

    if (stream)
        send_asked(j, a, stream, out);
}

static struct asked *add(struct mom_job *j, size_t host, enum im_command command,
                         int32_t event)
{
    struct asked *a = xcalloc(1, sizeof(*a));

    MUST(host < j->hosts.n && host != j->hosts.own);
    a->job = j;
    a->event = event;
    a->command = command;
    a->host = host;
    DL_APPEND(j->asked, a);
    return a;
}

void asked_add(struct mom *m, struct mom_job *j, size_t host, enum im_command command,
               struct mom_out *out)
{
    asked_add_event(m, j, host, command, m->last_event, out);
}

void asked_add_event(struct mom *m, struct mom_job *j, size_t host,
                     enum im_command command, int32_t event, struct mom_out *out)
{
    asked_send(m, j, add(j, host, command, event), out);
}

struct asked *asked_add_order(struct mom *m, struct mom_job *j, size_t host,
                              const struct im_message *order, struct mom_out *out)
{
    struct asked *a;

    m->last_event++;
    a = add(j, host, order->command, m->last_event);
    a->arena = arena_new_small();
    a->order = asked_copy_message(order, a->arena);
    a->order.event = a->event;
    asked_send(m, j, a, out);
    return a;
}

void asked_move(struct mom_job *j, const struct host_list *was, struct mom_out *out)
{
    struct asked *a, *next;

    DL_FOREACH_SAFE (j->asked, a, next) {
        const struct job_host *h = &was->v[a->host];
        size_t host = host_list_find(j, h->name, h->port);

        if (host < j->hosts.n) {
            a->host = host;
            continue;
        }
        /* A task that has asked there would wait for ever. */
        if (a->client)
            task_door_answer(j, a, PBSE_SISCOMM, NULL, out);
        asked_free(j, a);
    }
}

void asked_reached(struct mom *m, const struct reached *r, struct mom_out *out)
{
    struct asked *a, *next;
    struct mom_job *j;

    DL_FOREACH2 (m->wide, j, wide_next) {
        size_t host = host_list_find(j, r->host, r->port);

        releasing_reached(j, r, out);
        if (host == j->hosts.n)
            continue;
        DL_FOREACH_SAFE (j->asked, a, next)
            if (a->host == host && !a->is_sent)
                send_asked(j, a, r->stream, out);
    }
}

void asked_router_up(struct mom *m, struct mom_out *out)
{
    struct asked *a, *next;
    struct mom_job *j;

    /* What was sent before the loss is seen to when its stream ends (superior_lost()).
     */
    DL_FOREACH2 (m->wide, j, wide_next) {
        releasing_again(m, j, out);
        DL_FOREACH_SAFE (j->asked, a, next)
            if (!a->is_sent)
                asked_send(m, j, a, out);
    }
}
