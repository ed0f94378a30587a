/* story_two.c - a seed becomes a scenario of two servers: jobs that are sent from one
 * to the other, by hand, by routing queues and by schedulers that run them, jobs that
 * wait for jobs of the other server, and servers that die, are cut off from each other
 * or refuse.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

struct pair_story {
    struct story t;
    int n_at[2]; /* jobs that were submitted there: J1, J2, ... and K1, K2, ... */
    int64_t second;
    bool pulls; /* schedulers run jobs of the other server */
};

static const char *const other_name[] = { "two", "svr" };

static int side(struct pair_story *p)
{
    return pick(&p->t, 0, 1);
}

/* A line of one of the complexes begins. */
static void begin(struct pair_story *p, int64_t second, int at_other)
{
    at(&p->t, second);
    if (at_other)
        buf_add_str(p->t.out, "two: ");
}

static void name_job(struct pair_story *p, int of)
{
    int n = MAX_OF(p->n_at[of], 1);

    buf_printf(p->t.out, "%c%d", of ? 'K' : 'J', recent(&p->t, n));
}

/* Somebody does something to a job, mostly where it was submitted. */
static void act(struct pair_story *p, int64_t second, const char *who, const char *verb)
{
    int of = side(p);
    int where = chance(&p->t, 65) ? of : !of;

    begin(p, second, where);
    buf_printf(p->t.out, "%s %s ", who, verb);
    name_job(p, of);
}

/* What a job of 'here' is to wait for, or come before. */
static void depend(struct pair_story *p, int here)
{
    static const char *const types[] = { "after",    "afterok",   "afternotok",
                                         "afterany", "afterok",   "beforeok",
                                         "before",   "beforeany", "beforenotok" };
    int n = chance(&p->t, 20) ? 2 : 1;

    for (int i = 0; i < n; i++) {
        int of = chance(&p->t, 75) ? !here : here;

        buf_printf(p->t.out, "%s%s:", i ? "," : "", types[pick(&p->t, 0, 8)]);
        name_job(p, of);
        if (of != here)
            buf_printf(p->t.out, "@%s", other_name[here]);
    }
}

static void submit(struct pair_story *p)
{
    struct story *t = &p->t;
    int here = side(p);
    int n = ++p->n_at[here];

    begin(p, p->second, here);
    buf_printf(t->out, "user%d submits %c%d", chance(t, 85) ? 1 : 2, here ? 'K' : 'J',
               n);
    buf_printf(t->out, " select=1:ncpus=%d", pick(t, 1, 2));
    buf_printf(t->out, " lasting %d", pick(t, 2, 90));
    if (chance(t, 25))
        buf_printf(t->out, " walltime=%d", pick(t, 1, 120));
    if (n > 1 && chance(t, 40)) {
        buf_add_str(t->out, " depend=");
        depend(p, here);
    } else if (chance(t, 10)) {
        buf_printf(t->out, " indices=1-%d", pick(t, 2, 4));
    }
    if (p->pulls && chance(t, 40))
        buf_add_str(t->out, " into late");
    else if (chance(t, 25))
        buf_add_str(t->out, chance(t, 70) ? " into away" : " into choice");
    buf_add_char(t->out, '\n');
}

static void move(struct pair_story *p)
{
    static const char *const queues[] = { "workq", "workq", "workq", "away", "late" };
    int of = side(p);
    int where = chance(&p->t, 60) ? of : !of;

    begin(p, p->second, where);
    buf_printf(p->t.out, "%s moves ", chance(&p->t, 50) ? "user1" : "root");
    name_job(p, of);
    buf_printf(p->t.out, " into %s@%s\n", queues[pick(&p->t, 0, 4)], other_name[where]);
}

static void alter_depend(struct pair_story *p)
{
    int here = side(p);

    begin(p, p->second, here);
    buf_add_str(p->t.out, "user1 makes ");
    name_job(p, here);
    buf_add_str(p->t.out, " wait ");
    depend(p, here);
    buf_add_char(p->t.out, '\n');
}

static void treat_job(struct pair_story *p)
{
    static const char *const verbs[] = { "runs", "requeues", "deletes", "holds",
                                         "frees" };
    int verb = pick(&p->t, 0, 4);

    act(p, p->second, "root", verbs[verb]);
    buf_add_char(p->t.out, '\n');
    if (verb != 3)
        return;
    /* It goes on some day, wherever it is. */
    act(p, p->second + pick(&p->t, 5, 60), "root", "frees");
    buf_add_char(p->t.out, '\n');
}

/* How long something is broken: mostly shorter than anybody waits. */
static int broken_s(struct pair_story *p)
{
    return chance(&p->t, 75) ? pick(&p->t, 1, 25) : pick(&p->t, 20, 200);
}

static void crash(struct pair_story *p)
{
    static const char *const how[] = { "crashes", "crashes before its next commit",
                                       "crashes after its next commit" };
    int here = side(p), kind = pick(&p->t, 0, 2), after_s;

    begin(p, p->second, here);
    buf_printf(p->t.out, "server %s\n", how[kind]);
    after_s = broken_s(p);
    begin(p, p->second + after_s, here);
    buf_add_str(p->t.out, "server starts\n");
}

/* Something stops, and comes back. */
static void fail(struct pair_story *p)
{
    static const char *const things[][2] = {
        { "servers are cut off", "servers reach each other" },
        { "servers are cut off", "servers reach each other" },
        { "root sets queue workq enabled False", "root sets queue workq enabled True" },
        { "root sets scheduling False", "root sets scheduling True" },
        { "store fails", "store works" },
        { "scheduler stops", "scheduler starts" },
        { "mom h1 stops", "mom h1 starts" },
        { "router is lost", "router comes back" },
    };
    int thing = pick(&p->t, 0, (int)ARRAY_LEN(things) - 1), here = side(p), after_s;

    begin(p, p->second, here);
    buf_printf(p->t.out, "%s\n", things[thing][0]);
    after_s = broken_s(p);
    begin(p, p->second + after_s, here);
    buf_printf(p->t.out, "%s\n", things[thing][1]);
}

static void happen(struct pair_story *p)
{
    int what = pick(&p->t, 0, 99);

    if (what < 40)
        submit(p);
    else if (what < 65)
        move(p);
    else if (what < 72)
        alter_depend(p);
    else if (what < 84)
        treat_job(p);
    else if (what < 92)
        crash(p);
    else
        fail(p);
}

static void write_pair(struct pair_story *p)
{
    struct story *t = &p->t;

    buf_add_str(t->out, "two servers\n");
    buf_printf(t->out, "cluster %d hosts", pick(t, 1, 2));
    buf_printf(t->out, " %d vnodes 2 cpus\n", pick(t, 1, 3));
    if (chance(t, 75))
        buf_add_str(t->out, "weather rough\n");
    for (int i = 0; i < 2; i++) {
        const char *where = i ? "two: " : "";

        if (chance(t, 50))
            buf_printf(t->out, "%sserver job_history_enable True\n", where);
        buf_printf(t->out, "%squeue late\n", where);
        buf_printf(t->out, "%squeue away to workq@%s", where, other_name[i]);
        buf_printf(t->out, " retry %d\n", pick(t, 5, 40));
        /* Here if it may, else there. */
        buf_printf(t->out, "%squeue choice to workq,late@%s\n", where, other_name[i]);
    }
}

/* One scheduler runs jobs of the other server, or each does: of a queue that is stopped
 * there, or of one whose jobs start there, too. */
static void write_pulls(struct pair_story *p)
{
    int of = pick(&p->t, 0, 2);

    p->pulls = true;
    for (int i = 0; i < 2; i++) {
        const char *queue = chance(&p->t, 75) ? "late" : "workq";

        if (of != i && of != 2)
            continue;
        begin(p, 0, i);
        buf_printf(p->t.out, "scheduler pulls %s into workq\n", queue);
        begin(p, 1, !i);
        buf_add_str(p->t.out, "root sets queue late started False\n");
    }
}

void story_write_two(uint64_t seed, struct buf *out)
{
    struct pair_story p = { .t = { .rnd = rnd_seeded(seed * 31 + 7), .out = out } };
    int n;

    buf_printf(out, "# made from seed %" PRIu64 " of two servers\n", seed);
    write_pair(&p);
    if (seed % 2 == 0)
        buf_add_str(out, "at 0 scheduler keeps what it knows\n"
                         "at 0 two: scheduler keeps what it knows\n");
    if (seed % 3 == 1)
        write_pulls(&p);
    p.t.last_s = pick(&p.t, 100, 700);
    n = pick(&p.t, 15, 50);
    for (int i = 0; i < n; i++) {
        p.second += rnd_range(&p.t.rnd, 0, 2 * p.t.last_s / n);
        happen(&p);
    }
}
