/* verify_rule.c - a job that another server has told to wait for one of its own: is
 * that one there? (doc/design/075-dependencies-between-servers.md)
 *
 * That server stores that its job is awaited only after this one has said yes, and may
 * die in between; or the job was never committed. So the job here registers with that
 * server itself, as if its owner had asked for it here, until that server has answered.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/base/log.h"
#include "server/decide/config.h"
#include "server/decide/depend_remote.h"
#include "server/decide/know.h"
#include "server/model/job_phase.h"
#include "server/rules/rules.h"

#define PAUSE_S 60

struct verifying {
    const struct job *job;
    struct waiters list; /* the first one is asked for */
};

int64_t job_verify_deadline(const struct model *m UNUSED, const struct object *o)
{
    if (TO_JOB(o)->past || !obj_is_set(o, JOB_A_HF_VERIFY))
        return INT64_MAX;
    return obj_num(o, JOB_A_HF_VERIFY_AT, 0);
}

/* The first one is not asked for any more, the next one at once. */
static void drop_first(const struct rule_context *c, const struct verifying *v,
                       struct record *rec, struct arena *arena)
{
    const struct waiters left = waiters_without(&v->list, 0, arena);

    record_change(rec, arena, JOB_A_HF_VERIFY, NULL, waiters_text(&left, arena));
    record_change(rec, arena, JOB_A_HF_VERIFY_AGAIN, NULL, NULL);
    if (left.n)
        record_change_num(rec, arena, JOB_A_HF_VERIFY_AT, c->now_at);
    else
        record_change(rec, arena, JOB_A_HF_VERIFY_AT, NULL, NULL);
}

/* Nobody knows the job that was to be waited for. */
static void drop_entry(const struct rule_context *c, const struct verifying *v,
                       struct record *rec, struct arena *arena)
{
    const char *text = obj_str(&v->job->obj, JOB_A_DEPEND, NULL);
    const struct waiter *w = &v->list.v[0];
    struct depend_list all, left = { 0 };

    if (!text || !depend_parse(text, arena, &all))
        return;
    for (size_t i = 0; i < all.n; i++)
        if (!depend_is_remote(c->m, &all.v[i]) || all.v[i].type != w->type ||
            !str_same(all.v[i].job, w->job))
            depend_add(&left, arena, &all.v[i]);
    record_change(rec, arena, JOB_A_DEPEND, NULL,
                  depend_text(&left, c->cfg->server_name, arena));
}

static void note(const struct rule_context *c, const struct verifying *v,
                 const struct finding *f, struct decision *out)
{
    const struct object *o = &v->job->obj;
    const struct waiter *w = &v->list.v[0];
    bool again = obj_num(o, JOB_A_HF_VERIFY_AGAIN, 0) != 0;
    struct record *rec = rule_decide(c, o, FACT_JOB_MODIFIED, out);

    if (f->found || f->code == PBSE_HISTDEPEND) {
        /* It is there, or is over: its server says how it ends or has ended. */
        drop_first(c, v, rec, out->arena);
    } else if (f->failed || (f->code == PBSE_UNKJOBID && !again)) {
        record_change_num(rec, out->arena, JOB_A_HF_VERIFY_AT, c->now_at + PAUSE_S);
        if (!f->failed)
            record_change(rec, out->arena, JOB_A_HF_VERIFY_AGAIN, NULL, "True");
    } else {
        decide_log(out, LOG_EV_JOB, LOG_IN_JOB, o->id,
                   "job %s at server %s is not waited for: %s", w->job, w->server,
                   f->words ? f->words : pbse_text(f->code));
        drop_first(c, v, rec, out->arena);
        drop_entry(c, v, rec, out->arena);
    }
}

bool job_verify_due(const struct rule_context *c, const struct object *o,
                    struct decision *out)
{
    struct verifying v = { .job = TO_JOB(o) };
    const struct request rq = {
        .now_at = c->now_at, .arena = c->arena, .cfg = c->cfg, .knows = c->knows
    };
    const struct finding *f;

    if (job_verify_deadline(c->m, o) > c->now_at)
        return false;
    v.list = waiters_in(v.job, JOB_A_HF_VERIFY, c->arena);
    f = depend_confirm(&rq, v.job, &v.list.v[0]);
    if (!f)
        return false;
    note(c, &v, f, out);
    return true;
}
