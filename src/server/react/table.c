/* table.c - which facts cause which reactions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/reactions.h"

const struct react_row react_rows[] = {
    /* server, queues, vnodes, schedulers */
    { FACT_CREATED, react_manager },
    { FACT_SET, react_manager },
    { FACT_DELETED, react_manager },

    /* queues of reservations */
    { FACT_CREATED, react_resv_queue_log },
    { FACT_SET, react_resv_queue_log },
    { FACT_DELETED, react_resv_queue_log },

    /* reservations */
    { FACT_RESV_SUBMITTED, react_resv_log },
    { FACT_RESV_SUBMITTED, react_resv_account },
    { FACT_RESV_ASKED, react_resv_wake },
    { FACT_RESV_CONFIRMED, react_resv_log },
    { FACT_RESV_CONFIRMED, react_resv_account },
    { FACT_RESV_CONFIRMED, react_resv_mail },
    { FACT_RESV_CONFIRMED, react_resv_wake },
    { FACT_RESV_RECONFIRMED, react_resv_log },
    { FACT_RESV_RECONFIRMED, react_resv_account },
    { FACT_RESV_RECONFIRMED, react_resv_mail },
    { FACT_RESV_RECONFIRMED, react_resv_wake },
    { FACT_RESV_DENIED, react_resv_log },
    { FACT_RESV_DENIED, react_resv_account },
    { FACT_RESV_STARTED, react_resv_log },
    { FACT_RESV_STARTED, react_resv_account },
    { FACT_RESV_STARTED, react_resv_mail },
    { FACT_RESV_STARTED, react_resv_wake },
    { FACT_RESV_DEGRADED, react_resv_log },
    { FACT_RESV_RETRY, react_resv_log },
    { FACT_RESV_ENDING, react_resv_log },
    { FACT_RESV_ENDING, react_resv_account },
    { FACT_RESV_ENDING, react_resv_mail },
    { FACT_RESV_GONE, react_resv_wake },
    { FACT_RESV_ALTER_ASKED, react_resv_wake },
    { FACT_RESV_ALTERED, react_resv_log },
    { FACT_RESV_ALTERED, react_resv_account },
    { FACT_RESV_ALTERED, react_resv_mail },
    { FACT_RESV_ALTERED, react_resv_wake },
    { FACT_RESV_ALTER_DENIED, react_resv_log },

    /* jobs */
    { FACT_JOB_QUEUED, react_job_log },
    { FACT_JOB_QUEUED, react_job_account },
    { FACT_JOB_QUEUED, react_job_wake },
    { FACT_JOB_MODIFIED, react_job_log },
    { FACT_JOB_MODIFIED, react_job_account },
    { FACT_JOB_MODIFIED, react_job_wake },
    { FACT_JOB_RUN, react_job_log },
    { FACT_JOB_SENT, react_job_log },
    { FACT_JOB_SENT, react_job_account },
    { FACT_JOB_STARTED, react_job_log },
    { FACT_JOB_REJECTED, react_job_log },
    { FACT_JOB_MOVED, react_job_log },
    { FACT_JOB_MOVED, react_job_account },
    { FACT_JOB_KILLED, react_job_log },
    { FACT_JOB_KILLED, react_job_account },
    { FACT_JOB_OBIT, react_job_log },
    { FACT_JOB_OBIT, react_job_account },
    { FACT_JOB_REQUEUED, react_job_log },
    { FACT_JOB_REQUEUED, react_job_wake },
    { FACT_JOB_ENDED, react_job_log },
    { FACT_JOB_ENDED, react_job_account },
    { FACT_JOB_ENDED, react_job_wake },
    { FACT_JOB_DELETED, react_job_log },
    { FACT_JOB_DELETED, react_job_account },
    { FACT_JOB_DELETED, react_job_wake },

    /* vnodes, as their MoMs report them */
    { FACT_NODE_STATE, react_node },
    { FACT_NODE_REPORTED, react_node },
};
const size_t n_react_rows = ARRAY_LEN(react_rows);
