/* turns.c - see turns.h.
 *
 * A turn is in one of two lists: 'passing', when all of it may leave at once, or
 * 'line'. What leaves the line out of order is marked in 'left' and passed over later;
 * a cursor goes through each turn of the line once for that, when it is new, and
 * through all of them once more when the store is given up.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/turns.h"

#include <stdlib.h>
#include <utlist.h>

/* After a long outage much waits: transactions beyond this size would only be slower,
 * and the largest ones too slow for a database that has seconds for a statement. */
#define COMMIT_RECORDS 5000

struct turn {
    struct effects effects;
    void *kept;    /* the caller's */
    size_t n_left; /* effects[0 .. n_left) have left */
    bool *left;    /* n of them; those beyond n_left that did not wait */
    bool taken;    /* its records are with the store, or durable */
    struct turn *prev, *next;
};

struct turns {
    turns_over_fn over;
    void *arg; /* of over() */
    struct turn *current;
    struct turn *passing, *line; /* ended ones, oldest first */
    struct turn *cursor;         /* of the line: looked at for what need not wait */
    size_t cursor_at;
    uint64_t durable_seq;
    uint64_t decided_seq; /* of the turns that have ended */
    bool committing, given_up;
};

static struct turn *turn_new(void)
{
    struct turn *t = xcalloc(1, sizeof(*t));

    t->effects.arena = arena_new();
    return t;
}

static void turn_free(const struct turns *ts, struct turn *t)
{
    /* What the caller kept with the turn lives as long as its effects. */
    if (ts->over && t->kept)
        ts->over(ts->arg, t->kept);
    arena_free(t->effects.arena);
    free(t);
}

struct turns *turns_new(uint64_t durable_seq, turns_over_fn over, void *arg)
{
    struct turns *ts = xcalloc(1, sizeof(*ts));

    ts->over = over;
    ts->arg = arg;
    ts->current = turn_new();
    ts->durable_seq = ts->decided_seq = durable_seq;
    return ts;
}

static void free_all(const struct turns *ts, struct turn *list)
{
    struct turn *t, *next;

    DL_FOREACH_SAFE (list, t, next)
        turn_free(ts, t);
}

void turns_free(struct turns *ts)
{
    if (!ts)
        return;
    free_all(ts, ts->passing);
    free_all(ts, ts->line);
    turn_free(ts, ts->current);
    free(ts);
}

struct effects *turns_effects(struct turns *ts)
{
    return &ts->current->effects;
}

void **turns_kept(struct turns *ts)
{
    return &ts->current->kept;
}

static bool is_work(const struct effect *e)
{
    return e->kind == EFFECT_RECORD || e->kind == EFFECT_ACCOUNT;
}

static bool has_work(const struct turn *t)
{
    for (size_t i = 0; i < t->effects.n; i++)
        if (is_work(&t->effects.v[i]))
            return true;
    return false;
}

static bool speaks_of_durable(const struct turns *ts, const struct turn *t)
{
    for (size_t i = 0; i < t->effects.n; i++)
        if (t->effects.v[i].seq > ts->durable_seq)
            return false;
    return true;
}

uint64_t turns_durable(const struct turns *ts)
{
    return ts->durable_seq;
}

uint64_t turns_decided(const struct turns *ts)
{
    const struct effects *e = &ts->current->effects;

    /* The last record of the turn is mostly near its end. */
    for (size_t i = e->n; i > 0; i--)
        if (e->v[i - 1].kind == EFFECT_RECORD)
            return e->v[i - 1].seq;
    return ts->decided_seq;
}

void turns_end(struct turns *ts)
{
    struct turn *t = ts->current;

    ts->decided_seq = turns_decided(ts);
    ts->current = turn_new();
    t->taken = !has_work(t);
    /* Nothing of this turn waits for the store, so it overtakes those that do. */
    if (t->taken && speaks_of_durable(ts, t)) {
        DL_APPEND(ts->passing, t);
        return;
    }
    t->left = ARENA_ARRAY(t->effects.arena, bool, t->effects.n);
    DL_APPEND(ts->line, t);
    /* The cursor was through with all turns before this one. */
    if (!ts->cursor) {
        ts->cursor = t;
        ts->cursor_at = 0;
    }
}

bool turns_wait_for_store(const struct turns *ts)
{
    const struct turn *t;

    DL_FOREACH (ts->line, t)
        if (!t->taken)
            return true;
    return false;
}

/* How many records that was. */
static size_t take_turn(struct turn *t, turns_work_fn fn, void *arg)
{
    size_t n = 0;

    for (size_t i = 0; i < t->effects.n; i++) {
        const struct effect *e = &t->effects.v[i];

        /* Accounting lines go into the same transaction as the records that they tell
         * of. */
        if (is_work(e))
            fn(arg, e, t->effects.arena);
        n += e->kind == EFFECT_RECORD;
    }
    t->taken = true;
    return n;
}

void turns_take_work(struct turns *ts, turns_work_fn fn, void *arg)
{
    struct turn *t;
    size_t n = 0;

    MUST(!ts->committing); /* one at a time: their order is that of records */
    /* Whole turns are taken, so a transaction never holds half of a decision. */
    DL_FOREACH (ts->line, t)
        if (!t->taken && n < COMMIT_RECORDS)
            n += take_turn(t, fn, arg);
}

void turns_commit_begins(struct turns *ts)
{
    MUST(!ts->committing);
    ts->committing = true;
}

void turns_commit_ended(struct turns *ts, uint64_t seq)
{
    MUST(ts->committing);
    MUST(seq <= turns_decided(ts)); /* nothing is durable that was not decided */
    ts->committing = false;
    /* The store works again, and what is left waits for it as usual. */
    ts->given_up = false;
    ts->durable_seq = MAX_OF(ts->durable_seq, seq);
}

bool turns_are_committing(const struct turns *ts)
{
    return ts->committing;
}

void turns_give_up(struct turns *ts)
{
    ts->given_up = true;
    /* Every turn of the line is looked at once more for those who must not wait any
     * longer. */
    ts->cursor = ts->line;
    ts->cursor_at = 0;
}

bool turns_are_given_up(const struct turns *ts)
{
    return ts->given_up;
}

static bool let_go(struct turn *t, size_t i, bool given_up, struct turns_leaving *ret)
{
    *ret = (struct turns_leaving){ &t->effects.v[i], &t->effects, given_up };
    return true;
}

/* What clients wait for, and the end of the server. */
static bool nobody_waits_for(const struct effect *e)
{
    return e->kind == EFFECT_REPLY || e->kind == EFFECT_LISTING ||
           e->kind == EFFECT_CLOSE || e->kind == EFFECT_EXIT;
}

/* Lines of the log keep their order, but for those of what is attempted: these come
 * before what schedulers are sent because of it. */
static bool need_not_wait(const struct turns *ts, const struct effect *e)
{
    if (e->kind == EFFECT_LOG)
        return e->seq == 0;
    return (e->kind == EFFECT_REPLY || e->kind == EFFECT_LISTING ||
            e->kind == EFFECT_FIND_OUT || e->kind == EFFECT_SCHED_COMMAND) &&
           e->seq <= ts->durable_seq;
}

static bool next_passing(struct turns *ts, struct turns_leaving *ret)
{
    struct turn *t = ts->passing;

    if (!t)
        return false;
    if (t->n_left < t->effects.n)
        return let_go(t, t->n_left++, false, ret);
    DL_DELETE(ts->passing, t);
    turn_free(ts, t);
    /* The turn was empty by now, and the next one may have something. */
    return next_passing(ts, ret);
}

static bool next_out_of_line(struct turns *ts, struct turns_leaving *ret)
{
    for (; ts->cursor; ts->cursor = ts->cursor->next, ts->cursor_at = 0) {
        struct turn *t = ts->cursor;

        while (ts->cursor_at < t->effects.n) {
            size_t i = ts->cursor_at++;
            const struct effect *e = &t->effects.v[i];
            bool early = need_not_wait(ts, e);

            /* Each effect leaves once. */
            if (i < t->n_left || t->left[i] ||
                (!early && !(ts->given_up && nobody_waits_for(e))))
                continue;
            t->left[i] = true;
            return let_go(t, i, !early, ret);
        }
    }
    return false;
}

static bool next_in_line(struct turns *ts, struct turns_leaving *ret)
{
    struct turn *t;

    while ((t = ts->line) != NULL && t->taken) {
        while (t->n_left < t->effects.n) {
            size_t i = t->n_left;

            /* Effects leave in their order: what stands behind one that waits has to
             * wait, too. */
            if (!t->left[i] && t->effects.v[i].seq > ts->durable_seq)
                return false;
            t->n_left++;
            if (!t->left[i])
                return let_go(t, i, false, ret);
        }
        MUST(ts->cursor != t); /* what need not wait was looked for before */
        DL_DELETE(ts->line, t);
        turn_free(ts, t);
    }
    return false;
}

bool turns_next(struct turns *ts, struct turns_leaving *ret)
{
    /* What need not wait goes first, and then the line. */
    return next_passing(ts, ret) || next_out_of_line(ts, ret) || next_in_line(ts, ret);
}

bool turns_are_empty(const struct turns *ts)
{
    return !ts->line && !ts->passing && ts->current->effects.n == 0;
}

void turns_each_waiting(const struct turns *ts,
                        void (*fn)(void *arg, const struct effect *e), void *arg)
{
    const struct turn *t;

    DL_FOREACH (ts->line, t)
        for (size_t i = 0; i < t->effects.n; i++)
            fn(arg, &t->effects.v[i]);
    for (size_t i = 0; i < ts->current->effects.n; i++)
        fn(arg, &ts->current->effects.v[i]);
}
