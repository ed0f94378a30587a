/* termination.c - the end of a job's processes: first asked for, then forced.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include "lib/base/instant.h"

#include <signal.h>

void life_kill_late(int64_t now_at, struct mom_job *j, struct mom_out *out)
{
    if (now_at < j->kill_at || !job_has_processes(j))
        return;
    j->kill_at = INT64_MAX;
    out_joblog(out, LOG_EV_JOB, j, "kill_job");
    out_kill(out, j, SIGKILL);
}

/* A restart in between must not forget the script, or that SIGKILL follows. */
static void note_termination(struct mom_job *j, bool terminates, struct mom_out *out)
{
    struct wire_attr attr = { .name = JOB_TERMINATES, .value = terminates ? "1" : "0" };
    const struct wire_attrs one = { .n = 1, .v = &attr };

    j->is_terminating = terminates;
    job_replace_attrs(j, &one);
    out_job(out, MOM_SAVE, j);
}

static void kill_after_delay(struct mom *m, int64_t now_at, struct mom_job *j)
{
    int64_t delay = job_number(j, "job_kill_delay", NULL, KILL_DELAY_S);

    /* A second request does not put off the end that the first one has set. */
    j->kill_at = MIN_OF(j->kill_at, instant_after(now_at, MAX_OF(delay, 0)));
    life_reckon(m, j);
}

/* Stopped processes take no SIGTERM before they go on. */
static void wake(const struct mom_job *j, struct mom_out *out)
{
    if (j->phase == JOB_SUSPENDED || job_stands(j))
        out_kill(out, j, SIGCONT);
}

void life_terminate(struct mom *m, int64_t now_at, struct mom_job *j,
                    struct mom_out *out)
{
    MUST(job_has_processes(j));
    j->is_ended_by_order = true;
    if (j->is_terminating)
        return; /* the script is at it */
    out_joblog(out, LOG_EV_JOB, j, "kill_job");
    if (checkpoint_was_last(m, now_at, j, out))
        return;
    if (m->cfg.ends_by) {
        note_termination(j, true, out);
        wake(j, out);
        out_job(out, MOM_TERMINATE, j);
    } else {
        kill_after_delay(m, now_at, j);
        /* A MoM that dies behind the signal shall know why the processes have ended. */
        out_job(out, MOM_SAVE, j);
        wake(j, out);
        out_kill(out, j, SIGTERM);
    }
    life_poll_soon(m, now_at);
}

void mom_terminated(struct mom *m, int64_t now_at, const char *job_id, bool went_well,
                    struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || !j->is_terminating || !job_has_processes(j))
        return;
    kill_after_delay(m, now_at, j);
    note_termination(j, false, out);
    if (went_well)
        return;
    out_joblog(out, LOG_EV_ADMIN, j, "Terminate action failed");
    j->kill_at = now_at;
    life_kill_late(now_at, j, out);
    life_reckon(m, j);
}

/* A script whose end the MoM has not seen is begun anew. */
void life_recover_termination(struct mom *m, int64_t now_at, struct mom_job *j,
                              struct mom_out *out)
{
    const char *word = wire_attrs_value(&j->attrs, JOB_TERMINATES, NULL);

    if (word && *word == '1')
        life_terminate(m, now_at, j, out);
}
