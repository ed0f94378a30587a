/* waiters_rule.c - servers whose jobs wait for jobs of this one are told how these
 * ended (RegistDep, wire.md 14; doc/design/075-dependencies-between-servers.md).
 *
 * What is due follows from the awaited job as it is; that somebody was told is one
 * record, which takes him off. So a server that dies in between tells it again, which
 * changes nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/base/instant.h"
#include "lib/base/log.h"
#include "server/decide/config.h"
#include "server/decide/depend_remote.h"
#include "server/decide/know.h"
#include "server/model/waiters.h"
#include "server/rules/rules.h"

/* The first time soon: a job may still be on its way into its server. */
#define FIRST_PAUSE_S 2
#define PAUSE_S       60
/* A server that has not come back by then is not told any more. */
#define TELL_FOR_S    (7 * 86400)

int64_t waiters_deadline(const struct model *m, const struct object *o UNUSED)
{
    return deadlines_next(&m->to_tell);
}

/* Whom a record is about. */
struct telling {
    const struct job *job;
    struct waiters list;
    size_t at;
    enum depend_state state;
};

static const struct finding *ask(const struct rule_context *c, const struct telling *t)
{
    const struct request rq = {
        .now_at = c->now_at, .arena = c->arena, .cfg = c->cfg, .knows = c->knows
    };
    enum depend_operation op =
        t->state == DEPEND_MET ? DEPEND_OP_RELEASE : DEPEND_OP_DELETE;

    return depend_tell_server(&rq, t->job, &t->list.v[t->at], op);
}

static void take_off(const struct telling *t, struct record *rec, struct arena *arena)
{
    struct waiters left = waiters_without(&t->list, t->at, arena);

    record_change(rec, arena, JOB_A_HF_WAITERS, NULL, waiters_text(&left, arena));
    record_change(rec, arena, JOB_A_HF_TELL_AT, NULL, NULL);
    record_change(rec, arena, JOB_A_HF_TELL_UNTIL, NULL, NULL);
}

/* A job that its server does not know may not have been committed yet; the second time
 * there is none. */
static bool is_over(const struct rule_context *c, const struct telling *t,
                    const struct finding *f)
{
    const struct object *o = &t->job->obj;
    bool again = obj_is_set(o, JOB_A_HF_TELL_UNTIL);

    if (f->found)
        return true;
    if (again && obj_num(o, JOB_A_HF_TELL_UNTIL, 0) <= c->now_at)
        return true;
    return !f->failed && (again || f->code != PBSE_UNKJOBID);
}

static void note(const struct rule_context *c, const struct telling *t,
                 const struct finding *f, struct decision *out)
{
    const struct waiter *w = &t->list.v[t->at];
    struct record *rec = rule_decide(c, &t->job->obj, FACT_SET, out);
    bool again = obj_is_set(&t->job->obj, JOB_A_HF_TELL_UNTIL);

    rec->reason = REASON_TRANSFER;
    if (is_over(c, t, f)) {
        if (!f->found)
            decide_log(out, LOG_EV_JOB, LOG_IN_JOB, t->job->obj.id,
                       "Server %s of job %s, which waits for it, is told no more: %s",
                       w->server, w->job, f->words ? f->words : pbse_text(f->code));
        take_off(t, rec, out->arena);
        return;
    }
    record_change_num(rec, out->arena, JOB_A_HF_TELL_AT,
                      c->now_at + (again ? PAUSE_S : FIRST_PAUSE_S));
    if (!again)
        record_change_num(rec, out->arena, JOB_A_HF_TELL_UNTIL,
                          instant_after(c->now_at, TELL_FOR_S));
}

/* Is there something to say of this job? */
static bool look_at(const struct rule_context *c, const struct job *job,
                    struct decision *out)
{
    struct telling t = { .job = job, .list = waiters_of(job, c->arena) };

    for (; t.at < t.list.n; t.at++) {
        const struct depend_entry e = { .type = t.list.v[t.at].type,
                                        .job = job->obj.id };
        const struct finding *f;

        t.state = depend_judge(c->m, &e);
        f = t.state == DEPEND_OPEN ? NULL : ask(c, &t);
        if (f) {
            note(c, &t, f, out);
            return true;
        }
    }
    return false;
}

/* Thousands may be awaited, and each answer wakes this rule: it looks only at the first
 * jobs of which there is something to tell, as many as may be asked for at a time. */
bool waiters_due(const struct rule_context *c, const struct object *o UNUSED,
                 struct decision *out)
{
    struct deadline *due[NEEDS_MAX];
    size_t n = deadlines_due(&c->m->to_tell, c->now_at, due, ARRAY_LEN(due));
    size_t n_missed = c->knows.needs->n;

    for (size_t i = 0; i < n; i++)
        if (look_at(c, STRUCT_OF(due[i], struct job, tell), out)) {
            /* It speaks of this job. What it has to know of those before is asked for
             * when it looks again, behind this record. */
            c->knows.needs->n = n_missed;
            return true;
        }
    return false;
}
