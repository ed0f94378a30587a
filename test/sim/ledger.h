/* ledger.h - what is durable and what was told, kept outside of the server: accounting
 * lines, the birth and end of reservations and jobs, and what clients were promised.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_LEDGER_H
#define TEST_SIM_LEDGER_H

#include "server/engine/svr.h"

#include <uthash.h>

struct sim;

/* A reservation or a job, also after its end. */
struct entry {
    char *id;
    enum obj_kind kind;
    char *label; /* its name */
    bool ended;
    bool told_exists;    /* somebody was given its id */
    bool told_confirmed; /* ... and that it is confirmed */
    bool told_ending;    /* somebody was told that it is being deleted */
    bool was_taken_from; /* maintenance took vnodes of it */
    bool is_qmove;       /* it was made for a waiting job */
    bool altering;       /* an alteration is open */
    bool retried_now;    /* reserve_retry_now was on when rules had settled last, */
    int n_lost;          /* and so many of its vnodes were unusable */
    int64_t tried_at;    /* when an attempt was last called for out of turn */
    int n_started;       /* records of its start */
    int n_moved_out;     /* alterations that made a running one wait again */
    int n_turns;         /* occurrences that had their turn after the first one */
    int n_runs;          /* of a job being sent off */
    int64_t sent_run;    /* the last run of a job that the server has decided, */
    bool sent_image;     /* and whether there was an image then */
    int n_back;          /* of a run that ended without the job */
    int n_account[128];  /* accounting lines by letter */
    UT_hash_handle hh;
};

struct ledger {
    struct entry *entries;
    int64_t last_record_ms; /* when something was last committed */
};

void ledger_fini(struct ledger *l);

/* Records and accounting lines that have become durable, in order. */
void ledger_commit(struct sim *s, size_t n, const struct effect *const *facts);

/* A client was told something about the object. */
struct entry *ledger_told(struct sim *s, enum obj_kind kind, const char *id);

/* After a crash: what was told is still true. */
void ledger_check_told(struct sim *s);

struct entry *ledger_find(const struct ledger *l, const char *id);
/* By label: the one that lives, else the last one. */
const struct entry *ledger_by_label(const struct ledger *l, const char *label);

#endif
