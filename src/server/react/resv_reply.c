/* resv_reply.c - answers to those who wait for a reservation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/resv_reply.h"

#include "server/model/resv_state.h"

#include <stdlib.h>

static void say(struct wire_reply *ret, struct arena *arena, const char *id,
                const char *word)
{
    *ret = (struct wire_reply){
        .choice = REPLY_TEXT,
        .text = arena_printf(arena, "%s %s", id, word),
    };
}

static int64_t state_before(const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == RESV_A_RESERVE_STATE && rec->changes[i].before)
            return atoll(rec->changes[i].before);
    return RESV_NONE;
}

/* What somebody who waited hears when the reservation is deleted. */
static const char *word_of_ending(const struct record *rec)
{
    if (rec->reason == REASON_EXPIRED)
        return "delete, wait period expired";
    return state_before(rec) == RESV_UNCONFIRMED ? "DENIED" : "BEING DELETED";
}

/* Who waits for a new reservation has his answer when altering it has confirmed it. */
static const char *word_of_alteration(const struct model *m,
                                      const struct hold_reply *hold)
{
    const struct resv *r = model_resv(m, hold->id);
    bool confirmed = r && phase_is_confirmed(resv_phase(r));

    return hold->alteration || confirmed ? "CONFIRMED" : NULL;
}

bool resv_held_reply(const struct model *m, const struct record *rec,
                     const struct hold_reply *hold, const struct object *gone,
                     struct arena *arena, struct wire_reply *ret)
{
    const char *word = NULL;

    (void)gone; /* what ends a reservation answered before it went */
    if (rec->fact == FACT_RESV_ENDING)
        word = word_of_ending(rec);
    else if (rec->fact == FACT_RESV_ALTERED)
        word = word_of_alteration(m, hold);
    else if (rec->fact == FACT_RESV_CONFIRMED && !hold->alteration)
        word = "CONFIRMED";
    else if (rec->fact ==
             (hold->alteration ? FACT_RESV_ALTER_DENIED : FACT_RESV_DENIED))
        word = "DENIED";
    if (!word)
        return false;
    say(ret, arena, hold->id, word);
    return true;
}

void resv_held_timeout(const struct model *m, const struct hold_reply *hold,
                       struct arena *arena, struct wire_reply *ret)
{
    (void)m;
    say(ret, arena, hold->id, "UNCONFIRMED");
}
