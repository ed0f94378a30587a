/* outbox.c - effects wait until their records are durable, and leave in order.
 *
 * The order itself is the engine's (turns.h), which the simulator drives as well. Here
 * are the store's thread, the clock and the ways to everybody: records of all turns
 * that were not yet given to the store make the next transaction, so a slow disk makes
 * transactions larger and not more numerous. After a slow one the next waits for a part
 * of that time, so that those who were just answered can be in it with their next
 * request: half as many transactions, when all clients are busy.
 *
 * No client waits for ever: when the store has been lost for long (committer.c), all
 * that is due to clients leaves as a refusal which says that it is in doubt.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/outbox.h"

#include "lib/wire/batch.h"
#include "server/engine/turns.h"
#include "server/shell/accounting.h"
#include "server/shell/bundles.h"
#include "server/shell/calls.h"
#include "server/shell/clients.h"
#include "server/shell/committer.h"
#include "server/shell/find_out.h"
#include "server/shell/mail.h"
#include "server/shell/mom_link.h"
#include "server/shell/records.h"

#include <stdlib.h>

/* How much of a commit's time the next one may wait. */
#define GATHER_PART   4
#define GATHER_MAX_MS 5

struct outbox {
    struct shell *sh;
    struct turns *turns;
    int64_t submitted_us; /* when the commit under way was given to the store */
    bool gathering;       /* what waits for the next one waits a little longer */
    bool gathers_lines;   /* of the log: see release() */
    struct loop_timer *gather;
};

/* What the effects of a turn take of parties' budgets; in the effects' arena. */
struct charge {
    struct shares *all;
    struct share *share;
    size_t bytes;
};

struct charges {
    size_t n, cap;
    struct charge *v;
};

static void end_charges(void *arg, void *kept)
{
    const struct outbox *o = arg;
    const struct charges *c = kept;

    /* Users who were too fast for the disk may go on. */
    clients_eased(o->sh->clients);
    for (size_t i = 0; i < c->n; i++)
        share_unsaved(c->v[i].all, c->v[i].share, c->v[i].bytes, 0);
}

static void on_gathered(void *arg);

struct outbox *outbox_new(struct shell *sh)
{
    struct outbox *o = xcalloc(1, sizeof(*o));

    o->sh = sh;
    o->gather = loop_timer_new(sh->loop, on_gathered, o);
    o->turns = turns_new(store_last_seq(sh->store), end_charges, o);
    return o;
}

void outbox_free(struct outbox *o)
{
    if (!o)
        return;
    turns_free(o->turns);
    loop_timer_free(o->gather);
    free(o);
}

struct effects *outbox_effects(struct outbox *o)
{
    return turns_effects(o->turns);
}

void outbox_charge(struct outbox *o, struct shares *all, struct share *s, size_t bytes)
{
    struct arena *arena = outbox_effects(o)->arena;
    struct charges *c = *turns_kept(o->turns);

    if (bytes == 0)
        return;
    /* Most turns charge nobody, or one. */
    if (!c)
        *turns_kept(o->turns) = c = ARENA_NEW(arena, struct charges);
    share_unsaved(all, s, 0, bytes);
    c->v = arena_grow(arena, c->v, c->n, &c->cap, 8, sizeof(*c->v));
    c->v[c->n++] = (struct charge){ all, s, bytes };
}

/* The inputs of this turn had no effect: what they took goes at once. */
static void clear_turn(struct outbox *o)
{
    void **kept = turns_kept(o->turns);

    MUST(outbox_effects(o)->n == 0);
    if (*kept)
        end_charges(o, *kept);
    *kept = NULL;
    /* The arena is kept for the next turn, which saves making a new one. */
    arena_clear(outbox_effects(o)->arena);
}

bool outbox_is_empty(const struct outbox *o)
{
    return turns_are_empty(o->turns);
}

bool outbox_is_behind(const struct outbox *o)
{
    return !turns_are_given_up(o->turns) &&
           turns_decided(o->turns) > turns_durable(o->turns) + OUTBOX_MOST_UNSAVED;
}

/* A commit that is being put together from the turns that are not yet in the store. */
struct gathering {
    struct outbox *o;
    struct commit *commit;
    const struct arena *turn; /* of the last record; a turn has an arena of its own */
};

static void add_row(void *arg, const struct store_record *row, const struct arena *turn)
{
    struct gathering *g = arg;

    commit_add(g->commit, *row, g->turn == turn);
    g->turn = turn;
}

static void add_work(void *arg, const struct effect *e, struct arena *arena)
{
    struct gathering *g = arg;
    struct store_record row;

    MUST(e->kind == EFFECT_RECORD || e->kind == EFFECT_ACCOUNT);
    /* Lines are planned in the order of their records, in which they are written
     * later. */
    if (e->kind == EFFECT_RECORD) {
        row = records_to_store(e->u.record, arena);
        bundles_put(g->o->sh->bundles, &row, arena, &(struct bundles_to){ add_row, g });
    } else {
        accounting_plan(g->o->sh->accounting, e->u.account.at, e->u.account.type,
                        e->u.account.id, e->u.account.text);
    }
}

static void submit(struct outbox *o)
{
    struct gathering g = { .o = o, .commit = commit_new() };

    /* Two commits under way could become durable in the wrong order. */
    MUST(!turns_are_committing(o->turns) && !o->gathering);
    turns_take_work(o->turns, add_work, &g);
    bundles_flush(o->sh->bundles, &(struct bundles_to){ add_row, &g });
    /* The note goes into the same transaction as the records whose lines it has. */
    accounting_note(o->sh->accounting, g.commit);
    /* Nothing waits for the store. */
    if (commit_is_empty(g.commit)) {
        commit_free(g.commit);
        return;
    }
    turns_commit_begins(o->turns);
    o->submitted_us = clock_read_us();
    committer_start(o->sh->committer, g.commit);
}

/* Carry out one effect whose records are durable. */
static void tell(struct shell *sh, const struct effect *e)
{
    switch (e->kind) {
    /* The store has it. */
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
        clients_sched_command(sh->clients, e->u.sched.conn, e->u.sched.command,
                              e->u.sched.job_id);
        break;
    case EFFECT_MOM_MESSAGE:
        mom_link_send(sh->moms, e->u.mom.stream, &e->u.mom.msg);
        break;
    case EFFECT_MOM_CLOSE:
        mom_link_close(sh->moms, e->u.mom.stream);
        break;
    case EFFECT_ACCOUNT:
        accounting_write(sh->accounting); /* they leave in the order of plans */
        break;
    case EFFECT_LOG:
        logfile_write(sh->log, e->u.log.event, e->u.log.obj_class, e->u.log.object,
                      e->u.log.text);
        break;
    case EFFECT_MAIL:
        mail_send(sh->letters, e->u.mail.to, e->u.mail.to_owner, e->u.mail.subject,
                  e->u.mail.text);
        break;
    case EFFECT_CALL:
        calls_make(sh->calls, e->u.call.user, e->u.call.host, e->u.call.port,
                   &e->u.call.told);
        break;
    case EFFECT_FIND_OUT:
        find_out_for_core(sh->find_out, &e->u.need);
        break;
    case EFFECT_EXIT:
        shell_stop(sh);
        break;
    }
}

/* What its client waits for leaves as a refusal. */
static void give_up(struct outbox *o, const struct effect *e)
{
    struct shell *sh = o->sh;

    switch (e->kind) {
    case EFFECT_REPLY:
        clients_give_up(sh->clients, e->u.reply.conn, e->u.reply.reads_only);
        break;
    case EFFECT_LISTING:
        svr_listing_drop(sh->svr, e->u.listing_conn);
        clients_give_up(sh->clients, e->u.listing_conn, true);
        break;
    default:
        tell(sh, e);
    }
}

/* Lines of the log that follow each other are written together: at a start there are
 * two for each job. They are in the file before anybody is told what comes behind them.
 */
static void gather_lines(struct outbox *o, bool gathers)
{
    if (o->gathers_lines != gathers)
        logfile_gather(o->sh->log, gathers);
    o->gathers_lines = gathers;
}

/* Telling may bring new effects (a stream that breaks): they join the current turn. */
static void release(struct outbox *o)
{
    struct turns_leaving l;

    while (turns_next(o->turns, &l)) {
        if (l.effect->kind != EFFECT_RECORD)
            gather_lines(o, l.effect->kind == EFFECT_LOG);
        /* Such an effect leaves although its records are not durable, so its words
         * differ. */
        if (l.given_up)
            give_up(o, l.effect);
        else
            tell(o->sh, l.effect);
    }
    gather_lines(o, false);
}

void outbox_give_up(struct outbox *o)
{
    if (turns_are_given_up(o->turns))
        return; /* what came later was not let wait */
    /* First those who wait in the core, then those whose replies wait here. */
    svr_give_up(o->sh->svr, shell_now(o->sh), turns_durable(o->turns),
                outbox_effects(o));
    turns_give_up(o->turns);
    release(o);
}

static bool may_submit(const struct outbox *o)
{
    return !turns_are_committing(o->turns) && !o->gathering;
}

void outbox_end_turn(struct outbox *o)
{
    /* Releasing may bring new effects, which are a turn of their own. */
    while (outbox_effects(o)->n > 0) {
        turns_end(o->turns);
        if (may_submit(o) && turns_wait_for_store(o->turns))
            submit(o);
        release(o);
    }
    clear_turn(o);
}

static void on_gathered(void *arg)
{
    struct outbox *o = arg;

    MUST(o->gathering);
    o->gathering = false;
    submit(o);
}

/* The next commit, now or a little later. The clock may have been set meanwhile. */
static void gather(struct outbox *o)
{
    int64_t took_ms = (clock_read_us() - o->submitted_us) / 1000;
    int64_t wait_ms = MIN_OF(took_ms / GATHER_PART, GATHER_MAX_MS);

    MUST(!o->gathering); /* it began with the end of the last commit */
    if (wait_ms <= 0 || !turns_wait_for_store(o->turns)) {
        submit(o);
        return;
    }
    o->gathering = true;
    loop_timer_set(o->gather, wait_ms);
}

void outbox_committed(struct outbox *o, uint64_t seq)
{
    MUST(turns_are_committing(o->turns)); /* each commit ends once */
    turns_commit_ended(o->turns, seq);
    release(o);
    /* Releasing may have begun the next commit already. */
    if (!turns_are_committing(o->turns))
        gather(o);
}

void outbox_idle(struct outbox *o, int64_t now_at)
{
    if (may_submit(o) && turns_are_empty(o->turns) &&
        accounting_settle(o->sh->accounting, now_at))
        submit(o);
}
