/* rule.h - what follows from the state of an object and the time, without being asked.
 *
 * A rule is a pure function: it looks at one object and says which record is due now,
 * if any. The engine (svr.c) calls the rules of every object that a record touched or
 * whose deadline came, takes up what they decide, and goes on until no rule has
 * anything to say. So timers are never stored: a reservation starts because it is
 * confirmed and its start has come, whatever led there, a restart included.
 *
 * Rules must settle: a rule's record makes its own condition false. A deadline that has
 * passed and left the rule with nothing to say is asleep until a record changes the
 * object or something that the rule looks at besides: its row names the edges of the
 * model (model/edges.h) along which it does, and whether it looks at settings. What a
 * rule looks at only when it speaks need not be named: it speaks in any case.
 * All objects are looked at when a scheduler attaches.
 *
 * A rule that has to know something of the world outside looks it up (decide/know.h),
 * and has nothing to say as long as it is not known. It is asked again when the answer
 * is there, and sees the object as it is then. That it waits is stored nowhere: after a
 * restart it asks anew.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_RULES_RULE_H
#define SERVER_RULES_RULE_H

#include "server/decide/request.h"
#include "server/model/edges.h"

struct rule_context {
    const struct model *m;
    int64_t now_at;
    const char *server_actor; /* "root@svr" style */
    struct arena *arena;
    const struct svr_config *cfg;
    const struct svr_view *view; /* what the engine knows besides the model */
    struct knowledge knows;
};

/* A record about 'o' by the server itself, appended to the decision. */
struct record *rule_decide(const struct rule_context *c, const struct object *o,
                           enum fact fact, struct decision *out);

/* Append the records due for this object; true when it appended any. */
typedef bool (*rule_fn)(const struct rule_context *c, const struct object *o,
                        struct decision *out);
/* The next instant at which the rule may have something to say; INT64_MAX: never. */
typedef int64_t (*rule_deadline_fn)(const struct model *m, const struct object *o);

/* What a rule looks at besides its object before it stays silent: the ends of edges,
 * attributes of the server, and attributes of schedulers. */
#define SEES(edge)      (UINT64_C(1) << (edge))
#define SEES_SETTINGS   SEES(EDGE_COUNT)
#define SEES_SCHEDULERS SEES(EDGE_COUNT + 1)
_Static_assert(EDGE_COUNT < 63, "a rule's row has one bit for each edge");

#define RULE_SETTINGS_MAX 6

/* Attributes of the server: a change of any other one wakes nobody. */
struct rule_settings {
    size_t n; /* 0: it may be any */
    int attrs[RULE_SETTINGS_MAX];
};

struct rule_row {
    enum obj_kind kind;
    const char *name;
    uint64_t looks; /* SEES() */
    rule_fn due;
    rule_deadline_fn deadline; /* NULL: only records wake it */
    /* With SEES_SETTINGS: which. Where there are many objects of the kind a setting is
     * not to make all of them look that is nothing to them. */
    struct rule_settings settings;
};
extern const struct rule_row rule_rows[];
extern const size_t n_rule_rows;

/* Does the rule see that attribute of the server? */
bool rule_sees_setting(const struct rule_row *row, int attr);

/* All rules of a kind together. */
struct rules_of {
    bool there;
    uint64_t looks;
};
struct rules_of rules_of(enum obj_kind kind);

#endif
