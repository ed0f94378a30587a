/* story_scripts.c - the part of a story in which MoMs have scripts at the ends of jobs:
 * epilogues, some of which send a job back to its image, and scripts that end a job in
 * the place of SIGTERM. From random numbers of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

static void submit(struct story *t, int n)
{
    int second = pick(t, 2, (int)t->last_s);
    int user = pick(t, 1, 2);
    int chunks = pick(t, 1, MIN_OF(t->n_vnodes, 3));
    int walltime_s = pick(t, 60, 400);
    int lasts_s = pick(t, 1, 300);

    at(t, second);
    buf_printf(t->out, "user%d submits S%d select=%d:ncpus=1 walltime=%d", user, n,
               chunks, walltime_s);
    if (chance(t, 60))
        buf_printf(t->out, " checkpoint=w=%d", pick(t, 1, 2));
    buf_printf(t->out, " lasting %d%s\n", lasts_s, chance(t, 15) ? " once" : "");
}

/* Around the time of an end, which the script makes longer. */
static void interfere(struct story *t, int n_jobs)
{
    static const char *const words[] = { "deletes", "deletes",  "requeues", "holds",
                                         "frees",   "suspends", "resumes" };
    int second = pick(t, 20, (int)t->last_s + 100);
    int word = pick(t, 0, 6), job = pick(t, 1, n_jobs);

    at(t, second);
    buf_printf(t->out, "root %s S%d\n", words[word], job);
}

static void lose_mom(struct story *t)
{
    int host = pick(t, 1, t->n_hosts), second = pick(t, 20, (int)t->last_s);

    at(t, second);
    buf_printf(t->out, "mom h%d dies after %d\n", host, pick(t, 1, 30));
    at(t, second + pick(t, 40, 120));
    buf_printf(t->out, "mom h%d starts%s\n", host, chance(t, 15) ? " with -r" : "");
}

void story_scripts(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n_jobs;

    t.rnd = rnd_seeded(seed * 6151 + 67);
    buf_add_str(t.out, "at 1 moms run epilogues\n");
    if (chance(&t, 70))
        buf_add_str(t.out, "at 1 moms make images\n");
    if (chance(&t, 50))
        buf_add_str(t.out, "at 1 moms end jobs by a script\n");
    n_jobs = pick(&t, 3, 8);
    for (int i = 1; i <= n_jobs; i++)
        submit(&t, i);
    for (int i = pick(&t, 2, 8); i > 0; i--)
        interfere(&t, n_jobs);
    for (int i = pick(&t, 0, 2); i > 0; i--)
        lose_mom(&t);
}
