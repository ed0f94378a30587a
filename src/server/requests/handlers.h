/* handlers.h - the handlers of requests, by room; the rows are in
 * requests/request_table.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_HANDLERS_H
#define SERVER_REQUESTS_HANDLERS_H

#include "server/decide/request.h"

typedef int (*handler_fn)(const struct model *m, const struct request *rq,
                          struct decision *out);

/* Who may ask at all, and who answers: the rows are in requests/request_table.c. */
/* Does it depend on whether the requester owns the job that it is about? */
enum owner_test {
    OWNER_IS_NOT_ASKED,
    OWNER_IS_ASKED,
    OWNER_IS_ASKED_IF_HIDDEN, /* while users do not see jobs of others */
};

struct request_row {
    handler_fn handle;
    uint32_t who;      /* enum attr_who bits that may ask; finer rules in the handler */
    bool not_stopping; /* answered 15060 while the server shuts down (wire.md 5) */
    enum owner_test of_owner;
    bool silent; /* neither success nor failure is answered (wire.md 8.6) */
};
const struct request_row *request_row(uint32_t number);

/* Manager: by object in manager_*.c. */
int handle_manager(const struct model *m, const struct request *rq,
                   struct decision *out);

/* Status of every kind: status.c, show_*.c. */
int handle_status(const struct model *m, const struct request *rq,
                  struct decision *out);
/* StatusHook: hook_show.c. */
int handle_status_hook(const struct model *m, const struct request *rq,
                       struct decision *out);

/* Schedulers: sched_requests.c. The server's end: shutdown.c. */
int handle_register_sched(const struct model *m, const struct request *rq,
                          struct decision *out);
int handle_def_sched_reply(const struct model *m, const struct request *rq,
                           struct decision *out);
int handle_dry_offer(const struct model *m, const struct request *rq,
                     struct decision *out);
int handle_dry_run(const struct model *m, const struct request *rq,
                   struct decision *out);
int handle_shutdown(const struct model *m, const struct request *rq,
                    struct decision *out);

/* Reservations: resv_*.c. */
int handle_resv_confirm(const struct model *m, const struct request *rq,
                        struct decision *out);
int handle_resv_delete(const struct model *m, const struct request *rq,
                       struct decision *out);
int handle_offer_resv(const struct model *m, const struct request *rq,
                      struct decision *out);
int handle_answer_resvs(const struct model *m, const struct request *rq,
                        struct decision *out);
int handle_resv_why(const struct model *m, const struct request *rq,
                    struct decision *out);
int handle_resv_act(const struct model *m, const struct request *rq,
                    struct decision *out);
/* ResvAct: the status of occurrences, occurrence_status.c */
int handle_occurrence_status(const struct model *m, const struct request *rq,
                             struct decision *out);
int handle_resv_modify(const struct model *m, const struct request *rq,
                       struct decision *out);

/* Jobs: job_*.c. */
int handle_queue_job(const struct model *m, const struct request *rq,
                     struct decision *out);
int handle_job_script(const struct model *m, const struct request *rq,
                      struct decision *out);
int handle_rdy_to_commit(const struct model *m, const struct request *rq,
                         struct decision *out);
int handle_commit(const struct model *m, const struct request *rq,
                  struct decision *out);
/* RunJob, AsyrunJob, AsyrunJob_ack */
int handle_run_job(const struct model *m, const struct request *rq,
                   struct decision *out);
/* DeleteJob, DeleteJobList */
int handle_delete_job(const struct model *m, const struct request *rq,
                      struct decision *out);
int handle_delete_job_list(const struct model *m, const struct request *rq,
                           struct decision *out);
/* ModifyJob, ModifyJob_Async */
int handle_modify_job(const struct model *m, const struct request *rq,
                      struct decision *out);
int handle_signal_job(const struct model *m, const struct request *rq,
                      struct decision *out);
/* HoldJob, ReleaseJob */
int handle_hold_job(const struct model *m, const struct request *rq,
                    struct decision *out);
int handle_move_job(const struct model *m, const struct request *rq,
                    struct decision *out);
int handle_order_job(const struct model *m, const struct request *rq,
                     struct decision *out);
int handle_release_nodes(const struct model *m, const struct request *rq,
                         struct decision *out);
/* PreemptJobs: it goes on in slices, and answers when all jobs have left or stay */
int handle_preempt_jobs(const struct model *m, const struct request *rq,
                        struct decision *out);
int handle_rerun_job(const struct model *m, const struct request *rq,
                     struct decision *out);
int handle_track_job(const struct model *m, const struct request *rq,
                     struct decision *out);
int handle_locate_job(const struct model *m, const struct request *rq,
                      struct decision *out);
/* SelectJobs, SelStat */
int handle_select_jobs(const struct model *m, const struct request *rq,
                       struct decision *out);

/* Known and not carried out, or not yet: not_served.c. */
int handle_no_support(const struct model *m, const struct request *rq,
                      struct decision *out);
int handle_register_dep(const struct model *m, const struct request *rq,
                        struct decision *out);
int handle_failover(const struct model *m, const struct request *rq,
                    struct decision *out);
int handle_with_job(const struct model *m, const struct request *rq,
                    struct decision *out);
int handle_user_cred(const struct model *m, const struct request *rq,
                     struct decision *out);
int handle_resv_occur_end(const struct model *m, const struct request *rq,
                          struct decision *out);
int handle_of_running_job(const struct model *m, const struct request *rq,
                          struct decision *out);
int handle_message_job(const struct model *m, const struct request *rq,
                       struct decision *out);

#endif
