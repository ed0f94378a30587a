/* series.c - what a standing reservation costs the scheduler.
 *
 *   test/bench/series [--rounds N] [--vnodes N] [--occurrences N] [--chunks N]
 *
 * A series of an occurrence each hour on hosts of one vnode, which is planned
 *
 *   alike     on a complex where nobody else is;
 *   crowded   beside reservations that leave no vnode free in all hours, so that
 *             occurrences get different vnodes;
 *   apart     the same, where none but the series' own choice of vnodes is free in any
 *             hour, and each hour it is another one;
 *   short     on a complex where the last occurrence does not fit;
 *   kept      as confirmed, each occurrence on other vnodes, with nothing to do;
 *   degraded  likewise, with a tenth of the vnodes lost and due.
 *
 * Printed are the processor times to read the status objects and to plan, median of the
 * rounds, and the length of the answer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/execvnodes.h"
#include "scheduler/sched.h"

#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW         1000000
#define HOUR_S      3600
#define LENGTH_S    1800
#define MOST_ROUNDS 99

struct sizes {
    int rounds, vnodes, occurrences, chunks;
};

struct scene {
    struct arena *arena;
    struct sizes n;
    struct wire_objects vnodes, resvs;
};

static void attr(struct scene *sc, struct wire_object *o, const char *name,
                 const char *resource, const char *value)
{
    wire_attrs_add(&o->attrs, sc->arena, name, resource, value, WIRE_OP_SET);
}

static const char *number(struct scene *sc, int64_t n)
{
    return arena_printf(sc->arena, "%lld", (long long)n);
}

static int64_t start_of(int i)
{
    return NOW + (int64_t)(i + 1) * HOUR_S;
}

static void add_vnodes(struct scene *sc, int n_down)
{
    for (int i = 0; i < sc->n.vnodes; i++) {
        const char *name = arena_printf(sc->arena, "n%d", i);
        struct wire_object *o =
            wire_objects_add(&sc->vnodes, sc->arena, OBJECT_NODE, name);

        attr(sc, o, "state", NULL, i < n_down ? "down" : "free");
        attr(sc, o, "license", NULL, "l");
        attr(sc, o, "resources_available", "host", name);
        attr(sc, o, "resources_available", "ncpus", "16");
        attr(sc, o, "resources_available", "mem", "64gb");
    }
}

static struct wire_object *add_resv(struct scene *sc, const char *id, const char *state,
                                    int64_t start_at, int64_t end_at, int chunks)
{
    struct wire_object *o = wire_objects_add(&sc->resvs, sc->arena, OBJECT_RESV, id);

    attr(sc, o, "reserve_state", NULL, state);
    attr(sc, o, "reserve_substate", NULL, state);
    attr(sc, o, "reserve_start", NULL, number(sc, start_at));
    attr(sc, o, "reserve_end", NULL, number(sc, end_at));
    attr(sc, o, "schedselect", NULL, arena_printf(sc->arena, "%d:ncpus=16", chunks));
    attr(sc, o, "Resource_List", "place", "scatter");
    return o;
}

/* "(n3:ncpus=16)+(n4:ncpus=16)": 'n' vnodes from 'first' on, around the end. */
static const char *vnodes_text(struct scene *sc, int first, int n)
{
    struct buf text = { 0 };
    const char *ret;

    for (int i = 0; i < n; i++)
        buf_printf(&text, "%s(n%d:ncpus=16)", i ? "+" : "", (first + i) % sc->n.vnodes);
    ret = arena_strndup(sc->arena, text.data, text.len);
    buf_fini(&text);
    return ret;
}

static void add_other(struct scene *sc, int hour, int first, int n)
{
    struct wire_object *o =
        add_resv(sc, arena_printf(sc->arena, "R%zu.svr", sc->resvs.n), "2",
                 start_of(hour), start_of(hour) + LENGTH_S, n);

    attr(sc, o, "resv_nodes", NULL, vnodes_text(sc, first, n));
}

/* The vnodes on which the occurrence is, or would have to be. */
static int first_vnode(const struct scene *sc, int hour)
{
    return (int)((int64_t)hour * 37 % sc->n.vnodes);
}

static void add_series(struct scene *sc, bool confirmed, int n_down)
{
    struct wire_object *o = add_resv(sc, "S1.svr", confirmed ? "2" : "1", start_of(0),
                                     start_of(0) + LENGTH_S, sc->n.chunks);
    const char **texts =
        ARENA_ARRAY(sc->arena, const char *, (size_t)sc->n.occurrences);
    struct buf list = { 0 };

    for (int i = 0; i < sc->n.occurrences; i++) {
        int first = first_vnode(sc, i);
        bool due = confirmed && (first < n_down || first + sc->n.chunks > sc->n.vnodes);

        buf_printf(&list, "%s%lld+%d%s", i ? "," : "", (long long)start_of(i), LENGTH_S,
                   n_down > 0 && due ? "!" : "");
        texts[i] = vnodes_text(sc, first, sc->n.chunks);
    }
    attr(sc, o, "alter_seq", NULL, "0");
    attr(sc, o, "reserve_standing", NULL, "1");
    attr(sc, o, "reserve_count", NULL, number(sc, sc->n.occurrences));
    attr(sc, o, "reserve_occurrences", NULL,
         arena_strndup(sc->arena, list.data, list.len));
    buf_fini(&list);
    if (!confirmed)
        return;
    attr(sc, o, "reserve_index", NULL, "1");
    attr(sc, o, "reserve_retry", NULL, "1");
    attr(sc, o, "resv_nodes", NULL, texts[0]);
    attr(sc, o, "reserve_execvnodes", NULL,
         execvnodes_print(texts, (size_t)sc->n.occurrences, sc->arena));
}

static void make_alike(struct scene *sc)
{
    add_vnodes(sc, 0);
    add_series(sc, false, 0);
}

/* In each hour another eighth of the vnodes is taken. */
static void make_crowded(struct scene *sc)
{
    int n = MAX_OF(sc->n.vnodes / 8, 1);

    add_vnodes(sc, 0);
    for (int i = 0; i < sc->n.occurrences; i++)
        add_other(sc, i, i % 8 * n, n);
    add_series(sc, false, 0);
}

/* In each hour all vnodes are taken but those of first_vnode(). */
static void make_apart(struct scene *sc)
{
    add_vnodes(sc, 0);
    for (int i = 0; i < sc->n.occurrences; i++)
        add_other(sc, i, first_vnode(sc, i) + sc->n.chunks,
                  sc->n.vnodes - sc->n.chunks);
    add_series(sc, false, 0);
}

static void make_short(struct scene *sc)
{
    add_vnodes(sc, 0);
    add_other(sc, sc->n.occurrences - 1, 0, sc->n.vnodes - sc->n.chunks + 1);
    add_series(sc, false, 0);
}

static void make_kept(struct scene *sc)
{
    add_vnodes(sc, 0);
    add_series(sc, true, 0);
}

static void make_degraded(struct scene *sc)
{
    add_vnodes(sc, sc->n.vnodes / 10);
    add_series(sc, true, sc->n.vnodes / 10);
}

/* "yes, 12 bytes" */
static void describe(const struct plan *plan, char *ret, size_t size)
{
    snprintf(ret, size, "nothing to say");
    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_step *step = &plan->steps[i];

        if (strcmp(step->id, "S1.svr") != 0)
            continue;
        if (step->kind == PLAN_CONFIRM_RESV)
            snprintf(ret, size, "yes, %zu bytes", strlen(step->vnodes));
        else
            snprintf(ret, size, "no%s", step->advice);
    }
}

static void run_round(const struct scene *sc, double *read_ms, double *plan_ms,
                      char *said, size_t size)
{
    struct snapshot *s = snapshot_new();
    struct policy *p = policy_new();
    struct arena *arena = arena_new();
    double start_ms = measure_now_ms();
    struct plan plan;

    snapshot_add(s, &sc->resvs);
    snapshot_add(s, &sc->vnodes);
    *read_ms = measure_now_ms() - start_ms;
    start_ms = measure_now_ms();
    sched_plan(s, p, NOW, NULL, arena, &plan);
    *plan_ms = measure_now_ms() - start_ms;
    describe(&plan, said, size);
    arena_free(arena);
    policy_free(p);
    snapshot_free(s);
}

static void run(const char *name, void (*make)(struct scene *), const struct sizes *n)
{
    double read_ms[MOST_ROUNDS], plan_ms[MOST_ROUNDS];
    struct scene sc = { .arena = arena_new(), .n = *n };
    char said[80];

    make(&sc);
    for (int i = 0; i < n->rounds; i++)
        run_round(&sc, &read_ms[i], &plan_ms[i], said, sizeof(said));
    printf("%-9s read %7.1f ms, plan %7.1f ms: %s\n", name,
           measure_median(read_ms, (size_t)n->rounds),
           measure_median(plan_ms, (size_t)n->rounds), said);
    arena_free(sc.arena);
}

int main(int argc, char **argv)
{
    struct sizes n = { 3, 2000, 2000, 64 };

    for (int i = 1; i + 1 < argc; i += 2) {
        int value = MAX_OF(atoi(argv[i + 1]), 1);

        if (strcmp(argv[i], "--rounds") == 0)
            n.rounds = MIN_OF(value, MOST_ROUNDS);
        else if (strcmp(argv[i], "--vnodes") == 0)
            n.vnodes = value;
        else if (strcmp(argv[i], "--occurrences") == 0)
            n.occurrences = value;
        else if (strcmp(argv[i], "--chunks") == 0)
            n.chunks = value;
    }
    n.chunks = MIN_OF(n.chunks, n.vnodes);
    printf("%d vnodes, %d occurrences of %d chunks\n", n.vnodes, n.occurrences,
           n.chunks);
    run("alike", make_alike, &n);
    run("crowded", make_crowded, &n);
    run("apart", make_apart, &n);
    run("short", make_short, &n);
    run("kept", make_kept, &n);
    run("degraded", make_degraded, &n);
    return 0;
}
