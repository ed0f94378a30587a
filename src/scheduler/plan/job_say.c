/* job_say.c - what a plan says of a job that waits: why, when it may begin, and whose
 * the time is in which it waits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/jobs.h"
#include "scheduler/plan/plan_check.h"
#include "scheduler/plan/waiting.h"

#include <string.h>

/* 'est' NULL: it is no top job. The estimate of a subjob is its array's, and only jobs
 * are marked (scheduling.md 25). */
static void say_when(struct plan_step *step, const struct snap_job *j,
                     const struct estimate *est)
{
    bool top = est && est->tried;

    if (!j->array && top != j->topjob)
        step->topjob = top ? "True" : "False";
    if (!top)
        return;
    step->top = true;
    step->est_start_at = est->start_at;
    step->est_vnodes = est->vnodes;
    step->est_known = est->start_at == j->estimated.start_at &&
                      str_same(est->vnodes, j->estimated.vnodes);
}

/* Does the job wait for its owner's own jobs, or for what the site thinks of it? Of the
 * limits of vnodes those of groups count, and no others (scheduling.md 30). */
static bool is_of_owner(const struct failure *fail)
{
    return fail->of_owner || fail->kind == FAIL_FORMULA ||
           fail->kind == FAIL_VNODE_GROUP_LIMIT;
}

/* The time is the job's own while its owner's limits hold it or would if those before
 * it ran, soft ones are exceeded,
 * or it is worth too little; else it makes the job eligible (scheduling.md 30). Of what
 * cannot be read nothing is known. Returns the type, 0: nobody counts. */
static int64_t say_accrual(struct plan_step *step, const struct jobs *jobs,
                           const struct snap_job *j, const struct failure *fail)
{
    struct planner *pl = jobs->pl;
    int64_t type;

    if (!pl->s->counts_eligible || fail->kind == FAIL_JOB_SELECT ||
        (j->state != 'Q' && j->state != 'B'))
        return 0;
    type = is_of_owner(fail) || limit_fit_soft(pl, j) ||
                   (jobs->beyond && jobs->beyond[j - pl->s->jobs])
               ? 1
               : 2;
    if (j->accrue_type != type)
        step->accrue_type = type == 1 ? "1" : "2";
    return type;
}

/* At most FAILURE_MAX_BYTES of it: what ten thousand vnodes offer is no comment. */
static const char *cut(struct arena *arena, const char *text)
{
    size_t len = strnlen(text, FAILURE_MAX_BYTES + 1);

    if (len <= FAILURE_MAX_BYTES)
        return text;
    len = FAILURE_MAX_BYTES;
    while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--; /* no part of a character of UTF-8 */
    return arena_strndup(arena, text, len);
}

static struct failure_words make_words(struct arena *arena, const struct failure *fail)
{
    const char *comment =
        failure_comment(arena, fail->kind, fail->resource, fail->numbers);
    const char *log =
        failure_log(arena, fail->kind, ASKER_JOB, fail->resource, fail->numbers);

    return (struct failure_words){
        .log = cut(arena, log),
        .comment = cut(
            arena,
            arena_printf(arena, "%s%s",
                         fail->never ? "Can Never Run: " : "Not Running: ", comment)),
    };
}

/* Jobs that ask for the same stand behind each other, and their texts are shared. */
static bool is_as_last(const struct jobs *jobs, const struct failure *fail)
{
    const struct failure *last = &jobs->last_own;

    return last->kind == fail->kind && last->never == fail->never &&
           last->resource == fail->resource && last->numbers == fail->numbers;
}

/* Thousands of jobs may wait for one reason. */
static struct failure_words words_of(struct jobs *jobs, const struct failure *fail)
{
    struct failure_words *words = fail->words;

    if (!words) {
        words = &jobs->last_words;
        if (!is_as_last(jobs, fail))
            words->log = NULL;
        jobs->last_own = *fail;
    }
    if (!words->log)
        *words = make_words(jobs->pl->arena, fail);
    return *words;
}

/* The step that was made last says nothing new. */
static void take_back(struct jobs *jobs, const struct snap_job *j)
{
    jobs->pl->plan->n--;
    if (jobs->check)
        plan_check_passed(jobs->check, j->id, waiting_words(jobs->who));
}

void jobs_say_why(struct jobs *jobs, const struct snap_job *j,
                  const struct failure *fail, const struct estimate *est)
{
    struct planner *pl = jobs->pl;
    struct failure_words words = words_of(jobs, fail);
    struct plan_step *step = plan_add(pl, PLAN_COMMENT_JOB, j->id);
    int64_t accrues;

    step->failure = fail->kind;
    step->never = fail->never;
    step->early = failure_is_early(fail->kind);
    step->log = words.log;
    step->reason = words.comment;
    /* The comment of an array that has begun says when (scheduling.md 12, note 1). */
    step->unchanged = !pl->p->update_comments || j->state == 'B' ||
                      (j->array && jobs->sub.array == j && jobs->sub.n_started > 0) ||
                      str_same(step->reason, j->comment);
    step->n_notes = jobs->notes.n;
    step->notes = jobs->notes.v;
    jobs->notes = (struct plan_notes){ 0 };
    say_when(step, j, est);
    accrues = say_accrual(step, jobs, j, fail);
    /* Notes are of this look. */
    if (jobs->who && waiting_said(pl, jobs->who, fail, &words, accrues, step) &&
        jobs->news_only && step->n_notes == 0)
        take_back(jobs, j);
}
