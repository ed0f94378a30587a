/* verify_rule.c - a job waits for one of another server: is that one there, and does
 * that server know who waits? (doc/design/075-dependencies-between-servers.md)
 *
 * Where another server has told the job to wait, that server stores that its job is
 * awaited only after this one has said yes, and may die in between, or refuse what its
 * client has asked for. So this server looks at the other job: whom it comes before is
 * shown in its "depend". Where the owner wants it, the other job may have ended while
 * the answer was on its way, and its server have told the end before there was a job
 * here that waits. So the job registers with that server once more. Either is repeated
 * until that server has answered. A server that does not look at the job is asked ever
 * more seldom, and not any more after a week; meanwhile the comment of the job tells
 * its owner why it waits.
 *
 * What is confirmed is asked for once a day, since that server may lose its store, and
 * then would tell nobody. It has to deny the job twice, a day apart, so that an
 * administrator has time to bring the store back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/job_attrs.h"
#include "lib/base/log.h"
#include "server/decide/config.h"
#include "server/decide/depend_chain.h"
#include "server/decide/depend_remote.h"
#include "server/decide/job_over.h"
#include "server/decide/know.h"
#include "server/model/job_phase.h"
#include "server/model/job_state.h"
#include "server/rules/rules.h"

#include <string.h>

#define PAUSE_S        60
#define PAUSE_MAX_S    3600
#define PAUSE_KNOWN_S  86400 /* between two questions about what is confirmed */
/* About a week: six pauses that double, and hours behind them. */
#define ATTEMPTS_MAX   173
/* The comment of a job begins so while this rule keeps it. */
#define COMMENT        "Not confirmed by server "
#define COMMENT_CIRCLE "Waits for itself through jobs of other servers"
#define COMMENT_WORDS  100 /* of the other server */

struct verifying {
    const struct job *job;
    struct waiters list;
    size_t at; /* in it: who is asked for */
};

int64_t job_verify_deadline(const struct model *m UNUSED, const struct object *o)
{
    const struct job *job = TO_JOB(o);

    /* A run is not disturbed; what it waits for is looked at when it is back. */
    if (job->past || job_is_beyond_depend(job) || job_is_leaving(job) ||
        !obj_is_set(o, JOB_A_HF_VERIFY))
        return INT64_MAX;
    return obj_num(o, JOB_A_HF_VERIFY_AT, 0);
}

/* Whose turn it is, and is next. */
static size_t earliest(const struct waiters *list)
{
    size_t first = 0;

    for (size_t i = 1; i < list->n; i++)
        if (list->v[i].at < list->v[first].at)
            first = i;
    return first;
}

static void keep(const struct verifying *v, const struct waiters *list,
                 struct record *rec, struct arena *arena)
{
    waiters_record(rec, arena, v->job, JOB_A_HF_VERIFY, list);
    if (list->n)
        record_change_num(rec, arena, JOB_A_HF_VERIFY_AT, list->v[earliest(list)].at);
    else
        record_change(rec, arena, JOB_A_HF_VERIFY_AT, NULL, NULL);
}

static bool is_commented(const struct verifying *v)
{
    const char *text = obj_str(&v->job->obj, JOB_A_COMMENT, "");

    return strncmp(text, COMMENT, strlen(COMMENT)) == 0 ||
           strncmp(text, COMMENT_CIRCLE, strlen(COMMENT_CIRCLE)) == 0;
}

/* It is not asked for any more. */
static void drop(const struct verifying *v, const char *comment, struct record *rec,
                 struct arena *arena)
{
    const struct waiters left = waiters_without(&v->list, v->at, arena);

    keep(v, &left, rec, arena);
    if (comment || is_commented(v))
        record_change(rec, arena, JOB_A_COMMENT, NULL, comment);
}

static const char *words_of(const struct finding *f)
{
    return f->words ? f->words : pbse_text(f->code ? f->code : PBSE_SYSTEM);
}

/* What keeps the job, for its owner: nobody else will look at it. */
static void comment(const struct verifying *v, const struct finding *f, const char *end,
                    struct record *rec, struct arena *arena)
{
    const struct waiter *w = &v->list.v[v->at];

    record_change(rec, arena, JOB_A_COMMENT, NULL,
                  arena_printf(arena, COMMENT "%.60s: job %.60s: %.*s%s", w->server,
                               w->job, COMMENT_WORDS, words_of(f), end));
}

/* What is confirmed is told by that server as soon as it is back: there is no hurry,
 * and no end of asking. */
static int64_t pause_s(const struct waiter *w, int64_t n_failed)
{
    int64_t s = w->known ? PAUSE_MAX_S : PAUSE_S;

    for (; n_failed > 1 && s < PAUSE_MAX_S; n_failed--)
        s *= 2;
    return MIN_OF(s, PAUSE_MAX_S);
}

/* Its server is away, or does not look: nobody of that server is asked for meanwhile,
 * so that the others have their turn. What is confirmed waits as before, and its owner
 * reads nothing new. */
static void ask_later(const struct rule_context *c, const struct verifying *v,
                      const struct finding *f, struct record *rec, struct arena *arena)
{
    const struct waiter *failed = &v->list.v[v->at];
    int64_t n = failed->n_failed + 1, at = c->now_at + pause_s(failed, n);

    for (size_t i = 0; i < v->list.n; i++) {
        struct waiter *w = &v->list.v[i];

        if (!str_same(w->server, failed->server) || w->known != failed->known)
            continue;
        w->n_failed = n;
        if (w->at < at)
            w->at = at;
    }
    keep(v, &v->list, rec, arena);
    if (n > 1 && !failed->known)
        comment(v, f, "", rec, arena);
}

/* It has not looked at the job for a week, and is asked no more. The job goes on
 * waiting: it is its owner's to say what becomes of it. */
static void ask_no_more(const struct verifying *v, const struct finding *f,
                        struct record *rec, struct arena *arena)
{
    const char *server = v->list.v[v->at].server;
    struct waiters left = { 0 };

    for (size_t i = 0; i < v->list.n; i++)
        if (!str_same(v->list.v[i].server, server) || v->list.v[i].known)
            waiters_add(&left, arena, &v->list.v[i]);
    keep(v, &left, rec, arena);
    comment(v, f, ". It is asked no more: delete the job or alter its depend", rec,
            arena);
}

/* Does the job wait for that one still? */
static bool has_entry(const struct rule_context *c, const struct verifying *v)
{
    const char *text = obj_str(&v->job->obj, JOB_A_DEPEND, NULL);
    const struct waiter *w = &v->list.v[v->at];
    struct depend_list all;

    if (!text || !depend_parse(text, c->arena, &all))
        return false;
    for (size_t i = 0; i < all.n; i++)
        if (depend_is_remote(c->m, &all.v[i]) && all.v[i].type == w->type &&
            str_same(all.v[i].job, w->job))
            return true;
    return false;
}

/* Nobody knows the job that was to be waited for. */
static void drop_entry(const struct rule_context *c, const struct verifying *v,
                       struct record *rec, struct arena *arena)
{
    const char *text = obj_str(&v->job->obj, JOB_A_DEPEND, NULL);
    const struct waiter *w = &v->list.v[v->at];
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

/* The job does not wait for that one, for which another server has told it to wait. */
static void let_be(const struct rule_context *c, const struct verifying *v,
                   const char *why, struct decision *out)
{
    const struct object *o = &v->job->obj;
    const struct waiter *w = &v->list.v[v->at];
    struct record *rec = rule_decide(c, o, FACT_JOB_MODIFIED, out);

    decide_log(out, LOG_EV_JOB, LOG_IN_JOB, o->id,
               "job %s at server %s is not waited for: %s", w->job, w->server, why);
    drop(v, NULL, rec, out->arena);
    drop_entry(c, v, rec, out->arena);
}

/* What its owner wants is never dropped: the job would run without it. */
static void give_up(const struct rule_context *c, const struct verifying *v,
                    const struct finding *f, struct decision *out)
{
    const struct waiter *w = &v->list.v[v->at];

    if (!w->own) {
        let_be(c, v, words_of(f), out);
        return;
    }
    decide_log(out, LOG_EV_JOB, LOG_IN_JOB, v->job->obj.id,
               "job %s at server %s is not waited for: %s", w->job, w->server,
               words_of(f));
    job_unmet_record(c->m, v->job, w->job, c->server_actor, c->now_at, out);
}

/* Does the job wait for itself? Several servers may have closed a circle at the same
 * time, so that none of them has seen it; each looks for it behind that. 0, 1, NEEDED.
 */
static int waits_for_itself(const struct rule_context *c, const struct request *rq,
                            const struct verifying *v)
{
    struct depend_chain chain = depend_chain(c->m, rq, true, v->list.v[v->at].at);
    const struct job *job;
    bool found = false;

    /* Only who is waited for can be in a circle. */
    if (job_is_awaited(v->job))
        depend_chain_text(&chain, obj_str(&v->job->obj, JOB_A_DEPEND, NULL));
    while (!found && (job = depend_chain_next(&chain)))
        found = job == v->job;
    depend_chain_fini(&chain);
    return found ? 1 : chain.is_cut ? NEEDED : 0;
}

/* Its owner sees why the job will not run; an entry that the owner did not ask for
 * goes.
 */
static void note_circle(const struct rule_context *c, const struct verifying *v,
                        struct decision *out)
{
    if (!v->list.v[v->at].own) {
        let_be(c, v, COMMENT_CIRCLE, out);
        return;
    }
    decide_log(out, LOG_EV_JOB, LOG_IN_JOB, v->job->obj.id, COMMENT_CIRCLE);
    drop(v, COMMENT_CIRCLE ": delete one of them or alter its depend",
         rule_decide(c, &v->job->obj, FACT_JOB_MODIFIED, out), out->arena);
}

/* Does the other job come before this one, as its server shows it? */
static bool comes_before(const struct rule_context *c, const struct verifying *v,
                         const char *depend)
{
    enum depend_type type = depend_other_side(v->list.v[v->at].type);
    struct depend_list all;

    if (!depend || !*depend || !depend_parse(depend, c->arena, &all))
        return false;
    for (size_t i = 0; i < all.n; i++)
        if (all.v[i].type == type && str_same(all.v[i].job, v->job->obj.id))
            return true;
    return false;
}

/* What the other server says of the entry, or NULL. To register would make it true
 * where that server was the first to ask for it, whatever it has told its client. A job
 * that is over is not shown: then to register tells whether it comes before this one,
 * since a server that is going to tell how it ended says yes. */
static const struct finding *look_there(const struct rule_context *c,
                                        const struct request *rq,
                                        const struct verifying *v)
{
    static const struct finding yes = { .found = true };
    static const struct finding no = { .code = PBSE_UNKJOBID,
                                       .words = "it does not come before this one" };
    const struct waiter *w = &v->list.v[v->at];
    const struct finding *f =
        w->own ? NULL : depend_ask_server(rq, w->job, w->server, w->at);

    if (w->own || (f && !f->found && !f->failed))
        return depend_confirm(rq, v->job, w);
    if (!f || f->failed)
        return f;
    return comes_before(c, v, f->words) ? &yes : &no;
}

/* Where the job was to come before this one, that may still be on its way into its
 * server, or its end on the way here. */
static bool may_be_there_yet(const struct waiter *w, const struct finding *f)
{
    return !w->again &&
           (f->code == PBSE_UNKJOBID || (f->code == PBSE_HISTDEPEND && !w->own));
}

/* Its server knows who waits: it is asked again tomorrow. */
static void note_known(const struct rule_context *c, const struct verifying *v,
                       struct record *rec, struct arena *arena)
{
    struct waiter *w = &v->list.v[v->at];
    bool was_told_of = !w->known || w->again;

    w->known = true;
    w->again = false;
    w->n_failed = 0;
    w->at = c->now_at + PAUSE_KNOWN_S;
    keep(v, &v->list, rec, arena);
    if (was_told_of && is_commented(v))
        record_change(rec, arena, JOB_A_COMMENT, NULL, NULL);
}

/* What is confirmed is nobody's news when it stays so or is waited for no more. */
static struct record *quiet_record(const struct rule_context *c,
                                   const struct verifying *v, struct decision *out)
{
    struct record *rec = rule_decide(c, &v->job->obj, FACT_SET, out);

    rec->reason = REASON_TRANSFER;
    return rec;
}

/* Does the answer about what was confirmed before mean that nobody will tell the job
 * any more? Whatever else a server may say of it, that it is a circle for instance, is
 * no news. */
static bool has_lost_it(const struct waiter *w, const struct finding *f)
{
    return f->code == PBSE_UNKJOBID || f->code == PBSE_JOB_MOVED ||
           (f->code == PBSE_HISTDEPEND && !w->own);
}

/* An answer about what was confirmed before. */
static void note_of_known(const struct rule_context *c, const struct verifying *v,
                          const struct finding *f, struct decision *out)
{
    struct waiter *w = &v->list.v[v->at];
    bool answered = depend_is_answered(f), lost = answered && has_lost_it(w, f);
    bool never = answered && f->code == PBSE_HISTDEPEND && w->own;
    struct record *rec;

    if (!f->found && (never || (lost && w->again))) {
        give_up(c, v, f, out);
        return;
    }
    rec = quiet_record(c, v, out);
    if (!answered) {
        ask_later(c, v, f, rec, out->arena);
    } else if (!lost) {
        note_known(c, v, rec, out->arena);
    } else {
        decide_log(out, LOG_EV_JOB, LOG_IN_JOB, v->job->obj.id,
                   "job %s at server %s is not known there any more: %s", w->job,
                   w->server, words_of(f));
        w->again = true;
        w->at = c->now_at + PAUSE_KNOWN_S;
        keep(v, &v->list, rec, out->arena);
        comment(v, f, ". It is asked once more in a day", rec, out->arena);
    }
}

static void note(const struct rule_context *c, const struct verifying *v,
                 const struct finding *f, struct decision *out)
{
    struct waiter *w = &v->list.v[v->at];
    bool answered = depend_is_answered(f);
    struct record *rec;

    if (answered && !f->found && !may_be_there_yet(w, f)) {
        give_up(c, v, f, out);
        return;
    }
    rec = rule_decide(c, &v->job->obj, FACT_JOB_MODIFIED, out);
    if (f->found) {
        note_known(c, v, rec, out->arena);
    } else if (!answered && w->n_failed < ATTEMPTS_MAX) {
        ask_later(c, v, f, rec, out->arena);
    } else if (!answered) {
        ask_no_more(v, f, rec, out->arena);
    } else {
        w->again = true;
        w->at = c->now_at + PAUSE_S;
        keep(v, &v->list, rec, out->arena);
    }
}

bool job_verify_due(const struct rule_context *c, const struct object *o,
                    struct decision *out)
{
    struct verifying v = { .job = TO_JOB(o) };
    const struct request rq = {
        .now_at = c->now_at, .arena = c->arena, .cfg = c->cfg, .knows = c->knows
    };
    size_t n_missed = c->knows.needs->n;
    const struct finding *f;
    bool is_new;
    int circle;

    if (job_verify_deadline(c->m, o) > c->now_at)
        return false;
    v.list = waiters_in(v.job, JOB_A_HF_VERIFY, c->arena);
    v.at = earliest(&v.list);
    is_new = !v.list.v[v.at].known;
    if (!has_entry(c, &v)) {
        drop(&v, NULL,
             is_new ? rule_decide(c, o, FACT_JOB_MODIFIED, out)
                    : quiet_record(c, &v, out),
             out->arena);
        return true;
    }
    f = look_there(c, &rq, &v);
    if (!f)
        return false;
    /* Which jobs wait for which does not change once all are confirmed. */
    circle = f->found && is_new ? waits_for_itself(c, &rq, &v) : 0;
    if (circle == NEEDED)
        return false;
    c->knows.needs->n = n_missed; /* what the search had no use for any more */
    if (circle)
        note_circle(c, &v, out);
    else if (is_new)
        note(c, &v, f, out);
    else
        note_of_known(c, &v, f, out);
    return true;
}
