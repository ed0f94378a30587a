/* job_show.c - what a status computes of a job: both sides of its dependencies, its
 * eligible time, its array, and the state in which clients see it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/accrual.h"
#include "server/decide/config.h"
#include "server/model/depend.h"
#include "server/model/job_array.h"
#include "server/model/job_state.h"
#include "server/model/job_suspend.h"
#include "server/model/waiters.h"
#include "server/requests/show.h"

#include <string.h>

/* Add what a job that waits says of this one, from the other side. */
static void add_child(const struct request *rq, const struct job *child,
                      const struct job *j, struct depend_list *all)
{
    const char *text = obj_str(&child->obj, JOB_A_DEPEND, NULL);
    struct depend_list list;

    if (!text || !depend_parse(text, rq->arena, &list))
        return;
    for (size_t i = 0; i < list.n; i++) {
        struct depend_entry e = { .job = child->obj.id };

        if (!str_same(list.v[i].job, j->obj.id) || list.v[i].type == DEPEND_RUNONE)
            continue; /* runone stands on both sides */
        e.type = depend_other_side(list.v[i].type);
        depend_add(all, rq->arena, &e);
    }
}

/* Those of other servers; a port has no place in the text. */
static void add_waiters(const struct request *rq, const struct job *j,
                        struct depend_list *all)
{
    const struct waiters list = waiters_of(j, rq->arena);

    for (size_t i = 0; i < list.n; i++) {
        const struct waiter *w = &list.v[i];
        const struct depend_entry e = {
            .type = depend_other_side(w->type),
            .job = w->job,
            .server = arena_strndup(rq->arena, w->server, strcspn(w->server, ":")),
        };

        depend_add(all, rq->arena, &e);
    }
}

/* What the job waits for, and who waits for it. */
static void show_depend(const struct request *rq, const struct job *j,
                        struct wire_attrs *out)
{
    const char *own = obj_str(&j->obj, JOB_A_DEPEND, NULL);
    struct depend_list all = { 0 };
    const char *text;

    if (own && !depend_parse(own, rq->arena, &all))
        all.n = 0;
    for (size_t i = 0; i < j->n_children; i++)
        add_child(rq, j->children[i], j, &all);
    add_waiters(rq, j, &all);
    text = depend_text(&all, rq->cfg->server_name, rq->arena);
    if (text)
        show_text(rq, &j->obj, JOB_A_DEPEND, text, out);
}

/* Both are shown while the server counts, also of jobs that are over: the time with
 * what has passed since the last change. */
static void show_accrual(const struct model *m, const struct request *rq,
                         const struct object *o, int attr, struct wire_attrs *out)
{
    if (!obj_is_set(o, JOB_A_ACCRUE_TYPE) ||
        !obj_num(m->server, SERVER_A_ELIGIBLE_TIME_ENABLE, 0))
        return;
    show_num(rq, o, attr,
             attr == JOB_A_ACCRUE_TYPE ? obj_num(o, attr, 0)
                                       : accrual_total_s(o, rq->now_at),
             out);
}

bool show_job(const struct model *m, const struct request *rq, const struct object *o,
              int attr, struct wire_attrs *out)
{
    const struct job_array *a = TO_JOB(o)->array;

    /* Where its submitter waits is nobody's business (attributes.md 7). */
    if ((attr == JOB_A_INTERACTIVE || attr == JOB_A_BLOCK ||
         attr == JOB_A_FORWARD_X11_PORT) &&
        obj_is_set(o, attr))
        show_text(rq, o, attr, "True", out);
    /* To clients a suspended job is in a state of its own. */
    else if (attr == JOB_A_JOB_STATE && job_is_suspended(TO_JOB(o)))
        show_text(rq, o, attr, "S", out);
    else if (attr == JOB_A_JOB_STATE && job_stopped_by_host(TO_JOB(o)))
        show_text(rq, o, attr, "U", out);
    else if (attr == JOB_A_SUBSTATE && job_stopped_by_host(TO_JOB(o)) &&
             !job_is_suspended(TO_JOB(o)))
        show_num(rq, o, attr, JOB_SUB_SUSPENDED, out);
    /* One that has given nothing back keeps all that it has. */
    else if (attr == JOB_A_EXEC_VNODE_KEPT && job_is_suspended(TO_JOB(o)))
        show_text(rq, o, attr, job_booked_text(TO_JOB(o)), out);
    /* Of one that went to another server: where it went (tables/job-attributes.tsv). */
    else if (attr == JOB_A_QUEUE && job_state(TO_JOB(o)) == 'M')
        show_text(rq, o, attr, obj_str(o, JOB_A_HF_MOVE_TO, ""), out);
    else if (attr == JOB_A_DEPEND && job_is_awaited(TO_JOB(o)))
        show_depend(rq, TO_JOB(o), out);
    else if (attr == JOB_A_ELIGIBLE_TIME || attr == JOB_A_ACCRUE_TYPE)
        show_accrual(m, rq, o, attr, out);
    else if (a && attr == JOB_A_ARRAY_STATE_COUNT)
        show_text(rq, o, attr, array_state_count(TO_JOB(o), rq->arena), out);
    else if (a && attr == JOB_A_ARRAY_INDICES_REMAINING)
        show_text(rq, o, attr, array_indices_remaining(a, rq->arena), out);
    else
        return false; /* it is stored */
    return true;
}
