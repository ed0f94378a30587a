/* rule.h - what follows from the state of an object and the time, without being asked.
 *
 * A rule is a pure function: it looks at one object and says which record is due now,
 * if any. The engine (svr.c) calls the rules of every object that a record touched or
 * whose deadline came, takes up what they decide, and goes on until no rule has
 * anything to say. So timers are never stored: a reservation starts because it is
 * confirmed and its start has come, whatever led there, a restart included.
 *
 * Rules must settle: a rule's record makes its own condition false. A deadline that has
 * passed and left the rule with nothing to say is asleep until a record touches the
 * object (or one of its neighbours: a vnode wakes its reservations and jobs, a job its
 * queue, reservation and vnodes, a queue its reservation, a reservation its jobs).
 * All reservations and jobs are woken when a scheduler attaches or scheduling changes.
 * Jobs that a hot start puts back are woken by all that can make room on their vnodes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_RULES_RULE_H
#define SERVER_RULES_RULE_H

#include "server/decide/request.h"

struct rule_context {
    const struct model *m;
    int64_t now_at;
    const char *server_actor; /* "root@svr" style */
    struct arena *arena;
    const struct svr_config *cfg;
    const struct svr_view *view; /* what the engine knows besides the model */
};

/* A record about 'o' by the server itself, appended to the decision. */
struct record *rule_decide(const struct rule_context *c, const struct object *o,
                           enum fact fact, struct decision *out);

/* Append the records due for this object; true when it appended any. */
typedef bool (*rule_fn)(const struct rule_context *c, const struct object *o,
                        struct decision *out);
/* The next instant at which the rule may have something to say; INT64_MAX: never. */
typedef int64_t (*rule_deadline_fn)(const struct model *m, const struct object *o);

struct rule_row {
    enum obj_kind kind;
    const char *name;
    rule_fn due;
    rule_deadline_fn deadline; /* NULL: only records wake it */
};
extern const struct rule_row rule_rows[];
extern const size_t n_rule_rows;

#endif
