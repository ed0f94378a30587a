/* question.c - what one question about a reservation costs a scheduler that keeps what
 * it knows, on complexes of every width.
 *
 *   test/bench/question [--rounds N] [--resvs N] [--vnodes N] [--busy PERCENT]
 *                       [--chunks N] [--cpus N] [--hours N]
 *
 * Hosts with one vnode of 16 cpus each; 'resvs' live reservations on four cpus in
 * twenty windows; 'busy' of a hundred vnodes, those that come first, are taken whole by
 * running jobs: without a walltime, or with
 * 'hours', and each a second more than the one before. Each round shows the scheduler a
 * new reservation, plans, shows its answer, and plans again, as the daemon does.
 * Printed is the processor time of a round, median of the rounds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/sched.h"

#include "measure.h"
#include "tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW         1000000
#define DAY_S       86400
#define MOST_ROUNDS 999

struct sizes {
    int rounds, vnodes, resvs, busy, chunks, cpus, hours;
};

/* A server that tells what has changed. */
struct teller {
    struct arena *arena;
    struct wire_objects said;
    uint64_t seq;
    struct snapshot *kept;
    struct policy *policy;
};

static void say_vnode(struct teller *t, int i)
{
    struct wire_object *o = wire_objects_add(&t->said, t->arena, OBJECT_NODE,
                                             arena_printf(t->arena, "n%d", i));

    tell_attr(t->arena, o, "state", NULL, "free");
    tell_attr(t->arena, o, "license", NULL, "l");
    tell_attr(t->arena, o, "resources_available", "host", "n%d", i);
    tell_attr(t->arena, o, "resources_available", "ncpus", "16");
    tell_attr(t->arena, o, "resources_available", "mem", "64gb");
}

static void say_queue(struct teller *t)
{
    struct wire_object *o = wire_objects_add(&t->said, t->arena, OBJECT_QUEUE, "workq");

    tell_attr(t->arena, o, "queue_type", NULL, "Execution");
    tell_attr(t->arena, o, "started", NULL, "True");
}

/* 'nodes' NULL: it waits for its answer. */
static void say_resv(struct teller *t, int i, int start_at, const char *select,
                     const char *nodes)
{
    struct wire_object *o = wire_objects_add(&t->said, t->arena, OBJECT_RESV,
                                             arena_printf(t->arena, "R%d.svr", i));

    tell_attr(t->arena, o, "reserve_state", NULL, nodes ? "2" : "1");
    tell_attr(t->arena, o, "reserve_substate", NULL, nodes ? "2" : "1");
    tell_attr(t->arena, o, "reserve_start", NULL, "%d", start_at);
    tell_attr(t->arena, o, "reserve_end", NULL, "%d", start_at + 3600);
    tell_attr(t->arena, o, "queue", NULL, "R%d", i);
    tell_attr(t->arena, o, "schedselect", NULL, "%s", select);
    tell_attr(t->arena, o, "Resource_List", "place", "free");
    tell_attr(t->arena, o, "alter_seq", NULL, "0");
    if (nodes)
        tell_attr(t->arena, o, "resv_nodes", NULL, "%s", nodes);
}

static void say_job(struct teller *t, int i, int hours)
{
    struct wire_object *o = wire_objects_add(&t->said, t->arena, OBJECT_JOB,
                                             arena_printf(t->arena, "%d.svr", i));

    tell_attr(t->arena, o, "schedselect", NULL, "1:ncpus=16");
    tell_attr(t->arena, o, "queue_rank", NULL, "%d", i);
    tell_attr(t->arena, o, "job_state", NULL, "R");
    tell_attr(t->arena, o, "stime", NULL, "%d", NOW - 100);
    tell_attr(t->arena, o, "queue", NULL, "workq");
    tell_attr(t->arena, o, "exec_vnode", NULL, "(n%d:ncpus=16)", i);
    if (hours > 0)
        tell_attr(t->arena, o, "Resource_List", "walltime", "%d", hours * 3600 + i);
}

/* The scheduler has heard of all that was said. */
static void tell(struct teller *t)
{
    struct wire_object *mark =
        wire_objects_add(&t->said, t->arena, OBJECT_MARK, "mark");

    tell_attr(t->arena, mark, "since", NULL, "%llu", (unsigned long long)t->seq);
    tell_attr(t->arena, mark, "seq", NULL, "%llu", (unsigned long long)++t->seq);
    if (!snapshot_patch(t->kept, &t->said))
        abort();
    arena_clear(t->arena);
    t->said = (struct wire_objects){ 0 };
}

static struct teller teller_new(const struct sizes *n)
{
    struct teller t = { .arena = arena_new(),
                        .kept = snapshot_new(),
                        .policy = policy_new() };
    int n_busy = (int)((int64_t)n->vnodes * n->busy / 100);

    snapshot_keep(t.kept);
    say_queue(&t);
    for (int i = 0; i < n->vnodes; i++)
        say_vnode(&t, i);
    for (int i = 0; i < n->resvs; i++) {
        int vnode = (n_busy + i / 20 / 4) % n->vnodes;

        say_resv(&t, i, NOW + DAY_S + i % 20 * 7200, "4:ncpus=1",
                 arena_printf(t.arena,
                              "(n%d:ncpus=1)+(n%d:ncpus=1)+(n%d:ncpus=1)+(n%d:ncpus=1)",
                              vnode, vnode, vnode, vnode));
    }
    for (int i = 0; i < n_busy; i++)
        say_job(&t, i, n->hours);
    tell(&t);
    return t;
}

/* What the plan says of the reservation; the texts live in 'arena'. */
static const struct plan_step *plan(struct teller *t, struct arena *arena,
                                    struct plan *ret)
{
    sched_plan(t->kept, t->policy, NOW, NULL, arena, ret);
    return ret->n > 0 ? &ret->steps[0] : NULL;
}

/* The n-th question. */
static double ask(struct teller *t, const struct sizes *n, int i, bool *yes)
{
    struct arena *arena = arena_new();
    const char *select = arena_printf(arena, "%d:ncpus=%d", n->chunks, n->cpus);
    int start_at = NOW + DAY_S + i % 50 * 3600, name = n->resvs + i;
    const struct plan_step *step;
    struct plan said, after;
    double ms, begin;

    say_resv(t, name, start_at, select, NULL);
    begin = measure_now_ms();
    tell(t);
    step = plan(t, arena, &said);
    ms = measure_now_ms() - begin;
    if (!step)
        abort();
    *yes = step->kind == PLAN_CONFIRM_RESV;
    if (*yes)
        say_resv(t, name, start_at, select, step->vnodes);
    else
        (void)wire_objects_add(&t->said, t->arena, OBJECT_RESV,
                               arena_printf(t->arena, "R%d.svr", name));
    begin = measure_now_ms();
    tell(t);
    (void)plan(t, arena, &after);
    ms += measure_now_ms() - begin;
    arena_free(arena);
    return ms;
}

int main(int argc, char **argv)
{
    struct sizes n = { 101, 10000, 1000, 0, 4, 1, 0 };
    static const struct {
        const char *name;
        size_t at;
    } options[] = {
        { "--rounds", offsetof(struct sizes, rounds) },
        { "--vnodes", offsetof(struct sizes, vnodes) },
        { "--resvs", offsetof(struct sizes, resvs) },
        { "--busy", offsetof(struct sizes, busy) },
        { "--chunks", offsetof(struct sizes, chunks) },
        { "--cpus", offsetof(struct sizes, cpus) },
        { "--hours", offsetof(struct sizes, hours) },
    };
    double ms[MOST_ROUNDS];
    struct teller t;
    int n_yes = 0;

    for (int i = 1; i + 1 < argc; i += 2)
        for (size_t k = 0; k < ARRAY_LEN(options); k++)
            if (strcmp(argv[i], options[k].name) == 0)
                *(int *)((char *)&n + options[k].at) = atoi(argv[i + 1]);
    n.rounds = MIN_OF(MAX_OF(n.rounds, 1), MOST_ROUNDS);
    t = teller_new(&n);
    for (int i = 0; i < n.rounds; i++) {
        bool yes;

        ms[i] = ask(&t, &n, i, &yes);
        n_yes += yes;
    }
    printf(
        "%d vnodes (%d %% busy), %d reservations: %.3f ms a question, %d of %d yes\n",
        n.vnodes, n.busy, n.resvs, measure_median(ms, (size_t)n.rounds), n_yes,
        n.rounds);
    snapshot_free(t.kept);
    policy_free(t.policy);
    arena_free(t.arena);
    return 0;
}
