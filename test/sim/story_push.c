/* story_push.c - the part of a story in which a reservation is to have more time and
 * pushes those behind it, of which some are in its way and some are not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

/* "O1" is made longer; "O2" and so on begin while it would run then. Times end when
 * those of all others do, so that few others begin behind them. */
struct row {
    int first, n;
    int64_t second; /* when they are made */
    int64_t start_s, end_s, until_s;
};

static void reserve(struct story *t, const struct row *o, int i, int64_t start_s,
                    int64_t length_s)
{
    int user = pick(t, 1, 2);
    int chunks = chance(t, 70) ? 1 : pick(t, 1, MAX_OF(1, t->n_vnodes / 2));
    int ncpus = chance(t, 70) ? t->ncpus : pick(t, 1, t->ncpus);

    at(t, o->second + i);
    buf_printf(t->out, "user%d reserves O%d select=%d:ncpus=%d", user, o->first + i,
               chunks, ncpus);
    if (chance(t, 20))
        buf_add_str(t->out, chance(t, 50) ? " place=excl" : " place=scatter");
    buf_printf(t->out, " from %" PRId64 " for %" PRId64 "\n", start_s, length_s);
}

static void push(struct story *t, const struct row *o)
{
    int64_t second = o->second + o->n + pick(t, 5, 40);

    at(t, second);
    buf_printf(t->out, "root alters O%d", o->first);
    if ((second + o->n) % 3 == 0)
        buf_add_str(t->out, " dry=1");
    buf_printf(t->out, " until %" PRId64 " waiting %d push\n", o->until_s,
               pick(t, 10, 90));
}

void story_pushes(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    struct row o = { .first = 1, .second = of->last_s / 2 };
    int times;

    t.rnd = rnd_seeded(seed * 7933 + 37);
    times = pick(&t, 1, 3);
    for (int i = 0; i < times; i++) {
        o.n = pick(&t, 3, 6);
        o.second += pick(&t, 10, 100);
        o.start_s = o.second + pick(&t, 10, 100);
        o.end_s = o.start_s + pick(&t, 30, 100);
        o.until_s = o.end_s + pick(&t, 20, 200);
        reserve(&t, &o, 0, o.start_s, o.end_s - o.start_s);
        for (int k = 1; k < o.n; k++) {
            int64_t start_s = o.end_s + pick(&t, 0, (int)(o.until_s - o.end_s) - 1);

            reserve(&t, &o, k, start_s, pick(&t, 20, 150));
        }
        push(&t, &o);
        o.first += o.n;
    }
}
