/* depend_admit.h - what a job is to wait for, as somebody asks for it: may it be, and
 * what becomes of it (model/depend.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_DEPEND_ADMIT_H
#define SERVER_DECIDE_DEPEND_ADMIT_H

#include "server/decide/request.h"
#include "server/model/waiters.h"

/* Then a registered job has been committed, or never will be; what was registered is
 * registered once more (rules/verify_rule.c). */
#define DEPEND_VERIFY_AFTER_S  2
/* A job of another server that is to wait is let go a minute after that when nothing
 * has been committed. It may have been told half a minute before its server's answer
 * came. */
#define DEPEND_DECIDE_WITHIN_S 20

/* A wish: 'job' and 'owner' ("user@host") of whom it is about. */
struct depend_wish {
    const struct model *m;
    const struct request *rq;
    const char *job;
    const char *owner;
    const char *text;
    bool registers; /* servers of other jobs are asked; else that comes later */
};

/* What it comes to: entries of the job, and those that other jobs get because of it. */
struct depend_plan {
    struct depend_list own;
    size_t n_others;
    struct depend_other {
        const struct job *job;
        struct depend_entry entry;
    } * others;
    struct waiters elsewhere; /* jobs of other servers that are to wait for it */
    enum depend_state state;  /* of its own entries */
};

/* Refused: 15014 a text that is none; 15054 a job that is not here, the job itself, a
 * circle, a job of somebody else that were to wait, one that runs already or waits
 * for as many as may be; 15229 a
 * job that is over and has not ended as it should have; what the server of another job
 * says, or 15010 when it says nothing; NEEDED. What is satisfied already is
 * left out. The reason is logged. */
int depend_admit(const struct depend_wish *wish, struct depend_plan *ret,
                 struct decision *out) MUST_CHECK;

/* The text of hf_waiters of the job, with those of the plan; 'job' NULL: it is being
 * committed. NULL: none. */
const char *depend_waiters_text(const struct job *job, const struct depend_plan *plan,
                                struct arena *arena);

/* The text of hf_verify of a job with that plan: each of its entries that is about a
 * job of another server. That one may have ended while its server's answer was on its
 * way, and this one been told of it before it knew the job or the entry. NULL: none. */
const char *depend_verify_text(const struct depend_wish *wish,
                               const struct depend_plan *plan);

/* An entry more for a job that is to wait. False: it waits for as many as it may. */
bool depend_add_entry(struct depend_list *list, const struct depend_entry *e,
                      struct arena *arena) MUST_CHECK;

/* Append the records of the others. */
void depend_tell_others(const struct depend_wish *wish, const struct depend_plan *plan,
                        struct decision *out);

/* Add to a record what makes its job wait: the hold, and "depend" as it is stored.
 * 'holds' is the text of its Hold_Types without it; 'job' NULL: it is being committed.
 */
void depend_hold_changes(const struct job *job, const char *holds, struct record *rec,
                         int64_t now_at, struct arena *arena);

#endif
