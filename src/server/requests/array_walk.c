/* array_walk.c - see array_walk.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/array_walk.h"

#include "server/model/job_array.h"
#include "server/model/job_state.h"

/* In the units of request_slice_cost(): a look at a subjob. */
#define LOOK_COST 3

void array_walk_init(struct array_walk *w, const struct job *array,
                     const struct job_list *jobs, struct arena *arena)
{
    *w = (struct array_walk){ .array_id = arena_strdup(arena, array->obj.id) };
    index_set_init(&w->places, &array->array->waiting.range, false);
    for (size_t i = 0; i < jobs->n; i++)
        index_set_put(&w->places, jobs->v[i]->place, true);
}

void array_walk_fini(struct array_walk *w)
{
    index_set_fini(&w->places);
}

bool array_walk_slice(struct array_walk *w, const struct model *m,
                      const struct request *rq, size_t cost, array_walk_fn each,
                      void *arg)
{
    const struct job *array = model_job(m, w->array_id);
    size_t most = request_slice_cost(rq), used = 0, at = w->place;

    /* The array, or a run, may be gone since the last slice. */
    if (!array || !array->array)
        return true;
    while (used < most && (at = index_set_next(&w->places, at)) != INDEX_NO_PLACE) {
        const struct subjob s = subjob_at(m, array, at++, rq->arena);
        bool runs = s.job && job_state(s.job) == 'R';

        used += runs ? cost : LOOK_COST;
        if (runs)
            each(arg, s.job);
    }
    w->place = at;
    return at == INDEX_NO_PLACE;
}
