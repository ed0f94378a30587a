/* resv_proposal.h - a proposed change of a reservation, beside it until it is answered.
 *
 * While a scheduler is asked, the reservation stays what it is and promises what it
 * promised: the proposed values are attributes of their own. A yes is one record that
 * makes them the reservation's, a no is one that forgets them; nothing is ever undone.
 * Whoever looks meanwhile is shown the proposed values (resv_show.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_PROPOSAL_H
#define SERVER_DECIDE_RESV_PROPOSAL_H

#include "server/decide/edit.h"

bool proposal_is_open(const struct resv *r);

/* Its number, 0 when none is open: who answers may say which one is meant. */
int64_t proposal_seq(const struct resv *r);

/* It is made even when every scheduler says no. */
bool proposal_is_forced(const struct resv *r);

/* The attribute as it would be: the proposed value, else the reservation's own. */
const struct attr_value *proposal_value(const struct resv *r, int attr);

/* What was right when it was asked for may have become wrong: why it cannot be made any
 * more, not even by force; NULL when it can. */
const char *proposal_obstacle(const struct resv *r, int64_t now_at);

/* True when the attribute may be part of one. */
bool proposal_knows(int attr);

/* The changes that open one with what 'e' differs by. */
void proposal_record(const struct edit *e, struct record *rec, struct arena *arena);

/* What an open one wants, as changes of 'e', which the caller has initialised. */
void proposal_edit(const struct resv *r, struct edit *e, struct arena *arena);

/* The changes that forget one; none when none is open. */
void proposal_record_forgotten(struct record *rec, struct arena *arena);

/* How a change becomes the reservation's. */
struct proposal_grant {
    const struct edit *e;  /* the change */
    const char *vnodes;    /* NULL: it keeps those it has, if any */
    const char *partition; /* of who granted it; NULL: nobody did */
    const char *actor;
    enum reason reason; /* REASON_LOCAL or REASON_NONE */
    int64_t now_at;
};

/* Append the records that make it so: of the reservation, and of its queue, whose
 * limits and lists of users follow. One that has run goes back to waiting when its
 * start is in the future. Without vnodes an unconfirmed one stays unconfirmed. */
void proposal_grant(const struct model *m, const struct resv *r,
                    const struct proposal_grant *g, struct decision *out);

/* Append the record that drops the open one; the reason is kept. */
void proposal_deny(const struct resv *r, const char *actor, const char *reason,
                   int64_t now_at, struct decision *out);

#endif
