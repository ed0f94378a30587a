/* check_push.h - who is moved to make room for another reservation is moved with it,
 * and keeps what he has but for the time and the vnodes (doc/design/050-push.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_PUSH_H
#define TEST_SIM_CHECK_PUSH_H

#include "server/engine/svr.h"

struct sim;
struct planner;

#define PUSHES_MAX 128

/* One that was moved in this turn. */
struct pushed {
    char id[64];
    int64_t from_at, to_at;
    int64_t until_at; /* its end before */
    char vnodes[512]; /* before */
    char room_for[64];
};

struct pushes {
    size_t n;
    struct pushed v[PUSHES_MAX];
    char names[4096]; /* 'pushed' of the one that they were moved for */
};

/* It has decided. */
void check_push_plan(struct sim *s, const struct planner *p);

/* A record is about to be applied to 'm'. */
void check_push_before(struct sim *s, const struct model *m, const struct record *rec);

/* The turn is over. */
void check_push_settled(struct sim *s, const struct model *m);

#endif
