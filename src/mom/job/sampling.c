/* sampling.c - when usage is looked at, and what comes of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

void life_poll_soon(struct mom *m, int64_t now_at)
{
    m->sample_interval_s = m->cfg.min_check_poll_s;
    m->sample_at = MIN_OF(m->sample_at, now_at + m->sample_interval_s);
}

static void poll_sisters(struct mom *m, struct mom_out *out)
{
    struct mom_job *j, *next;

    DL_FOREACH_SAFE2 (m->wide, j, next, wide_next)
        /* Sisters give up what they have of a suspended job as well, when its mother
         * superior is not heard of. */
        if (!j->is_sister && job_has_processes(j))
            superior_poll(m, j, out);
}

void sampling_tick(struct mom *m, int64_t now_at, struct mom_out *out)
{
    /* Twenty samples, rounded up, lead from the fastest interval to the slowest
     * (execution.md 17). */
    int64_t step = (m->cfg.max_check_poll_s - m->cfg.min_check_poll_s + 19) / 20;

    if (now_at < m->sample_at)
        return;
    /* The next job that runs sets the time again (life_poll_soon()). */
    if (m->n_running == 0) {
        m->sample_at = INT64_MAX;
        return;
    }
    m->sample_at = now_at + m->sample_interval_s;
    m->sample_interval_s =
        m->registered ? MIN_OF(m->sample_interval_s + step, m->cfg.max_check_poll_s)
                      : m->cfg.max_check_poll_s;
    out_add(out, MOM_SAMPLE);
    poll_sisters(m, out);
}

void mom_pretend_usage(struct mom *m, const char *job_id)
{
    struct mom_job *j = job_find(m, job_id);

    if (j)
        j->top.is_pretended = true;
}

/* Its processes live: its limits count from now on. */
static void note_seen(struct mom *m, struct mom_job *j)
{
    if (!j->is_unseen)
        return;
    j->is_unseen = false;
    life_reckon(m, j);
}

void mom_used(struct mom *m, int64_t now_at, const char *job_id,
              const struct mom_usage *used)
{
    struct mom_job *j = job_find(m, job_id);

    /* The job may have ended while /proc was read, and suspended jobs are not sampled
     * (execution.md 17). */
    if (!j || j->phase != JOB_RUNNING)
        return;
    usage_live(m, j, now_at, used);
    note_seen(m, j);
}

void mom_used_in_all(struct mom *m, int64_t now_at, const char *job_id,
                     const struct mom_usage *used)
{
    struct mom_job *j = job_find(m, job_id);

    if (!j || !job_has_processes(j))
        return;
    usage_take(m, j, now_at, used);
    note_seen(m, j);
}

void mom_out_of_memory(struct mom *m, int64_t now_at, const char *job_id,
                       struct mom_out *out)
{
    struct mom_job *j = job_find(m, job_id);

    if (j && job_has_processes(j))
        usage_out_of_memory(m, now_at, j, out);
}

void mom_sampled(struct mom *m, int64_t now_at, struct mom_out *out)
{
    life_tell_sampled(m, now_at, out);
}
