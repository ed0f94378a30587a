/* spawned.c - tasks beside a job's top task: who asked for them, who waits for their
 * end, what they publish (tpp.md 7.2, 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include <signal.h>

struct spawned *spawned_find(const struct mom_job *j, uint32_t number)
{
    struct spawned *t;

    DL_FOREACH (j->tasks, t)
        if (t->number == number)
            return t;
    return NULL;
}

/* A task that has not reported its session counts: it may begin at any moment. */
size_t spawned_n_live(const struct mom_job *j)
{
    const struct spawned *t;
    size_t n = 0;

    DL_FOREACH (j->tasks, t)
        n += !t->has_ended;
    return n;
}

static void free_task(struct mom_job *j, struct spawned *t)
{
    DL_DELETE(j->tasks, t);
    free(t->program);
    free(t);
}

static void free_watcher(struct mom_job *j, struct watcher *w)
{
    MUST(j->n_watchers > 0);
    j->n_watchers--;
    DL_DELETE(j->watchers, w);
    free(w);
}

void spawned_free_all(struct mom_job *j)
{
    while (j->tasks)
        free_task(j, j->tasks);
    while (j->watchers)
        free_watcher(j, j->watchers);
    while (j->posted) {
        struct posted *p = j->posted;

        DL_DELETE(j->posted, p);
        free(p);
    }
}

static void answer_task(const struct asker *to, enum im_command asked,
                        const struct im_message *body, struct mom_out *out)
{
    static const enum task_command asked_as[] = {
        [IM_SPAWN_TASK] = TASK_SPAWN,   [IM_GET_TASKS] = TASK_TASKS,
        [IM_SIGNAL_TASK] = TASK_SIGNAL, [IM_OBIT_TASK] = TASK_OBIT,
        [IM_GET_INFO] = TASK_GETINFO,   [IM_GET_RESC] = TASK_RESOURCES,
    };
    struct mom_effect *e = out_add(out, MOM_ANSWER_TASK);

    MUST((size_t)asked < ARRAY_LEN(asked_as) && asked_as[asked]);
    e->stream = to->stream;
    e->u.answer.asked = asked_as[asked];
    e->u.answer.reply = (struct task_reply){
        .version = 2,
        .failed = body->command == IM_ERROR,
        .event = to->event,
        .code = body->code,
        .task = body->target_task,
        .tasks = body->tasks,
        .exit_status = body->exit_status,
        .text = arena_strdup(out->arena, body->text),
        .info = { arena_copy(out->arena, body->info.data, body->info.len),
                  body->info.len },
    };
}

void spawned_answer(const struct mom_job *j, const struct asker *to,
                    enum im_command asked, const struct im_message *body,
                    struct mom_out *out)
{
    const char *cookie = wire_attrs_value(&j->attrs, "cookie", NULL);
    struct im_message msg = *body;

    if (!to->stream)
        return; /* whoever asked is gone */
    if (to->stream & MOM_TASK_CONNECTION) {
        answer_task(to, asked, body, out);
        return;
    }
    msg.job_id = arena_strdup(out->arena, j->id);
    msg.cookie = arena_strdup(out->arena, cookie ? cookie : "");
    msg.event = to->event;
    msg.task = to->task;
    msg.asked = asked;
    msg.text = arena_strdup(out->arena, body->text);
    msg.info.data = arena_copy(out->arena, body->info.data, body->info.len);
    out_send_im(out, to->stream, &msg);
}

void spawned_refuse(const struct mom_job *j, const struct asker *to,
                    enum im_command asked, int32_t code, struct mom_out *out)
{
    const struct im_message no = { .command = IM_ERROR, .code = code };

    spawned_answer(j, to, asked, &no, out);
}

void spawned_refuse_text(const struct mom_job *j, const struct asker *to,
                         enum im_command asked, int32_t code, const char *text,
                         struct mom_out *out)
{
    const struct im_message no = { .command = IM_ERROR2, .code = code, .text = text };

    MUST(!(to->stream & MOM_TASK_CONNECTION)); /* tasks are told codes alone */
    spawned_answer(j, to, asked, &no, out);
}

static void answer_spawn(const struct mom_job *j, struct spawned *t,
                         struct mom_out *out)
{
    const struct im_message body = { .target_task = t->number };

    t->is_told = true;
    spawned_answer(j, &t->asker, IM_SPAWN_TASK, &body, out);
}

static const struct wire_strings *copy_strings(const struct wire_strings *from,
                                               struct arena *arena)
{
    struct wire_strings *to = ARENA_NEW(arena, struct wire_strings);

    to->n = from->n;
    to->v = ARENA_ARRAY(arena, const char *, from->n);
    for (size_t i = 0; i < from->n; i++)
        to->v[i] = arena_strdup(arena, from->v[i]);
    return to;
}

static struct spawned *find_order(const struct mom_job *j, const struct asker *asker)
{
    struct spawned *t;

    DL_FOREACH (j->tasks, t)
        if (t->asker.stream == asker->stream && t->asker.event == asker->event)
            return t;
    return NULL;
}

bool spawned_may_start(const struct mom_job *j)
{
    /* What begins beside an image that ends the job would be lost. */
    return job_has_processes(j) && !j->is_killed && !j->is_dropped &&
           !j->status_is_set && j->n_tasks < MAX_TASKS && !j->checkpoint.is_due &&
           j->checkpoint.making != CHECKPOINT_ABORT &&
           j->checkpoint.stage != IMAGE_STOPPED;
}

struct spawned *spawned_add(struct mom_job *j, int32_t vnode)
{
    struct spawned *t = xcalloc(1, sizeof(*t));

    /* Numbers are not used again: an order for a task that has ended must not meet
     * another one. */
    t->number = host_list_task(j, ++j->n_tasks);
    t->vnode = vnode;
    t->mark = "";
    DL_APPEND(j->tasks, t);
    return t;
}

void spawned_start(struct mom *m, struct mom_job *j, const struct im_message *order,
                   const struct asker *asker, struct mom_out *out)
{
    struct spawned *t = find_order(j, asker);
    struct mom_effect *e;

    (void)m;
    if (t) { /* said twice */
        if (t->is_told)
            answer_spawn(j, t, out);
        return;
    }
    if (host_list_host_of(j, order->target_vnode) != j->hosts.own) {
        spawned_refuse(j, asker, IM_SPAWN_TASK, TASK_ENOTFOUND, out);
        return;
    }
    if (!spawned_may_start(j) || order->args.n == 0) {
        spawned_refuse(j, asker, IM_SPAWN_TASK, TASK_ESYSTEM, out);
        return;
    }
    t = spawned_add(j, order->target_vnode);
    t->parent_vnode = order->from_vnode;
    t->parent_task = order->task;
    t->asker = *asker;
    t->program = xstrdup(order->args.v[0]);
    e = out_add(out, MOM_SPAWN);
    e->job_id = arena_strdup(out->arena, j->id);
    e->task = t->number;
    e->u.spawn.vnode = t->vnode;
    e->u.spawn.args = copy_strings(&order->args, out->arena);
    e->u.spawn.env = copy_strings(&order->env, out->arena);
}

/* The end of a task is known: whoever waits for it hears that. */
void spawned_tell_end(struct mom *m, struct mom_job *j, uint32_t number, int32_t status,
                      struct mom_out *out)
{
    const struct im_message body = { .exit_status = status };
    struct watcher *w, *next;

    (void)m;
    DL_FOREACH_SAFE (j->watchers, w, next) {
        if (w->task != number)
            continue;
        spawned_answer(j, &w->asker, IM_OBIT_TASK, &body, out);
        free_watcher(j, w);
    }
}

/* The job may be gone meanwhile. */
static void step(struct mom *m, const char *job_id, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (j)
        sister_step(m, j, out);
}

void mom_task_started(struct mom *m, int64_t now_at, const char *job_id, uint32_t task,
                      int32_t session, int32_t status, const char *text,
                      struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);
    struct spawned *t = j ? spawned_find(j, task) : NULL;

    if (!t || t->has_ended || t->session)
        return;
    if (text)
        out_joblog(out, LOG_EV_JOB, j, "%s", text);
    if (session <= 0) {
        out_joblog(out, LOG_EV_ERROR, j, "task %08X not started, %d", task, status);
        spawned_refuse(j, &t->asker, IM_SPAWN_TASK, TASK_ESYSTEM, out);
        spawned_tell_end(m, j, task, STATUS_NEVER_RAN, out);
        free_task(j, t);
        image_task_restored(m, now_at, j, false, out);
        step(m, job_id, out);
        return;
    }
    t->session = session;
    /* From an image it comes without a program of its own. */
    if (t->program)
        out_joblog(out, LOG_EV_JOB, j, "task %08X started, %.255s", task, t->program);
    else
        out_joblog(out, LOG_EV_JOB, j, "task %08X started, pid = %d", task, session);
    free(t->program);
    t->program = NULL;
    /* Its session is on disk before it begins, as with the top task. */
    out_job(out, MOM_BEGIN, j);
    out->v[out->n - 1].task = task;
    answer_spawn(j, t, out);
    /* The order to end came while there was no session. */
    if (j->is_killed || j->is_dropped || !job_has_processes(j))
        out_kill_task(out, j, task, SIGKILL);
    else if (j->phase == JOB_SUSPENDED || job_stands(j)) /* ... or to stop */
        out_kill_task(out, j, task, m->cfg.suspend_signo);
}

void mom_task_ended(struct mom *m, int64_t now_at, const char *job_id, uint32_t task,
                    int32_t status, const struct mom_usage *used, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);
    struct spawned *t = j ? spawned_find(j, task) : NULL;

    if (!t || t->has_ended || t->is_down)
        return;
    t->status = status;
    if (used)
        usage_ended(m, j, now_at, used);
    out_joblog(out, LOG_EV_DEBUG, j, "task %08X terminated", task);
    if (image_keeps_task(j)) {
        t->is_down = true;
        sister_task_down(m, j, out);
        return;
    }
    t->has_ended = true;
    if (!t->is_told) /* it had not even reported its session */
        spawned_refuse(j, &t->asker, IM_SPAWN_TASK, TASK_ESYSTEM, out);
    spawned_tell_end(m, j, task, status, out);
    job_save_task(j, task, out);
    if (t->is_restoring) {
        t->is_restoring = false;
        image_task_restored(m, now_at, j, false, out);
    }
    step(m, job_id, out);
}

void mom_task_restarted(struct mom *m, int64_t now_at, const char *job_id,
                        uint32_t task, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);
    struct spawned *t = j ? spawned_find(j, task) : NULL;

    if (!t || t->has_ended || !t->is_restoring)
        return;
    t->is_restoring = false;
    image_task_restored(m, now_at, j, true, out);
}

/* The top task is the mother superior's first. */
bool spawned_is_top(const struct mom_job *j, uint32_t task)
{
    return !j->is_sister && task == j->top.number;
}

void spawned_watch(struct mom *m, struct mom_job *j, uint32_t task,
                   const struct asker *asker, struct mom_out *out)
{
    const struct spawned *t = spawned_find(j, task);
    struct watcher *w;

    if (!t && !spawned_is_top(j, task)) {
        spawned_refuse(j, asker, IM_OBIT_TASK, TASK_ENOTFOUND, out);
        return;
    }
    /* Whoever waits may ask for the same end again and again. */
    if (j->n_watchers >= MAX_WATCHERS) {
        spawned_refuse(j, asker, IM_OBIT_TASK, TASK_ESYSTEM, out);
        return;
    }
    w = xcalloc(1, sizeof(*w));
    w->task = task;
    w->asker = *asker;
    DL_APPEND(j->watchers, w);
    j->n_watchers++;
    if (t && t->has_ended)
        spawned_tell_end(m, j, task, t->status, out);
}

/* The tasks stay; only the answers are not sent any more. */
static void drop_asker(struct mom_job *j, uint64_t stream)
{
    struct watcher *w, *next_w;
    struct asked *a, *next_a;
    struct spawned *t;

    DL_FOREACH_SAFE (j->watchers, w, next_w)
        if (w->asker.stream == stream)
            free_watcher(j, w);
    DL_FOREACH (j->tasks, t)
        if (t->asker.stream == stream)
            t->asker.stream = 0;
    DL_FOREACH_SAFE (j->asked, a, next_a)
        if (a->client && a->client == stream)
            asked_free(j, a);
}

void spawned_drop_asker(struct mom *m, uint64_t stream)
{
    struct mom_job *j, *next;

    /* Only jobs of several hosts have tasks that other MoMs ask for. */
    if (!(stream & MOM_TASK_CONNECTION)) {
        DL_FOREACH2 (m->wide, j, wide_next)
            drop_asker(j, stream);
        return;
    }
    HASH_ITER (hh, m->jobs, j, next)
        drop_asker(j, stream);
}
