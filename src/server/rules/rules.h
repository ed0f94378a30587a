/* rules.h - the rules themselves, by room; the rows are in rules/rule_table.c.
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
bool rule_resv_turn(const struct rule_context *c, const struct object *o,
                    struct decision *out);
bool rule_resv_purge(const struct rule_context *c, const struct object *o,
                     struct decision *out);
bool rule_resv_start(const struct rule_context *c, const struct object *o,
                     struct decision *out);
int64_t deadline_resv_start(const struct model *m, const struct object *o);
bool rule_resv_health(const struct rule_context *c, const struct object *o,
                      struct decision *out);
bool rule_resv_lost(const struct rule_context *c, const struct object *o,
                    struct decision *out);
bool rule_resv_unblocked(const struct rule_context *c, const struct object *o,
                         struct decision *out);
bool rule_later_health(const struct rule_context *c, const struct object *o,
                       struct decision *out);
bool rule_resv_give_up(const struct rule_context *c, const struct object *o,
                       struct decision *out);
int64_t deadline_resv_give_up(const struct model *m, const struct object *o);
bool rule_resv_ask(const struct rule_context *c, const struct object *o,
                   struct decision *out);
int64_t deadline_resv_ask(const struct model *m, const struct object *o);
bool rule_resv_extend(const struct rule_context *c, const struct object *o,
                      struct decision *out);
int64_t deadline_resv_extend(const struct model *m, const struct object *o);
bool rule_resv_idle(const struct rule_context *c, const struct object *o,
                    struct decision *out);
int64_t deadline_resv_idle(const struct model *m, const struct object *o);

/* a job that wants a reservation: rules/job_to_resv.c */
bool rule_resv_from_job(const struct rule_context *c, const struct object *o,
                        struct decision *out);

/* jobs: rules/job_rules.c */
bool job_time_due(const struct rule_context *c, const struct object *o,
                  struct decision *out);
int64_t job_time_deadline(const struct model *m, const struct object *o);
bool job_resv_ends_due(const struct rule_context *c, const struct object *o,
                       struct decision *out);
bool job_node_fail_due(const struct rule_context *c, const struct object *o,
                       struct decision *out);
int64_t job_node_fail_deadline(const struct model *m, const struct object *o);

/* the kind of time that passes for a job: rules/accrual_rule.c */
bool job_accrual_due(const struct rule_context *c, const struct object *o,
                     struct decision *out);

/* jobs that go to another server: rules/job_transfer_rule.c */
bool job_transfer_due(const struct rule_context *c, const struct object *o,
                      struct decision *out);
int64_t job_transfer_deadline(const struct model *m, const struct object *o);

/* jobs that came from other servers: rules/job_track_rule.c */
bool job_track_due(const struct rule_context *c, const struct object *o,
                   struct decision *out);
int64_t job_track_deadline(const struct model *m, const struct object *o);

/* arrays: rules/array_rules.c */
bool subjob_doomed_due(const struct rule_context *c, const struct object *o,
                       struct decision *out);
bool subjob_follows_due(const struct rule_context *c, const struct object *o,
                        struct decision *out);
bool array_take_due(const struct rule_context *c, const struct object *o,
                    struct decision *out);

/* a hot start: rules/hot_rules.c */
bool hot_restart_due(const struct rule_context *c, const struct object *o,
                     struct decision *out);
bool hot_over_due(const struct rule_context *c, const struct object *o,
                  struct decision *out);
int64_t hot_over_deadline(const struct model *m, const struct object *o);

/* vnodes: rules/node_rules.c */
bool node_maintenance_due(const struct rule_context *c, const struct object *o,
                          struct decision *out);
bool node_wait_due(const struct rule_context *c, const struct object *o,
                   struct decision *out);
int64_t node_wait_deadline(const struct model *m, const struct object *o);

/* jobs that wait for others: rules/depend_rule.c */
bool job_depend_due(const struct rule_context *c, const struct object *o,
                    struct decision *out);

/* jobs that other servers have told to wait: rules/verify_rule.c */
bool job_verify_due(const struct rule_context *c, const struct object *o,
                    struct decision *out);
int64_t job_verify_deadline(const struct model *m, const struct object *o);

/* jobs of other servers that wait for jobs here: rules/waiters_rule.c; the server's */
bool waiters_due(const struct rule_context *c, const struct object *o,
                 struct decision *out);
int64_t waiters_deadline(const struct model *m, const struct object *o);

/* jobs in routing queues: rules/route_rules.c */
bool job_route_due(const struct rule_context *c, const struct object *o,
                   struct decision *out);
int64_t job_route_deadline(const struct model *m, const struct object *o);
bool queue_route_due(const struct rule_context *c, const struct object *o,
                     struct decision *out);
int64_t queue_route_deadline(const struct model *m, const struct object *o);

/* History that is not kept any longer; the server's. */
int64_t history_over_deadline(const struct model *m, const struct object *o);
bool history_over_due(const struct rule_context *c, const struct object *o,
                      struct decision *out);

#endif
