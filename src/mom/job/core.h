/* core.h - the doors of the files of the core to each other; private to the core.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_JOB_CORE_H
#define MOM_JOB_CORE_H

#include "mom/job/life.h"
#include "mom/job/state.h"
#include "mom/job/tasks.h"
#include "mom/job/wide.h"

/* out.c: effects. What they point to is copied into out->arena. */

/* Append an effect for the caller to fill in; valid until the next one is added. */
struct mom_effect *out_add(struct mom_out *out, enum mom_effect_kind kind);
/* One that says no more than the job's id. */
void out_job(struct mom_out *out, enum mom_effect_kind kind, const struct mom_job *j);
/* A signal to all processes of the job. */
void out_kill(struct mom_out *out, const struct mom_job *j, int signo);
/* A message to another MoM; as with out_send() only '*msg' is copied. */
void out_send_im(struct mom_out *out, uint64_t stream, const struct im_message *msg);
/* A signal to one task of it. */
void out_kill_task(struct mom_out *out, const struct mom_job *j, uint32_t task,
                   int signo);
/* '*msg' is copied, what it points to is not: it lives in out->arena or longer. */
void out_send(struct mom_out *out, uint64_t stream, const struct is_message *msg);
/* A log line of up to 1023 bytes; the second form names the job. */
void out_log(struct mom_out *out, int event, int log_class, const char *object,
             const char *fmt, ...) PRINTF_LIKE(5, 6);
void out_joblog(struct mom_out *out, int event, const struct mom_job *j,
                const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Answers to the server's request 'msgid': a code alone, the id of a committed job, a
 * code with its words. */
void out_reply(struct mom_out *out, uint64_t stream, const char *msgid, int32_t code);
void out_reply_aux(struct mom_out *out, uint64_t stream, const char *msgid,
                   int32_t aux); /* code 0 */
void out_reply_commit(struct mom_out *out, uint64_t stream, const char *msgid,
                      const char *job_id);
void out_reply_error(struct mom_out *out, uint64_t stream, const char *msgid,
                     const struct diag *why);
/* The same with a text of any length. */
void out_reply_text(struct mom_out *out, uint64_t stream, const char *msgid,
                    int32_t code, const char *text);
/* A step of receiving a job is done. That is said on a connection only: over the router
 * network there is one answer, to the Commit (tpp.md 6.3). */
void out_reply_step(struct mom_out *out, uint64_t stream, const char *msgid,
                    enum reply_choice choice, const char *job_id);

/* job.c: a job's attributes, and what they say. */

/* A job among m->jobs with copies of the attributes; the id must not be there yet. */
struct mom_job *job_new(struct mom *m, const char *id, const struct wire_attrs *attrs);
/* It is among the jobs of the MoM no longer. */
void job_leaves_table(struct mom *m, struct mom_job *j);

/* Replace what 'changes' names, a resource list member by member. Texts of attributes
 * that somebody holds are gone then. */
void job_replace_attrs(struct mom_job *j, const struct wire_attrs *changes);
/* Out of m->jobs or m->resting, and gone; its files are the shell's. */
void job_free(struct mom *m, struct mom_job *j);
/* The script is not needed any more, and mom_job_script() does not have it. */
void job_forget_script(struct mom_job *j);
/* May it be a job's id? Ids become file names. */
bool job_id_is_fit(const char *id, struct arena *arena);
/* NULL when it is not here. */
struct mom_job *job_find(const struct mom *m, const char *id);
/* The same, or one that rests. */
struct mom_job *job_find_any(const struct mom *m, const char *id);
/* An attribute as a number; a member of Resource_List in seconds, in KiB. 'missing'
 * when it is not there or is none. */
int64_t job_number(const struct mom_job *j, const char *name, const char *resource,
                   int64_t missing);
int64_t job_duration(const struct mom_job *j, const char *resource, int64_t missing);
int64_t job_kib(const struct mom_job *j, const char *resource, int64_t missing);
/* Seconds times $cputmult or $wallmult: never more than what sums of two may hold,
 * since an administrator may choose any factor. */
int64_t job_scaled(int64_t s, double factor);
/* Seconds it has run, suspensions not counted, times $wallmult. */
int64_t job_walltime(const struct mom *m, const struct mom_job *j, int64_t now_at);
/* The only way to a new phase. */
void job_set_phase(struct mom *m, struct mom_job *j, enum job_phase phase);
/* Its attributes have changed: look up again what is kept of them. */
void job_note_limits(struct mom_job *j);
/* It runs or is suspended. */
bool job_has_processes(const struct mom_job *j);
/* The server will come for files after the obituary. */
bool job_leaves_files(const struct mom_job *j);

/* record.c */

/* Its record in mom_priv/jobs, and a job among m->jobs from one. job_decode() takes
 * damaged ones for hostile: NULL, and nothing is added. */
void job_encode(const struct mom_job *j, struct buf *out);
/* A sum over all of the record but its tasks, what they change (numbers, use) and which
 * tasks an image has, of which there is one list for each event. */
uint64_t job_base(const struct mom_job *j);
/* How that task is now, there or not: a note (lib/wire/job_notes.h). */
void job_encode_note(const struct mom_job *j, uint32_t task, struct buf *out);
/* The record is to be written, for nothing but that task of it has changed. */
void job_save_task(const struct mom_job *j, uint32_t task, struct mom_out *out);
struct mom_job *job_decode(struct mom *m, const char *data, size_t len);

/* job_peer.c: on which streams jobs are under way. */

/* The job is received on that stream from now on, until peer_release(); job_free() does
 * that too. */
void peer_receives(struct mom *m, struct mom_job *j, uint64_t stream);
void peer_release(struct mom *m, struct mom_job *j);
bool peer_is_of(const struct mom_job *j, uint64_t stream);
/* The oldest job that is under way there; NULL when there is none. */
struct mom_job *peer_job(const struct mom *m, uint64_t stream);

/* link.c: the way to the server (tpp.md 5.3, 5.4). */

/* Connect anew when the next hello is due. */
void link_tick(struct mom *m, int64_t now_at, struct mom_out *out);
/* IS_UPDATE2 with all vnodes; the MoM must be registered. */
void link_send_update(struct mom *m, struct mom_out *out);
/* Is it an address of a server? */
bool link_is_server_ip(const struct mom *m, uint32_t ip);
/* Messages count only from a server: from one of its addresses and from its port. Any
 * other leaf of its host is a MoM, or somebody who may not command. */
bool link_is_authorized(const struct mom *m, const struct tpp_addr *peer);
/* Is it the address of a host of the cluster, whose MoM may speak of jobs? */
bool link_is_cluster(const struct mom *m, uint32_t ip);
/* The server has answered our hello: register, and say again what it may not know. */
void link_hello_reply(struct mom *m, int64_t now_at, uint64_t stream, const char *peer,
                      const struct is_message *msg, struct mom_out *out);
/* Keep the addresses of the cluster's hosts that the message lists. */
void link_add_ranges(struct mom *m, const struct is_message *msg, struct mom_out *out);
/* A server that spoke first on this stream becomes ours when we have none. */
void link_adopt(struct mom *m, uint64_t stream, struct mom_out *out);

/* requests.c, receive.c: what the server asks. */

/* One batch request; 'known': its body was understood. It is answered, now or when the
 * shell has carried something out. */
void request_take(struct mom *m, int64_t now_at, uint64_t stream, const char *peer,
                  const struct is_message *msg, bool known, struct mom_out *out);
/* QueueJob, JobScript, Commit: a job is received on one stream. Commit is answered when
 * its record is durable (mom_stored(), receive_answer()); the same run sent again is
 * answered at once. */
void receive_queue(struct mom *m, int64_t now_at, uint64_t stream, const char *msgid,
                   const struct wire_request *rq, struct mom_out *out);
void receive_script(struct mom *m, uint64_t stream, const char *msgid,
                    const struct body_script *body, struct mom_out *out);
void receive_commit(struct mom *m, int64_t now_at, uint64_t stream, const char *msgid,
                    const char *job_id, struct mom_out *out);
void receive_output(struct mom *m, uint64_t stream, const char *msgid,
                    const struct body_script *body, struct mom_out *out);
/* The record of the job is durable behind what 'out' has: answer its Commit, if that
 * waits for it. Before anything else is told of the job. */
void receive_answer(struct mom_job *j, struct mom_out *out);
/* The same for a record that is not durable yet, perhaps: it is written first. */
void receive_answer_now(struct mom_job *j, struct mom_out *out);
/* The stream is over: what was half received on it is forgotten. */
void receive_drop_stream(struct mom *m, uint64_t stream);

/* load.c: how much the host has to do. */

/* The loads of the configuration are new. */
void load_set_rules(struct mom *m);
/* Ask for the load when it is due, at m->load_at. */
void load_tick(struct mom *m, int64_t now_at, struct mom_out *out);
/* noting.c: while records cannot be written, try again every 10 s. */
void noting_tick(struct mom *m, int64_t now_at, struct mom_out *out);

/* keyboard.c: whether somebody sits at the host. */

/* The words about keyboards in the configuration are new. */
void keyboard_set_rules(struct mom *m);
/* Ask for it when it is due, at m->keyboard_at. */
void keyboard_tick(struct mom *m, int64_t now_at, struct mom_out *out);

/* standing.c: jobs of a host that is busy. */

/* Has the host stopped it? */
bool job_stands(const struct mom_job *j);
/* Stop them, or let them go on, as load and keyboard are. */
void standing_settle(struct mom *m, int64_t now_at, struct mom_out *out);
/* At the start of the MoM: what is noted as stopped, by the server or by the host, is
 * stopped again, since the MoM before may have died before she did it. */
void standing_stop_again(const struct mom *m, struct mom_job *j, struct mom_out *out);
/* At the start of the MoM, if a job stands: the host was busy, by what is not known any
 * more, and is so until a look shows that it is free. Touches and loads between the two
 * bounds would not have made it free before the restart either. */
void standing_was_busy(struct mom *m);
/* At the start of the MoM, and when the configuration is new. */
void standing_begin(struct mom *m, int64_t now_at, struct mom_out *out);
/* A server that has registered us may not know which of them stand, and which do not
 * any more. */
void standing_tell_all(struct mom *m, struct mom_out *out);

/* signals.c. */

/* "SIGTERM", "TERM", "15"; -1 when there is no such signal. */
int signal_number(const char *name);

#endif
