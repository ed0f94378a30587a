/* job_named.c - see job_named.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_named.h"

#include "server/decide/said_id.h"
#include "server/model/job_array.h"
#include "server/model/job_state.h"
#include "server/requests/job_access.h"

int job_named_find(const struct model *m, const struct request *rq, const char *id,
                   struct job_named *ret, struct diag *why)
{
    const char *said = said_job_id(m, rq, id), *indices;
    const struct job *array = array_of_indices(m, said, rq->arena, &indices);
    struct job_named named = { .subjobs = array != NULL };
    int err = job_live(m, array ? array->obj.id : said, &named.job, why);

    if (err)
        return err;
    if (array && !array_places(array, indices, &named.places))
        return diag_code(why, PBSE_UNKJOBID);
    *ret = named;
    return 0;
}

void job_named_fini(struct job_named *named)
{
    if (named->subjobs)
        index_set_fini(&named->places);
}

/* A subjob that is over has an object for a while, or none any more; nobody can tell
 * the two apart. */
static bool is_over(const struct subjob *s)
{
    return s->end || (s->job && job_state(s->job) == 'X');
}

static bool are_over(const struct model *m, const struct request *rq,
                     const struct job_named *named)
{
    const struct index_set *set = &named->places;

    for (size_t at = 0; (at = index_set_next(set, at)) != INDEX_NO_PLACE; at++) {
        const struct subjob s = subjob_at(m, named->job, at, rq->arena);

        if (!is_over(&s))
            return false;
    }
    return true;
}

static void add(struct job_list *list, const struct job *job)
{
    if (job_state(job) == 'R')
        list->v[list->n++] = job;
}

int job_named_running(const struct model *m, const struct request *rq,
                      const struct job_named *named, struct job_list *ret,
                      struct diag *why)
{
    const struct job_array *a = named->job->array;
    struct job_list list = { 0 };

    MUST(a || !named->subjobs);
    list.v = ARENA_ARRAY(rq->arena, const struct job *, a ? a->n_subjobs + 1 : 1);
    if (!a)
        add(&list, named->job);
    for (const struct job *j = a ? a->first : NULL; j; j = j->array_next)
        if (!named->subjobs || index_set_has(&named->places, j->place))
            add(&list, j);
    if (list.n == 0)
        return diag_code(why, named->subjobs && are_over(m, rq, named)
                                  ? PBSE_NOHISTARRAYSUBJOB
                                  : PBSE_BADSTATE);
    *ret = list;
    return 0;
}
