/* request_table.c - the requests that the server answers, and who may ask.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_submit.h"
#include "server/requests/handlers.h"

static const struct request_row rows[] = {
    [BATCH_MANAGER] = { handle_manager, WHO_ANYONE },
    [BATCH_SHUTDOWN] = { handle_shutdown, WHO_STAFF },

    /* status: status.c */
    [BATCH_STATUS_JOB] = { handle_status, WHO_ANYONE,
                           .of_owner = OWNER_IS_ASKED_IF_HIDDEN },
    [BATCH_STATUS_QUEUE] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_SERVER] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_NODE] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_RESV] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_SCHED] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_RESOURCE] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_HOOK] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_CHANGES] = { handle_status, WHO_ANYONE },

    /* schedulers */
    [BATCH_REGISTER_SCHED] = { handle_register_sched, WHO_ANYONE },
    [BATCH_DRY_RUN] = { handle_dry_run, WHO_ANYONE },
    [BATCH_DRY_OFFER] = { handle_dry_offer, WHO_ANYONE },
    [BATCH_DEF_SCHED_REPLY] = { handle_def_sched_reply, WHO_ANYONE },

    /* reservations */
    [BATCH_SUBMIT_RESV] = { handle_submit_resv, WHO_ANYONE,
                            .of_owner = OWNER_IS_ASKED },
    [BATCH_CONFIRM_RESV] = { handle_resv_confirm, WHO_STAFF },
    [BATCH_OFFER_RESV] = { handle_offer_resv, WHO_STAFF },
    [BATCH_ANSWER_RESVS] = { handle_answer_resvs, WHO_STAFF },
    [BATCH_RESV_WHY] = { handle_resv_why, WHO_ANYONE },
    [BATCH_RESV_ACT] = { handle_resv_act, WHO_ANYONE },
    [BATCH_DELETE_RESV] = { handle_resv_delete, WHO_ANYONE },
    [BATCH_MODIFY_RESV] = { handle_resv_modify, WHO_ANYONE },

    /* jobs */
    [BATCH_QUEUE_JOB] = { handle_queue_job, WHO_ANYONE, .not_stopping = true },
    [BATCH_JOB_SCRIPT] = { handle_job_script, WHO_ANYONE, .not_stopping = true },
    [BATCH_RDY_TO_COMMIT] = { handle_rdy_to_commit, WHO_ANYONE },
    [BATCH_COMMIT] = { handle_commit, WHO_ANYONE },
    [BATCH_DELETE_JOB] = { handle_delete_job, WHO_ANYONE, .of_owner = OWNER_IS_ASKED },
    [BATCH_DELETE_JOB_LIST] = { handle_delete_job_list, WHO_ANYONE,
                                .of_owner = OWNER_IS_ASKED },
    [BATCH_HOLD_JOB] = { handle_hold_job, WHO_ANYONE, .of_owner = OWNER_IS_ASKED },
    [BATCH_RELEASE_JOB] = { handle_hold_job, WHO_ANYONE, .of_owner = OWNER_IS_ASKED },
    [BATCH_LOCATE_JOB] = { handle_locate_job, WHO_ANYONE },
    [BATCH_MODIFY_JOB] = { handle_modify_job, WHO_ANYONE, .of_owner = OWNER_IS_ASKED },
    [BATCH_MODIFY_JOB_ASYNC] = { handle_modify_job, WHO_ANYONE,
                                 .of_owner = OWNER_IS_ASKED, .silent = true },
    [BATCH_RUN_JOB] = { handle_run_job, WHO_ANYONE, .not_stopping = true },
    [BATCH_ASYRUN_JOB] = { handle_run_job, WHO_ANYONE, .not_stopping = true,
                           .silent = true },
    [BATCH_ASYRUN_JOB_ACK] = { handle_run_job, WHO_ANYONE, .not_stopping = true },
    [BATCH_RERUN] = { handle_rerun_job, WHO_ANYONE },
    [BATCH_SIGNAL_JOB] = { handle_signal_job, WHO_ANYONE, .of_owner = OWNER_IS_ASKED },
    [BATCH_PREEMPT_JOBS] = { handle_preempt_jobs, WHO_ANYONE },
    [BATCH_MOVE_JOB] = { handle_move_job, WHO_ANYONE, .of_owner = OWNER_IS_ASKED,
                         .not_stopping = true },
    [BATCH_ORDER_JOB] = { handle_order_job, WHO_ANYONE, .of_owner = OWNER_IS_ASKED },
    [BATCH_SELECT_JOBS] = { handle_select_jobs, WHO_ANYONE,
                            .of_owner = OWNER_IS_ASKED_IF_HIDDEN },
    [BATCH_SELECT_STATUS] = { handle_select_jobs, WHO_ANYONE,
                              .of_owner = OWNER_IS_ASKED_IF_HIDDEN },
    [BATCH_TRACK_JOB] = { handle_track_job, WHO_ANYONE },
    [BATCH_MESSAGE_JOB] = { handle_message_job, WHO_ANYONE,
                            .of_owner = OWNER_IS_ASKED },

    /* not_served.c */
    [BATCH_RESCQ] = { handle_no_support, WHO_ANYONE },
    [BATCH_RESERVE_RESC] = { handle_no_support, WHO_ANYONE },
    [BATCH_RELEASE_RESC] = { handle_no_support, WHO_ANYONE },
    [BATCH_STAGE_IN] = { handle_no_support, WHO_ANYONE, .not_stopping = true },
    [BATCH_REGISTER_DEP] = { handle_register_dep, WHO_ANYONE },
    [BATCH_FAILOVER] = { handle_failover, WHO_ANYONE },
    [BATCH_JOB_CRED] = { handle_with_job, WHO_ANYONE, .not_stopping = true },
    [BATCH_MOVE_JOB_FILE] = { handle_with_job, WHO_ANYONE },
    [BATCH_USER_CRED] = { handle_user_cred, WHO_ANYONE, .not_stopping = true },
    [BATCH_RESV_OCCUR_END] = { handle_resv_occur_end, WHO_ANYONE },
    [BATCH_PY_SPAWN] = { handle_of_running_job, WHO_ANYONE,
                         .of_owner = OWNER_IS_ASKED },
    [BATCH_RELEASE_NODES] = { handle_release_nodes, WHO_ANYONE,
                              .of_owner = OWNER_IS_ASKED },
};

const struct request_row *request_row(uint32_t number)
{
    if (number >= ARRAY_LEN(rows) || !rows[number].handle)
        return NULL;
    MUST(rows[number].who); /* somebody may ask what somebody answers */
    return &rows[number];
}
