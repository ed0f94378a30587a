/* take_up.c - a decision becomes fact: its records get their numbers and what was
 * before, are handed to the store, applied to the model, and told.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "server/decide/denials.h"
#include "server/decide/next_number.h"
#include "server/engine/svr_priv.h"
#include "server/model/job_order.h"
#include "server/model/resv_state.h"
#include "server/moms/moms.h"
#include "server/react/react.h"

#include <string.h>

struct decision turn_decision(const struct turn *t)
{
    return (struct decision){ .arena = t->out->arena, .shows_seq = SHOWS_ANYTHING };
}

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
    const struct attr_members members =
        attr_value_members(type, obj_attr(o, attr), arena);

    for (size_t i = 0; i < members.n; i++) {
        record_change(to, arena, attr, members.v[i].name, NULL);
        to->changes[to->n_changes - 1].before = members.v[i].text;
    }
}

/* The change with which this very record has taken the member away, from the 'first'
 * on; NULL: it has not. */
static struct change *taken_away(const struct record *rec, size_t first,
                                 const struct change *c)
{
    for (size_t i = first; c->resource && i < rec->n_changes; i++)
        if (rec->changes[i].attr == c->attr &&
            str_same(rec->changes[i].resource, c->resource))
            return &rec->changes[i];
    return NULL;
}

/* A list is unset and then filled anew in one record: what gets the value that it had
 * stays as it is. */
static void put_back(struct record *rec, struct change *was, const char *after)
{
    struct change *end = rec->changes + rec->n_changes;

    was->after = after;
    if (!str_same(was->before, after))
        return;
    memmove(was, was + 1, (size_t)(end - was - 1) * sizeof(*was));
    rec->n_changes--;
}

/* Fill in what was before, and leave out what changes nothing. The record outlives the
 * objects that it speaks of, so its texts become its own: they may be an object's id.
 */
static void complete(const struct model *m, struct record *rec, struct arena *arena)
{
    const struct object *o = model_find(m, rec->kind, rec->id);
    const struct attr_table *table = kind_table(rec->kind);
    struct record to = *rec;
    size_t first_list = SIZE_MAX; /* where the first list was unset */

    /* The store writes the record later, on a thread of its own, when the object may be
     * gone. */
    to.id = arena_strdup(arena, rec->id);
    to.actor = arena_strdup(arena, rec->actor);
    to.note = arena_strdup(arena, rec->note);
    to.changes = NULL;
    to.n_changes = to.cap_changes = 0;
    for (size_t i = 0; i < rec->n_changes; i++) {
        const struct change *c = &rec->changes[i];
        bool members = attr_type_has_members(table->rows[c->attr].type);
        const char *before = o ? text_before(o, c, arena) : NULL;
        struct change *was = taken_away(&to, first_list, c);

        if (members && !c->resource) {
            MUST(!c->after);
            first_list = MIN_OF(first_list, to.n_changes);
            if (o)
                complete_list(&to, o, c->attr, arena);
        } else if (was) {
            put_back(&to, was, arena_strdup(arena, c->after));
        } else if (!str_same(before, c->after)) {
            /* A change to what is so already is left out, so the store writes what is
             * new and nothing else. */
            record_change(&to, arena, c->attr, arena_strdup(arena, c->resource),
                          arena_strdup(arena, c->after));
            to.changes[to.n_changes - 1].before = before;
        }
    }
    *rec = to;
}

void send_reply(struct turn *t, uint64_t conn, const struct wire_reply *reply)
{
    struct effect *e;

    /* Nobody waits. */
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

static int unknown_code(const struct record *rec)
{
    if (fact_retires(rec->fact))
        return PBSE_HISTJOBID;
    return rec->kind == OBJ_RESV || rec->kind == OBJ_OCCURRENCE ? PBSE_UNKRESVID
                                                                : PBSE_UNKJOBID;
}

/* What is not there any more, except for those who ask for history. */
static bool takes_away(const struct record *rec)
{
    return fact_removes(rec->fact) || fact_retires(rec->fact);
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
    /* A fact that says nothing to those who wait leaves them waiting, unless their
     * object is gone. */
    if (!takes_away(rec))
        return false;
    *ret = refusal(t->out->arena, unknown_code(rec), NULL);
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

        /* The entry may go in this step. */
        next = w->next;
        if (w->wait_for.why == WAIT_TO_ASK_AGAIN) {
            waiting_asks_again(t, w);
            continue;
        }
        if (!waiting_is_answered(t, rec, w, &reply))
            continue;
        if (waiting_takes(w, &reply, t->out->arena))
            send_reply(t, w->conn, &reply);
        waiting_remove(&t->s->waiting, w);
    }
}

static void react(struct turn *t, const struct record *rec)
{
    struct svr *s = t->s;
    const struct react_row *row = react_row(rec->fact, rec->kind);
    const react_fn columns[] = { row->log, row->account, row->mail, row->wake,
                                 row->call };
    const struct reaction r = {
        .m = s->m,
        .cfg = &s->cfg,
        .rec = rec,
        /* Of an object that was removed by this record the reactions still have to
         * tell. */
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

/* A reservation that was never confirmed goes; why is remembered beside the model.
 * records.c finds the same facts in the journal. */
static void note_denial(struct svr *s, const struct record *rec, const struct object *o)
{
    const char *reason = rec->note;

    if (rec->fact == FACT_RESV_ENDING && resv_phase(TO_RESV(o)) == PHASE_UNCONFIRMED)
        reason = denial_of_ending(rec->reason);
    else if (rec->fact != FACT_RESV_DENIED)
        return;
    if (rec->fact == FACT_RESV_DENIED || reason)
        denials_add(s->denials, rec->id, obj_str(o, RESV_A_RESERVE_OWNER, ""), reason,
                    rec->at);
}

/* The object is about to go: whoever stands on it goes on without it. */
static void tell_leaving(struct svr *s, const struct object *o, bool retires)
{
    watch_forget(&s->watches, o);
    listings_leave(&s->listings, o, retires);
    parked_leave(&s->parked, o, retires);
    stop_leave(&s->stop, o);
}

static void tell_moved(struct svr *s, const struct job *job, struct rank_place was)
{
    if (rank_is_same(was, job_order_place(job)))
        return;
    listings_moved(&s->listings, job, was);
    parked_moved(&s->parked, job, was);
}

static void apply(struct svr *s, const struct object *o, const struct record *rec)
{
    const struct job *job = o && rec->kind == OBJ_JOB ? TO_JOB(o) : NULL;
    struct rank_place was = job ? job_order_place(job) : RANK_PLACE_FIRST;

    model_apply(s->m, rec);
    if (job && !fact_removes(rec->fact))
        tell_moved(s, job, was);
}

static void take_up_record(struct turn *t, struct record *rec)
{
    struct svr *s = t->s;
    const struct object *o = model_find(s->m, rec->kind, rec->id);

    complete(s->m, rec, t->out->arena);
    /* Numbers are given here and nowhere else, so they rise without gaps. */
    rec->seq = s->m->seq + 1;
    effect_add(t->out, EFFECT_RECORD, rec->seq)->u.record = rec;
    /* Who looks at the object before the change looks again, and so does who looks at
     * it afterwards. */
    if (o)
        touch_around(s, o, rec);
    if (o && takes_away(rec))
        tell_leaving(s, o, fact_retires(rec->fact));
    /* From here on the record is true for everybody inside. Outside nobody hears of it
     * before it is durable. */
    note_denial(s, rec, o);
    apply(s, o, rec);
    if (fact_creates(rec->fact) && (rec->kind == OBJ_JOB || rec->kind == OBJ_RESV))
        number_given(s->m, rec->kind, rec->id, &s->view.next_number);
    if (!fact_removes(rec->fact))
        touch_around(s, model_find(s->m, rec->kind, rec->id), rec);
    touch_for_settings(s, rec);
    moms_touch(s->moms, rec);
    react(t, rec);
    /* The answer is put together last, from what the record has made true. */
    answer_waiting(t, rec);
#ifdef HF_CHECKS
    /* A recount costs as much as the model is large: the larger, the rarer. */
    if (rec->seq % (1 + s->m->created / 64) == 0)
        model_check(s->m);
#endif
}

/* What is attempted is told whatever comes of it, so that it waits for no record. */
static void tell_lines(struct turn *t, const struct decision *d)
{
    uint64_t seq = d->logs_lead ? 0 : t->s->m->seq;

    for (size_t i = 0; i < d->n_logs; i++)
        effect_log(t->out, seq, d->logs[i].event, d->logs[i].obj_class,
                   d->logs[i].object, "%s", d->logs[i].text);
}

void take_up(struct turn *t, struct decision *d)
{
    if (d->logs_lead)
        tell_lines(t, d);
    for (size_t i = 0; i < d->records.n; i++)
        take_up_record(t, d->records.v[i]);
    if (!d->logs_lead)
        tell_lines(t, d);
}
