/* svr_request.c - a request: who may come in and ask, its decision, and what becomes of
 * it: an answer, a refusal, or another turn.
 *
 * A reply is put together after the records that it speaks of. A request that is kept
 * (kept_request.h) is asked nothing any more that could end it in its middle.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/host_book.h"
#include "server/decide/kept_request.h"
#include "server/decide/know.h"
#include "server/decide/same_user.h"
#include "server/engine/acts.h"
#include "server/engine/svr_priv.h"
#include "server/requests/handlers.h"
#include "server/requests/server_acl.h"

static void log_refusal(struct turn *t, const struct request *rq,
                        const struct wire_reply *reply)
{
    uint32_t event = LOG_EV_DEBUG | (reply->code == PBSE_BADHOST ? LOG_EV_SECURITY : 0);

    effect_log(t->out, t->s->m->seq, event, LOG_IN_REQUEST, "req_reject",
               "Reject reply code=%d, aux=%d, type=%u, from %s", reply->code,
               reply->aux, rq->wire->number, rq->actor);
}

static void refuse(struct turn *t, const struct request *rq, int code, const char *text,
                   bool silent)
{
    struct wire_reply reply = refusal(t->out->arena, code, text);

    log_refusal(t, rq, &reply);
    if (!silent)
        send_reply(t, rq->who->conn, &reply);
}

/* The store fails: what is said of it need not wait for the store. */
static enum svr_outcome refuse_unsaved(struct turn *t, const struct request *rq,
                                       const struct decision *d, bool silent)
{
    size_t first = t->out->n;
    enum svr_outcome outcome;

    refuse(t, rq, PBSE_SAVE_ERR, NULL, silent);
    for (size_t i = first; i < t->out->n; i++)
        /* Number 0 is durable always, so the effects leave at once. */
        t->out->v[i].seq = 0;
    outcome = acts_after_refusal(t, rq, d);
    return outcome == SVR_ANSWERED && silent ? SVR_SILENT : outcome;
}

static bool is_kept(const struct svr *s, const struct request *rq)
{
    return kept_request_find(s->m, rq->progress) != NULL;
}

static int may_ask(const struct svr *s, const struct request_row *row,
                   const struct request *rq)
{
    if (is_kept(s, rq))
        return 0;
    if (!(rq->who->rights & row->who))
        return PBSE_PERM;
    /* A server that ends takes no new work, and still answers questions. */
    if (row->not_stopping && s->view.stopping != STOP_NOT)
        return PBSE_SVRDOWN;
    return 0;
}

void close_conn(struct turn *t, uint64_t conn)
{
    /* A parked request that is not answered, or whose client has gone, has none. */
    if (conn == 0)
        return;
    effect_add(t->out, EFFECT_CLOSE, t->s->m->seq)->u.close_conn = conn;
}

/* What is done in part is answered with a code, and told like a refusal. */
static void reply_to(struct turn *t, const struct request *rq, const struct decision *d)
{
    const struct wire_reply *reply = &d->reply;
    size_t before;

    if (reply->code && reply->choice == REPLY_TEXT)
        log_refusal(t, rq, reply);
    before = t->out->n;
    send_reply(t, rq->who->conn, reply);
    /* It waits for the records that it shows and for no others. */
    MUST(d->shows_seq == SHOWS_ANYTHING || d->records.n == 0);
    if (t->out->n > before)
        t->out->v[before].seq = MIN_OF(t->out->v[before].seq, d->shows_seq);
}

static const char *refusal_words(const struct decision *d, int code)
{
    if (d->why_text)
        return d->why_text;
    return d->why.code == code ? d->why.text : NULL;
}

/* It changes something, or waits for what can only come with a change. */
static bool needs_store(const struct decision *d)
{
    return d->records.n > 0 || acts_need_store(d);
}

/* The reply to a request that has changed nothing. */
static void mark_look(struct effects *out, size_t from, uint64_t conn)
{
    for (size_t i = from; i < out->n; i++)
        /* Such a reply may leave even when the store is given up, since it promises
         * nothing. */
        if (out->v[i].kind == EFFECT_REPLY && out->v[i].u.reply.conn == conn)
            out->v[i].u.reply.reads_only = true;
}

static int too_many(struct diag *why)
{
    return diag_set(why, PBSE_IVALREQ, "%s: too many long requests at a time",
                    pbse_text(PBSE_IVALREQ));
}

/* One slice of a request that goes on, or waits to be asked again. False: its user has
 * too many of them. */
static bool go_on_later(struct turn *t, const struct request *rq, struct decision *d)
{
    const struct act *again = act_find(d, ACT_ASK_AGAIN);
    const struct act *wait = act_find(d, ACT_WAIT_JOBS);
    struct parked_table *parked = &t->s->parked;
    struct parked *p;

    p = rq->progress ? STRUCT_OF(rq->progress, struct parked, progress)
                     : parked_add(parked, rq, false, &t->s->inquiries);
    if (!p)
        return false;
    p->let_in = true;
    take_up(t, d);
    if (wait)
        acts_gather(t, p, rq, wait);
    if (!again)
        return true;
    p = parked_find(parked, rq->who->conn);
    MUST(p && !p->waits && again->u.wait_for.until_at && d->records.n == 0);
    /* The time is kept with the request, which is decided afresh and then finds how
     * long it may still wait. */
    p->progress.waits_until_at = again->u.wait_for.until_at;
    parked_wait(parked, p);
    waiting_add(&t->s->waiting, p->conn, rq->wire->number, rq->actor, t->s->m->seq,
                &again->u.wait_for);
    dry_runs_wake(t, p);
    return true;
}

static enum svr_outcome refuse_decision(struct turn *t, const struct request *rq,
                                        struct decision *d, int err, bool silent)
{
    size_t before = t->out->n;
    enum svr_outcome outcome;

    /* What a refused request has decided never becomes fact. */
    d->records.n = 0;
    take_up(t, d); /* log lines that come with the refusal */
    refuse(t, rq, err, refusal_words(d, err), silent);
    mark_look(t->out, before, rq->who->conn);
    outcome = acts_after_refusal(t, rq, d);
    return outcome == SVR_ANSWERED && silent ? SVR_SILENT : outcome;
}

static enum svr_outcome grant(struct turn *t, const struct request *rq,
                              struct decision *d, bool silent)
{
    bool changes = d->records.n > 0;
    size_t before = t->out->n;
    enum svr_outcome outcome;

    MUST(!silent || !acts_answer(d)); /* who is not answered does not wait either */
    /* The records come first, so the reply has a number behind them and leaves after
     * they are durable. */
    take_up(t, d);
    if (!silent && !acts_answer(d))
        reply_to(t, rq, d);
    outcome = acts_carry_out(t, rq, d);
    if (!changes)
        mark_look(t->out, before, rq->who->conn);
    return outcome == SVR_ANSWERED && silent ? SVR_SILENT : outcome;
}

static int decide_request(struct turn *t, const struct request_row *row,
                          const struct request *rq, struct decision *d)
{
    /* Rights come before the handler, so no handler has to ask for what its row
     * says. */
    int err = may_ask(t->s, row, rq);

    if (err)
        return diag_code(&d->why, err);
    err = row->handle(t->s->m, rq, d);
    MUST(err != NEEDED || rq->knows.needs->n > 0);
    MUST(err != 0 || rq->knows.needs->n == 0); /* what was decided did not go by it */
    return err;
}

static enum svr_outcome serve(struct turn *t, const struct request_row *row,
                              const struct request *rq)
{
    struct decision d = turn_decision(t);
    int err = decide_request(t, row, rq, &d);

    /* Something has to be found out first. The request is parked and decided afresh
     * with the answer. */
    if (err == NEEDED) {
        if (wait_for_needs(t, rq, true, row->silent))
            return SVR_PARKED;
        err = too_many(&d.why);
    } else if (err == 0 && t->s->store_failed && needs_store(&d) &&
               !is_kept(t->s, rq)) {
        /* Nothing can be stored, so nothing may be promised. */
        return refuse_unsaved(t, rq, &d, row->silent);
    } else if (err == 0 && acts_park(&d)) {
        MUST(!row->silent);
        if (go_on_later(t, rq, &d))
            return SVR_PARKED;
        err = too_many(&d.why);
    }
    if (err == 0)
        /* The acts are asked last: they depend on connections and not on the model. */
        err = acts_may(t, rq, &d);
    return err ? refuse_decision(t, rq, &d, err, row->silent)
               : grant(t, rq, &d, row->silent);
}

/* It is refused at the door. */
static enum svr_outcome keep_out(struct turn *t, const struct request *rq, int err,
                                 bool silent)
{
    if (err == PBSE_BADHOST)
        effect_log(t->out, t->s->m->seq, LOG_EV_SECURITY, LOG_IN_REQUEST, "", "%s %s",
                   pbse_text(err), rq->who->host);
    refuse(t, rq, err, NULL, silent);
    /* A user who is refused keeps the connection; a host that is refused loses it. */
    if (err != PBSE_BADHOST)
        return silent ? SVR_SILENT : SVR_ANSWERED;
    host_book_refresh(t->s->hosts, t->now_at); /* a MoM's host may have moved */
    close_conn(t, rq->who->conn);
    return SVR_CLOSED;
}

static bool asks_as_owner(const struct model *m, const struct request_row *row,
                          const struct requester *who)
{
    if (who->rights & (WHO_STAFF | WHO_DAEMON))
        return false;
    return row->of_owner == OWNER_IS_ASKED ||
           (row->of_owner == OWNER_IS_ASKED_IF_HIDDEN &&
            !obj_num(m->server, SERVER_A_QUERY_OTHER_JOBS, 1));
}

/* Whether the requester, rq->who, is the account of its name here: 0 or NEEDED. */
static int know_account(const struct model *m, const struct request_row *row,
                        const struct request *rq, struct requester *who)
{
    struct diag unused = { 0 };
    int err;

    MUST(rq->who == who);
    if (who->equivalent || !asks_as_owner(m, row, who))
        return 0;
    err = requester_is_account(m, rq, &unused);
    who->equivalent = err == 0;
    return err == NEEDED ? NEEDED : 0;
}

/* The server's access lists come before everything but a registration (wire.md 5). */
static enum svr_outcome enter(struct turn *t, const struct request_row *row,
                              const struct request *rq, struct requester *who)
{
    struct diag why = { 0 };
    int err =
        rq->wire->number == BATCH_REGISTER_SCHED ? 0 : server_lets_in(t->s->m, rq);

    if (err == 0)
        err = know_account(t->s->m, row, rq, who);
    if (err == 0)
        return serve(t, row, rq);
    if (err != NEEDED)
        return keep_out(t, rq, err, row->silent);
    if (wait_for_needs(t, rq, false, row->silent))
        return SVR_PARKED;
    err = too_many(&why);
    refuse(t, rq, err, why.text, row->silent);
    return row->silent ? SVR_SILENT : SVR_ANSWERED;
}

/* The requester with what the engine knows of the connection. */
static struct requester complete_requester(const struct svr *s,
                                           const struct requester *who)
{
    const struct sched_link *l = sched_link_of_conn(&s->links, who->conn);
    struct requester full = *who;

    full.rights = requester_rights(s->m, who->user, who->host, who->server_uid);
    full.scheduler = l && sched_link_is_up(l) && l->conn[0] == who->conn;
    if (who->host_root)
        full.rights |= WHO_STAFF;
    /* Registered schedulers may do everything, on both of their connections. */
    if (l && sched_link_is_up(l))
        full.rights = WHO_ANYONE;
    if (who->peer)
        full.rights = WHO_ANYONE;
    if (full.scheduler)
        full.user = "Scheduler";
    return full;
}

/* What the engine adds to a request of 'full'. */
static struct request complete_request(struct svr *s, int64_t now_at,
                                       const struct wire_request *wire,
                                       const struct requester *full,
                                       struct needs *needs, struct arena *arena)
{
    return (struct request){
        .wire = wire,
        .body = wire->body,
        .who = full,
        .actor = arena_printf(arena, "%s@%s", full->user, full->host),
        .now_at = now_at,
        .arena = arena,
        .cfg = &s->cfg,
        .view = &s->view,
        .knows = { .facts = s->facts, .needs = needs },
    };
}

enum svr_outcome svr_request(struct svr *s, int64_t now_at, const struct requester *who,
                             const struct wire_request *wire, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);
    struct requester full = complete_requester(s, who);
    const struct request_row *row = request_row(wire->number);
    struct needs needs = { 0 };
    struct request rq = complete_request(s, now_at, wire, &full, &needs, out->arena);
    enum svr_outcome outcome = SVR_CLOSED;

    if (!row) {
        refuse(&t, &rq, PBSE_UNKREQ, NULL, false);
        close_conn(&t, who->conn);
    } else {
        outcome = enter(&t, row, &rq, &full);
    }
    /* Also after a refusal: rules may be due by the time that has passed. */
    settle(&t);
    /* Its connection does not wait for what is not answered. */
    return outcome == SVR_PARKED && row->silent ? SVR_SILENT : outcome;
}

bool svr_has_work(const struct svr *s)
{
    return s->parked.n_ready > 0 || svr_is_settling(s);
}

/* Who asks is looked at afresh: rights may have changed since the last slice. */
static struct requester who_goes_on(const struct svr *s, const struct parked *p)
{
    const struct object *kept = kept_request_find(s->m, &p->progress);
    struct requester full = complete_requester(s, &p->who);

    if (kept)
        full.rights = kept_request_rights(kept);
    return full;
}

/* It is over, so no later life of the server has to go on with it. */
static void forget_kept(struct turn *t, const struct parked *p)
{
    const struct object *o = kept_request_find(t->s->m, &p->progress);
    struct decision d = turn_decision(t);

    if (!o)
        return;
    record_add(&d.records, d.arena, FACT_DELETED, OBJ_REQUEST, o->id, t->s->actor,
               t->now_at);
    take_up(t, &d);
}

static struct svr_fate go_on_with_request(struct turn *t)
{
    struct svr *s = t->s;
    struct parked *p = parked_turn(&s->parked);
    uint64_t before = s->m->seq;
    struct needs needs = { 0 };
    struct requester full;
    struct svr_fate fate;
    struct request rq;

    MUST(p);
    full = who_goes_on(s, p);
    rq = complete_request(s, t->now_at, &p->wire, &full, &needs, t->out->arena);
    rq.progress = &p->progress;
    rq.knows.learned = p->asker.learned;
    rq.knows.number = p->asker.number;
    fate.conn = p->conn;
    /* The door is asked again only when the request has not been let in before. */
    fate.outcome = p->let_in ? serve(t, request_row(p->wire.number), &rq)
                             : enter(t, request_row(p->wire.number), &rq, &full);
    p->who.equivalent = full.equivalent; /* in all of its slices */
    if (fate.outcome == SVR_PARKED) {
        /* From now on the request is carried to its end, even if its client goes. */
        p->began |= s->m->seq > before;
        return fate;
    }
    /* It was refused in a later slice: what was gathered is waited for no more. */
    if (p->group)
        waiting_drop_conn(&s->waiting, p->conn);
    forget_kept(t, p);
    parked_remove(&s->parked, p);
    return fate;
}

/* Requests and what was put off take turns. */
struct svr_fate svr_go_on(struct svr *s, int64_t now_at, struct effects *out)
{
    struct turn t = turn_begin(s, now_at, out);
    bool rest = svr_is_settling(s) && (!s->rest_had_turn || s->parked.n_ready == 0);
    struct svr_fate fate = { 0, SVR_PARKED };

    if (!svr_has_work(s))
        return fate;
    /* Neither of the two can keep the other one from its turn. */
    s->rest_had_turn = rest;
    if (rest) {
        settle_rest(&t);
    } else {
        fate = go_on_with_request(&t);
        settle(&t);
    }
    return fate;
}
