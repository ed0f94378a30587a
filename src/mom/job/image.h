/* image.h - images of jobs: on this host, on the others, and what is done with them
 * (doc/design/066, 084); private to the core.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_JOB_IMAGE_H
#define MOM_JOB_IMAGE_H

#include "mom/job/core.h"

/* image.c: what a host knows of its images. */

/* The stage behind that event; IMAGE_STAGES: the event cannot come there. */
enum image_stage image_next(enum image_stage from, enum image_event event);
/* The only way to a new stage. */
void image_move(struct mom_job *j, enum image_event event);
/* The tasks of this host, under that event, as what is being made. */
void image_note_tasks(struct mom_job *j, int32_t event);
/* It is made. Sister: the one before stays. */
void image_keep(struct mom_job *j, int64_t walltime_s);
/* Sister: the last one counts no more, and the one before takes its place. */
void image_go_back(struct mom_job *j, struct mom_out *out);
void image_take_over(struct image *to, struct image *from);
void image_free_all(struct mom_job *j);
/* Sister: the one of that event is the last one now, if there is one of it. */
bool image_choose(struct mom_job *j, int32_t event, struct mom_out *out);
/* An event that this MoM has not used, and none before it; the next one is free for the
 * order to undo it. */
int32_t image_new_event(struct mom *m, int64_t now_at);
/* Have the scripts of this host run. */
void image_make_own(struct mom_job *j, struct mom_out *out);
/* Some task begins just now. */
bool image_is_early(const struct mom_job *j);

/* image_tasks.c: tasks that end with an image, and go on from one. */

/* The task has ended. True: nobody is to hear of that yet. */
bool image_keeps_task(const struct mom_job *j);
/* What is down has ended for everybody. */
void image_end_tasks(struct mom *m, struct mom_job *j, struct mom_out *out);
/* Restore those that are down, or that the image has. */
void image_restore_tasks(struct mom_job *j, struct mom_out *out);
bool image_is_restoring(const struct mom_job *j);
/* A task that was being restored is, or is not. The job may be gone afterwards. */
void image_task_restored(struct mom *m, int64_t now_at, struct mom_job *j, bool ok,
                         struct mom_out *out);

/* image_hosts.c: the mother superior, and images on the other hosts. */

/* Have them make theirs. */
void image_ask_others(struct mom *m, int64_t now_at, struct mom_job *j,
                      struct mom_out *out);
/* Have them go back to what was before. */
void image_undo_others(struct mom *m, int64_t now_at, struct mom_job *j,
                       struct mom_out *out);
/* Some host has something to undo yet. */
bool image_has_undone_all(const struct mom_job *j);
/* Is the question one of those? */
bool image_has_asked(const struct mom_job *j, const struct asked *a);
/* A host does not do what it was asked for ('text': its words, or NULL); it does; it is
 * heard of. */
void image_refused(struct mom_job *j, const struct asked *a, int32_t code,
                   const char *text, struct mom_out *out);
void image_done(struct mom_job *j, const struct asked *a);
void image_heard(struct mom *m, struct mom_job *j, size_t host, struct mom_out *out);
/* What follows from the questions that are left. The job may be gone afterwards. */
void image_step(struct mom *m, int64_t now_at, struct mom_job *j, struct mom_out *out);
/* Nobody is waited for longer than this; INT64_MAX: for ever. */
int64_t image_due_at(const struct mom_job *j);
void image_too_late(struct mom_job *j, struct mom_out *out);
/* How long hosts may take for that question. */
int64_t image_limit_s(const struct mom *m, enum im_command command);

/* image_sister.c: what a sister does about images. */

/* CHECKPOINT, CHECKPOINT_ABORT; RESTART. */
void sister_checkpoint(struct mom *m, struct mom_job *j, const struct im_message *msg,
                       const struct asker *to, struct mom_out *out);
void sister_restart(struct mom *m, struct mom_job *j, const struct im_message *msg,
                    const struct asker *to, struct mom_out *out);
/* Answer to MOM_CHECKPOINT. */
void sister_checkpointed(struct mom *m, int64_t now_at, struct mom_job *j,
                         const char *path, int error, struct mom_out *out);
/* A task is down. */
void sister_task_down(struct mom *m, struct mom_job *j, struct mom_out *out);
/* All tasks are restored, or could not be. */
void sister_restored(struct mom *m, struct mom_job *j, struct mom_out *out);
/* What is under way is not wanted any more. */
void sister_drop_image(struct mom *m, struct mom_job *j, struct mom_out *out);
void sister_recover_image(struct mom_job *j, struct mom_out *out);
/* A job that joins goes on from what rests here, or has nothing of it. 0, or why it
 * cannot join. */
int sister_take_over(struct mom *m, struct mom_job *j, struct mom_out *out);
/* A message about a job that rests here. */
void sister_resting_take(struct mom *m, struct mom_job *j, uint64_t stream,
                         const struct im_message *msg, struct mom_out *out);
void sister_rest(struct mom *m, struct mom_job *j, struct mom_out *out);

/* checkpoint.c: images of jobs, on request and in time. */

/* HoldJob: make an image and end the job. It is answered, now or when the image is
 * there. */
void checkpoint_hold(struct mom *m, int64_t now_at, struct mom_job *j, uint64_t stream,
                     const char *msgid, struct mom_out *out);
/* When the next periodic one is due by the walltime; INT64_MAX: never. */
int64_t checkpoint_due_at(const struct mom *m, const struct mom_job *j);
/* Begin the periodic one if it is due, by either clock. */
void checkpoint_tick(struct mom *m, int64_t now_at, struct mom_job *j,
                     struct mom_out *out);
/* The job's processes have ended. True: it is not over before it is known whether there
 * is an image. */
bool checkpoint_keeps_end(struct mom_job *j, int32_t status);
/* There is no image, and nothing is left to be undone: whoever waits hears 'code' with
 * 'text' (NULL: the catalogue's), and the user 'error'. The job may be gone. */
void checkpoint_failed(struct mom *m, int64_t now_at, struct mom_job *j, int code,
                       const char *text, int error, struct mom_out *out);
/* The job ends for another reason: what is being made is not wanted any more. */
void checkpoint_abandon(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The same. True: nothing else of the job ran any more, and so it has ended now. */
bool checkpoint_was_last(struct mom *m, int64_t now_at, struct mom_job *j,
                         struct mom_out *out);
/* After a restart of the MoM: have found out what became of one that was being made. */
void checkpoint_recover(struct mom *m, int64_t now_at, struct mom_job *j,
                        struct mom_out *out);
/* The status of a job that is given back because its MoM ends, or was restarted. */
int32_t checkpoint_status_of_restart(const struct mom_job *j);
/* The top task runs: go on with what else the image has. */
void checkpoint_go_on(struct mom *m, struct mom_job *j, struct mom_out *out);
/* The top task, or all others, are restored: the server hears of the run when both are.
 */
void checkpoint_restored(struct mom *m, int64_t now_at, struct mom_job *j,
                         struct mom_out *out);

#endif
