/* terminations.c - see terminations.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/terminations.h"

#include "mom/shell/action_script.h"
#include "mom/shell/as_user.h"
#include "mom/shell/script_report.h"

#include <stdlib.h>
#include <unistd.h>

/* The process ends the script in time. This is for a process that hangs itself, and for
 * a script that may take as long as it likes. */
#define GRACE_MS 60000
#define LONG_MS  (INT64_C(10) * 366 * 86400 * 1000)

struct termination {
    struct shell *shell;
    char *job_id;
    int32_t run_version;
};

static void termination_free(struct termination *t)
{
    free(t->job_id);
    free(t);
}

static bool run(const void *arg, struct buf *report)
{
    script_report_end(report, action_call(arg, false, script_report_say, report));
    return true;
}

static void on_done(void *arg, enum as_user_end end, const char *report)
{
    struct termination *t = arg;
    struct shell *s = t->shell;
    struct mom_out out = { .arena = s->arena };
    int code = script_report_take(s, t->job_id, report);

    /* The same job may be here once more by now. */
    if (mom_job_run_version(s->mom, t->job_id) == t->run_version)
        mom_terminated(s->mom, clock_steady(), t->job_id,
                       end == AS_USER_DONE && code == 0, &out);
    termination_free(t);
    shell_carry_out(s, &out);
}

void terminations_start(struct shell *s, const char *job_id, struct mom_out *out)
{
    const struct config_action *action = &s->config.actions[CONFIG_ACTION_TERMINATE];
    const struct action_call call = { .host = &s->host,
                                      .kind = CONFIG_ACTION_TERMINATE,
                                      .job_id = job_id,
                                      .attrs = mom_job_attrs(s->mom, job_id),
                                      .session = mom_job_session(s->mom, job_id),
                                      .task = 1 };
    struct as_user a = { .uid = geteuid(),
                         .gid = getegid(),
                         .dir = "/",
                         .limit_ms = action->limit_s ? action->limit_s * 1000 + GRACE_MS
                                                     : LONG_MS,
                         .run = run,
                         .work = &call,
                         .done = on_done };
    struct termination *t;
    struct diag why;

    if (!call.attrs) /* effects wait in a list while jobs go */
        return;
    if (!action->path) { /* gone with a SIGHUP */
        mom_terminated(s->mom, clock_steady(), job_id, false, out);
        return;
    }
    t = xcalloc(1, sizeof(*t));
    *t = (struct termination){ .shell = s,
                               .job_id = xstrdup(job_id),
                               .run_version = mom_job_run_version(s->mom, job_id) };
    a.arg = t;
    if (as_user_start(s->loop, &a, &why) == 0)
        return;
    termination_free(t);
    shell_log(s, LOG_EV_ERROR, LOG_IN_JOB, job_id, why.text);
    mom_terminated(s->mom, clock_steady(), job_id, false, out);
}
