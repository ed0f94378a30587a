/* what_if.c - see what_if.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "what_if.h"

#include "lib/attr/resv_number.h"
#include "lib/attr/resv_words.h"
#include "scheduler/snapshot/snapshot.h"

#include <string.h>

static struct snap_resv *find(const struct snapshot *snap, const char *id)
{
    for (size_t i = 0; i < snap->n_resvs; i++)
        if (strcmp(snap->resvs[i].id, id) == 0)
            return &snap->resvs[i];
    return NULL;
}

int64_t what_is_asked(const struct snapshot *snap, const char *id)
{
    const struct snap_resv *r = find(snap, id);

    return r && r->state == RESV_UNCONFIRMED && !r->standing ? r->start_at : 0;
}

static void begin_at(struct snap_resv *r, int64_t start_at, int64_t length_s)
{
    r->start_at = r->old_start_at = start_at;
    r->end_at = r->old_end_at = start_at + length_s;
}

const struct plan_step *what_if(struct snapshot *snap, const struct policy *policy,
                                int64_t now_at, const char *id, int64_t start_at,
                                struct arena *arena)
{
    struct snap_resv *r = find(snap, id);
    const struct snap_resv was = *r;
    const struct plan_step *step = NULL;
    struct plan plan = { 0 };

    begin_at(r, start_at, was.end_at - was.start_at);
    sched_plan(snap, policy, now_at, NULL, arena, &plan);
    for (size_t i = 0; i < plan.n && !step; i++)
        if (strcmp(plan.steps[i].id, id) == 0)
            step = &plan.steps[i];
    r->start_at = was.start_at;
    r->end_at = was.end_at;
    r->old_start_at = was.old_start_at;
    r->old_end_at = was.old_end_at;
    return step;
}
