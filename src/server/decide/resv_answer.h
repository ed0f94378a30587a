/* resv_answer.h - a scheduler's answer to the question that is open about a reservation
 * (reservations.md 7.3, 7.4), and what the kinds of questions have in common when they
 * take one.
 *
 * The handler of ConfirmResv reads the answer; the row of the question's kind says what
 * comes of it (question_kind.h). A yes is judged against the model as it is now and
 * refused when it no longer holds; then nothing has changed, and the scheduler looks
 * again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_RESV_ANSWER_H
#define SERVER_DECIDE_RESV_ANSWER_H

#include "server/decide/request.h"
#include "server/model/resv_fit.h"

/* Of an answer that names no partition. */
#define DEFAULT_PARTITION "pbs-default"

/* Texts live as long as the request. */
struct resv_answer {
    const struct model *m;
    const struct request *rq;
    struct decision *out;
    const struct resv *r;
    const char *sched;     /* who answers, never NULL: question_who() */
    const char *partition; /* of who answers, never NULL */
    const char *vnodes;    /* of a yes: an exec_vnode, not read yet */
    uint64_t start_at;     /* of a yes: the start that it is for, 0: it does not say */
    bool away;             /* of a yes: it knows that vnodes are down or offline */
    const char *reason;    /* of a no, NULL: it was not said */
};

/* True when a no may be for vnodes alone that have not reported yet: it is said while
 * some are awaited, or in a cycle that began before all had reported. Such a no is not
 * final. */
bool answer_is_for_awaited_vnodes(const struct resv_answer *a);

/* Append the record that puts the question again in a few seconds. */
void answer_ask_again(const struct resv_answer *a);

/* Append the record that this scheduler said no, while others have not; no record when
 * it has said so before. */
void answer_note_no(const struct resv_answer *a);

/* Read the vnodes of a yes, in the request's arena. 15011 or the parser's code; a vnode
 * that does not exist is refused with its name, which is logged too. */
int answer_vnodes(const struct resv_answer *a, struct exec_vnode *ret) MUST_CHECK;

/* The same about one text. A map of one occurrence, "1#(v:ncpus=1){0}", means its
 * vnodes: an alteration of a series is answered so (reservations.md 9.3). */
int answer_vnodes_of(const struct resv_answer *a, const char *text,
                     struct exec_vnode *ret) MUST_CHECK;

/* Append the record of its queue, which is enabled and gets the partition. */
void answer_open_queue(const struct resv_answer *a);

/* Does the offer have what that schedselect asks for? *ret_why is in the arena. */
bool answer_is_as_much(const struct resv_answer *a, const struct exec_vnode *vnodes,
                       const char *schedselect, const char **ret_why) MUST_CHECK;

/* Does the offer hold in the model as it is: resv_fit(), and no vnode in it that the
 * occurrence does not have yet is of another partition than the answer? A scheduler may
 * have looked before the vnode changed hands, and nobody would look after it then.
 * Vnodes without a partition are anybody's, and maintenance takes any. *ret_why is in
 * the arena. */
bool answer_fits(const struct resv_answer *a, const struct resv_offer *offer,
                 const char **ret_why) MUST_CHECK;

/* The i-th of several offers that are made as one, with the others as its neighbours;
 * in the arena. */
struct resv_offer offer_beside(const struct resv_offer *v, size_t n, size_t i,
                               struct arena *arena);

/* Refuse the answer: 15016, the reason is logged. */
int answer_refuse(const struct resv_answer *a, const char *why) MUST_CHECK;

/* May the offer be taken, for that schedselect? 15028 when not; the reason is logged.
 */
int answer_judge(const struct resv_answer *a, const struct resv_offer *offer,
                 const char *schedselect) MUST_CHECK;

#endif
