/* preempt_method.c - see preempt_method.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/preempt_method.h"

#include "lib/attr/job_attrs.h"
#include "server/decide/checkpoint.h"
#include "server/decide/job_end.h"
#include "server/decide/suspension.h"
#include "server/model/job_phase.h"
#include "server/requests/job_access.h"
#include "server/requests/job_rerun.h"

static int by_suspension(const struct model *m UNUSED, const struct request *rq,
                         const struct job *job, struct decision *out)
{
    int err = suspension_may_begin(job, out);
    struct record *rec;

    if (err)
        return err;
    rec = decide(out, rq, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);
    rec->reason = REASON_SUSPEND;
    rec->note = "suspend";
    suspension_ask(rec, out->arena, SUSPEND_BY_SCHEDULER);
    return 0;
}

/* It leaves when its MoM has an image of it, and stays when that cannot be made. */
static int by_checkpoint(const struct model *m UNUSED, const struct request *rq,
                         const struct job *job, struct decision *out)
{
    int err = checkpoint_may_begin(job, out);
    struct record *rec;

    if (err)
        return err;
    rec = decide(out, rq, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);
    rec->reason = REASON_CHECKPOINT;
    checkpoint_ask(rec, out->arena, CHECKPOINT_TO_PREEMPT);
    return 0;
}

/* From now on it counts as preempted: in the queue it stands before others of its
 * level. */
static int by_requeue(const struct model *m UNUSED, const struct request *rq,
                      const struct job *job, struct decision *out)
{
    int err = job_may_rerun(job, out);

    if (err)
        return err;
    record_change_num(job_rerun_record(job, rq->actor, rq->now_at, out), out->arena,
                      JOB_A_PTIME, rq->now_at);
    return 0;
}

static int by_deletion(const struct model *m, const struct request *rq,
                       const struct job *job, struct decision *out)
{
    int err = job_mom_is_heard(job, out);

    if (!err)
        job_delete_records(m, job, rq->actor, rq->now_at, 0, out);
    return err;
}

static const struct method {
    char letter;
    const char *name;
    int (*begin)(const struct model *m, const struct request *rq, const struct job *job,
                 struct decision *out);
} methods[] = {
    { 'S', "suspend", by_suspension },
    { 'C', "checkpoint", by_checkpoint },
    { 'R', "requeue", by_requeue },
    { 'D', "delete", by_deletion },
};

static const struct method *method_of(char letter)
{
    for (size_t i = 0; i < ARRAY_LEN(methods); i++)
        if (methods[i].letter == letter)
            return &methods[i];
    MUST(!"a method of preemption"); /* preempt_methods_for() gives no other letter */
    return NULL;
}

int preempt_begin(char method, const struct model *m, const struct request *rq,
                  const struct job *job, struct decision *out)
{
    size_t before = out->records.n;
    int err = method_of(method)->begin(m, rq, job, out);

    MUST(err == 0 || out->records.n == before);
    return err;
}

const char *preempt_method_name(char method)
{
    return method_of(method)->name;
}

static int percent_left(const struct job *job, int64_t now_at)
{
    static const char *const wall[] = { "soft_walltime", "walltime" };
    const struct resources *list = obj_resources(&job->obj, JOB_A_RESOURCE_LIST);
    const struct resources *used = obj_resources(&job->obj, JOB_A_RESOURCES_USED);

    for (size_t i = 0; i < ARRAY_LEN(wall); i++) {
        int64_t wanted_s = resources_amount(list, wall[i], 0);

        if (wanted_s > 0)
            return preempt_percent_left(wanted_s, job_ran_s(job, now_at));
    }
    return preempt_percent_left(resources_amount(list, "cput", 0),
                                resources_amount(used, "cput", 0));
}

struct preempt_methods preempt_methods_of(const char *order, const struct job *job,
                                          int64_t now_at)
{
    return preempt_methods_for(order, percent_left(job, now_at));
}

/* Somebody has asked its MoM for something that takes it off its vnodes. */
static bool is_asked_to_leave(const struct job *job)
{
    return obj_is_set(&job->obj, JOB_A_HF_KILL_BY) ||
           obj_num(&job->obj, JOB_A_HF_REQUEUE, 0) || job_is_to_stop(job) ||
           checkpoint_asked(job) != CHECKPOINT_NOT;
}

enum preempt_state preempt_look(const struct job *job, const char **ret_letter)
{
    if (!job || job->past || job_state(job) == 'X') {
        *ret_letter = "D";
        return PREEMPT_LEFT;
    }
    /* An array has no vnodes: its subjobs have. */
    if (job->array)
        return PREEMPT_STAYS;
    if (!job_is_at_mom(job)) {
        *ret_letter = job_has_image(job) ? "C" : "Q";
        return PREEMPT_LEFT;
    }
    if (job_state(job) == 'E' || is_asked_to_leave(job))
        return PREEMPT_LEAVING;
    if (!job_is_suspended(job) || job_is_suspended_by_admin(job))
        return PREEMPT_STAYS;
    *ret_letter = "S";
    return PREEMPT_LEFT;
}
