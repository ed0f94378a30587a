/* facts.h - what was found out about the world outside, and what a request needs to
 * know of it (doc/design/006).
 *
 * The core cannot ask: name services block, and an answer has to be an input. A handler
 * looks into the facts; what it misses it names as its need and returns. The engine
 * parks the request, the shell finds out (EFFECT_FIND_OUT) and tells svr_learned(), and
 * the request is decided afresh. Facts are volatile and expire.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_FACTS_H
#define SERVER_DECIDE_FACTS_H

#include "lib/base/diag.h"
#include "lib/wire/batch.h"

enum need_kind {
    NEED_NOTHING,
    NEED_GROUPS, /* the groups of a user of this host, the primary one first */
};

/* One thing to be found out. */
struct need {
    enum need_kind kind;
    const char *name;
};

/* What was found out. */
struct finding {
    bool failed; /* nobody could say; it may be asked again soon */
    bool found;  /* there is such a user */
    struct wire_strings groups;
};

struct facts;

struct facts *facts_new(void);
void facts_free(struct facts *f); /* NULL is fine */

/* The answer that is still good at 'now_at', NULL when there is none. It lives until
 * the next change of the table. */
const struct finding *facts_find(const struct facts *f, const struct need *need,
                                 int64_t now_at);
/* Keep a copy of an answer; the oldest ones go when there are too many. */
void facts_learn(struct facts *f, const struct need *need,
                 const struct finding *finding, int64_t now_at);

#endif
