/* story_hosts.c - the part of a story in which something is wrong with hosts that their
 * MoMs cannot mend: a disk is full, no user can be looked up, a clock is set, the power
 * fails. From random numbers of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

static void submit(struct story *t, int n)
{
    int second = pick(t, 2, (int)t->last_s);
    int user = pick(t, 1, 2);
    int chunks = pick(t, 1, MIN_OF(t->n_vnodes, 4));
    int walltime_s = pick(t, 30, 500);
    int lasts_s = pick(t, 5, 600);

    at(t, second);
    buf_printf(t->out, "user%d submits H%d select=%d:ncpus=1", user, n, chunks);
    buf_printf(t->out, " place=%s", chance(t, 50) ? "scatter" : "free");
    buf_printf(t->out, " walltime=%d lasting %d", walltime_s, lasts_s);
    if (chance(t, 20))
        buf_printf(t->out, " indices=1-%d", pick(t, 2, 4));
    buf_printf(t->out, "%s\n", chance(t, 15) ? " once" : "");
}

/* Of a job that is there. */
static void interfere(struct story *t, int n_jobs)
{
    static const char *const words[] = { "deletes", "requeues", "suspends", "resumes" };
    int second = pick(t, 20, (int)t->last_s + 60);
    int word = pick(t, 0, 3), job = pick(t, 1, n_jobs);

    at(t, second);
    buf_printf(t->out, "root %s H%d\n", words[word], job);
}

/* Mostly its MoM dies meanwhile: it finds what could be written. */
static void fill_disk(struct story *t, int host, int second)
{
    int lasts_s = pick(t, 1, 200);

    at(t, second);
    buf_printf(t->out, "mom h%d cannot write\n", host);
    if (chance(t, 60)) {
        at(t, second + pick(t, 0, lasts_s));
        buf_printf(t->out, "mom h%d dies after %d\n", host, pick(t, 1, 30));
        at(t, second + pick(t, 0, lasts_s + 60));
        buf_printf(t->out, "mom h%d starts\n", host);
    }
    if (chance(t, 10))
        return;
    at(t, second + lasts_s);
    buf_printf(t->out, "mom h%d can write\n", host);
}

static void forget_users(struct story *t, int host, int second)
{
    at(t, second);
    buf_printf(t->out, "mom h%d knows no users\n", host);
    if (chance(t, 10))
        return;
    at(t, second + pick(t, 1, 120));
    buf_printf(t->out, "mom h%d knows its users\n", host);
}

static void set_clock(struct story *t, int host, int second)
{
    static const int ahead_s[] = { -36000, -3600, -60, -5, 0, 5, 60, 3600, 36000 };

    at(t, second);
    buf_printf(t->out, "mom h%d is %d seconds ahead\n", host, ahead_s[pick(t, 0, 8)]);
    if (chance(t, 40)) {
        at(t, second + pick(t, 0, 60));
        buf_printf(t->out, "mom h%d dies after %d\n", host, pick(t, 1, 30));
        at(t, second + pick(t, 60, 120));
        buf_printf(t->out, "mom h%d starts\n", host);
    }
}

static void reset(struct story *t, int host, int second)
{
    at(t, second);
    buf_printf(t->out, "mom h%d stops losing jobs\n", host);
    at(t, second + pick(t, 1, 200));
    buf_printf(t->out, "mom h%d starts\n", host);
}

static void (*const faults[])(struct story *t, int host, int second) = {
    fill_disk, fill_disk, forget_users, set_clock, set_clock, reset,
};

void story_hosts(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n_jobs;

    t.rnd = rnd_seeded(seed * 4657 + 29);
    n_jobs = pick(&t, 4, 10);
    for (int i = 1; i <= n_jobs; i++)
        submit(&t, i);
    for (int i = pick(&t, 0, 5); i > 0; i--)
        interfere(&t, n_jobs);
    for (int i = pick(&t, 2, 8); i > 0; i--) {
        int fault = pick(&t, 0, (int)ARRAY_LEN(faults) - 1);
        int host = pick(&t, 1, t.n_hosts);

        faults[fault](&t, host, pick(&t, 5, (int)t.last_s));
    }
}
