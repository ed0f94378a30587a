/* shell_commit.c - what the committer of the server's process does: batches of records
 * that are saved, fail, are tried again, or after which the process dies.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell_parts.h"

#include "server/shell/records.h"

#include <stdlib.h>

#define COMMIT_RETRY_MS 1000
#define STORE_WAIT_MS   20000 /* nobody waits longer for a store out of reach */

/* The records and accounting lines of the turns that were given to the store. */
struct commit {
    uint64_t life;
    size_t n, cap;
    struct store_record *records;
    struct bundles *bundles;
    const struct arena *turn; /* of the last record */
    struct arena *arena;
    size_t n_facts, cap_facts;
    const struct effect **facts; /* records, and copies of accounting lines */
};

static void commit_drop(void *arg)
{
    struct commit *c = arg;

    free(c->records);
    free(c->facts);
    arena_free(c->arena);
    free(c);
}

/* A turn with a record waits for its commit, one with accounting lines alone may not.
 */
static const struct effect *copy_account(const struct effect *e, struct arena *arena)
{
    struct effect *copy = arena_copy(arena, e, sizeof(*e));

    copy->u.account.id = arena_strdup(arena, e->u.account.id);
    copy->u.account.text = arena_strdup(arena, e->u.account.text);
    return copy;
}

static void add_row(void *arg, const struct store_record *row, const struct arena *turn)
{
    struct commit *c = arg;

    if (c->n == c->cap) {
        c->cap = c->cap ? 2 * c->cap : 32;
        c->records = xrealloc(c->records, c->cap * sizeof(*c->records));
    }
    if (c->turn == turn)
        c->records[c->n - 1].with_next = true;
    c->turn = turn;
    c->records[c->n++] = *row;
}

static void add_work(void *arg, const struct effect *e, struct arena *arena)
{
    struct commit *c = arg;
    struct store_record row;

    if (c->n_facts == c->cap_facts) {
        c->cap_facts = c->cap_facts ? 2 * c->cap_facts : 32;
        c->facts = xrealloc(c->facts, c->cap_facts * sizeof(*c->facts));
    }
    c->facts[c->n_facts++] = e->kind == EFFECT_RECORD ? e : copy_account(e, c->arena);
    if (e->kind != EFFECT_RECORD)
        return;
    row = records_to_store(e->u.record, arena);
    bundles_put(c->bundles, &row, arena, &(struct bundles_to){ add_row, c });
}

static void commit_happens(struct sim *s, void *arg);

static struct commit *commit_move(const struct commit *c)
{
    struct commit *to = xmalloc(sizeof(*to));

    *to = *c;
    return to;
}

/* As the daemon's outbox does: whoever waits is told that it is in doubt. */
static void give_up(struct sim *s)
{
    struct shell *sh = &s->shell;

    if (turns_are_given_up(sh->turns))
        return;
    sim_trace(s, "store: nobody waits for it any longer");
    svr_give_up(sh->svr, sim_now_at(s), turns_durable(sh->turns), begin_turn(s));
    turns_give_up(sh->turns);
    shell_release(s);
    shell_end_turn(s);
}

/* The same batch is tried again until it works; nothing is un-applied. */
static void commit_failed(struct sim *s, struct commit *c)
{
    struct commit *again = commit_move(c);
    struct shell *sh = &s->shell;

    c->records = NULL;
    c->facts = NULL;
    c->arena = NULL;
    sim_trace(s, "store: commit failed");
    svr_set_store_failed(s->shell.svr, true);
    sim_after(s, COMMIT_RETRY_MS, commit_happens, again, commit_drop);
    if (!sh->failing_since_ms)
        sh->failing_since_ms = s->clock.now_ms;
    if (sh->store_refuses || s->clock.now_ms >= sh->failing_since_ms + STORE_WAIT_MS)
        give_up(s);
}

/* How many of the facts stand before the record with that number. */
static size_t facts_before(const struct commit *c, uint64_t seq)
{
    size_t n = 0;

    while (n < c->n_facts &&
           (c->facts[n]->kind != EFFECT_RECORD || c->facts[n]->u.record->seq < seq))
        n++;
    return n;
}

/* As the daemon's committer does: what came before is saved, and the server ends. */
static void contradicted(struct sim *s, const struct commit *c)
{
    const struct store_batch batch = { .n_records = c->n, .records = c->records };
    struct diag why = { 0 };
    uint64_t seq = 0;
    int err = store_commit_before(s->shell.store, &batch, &seq, &why);

    sim_trace(s, "store: %s", why.text);
    if (err || !s->shell.store_contradicts)
        check_failed(s, CHECK_STORE, "the store refuses records: %s", why.text);
    s->shell.store_contradicts = false;
    ledger_commit(s, facts_before(c, seq), c->facts);
    shell_crash(s);
}

static void crash_and_sweep(struct sim *s)
{
    shell_crash(s);
    sweep_server_died(s);
}

static void commit_happens(struct sim *s, void *arg)
{
    struct commit *c = arg;
    int err;
    struct diag why = { 0 };
    enum crash_when crash;

    if (!s->shell.up || c->life != s->shell.life)
        return;
    sweep_commit(s);
    crash = s->shell.crash;
    if (crash == CRASH_BEFORE_COMMIT) {
        crash_and_sweep(s);
        return;
    }
    err = store_commit(
        s->shell.store,
        &(struct store_batch){ .n_records = c->n, .records = c->records }, &why);
    if (err == PBSE_INTERNAL) {
        contradicted(s, c);
        return;
    }
    if (err) {
        if (!s->shell.store_failing)
            check_failed(s, CHECK_STORE, "the store refuses records: %s", why.text);
        commit_failed(s, c);
        return;
    }
    svr_set_store_failed(s->shell.svr, false);
    s->shell.failing_since_ms = 0;
    ledger_commit(s, c->n_facts, c->facts);
    if (crash == CRASH_AFTER_COMMIT) {
        crash_and_sweep(s);
        return;
    }
    turns_commit_ended(s->shell.turns, c->n ? c->records[c->n - 1].seq : 0);
    shell_release(s);
    shell_submit(s);
}

void shell_submit(struct sim *s)
{
    struct commit *c;

    if (!s->shell.up || turns_are_committing(s->shell.turns) ||
        !turns_wait_for_store(s->shell.turns))
        return;
    c = xcalloc(1, sizeof(*c));
    c->life = s->shell.life;
    c->arena = arena_new();
    c->bundles = s->shell.bundles;
    turns_take_work(s->shell.turns, add_work, c);
    bundles_flush(c->bundles, &(struct bundles_to){ add_row, c });
    turns_commit_begins(s->shell.turns);
    sim_after(s, s->weather.commit_ms ? rnd_range(&s->rnd, 0, s->weather.commit_ms) : 1,
              commit_happens, c, commit_drop);
}
