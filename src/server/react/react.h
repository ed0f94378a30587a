/* react.h - what leaves the server because of a record: accounting lines, log lines,
 * scheduler commands, messages to MoMs, answers to those who wait.
 *
 * A reaction sees the record and the model as it is after the record (later records of
 * the same decision are not applied yet). It changes nothing lasting. Which facts cause
 * which reactions is the table in react/table.c.
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
    /* For facts that remove an object: the object, still intact, already unlinked. */
    const struct object *gone;
    int64_t now_at;
    struct effects *out;
    struct svr *svr; /* for effect_wake_schedulers() */
    const struct svr_view *view;
};

typedef void (*react_fn)(const struct reaction *r);

struct react_row {
    enum fact fact;
    react_fn react;
};
extern const struct react_row react_rows[];
extern const size_t n_react_rows;

/* Wake schedulers (wire.md 12.3): those with scheduling on that serve 'partition', NULL
 * being every one (reservations.md 7.1). Commands are merged and leave when the input
 * is through. */
void effect_wake_schedulers(const struct reaction *r, const char *partition,
                            int32_t command);
/* The same for the scheduler of that name, whether its scheduling is on or not. */
void effect_tell_scheduler(const struct reaction *r, const char *sched,
                           int32_t command);

#endif
