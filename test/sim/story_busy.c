/* story_busy.c - the part of a story in which hosts have too much to do for a while, or
 * somebody sits at them, so that jobs of theirs stand; and wide jobs are there, which
 * are suspended and go on meanwhile. From random numbers of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

static void submit_wide(struct story *t, int64_t second, int n)
{
    int user = pick(t, 1, 2);
    int chunks = pick(t, 1, MIN_OF(t->n_vnodes, 4));
    int ncpus = pick(t, 1, t->ncpus);
    int walltime_s = pick(t, 60, 900);

    at(t, second);
    buf_printf(t->out, "user%d submits B%d select=%d:ncpus=%d", user, n, chunks, ncpus);
    buf_printf(t->out, " place=%s", chance(t, 70) ? "scatter" : "free");
    buf_printf(t->out, " walltime=%d lasting %d\n", walltime_s, pick(t, 20, 500));
}

/* Most of them are left by it after a while, the others when the faults stop. */
static void disturb_host(struct story *t, int64_t second)
{
    static const char *const words[][2] = { { "has much to do", "has little to do" },
                                            { "is typed at", "is left alone" } };
    int host = pick(t, 1, t->n_hosts), kind = pick(t, 0, 1);

    at(t, second);
    buf_printf(t->out, "mom h%d %s\n", host, words[kind][0]);
    if (chance(t, 10))
        return;
    at(t, second + pick(t, 1, 250));
    buf_printf(t->out, "mom h%d %s\n", host, words[kind][1]);
}

/* What may happen to a job while it stands. */
static void act(struct story *t, int64_t second, int n_jobs)
{
    static const char *const words[] = { "suspends", "suspends",       "resumes",
                                         "resumes",  "admin-suspends", "admin-resumes",
                                         "requeues", "deletes" };
    int job = pick(t, 1, n_jobs);

    at(t, second + pick(t, 0, 90));
    buf_printf(t->out, "root %s B%d\n", words[pick(t, 0, 7)], job);
}

static void lose_mom(struct story *t, int64_t second)
{
    int host = pick(t, 1, t->n_hosts);

    at(t, second + pick(t, 0, 60));
    buf_printf(t->out, "mom h%d dies after %d\n", host, pick(t, 1, 20));
    at(t, second + pick(t, 60, 120));
    buf_printf(t->out, "mom h%d starts\n", host);
}

void story_busy(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n, n_jobs;

    t.rnd = rnd_seeded(seed * 7933 + 41);
    if (chance(&t, 30))
        buf_printf(t.out, "at 1 mom h%d sends wide jobs on\n", pick(&t, 1, t.n_hosts));
    n_jobs = pick(&t, 3, 10);
    for (int i = 1; i <= n_jobs; i++)
        submit_wide(&t, pick(&t, 2, (int)of->last_s), i);
    n = pick(&t, 4, 16);
    for (int i = 0; i < n; i++) {
        int64_t second = pick(&t, 10, (int)of->last_s);

        disturb_host(&t, second);
        for (int k = pick(&t, 0, 3); k > 0; k--)
            act(&t, second, n_jobs);
        if (chance(&t, 25))
            lose_mom(&t, second);
    }
}
