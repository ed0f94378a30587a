/* check_preempt.c - see check_preempt.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_preempt.h"

#include "lib/attr/job_attrs.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/sched_attrs.h"
#include "server/model/job_phase.h"
#include "server/model/job_state.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define EXPRESS_DEFAULT 150   /* preempt_queue_prio */
#define ORDER_DEFAULT   "SCR" /* preempt_order */
#define TIMES_MAX       30    /* that others leave for a job in vain */

static void leaver_free(struct preempts *p, struct leaver *l)
{
    DL_DELETE(p->leavers, l);
    free(l->job_id);
    free(l);
}

void preempts_fini(struct preempts *p)
{
    struct preemptor *x;

    while (p->leavers)
        leaver_free(p, p->leavers);
    while ((x = p->preemptors)) {
        DL_DELETE(p->preemptors, x);
        free(x->job_id);
        free(x);
    }
}

void preempts_forget_after(struct preempts *p, uint64_t seq)
{
    struct leaver *l, *next;

    DL_FOREACH_SAFE (p->leavers, l, next) {
        l->conn = 0;
        if (l->method != 'R' || l->seq > seq)
            leaver_free(p, l);
    }
}

static const struct planner *planner_of(const struct sim *s, uint64_t conn)
{
    return conn == 0                    ? NULL
           : conn == s->planner.conn[0] ? &s->planner
           : conn == s->second.conn[0]  ? &s->second
                                        : NULL;
}

/* The plan. */

/* Queues alone make levels here: stories set no soft limits. 0: not an express one. */
static int64_t level_of(const struct model *m, const struct job *j, const char *sched)
{
    const struct object *o = model_find(m, OBJ_SCHED, sched);
    int64_t express =
        o ? obj_num(o, SCHED_A_PREEMPT_QUEUE_PRIO, EXPRESS_DEFAULT) : EXPRESS_DEFAULT;
    int64_t priority = j->queue ? obj_num(&j->queue->obj, QUEUE_A_PRIORITY, 0) : 0;

    return priority >= express ? 1 + priority : 0;
}

static struct preemptor *preemptor(struct sim *s, const char *job_id)
{
    struct preemptor *x;

    DL_FOREACH (s->preempts.preemptors, x)
        if (strcmp(x->job_id, job_id) == 0)
            return x;
    x = xcalloc(1, sizeof(*x));
    x->job_id = xstrdup(job_id);
    DL_APPEND(s->preempts.preemptors, x);
    return x;
}

/* A plan is made on what was asked for some time ago; so what the model says of a job
 * that has been moved since is not held against it. */
static void check_levels(struct sim *s, const struct model *m, const struct planner *p,
                         const struct plan_step *step)
{
    const struct job *j = model_job(m, step->id);
    bool is_asked =
        p->job_id && strncmp(p->job_id, step->id, strcspn(p->job_id, "[")) == 0;

    for (size_t i = 0; i < step->victims.n; i++) {
        const struct job *v = model_job(m, step->victims.v[i]);

        if (str_same(step->victims.v[i], step->id))
            check_failed(s, CHECK_PREEMPT, "job %s is to leave for itself", step->id);
        if (j && v && !is_asked && level_of(m, v, p->name) >= level_of(m, j, p->name))
            check_failed(s, CHECK_PREEMPT,
                         "job %s is to leave for %s, which is of no higher level",
                         v->obj.id, step->id);
        if (v && v->resv)
            check_failed(s, CHECK_PREEMPT, "job %s of %s is to leave for %s", v->obj.id,
                         v->resv->obj.id, step->id);
    }
}

void check_preempt_plan(struct sim *s, const struct planner *p)
{
    const struct model *m = shell_model(s);

    for (size_t i = 0; m && i < p->plan.n; i++) {
        const struct plan_step *step = &p->plan.steps[i];

        if (step->kind != PLAN_PREEMPT_JOBS)
            continue;
        if (i + 1 == p->plan.n || !str_same(p->plan.steps[i + 1].id, step->id) ||
            !p->plan.steps[i + 1].preempts)
            check_failed(s, CHECK_PREEMPT,
                         "others are to leave for %s, which is not run", step->id);
        check_levels(s, m, p, step);
    }
}

/* The request. */

static struct leaver *find(const struct sim *s, const char *job_id, uint64_t conn)
{
    struct leaver *l;

    DL_FOREACH (s->preempts.leavers, l)
        if (l->conn == conn && strcmp(l->job_id, job_id) == 0)
            return l;
    return NULL;
}

void check_preempt_asked(struct sim *s, uint64_t conn, const struct body_list *body)
{
    for (size_t i = 0; i < body->ids.n; i++) {
        struct leaver *l;

        if (find(s, body->ids.v[i], conn))
            continue;
        l = xcalloc(1, sizeof(*l));
        l->job_id = xstrdup(body->ids.v[i]);
        l->conn = conn;
        DL_APPEND(s->preempts.leavers, l);
    }
}

/* What is begun. */

/* The letter of what a record asks a running job's MoM for; 0: of nothing. */
static char method_of(const struct record *rec)
{
    if (rec->fact == FACT_JOB_KILLED || rec->fact == FACT_JOB_DELETED ||
        rec->fact == FACT_JOB_WITHDRAWN)
        return rec->reason == REASON_OVER || rec->reason == REASON_DEPENDENCY ? 0 : 'D';
    if (rec->fact != FACT_JOB_MODIFIED)
        return 0;
    return rec->reason == REASON_SUSPEND      ? 'S'
           : rec->reason == REASON_CHECKPOINT ? 'C'
           : rec->reason == REASON_RERUN      ? 'R'
                                              : 0;
}

static const char *order_of(const struct sim *s, const struct model *m, uint64_t conn)
{
    const struct planner *p = planner_of(s, conn);
    const struct object *o = p ? model_find(m, OBJ_SCHED, p->name) : NULL;

    return o ? obj_str(o, SCHED_A_PREEMPT_ORDER, ORDER_DEFAULT) : ORDER_DEFAULT;
}

/* May the job itself be treated so? What has not begun cannot be stopped. */
static bool allows(const struct job *j, char method)
{
    if (method == 'S')
        return job_phase(j) == JOB_RUNNING;
    if (method == 'R')
        return obj_num(&j->obj, JOB_A_RERUNABLE, 1);
    if (method == 'C')
        return strcmp(obj_str(&j->obj, JOB_A_CHECKPOINT, "u"), "n") != 0;
    return true;
}

/* Methods are tried in the order of a set, and none is left out that the job allows. A
 * checkpoint may be left out by what only the server knows of the job. */
static bool is_its_turn(const char *order, const struct job *j, char last, char method)
{
    bool is_here = last == 0;

    for (; *order; order++) {
        if (strchr(" 0123456789", *order)) /* the next set */
            is_here = last == 0;
        else if (*order == method)
            return is_here;
        else if (*order == last)
            is_here = true;
        else if (is_here && *order != 'C' && allows(j, *order))
            is_here = false;
    }
    return false;
}

static void check_begun(struct sim *s, const struct model *m, struct leaver *l,
                        const struct record *rec, char method)
{
    const struct job *j = model_job(m, rec->id);
    const char *order = order_of(s, m, l->conn);

    if (!j || !job_is_at_mom(j) || j->array)
        check_failed(s, CHECK_PREEMPT, "job %s is preempted and does not run", rec->id);
    else if (j->resv)
        check_failed(s, CHECK_PREEMPT, "job %s of %s is preempted", rec->id,
                     j->resv->obj.id);
    else if (!allows(j, method))
        check_failed(s, CHECK_PREEMPT,
                     "job %s is preempted by %c, and does not allow it", rec->id,
                     method);
    else if (!is_its_turn(order, j, l->method, method))
        check_failed(s, CHECK_PREEMPT, "job %s is preempted by %c after %c: \"%s\"",
                     rec->id, method, l->method ? l->method : '-', order);
    l->method = method;
    l->seq = rec->seq;
    l->run_version = j ? obj_num(&j->obj, JOB_A_RUN_VERSION, 0) : 0;
}

/* What becomes of it. */

static bool is_farewell(const struct record *rec)
{
    return fact_removes(rec->fact) || fact_retires(rec->fact);
}

/* Who was requeued is in its queue again, unless its run has ended by itself or
 * for the job's own limits, or somebody has deleted the job. */
static void check_requeued(struct sim *s, const struct model *m, struct leaver *l,
                           const struct record *rec)
{
    if (method_of(rec) == 'D' || rec->fact == FACT_JOB_KILLED)
        l->is_touched = true;
    else if (is_farewell(rec) && !l->is_touched && run_was_signalled(s, rec->id) &&
             !run_was_over_limit(m, rec->id))
        check_failed(s, CHECK_PREEMPT, "job %s was to be requeued and is lost: %s",
                     rec->id, fact_name(rec->fact));
}

static void follow(struct sim *s, const struct model *m, const struct record *rec)
{
    struct leaver *l, *next;

    DL_FOREACH_SAFE (s->preempts.leavers, l, next) {
        if (l->method != 'R' || strcmp(l->job_id, rec->id) != 0)
            continue;
        check_requeued(s, m, l, rec);
        if (is_farewell(rec) || rec->fact == FACT_JOB_REQUEUED)
            l->method = 0;
        if (!l->method && !l->conn)
            leaver_free(&s->preempts, l);
    }
}

static void note_run(struct sim *s, const char *job_id)
{
    struct preemptor *x;

    DL_FOREACH (s->preempts.preemptors, x)
        if (strcmp(x->job_id, job_id) == 0)
            x->n_times = 0;
}

void check_preempt_record(struct sim *s, uint64_t conn, const struct model *m,
                          const struct record *rec)
{
    struct leaver *l;
    char method;

    if (rec->kind != OBJ_JOB)
        return;
    follow(s, m, rec);
    if (rec->fact == FACT_JOB_RUN || rec->fact == FACT_JOB_RESUMING)
        note_run(s, rec->id);
    l = conn && planner_of(s, conn) ? find(s, rec->id, conn) : NULL;
    method = method_of(rec);
    if (l && method)
        check_begun(s, m, l, rec, method);
}

/* The reply. */

static bool is_so(const struct job *j, const char *letter)
{
    bool is_gone = !j || j->past || job_state(j) == 'X';

    if (strcmp(letter, "D") == 0)
        return is_gone;
    if (strcmp(letter, "000") == 0)
        return !is_gone && job_is_at_mom(j);
    if (is_gone)
        return false;
    if (strcmp(letter, "S") == 0)
        return job_phase(j) == JOB_SUSPENDED || job_phase(j) == JOB_SCHED_SUSPENDED;
    return (strcmp(letter, "Q") == 0 || strcmp(letter, "C") == 0) &&
           !job_is_at_mom(j) &&
           obj_is_set(&j->obj, JOB_A_EXEC_VNODE) == (*letter == 'C');
}

/* One who waits is told of each victim once, and waits no more. What the server cannot
 * store it refuses. */
static void end_request(struct sim *s, uint64_t conn, const struct wire_reply *reply)
{
    struct leaver *l, *next;
    size_t n = 0;

    DL_FOREACH_SAFE (s->preempts.leavers, l, next) {
        if (l->conn != conn)
            continue;
        n++;
        l->conn = 0;
        if (l->method != 'R')
            leaver_free(&s->preempts, l);
    }
    if (reply->choice == REPLY_PREEMPT && reply->deleted.n != n)
        check_failed(s, CHECK_PREEMPT,
                     "%zu jobs were to leave, and %zu are answered for", n,
                     reply->deleted.n);
}

static void check_reply(struct sim *s, const struct model *m, uint64_t conn,
                        const struct wire_reply *reply)
{
    for (size_t i = 0; i < reply->deleted.n; i++) {
        const struct wire_deleted_job *d = &reply->deleted.v[i];

        if (!is_so(model_job(m, d->id), d->order))
            check_failed(s, CHECK_PREEMPT, "job %s is said to have left: %s", d->id,
                         d->order);
    }
    end_request(s, conn, reply);
}

/* Others have left for the job of that step: it has to run before long. */
static void count_for(struct sim *s, uint64_t conn)
{
    const struct planner *p = planner_of(s, conn);
    struct preemptor *x;

    if (!p || p->state != PLANNER_ACTING || p->step >= p->plan.n || p->wrong_percent)
        return;
    x = preemptor(s, p->plan.steps[p->step].id);
    if (++x->n_times > TIMES_MAX)
        check_failed(s, CHECK_PREEMPT, "others leave for %s again and again",
                     x->job_id);
}

void check_preempt_replies(struct sim *s, const struct model *m,
                           const struct effects *turn)
{
    for (size_t i = 0; i < turn->n; i++) {
        const struct effect *e = &turn->v[i];

        if (e->kind != EFFECT_REPLY || !planner_of(s, e->u.reply.conn))
            continue;
        if (e->u.reply.reply.choice != REPLY_PREEMPT) {
            end_request(s, e->u.reply.conn, &e->u.reply.reply);
            continue;
        }
        check_reply(s, m, e->u.reply.conn, &e->u.reply.reply);
        if (e->u.reply.reply.code == 0)
            count_for(s, e->u.reply.conn);
    }
}
