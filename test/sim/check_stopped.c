/* check_stopped.c - see check_stopped.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_stopped.h"

#include "server/model/job_phase.h"
#include "server/model/job_suspend.h"
#include "sim.h"

#include <utlist.h>

#define PATIENCE_MS                                                                    \
    20000 /* orders that are under way have been carried out by then                   \
           */

static bool is_to_stand(const struct job *j)
{
    return job_phase(j) == JOB_SUSPENDED || job_phase(j) == JOB_SCHED_SUSPENDED ||
           job_stopped_by_host(j);
}

/* The job whose run that is, as far as the server knows; NULL: it is none of any run
 * that is to go on. */
static const struct job *job_of(const struct sim *s, const char *job_id,
                                int32_t run_version)
{
    const struct job *j = model_job(shell_model(s), job_id);

    return j && job_state(j) == 'R' && job_phase(j) != JOB_STARTING &&
                   obj_num(&j->obj, JOB_A_RUN_VERSION, 0) == run_version
               ? j
               : NULL;
}

static void check_one(struct sim *s, const struct mom_host *h, const struct job *j,
                      const char *what, bool is_stopped, int64_t *wrong_ms)
{
    if (!j || is_to_stand(j) == is_stopped) {
        *wrong_ms = 0;
        return;
    }
    if (*wrong_ms == 0)
        *wrong_ms = s->clock.now_ms;
    if (s->clock.now_ms - *wrong_ms >= PATIENCE_MS)
        check_failed(s, CHECK_STOPPED, "job %s %s, and its %s at %s %s", j->obj.id,
                     is_to_stand(j) ? "is stopped" : "runs", what, h->name,
                     is_stopped ? "stands" : "goes on");
}

void check_stopped(struct sim *s)
{
    if (!shell_model(s))
        return;
    for (int i = 0; i < s->cluster.n_hosts; i++) {
        struct mom_host *h = &s->hosts[i];
        struct extra *x;
        struct run *r;

        DL_FOREACH (h->runs, r)
            if (r->state == RUN_ON && !r->was_signalled)
                check_one(s, h, job_of(s, r->job_id, r->run_version), "top task",
                          r->is_stopped, &r->wrong_ms);
        DL_FOREACH (h->extras, x)
            if (x->state == RUN_ON && !x->is_dying)
                check_one(s, h, job_of(s, x->job_id, x->run_version), "task",
                          x->is_stopped, &x->wrong_ms);
    }
}

void expect_processes(struct sim *s, const char *job_id, bool are_to_stand)
{
    size_t n = 0;

    for (int i = 0; i < s->cluster.n_hosts; i++) {
        const struct mom_host *h = &s->hosts[i];
        const struct extra *x;
        const struct run *r;

        DL_FOREACH (h->runs, r)
            if (r->state == RUN_ON && str_same(r->job_id, job_id)) {
                n++;
                if (r->is_stopped != are_to_stand)
                    check_failed(s, CHECK_EXPECT, "the top task of %s %s at %s", job_id,
                                 r->is_stopped ? "stands" : "goes on", h->name);
            }
        DL_FOREACH (h->extras, x)
            if (x->state == RUN_ON && !x->is_dying && str_same(x->job_id, job_id)) {
                n++;
                if (x->is_stopped != are_to_stand)
                    check_failed(s, CHECK_EXPECT, "a task of %s %s at %s", job_id,
                                 x->is_stopped ? "stands" : "goes on", h->name);
            }
    }
    if (n == 0)
        check_failed(s, CHECK_EXPECT, "%s has no processes", job_id);
}
