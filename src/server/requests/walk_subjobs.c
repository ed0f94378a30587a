/* walk_subjobs.c - the subjobs that a walk over jobs meets (wire.md 8.2, 10.3).
 *
 * A status of jobs shows an array as one job. With the extension t it shows those of
 * its subjobs too that have begun or are over, right behind it; clients make up the
 * others themselves. Who names indices gets all of them. Who selects with t or T gets
 * subjobs in the place of arrays, each held against the criteria.
 *
 * Most subjobs are no objects of the model, so what is met is written out here, and not
 * by the cache of what was shown.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/job_array.h"
#include "server/model/job_state.h"
#include "server/requests/walk.h"

#include <string.h>

/* What it costs to make up a subjob, in the units of request_slice_cost(). */
#define VIEW_COST 20

static bool extend_has(const struct walk *w, const char *letters)
{
    return w->rq->wire->extend && strpbrk(w->rq->wire->extend, letters);
}

static bool selects(const struct walk *w)
{
    return w->rq->wire->number == BATCH_SELECT_JOBS ||
           w->rq->wire->number == BATCH_SELECT_STATUS;
}

void walk_open_subjobs(struct walk *w)
{
    if (w->kind != OBJ_JOB)
        return;
    w->subjobs_alone = selects(w) && extend_has(w, "tT");
    w->subjobs_too = !selects(w) && extend_has(w, "t");
    w->subjobs_begun = selects(w) && !w->subjobs_alone && extend_has(w, "S");
}

/* The parent always says which indices remain. */
static struct asked asked_of_array(const struct walk *w)
{
    struct asked asked = w->asked;

    for (size_t i = 0; !asked.all && i < asked.n; i++)
        if (asked.rows[i] == JOB_A_ARRAY_INDICES_REMAINING)
            return asked;
    if (asked.all)
        return asked;
    asked.rows = ARENA_ARRAY(w->rq->arena, int, asked.n + 1);
    memcpy(asked.rows, w->asked.rows, asked.n * sizeof(*asked.rows));
    asked.rows[asked.n++] = JOB_A_ARRAY_INDICES_REMAINING;
    return asked;
}

static enum walk_step say(struct walk *w, const struct object *o, uint32_t type,
                          const struct asked *asked)
{
    w->other = (struct wire_object){ .type = type, .name = o->id };
    /* Who only selects needs the name. */
    if (w->rq->wire->number != BATCH_SELECT_JOBS)
        show_put(w->m, w->rq, o, asked, &w->other.attrs);
    w->other_seq = w->m->seq;
    return WALK_OTHER;
}

void walk_indices(struct walk *w, const struct job *array, const char *list)
{
    const struct index_range *all = &array->array->waiting.range;

    w->array = &array->obj;
    w->place = 0;
    w->indices = *all;
    w->index_list = list;
    /* A list that cannot be read names no index. */
    if (list && !index_list_next(&w->index_list, &w->indices))
        w->array = NULL;
}

enum walk_step walk_array(struct walk *w, const struct object *o,
                          const struct object **ret)
{
    const struct job *job = TO_JOB(o);
    struct asked asked;

    if (!job->array || (!w->subjobs_too && !w->subjobs_alone)) {
        *ret = o;
        return WALK_AT;
    }
    walk_indices(w, job, NULL);
    if (w->subjobs_alone)
        return WALK_PAST;
    asked = asked_of_array(w);
    return say(w, o, OBJECT_ARRAY_PARENT, &asked);
}

bool walk_passes_over(const struct walk *w, const struct job *job)
{
    char state = job_state(job);

    /* A subjob is met with its array, or by its id. */
    if (!obj_is_set(&job->obj, JOB_A_ARRAY_ID) || !job->parent)
        return false;
    return !w->subjobs_begun || (state != 'R' && state != 'E');
}

/* The place of the next index that is asked for; INDEX_NO_PLACE: there is none. */
static size_t next_place(struct walk *w)
{
    const struct index_range *all = &TO_JOB(w->array)->array->waiting.range;

    for (;;) {
        size_t place = index_range_next(all, &w->indices, w->place);

        if (place != INDEX_NO_PLACE) {
            w->place = place + 1;
            return place;
        }
        w->place = 0;
        if (!w->index_list || !*w->index_list ||
            !index_list_next(&w->index_list, &w->indices))
            return INDEX_NO_PLACE;
    }
}

enum walk_step walk_next_subjob(struct walk *w)
{
    const struct job *array = TO_JOB(w->array);
    size_t place = next_place(w);
    struct subjob s;
    const struct job *view;

    if (place == INDEX_NO_PLACE) {
        w->array = NULL;
        return WALK_PAST;
    }
    /* Clients make up those that have not begun. */
    if (!w->index_list && w->subjobs_too &&
        index_set_has(&array->array->waiting, place))
        return WALK_PAST;
    s = subjob_at(w->m, array, place, w->rq->arena);
    view = subjob_view(&s, w->rq->arena);
    w->view_cost = VIEW_COST;
    if (w->selection && !selection_has_subjob(w->selection, array, view))
        return WALK_PAST;
    return say(w, &view->obj, OBJECT_SUBJOB, &w->asked);
}
