/* checks.h - what must hold in every run, looked at after every step.
 *
 * Each checker has a name and one line that says what it watches (checks.c); the first
 * one that finds something ends the run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECKS_H
#define TEST_SIM_CHECKS_H

#include "server/engine/svr.h"

struct sim;
struct effects;
struct turns_leaving;
struct snapshot;
struct planner;

enum check {
    CHECK_PROMISE,
    CHECK_INSIDE,
    CHECK_KEEP,
    CHECK_DURABLE,
    CHECK_TOLD,
    CHECK_STORE,
    CHECK_WHOLE,
    CHECK_SHADOW,
    CHECK_LINKS,
    CHECK_LIFE,
    CHECK_ON_END,
    CHECK_FATE,
    CHECK_PREEMPT,
    CHECK_LIMITS,
    CHECK_SUMS,
    CHECK_HEALTH,
    CHECK_ALTER,
    CHECK_ENDS,
    CHECK_SHOWN,
    CHECK_LISTED,
    CHECK_KEPT,
    CHECK_CHANGES,
    CHECK_SETTLED,
    CHECK_BOOKS,
    CHECK_REFUSAL,
    CHECK_ANSWER,
    CHECK_VERDICT,
    CHECK_QMOVE,
    CHECK_WHY,
    CHECK_DRY,
    CHECK_START,
    CHECK_ACCOUNT,
    CHECK_SCHED_LINK,
    CHECK_ONCE,
    CHECK_STOPPED,
    CHECK_STORM,
    CHECK_TWO,
    CHECK_IMAGE,
    CHECK_OBIT,
    CHECK_AGREE,
    CHECK_WIRE,
    CHECK_QUIET,
    CHECK_END,
    CHECK_EXPECT,
    CHECK_COUNT
};

const char *check_name(enum check c);
const char *check_words(enum check c);

struct checks {
    bool failed;
    bool unsettled; /* something has changed since all had followed for the last time */
    enum check what;
    char words[1024];
    struct snapshot *kept; /* check_changes.c */
    int64_t at_ms;
};

/* The first call counts. */
void check_failed(struct sim *s, enum check what, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* A turn was taken that carried out the request of a connection, 0: none. Its records
 * are applied to the shadow, its effects wait to leave. */
void check_turn(struct sim *s, uint64_t conn, const struct effects *turn);
/* The parked request of a connection had its turn. */
void check_gone_on(struct sim *s, uint64_t conn, const struct effects *out);
/* A request was answered in this turn, or not. */
void check_request(struct sim *s, uint64_t conn, const struct wire_request *rq,
                   const struct effects *out);
/* An effect leaves now. */
void check_leaves(struct sim *s, const struct turns_leaving *l);
/* What the store holds, and what is on its way there, make the live model. */
void check_store(struct sim *s);
/* check_whole.c: of what the store holds. */
void check_whole(struct sim *s, const struct model *m);

/* check_promise.c: nobody is promised what another one has. 'turn' has led to 'm'. */
void check_promise(struct sim *s, const struct model *m, const struct effects *turn);
/* ... and vnodes have assigned what runs on them, once. */
void check_books(struct sim *s, const struct model *m);
/* With whom it shares what cannot be shared, as the model is now: ids of jobs or of
 * reservations in order of creation, "R2.svr,R3.svr", empty: none. */
void promise_conflicts(const struct sim *s, const struct resv *r, enum obj_kind kind,
                       struct buf *out);
/* check_life.c: phases, degradation, re-making. */
void check_resv_record(struct sim *s, const struct model *m, const struct record *rec);
void check_release_record(struct sim *s, const struct model *m,
                          const struct record *rec);
void check_job_record(struct sim *s, const struct model *m, const struct record *rec);
/* check_resv_end.c: what becomes of jobs at the end of their reservation. */
void check_end_of_resv(struct sim *s, const struct model *m, const struct record *rec);
/* 'settled': nothing is left that follows from what was before. */
void check_health(struct sim *s, const struct model *m, bool settled);
/* check_retry.c: when lost vnodes are sought. */
void check_retry_record(struct sim *s, const struct model *m, const struct record *rec);
void check_retry_settled(struct sim *s, const struct model *m);
/* check_changes.c: who is told what has changed knows all. What it knows is forgotten
 * when the server begins anew. */
void check_changes(struct sim *s);
void check_changes_forget(struct sim *s);
/* check_start.c: the starts that the scheduler has just decided about are what they are
 * said to be. */
void check_starts(struct sim *s, const struct planner *p);
/* check_end.c: all has ended and all is free. */
void check_end(struct sim *s);

#endif
