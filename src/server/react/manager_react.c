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
    else if (reaction_lets_run(r) && obj_num(r->o, SCHED_A_SCHEDULING, 0))
        effect_tell_scheduler(r, r->rec->id, SCHED_NEW);
}

/* PBS keeps the connections and turns around them for ever (scheduling.md 8). The
 * daemon goes back to registering. */
void wake_sched_deleted(const struct reaction *r)
{
    MUST(r->rec->kind == OBJ_SCHED);
    effect_drop_scheduler(r, r->rec->id);
}

/* What a reservation makes of its own queue is told of with the reservation. */
static bool limits_of_queue_change(const struct reaction *r)
{
    return r->rec->fact == FACT_SET && r->rec->reason == REASON_NONE &&
           obj_num(r->o, QUEUE_A_STARTED, 0) && reaction_lets_run(r);
}

void wake_queue_set(const struct reaction *r)
{
    const struct change *started = reaction_change(r->rec, QUEUE_A_STARTED);
    const char *partition = obj_str(r->o, QUEUE_A_PARTITION, "pbs-default");

    if (started && str_same(started->after, "True"))
        /* Jobs that were in a stopped queue may run now. */
        effect_wake_schedulers(r, partition, SCHED_QUEUE_STARTED);
    else if (limits_of_queue_change(r))
        effect_wake_schedulers(r, partition, SCHED_NEW);
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
    if (reaction_lets_run(r))
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
