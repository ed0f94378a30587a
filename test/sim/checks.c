/* checks.c - see checks.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check_depend.h"
#include "check_dry.h"
#include "check_ends.h"
#include "check_push.h"
#include "sim.h"
#include "together.h"

#include "lib/attr/ids.h"
#include "lib/attr/job_attrs.h"
#include "lib/wire/sched_command.h"
#include "server/model/history.h"
#include "server/model/job_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define YES "PBS_RESV_CONFIRM_SUCCESS"

static const struct {
    const char *name;
    const char *words;
} rows[CHECK_COUNT] = {
    [CHECK_PROMISE] = { "promise", "no vnode is promised beyond its resources" },
    [CHECK_INSIDE] = { "inside", "jobs of a reservation use no more than it holds" },
    [CHECK_KEEP] = { "keep", "a running reservation that is re-made keeps every usable "
                             "vnode and every vnode with a job" },
    [CHECK_DURABLE] = { "durable", "nothing leaves before its record is durable" },
    [CHECK_TOLD] = { "told", "what a client was told is true after a crash" },
    [CHECK_STORE] = { "store", "the model rebuilt from the store equals the live one" },
    [CHECK_WHOLE] = { "whole",
                      "what is done to all vnodes is done to each, or goes on" },
    [CHECK_SHADOW] = { "shadow", "records alone change the model" },
    [CHECK_LINKS] = { "links", "links and sums equal their recounts" },
    [CHECK_LIFE] = { "life",
                     "only legal transitions; who is deleted never lives again" },
    [CHECK_ON_END] = { "on-end", "jobs survive the end of a reservation as it says, in "
                                 "queues that their owners may use" },
    [CHECK_FATE] = { "fate", "each job has the fate that its reservation's on_end has "
                             "for it" },
    [CHECK_PREEMPT] = { "preempt", "who leaves for another job may be made to, leaves "
                                   "by the method whose turn it is, and is not lost" },
    [CHECK_LIMITS] = { "limits", "no more jobs are started on a vnode than its limits "
                                 "let run there" },
    [CHECK_SUMS] = { "sums", "nobody is given more than the server has for all "
                             "together" },
    [CHECK_HEALTH] = { "health", "degraded means an unusable vnode, and a next attempt "
                                 "is set exactly then" },
    [CHECK_ALTER] = { "alter", "an alteration changes nothing before it is granted, "
                               "then what was asked, and leaves jobs their vnodes" },
    [CHECK_ENDS] = { "ends",
                     "a reservation ends when somebody asked for, or later while "
                     "it has jobs, and gives back what is idle when it says so" },
    [CHECK_SHOWN] = { "shown", "an open alteration is shown to everybody" },
    [CHECK_LISTED] = { "listed", "who was forced into others says into whom" },
    [CHECK_KEPT] = { "kept", "a status that is kept equals one made anew" },
    [CHECK_CHANGES] = { "changes", "who is told what has changed knows all" },
    [CHECK_SETTLED] = { "settled", "after settling no rule has anything left to say" },
    [CHECK_BOOKS] = { "books", "what vnodes have assigned is what runs on them" },
    [CHECK_REFUSAL] = { "refusal", "a refused request changes nothing" },
    [CHECK_ANSWER] = { "answer", "every request is answered in the end" },
    [CHECK_VERDICT] = { "verdict",
                        "what comes to be was accepted by the hooks, and has "
                        "what they have set" },
    [CHECK_QMOVE] = { "qmove",
                      "a reservation for a waiting job is confirmed and the job "
                      "is in it, or neither" },
    [CHECK_WHY] = { "why", "a denial is told its owner and managers, with its reason, "
                           "and nobody else" },
    [CHECK_DRY] = { "dry",
                    "a dry run changes nothing, and what was asked then gets its "
                    "verdict" },
    [CHECK_START] = { "start", "a start that is named would be confirmed, and none is "
                               "sooner than as soon as possible" },
    [CHECK_ACCOUNT] = { "account", "one B for each start, one end for each run" },
    [CHECK_SCHED_LINK] = { "schedlink", "a scheduler gets one command at a time" },
    [CHECK_STORM] = { "storm", "a MoM is not asked the same again and again" },
    [CHECK_STOPPED] = { "stopped",
                        "what is to run runs on all hosts of its job, and the "
                        "rest stands" },
    [CHECK_ONCE] = { "once", "each run of a job begins once, and one at a time" },
    [CHECK_TWO] = { "two", "a job is at one of two servers and runs to its end once; "
                           "who waits for a job of the other one waits as long as he "
                           "has to" },
    [CHECK_IMAGE] = { "image",
                      "a run goes on from the image that the server counts on, "
                      "and from no other one" },
    [CHECK_OBIT] = { "obit", "a run ends for the server as its processes have ended" },
    [CHECK_AGREE] = { "agree", "server and MoMs agree about what runs" },
    [CHECK_WIRE] = { "wire", "what is sent can be decoded" },
    [CHECK_QUIET] = { "quiet", "deadlines pass, and without faults all settles" },
    [CHECK_END] = { "end", "when all has ended all is free" },
    [CHECK_EXPECT] = { "expect", "what the scenario says" },
};

const char *check_name(enum check c)
{
    return rows[c].name;
}

const char *check_words(enum check c)
{
    return rows[c].words;
}

void check_failed(struct sim *s, enum check what, const char *fmt, ...)
{
    struct checks *c = &s->checks;
    struct snapshot *kept = s->other ? s->other->checks.kept : NULL;
    va_list ap;

    if (c->failed)
        return;
    c->failed = true;
    c->what = what;
    c->at_ms = s->clock.now_ms;
    va_start(ap, fmt);
    vsnprintf(c->words, sizeof(c->words), fmt, ap);
    va_end(ap);
    /* Both end with it. */
    if (s->other && !s->other->checks.failed) {
        s->other->checks = *c;
        s->other->checks.kept = kept;
    }
}

/* The model. */

static void check_same(struct sim *s, enum check what, const struct model *live,
                       const struct model *other)
{
    struct buf why = { 0 };

    if (!model_same(live, other, &why))
        check_failed(s, what, "%s", why.data ? why.data : "they differ");
    buf_fini(&why);
}

void check_store(struct sim *s)
{
    struct model *stored = shell_stored_model(s);

    check_whole(s, stored);
    shell_apply_undurable(s, stored);
    check_same(s, CHECK_STORE, shell_model(s), stored);
    model_free(stored);
}

static void check_links(struct sim *s, const struct model *m)
{
    struct model *copy = model_rebuild(m);

    check_same(s, CHECK_LINKS, m, copy);
    model_free(copy);
}

static void trace_record(const struct sim *s, const struct record *rec)
{
    const struct attr_table *t = kind_table(rec->kind);
    const char *words = record_words(rec);
    struct buf text = { 0 };

    if (!s->trace)
        return;
    for (size_t i = 0; i < rec->n_changes; i++) {
        const struct change *c = &rec->changes[i];

        buf_printf(&text, " %s%s%s=%s", t->rows[c->attr].name, c->resource ? "." : "",
                   c->resource ? c->resource : "", c->after ? c->after : "(unset)");
    }
    sim_trace(s, "record %" PRIu64 ": %s %s by %s%s%s:%s", rec->seq,
              fact_name(rec->fact), rec->id, rec->actor, words ? ", " : "",
              words ? words : "", text.len ? text.data : "");
    buf_fini(&text);
}

static void check_kept(struct sim *s)
{
    struct buf why = { 0 };

    if (!svr_shown_is_right(s->shell.svr, sim_now_at(s), &why))
        check_failed(s, CHECK_KEPT, "%s looks different", why.data);
    buf_fini(&why);
}

static void check_settled(struct sim *s)
{
    struct buf why = { 0 };

    if (!svr_is_settled(s->shell.svr, sim_now_at(s), &why))
        check_failed(s, CHECK_SETTLED, "%s", why.data);
    buf_fini(&why);
}

/* What is over holds nothing and counts for nobody, and is gone when its time is over.
 */
static void check_past(struct sim *s, const struct ranks *order)
{
    for (const struct job *j = history_next(order, NULL); j;
         j = history_next(order, j)) {
        if (!job_is_history(j) || j->queue || j->resv || j->bookings.n || j->awaits.n ||
            j->counted_in_vnodes || j->hot)
            check_failed(s, CHECK_LIFE, "job %s is over and holds something",
                         j->obj.id);
        if (obj_is_set(&j->obj, JOB_A_HF_SCRIPT))
            check_failed(s, CHECK_LIFE, "job %s is over and keeps its script",
                         j->obj.id);
    }
}

static void check_history(struct sim *s, const struct model *m)
{
    size_t n = m->history.n; /* those that others wait for are not in the list */

    check_past(s, &m->history.kept);
    check_past(s, &m->history.guests);
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        n++;
        if (TO_JOB(o)->past)
            check_failed(s, CHECK_LIFE, "job %s is over and among the living", o->id);
    }
    if (n != m->kinds[OBJ_JOB].n)
        check_failed(s, CHECK_LIFE, "%zu jobs, and %zu of them are listed",
                     m->kinds[OBJ_JOB].n, n);
    if (!svr_is_settling(s->shell.svr) && history_deadline(m) <= sim_now_at(s))
        check_failed(s, CHECK_LIFE, "a job is kept longer than its time");
}

void check_turn(struct sim *s, uint64_t conn, const struct effects *turn)
{
    const struct model *m = shell_model(s);
    bool changed = false;

    check_verdicts(s, conn, turn);
    check_qmove_turn(s, s->shell.shadow, turn);
    for (size_t i = 0; i < turn->n; i++) {
        const struct effect *e = &turn->v[i];

        if (e->kind != EFFECT_RECORD)
            continue;
        changed = true;
        trace_record(s, e->u.record);
        count_record(s, s->shell.shadow, e->u.record);
        check_resv_record(s, s->shell.shadow, e->u.record);
        check_retry_record(s, s->shell.shadow, e->u.record);
        check_conflict_record(s, s->shell.shadow, e->u.record);
        check_job_record(s, s->shell.shadow, e->u.record);
        check_release_record(s, s->shell.shadow, e->u.record);
        check_depend_record(s, s->shell.shadow, e->u.record);
        check_two_record(s, s->shell.shadow, e->u.record);
        check_end_of_resv(s, s->shell.shadow, e->u.record);
        check_fate_record(s, s->shell.shadow, e->u.record);
        check_run_record(s, s->shell.shadow, e->u.record);
        check_image_record(s, s->shell.shadow, e->u.record);
        check_preempt_record(s, conn, s->shell.shadow, e->u.record);
        check_why_record(s, s->shell.shadow, e->u.record);
        check_dry_record(s, s->shell.shadow, e->u.record);
        check_push_before(s, s->shell.shadow, e->u.record);
        check_alter_before(s, s->shell.shadow, e->u.record);
        check_ends_before(s, s->shell.shadow, e->u.record);
        check_occurrence_before(s, s->shell.shadow, e->u.record);
        check_together_before(s, s->shell.shadow, e->u.record);
        model_apply(s->shell.shadow, e->u.record);
        check_ends_after(s, s->shell.shadow, e->u.record);
        check_alter_after(s, s->shell.shadow, e->u.record);
        check_occurrence_after(s, s->shell.shadow, e->u.record);
    }
    check_preempt_replies(s, s->shell.shadow, turn);
    /* Without records nothing may have changed: looked at now and then. */
    if (changed || s->n_steps % 5 == 0)
        check_same(s, CHECK_SHADOW, m, s->shell.shadow);
    if (changed) {
        check_links(s, m);
        check_promise(s, m, turn);
        check_alters_settled(s, m);
        check_ends_settled(s, m);
        check_together_settled(s, m);
        check_push_settled(s, m);
        check_conflicts_settled(s, m);
        check_occurrences_settled(s, m);
        check_qmove_settled(s, m);
        check_books(s, m);
        check_history(s, m);
        check_two_settled(s);
    }
    s->checks.unsettled |= changed;
    if (s->checks.unsettled) {
        bool settled = !svr_is_settling(s->shell.svr);

        check_health(s, m, settled);
        if (settled)
            check_retry_settled(s, m);
        s->checks.unsettled = !settled;
    }
    s->alters.agreed = false;
    if (changed)
        check_settled(s);
    if (s->n_steps % 20 == 0)
        check_kept(s);
    if (changed || s->n_steps % 20 == 0)
        check_changes(s);
    if (s->n_steps % 37 == 0)
        check_store(s);
}

/* Requests. */

static const struct wire_reply *reply_to(const struct effects *out, uint64_t conn)
{
    for (size_t i = 0; i < out->n; i++)
        if (out->v[i].kind == EFFECT_REPLY && out->v[i].u.reply.conn == conn)
            return &out->v[i].u.reply.reply;
    return NULL;
}

/* What a scheduler asks in every cycle would drown the rest of a trace. */
static bool is_look(uint32_t number)
{
    return number == BATCH_SELECT_STATUS || number == BATCH_STATUS_JOB ||
           number == BATCH_STATUS_QUEUE || number == BATCH_STATUS_SERVER ||
           number == BATCH_STATUS_NODE || number == BATCH_STATUS_RESV ||
           number == BATCH_STATUS_SCHED || number == BATCH_STATUS_RESOURCE ||
           number == BATCH_STATUS_CHANGES;
}

static void check_replies(struct sim *s, uint64_t conn, const struct effects *out)
{
    const struct conn *c = net_conn(&s->net, conn);

    for (size_t i = 0; c && i < out->n; i++)
        if (out->v[i].kind == EFFECT_REPLY && out->v[i].u.reply.conn == conn) {
            struct wire_reply reply = out->v[i].u.reply.reply;

            batch_open_reply(&reply, out->arena);
            check_shown(s, shell_model(s), c->server_uid, &reply.objects);
        }
}

/* A list may be done in part, and so may one array: the reply names what was not. */
static bool is_refused(const struct wire_reply *reply, const char *id)
{
    if (reply->choice != REPLY_DELETE)
        return true;
    for (size_t i = 0; i < reply->deleted.n; i++)
        if (strcmp(reply->deleted.v[i].id, id) == 0)
            return true;
    return false;
}

/* It was asked for, and taken back in the same turn: the job's MoM is away. Of a hold
 * without an image the hold itself stays, and counts when the job is in its queue. */
static bool was_taken_back(const struct effects *out, const char *id)
{
    for (size_t i = 0; i < out->n; i++)
        if (out->v[i].kind == EFFECT_RECORD &&
            strcmp(out->v[i].u.record->id, id) == 0 &&
            (out->v[i].u.record->reason == REASON_NOT_SUSPENDED ||
             out->v[i].u.record->reason == REASON_NOT_CHECKPOINTED ||
             (out->v[i].u.record->reason == REASON_NOT_RESUMED &&
              out->v[i].u.record->fact == FACT_JOB_SUSPENDED)))
            return true;
    return false;
}

/* Of an array or a range what can be done is done; the reply has the first failure. */
static bool is_done_in_part(const struct wire_request *rq, struct arena *arena)
{
    const char *name =
        rq->number == BATCH_SIGNAL_JOB ? ((const struct body_signal *)rq->body)->job_id
        : rq->number == BATCH_RERUN    ? ((const struct body_id *)rq->body)->id
                                       : NULL;
    struct job_id id;

    return name && job_id_parse(name, arena, &id) && id.array &&
           (!*id.index || id.index[strspn(id.index, "0123456789")]);
}

/* 'reply' NULL: there is none yet. */
static void check_refusal(struct sim *s, uint32_t number,
                          const struct wire_reply *reply, const struct effects *out)
{
    if (!reply || reply->code == 0)
        return;
    for (size_t i = 0; i < out->n; i++)
        if (out->v[i].kind == EFFECT_RECORD &&
            is_refused(reply, out->v[i].u.record->id) &&
            !was_taken_back(out, out->v[i].u.record->id))
            check_failed(s, CHECK_REFUSAL, "request %u was refused (%d), yet: %s %s",
                         number, reply->code, fact_name(out->v[i].u.record->fact),
                         out->v[i].u.record->id);
}

/* Which of many answers are a yes: each is judged in a turn of its own. */
static void note_answers(struct conn *c, const struct body_answer_resvs *body)
{
    free(c->yes);
    c->yes = xcalloc(body->n + 1, sizeof(*c->yes));
    c->n_judged = 0;
    for (size_t i = 0; i < body->n; i++)
        c->yes[i] = strncmp(body->answers[i].extend, YES, strlen(YES)) == 0;
}

/* The request was the only input of this turn, and nothing was due before it. That the
 * model is as its records say is watched anyway. */
void check_request(struct sim *s, uint64_t conn, const struct wire_request *rq,
                   const struct effects *out)
{
    const struct wire_reply *reply = reply_to(out, conn);

    if (s->trace && !is_look(rq->number)) {
        struct buf text = { 0 };

        batch_dump_request(&text, rq);
        sim_trace(s, "request %" PRIu64 ": %s", conn, text.data);
        if (reply) {
            buf_clear(&text);
            batch_dump_reply(&text, reply);
            sim_trace(s, "reply %" PRIu64 ": %.400s", conn, text.data);
        }
        buf_fini(&text);
    }
    if (!is_look(rq->number))
        count_request(s, rq->number, reply);
    why_requested(s, net_conn(&s->net, conn), rq, reply, out->arena);
    if (rq->number == BATCH_MODIFY_RESV || rq->number == BATCH_RESV_ACT)
        alter_requested(s, s->shell.shadow, rq, out);
    s->alters.agreed = rq->number == BATCH_OFFER_RESV ||
                       (rq->number == BATCH_CONFIRM_RESV && rq->extend &&
                        strncmp(rq->extend, YES, strlen(YES)) == 0);
    if (rq->number == BATCH_ANSWER_RESVS && net_conn(&s->net, conn))
        note_answers(net_conn(&s->net, conn), rq->body);
    if (rq->number == BATCH_PREEMPT_JOBS && !reply)
        check_preempt_asked(s, conn, rq->body);
    if (rq->number == BATCH_STATUS_RESV)
        check_replies(s, conn, out);
    if (!is_done_in_part(rq, out->arena))
        check_refusal(s, rq->number, reply, out);
}

/* What is deleted in slices is answered with a code when some of it could not be. */
static bool is_done_at_once(uint32_t number)
{
    return number == BATCH_QUEUE_JOB || number == BATCH_SUBMIT_RESV;
}

void check_gone_on(struct sim *s, uint64_t conn, const struct effects *out)
{
    struct conn *c = net_conn(&s->net, conn);

    s->alters.agreed = c && c->asked == BATCH_ANSWER_RESVS && c->yes[c->n_judged++];
    if (c && reply_to(out, conn) && !is_look(c->asked))
        count_request(s, c->asked, reply_to(out, conn));
    if (c && is_done_at_once(c->asked))
        check_refusal(s, c->asked, reply_to(out, conn), out);
}

/* What leaves. */

/* To ask something tells nobody what was decided (doc/design/032), nor does it that a
 * scheduler has to look (decide/sched_link.c). */
static bool tells_nothing(const struct effect *e)
{
    return e->kind == EFFECT_RECORD || e->kind == EFFECT_LOG ||
           (e->kind == EFFECT_FIND_OUT && !need_is_deed(e->u.need.kind)) ||
           (e->kind == EFFECT_SCHED_COMMAND && e->u.sched.command != SCHED_QUIT &&
            !e->u.sched.job_id);
}

void check_leaves(struct sim *s, const struct turns_leaving *l)
{
    uint64_t durable = store_last_seq(s->shell.store);
    const struct effect *e = l->effect;
    uint64_t seen = 0;

    if (tells_nothing(e))
        return;
    for (const struct effect *x = l->of->v; x < e; x++)
        if (x->kind == EFFECT_RECORD)
            seen = x->u.record->seq;
    if (seen > durable)
        check_failed(s, CHECK_DURABLE,
                     "an effect (kind %d) leaves before record %" PRIu64 " is durable",
                     (int)e->kind, seen);
    if (e->seq < seen)
        check_failed(s, CHECK_DURABLE,
                     "an effect (kind %d) says it has seen %" PRIu64
                     " and follows record %" PRIu64,
                     (int)e->kind, e->seq, seen);
}
