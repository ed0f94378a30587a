/* resv_reply.c - answers to those who wait for a reservation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/resv_reply.h"

#include "server/model/resv_state.h"
#include "server/react/reactions.h"

#include <stdlib.h>

static void say(struct wire_reply *ret, struct arena *arena, const char *id,
                const char *word)
{
    *ret = (struct wire_reply){
        .choice = REPLY_TEXT,
        .text = arena_printf(arena, "%s %s", id, word),
    };
}

/* What somebody who waited hears when the reservation is deleted. */
static const char *word_of_ending(const struct record *rec)
{
    const struct change *state = reaction_change(rec, RESV_A_RESERVE_STATE);

    if (rec->reason == REASON_EXPIRED)
        return "delete, wait period expired";
    if (rec->reason == REASON_JOB_STAYS)
        return "FAILED";
    return state && state->before && atoll(state->before) == RESV_UNCONFIRMED
               ? "DENIED"
               : "BEING DELETED";
}

static bool is_alteration(const struct wait_for *wait_for)
{
    return wait_for->why == WAIT_FOR_ALTERATION;
}

/* Who waits for a new reservation has his answer when altering it has confirmed it. */
static const char *word_of_alteration(const struct model *m,
                                      const struct wait_for *wait_for)
{
    const struct resv *r = model_resv(m, wait_for->id);
    bool confirmed = r && phase_is_confirmed(resv_phase(r));

    return is_alteration(wait_for) || confirmed ? "CONFIRMED" : NULL;
}

static bool answer(const struct answering *a, const char *word, struct wire_reply *ret)
{
    MUST(a->wait_for->kind == a->rec->kind);
    MUST(a->wait_for->why != WAIT_FOR_RUN); /* which is waited for at a job */
    /* Without a word the fact does not concern this client, who goes on waiting. */
    if (word)
        say(ret, a->arena, a->wait_for->id, word);
    return word != NULL;
}

bool answer_resv_ending(const struct answering *a, struct wire_reply *ret)
{
    return answer(a, word_of_ending(a->rec), ret);
}

bool answer_resv_altered(const struct answering *a, struct wire_reply *ret)
{
    return answer(a, word_of_alteration(a->m, a->wait_for), ret);
}

bool answer_resv_confirmed(const struct answering *a, struct wire_reply *ret)
{
    return answer(a, is_alteration(a->wait_for) ? NULL : "CONFIRMED", ret);
}

bool answer_resv_denied(const struct answering *a, struct wire_reply *ret)
{
    return answer(a, is_alteration(a->wait_for) ? NULL : "DENIED", ret);
}

bool answer_resv_alter_denied(const struct answering *a, struct wire_reply *ret)
{
    return answer(a, is_alteration(a->wait_for) ? "DENIED" : NULL, ret);
}

void resv_wait_is_over(const struct model *m, const struct wait_for *wait_for,
                       struct arena *arena, struct wire_reply *ret)
{
    (void)m;
    MUST(wait_for->kind == OBJ_RESV || wait_for->kind == OBJ_OCCURRENCE);
    say(ret, arena, wait_for->id, "UNCONFIRMED");
}
