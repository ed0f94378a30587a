/* story_turns.c - the part of a story in which series end, one occurrence after the
 * other, with jobs in them: some run and some wait, some run only once, and what the
 * end does to them is said before, or changes between two turns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

/* A series "T1" of the part; its jobs are "U1". */
struct turns {
    int number;
    int user;
    int chunks;
    int count;
    int64_t start_s, length_s, interval_s;
};

static const char *word(struct story *t)
{
    static const char *const words[] = { "kill", "requeue", "requeue", "hold", "hold" };

    return words[pick(t, 0, 4)];
}

static void reserve(struct story *t, struct turns *o)
{
    static const char *const queues[] = { "late", "mine", "workq" };
    int second = pick(t, 0, (int)t->last_s / 2);

    o->user = pick(t, 1, 2);
    o->chunks = pick(t, 1, MAX_OF(1, MIN_OF(3, t->n_vnodes)));
    o->count = pick(t, 2, 4);
    o->interval_s = 60 * (int64_t)pick(t, 2, 4);
    o->length_s = pick(t, 40, 100);
    o->start_s = second + pick(t, 10, 90);
    at(t, second);
    buf_printf(t->out, "user%d reserves T%d select=%d:ncpus=1 from %" PRId64, o->user,
               o->number, o->chunks, o->start_s);
    buf_printf(t->out, " for %" PRId64, o->length_s);
    if (chance(t, 85))
        buf_printf(t->out, " on_end=%s", word(t));
    if (chance(t, 40))
        buf_printf(t->out, " on_end_queue=%s", queues[pick(t, 0, 2)]);
    buf_printf(t->out, " repeating FREQ=MINUTELY;COUNT=%d;INTERVAL=%d\n", o->count,
               (int)(o->interval_s / 60));
}

/* More jobs than it has room for, most of them longer than a turn. */
static void fill(struct story *t, const struct turns *o, int *n_jobs)
{
    int n = pick(t, 1, o->chunks + 2);

    for (int i = 0; i < n; i++) {
        int64_t turn = pick(t, 0, o->count - 1);
        int64_t second = o->start_s + turn * o->interval_s + pick(t, -20, 40);
        int lasts_s = chance(t, 70) ? pick(t, 100, 900) : pick(t, 5, 60);

        at(t, MAX_OF(second, INT64_C(1)));
        buf_printf(t->out, "user%d submits U%d select=1:ncpus=1", o->user, ++*n_jobs);
        buf_printf(t->out, " lasting %d into T%d", lasts_s, o->number);
        if (chance(t, 30))
            buf_printf(t->out, " indices=1-%d", pick(t, 2, 6));
        buf_add_str(t->out, chance(t, 30) ? " once\n" : "\n");
    }
}

/* Between two turns somebody thinks again. */
static void change_its_mind(struct story *t, const struct turns *o)
{
    int64_t second = o->start_s + pick(t, 0, o->count * (int)o->interval_s);

    at(t, MAX_OF(second, INT64_C(1)));
    if (chance(t, 75))
        buf_printf(t->out, "user%d alters T%d on_end=%s\n", o->user, o->number,
                   word(t));
    else if (chance(t, 60))
        buf_printf(t->out, "user%d deletes T%d[%d]\n", o->user, o->number,
                   pick(t, 1, o->count));
    else
        buf_printf(t->out, "user%d deletes T%d\n", o->user, o->number);
}

void story_turns(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n, n_jobs = 0;

    t.rnd = rnd_seeded(seed * 7933 + 11);
    n = pick(&t, 1, 3);
    for (int i = 1; i <= n; i++) {
        struct turns o = { .number = i };

        reserve(&t, &o);
        fill(&t, &o, &n_jobs);
        if (chance(&t, 40))
            change_its_mind(&t, &o);
    }
}
