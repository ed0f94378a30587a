/* job_preempt.c - jobs for which others leave (victims.h), and jobs that were stopped
 * and go on where they are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/jobs.h"
#include "scheduler/plan/length.h"
#include "scheduler/plan/resume.h"
#include "scheduler/plan/rules.h"
#include "scheduler/plan/vnode_limit.h"

/* Can others help who leave? Not where the vnodes will never do, and not against the
 * times and orders of the administrator (scheduling.md 22.2). */
static bool others_may_help(const struct failure *fail)
{
    switch (fail->kind) {
    case FAIL_NO_VNODES:
    case FAIL_IN_USE:
    case FAIL_SHORT:
    case FAIL_LIMIT:
    case FAIL_QUEUE_SHORT:
    case FAIL_SERVER_SHORT:
    case FAIL_CONFLICT:
    case FAIL_SET_BUSY:
    case FAIL_FEW_FREE_VNODES:
        return !fail->never;
    default:
        return false;
    }
}

static struct preemptor preemptor_of(const struct jobs *jobs, const struct snap_job *j,
                                     const char *id, const struct failure *fail,
                                     const struct demand *own)
{
    const struct planner *pl = jobs->pl;

    return (struct preemptor){
        .job = j,
        .id = id,
        .asked = jobs->asked,
        .own = own,
        .queue = jobs_queue_with_vnodes(pl, j),
        .end_at = job_end_at(pl, j),
        .lacks = fail->kind,
        .resource = fail->resource,
        .numbers = fail->numbers,
    };
}

/* Make others leave for the job, whose failure is no longer known then. 'own' and
 * 'found' as in victims.h. */
static bool preempt(struct jobs *jobs, const struct snap_job *j, const char *id,
                    const struct failure *fail, const struct demand *own,
                    struct placement *found)
{
    struct planner *pl = jobs->pl;
    const struct preemptor who = preemptor_of(jobs, j, id, fail, own);
    bool done = preempt_for(pl, &jobs->preempting, &who, found, &jobs->notes);

    /* The step has the notes. */
    if (done)
        jobs->notes = (struct plan_notes){ 0 };
    return done;
}

/* Say why nobody is made to leave, where there is somebody who could be. */
static void say_hopeless(struct jobs *jobs, const struct snap_job *j, const char *id,
                         const struct failure *fail)
{
    const struct preemptor who = preemptor_of(jobs, j, id, fail, NULL);

    preempt_hopeless(jobs->pl, &jobs->preempting, &who, &jobs->notes);
}

bool jobs_start_by_preemption(struct jobs *jobs, const struct snap_job *j,
                              const char *id, const struct failure *fail)
{
    struct planner *pl = jobs->pl;
    const struct shrunk full = { .length_s = job_full_s(pl, j) };
    struct placement found = { 0 };
    struct plan_step *step;

    if (!others_may_help(fail)) {
        say_hopeless(jobs, j, id, fail);
        return false;
    }
    if (!preempt(jobs, j, id, fail, NULL, &found))
        return false;
    world_book(pl->w, id, j->request, &found, pl->now_at, job_end_at(pl, j));
    quick_fit_took(pl, &found);
    vnode_limit_took(pl, j, &found);
    step = jobs_run(pl, j, id, &found, &full);
    step->preempts = step->considered = true;
    /* Whether others have left in vain is worth an answer. */
    if (step->waits == PLAN_WAIT_NONE)
        step->waits = PLAN_WAIT_HOOKS;
    queue_fit_took(pl, j);
    limit_fit_took(pl, j, job_end_at(pl, j));
    jobs_begin_anew(jobs);
    return true;
}

static enum plan_failure resume_resv(struct jobs *jobs, const struct snap_job *j,
                                     struct failure *fail)
{
    struct planner *pl = jobs->pl;

    room_enter(pl, &jobs->room, link_of_job(pl, j)->resv, job_end_at(pl, j));
    if (!jobs->room.link->has_vnodes)
        return FAIL_RESV_STATE;
    if (room_goes_on(pl, &jobs->room, j, job_end_at(pl, j), &fail->resource))
        return FAIL_NONE;
    return *fail->resource ? FAIL_SHORT : FAIL_NO_VNODES;
}

/* Let the job go on where others have what it needs; false: they do not leave. */
static bool resume_by_preemption(struct jobs *jobs, const struct snap_job *j,
                                 const struct failure *fail)
{
    struct planner *pl = jobs->pl;
    const struct job_link *link = link_of_job(pl, j);
    struct demand d;
    bool done;

    if (!link->has_vnodes || link->resv || !others_may_help(fail) ||
        !resume_may_use(pl, link))
        return false;
    d = world_demand(pl->w, pl->arena, j->request, &link->at);
    world_drop(pl->w, j->id);
    done = preempt(jobs, j, j->id, fail, &d, NULL);
    if (done)
        resume_take(pl, j, &d);
    else
        world_restore(pl->w, j->id);
    return done;
}

static struct plan_step *resume(struct planner *pl, const struct snap_job *j)
{
    struct plan_step *step = plan_add(pl, PLAN_RUN_JOB, j->id);

    step->vnodes = j->exec_vnode;
    step->resumes = rules_resumes(j);
    return step;
}

size_t jobs_try_resume(struct jobs *jobs, const struct snap_job *j)
{
    struct planner *pl = jobs->pl;
    const struct job_link *link = link_of_job(pl, j);
    struct failure fail = { 0 };
    struct limit_words words;
    struct plan_step *step;

    if (!link->has_vnodes && !link->rests)
        fail.kind = FAIL_NO_VNODES;
    else if (!limit_fit(pl, j, job_end_at(pl, j), &words))
        fail = (struct failure){ .kind = FAIL_LIMIT,
                                 .resource = words.comment,
                                 .numbers = words.log };
    else
        fail.kind = queue_fit(pl, j, &fail.resource, &fail.numbers, &fail.never);
    /* What is promised to its reservation is not asked again. */
    if (!fail.kind && !link->resv && !jobs->asked)
        fail.kind = vnode_limit_at(pl, j, &link->at);
    if (!fail.kind)
        fail.kind = link->resv ? resume_resv(jobs, j, &fail) : resume_field(pl, j);
    if (fail.kind && !resume_by_preemption(jobs, j, &fail)) {
        struct estimate est = { 0 };

        if (fail.kind != FAIL_LIMIT && !failure_is_of_sums(fail.kind))
            est = top_jobs_stands(pl, j);
        if (est.start_at > 0)
            starts_add(&jobs->starts, pl->arena, est.start_at);
        jobs_say_why(jobs, j, &fail, &est);
        jobs->last_waiting = j->id;
        return SEARCH_COST;
    }
    step = resume(pl, j);
    step->preempts = step->considered = fail.kind != FAIL_NONE;
    vnode_limit_took(pl, j, &link->at);
    queue_fit_took(pl, j);
    limit_fit_took(pl, j, job_end_at(pl, j));
    if (fail.kind)
        jobs_begin_anew(jobs);
    return SEARCH_COST;
}
