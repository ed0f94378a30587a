/* two.h - two servers, of which one has a job that jobs of the other one wait for
 * (RegistDep, wire.md 14, doc/design/075-dependencies-between-servers.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_SERVER_TWO_H
#define TEST_UNIT_SERVER_TWO_H

#include "test/unit/server/pair.h"

#define FIRST "0.svr" /* the job that is waited for; 'there' has it */

struct two {
    struct fake_mom fm; /* of 'there' */
    struct pair out;    /* what 'here' asks 'there' */
    struct pair back;   /* what 'there' tells 'here' */
};

struct two two_new(void);
/* Both models are what their records say. */
void two_free(struct two *t);

/* A job with that 'depend' is submitted at 'here', which has to ask before it answers.
 */
void two_ask_for(struct two *t, const char *depend);
/* 'there' answers all that it was asked last, or says 'f' to it, and the request goes
 * on: what is said to the client, NULL: there is more to ask. */
const struct wire_reply *two_answered(struct two *t, const struct finding *f);
/* A job of 'here' waits for FIRST from now on; its id. */
const char *two_child(struct two *t, const char *type);

enum how {
    RUNS,
    ENDS_WELL,
    ENDS_BADLY,
    IS_DELETED,
    HOWS
};

/* That becomes of FIRST at the server of 'fm'. */
void two_let_happen(struct fake_mom *fm, enum how how);
/* 'there' begins again, and tells what it has not told. */
void two_tell(struct two *t);
/* After so many seconds 'here' asks 'there' by itself: the answer is 'f', or what
 * 'there' says. */
void two_ask_again(struct two *t, int64_t after_s, const struct finding *f);
/* Are all entries of that job confirmed, which their servers are still asked for? */
bool two_is_confirmed(const struct rig *r, const char *id);
/* A server says that to 'here': the code of the answer. */
int two_say(struct two *t, const struct body_register_dep *body);

/* How many things it asks for at the moment, and whether one is for "@server". */
size_t n_asked(const struct rig *r);
bool is_asked(const struct rig *r, const char *detail);

/* What a server says that cannot look at a job now, or cannot store what it is told. */
#define TWO_SAYS_NOTHING 5
extern const int two_says_nothing[TWO_SAYS_NOTHING];

#endif
