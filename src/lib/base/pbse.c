/* pbse.c - the catalogue of error texts, one row per code.
 *
 * The texts are what clients and regression suites compare: byte for byte, trailing
 * blanks included. A code without a text is answered with a Null reply (wire.md 8.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/diag.h"

#include <stdlib.h>

struct pbse_row {
    int code;
    const char *name;
    const char *text;
};

/* clang-format off */
static const struct pbse_row rows[] = { /* sorted by code */
    { PBSE_UNKJOBID, "PBSE_UNKJOBID", "Unknown Job Id" },
    { PBSE_NOATTR, "PBSE_NOATTR", "Undefined attribute " },
    { PBSE_ATTRRO, "PBSE_ATTRRO", "Cannot set attribute, read only or insufficient permission " },
    { PBSE_IVALREQ, "PBSE_IVALREQ", "Invalid request" },
    { PBSE_UNKREQ, "PBSE_UNKREQ", "Unknown request" },
    { PBSE_TOOMANY, "PBSE_TOOMANY", "" },
    { PBSE_PERM, "PBSE_PERM", "Unauthorized Request " },
    { PBSE_BADHOST, "PBSE_BADHOST", "Access from host not allowed, or unknown host" },
    { PBSE_JOBEXIST, "PBSE_JOBEXIST", "Job with requested ID already exists" },
    { PBSE_SYSTEM, "PBSE_SYSTEM", "System error: " },
    { PBSE_INTERNAL, "PBSE_INTERNAL", "PBS server internal error" },
    { PBSE_REGROUTE, "PBSE_REGROUTE", "Dependent parent job currently in routing queue" },
    { PBSE_UNKSIG, "PBSE_UNKSIG", "Unknown/illegal signal name" },
    { PBSE_BADATVAL, "PBSE_BADATVAL", "Illegal attribute or resource value" },
    { PBSE_MODATRRUN, "PBSE_MODATRRUN", "Cannot modify attribute while job running " },
    { PBSE_BADSTATE, "PBSE_BADSTATE", "Request invalid for state of job" },
    { PBSE_UNKQUE, "PBSE_UNKQUE", "Unknown queue" },
    { PBSE_BADCRED, "PBSE_BADCRED", "Invalid credential" },
    { PBSE_EXPIRED, "PBSE_EXPIRED", "Expired credential" },
    { PBSE_QUNOENB, "PBSE_QUNOENB", "Queue is not enabled" },
    { PBSE_QACESS, "PBSE_QACESS", "Access to queue is denied" },
    { PBSE_BADUSER, "PBSE_BADUSER", "Bad UID for job execution" },
    { PBSE_HOPCOUNT, "PBSE_HOPCOUNT", "Job routing over too many hops" },
    { PBSE_QUEEXIST, "PBSE_QUEEXIST", "Queue already exists" },
    { PBSE_ATTRTYPE, "PBSE_ATTRTYPE", "Incompatible type" },
    { PBSE_OBJBUSY, "PBSE_OBJBUSY", "Cannot delete busy object" },
    { PBSE_QUENBIG, "PBSE_QUENBIG", "Queue name too long" },
    { PBSE_NOSUP, "PBSE_NOSUP", "No support for requested service" },
    { PBSE_QUENOEN, "PBSE_QUENOEN", "Cannot enable queue, incomplete definition" },
    { PBSE_PROTOCOL, "PBSE_PROTOCOL", "Batch protocol error" },
    { PBSE_BADATLST, "PBSE_BADATLST", "" },
    { PBSE_NOCONNECTS, "PBSE_NOCONNECTS", "No free connections" },
    { PBSE_NOSERVER, "PBSE_NOSERVER", "No server specified" },
    { PBSE_UNKRESC, "PBSE_UNKRESC", "Unknown resource" },
    { PBSE_EXCQRESC, "PBSE_EXCQRESC", "Job violates queue and/or server resource limits" },
    { PBSE_QUENODFLT, "PBSE_QUENODFLT", "No default queue specified" },
    { PBSE_NORERUN, "PBSE_NORERUN", "job is not rerunnable" },
    { PBSE_ROUTEREJ, "PBSE_ROUTEREJ", "Job rejected by all possible destinations" },
    { PBSE_ROUTEEXPD, "PBSE_ROUTEEXPD", "" },
    { PBSE_MOMREJECT, "PBSE_MOMREJECT", "Execution server rejected request" },
    { PBSE_BADSCRIPT, "PBSE_BADSCRIPT", "" },
    { PBSE_STAGEIN, "PBSE_STAGEIN", "Stage In of files failed" },
    { PBSE_RESCUNAV, "PBSE_RESCUNAV", "Resource temporarily unavailable" },
    { PBSE_BADGRP, "PBSE_BADGRP", "Bad GID for job execution" },
    { PBSE_MAXQUED, "PBSE_MAXQUED", "Maximum number of jobs already in queue" },
    { PBSE_CKPBSY, "PBSE_CKPBSY", "Checkpoint busy, may retry" },
    { PBSE_EXLIMIT, "PBSE_EXLIMIT", "Resource limit exceeds allowable" },
    { PBSE_BADACCT, "PBSE_BADACCT", "Invalid Account" },
    { PBSE_ALRDYEXIT, "PBSE_ALRDYEXIT", "" },
    { PBSE_NOCOPYFILE, "PBSE_NOCOPYFILE", "" },
    { PBSE_CLEANEDOUT, "PBSE_CLEANEDOUT", "" },
    { PBSE_NOSYNCMSTR, "PBSE_NOSYNCMSTR", "No master found for sync job set" },
    { PBSE_BADDEPEND, "PBSE_BADDEPEND", "Invalid Job Dependency" },
    { PBSE_DUPLIST, "PBSE_DUPLIST", "Duplicate entry in list " },
    { PBSE_DISPROTO, "PBSE_DISPROTO", "" },
    { PBSE_EXECTHERE, "PBSE_EXECTHERE", "Cannot execute at specified host because of checkpoint or stagein files" },
    { PBSE_SISREJECT, "PBSE_SISREJECT", "" },
    { PBSE_SISCOMM, "PBSE_SISCOMM", "" },
    { PBSE_SVRDOWN, "PBSE_SVRDOWN", "Request not allowed: Server shutting down" },
    { PBSE_CKPSHORT, "PBSE_CKPSHORT", "" },
    { PBSE_UNKNODE, "PBSE_UNKNODE", "Unknown node " },
    { PBSE_UNKNODEATR, "PBSE_UNKNODEATR", "Unknown node-attribute " },
    { PBSE_NONODES, "PBSE_NONODES", "Server has no node list" },
    { PBSE_NODENBIG, "PBSE_NODENBIG", "Node name is too big" },
    { PBSE_NODEEXIST, "PBSE_NODEEXIST", "Node name already exists" },
    { PBSE_BADNDATVAL, "PBSE_BADNDATVAL", "Illegal value for node" },
    { PBSE_MUTUALEX, "PBSE_MUTUALEX", "Mutually exclusive values for " },
    { PBSE_GMODERR, "PBSE_GMODERR", "Modification failed for " },
    { PBSE_NORELYMOM, "PBSE_NORELYMOM", "Server could not connect to MOM" },
    { PBSE_NOTSNODE, "PBSE_NOTSNODE", "No time-share node available" },
    { PBSE_RESV_NO_WALLTIME, "PBSE_RESV_NO_WALLTIME", "Reservation needs walltime" },
    { PBSE_JOBNOTRESV, "PBSE_JOBNOTRESV", "not a reservation job" },
    { PBSE_TOOLATE, "PBSE_TOOLATE", "too late for reservation" },
    { PBSE_IRESVE, "PBSE_IRESVE", "internal reservation-system error" },
    { PBSE_RESVEXIST, "PBSE_RESVEXIST", "Reservation with requested ID already exists" },
    { PBSE_resvFail, "PBSE_resvFail", "reservation failure" },
    { PBSE_genBatchReq, "PBSE_genBatchReq", "batch request generation failed" },
    { PBSE_mgrBatchReq, "PBSE_mgrBatchReq", "mgr batch request failed" },
    { PBSE_UNKRESVID, "PBSE_UNKRESVID", "Unknown Reservation Id" },
    { PBSE_delProgress, "PBSE_delProgress", "Delete already in progress" },
    { PBSE_BADTSPEC, "PBSE_BADTSPEC", "Bad time specification(s)" },
    { PBSE_RESVMSG, "PBSE_RESVMSG", "" },
    { PBSE_NOTRESV, "PBSE_NOTRESV", "not a reservation" },
    { PBSE_BADNODESPEC, "PBSE_BADNODESPEC", "node(s) specification error" },
    { PBSE_UNUSED1, "PBSE_UNUSED1", "" },
    { PBSE_LICENSEINV, "PBSE_LICENSEINV", "PBS license is invalid" },
    { PBSE_RESVAUTH_H, "PBSE_RESVAUTH_H", "Host machine not authorized to submit reservations" },
    { PBSE_RESVAUTH_G, "PBSE_RESVAUTH_G", "Requestor's group not authorized to submit reservations" },
    { PBSE_RESVAUTH_U, "PBSE_RESVAUTH_U", "Requestor not authorized to make reservations" },
    { PBSE_R_UID, "PBSE_R_UID", "Bad effective UID for reservation" },
    { PBSE_R_GID, "PBSE_R_GID", "Bad effective GID for reservation" },
    { PBSE_IBMSPSWITCH, "PBSE_IBMSPSWITCH", "" },
    { PBSE_UNUSED2, "PBSE_UNUSED2", "" },
    { PBSE_NOSCHEDULER, "PBSE_NOSCHEDULER", "Could not contact Scheduler" },
    { PBSE_RESCNOTSTR, "PBSE_RESCNOTSTR", "Resource is not of type string or array_of_strings" },
    { PBSE_MaxArraySize, "PBSE_MaxArraySize", "Array job exceeds server or queue size limit" },
    { PBSE_INVALSELECTRESC, "PBSE_INVALSELECTRESC", "Resource invalid in \"select\" specification" },
    { PBSE_INVALJOBRESC, "PBSE_INVALJOBRESC", "\"-lresource=\" cannot be used with \"select\" or \"place\", resource is" },
    { PBSE_INVALNODEPLACE, "PBSE_INVALNODEPLACE", "Cannot be used with select or place" },
    { PBSE_PLACENOSELECT, "PBSE_PLACENOSELECT", "Cannot have \"place\" without \"select\"" },
    { PBSE_INDIRECTHOP, "PBSE_INDIRECTHOP", "invalid multi-level indirect reference for resource" },
    { PBSE_INDIRECTBT, "PBSE_INDIRECTBT", "indirect target undefined on node for resource" },
    { PBSE_NODESTALE, "PBSE_NODESTALE", "Cannot change state of stale node" },
    { PBSE_DUPRESC, "PBSE_DUPRESC", "duplicated resource within a section of a select specification, resource is" },
    { PBSE_CONNFULL, "PBSE_CONNFULL", "Server connection table full" },
    { PBSE_LICENSE_MIN_BADVAL, "PBSE_LICENSE_MIN_BADVAL", "pbs_license_min is < 0, or > pbs_license_max" },
    { PBSE_LICENSE_MAX_BADVAL, "PBSE_LICENSE_MAX_BADVAL", "pbs_license_max is < 0, or < pbs_license_min" },
    { PBSE_LICENSE_LINGER_BADVAL, "PBSE_LICENSE_LINGER_BADVAL", "pbs_license_linger_time is <= 0" },
    { PBSE_UNUSED3, "PBSE_UNUSED3", "" },
    { PBSE_UNUSED4, "PBSE_UNUSED4", "" },
    { PBSE_BAD_FORMULA, "PBSE_BAD_FORMULA", "Invalid Formula Format" },
    { PBSE_BAD_FORMULA_KW, "PBSE_BAD_FORMULA_KW", "Formula contains invalid keyword" },
    { PBSE_BAD_FORMULA_TYPE, "PBSE_BAD_FORMULA_TYPE", "Formula contains a resource of an invalid type" },
    { PBSE_BAD_RRULE_YEARLY, "PBSE_BAD_RRULE_YEARLY", "YEARLY recurrence duration cannot exceed 1 year" },
    { PBSE_BAD_RRULE_MONTHLY, "PBSE_BAD_RRULE_MONTHLY", "MONTHLY recurrence duration cannot exceed 1 month" },
    { PBSE_BAD_RRULE_WEEKLY, "PBSE_BAD_RRULE_WEEKLY", "WEEKLY recurrence duration cannot exceed 1 week" },
    { PBSE_BAD_RRULE_DAILY, "PBSE_BAD_RRULE_DAILY", "DAILY recurrence duration cannot exceed 24 hours" },
    { PBSE_BAD_RRULE_HOURLY, "PBSE_BAD_RRULE_HOURLY", "HOURLY recurrence duration cannot exceed 1 hour" },
    { PBSE_BAD_RRULE_MINUTELY, "PBSE_BAD_RRULE_MINUTELY", "MINUTELY recurrence duration cannot exceed 1 minute" },
    { PBSE_BAD_RRULE_SECONDLY, "PBSE_BAD_RRULE_SECONDLY", "SECONDLY recurrence duration cannot exceed 1 second" },
    { PBSE_BAD_RRULE_SYNTAX, "PBSE_BAD_RRULE_SYNTAX", "Undefined iCalendar syntax" },
    { PBSE_BAD_RRULE_SYNTAX2, "PBSE_BAD_RRULE_SYNTAX2", "Undefined iCalendar syntax. A valid COUNT or UNTIL is required" },
    { PBSE_BAD_ICAL_TZ, "PBSE_BAD_ICAL_TZ", "Unrecognized PBS_TZID environment variable" },
    { PBSE_HOOKERROR, "PBSE_HOOKERROR", "hook error" },
    { PBSE_NEEDQUET, "PBSE_NEEDQUET", "Queue type must be set" },
    { PBSE_ETEERROR, "PBSE_ETEERROR", "Cannot set attribute when eligible_time_enable is OFF" },
    { PBSE_HISTJOBID, "PBSE_HISTJOBID", "Job has finished" },
    { PBSE_JOBHISTNOTSET, "PBSE_JOBHISTNOTSET", "PBS is not configured to maintain job history" },
    { PBSE_MIXENTLIMS, "PBSE_MIXENTLIMS", "Cannot mix old and new style queue/run limit enforcement types" },
    { PBSE_ENTLIMCT, "PBSE_ENTLIMCT", "" },
    { PBSE_ENTLIMRESC, "PBSE_ENTLIMRESC", "" },
    { PBSE_ATVALERANGE, "PBSE_ATVALERANGE", "attribute value is out of range" },
    { PBSE_PROV_HEADERROR, "PBSE_PROV_HEADERROR", "Cannot set provisioning attribute on host running PBS server and scheduler" },
    { PBSE_NODEPROV_NOACTION, "PBSE_NODEPROV_NOACTION", "Cannot modify attribute while vnode is provisioning" },
    { PBSE_NODEPROV, "PBSE_NODEPROV", "Cannot change state of provisioning vnode" },
    { PBSE_NODEPROV_NODEL, "PBSE_NODEPROV_NODEL", "Cannot delete vnode if vnode is provisioning" },
    { PBSE_NODE_BAD_CURRENT_AOE, "PBSE_NODE_BAD_CURRENT_AOE", "Current AOE does not match with resources_available.aoe" },
    { PBSE_NOLOOPBACKIF, "PBSE_NOLOOPBACKIF", "Local host does not have loopback interface configured or pingable." },
    { PBSE_IVAL_AOECHUNK, "PBSE_IVAL_AOECHUNK", "Invalid provisioning request in chunk(s)" },
    { PBSE_JOBINRESV_CONFLICT, "PBSE_JOBINRESV_CONFLICT", "job and reservation have conflicting specification" },
    { PBSE_NORUNALTEREDJOB, "PBSE_NORUNALTEREDJOB", "Cannot run job which was altered/moved during current scheduling cycle." },
    { PBSE_HISTJOBDELETED, "PBSE_HISTJOBDELETED", "" },
    { PBSE_NOHISTARRAYSUBJOB, "PBSE_NOHISTARRAYSUBJOB", "Request invalid for finished array subjob" },
    { PBSE_FORCE_QSUB_UPDATE, "PBSE_FORCE_QSUB_UPDATE", "force a qsub update" },
    { PBSE_SAVE_ERR, "PBSE_SAVE_ERR", "Failed to save job/resv, refer server logs for details" },
    { PBSE_MAX_NO_MINWT, "PBSE_MAX_NO_MINWT", "Cannot have \"max_walltime\" without \"min_walltime\"" },
    { PBSE_MIN_GT_MAXWT, "PBSE_MIN_GT_MAXWT", "\"min_walltime\" can not be greater than \"max_walltime\"" },
    { PBSE_NOSTF_RESV, "PBSE_NOSTF_RESV", "\"min_walltime\" and \"max_walltime\" are not valid resources for a reservation" },
    { PBSE_NOSTF_JOBARRAY, "PBSE_NOSTF_JOBARRAY", "\"min_walltime\" and \"max_walltime\" are not valid resources for a job array" },
    { PBSE_NOLIMIT_RESOURCE, "PBSE_NOLIMIT_RESOURCE", "Resource limits can not be set for the resource" },
    { PBSE_MOM_INCOMPLETE_HOOK, "PBSE_MOM_INCOMPLETE_HOOK", "vnode's parent mom has a pending copy hook or delete hook request" },
    { PBSE_MOM_REJECT_ROOT_SCRIPTS, "PBSE_MOM_REJECT_ROOT_SCRIPTS", "mom not accepting remote hook files or root job scripts" },
    { PBSE_HOOK_REJECT, "PBSE_HOOK_REJECT", "hook rejected request" },
    { PBSE_HOOK_REJECT_RERUNJOB, "PBSE_HOOK_REJECT_RERUNJOB", "hook rejected request, requiring job to be rerun" },
    { PBSE_HOOK_REJECT_DELETEJOB, "PBSE_HOOK_REJECT_DELETEJOB", "hook rejected request, requiring job to be deleted" },
    { PBSE_IVAL_OBJ_NAME, "PBSE_IVAL_OBJ_NAME", "Invalid object name" },
    { PBSE_JOBNBIG, "PBSE_JOBNBIG", "name is too long" },
    { PBSE_RESCBUSY, "PBSE_RESCBUSY", "Resource busy" },
    { PBSE_JOBSCRIPTMAXSIZE, "PBSE_JOBSCRIPTMAXSIZE", "jobscript size exceeded the jobscript_max_size" },
    { PBSE_BADJOBSCRIPTMAXSIZE, "PBSE_BADJOBSCRIPTMAXSIZE", "jobscript max size exceeds 2GB" },
    { PBSE_WRONG_RESUME, "PBSE_WRONG_RESUME", "Job can not be resumed with the requested resume signal" },
    { PBSE_RESV_NOT_EMPTY, "PBSE_RESV_NOT_EMPTY", "Reservation not empty" },
    { PBSE_STDG_RESV_OCCR_CONFLICT, "PBSE_STDG_RESV_OCCR_CONFLICT", "Requested time(s) will interfere with a later occurrence" },
    { PBSE_SOFTWT_STF, "PBSE_SOFTWT_STF", "soft_walltime is not supported with Shrink to Fit jobs" },
    { PBSE_RESV_FROM_RESVJOB, "PBSE_RESV_FROM_RESVJOB", "Reservation may not be created from a job already within a reservation" },
    { PBSE_RESV_FROM_ARRJOB, "PBSE_RESV_FROM_ARRJOB", "Reservation may not be created from an array job" },
    { PBSE_SELECT_NOT_SUBSET, "PBSE_SELECT_NOT_SUBSET", "New select must be made up of a subset of the original chunks" },
    { PBSE_RMUNKNOWN, "PBSE_RMUNKNOWN", "" },
    { PBSE_RMBADPARAM, "PBSE_RMBADPARAM", "" },
    { PBSE_RMNOPARAM, "PBSE_RMNOPARAM", "" },
    { PBSE_RMEXIST, "PBSE_RMEXIST", "" },
    { PBSE_RMSYSTEM, "PBSE_RMSYSTEM", "" },
    { PBSE_RMPART, "PBSE_RMPART", "" },
    { PBSE_TRYAGAIN, "PBSE_TRYAGAIN", "" },
    { PBSE_ALPSRELERR, "PBSE_ALPSRELERR", "" },
    { PBSE_JOB_MOVED, "PBSE_JOB_MOVED", "Job moved to remote server" },
    { PBSE_SCHEDEXIST, "PBSE_SCHEDEXIST", "Scheduler already exists" },
    { PBSE_SCHED_NAME_BIG, "PBSE_SCHED_NAME_BIG", "Scheduler name is too long" },
    { PBSE_UNKSCHED, "PBSE_UNKSCHED", "Unknown Scheduler" },
    { PBSE_SCHED_NO_DEL, "PBSE_SCHED_NO_DEL", "Can not delete Scheduler" },
    { PBSE_SCHED_PRIV_EXIST, "PBSE_SCHED_PRIV_EXIST", "Another scheduler also has same value for its sched_priv directory" },
    { PBSE_SCHED_LOG_EXIST, "PBSE_SCHED_LOG_EXIST", "Another scheduler also has same value for its sched_log directory" },
    { PBSE_ROUTE_QUE_NO_PARTITION, "PBSE_ROUTE_QUE_NO_PARTITION", "Cannot assign a partition to route queue" },
    { PBSE_CANNOT_SET_ROUTE_QUE, "PBSE_CANNOT_SET_ROUTE_QUE", "Route queues are incompatible with the partition attribute" },
    { PBSE_QUE_NOT_IN_PARTITION, "PBSE_QUE_NOT_IN_PARTITION", "Queue %s is not part of partition for node" },
    { PBSE_PARTITION_NOT_IN_QUE, "PBSE_PARTITION_NOT_IN_QUE", "Partition %s is not part of queue for node" },
    { PBSE_INVALID_PARTITION_QUE, "PBSE_INVALID_PARTITION_QUE", "Invalid partition in queue" },
    { PBSE_ALPS_SWITCH_ERR, "PBSE_ALPS_SWITCH_ERR", "Switching ALPS reservation failed" },
    { PBSE_SCHED_OP_NOT_PERMITTED, "PBSE_SCHED_OP_NOT_PERMITTED", "Operation is not permitted on default scheduler" },
    { PBSE_SCHED_PARTITION_ALREADY_EXISTS, "PBSE_SCHED_PARTITION_ALREADY_EXISTS", "Partition is already associated with other scheduler" },
    { PBSE_INVALID_MAX_JOB_SEQUENCE_ID, "PBSE_INVALID_MAX_JOB_SEQUENCE_ID", "Cannot set max_job_sequence_id < 9999999, or > 999999999999" },
    { PBSE_SVR_SCHED_JSF_INCOMPAT, "PBSE_SVR_SCHED_JSF_INCOMPAT", "Server's job_sort_formula value is incompatible with sched's" },
    { PBSE_NODE_BUSY, "PBSE_NODE_BUSY", "Node is busy" },
    { PBSE_DEFAULT_PARTITION, "PBSE_DEFAULT_PARTITION", "Default partition name is not allowed" },
    { PBSE_HISTDEPEND, "PBSE_HISTDEPEND", "Finished job did not satisfy dependency" },
    { PBSE_SCHEDCONNECTED, "PBSE_SCHEDCONNECTED", "Scheduler already connected" },
    { PBSE_NOTARRAY_ATTR, "PBSE_NOTARRAY_ATTR", "Attribute has to be set on an array job" },
};
/* clang-format on */

static int by_code(const void *key, const void *row)
{
    return *(const int *)key - ((const struct pbse_row *)row)->code;
}

static const struct pbse_row *row_of(int code)
{
    /* The rows are ordered by code, so the search may halve them. */
    return bsearch(&code, rows, ARRAY_LEN(rows), sizeof(rows[0]), by_code);
}

const char *pbse_text(int code)
{
    const struct pbse_row *row = row_of(code);

    if (code == PBSE_NONE)
        return "";
    return row ? row->text : NULL;
}

const char *pbse_name(int code)
{
    const struct pbse_row *row = row_of(code);

    if (code == PBSE_NONE)
        return "PBSE_NONE";
    return row ? row->name : NULL;
}
