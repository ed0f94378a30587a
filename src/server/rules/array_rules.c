/* array_rules.c - subjobs are where their array is; it takes over those that are over,
 * and ends with the last of them (doc/design/010-jobs.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/array_run.h"
#include "server/decide/job_end.h"
#include "server/decide/job_over.h"
#include "server/model/job_state.h"
#include "server/rules/rules.h"

/* With each record of the array the list of its ends is written anew: that is done for
 * many subjobs at once, and for more the longer the list has become. */
#define TAKE_AT_ONCE 64

static bool is_over(const struct job_array *a)
{
    return a->waiting.n == 0 && a->n_running == 0 && a->n_exiting == 0;
}

static void take(const struct rule_context *c, const struct job *array,
                 struct array_ends *ends, struct decision *out)
{
    for (const struct job *j = array->array->first; j; j = j->array_next) {
        struct array_end how;

        if (job_state(j) != 'X')
            continue;
        how = subjob_outcome(j);
        rule_decide(c, &j->obj, FACT_SUBJOB_TAKEN, out);
        array_ends_add(ends, &how);
    }
}

/* 0: all of them ended well; 1: one of them did not; 2: one could not be run. Those
 * that were deleted are not looked at. */
static int64_t exit_status(const struct array_ends *ends)
{
    int64_t worst = 0;

    for (size_t i = 0; i < ends->n; i++) {
        const struct array_end *e = &ends->v[i];

        if (e->substate == JOB_SUB_TERMINATED || e->exit_status == 0)
            continue;
        worst = MAX_OF(worst, e->exit_status < 0 ? 2 : 1);
    }
    return worst;
}

/* Has anything of it been run? */
static bool has_run(const struct array_ends *ends)
{
    for (size_t i = 0; i < ends->n; i++)
        if (ends->v[i].exit_status != ARRAY_END_NO_STATUS || ends->v[i].run_count > 0)
            return true;
    return false;
}

static void end_array(const struct rule_context *c, const struct job *array,
                      const struct array_ends *ends, struct record *rec,
                      struct decision *out)
{
    if (job_state(array) != 'B' && !has_run(ends)) {
        /* Who deleted its subjobs has been told of that; the server adds nothing. */
        job_withdrawn_record(c->m, array, c->server_actor, c->now_at, false, out)
            ->reason = REASON_NO_LETTER;
        return;
    }
    record_change_num(rec, out->arena, JOB_A_EXIT_STATUS, exit_status(ends));
    record_change_num(rec, out->arena, JOB_A_OBITTIME, c->now_at);
    job_over_record(c->m, array, c->server_actor, c->now_at, exit_status(ends), out);
}

/* The subjobs of an array that is deleted end with it. One whose MoM is away ends when
 * that is back, or when its run is given up: in the queue nobody would ever run it. */
bool subjob_doomed_due(const struct rule_context *c, const struct object *o,
                       struct decision *out)
{
    const struct job *job = TO_JOB(o);
    const char *by =
        job->parent ? obj_str(&job->parent->obj, JOB_A_HF_KILL_BY, NULL) : NULL;

    if (!by || job_state(job) == 'X' || job_is_out_of_reach(job))
        return false;
    job_delete_records(c->m, job, arena_strdup(out->arena, by), c->now_at, 0, out);
    return out->records.n > 0;
}

/* The end of a reservation has put the array into another queue: so far its subjobs
 * stay where they were, each is a record of its own. */
bool subjob_follows_due(const struct rule_context *c, const struct object *o,
                        struct decision *out)
{
    const struct job *job = TO_JOB(o), *array = job->parent;
    const char *queue = array ? obj_str(&array->obj, JOB_A_QUEUE, NULL) : NULL;
    struct record *rec;

    if (!queue || str_same(queue, obj_str(o, JOB_A_QUEUE, NULL)) ||
        job_is_at_mom(job)) /* a run belongs to its queue until it ends */
        return false;
    rec = rule_decide(c, o, FACT_SET, out);
    record_change(rec, out->arena, JOB_A_QUEUE, NULL, arena_strdup(out->arena, queue));
    record_change(rec, out->arena, JOB_A_RESERVE_ID, NULL, NULL);
    record_change(rec, out->arena, JOB_A_HF_QUEUE_BEFORE, NULL, NULL);
    return true;
}

bool array_take_due(const struct rule_context *c, const struct object *o,
                    struct decision *out)
{
    const struct job *array = TO_JOB(o);
    const struct job_array *a = array->array;
    struct array_ends ends;
    struct record *rec;
    bool over;

    if (!a || job_state(array) == 'F')
        return false;
    over = is_over(a);
    if (!over && a->n_expired < MAX_OF((size_t)TAKE_AT_ONCE, a->ends.n / 16))
        return false;
    ends = array_ends_of(array, out);
    take(c, array, &ends, out);
    rec = rule_decide(c, o, FACT_ARRAY_TOOK, out);
    array_ends_change(rec, array, &ends, out->arena);
    if (over)
        end_array(c, array, &ends, rec, out);
    array_ends_fini(&ends);
    return true;
}
