/* set_words.c - see set_words.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/set_words.h"

#include "scheduler/plan/plan.h"
#include "scheduler/plan/shortage.h"

static void add(struct set_words *sw, const char *text)
{
    ARENA_ROOM(sw->arena, sw, v, 8);
    sw->v[sw->n++] = text;
}

void set_words_tried(struct set_words *sw, const struct placement_set *set)
{
    add(sw, arena_printf(sw->arena, "Evaluating placement set: %s", set->name));
}

void set_words_small(struct set_words *sw, const struct placement_set *set,
                     const struct res *res, int64_t asked, int64_t left, int64_t total)
{
    const char *numbers = numbers_text(sw->arena, res, asked, left, total);

    add(sw, arena_printf(
                sw->arena, "Placement set %s is too small: %s", set->name,
                failure_log(sw->arena, FAIL_SHORT, ASKER_JOB, res->name, numbers)));
}

void set_words_spans(struct set_words *sw)
{
    add(sw, "Request won't fit into any placement sets, will use all nodes");
}
