/* waiting.c - see waiting.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/waiting_priv.h"

#include <stdlib.h>
#include <string.h>

bool waiting_serves(struct planner *pl)
{
    return pl->w->waiting && !pl->p->strict_ordering && !pl->p->strict_fifo &&
           !(pl->formula && pl->s->has_threshold) &&
           !(pl->s->counts_eligible && limit_fit_is_of_owner(pl)) &&
           rules_are_steady(pl);
}

void waiting_forget(struct planner *pl)
{
    if (!pl->w->waiting)
        return;
    pl->w->waiting->era++;
    /* As long as nobody asks for the order, nobody has to note what it needs. */
    pl->w->waiting->moved = pl->w->waiting->unranked = true;
}

size_t waiting_begin(struct planner *pl)
{
    struct waiting *k = pl->w->waiting;

    MUST(k && waiting_serves(pl));
    if (k->n_slots == 0)
        k->n_keys = pl->p->n_job_keys;
    waiting_update(k, pl);
    k->look++;
    k->state++;
    return k->n;
}

enum plan_failure waiting_refused(struct planner *pl, const struct waiter *w)
{
    const struct waiting *k = pl->w->waiting;
    struct crowd *c = w->crowd;

    if (!c)
        return rules_refuse(pl, false, &pl->s->jobs[w->job]);
    if (c->asked_at != k->look) {
        c->refused = rules_refuse(pl, false, &pl->s->jobs[w->job]);
        c->asked_at = k->look;
    }
    return c->refused;
}

size_t waiting_list(struct planner *pl, const struct snap_job **jobs,
                    struct waiter **waiters)
{
    const struct waiting *k = pl->w->waiting;
    size_t n = 0;

    for (size_t i = 0; i < k->n; i++) {
        struct waiter *w = &k->slots[k->order[i]];

        if (waiting_refused(pl, w))
            continue;
        waiters[n] = w;
        jobs[n++] = &pl->s->jobs[w->job];
    }
    return n;
}

struct waiter *waiting_at(const struct planner *pl, size_t job)
{
    const struct waiting *k = pl->w->waiting;

    MUST(job < k->n_jobs && k->of_job[job]);
    return &k->slots[k->of_job[job] - 1];
}

const struct failure *waiting_why(const struct planner *pl, const struct waiter *w)
{
    return w->crowd && w->crowd->known_at == pl->w->waiting->state ? &w->crowd->fail
                                                                   : NULL;
}

bool waiting_is_told(const struct planner *pl, const struct waiter *w)
{
    return waiting_why(pl, w) && w->told == w->crowd->number;
}

void waiting_changed(struct planner *pl)
{
    pl->w->waiting->state++;
}

static void renumber(struct waiting *k, struct crowd *c, int64_t accrues)
{
    const struct failure *fail = &c->fail;

    if (c->number && c->era == k->era && c->kind == fail->kind &&
        c->never == fail->never && c->accrues == accrues &&
        strcmp(c->log, c->words.log) == 0 && strcmp(c->comment, c->words.comment) == 0)
        return;
    free(c->log);
    free(c->comment);
    c->log = xstrdup(c->words.log);
    c->comment = xstrdup(c->words.comment);
    c->kind = fail->kind;
    c->never = fail->never;
    c->accrues = accrues;
    c->era = k->era;
    c->number = ++k->n_numbers;
}

bool waiting_said(struct planner *pl, struct waiter *w, const struct failure *fail,
                  const struct failure_words *words, int64_t accrues,
                  const struct plan_step *step)
{
    bool settled = step->unchanged && !step->accrue_type && !step->topjob, known;
    struct waiting *k = pl->w->waiting;
    struct crowd *c = w->crowd;

    if (!c)
        return false;
    MUST(!step->top);
    if (c->known_at != k->state) {
        c->words = *words;
        c->fail = *fail;
        c->fail.words = &c->words;
        c->known_at = k->state;
        renumber(k, c, accrues);
    }
    known = settled && w->told == c->number;
    w->told = settled ? c->number : 0;
    return known;
}

struct failure_words waiting_words(const struct waiter *w)
{
    MUST(w->crowd && w->crowd->number);
    return (struct failure_words){ .log = w->crowd->log, .comment = w->crowd->comment };
}
