/* story_users.c - what users do in a story: reservations and jobs are asked for,
 * altered, deleted and looked at.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_happen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "2:ncpus=2", sometimes with a second chunk. */
void story_select(struct story *t, int most, struct booking *b)
{
    int chunks = pick(t, 1, most);
    int ncpus = pick(t, 1, t->ncpus);
    int n = snprintf(b->select, sizeof(b->select), "%d:ncpus=%d", chunks, ncpus);

    if (chance(t, 20)) /* a vnode has one gigabyte */
        n += snprintf(b->select + n, sizeof(b->select) - (size_t)n, ":mem=%dmb",
                      pick(t, 1, 10) * 100);
    if (!chance(t, 20))
        return;
    chunks = pick(t, 1, MAX_OF(most / 2, 1));
    ncpus = pick(t, 1, t->ncpus);
    snprintf(b->select + n, sizeof(b->select) - (size_t)n, "+%d:ncpus=%d", chunks,
             ncpus);
}

/* Some requests are tried first. It takes no number from the story: what happens is the
 * same with it and without. */
void story_add_dry(struct story *t, int64_t second, int n)
{
    if ((second * 31 + n) % 4 == 0)
        buf_add_str(t->out, " dry=1");
}

static void add_place(struct story *t)
{
    static const char *const places[] = { "free",     "scatter", "pack",
                                          "vscatter", "excl",    "vscatter:excl" };

    if (chance(t, 30))
        buf_printf(t->out, " place=%s", places[pick(t, 0, 5)]);
}

void story_reserve(struct story *t, int64_t second)
{
    int n = ++t->n_resvs;
    int most = chance(t, 80) ? t->n_vnodes / 3 : t->n_vnodes;
    struct booking *b = booking(t, n);

    story_select(t, MAX_OF(most, 1), b);
    b->start_s = second + (chance(t, 50) ? pick(t, 1, 30) : pick(t, 5, 300));
    b->length_s = chance(t, 10)   ? pick(t, 1, 10)
                  : chance(t, 20) ? pick(t, 20, 60)
                                  : pick(t, 30, 900);
    at(t, second);
    buf_printf(t->out, "user%d reserves R%d select=%s", pick(t, 1, 2), n, b->select);
    add_place(t);
    story_add_dry(t, second, n);
    buf_printf(t->out, " from %" PRId64 " for %" PRId64, b->start_s, b->length_s);
    if (b->length_s <= 60 && chance(t, 60)) {
        /* Compilers differ in the order in which they work out arguments. */
        int count = pick(t, 1, 6);
        int interval = pick(t, 1, 4);

        b->interval_s = 60 * interval;
        buf_printf(t->out, " repeating FREQ=MINUTELY;COUNT=%d;INTERVAL=%d", count,
                   interval);
    }
    if (chance(t, 15))
        buf_printf(t->out, " waiting %d", pick(t, 0, 120));
    else if (chance(t, 15))
        buf_printf(t->out, " waiting -%d", pick(t, 1, 120));
    if (chance(t, 8))
        buf_printf(t->out, " idle %d", pick(t, 10, 200));
    buf_add_char(t->out, '\n');
    if (chance(t, 10)) {
        at(t, second + pick(t, 0, 5));
        buf_printf(t->out, "user1 interrupts R%d\n", n);
    }
}

void story_reserve_from_job(struct story *t, int64_t second)
{
    int n, user, job;

    if (!t->n_jobs)
        return;
    n = ++t->n_resvs;
    *booking(t, n) = (struct booking){ .start_s = second, .length_s = 300 };
    at(t, second);
    user = pick(t, 1, 2);
    job = recent(t, t->n_jobs);
    buf_printf(t->out, "user%d reserves R%d out of J%d", user, n, job);
    if (chance(t, 60))
        buf_printf(t->out, " for %d", pick(t, 1, 600));
    if (chance(t, 20))
        buf_printf(t->out, " idle %d", pick(t, 10, 200));
    buf_add_char(t->out, '\n');
}

/* Some hosts in one order: their first vnodes. */
void story_maintain(struct story *t, int64_t second)
{
    int first = pick(t, 0, t->n_vnodes - 1);
    int n = pick(t, 1, MAX_OF(1, MIN_OF(3, t->n_vnodes - first)));

    struct booking *b = booking(t, ++t->n_resvs);

    *b = (struct booking){ .start_s = second };
    b->start_s += pick(t, 1, 200);
    b->length_s = pick(t, 10, 400);
    at(t, second);
    buf_printf(t->out, "user9 maintains R%d vn[%d]", t->n_resvs, first);
    for (int i = 1; i < n; i++)
        buf_printf(t->out, "+vn[%d]", first + i);
    buf_printf(t->out, " select=%d:ncpus=%d from %" PRId64 " for %" PRId64 "\n", n,
               t->ncpus, b->start_s, b->length_s);
}

/* Mostly around what it has; now and then nonsense. */
static void add_times(struct story *t, int64_t second, const struct booking *b)
{
    int64_t end_s = b->start_s + b->length_s;
    int which = chance(t, 85) ? 1 << pick(t, 0, 2) : pick(t, 1, 7);

    if (which & 1)
        buf_printf(t->out, " from %" PRId64,
                   MAX_OF(second, b->start_s) + pick(t, -30, 200));
    if (which & 2)
        buf_printf(t->out, " until %" PRId64,
                   chance(t, 50) ? end_s + pick(t, -200, 300)
                                 : second + pick(t, -5, 400));
    if (which & 4)
        buf_printf(t->out, " for %d",
                   chance(t, 20) ? pick(t, 1, 20) : pick(t, 20, 1200));
}

/* Smaller, the same, or now and then larger. */
void story_add_smaller(struct story *t, const struct booking *b)
{
    int n = atoi(b->select);
    const char *rest = strchr(b->select, ':');

    if (!rest)
        return;
    if (chance(t, 30) && strchr(rest, '+'))
        buf_printf(t->out, " select=%s", strchr(rest, '+') + 1);
    else
        buf_printf(t->out, " select=%d%s",
                   chance(t, 90) ? pick(t, 1, MAX_OF(n, 1)) : n + 1, rest);
}

void story_alter(struct story *t, int64_t second, int n)
{
    bool force = chance(t, 20);
    bool push = force && chance(t, 50); /* both are for managers */

    at(t, second);
    if (force || chance(t, 15))
        buf_add_str(t->out, "root");
    else
        buf_printf(t->out, "user%d", pick(t, 1, 2));
    buf_printf(t->out, " alters R%d", n);
    story_add_dry(t, second, n);
    if (chance(t, 65))
        add_times(t, second, booking(t, n));
    if (!force && chance(t, 40))
        story_add_smaller(t, booking(t, n));
    if (chance(t, 10))
        buf_printf(t->out, " renamed %c", 'a' + pick(t, 0, 25));
    if (chance(t, 10))
        buf_add_str(t->out, " users=user1,user2");
    if (chance(t, 30))
        buf_printf(t->out, " waiting %d", pick(t, 1, 120));
    buf_printf(t->out, "%s\n", push ? " push" : force ? " force" : "");
}

void story_alter_recent(struct story *t, int64_t second)
{
    if (!t->n_resvs)
        return;
    story_alter(t, second, recent(t, t->n_resvs));
    if (chance(t, 20))
        story_alter_recent(t, second + pick(t, 0, 3));
}

/* One of the last reservations is to be where that one was, or to begin later. */
static void add_part(struct story *t, int64_t second, int n, int from, bool shift)
{
    const struct booking *b = booking(t, from);
    int64_t least_s = second + pick(t, 1, 20);
    int64_t start_s = MAX_OF(b->start_s, least_s) + (shift ? pick(t, 0, 200) : 0);
    int64_t length_s = chance(t, 70) ? b->length_s : pick(t, 10, 600);

    buf_printf(t->out, " R%d %" PRId64 " %" PRId64, n, start_s, start_s + length_s);
}

/* Several reservations change places, or all are moved. */
void story_alter_together(struct story *t, int64_t second)
{
    bool shift = chance(t, 50);
    int n = chance(t, 80) ? 2 : 3;
    int last = t->n_resvs;

    if (last < n)
        return;
    at(t, second);
    buf_add_str(t->out, "root alters together");
    if (chance(t, 30))
        last = pick(t, n, last);
    for (int i = 0; i < n; i++)
        add_part(t, second, last - i, shift ? last - i : last - (i + 1) % n, shift);
    buf_printf(t->out, "%s\n", chance(t, 30) ? " force" : "");
}

static void submit_large(struct story *t, int64_t second, int user)
{
    int chunks = pick(t, MAX_OF(1, t->n_vnodes / 2), t->n_vnodes);
    int ncpus = pick(t, 1, t->ncpus);
    int walltime_s = pick(t, 5, 400);

    at(t, second);
    buf_printf(t->out, "user%d submits J%d select=%d:ncpus=%d", user, ++t->n_jobs,
               chunks, ncpus);
    buf_printf(t->out, " walltime=%d lasting %d\n", walltime_s, pick(t, 1, 400));
}

/* For a job of its own that needs much of the complex, or for one of the last. */
void story_reserve_for_job(struct story *t, int64_t second)
{
    int user = pick(t, 1, 2);
    int job;

    if (t->n_jobs == 0 || chance(t, 70)) {
        if (chance(t, 50))
            submit_large(t, second, 3 - user);
        second += pick(t, 0, 3);
        submit_large(t, second, user);
        second += pick(t, 0, 15); /* in rough weather qsub takes its time */
        job = t->n_jobs;
    } else {
        job = recent(t, t->n_jobs);
    }
    *booking(t, ++t->n_resvs) = (struct booking){ .start_s = second, .length_s = 300 };
    at(t, second);
    if (chance(t, 10))
        buf_add_str(t->out, "root");
    else
        buf_printf(t->out, "user%d", chance(t, 85) ? user : 3 - user);
    buf_printf(t->out, " reserves R%d moving J%d", t->n_resvs, job);
    if (chance(t, 30))
        buf_printf(t->out, " for %d", pick(t, 1, 600));
    if (chance(t, 70))
        buf_printf(t->out, " waiting -%d", pick(t, 1, 120));
    if (chance(t, 20))
        buf_printf(t->out, " idle %d", pick(t, 10, 200));
    buf_add_char(t->out, '\n');
}

void story_ask_why(struct story *t, int64_t second)
{
    static const char *const who[] = { "user1", "user2", "root" };

    if (!t->n_resvs)
        return;
    at(t, second);
    buf_printf(t->out, "%s asks why", who[pick(t, 0, 2)]);
    buf_printf(t->out, " R%d\n", recent(t, t->n_resvs));
}

void story_look(struct story *t, int64_t second)
{
    at(t, second);
    buf_printf(t->out, "user%d looks\n", pick(t, 1, 2));
}

void story_submit(struct story *t, int64_t second)
{
    int into = t->n_resvs && chance(t, 75) ? recent(t, t->n_resvs) : 0;
    int user = pick(t, 1, 2);
    int chunks = chance(t, 80) ? 1 : pick(t, 1, 3);
    int ncpus = pick(t, 1, t->ncpus);

    at(t, second);
    buf_printf(t->out, "user%d submits J%d select=%d:ncpus=%d", user, ++t->n_jobs,
               chunks, ncpus);
    if (chance(t, 20))
        buf_printf(t->out, ":mem=%dmb", pick(t, 1, 10) * 100);
    if (!into || chance(t, 50))
        buf_printf(t->out, " walltime=%d", pick(t, 5, 600));
    buf_printf(t->out, " lasting %d", pick(t, 1, 500));
    if (into)
        buf_printf(t->out, " into R%d", into);
    if (chance(t, 8))
        buf_printf(t->out, " indices=1-%d\n", pick(t, 2, 6));
    else
        buf_printf(t->out, "%s\n", !into && chance(t, 8) ? " reserving" : "");
}

void story_delete(struct story *t, int64_t second)
{
    bool resv = t->n_resvs && (!t->n_jobs || chance(t, 50));

    if (!resv && !t->n_jobs)
        return;
    at(t, second);
    if (chance(t, 30))
        buf_add_str(t->out, "root");
    else
        buf_printf(t->out, "user%d", pick(t, 1, 2));
    buf_printf(t->out, " deletes %c%d\n", resv ? 'R' : 'J',
               recent(t, resv ? t->n_resvs : t->n_jobs));
}

void story_run(struct story *t, int64_t second)
{
    if (!t->n_jobs)
        return;
    at(t, second);
    buf_printf(t->out, "root runs J%d\n", recent(t, t->n_jobs));
}
