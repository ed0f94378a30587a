/* noting.c - whether records of jobs can be written.
 *
 * A MoM that cannot write them takes no job: what began without a record would begin
 * once more after a restart. Were the server not told, it would send the same job again
 * at once, until it had been started too often and was held. So the host is busy
 * (STATE_BUSY) from the first record that cannot be written on: schedulers leave it
 * alone, and what runs there goes on. There is no state of PBS for it that a MoM may
 * both set and take back: offline_by_mom stays until an administrator removes it. When
 * there is room again, what could not be written of jobs that go on is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

#define TRY_INTERVAL_S 10

void noting_tick(struct mom *m, int64_t now_at, struct mom_out *out)
{
    if (now_at < m->try_note_at)
        return;
    m->try_note_at = now_at + TRY_INTERVAL_S;
    out_add(out, MOM_TRY_NOTE);
}

/* A restart would know them as they were before. */
static void save_again(struct mom_job *jobs, struct mom_out *out)
{
    struct mom_job *j, *next;

    HASH_ITER (hh, jobs, j, next) {
        if (j->is_unsaved)
            out_job(out, MOM_SAVE, j);
        j->is_unsaved = false;
    }
}

void mom_not_saved(struct mom *m, int64_t now_at, const char *job_id,
                   const struct diag *why, struct mom_out *out)
{
    struct mom_job *j = job_find_any(m, job_id);

    if (j)
        j->is_unsaved = true;
    mom_noted(m, now_at, why, out);
}

void mom_noted(struct mom *m, int64_t now_at, const struct diag *why,
               struct mom_out *out)
{
    bool could_not = m->cannot_note;

    m->cannot_note = why != NULL;
    if (m->cannot_note == could_not)
        return;
    m->try_note_at = m->cannot_note ? now_at + TRY_INTERVAL_S : INT64_MAX;
    if (why)
        out_log(out, LOG_EV_ERROR, LOG_IN_SERVER, "records",
                "records of jobs cannot be written (%s): the host takes no jobs until "
                "they can; make room in mom_priv",
                why->text);
    else
        out_log(out, LOG_EV_SYSTEM, LOG_IN_SERVER, "records",
                "records of jobs can be written again: the host takes jobs");
    if (!why) {
        save_again(m->jobs, out);
        save_again(m->resting, out);
    }
    if (m->registered)
        link_send_update(m, out);
}
