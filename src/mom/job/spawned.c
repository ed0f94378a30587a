/* spawned.c - tasks beside a job's top task: who asked for them, who waits for their
 * end, what they publish (tpp.md 7.2, 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/askers.h"
#include "mom/job/image.h"

#include <signal.h>

struct spawned *spawned_find(const struct mom_job *j, uint32_t number)
{
    struct spawned *t;

    HASH_FIND(hh, j->tasks_hash, &number, sizeof(number), t);
    return t;
}

/* A task that has not reported its session counts: it may begin at any moment. */
size_t spawned_n_live(const struct mom_job *j)
{
    return HASH_COUNT(j->tasks_hash);
}

bool spawned_all_down(const struct mom_job *j)
{
    return j->n_down == spawned_n_live(j);
}

void spawned_set_down(struct spawned *t, bool is_down)
{
    t->job->n_down += is_down;
    t->job->n_down -= t->is_down;
    t->is_down = is_down;
}

void spawned_set_restoring(struct spawned *t, bool is_restoring)
{
    t->job->n_restoring += is_restoring;
    t->job->n_restoring -= t->is_restoring;
    t->is_restoring = is_restoring;
}

void spawned_set_mark(struct spawned *t, const char *mark)
{
    free(t->mark);
    t->mark = xstrdup(mark);
}

/* Whoever has asked for it is not told of it any more, and asks for another one when he
 * says the same again. */
static void forget_asker(struct spawned *t)
{
    if (!t->of)
        return;
    HASH_DELETE(order_hh, t->job->orders, t);
    askers_forget_order(t);
    t->asker.stream = 0;
}

static void free_task(struct mom_job *j, struct spawned *t)
{
    forget_asker(t);
    spawned_set_down(t, false);
    spawned_set_restoring(t, false);
    HASH_DEL(j->tasks_hash, t);
    DL_DELETE(j->tasks, t);
    free(t->mark);
    free(t->program);
    free(t);
}

static void free_watcher(struct watcher *w)
{
    struct watched *task = w->task;
    struct mom_job *j = task->job;

    MUST(j->n_watchers > 0);
    j->n_watchers--;
    askers_forget_watcher(w);
    DL_DELETE(task->watchers, w);
    free(w);
    if (task->watchers)
        return;
    HASH_DEL(j->watched, task);
    free(task);
}

void spawned_free_all(struct mom_job *j)
{
    while (j->tasks)
        free_task(j, j->tasks);
    while (j->watched)
        free_watcher(j->watched->watchers);
    MUST(j->n_watchers == 0 && j->n_down == 0 && j->n_restoring == 0);
    ended_tasks_fini(&j->ended_tasks);
    free(j->ended_orders);
    j->ended_orders = NULL;
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

static void tell_number(const struct mom_job *j, const struct asker *asker,
                        uint32_t number, struct mom_out *out)
{
    const struct im_message body = { .target_task = number };

    spawned_answer(j, asker, IM_SPAWN_TASK, &body, out);
}

static void answer_spawn(const struct mom_job *j, struct spawned *t,
                         struct mom_out *out)
{
    t->is_told = true;
    tell_number(j, &t->asker, t->number, out);
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

static struct order_key key_of(const struct asker *asker)
{
    return (struct order_key){ asker->stream, (uint64_t)(uint32_t)asker->event };
}

static struct spawned *find_order(const struct mom_job *j, const struct order_key *key)
{
    struct spawned *t;

    HASH_FIND(order_hh, j->orders, key, sizeof(*key), t);
    return t;
}

/* A task's connection says nothing twice, and another task follows there on the same
 * event. */
static void note_ended_order(struct mom_job *j, const struct spawned *t)
{
    struct ended_orders *e;

    if (!t->of || t->asker.stream & MOM_TASK_CONNECTION)
        return;
    if (!j->ended_orders)
        j->ended_orders = xcalloc(1, sizeof(*j->ended_orders));
    e = j->ended_orders;
    e->v[e->n++ % MOST_ENDED_ORDERS] =
        (struct ended_order){ .order = t->order, .number = t->number };
}

/* The number of the task that had that order and has ended; 0: there is none. */
static uint32_t find_ended_order(const struct mom_job *j, const struct order_key *key)
{
    const struct ended_orders *e = j->ended_orders;

    for (size_t i = 0; e && i < MIN_OF(e->n, MOST_ENDED_ORDERS); i++)
        if (e->v[i].order.stream == key->stream && e->v[i].order.event == key->event)
            return e->v[i].number;
    return 0;
}

bool spawned_may_start(const struct mom_job *j)
{
    /* What begins beside an image that ends the job would be lost. */
    return job_has_processes(j) && !j->is_killed && !j->is_dropped &&
           !j->status_is_set && j->n_tasks < MAX_TASKS && !j->checkpoint.is_due &&
           j->checkpoint.making != CHECKPOINT_ABORT &&
           j->checkpoint.stage != IMAGE_STOPPED;
}

struct spawned *spawned_put(struct mom_job *j, uint32_t number, int32_t vnode)
{
    struct spawned *t = xcalloc(1, sizeof(*t));

    t->job = j;
    t->number = number;
    t->vnode = vnode;
    t->parent_vnode = -1;
    t->mark = xstrdup("");
    DL_APPEND(j->tasks, t);
    HASH_ADD(hh, j->tasks_hash, number, sizeof(t->number), t);
    return t;
}

struct spawned *spawned_add(struct mom_job *j, int32_t vnode)
{
    /* Numbers are not used again: an order for a task that has ended must not meet
     * another one. */
    return spawned_put(j, host_list_task(j, ++j->n_tasks), vnode);
}

static void set_asker(struct mom *m, struct spawned *t, const struct asker *asker)
{
    t->asker = *asker;
    t->order = key_of(asker);
    askers_note_order(m, t);
    HASH_ADD(order_hh, t->job->orders, order, sizeof(t->order), t);
}

void spawned_start(struct mom *m, struct mom_job *j, const struct im_message *order,
                   const struct asker *asker, struct mom_out *out)
{
    const struct order_key key = key_of(asker);
    struct spawned *t = find_order(j, &key);
    uint32_t ended = find_ended_order(j, &key);
    struct mom_effect *e;

    if (t || ended) { /* said twice */
        if (!t || t->is_told)
            tell_number(j, asker, t ? t->number : ended, out);
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
    set_asker(m, t, asker);
    t->program = xstrdup(order->args.v[0]);
    e = out_add(out, MOM_SPAWN);
    e->job_id = arena_strdup(out->arena, j->id);
    e->task = t->number;
    e->u.spawn.vnode = t->vnode;
    e->u.spawn.args = copy_strings(&order->args, out->arena);
    e->u.spawn.env = copy_strings(&order->env, out->arena);
}

static struct watched *find_watched(const struct mom_job *j, uint32_t number)
{
    struct watched *task;

    HASH_FIND(hh, j->watched, &number, sizeof(number), task);
    return task;
}

void spawned_tell_end(struct mom_job *j, uint32_t number, int32_t status,
                      struct mom_out *out)
{
    const struct im_message body = { .exit_status = status };
    struct watched *task;

    while ((task = find_watched(j, number))) {
        spawned_answer(j, &task->watchers->asker, IM_OBIT_TASK, &body, out);
        free_watcher(task->watchers); /* the last one takes the task with it */
    }
}

void spawned_end(struct mom_job *j, struct spawned *t, int32_t status,
                 struct mom_out *out)
{
    uint32_t number = t->number;

    ended_tasks_put(&j->ended_tasks, number, status);
    note_ended_order(j, t);
    free_task(j, t);
    spawned_tell_end(j, number, status, out);
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

    if (!t || t->session)
        return;
    if (text)
        out_joblog(out, LOG_EV_JOB, j, "%s", text);
    if (session <= 0) {
        out_joblog(out, LOG_EV_ERROR, j, "task %08X not started, %d", task, status);
        spawned_refuse(j, &t->asker, IM_SPAWN_TASK, TASK_ESYSTEM, out);
        spawned_tell_end(j, task, STATUS_NEVER_RAN, out);
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
    bool was_restoring;

    if (!t || t->is_down)
        return;
    if (used)
        usage_ended(m, j, now_at, used);
    out_joblog(out, LOG_EV_DEBUG, j, "task %08X terminated", task);
    if (image_keeps_task(j)) {
        t->status = status;
        spawned_set_down(t, true);
        sister_task_down(m, j, out);
        return;
    }
    if (!t->is_told) /* it had not even reported its session */
        spawned_refuse(j, &t->asker, IM_SPAWN_TASK, TASK_ESYSTEM, out);
    was_restoring = t->is_restoring;
    spawned_end(j, t, status, out);
    job_save_task(j, task, out);
    if (was_restoring)
        image_task_restored(m, now_at, j, false, out);
    step(m, job_id, out);
}

void mom_task_restarted(struct mom *m, int64_t now_at, const char *job_id,
                        uint32_t task, struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);
    struct spawned *t = j ? spawned_find(j, task) : NULL;

    if (!t || !t->is_restoring)
        return;
    spawned_set_restoring(t, false);
    image_task_restored(m, now_at, j, true, out);
}

/* The top task is the mother superior's first. */
bool spawned_is_top(const struct mom_job *j, uint32_t task)
{
    return !j->is_sister && task == j->top.number;
}

static void add_watcher(struct mom *m, struct mom_job *j, uint32_t number,
                        const struct asker *asker)
{
    struct watched *task = find_watched(j, number);
    struct watcher *w = xcalloc(1, sizeof(*w));

    if (!task) {
        task = xcalloc(1, sizeof(*task));
        task->job = j;
        task->number = number;
        HASH_ADD(hh, j->watched, number, sizeof(task->number), task);
    }
    w->task = task;
    w->asker = *asker;
    askers_note_watcher(m, w);
    DL_APPEND(task->watchers, w);
    j->n_watchers++;
}

void spawned_watch(struct mom *m, struct mom_job *j, uint32_t task,
                   const struct asker *asker, struct mom_out *out)
{
    struct im_message body = { 0 };

    if (spawned_find(j, task) || spawned_is_top(j, task)) {
        /* Whoever waits may ask for the same end again and again. */
        if (j->n_watchers >= MAX_WATCHERS)
            spawned_refuse(j, asker, IM_OBIT_TASK, TASK_ESYSTEM, out);
        else
            add_watcher(m, j, task, asker);
    } else if (ended_tasks_find(&j->ended_tasks, task, &body.exit_status)) {
        spawned_answer(j, asker, IM_OBIT_TASK, &body, out);
    } else {
        spawned_refuse(j, asker, IM_OBIT_TASK, TASK_ENOTFOUND, out);
    }
}

/* The tasks stay; only the answers are not sent any more. What is forgotten last frees
 * all that was noted of the stream. */
void spawned_drop_asker(struct mom *m, uint64_t stream)
{
    struct askers *of;

    while ((of = askers_find(m, stream))) {
        if (of->watchers)
            free_watcher(of->watchers);
        else if (of->orders)
            forget_asker(of->orders);
        else
            asked_free(of->asked->job, of->asked);
    }
}
