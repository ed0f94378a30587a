/* ended_tasks.c - see ended_tasks.h. A table with open addressing: the places behind
 * the one that a number leads to are tried in turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/ended_tasks.h"

#include <stdlib.h>

#define FIRST_PLACES 16

/* The place of that number, or the free one where it belongs. Numbers of a host follow
 * each other, and the upper bits of all are the same (host_list_task()): so the lower
 * bits spread them evenly. */
static struct ended_task *place_of(const struct ended_tasks *e, uint32_t number)
{
    size_t i = number & (e->n_places - 1);

    MUST(e->n < e->n_places); /* a free place ends each search */
    while (e->v[i].number && e->v[i].number != number)
        i = (i + 1) & (e->n_places - 1);
    return &e->v[i];
}

static void make_room(struct ended_tasks *e)
{
    struct ended_tasks was = *e;

    if (e->n * 4 < e->n_places * 3)
        return;
    e->n_places = was.n_places ? was.n_places * 2 : FIRST_PLACES;
    e->v = xcalloc(e->n_places, sizeof(*e->v));
    for (size_t i = 0; i < was.n_places; i++)
        if (was.v[i].number)
            *place_of(e, was.v[i].number) = was.v[i];
    free(was.v);
}

void ended_tasks_put(struct ended_tasks *e, uint32_t number, int32_t status)
{
    struct ended_task *at;

    MUST(number > 0);
    make_room(e);
    at = place_of(e, number);
    e->n += at->number == 0;
    *at = (struct ended_task){ .number = number, .status = status };
}

bool ended_tasks_find(const struct ended_tasks *e, uint32_t number, int32_t *ret)
{
    const struct ended_task *at = e->n && number ? place_of(e, number) : NULL;

    if (!at || !at->number)
        return false;
    *ret = at->status;
    return true;
}

void ended_tasks_fini(struct ended_tasks *e)
{
    free(e->v);
    *e = (struct ended_tasks){ 0 };
}
