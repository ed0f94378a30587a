/* take_up.c - a decision becomes fact: its records get their numbers and what was
 * before, are handed to the store, applied to the model, and told.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "server/engine/svr_priv.h"
#include "server/model/hot_start.h"
#include "server/moms/moms.h"
#include "server/react/react.h"
#include "server/rules/rule.h"

#include <string.h>

struct decision turn_decision(const struct turn *t)
{
    return (struct decision){ .arena = t->out->arena };
}

/* What was before. */

static const char *text_before(const struct object *o, const struct change *c,
                               struct arena *arena)
{
    const struct attr_type *type = kind_table(o->kind)->rows[c->attr].type;
    const struct attr_value *v = obj_attr(o, c->attr);

    if (attr_type_has_members(type))
        return c->resource ? attr_value_member(type, v, c->resource, arena) : NULL;
    return attr_value_text(type, v, arena);
}

/* Unsetting a whole list is one change per member, so that each stored row goes. */
static void complete_list(struct record *to, const struct object *o, int attr,
                          struct arena *arena)
{
    const struct attr_type *type = kind_table(o->kind)->rows[attr].type;
    const char *name;

    for (size_t i = 0;
         (name = attr_value_member_name(type, obj_attr(o, attr), i)) != NULL; i++) {
        record_change(to, arena, attr, arena_strdup(arena, name), NULL);
        to->changes[to->n_changes - 1].before =
            attr_value_member(type, obj_attr(o, attr), name, arena);
    }
}

/* Fill in what was before, and leave out what changes nothing. The record outlives the
 * objects that it speaks of, so its texts become its own: they may be an object's id.
 */
static void complete(const struct model *m, struct record *rec, struct arena *arena)
{
    const struct object *o = model_find(m, rec->kind, rec->id);
    const struct attr_table *table = kind_table(rec->kind);
    struct record to = *rec;

    to.id = arena_strdup(arena, rec->id);
    to.actor = arena_strdup(arena, rec->actor);
    to.note = arena_strdup(arena, rec->note);
    to.changes = NULL;
    to.n_changes = to.cap_changes = 0;
    for (size_t i = 0; i < rec->n_changes; i++) {
        const struct change *c = &rec->changes[i];
        bool members = attr_type_has_members(table->rows[c->attr].type);
        const char *before = o ? text_before(o, c, arena) : NULL;

        if (members && !c->resource) {
            MUST(!c->after);
            if (o)
                complete_list(&to, o, c->attr, arena);
        } else if (!str_same(before, c->after)) {
            record_change(&to, arena, c->attr, arena_strdup(arena, c->resource),
                          arena_strdup(arena, c->after));
            to.changes[to.n_changes - 1].before = before;
        }
    }
    *rec = to;
}

/* Who has to look again. */

static bool has_rules(enum obj_kind kind)
{
    for (size_t i = 0; i < n_rule_rows; i++)
        if (rule_rows[i].kind == kind)
            return true;
    return false;
}

static void touch(struct svr *s, const struct object *o)
{
    if (has_rules(o->kind))
        watch_touch(&s->watches, o);
}

static void touch_kind(struct svr *s, enum obj_kind kind)
{
    MODEL_EACH (s->m, kind, o) {
        touch(s, o);
    }
}

static void touch_queue_jobs(struct svr *s, const struct queue *q)
{
    for (const struct job *j = q ? q->jobs : NULL; j; j = j->queue_next)
        touch(s, &j->obj);
}

/* Jobs that a hot start puts back on that vnode. */
static void touch_awaiting(struct svr *s, const struct node *n)
{
    for (size_t i = 0; i < n->n_awaited; i++)
        touch(s, &n->awaited[i]->obj);
}

/* What is free there may be what another vnode borrows. */
static void touch_awaiting_shared(struct svr *s, const struct node *home)
{
    touch_awaiting(s, home);
    for (size_t i = 0; i < home->n_referrers; i++)
        touch_awaiting(s, home->referrers[i]);
}

static void touch_awaiting_around(struct svr *s, const struct node *n)
{
    if (s->m->n_hot == 0)
        return;
    touch_awaiting_shared(s, n);
    for (size_t i = 0; i < n->n_borrowed; i++)
        touch_awaiting_shared(s, n->borrowed[i].home);
}

static void touch_awaiting_bookings(struct svr *s, const struct bookings *list)
{
    for (size_t i = 0; i < list->n; i++)
        touch_awaiting_around(s, list->v[i].node);
}

/* The object and those whose rules look at it. */
static void touch_around(struct svr *s, const struct object *o)
{
    touch(s, o);
    if (o->kind == OBJ_NODE) {
        const struct node *n = TO_NODE(o);

        for (size_t i = 0; i < n->n_occurrences; i++)
            touch(s, &n->occurrences[i]->resv->obj);
        for (size_t i = 0; i < n->n_jobs; i++)
            touch(s, &n->jobs[i]->obj);
        touch_awaiting_around(s, n);
    } else if (o->kind == OBJ_QUEUE) {
        if (TO_QUEUE(o)->resv)
            touch(s, &TO_QUEUE(o)->resv->obj);
        if (s->m->n_hot > 0)
            touch_queue_jobs(s, TO_QUEUE(o));
    } else if (o->kind == OBJ_RESV) {
        if (TO_RESV(o)->queue)
            touch(s, &TO_RESV(o)->queue->obj);
        touch_queue_jobs(s, TO_RESV(o)->queue);
        touch_awaiting_bookings(s, &TO_RESV(o)->current.bookings);
    } else if (o->kind == OBJ_OCCURRENCE) {
        if (TO_LATER(o)->occurrence.resv)
            touch(s, &TO_LATER(o)->occurrence.resv->obj);
    } else if (o->kind == OBJ_JOB) {
        touch_awaiting_bookings(s, &TO_JOB(o)->bookings);
        if (hot_start_is_on(s->m))
            touch(s, s->m->server);
        if (TO_JOB(o)->queue)
            touch(s, &TO_JOB(o)->queue->obj);
        if (TO_JOB(o)->resv)
            touch(s, &TO_JOB(o)->resv->obj);
    }
}

/* Settings of the server or a scheduler are looked at by rules of all objects. */
static void touch_for_settings(struct svr *s, const struct record *rec)
{
    if (rec->kind != OBJ_SERVER && rec->kind != OBJ_SCHED)
        return;
    if (rec->n_changes == 0 || (rec->n_changes == 1 && rec->kind == OBJ_SERVER &&
                                rec->changes[0].attr == SERVER_A_HF_NEXT_NUMBER))
        return;
    touch_kind(s, OBJ_RESV);
    touch_kind(s, OBJ_JOB);
}

void touch_all(struct svr *s)
{
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        touch_kind(s, (enum obj_kind)kind);
}

/* What leaves. */

void send_reply(struct turn *t, uint64_t conn, const struct wire_reply *reply)
{
    struct effect *e;

    if (conn == 0)
        return;
    e = effect_add(t->out, EFFECT_REPLY, t->s->m->seq);
    e->u.reply.conn = conn;
    e->u.reply.reply = *reply;
    if (e->u.reply.reply.choice == 0)
        e->u.reply.reply.choice = REPLY_NULL;
}

struct wire_reply refusal(struct arena *arena, int code, const char *text)
{
    struct wire_reply reply = { .code = code, .choice = REPLY_NULL };

    if (!text)
        text = pbse_text(code);
    if (text && *text) {
        reply.choice = REPLY_TEXT;
        reply.text = arena_strdup(arena, text);
    }
    return reply;
}

static int unknown_code(enum obj_kind kind)
{
    return kind == OBJ_RESV ? PBSE_UNKRESVID : PBSE_UNKJOBID;
}

static bool waiting_is_answered(struct turn *t, const struct record *rec,
                                const struct waiting_reply *w, struct wire_reply *ret)
{
    const struct react_row *row = react_row(rec->fact, rec->kind);
    const struct answering a = {
        .m = t->s->m, .rec = rec, .wait_for = &w->wait_for, .arena = t->out->arena
    };

    if (row->answer && row->answer(&a, ret))
        return true;
    if (!fact_removes(rec->fact))
        return false;
    *ret = refusal(t->out->arena, unknown_code(rec->kind), NULL);
    return true;
}

void waiting_asks_again(struct turn *t, struct waiting_reply *w)
{
    struct parked *p = parked_find(&t->s->parked, w->conn);

    MUST(p);
    parked_wake(&t->s->parked, p);
    waiting_remove(&t->s->waiting, w);
}

static void answer_waiting(struct turn *t, const struct record *rec)
{
    struct waiting_reply *w = waiting_first(&t->s->waiting, rec->kind, rec->id);
    struct waiting_reply *next;

    for (; w; w = next) {
        struct wire_reply reply = { 0 };

        next = w->next;
        if (w->wait_for.why == WAIT_TO_ASK_AGAIN) {
            waiting_asks_again(t, w);
            continue;
        }
        if (!waiting_is_answered(t, rec, w, &reply))
            continue;
        send_reply(t, w->conn, &reply);
        waiting_remove(&t->s->waiting, w);
    }
}

static void react(struct turn *t, const struct record *rec)
{
    struct svr *s = t->s;
    const struct react_row *row = react_row(rec->fact, rec->kind);
    const react_fn columns[] = { row->log, row->account, row->mail, row->wake };
    const struct reaction r = {
        .m = s->m,
        .cfg = &s->cfg,
        .rec = rec,
        .o = s->m->gone ? s->m->gone : model_find(s->m, rec->kind, rec->id),
        .now_at = t->now_at,
        .out = t->out,
        .svr = s,
        .view = &s->view,
    };

    MUST(r.o);
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        if (columns[i])
            columns[i](&r);
}

static void take_up_record(struct turn *t, struct record *rec)
{
    struct svr *s = t->s;
    const struct object *o = model_find(s->m, rec->kind, rec->id);

    complete(s->m, rec, t->out->arena);
    rec->seq = s->m->seq + 1;
    effect_add(t->out, EFFECT_RECORD, rec->seq)->u.record = rec;
    if (o)
        touch_around(s, o);
    if (o && fact_removes(rec->fact)) {
        watch_forget(&s->watches, o);
        listings_leave(&s->listings, o);
        parked_leave(&s->parked, o);
    }
    model_apply(s->m, rec);
    if (!fact_removes(rec->fact))
        touch_around(s, model_find(s->m, rec->kind, rec->id));
    touch_for_settings(s, rec);
    moms_touch(s->moms, rec);
    react(t, rec);
    answer_waiting(t, rec);
#ifdef HF_CHECKS
    /* A recount costs as much as the model is large: the larger, the rarer. */
    if (rec->seq % (1 + s->m->created / 64) == 0)
        model_check(s->m);
#endif
}

void take_up(struct turn *t, struct decision *d)
{
    for (size_t i = 0; i < d->records.n; i++)
        take_up_record(t, d->records.v[i]);
    for (size_t i = 0; i < d->n_logs; i++)
        effect_log(t->out, t->s->m->seq, d->logs[i].event, d->logs[i].obj_class,
                   d->logs[i].object, "%s", d->logs[i].text);
}
