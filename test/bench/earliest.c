/* earliest.c - what the search for a later start costs on a large complex.
 *
 *   test/bench/earliest [--rounds N] [--vnodes N] [--resvs N]
 *
 * A complex of hosts with one vnode each; reservations on a few vnodes each, every one
 * with a start and an end of its own, so that something is given back at as many
 * instants. Then one more reservation is asked for: with a fixed start that is denied,
 * or at the first start that comes (pbs_rsub -W qmove). Printed is the processor time
 * that the question adds to a plan, median of the rounds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resv_number.h"
#include "scheduler/sched.h"

#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW         1000000
#define PER_RESV    100
#define MOST_ROUNDS 99

struct sizes {
    int rounds, vnodes, resvs;
};

static void attr(struct arena *a, struct wire_object *o, const char *name,
                 const char *resource, const char *value)
{
    wire_attrs_add(&o->attrs, a, name, resource, value, WIRE_OP_SET);
}

static struct wire_objects make_vnodes(struct arena *a, int n)
{
    struct wire_objects ret = { 0 };

    for (int i = 0; i < n; i++) {
        const char *name = arena_printf(a, "n%d", i);
        struct wire_object *o = wire_objects_add(&ret, a, OBJECT_NODE, name);

        attr(a, o, "state", NULL, "free");
        attr(a, o, "license", NULL, "l");
        attr(a, o, "resources_available", "host", name);
        attr(a, o, "resources_available", "ncpus", "16");
        attr(a, o, "resources_available", "mem", "64gb");
    }
    return ret;
}

static struct wire_object *add_resv(struct arena *a, struct wire_objects *list, int i,
                                    const char *state, long start_at, long end_at,
                                    const char *select)
{
    struct wire_object *o =
        wire_objects_add(list, a, OBJECT_RESV, arena_printf(a, "R%d.svr", i));

    attr(a, o, "reserve_state", NULL, state);
    attr(a, o, "reserve_substate", NULL, state);
    attr(a, o, "reserve_start", NULL, arena_printf(a, "%ld", start_at));
    attr(a, o, "reserve_end", NULL, arena_printf(a, "%ld", end_at));
    attr(a, o, "queue", NULL, arena_printf(a, "R%d", i));
    attr(a, o, "schedselect", NULL, select);
    return o;
}

/* Eight cpus on each of PER_RESV vnodes; reservation i ends at NOW + 1000 + 10 i. */
static struct wire_objects make_resvs(struct arena *a, const struct sizes *n)
{
    struct wire_objects ret = { 0 };

    for (int i = 0; i < n->resvs; i++) {
        struct wire_object *o =
            add_resv(a, &ret, i, "2", NOW + 500 + 10L * i, NOW + 1000 + 10L * i,
                     arena_printf(a, "%d:ncpus=8", PER_RESV));
        struct buf nodes = { 0 };

        for (int k = 0; k < PER_RESV; k++)
            buf_printf(&nodes, "%s(n%d:ncpus=8)", k ? "+" : "",
                       (i * PER_RESV + k) % n->vnodes);
        attr(a, o, "Resource_List", "place", "free");
        attr(a, o, "resv_nodes", NULL, arena_strdup(a, nodes.data));
        buf_fini(&nodes);
    }
    return ret;
}

/* The time of one plan with what is asked for, NULL: nothing; *said is its outcome. */
static double time_plan(const struct sizes *n, const char *select, const char *place,
                        bool open, const char **said)
{
    struct arena *a = arena_new();
    struct snapshot *s = snapshot_new();
    struct policy *p = policy_new();
    struct wire_objects vnodes = make_vnodes(a, n->vnodes);
    struct wire_objects resvs = make_resvs(a, n);
    struct plan plan;
    double start_ms;

    if (select)
        attr(a,
             add_resv(a, &resvs, n->resvs, "1", open ? RESV_START_OPEN : NOW + 600,
                      (open ? RESV_START_OPEN : NOW + 600) + 900, select),
             "Resource_List", "place", place);
    snapshot_add(s, &resvs);
    snapshot_add(s, &vnodes);
    start_ms = measure_now_ms();
    sched_plan(s, p, NOW, NULL, a, &plan);
    start_ms = measure_now_ms() - start_ms;
    *said = "nothing";
    for (size_t i = 0; i < plan.n; i++)
        if (plan.steps[i].kind == PLAN_CONFIRM_RESV)
            *said = "yes";
        else if (plan.steps[i].kind == PLAN_DENY_RESV)
            *said = plan.steps[i].start_at ? "no, later" : "no";
    snapshot_free(s);
    policy_free(p);
    arena_free(a);
    return start_ms;
}

static double median_of(const struct sizes *n, const char *select, const char *place,
                        bool open, const char **said)
{
    double ms[MOST_ROUNDS];

    for (int i = 0; i < n->rounds; i++)
        ms[i] = time_plan(n, select, place, open, said);
    return measure_median(ms, (size_t)n->rounds);
}

static void read_sizes(struct sizes *n, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        int value = MAX_OF(atoi(argv[i + 1]), 1);

        if (strcmp(argv[i], "--rounds") == 0)
            n->rounds = MIN_OF(value, MOST_ROUNDS);
        else if (strcmp(argv[i], "--vnodes") == 0)
            n->vnodes = value;
        else if (strcmp(argv[i], "--resvs") == 0)
            n->resvs = value;
    }
}

int main(int argc, char **argv)
{
    struct sizes n = { 3, 5000, 2000 };
    struct arena *texts = arena_new();
    const char *said;
    double base_ms;

    read_sizes(&n, argc, argv);
    base_ms = median_of(&n, NULL, NULL, false, &said);
    printf("%d vnodes, %d reservations: %.1f ms without a question\n", n.vnodes,
           n.resvs, base_ms);
    for (int open = 0; open <= 1; open++) {
        const struct {
            const char *what, *select, *place;
        } cases[] = {
            { "more than the complex has", "1:ncpus=17", "free" },
            { "all vnodes", arena_printf(texts, "%d:ncpus=16", n.vnodes), "scatter" },
            { "nine tenths, whole",
              arena_printf(texts, "%d:ncpus=1", n.vnodes * 9 / 10), "scatter:excl" },
            { "nine tenths, whole hosts",
              arena_printf(texts, "%d:ncpus=1", n.vnodes * 9 / 10),
              "scatter:exclhost" },
        };

        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
            double ms = median_of(&n, cases[c].select, cases[c].place, open, &said);

            printf("%-12s %-26s %9.1f ms  %s\n", open ? "any start" : "fixed start",
                   cases[c].what, ms - base_ms, said);
        }
    }
    arena_free(texts);
    return 0;
}
