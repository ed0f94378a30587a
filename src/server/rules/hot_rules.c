/* hot_rules.c - jobs that ran before go back to their vnodes, and the end of that
 * (model/hot_start.h).
 *
 * A job is looked at when it or one of its vnodes changed, when something on them ended
 * and when its queue or its reservation did: nothing is tried again by the clock.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/hot_start.h"

#include "lib/base/log.h"
#include "server/decide/config.h"
#include "server/decide/hot_put_back.h"
#include "server/decide/job_start.h"
#include "server/model/job_state.h"
#include "server/model/node_life.h"
#include "server/model/resv_state.h"
#include "server/rules/rules.h"

static bool queue_runs_jobs(const struct queue *q)
{
    return q && obj_num(&q->obj, QUEUE_A_STARTED, 0);
}

/* Jobs of a reservation run while it does. */
static bool resv_lets_run(const struct resv *r)
{
    return !r || phase_is_running(resv_phase(r));
}

/* What no scheduler would give it, although a manager might: a vnode that is offline,
 * or that belongs to another queue now. */
static bool may_be_on(const struct job *job, const struct node *n)
{
    return node_is_usable(n) && (!n->queue || n->queue == job->queue);
}

static bool vnodes_are_there(const struct job *job)
{
    for (size_t i = 0; i < job->awaits.n; i++)
        if (!may_be_on(job, job->awaits.v[i].node))
            return false;
    return job->awaits.n > 0;
}

bool hot_restart_due(const struct rule_context *c, const struct object *o,
                     struct decision *out)
{
    const struct job *job = TO_JOB(o);
    const struct job_start st = {
        .m = c->m,
        .cfg = c->cfg,
        .job = job,
        .vnodes = obj_str(o, JOB_A_HF_HOT_VNODES, ""),
        .actor = c->server_actor,
        .now_at = c->now_at,
        .needs_room = true,
    };

    if (!job->hot || !hot_start_is_on(c->m) || c->view->stopping != STOP_NOT)
        return false;
    if (job_state(job) != 'Q' || !queue_runs_jobs(job->queue) ||
        !resv_lets_run(job->resv) || !vnodes_are_there(job))
        return false;
    return job_start(&st, out) == 0;
}

/* The hot start as a whole is over when its time has passed, or when no job is left
 * that it looks for. */
int64_t hot_over_deadline(const struct model *m, const struct object *o UNUSED)
{
    return hot_start_is_on(m) ? obj_num(m->server, SERVER_A_HF_HOT_UNTIL, 0)
                              : INT64_MAX;
}

bool hot_over_due(const struct rule_context *c, const struct object *o,
                  struct decision *out)
{
    const char *server = log_server_name(c->cfg, out->arena);

    if (!hot_start_is_on(c->m) ||
        (c->m->n_hot > 0 && hot_over_deadline(c->m, o) > c->now_at))
        return false;
    decide_log(out, LOG_EV_SYSTEM | LOG_EV_ADMIN, LOG_IN_SERVER, server,
               "Hot start is over, %zu jobs that ran before are not running again",
               c->m->n_hot);
    hot_start_end(c->m, c->server_actor, c->now_at, out);
    return true;
}
