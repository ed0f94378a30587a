/* subjobs.c - see subjobs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/subjobs.h"

#include "lib/attr/ids.h"
#include "scheduler/plan/rules.h"

#include <string.h>

/* "7[3].svr" and "7[].svr" are of one array; so is "7[1-5].svr". */
static bool is_of_array(const char *id, const char *array_id)
{
    const char *open = strchr(id, '['), *close = open ? strchr(open, ']') : NULL;
    size_t len = open ? (size_t)(open - id) : 0;

    return close && strncmp(id, array_id, len) == 0 &&
           strncmp(array_id + len, "[]", 2) == 0 &&
           strcmp(close + 1, array_id + len + 2) == 0;
}

bool subjobs_names(const char *id, const struct snap_job *j)
{
    return strcmp(id, j->id) == 0 || (j->array && is_of_array(id, j->id));
}

bool subjobs_remain(const struct snap_job *array)
{
    return array->remaining && *array->remaining && *array->remaining != '-';
}

static int64_t count_running(const struct planner *pl, const struct snap_job *array)
{
    int64_t n = 0;

    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];

        n += rules_runs(j) && j->array_id && strcmp(j->array_id, array->id) == 0;
    }
    return n;
}

/* The indices between the brackets; NULL when there are none. */
static const char *indices_of(const char *id, struct arena *arena)
{
    const char *open = id ? strchr(id, '[') : NULL;
    size_t len = open ? strcspn(open + 1, "]") : 0;

    return len > 0 ? arena_strndup(arena, open + 1, len) : NULL;
}

void subjobs_begin(struct subjobs *sub, const struct planner *pl,
                   const struct snap_job *array, const char *id)
{
    *sub = (struct subjobs){
        .array = array,
        /* An array of another server's making may have any id. */
        .rest =
            subjobs_remain(array) && strstr(array->id, "[]") ? array->remaining : "",
        .only = indices_of(id, pl->arena),
        .n_running = array->max_subjobs.is_set ? count_running(pl, array) : 0,
    };
}

static bool is_wanted(const struct subjobs *sub, int64_t index)
{
    const char *list = sub->only;
    struct index_range r;

    while (list && *list && index_list_next(&list, &r))
        if (index_range_place(&r, index) != INDEX_NO_PLACE)
            return true;
    return !sub->only;
}

/* The range is used up from its first index on. */
static void pass_over(struct subjobs *sub)
{
    sub->in_range = sub->range.last - sub->range.first >= sub->range.step;
    if (sub->in_range)
        sub->range.first += sub->range.step;
}

const char *subjobs_next(struct subjobs *sub, struct arena *arena)
{
    for (;;) {
        if (!sub->in_range)
            /* What cannot be read is as nothing: the server is another one's. */
            sub->in_range = *sub->rest && index_list_next(&sub->rest, &sub->range);
        if (!sub->in_range)
            return NULL;
        if (is_wanted(sub, sub->range.first))
            return subjob_id_make(sub->array->id, sub->range.first, arena);
        pass_over(sub);
    }
}

void subjobs_started(struct subjobs *sub)
{
    MUST(sub->in_range); /* subjobs_next() has named it */
    pass_over(sub);
    sub->n_running++;
    sub->n_started++;
}

bool subjobs_limited(const struct subjobs *sub)
{
    return sub->array->max_subjobs.is_set &&
           sub->n_running >= sub->array->max_subjobs.value;
}
