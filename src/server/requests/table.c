/* table.c - the requests that the server answers, and who may ask.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/handlers.h"

static const struct request_row rows[] = {
    [BATCH_MANAGER] = { handle_manager, WHO_ANYONE },
    [BATCH_SHUTDOWN] = { handle_shutdown, WHO_STAFF },

    /* status: status.c */
    [BATCH_STATUS_JOB] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_QUEUE] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_SERVER] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_NODE] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_RESV] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_SCHED] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_RESOURCE] = { handle_status, WHO_ANYONE },
    [BATCH_STATUS_HOOK] = { handle_status, WHO_ANYONE },

    /* schedulers */
    [BATCH_REGISTER_SCHED] = { handle_register_sched, WHO_ANYONE },
    [BATCH_DEF_SCHED_REPLY] = { handle_def_sched_reply, WHO_ANYONE },

    /* reservations */
    [BATCH_SUBMIT_RESV] = { handle_resv_submit, WHO_ANYONE },
    [BATCH_CONFIRM_RESV] = { handle_resv_confirm, WHO_STAFF },
    [BATCH_DELETE_RESV] = { handle_resv_delete, WHO_ANYONE },
    [BATCH_MODIFY_RESV] = { handle_resv_modify, WHO_ANYONE },

    /* jobs */
};

const struct request_row *request_row(uint32_t number)
{
    if (number >= ARRAY_LEN(rows) || !rows[number].handle)
        return NULL;
    return &rows[number];
}
