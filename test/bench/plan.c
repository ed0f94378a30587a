/* plan.c - what a plan of the scheduler costs on a large complex.
 *
 *   test/bench/plan [--rounds N] [--vnodes N] [--resvs N] [--jobs N]
 *
 * A complex of hosts with one vnode each; reservations on a few vnodes each, every
 * other one running; jobs of which a third runs outside, a third runs inside
 * reservations and the rest waits, one in ten for its reservation. Printed are the
 * processor times to read the status objects and to plan, median of the rounds, and the
 * steps of a plan.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/sched.h"

#include "measure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW         1000000
#define PER_RESV    8
#define MOST_ROUNDS 99

struct sizes {
    int rounds, vnodes, resvs, jobs;
};

struct scene {
    struct arena *arena;
    struct wire_objects vnodes, queues, resvs, jobs;
};

static void attr(struct scene *sc, struct wire_object *o, const char *name,
                 const char *resource, const char *format, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    wire_attrs_add(&o->attrs, sc->arena, name, resource, arena_strdup(sc->arena, text),
                   WIRE_OP_SET);
}

static struct wire_object *add(struct scene *sc, struct wire_objects *list,
                               uint32_t type, const char *format, int i)
{
    char name[64];

    snprintf(name, sizeof(name), format, i);
    return wire_objects_add(list, sc->arena, type, arena_strdup(sc->arena, name));
}

static void add_vnode(struct scene *sc, int i)
{
    struct wire_object *o = add(sc, &sc->vnodes, OBJECT_NODE, "n%d", i);

    attr(sc, o, "state", NULL, "free");
    attr(sc, o, "license", NULL, "l");
    attr(sc, o, "resources_available", "host", "n%d", i);
    attr(sc, o, "resources_available", "ncpus", "16");
    attr(sc, o, "resources_available", "mem", "64gb");
}

static void add_queue(struct scene *sc, const char *name)
{
    struct wire_object *o =
        wire_objects_add(&sc->queues, sc->arena, OBJECT_QUEUE, name);

    attr(sc, o, "queue_type", NULL, "Execution");
    attr(sc, o, "started", NULL, "True");
}

/* Eight cpus on each of PER_RESV vnodes. */
static void add_resv(struct scene *sc, const struct sizes *n, int i)
{
    struct wire_object *o = add(sc, &sc->resvs, OBJECT_RESV, "R%d.svr", i);
    struct buf nodes = { 0 };
    bool runs = i % 2 == 0;

    for (int k = 0; k < PER_RESV; k++)
        buf_printf(&nodes, "%s(n%d:ncpus=8)", k ? "+" : "",
                   (i * PER_RESV + k) % n->vnodes);
    attr(sc, o, "reserve_state", NULL, runs ? "5" : "2");
    attr(sc, o, "reserve_substate", NULL, runs ? "5" : "2");
    attr(sc, o, "reserve_start", NULL, "%d", runs ? NOW - 10 : NOW + 100000 + i);
    attr(sc, o, "reserve_end", NULL, "%d", NOW + 200000 + i);
    attr(sc, o, "queue", NULL, "R%d", i);
    attr(sc, o, "schedselect", NULL, "%d:ncpus=8", PER_RESV);
    attr(sc, o, "Resource_List", "place", "free");
    attr(sc, o, "resv_nodes", NULL, "%s", nodes.data);
    buf_fini(&nodes);
    add_queue(sc, arena_printf(sc->arena, "R%d", i));
}

static void add_job(struct scene *sc, const struct sizes *n, int i)
{
    struct wire_object *o = add(sc, &sc->jobs, OBJECT_JOB, "%d.svr", i);
    int resv = n->resvs > 1 ? i / 3 % n->resvs & ~1 : 0;
    bool inside = i % 3 == 1 || i % 30 == 2;

    attr(sc, o, "Resource_List", "ncpus", "1");
    attr(sc, o, "Resource_List", "walltime", "%d", 1000 + i % 50);
    attr(sc, o, "schedselect", NULL, "1:ncpus=1");
    attr(sc, o, "queue_rank", NULL, "%d", i);
    attr(sc, o, "job_state", NULL, i % 3 < 2 ? "R" : "Q");
    attr(sc, o, "stime", NULL, "%d", NOW - 100);
    if (inside)
        attr(sc, o, "queue", NULL, "R%d", resv);
    else
        attr(sc, o, "queue", NULL, "workq");
    if (i % 3 < 2)
        attr(sc, o, "exec_vnode", NULL, "(n%d:ncpus=1)",
             inside ? (resv * PER_RESV + i % PER_RESV) % n->vnodes : i % n->vnodes);
}

static void make_scene(struct scene *sc, const struct sizes *n)
{
    *sc = (struct scene){ .arena = arena_new() };
    add_queue(sc, "workq");
    for (int i = 0; i < n->vnodes; i++)
        add_vnode(sc, i);
    for (int i = 0; i < n->resvs; i++)
        add_resv(sc, n, i);
    for (int i = 0; i < n->jobs; i++)
        add_job(sc, n, i);
}

static size_t run_round(const struct scene *sc, double *read_ms, double *plan_ms)
{
    struct snapshot *s = snapshot_new();
    struct policy *p = policy_new();
    struct arena *arena = arena_new();
    double start_ms = measure_now_ms();
    struct plan plan;
    size_t n;

    snapshot_add(s, &sc->resvs);
    snapshot_add(s, &sc->vnodes);
    snapshot_add(s, &sc->queues);
    snapshot_add(s, &sc->jobs);
    *read_ms = measure_now_ms() - start_ms;
    start_ms = measure_now_ms();
    sched_plan(s, p, NOW, NULL, arena, &plan);
    *plan_ms = measure_now_ms() - start_ms;
    n = plan.n;
    arena_free(arena);
    policy_free(p);
    snapshot_free(s);
    return n;
}

int main(int argc, char **argv)
{
    struct sizes n = { 5, 5000, 500, 10000 };
    double read_ms[MOST_ROUNDS], plan_ms[MOST_ROUNDS];
    struct scene sc;
    size_t steps = 0;

    for (int i = 1; i + 1 < argc; i += 2) {
        int value = atoi(argv[i + 1]);

        if (strcmp(argv[i], "--rounds") == 0)
            n.rounds = MIN_OF(MAX_OF(value, 1), MOST_ROUNDS);
        else if (strcmp(argv[i], "--vnodes") == 0)
            n.vnodes = MAX_OF(value, 1);
        else if (strcmp(argv[i], "--resvs") == 0)
            n.resvs = value;
        else if (strcmp(argv[i], "--jobs") == 0)
            n.jobs = value;
    }
    make_scene(&sc, &n);
    for (int i = 0; i < n.rounds; i++)
        steps = run_round(&sc, &read_ms[i], &plan_ms[i]);
    printf(
        "%d vnodes, %d reservations, %d jobs: read %.1f ms, plan %.1f ms, %zu steps\n",
        n.vnodes, n.resvs, n.jobs, measure_median(read_ms, (size_t)n.rounds),
        measure_median(plan_ms, (size_t)n.rounds), steps);
    arena_free(sc.arena);
    return 0;
}
