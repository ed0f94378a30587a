/* manager_react.c - what schedulers are told when the server, queues, resources or
 * they themselves are changed (wire.md 12.3).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/reactions.h"

#include <string.h>

static const struct change *change_of(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return &rec->changes[i];
    return NULL;
}

static void react_sched(const struct reaction *r)
{
    if (r->rec->fact == FACT_DELETED)
        return;
    if (r->rec->n_changes > 0)
        effect_tell_scheduler(r, r->rec->id, SCHED_CONFIGURE);
    if (r->rec->reason == REASON_CYCLE)
        effect_tell_scheduler(r, r->rec->id, SCHED_ON_COMMAND);
}

static void react_queue(const struct reaction *r)
{
    const struct change *started = change_of(r->rec, QUEUE_A_STARTED);
    const struct object *o = model_find(r->m, OBJ_QUEUE, r->rec->id);

    if (o && started && str_same(started->after, "True"))
        effect_wake_schedulers(r, obj_str(o, QUEUE_A_PARTITION, "pbs-default"),
                               SCHED_QUEUE_STARTED);
}

static void react_server(const struct reaction *r)
{
    const struct change *c = change_of(r->rec, SERVER_A_ELIGIBLE_TIME_ENABLE);

    if (c && str_same(c->after, "True"))
        effect_wake_schedulers(r, NULL, SCHED_ELIGIBLE_TIME);
    c = change_of(r->rec, SERVER_A_HF_HOT_UNTIL);
    if (c && !c->after) /* jobs that a hot start had for itself are free */
        effect_wake_schedulers(r, NULL, SCHED_NEW);
    c = change_of(r->rec, SERVER_A_JOB_SORT_FORMULA);
    if (c)
        effect_tell_scheduler(r, "default", SCHED_CONFIGURE);
}

static void react_resource(const struct reaction *r)
{
    MODEL_EACH(r->m, OBJ_SCHED, o)
    {
        effect_tell_scheduler(r, o->id, SCHED_CONFIGURE);
    }
}

void react_manager(const struct reaction *r)
{
    switch (r->rec->kind) {
    case OBJ_SERVER:
        react_server(r);
        break;
    case OBJ_SCHED:
        react_sched(r);
        break;
    case OBJ_QUEUE:
        react_queue(r);
        break;
    case OBJ_RESOURCE:
        react_resource(r);
        break;
    default:
        break;
    }
}
