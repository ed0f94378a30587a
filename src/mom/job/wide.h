/* wide.h - jobs on several hosts, seen from the first of them and from the others;
 * private to the core.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_JOB_WIDE_H
#define MOM_JOB_WIDE_H

#include "mom/job/state.h"

/* host_list.c: the hosts of a job. */

/* From exec_host2; one host, ourselves, when it is missing or has no other. Called
 * again when the attribute has changed: what is known of hosts that stay is kept. */
void host_list_read(struct mom *m, struct mom_job *j);
/* It belongs into m->wide, or not: hosts were released, or are gone now. */
void host_list_note_width(struct mom *m, struct mom_job *j);
/* Does that exec_host2 name this host, and another one first? */
bool host_list_has_sister(const struct mom *m, const char *exec_host2,
                          struct arena *arena);
/* Does that exec_host2 name a host that is none of the job's? */
bool host_list_has_more(const struct mom_job *j, const char *exec_host2);
/* The job lies on this host alone. */
bool host_list_is_single(const struct mom_job *j);
/* Which entry that is; hosts.n: none. */
size_t host_list_find(const struct mom_job *j, const char *name, uint32_t port);
/* Our own one of exec_host2; false: we are not there. */
bool host_list_find_own(const struct mom *m, const struct mom_job *j, size_t *ret);
/* The first vnode of the host, as IM and TM count; which host a vnode is of: hosts.n
 * for one that is not there. */
int32_t host_list_vnode_of(const struct mom_job *j, size_t host);
size_t host_list_host_of(const struct mom_job *j, int64_t vnode);
/* The number of the n-th task of this host (tpp.md 7.2), counted from 1. */
uint32_t host_list_task(const struct mom_job *j, uint32_t n);

/* reach.c: streams to other MoMs. */

/* The stream to that MoM, 0 when it is being opened: mom_reached() follows. */
uint64_t reach_stream(struct mom *m, const char *host, uint32_t port,
                      struct mom_out *out);
struct reached *reach_of_stream(const struct mom *m, uint64_t stream);
void reach_free_all(struct mom *m);

/* asked.c: questions to other hosts of a job. */

/* Ask that host, with the event m->last_event, which the caller has chosen anew. It is
 * sent when there is a stream. What nobody answers is gone when it has been sent, also
 * when this returns. */
void asked_add(struct mom *m, struct mom_job *j, size_t host, enum im_command command,
               struct mom_out *out);
/* The same with an event that the caller has chosen before. */
void asked_add_event(struct mom *m, struct mom_job *j, size_t host,
                     enum im_command command, int32_t event, struct mom_out *out);
/* The same of a question with a body of its own; all of 'order' is copied. */
struct asked *asked_add_order(struct mom *m, struct mom_job *j, size_t host,
                              const struct im_message *order, struct mom_out *out);
/* Send it, now or when there is a stream. */
void asked_send(struct mom *m, struct mom_job *j, struct asked *a, struct mom_out *out);
struct asked *asked_find(const struct mom_job *j, size_t host, int32_t event);
bool asked_is_open(const struct mom_job *j, enum im_command command);
void asked_free(struct mom_job *j, struct asked *a);
void asked_drop_all(struct mom_job *j);
/* The job's hosts were 'was': questions name hosts by their places. Those to a host
 * that is gone are dropped, and a task that has asked one of them is told. */
void asked_move(struct mom_job *j, const struct host_list *was, struct mom_out *out);
/* The head of a message about the job, and what the job alone says of its body. */
struct im_message asked_message(const struct mom_job *j, enum im_command command,
                                int32_t event, struct arena *arena);
/* All of a message, in another arena. */
struct im_message asked_copy_message(const struct im_message *order,
                                     struct arena *arena);
/* There is a stream to that MoM; streams can be opened again. */
void asked_reached(struct mom *m, const struct reached *r, struct mom_out *out);
void asked_router_up(struct mom *m, struct mom_out *out);

/* releasing.c: hosts that the job has left. */

/* It is told to end what it has of the job. */
void releasing_add(struct mom *m, struct mom_job *j, const struct job_host *h,
                   struct mom_out *out);
/* There is a stream to that MoM; there is none any more, or none could be opened. */
void releasing_reached(struct mom_job *j, const struct reached *r, struct mom_out *out);
void releasing_lost(struct mom *m, struct mom_job *j, const struct reached *r,
                    struct mom_out *out);
/* Those who have not answered are asked once more: messages get lost with routers.
 * Those that were given up are forgotten. */
void releasing_again(struct mom *m, struct mom_job *j, struct mom_out *out);
/* It was this MoM that had lost its way when their streams ended, of which it hears
 * last: nobody is given up for that. */
void releasing_router_lost(struct mom_job *j);
/* Somebody is waited for. */
bool releasing_is_open(const struct mom_job *j);
/* That MoM has answered, and has used so much; false: nothing of that event was asked
 * of it. */
bool releasing_is_over(struct mom_job *j, const struct reached *r, int32_t event,
                       int64_t cput_s);
void releasing_drop_all(struct mom_job *j);

/* in_step.c: the tasks of a job run on all of its hosts, or stand on all of them. */

/* The host has answered SUSPEND or RESUME, or will not ('is_done' is false); other
 * commands are no matter of this. */
void in_step_heard(struct mom_job *j, size_t host, enum im_command command,
                   bool is_done);
/* Tell that host, or all, how the job is, if they may be otherwise. Nothing happens
 * while the server waits for the hosts to stop or to go on. */
void in_step_settle(struct mom *m, struct mom_job *j, size_t host, struct mom_out *out);
void in_step_settle_all(struct mom *m, struct mom_job *j, struct mom_out *out);
/* After a restart of this MoM nothing is known of the others. */
void in_step_recover(struct mom_job *j);

/* tolerate.c: jobs that may go on without hosts that have failed. */

/* May it, as it is now: at its start, or at any time? */
bool job_tolerates_failures(const struct mom_job *j);
/* Where the job lies without the hosts that have failed: exec_vnode, exec_host,
 * exec_host2 and schedselect. False: its lists do not say which of their parts is of
 * which host. */
bool tolerate_where(const struct mom_job *j, struct arena *arena,
                    struct wire_attrs *ret) MUST_CHECK;

/* joining.c: how a job over several hosts begins. */

/* What a host answers that will not be ready for the start. */
void joining_failed(struct mom_job *j, const struct asked *a, int32_t code,
                    struct mom_out *out);
/* All that were asked have answered, or are not waited for any more. */
void joining_step(struct mom *m, int64_t now_at, struct mom_job *j,
                  struct mom_out *out);

/* superior.c: what the MoM of a job's first host does with the others. */

/* Hosts that may have something of the job: those that have joined, and those that were
 * asked to and have not refused in so many words. */
size_t superior_n_members(const struct mom_job *j);
/* The same event for all of them, as in a message to several (tpp.md 7.1). */
void superior_ask_members(struct mom *m, struct mom_job *j, enum im_command command,
                          struct mom_out *out);
/* The same with an event that the caller has chosen before. */
void superior_ask_event(struct mom *m, struct mom_job *j, enum im_command command,
                        int32_t event, struct mom_out *out);
/* The job ends, with that status unless it has one already. */
void superior_end(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
                  struct mom_out *out);
/* A message without an answer, to those who can hear it now. */
void superior_tell_members(struct mom *m, struct mom_job *j, enum im_command command,
                           struct mom_out *out);
/* The job goes on without the hosts that have failed; the others are told. False, and
 * nothing is changed: it cannot. */
bool superior_prune(struct mom *m, struct mom_job *j, struct mom_out *out);

/* The job is stored: prepare for other hosts, and have them join. */
void superior_begin(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The job ends while they join, for that reason. */
void superior_give_up(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
                      struct mom_out *out);
/* Have all of them end the job's tasks; false: there is nobody to ask. */
bool superior_kill(struct mom *m, int64_t now_at, struct mom_job *j,
                   struct mom_out *out);
/* Nothing of the job is to stay with them, nobody waits for an answer. */
void superior_forget(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The server asks for something that every host has to do first: the answer to it waits
 * for theirs. False: there is nobody to ask. */
bool superior_ask_all(struct mom *m, int64_t now_at, struct mom_job *j,
                      enum im_command command, uint64_t stream, const char *msgid,
                      struct mom_out *out);
/* A signal for the tasks on all other hosts. */
void superior_signal(struct mom *m, struct mom_job *j, int signo, struct mom_out *out);
/* exec_host2 may have changed: hosts that are not in it any more are released. True:
 * the request is answered when those that are left have taken that over. */
bool superior_rewidth(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                      const char *msgid, struct mom_out *out);
/* After a restart of this MoM. */
void superior_recover(struct mom_job *j);
void superior_poll(struct mom *m, struct mom_job *j, struct mom_out *out);
/* An answer on a stream that we have opened. */
void superior_answer(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                     struct im_message *msg, struct mom_out *out);
/* A sister wants the job run again; one was restarted and asks for us. */
void superior_requeue(struct mom *m, int64_t now_at, struct mom_job *j,
                      struct mom_out *out);
/* What a host had used that was released. */
void superior_take_resc(struct mom *m, int64_t now_at, struct mom_job *j,
                        uint64_t stream, const struct im_message *msg,
                        struct mom_out *out);
void superior_rejoined(struct mom *m, struct mom_job *j, uint64_t stream,
                       struct mom_out *out);
/* The stream to that MoM could not be opened, or is over. */
void superior_lost(struct mom *m, int64_t now_at, const struct reached *r,
                   struct mom_out *out);
/* What is due. */
int64_t superior_due_at(const struct mom *m, const struct mom_job *j);
/* True: the job is gone. */
bool superior_tick(struct mom *m, int64_t now_at, struct mom_job *j,
                   struct mom_out *out);

/* waiting_joins.c: orders to join a job of which an earlier copy still ends here. */

/* Keep a copy of the order until the job of this id is gone or rests; no other order
 * may wait for it. */
void joins_wait(struct mom *m, uint64_t stream, const struct tpp_addr *from,
                const struct im_message *msg);
/* What waits for that job is not wanted any more. */
void joins_drop(struct mom *m, const char *job_id);
/* The message ends the run whose order waits: the order is dropped. False: it ends none
 * that waits. */
bool joins_drop_run(struct mom *m, const struct im_message *msg);
/* Nobody can be answered there any more. */
void joins_drop_stream(struct mom *m, uint64_t stream);
/* The job has left m->jobs: the next tick, which is due at once, takes the order. */
void joins_note(struct mom *m, const char *job_id);
void joins_tick(struct mom *m, int64_t now_at, struct mom_out *out);
void joins_free_all(struct mom *m);

/* sister.c: what the other hosts do. */

/* JOIN_JOB from a mother superior at 'from': make the job, or answer why not. */
void sister_join(struct mom *m, uint64_t stream, const struct tpp_addr *from,
                 const struct im_message *msg, struct mom_out *out);
/* What the mother superior wants of a job that is here. */
void sister_take(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                 const struct tpp_addr *from, const struct im_message *msg,
                 struct mom_out *out);
/* Its record is on disk, or is not. */
void sister_stored(struct mom *m, int64_t now_at, struct mom_job *j,
                   const struct diag *why, struct mom_out *out);
void sister_lost(struct mom *m, int64_t now_at, uint64_t stream, struct mom_out *out);
int64_t sister_due_at(const struct mom *m, const struct mom_job *j);
/* True: the job is gone. */
bool sister_tick(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out);
/* A task of the job has ended here: perhaps KILL_JOB can be answered. */
void sister_step(struct mom *m, struct mom_job *j, struct mom_out *out);
/* After a restart: tell the mother superior that the job is here. */
void sister_reconnect(struct mom *m, int64_t now_at, struct mom_job *j,
                      struct mom_out *out);

#endif
