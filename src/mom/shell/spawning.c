/* spawning.c - see spawning.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/spawning.h"

#include "mom/shell/shell.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct waiting { /* a task that is not started yet */
    uint32_t number;
    int32_t vnode;
    struct arena *arena; /* of the following */
    struct wire_strings args, env;
    struct waiting *prev, *next;
};

struct job_queue { /* the tasks of a job, of which one waits at least */
    char *job_id;
    bool is_over; /* the job is being killed: none of them is started */
    size_t bytes;
    struct waiting *tasks; /* oldest first */
    struct job_queue *prev, *next;
};

struct spawning {
    struct job_queue *queues;  /* the one whose turn it is first */
    unsigned n_started;        /* in this turn of the loop */
    struct loop_timer *onward; /* set while something waits or was started */
};

static struct job_queue *find_queue(const struct shell *s, const char *job_id)
{
    struct job_queue *q;

    if (s->spawning)
        DL_FOREACH (s->spawning->queues, q)
            if (strcmp(q->job_id, job_id) == 0)
                return q;
    return NULL;
}

static void free_waiting(struct job_queue *q, struct waiting *w)
{
    MUST(q->bytes >= arena_used_bytes(w->arena));
    q->bytes -= arena_used_bytes(w->arena);
    DL_DELETE(q->tasks, w);
    arena_free(w->arena);
    free(w);
}

static void free_queue(struct spawning *sp, struct job_queue *q)
{
    while (q->tasks)
        free_waiting(q, q->tasks);
    DL_DELETE(sp->queues, q);
    free(q->job_id);
    free(q);
}

static void start(struct shell *s, const char *job_id, uint32_t number, int32_t vnode,
                  const struct wire_strings *args, const struct wire_strings *env,
                  int32_t restart_session, struct mom_out *out)
{
    struct plan_task task = {
        .number = number, .vnode = vnode, .args = args, .env = env
    };

    (void)mom_job_outputs(s->mom, job_id, &task.remote.ip, &task.remote.out_port,
                          &task.remote.err_port);
    tasks_spawn(s, job_id, number, &task, restart_session, out);
}

static void not_started(struct shell *s, const char *job_id, uint32_t number,
                        const char *text, struct mom_out *out)
{
    mom_task_started(s->mom, clock_steady(), job_id, number, 0, START_RETRY, text, out);
}

/* The job's next task; its queue goes to the end of the line, or with its last task. */
static void take_next(struct shell *s, struct job_queue *q, struct mom_out *out)
{
    struct spawning *sp = s->spawning;
    struct waiting *w = q->tasks;

    sp->n_started++;
    if (q->is_over) {
        not_started(s, q->job_id, w->number, NULL, out);
    } else {
        start(s, q->job_id, w->number, w->vnode, &w->args, &w->env, 0, out);
    }
    free_waiting(q, w);
    if (!q->tasks) {
        free_queue(sp, q);
    } else {
        DL_DELETE(sp->queues, q);
        DL_APPEND(sp->queues, q);
    }
}

static void on_turn(void *arg)
{
    struct shell *s = arg;
    struct spawning *sp = s->spawning;
    struct mom_out out = { .arena = s->arena };

    sp->n_started = 0;
    while (sp->queues && sp->n_started < SPAWNING_A_TURN)
        take_next(s, sp->queues, &out);
    if (sp->n_started > 0)
        loop_timer_set(sp->onward, 0);
    shell_carry_out(s, &out);
}

static struct spawning *need_spawning(struct shell *s)
{
    if (!s->spawning) {
        s->spawning = xcalloc(1, sizeof(*s->spawning));
        s->spawning->onward = loop_timer_new(s->loop, on_turn, s);
    }
    return s->spawning;
}

static struct job_queue *need_queue(struct shell *s, const char *job_id)
{
    struct job_queue *q = find_queue(s, job_id);

    if (!q) {
        q = xcalloc(1, sizeof(*q));
        q->job_id = xstrdup(job_id);
        DL_APPEND(s->spawning->queues, q);
    }
    return q;
}

static struct wire_strings copy(const struct wire_strings *from, struct arena *arena)
{
    struct wire_strings to = { from->n, ARENA_ARRAY(arena, const char *, from->n) };

    for (size_t i = 0; i < from->n; i++)
        to.v[i] = arena_strdup(arena, from->v[i]);
    return to;
}

static void wait_for_turn(struct shell *s, const struct mom_effect *e)
{
    struct job_queue *q = need_queue(s, e->job_id);
    struct waiting *w = xcalloc(1, sizeof(*w));

    w->number = e->task;
    w->vnode = e->u.spawn.vnode;
    w->arena = arena_new_small();
    w->args = copy(e->u.spawn.args, w->arena);
    w->env = copy(e->u.spawn.env, w->arena);
    q->bytes += arena_used_bytes(w->arena);
    DL_APPEND(q->tasks, w);
}

void spawning_add(struct shell *s, const struct mom_effect *e, struct mom_out *out)
{
    struct spawning *sp = need_spawning(s);
    const struct job_queue *q = find_queue(s, e->job_id);

    if (q && q->bytes > SPAWNING_MOST_BYTES) {
        not_started(s, e->job_id, e->task, "too many tasks wait to be started", out);
        return;
    }
    loop_timer_set(sp->onward, 0);
    /* Who is restored from an image has run before: there are no more of those than
     * there were. */
    if (e->u.spawn.restart_session ||
        (!sp->queues && sp->n_started < SPAWNING_A_TURN)) {
        sp->n_started++;
        start(s, e->job_id, e->task, e->u.spawn.vnode, e->u.spawn.args, e->u.spawn.env,
              e->u.spawn.restart_session, out);
    } else {
        wait_for_turn(s, e);
    }
}

void spawning_end(struct shell *s, const char *job_id)
{
    struct job_queue *q = find_queue(s, job_id);

    if (q)
        q->is_over = true;
}

void spawning_drop(struct shell *s, const char *job_id)
{
    struct job_queue *q = find_queue(s, job_id);

    if (q)
        free_queue(s->spawning, q);
}

void spawning_close(struct shell *s)
{
    struct spawning *sp = s->spawning;

    if (!sp)
        return;
    while (sp->queues)
        free_queue(sp, sp->queues);
    loop_timer_free(sp->onward);
    free(sp);
    s->spawning = NULL;
}
