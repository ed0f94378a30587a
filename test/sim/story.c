/* story.c - a seed becomes a scenario: a complex, reservations and jobs, and what goes
 * wrong, as lines that a named scenario could have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What users do. */

/* "2:ncpus=2", sometimes with a second chunk. */
static void make_select(struct story *t, int most, struct booking *b)
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
static void add_dry(struct story *t, int64_t second, int n)
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

static void reserve(struct story *t, int64_t second)
{
    int n = ++t->n_resvs;
    int most = chance(t, 80) ? t->n_vnodes / 3 : t->n_vnodes;
    struct booking *b = booking(t, n);

    make_select(t, MAX_OF(most, 1), b);
    b->start_s = second + (chance(t, 50) ? pick(t, 1, 30) : pick(t, 5, 300));
    b->length_s = chance(t, 10)   ? pick(t, 1, 10)
                  : chance(t, 20) ? pick(t, 20, 60)
                                  : pick(t, 30, 900);
    at(t, second);
    buf_printf(t->out, "user%d reserves R%d select=%s", pick(t, 1, 2), n, b->select);
    add_place(t);
    add_dry(t, second, n);
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

static void reserve_from_job(struct story *t, int64_t second)
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
static void maintain(struct story *t, int64_t second)
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
static void add_smaller(struct story *t, const struct booking *b)
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
    add_dry(t, second, n);
    if (chance(t, 65))
        add_times(t, second, booking(t, n));
    if (!force && chance(t, 40))
        add_smaller(t, booking(t, n));
    if (chance(t, 10))
        buf_printf(t->out, " renamed %c", 'a' + pick(t, 0, 25));
    if (chance(t, 10))
        buf_add_str(t->out, " users=user1,user2");
    if (chance(t, 30))
        buf_printf(t->out, " waiting %d", pick(t, 1, 120));
    buf_printf(t->out, "%s\n", push ? " push" : force ? " force" : "");
}

static void alter(struct story *t, int64_t second)
{
    if (!t->n_resvs)
        return;
    story_alter(t, second, recent(t, t->n_resvs));
    if (chance(t, 20))
        alter(t, second + pick(t, 0, 3));
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
static void alter_together(struct story *t, int64_t second)
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
static void reserve_for_job(struct story *t, int64_t second)
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

static void ask_why(struct story *t, int64_t second)
{
    static const char *const who[] = { "user1", "user2", "root" };

    if (!t->n_resvs)
        return;
    at(t, second);
    buf_printf(t->out, "%s asks why", who[pick(t, 0, 2)]);
    buf_printf(t->out, " R%d\n", recent(t, t->n_resvs));
}

static void look(struct story *t, int64_t second)
{
    at(t, second);
    buf_printf(t->out, "user%d looks\n", pick(t, 1, 2));
}

static void submit(struct story *t, int64_t second)
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

static void delete (struct story *t, int64_t second)
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

static void run(struct story *t, int64_t second)
{
    if (!t->n_jobs)
        return;
    at(t, second);
    buf_printf(t->out, "root runs J%d\n", recent(t, t->n_jobs));
}

/* What goes wrong. */

/* Something that ends again, or does not before the faults stop. */
static void back(struct story *t, int64_t second, int64_t most_s, const char *words,
                 int index)
{
    if (chance(t, 15))
        return;
    at(t, second + rnd_range(&t->rnd, 0, most_s));
    buf_printf(t->out, words, index);
    buf_add_char(t->out, '\n');
}

static void vnode(struct story *t, int64_t second)
{
    static const char *const kinds[] = { "idle", "used" };
    int index = pick(t, 0, t->n_vnodes - 1);

    if (t->n_resvs && chance(t, 80)) {
        int x = pick(t, 1, 9);
        int kind = pick(t, 0, 1);
        int resv = recent(t, t->n_resvs);

        at(t, second);
        buf_printf(t->out, "call X%d the %s vnode of R%d\n", x, kinds[kind], resv);
        at(t, second + 1);
        buf_printf(t->out, "vnode X%d goes offline\n", x);
        back(t, second + 1, 300, "vnode X%d comes back", x);
        return;
    }
    at(t, second);
    buf_printf(t->out, "vnode vn[%d] goes offline\n", index);
    back(t, second, 300, "vnode vn[%d] comes back", index);
}

/* In the middle of what it does, which may be long after; and again. */
static void mom_dies(struct story *t, int64_t second, int host)
{
    buf_printf(t->out, "mom h%d dies after %d\n", host, pick(t, 1, 30));
    for (int i = 0; i < 2; i++) {
        second += pick(t, 0, 60);
        at(t, second);
        buf_printf(t->out, "mom h%d starts\n", host);
        at(t, second);
        buf_printf(t->out, "mom h%d dies after %d\n", host, pick(t, 1, 30));
    }
    back(t, second, 100, "mom h%d starts", host);
}

static void mom(struct story *t, int64_t second)
{
    int host = pick(t, 1, t->n_hosts);

    at(t, second);
    switch (pick(t, 0, 9)) {
    case 0:
        buf_printf(t->out, "mom h%d stops\n", host);
        back(t, second, 400, "mom h%d starts", host);
        break;
    case 1:
        buf_printf(t->out, "mom h%d stops losing jobs\n", host);
        back(t, second, 400, "mom h%d starts", host);
        break;
    case 2:
        buf_printf(t->out, "mom h%d answers nothing\n", host);
        back(t, second, 200, "mom h%d answers again", host);
        break;
    case 3:
        buf_printf(t->out, "mom h%d loses its stream\n", host);
        break;
    case 4:
        buf_printf(t->out, "mom h%d stops\n", host);
        back(t, second, 100, "mom h%d starts with -r", host);
        break;
    case 5:
        buf_printf(t->out, "mom h%d is %s\n", host,
                   chance(t, 50) ? "terminated" : "interrupted");
        back(t, second, 400, "mom h%d starts", host);
        break;
    case 6:
    case 7:
        mom_dies(t, second, host);
        break;
    default:
        buf_printf(t->out, "mom h%d is cut off\n", host);
        back(t, second, 400, "mom h%d is reachable", host);
        break;
    }
}

static void router(struct story *t, int64_t second)
{
    at(t, second);
    buf_add_str(t->out, "router is lost\n");
    back(t, second, 200, "router comes back", 0);
}

static void sched(struct story *t, int64_t second)
{
    bool other = t->two_scheds && chance(t, 50);
    const char *who = other ? "second scheduler" : "scheduler";

    at(t, second);
    switch (pick(t, 0, 4)) {
    case 4:
        buf_printf(t->out, "%s errs\n", who);
        break;
    case 0:
        buf_printf(t->out, "%s stops\n", who);
        back(t, second, 300, other ? "second scheduler starts" : "scheduler starts", 0);
        break;
    case 1:
        buf_printf(t->out, "%s thinks %d\n", who, pick(t, 1, 90));
        back(t, second, 300, other ? "second scheduler thinks 0" : "scheduler thinks 0",
             0);
        break;
    case 2:
        buf_printf(t->out, "%s wanders\n", who);
        break;
    default:
        buf_printf(t->out, "%s repeats its last answer\n", who);
        break;
    }
}

static void server(struct story *t, int64_t second)
{
    static const char *const how[] = { "", " before its next commit",
                                       " after its next commit" };

    at(t, second);
    buf_printf(t->out, "server crashes%s\n", how[pick(t, 0, 2)]);
    for (int i = 0; i < 3; i++) { /* an armed crash may come later than expected */
        second += pick(t, 0, 120);
        at(t, second);
        buf_printf(t->out, "server starts%s\n", second % 2 ? " hot" : "");
    }
}

static void store(struct story *t, int64_t second)
{
    at(t, second);
    buf_printf(t->out, "store %s\n", chance(t, 70) ? "fails" : "refuses");
    back(t, second, 60, "store works", 0);
}

static void settings(struct story *t, int64_t second)
{
    static const int times[] = { 1, 5, 20, 60, 600 };

    at(t, second);
    if (chance(t, 20))
        buf_printf(t->out, "root sets reserve_retry_now %s\n",
                   chance(t, 70) ? "True" : "False");
    else if (chance(t, 50))
        buf_printf(t->out, "root sets reserve_retry_time %d\n", times[pick(t, 0, 4)]);
    else
        buf_printf(t->out, "root sets scheduling %s\n",
                   chance(t, 60) ? "True" : "False");
}

/* A reservation for a job, with the death of the server or of a scheduler around it. */
static void reserve_and_die(struct story *t, int64_t second)
{
    int64_t early_s = pick(t, 0, 3), late_s = pick(t, 0, 25);

    reserve_for_job(t, second);
    if (chance(t, 15))
        (chance(t, 60) ? server : sched)(t, MAX_OF(second - early_s, 1));
    if (chance(t, 25))
        (chance(t, 60) ? server : sched)(t, second + late_s);
    if (chance(t, 15))
        delete (t, second + late_s);
}

/* All together. */

static const struct {
    int weight;
    void (*fn)(struct story *t, int64_t second);
} happenings[] = {
    { 25, reserve },        { 22, alter },  { 25, submit },  { 5, reserve_from_job },
    { 3, maintain },        { 8, delete },  { 2, run },      { 2, look },
    { 14, vnode },          { 6, mom },     { 1, router },   { 4, sched },
    { 4, server },          { 2, store },   { 2, settings }, { 12, alter_together },
    { 8, reserve_and_die }, { 5, ask_why },
};

static void happen(struct story *t, int64_t second)
{
    int total = 0, x;

    for (size_t i = 0; i < ARRAY_LEN(happenings); i++)
        total += happenings[i].weight;
    x = pick(t, 1, total);
    for (size_t i = 0; i < ARRAY_LEN(happenings); i++) {
        x -= happenings[i].weight;
        if (x <= 0) {
            happenings[i].fn(t, second);
            return;
        }
    }
}

static void write_complex(struct story *t)
{
    static const int times[] = { 5, 10, 30, 600 };
    int per_host = pick(t, 2, 6);

    t->n_hosts = pick(t, 1, 3);
    t->n_vnodes = per_host * t->n_hosts;
    t->ncpus = pick(t, 1, 4);
    buf_printf(t->out, "cluster %d hosts %d vnodes %d cpus\n", t->n_hosts, per_host,
               t->ncpus);
    buf_printf(t->out, "server reserve_retry_time %d\n", times[pick(t, 0, 3)]);
    if (chance(t, 20))
        buf_add_str(t->out, "server reserve_retry_now True\n");
    if (chance(t, 30))
        buf_printf(t->out, "server resv_answer_time %d\n", pick(t, 5, 100));
    if (chance(t, 30))
        buf_printf(t->out, "server node_fail_requeue %d\n", pick(t, 1, 100));
    if (chance(t, 60))
        buf_add_str(t->out, "weather rough\n");
}

/* Half of the vnodes are another scheduler's. */
static void write_second_sched(struct story *t)
{
    buf_add_str(t->out, "at 0 second scheduler comes\n");
    for (int i = t->n_vnodes / 2; i < t->n_vnodes; i++)
        buf_printf(t->out, "at 1 second scheduler serves vn[%d]\n", i);
}

/* What hooks say, and how long they take, changes all the time. */
static void hooks_say(struct story *t, int64_t second)
{
    bool jobs = chance(t, 50);

    at(t, second);
    buf_printf(t->out, "hooks of %s ", jobs ? "queuejob" : "resvsub");
    switch (pick(t, 0, 9)) {
    case 0:
        buf_add_str(t->out, "reject not today");
        break;
    case 1:
        buf_add_str(t->out, "never answer");
        break;
    case 2:
        buf_add_str(t->out, "fail");
        break;
    case 3:
        buf_add_str(t->out, jobs ? "set Priority=many" : "set Resource_List.ncpus=no");
        break;
    case 4:
    case 5:
        buf_printf(t->out, jobs ? "set Priority=%d" : "set delete_idle_time=00:0%d:00",
                   pick(t, 1, 9));
        break;
    case 6:
    case 7:
        buf_printf(t->out, "answer after %d", pick(t, 0, 40));
        break;
    default:
        buf_add_str(t->out, "accept");
        break;
    }
    buf_add_char(t->out, '\n');
}

/* From random numbers of their own: the rest of the story is as it is without them. */
static void write_hooks(struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n;

    t.rnd = rnd_seeded(~seed);
    n = pick(&t, 3, 20);
    buf_add_str(t.out, "hooks queuejob resvsub\n");
    for (int i = 0; i < n; i++)
        hooks_say(&t, pick(&t, 0, of->last_s));
}

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
static void write_ends(struct story *of, uint64_t seed)
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
static void write_moves(struct story *of, uint64_t seed)
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
static void write_releases(struct story *of, uint64_t seed)
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
static void write_stops(struct story *of, uint64_t seed)
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
static void write_depends(struct story *of, uint64_t seed)
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

/* A series, so that there is one whose occurrences can be named. */
static void reserve_series(struct story *t)
{
    struct booking *b = booking(t, ++t->n_resvs);
    int second = pick(t, 0, (int)t->last_s / 2);
    int count, interval, user;

    *b = (struct booking){ 0 };
    make_select(t, MAX_OF(t->n_vnodes / 4, 1), b);
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
    add_dry(t, second, index);
    if (chance(t, 50))
        buf_printf(t->out, " from %" PRId64, start_s + pick(t, -40, 100));
    if (chance(t, 70))
        buf_printf(t->out, " for %d", pick(t, 1, 150));
    if (!force && chance(t, 40))
        add_smaller(t, b);
    if (chance(t, 30))
        buf_printf(t->out, " waiting %d", pick(t, 1, 120));
    buf_printf(t->out, "%s\n", push ? " push" : force ? " force" : "");
}

/* Occurrences of series are altered and deleted by their index. From random numbers of
 * their own, too. */
static void write_occurrences(struct story *of, uint64_t seed)
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

/* What is over is kept, for a while or until somebody has enough of it. From random
 * numbers of their own, too. */
static void write_history(struct story *of, uint64_t seed)
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

void story_write(uint64_t seed, struct buf *out)
{
    struct story t = { .rnd = rnd_seeded(seed), .out = out };
    int n;
    int64_t second = 0;

    buf_printf(out, "# made from seed %" PRIu64 "\n", seed);
    write_complex(&t);
    if (seed % 2 == 0)
        buf_add_str(out, "at 0 scheduler may be cut\n");
    /* Servers of every make have to be served, and so have schedulers. */
    if (seed % 3 != 0)
        buf_add_str(out, "at 0 scheduler keeps what it knows\n");
    if (seed % 3 == 1)
        buf_add_str(out, "at 0 scheduler answers many at once\n");
    if (seed % 9 == 1)
        buf_add_str(out, "at 0 scheduler takes answers twice\n");
    t.two_scheds = seed % 4 == 3;
    if (t.two_scheds)
        write_second_sched(&t);
    buf_add_str(out, "at 0 root sets operators user9@*\n");
    t.last_s = pick(&t, 200, 1500);
    n = pick(&t, 15, 50);
    for (int i = 0; i < n; i++) {
        second += rnd_range(&t.rnd, 0, 2 * t.last_s / n);
        happen(&t, second);
    }
    if (seed % 7 == 3)
        write_depends(&t, seed);
    if (seed % 8 == 6)
        write_occurrences(&t, seed);
    if (seed % 3 == 1)
        write_history(&t, seed);
    if (seed % 5 == 2)
        write_hooks(&t, seed);
    if (seed % 5 == 4) {
        write_ends(&t, seed);
        story_turns(&t, seed);
    }
    if (seed % 5 == 3)
        write_moves(&t, seed);
    if (seed % 4 == 2)
        write_releases(&t, seed);
    if (seed % 4 == 3)
        write_stops(&t, seed);
    if (seed % 6 == 5)
        story_extensions(&t, seed);
    if (seed % 9 == 5)
        story_preemption(&t, seed);
    if (seed % 3 == 2)
        story_job_acts(&t, seed);
    if (seed % 4 == 0)
        story_limits(&t, seed);
    if (seed % 7 == 5)
        story_conflicts(&t, seed);
    if (seed % 6 == 1)
        story_sums(&t, seed);
    if (seed % 32 == 9)
        story_clocks(&t, seed);
    if (seed % 9 == 7)
        story_fits(&t, seed);
    if (seed % 11 == 6)
        story_errors(&t, seed);
    if (seed % 13 == 4)
        story_proposals(&t, seed);
    if (seed % 12 == 7)
        story_pushes(&t, seed);
}
