/* reactions.h - the reactions themselves, by room; what calls them is the table in
 * react/react_table.c, whose column is the first word of each name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REACT_REACTIONS_H
#define SERVER_REACT_REACTIONS_H

#include "server/react/react.h"

/* server, schedulers, resources, queues: react/manager_react.c */
void wake_queue_set(const struct reaction *r);
void wake_resource_changed(const struct reaction *r);
void wake_sched_changed(const struct reaction *r);
void wake_sched_deleted(const struct reaction *r);
void wake_server_set(const struct reaction *r);

/* queues of reservations: react/resv_queue_log.c */
void log_queue_created(const struct reaction *r);
void log_queue_deleted(const struct reaction *r);
void log_queue_set(const struct reaction *r);

/* reservations: react/resv_log.c, resv_account.c, resv_mail.c, resv_wake.c */
void account_occurrence_altered(const struct reaction *r);
void account_occurrence_deleted(const struct reaction *r);
void account_resv_altered(const struct reaction *r);
void account_resv_confirmed(const struct reaction *r);
void account_resv_denied(const struct reaction *r);
void account_resv_ending(const struct reaction *r);
void account_resv_started(const struct reaction *r);
void account_resv_submitted(const struct reaction *r);
void log_resv_alter_denied(const struct reaction *r);
void log_resv_altered(const struct reaction *r);
void log_resv_confirmed(const struct reaction *r);
void log_resv_degraded(const struct reaction *r);
void log_resv_denied(const struct reaction *r);
void log_resv_ending(const struct reaction *r);
void log_occurrence_deleted(const struct reaction *r);
void log_resv_over(const struct reaction *r);
void log_resv_retry(const struct reaction *r);
void log_resv_started(const struct reaction *r);
void log_resv_submitted(const struct reaction *r);
void mail_occurrence_altered(const struct reaction *r);
void mail_occurrence_deleted(const struct reaction *r);
void mail_resv_confirmed(const struct reaction *r);
void mail_resv_altered(const struct reaction *r);
void mail_resv_ending(const struct reaction *r);
void mail_resv_alter_denied(const struct reaction *r);
void mail_resv_started(const struct reaction *r);

/* jobs: react/job_mail.c */
void mail_job_begun(const struct reaction *r);
void mail_job_killed(const struct reaction *r);
void mail_job_deleted(const struct reaction *r);
void mail_job_obit(const struct reaction *r);
void mail_job_ended(const struct reaction *r);
void call_job_over(const struct reaction *r);
void wake_occurrence_altered(const struct reaction *r);
void wake_occurrence_deleted(const struct reaction *r);
void wake_resv_alter_asked(const struct reaction *r);
void wake_resv_asked(const struct reaction *r);
void wake_resv_confirmed(const struct reaction *r);
void wake_resv_gone(const struct reaction *r);
void wake_resv_started(const struct reaction *r);

/* who waits for a reservation: "-I" of pbs_rsub and pbs_ralter (reservations.md 8);
 * react/resv_reply.c */
bool answer_resv_alter_denied(const struct answering *a, struct wire_reply *ret);
bool answer_resv_altered(const struct answering *a, struct wire_reply *ret);
bool answer_resv_confirmed(const struct answering *a, struct wire_reply *ret);
bool answer_resv_denied(const struct answering *a, struct wire_reply *ret);
bool answer_resv_ending(const struct answering *a, struct wire_reply *ret);

/* jobs: react/job_log.c, job_account.c, job_wake.c */
void account_array_began(const struct reaction *r);
void account_array_cut(const struct reaction *r);
void account_job_left(const struct reaction *r);
void account_job_deleted(const struct reaction *r);
void account_job_ended(const struct reaction *r);
void account_job_killed(const struct reaction *r);
void account_job_modified(const struct reaction *r);
void account_job_obit(const struct reaction *r);
void account_job_queued(const struct reaction *r);
void account_job_released(const struct reaction *r);
void account_job_resumed(const struct reaction *r);
void account_job_suspended(const struct reaction *r);
void account_job_sent(const struct reaction *r);
void log_array_cut(const struct reaction *r);
void log_job_deleted(const struct reaction *r);
void log_job_ended(const struct reaction *r);
void log_job_killed(const struct reaction *r);
void log_job_accrues(const struct reaction *r);
void log_job_modified(const struct reaction *r);
void log_job_leaves(const struct reaction *r);
void log_job_left(const struct reaction *r);
void log_job_stays(const struct reaction *r);
void log_job_moved(const struct reaction *r);
void log_job_obit(const struct reaction *r);
void log_job_queued(const struct reaction *r);
void log_job_released(const struct reaction *r);
void log_job_run(const struct reaction *r);
void log_job_started(const struct reaction *r);
void log_job_state(const struct reaction *r);
void log_job_stands(const struct reaction *r);
void wake_job_ended(const struct reaction *r);
void wake_job_suspended(const struct reaction *r);
void wake_job_queued(const struct reaction *r);
void wake_job_modified(const struct reaction *r);
void wake_job_moved(const struct reaction *r);

/* who waits for a job: RunJob, until the MoM took or refused it; react/job_wake.c */
bool answer_job_left(const struct answering *a, struct wire_reply *ret);
bool answer_job_stays(const struct answering *a, struct wire_reply *ret);
bool answer_job_wavers(const struct answering *a, struct wire_reply *ret);
bool answer_job_refused(const struct answering *a, struct wire_reply *ret);
bool answer_subjob_gone(const struct answering *a, struct wire_reply *ret);
bool answer_job_sent(const struct answering *a, struct wire_reply *ret);
/* the same of RelnodesJob, until vnodes are free or its MoM would not let them go */
bool answer_released(const struct answering *a, struct wire_reply *ret);
/* a job is suspended, or goes on, or its MoM would not do it */
bool answer_job_stopped(const struct answering *a, struct wire_reply *ret);
/* its MoM has made the image that was asked for, and ended it */
bool answer_job_obit(const struct answering *a, struct wire_reply *ret);
/* it is neither suspended nor gives it vnodes back: its MoM would not */
bool answer_job_modified(const struct answering *a, struct wire_reply *ret);

/* vnodes as their MoMs report them: react/node_react.c */
void log_node_words(const struct reaction *r);
void wake_node_changed(const struct reaction *r);

#endif
