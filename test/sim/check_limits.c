/* check_limits.c - see check_limits.h.
 *
 * Jobs of reservations and those that somebody has run with qrun count and are not held
 * up; jobs that are suspended do not count (scheduling.md 13).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_limits.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/node_attrs.h"
#include "server/model/job_state.h"
#include "server/model/job_suspend.h"
#include "sim.h"

#include <string.h>

/* A job that runs on a vnode when the plan is carried out up to a step. */
struct on_vnode {
    const struct node *n;
    const char *user; /* NULL: everybody counts */
    const char *group;
};

/* A subjob that has not started is known by its array. */
static const struct job *job_of(const struct model *m, const char *id,
                                struct arena *arena)
{
    const struct job *j = model_job(m, id);
    const char *open = strchr(id, '['), *close = strchr(id, ']');

    if (j || !open || !close)
        return j;
    return model_job(m, arena_printf(arena, "%.*s[%s", (int)(open - id), id, close));
}

static bool counts(const struct on_vnode *on, const struct job *j)
{
    return j && (!on->user || str_same(on->user, obj_str(&j->obj, JOB_A_EUSER, ""))) &&
           (!on->group || str_same(on->group, obj_str(&j->obj, JOB_A_EGROUP, "")));
}

static bool leaves(const struct plan *plan, size_t last, const char *job_id)
{
    for (size_t i = 0; i < last; i++)
        for (size_t k = 0; k < plan->steps[i].victims.n; k++)
            if (strcmp(plan->steps[i].victims.v[k], job_id) == 0)
                return true;
    return false;
}

static const char *vnodes_of(const struct plan_step *step, const struct job *j)
{
    if (step->kind != PLAN_RUN_JOB || !j)
        return NULL;
    return step->resumes ? obj_str(&j->obj, JOB_A_EXEC_VNODE, NULL) : step->vnodes;
}

static bool names(const struct model *m, const char *text, const char *vnode,
                  struct arena *arena)
{
    struct exec_vnode ev = { 0 };

    return text && exec_vnode_parse(text, m->defs, arena, &ev, NULL) == 0 &&
           exec_vnode_has(&ev, vnode);
}

/* Behind step 'last' of the plan. */
static int64_t count(const struct model *m, const struct plan *plan, size_t last,
                     const struct on_vnode *on, struct arena *arena)
{
    int64_t n = 0;

    for (size_t i = 0; i < on->n->n_jobs; i++) {
        const struct job *j = on->n->jobs[i];

        n += counts(on, j) && !job_is_stopped(j) && !leaves(plan, last, j->obj.id);
    }
    for (size_t i = 0; i <= last; i++) {
        const struct job *j = job_of(m, plan->steps[i].id, arena);

        n += counts(on, j) &&
             names(m, vnodes_of(&plan->steps[i], j), on->n->obj.id, arena);
    }
    return n;
}

static void check_limit(struct sim *s, const struct plan *plan, size_t step, int attr,
                        const struct on_vnode *on, struct arena *arena)
{
    int64_t most = obj_num(&on->n->obj, attr, INT64_MAX);
    int64_t n;

    if (most == INT64_MAX)
        return;
    n = count(shell_model(s), plan, step, on, arena);
    if (n > most)
        check_failed(
            s, CHECK_LIMITS, "%s is to be run on %s as number %" PRId64 ": %s %" PRId64,
            plan->steps[step].id, on->n->obj.id, n, node_rows[attr].name, most);
}

static void check_step(struct sim *s, const struct plan *plan, size_t step,
                       struct arena *arena)
{
    const struct model *m = shell_model(s);
    const struct job *j = job_of(m, plan->steps[step].id, arena);
    const char *text = vnodes_of(&plan->steps[step], j);

    if (!text || j->resv)
        return;
    MODEL_EACH (m, OBJ_NODE, o) {
        const struct on_vnode all = { .n = TO_NODE(o) };
        struct on_vnode some = all;

        if (!names(m, text, o->id, arena))
            continue;
        check_limit(s, plan, step, NODE_A_MAX_RUNNING, &all, arena);
        some.user = obj_str(&j->obj, JOB_A_EUSER, "");
        check_limit(s, plan, step, NODE_A_MAX_USER_RUN, &some, arena);
        some.user = NULL;
        some.group = obj_str(&j->obj, JOB_A_EGROUP, "");
        check_limit(s, plan, step, NODE_A_MAX_GROUP_RUN, &some, arena);
    }
}

void check_limits_plan(struct sim *s, const struct planner *p)
{
    struct arena *arena;

    if (!shell_model(s) || shell_model(s)->seq != p->seen_seq || p->job_id)
        return;
    arena = arena_new();
    for (size_t i = 0; i < p->plan.n; i++)
        check_step(s, &p->plan, i, arena);
    arena_free(arena);
}
