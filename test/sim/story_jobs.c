/* story_jobs.c - what becomes of the jobs of a story: they outlast their reservations,
 * move, give vnodes back, are suspended, wait for others, and are kept when they are
 * over.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

/* A job that is in the reservation around its start, and outlasts it. */
static void outlast(struct story *t, int resv)
{
    const struct booking *b = booking(t, resv);
    int64_t second = MAX_OF(b->start_s, INT64_C(20)) + pick(t, -15, 20);
    int user = pick(t, 1, 2);
    int ncpus = pick(t, 1, t->ncpus);

    at(t, second);
    buf_printf(t->out, "user%d submits J%d select=1:ncpus=%d lasting 2000 into R%d",
               user, ++t->n_jobs, ncpus, resv);
    if (chance(t, 25))
        buf_printf(t->out, " indices=1-%d", pick(t, 2, 6));
    buf_add_str(t->out, chance(t, 15) ? " once\n" : "\n");
}

/* Ends that keep the jobs: for all of a story, and for some of its reservations. From
 * random numbers of their own, too. */
void story_ends(const struct story *of, uint64_t seed)
{
    static const char *const words[] = { "kill", "requeue", "hold", "extend", "hold" };
    static const char *const queues[] = { "late", "mine", "workq" };
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(~seed);
    buf_add_str(t.out, "queue late\nqueue mine for user1\n");
    if (chance(&t, 70))
        buf_printf(t.out, "server resv_default_on_end %s\n", words[pick(&t, 0, 4)]);
    n = pick(&t, 2, 15);
    for (int i = 0; i < n; i++) {
        int user, resv;

        outlast(&t, pick(&t, 1, MAX_OF(of->n_resvs, 1)));
        at(&t, pick(&t, 0, (int)of->last_s));
        user = pick(&t, 1, 2);
        resv = pick(&t, 1, MAX_OF(of->n_resvs, 1));
        buf_printf(t.out, "user%d alters R%d", user, resv);
        if (chance(&t, 60))
            buf_printf(t.out, " on_end=%s", words[pick(&t, 0, 4)]);
        else if (chance(&t, 60)) {
            buf_printf(t.out, " auto_extend=%d", pick(&t, 60, 90));
            buf_printf(t.out, " auto_extend_max=%d", pick(&t, 1, 300));
        } else
            buf_printf(t.out, " on_end_queue=%s", queues[pick(&t, 0, 2)]);
        buf_add_char(t.out, '\n');
    }
}

/* Jobs go into other queues, into reservations and out of them, and change places. From
 * random numbers of their own, too. */
void story_moves(const struct story *of, uint64_t seed)
{
    static const char *const who[] = { "user1", "user2", "root" };
    static const char *const queues[] = { "workq", "late", "mine", "in", "on" };
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(~seed);
    buf_add_str(t.out, "queue late\nqueue mine for user1\n"
                       "queue on routing to late,nosuch,workq retry 40\n"
                       "queue in routing to mine,on retry 15\n");
    n = pick(&t, 20, 150);
    for (int i = 0; i < n && of->n_jobs; i++) {
        at(&t, pick(&t, 0, (int)of->last_s));
        if (chance(&t, 8)) {
            buf_printf(t.out, "root sets queue %s ", queues[pick(&t, 0, 4)]);
            buf_printf(t.out, "%s ", chance(&t, 70) ? "enabled" : "started");
            buf_printf(t.out, "%s\n", chance(&t, 60) ? "True" : "False");
            continue;
        }
        buf_add_str(t.out, who[pick(&t, 0, 2)]);
        if (chance(&t, 25)) {
            buf_printf(t.out, " orders J%d", pick(&t, 1, of->n_jobs));
            buf_printf(t.out, " J%d\n", pick(&t, 1, of->n_jobs));
            continue;
        }
        buf_printf(t.out, " moves J%d into ", pick(&t, 1, of->n_jobs));
        if (of->n_resvs && chance(&t, 60))
            buf_printf(t.out, "R%d\n", pick(&t, 1, of->n_resvs));
        else
            buf_printf(t.out, "%s\n", queues[pick(&t, 0, 4)]);
    }
}

/* Running jobs give vnodes back; most name one that is not theirs. From random numbers
 * of their own, too. */
void story_releases(const struct story *of, uint64_t seed)
{
    static const char *const who[] = { "user1", "user2", "root" };
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(seed * 7919 + 1);
    n = pick(&t, 100, 600);
    for (int i = 0; i < n && of->n_jobs; i++) {
        at(&t, pick(&t, 0, (int)of->last_s));
        buf_printf(t.out, "%s releases", who[pick(&t, 0, 2)]);
        buf_printf(t.out, " J%d", pick(&t, 1, of->n_jobs));
        if (chance(&t, 70))
            buf_add_str(t.out, " others\n");
        else
            buf_printf(t.out, " vn[%d]\n", pick(&t, 0, of->n_vnodes - 1));
    }
}

/* Jobs are suspended and resumed, mostly for a while: in the stories of some seeds,
 * from random numbers of their own. */
void story_stops(const struct story *of, uint64_t seed)
{
    static const char *const words[][2] = { { "suspends", "resumes" },
                                            { "admin-suspends", "admin-resumes" } };
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(~(seed ^ 0x73746f70));
    n = pick(&t, 3, 30);
    for (int i = 0; i < n && of->n_jobs > 0; i++) {
        int second = pick(&t, 10, (int)of->last_s);
        int job = pick(&t, 1, of->n_jobs);
        int manner = chance(&t, 30);

        at(&t, second);
        buf_printf(t.out, "root %s J%d\n", words[manner][0], job);
        if (chance(&t, 15))
            continue;
        at(&t, second + pick(&t, 0, 90));
        buf_printf(t.out, "root %s J%d\n", words[chance(&t, 5) ? !manner : manner][1],
                   job);
    }
}

/* Jobs that wait for others, and those for others again. From random numbers of their
 * own, too. */
void story_depends(const struct story *of, uint64_t seed)
{
    static const char *const types[] = { "after",    "afterok", "afternotok",
                                         "afterany", "runone",  "beforeany",
                                         "beforeok", "afterany" };
    struct story t = *of;
    int n, second = 0;

    t.rnd = rnd_seeded(~seed);
    n = pick(&t, 5, 40);
    for (int i = 1; i <= n; i++) {
        second += pick(&t, 0, (int)of->last_s / n);
        at(&t, second);
        buf_printf(t.out, "user%d submits D%d select=1:ncpus=1", pick(&t, 1, 2), i);
        buf_printf(t.out, " lasting %d", pick(&t, 1, 60));
        if (chance(&t, 20))
            buf_printf(t.out, " walltime=%d", pick(&t, 1, 30));
        if (chance(&t, 10))
            buf_printf(t.out, " depend=on:%d", pick(&t, 1, 2));
        else if (i > 1 && chance(&t, 80)) {
            buf_printf(t.out, " depend=%s", types[pick(&t, 0, 7)]);
            buf_printf(t.out, ":D%d", pick(&t, MAX_OF(1, i - 6), i - 1));
            if (chance(&t, 30))
                buf_printf(t.out, ":D%d", pick(&t, 1, i - 1));
        }
        buf_add_char(t.out, '\n');
        if (chance(&t, 15)) {
            at(&t, second + pick(&t, 0, 60));
            buf_printf(t.out, "root deletes D%d\n", pick(&t, 1, i));
        }
    }
}

/* What is over is kept, for a while or until somebody has enough of it. From random
 * numbers of their own, too. */
void story_history(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(~seed);
    buf_add_str(t.out, "at 0 root sets job_history_enable True\n");
    if (chance(&t, 60)) {
        at(&t, pick(&t, 0, (int)of->last_s));
        buf_printf(t.out, "root sets job_history_duration %d\n", pick(&t, 0, 300));
    }
    if (chance(&t, 20)) {
        at(&t, pick(&t, 0, (int)of->last_s));
        buf_add_str(t.out, "root sets job_history_enable False\n");
        at(&t, pick(&t, 0, (int)of->last_s));
        buf_add_str(t.out, "root sets job_history_enable True\n");
    }
    n = of->n_jobs ? pick(&t, 0, 20) : 0;
    for (int i = 0; i < n; i++) {
        int job = pick(&t, 1, of->n_jobs);
        bool history = chance(&t, 60);

        at(&t, pick(&t, 0, (int)of->last_s));
        buf_printf(t.out, "root deletes J%d%s\n", job,
                   history ? " with its history" : "");
    }
}
