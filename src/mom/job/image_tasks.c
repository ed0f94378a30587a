/* image_tasks.c - tasks beside the top task that end with an image, and that go on from
 * one (execution.md 25: a script for each task).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/image.h"

#define STATUS_RESTART_FAILED (-7) /* execution.md 20 */

bool image_keeps_task(const struct mom_job *j)
{
    const struct checkpoint *c = &j->checkpoint;

    if (c->stage == IMAGE_OWN)
        return c->making == CHECKPOINT_ABORT;
    return c->stage == IMAGE_ENDING || c->stage == IMAGE_STOPPED;
}

void image_end_tasks(struct mom *m, struct mom_job *j, struct mom_out *out)
{
    struct spawned *t, *next;

    (void)m;
    DL_FOREACH_SAFE (j->tasks, t, next)
        if (t->is_down)
            spawned_end(j, t, t->status, out);
}

static void restore(struct mom_job *j, struct spawned *t, int32_t session,
                    struct mom_out *out)
{
    static const char *const args[] = { "restored" };
    static const struct wire_strings program = { 1, (const char **)(uintptr_t)args },
                                     none = { 0 };
    struct mom_effect *e;

    MUST(session > 0);
    t->session = 0;
    spawned_set_mark(t, "");
    spawned_set_down(t, false);
    t->is_told = true; /* who had asked for it has had the answer of its first start */
    spawned_set_restoring(t, true);
    t->is_attached =
        false; /* whoever had given the session to the job: now it is ours */
    e = out_add(out, MOM_SPAWN);
    e->job_id = arena_strdup(out->arena, j->id);
    e->task = t->number;
    e->u.spawn.vnode = t->vnode;
    e->u.spawn.args = &program; /* of a plan that is not carried out */
    e->u.spawn.env = &none;
    e->u.spawn.restart_session = session;
}

static struct spawned *find_or_add(struct mom_job *j, const struct image_task *from)
{
    struct spawned *t = spawned_find(j, from->number);

    return t ? t : spawned_put(j, from->number, from->vnode);
}

void image_restore_tasks(struct mom_job *j, struct mom_out *out)
{
    const struct image *i = &j->checkpoint.last;

    image_move(j, IMAGE_EV_RESTORE);
    for (size_t k = 0; k < i->n; k++)
        restore(j, find_or_add(j, &i->tasks[k]), i->tasks[k].session, out);
}

bool image_is_restoring(const struct mom_job *j)
{
    return j->n_restoring > 0;
}

void image_task_restored(struct mom *m, int64_t now_at, struct mom_job *j, bool ok,
                         struct mom_out *out)
{
    struct checkpoint *c = &j->checkpoint;

    if (c->stage != IMAGE_RESTORING)
        return;
    c->is_broken = c->is_broken || !ok;
    if (j->is_sister) {
        if (!image_is_restoring(j))
            sister_restored(m, j, out);
        return;
    }
    if (!ok) {
        life_preset(j, STATUS_RESTART_FAILED);
        life_terminate(m, now_at, j, out);
    } else if (!image_is_restoring(j)) {
        image_move(j, IMAGE_EV_RESTORED);
        checkpoint_restored(m, now_at, j, out);
    }
}
