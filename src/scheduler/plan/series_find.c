/* series_find.c - vnodes for the occurrences of a series: for all of a new one, for
 * those of an old one that have lost theirs.
 *
 * A new series gets the same vnodes for all occurrences when they are free in all of
 * their windows: the server then keeps one text. Else each occurrence gets vnodes that
 * an earlier one has got, and only when none of these are free, vnodes of its own. What
 * it costs to look at vnodes again follows their number, not that of the complex.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/series.h"

#include <string.h>

/* How many placements that were found before are tried for an occurrence. */
enum {
    KNOWN_MAX = 16
};

struct finder {
    struct question *q;
    struct verdict *v;
    struct series *ser;
    const struct request *rq;
    size_t n_known;                               /* found so far, all of them */
    const struct series_vnodes *known[KNOWN_MAX]; /* the last ones, by n_known */
    const struct series_vnodes **was;             /* [ser->n] to undo: where it was */
    struct booking **was_booked;                  /* [ser->n] */
    bool *due;      /* [ser->n] it is to get other vnodes */
    int64_t checks; /* left to the complete searches of all occurrences */
};

/* The window that an occurrence still needs. */
static int64_t start_of(const struct finder *f, const struct series_one *one)
{
    return MAX_OF(one->start_at, f->q->pl->now_at);
}

/* The question about one occurrence as if it were an advance reservation. */
static struct question about(struct finder *f, const struct series_one *one)
{
    struct question q = *f->q;

    q.start_at = start_of(f, one);
    q.end_at = one->end_at;
    q.running = false;
    q.altered = false; /* nothing was promised before, also when one is altered */
    q.rq = f->rq;
    q.checks = &f->checks;
    return q;
}

static const struct series_vnodes *vnodes_new(struct finder *f,
                                              const struct placement *at, bool usable)
{
    struct planner *pl = f->q->pl;
    struct series_vnodes *on = ARENA_NEW(pl->arena, struct series_vnodes);

    on->text = placement_print(pl->w, at);
    on->readable = true;
    on->usable = usable;
    on->at = *at;
    on->demand = world_demand(pl->w, pl->arena, f->rq, at);
    f->known[f->n_known++ % KNOWN_MAX] = on;
    return on;
}

/* Take these vnodes for the occurrence, whose own are free already. */
static void settle(struct finder *f, struct series_one *one,
                   const struct series_vnodes *on)
{
    one->on = on;
    one->booked =
        world_take(f->q->pl->w, one->id, &on->demand, start_of(f, one), one->end_at);
}

/* Vnodes that an earlier occurrence has got, the earliest one's first: those are what
 * first fit prefers. */
static const struct series_vnodes *find_known(struct finder *f,
                                              const struct series_one *one)
{
    size_t n = MIN_OF(f->n_known, (size_t)KNOWN_MAX);

    for (size_t i = n; i > 0; i--) {
        const struct series_vnodes *on = f->known[(f->n_known - i) % KNOWN_MAX];

        /* Vnodes that are away are taken only when a search finds no others. */
        if (on->usable &&
            world_has(f->q->pl->w, &on->demand, start_of(f, one), one->end_at))
            return on;
    }
    return NULL;
}

/* Find vnodes for one occurrence and take them. False with the verdict's failure. */
static bool place_one(struct finder *f, struct series_one *one)
{
    const struct series_vnodes *on = find_known(f, one);
    struct question q = about(f, one);
    struct placement found = { 0 };

    if (!on) {
        if (!question_search(&q, &found, f->v)) {
            question_explain(&q, f->v);
            return false;
        }
        f->q->away = f->q->away || q.away;
        on = vnodes_new(f, &found, !q.away);
    }
    settle(f, one, on);
    return true;
}

/* The same vnodes for all, found by first fit on what is free in every window. */
static bool place_all_alike(struct finder *f)
{
    struct world *w = f->q->pl->w;
    struct span *windows = ARENA_ARRAY(f->q->pl->arena, struct span, f->ser->n);
    struct pool pool = { .asker = ASKER_RESV };
    struct placement found = { 0 };
    const struct series_vnodes *on;

    for (size_t i = 0; i < f->ser->n; i++) {
        windows[i] = (struct span){ .start_at = start_of(f, &f->ser->v[i]),
                                    .end_at = f->ser->v[i].end_at };
        /* Those that overlap cannot share vnodes without being counted together. */
        if (i > 0 && windows[i].start_at < windows[i - 1].end_at)
            return false;
    }
    pool.sets = pool_sets(&pool, w, f->rq, NULL);
    if (!pool_search_all(&pool, w, f->rq, windows, f->ser->n, &found))
        return false;
    on = vnodes_new(f, &found, true);
    for (size_t i = 0; i < f->ser->n; i++)
        settle(f, &f->ser->v[i], on);
    return true;
}

/* Put occurrence i back where it was. */
static void undo(struct finder *f, size_t i)
{
    struct series_one *one = &f->ser->v[i];

    if (one->booked && one->booked != f->was_booked[i])
        world_switch(f->q->pl->w, one->booked, true);
    one->on = f->was[i];
    one->booked = f->was_booked[i];
    if (one->booked)
        world_switch(f->q->pl->w, one->booked, false);
}

/* Say which occurrence it was. */
static void deny_at(struct finder *f, const struct series_one *one)
{
    struct verdict *v = f->v;
    int64_t n_all = f->ser->v[0].number - 1 + (int64_t)f->ser->n;

    v->why.earliest_at = 0; /* of one occurrence: no start for the series */
    v->advice = arena_printf(
        f->q->pl->arena, "; occurrence %lld of %lld does not fit%s",
        (long long)one->number, (long long)n_all, v->advice ? v->advice : "");
}

/* True when an occurrence, or its dedicated time, makes the whole series impossible
 * before any search. */
static bool is_hopeless(struct finder *f, const struct series_one *one)
{
    struct question q = about(f, one);

    if (q.start_at >= q.end_at)
        f->v->failure = FAIL_RESV_TIMES;
    else if (question_crosses(&q))
        f->v->failure = FAIL_CROSSES_DEDICATED;
    return f->v->failure != FAIL_NONE;
}

/* Find a place for one that may have a request of its own. What was found for others is
 * of no use for that, nor what is found for it for others. */
static bool place_its_own(struct finder *f, struct series_one *one)
{
    const struct request *of_series = f->rq;
    bool found;

    if (!one->request)
        return place_one(f, one);
    f->n_known = 0;
    f->rq = one->request;
    found = one->request->valid && place_one(f, one);
    f->rq = of_series;
    f->n_known = 0;
    return found;
}

static void find_new(struct finder *f)
{
    for (size_t i = 0; i < f->ser->n; i++)
        if (is_hopeless(f, &f->ser->v[i])) {
            deny_at(f, &f->ser->v[i]);
            return;
        }
    if (!f->ser->v[0].request && place_all_alike(f))
        return;
    for (size_t i = 0; i < f->ser->n; i++) {
        if (place_its_own(f, &f->ser->v[i]))
            continue;
        deny_at(f, &f->ser->v[i]);
        for (size_t k = 0; k < i; k++)
            undo(f, k);
        return;
    }
}

/* Replace the current occurrence as if it were an advance reservation. */
static bool move_current(struct finder *f)
{
    struct question q = *f->q;
    struct verdict v = { 0 };
    const struct series_vnodes *on;

    q.checks = &f->checks;
    question_find_current(&q, &v);
    if (v.failure) {
        *f->v = v;
        return false;
    }
    on = vnodes_new(f, &v.found, !q.away);
    /* It has its own place and window; what was found for it is for nobody else. */
    f->n_known = 0;
    f->ser->v[0].on = on;
    return true;
}

/* Give a later occurrence other vnodes; without a place for it, it keeps its own. */
static bool move_later(struct finder *f, size_t i)
{
    struct series_one *one = &f->ser->v[i];

    if (one->booked)
        world_switch(f->q->pl->w, one->booked, true);
    one->booked = NULL;
    if (one->end_at > f->q->pl->now_at && place_its_own(f, one))
        return true;
    undo(f, i);
    return false;
}

static void undo_all(struct finder *f)
{
    for (size_t i = 1; i < f->ser->n; i++)
        undo(f, i);
    f->ser->v[0].on = f->was[0];
    world_restore(f->q->pl->w, f->q->r->id);
}

/* Every occurrence that wants other vnodes is searched; the others stay. A server of
 * another make takes it for granted that all is well after a yes, so that one which
 * finds nothing is a no there. */
static void find_degraded(struct finder *f)
{
    bool all_or_none = !f->q->r->question.is_set;
    struct verdict no = { 0 };
    size_t n_moved = 0;

    for (size_t i = 0; i < f->ser->n; i++) {
        if (!f->due[i])
            continue;
        if (i == 0 ? move_current(f) : move_later(f, i)) {
            n_moved +=
                !f->was[i] || strcmp(f->was[i]->text, f->ser->v[i].on->text) != 0;
            continue;
        }
        if (!no.failure) {
            deny_at(f, &f->ser->v[i]);
            no = *f->v;
        }
        *f->v = (struct verdict){ 0 };
        if (all_or_none) {
            n_moved = 0;
            break;
        }
    }
    if (no.failure && n_moved == 0) {
        undo_all(f);
        *f->v = no;
    }
}

/* The vnodes of all that are left as one text. One that has none keeps that. */
static const char *map_of(const struct finder *f)
{
    const char **texts = ARENA_ARRAY(f->q->pl->arena, const char *, f->ser->n);

    for (size_t i = 0; i < f->ser->n; i++)
        texts[i] = f->ser->v[i].on ? f->ser->v[i].on->text : EXECVNODES_SAME;
    return execvnodes_print(texts, f->ser->n, f->q->pl->arena);
}

/* The next plan reads the series again: of this one the search changes what it knows.
 */
static void spoil(const struct question *q, struct series *ser)
{
    ser->stake->spoilt = true;
    q->pl->w->book->unsteady = true;
}

void series_find_altered(struct question *q, struct verdict *v)
{
    struct planner *pl = q->pl;
    struct series_one *one = q->later;
    struct series_vnodes *on;

    MUST(one && q->altered && q->r->standing);
    spoil(q, series_of(pl, q->r));
    if (one->booked)
        world_switch(pl->w, one->booked, true);
    if (q->start_at >= q->end_at)
        v->failure = FAIL_RESV_TIMES;
    else if (question_crosses(q))
        v->failure = FAIL_CROSSES_DEDICATED;
    else if (!question_search(q, &v->found, v))
        question_explain(q, v);
    if (v->failure != FAIL_NONE) {
        if (one->booked)
            world_switch(pl->w, one->booked, false);
        return;
    }
    on = ARENA_NEW(pl->arena, struct series_vnodes);
    *on = (struct series_vnodes){ .text = placement_print(pl->w, &v->found),
                                  .readable = true,
                                  .usable = true,
                                  .at = v->found };
    on->demand = world_demand(pl->w, pl->arena, q->rq, &on->at);
    one->on = on;
    one->booked = world_take(pl->w, one->id, &on->demand, q->start_at, q->end_at);
}

void series_find(struct question *q, struct verdict *v)
{
    struct arena *arena = q->pl->arena;
    struct series *ser = series_of(q->pl, q->r);
    struct finder f = {
        .q = q, .v = v, .ser = ser, .rq = q->r->request_series, .checks = FIT_CHECKS_MAX
    };

    if (ser->n == 0 || !f.rq || !f.rq->valid) {
        v->failure = ser->n == 0 ? FAIL_RESV_STANDING : FAIL_RESV_UNREADABLE;
        return;
    }
    /* Between two occurrences the series has no current one to be answered for. */
    if (q->degraded && q->start_at >= q->end_at) {
        v->failure = FAIL_RESV_TIMES;
        return;
    }
    f.was = ARENA_ARRAY(arena, const struct series_vnodes *, ser->n);
    f.was_booked = ARENA_ARRAY(arena, struct booking *, ser->n);
    f.due = ARENA_ARRAY(arena, bool, ser->n);
    for (size_t i = 0; i < ser->n; i++) {
        f.was[i] = ser->v[i].on;
        f.was_booked[i] = ser->v[i].booked;
        f.due[i] = q->degraded && series_one_is_due(q->pl, q->r, i);
    }
    spoil(q, ser);
    /* A new series whose first occurrence is altered may want less of that one. */
    if (q->altered && q->r->request != f.rq)
        ser->v[0].request = q->r->request;
    if (q->degraded)
        find_degraded(&f);
    else
        find_new(&f);
    if (v->failure)
        return;
    if (!q->degraded) {
        q->start_at = start_of(&f, &ser->v[0]);
        q->end_at = ser->v[0].end_at;
    }
    world_drop(q->pl->w, q->r->id);
    if (ser->v[0].on)
        v->found = ser->v[0].on->at;
    v->map = map_of(&f);
}
