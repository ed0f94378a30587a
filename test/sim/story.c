/* story.c - a seed becomes a scenario: a complex, reservations and jobs, and what goes
 * wrong, as lines that a named scenario could have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "story_happen.h"

static const struct {
    int weight;
    void (*fn)(struct story *t, int64_t second);
} happenings[] = {
    { 25, story_reserve },
    { 22, story_alter_recent },
    { 25, story_submit },
    { 5, story_reserve_from_job },
    { 3, story_maintain },
    { 8, story_delete },
    { 2, story_run },
    { 2, story_look },
    { 14, story_vnode },
    { 6, story_mom },
    { 1, story_router },
    { 4, story_sched },
    { 4, story_server },
    { 2, story_store },
    { 2, story_settings },
    { 12, story_alter_together },
    { 8, story_reserve_and_die },
    { 5, story_ask_why },
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

/* The parts that only some stories have: those whose seed leaves 'rest' when it is
 * divided by 'of'. Each has random numbers of its own: the story is the same without.
 */
static const struct {
    int of, rest;
    void (*fn)(const struct story *t, uint64_t seed);
} parts[] = {
    { 7, 3, story_depends },    { 8, 6, story_occurrences }, { 3, 1, story_history },
    { 5, 2, story_hooks },      { 5, 4, story_ends },        { 5, 4, story_turns },
    { 5, 3, story_moves },      { 4, 2, story_releases },    { 4, 3, story_stops },
    { 6, 5, story_extensions }, { 9, 5, story_preemption },  { 3, 2, story_job_acts },
    { 4, 0, story_limits },     { 7, 5, story_conflicts },   { 6, 1, story_sums },
    { 32, 9, story_clocks },    { 9, 7, story_fits },        { 11, 6, story_errors },
    { 13, 4, story_proposals }, { 12, 7, story_pushes },     { 7, 1, story_busy },
    { 5, 1, story_scripts },    { 6, 3, story_hosts },       { 3, 2, story_all_vnodes },
};

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
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (seed % (uint64_t)parts[i].of == (uint64_t)parts[i].rest)
            parts[i].fn(&t, seed);
}
