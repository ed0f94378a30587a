/* follower.h - what a push may move (doc/design/050-push.md): reservations, and
 * occurrences of standing ones, that begin behind the one that is altered.
 *
 * Each is a booking of its own in the world, under its id or name. Occurrences of one
 * series are tied to each other: one ends before the next one begins, wherever they
 * are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_FOLLOWER_H
#define SCHEDULER_PLAN_FOLLOWER_H

#include "scheduler/plan/question.h"

struct follower {
    const struct snap_resv *r;
    size_t place;   /* among the occurrences of 'r': 0 the current one */
    const char *id; /* in the world and in the answer */
    const struct request *request;
    const struct placement *at; /* the vnodes that it has */
    int64_t from_at, until_at;  /* its window */
    struct follower *next; /* in its series; NULL: there is none that may be moved */
    int64_t
        next_at; /* where one begins that may not be moved; INT64_MAX: there is none */
    /* What the push has made of it: */
    bool away;             /* its own booking is set aside in the world */
    bool ousted;           /* it has to leave its place */
    bool placed;           /* it has another one: */
    int64_t not_before_at; /* as soon as the one before it in its series allows */
    int64_t start_at;
    struct placement found;
    struct booking *trial;
};

struct followers {
    size_t n;
    struct follower *v;    /* by start, then id; in the plan's memory */
    struct follower *next; /* as above, of the one that is altered */
    int64_t next_at;
};

/* Those of the alteration 'q'. Linear in the reservations and in the occurrences of
 * series that are left. */
struct followers followers_of(const struct question *q);

/* Would an occurrence that ends then, and has ended at 'was_at' before, meet one of its
 * series that begins at 'next_at'? Where both stay nothing is asked. */
static inline bool meets_next(int64_t end_at, int64_t was_at, int64_t next_at)
{
    return end_at != was_at && end_at >= next_at;
}

/* The name of what the question is about, in the world and in the answer; when it began
 * and ended before. */
const char *altered_id(const struct question *q);
int64_t altered_old_start(const struct question *q);
int64_t altered_old_end(const struct question *q);

#endif
