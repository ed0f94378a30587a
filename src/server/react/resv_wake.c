/* resv_wake.c - when schedulers are woken because of a reservation
 * (reservations.md 7.1).
 *
 * The command is only a hint: a scheduler looks at the states. After a confirmation the
 * jobs that waited are looked at in another cycle at once, since the one that confirmed
 * looks at no job.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/resv_state.h"
#include "server/react/reactions.h"
#include "server/react/resv_react.h"
#include "server/decide/resv_proposal.h"

static void wake(const struct reaction *r, int32_t command)
{
    const struct object *o = react_resv(r);

    effect_wake_schedulers(r, o ? obj_str(o, RESV_A_PARTITION, NULL) : NULL, command);
}

static void wake_asked(const struct reaction *r)
{
    const struct resv *resv = TO_RESV(react_resv(r));
    bool is_new = resv_phase(resv) == PHASE_UNCONFIRMED && !proposal_is_open(resv);

    wake(r, is_new ? SCHED_NEW : SCHED_RECONFIRM);
}

void react_resv_wake(const struct reaction *r)
{
    switch (r->rec->fact) {
    case FACT_RESV_ASKED:
        wake_asked(r);
        break;
    case FACT_RESV_CONFIRMED:
    case FACT_RESV_RECONFIRMED:
    case FACT_RESV_ALTERED:
        if (r->m->n_jobs > 0) /* nobody waits otherwise */
            wake(r, SCHED_NEW);
        break;
    case FACT_RESV_ALTER_ASKED:
        wake(r, SCHED_RECONFIRM);
        break;
    case FACT_RESV_STARTED:
        wake(r, SCHED_RESV_STARTS);
        break;
    case FACT_RESV_GONE:
        wake(r, SCHED_ENDED);
        break;
    default:
        break;
    }
}
