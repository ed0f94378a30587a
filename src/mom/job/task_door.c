/* task_door.c - requests of tasks: carried out here, or asked of the host that has the
 * vnode (tpp.md 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/askers.h"
#include "mom/job/core.h"

struct wish { /* a request on its way */
    struct mom *m;
    struct mom_job *j;
    const struct task_request *rq;
    struct asker asker;
    struct mom_out *out;
};

static void reply(const struct wish *w, const struct task_reply *r)
{
    struct mom_effect *e = out_add(w->out, MOM_ANSWER_TASK);

    e->stream = w->asker.stream;
    e->u.answer.reply = *r;
    e->u.answer.reply.version = w->rq->version;
    e->u.answer.reply.event = w->rq->event;
    e->u.answer.asked = w->rq->command;
}

static void refuse(const struct wish *w, int32_t code)
{
    const struct task_reply no = { .failed = true, .code = code };

    reply(w, &no);
}

static void take_init(const struct wish *w)
{
    const struct spawned *t = spawned_find(w->j, w->rq->task);
    struct task_reply r = { .n_vnodes = w->j->hosts.n_vnodes,
                            .parent_job = arena_strdup(w->out->arena, w->j->id),
                            .parent_vnode = t ? t->parent_vnode : -1,
                            .parent_task = t ? t->parent_task : 0 };

    r.vnodes = ARENA_ARRAY(w->out->arena, struct task_vnode, r.n_vnodes);
    for (size_t i = 0; i < r.n_vnodes; i++)
        r.vnodes[i].number = (int32_t)i;
    reply(w, &r);
}

/* The vnode of the task that asks: of this host. */
static int32_t vnode_of_asker(const struct wish *w)
{
    const struct spawned *t = spawned_find(w->j, w->rq->task);

    return t ? t->vnode : host_list_vnode_of(w->j, w->j->hosts.own);
}

static struct im_message order_of(const struct wish *w, enum im_command command)
{
    const struct task_request *rq = w->rq;

    return (struct im_message){ .job_id = rq->job_id,
                                .cookie = rq->cookie,
                                .command = command,
                                .event = rq->event,
                                .task = rq->task,
                                .from_vnode = vnode_of_asker(w),
                                .target_vnode = (int32_t)rq->vnode,
                                .args = rq->args,
                                .env = rq->env,
                                .target_task = rq->target_task,
                                .signo = (int32_t)MIN_OF(rq->signo, INT32_MAX),
                                .name = rq->name ? rq->name : "" };
}

/* What is about a vnode goes to its host. */
static void take_of_vnode(const struct wish *w, enum im_command command)
{
    const struct im_message order = order_of(w, command);
    size_t host = host_list_host_of(w->j, w->rq->vnode);
    struct asked *a;

    if (host == w->j->hosts.n) {
        refuse(w, TASK_ENOTFOUND);
    } else if (host == w->j->hosts.own) {
        spawned_take(w->m, w->j, &order, &w->asker, w->out);
    } else if (w->j->asked_bytes > MAX_ASKED_BYTES) {
        /* A host that does not answer must not have this one collect without end. */
        refuse(w, TASK_ESYSTEM);
    } else {
        a = asked_add_order(w->m, w->j, host, &order, w->out);
        a->task_bytes = sizeof(*a) + arena_used_bytes(a->arena);
        w->j->asked_bytes += a->task_bytes;
        a->client = w->asker.stream;
        a->client_event = w->rq->event;
        a->client_task = w->rq->task;
        askers_note_asked(w->m, a);
    }
}

void task_door_answer(const struct mom_job *j, const struct asked *a, int32_t code,
                      const struct im_message *msg, struct mom_out *out)
{
    const struct asker to = { .stream = a->client,
                              .event = a->client_event,
                              .task = a->client_task };

    /* A host that cannot be reached is a fault of the system for a task. */
    if (code)
        spawned_refuse(j, &to, a->command, code >= TASK_ESYSTEM ? code : TASK_ESYSTEM,
                       out);
    else
        spawned_answer(j, &to, a->command, msg, out);
}

static struct posted *find_posted(const struct mom_job *j, uint32_t task,
                                  const char *name)
{
    struct posted *p;

    DL_FOREACH (j->posted, p)
        if (p->task == task && strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

/* What is published stays until the job ends, so all of it together is bounded. */
static void take_post(const struct wish *w)
{
    const struct task_request *rq = w->rq;
    struct mom_job *j = w->j;
    struct posted *p = find_posted(j, rq->task, rq->name);
    const struct task_reply ok = { 0 };
    size_t bytes = strlen(rq->name) + rq->info.len + sizeof(*p);

    if (bytes > MAX_POSTED_BYTES - j->posted_bytes) {
        refuse(w, TASK_ESYSTEM);
        return;
    }
    j->posted_bytes += bytes;
    if (!p) {
        p = xcalloc(1, sizeof(*p));
        p->task = rq->task;
        p->name = arena_strdup(j->arena, rq->name);
        DL_APPEND(j->posted, p);
    }
    p->info.data = arena_copy(j->arena, rq->info.data, rq->info.len);
    p->info.len = rq->info.len;
    reply(w, &ok);
}

/* The cookie is what tasks of the job know and others do not. */
static bool is_of_job(const struct mom_job *j, const struct task_request *rq)
{
    const char *cookie = j ? wire_attrs_value(&j->attrs, "cookie", NULL) : NULL;

    return cookie && cookie[0] && job_has_processes(j) && !j->is_dropped &&
           strcmp(cookie, rq->cookie) == 0;
}

const char *mom_task_user(const struct mom *m, const struct task_request *rq)
{
    const struct mom_job *j = job_find(m, rq->job_id);
    const char *user;

    if (!is_of_job(j, rq))
        return NULL;
    user = wire_attrs_value(&j->attrs, "euser", NULL);
    return user ? user : "";
}

static void take(const struct wish *w)
{
    switch (w->rq->command) {
    case TASK_INIT:
        take_init(w);
        break;
    case TASK_TASKS:
        take_of_vnode(w, IM_GET_TASKS);
        break;
    case TASK_SPAWN:
        take_of_vnode(w, IM_SPAWN_TASK);
        break;
    case TASK_SIGNAL:
        take_of_vnode(w, IM_SIGNAL_TASK);
        break;
    case TASK_OBIT:
        take_of_vnode(w, IM_OBIT_TASK);
        break;
    case TASK_RESOURCES:
        take_of_vnode(w, IM_GET_RESC);
        break;
    case TASK_GETINFO:
        take_of_vnode(w, IM_GET_INFO);
        break;
    case TASK_POSTINFO:
        take_post(w);
        break;
    case TASK_FINALIZE: /* nothing is answered (tpp.md 8) */
        break;
    case TASK_REGISTER:
        refuse(w, TASK_ENOTIMPLEMENTED);
        out_add(w->out, MOM_CLOSE)->stream = w->asker.stream;
        break;
    default:
        refuse(w, TASK_EUNKNOWNCMD);
    }
}

void mom_task_request(struct mom *m, int64_t now_at, uint64_t connection,
                      const struct task_request *rq, struct mom_out *out)
{
    struct mom_job *j = job_find(m, rq->job_id);
    const struct wish w = {
        .m = m,
        .j = j,
        .rq = rq,
        .asker = { .stream = connection, .event = rq->event, .task = rq->task },
        .out = out
    };

    (void)now_at;
    MUST(connection & MOM_TASK_CONNECTION);
    if (!is_of_job(j, rq)) {
        out_add(out, MOM_CLOSE)->stream = connection;
        return;
    }
    take(&w);
}
