/* story_series.c - the part of a story in which occurrences of series are altered and
 * deleted by their index.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

/* A series, so that there is one whose occurrences can be named. */
static void reserve_series(struct story *t)
{
    struct booking *b = booking(t, ++t->n_resvs);
    int second = pick(t, 0, (int)t->last_s / 2);
    int count, interval, user;

    *b = (struct booking){ 0 };
    story_select(t, MAX_OF(t->n_vnodes / 4, 1), b);
    b->start_s = second + pick(t, 60, 200);
    b->length_s = pick(t, 10, 60);
    count = pick(t, 2, 8);
    interval = pick(t, 1, 4);
    b->interval_s = 60 * interval;
    at(t, second);
    user = pick(t, 1, 2);
    buf_printf(t->out, "user%d reserves R%d select=%s from %" PRId64, user, t->n_resvs,
               b->select, b->start_s);
    buf_printf(t->out,
               " for %" PRId64 " repeating FREQ=MINUTELY;COUNT=%d;INTERVAL=%d\n",
               b->length_s, count, interval);
}

/* Whose it is: an occurrence by its index, and in a push of the whole series now and
 * then the one whose turn it is. */
static void name_occurrence(struct story *t, int resv, int index, bool push)
{
    buf_printf(t->out, " alters R%d", resv);
    if (!push || chance(t, 70))
        buf_printf(t->out, "[%d]", index);
}

/* Mostly around where it is, and now and then beyond its neighbours: which a push may
 * move. */
static void alter_occurrence(struct story *t, int64_t second, int resv, int index)
{
    const struct booking *b = booking(t, resv);
    int64_t start_s = b->start_s + (int64_t)(index - 1) * b->interval_s;
    int kind = pick(t, 0, 99);
    bool force = kind < 12, push = !force && kind < 40; /* both are for managers */

    if (force || push)
        buf_add_str(t->out, "root");
    else
        buf_printf(t->out, "user%d", pick(t, 1, 2));
    name_occurrence(t, resv, index, push);
    story_add_dry(t, second, index);
    if (chance(t, 50))
        buf_printf(t->out, " from %" PRId64, start_s + pick(t, -40, 100));
    if (chance(t, 70))
        buf_printf(t->out, " for %d", pick(t, 1, 150));
    if (!force && chance(t, 40))
        story_add_smaller(t, b);
    if (chance(t, 30))
        buf_printf(t->out, " waiting %d", pick(t, 1, 120));
    buf_printf(t->out, "%s\n", push ? " push" : force ? " force" : "");
}

/* Occurrences of series are altered and deleted by their index. From random numbers of
 * their own, too. */
void story_occurrences(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(~seed);
    n = pick(&t, 1, 3);
    for (int i = 0; i < n; i++)
        reserve_series(&t);
    n = pick(&t, 20, 80);
    for (int i = 0; i < n; i++) {
        int resv = chance(&t, 80) ? pick(&t, of->n_resvs + 1, t.n_resvs)
                                  : pick(&t, 1, t.n_resvs);
        int index = chance(&t, 80) ? pick(&t, 2, 4) : pick(&t, 1, 8);
        int64_t second;

        if (booking(&t, resv)->interval_s == 0)
            continue;
        second = booking(&t, resv)->start_s +
                 pick(&t, -55, 3 * booking(&t, resv)->interval_s);
        at(&t, second);
        if (chance(&t, 15))
            buf_printf(t.out, "user%d deletes R%d[%d]\n", pick(&t, 1, 2), resv, index);
        else
            alter_occurrence(&t, second, resv, index);
    }
}
