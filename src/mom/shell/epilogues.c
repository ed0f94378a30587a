/* epilogues.c - see epilogues.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/epilogues.h"

#include "mom/shell/as_user.h"
#include "mom/shell/prologue.h"
#include "mom/shell/script.h"
#include "mom/shell/script_report.h"
#include "mom/shell/signalling.h"
#include "mom/shell/starting.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

#define AT_A_TIME 20 /* (execution.md 21) */
/* The process ends the script in time; this is for a home directory that hangs. */
#define GRACE_MS  60000

struct ending {          /* a job whose epilogue, or what follows it, waits or runs */
    struct shell *shell; /* NULL: nobody is told of its end any more */
    struct arena *arena;
    struct epilogue epilogue; /* its attributes are those of the core, asked for anew */
    bool removes;             /* and then output that shall not be left */
    pid_t pid;                /* 0: it waits */
    struct ending *prev, *next;
};

static struct ending *find(const struct shell *s, const char *job_id)
{
    struct ending *e;

    DL_FOREACH (s->endings, e)
        if (strcmp(e->epilogue.job_id, job_id) == 0)
            return e;
    return NULL;
}

static void ending_free(struct ending *e)
{
    arena_free(e->arena);
    free(e);
}

static void unlist(struct shell *s, struct ending *e)
{
    DL_DELETE(s->endings, e);
    if (e->pid) {
        MUST(s->n_epilogues > 0);
        s->n_epilogues--;
    }
}

struct work {
    const struct plan_host *host;
    const struct epilogue *epilogue;
    bool removes;
};

/* A job that has ended well leaves no output that it shall not leave. What lies in the
 * spool is not delivered then, and goes with the job. */
static void remove_outputs(const struct work *w)
{
    const char *paths[PLAN_REMOVED_MAX];
    struct plan plan = { 0 };
    size_t n = plan_removed(w->host, w->epilogue->job_id, w->epilogue->attrs,
                            arena_new(), &plan, paths); /* this process ends */

    if (n > 0 && start_become_user(&plan))
        for (size_t i = 0; i < n; i++)
            (void)unlink(paths[i]);
}

static bool has_script(const struct plan_host *host)
{
    char path[PATH_MAX];

    return script_look(epilogue_path(host, path)) != SCRIPT_IS_MISSING;
}

static bool run(const void *arg, struct buf *report)
{
    const struct work *w = arg;
    int code = has_script(w->host)
                   ? epilogue_run(w->host, w->epilogue, script_report_say, report)
                   : 0;

    script_report_end(report, code);
    if (w->removes && code != MOM_EPILOGUE_RESTARTS)
        remove_outputs(w);
    return true;
}

static void start_waiting(struct shell *s, struct mom_out *out);

static void on_done(void *arg, enum as_user_end end, const char *report)
{
    struct ending *e = arg;
    struct shell *s = e->shell;
    struct mom_out out;
    int code;

    if (!s) {
        ending_free(e);
        return;
    }
    out = (struct mom_out){ .arena = s->arena };
    code = script_report_take(s, e->epilogue.job_id, report);
    if (end == AS_USER_LATE)
        shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, e->epilogue.job_id,
                  "the epilogue does not come to an end and is left alone");
    unlist(s, e);
    mom_epilogue_done(s->mom, clock_steady(), e->epilogue.job_id, code, &out);
    ending_free(e);
    start_waiting(s, &out);
    shell_carry_out(s, &out);
}

/* False: it cannot be started, and is over. */
static bool start(struct shell *s, struct ending *e)
{
    const struct work work = { .host = &s->host,
                               .epilogue = &e->epilogue,
                               .removes = e->removes };
    const struct as_user a = { .uid = geteuid(),
                               .gid = getegid(),
                               .dir = "/",
                               .limit_ms = s->config.prolog_alarm_s * 1000 + GRACE_MS,
                               .run = run,
                               .work = &work,
                               .done = on_done,
                               .arg = e,
                               .ret_pid = &e->pid };
    struct diag why;

    MUST(e->pid == 0);
    e->epilogue.attrs = mom_job_attrs(s->mom, e->epilogue.job_id);
    MUST(e->epilogue.attrs); /* a job that goes takes its epilogue along */
    if (as_user_start(s->loop, &a, &why) == 0) {
        s->n_epilogues++;
        return true;
    }
    shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, e->epilogue.job_id, why.text);
    return false;
}

static void start_waiting(struct shell *s, struct mom_out *out)
{
    struct ending *e, *next;

    DL_FOREACH_SAFE (s->endings, e, next) {
        if (s->n_epilogues >= AT_A_TIME)
            return;
        if (e->pid || start(s, e))
            continue;
        unlist(s, e);
        mom_epilogue_done(s->mom, clock_steady(), e->epilogue.job_id, SCRIPT_BROKEN,
                          out);
        ending_free(e);
    }
}

void epilogues_start(struct shell *s, const struct mom_effect *of, struct mom_out *out)
{
    struct ending *e;

    if (!mom_job_attrs(s->mom, of->job_id) || find(s, of->job_id))
        return; /* it has gone meanwhile */
    if (!of->u.epilogue.removes && !has_script(&s->host)) {
        mom_epilogue_done(s->mom, clock_steady(), of->job_id, 0, out);
        return;
    }
    signalling_settle(s, of->job_id); /* it finds nothing of the job */
    e = xcalloc(1, sizeof(*e));
    e->shell = s;
    e->arena = arena_new();
    e->removes = of->u.epilogue.removes;
    e->epilogue = (struct epilogue){
        .job_id = arena_strdup(e->arena, of->job_id),
        .session = of->u.epilogue.session,
        .status = of->u.epilogue.status,
        .asked = arena_strdup(e->arena, of->u.epilogue.asked),
        .used = arena_strdup(e->arena, of->u.epilogue.used),
    };
    DL_APPEND(s->endings, e);
    start_waiting(s, out);
}

/* Its end is told by its process; one that waits has not begun and is not ended. */
void epilogues_kill(struct shell *s, const char *job_id)
{
    const struct ending *e = find(s, job_id);

    if (e && e->pid)
        kill(e->pid, SIGKILL);
}

void epilogues_drop(struct shell *s, const char *job_id)
{
    struct ending *e = find(s, job_id);

    if (!e)
        return;
    unlist(s, e);
    if (!e->pid) {
        ending_free(e);
        return;
    }
    kill(e->pid, SIGKILL);
    e->shell = NULL; /* on_done() frees it */
}

/* The processes end with the MoM. */
void epilogues_close(struct shell *s)
{
    struct ending *e, *next;

    DL_FOREACH_SAFE (s->endings, e, next) {
        unlist(s, e);
        ending_free(e);
    }
}
