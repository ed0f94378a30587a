/* dry_run.c - see dry_run.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/dry_run.h"

#include <string.h>

struct dry_asked *dry_run_asked(struct dry_run *d, const char *sched)
{
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->v[i].sched, sched) == 0)
            return &d->v[i];
    return NULL;
}

bool dry_run_is_for(const struct dry_run *d, const char *sched)
{
    for (size_t i = 0; d->is_put && i < d->n; i++)
        if (!d->v[i].was_given && strcmp(d->v[i].sched, sched) == 0)
            return true;
    return false;
}

static const struct body_offer_resv *offer_copy(const struct body_offer_resv *from,
                                                struct arena *arena)
{
    struct body_offer_resv *to;

    if (!from)
        return NULL;
    to = arena_copy(arena, from, sizeof(*to));
    to->partition = arena_strdup(arena, from->partition);
    to->offers = arena_copy(arena, from->offers, from->n * sizeof(*to->offers));
    for (size_t i = 0; i < to->n; i++) {
        to->offers[i].id = arena_strdup(arena, from->offers[i].id);
        to->offers[i].vnodes = arena_strdup(arena, from->offers[i].vnodes);
    }
    return to;
}

void dry_run_take(struct dry_asked *asked, const struct dry_answer *answer,
                  struct arena *arena)
{
    asked->has_answered = true;
    asked->answer = *answer;
    asked->answer.partition = arena_strdup(arena, answer->partition);
    asked->answer.vnodes = arena_strdup(arena, answer->vnodes);
    asked->answer.reason = arena_strdup(arena, answer->reason);
    asked->answer.offer = offer_copy(answer->offer, arena);
}

void dry_run_put_again(struct dry_run *d, int64_t at)
{
    for (size_t i = 0; i < d->n; i++)
        d->v[i] = (struct dry_asked){ .sched = d->v[i].sched };
    d->again_at = at;
    d->is_put = false;
}
