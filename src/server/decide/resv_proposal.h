/* resv_proposal.h - a proposed change of reservations, beside them until it is
 * answered.
 *
 * While a scheduler is asked, a reservation stays what it is and promises what it
 * promised: the change is kept as the text of an edit (edit_text.h). A yes is one
 * record that makes it the reservation's, a no is one that forgets it; nothing is ever
 * undone. Whoever looks meanwhile is shown the proposed values (resv_show.c).
 *
 * A proposal has one part for each reservation that it is about; usually it has one.
 * The parts share its number, each names the others' reservations (hf_alter_with), and
 * each is a question of its own to the schedulers of its reservation (resv_question.h).
 * It is about the current occurrence of a standing reservation, or about a later one
 * (hf_alter_occurrence); then the values that it changes are those of that one, and the
 * edit is one of the reservation as it will be in its turn (occurrence_as_resv()).
 *
 * All parts are made in one decision or none is: a yes is kept with its part until
 * every part has one, and the last no about any part, the time limit, or the end of any
 * of the reservations drops them all (design/030-questions.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_PROPOSAL_H
#define SERVER_DECIDE_RESV_PROPOSAL_H

#include "server/decide/edit.h"
#include "server/model/resv_fit.h"

/* True while an alteration of it waits for schedulers, or for the parts with it. */
bool proposal_is_open(const struct resv *r);

/* May a question about an alteration be put? Not while another one is open, and not
 * about maintenance that whoever makes it has not confirmed: his word would be taken
 * for an answer to that question. */
bool proposal_may_open(const struct resv *r);

/* The number of the open proposal, with which a scheduler may say which one it answers;
 * 0 when none is open. */
int64_t proposal_seq(const struct resv *r);

/* It is made even when every scheduler says no. */
bool proposal_is_forced(const struct resv *r);

/* With which other times than those that it wants it may be answered, as bits
 * (doc/design/050-push.md). */
enum proposal_allows {
    ALLOWS_NONE = 0,
    ALLOWS_PUSH = 1,    /* the reservations behind it are moved to make room */
    ALLOWS_SHORTER = 2, /* it is extended by less */
};
uint32_t proposal_allows(const struct resv *r);

/* Which occurrence the open one is about; NULL: one that has gone since. */
const struct occurrence *proposal_occurrence(const struct model *m,
                                             const struct resv *r, struct arena *arena);

/* Is one open about the occurrence that 'r' shows: the current one, or, of a view that
 * occurrence_as_resv() has made, the one that it was made of? */
bool proposal_is_about_shown(const struct resv *r);

/* True when the attribute may be part of one; true when everybody is shown its proposed
 * value while one is open. */
bool proposal_knows(int attr);
bool proposal_shows(int attr);

/* What the open one wants of 'r': 'e' is initialised here and ended by the caller with
 * edit_fini() in every case. False when it cannot be made any more, because something
 * that it names is gone; 'e' is then not to be used. */
bool proposal_read(const struct model *m, const struct resv *r, struct edit *e,
                   struct arena *arena) MUST_CHECK;

/* What the edit of a part wants of 'r', with vnodes that are not known yet. */
struct resv_offer proposal_offer(const struct resv *r, const struct edit *e,
                                 int64_t now_at);

/* Set start, end, duration and walltime of an edit of a reservation; start_at <
 * end_at. */
void proposal_set_times(struct edit *e, int64_t start_at, int64_t end_at,
                        struct arena *arena);

/* What was right when it was asked for may have become wrong, of 'r' or of another
 * reservation that it is about: why it cannot be made any more, not even by force; NULL
 * when it can. */
const char *proposal_obstacle(const struct model *m, const struct resv *r,
                              int64_t now_at, struct arena *arena);

/* The reservations that the open one is about besides 'r', in the arena. */
struct proposal_others {
    size_t n;
    const struct resv **v;
};
struct proposal_others proposal_others(const struct model *m, const struct resv *r,
                                       struct arena *arena);

/* The vnodes that a scheduler has said yes with to this part while other parts were
 * not answered; NULL: it has not. */
const char *proposal_vnodes(const struct resv *r);

/* May its times and vnodes be altered? Not while whatever start comes first is asked
 * for. */
bool proposal_may_alter_times(const struct resv *r);

/* One part of a proposal that is to be opened. */
struct proposal_part {
    const struct resv *resv; /* none is open of it */
    /* NULL: the current one; else 'e' is one of occurrence_as_resv(). */
    const struct occurrence *later;
    const struct edit *e; /* touches only what proposal_knows() */
    const char *asks;     /* question_asks() */
};
struct proposal {
    const struct proposal_part *parts;
    size_t n;
    bool force;
    uint32_t allows; /* enum proposal_allows; of a proposal with one part */
    bool by_itself;  /* nobody asked for it, and nobody is told when it is dropped */
    const char *actor;
    int64_t now_at;
};

/* Would the current occurrence, if it began or ended then, meet the next one of its own
 * series (15179)? Whoever makes a proposal asks for both instants. */
bool proposal_meets_later(const struct resv *r, int64_t at);

/* The same about any occurrence and both of its neighbours. An instant that stays what
 * it is meets nobody: it may be that at which a neighbour ends or begins. */
bool proposal_meets_neighbour(const struct occurrence *oc, int64_t start_at,
                              int64_t end_at);

/* Only about the one before it, with a start that moves: the one behind it may be
 * pushed. */
bool proposal_meets_before(const struct occurrence *oc, int64_t start_at);

/* Would the open one, made as it is wanted, leave the occurrences of its series in
 * their order? One that may push them need not. 'e' as in proposal_read(). */
bool proposal_keeps_order(const struct model *m, const struct resv *r,
                          const struct edit *e, struct arena *arena);

/* Append the records that open it; they come first in the decision, since its number is
 * that of the first one. The times of each part may be altered, and it meets no later
 * occurrence of its own, unless it may push that. A series that nobody has confirmed is
 * a proposal of its own, and so is maintenance. */
void proposal_open(const struct model *m, const struct proposal *p,
                   struct decision *out);

/* The changes that forget a part; none when none is open. */
void proposal_record_forgotten(struct record *rec, struct arena *arena);

/* Append the record that keeps a yes to this part, made with these vnodes; none when
 * the same yes is kept already: a scheduler repeats it in each cycle. */
void proposal_note_yes(const struct resv *r, const char *vnodes, const char *partition,
                       const char *actor, int64_t now_at, struct decision *out);

/* Append the record that a part is to be asked about again: its yes holds no more. */
void proposal_forget_yes(const struct resv *r, const char *actor, int64_t now_at,
                         struct decision *out);

/* How a change becomes the reservation's. */
struct proposal_grant {
    const struct edit *e;           /* the change */
    const struct occurrence *later; /* as in the part */
    const char *vnodes;             /* NULL: it keeps those it has, if any */
    const char *partition;          /* of who granted it; NULL: nobody did */
    const char *actor;
    enum reason reason; /* REASON_LOCAL, REASON_PUSHED or REASON_NONE */
    const char *note;   /* for the journal; NULL: nothing to add */
    const char *pushed; /* who was moved with it, attribute 'pushed'; NULL: nobody */
    int64_t now_at;
};

/* Append the records that make it so: of the reservation, and of its queue, whose
 * limits and lists of users follow. One that has run goes back to waiting when its
 * start is in the future. Without vnodes an unconfirmed one stays unconfirmed. */
void proposal_grant(const struct model *m, const struct resv *r,
                    const struct proposal_grant *g, struct decision *out);

/* Append the records that make the open part of 'r': with the vnodes of the yes that is
 * kept with it, or ('with_yes' false) with those that it has. Every other part is made
 * in the same decision; proposal_obstacle() has said nothing. */
void proposal_make(const struct model *m, const struct resv *r, bool with_yes,
                   const char *actor, enum reason reason, int64_t now_at,
                   struct decision *out);

/* Append the records that drop the open one, of each reservation that it is about; the
 * reason is kept. */
void proposal_deny(const struct model *m, const struct resv *r, const char *actor,
                   const char *reason, int64_t now_at, struct decision *out);

/* Append the records that drop every open one, when a server starts: whoever waits for
 * an answer has lost the connection (decided for reservations.md 13.9). */
void proposal_drop_all(const struct model *m, const char *actor, int64_t now_at,
                       struct decision *out);

/* The same for the other reservations only: 'r' itself ends. */
void proposal_deny_others(const struct model *m, const struct resv *r,
                          const char *actor, int64_t now_at, struct decision *out);

#endif
