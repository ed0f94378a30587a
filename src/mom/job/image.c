/* image.c - what a host knows of the images of a job: which there are, of which tasks,
 * and where it is with them (doc/design/084).
 *
 * An image is known by the event of the order that all hosts of the job had, so that
 * no host goes on from an image that the others do not have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#define TO(stage) (uint8_t)((stage) + 1) /* 0: it cannot come there */

/* clang-format off */
static const uint8_t next[IMAGE_STAGES][IMAGE_EVENTS] = {
    [IMAGE_IDLE] = {
        [IMAGE_EV_ASK]      = TO(IMAGE_OTHERS),
        [IMAGE_EV_MAKE]     = TO(IMAGE_OWN),       /* nobody else has to be asked */
        [IMAGE_EV_UNDO]     = TO(IMAGE_UNDOING),   /* an earlier MoM was killed meanwhile */
        [IMAGE_EV_RESTORE]  = TO(IMAGE_RESTORING), /* the run goes on from an image */
        [IMAGE_EV_DROP]     = TO(IMAGE_IDLE),
    },
    [IMAGE_OTHERS] = {
        [IMAGE_EV_MAKE]     = TO(IMAGE_OWN),
        [IMAGE_EV_UNDO]     = TO(IMAGE_UNDOING),
        [IMAGE_EV_DROP]     = TO(IMAGE_IDLE),
    },
    [IMAGE_OWN] = {
        [IMAGE_EV_MADE]     = TO(IMAGE_IDLE),
        [IMAGE_EV_END]      = TO(IMAGE_ENDING),
        [IMAGE_EV_FAILED]   = TO(IMAGE_IDLE),
        [IMAGE_EV_UNDO]     = TO(IMAGE_UNDOING),
        [IMAGE_EV_DROP]     = TO(IMAGE_IDLE),
    },
    [IMAGE_ENDING] = {
        [IMAGE_EV_STOPPED]  = TO(IMAGE_STOPPED),
        [IMAGE_EV_DROP]     = TO(IMAGE_IDLE),
    },
    [IMAGE_STOPPED] = {
        [IMAGE_EV_RESTORE]  = TO(IMAGE_RESTORING), /* another host has failed */
        [IMAGE_EV_DROP]     = TO(IMAGE_IDLE),
    },
    [IMAGE_UNDOING] = {
        [IMAGE_EV_UNDONE]   = TO(IMAGE_IDLE),
        [IMAGE_EV_DROP]     = TO(IMAGE_IDLE),
    },
    [IMAGE_RESTORING] = {
        [IMAGE_EV_RESTORED] = TO(IMAGE_IDLE),
        [IMAGE_EV_DROP]     = TO(IMAGE_IDLE),
    },
};
/* clang-format on */

enum image_stage image_next(enum image_stage from, enum image_event event)
{
    MUST(from < IMAGE_STAGES && event < IMAGE_EVENTS);
    return next[from][event] ? (enum image_stage)(next[from][event] - 1) : IMAGE_STAGES;
}

void image_move(struct mom_job *j, enum image_event event)
{
    enum image_stage to = image_next(j->checkpoint.stage, event);

    MUST(to != IMAGE_STAGES);
    j->checkpoint.stage = to;
}

static void clear(struct image *i)
{
    free(i->tasks);
    *i = (struct image){ 0 };
}

void image_take_over(struct image *to, struct image *from)
{
    clear(to);
    *to = *from;
    *from = (struct image){ 0 };
}

void image_free_all(struct mom_job *j)
{
    clear(&j->checkpoint.being_made);
    clear(&j->checkpoint.last);
    clear(&j->checkpoint.before);
    free(j->checkpoint.failed_why);
    j->checkpoint.failed_why = NULL;
}

bool image_is_early(const struct mom_job *j)
{
    const struct spawned *t;

    DL_FOREACH (j->tasks, t)
        if (t->session <= 0)
            return true;
    return false;
}

void image_note_tasks(struct mom_job *j, int32_t event)
{
    struct image *i = &j->checkpoint.being_made;
    const struct spawned *t;

    MUST(event > 0 && !image_is_early(j));
    clear(i);
    i->event = event;
    i->tasks = xcalloc(spawned_n_live(j) + 1, sizeof(*i->tasks));
    DL_FOREACH (j->tasks, t)
        i->tasks[i->n++] = (struct image_task){ t->number, t->vnode, t->session };
}

void image_keep(struct mom_job *j, int64_t walltime_s)
{
    struct checkpoint *c = &j->checkpoint;

    MUST(c->being_made.event > 0);
    if (j->is_sister)
        image_take_over(&c->before, &c->last);
    image_take_over(&c->last, &c->being_made);
    c->has_image = true;
    c->used = j->top.used;
    c->walltime_s = walltime_s;
    c->session = j->top.session;
}

void image_go_back(struct mom_job *j, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;
    struct mom_effect *e = out_add(out, MOM_GO_BACK);

    MUST(j->is_sister);
    e->job_id = arena_strdup(out->arena, j->id);
    e->u.checkpoint.has_before = c->before.event != 0;
    image_take_over(&c->last, &c->before);
    c->has_image = c->last.event != 0;
}

bool image_choose(struct mom_job *j, int32_t event, struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    MUST(j->is_sister && event > 0);
    if (c->last.event == event)
        return true;
    if (c->before.event != event)
        return false;
    image_go_back(j, out);
    return true;
}

int32_t image_new_event(struct mom *m, int64_t now_at)
{
    int32_t event = MAX_OF(m->last_event + 1, (int32_t)(now_at & 0x3fffffff));

    m->last_event = event + 1;
    return event;
}

void image_make_own(struct mom_job *j, struct mom_out *out)
{
    struct mom_effect *e;

    MUST(job_has_processes(j) && j->checkpoint.making);
    image_move(j, IMAGE_EV_MAKE);
    j->checkpoint.may_have_files = true;
    out_job(out, MOM_SAVE, j);
    e = out_add(out, MOM_CHECKPOINT);
    e->job_id = arena_strdup(out->arena, j->id);
    e->u.checkpoint.aborts = j->checkpoint.making == CHECKPOINT_ABORT;
    e->u.checkpoint.keeps_before = j->is_sister;
}
