/* tasks.h - the tasks of a job beside its top task, and what tasks ask for; private
 * to the core.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_JOB_TASKS_H
#define MOM_JOB_TASKS_H

#include "mom/job/state.h"

/* spawned.c: tasks beside the top task. */

/* The task with that number, which has not ended; NULL when there is none. */
struct spawned *spawned_find(const struct mom_job *j, uint32_t number);
/* Is that the number of the mother superior's first task, which is here? */
bool spawned_is_top(const struct mom_job *j, uint32_t task);
/* How many have not ended; those that are down are counted. */
size_t spawned_n_live(const struct mom_job *j);
/* Are all of them down? */
bool spawned_all_down(const struct mom_job *j);
/* Start a task as SPAWN_TASK says; whoever asked is answered, now or when it runs. */
void spawned_start(struct mom *m, struct mom_job *j, const struct im_message *order,
                   const struct asker *asker, struct mom_out *out);
/* Can the job have one more task? One that ends cannot, or its end would never come. */
bool spawned_may_start(const struct mom_job *j);
/* One more task, with a number of its own, on that vnode; nobody asked for it yet. */
struct spawned *spawned_add(struct mom_job *j, int32_t vnode);
/* The same with a number that it has had before. */
struct spawned *spawned_put(struct mom_job *j, uint32_t number, int32_t vnode);
/* The only code that changes these. */
void spawned_set_down(struct spawned *t, bool is_down);
void spawned_set_restoring(struct spawned *t, bool is_restoring);
void spawned_set_mark(struct spawned *t, const char *mark);
/* It has ended, and is freed: its status stays, and whoever waits for it hears that. */
void spawned_end(struct mom_job *j, struct spawned *t, int32_t status,
                 struct mom_out *out);
void spawned_free_all(struct mom_job *j);
/* Tell of the end of a task, when it comes or at once. */
void spawned_watch(struct mom *m, struct mom_job *j, uint32_t task,
                   const struct asker *asker, struct mom_out *out);
/* A task has ended, the top task or another: whoever waits for it hears that. */
void spawned_tell_end(struct mom_job *j, uint32_t number, int32_t status,
                      struct mom_out *out);
/* Nobody waits there any more. */
void spawned_drop_asker(struct mom *m, uint64_t stream);
/* task_questions.c: SPAWN_TASK to GET_RESC, asked by another host or by a task of this
 * one. */
void spawned_take(struct mom *m, struct mom_job *j, const struct im_message *msg,
                  const struct asker *asker, struct mom_out *out);
/* An answer to who asked; 'body' holds what answers 'asked', or has command IM_ERROR
 * and a code. */
void spawned_answer(const struct mom_job *j, const struct asker *to,
                    enum im_command asked, const struct im_message *body,
                    struct mom_out *out);
void spawned_refuse(const struct mom_job *j, const struct asker *to,
                    enum im_command asked, int32_t code, struct mom_out *out);
/* To another host, with words. */
void spawned_refuse_text(const struct mom_job *j, const struct asker *to,
                         enum im_command asked, int32_t code, const char *text,
                         struct mom_out *out);

/* task_door.c: requests of tasks (tpp.md 8). */

/* The answer of another host to what a task of this one has asked. */
void task_door_answer(const struct mom_job *j, const struct asked *a, int32_t code,
                      const struct im_message *msg, struct mom_out *out);

#endif
