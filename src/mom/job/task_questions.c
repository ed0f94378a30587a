/* task_questions.c - what other tasks of a job ask about those of this host
 * (tpp.md 7.2, 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/job/core.h"

static void list_tasks(const struct mom_job *j, int32_t vnode, const struct asker *to,
                       struct mom_out *out)
{
    struct im_message body = { .asked = IM_GET_TASKS };
    const struct spawned *t;

    body.tasks.v = ARENA_ARRAY(out->arena, uint32_t, spawned_n_live(j) + 1);
    if (!j->is_sister && vnode == 0 && job_has_processes(j))
        body.tasks.v[body.tasks.n++] = j->top.number;
    DL_FOREACH (j->tasks, t)
        if (t->vnode == vnode)
            body.tasks.v[body.tasks.n++] = t->number;
    spawned_answer(j, to, IM_GET_TASKS, &body, out);
}

static void signal_task(const struct mom_job *j, uint32_t task, int64_t signo,
                        const struct asker *to, struct mom_out *out)
{
    const struct im_message body = { 0 };
    const struct spawned *t = spawned_find(j, task);

    if (task == 0) { /* all that are here (superior_signal()) */
        out_kill(out, j, (int)MIN_OF(MAX_OF(signo, 0), HIGHEST_SIGNAL));
        spawned_answer(j, to, IM_SIGNAL_TASK, &body, out);
        return;
    }
    if (!t && (!spawned_is_top(j, task) || !job_has_processes(j))) {
        spawned_refuse(j, to, IM_SIGNAL_TASK, TASK_ENOTFOUND, out);
        return;
    }
    if (signo < 0 || signo > HIGHEST_SIGNAL) {
        spawned_refuse(j, to, IM_SIGNAL_TASK, TASK_ESYSTEM, out);
        return;
    }
    out_joblog(out, LOG_EV_JOB, j, "signal task %08X with %d", task, (int)signo);
    out_kill_task(out, j, task, (int)signo);
    spawned_answer(j, to, IM_SIGNAL_TASK, &body, out);
}

static void get_info(const struct mom_job *j, uint32_t task, const char *name,
                     const struct asker *to, struct mom_out *out)
{
    const struct posted *p;

    DL_FOREACH (j->posted, p) {
        if (p->task == task && strcmp(p->name, name) == 0) {
            const struct im_message body = { .info = p->info };

            spawned_answer(j, to, IM_GET_INFO, &body, out);
            return;
        }
    }
    spawned_refuse(j, to, IM_GET_INFO, TASK_ENOTFOUND, out);
}

static void get_resources(const struct mom *m, const struct mom_job *j,
                          const struct asker *to, struct mom_out *out)
{
    struct buf text = { 0 };
    struct im_message body = { 0 };
    const char *comma = "";

    buf_printf(&text, "Linux %s:", m->cfg.host);
    for (size_t i = 0; i < j->attrs.n; i++) {
        const struct wire_attr *a = &j->attrs.v[i];

        if (strcmp(a->name, "Resource_List") != 0 || !a->resource)
            continue;
        buf_printf(&text, "%s%s=%s", comma, a->resource, a->value);
        comma = ",";
    }
    body.text = text.data;
    spawned_answer(j, to, IM_GET_RESC, &body, out);
    buf_fini(&text);
}

void spawned_take(struct mom *m, struct mom_job *j, const struct im_message *msg,
                  const struct asker *asker, struct mom_out *out)
{
    switch (msg->command) {
    case IM_SPAWN_TASK:
        spawned_start(m, j, msg, asker, out);
        break;
    case IM_GET_TASKS:
        list_tasks(j, msg->target_vnode, asker, out);
        break;
    case IM_SIGNAL_TASK:
        signal_task(j, msg->target_task, msg->signo, asker, out);
        break;
    case IM_OBIT_TASK:
        spawned_watch(m, j, msg->target_task, asker, out);
        break;
    case IM_GET_INFO:
        get_info(j, msg->target_task, msg->name, asker, out);
        break;
    case IM_GET_RESC:
        get_resources(m, j, asker, out);
        break;
    default:
        MUST(msg->command == IM_GET_RESC); /* im_door.c lets nothing else through */
    }
}
