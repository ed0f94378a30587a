/* recovery.c - jobs that a MoM finds when it starts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include <signal.h>

/* Without -p nothing of it is kept; with it the mother superior hears that it is here
 * (tpp.md 6.6). */
static void recover_sister(struct mom *m, int64_t now_at, bool kill_jobs,
                           struct mom_job *j, struct mom_out *out)
{
    /* Its record is written before the join is answered, and not again then: the mother
     * superior may count on this host. */
    if (j->phase == JOB_PRERUN && !kill_jobs) {
        job_set_phase(m, j, JOB_RUNNING);
        j->since_at = now_at;
    }
    if (job_has_processes(j) && !kill_jobs) {
        sister_recover_image(j, out);
        sister_reconnect(m, now_at, j, out);
        return;
    }
    out_kill(out, j, SIGKILL);
    life_drop(m, j, out);
}

static void recover(struct mom *m, int64_t now_at, bool kill_jobs, struct mom_job *j,
                    struct mom_out *out)
{
    if (j->is_sister) {
        recover_sister(m, now_at, kill_jobs, j, out);
        return;
    }
    if (j->phase == JOB_EXITED || j->phase == JOB_OBIT) {
        job_set_phase(m, j, JOB_OBIT); /* the server says once more what it wants */
        return;
    }
    if (j->phase == JOB_KILLING || j->phase == JOB_EPILOGUE) {
        job_set_phase(m, j, JOB_KILLING);
        checkpoint_abandon(m, j, out); /* it may have ended while one was made */
        if (!superior_kill(m, now_at, j, out))
            life_over(m, now_at, j, out);
        return;
    }
    if (!job_has_processes(j)) {
        if (!j->is_lost)
            out_joblog(out, LOG_EV_JOB, j, "the MoM ended before the job began");
        life_end(m, now_at, j,
                 j->is_lost ? checkpoint_status_of_restart(j) : STATUS_RETRY, out);
        return;
    }
    superior_recover(j);
    checkpoint_recover(m, now_at, j, out);
    if (kill_jobs)
        life_give_back(m, j, out);
    else
        life_recover_termination(m, now_at, j, out);
}

/* A job that ran and of which nothing is found is lost. One that was accepted and had
 * not begun goes back to the server, which may have given it up meanwhile and let it
 * run elsewhere: only the server knows whether it shall still begin. */
bool mom_load(struct mom *m, const char *data, size_t len, const char **ret_id)
{
    struct mom_job *j = job_decode(m, data, len);

    if (!j)
        return false;
    *ret_id = j->id;
    if (j->phase == JOB_RESTING) {
        resting_add(m, j);
        return true;
    }
    if (j->is_sister)
        return true; /* it has no top task that could be lost */
    if (job_has_processes(j)) {
        j->is_lost = true;
        j->was = j->phase;
        job_set_phase(m, j, JOB_PRERUN);
    }
    return true;
}

void mom_found(struct mom *m, const char *job_id, bool running, int32_t status)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || !j->is_lost)
        return;
    MUST(j->was == JOB_RUNNING || j->was == JOB_SUSPENDED); /* mom_load() */
    j->is_lost = false;
    j->is_unseen = running;
    if (running || checkpoint_keeps_end(j, status)) {
        job_set_phase(m, j, j->was);
        if (!running)
            life_stop_clock(m, j->since_at, j);
    } else {
        /* What comes after the end of its processes is done by mom_start(). */
        life_preset(j, status);
        job_set_phase(m, j, JOB_KILLING);
    }
}

void mom_start(struct mom *m, int64_t now_at, bool kill_jobs, struct mom_out *out)
{
    struct mom_job *j, *tmp;
    bool stood = false, unseen = false;

    HASH_ITER (hh, m->jobs, j, tmp) {
        const char *id = arena_strdup(out->arena, j->id);

        recover(m, now_at, kill_jobs, j, out);
        j = job_find(m, id); /* a sister's part may be gone */
        if (!j)
            continue;
        standing_stop_again(m, j, out);
        stood = stood || (job_has_processes(j) && job_stands(j));
        life_reckon(m, j);
        if (job_has_processes(j))
            life_poll_soon(m, now_at);
        unseen = unseen || j->is_unseen;
    }
    /* One may be over a limit by now. */
    if (unseen)
        out_add(out, MOM_SAMPLE);
    if (stood)
        standing_was_busy(m);
    standing_begin(m, now_at, out);
}
