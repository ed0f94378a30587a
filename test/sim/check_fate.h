/* check_fate.h - what becomes of each job at the end of its reservation, or of the
 * occurrence that it is in, followed from the instant at which the end begins until the
 * job is gone, has left, or the next occurrence has its turn
 * (doc/design/045-on-end.md).
 *
 * What is wanted is read off the attributes that users set and off the job as it was
 * then, by a table of the checker's own; what the server notes of the end is not looked
 * at.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_FATE_H
#define TEST_SIM_CHECK_FATE_H

#include "server/engine/svr.h"

struct sim;

enum end_word {
    END_KILLS, /* also when somebody deletes the reservation or the occurrence */
    END_REQUEUES,
    END_HOLDS,
};

/* One job, and one end. */
struct fate {
    char *job_id, *resv_id;
    uint64_t seq;      /* of the record with which the end begins */
    uint64_t over_seq; /* of the one that fulfils it; 0: open */
    enum end_word word;
    bool is_last;    /* the reservation ends, not one of its occurrences alone */
    bool ran;        /* it was at its MoM, */
    bool once;       /* could not be repeated, */
    bool was_doomed; /* was being deleted anyhow, */
    bool was_held;   /* had a hold of the user's */
    bool is_array; /* it has begun: it waits, and its subjobs have fates of their own */
    bool is_subjob;
    size_t n_waiting; /* of an array: subjobs that were to be run, now or again */
    bool is_touched;  /* somebody has deleted or changed it since */
    struct fate *prev, *next;
};

struct fates {
    struct fate *list; /* the latest first */
};

void fates_fini(struct fates *f);
/* What came later is not stored. */
void fates_forget_after(struct fates *f, uint64_t seq);

/* A record is about to be applied to 'm'. */
void check_fate_record(struct sim *s, const struct model *m, const struct record *rec);

#endif
