/* task_usage.c - what the tasks of this host use.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/host_task.h"
#include "mom/shell/job_groups.h"
#include "mom/shell/proc.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A shepherd that has only not been told the end yet has it by the second look. */
#define HELD_LOOKS   2
/* What becomes of a task's figures costs a microsecond or two. */
#define TASKS_A_TURN 500

/* A sample of all tasks that were there when it began. A host of many jobs has many
 * processes: their figures are read in slices of a millisecond or two, so that others
 * need not wait, and are summed and told behind the walk. */
struct sample {
    enum sample_step {
        SAMPLE_WALKS,
        SAMPLE_TAKES,
        SAMPLE_TELLS,
        SAMPLE_IS_OVER
    } step;
    struct proc_walk *walk;
    size_t n;
    char **keys; /* of the tasks */
    struct proc_session *seen;
    struct proc_session *sums; /* of jobs, at the place of the task that brings it */
    size_t next;               /* of the tasks, in this step */
};

/* Of several tasks of a job one brings the sum of all: the top task, or on a sister's
 * host the oldest. NULL: it has not begun. */
static struct task *first_of_job(struct shell *s, struct task *t)
{
    struct task *top = t->number ? task_find(s, t->job_id) : t;

    return top ? top
               : task_find_spawned(s, t->job_id, mom_first_task(s->mom, t->job_id));
}

/* The sample of that task counts for its job. */
static void add_to(struct proc_session *sum, const struct proc_session *more)
{
    sum->n_processes += more->n_processes;
    sum->used.cput_s += more->used.cput_s;
    sum->used.mem_kb += more->used.mem_kb;
    sum->used.vmem_kb += more->used.vmem_kb;
}

/* A job that was seen with no process at all says nothing about its use: it may be
 * ending just now. */
static void tell_usage(struct shell *s, const char *job_id,
                       const struct proc_session *sum, struct mom_out *out)
{
    if (sum->n_processes && !job_groups_tell_use(s, job_id, &sum->used, out))
        mom_used(s->mom, clock_steady(), job_id, &sum->used);
}

/* All of its processes have been killed, and the shepherd does not hear of the end of
 * the first: a tracer does, which has left the session and tells nobody. The job ends
 * without that. */
static void end_held(struct task *t, const struct proc_session *seen)
{
    bool is_held = t->is_killed && t->child && t->session > 1 &&
                   (seen->n_alive == 0 || !proc_session_is(t->session, t->mark));

    t->missing = is_held ? t->missing + 1 : 0;
    if (t->missing < HELD_LOOKS)
        return;
    logfile_printf(t->shell->log, LOG_EV_ERROR, LOG_IN_JOB, t->job_id,
                   "task %08X force exited", t->number ? t->number : 1);
    kill(t->shepherd, SIGKILL);
}

static void take_sample(struct task *t, const struct proc_session *seen,
                        struct proc_session *sums)
{
    const struct task *first = first_of_job(t->shell, t);

    if (t->attached && seen->n_processes)
        t->seen = seen->used;
    if (first && first->place != TASK_NO_PLACE)
        add_to(&sums[first->place], seen);
    /* It may have reported its session behind the begin of the walk. */
    if (t->is_killed && seen->session == t->session)
        end_held(t, seen);
}

static struct sample *begin(struct shell *s)
{
    struct sample *a = xcalloc(1, sizeof(*a));
    struct task *t, *next;

    a->n = HASH_COUNT(s->tasks);
    a->keys = xcalloc(a->n + 1, sizeof(*a->keys));
    a->seen = xcalloc(a->n + 1, sizeof(*a->seen));
    a->sums = xcalloc(a->n + 1, sizeof(*a->sums));
    HASH_ITER (hh, s->tasks, t, next) {
        t->place = a->next++;
        a->keys[t->place] = xstrdup(t->key);
        /* A task that has not reported has no session; -1 is that of no process. */
        a->seen[t->place].session = t->session > 1 ? t->session : -1;
    }
    MUST(a->next == a->n);
    a->next = 0;
    a->walk = proc_walk_new(a->seen, a->n); /* one walk through /proc for all jobs */
    return a;
}

static void end(struct shell *s)
{
    struct sample *a = s->sample;

    s->sample = NULL;
    proc_walk_free(a->walk);
    for (size_t i = 0; i < a->n; i++)
        free(a->keys[i]);
    free(a->keys);
    free(a->seen);
    free(a->sums);
    free(a);
}

/* The task of that place, if it is still there: another one of its name, of the next
 * run of its job perhaps, has no place. */
static struct task *task_at(struct shell *s, size_t i)
{
    struct task *t = task_find(s, s->sample->keys[i]);

    return t && t->place == i ? t : NULL;
}

static void take(struct shell *s, size_t i, struct mom_out *out)
{
    struct sample *a = s->sample;
    struct task *t = task_at(s, i);

    (void)out;
    if (t)
        take_sample(t, &a->seen[i], a->sums);
}

static void tell(struct shell *s, size_t i, struct mom_out *out)
{
    const struct task *t = task_at(s, i);

    if (t)
        tell_usage(s, t->job_id, &s->sample->sums[i], out);
}

/* Some of the tasks. True: that were the last of them. */
static bool for_some(struct shell *s,
                     void (*fn)(struct shell *s, size_t i, struct mom_out *out),
                     struct mom_out *out)
{
    struct sample *a = s->sample;
    size_t until = MIN_OF(a->next + TASKS_A_TURN, a->n);

    while (a->next < until)
        fn(s, a->next++, out);
    if (a->next < a->n)
        return false;
    a->next = 0;
    return true;
}

/* One step of it, or a part of that. True: the step is over. */
static bool step(struct shell *s, struct mom_out *out)
{
    switch (s->sample->step) {
    case SAMPLE_WALKS:
        return proc_walk_go_on(s->sample->walk);
    case SAMPLE_TAKES:
        return for_some(s, take, out);
    case SAMPLE_TELLS:
    default:
        return for_some(s, tell, out);
    }
}

static void go_on(struct shell *s, struct mom_out *out);

static void on_turn(void *arg)
{
    struct shell *s = arg;
    struct mom_out out = { .arena = s->arena };

    go_on(s, &out);
    shell_carry_out(s, &out);
}

static void go_on(struct shell *s, struct mom_out *out)
{
    while (s->sample->step < SAMPLE_IS_OVER && step(s, out))
        s->sample->step++;
    if (s->sample->step == SAMPLE_IS_OVER) {
        end(s);
        mom_sampled(s->mom, clock_steady(), out);
        return;
    }
    if (!s->sample_on)
        s->sample_on = loop_timer_new(s->loop, on_turn, s);
    loop_timer_set(s->sample_on, 0);
}

void tasks_sample(struct shell *s, struct mom_out *out)
{
    if (s->sample)
        return;
    s->sample = begin(s);
    go_on(s, out);
}

void tasks_sample_close(struct shell *s)
{
    if (s->sample)
        end(s);
    if (s->sample_on)
        loop_timer_free(s->sample_on);
    s->sample_on = NULL;
}
