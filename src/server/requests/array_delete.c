/* array_delete.c - see array_delete.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/array_delete.h"

#include "lib/base/log.h"
#include "server/decide/array_run.h"
#include "server/decide/job_end.h"
#include "server/model/job_state.h"
#include "server/requests/job_access.h"

/* In the units of request_slice_cost(): a look at a subjob, the end of one that waits,
 * of which the accounting has a line, and the end of one that runs. */
#define LOOK_COST 3
#define CUT_COST  15
#define END_COST  60

/* With each slice the list of ends is written anew, so the longer that is the more are
 * cut at once: else the cost would be the square of their number. */
#define CUT_MOST  4000

static bool goes_on(const struct job *array, const struct index_set *cut, size_t cost,
                    size_t most, const struct decision *out)
{
    size_t least = MIN_OF(array->array->ends.n / 8, (size_t)CUT_MOST);

    return cost < most || (cut->n < least && out->records.n * END_COST < most);
}

/* The subjobs of the array that are objects. */
static struct index_set object_places(const struct job *array)
{
    struct index_set set;

    index_set_init(&set, &array->array->waiting.range, false);
    for (const struct job *j = array->array->first; j; j = j->array_next)
        index_set_put(&set, j->place, true);
    return set;
}

struct array_deletion array_deletion_begin(const struct job *array, const char *named,
                                           const struct index_set *places,
                                           uint32_t flags, struct arena *arena)
{
    return (struct array_deletion){
        .named = arena_strdup(arena, named),
        .array_id = arena_strdup(arena, array->obj.id),
        .whole = !places,
        .flags = flags,
        .places = places ? *places : object_places(array),
        .arena = arena,
    };
}

void array_deletion_fini(struct array_deletion *d)
{
    index_set_fini(&d->places);
}

/* Is the MoM of a subjob away? Then that is noted, and the subjob is not deleted. */
static bool is_out_of_reach(const struct job *job, struct array_deletion *d,
                            struct decision *out)
{
    int err = d->flags & JOB_END_FORCE ? 0 : job_mom_is_heard(job, out);

    if (!err)
        return false;
    decide_log(out, LOG_EV_JOB, LOG_IN_JOB, job->obj.id, "Delete failed %d", err);
    /* Only the first one is told to the client. */
    if (!d->err) {
        d->err = err;
        d->id = arena_strdup(d->arena, job->obj.id);
    }
    return true;
}

static bool was_decided(const struct decision *out, const struct job *job)
{
    return array_was_decided(out, job->obj.id, FACT_JOB_KILLED) ||
           array_was_decided(out, job->obj.id, FACT_SUBJOB_DELETED);
}

/* Returns what it cost. */
static size_t delete_one(const struct model *m, const struct request *rq,
                         struct array_deletion *d, const struct subjob *s,
                         struct index_set *cut, struct decision *out)
{
    if (s->end || (s->job && job_state(s->job) == 'X'))
        return LOOK_COST;
    d->any = true;
    if (!s->job) {
        index_set_put(cut, s->place, !d->whole); /* else it is cut already */
        return CUT_COST;
    }
    /* One request may name a subjob more than once. */
    if (was_decided(out, s->job) || is_out_of_reach(s->job, d, out))
        return LOOK_COST;
    /* Those of a whole array follow from its doom. */
    if (d->whole && !(d->flags & JOB_END_FORCE))
        return LOOK_COST;
    job_delete_records(m, s->job, rq->actor, rq->now_at, d->flags, out);
    return END_COST;
}

static bool delete_places(const struct model *m, const struct request *rq,
                          struct array_deletion *d, const struct job *array,
                          size_t most, size_t *cost, struct decision *out)
{
    struct index_set cut;
    size_t at = d->place;

    index_set_init(&cut, &array->array->waiting.range, false);
    while (goes_on(array, &cut, *cost, most, out) &&
           (at = index_set_next(&d->places, at)) != INDEX_NO_PLACE) {
        const struct subjob s = subjob_at(m, array, at++, rq->arena);

        *cost += delete_one(m, rq, d, &s, &cut, out);
    }
    if (cut.n > 0)
        array_cut_record(array, &cut, rq->actor, rq->now_at, out);
    index_set_fini(&cut);
    d->place = at;
    return at == INDEX_NO_PLACE;
}

/* Has this very request deleted the array as a whole? */
static bool is_gone(const struct decision *out, const struct job *array)
{
    return array_was_decided(out, array->obj.id, FACT_JOB_DELETED) ||
           array_was_decided(out, array->obj.id, FACT_JOB_WITHDRAWN);
}

bool array_deletion_go_on(const struct model *m, const struct request *rq,
                          struct array_deletion *d, size_t most, size_t *cost,
                          struct decision *out)
{
    const struct job *array = model_job(m, d->array_id);

    if (!array || array->past || is_gone(out, array)) {
        d->any = true;
        return true;
    }
    MUST(array->array);
    if (d->whole && !array_is_under_way(array)) {
        job_delete_records(m, array, rq->actor, rq->now_at, d->flags, out);
        return true;
    }
    if (d->whole)
        array_doom_records(array, rq->actor, rq->now_at, d->flags, out);
    return delete_places(m, rq, d, array, most, cost, out);
}

int array_deletion_code(const struct array_deletion *d, const char **ret_id)
{
    *ret_id = d->err ? d->id : d->named;
    return d->any || d->whole ? d->err : PBSE_NOHISTARRAYSUBJOB;
}

size_t array_deletion_cost(const struct model *m, const struct request *rq,
                           const char *id, uint32_t flags)
{
    const char *indices;
    const struct job *array = array_of_indices(m, id, rq->arena, &indices), *job;
    struct index_set places;
    size_t n;

    if (!array) {
        job = model_job(m, id);
        n = job && job->array ? job->array->n_subjobs : 0;
        return n * (flags & JOB_END_FORCE ? END_COST : LOOK_COST);
    }
    if (!array_places(array, indices, &places))
        return 0;
    n = places.n;
    index_set_fini(&places);
    return n * (array->array->n_subjobs > 0 ? END_COST : CUT_COST);
}
