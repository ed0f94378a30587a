/* plan_check.c - see plan_check.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/plan_check.h"

#include <string.h>
#include <uthash.h>

/* What a job has to be told. */
struct expected {
    const struct plan_step *step;
    bool seen;
    UT_hash_handle hh;
};

struct plan_check {
    size_t n; /* steps that do something, in order */
    const struct plan_step **v;
    struct expected *by_id; /* the others */
};

static bool does_something(const struct plan_step *step)
{
    return step->kind != PLAN_COMMENT_JOB;
}

/* An array of which some subjobs start has a step that does something for each, and one
 * that says why the next one waits: an id has one of these at most. */
struct plan_check *plan_check_new(struct arena *arena, const struct plan *plan)
{
    struct plan_check *c = ARENA_NEW(arena, struct plan_check);

    c->v = ARENA_ARRAY(arena, const struct plan_step *, plan->n + 1);
    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_step *step = &plan->steps[i];
        struct expected *e;

        if (does_something(step)) {
            c->v[c->n++] = step;
            continue;
        }
        e = ARENA_NEW(arena, struct expected);
        e->step = step;
        HASH_ADD_KEYPTR(hh, c->by_id, step->id, strlen(step->id), e);
    }
    return c;
}

static const struct plan_step *take(struct plan_check *c, const char *id)
{
    struct expected *e;

    HASH_FIND_STR(c->by_id, id, e);
    MUST(e && !e->seen); /* that job waits, and is told so once */
    e->seen = true;
    return e->step;
}

void plan_check_passed(struct plan_check *c, const char *id, struct failure_words told)
{
    const struct plan_step *step = take(c, id);

    MUST(step->unchanged && !step->accrue_type && !step->topjob && !step->top);
    MUST(strcmp(step->log, told.log) == 0 && strcmp(step->reason, told.comment) == 0);
}

static void check_told(struct plan_check *c, const struct plan_step *step)
{
    const struct plan_step *like = take(c, step->id);

    MUST(strcmp(like->log, step->log) == 0 && strcmp(like->reason, step->reason) == 0);
    MUST(like->failure == step->failure && like->never == step->never &&
         like->early == step->early && like->unchanged == step->unchanged);
    MUST(str_same(like->accrue_type, step->accrue_type) &&
         str_same(like->topjob, step->topjob) &&
         like->est_start_at == step->est_start_at);
}

static void check_done(const struct plan_step *like, const struct plan_step *step)
{
    MUST(like->kind == step->kind && str_same(like->id, step->id) &&
         str_same(like->vnodes, step->vnodes) &&
         str_same(like->walltime, step->walltime) && like->resumes == step->resumes);
}

void plan_check_end(struct plan_check *c, const struct plan *plan)
{
    const struct expected *e, *next;
    size_t n = 0;

    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_step *step = &plan->steps[i];

        /* These come before the jobs that wait. */
        if (step->kind == PLAN_CONFIRM_RESV || step->kind == PLAN_DENY_RESV ||
            step->kind == PLAN_EXTEND_JOB)
            continue;
        if (!does_something(step)) {
            check_told(c, step);
            continue;
        }
        MUST(n < c->n);
        check_done(c->v[n++], step);
    }
    MUST(n == c->n);
    HASH_ITER (hh, c->by_id, e, next)
        MUST(e->seen);
}

void plan_check_fini(struct plan_check *c)
{
    if (c)
        HASH_CLEAR(hh, c->by_id);
}
