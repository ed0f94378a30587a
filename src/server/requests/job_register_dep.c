/* job_register_dep.c - RegistDep: a job of another server waits for one here, one here
 * is to wait for it, or that server says how a job has ended for which one here waits
 * (wire.md 7.2 O, 14).
 *
 * A server is believed what it says of its own jobs. It can let go or delete nothing
 * here but jobs that wait for a job of another server, as their entries say.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/decide/depend_admit.h"
#include "server/decide/depend_remote.h"
#include "server/decide/depend_search.h"
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

static struct record *keep(const struct registration *r, const struct job *job,
                           const struct waiters *list, struct decision *out)
{
    struct record *rec = decide(out, r->rq, FACT_SET, OBJ_JOB, job->obj.id);

    rec->reason = REASON_TRANSFER;
    waiters_record(rec, out->arena, job, JOB_A_HF_WAITERS, list);
    return rec;
}

/* Does the job wait for the other server's one, itself or through jobs here? */
static bool waits_for(const struct registration *r, const struct job *job)
{
    const char *text = obj_str(&job->obj, JOB_A_DEPEND, NULL);
    struct depend_list list;

    if (!text || !depend_parse(text, r->rq->arena, &list))
        return false;
    for (size_t i = 0; i < list.n; i++)
        if (list.v[i].job && depend_is_remote(r->m, &list.v[i]) &&
            str_same(list.v[i].job, r->waiter.job))
            return true;
    return false;
}

/* Does the other server's job wait for this one? */
static bool is_awaited_by(const struct registration *r, const struct job *job)
{
    const struct waiters list = waiters_of(job, r->rq->arena);

    for (size_t i = 0; i < list.n; i++)
        if (str_same(list.v[i].job, r->waiter.job))
            return true;
    return false;
}

/* A circle over both servers: whoever is to wait for 'job' must not be waited for by it
 * through jobs here. */
static bool waits_for_waiter(const struct registration *r, const struct job *job)
{
    struct depend_search s = { .arena = r->rq->arena };
    bool found = false;

    depend_search_meet(&s, job);
    while (!found && (job = depend_search_next(&s))) {
        found = waits_for(r, job);
        for (size_t i = 0; i < job->n_parents; i++)
            depend_search_meet(&s, job->parents[i]);
    }
    depend_search_fini(&s);
    return found;
}

/* The same of a job here that is to wait for the other server's. */
static bool waiter_waits_for(const struct registration *r, const struct job *job)
{
    struct depend_search s = { .arena = r->rq->arena };
    bool found = false;

    depend_search_meet(&s, job);
    while (!found && (job = depend_search_next(&s))) {
        found = is_awaited_by(r, job);
        for (size_t i = 0; i < job->n_children; i++)
            depend_search_meet(&s, job->children[i]);
    }
    depend_search_fini(&s);
    return found;
}

/* The job that is waited for: it must be here, and may end as is wanted. */
static int check_parent(const struct registration *r, const struct job *job,
                        struct diag *why)
{
    const struct depend_entry e = { .type = r->waiter.type, .job = job->obj.id };

    if (job_state(job) == 'M' || job_is_leaving(job))
        return diag_code(why, PBSE_JOB_MOVED);
    /* Its owner reads why where the other server passes words on. */
    if (r->waiter.type == DEPEND_RUNONE)
        return diag_set(why, PBSE_BADDEPEND,
                        "%s: all jobs of a runone set have to be at one server",
                        pbse_text(PBSE_BADDEPEND));
    if (job->parent || r->waiter.type < DEPEND_AFTER ||
        r->waiter.type > DEPEND_AFTERANY)
        return diag_code(why, PBSE_BADDEPEND);
    if (depend_judge(r->m, &e) == DEPEND_FAILED)
        return diag_code(why, PBSE_HISTDEPEND);
    return waits_for_waiter(r, job) ? diag_code(why, PBSE_BADDEPEND) : 0;
}

/* May the job here be told to wait? It must not have begun, and be the same owner's. */
static int check_child(const struct registration *r, const struct job *job,
                       const struct depend_entry *e, struct diag *why)
{
    const char *owner = obj_str(&job->obj, JOB_A_JOB_OWNER, "");
    size_t len = strcspn(owner, "@");

    if (job_state(job) == 'M' || job_is_leaving(job))
        return diag_code(why, PBSE_JOB_MOVED);
    if (job->parent || job->past || job_is_beyond_depend(job) ||
        strlen(r->body->owner) != len || strncmp(r->body->owner, owner, len) != 0)
        return diag_code(why, PBSE_BADDEPEND);
    /* A server that bears this one's name would be taken for it. */
    if (!depend_is_remote(r->m, e) || waiter_waits_for(r, job))
        return diag_code(why, PBSE_BADDEPEND);
    return 0;
}

/* The job here waits from now on. The other server may die before it has stored that
 * its job is awaited: it is asked for that job later (rules/verify_rule.c). */
static int have_wait(const struct registration *r, struct decision *out)
{
    const struct job *job = model_job(r->m, r->body->parent_id);
    struct arena *arena = r->rq->arena;
    struct waiter w = r->waiter;
    struct depend_entry e = { .job = w.job };
    struct depend_list list = { 0 };
    struct waiters open;
    const char *text;
    struct record *rec;
    int err;

    if (!job)
        return diag_code(&out->why, PBSE_UNKJOBID);
    w.at = r->rq->now_at + DEPEND_VERIFY_AFTER_S;
    e.type = w.type = depend_other_side(r->waiter.type);
    e.server = arena_strndup(arena, w.server, strcspn(w.server, ":"));
    err = check_child(r, job, &e, &out->why);
    if (err)
        return err;
    text = obj_str(&job->obj, JOB_A_DEPEND, NULL);
    if (text && !depend_parse(text, arena, &list))
        return diag_code(&out->why, PBSE_BADDEPEND);
    for (size_t i = 0; i < list.n; i++) /* who asks again is registered once */
        if (list.v[i].type == e.type && str_same(list.v[i].job, e.job) &&
            depend_is_remote(r->m, &list.v[i]))
            return 0;
    open = waiters_in(job, JOB_A_HF_VERIFY, arena);
    if (!depend_add_entry(&list, &e, arena) || open.n >= WAITERS_MAX)
        return diag_code(&out->why, PBSE_BADDEPEND);
    waiters_add(&open, arena, &w);
    rec = decide(out, r->rq, FACT_JOB_MODIFIED, OBJ_JOB, job->obj.id);
    record_change(rec, out->arena, JOB_A_DEPEND, NULL,
                  depend_text(&list, r->rq->cfg->server_name, out->arena));
    waiters_record(rec, out->arena, job, JOB_A_HF_VERIFY, &open);
    record_change_num(rec, out->arena, JOB_A_HF_VERIFY_AT,
                      r->rq->now_at + DEPEND_VERIFY_AFTER_S);
    return 0;
}

/* Has what the other server's job waits for happened? */
static bool is_to_be_told(const struct registration *r, const struct job *job)
{
    const struct depend_entry e = { .type = r->waiter.type, .job = job->obj.id };

    return depend_judge(r->m, &e) != DEPEND_OPEN;
}

/* What is told of the end may have been said already, before the other server had its
 * job or the entry, and its answer be on the way: that one is not to count. So it is
 * told anew (waiter.at is part of what is asked). A server that registers is not away:
 * the time at which it would be told as such may be later, and nobody would look then.
 */
static void tell_anew(const struct registration *r, const struct job *job,
                      struct waiters *list, size_t at, struct decision *out)
{
    struct waiter *w = &list->v[at];
    const struct aways aways = aways_of(job, r->rq->arena);
    struct record *rec;

    /* What was asked before was due by now, so the next second is another one; the time
     * at which a job that was not known is told once more is later. */
    w->at = w->at < r->rq->now_at ? r->rq->now_at : r->rq->now_at + 1;
    w->again = false;
    rec = keep(r, job, list, out);
    record_change_num(rec, out->arena, JOB_A_HF_TELL_AT, w->at);
    if (aways_find(&aways, w->server))
        record_change(rec, out->arena, JOB_A_HF_TELL_UNTIL, NULL,
                      aways_text(&aways, w->server, out->arena));
}

static int register_it(const struct registration *r, struct decision *out)
{
    const struct job *job = model_job(r->m, r->body->parent_id);
    struct waiters list;
    size_t at;
    int err;

    if (!job)
        return diag_code(&out->why, PBSE_UNKJOBID);
    list = waiters_of(job, r->rq->arena);
    at = waiters_find(&list, r->waiter.type, r->waiter.job);
    /* Also that it will never be is told, and not said here: what is refused is not
     * registered, and nobody will tell it. */
    if (at < list.n && is_to_be_told(r, job)) {
        tell_anew(r, job, &list, at, out);
        return 0;
    }
    err = check_parent(r, job, &out->why);
    if (err || at < list.n) /* who asks again is registered once */
        return err;
    if (list.n >= WAITERS_MAX)
        return diag_code(&out->why, PBSE_BADDEPEND);
    waiters_add(&list, r->rq->arena, &r->waiter);
    keep(r, job, &list, out);
    return 0;
}

static int unregister(const struct registration *r, struct decision *out)
{
    const struct job *job = model_job(r->m, r->body->parent_id);
    struct waiters list, left;
    size_t at;

    if (!job)
        return diag_code(&out->why, PBSE_UNKJOBID);
    list = waiters_of(job, r->rq->arena);
    at = waiters_find(&list, r->waiter.type, r->waiter.job);
    if (at == list.n)
        return 0;
    left = waiters_without(&list, at, r->rq->arena);
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
        job_unmet_record(r->m, job, r->body->parent_id, r->rq->actor, r->rq->now_at,
                         out);
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
        return r.waiter.type >= DEPEND_BEFORE && r.waiter.type <= DEPEND_BEFOREANY
                   ? have_wait(&r, out)
                   : register_it(&r, out);
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
