/* claims_over.c - see claims_over.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/claims_over.h"

#include <stdlib.h>

/* Users may ask for any amount, so a few of them leave the range of their type. */
__extension__ typedef __int128 exact_sum;

/* From this instant on there is so much more. */
struct step {
    int64_t at;
    int64_t amount; /* below 0: a claim ends */
};

static int by_time(const void *x, const void *y)
{
    const struct step *a = x, *b = y;

    return (a->at > b->at) - (a->at < b->at);
}

/* Where those that have some of it begin and end. */
static struct step *make_steps(const struct claims *list, const char *resource,
                               struct window window, struct arena *arena, size_t *ret_n)
{
    struct step *steps = ARENA_ARRAY(arena, struct step, 2 * list->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        int64_t amount = resources_amount(list->v[i].amount, resource, 0);
        int64_t start_at = MAX_OF(list->v[i].start_at, window.start_at);
        int64_t end_at = MIN_OF(list->v[i].end_at, window.end_at);

        if (amount <= 0 || start_at >= end_at)
            continue;
        steps[n++] = (struct step){ start_at, amount };
        steps[n++] = (struct step){ end_at, -amount };
    }
    qsort(steps, n, sizeof(*steps), by_time);
    *ret_n = n;
    return steps;
}

struct spans claims_over(const struct claims *list, const char *resource, int64_t left,
                         struct window window, struct arena *arena)
{
    struct spans spans = { 0 };
    exact_sum sum = 0;
    bool is_over = false;
    size_t n;
    struct step *steps = make_steps(list, resource, window, arena, &n);

    for (size_t i = 0; i < n; i++) {
        sum += steps[i].amount;
        /* What ends and what begins at one instant is seen together. */
        if ((i + 1 < n && steps[i + 1].at == steps[i].at) || is_over == (sum > left))
            continue;
        is_over = !is_over;
        if (is_over) {
            ARENA_ROOM(arena, &spans, v, 4);
            spans.v[spans.n++].start_at = steps[i].at;
        } else {
            spans.v[spans.n - 1].end_at = steps[i].at;
        }
    }
    if (is_over) /* the holder alone would have too much, with nobody's claim */
        spans.v[spans.n - 1].end_at = window.end_at;
    return spans;
}

bool spans_meet(const struct spans *spans, int64_t start_at, int64_t end_at)
{
    size_t from = 0, to = spans->n;

    /* The first one that ends behind the start is the only one to look at. */
    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (spans->v[middle].end_at > start_at)
            to = middle;
        else
            from = middle + 1;
    }
    return from < spans->n && spans->v[from].start_at < end_at;
}
