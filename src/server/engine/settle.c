/* settle.c - what is due by itself: rules until none has anything to say, then commands
 * to MoMs and schedulers.
 *
 * One turn takes up so much and no more; the rest is put off to later turns, others are
 * served in between (doc/design/006). So a handler may see a model of which not all has
 * followed yet: a reservation that has ended and still has jobs, a vnode that is lost
 * and whose reservations are not degraded yet. That is no new state: each record of
 * what follows was always a fact of its own, and the server may be killed after any.
 * What is told from the outside of all of it waits until everything has followed:
 * commands to schedulers, and the end of the time that a reply waits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/know.h"
#include "server/engine/svr_priv.h"
#include "server/moms/moms.h"

/* A rule that speaks more often about one object in one settling than this and once for
 * each object that there was does not settle: its record does not make its condition
 * false. That is our mistake. The server's own rules may speak of each end, and a chain
 * of jobs that wait for each other ends one by one. */
#define SAID_MAX    1000

/* What it costs to look at an object and to take up a record, in the units of
 * config_slice_cost(). */
#define LOOK_COST   5
#define RECORD_COST 60

/* Jobs that one turn looks at for their MoMs: each may be sent a job or a signal. */
#define PUMP_JOBS   100

struct rule_context rule_context(const struct svr *s, int64_t now_at,
                                 struct arena *arena, struct needs *needs)
{
    needs->n = 0;
    return (struct rule_context){
        .m = s->m,
        .now_at = now_at,
        .server_actor = s->actor,
        .arena = arena,
        .cfg = &s->cfg,
        .view = &s->view,
        .knows = { .facts = s->facts, .needs = needs },
    };
}

void rules_know(struct rule_context *c, const struct watch *x)
{
    c->knows.learned = x && x->asker ? x->asker->learned : NULL;
    c->knows.number = x && x->asker ? x->asker->number : 0;
}

/* What a rule has said is taken up; 'o' may be gone. The answers that the rule has used
 * for it are forgotten: it may go on asking for as long as the server lives. */
static void forget_used(struct turn *t, const struct object *o)
{
    const struct watch *x = watch_find(&t->s->watches, o);

    if (x && x->asker && x->asker->learned)
        facts_forget_used(x->asker->learned);
}

/* No rule of the object has anything to say now: it may be that one has to know more
 * first. What they have learned is forgotten as soon as none has. */
static void nothing_is_said(struct turn *t, struct watch *x, struct needs *needs)
{
    if (needs->n > 0)
        rules_wait(t, x, needs);
    else
        watch_knows_enough(x);
}

/* How many records a rule of the object had to say; the object may be gone then, and
 * its watch with it. */
static size_t rules_say(struct turn *t, struct watch *x)
{
    struct needs needs;
    struct rule_context c = rule_context(t->s, t->now_at, t->out->arena, &needs);
    /* The watch is not used after take_up(), since it may have gone with its object. */
    const struct object *o = x->o;

    rules_know(&c, x);
    for (size_t i = 0; i < n_rule_rows; i++) {
        struct decision d = turn_decision(t);
        size_t n_missed = needs.n;

        if (c.knows.learned)
            facts_begin_use(c.knows.learned);
        /* The first rule that has something to say is heard; the others look again
         * after its records. */
        if (rule_rows[i].kind != o->kind || !rule_rows[i].due(&c, o, &d))
            continue;
        MUST(d.records.n > 0);     /* who said that something is due has said what */
        MUST(needs.n == n_missed); /* ... and did not do so without knowing enough */
        take_up(t, &d);
        forget_used(t, o);
        return d.records.n;
    }
    nothing_is_said(t, x, &needs);
    return 0;
}

/* A deadline that has passed without anything due sleeps until a record wakes it. */
static int64_t next_deadline(const struct turn *t, const struct object *o)
{
    int64_t at = INT64_MAX;

    for (size_t i = 0; i < n_rule_rows; i++) {
        int64_t rule_at;

        if (rule_rows[i].kind != o->kind || !rule_rows[i].deadline)
            continue;
        rule_at = rule_rows[i].deadline(t->s->m, o);
        if (rule_at > t->now_at)
            at = MIN_OF(at, rule_at);
    }
    return at;
}

/* Returns what it cost. */
static size_t run_rules(struct turn *t, struct watch *x)
{
    struct watches *w = &t->s->watches;
    const struct object *o = x->o;
    size_t n;

    /* The count begins anew in each settling. */
    if (x->settling != w->settling) {
        x->settling = w->settling;
        x->n_said = 0;
    }
    MUST(x->n_said < w->most_said);
    x->n_said++; /* the watch may go with its object */
    n = rules_say(t, x);
    /* The records may have made another rule of the same object due. */
    if (n > 0) {
        watch_again(w, o);
        return LOOK_COST + n * RECORD_COST;
    }
    x->n_said--;
    watch_set_deadline(w, x, next_deadline(t, o));
    return LOOK_COST;
}

struct moms_turn moms_turn(const struct turn *t, struct decision *d)
{
    *d = turn_decision(t);
    return (struct moms_turn){
        .m = t->s->m,
        .cfg = &t->s->cfg,
        .now_at = t->now_at,
        .actor = t->s->actor,
        .out = d,
        .effects = t->out,
    };
}

static bool pump_moms(struct turn *t)
{
    struct decision d;
    struct moms_turn mt = moms_turn(t, &d);

    if (!moms_pump(t->s->moms, &mt, PUMP_JOBS))
        return false;
    take_up(t, &d);
    return true;
}

/* One turn's share of what follows. */
static void settle_slice(struct turn *t)
{
    struct watches *w = &t->s->watches;
    size_t most = config_slice_cost(&t->s->cfg), cost = 0;
    struct watch *x;

    /* Rules and MoMs answer each other: a job that ends at its MoM makes rules due, and
     * rules end jobs. */
    do {
        while (cost < most && (x = watch_take(w)))
            cost += run_rules(t, x);
    } while (pump_moms(t) && cost < most);
    /* What is left keeps its order and has its turn later. */
    watches_put_off(w);
}

/* Who waits for something has waited long enough; what is due by the same time is
 * looked at first, since it may be what they wait for. */
static void end_waiting(struct turn *t)
{
    struct svr *s = t->s;
    struct waiting_reply *w;

    if (watch_deadline(&s->watches) <= t->now_at)
        return;
    /* A wait that is over is answered with what is true now. */
    while ((w = waiting_overdue(&s->waiting, t->now_at)))
        wait_is_over(t, w);
}

/* A scheduler that waits for jobs to leave is told how far they are, so that it comes
 * to the question for which its cycle is cut. */
static void end_its_wait(struct turn *t, const struct sched_link *l)
{
    const struct parked *p = parked_find(&t->s->parked, l->conn[0]);
    struct waiting_reply *w =
        p && p->waits ? waiting_of_conn(&t->s->waiting, l->conn[0]) : NULL;

    if (w && w->wait_for.why == WAIT_TO_ASK_AGAIN)
        waiting_asks_again(t, w);
}

void pump_schedulers(struct turn *t)
{
    const struct sched_turn turn = { t->s->m, t->s->store_failed, t->now_at };
    struct sched_link *l, *next;

    HASH_ITER (hh, t->s->links.by_name, l, next) {
        bool was_cut = l->is_cut;

        sched_link_pump(l, &turn, t->out);
        if (l->is_cut && !was_cut)
            end_its_wait(t, l);
    }
}

bool svr_is_settling(const struct svr *s)
{
    /* Each of them means that not all has followed yet. */
    return watches_are_put_off(&s->watches) || moms_have_work(s->moms) ||
           stop_has_work(&s->stop);
}

static void settle_turn(struct turn *t)
{
    struct svr *s = t->s;

    s->n_turns++;
    /* The order matters: what follows comes first, then what has to be found out for
     * it, and commands to schedulers only when all has followed. */
    settle_slice(t);
    ask_hosts(t);
    check_settled(t);
    if (!svr_is_settling(s)) {
        end_waiting(t);
        pump_schedulers(t);
    }
    /* The end is looked for last, since what followed may have ended the last job. */
    stop_if_done(t);
}

void settle(struct turn *t)
{
    struct watches *w = &t->s->watches;

    /* Each input begins to count anew how often rules speak about an object. Jobs that
     * are over have no watch, and the server's rule speaks of all of them. */
    w->settling++;
    w->most_said = SAID_MAX + watches_count(w) + t->s->m->history.n;
    settle_turn(t);
}

bool take_tidings(struct turn *t)
{
    struct moms *ms = t->s->moms;
    size_t most = config_slice_cost(&t->s->cfg), cost = 0;

    while (moms_have_tidings(ms) && (cost < most || moms_are_behind(ms))) {
        struct decision d;
        struct moms_turn mt = moms_turn(t, &d);

        cost += moms_take_tidings(ms, &mt, cost < most ? most - cost : most);
        take_up(t, &d);
    }
    return moms_have_tidings(ms);
}

void settle_rest(struct turn *t)
{
    watches_resume(&t->s->watches);
    /* A reservation or a job may lie on all vnodes of a MoM: its rules look once, when
     * all that the MoM has told is there, and not after each part. */
    if (take_tidings(t)) {
        watches_put_off(&t->s->watches);
        return;
    }
    stop_decide_jobs(t);
    settle_turn(t);
}
