/* job_register_dep.c - RegistDep: a job of another server waits for one here, or that
 * server says how a job has ended for which one here waits (wire.md 7.2 O, 14).
 *
 * A server is believed what it says of its own jobs. It can let go or delete nothing
 * here but jobs that wait for a job of another server, as their entries say.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/decide/depend_remote.h"
#include "server/decide/job_over.h"
#include "server/model/job_phase.h"
#include "server/model/job_state.h"
#include "server/requests/handlers.h"

#include <string.h>

struct registration {
    const struct model *m;
    const struct request *rq;
    const struct body_register_dep *body;
    struct waiter waiter; /* the other server's job */
};

static size_t find_waiter(const struct waiters *list, const struct waiter *w)
{
    size_t i = 0;

    while (i < list->n &&
           (list->v[i].type != w->type || !str_same(list->v[i].job, w->job)))
        i++;
    return i;
}

static void keep(const struct registration *r, const struct job *job,
                 const struct waiters *list, struct decision *out)
{
    struct record *rec = decide(out, r->rq, FACT_SET, OBJ_JOB, job->obj.id);

    rec->reason = REASON_TRANSFER;
    record_change(rec, out->arena, JOB_A_HF_WAITERS, NULL,
                  waiters_text(list, out->arena));
}

/* The job that is waited for: it must be here, and may end as is wanted. */
static int check_parent(const struct registration *r, const struct job *job,
                        struct diag *why)
{
    const struct depend_entry e = { .type = r->waiter.type, .job = job->obj.id };

    if (job_state(job) == 'M' || job_is_leaving(job))
        return diag_code(why, PBSE_JOB_MOVED);
    if (job->parent || r->waiter.type < DEPEND_AFTER ||
        r->waiter.type > DEPEND_AFTERANY)
        return diag_code(why, PBSE_BADDEPEND);
    if (depend_judge(r->m, &e) == DEPEND_FAILED)
        return diag_code(why, PBSE_HISTDEPEND);
    return 0;
}

static int register_it(const struct registration *r, struct decision *out)
{
    const struct job *job = model_job(r->m, r->body->parent_id);
    struct waiters list;
    int err =
        job ? check_parent(r, job, &out->why) : diag_code(&out->why, PBSE_UNKJOBID);

    if (err)
        return err;
    list = waiters_of(job, r->rq->arena);
    /* Who asks again is registered once. */
    if (find_waiter(&list, &r->waiter) < list.n)
        return 0;
    if (list.n >= WAITERS_MAX)
        return diag_code(&out->why, PBSE_BADDEPEND);
    waiters_add(&list, r->rq->arena, &r->waiter);
    keep(r, job, &list, out);
    return 0;
}

static int unregister(const struct registration *r, struct decision *out)
{
    const struct job *job = model_job(r->m, r->body->parent_id);
    struct waiters list = { 0 }, left = { 0 };
    size_t at;

    if (!job)
        return diag_code(&out->why, PBSE_UNKJOBID);
    list = waiters_of(job, r->rq->arena);
    at = find_waiter(&list, &r->waiter);
    if (at == list.n)
        return 0;
    for (size_t i = 0; i < list.n; i++)
        if (i != at)
            waiters_add(&left, r->rq->arena, &list.v[i]);
    keep(r, job, &left, out);
    return 0;
}

/* Of the job here the entries that stay when the other one has ended; true when one of
 * them goes. */
static bool without(const struct registration *r, const struct job *job,
                    struct depend_list *left)
{
    const char *text = obj_str(&job->obj, JOB_A_DEPEND, NULL);
    struct depend_list all;
    bool found = false;

    if (!text || !depend_parse(text, r->rq->arena, &all))
        return false;
    for (size_t i = 0; i < all.n; i++)
        if (depend_is_remote(r->m, &all.v[i]) && all.v[i].type == r->waiter.type &&
            str_same(all.v[i].job, r->body->parent_id))
            found = true;
        else
            depend_add(left, r->rq->arena, &all.v[i]);
    return found;
}

/* Its rule lets it go, or keeps it for what it still waits for. */
static void release(const struct registration *r, const struct job *job,
                    const struct depend_list *left, struct decision *out)
{
    struct record *rec = decide(out, r->rq, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);

    record_change(rec, out->arena, JOB_A_DEPEND, NULL,
                  depend_text(left, r->rq->cfg->server_name, out->arena));
}

static void delete_it(const struct registration *r, const struct job *job,
                      struct decision *out)
{
    struct record *rec =
        job_withdrawn_record(r->m, job, r->rq->actor, r->rq->now_at, false, out);

    rec->reason = REASON_DEPENDENCY;
    rec->note =
        arena_printf(out->arena, "Job deleted as result of dependency on job %s",
                     r->body->parent_id);
}

/* What is not waited for any more is no error: the other server says it until it is
 * heard. */
static int end_of_wait(const struct registration *r, struct decision *out)
{
    const struct job *job = model_job(r->m, r->waiter.job);
    struct depend_list left = { 0 };

    if (!job)
        return diag_code(&out->why, PBSE_UNKJOBID);
    if (job->past || job_is_beyond_depend(job) || job_is_leaving(job) ||
        !without(r, job, &left))
        return 0;
    if (r->body->operation == DEPEND_OP_DELETE)
        delete_it(r, job, out);
    else
        release(r, job, &left, out);
    return 0;
}

int handle_register_dep(const struct model *m, const struct request *rq,
                        struct decision *out)
{
    const struct body_register_dep *body = rq->body;
    struct registration r = { .m = m, .rq = rq, .body = body };

    if (!rq->who->peer || !waiter_parse(body->child_id, rq->arena, &r.waiter))
        return diag_code(&out->why, PBSE_IVALREQ);
    r.waiter.type = depend_type_from_wire(body->type);
    if (r.waiter.type == DEPEND_TYPE_COUNT)
        return diag_code(&out->why, PBSE_IVALREQ);
    switch (body->operation) {
    case DEPEND_OP_REGISTER:
        return register_it(&r, out);
    case DEPEND_OP_UNREGISTER:
        return unregister(&r, out);
    case DEPEND_OP_RELEASE:
    case DEPEND_OP_DELETE:
        return end_of_wait(&r, out);
    case DEPEND_OP_READY: /* of sets that start together, which are not kept */
        return 0;
    default:
        return diag_code(&out->why, PBSE_IVALREQ);
    }
}
