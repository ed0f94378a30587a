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

/* Of several tasks of a job one brings the sum of all: the top task, which is started
 * first, or on a sister's host the oldest. */
static bool is_first_of_job(struct shell *s, const struct task *t)
{
    if (!t->number)
        return true;
    return !task_find(s, t->job_id) && mom_first_task(s->mom, t->job_id) == t->number;
}

/* Tasks that were started later stand behind it in the list. */
static void add_usage(struct shell *s, const char *job_id, const struct task *from,
                      const struct proc_session *ps, size_t at, size_t n,
                      struct mom_out *out)
{
    struct mom_usage sum = { 0 };
    size_t n_processes = 0;

    for (; at < n; at++, from = from->hh.next) {
        if (strcmp(from->job_id, job_id) != 0)
            continue;
        n_processes += ps[at].n_processes;
        sum.cput_s += ps[at].used.cput_s;
        sum.mem_kb += ps[at].used.mem_kb;
        sum.vmem_kb += ps[at].used.vmem_kb;
        /* A job of one task is the usual one. */
        if (!from->number && !mom_first_task(s->mom, job_id))
            break;
    }
    /* A job that was seen with no process at all says nothing about its use: it may be
     * ending just now. */
    if (n_processes && !job_groups_tell_use(s, job_id, &sum, out))
        mom_used(s->mom, clock_steady(), job_id, &sum);
}

/* All of its processes have been killed, and the shepherd does not hear of the end of
 * the first: a tracer does, which has left the session and tells nobody. The job ends
 * without that. */
static void end_held(struct task *t)
{
    bool is_held = t->is_killed && t->child && t->session > 1 &&
                   !proc_session_has_any(t->session, t->mark);

    t->missing = is_held ? t->missing + 1 : 0;
    if (t->missing < HELD_LOOKS)
        return;
    logfile_printf(t->shell->log, LOG_EV_ERROR, LOG_IN_JOB, t->job_id,
                   "task %08X force exited", t->number ? t->number : 1);
    kill(t->shepherd, SIGKILL);
}

void tasks_sample(struct shell *s, struct mom_out *out)
{
    size_t n = HASH_COUNT(s->tasks), i = 0;
    struct proc_session *ps = xcalloc(n + 1, sizeof(*ps));
    struct task *t, *tmp;

    HASH_ITER (hh, s->tasks, t, tmp)
        /* A task that has not reported has no session; -1 is that of no process. */
        ps[i++].session = t->session > 1 ? t->session : -1;
    MUST(i == n);
    proc_sample(ps, n); /* one walk through /proc for all jobs */
    i = 0;
    HASH_ITER (hh, s->tasks, t, tmp) {
        if (t->attached && ps[i].n_processes)
            t->seen = ps[i].used;
        if (is_first_of_job(s, t))
            add_usage(s, t->job_id, t, ps, i, n, out);
        if (t->is_killed)
            end_held(t);
        i++;
    }
    free(ps);
    mom_sampled(s->mom, clock_steady(), out);
}
