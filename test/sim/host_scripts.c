/* host_scripts.c - the administrator's scripts at the end of a job, in virtual time:
 * the one that ends it in the place of SIGTERM, and the epilogue. They end with their
 * MoM (mom/shell/as_user.c), and the next one begins them anew.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "host.h"
#include "sim.h"

#include <signal.h>
#include <stdlib.h>
#include <utlist.h>

#define SCRIPT_MS  2000 /* in calm weather */
/* What an epilogue ends with (execution.md 16). */
#define ENDS_WELL  0
#define SENDS_BACK 2
#define WAS_KILLED (-4)

struct script_run {
    uint64_t number;
    char *job_id;
    int32_t run_version;
    bool is_epilogue, is_killed;
    struct script_run *prev, *next;
};

struct script_end {
    struct mom_host *host;
    uint64_t number;
};

static void free_script(struct mom_host *h, struct script_run *k)
{
    DL_DELETE(h->scripts, k);
    free(k->job_id);
    free(k);
}

void scripts_forget(struct mom_host *h)
{
    while (h->scripts)
        free_script(h, h->scripts);
}

static struct script_run *find(const struct mom_host *h, uint64_t number)
{
    struct script_run *k;

    DL_FOREACH (h->scripts, k)
        if (k->number == number)
            return k;
    return NULL;
}

/* In rough weather scripts fail, and send jobs back that have an image or have none. */
static int choose_code(struct sim *s)
{
    if (s->sends_back) {
        s->sends_back = false;
        return SENDS_BACK;
    }
    if (!s->weather.jitter_ms)
        return ENDS_WELL;
    if (rnd_percent(&s->rnd, 20))
        return SENDS_BACK;
    return rnd_percent(&s->rnd, 10) ? WAS_KILLED : ENDS_WELL;
}

static int code_of(struct mom_host *h, const struct script_run *k)
{
    int code = k->is_killed ? WAS_KILLED : choose_code(h->sim);

    if (code == SENDS_BACK)
        check_run_sent_back(h, k->job_id, k->run_version);
    return code;
}

/* The job may be here once more by now, with another run. */
static void end(struct mom_host *h, struct script_run *k)
{
    struct sim *s = h->sim;
    struct mom_out out;

    MUST(h->mom); /* else they were forgotten */
    out = host_input(h);
    if (mom_job_run_version(h->mom, k->job_id) != k->run_version)
        sim_trace(s, "host %s: a script of %s is late", h->name, k->job_id);
    else if (k->is_epilogue)
        mom_epilogue_done(h->mom, host_now_at(h), k->job_id, code_of(h, k), &out);
    else
        mom_terminated(h->mom, host_now_at(h), k->job_id,
                       !s->weather.jitter_ms || !rnd_percent(&s->rnd, 10), &out);
    free_script(h, k);
    host_end_input(h, &out);
}

static void is_over(struct sim *s UNUSED, void *arg)
{
    const struct script_end *x = arg;
    struct script_run *k = find(x->host, x->number);

    if (!k)
        return;
    if (!k->is_epilogue)
        host_signal_job(x->host, k->job_id, SIGTERM);
    end(x->host, k);
}

static void end_after(struct mom_host *h, const struct script_run *k, int64_t delay_ms)
{
    struct script_end *x = xmalloc(sizeof(*x));

    *x = (struct script_end){ h, k->number };
    sim_after(h->sim, delay_ms, is_over, x, free);
}

static void start(struct mom_host *h, const char *job_id, bool is_epilogue)
{
    struct sim *s = h->sim;
    struct script_run *k = xcalloc(1, sizeof(*k));

    *k = (struct script_run){ .number = ++h->last_run,
                              .job_id = xstrdup(job_id),
                              .run_version = mom_job_run_version(h->mom, job_id),
                              .is_epilogue = is_epilogue };
    DL_APPEND(h->scripts, k);
    sim_trace(s, "host %s: %s of %s", h->name,
              is_epilogue ? "the epilogue" : "a script for the end", job_id);
    end_after(h, k,
              s->weather.jitter_ms ? rnd_range(&s->rnd, 0, 10 * SCRIPT_MS) : SCRIPT_MS);
}

void scripts_end_job(struct mom_host *h, const char *job_id)
{
    if (mom_job_attrs(h->mom, job_id))
        start(h, job_id, false);
}

void scripts_epilogue(struct mom_host *h, const char *job_id, struct mom_out *out)
{
    if (!h->sim->epilogues)
        mom_epilogue_done(h->mom, host_now_at(h), job_id, ENDS_WELL, out);
    else if (mom_job_attrs(h->mom, job_id))
        start(h, job_id, true);
}

void scripts_kill_epilogue(struct mom_host *h, const char *job_id)
{
    struct script_run *k;

    DL_FOREACH (h->scripts, k)
        if (k->is_epilogue && str_same(k->job_id, job_id))
            break;
    if (!k || k->is_killed)
        return;
    k->is_killed = true;
    end_after(h, k, 0);
}
