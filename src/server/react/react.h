/* react.h - what leaves the server because of a record: accounting lines, log lines,
 * scheduler commands, messages to MoMs, answers to those who wait.
 *
 * A reaction sees the record and the model as it is after the record. It changes
 * nothing and may be called twice without harm. Which facts cause which reactions is
 * the table in react/table.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REACT_REACT_H
#define SERVER_REACT_REACT_H

#include "server/svr.h"

struct reaction {
    const struct model *m;
    const struct svr_config *cfg;
    const struct record *rec;
    /* For facts that remove an object: the object, still intact, already unlinked. */
    const struct object *gone;
    int64_t now_at;
    struct effects *out;
};

typedef void (*react_fn)(const struct reaction *r);

struct react_row {
    enum fact fact;
    react_fn react;
};
extern const struct react_row react_rows[];
extern const size_t n_react_rows;

void effect_log(struct effects *out, uint64_t seq, uint32_t event, uint32_t obj_class,
                const char *object, const char *fmt, ...) PRINTF_LIKE(6, 7);
void effect_account(struct effects *out, uint64_t seq, int64_t at, char type,
                    const char *id, const char *fmt, ...) PRINTF_LIKE(6, 7);
struct effect *effect_add(struct effects *out, enum effect_kind kind, uint64_t seq);

#endif
