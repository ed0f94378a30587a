/* pbs_ifl.h - the public interface of libpbs: names, numbers, structures and calls.
 *
 * Interface facts that programs depend on. A connection handle is a socket descriptor.
 * Calls that return int give 0 or a PBSE code of pbs_error.h, which is also in
 * pbs_errno; calls that return a list or a text give NULL on failure, and also, with
 * pbs_errno 0, when there is nothing to tell. Lists and texts are freed by the caller:
 * pbs_statfree(), pbs_delstatfree(), free(). What a call is given stays the caller's,
 * is only read, and may go when the call returns. 'c' is a connection of pbs_connect()
 * and 'id' the id of a job or reservation; NULL or "" for one that a call needs is
 * PBSE_IVALREQ. 'extend' has words for the server that belong to the request, and may
 * be NULL.
 *
 * A call waits until the server has answered. Its codes are those with which the server
 * refuses, and: PBSE_SYSTEM with errno EBADF, 'c' is no connection of this process;
 * PBSE_SYSTEM, memory is short; PBSE_PROTOCOL, the connection is lost or the answer is
 * none, after which every call on it fails until it is disconnected. The library never
 * ends the program. Threads may share a connection: calls on it take turns; errors are
 * kept per thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PBS_IFL_H
#define PBS_IFL_H

#include <stddef.h>

#include "pbs_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */

/* Attribute names. */
#define ATTR_a "Execution_Time"
#define ATTR_c "Checkpoint"
#define ATTR_e "Error_Path"
#define ATTR_g "group_list"
#define ATTR_h "Hold_Types"
#define ATTR_j "Join_Path"
#define ATTR_J "array_indices_submitted"
#define ATTR_k "Keep_Files"
#define ATTR_l "Resource_List"
#define ATTR_l_orig "Resource_List_orig"
#define ATTR_l_acct "Resource_List_acct"
#define ATTR_m "Mail_Points"
#define ATTR_o "Output_Path"
#define ATTR_p "Priority"
#define ATTR_q "destination"
#define ATTR_R "Remove_Files"
#define ATTR_r "Rerunable"
#define ATTR_u "User_List"
#define ATTR_v "Variable_List"
#define ATTR_A "Account_Name"
#define ATTR_M "Mail_Users"
#define ATTR_N "Job_Name"
#define ATTR_S "Shell_Path_List"
#define ATTR_array_indices_submitted "array_indices_submitted"
#define ATTR_depend "depend"
#define ATTR_inter "interactive"
#define ATTR_sandbox "sandbox"
#define ATTR_stagein "stagein"
#define ATTR_stageout "stageout"
#define ATTR_resvTag "reserve_Tag"
#define ATTR_resv_start "reserve_start"
#define ATTR_resv_end "reserve_end"
#define ATTR_resv_duration "reserve_duration"
#define ATTR_resv_state "reserve_state"
#define ATTR_resv_substate "reserve_substate"
#define ATTR_resv_job "reserve_job"
#define ATTR_auth_u "Authorized_Users"
#define ATTR_auth_g "Authorized_Groups"
#define ATTR_auth_h "Authorized_Hosts"
#define ATTR_cred "cred"
#define ATTR_nodemux "no_stdio_sockets"
#define ATTR_umask "umask"
#define ATTR_block "block"
#define ATTR_convert "qmove"
#define ATTR_DefaultChunk "default_chunk"
#define ATTR_X11_cookie "forward_x11_cookie"
#define ATTR_X11_port "forward_x11_port"
#define ATTR_GUI "gui"
#define ATTR_max_run_subjobs "max_run_subjobs"
#define ATTR_resv_standing "reserve_standing"
#define ATTR_resv_count "reserve_count"
#define ATTR_resv_idx "reserve_index"
#define ATTR_resv_rrule "reserve_rrule"
#define ATTR_resv_execvnodes "reserve_execvnodes"
#define ATTR_resv_timezone "reserve_timezone"
#define ATTR_ctime "ctime"
#define ATTR_estimated "estimated"
#define ATTR_exechost "exec_host"
#define ATTR_exechost_acct "exec_host_acct"
#define ATTR_exechost_orig "exec_host_orig"
#define ATTR_exechost2 "exec_host2"
#define ATTR_execvnode "exec_vnode"
#define ATTR_execvnode_acct "exec_vnode_acct"
#define ATTR_execvnode_deallocated "exec_vnode_deallocated"
#define ATTR_execvnode_orig "exec_vnode_orig"
#define ATTR_resv_nodes "resv_nodes"
#define ATTR_mtime "mtime"
#define ATTR_qtime "qtime"
#define ATTR_session "session_id"
#define ATTR_jobdir "jobdir"
#define ATTR_euser "euser"
#define ATTR_egroup "egroup"
#define ATTR_project "project"
#define ATTR_hashname "hashname"
#define ATTR_hopcount "hop_count"
#define ATTR_security "security"
#define ATTR_sched_hint "sched_hint"
#define ATTR_SchedSelect "schedselect"
#define ATTR_SchedSelect_orig "schedselect_orig"
#define ATTR_substate "substate"
#define ATTR_name "Job_Name"
#define ATTR_owner "Job_Owner"
#define ATTR_used "resources_used"
#define ATTR_used_acct "resources_used_acct"
#define ATTR_used_update "resources_used_update"
#define ATTR_relnodes_on_stageout "release_nodes_on_stageout"
#define ATTR_tolerate_node_failures "tolerate_node_failures"
#define ATTR_released "resources_released"
#define ATTR_rel_list "resource_released_list"
#define ATTR_state "job_state"
#define ATTR_queue "queue"
#define ATTR_resv "resv"
#define ATTR_server "server"
#define ATTR_maxrun "max_running"
#define ATTR_max_run "max_run"
#define ATTR_max_run_res "max_run_res"
#define ATTR_max_run_soft "max_run_soft"
#define ATTR_max_run_res_soft "max_run_res_soft"
#define ATTR_total "total_jobs"
#define ATTR_comment "comment"
#define ATTR_cookie "cookie"
#define ATTR_qrank "queue_rank"
#define ATTR_altid "alt_id"
#define ATTR_altid2 "alt_id2"
#define ATTR_acct_id "accounting_id"
#define ATTR_array "array"
#define ATTR_array_id "array_id"
#define ATTR_array_index "array_index"
#define ATTR_array_state_count "array_state_count"
#define ATTR_array_indices_remaining "array_indices_remaining"
#define ATTR_etime "etime"
#define ATTR_gridname "gridname"
#define ATTR_refresh "last_context_refresh"
#define ATTR_ReqCredEnable "require_cred_enable"
#define ATTR_ReqCred "require_cred"
#define ATTR_runcount "run_count"
#define ATTR_run_version "run_version"
#define ATTR_stime "stime"
#define ATTR_obittime "obittime"
#define ATTR_executable "executable"
#define ATTR_Arglist "argument_list"
#define ATTR_version "pbs_version"
#define ATTR_eligible_time "eligible_time"
#define ATTR_accrue_type "accrue_type"
#define ATTR_sample_starttime "sample_starttime"
#define ATTR_job_kill_delay "job_kill_delay"
#define ATTR_topjob "topjob"
#define ATTR_topjob_ineligible "topjob_ineligible"
#define ATTR_submit_host "Submit_Host"
#define ATTR_cred_id "credential_id"
#define ATTR_cred_validity "credential_validity"
#define ATTR_history_timestamp "history_timestamp"
#define ATTR_create_resv_from_job "create_resv_from_job"
#define ATTR_stageout_status "Stageout_status"
#define ATTR_exit_status "Exit_status"
#define ATTR_submit_arguments "Submit_arguments"
#define ATTR_resv_name "Reserve_Name"
#define ATTR_resv_owner "Reserve_Owner"
#define ATTR_resv_Tag "reservation_Tag"
#define ATTR_resv_ID "reserve_ID"
#define ATTR_resv_retry "reserve_retry"
#define ATTR_del_idle_time "delete_idle_time"
#define ATTR_aclgren "acl_group_enable"
#define ATTR_aclgroup "acl_groups"
#define ATTR_aclhten "acl_host_enable"
#define ATTR_aclhost "acl_hosts"
#define ATTR_aclhostmomsen "acl_host_moms_enable"
#define ATTR_acluren "acl_user_enable"
#define ATTR_acluser "acl_users"
#define ATTR_altrouter "alt_router"
#define ATTR_chkptmin "checkpoint_min"
#define ATTR_enable "enabled"
#define ATTR_fromroute "from_route_only"
#define ATTR_HasNodes "hasnodes"
#define ATTR_killdelay "kill_delay"
#define ATTR_maxgrprun "max_group_run"
#define ATTR_maxgrprunsoft "max_group_run_soft"
#define ATTR_maxque "max_queuable"
#define ATTR_max_queued "max_queued"
#define ATTR_max_queued_res "max_queued_res"
#define ATTR_queued_jobs_threshold "queued_jobs_threshold"
#define ATTR_queued_jobs_threshold_res "queued_jobs_threshold_res"
#define ATTR_maxuserrun "max_user_run"
#define ATTR_maxuserrunsoft "max_user_run_soft"
#define ATTR_qtype "queue_type"
#define ATTR_rescassn "resources_assigned"
#define ATTR_rescdflt "resources_default"
#define ATTR_rescmax "resources_max"
#define ATTR_rescmin "resources_min"
#define ATTR_rndzretry "rendezvous_retry"
#define ATTR_routedest "route_destinations"
#define ATTR_routeheld "route_held_jobs"
#define ATTR_routewait "route_waiting_jobs"
#define ATTR_routeretry "route_retry_time"
#define ATTR_routelife "route_lifetime"
#define ATTR_rsvexpdt "reserved_expedite"
#define ATTR_rsvsync "reserved_sync"
#define ATTR_start "started"
#define ATTR_count "state_count"
#define ATTR_number "number_jobs"
#define ATTR_jobscript_max_size "jobscript_max_size"
#define ATTR_SvrHost "server_host"
#define ATTR_aclroot "acl_roots"
#define ATTR_managers "managers"
#define ATTR_dfltque "default_queue"
#define ATTR_defnode "default_node"
#define ATTR_locsvrs "location_servers"
#define ATTR_logevents "log_events"
#define ATTR_logfile "log_file"
#define ATTR_mailer "mailer"
#define ATTR_mailfrom "mail_from"
#define ATTR_nodepack "node_pack"
#define ATTR_nodefailrq "node_fail_requeue"
#define ATTR_resendtermdelay "resend_term_delay"
#define ATTR_operators "operators"
#define ATTR_queryother "query_other_jobs"
#define ATTR_resccost "resources_cost"
#define ATTR_rescavail "resources_available"
#define ATTR_maxuserres "max_user_res"
#define ATTR_maxuserressoft "max_user_res_soft"
#define ATTR_maxgroupres "max_group_res"
#define ATTR_maxgroupressoft "max_group_res_soft"
#define ATTR_maxarraysize "max_array_size"
#define ATTR_PNames "pnames"
#define ATTR_schediteration "scheduler_iteration"
#define ATTR_scheduling "scheduling"
#define ATTR_status "server_state"
#define ATTR_syscost "system_cost"
#define ATTR_FlatUID "flatuid"
#define ATTR_ResvEnable "resv_enable"
#define ATTR_aclResvgren "acl_resv_group_enable"
#define ATTR_aclResvgroup "acl_resv_groups"
#define ATTR_aclResvhten "acl_resv_host_enable"
#define ATTR_aclResvhost "acl_resv_hosts"
#define ATTR_aclResvuren "acl_resv_user_enable"
#define ATTR_aclResvuser "acl_resv_users"
#define ATTR_NodeGroupEnable "node_group_enable"
#define ATTR_NodeGroupKey "node_group_key"
#define ATTR_dfltqdelargs "default_qdel_arguments"
#define ATTR_dfltqsubargs "default_qsub_arguments"
#define ATTR_rpp_retry "rpp_retry"
#define ATTR_rpp_highwater "rpp_highwater"
#define ATTR_pbs_license_info "pbs_license_info"
#define ATTR_license_min "pbs_license_min"
#define ATTR_license_max "pbs_license_max"
#define ATTR_license_linger "pbs_license_linger_time"
#define ATTR_license_count "license_count"
#define ATTR_job_sort_formula "job_sort_formula"
#define ATTR_EligibleTimeEnable "eligible_time_enable"
#define ATTR_resv_retry_time "reserve_retry_time"
#define ATTR_resv_retry_init "reserve_retry_init"
#define ATTR_JobHistoryEnable "job_history_enable"
#define ATTR_JobHistoryDuration "job_history_duration"
#define ATTR_max_concurrent_prov "max_concurrent_provision"
#define ATTR_resv_post_processing "resv_post_processing_time"
#define ATTR_backfill_depth "backfill_depth"
#define ATTR_clearesten "clear_topjob_estimates_enable"
#define ATTR_job_requeue_timeout "job_requeue_timeout"
#define ATTR_show_hidden_attribs "show_hidden_attribs"
#define ATTR_python_restart_max_hooks "python_restart_max_hooks"
#define ATTR_python_restart_max_objects "python_restart_max_objects"
#define ATTR_python_restart_min_interval "python_restart_min_interval"
#define ATTR_power_provisioning "power_provisioning"
#define ATTR_sync_mom_hookfiles_timeout "sync_mom_hookfiles_timeout"
#define ATTR_max_job_sequence_id "max_job_sequence_id"
#define ATTR_has_runjob_hook "has_runjob_hook"
#define ATTR_acl_krb_realm_enable "acl_krb_realm_enable"
#define ATTR_acl_krb_realms "acl_krb_realms"
#define ATTR_acl_krb_submit_realms "acl_krb_submit_realms"
#define ATTR_cred_renew_enable "cred_renew_enable"
#define ATTR_cred_renew_tool "cred_renew_tool"
#define ATTR_cred_renew_period "cred_renew_period"
#define ATTR_cred_renew_cache_period "cred_renew_cache_period"
#define ATTR_attr_update_period "attr_update_period"
#define ATTR_rpp_max_pkt_check "rpp_max_pkt_check"
#define ATTR_SchedHost "sched_host"
#define ATTR_sched_cycle_len "sched_cycle_length"
#define ATTR_do_not_span_psets "do_not_span_psets"
#define ATTR_only_explicit_psets "only_explicit_psets"
#define ATTR_sched_preempt_enforce_resumption "sched_preempt_enforce_resumption"
#define ATTR_preempt_targets_enable "preempt_targets_enable"
#define ATTR_job_sort_formula_threshold "job_sort_formula_threshold"
#define ATTR_throughput_mode "throughput_mode"
#define ATTR_opt_backfill_fuzzy "opt_backfill_fuzzy"
#define ATTR_partition "partition"
#define ATTR_sched_priv "sched_priv"
#define ATTR_sched_log "sched_log"
#define ATTR_sched_user "sched_user"
#define ATTR_sched_state "state"
#define ATTR_sched_preempt_queue_prio "preempt_queue_prio"
#define ATTR_sched_preempt_prio "preempt_prio"
#define ATTR_sched_preempt_order "preempt_order"
#define ATTR_sched_preempt_sort "preempt_sort"
#define ATTR_sched_server_dyn_res_alarm "server_dyn_res_alarm"
#define ATTR_job_run_wait "job_run_wait"
#define ATTR_NODE_Host "Host"
#define ATTR_NODE_Mom "Mom"
#define ATTR_NODE_Port "Port"
#define ATTR_NODE_state "state"
#define ATTR_NODE_ntype "ntype"
#define ATTR_NODE_jobs "jobs"
#define ATTR_NODE_resvs "resv"
#define ATTR_NODE_resv_enable "resv_enable"
#define ATTR_NODE_np "np"
#define ATTR_NODE_pcpus "pcpus"
#define ATTR_NODE_properties "properties"
#define ATTR_NODE_NoMultiNode "no_multinode_jobs"
#define ATTR_NODE_No_Tasks "no_tasks"
#define ATTR_NODE_Sharing "sharing"
#define ATTR_NODE_ProvisionEnable "provision_enable"
#define ATTR_NODE_current_aoe "current_aoe"
#define ATTR_NODE_in_multivnode_host "in_multivnode_host"
#define ATTR_NODE_License "license"
#define ATTR_NODE_LicenseInfo "license_info"
#define ATTR_NODE_TopologyInfo "topology_info"
#define ATTR_NODE_MaintJobs "maintenance_jobs"
#define ATTR_NODE_VnodePool "vnode_pool"
#define ATTR_NODE_current_eoe "current_eoe"
#define ATTR_NODE_power_provisioning "power_provisioning"
#define ATTR_NODE_poweroff_eligible "poweroff_eligible"
#define ATTR_NODE_last_state_change_time "last_state_change_time"
#define ATTR_NODE_last_used_time "last_used_time"
#define ND_RESC_LicSignature "lic_signature"
#define ATTR_RESC_TYPE "type"
#define ATTR_RESC_FLAG "flag"

/* Most characters of names; a terminating NUL is not counted. */
#define PBS_MAXHOSTNAME   255
#define PBS_MAXSERVERNAME 255
#define PBS_MAXUSER       256
#define PBS_MAXGRPN       256
#define PBS_MAXPWLEN      256
#define PBS_MAXQUEUENAME  15
#define PBS_MAXQRESVNAME  15
#define PBS_MAXSCHEDNAME  15
#define PBS_MAXJOBNAME    230
#define PBS_MAXNODENAME   79
#define PBS_MAXSEQNUM     12
#define PBS_MAXPORTNUM    5
#define PBS_MAXSVRJOBID   275
#define PBS_MAXSVRRESVID  276
#define PBS_MAXCLTJOBID   537
#define PBS_MAXDEST       256
#define PBS_MAXROUTEDEST  277

/* Values of attributes and parameters. */
#define TYPE_ATTR_READONLY  1
#define TYPE_ATTR_PUBLIC    2
#define TYPE_ATTR_INVISIBLE 4
#define MSG_OUT 1
#define MSG_ERR 2
#define SHUT_IMMEDIATE 0
#define SHUT_DELAY     1
#define SHUT_QUICK     2
#define USER_HOLD         "u"
#define OTHER_HOLD        "o"
#define SYSTEM_HOLD       "s"
#define BAD_PASSWORD_HOLD "p"
#define NO_HOLD           "n"
#define NO_JOIN           "n"
#define NO_KEEP           "n"
#define MAIL_AT_ABORT     "a"
#define CHECKPOINT_UNSPECIFIED "u"
#define FORCE          "force"
#define NOMAIL         "nomail"
#define SUPPRESS_EMAIL "suppress_email"
#define DELETEHISTORY  "deletehist"
#define SITE_HOOK "hook"
#define PBS_HOOK  "pbshook"
#define PBS_INTERACTIVE 1
#define PBS_TERM_BUF_SZ 80
#define PBS_TERM_CCA    6
#define PBS_RESV_ID_CHAR       'R'
#define PBS_STDNG_RESV_ID_CHAR 'S'
#define PBS_MNTNC_RESV_ID_CHAR 'M'

/* clang-format on */

enum mgr_cmd {
    MGR_CMD_NONE = -1,
    MGR_CMD_CREATE = 0,
    MGR_CMD_DELETE = 1,
    MGR_CMD_SET = 2,
    MGR_CMD_UNSET = 3,
    MGR_CMD_LIST = 4,
    MGR_CMD_PRINT = 5,
    MGR_CMD_ACTIVE = 6,
    MGR_CMD_IMPORT = 7,
    MGR_CMD_EXPORT = 8
};

enum mgr_obj {
    MGR_OBJ_NONE = -1,
    MGR_OBJ_SERVER = 0,
    MGR_OBJ_QUEUE = 1,
    MGR_OBJ_JOB = 2,
    MGR_OBJ_NODE = 3,
    MGR_OBJ_RESV = 4,
    MGR_OBJ_RSC = 5,
    MGR_OBJ_SCHED = 6,
    MGR_OBJ_HOST = 7,
    MGR_OBJ_SITE_HOOK = 8,
    MGR_OBJ_PBS_HOOK = 9,
    MGR_OBJ_JOBARRAY_PARENT = 10,
    MGR_OBJ_SUBJOB = 11
};

enum batch_op {
    SET,
    UNSET,
    INCR,
    DECR,
    EQ,
    NE,
    GE,
    GT,
    LE,
    LT,
    DFLT,
    INTERNAL
};

enum preempt_method {
    PREEMPT_METHOD_LOW = 0,
    PREEMPT_METHOD_SUSPEND = 1,
    PREEMPT_METHOD_CHECKPOINT = 2,
    PREEMPT_METHOD_REQUEUE = 3,
    PREEMPT_METHOD_DELETE = 4,
    PREEMPT_METHOD_HIGH = 5
};

enum resv_states {
    RESV_NONE,
    RESV_UNCONFIRMED,
    RESV_CONFIRMED,
    RESV_WAIT,
    RESV_TIME_TO_RUN,
    RESV_RUNNING,
    RESV_FINISHED,
    RESV_BEING_DELETED,
    RESV_DELETED,
    RESV_DELETING_JOBS,
    RESV_DEGRADED,
    RESV_BEING_ALTERED,
    RESV_IN_CONFLICT
};

/* An attribute of a request or an object; 'op' is not looked at. */
struct attrl {
    struct attrl *next;
    char *name;
    char *resource; /* NULL when the attribute has no members */
    char *value;
    enum batch_op op;
};

/* An attribute with its operator. Laid out as struct attrl: the two may be cast. */
struct attropl {
    struct attropl *next;
    char *name;
    char *resource;
    char *value;
    enum batch_op op;
};

/* An object of an answer, in the order of the server. */
struct batch_status {
    struct batch_status *next;
    char *name;
    struct attrl *attribs;
    char *text; /* always NULL */
};

/* A job that was not deleted, and the PBSE code that says why. */
struct batch_deljob_status {
    struct batch_deljob_status *next;
    char *name;
    int code;
};

/* An attribute that was refused on this side: a copy of it, a PBSE code and its text.
 */
struct ecl_attrerr {
    struct attropl *ecl_attribute;
    int ecl_errcode;
    char *ecl_errmsg;
};

struct ecl_attribute_errors {
    int ecl_numerrors;
    struct ecl_attrerr *ecl_attrerr; /* [ecl_numerrors] */
};

/* What became of one job of pbs_preempt_jobs(). */
typedef struct preempt_job_info {
    char job_id[PBS_MAXSVRJOBID + 1];
    char order[6]; /* S, C, Q, D or 000 */
} preempt_job_info;

typedef int pbs_resource_t;
#define RESOURCE_T_NULL ((pbs_resource_t)0)
#define RESOURCE_T_ALL  ((pbs_resource_t)-1)

/* Error code of this thread's last call, and the host it last connected to. */
int *__pbs_errno_location(void);
char *__pbs_server_location(void);
#define pbs_errno  (*__pbs_errno_location())
#define pbs_server (__pbs_server_location())

/* Connections. */

/* Connect to "host[:port]"; NULL or "": the default server, and its secondary where
 * there are two. 'extend' travels with the greeting. _noblk gives up after 2 seconds.
 * The handle, or -1: PBSE_NOSERVER no default is known, PBSE_BADHOST the name has no
 * IPv4 address, PBSE_SYSTEM with errno, or the code of a failed authentication. */
int pbs_connect(const char *server);
int pbs_connect_extend(const char *server, const char *extend);
int pbs_connect_noblk(const char *server);

/* Say goodbye, wait until the server has closed, and close. 0; -1 for no connection of
 * ours. A negative handle is fine. */
int pbs_disconnect(int c);

/* Name of the default server, in memory of this thread; NULL when there is none. */
char *pbs_default(void);

/* A number that programs ask for: 49. The library itself has no such limit. */
int pbs_query_max_connections(void);

/* Send small packets at once (connections are made that way). 0 or -1 with errno. */
int pbs_connection_set_nodelay(int c);

/* Read pbs.conf and the environment if that was not done yet, or again when 'reload'.
 * 1, or 0 after the reason was printed on stderr. */
int pbs_loadconf(int reload);

/* Errors. */

/* Text of this thread's last answer on the connection, NULL when it had none. Valid
 * until this thread's next call on it; not for free(). */
char *pbs_geterrmsg(int c);

/* pbs_errno, for languages without macros. */
int pbs_geterrno(void);

/* The attributes that the last check on this side refused, each once; NULL when it
 * found nothing. Valid until this thread's next call with attributes; not for free().
 */
struct ecl_attribute_errors *pbs_get_attributes_in_error(int c);

/* Send attributes without checking names and values here first. */
void set_no_attribute_verification(void);

/* For programs with one thread that know it, before any other call: no locks. */
void pbs_client_thread_set_single_threaded_mode(void);

/* Jobs. */

/* A new job. 'script' is a file name, NULL or "" for none; 'destination' is "queue",
 * "queue@server", "@server" or NULL. The job's id, for free(); NULL on failure. When
 * only the last step, the commit, failed, the id is returned and pbs_errno is set.
 * An unreadable script: PBSE_BADSCRIPT. */
char *pbs_submit(int c, struct attropl *attribs, const char *script,
                 const char *destination, const char *extend);
/* The same with a credential of 'credlen' bytes that the server keeps for the job. */
char *pbs_submit_with_cred(int c, struct attropl *attribs, char *script,
                           char *destination, char *extend, int credtype,
                           size_t credlen, char *creddata);

/* Change attributes. The second form is not answered: 0 means sent, and nothing is
 * checked on this side. */
int pbs_alterjob(int c, const char *id, struct attrl *attribs, const char *extend);
int pbs_asyalterjob(int c, const char *id, struct attrl *attribs, const char *extend);

/* Delete one job: 0 or why it was not. 'extend' may hold FORCE, DELETEHISTORY, NOMAIL.
 */
int pbs_deljob(int c, const char *id, const char *extend);

/* Delete many. The jobs that were not deleted, each with its code, for
 * pbs_delstatfree(); NULL: all were, or (pbs_errno) the request failed. */
struct batch_deljob_status *pbs_deljoblist(int c, char **ids, int n,
                                           const char *extend);

/* Put holds on a job, or take them away: letters of 'holds', USER_HOLD when NULL or "".
 */
int pbs_holdjob(int c, const char *id, const char *holds, const char *extend);
int pbs_rlsjob(int c, const char *id, const char *holds, const char *extend);

/* Name of the server where the job is now, for free(); NULL on failure. */
char *pbs_locjob(int c, const char *id, const char *extend);

/* Move a job to "queue", "queue@server" or "@server"; let two jobs change places in the
 * order of their queue. */
int pbs_movejob(int c, const char *id, const char *destination, const char *extend);
int pbs_orderjob(int c, const char *id1, const char *id2, const char *extend);

/* Write 'text' into a running job's files: MSG_OUT, MSG_ERR, both, or 0: MSG_ERR. */
int pbs_msgjob(int c, const char *id, int file, const char *text, const char *extend);

/* Give vnodes of a running job back: "v1+v2", or "" with extend "select=..." or a
 * number of hosts to keep; "" alone keeps the first. */
int pbs_relnodesjob(int c, const char *id, const char *vnodes, const char *extend);

/* End the running job and queue it again; extend FORCE: without its MoM. */
int pbs_rerunjob(int c, const char *id, const char *extend);

/* Run a job on these vnodes ("(v1:ncpus=2)+(v2:ncpus=1)"), or where the scheduler says
 * when NULL or "". _asyrunjob is not answered: 0 means sent. _asyrunjob_ack is answered
 * as soon as the server has accepted. */
int pbs_runjob(int c, const char *id, const char *vnodes, const char *extend);
int pbs_asyrunjob(int c, const char *id, const char *vnodes, const char *extend);
int pbs_asyrunjob_ack(int c, const char *id, const char *vnodes, const char *extend);

/* Bring the job's input files to these vnodes before it runs. */
int pbs_stagein(int c, char *id, char *vnodes, char *extend);

/* Signal by name, with or without SIG, by number, or "suspend", "resume" and their
 * "admin-" forms. */
int pbs_sigjob(int c, const char *id, const char *signal, const char *extend);

/* Reservations. */

/* A new one, or a change. The server's words ("R4.svr UNCONFIRMED"), for free(); NULL
 * on failure. */
char *pbs_submit_resv(int c, struct attropl *attribs, const char *extend);
char *pbs_modify_resv(int c, const char *id, struct attropl *attribs,
                      const char *extend);

/* Delete one, with the jobs in it. */
int pbs_delresv(int c, const char *id, const char *extend);

/* A scheduler's answer: the vnodes, the start in seconds since the epoch (0 keeps it),
 * and in 'extend' the verdict: "PBS_RESV_CONFIRM_SUCCESS" or "PBS_RESV_CONFIRM_FAIL",
 * with what may stand behind it. */
int pbs_confirmresv(int c, const char *id, const char *vnodes, unsigned long start,
                    const char *extend);

/* Ours alone (doc/extensions.md, ResvAct), and only for servers whose attribute
 * holdfast_extensions names what is wanted: "dry_run", "push", "release" or
 * "occurrence". */
enum holdfast_what {
    HOLDFAST_SUBMIT = 1,
    HOLDFAST_ALTER = 2,
    HOLDFAST_DELETE = 3,
    HOLDFAST_STATUS = 4,
};
enum holdfast_flag {
    HOLDFAST_DRY_RUN = 1, /* decide, and change nothing */
    HOLDFAST_PUSH = 2,    /* move the reservations behind it */
    HOLDFAST_FORCE = 4,
    HOLDFAST_RELEASE = 16, /* with more time: give back vnodes without jobs */
    HOLDFAST_FROM = 8,     /* of a status: that occurrence and those behind it, some of
                            * them at once */
};
struct holdfast_act {
    unsigned what;           /* enum holdfast_what */
    unsigned flags;          /* enum holdfast_flag bits */
    unsigned occurrence;     /* of a series, counted from 1; 0: none is named */
    const char *id;          /* NULL or "": of a new one */
    struct attropl *attribs; /* of a status: those that are wanted */
};
/* The server's words, "" when it has none, for free(); NULL on failure. */
char *holdfast_resv_act(int c, const struct holdfast_act *act);
/* The same of a status or with HOLDFAST_DRY_RUN: objects, for pbs_statfree(). */
struct batch_status *holdfast_resv_look(int c, const struct holdfast_act *act);

/* Ours alone: why a reservation was denied or is not what was asked for, as one object
 * with the attributes of doc/extensions.md, ResvWhy; to be freed with pbs_statfree().
 * NULL with pbs_errno (15084: not known, or not for the asker). Only for servers whose
 * attribute holdfast_extensions names "why". */
struct batch_status *holdfast_why(int c, const char *id);

/* Asking: NULL with pbs_errno 0 means that there is nothing to tell. */

/* Ids of the jobs that fit, ended by NULL; each and the array are for free(). */
char **pbs_selectjob(int c, struct attropl *criteria, const char *extend);

/* What is 'wanted' (NULL: everything) of each object, for pbs_statfree(). 'id' NULL or
 * "": all of them. In pbs_statjob() 'extend' with 't' lists subjobs, those too that the
 * server does not hold one by one, and with 'x' finished jobs. */
struct batch_status *pbs_selstat(int c, struct attropl *criteria, struct attrl *wanted,
                                 const char *extend);
struct batch_status *pbs_statjob(int c, const char *id, struct attrl *wanted,
                                 const char *extend);
struct batch_status *pbs_statque(int c, const char *id, struct attrl *wanted,
                                 const char *extend);
struct batch_status *pbs_statserver(int c, struct attrl *wanted, const char *extend);
struct batch_status *pbs_statsched(int c, struct attrl *wanted, const char *extend);
struct batch_status *pbs_statvnode(int c, const char *id, struct attrl *wanted,
                                   const char *extend);
struct batch_status *pbs_statresv(int c, const char *id, struct attrl *wanted,
                                  const char *extend);
struct batch_status *pbs_statrsc(int c, const char *id, struct attrl *wanted,
                                 const char *extend);
/* 'extend': NULL or SITE_HOOK, or PBS_HOOK. */
struct batch_status *pbs_stathook(int c, const char *id, struct attrl *wanted,
                                  const char *extend);

/* Hosts: vnodes joined here, amounts summed, differing words "<various>". The second
 * name is an older one. */
struct batch_status *pbs_stathost(int c, const char *id, struct attrl *wanted,
                                  const char *extend);
struct batch_status *pbs_statnode(int c, const char *id, struct attrl *wanted,
                                  const char *extend);

/* Free a whole list; NULL is fine. */
void pbs_statfree(struct batch_status *list);
void pbs_delstatfree(struct batch_deljob_status *list);

/* Administration. */

/* Do 'command' (enum mgr_cmd) to one object (enum mgr_obj); "" for the server. */
int pbs_manager(int c, int command, int object, const char *name,
                struct attropl *attribs, const char *extend);

/* Stop the server: SHUT_IMMEDIATE, SHUT_DELAY or SHUT_QUICK, and bits for its
 * daemons. Answered when it is about to end. */
int pbs_terminate(int c, int manner, const char *extend);

/* For schedulers. */

/* Register both connections as those of the scheduler of that name; the first becomes
 * the one for requests, on the second the server sends commands. 0 or -1: the
 * connection that was refused is closed. */
int pbs_register_sched(const char *name, int c1, int c2);

/* Answer the command with that number about one job: 'error' (0: it was done) and
 * 'text' (NULL: none) are for whoever waits. */
int pbs_defschreply(int c, int command, char *id, int error, char *text, char *extend);

/* Preempt; 'ids' ends with NULL. An array with one entry for each, for free(), also
 * when some failed (pbs_errno 1); NULL: no answer. */
preempt_job_info *pbs_preempt_jobs(int c, char **ids);

/* Others. */

/* Run a script of PBS's on the job's first host: its exit value, or -1. argv and envp
 * end with NULL and hold no "". */
int pbs_py_spawn(int c, char *id, char **argv, char **envp);

/* Calls of an early resource manager, which servers answer with PBSE_NOSUP. The arrays
 * have n places each; handles are numbers of the server. */
int pbs_rescquery(int c, char **list, int n, int *available, int *allocated,
                  int *reserved, int *down);
int pbs_rescreserve(int c, char **list, int n, pbs_resource_t *handle);
int pbs_rescrelease(int c, pbs_resource_t handle);

/* Nodes in all and nodes in use, asked anew when 'update' is not 0: -1 when that
 * fails. */
int totpool(int c, int update);
int usepool(int c, int update);

/* "yes", "no" (in use now), "never", or "?": nobody knows. Static. */
char *avail(int c, char *resource);

/* Every call above named pbs_... goes through a pointer that a program may set to its
 * own function.
 */
extern int (*pfn_pbs_connect)(const char *);
extern int (*pfn_pbs_connect_extend)(const char *, const char *);
extern int (*pfn_pbs_connect_noblk)(const char *);
extern int (*pfn_pbs_disconnect)(int);
extern char *(*pfn_pbs_default)(void);
extern int (*pfn_pbs_query_max_connections)(void);
extern int (*pfn_pbs_connection_set_nodelay)(int);
extern int (*pfn_pbs_loadconf)(int);
extern char *(*pfn_pbs_geterrmsg)(int);
extern int (*pfn_pbs_geterrno)(void);
extern struct ecl_attribute_errors *(*pfn_pbs_get_attributes_in_error)(int);
extern char *(*pfn_pbs_submit)(int, struct attropl *, const char *, const char *,
                               const char *);
extern char *(*pfn_pbs_submit_with_cred)(int, struct attropl *, char *, char *, char *,
                                         int, size_t, char *);
extern int (*pfn_pbs_alterjob)(int, const char *, struct attrl *, const char *);
extern int (*pfn_pbs_asyalterjob)(int, const char *, struct attrl *, const char *);
extern int (*pfn_pbs_deljob)(int, const char *, const char *);
extern struct batch_deljob_status *(*pfn_pbs_deljoblist)(int, char **, int,
                                                         const char *);
extern int (*pfn_pbs_holdjob)(int, const char *, const char *, const char *);
extern int (*pfn_pbs_rlsjob)(int, const char *, const char *, const char *);
extern char *(*pfn_pbs_locjob)(int, const char *, const char *);
extern int (*pfn_pbs_movejob)(int, const char *, const char *, const char *);
extern int (*pfn_pbs_msgjob)(int, const char *, int, const char *, const char *);
extern int (*pfn_pbs_orderjob)(int, const char *, const char *, const char *);
extern int (*pfn_pbs_relnodesjob)(int, const char *, const char *, const char *);
extern int (*pfn_pbs_rerunjob)(int, const char *, const char *);
extern int (*pfn_pbs_runjob)(int, const char *, const char *, const char *);
extern int (*pfn_pbs_asyrunjob)(int, const char *, const char *, const char *);
extern int (*pfn_pbs_asyrunjob_ack)(int, const char *, const char *, const char *);
extern int (*pfn_pbs_stagein)(int, char *, char *, char *);
extern int (*pfn_pbs_sigjob)(int, const char *, const char *, const char *);
extern char *(*pfn_pbs_submit_resv)(int, struct attropl *, const char *);
extern char *(*pfn_pbs_modify_resv)(int, const char *, struct attropl *, const char *);
extern int (*pfn_pbs_delresv)(int, const char *, const char *);
extern int (*pfn_pbs_confirmresv)(int, const char *, const char *, unsigned long,
                                  const char *);
extern char **(*pfn_pbs_selectjob)(int, struct attropl *, const char *);
extern struct batch_status *(*pfn_pbs_selstat)(int, struct attropl *, struct attrl *,
                                               const char *);
extern struct batch_status *(*pfn_pbs_statjob)(int, const char *, struct attrl *,
                                               const char *);
extern struct batch_status *(*pfn_pbs_statque)(int, const char *, struct attrl *,
                                               const char *);
extern struct batch_status *(*pfn_pbs_statserver)(int, struct attrl *, const char *);
extern struct batch_status *(*pfn_pbs_statsched)(int, struct attrl *, const char *);
extern struct batch_status *(*pfn_pbs_statvnode)(int, const char *, struct attrl *,
                                                 const char *);
extern struct batch_status *(*pfn_pbs_stathost)(int, const char *, struct attrl *,
                                                const char *);
extern struct batch_status *(*pfn_pbs_statnode)(int, const char *, struct attrl *,
                                                const char *);
extern struct batch_status *(*pfn_pbs_statresv)(int, const char *, struct attrl *,
                                                const char *);
extern struct batch_status *(*pfn_pbs_statrsc)(int, const char *, struct attrl *,
                                               const char *);
extern struct batch_status *(*pfn_pbs_stathook)(int, const char *, struct attrl *,
                                                const char *);
extern void (*pfn_pbs_statfree)(struct batch_status *);
extern void (*pfn_pbs_delstatfree)(struct batch_deljob_status *);
extern int (*pfn_pbs_manager)(int, int, int, const char *, struct attropl *,
                              const char *);
extern int (*pfn_pbs_terminate)(int, int, const char *);
extern int (*pfn_pbs_register_sched)(const char *, int, int);
extern int (*pfn_pbs_defschreply)(int, int, char *, int, char *, char *);
extern preempt_job_info *(*pfn_pbs_preempt_jobs)(int, char **);
extern int (*pfn_pbs_py_spawn)(int, char *, char **, char **);
extern int (*pfn_pbs_rescquery)(int, char **, int, int *, int *, int *, int *);
extern int (*pfn_pbs_rescreserve)(int, char **, int, pbs_resource_t *);
extern int (*pfn_pbs_rescrelease)(int, pbs_resource_t);

#ifdef __cplusplus
}
#endif

#endif
