/* resv_wake.c - when schedulers are woken because of a reservation
 * (reservations.md 7.1).
 *
 * The command is only a hint: a scheduler looks at the states. After a confirmation the
 * jobs that waited are looked at in another cycle at once: a scheduler of PBS that has
 * confirmed looks at no job in that cycle. (Ours plans its jobs in another pass.)
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/question_kind.h"
#include "server/react/reactions.h"
#include "server/react/resv_react.h"

static void wake(const struct reaction *r, int32_t command)
{
    /* A new reservation has no partition, and every scheduler is asked. Maintenance may
     * have vnodes of any. */
    effect_wake_schedulers(r,
                           resv_is_maintenance(TO_RESV(r->o))
                               ? NULL
                               : obj_str(r->o, RESV_A_PARTITION, NULL),
                           command);
}

static void ask(const struct reaction *r, int32_t command)
{
    effect_ask_schedulers(r, obj_str(r->o, RESV_A_PARTITION, NULL), command);
}

void wake_resv_asked(const struct reaction *r)
{
    ask(r, question_command(TO_RESV(r->o)));
}

void wake_resv_confirmed(const struct reaction *r)
{
    if (r->m->n_jobs > 0) /* nobody waits otherwise */
        wake(r, SCHED_NEW);
}

void wake_resv_alter_asked(const struct reaction *r)
{
    ask(r, SCHED_RECONFIRM);
}

void wake_resv_started(const struct reaction *r)
{
    wake(r, SCHED_RESV_STARTS);
}

void wake_occurrence_altered(const struct reaction *r)
{
    const struct resv *resv = react_resv(r);

    if (resv && r->m->n_jobs > 0)
        effect_wake_schedulers(r, obj_str(&resv->obj, RESV_A_PARTITION, NULL),
                               SCHED_NEW);
}

/* Jobs may begin where it would have been. */
void wake_occurrence_deleted(const struct reaction *r)
{
    const struct resv *resv = react_resv(r);

    if (r->rec->reason == REASON_CANCELLED && resv && r->m->n_jobs > 0)
        effect_wake_schedulers(r, obj_str(&resv->obj, RESV_A_PARTITION, NULL),
                               SCHED_ENDED);
}

void wake_resv_gone(const struct reaction *r)
{
    wake(r, SCHED_ENDED);
}
