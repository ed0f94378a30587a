/* outbox.c - effects wait until their records are durable, and leave in order.
 *
 * Turns are kept in a list. The records of all turns that were not yet given to the
 * store make the next transaction, so a slow disk makes transactions larger and not
 * more numerous. After a slow one the next waits for a part of that time, so that those
 * who were just answered can be in it with their next request: half as many
 * transactions, when all clients are busy. Effects leave in the order of their turns,
 * but for replies that speak of nothing that is not durable: they wait for nobody, so
 * that who only looks is answered while the store is lost. (A connection has one
 * request at a time: its replies cannot overtake each other.)
 *
 * No client waits for ever: when the store has been lost for long (committer.c), all
 * that is due to clients leaves as a refusal which says that it is in doubt. Everything
 * else stays in line, for what was decided will be done.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/outbox.h"

#include "lib/wire/batch.h"
#include "server/shell/accounting.h"
#include "server/shell/clients.h"
#include "server/shell/committer.h"
#include "server/shell/find_out.h"
#include "server/shell/mail.h"
#include "server/shell/mom_link.h"
#include "server/shell/records.h"

#include <stdlib.h>
#include <utlist.h>

/* How much of a commit's time the next one may wait. */
#define GATHER_PART    4
#define GATHER_MAX_MS  5

/* After a long outage much waits: transactions beyond this size would only be slower,
 * and the largest ones too slow for a database that has seconds for a statement. */
#define COMMIT_RECORDS 5000

/* What the effects of a turn take of a party's budget. */
struct charge {
    struct shares *all;
    struct share *share;
    size_t bytes;
};

struct turn_effects {
    struct effects effects;
    size_t n_charges, cap_charges;
    struct charge *charges; /* in the effects' arena */
    size_t n_left;  /* effects[0 .. n_left) have left */
    bool *left;     /* n of them; those beyond n_left that did not wait */
    bool submitted; /* its records are with the store, or durable */
    struct turn_effects *prev, *next;
};

struct outbox {
    struct shell *sh;
    struct turn_effects *turns; /* ended ones, oldest first */
    struct turn_effects *current;
    uint64_t durable_seq;
    uint64_t decided_seq; /* of the turns that have ended */
    bool committing;
    int64_t submitted_us; /* when the commit under way was given to the store */
    bool gathering;       /* what waits for the next one waits a little longer */
    struct loop_timer *gather;
    bool given_up; /* nobody waits for the commit under way */
};

static struct turn_effects *turn_new(void)
{
    struct turn_effects *t = xcalloc(1, sizeof(*t));

    t->effects.arena = arena_new();
    return t;
}

static void end_charges(struct outbox *o, struct turn_effects *t)
{
    if (t->n_charges > 0)
        clients_eased(o->sh->clients);
    for (size_t i = 0; i < t->n_charges; i++)
        share_unsaved(t->charges[i].all, t->charges[i].share, t->charges[i].bytes, 0);
    t->n_charges = t->cap_charges = 0;
    t->charges = NULL;
}

static void turn_free(struct outbox *o, struct turn_effects *t)
{
    end_charges(o, t);
    arena_free(t->effects.arena);
    free(t);
}

static void on_gathered(void *arg);

struct outbox *outbox_new(struct shell *sh)
{
    struct outbox *o = xcalloc(1, sizeof(*o));

    o->sh = sh;
    o->gather = loop_timer_new(sh->loop, on_gathered, o);
    o->current = turn_new();
    o->durable_seq = o->decided_seq = store_last_seq(sh->store);
    return o;
}

void outbox_free(struct outbox *o)
{
    struct turn_effects *t, *next;

    if (!o)
        return;
    DL_FOREACH_SAFE(o->turns, t, next)
    turn_free(o, t);
    turn_free(o, o->current);
    loop_timer_free(o->gather);
    free(o);
}

struct effects *outbox_effects(struct outbox *o)
{
    return &o->current->effects;
}

void outbox_charge(struct outbox *o, struct shares *all, struct share *s, size_t bytes)
{
    struct turn_effects *t = o->current;

    if (bytes == 0)
        return;
    share_unsaved(all, s, 0, bytes);
    t->charges = arena_grow(t->effects.arena, t->charges, t->n_charges, &t->cap_charges,
                            8, sizeof(*t->charges));
    t->charges[t->n_charges++] = (struct charge){ all, s, bytes };
}

bool outbox_is_empty(const struct outbox *o)
{
    return !o->turns && o->current->effects.n == 0;
}

/* What goes to the store. */

static void add_to_commit(struct outbox *o, struct commit *c, struct turn_effects *t)
{
    for (size_t i = 0; i < t->effects.n; i++) {
        const struct effect *e = &t->effects.v[i];

        if (e->kind == EFFECT_RECORD)
            commit_add(c, records_to_store(e->u.record, t->effects.arena));
        else if (e->kind == EFFECT_ACCOUNT)
            accounting_plan(o->sh->accounting, e->u.account.at, e->u.account.type,
                            e->u.account.id, e->u.account.text);
    }
    t->submitted = true;
}

static void submit(struct outbox *o)
{
    struct turn_effects *t;
    struct commit *c = commit_new();

    MUST(!o->committing); /* one transaction at a time: their order is that of records */
    DL_FOREACH(o->turns, t)
    if (!t->submitted && commit_n_records(c) < COMMIT_RECORDS)
        add_to_commit(o, c, t);
    accounting_note(o->sh->accounting, c);
    if (commit_is_empty(c)) {
        commit_free(c);
        return;
    }
    o->committing = true;
    o->submitted_us = clock_read_us();
    committer_start(o->sh->committer, c);
}

/* What leaves. */

static void tell(struct shell *sh, const struct effect *e, struct arena *arena)
{
    switch (e->kind) {
    case EFFECT_RECORD:
        break;
    case EFFECT_REPLY:
        clients_reply(sh->clients, e->u.reply.conn, &e->u.reply.reply);
        break;
    case EFFECT_LISTING:
        clients_listing(sh->clients, e->u.listing_conn);
        break;
    case EFFECT_CLOSE:
        clients_close(sh->clients, e->u.close_conn);
        break;
    case EFFECT_SCHED_COMMAND:
        clients_sched_command(sh->clients, e->u.sched.sched, e->u.sched.command,
                              e->u.sched.job_id);
        break;
    case EFFECT_MOM_MESSAGE:
        mom_link_send(sh->moms, e->u.mom.stream, e->u.mom.host, e->u.mom.port,
                      &e->u.mom.msg);
        break;
    case EFFECT_MOM_CLOSE:
        mom_link_close(sh->moms, e->u.mom.stream);
        break;
    case EFFECT_ACCOUNT:
        accounting_write(sh->accounting, e->u.account.at, e->u.account.type,
                         e->u.account.id, e->u.account.text);
        break;
    case EFFECT_LOG:
        logfile_write(sh->log, e->u.log.event, e->u.log.obj_class, e->u.log.object,
                      e->u.log.text);
        break;
    case EFFECT_MAIL:
        mail_send(sh, e->u.mail.to, e->u.mail.subject, e->u.mail.text, arena);
        break;
    case EFFECT_FIND_OUT:
        find_out_begin(sh->find_out, &e->u.need);
        break;
    case EFFECT_EXIT:
        shell_stop(sh);
        break;
    }
}

/* Telling may bring new effects (a stream that breaks): they join the current turn. */
static void release(struct outbox *o)
{
    struct turn_effects *t;

    while ((t = o->turns) != NULL) {
        while (t->n_left < t->effects.n) {
            const struct effect *e = &t->effects.v[t->n_left];

            if (!t->submitted || (e->seq > o->durable_seq && !t->left[t->n_left]))
                return;
            MUST(t == o->turns); /* telling ends no turn but this one */
            t->n_left++;
            if (!t->left[t->n_left - 1])
                tell(o->sh, e, t->effects.arena);
        }
        if (!t->submitted)
            return;
        MUST(t->n_left == t->effects.n);
        DL_DELETE(o->turns, t);
        turn_free(o, t);
    }
}

static bool has_work_for_store(const struct turn_effects *t)
{
    for (size_t i = 0; i < t->effects.n; i++)
        if (t->effects.v[i].kind == EFFECT_RECORD ||
            t->effects.v[i].kind == EFFECT_ACCOUNT)
            return true;
    return false;
}

static bool waits_for_store(const struct outbox *o)
{
    const struct turn_effects *t;

    DL_FOREACH(o->turns, t)
    if (!t->submitted)
        return true;
    return false;
}

/* Number of the last record, with those of this turn. */
static uint64_t last_decided(const struct outbox *o, const struct turn_effects *t)
{
    for (size_t i = t->effects.n; i > 0; i--)
        if (t->effects.v[i - 1].kind == EFFECT_RECORD)
            return t->effects.v[i - 1].seq;
    return o->decided_seq;
}

bool outbox_is_behind(const struct outbox *o)
{
    return !o->given_up &&
           last_decided(o, o->current) > o->durable_seq + OUTBOX_MOST_UNSAVED;
}

static bool speaks_of_durable(const struct outbox *o, const struct turn_effects *t)
{
    for (size_t i = 0; i < t->effects.n; i++)
        if (t->effects.v[i].seq > o->durable_seq)
            return false;
    return true;
}

/* Replies and questions that need not wait for what was decided before them. */
static void release_replies(struct outbox *o, struct turn_effects *t)
{
    t->left = ARENA_ARRAY(t->effects.arena, bool, t->effects.n);
    for (size_t i = 0; i < t->effects.n; i++) {
        const struct effect *e = &t->effects.v[i];

        if ((e->kind == EFFECT_REPLY || e->kind == EFFECT_LISTING ||
             e->kind == EFFECT_FIND_OUT) &&
            e->seq <= o->durable_seq) {
            t->left[i] = true;
            tell(o->sh, e, t->effects.arena);
        }
    }
}

/* What clients wait for, and the end of the server: not any longer. False for what
 * stays in line. */
static bool give_up(struct outbox *o, const struct effect *e, struct arena *arena)
{
    struct shell *sh = o->sh;

    switch (e->kind) {
    case EFFECT_REPLY:
        clients_give_up(sh->clients, e->u.reply.conn, e->u.reply.reads_only);
        return true;
    case EFFECT_LISTING:
        svr_listing_drop(sh->svr, e->u.listing_conn);
        clients_give_up(sh->clients, e->u.listing_conn, true);
        return true;
    case EFFECT_CLOSE:
    case EFFECT_EXIT:
        tell(sh, e, arena);
        return true;
    default:
        return false;
    }
}

static void give_up_turn(struct outbox *o, struct turn_effects *t)
{
    for (size_t i = t->n_left; i < t->effects.n; i++)
        if (!t->left[i])
            t->left[i] = give_up(o, &t->effects.v[i], t->effects.arena);
}

void outbox_give_up(struct outbox *o)
{
    struct turn_effects *t;

    if (o->given_up)
        return; /* what came later was not let wait */
    o->given_up = true;
    svr_give_up(o->sh->svr, shell_now(o->sh), o->durable_seq, outbox_effects(o));
    DL_FOREACH(o->turns, t)
    give_up_turn(o, t);
}

void outbox_end_turn(struct outbox *o)
{
    while (o->current->effects.n > 0) {
        struct turn_effects *t = o->current;

        o->current = turn_new();
        if (!has_work_for_store(t) && speaks_of_durable(o, t)) {
            for (size_t i = 0; i < t->effects.n; i++)
                tell(o->sh, &t->effects.v[i], t->effects.arena);
            turn_free(o, t);
            continue;
        }
        o->decided_seq = last_decided(o, t);
        t->submitted = !has_work_for_store(t);
        release_replies(o, t);
        if (o->given_up)
            give_up_turn(o, t);
        DL_APPEND(o->turns, t);
        if (!o->committing && !o->gathering)
            submit(o);
        release(o);
    }
    end_charges(o, o->current);
    arena_clear(o->current->effects.arena); /* of inputs that had no effect */
}

static void on_gathered(void *arg)
{
    struct outbox *o = arg;

    o->gathering = false;
    submit(o);
}

/* The next commit, now or a little later. The clock may have been set meanwhile. */
static void gather(struct outbox *o)
{
    int64_t took_ms = (clock_read_us() - o->submitted_us) / 1000;
    int64_t wait_ms = MIN_OF(took_ms / GATHER_PART, GATHER_MAX_MS);

    if (wait_ms <= 0 || !waits_for_store(o)) {
        submit(o);
        return;
    }
    o->gathering = true;
    loop_timer_set(o->gather, wait_ms);
}

void outbox_committed(struct outbox *o, uint64_t seq)
{
    o->committing = false;
    o->given_up = false;
    o->durable_seq = MAX_OF(o->durable_seq, seq);
    release(o);
    if (!o->committing)
        gather(o);
}

void outbox_idle(struct outbox *o, int64_t now_at)
{
    if (!o->committing && !o->gathering && !o->turns &&
        accounting_settle(o->sh->accounting, now_at))
        submit(o);
}
