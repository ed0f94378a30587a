/* rules.h - the rules themselves, by room; the rows are in rules/table.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_RULES_RULES_H
#define SERVER_RULES_RULES_H

#include "server/rules/rule.h"

/* reservations: rules/resv_*.c, in the order in which they are asked */
bool rule_resv_expire(const struct rule_context *c, const struct object *o,
                      struct decision *out);
int64_t deadline_resv_expire(const struct model *m, const struct object *o);
bool rule_resv_end(const struct rule_context *c, const struct object *o,
                   struct decision *out);
int64_t deadline_resv_end(const struct model *m, const struct object *o);
bool rule_resv_purge(const struct rule_context *c, const struct object *o,
                     struct decision *out);
bool rule_resv_start(const struct rule_context *c, const struct object *o,
                     struct decision *out);
int64_t deadline_resv_start(const struct model *m, const struct object *o);
bool rule_resv_health(const struct rule_context *c, const struct object *o,
                      struct decision *out);
bool rule_resv_ask(const struct rule_context *c, const struct object *o,
                   struct decision *out);
int64_t deadline_resv_ask(const struct model *m, const struct object *o);
bool rule_resv_idle(const struct rule_context *c, const struct object *o,
                    struct decision *out);
int64_t deadline_resv_idle(const struct model *m, const struct object *o);

/* jobs: rules/job_*.c */

/* vnodes: rules/node_*.c */

#endif
