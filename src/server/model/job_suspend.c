/* job_suspend.c - see job_suspend.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_suspend.h"

#include "lib/attr/job_attrs.h"
#include "lib/base/instant.h"
#include "server/model/job_phase.h"
#include "server/model/job_state.h"

#include <string.h>

static const char *const words[SUSPEND_MANNERS] = {
    [SUSPEND_BY_CLIENT] = "suspend",
    [SUSPEND_BY_ADMIN] = "admin-suspend",
    [SUSPEND_BY_SCHEDULER] = "preempt",
};

const char *suspend_word(enum suspend_manner manner)
{
    MUST(manner < SUSPEND_MANNERS && words[manner]);
    return words[manner];
}

enum suspend_manner suspend_manner_named(const char *word)
{
    for (enum suspend_manner i = SUSPEND_NOT + 1; i < SUSPEND_MANNERS; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return SUSPEND_NOT;
}

enum suspend_manner job_suspend_manner(const struct job *job)
{
    return suspend_manner_named(obj_str(&job->obj, JOB_A_HF_SUSPEND, ""));
}

bool job_is_suspended(const struct job *job)
{
    enum job_phase phase = job_phase(job);

    return phase == JOB_SUSPENDED || phase == JOB_SCHED_SUSPENDED;
}

bool job_is_suspended_by_admin(const struct job *job)
{
    return job_is_suspended(job) && job_suspend_manner(job) == SUSPEND_BY_ADMIN;
}

bool job_stopped_by_host(const struct job *job)
{
    return job_state(job) == 'R' && obj_num(&job->obj, JOB_A_HF_STANDS, 0);
}

bool job_is_to_stop(const struct job *job)
{
    return job_phase(job) == JOB_RUNNING && job_suspend_manner(job) != SUSPEND_NOT &&
           !obj_num(&job->obj, JOB_A_HF_RESUME, 0);
}

bool job_is_to_go_on(const struct job *job)
{
    return job_phase(job) == JOB_RUNNING && obj_num(&job->obj, JOB_A_HF_RESUME, 0);
}

bool job_is_stopped(const struct job *job)
{
    return job_suspend_manner(job) != SUSPEND_NOT &&
           !obj_num(&job->obj, JOB_A_HF_RESUME, 0);
}

bool job_gave_back(const struct job *job)
{
    return obj_is_set(&job->obj, JOB_A_EXEC_VNODE_KEPT);
}

const char *job_booked_text(const struct job *job)
{
    int attr = job_gave_back(job) ? JOB_A_EXEC_VNODE_KEPT : JOB_A_EXEC_VNODE;

    return obj_str(&job->obj, attr, NULL);
}

int job_counted_list(const struct job *job)
{
    return job_gave_back(job) ? JOB_A_HF_KEPT_LIST : JOB_A_RESOURCE_LIST;
}

int64_t job_ran_s(const struct job *job, int64_t now_at)
{
    int64_t ran_s = obj_num(&job->obj, JOB_A_RAN_TIME, 0);
    int64_t from_at =
        obj_num(&job->obj, JOB_A_RUNS_FROM, obj_num(&job->obj, JOB_A_STIME, now_at));

    return job_is_suspended(job) || job_stopped_by_host(job)
               ? ran_s
               : ran_s + MAX_OF(now_at - from_at, 0);
}

int64_t job_walltime_left(const struct job *job)
{
    const struct resources *list = obj_resources(&job->obj, JOB_A_RESOURCE_LIST);
    int64_t walltime_s = resources_amount(list, "walltime", INT64_MAX);

    if (walltime_s == INT64_MAX)
        return INT64_MAX;
    /* It may have been altered to less than what the job ran already. */
    return MAX_OF(walltime_s - obj_num(&job->obj, JOB_A_RAN_TIME, 0), 1);
}

int64_t job_ends_at(const struct job *job, int64_t now_at)
{
    int64_t from_at = job_is_suspended(job) || job_stopped_by_host(job)
                          ? now_at
                          : obj_num(&job->obj, JOB_A_RUNS_FROM,
                                    obj_num(&job->obj, JOB_A_STIME, now_at));

    return instant_after(from_at, job_walltime_left(job));
}
