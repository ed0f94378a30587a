/* story_errs.c - the part of a story in which schedulers err while reservations that
 * have jobs in them are made smaller: what they say would take vnodes from under the
 * jobs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

/* A reservation "B1" of the part, with its jobs "C1". */
struct shrunk {
    int number;
    int user;
    int chunks;
    int ncpus;
    int64_t start_s;
};

static void reserve(struct story *t, struct shrunk *o)
{
    int64_t second = pick(t, 1, (int)t->last_s * 2 / 3);

    o->user = pick(t, 1, 2);
    o->chunks = pick(t, 2, MAX_OF(2, MIN_OF(4, t->n_vnodes)));
    o->ncpus = chance(t, 50) ? t->ncpus : 1;
    o->start_s = second + pick(t, 5, 30);
    at(t, second);
    buf_printf(t->out, "user%d reserves B%d select=%d:ncpus=%d", o->user, o->number,
               o->chunks, o->ncpus);
    buf_printf(t->out, " from %" PRId64 " for %d\n", o->start_s, pick(t, 200, 500));
}

/* On some of its chunks is a job, and on some is none. */
static void fill(struct story *t, const struct shrunk *o, int *n_jobs)
{
    int n = pick(t, 1, o->chunks);

    for (int i = 0; i < n; i++) {
        int64_t second = o->start_s + pick(t, -4, 10);

        at(t, second);
        buf_printf(t->out, "user%d submits C%d select=1:ncpus=%d", o->user, ++*n_jobs,
                   o->ncpus);
        buf_printf(t->out, " lasting %d into B%d\n", pick(t, 50, 400), o->number);
    }
}

/* The scheduler errs from before the first to behind the last of them. */
static void shrink(struct story *t, const struct shrunk *o)
{
    const char *who = t->two_scheds && chance(t, 50) ? "second scheduler" : "scheduler";
    int64_t second = o->start_s + pick(t, 15, 60);

    at(t, second);
    buf_printf(t->out, "%s errs\n", who);
    for (int i = pick(t, 1, 3); i > 0; i--) {
        second += pick(t, 1, 40);
        at(t, second);
        buf_printf(t->out, "user%d alters B%d select=%d:ncpus=%d", o->user, o->number,
                   pick(t, 1, o->chunks), o->ncpus);
        if (chance(t, 30))
            buf_printf(t->out, " until %" PRId64, second + pick(t, 100, 600));
        buf_add_char(t->out, '\n');
    }
    at(t, second + pick(t, 5, 100));
    buf_printf(t->out, "%s errs no more\n", who);
}

void story_errors(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n, n_jobs = 0;

    t.rnd = rnd_seeded(seed * 7907 + 29);
    n = pick(&t, 1, 3);
    for (int i = 1; i <= n; i++) {
        struct shrunk o = { .number = i };

        reserve(&t, &o);
        fill(&t, &o, &n_jobs);
        shrink(&t, &o);
    }
}
