/* resv_dry.c - see resv_dry.h.
 *
 * The request is handled as if it were meant, and its records are looked at instead of
 * being taken up. Where they open a question, the reservation as they would make it is
 * shown to our schedulers, and what one of them answers is taken by the row of that
 * question's kind, like any answer; its records are looked at in their turn. Nothing is
 * kept but the request, which is parked: whenever it is asked again all of this is done
 * afresh, so that the verdict is about the model as it is then.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/resv_dry.h"

#include "server/decide/config.h"
#include "server/decide/counter_offer.h"
#include "server/decide/dry_resv.h"
#include "server/decide/dry_run.h"
#include "server/decide/dry_verdict.h"
#include "server/decide/know.h"
#include "server/decide/question_kind.h"
#include "server/decide/resv_proposal.h"
#include "server/decide/resv_question.h"
#include "server/decide/resv_record.h"
#include "server/decide/sched_link.h"
#include "server/model/node_life.h"
#include "server/model/occurrence.h"
#include "server/requests/show.h"

#include "lib/base/instant.h"
#include "lib/wire/confirm.h"

#include <string.h>

/* How long to wait for vnodes that were not heard of, as for any question. */
#define ASK_AGAIN_S       5

#define DEFAULT_PARTITION "pbs-default"

struct trying {
    const struct model *m;
    const struct request *rq; /* the ordinary one */
    handler_fn handle;
    const char *vnodes;
    struct decision *out;
    struct decision would; /* what it decides */
    struct dry_resv dry;   /* the reservation as that makes it */
    const char *id;
    const struct resv *r;           /* the one that is there, NULL: it is new */
    const struct occurrence *later; /* of it, that is meant; NULL: the current one */
};

static const struct record *find_fact(const struct records *list, enum fact fact)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i]->fact == fact)
            return list->v[i];
    return NULL;
}

/* The id in the ordinary request; NULL: it makes a new one. */
static const char *id_asked(const struct request *rq)
{
    switch (rq->wire->number) {
    case BATCH_MODIFY_RESV:
        return ((const struct body_modify_resv *)rq->body)->resv_id;
    case BATCH_DELETE_RESV:
        return ((const struct body_manage *)rq->body)->object_name;
    default:
        return NULL;
    }
}

/* Whom the request, which was not refused, is about. */
static void find_subject(struct trying *t)
{
    const char *id = id_asked(t->rq);
    const struct occurrence *oc = NULL;

    if (!id) {
        t->id = find_fact(&t->would.records, FACT_RESV_SUBMITTED)->id;
        return;
    }
    t->r = model_resv(t->m, id);
    MUST(t->r); /* the handler has found it */
    t->id = t->r->obj.id;
    if (t->rq->occurrence)
        oc = occurrence_at(t->m, t->r, t->rq->occurrence, t->rq->arena);
    t->later = oc && !occurrence_is_current(oc) ? oc : NULL;
}

/* As the verdict names it. */
static const char *name_of(const struct trying *t)
{
    if (!t->r)
        return "new";
    if (!t->rq->occurrence)
        return t->id;
    return occurrence_name(t->later ? t->later : &t->r->current, t->rq->arena);
}

static int tell(struct trying *t, struct dry_verdict *v, const struct records *more)
{
    v->name = name_of(t);
    v->id = t->id;
    v->r = t->r;
    v->later = t->later;
    v->lists[v->n_lists++] = &t->would.records;
    if (more)
        v->lists[v->n_lists++] = more;
    dry_verdict_reply(t->m, t->rq, v, t->out);
    return 0;
}

static int refuse_question(struct trying *t, const char *why)
{
    return diag_set(&t->out->why, PBSE_NOSUP, "%s: %s", pbse_text(PBSE_NOSUP), why);
}

/* The first place of an offer is that of what was asked about. */
static int take_offer(const struct trying *t, const struct resv_answer *a,
                      const struct body_offer_resv *offer)
{
    const char *id = t->later ? t->later->values->id : a->r->obj.id;

    MUST(offer->n > 0); /* its handler refused the others */
    if (strcmp(offer->offers[0].id, id) != 0 || !proposal_is_open(a->r))
        return diag_code(&a->out->why, PBSE_BADSTATE);
    return counter_offer_take(a, offer);
}

/* What a row of the question's kind makes of an answer. Only the last no is of
 * interest, so whoever says it is the only one who was asked. */
static int take(struct trying *t, const struct dry_resv *dry, const char *sched,
                const struct dry_answer *said, struct decision *ret)
{
    struct resv_answer a = {
        .m = t->m,
        .rq = t->rq,
        .out = ret,
        .r = &dry->r,
        .sched = sched,
        .partition = said->partition ? said->partition : DEFAULT_PARTITION,
        .vnodes = said->vnodes,
        .start_at = said->yes ? said->start_at : 0,
        .away = said->away,
        .reason = said->reason,
    };

    *ret = (struct decision){ .arena = t->out->arena };
    return said->offer ? take_offer(t, &a, said->offer) : question_take(&a, said->yes);
}

static bool has_fact(const struct records *list, enum fact fact)
{
    return find_fact(list, fact) != NULL;
}

static bool is_alteration(const struct trying *t)
{
    return t->rq->wire->number == BATCH_MODIFY_RESV;
}

static bool is_forced(const struct trying *t)
{
    return is_alteration(t) && t->rq->wire->extend;
}

/* The reservation as the request makes it. Of several schedulers who were asked the
 * last no is taken, so nobody else is waited for. */
static void make_dry(const struct trying *t, struct dry_resv *ret)
{
    struct records unasked = { 0 };
    const struct records *const lists[] = { &t->would.records, &unasked };
    struct record *rec = record_add(&unasked, t->rq->arena, FACT_SET, OBJ_RESV, t->id,
                                    t->rq->actor, t->rq->now_at);

    question_over(rec, t->rq->arena);
    dry_resv_init(ret, t->m, t->id, t->r, lists, ARRAY_LEN(lists), t->rq->arena);
}

/* What would become of an alteration that was denied, if a manager insisted. */
static bool force_would_do(struct trying *t, const struct dry_answer *no,
                           struct dry_verdict *v)
{
    struct wire_request wire = *t->rq->wire;
    struct requester manager = *t->rq->who;
    struct request rq = *t->rq;
    struct trying forced = *t;
    struct decision d;
    bool done = false;

    if (!is_alteration(t) || is_forced(t))
        return false;
    wire.extend = "force";
    manager.rights |= WHO_MANAGER;
    rq.wire = &wire;
    rq.who = &manager;
    rq.terms &= ~(uint32_t)RESV_ACT_PUSH;
    forced.rq = &rq;
    forced.would = (struct decision){ .arena = t->out->arena };
    if (t->handle(t->m, &rq, &forced.would) != 0)
        return false;
    if (has_fact(&forced.would.records, FACT_RESV_ALTERED))
        return tell(&forced, v, NULL) == 0;
    make_dry(&forced, &forced.dry);
    /* The wish of a forced one is made when the last scheduler has said no. */
    if (take(&forced, &forced.dry, "", no, &d) == 0 &&
        has_fact(&d.records, FACT_RESV_ALTERED))
        done = tell(&forced, v, &d.records) == 0;
    dry_resv_fini(&forced.dry);
    return done;
}

static int tell_denied(struct trying *t, const struct dry_answer *no)
{
    struct dry_verdict v = {
        .word = DRY_FORCE,
        .reason = no->reason ? no->reason : "the scheduler gave no reason",
        .earliest_at = (int64_t)MIN_OF(no->start_at, (uint64_t)INT64_MAX),
    };

    if (force_would_do(t, no, &v))
        return 0;
    v.word = DRY_DENY;
    v.n_lists = 0;
    return tell(t, &v, NULL);
}

static int tell_no(struct trying *t, const char *sched, const struct dry_answer *no)
{
    struct decision d;
    int err = take(t, &t->dry, sched, no, &d);

    if (!err && has_fact(&d.records, FACT_RESV_ALTERED)) {
        struct dry_verdict v = {
            .word = DRY_FORCE,
            .reason = no->reason,
            .earliest_at = (int64_t)MIN_OF(no->start_at, (uint64_t)INT64_MAX),
        };

        return tell(t, &v, &d.records);
    }
    return tell_denied(t, no);
}

/* Is what a scheduler found refused because something has changed meanwhile? Then it is
 * to look again. */
static bool tell_yes(struct trying *t, const char *sched, const struct dry_answer *yes)
{
    struct dry_verdict v = { .word = DRY_CONFIRM };
    struct decision d;

    if (take(t, &t->dry, sched, yes, &d) != 0)
        return false;
    if (has_fact(&d.records, FACT_RESV_ALTER_DENIED) ||
        has_fact(&d.records, FACT_RESV_ENDING)) {
        v.word = DRY_DENY;
        v.reason = obj_str(&t->dry.r.obj, RESV_A_ALTER_DENIED, NULL);
        for (size_t i = 0; i < d.records.n; i++)
            if (record_words(d.records.v[i]))
                v.reason = record_words(d.records.v[i]);
    }
    return tell(t, &v, &d.records) == 0;
}

/* The attributes that a scheduler reads of a reservation are those that it would ask
 * for; what is more does no harm. */
static const struct wire_object *shown(struct trying *t, uint64_t number,
                                       struct arena *arena)
{
    const struct wire_request status = { .number = BATCH_STATUS_RESV };
    struct requester daemon = *t->rq->who;
    struct decision d = { .arena = arena };
    struct asked all = { .all = true };
    struct request rq = *t->rq;
    struct wire_object *o;

    daemon.rights = WHO_ANYONE;
    rq.who = &daemon;
    rq.wire = &status;
    rq.arena = arena;
    show_object(t->m, &rq, &t->dry.r.obj, OBJECT_RESV, &all, &d);
    o = &d.reply.objects.v[0];
    /* A new one must not be taken for another one that gets its number. */
    if (!t->r)
        o->name = arena_printf(arena, "%c-%" PRIu64 ".%s", t->id[0], number,
                               t->rq->cfg->server_name);
    wire_attrs_add(&o->attrs, arena, ATTR_DRY_RUN, NULL,
                   arena_printf(arena, "%" PRIu64, number), WIRE_OP_SET);
    return o;
}

/* Whom the question is put to: every scheduler that would be asked, each of which has
 * to know of dry runs. 15029 with the reason. */
static int find_asked(struct trying *t, struct arena *arena, struct dry_run *d)
{
    const struct svr_view *view = t->rq->view;
    const char *names = question_asks(t->m, view, &t->dry.r, t->rq->arena);
    bool pushes = t->rq->terms & RESV_ACT_PUSH;

    if (!names)
        return refuse_question(t, "no scheduler is there to be asked");
    MODEL_EACH (t->m, OBJ_SCHED, o) {
        const struct sched_link *l = sched_link_find(view->links, o->id);

        if (!str_list_has(names, o->id))
            continue;
        if (!l || !l->may_try || (pushes && !l->may_offer))
            return refuse_question(
                t, arena_printf(t->rq->arena, "scheduler %s knows of no dry runs%s",
                                o->id, pushes ? " with --push" : ""));
        d->v = arena_grow(arena, d->v, d->n, &d->cap, 4, sizeof(*d->v));
        d->v[d->n++] = (struct dry_asked){ .sched = arena_strdup(arena, o->id) };
    }
    return 0;
}

static void wait(struct trying *t, struct dry_run *d)
{
    bool again = !d->is_put && d->again_at > t->rq->now_at;

    act_add(t->out, ACT_ASK_AGAIN)->u.wait_for = (struct wait_for){
        .why = WAIT_TO_ASK_AGAIN,
        .kind = OBJ_RESV,
        .id = d->id,
        .until_at = again ? MIN_OF(d->again_at, d->limit_at) : d->limit_at,
    };
}

static int put(struct trying *t)
{
    struct progress *p = t->rq->progress;
    struct dry_run *d = ARENA_NEW(p->arena, struct dry_run);
    uint64_t number = t->rq->who->conn; /* one request at a time */
    int err = find_asked(t, p->arena, d);

    if (err)
        return err;
    d->id = arena_strdup(p->arena,
                         t->r ? t->id
                              : arena_printf(t->rq->arena, "dry run %" PRIu64, number));
    d->object = *shown(t, number, p->arena);
    d->asked_at = t->rq->now_at;
    d->limit_at = instant_after(d->asked_at, resv_answer_time_s(t->m));
    d->is_put = true;
    p->dry = d;
    wait(t, d);
    return 0;
}

/* An answer that may be taken, NULL: they have not all said no, and nobody yes. */
static const struct dry_asked *answer_of(const struct dry_run *d)
{
    const struct dry_asked *last_no = NULL;

    for (size_t i = 0; i < d->n; i++) {
        if (d->v[i].has_answered && d->v[i].answer.yes)
            return &d->v[i];
        if (d->v[i].has_answered)
            last_no = &d->v[i];
    }
    for (size_t i = 0; i < d->n; i++)
        if (!d->v[i].has_answered)
            return NULL;
    return last_no;
}

static int tell_late(struct trying *t)
{
    const struct dry_answer no = {
        .reason =
            arena_printf(t->rq->arena, "no scheduler answered within %" PRId64 " s",
                         resv_answer_time_s(t->m)),
    };

    return tell_no(t, "", &no);
}

static void look_again(struct trying *t, struct dry_run *d, int64_t at)
{
    dry_run_put_again(d, at);
    if (at <= t->rq->now_at)
        d->is_put = true;
    wait(t, d);
}

/* The request has its turn again: there is an answer, or something else has happened.
 */
static int go_on(struct trying *t, struct dry_run *d)
{
    const struct dry_asked *said = answer_of(d);
    int64_t now_at = t->rq->now_at;

    if (d->is_lost)
        return refuse_question(t, "the scheduler has gone");
    if (said && said->answer.yes && tell_yes(t, said->sched, &said->answer))
        return 0;
    if (said && !said->answer.yes && (is_forced(t) || !nodes_are_awaited(t->m)))
        return tell_no(t, said->sched, &said->answer);
    if (now_at >= d->limit_at)
        return tell_late(t);
    if (said) {
        /* A yes that does not hold is asked about at once, but not again and again. A
         * no that may be for vnodes alone that have not reported yet is not final. */
        d->object = *shown(t, t->rq->who->conn, t->rq->progress->arena);
        look_again(t, d,
                   said->answer.yes && d->n_refused++ == 0
                       ? now_at
                       : instant_after(now_at, ASK_AGAIN_S));
        return 0;
    }
    if (!d->is_put && d->again_at <= now_at)
        d->is_put = true;
    wait(t, d);
    return 0;
}

/* A scheduler has to be asked. */
static int ask(struct trying *t)
{
    struct progress *p = t->rq->progress;

    if (p && p->dry)
        return go_on(t, p->dry);
    if (p)
        return put(t);
    act_add(t->out, ACT_GO_ON); /* where an answer can be kept */
    return 0;
}

/* Maintenance is asked about by nobody: whoever makes it says its vnodes. */
static int tell_maintenance(struct trying *t)
{
    const struct dry_answer yes = { .yes = true, .vnodes = t->vnodes };
    struct dry_verdict v = { .word = DRY_CONFIRM };
    struct decision d;
    int err;

    if (!t->vnodes)
        return refuse_question(t, "the vnodes of maintenance have to be named");
    err = take(t, &t->dry, "", &yes, &d);
    if (err) {
        t->out->why = d.why;
        return err;
    }
    return tell(t, &v, &d.records);
}

static int tell_now(struct trying *t)
{
    bool forced = is_forced(t) && has_fact(&t->would.records, FACT_RESV_ALTERED);
    struct dry_verdict v = { .word = forced ? DRY_FORCE : DRY_CONFIRM };

    if (forced)
        v.reason = question_asks(t->m, t->rq->view, t->r, t->rq->arena)
                       ? "the scheduler is of another make and is not asked"
                       : "no scheduler is there to be asked";
    return tell(t, &v, NULL);
}

static int look(struct trying *t)
{
    const struct records *list = &t->would.records;
    enum question_kind kind;
    int err;

    find_subject(t);
    if (!has_fact(list, FACT_RESV_SUBMITTED) && !has_fact(list, FACT_RESV_ALTER_ASKED))
        return tell_now(t);
    make_dry(t, &t->dry);
    kind = question_kind(&t->dry.r);
    if (kind == QUESTION_MAINTAIN)
        err = tell_maintenance(t);
    else if (kind == QUESTION_NEW || kind == QUESTION_ALTER)
        err = ask(t);
    else
        err = tell_now(t);
    dry_resv_fini(&t->dry);
    return err;
}

int resv_dry_run(const struct model *m, const struct request *rq, handler_fn handle,
                 const char *vnodes, struct decision *out)
{
    const struct dry_run *d = rq->progress ? rq->progress->dry : NULL;
    struct trying t = { .m = m, .rq = rq, .handle = handle, .vnodes = vnodes };
    struct request first = *rq;
    int err;

    t.out = out;
    t.would = (struct decision){ .arena = out->arena };
    /* What was right when it was asked for does not become wrong while a scheduler
     * thinks; the answer is judged by what is so then. */
    if (d) {
        first.now_at = d->asked_at;
        first.progress = NULL;
    }
    err = handle(m, &first, &t.would);
    if (err) {
        out->why = t.would.why;
        out->why_text = t.would.why_text;
        out->logs = t.would.logs;
        out->n_logs = t.would.n_logs;
        out->cap_logs = t.would.cap_logs;
        return err;
    }
    /* It waits before it decides: for a job that is being started. */
    if (act_find(&t.would, ACT_ASK_AGAIN)) {
        out->acts = t.would.acts;
        return 0;
    }
    return look(&t);
}
