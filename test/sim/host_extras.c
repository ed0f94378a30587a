/* host_extras.c - processes of the tasks that jobs spawn, in virtual time. Like those
 * of the jobs themselves they outlive the MoM, and wait for its go before they begin.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "host.h"
#include "sim.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define GONE_MS             5500 /* without a trace of one */
#define DIE_MS              500
#define STATUS_LOST         (-4)
#define START_RETRY         (-3)
#define STATUS_NOT_RESTORED (-7)

struct instant { /* of a task, told later */
    struct mom_host *host;
    uint64_t life; /* of the MoM */
    uint64_t extra;
    char *job_id; /* owned */
    uint32_t task;
    int32_t status;
};

static void instant_drop(void *arg)
{
    struct instant *x = arg;

    free(x->job_id);
    free(x);
}

static void post(struct mom_host *h, int64_t delay_ms, event_fn fn,
                 const struct extra *r, int32_t status)
{
    struct instant *x = xcalloc(1, sizeof(*x));

    *x = (struct instant){ .host = h,
                           .life = h->life,
                           .extra = r->number,
                           .job_id = xstrdup(r->job_id),
                           .task = r->task,
                           .status = status };
    sim_after(h->sim, delay_ms, fn, x, instant_drop);
}

static struct extra *find(const struct mom_host *h, uint64_t number)
{
    struct extra *r;

    DL_FOREACH (h->extras, r)
        if (r->number == number)
            return r;
    return NULL;
}

static void free_extra(struct mom_host *h, struct extra *r)
{
    DL_DELETE(h->extras, r);
    free(r->job_id);
    free(r);
}

/* The MoM hears of it, this one or the one that runs now and has found the task in its
 * record. */
static void tell_end(struct mom_host *h, const struct instant *x)
{
    struct mom_out out;

    if (!h->mom)
        return;
    out = host_input(h);
    mom_task_ended(h->mom, host_now_at(h), x->job_id, x->task, x->status, NULL, &out);
    host_end_input(h, &out);
}

static void is_over(struct sim *s, void *arg)
{
    const struct instant *x = arg;
    struct extra *r = find(x->host, x->extra);

    if (!r)
        return;
    if (r->is_stopped && !r->is_dying) {
        r->is_owed = true;
        r->owed_status = x->status;
        return;
    }
    sim_trace(s, "host %s: task %08x of %s ends (%d)", x->host->name, r->task,
              r->job_id, x->status);
    free_extra(x->host, r);
    tell_end(x->host, x);
}

static void is_missed(struct sim *s, void *arg)
{
    const struct instant *x = arg;

    (void)s;
    if (x->host->life == x->life)
        tell_end(x->host, x);
}

static void reports(struct sim *s UNUSED, void *arg)
{
    const struct instant *x = arg;
    struct mom_host *h = x->host;
    struct extra *r = find(h, x->extra);
    struct mom_out out;

    if (!r || r->state != RUN_STARTING)
        return;
    if (!h->mom || h->life != x->life) { /* the other ends of its pipes are closed */
        free_extra(h, r);
        return;
    }
    out = host_input(h);
    if (h->knows_nobody) {
        mom_task_started(h->mom, host_now_at(h), r->job_id, r->task, 0, START_RETRY,
                         "the user cannot be looked up", &out);
        free_extra(h, r);
        host_end_input(h, &out);
        return;
    }
    r->state = RUN_HELD;
    r->session = ++h->last_session;
    mom_task_started(h->mom, host_now_at(h), r->job_id, r->task, r->session, 0, NULL,
                     &out);
    host_end_input(h, &out);
}

/* Some end by themselves, the others with their job. */
static void may_end(struct mom_host *h, const struct extra *r)
{
    if (rnd_percent(&h->sim->rnd, 30))
        post(h, rnd_range(&h->sim->rnd, 0, 20000), is_over, r, 0);
}

/* The script that restores it has ended well: the task goes on. */
static void is_restored(struct sim *s UNUSED, void *arg)
{
    const struct instant *x = arg;
    struct mom_host *h = x->host;
    const struct extra *r = find(h, x->extra);
    struct mom_out out;

    if (!r || r->is_dying)
        return;
    may_end(h, r);
    if (!h->mom || h->life != x->life)
        return;
    out = host_input(h);
    mom_task_restarted(h->mom, host_now_at(h), x->job_id, x->task, &out);
    host_end_input(h, &out);
}

void extras_spawn(struct mom_host *h, const char *job_id, uint32_t task, bool restarts)
{
    struct extra *r = xcalloc(1, sizeof(*r));

    r->number = ++h->last_run;
    r->job_id = xstrdup(job_id);
    r->run_version = mom_job_run_version(h->mom, job_id);
    r->task = task;
    r->restarts = restarts;
    DL_APPEND(h->extras, r);
    post(h, sim_latency_ms(h->sim), reports, r, 0);
}

void extras_begin(struct mom_host *h, const char *job_id, uint32_t task, bool is_saved)
{
    struct extra *r;

    if (host_dies_here(h))
        return;
    DL_FOREACH (h->extras, r) {
        if (r->state != RUN_HELD || r->task != task || strcmp(r->job_id, job_id) != 0)
            continue;
        if (!is_saved) {
            post(h, DIE_MS, is_over, r, STATUS_LOST);
            return;
        }
        sim_trace(h->sim, "host %s: task %08x of %s begins", h->name, task, job_id);
        r->state = RUN_ON;
        if (r->restarts && h->sim->weather.jitter_ms && rnd_percent(&h->sim->rnd, 10))
            post(h, DIE_MS, is_over, r, STATUS_NOT_RESTORED);
        else if (r->restarts)
            post(h, rnd_range(&h->sim->rnd, 0, 2000), is_restored, r, 0);
        else
            may_end(h, r);
        return;
    }
}

/* What is stopped ends by SIGKILL alone; the rest waits until it goes on. */
static void end_extra(struct mom_host *h, struct extra *r, int signo)
{
    if (r->is_dying)
        return;
    if (signo != SIGKILL && r->is_stopped) {
        r->is_owed = true;
        r->owed_status = 256 + signo;
        return;
    }
    r->is_dying = true;
    post(h, DIE_MS, is_over, r, 256 + signo);
}

static void go_on(struct mom_host *h, struct extra *r)
{
    r->is_stopped = false;
    if (r->is_owed)
        post(h, DIE_MS, is_over, r, r->owed_status);
    r->is_owed = false;
}

void extras_signal(struct mom_host *h, const char *job_id, uint32_t task, int signo)
{
    struct extra *r;

    DL_FOREACH (h->extras, r) {
        if (strcmp(r->job_id, job_id) != 0 || (task && r->task != task))
            continue;
        if (signo == SIGKILL || signo == SIGTERM)
            end_extra(h, r, signo);
        else if (signo == SIGSTOP && r->state == RUN_ON)
            r->is_stopped = true;
        else if (signo == SIGCONT && r->is_stopped)
            go_on(h, r);
    }
}

/* A task that is not there any more is missed after a while. */
void extras_recover(struct mom_host *h, const char *job_id)
{
    struct extra *r, gone = { .job_id = (char *)(uintptr_t)job_id };
    struct arena *arena = arena_new_small();
    const struct mom_job_task *tasks;
    size_t n = mom_job_tasks(h->mom, job_id, arena, &tasks);

    for (size_t i = 0; i < n; i++) {
        DL_FOREACH (h->extras, r)
            if (r->session == tasks[i].session)
                break;
        gone.task = tasks[i].number;
        if (!r)
            post(h, GONE_MS, is_missed, &gone, STATUS_LOST);
    }
    arena_free(arena);
}

/* The MoM has died: what was not begun never will be. */
void extras_forget(struct mom_host *h)
{
    struct extra *r, *next;

    DL_FOREACH_SAFE (h->extras, r, next)
        if (r->state != RUN_ON)
            free_extra(h, r);
}

void extras_kill(struct mom_host *h)
{
    while (h->extras)
        free_extra(h, h->extras);
}

static void ask_one(struct mom_host *h, const char *job_id, const char *cookie,
                    uint32_t vnode)
{
    static const char *args[] = { "/bin/sleep" };
    const struct task_request rq = { .version = 2,
                                     .job_id = job_id,
                                     .cookie = cookie,
                                     .command = TASK_SPAWN,
                                     .event = (int32_t)vnode + 1,
                                     .task = 1,
                                     .vnode = vnode,
                                     .args = { 1, args } };
    struct mom_out out = host_input(h);

    mom_task_request(h->mom, host_now_at(h), MOM_TASK_CONNECTION | ++h->last_connection,
                     &rq, &out);
    host_end_input(h, &out);
}

static void asks(struct sim *s, void *arg)
{
    const struct instant *x = arg;
    struct mom_host *h = x->host;
    const struct wire_attrs *attrs =
        h->mom && h->life == x->life ? mom_job_attrs(h->mom, x->job_id) : NULL;
    char *cookie, *hosts;
    uint32_t vnode = 1;

    (void)s;
    if (!attrs || !wire_attrs_value(attrs, "cookie", NULL))
        return;
    cookie = xstrdup(wire_attrs_value(attrs, "cookie", NULL));
    hosts = xstrdup(wire_attrs_value(attrs, "exec_host2", NULL));
    for (const char *at = hosts; (at = strchr(at, '+')) && h->mom; at++)
        ask_one(h, x->job_id, cookie, vnode++);
    free(cookie);
    free(hosts);
}

void extras_ask(struct mom_host *h, const char *job_id)
{
    const struct extra top = { .job_id = (char *)(uintptr_t)job_id };

    post(h, sim_latency_ms(h->sim), asks, &top, 0);
}
