/* life.h - a job from its start to the server's last word, what it uses, and what
 * rests of it; private to the core.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_JOB_LIFE_H
#define MOM_JOB_LIFE_H

#include "mom/job/state.h"

/* life.c: from the start to the server's last word. */

/* Its record is stored: start it. */
void life_start(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out);
/* Whatever the end was: the clock stops, leftovers die, the server is told. The job may
 * be gone afterwards. */
void life_end(struct mom *m, int64_t now_at, struct mom_job *j, int32_t status,
              struct mom_out *out);
/* Nothing of it runs on any host: the epilogue runs, and then the server is told. */
void life_over(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out);
/* The same for a job whose other hosts have answered or are lost: each has a line of
 * what was used there. */
void life_hosts_over(struct mom *m, int64_t now_at, struct mom_job *j,
                     struct mom_out *out);
/* All hosts are ready: its top task starts. */
void life_start_top(struct mom *m, struct mom_job *j, struct mom_out *out);
/* Forget the job: at once and freed, or when what still starts or copies is done. */
void life_drop(struct mom *m, struct mom_job *j, struct mom_out *out);
/* Kill it because the MoM stops; its record says that the server runs it again. */
void life_give_back(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The exit status that stands whatever the processes end with; the first one stays. */
void life_preset(struct mom_job *j, int32_t status);
/* Stop and continue its processes; the clock of walltime stands meanwhile. */
void life_suspend(struct mom *m, int64_t now_at, struct mom_job *j,
                  struct mom_out *out);
void life_resume(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out);
/* The clock of its walltime, without anything else. */
void life_stop_clock(struct mom *m, int64_t now_at, struct mom_job *j);
void life_start_clock(struct mom *m, int64_t now_at, struct mom_job *j);
/* Something of the job has changed that decides when it is due. Called by whoever
 * changes it: phase, kill_at, obit_at, the clock and the limit of walltime. */
void life_reckon(struct mom *m, struct mom_job *j);
/* The same for all jobs of several hosts: the router came or went. */
void life_reckon_wide(struct mom *m);
/* What is due: late kills, walltime, obituaries, samples; and when something is next
 * (INT64_MAX: never). */
void life_tick(struct mom *m, int64_t now_at, struct mom_out *out);
int64_t life_deadline(const struct mom *m);
/* The part of it that is a job's. */
int64_t life_due_at(const struct mom *m, const struct mom_job *j);

/* telling.c: what the server is told of jobs. */

/* Usage of one job, with what a server needs that never heard of it. */
void life_tell(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out);
/* The same of all jobs that run, of which usage was looked at: those that use too much
 * are killed, and images are made. It is a round of as many turns as there are many
 * jobs; life_tick() goes on with it. */
void life_tell_sampled(struct mom *m, int64_t now_at, struct mom_out *out);
/* The same to a server that perhaps never heard of any of them, without a judgement. */
void life_tell_running(struct mom *m, int64_t now_at, struct mom_out *out);
/* One more turn of a round; fine when there is none. When it is due: INT64_MAX when
 * there is none. */
void life_go_on_telling(struct mom *m, int64_t now_at, struct mom_out *out);
int64_t life_telling_deadline(const struct mom *m);
/* The job is about to leave the table of jobs. */
void life_leaves(struct mom *m, const struct mom_job *j);
/* The obituary of one job, of all that wait for its acknowledgement; nothing while the
 * server is away, for life_tick() repeats it. Of all that wait some are sent at once,
 * and life_tick() sends the others in the next turns. */
void life_send_obit(struct mom *m, int64_t now_at, struct mom_job *j,
                    struct mom_out *out);
void life_send_obits(struct mom *m, int64_t now_at, struct mom_out *out);

/* termination.c: how a job's processes end. */

/* SIGTERM or the script of $action now, SIGKILL after job_kill_delay seconds (10
 * without it). */
void life_terminate(struct mom *m, int64_t now_at, struct mom_job *j,
                    struct mom_out *out);
/* SIGKILL, if that is due by now. */
void life_kill_late(int64_t now_at, struct mom_job *j, struct mom_out *out);
/* After a restart: a script of which the MoM has not seen the end is begun anew. */
void life_recover_termination(struct mom *m, int64_t now_at, struct mom_job *j,
                              struct mom_out *out);

/* sampling.c: when usage is looked at. */

/* Something runs that is to be sampled soon. */
void life_poll_soon(struct mom *m, int64_t now_at);
/* Look at it, if that is due. */
void sampling_tick(struct mom *m, int64_t now_at, struct mom_out *out);

/* resting.c: jobs whose image waits for their next run. */

/* Has its run ended so that the next one goes on from its image? */
bool job_is_to_rest(const struct mom_job *j);
/* The server knows the end of its run: it rests, and its files stay. */
void job_rest(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The one that rests under that id; NULL: none. */
struct mom_job *resting_find(const struct mom *m, const char *id);
/* Its image is not wanted any more, on no host of the job. */
void resting_drop(struct mom *m, int64_t now_at, struct mom_job *j,
                  struct mom_out *out);
/* Does it only wait for other hosts to forget its image? It has no run any more. */
bool resting_is_leaving(const struct mom_job *j);
/* They are not waited for: it is gone. */
void resting_leave_now(struct mom *m, struct mom_job *j, struct mom_out *out);
/* Is the one that rests an earlier run of that job, and not another one's? */
bool resting_is_of(const struct mom_job *image, const struct mom_job *j);
/* The run goes on from it; its own tasks are given numbers behind those of the image.
 */
void resting_hand_over(struct mom_job *image, struct mom_job *j);
/* A new run of a job begins: it goes on from the image that rests under its id, if that
 * is its own. Said before the record of the run is written. */
void resting_take_over(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The run was stored, or could not be: then what rests goes on resting. */
void resting_forget(struct mom *m, const char *id);
/* A job that was found in its record rests. */
void resting_add(struct mom *m, struct mom_job *j);
void resting_free_all(struct mom *m);

/* left_hosts.c: jobs that go on without this host. */

/* It has left: the server is told, now or when it registers. */
void left_host_tell(struct mom *m, const struct mom_job *j, struct mom_out *out);
/* The server is there: what was not acknowledged is said again. */
void left_hosts_tell_again(struct mom *m, struct mom_out *out);
void left_hosts_heard(struct mom *m, const struct is_message *ack);
void left_hosts_free(struct mom *m);

/* obit.c: answers to obituaries. */

/* The server's answers: what it acknowledged is over, what it rejected is none of its
 * jobs. */
void obit_take_answers(struct mom *m, const struct is_message *msg,
                       struct mom_out *out);
/* The job goes away, answers to its obituaries may still come; the stream on which they
 * would come is over. */
void obit_expect_answers(struct mom *m, const struct mom_job *j);
void obit_expect_none(struct mom *m);

/* usage.c: resources_used and limits (execution.md 17, 18). */

/* Append resources_used as the server is told; texts in 'arena'. */
void usage_attrs(const struct mom *m, const struct mom_job *j, int64_t now_at,
                 struct wire_attrs *ret, struct arena *arena);
/* Take a sample over: what was used never becomes less. */
void usage_take(const struct mom *m, struct mom_job *j, int64_t now_at,
                const struct mom_usage *used);
/* What the tasks use that live here, and what one had used that has ended. */
void usage_live(const struct mom *m, struct mom_job *j, int64_t now_at,
                const struct mom_usage *used);
void usage_ended(const struct mom *m, struct mom_job *j, int64_t now_at,
                 const struct mom_usage *used);
/* Of all hosts together. */
struct mom_usage usage_sum(const struct mom_job *j);
/* When its walltime is over; INT64_MAX: never or not by the clock. */
int64_t usage_walltime_end(const struct mom *m, const struct mom_job *j);
/* The kernel has ended processes of it for want of memory. */
void usage_out_of_memory(struct mom *m, int64_t now_at, struct mom_job *j,
                         struct mom_out *out);
/* A sister on that host recommends to kill the job. False: for another reason than its
 * use of the host, or the job is about to end. */
bool usage_over_elsewhere(struct mom *m, int64_t now_at, struct mom_job *j,
                          const char *host, int32_t recommended, struct mom_out *out);
/* Kill what has used more than it may. */
void usage_enforce(struct mom *m, int64_t now_at, struct mom_job *j,
                   struct mom_out *out);

#endif
