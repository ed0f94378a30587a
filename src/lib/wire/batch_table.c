/* batch_table.c - the bodies of all batch requests as field tables (wire.md 7).
 *
 * Limits are the capacities of wire.md 1: the longest text that still fits, not one
 * more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/batch.h"

#define MAX_USER       256
#define MAX_JOB_ID     275
#define MAX_RESV_ID    276
#define MAX_CLIENT_JOB 537 /* an id with "@server:port" */
#define MAX_MOVE_DEST  256
#define MAX_QUEUE_DEST 277
#define MAX_SIGNAL     16
#define MAX_PATH       4096
#define MAX_METHOD     100

static const struct wire_field queue_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_queue, id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_STRING, struct body_queue, destination, MAX_QUEUE_DEST),
    WIRE_FIELD(WIRE_ATTRS, struct body_queue, attrs, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field script_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct body_script, sequence, 0),
    WIRE_FIELD(WIRE_UINT, struct body_script, file_type, 0),
    WIRE_FIELD_SIZE(struct body_script, size_bytes, data),
    WIRE_FIELD(WIRE_STRING, struct body_script, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_BYTES, struct body_script, data, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field id_fields[] = {
    /* One more than an id has: it is decoded, and unknown (wire.md 11.3). */
    WIRE_FIELD(WIRE_STRING, struct body_id, id, MAX_JOB_ID + 1),
    WIRE_FIELDS_END,
};

static const struct wire_field resv_id_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_id, id, MAX_RESV_ID),
    WIRE_FIELDS_END,
};

static const struct wire_field name_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_id, id, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field manage_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct body_manage, command, 0),
    WIRE_FIELD(WIRE_UINT, struct body_manage, object_type, 0),
    WIRE_FIELD(WIRE_STRING, struct body_manage, object_name, MAX_JOB_ID),
    WIRE_FIELD(WIRE_ATTRS, struct body_manage, attrs, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field message_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_message, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_UINT, struct body_message, file, 0),
    WIRE_FIELD(WIRE_STRING, struct body_message, text, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field move_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_move, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_STRING, struct body_move, destination, MAX_MOVE_DEST),
    WIRE_FIELDS_END,
};

static const struct wire_field order_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_move, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_STRING, struct body_move, destination, MAX_JOB_ID),
    WIRE_FIELDS_END,
};

static const struct wire_field run_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_run, object_id, MAX_RESV_ID),
    WIRE_FIELD(WIRE_STRING, struct body_run, vnodes, 0),
    WIRE_FIELD(WIRE_ULONG, struct body_run, argument, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field select_fields[] = {
    WIRE_FIELD(WIRE_ATTRS, struct body_select, criteria, 0),
    WIRE_FIELD(WIRE_ATTRS, struct body_select, wanted, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field number_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct body_number, value, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field signal_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_signal, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_STRING, struct body_signal, signal, MAX_SIGNAL),
    WIRE_FIELDS_END,
};

static const struct wire_field status_fields[] = {
    WIRE_FIELD(WIRE_TEXT, struct body_status, id, 0),
    WIRE_FIELD(WIRE_ATTRS, struct body_status, wanted, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field track_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_track, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_UINT, struct body_track, hops, 0),
    WIRE_FIELD(WIRE_STRING, struct body_track, location, MAX_QUEUE_DEST),
    WIRE_FIELD(WIRE_UINT, struct body_track, state, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field resources_fields[] = {
    WIRE_FIELD(WIRE_INT, struct body_resources, handle, 0),
    WIRE_FIELD(WIRE_STRINGS, struct body_resources, resources, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field register_dep_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_register_dep, owner, MAX_USER),
    WIRE_FIELD(WIRE_STRING, struct body_register_dep, parent_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_STRING, struct body_register_dep, child_id, MAX_CLIENT_JOB),
    WIRE_FIELD(WIRE_UINT, struct body_register_dep, type, 0),
    WIRE_FIELD(WIRE_UINT, struct body_register_dep, operation, 0),
    WIRE_FIELD(WIRE_LONG, struct body_register_dep, cost, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field file_pair_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct wire_file_pair, flag, 0),
    WIRE_FIELD(WIRE_STRING, struct wire_file_pair, local, 0),
    WIRE_FIELD(WIRE_STRING, struct wire_file_pair, remote, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field files_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_files, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_STRING, struct body_files, owner, MAX_USER),
    WIRE_FIELD(WIRE_STRING, struct body_files, user, MAX_USER),
    WIRE_FIELD(WIRE_STRING, struct body_files, group, MAX_USER),
    WIRE_FIELD(WIRE_UINT, struct body_files, direction, 0),
    WIRE_FIELD_RECORDS(struct body_files, n_pairs, pairs, file_pair_fields,
                       struct wire_file_pair),
    WIRE_FIELDS_END,
};

static const struct wire_field files_cred_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_files_cred, files.job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_STRING, struct body_files_cred, files.owner, MAX_USER),
    WIRE_FIELD(WIRE_STRING, struct body_files_cred, files.user, MAX_USER),
    WIRE_FIELD(WIRE_STRING, struct body_files_cred, files.group, MAX_USER),
    WIRE_FIELD(WIRE_UINT, struct body_files_cred, files.direction, 0),
    WIRE_FIELD_RECORDS(struct body_files_cred, files.n_pairs, files.pairs,
                       file_pair_fields, struct wire_file_pair),
    WIRE_FIELD(WIRE_UINT, struct body_files_cred, credential_type, 0),
    WIRE_FIELD(WIRE_BYTES, struct body_files_cred, credential, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field job_cred_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct body_job_cred, type, 0),
    WIRE_FIELD(WIRE_BYTES, struct body_job_cred, data, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field user_cred_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_user_cred, user, MAX_USER),
    WIRE_FIELD(WIRE_UINT, struct body_user_cred, type, 0),
    WIRE_FIELD(WIRE_BYTES, struct body_user_cred, data, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field sched_reply_fields[] = {
    WIRE_FIELD(WIRE_INT, struct body_sched_reply, command, 0),
    WIRE_FIELD(WIRE_STRING, struct body_sched_reply, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_INT, struct body_sched_reply, error, 0),
    WIRE_FIELD(WIRE_OPT_STRING, struct body_sched_reply, text, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field spawn_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_spawn, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_STRINGS_TO_EMPTY, struct body_spawn, argv, 0),
    WIRE_FIELD(WIRE_STRINGS_TO_EMPTY, struct body_spawn, envp, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field hook_file_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct body_hook_file, sequence, 0),
    WIRE_FIELD_SIZE(struct body_hook_file, size_bytes, data),
    WIRE_FIELD(WIRE_STRING, struct body_hook_file, name, MAX_PATH),
    WIRE_FIELD(WIRE_BYTES, struct body_hook_file, data, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field hook_name_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_hook_name, name, MAX_PATH),
    WIRE_FIELDS_END,
};

static const struct wire_field release_nodes_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_release_nodes, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_STRING, struct body_release_nodes, vnodes, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field modify_resv_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct body_modify_resv, object_type, 0),
    WIRE_FIELD(WIRE_STRING, struct body_modify_resv, resv_id, MAX_RESV_ID),
    WIRE_FIELD(WIRE_ATTRS, struct body_modify_resv, attrs, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field list_fields[] = {
    WIRE_FIELD(WIRE_STRINGS, struct body_list, ids, MAX_JOB_ID),
    WIRE_FIELDS_END,
};

static const struct wire_field cred_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct body_cred, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_STRING, struct body_cred, credential_id, 0),
    WIRE_FIELD(WIRE_UINT, struct body_cred, type, 0),
    WIRE_FIELD(WIRE_STRING, struct body_cred, data, 0),
    WIRE_FIELD(WIRE_ULONG, struct body_cred, valid_s, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field authenticate_fields[] = {
    WIRE_FIELD(WIRE_LEN_STRING, struct body_authenticate, method, MAX_METHOD),
    WIRE_FIELD(WIRE_OPT_LEN_STRING, struct body_authenticate, encrypt_method,
               MAX_METHOD),
    WIRE_FIELD(WIRE_UINT, struct body_authenticate, port, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field class_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct wire_class, type, 0),
    WIRE_FIELD(WIRE_ATTRS, struct wire_class, wanted, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field changes_fields[] = {
    WIRE_FIELD(WIRE_ULONG, struct body_changes, since, 0),
    WIRE_FIELD_RECORDS(struct body_changes, n_classes, classes, class_fields,
                       struct wire_class),
    WIRE_FIELDS_END,
};

static const struct wire_field resv_act_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct body_resv_act, what, 0),
    WIRE_FIELD(WIRE_UINT, struct body_resv_act, flags, 0),
    WIRE_FIELD(WIRE_UINT, struct body_resv_act, occurrence, 0),
    WIRE_FIELD(WIRE_STRING, struct body_resv_act, id, MAX_RESV_ID),
    WIRE_FIELD(WIRE_ATTRS, struct body_resv_act, attrs, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field offer_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct wire_offer, id, MAX_RESV_ID),
    WIRE_FIELD(WIRE_ULONG, struct wire_offer, start_at, 0),
    WIRE_FIELD(WIRE_ULONG, struct wire_offer, end_at, 0),
    WIRE_FIELD(WIRE_STRING, struct wire_offer, vnodes, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field offer_resv_fields[] = {
    WIRE_FIELD(WIRE_ULONG, struct body_offer_resv, seq, 0),
    WIRE_FIELD(WIRE_STRING, struct body_offer_resv, partition, 0),
    WIRE_FIELD_RECORDS(struct body_offer_resv, n, offers, offer_fields,
                       struct wire_offer),
    WIRE_FIELDS_END,
};

static const struct wire_field answer_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct wire_answer, id, MAX_RESV_ID),
    WIRE_FIELD(WIRE_STRING, struct wire_answer, vnodes, 0),
    WIRE_FIELD(WIRE_ULONG, struct wire_answer, start_at, 0),
    WIRE_FIELD(WIRE_STRING, struct wire_answer, extend, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field answer_resvs_fields[] = {
    WIRE_FIELD_RECORDS(struct body_answer_resvs, n, answers, answer_fields,
                       struct wire_answer),
    WIRE_FIELDS_END,
};

#define ROW(name_, fields_, body_)                                                     \
    {                                                                                  \
        .name = (name_), .fields = (fields_), .body_size_bytes = sizeof(body_),        \
    }

/* clang-format off */
static const struct batch_row rows[] = {
    [BATCH_CONNECT] = { .name = "Connect" },
    [BATCH_QUEUE_JOB] = ROW("QueueJob", queue_fields, struct body_queue),
    [BATCH_JOB_SCRIPT] = ROW("jobscript", script_fields, struct body_script),
    [BATCH_RDY_TO_COMMIT] = ROW("RdytoCommit", id_fields, struct body_id),
    [BATCH_COMMIT] = ROW("Commit", id_fields, struct body_id),
    [BATCH_DELETE_JOB] = ROW("DeleteJob", manage_fields, struct body_manage),
    [BATCH_HOLD_JOB] = ROW("HoldJob", manage_fields, struct body_manage),
    [BATCH_LOCATE_JOB] = ROW("LocateJob", id_fields, struct body_id),
    [BATCH_MANAGER] = ROW("Manager", manage_fields, struct body_manage),
    [BATCH_MESSAGE_JOB] = ROW("MessJob", message_fields, struct body_message),
    [BATCH_MODIFY_JOB] = ROW("ModifyJob", manage_fields, struct body_manage),
    [BATCH_MOVE_JOB] = ROW("MoveJob", move_fields, struct body_move),
    [BATCH_RELEASE_JOB] = ROW("ReleaseJob", manage_fields, struct body_manage),
    [BATCH_RERUN] = ROW("Rerun", id_fields, struct body_id),
    [BATCH_RUN_JOB] = ROW("RunJob", run_fields, struct body_run),
    [BATCH_SELECT_JOBS] = ROW("SelectJobs", select_fields, struct body_select),
    [BATCH_SHUTDOWN] = ROW("Shutdown", number_fields, struct body_number),
    [BATCH_SIGNAL_JOB] = ROW("SignalJob", signal_fields, struct body_signal),
    [BATCH_STATUS_JOB] = ROW("StatusJob", status_fields, struct body_status),
    [BATCH_STATUS_QUEUE] = ROW("StatusQue", status_fields, struct body_status),
    [BATCH_STATUS_SERVER] = ROW("StatusSvr", status_fields, struct body_status),
    [BATCH_TRACK_JOB] = ROW("TrackJob", track_fields, struct body_track),
    [BATCH_ASYRUN_JOB] = ROW("AsyrunJob", run_fields, struct body_run),
    [BATCH_RESCQ] = ROW("Rescq", resources_fields, struct body_resources),
    [BATCH_RESERVE_RESC] = ROW("ReserveResc", resources_fields, struct body_resources),
    [BATCH_RELEASE_RESC] = ROW("ReleaseResc", resources_fields, struct body_resources),
    [BATCH_FAILOVER] = ROW("FailOver", number_fields, struct body_number),
    [BATCH_STAGE_IN] = ROW("StageIn", run_fields, struct body_run),
    [BATCH_ORDER_JOB] = ROW("OrderJob", order_fields, struct body_move),
    [BATCH_SELECT_STATUS] = ROW("SelStat", select_fields, struct body_select),
    [BATCH_REGISTER_DEP] =
        ROW("RegistDep", register_dep_fields, struct body_register_dep),
    [BATCH_COPY_FILES] = ROW("CopyFiles", files_fields, struct body_files),
    [BATCH_DEL_FILES] = ROW("DelFiles", files_fields, struct body_files),
    [BATCH_MOVE_JOB_FILE] = ROW("MvJobFile", script_fields, struct body_script),
    [BATCH_STATUS_NODE] = ROW("StatusNode", status_fields, struct body_status),
    [BATCH_DISCONNECT] = { .name = "Disconnect", .no_extension = true },
    [BATCH_JOB_CRED] = ROW("JobCred", job_cred_fields, struct body_job_cred),
    [BATCH_COPY_FILES_CRED] =
        ROW("CopyFiles_Cred", files_cred_fields, struct body_files_cred),
    [BATCH_DEL_FILES_CRED] =
        ROW("DelFiles_Cred", files_cred_fields, struct body_files_cred),
    [BATCH_SUBMIT_RESV] = ROW("SubmitResv", queue_fields, struct body_queue),
    [BATCH_STATUS_RESV] = ROW("StatusResv", status_fields, struct body_status),
    [BATCH_DELETE_RESV] = ROW("DeleteResv", manage_fields, struct body_manage),
    [BATCH_USER_CRED] = ROW("UserCred", user_cred_fields, struct body_user_cred),
    [BATCH_CONFIRM_RESV] = ROW("ConfirmResv", run_fields, struct body_run),
    [BATCH_DEF_SCHED_REPLY] =
        ROW("DefSchReply", sched_reply_fields, struct body_sched_reply),
    [BATCH_STATUS_SCHED] = ROW("StatusSched", status_fields, struct body_status),
    [BATCH_STATUS_RESOURCE] = ROW("StatusRsc", status_fields, struct body_status),
    [BATCH_STATUS_HOOK] = ROW("StatusHook", status_fields, struct body_status),
    [BATCH_PY_SPAWN] = ROW("PySpawn", spawn_fields, struct body_spawn),
    [BATCH_COPY_HOOK_FILE] =
        ROW("CopyHookFile", hook_file_fields, struct body_hook_file),
    [BATCH_DEL_HOOK_FILE] =
        ROW("DelHookFile", hook_name_fields, struct body_hook_name),
    [BATCH_RELEASE_NODES] =
        ROW("RelnodesJob", release_nodes_fields, struct body_release_nodes),
    [BATCH_MODIFY_RESV] =
        ROW("ModifyResv", modify_resv_fields, struct body_modify_resv),
    [BATCH_RESV_OCCUR_END] = ROW("ResvOccurEnd", manage_fields, struct body_manage),
    [BATCH_PREEMPT_JOBS] = ROW("PreemptJobs", list_fields, struct body_list),
    [BATCH_CRED] = ROW("Cred", cred_fields, struct body_cred),
    [BATCH_AUTHENTICATE] =
        ROW("Authenticate", authenticate_fields, struct body_authenticate),
    [BATCH_MODIFY_JOB_ASYNC] =
        ROW("ModifyJob_Async", manage_fields, struct body_manage),
    [BATCH_ASYRUN_JOB_ACK] = ROW("AsyrunJob_ack", run_fields, struct body_run),
    [BATCH_REGISTER_SCHED] = ROW("RegisterSched", name_fields, struct body_id),
    [BATCH_DELETE_JOB_LIST] = ROW("DeleteJobList", list_fields, struct body_list),
    [BATCH_RESV_WHY] = ROW("ResvWhy", resv_id_fields, struct body_id),
    [BATCH_RESV_ACT] = ROW("ResvAct", resv_act_fields, struct body_resv_act),
    [BATCH_DRY_RUN] = ROW("DryRun", run_fields, struct body_run),
    [BATCH_OFFER_RESV] = ROW("OfferResv", offer_resv_fields, struct body_offer_resv),
    [BATCH_DRY_OFFER] = ROW("DryOffer", offer_resv_fields, struct body_offer_resv),
    [BATCH_ANSWER_RESVS] =
        ROW("AnswerResvs", answer_resvs_fields, struct body_answer_resvs),
    [BATCH_STATUS_CHANGES] = ROW("StatusChanges", changes_fields, struct body_changes),
};
/* clang-format on */

const struct batch_row *batch_row(uint32_t number)
{
    return number < ARRAY_LEN(rows) && rows[number].name ? &rows[number] : NULL;
}
