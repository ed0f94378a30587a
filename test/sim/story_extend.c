/* story_extend.c - the part of a story in which reservations are too short for their
 * jobs: they extend themselves or are extended, give vnodes back, lose some, and have
 * others behind them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_tell.h"

/* A reservation "E1" of the part, with its jobs "F1". */
struct long_one {
    int number;
    int user;
    int chunks;
    int ncpus;
    int64_t start_s;
    int64_t end_s;
};

/* Not before the complex is there. */
static void at_least(struct story *t, int64_t second)
{
    at(t, MAX_OF(second, INT64_C(1)));
}

static void add_end_words(struct story *t)
{
    static const char *const words[] = { "kill", "requeue", "hold", "extend" };

    if (chance(t, 70))
        buf_printf(t->out, " auto_extend=%d", pick(t, 60, 120));
    if (chance(t, 40))
        buf_printf(t->out, " auto_extend_max=%d", pick(t, 1, 300));
    if (chance(t, 50))
        buf_add_str(t->out, " auto_extend_release=True");
    if (chance(t, 30))
        buf_printf(t->out, " on_end=%s", words[pick(t, 0, 3)]);
}

static void reserve(struct story *t, struct long_one *o)
{
    int64_t second = pick(t, 0, (int)t->last_s / 2);

    o->user = pick(t, 1, 2);
    o->chunks = pick(t, 2, MAX_OF(2, MIN_OF(5, t->n_vnodes)));
    o->ncpus = pick(t, 1, t->ncpus);
    o->start_s = second + pick(t, 5, 60);
    o->end_s = o->start_s + pick(t, 40, 200);
    at(t, second);
    buf_printf(t->out, "user%d reserves E%d select=%d:ncpus=%d", o->user, o->number,
               o->chunks, o->ncpus);
    buf_printf(t->out, " from %" PRId64 " for %" PRId64, o->start_s,
               o->end_s - o->start_s);
    add_end_words(t);
    if (chance(t, 15)) {
        int count = pick(t, 2, 4);

        buf_printf(t->out, " repeating FREQ=MINUTELY;COUNT=%d;INTERVAL=%d", count,
                   pick(t, 4, 6));
    }
    buf_add_char(t->out, '\n');
}

/* Some outlast the reservation, and on some of its vnodes is none. */
static void fill(struct story *t, const struct long_one *o, int *n_jobs)
{
    int n = pick(t, 0, o->chunks);

    for (int i = 0; i < n; i++) {
        int64_t second = o->start_s + pick(t, -20, 40);
        int ncpus = pick(t, 1, o->ncpus);
        int lasts_s = pick(t, 20, 500);

        at_least(t, second);
        buf_printf(t->out, "user%d submits F%d select=1:ncpus=%d", o->user, ++*n_jobs,
                   ncpus);
        buf_printf(t->out, " lasting %d into E%d", lasts_s, o->number);
        if (chance(t, 15))
            buf_printf(t->out, " indices=1-%d", pick(t, 2, 6));
        buf_add_str(t->out, chance(t, 15) ? " once\n" : "\n");
    }
}

/* Somebody is promised vnodes behind its end. */
static void follow(struct story *t, const struct long_one *o)
{
    int chunks = pick(t, 1, t->n_vnodes);
    int64_t start_s = o->end_s + pick(t, 0, 200);
    int64_t second = o->start_s + pick(t, -30, 60);

    at_least(t, second);
    buf_printf(t->out, "user%d reserves G%d select=%d:ncpus=%d", 3 - o->user, o->number,
               chunks, t->ncpus);
    buf_printf(t->out, " from %" PRId64 " for %d\n", start_s, pick(t, 30, 300));
}

static void lose_vnode(struct story *t, const struct long_one *o, int64_t second)
{
    const char *which = chance(t, 50) ? "idle" : "used";
    int word = pick(t, 1, 4);

    at_least(t, second);
    buf_printf(t->out, "call Y%d the %s vnode of E%d\n", word, which, o->number);
    at_least(t, second + 1);
    buf_printf(t->out, "vnode Y%d goes offline\n", word);
    if (chance(t, 85)) {
        at_least(t, second + pick(t, 2, 200));
        buf_printf(t->out, "vnode Y%d comes back\n", word);
    }
}

/* With more time, with fewer chunks, or both; also of what is idle. */
static void alter(struct story *t, const struct long_one *o, int64_t second)
{
    bool manager = chance(t, 15);
    int64_t until_s = o->end_s + pick(t, -60, 400);
    int kind = pick(t, 0, 5);

    at_least(t, second);
    if (manager)
        buf_add_str(t->out, "root");
    else
        buf_printf(t->out, "user%d", o->user);
    buf_printf(t->out, " alters E%d", o->number);
    if (kind != 1)
        buf_printf(t->out, " until %" PRId64, until_s);
    if (kind == 1 || kind == 2)
        buf_printf(t->out, " select=%d:ncpus=%d", pick(t, 1, o->chunks), o->ncpus);
    if (chance(t, 60))
        buf_printf(t->out, " waiting %d", pick(t, 1, 60));
    if (kind >= 3)
        buf_add_str(t->out, manager && chance(t, 50) ? " force" : " release");
    buf_add_char(t->out, '\n');
}

/* What it is to do by itself is changed. */
static void change_its_mind(struct story *t, const struct long_one *o, int64_t second)
{
    at_least(t, second);
    buf_printf(t->out, "user%d alters E%d", o->user, o->number);
    add_end_words(t);
    buf_printf(t->out, " renamed %c\n", 'a' + pick(t, 0, 25));
}

static void live(struct story *t, const struct long_one *o)
{
    int n = pick(t, 2, 10);

    for (int i = 0; i < n; i++) {
        int64_t second = o->start_s + pick(t, -10, (int)(o->end_s - o->start_s) + 200);

        switch (pick(t, 0, 6)) {
        case 0:
        case 1:
            lose_vnode(t, o, second);
            break;
        case 2:
            change_its_mind(t, o, second);
            break;
        default:
            alter(t, o, second);
            break;
        }
    }
}

/* An attempt for lost vnodes is made at once, for some of the time. */
static void set_retry_now(struct story *t)
{
    int64_t second = pick(t, 0, (int)t->last_s);

    at(t, 0);
    buf_add_str(t->out, "root sets reserve_retry_now True\n");
    if (chance(t, 50)) {
        at(t, second);
        buf_add_str(t->out, "root sets reserve_retry_now False\n");
    }
}

void story_extensions(const struct story *of, uint64_t seed)
{
    struct story t = *of;
    int n, n_jobs = 0;

    t.rnd = rnd_seeded(seed * 7927 + 5);
    if (chance(&t, 50))
        set_retry_now(&t);
    if (chance(&t, 30))
        buf_add_str(t.out, "server resv_default_on_end extend\n");
    n = pick(&t, 2, 5);
    for (int i = 1; i <= n; i++) {
        struct long_one o = { .number = i };

        reserve(&t, &o);
        fill(&t, &o, &n_jobs);
        if (chance(&t, 60))
            follow(&t, &o);
        live(&t, &o);
    }
}
