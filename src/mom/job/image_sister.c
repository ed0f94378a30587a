/* image_sister.c - a sister and the images of what a job has on her host (tpp.md 7.2,
 * doc/design/084).
 *
 * She does not know whether the other hosts have made theirs. So the image before stays
 * until the next one is made, and when the job ends here she keeps what she has until
 * the mother superior or the server says that it is not wanted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#include <signal.h>

static void okay(const struct mom_job *j, struct asker *to, enum im_command command,
                 struct mom_out *out)
{
    const struct im_message ok = { .asked = command };

    spawned_answer(j, to, command, &ok, out);
    to->stream = 0;
}

static void refuse(const struct mom_job *j, const struct asker *to,
                   const struct im_message *msg, int32_t code, struct mom_out *out)
{
    spawned_refuse(j, to, msg->command, code, out);
}

static enum im_command asked_as(enum checkpoint_kind kind)
{
    return kind == CHECKPOINT_ABORT ? IM_CHECKPOINT_ABORT : IM_CHECKPOINT;
}

/* The event of the order that is being carried out, or of the last one. An image counts
 * as the last one when it is made, and the tasks that it is of may still have to end.
 */
static int32_t event_of_order(const struct checkpoint *c)
{
    return c->stage == IMAGE_OWN ? c->being_made.event : c->last.event;
}

/* 0, or why there will be none. */
static int32_t check_order(const struct mom *m, const struct mom_job *j, bool aborts,
                           int32_t event)
{
    if (!job_has_processes(j) || j->is_killed || event <= 0 || event == INT32_MAX)
        return PBSE_BADSTATE;
    if (!(aborts ? m->cfg.checkpoint_aborts : m->cfg.checkpoints))
        return PBSE_NOSUP;
    return j->checkpoint.stage != IMAGE_IDLE || j->checkpoint.is_due ||
                   image_is_early(j)
               ? PBSE_CKPBSY
               : 0;
}

void sister_checkpoint(struct mom *m, struct mom_job *j, const struct im_message *msg,
                       const struct asker *to, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    bool aborts = msg->command == IM_CHECKPOINT_ABORT;
    int32_t code;

    if (c->making && event_of_order(c) == msg->event) { /* said twice */
        c->asker = *to;
        return;
    }
    if (c->last.event && c->last.event == msg->event) {
        c->asker = *to;
        okay(j, &c->asker, msg->command, out);
        return;
    }
    code = check_order(m, j, aborts, msg->event);
    if (code) {
        refuse(j, to, msg, code, out);
        return;
    }
    out_joblog(out, LOG_EV_JOB, j, "%s received",
               aborts ? "CHECKPOINT_ABORT" : "CHECKPOINT");
    c->making = aborts ? CHECKPOINT_ABORT : CHECKPOINT_PERIODIC;
    c->asker = *to;
    c->restore = 0;
    image_note_tasks(j, msg->event);
    image_make_own(j, out);
}

/* The tasks are as they were before the order, or as near as can be. */
static void finish_restore(struct mom_job *j, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    if (c->restore)
        image_go_back(j, out);
    c->restore = 0;
    c->is_due = false;
    out_job(out, MOM_SAVE, j);
    if (c->is_broken)
        spawned_refuse_text(j, &c->restorer, IM_RESTART, PBSE_SYSTEM,
                            "tasks could not be restored", out);
    else
        okay(j, &c->restorer, IM_RESTART, out);
    c->restorer.stream = 0;
}

static void begin_restore(struct mom_job *j, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    c->is_broken = false;
    if (c->stage == IMAGE_STOPPED || c->is_due)
        image_restore_tasks(j, out);
    out_job(out, MOM_SAVE, j);
    if (c->stage == IMAGE_RESTORING && !image_is_restoring(j)) /* it had no tasks */
        image_move(j, IMAGE_EV_RESTORED);
    if (c->stage == IMAGE_IDLE)
        finish_restore(j, out);
}

/* Is there something that this order undoes? */
static bool undoes(const struct mom_job *j, int32_t event)
{
    int32_t of = event_of_order(&j->checkpoint);

    return of > 0 && event == of + 1;
}

void sister_restart(struct mom *m, struct mom_job *j, const struct im_message *msg,
                    const struct asker *to, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    struct asker at = *to;

    (void)m;
    out_joblog(out, LOG_EV_JOB, j, "RESTART received");
    if (!job_has_processes(j) || j->is_killed) {
        refuse(j, to, msg, PBSE_BADSTATE, out);
    } else if (c->stage == IMAGE_RESTORING) { /* said twice */
        c->restorer = *to;
    } else if (c->making) {
        if (undoes(j, msg->event)) {
            c->restorer = *to; /* when the script has ended */
            c->restore = msg->event;
        } else {
            refuse(j, to, msg, PBSE_CKPBSY, out);
        }
    } else if (undoes(j, msg->event)) {
        c->restorer = *to;
        c->restore = msg->event;
        begin_restore(j, out);
    } else if (c->is_due && spawned_n_live(j) > 0) {
        /* This MoM was killed while it restored them: nobody knows how far. */
        refuse(j, to, msg, PBSE_SYSTEM, out);
    } else if (c->is_due) {
        c->restorer = *to;
        begin_restore(j, out);
    } else {
        okay(j, &at, IM_RESTART, out);
    }
}

/* The order to undo came while it was made. */
static void undo_if_asked(struct mom_job *j, bool is_made, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    if (!c->restore)
        return;
    if (is_made) {
        begin_restore(j, out);
        return;
    }
    c->restore = 0;
    okay(j, &c->restorer, IM_RESTART, out);
}

static void made(struct mom_job *j, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    enum im_command asked = asked_as(c->making);

    c->making = CHECKPOINT_NONE;
    out_job(out, MOM_SAVE, j);
    okay(j, &c->asker, asked, out);
    undo_if_asked(j, true, out);
}

void sister_task_down(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    (void)m;
    if (j->checkpoint.stage != IMAGE_ENDING || !spawned_all_down(j))
        return;
    image_move(j, IMAGE_EV_STOPPED);
    made(j, out);
}

static void not_made(struct mom *m, struct mom_job *j, int error, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    enum im_command asked = asked_as(c->making);

    out_joblog(out, LOG_EV_ERROR, j, "checkpoint failed: errno=%d", error);
    image_move(j, IMAGE_EV_FAILED);
    c->making = CHECKPOINT_NONE;
    image_end_tasks(m, j, out); /* what its script has ended nevertheless */
    out_job(out, MOM_SAVE, j);
    spawned_refuse_text(j, &c->asker, asked, PBSE_SYSTEM,
                        arena_printf(out->arena, "checkpoint failed: errno=%d", error),
                        out);
    c->asker.stream = 0;
    undo_if_asked(j, false, out);
    sister_step(m, j, out);
}

void sister_checkpointed(struct mom *m, int64_t now_at, struct mom_job *j,
                         const char *path, int error, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    bool aborts = c->making == CHECKPOINT_ABORT;

    (void)now_at;
    MUST(j->is_sister && c->stage == IMAGE_OWN);
    if (!path) {
        not_made(m, j, error, out);
        return;
    }
    out_joblog(out, LOG_EV_JOB, j, "checkpointed to %s", path);
    image_keep(j, 0);
    if (!aborts) {
        image_move(j, IMAGE_EV_MADE);
        made(j, out);
        return;
    }
    image_move(j, IMAGE_EV_END);
    out_job(out, MOM_SAVE, j);
    /* What its scripts have left alive would go on beside the image. */
    if (!spawned_all_down(j))
        out_kill(out, j, SIGKILL);
    sister_task_down(m, j, out);
}

void sister_restored(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    (void)m;
    image_move(j, IMAGE_EV_RESTORED);
    if (!j->checkpoint.is_broken)
        out_joblog(out, LOG_EV_JOB, j, "restarted from its checkpoint");
    finish_restore(j, out);
}

void sister_drop_image(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    MUST(j->is_sister);
    if (c->stage == IMAGE_OWN)
        out_job(out, MOM_ABANDON, j);
    image_move(j, IMAGE_EV_DROP);
    c->making = CHECKPOINT_NONE;
    c->asker.stream = c->restorer.stream = 0;
    image_end_tasks(m, j, out);
}

/* Whoever has asked asks again, on a stream of this MoM. */
void sister_recover_image(struct mom_job *j, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    struct mom_effect *e;

    if (c->stage == IMAGE_RESTORING) {
        image_move(j, IMAGE_EV_RESTORED);
        /* Of a start the mother superior hears when she asks again, and of this when
         * she asks how it is. */
        c->is_broken = !c->is_due;
    }
    if (c->stage == IMAGE_ENDING)
        out_kill(out, j, SIGKILL);
    if (c->stage != IMAGE_OWN)
        return;
    e = out_add(out, MOM_CHECKPOINT);
    e->job_id = arena_strdup(out->arena, j->id);
    e->u.checkpoint.aborts = c->making == CHECKPOINT_ABORT;
    e->u.checkpoint.keeps_before = true;
    e->u.checkpoint.was_begun = true;
}

/* The event of the image that the mother superior goes on from; 0: none, she begins
 * anew. */
static int32_t wanted_event(const struct mom_job *j)
{
    return (int32_t)MIN_OF(MAX_OF(job_number(j, JOB_IMAGE, NULL, 0), 0), INT32_MAX);
}

int sister_take_over(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    struct mom_job *image = resting_find(m, j->id);
    int32_t event = wanted_event(j);
    bool is_own = image && resting_is_of(image, j);

    if (image && (!event || !is_own || !image->is_sister)) {
        out_joblog(out, LOG_EV_JOB, image, "the checkpoint of the job is removed");
        life_drop(m, image, out);
        image = NULL;
    }
    if (!event)
        return 0;
    if (!image || !image_choose(image, event, out)) {
        out_joblog(out, LOG_EV_ERROR, j, "there is no checkpoint %d of the job here",
                   event);
        return PBSE_EXECTHERE;
    }
    out_job(out, MOM_SAVE, image);
    resting_hand_over(image, j);
    j->checkpoint.is_due = true;
    return 0;
}

void sister_rest(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    MUST(j->is_sister && j->checkpoint.stage == IMAGE_IDLE && spawned_n_live(j) == 0);
    out_joblog(out, LOG_EV_DEBUG, j, "the job waits for its restart");
    asked_drop_all(j); /* by tasks that are gone */
    resting_add(m, j);
    out_job(out, MOM_SAVE, j);
    out_job(out, MOM_REST, j);
}

static void drop(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    out_joblog(out, LOG_EV_JOB, j, "DELETE_JOB received");
    life_drop(m, j, out);
}

void sister_resting_take(struct mom *m, struct mom_job *j, uint64_t stream,
                         const struct im_message *msg, struct mom_out *out)
{
    struct asker to = { .stream = stream, .event = msg->event, .task = msg->task };
    const struct im_message used = { .asked = IM_KILL_JOB,
                                     .cput_s = (uint64_t)j->top.used.cput_s,
                                     .mem_kb = (uint64_t)j->top.used.mem_kb };

    MUST(j->phase == JOB_RESTING && j->is_sister);
    switch (msg->command) {
    case IM_KILL_JOB: /* the answer was lost with its stream */
        spawned_answer(j, &to, IM_KILL_JOB, &used, out);
        break;
    case IM_ABORT_JOB:
        break;
    case IM_DELETE_JOB_REPLY:
        okay(j, &to, IM_DELETE_JOB_REPLY, out);
        drop(m, j, out);
        break;
    case IM_DELETE_JOB:
        drop(m, j, out);
        break;
    default:
        refuse(j, &to, msg, PBSE_JOBEXIST, out);
    }
}
