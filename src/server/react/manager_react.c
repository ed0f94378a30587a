/* manager_react.c - what schedulers are told when the server, queues, resources or
 * they themselves are changed (wire.md 12.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/reactions.h"

#include <string.h>

void wake_sched_changed(const struct reaction *r)
{
    MUST(r->rec->kind == OBJ_SCHED); /* its id is the name of who is told */
    /* The configuration goes before the cycle that is to use it. */
    if (r->rec->n_changes > 0)
        effect_tell_scheduler(r, r->rec->id, SCHED_CONFIGURE);
    if (r->rec->reason == REASON_CYCLE)
        effect_tell_scheduler(r, r->rec->id, SCHED_ON_COMMAND);
}

void wake_queue_set(const struct reaction *r)
{
    const struct change *started = reaction_change(r->rec, QUEUE_A_STARTED);

    if (started && str_same(started->after, "True"))
        /* Jobs that were in a stopped queue may run now. */
        effect_wake_schedulers(r, obj_str(r->o, QUEUE_A_PARTITION, "pbs-default"),
                               SCHED_QUEUE_STARTED);
}

/* A limit that is raised or gone lets jobs start; one that is lowered costs a cycle. */
static bool limits_change(const struct reaction *r)
{
    static const int limits[] = {
        SERVER_A_MAX_RUNNING,   SERVER_A_MAX_RUN,
        SERVER_A_MAX_RUN_RES,   SERVER_A_MAX_USER_RUN,
        SERVER_A_MAX_GROUP_RUN, SERVER_A_MAX_USER_RES,
        SERVER_A_MAX_GROUP_RES, SERVER_A_RESOURCES_AVAILABLE,
    };

    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        if (reaction_change(r->rec, limits[i]))
            return true;
    return false;
}

void wake_server_set(const struct reaction *r)
{
    const struct change *c = reaction_change(r->rec, SERVER_A_ELIGIBLE_TIME_ENABLE);

    /* Eligible time is counted from now on, and schedulers order jobs by it. */
    if (c && str_same(c->after, "True"))
        effect_wake_schedulers(r, NULL, SCHED_ELIGIBLE_TIME);
    c = reaction_change(r->rec, SERVER_A_HF_HOT_UNTIL);
    if (c && !c->after) /* jobs that a hot start had for itself are free */
        effect_wake_schedulers(r, NULL, SCHED_NEW);
    if (limits_change(r))
        effect_wake_schedulers(r, NULL, SCHED_NEW);
    c = reaction_change(r->rec, SERVER_A_JOB_SORT_FORMULA);
    if (c)
        effect_tell_scheduler(r, "default", SCHED_CONFIGURE);
}

void wake_resource_changed(const struct reaction *r)
{
    MODEL_EACH (r->m, OBJ_SCHED, o) {
        effect_tell_scheduler(r, o->id, SCHED_CONFIGURE);
    }
}
