/* react_table.c - what each fact about an object causes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/reactions.h"

/* A row per fact and kind of object; facts that have none are told to nobody. */
static const struct react_row rows[FACT_COUNT][OBJ_KIND_COUNT] = {
    /* by administrators, and the server's own doing to the queues of reservations */
    [FACT_CREATED] = {
        [OBJ_SCHED] = { .wake = wake_sched_changed },
        [OBJ_RESOURCE] = { .wake = wake_resource_changed },
        [OBJ_QUEUE] = { .log = log_queue_created, .wake = wake_queue_set },
        [OBJ_SERVER] = { .wake = wake_server_set },
    },
    [FACT_SET] = {
        [OBJ_SERVER] = { .wake = wake_server_set },
        [OBJ_SCHED] = { .wake = wake_sched_changed },
        [OBJ_RESOURCE] = { .wake = wake_resource_changed },
        [OBJ_QUEUE] = { .log = log_queue_set, .wake = wake_queue_set },
        [OBJ_NODE] = { .wake = wake_node_changed },
    },
    [FACT_DELETED] = {
        [OBJ_SCHED] = { .wake = wake_sched_deleted },
        [OBJ_RESOURCE] = { .wake = wake_resource_changed },
        [OBJ_QUEUE] = { .log = log_queue_deleted },
    },

    /* reservations */
    [FACT_RESV_SUBMITTED][OBJ_RESV] = {
        .log = log_resv_submitted,
        .account = account_resv_submitted,
    },
    [FACT_RESV_ASKED][OBJ_RESV] = { .wake = wake_resv_asked },
    [FACT_RESV_CONFIRMED][OBJ_RESV] = {
        .log = log_resv_confirmed,
        .account = account_resv_confirmed,
        .mail = mail_resv_confirmed,
        .wake = wake_resv_confirmed,
        .answer = answer_resv_confirmed,
    },
    [FACT_RESV_RECONFIRMED][OBJ_RESV] = {
        .log = log_resv_confirmed,
        .account = account_resv_confirmed,
        .mail = mail_resv_confirmed,
        .wake = wake_resv_confirmed,
    },
    [FACT_RESV_DENIED][OBJ_RESV] = {
        .log = log_resv_denied,
        .account = account_resv_denied,
        .answer = answer_resv_denied,
    },
    [FACT_RESV_STARTED][OBJ_RESV] = {
        .log = log_resv_started,
        .account = account_resv_started,
        .mail = mail_resv_started,
        .wake = wake_resv_started,
    },
    [FACT_RESV_DEGRADED][OBJ_RESV] = { .log = log_resv_degraded },
    [FACT_RESV_CONFLICT][OBJ_RESV] = { .log = log_resv_degraded },
    [FACT_RESV_RETRY][OBJ_RESV] = { .log = log_resv_retry },
    [FACT_RESV_OVER][OBJ_RESV] = {
        .log = log_resv_over,
        .account = account_occurrence_deleted,
        .mail = mail_occurrence_deleted,
    },
    [FACT_RESV_TURN][OBJ_RESV] = { .wake = wake_resv_gone },
    [FACT_DELETED][OBJ_OCCURRENCE] = {
        .log = log_occurrence_deleted,
        .account = account_occurrence_deleted,
        .mail = mail_occurrence_deleted,
        .wake = wake_occurrence_deleted,
    },
    [FACT_RESV_ENDING][OBJ_RESV] = {
        .log = log_resv_ending,
        .account = account_resv_ending,
        .mail = mail_resv_ending,
        .answer = answer_resv_ending,
    },
    [FACT_RESV_GONE][OBJ_RESV] = { .wake = wake_resv_gone },
    [FACT_RESV_ALTER_ASKED][OBJ_RESV] = { .wake = wake_resv_alter_asked },
    [FACT_RESV_ALTERED][OBJ_RESV] = {
        .log = log_resv_altered,
        .account = account_resv_altered,
        .mail = mail_resv_altered,
        .wake = wake_resv_confirmed,
        .answer = answer_resv_altered,
    },
    [FACT_RESV_ALTERED][OBJ_OCCURRENCE] = {
        .log = log_resv_altered,
        .account = account_occurrence_altered,
        .mail = mail_occurrence_altered,
        .wake = wake_occurrence_altered,
        .answer = answer_resv_altered,
    },
    [FACT_RESV_ALTER_DENIED][OBJ_OCCURRENCE] = { .answer = answer_resv_alter_denied },
    [FACT_RESV_ALTER_DENIED][OBJ_RESV] = {
        .log = log_resv_alter_denied,
        .mail = mail_resv_alter_denied,
        .answer = answer_resv_alter_denied,
    },

    /* jobs */
    [FACT_JOB_QUEUED][OBJ_JOB] = {
        .log = log_job_queued,
        .account = account_job_queued,
        .wake = wake_job_queued,
    },
    [FACT_JOB_MODIFIED][OBJ_JOB] = {
        .log = log_job_modified,
        .account = account_job_modified,
        .wake = wake_job_modified,
        .answer = answer_job_modified,
    },
    [FACT_JOB_RUN][OBJ_JOB] = { .log = log_job_run },
    [FACT_JOB_SENT][OBJ_JOB] = {
        .log = log_job_state,
        .account = account_job_sent,
        .mail = mail_job_begun,
        .answer = answer_job_sent,
    },
    [FACT_JOB_ACCRUES][OBJ_JOB] = { .log = log_job_accrues },
    [FACT_JOB_STARTED][OBJ_JOB] = { .log = log_job_started },
    [FACT_JOB_REJECTED][OBJ_JOB] = {
        .log = log_job_state,
        .answer = answer_job_refused,
    },
    [FACT_JOB_MOVED][OBJ_JOB] = {
        .log = log_job_moved,
        .account = account_job_queued,
        .wake = wake_job_moved,
    },
    [FACT_JOB_RELEASED][OBJ_JOB] = {
        .log = log_job_released,
        .account = account_job_released,
        .wake = wake_job_ended,
        .answer = answer_released,
    },
    [FACT_JOB_SUSPENDED][OBJ_JOB] = {
        .log = log_job_state,
        .account = account_job_suspended,
        .wake = wake_job_suspended,
        .answer = answer_job_stopped,
    },
    [FACT_JOB_RESUMING][OBJ_JOB] = { .log = log_job_state },
    [FACT_JOB_RESUMED][OBJ_JOB] = {
        .log = log_job_state,
        .account = account_job_resumed,
        .answer = answer_job_stopped,
    },
    [FACT_JOB_STANDS][OBJ_JOB] = {
        .log = log_job_stands,
        .account = account_job_suspended,
    },
    [FACT_JOB_STOOD][OBJ_JOB] = {
        .log = log_job_stands,
        .account = account_job_resumed,
    },
    [FACT_JOB_LEAVES][OBJ_JOB] = { .log = log_job_leaves },
    [FACT_JOB_STAYS][OBJ_JOB] = {
        .log = log_job_stays,
        .wake = wake_job_queued,
        .answer = answer_job_stays,
    },
    [FACT_JOB_WAVERS][OBJ_JOB] = { .log = log_job_stays, .answer = answer_job_wavers },
    [FACT_JOB_LEFT][OBJ_JOB] = {
        .log = log_job_left,
        .account = account_job_left,
        .answer = answer_job_left,
    },
    [FACT_JOB_AWAY][OBJ_JOB] = {
        .log = log_job_left,
        .account = account_job_left,
        .answer = answer_job_left,
    },
    [FACT_JOB_KILLED][OBJ_JOB] = {
        .log = log_job_killed,
        .account = account_job_killed,
        .mail = mail_job_killed,
    },
    [FACT_JOB_OBIT][OBJ_JOB] = {
        .log = log_job_obit,
        .account = account_job_obit,
        .mail = mail_job_obit,
        .answer = answer_job_obit,
    },
    [FACT_JOB_REQUEUED][OBJ_JOB] = {
        .log = log_job_state,
        .wake = wake_job_queued,
        .answer = answer_job_refused,
    },
    [FACT_JOB_ENDED][OBJ_JOB] = {
        .log = log_job_ended,
        .account = account_job_ended,
        .mail = mail_job_ended,
        .wake = wake_job_ended,
        .call = call_job_over,
    },
    [FACT_JOB_DELETED][OBJ_JOB] = {
        .log = log_job_deleted,
        .account = account_job_deleted,
        .mail = mail_job_deleted,
        .wake = wake_job_ended,
        .call = call_job_over,
    },

    [FACT_JOB_FINISHED][OBJ_JOB] = {
        .log = log_job_ended,
        .account = account_job_ended,
        .mail = mail_job_ended,
        .wake = wake_job_ended,
        .call = call_job_over,
    },
    [FACT_JOB_WITHDRAWN][OBJ_JOB] = {
        .log = log_job_deleted,
        .account = account_job_deleted,
        .mail = mail_job_deleted,
        .wake = wake_job_ended,
        .call = call_job_over,
    },

    /* arrays and their subjobs */
    [FACT_ARRAY_BEGAN][OBJ_JOB] = {
        .log = log_job_state,
        .account = account_array_began,
        .mail = mail_job_begun,
    },
    [FACT_ARRAY_CUT][OBJ_JOB] = { .log = log_array_cut, .account = account_array_cut },
    [FACT_SUBJOB_ENDED][OBJ_JOB] = {
        .log = log_job_ended,
        .account = account_job_ended,
        .mail = mail_job_ended,
        .wake = wake_job_ended,
        .answer = answer_subjob_gone,
    },
    [FACT_SUBJOB_DELETED][OBJ_JOB] = {
        .log = log_job_deleted,
        .account = account_job_deleted,
        .mail = mail_job_deleted,
        .wake = wake_job_ended,
        .answer = answer_subjob_gone,
    },

    /* vnodes, as their MoMs report them */
    [FACT_NODE_STATE][OBJ_NODE] = { .log = log_node_words, .wake = wake_node_changed },
    [FACT_NODE_REPORTED][OBJ_NODE] = { .log = log_node_words, .wake = wake_node_changed },
};

const struct react_row *react_row(enum fact fact, enum obj_kind kind)
{
    MUST(fact < FACT_COUNT && kind < OBJ_KIND_COUNT);
    return &rows[fact][kind];
}

const struct change *reaction_change(const struct record *rec, int attr)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == attr)
            return &rec->changes[i];
    return NULL;
}

bool reaction_lets_run(const struct reaction *r)
{
    const struct attr_row *attrs = kind_table(r->rec->kind)->rows;

    if (r->m->n_jobs == 0)
        return false; /* nobody waits */
    for (size_t i = 0; i < r->rec->n_changes; i++)
        if (attrs[r->rec->changes[i].attr].flags & ATTR_PLANNED)
            return true;
    return false;
}
