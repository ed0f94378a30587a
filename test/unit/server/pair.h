/* pair.h - two servers, and the requests that one sends to the other played one by one:
 * cut off anywhere, with servers that die and start again in between.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_SERVER_PAIR_H
#define TEST_UNIT_SERVER_PAIR_H

#include "test/unit/server/fake_mom.h"

#define FOR_EVER 1000000

struct pair {
    struct rig *from, *to;
    const char *id;
    uint64_t client; /* that waits at 'from' for the end of MoveJob */
    uint64_t conn;   /* of the last attempt, at 'to' */
    size_t n_taken;  /* Commits that 'to' has accepted */
    const struct wire_reply *said;
};

/* A job of RIG_USER's at 'from'. Both servers are named "svr": 'to' has given the first
 * ids itself, to jobs that are gone. */
struct pair pair_new(const char *attrs, const char *script);
/* Both models are what their records say. */
void pair_free(struct pair *p);

/* What 'r' asks another server, the first of its last effects; NULL. */
const struct need *transfer_asked(const struct rig *r);

/* The answer of 'to' to a request of a server, on the connection p->conn. */
struct wire_reply pair_served(struct pair *p, const struct wire_request *rq);

/* What a shell does (hand_over.c). The connection ends at the step 'cut': each request
 * is one, and so is each reply. */
struct finding pair_attempt(struct pair *p, const struct need *need, int cut);

/* The answer reaches the server that asks; p->said is what its client is told. */
void pair_tell(struct pair *p, const struct need *need, const struct finding *f);

/* What 'from' asks for is done, up to 'cut', and told. */
void pair_go(struct pair *p, int cut);

/* Is the job there, and not history? */
bool job_lives(const struct rig *r, const char *id);

#endif
