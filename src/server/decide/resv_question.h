/* resv_question.h - the question that is open about a reservation: may it be, which
 * vnodes replace the lost ones, or may it be altered (resv_proposal.h).
 *
 * A question knows when it was put, to which schedulers by name, who of them has said
 * no, and whether it is to be put again before its ordinary time. A no counts for who
 * says it, so one scheduler that says no twice does not speak for another
 * (reservations.md 7.1). It is kept in attributes of the reservation: hf_asked_at,
 * hf_asked, hf_answered, hf_ask_again_at; only this file writes them. What kinds of
 * questions there are, and what an answer or the time does to each, is in
 * question_kind.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_QUESTION_H
#define SERVER_DECIDE_RESV_QUESTION_H

#include "server/decide/request.h"

/* When it was put, INT64_MIN: not yet; and when it is to be put again before its
 * ordinary time, INT64_MAX: it is not. */
int64_t question_asked_at(const struct resv *r);
int64_t question_again_at(const struct resv *r);

/* Whom a question about the reservation would be put to now: the schedulers that are
 * attached, have scheduling on and serve its partition, names with commas between, in
 * the arena; NULL: nobody. */
const char *question_asks(const struct model *m, const struct svr_view *view,
                          const struct resv *r, struct arena *arena);

/* Are all of those ours: have they said that they know what is ours alone? */
bool question_asks_ours(const struct svr_view *view, const char *asks);

/* It is put now to those ('asks' as above; NULL: to whoever registers later), and
 * nobody has said anything. */
void question_put(struct record *rec, struct arena *arena, const char *asks,
                  int64_t now_at);

/* Nothing that was said counts; it is put again at that instant. */
void question_put_again(struct record *rec, struct arena *arena, int64_t at);

/* It is answered, or nobody asks any more. */
void question_over(struct record *rec, struct arena *arena);

/* Who answers: the scheduler that is registered on the connection; somebody else of the
 * staff speaks for the one of that partition (NULL: the default one). Never NULL. */
const char *question_who(const struct model *m, const struct request *rq,
                         const char *partition);

/* Would a no of that scheduler be the last one: has every other one that was asked, and
 * that is still there, said no? */
bool question_is_denied_by(const struct model *m, const struct resv *r,
                           const char *sched);

/* The changes that note its no. */
void question_note_no(struct record *rec, struct arena *arena, const struct resv *r,
                      const char *sched);

#endif
