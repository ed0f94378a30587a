/* story_preempt.c - the part of a story in which jobs of two express queues come, and
 * others leave for them by whatever methods: those that fill the complex, those of the
 * lower of the two queues, and some that may not be made to. MoMs make images of jobs,
 * when somebody holds one, when one leaves for another, and in time. From random
 * numbers of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

static const char *order(struct story *t)
{
    static const char *const orders[] = { "S",   "SR", "R",      "RS",  "SCR",
                                          "SRD", "D",  "S 50 R", "SCRD" };

    return orders[pick(t, 0, 8)];
}

static void set_up(struct story *t)
{
    static const char *const both[] = { "", "second " };

    buf_add_str(t->out, "queue low\nqueue express\nqueue urgent\n");
    buf_add_str(t->out, "at 0 root sets queue low Priority 10\n"
                        "at 0 root sets queue express Priority 200\n"
                        "at 0 root sets queue urgent Priority 300\n");
    for (int i = 0; i <= t->two_scheds; i++)
        buf_printf(t->out, "at 2 %sscheduler preempts\n", both[i]);
    buf_printf(t->out, "at 2 root sets sched preempt_order %s\n", order(t));
    if (chance(t, 25))
        buf_add_str(t->out,
                    "at 2 root sets sched sched_preempt_enforce_resumption True\n");
    if (chance(t, 60))
        buf_add_str(t->out, "at 2 moms make images\n");
    if (chance(t, 25))
        buf_add_str(t->out,
                    "at 2 root sets restrict_res_to_release_on_suspend ncpus\n");
}

static void submit(struct story *t, int64_t second, int n, const char *queue)
{
    int user = pick(t, 1, 2);
    int chunks = chance(t, 70) ? pick(t, 1, 2) : pick(t, 1, t->n_vnodes);
    int ncpus = chance(t, 60) ? t->ncpus : pick(t, 1, t->ncpus);
    int walltime_s = pick(t, 20, 500);
    int lasts_s = chance(t, 80) ? pick(t, 1, walltime_s) : 600;

    at(t, second);
    buf_printf(t->out, "user%d submits P%d select=%d:ncpus=%d walltime=%d", user, n,
               MIN_OF(chunks, t->n_vnodes), ncpus, walltime_s);
    if (chance(t, 15))
        buf_add_str(t->out, " checkpoint=n");
    else if (chance(t, 30))
        buf_printf(t->out, " checkpoint=w=%d", pick(t, 1, 3));
    buf_printf(t->out, " lasting %d into %s%s\n", lasts_s, queue,
               chance(t, 20) ? " once" : "");
}

/* Somebody ends a job, stops it or lets it go on, about when it may have to leave. */
static void interfere(struct story *t, int64_t second, int n_jobs)
{
    static const char *const words[] = { "deletes",  "suspends", "resumes", "runs",
                                         "requeues", "holds",    "holds",   "frees" };
    int job = pick(t, 1, n_jobs);

    at(t, second + pick(t, 0, 20));
    buf_printf(t->out, "root %s P%d\n", words[pick(t, 0, 7)], job);
}

/* Jobs of a reservation count towards the limit, and leave for nobody all the same. */
static void limit(struct story *t)
{
    int n = pick(t, 2, 4);

    buf_printf(t->out, "at 1 user1 reserves V1 select=1:ncpus=1 from 15 for %d\n",
               pick(t, 200, 800));
    for (int i = 0; i < n; i++) {
        at(t, 3 + pick(t, 0, 60));
        buf_printf(t->out, "user1 submits Q%d select=1:ncpus=1 lasting %d into V1\n", i,
                   pick(t, 50, 600));
    }
    at(t, 20 + pick(t, 0, 60));
    buf_printf(t->out, "root sets max_run [o:PBS_ALL=%d]\n", pick(t, 1, 4));
}

void story_preemption(const struct story *of, uint64_t seed)
{
    static const char *const queues[] = { "workq", "workq", "low", "express",
                                          "urgent" };
    struct story t = *of;
    int64_t second = 5;
    int n;

    t.rnd = rnd_seeded(~(seed * 7949 + 5));
    set_up(&t);
    n = pick(&t, 6, 14);
    for (int i = 1; i <= n; i++) {
        second += pick(&t, 0, MIN_OF(2 * (int)of->last_s / n, 60));
        submit(&t, second, i, queues[pick(&t, 0, 4)]);
        if (chance(&t, 35))
            interfere(&t, second, i);
        if (chance(&t, 10)) {
            at(&t, second);
            buf_printf(t.out, "root sets sched preempt_order %s\n", order(&t));
        }
    }
    if (chance(&t, 50))
        limit(&t);
}
