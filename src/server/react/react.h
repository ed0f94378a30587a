/* react.h - what leaves the server because of a record: accounting lines, log lines,
 * scheduler commands, messages to MoMs, answers to those who wait.
 *
 * A reaction sees the record and the model as it is after the record (later records of
 * the same decision are not applied yet). It changes nothing lasting. What a fact about
 * an object causes is one row of the table in react/react_table.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REACT_REACT_H
#define SERVER_REACT_REACT_H

#include "lib/base/log.h"
#include "lib/wire/sched_command.h"
#include "server/decide/config.h"
#include "server/decide/effect.h"
#include "server/decide/request.h"
#include "server/decide/sched_link.h"

struct svr;

struct reaction {
    const struct model *m;
    const struct svr_config *cfg;
    const struct record *rec;
    /* The record's object, never NULL; of a fact that removes its object still intact,
     * already unlinked. */
    const struct object *o;
    int64_t now_at;
    struct effects *out;
    struct svr *svr; /* for effect_wake_schedulers() */
    const struct svr_view *view;
};

typedef void (*react_fn)(const struct reaction *r);

/* One who waits for an object, and what has happened to it. */
struct answering {
    const struct model *m;
    const struct record *rec;
    const struct wait_for *wait_for;
    struct arena *arena;
};

/* Put the reply together when the record answers who waits; false: go on waiting. */
typedef bool (*answer_fn)(const struct answering *a, struct wire_reply *ret);

/* What a fact about an object of a kind causes; NULL for nothing. The columns are
 * carried out in their order, the last one for each who waits for that object. Who
 * waits for an object that the fact removes is told that it is unknown, unless its row
 * answers. */
struct react_row {
    react_fn log;
    react_fn account;
    react_fn mail;
    react_fn wake; /* schedulers */
    react_fn call; /* a client that waits at a port */
    answer_fn answer;
};
const struct react_row *react_row(enum fact fact, enum obj_kind kind);

/* What the record changed of that attribute, NULL when nothing. */
const struct change *reaction_change(const struct record *rec, int attr);

/* Has the record changed what decides whether a job that waits may run (ATTR_PLANNED),
 * and are there jobs? Values are not compared: a limit that is lowered costs a cycle.
 */
bool reaction_lets_run(const struct reaction *r);

/* Wake schedulers (wire.md 12.3): those with scheduling on that serve 'partition', NULL
 * being every one (reservations.md 7.1). Commands are merged and leave when the input
 * is through. */
void effect_wake_schedulers(const struct reaction *r, const char *partition,
                            int32_t command);
/* The same with a question about a reservation, which does not wait for the end of a
 * cycle (sched_link_ask()). */
void effect_ask_schedulers(const struct reaction *r, const char *partition,
                           int32_t command);
/* The same for the scheduler of that name, whether its scheduling is on or not. */
void effect_tell_scheduler(const struct reaction *r, const char *sched,
                           int32_t command);
/* Both connections of that scheduler end, if it has any. */
void effect_drop_scheduler(const struct reaction *r, const char *sched);

#endif
