/* check_preempt.h - who is made to leave for another job: only who may be, by a method
 * that is in its turn, and with a way back (doc/design/065-preemption.md).
 *
 * What a scheduler plans, what the server begins because of its request, what the
 * server replies, and what becomes of each victim are looked at one by one, with the
 * attributes that users and administrators set; what the server notes of a preemption
 * is not asked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_PREEMPT_H
#define TEST_SIM_CHECK_PREEMPT_H

#include "lib/wire/batch.h"
#include "server/engine/svr.h"

struct sim;
struct planner;

/* A job that a request of a scheduler names, while that is not answered, and what was
 * begun with the job last; or one that was requeued by that, until its run is over. */
struct leaver {
    char *job_id;
    uint64_t conn; /* of the scheduler that waits for it; 0: nobody does any more */
    char method;   /* 'S', 'C', 'R', 'D'; 0: nothing was begun yet */
    uint64_t seq;  /* of the record that began it */
    int64_t run_version;
    bool is_touched; /* somebody else has ended or changed it since */
    struct leaver *prev, *next;
};

/* A job for which others have left, and how often without a run of it in between. */
struct preemptor {
    char *job_id;
    int n_runs;
    int n_times;
    struct preemptor *prev, *next;
};

struct preempts {
    struct leaver *leavers;
    struct preemptor *preemptors;
};

void preempts_fini(struct preempts *p);
/* What came later is not stored, and whoever waited has gone with the server. */
void preempts_forget_after(struct preempts *p, uint64_t seq);

/* A scheduler has decided: each victim is of a lower level than the job. */
void check_preempt_plan(struct sim *s, const struct planner *p);
/* A scheduler asks for that. */
void check_preempt_asked(struct sim *s, uint64_t conn, const struct body_list *body);
/* A record of the turn of 'conn' is about to be applied to 'm'. */
void check_preempt_record(struct sim *s, uint64_t conn, const struct model *m,
                          const struct record *rec);
/* The records of the turn are applied to 'm': is what it replies true? */
void check_preempt_replies(struct sim *s, const struct model *m,
                           const struct effects *turn);

#endif
