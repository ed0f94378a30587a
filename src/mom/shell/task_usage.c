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
#define HELD_LOOKS 2

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
    if (first)
        add_to(&sums[first->place], seen);
    if (t->is_killed)
        end_held(t, seen);
}

void tasks_sample(struct shell *s, struct mom_out *out)
{
    size_t n = HASH_COUNT(s->tasks), i = 0;
    struct proc_session *seen = xcalloc(n + 1, sizeof(*seen));
    struct proc_session *sums = xcalloc(n + 1, sizeof(*sums));
    struct task *t, *tmp;

    HASH_ITER (hh, s->tasks, t, tmp) {
        t->place = i++;
        /* A task that has not reported has no session; -1 is that of no process. */
        seen[t->place].session = t->session > 1 ? t->session : -1;
    }
    MUST(i == n);
    proc_sample(seen, n); /* one walk through /proc for all jobs */
    HASH_ITER (hh, s->tasks, t, tmp)
        take_sample(t, &seen[t->place], sums);
    HASH_ITER (hh, s->tasks, t, tmp)
        tell_usage(s, t->job_id, &sums[t->place], out);
    free(sums);
    free(seen);
    mom_sampled(s->mom, clock_steady(), out);
}
