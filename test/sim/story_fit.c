/* story_fit.c - the part of a story in which jobs have to fit: some may be shortened,
 * and vnodes limit how many jobs run on them; and of one in which the server has a
 * number of cpus for all together. From random numbers of their own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

/* 0: no job at all. */
static void limit(struct story *t, int64_t second)
{
    static const char *const limits[] = { "max_running", "max_user_run",
                                          "max_group_run" };
    int vnode = pick(t, 0, t->n_vnodes - 1);
    int most = chance(t, 10) ? 0 : pick(t, 1, 2);

    at(t, second);
    buf_printf(t->out, "root sets vnode vn[%d] %s %d\n", vnode, limits[pick(t, 0, 2)],
               most);
}

static void submit(struct story *t, int64_t second, int n)
{
    int user = pick(t, 1, 2);
    int chunks = chance(t, 70) ? 1 : pick(t, 1, MAX_OF(1, t->n_vnodes / 2));
    int ncpus = chance(t, 60) ? 1 : pick(t, 1, t->ncpus);
    int least_s = pick(t, 5, 120);

    at(t, second);
    buf_printf(t->out, "user%d submits L%d select=%d:ncpus=%d", user, n, chunks, ncpus);
    if (chance(t, 70)) {
        buf_printf(t->out, " min_walltime=%d", least_s);
        if (chance(t, 70))
            buf_printf(t->out, " max_walltime=%d", least_s + pick(t, 0, 800));
    } else {
        buf_printf(t->out, " walltime=%d", pick(t, 20, 400));
    }
    buf_printf(t->out, " lasting %d\n", pick(t, 1, 300));
    /* A manager knows better; or believes so, while it waits or runs. */
    if (chance(t, 35)) {
        at(t, MIN_OF(second + pick(t, 0, 100), t->last_s));
        buf_printf(t->out, "root expects L%d to last %d\n", n, pick(t, 5, 200));
    }
}

void story_fits(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int64_t second = 5;
    int n;

    t.rnd = rnd_seeded(~(seed * 7951 + 3));
    n = pick(&t, 1, of->n_vnodes);
    for (int i = 0; i < n; i++)
        limit(&t, chance(&t, 80) ? 2 : pick(&t, 3, (int)of->last_s));
    n = pick(&t, 5, 12);
    for (int i = 1; i <= n; i++) {
        second += pick(&t, 0, 2 * (int)of->last_s / n);
        submit(&t, second, i);
    }
}

/* What the server has for all together changes while everything else goes on. */
void story_sums(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int all = of->n_vnodes * of->ncpus;

    t.rnd = rnd_seeded(~(seed * 7957 + 9));
    for (int i = pick(&t, 1, 4); i > 0; i--) {
        at(&t, chance(&t, 50) ? 1 : pick(&t, 1, (int)of->last_s));
        buf_printf(t.out, "root sets resources_available.ncpus %d\n",
                   pick(&t, MAX_OF(1, all / 3), all));
    }
}
