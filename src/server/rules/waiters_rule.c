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
#define FIRST_PAUSE_S   2
#define UNKNOWN_PAUSE_S 60 /* a job whose submission goes on is there by then */
#define PAUSE_S         60
/* A server that has not come back by then is not told any more. */
#define TELL_FOR_S      (7 * 86400)

int64_t waiters_deadline(const struct model *m, const struct object *o UNUSED)
{
    return deadlines_next(&m->to_tell);
}

/* An awaited job, and whom a record of it is about. */
struct telling {
    const struct job *job;
    struct waiters list;
    struct aways aways; /* servers that have not answered */
    size_t at;
};

static enum depend_state state_of(const struct rule_context *c, const struct telling *t,
                                  size_t i)
{
    const struct depend_entry e = { .type = t->list.v[i].type, .job = t->job->obj.id };

    return depend_judge(c->m, &e);
}

/* When that one is told: a server that is away is left alone for a while. */
static int64_t tell_at(const struct telling *t, size_t i)
{
    const struct waiter *w = &t->list.v[i];
    const struct away *a = aways_find(&t->aways, w->server);

    return a && a->at > w->at ? a->at : w->at;
}

static const struct finding *ask(const struct rule_context *c, const struct telling *t,
                                 enum depend_state state)
{
    const struct request rq = {
        .now_at = c->now_at, .arena = c->arena, .cfg = c->cfg, .knows = c->knows
    };
    enum depend_operation op =
        state == DEPEND_MET ? DEPEND_OP_RELEASE : DEPEND_OP_DELETE;

    return depend_tell_server(&rq, t->job, &t->list.v[t->at], op, tell_at(t, t->at));
}

/* The job is looked at when the first of those that are left is due. */
static void set_next(const struct rule_context *c, const struct telling *t,
                     struct record *rec, struct arena *arena)
{
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < t->list.n; i++)
        if (state_of(c, t, i) != DEPEND_OPEN && tell_at(t, i) < next)
            next = tell_at(t, i);
    if (next <= c->now_at || next == INT64_MAX)
        record_change(rec, arena, JOB_A_HF_TELL_AT, NULL, NULL);
    else
        record_change_num(rec, arena, JOB_A_HF_TELL_AT, next);
}

static void set_list(const struct telling *t, struct record *rec, struct arena *arena)
{
    waiters_record(rec, arena, t->job, JOB_A_HF_WAITERS, &t->list);
}

static void log_no_more(const struct telling *t, const struct finding *f,
                        struct decision *out)
{
    const struct waiter *w = &t->list.v[t->at];

    decide_log(out, LOG_EV_JOB, LOG_IN_JOB, t->job->obj.id,
               "Server %s of job %s, which waits for it, is told no more: %s",
               w->server, w->job, f->words ? f->words : pbse_text(f->code));
}

/* It has answered. A job that it does not know may not have been committed yet: the
 * answer to its registration may be under way for as long as its server waits for that.
 * The job registers once more when it is there, and is told then. The second time there
 * is none. */
static void heard(const struct rule_context *c, struct telling *t,
                  const struct finding *f, struct record *rec, struct decision *out)
{
    struct waiter *w = &t->list.v[t->at];
    struct away *a = aways_find(&t->aways, w->server);

    if (a) {
        record_change(rec, out->arena, JOB_A_HF_TELL_UNTIL, NULL,
                      aways_text(&t->aways, w->server, out->arena));
        a->at = 0;
    }
    if (!f->found && f->code == PBSE_UNKJOBID && !w->again) {
        w->again = true;
        w->at = c->now_at + UNKNOWN_PAUSE_S;
    } else {
        if (!f->found)
            log_no_more(t, f, out);
        t->list = waiters_without(&t->list, t->at, out->arena);
    }
    set_list(t, rec, out->arena);
}

/* It has not been back for so long: nobody of it is told. */
static void give_up(struct telling *t, const struct finding *f, struct record *rec,
                    struct decision *out)
{
    const char *server = t->list.v[t->at].server;
    struct waiters left = { 0 };

    for (t->at = 0; t->at < t->list.n; t->at++)
        if (str_same(t->list.v[t->at].server, server))
            log_no_more(t, f, out);
        else
            waiters_add(&left, out->arena, &t->list.v[t->at]);
    t->list = left;
    set_list(t, rec, out->arena);
    record_change(rec, out->arena, JOB_A_HF_TELL_UNTIL, NULL,
                  aways_text(&t->aways, server, out->arena));
}

static void not_heard(const struct rule_context *c, struct telling *t,
                      const struct finding *f, struct record *rec, struct decision *out)
{
    const struct away first = { .server = t->list.v[t->at].server,
                                .at = c->now_at + FIRST_PAUSE_S,
                                .until = instant_after(c->now_at, TELL_FOR_S) };
    struct away *a = aways_find(&t->aways, first.server);

    if (a && a->until <= c->now_at) {
        give_up(t, f, rec, out);
        return;
    }
    if (a)
        a->at = c->now_at + PAUSE_S;
    else
        aways_add(&t->aways, out->arena, &first);
    record_change(rec, out->arena, JOB_A_HF_TELL_UNTIL, NULL,
                  aways_text(&t->aways, NULL, out->arena));
}

static void note(const struct rule_context *c, struct telling *t,
                 const struct finding *f, struct decision *out)
{
    struct record *rec = rule_decide(c, &t->job->obj, FACT_SET, out);

    rec->reason = REASON_TRANSFER;
    if (!depend_is_answered(f))
        not_heard(c, t, f, rec, out);
    else
        heard(c, t, f, rec, out);
    set_next(c, t, rec, out->arena);
}

/* Is that one to be told now? Of a server that was away one is told at a time. */
static bool is_turn(const struct rule_context *c, const struct telling *t)
{
    struct away *a;

    if (tell_at(t, t->at) > c->now_at)
        return false;
    a = aways_find(&t->aways, t->list.v[t->at].server);
    if (!a)
        return true;
    if (a->asked)
        return false;
    return a->asked = true;
}

/* Is there something to say of this job? */
static bool look_at(const struct rule_context *c, const struct job *job,
                    struct decision *out)
{
    struct telling t = { .job = job,
                         .list = waiters_of(job, c->arena),
                         .aways = aways_of(job, c->arena) };

    for (; t.at < t.list.n; t.at++) {
        enum depend_state state = state_of(c, &t, t.at);
        const struct finding *f =
            state == DEPEND_OPEN || !is_turn(c, &t) ? NULL : ask(c, &t, state);

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
