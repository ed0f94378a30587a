/* claims.c - what it costs to ask what is promised on a vnode, by the number of
 * occurrences that are promised there.
 *
 *   test/bench/claims [--rounds N]
 *
 * A series of an occurrence each hour is on each of 64 vnodes, behind a long one; for
 * each occurrence each vnode is asked about its window. Printed are the times for a
 * short series and for one that is twenty times as long, median of the rounds,
 * and how many times as long the question about one occurrence takes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/occurrence.h"
#include "server/model/resv_claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VNODES      64
#define SHORT       100
#define LONG        2000
#define MOST_ROUNDS 99
#define HOUR_S      3600

static uint64_t seq;

static struct record *record(struct records *list, struct arena *arena, enum fact fact,
                             enum obj_kind kind, const char *id)
{
    *list = (struct records){ 0 };
    return record_add(list, arena, fact, kind, arena_strdup(arena, id), "root@svr", 1);
}

static void apply(struct model *m, struct record *rec)
{
    rec->seq = ++seq;
    model_apply(m, rec);
}

static void make_vnodes(struct model *m, struct arena *arena)
{
    struct records list;

    for (int i = 0; i < VNODES; i++) {
        struct record *rec =
            record(&list, arena, FACT_CREATED, OBJ_NODE, arena_printf(arena, "n%d", i));

        record_change(rec, arena, NODE_A_RESOURCES_AVAILABLE, "ncpus", "4");
        apply(m, rec);
    }
}

static void make_resv(struct model *m, struct arena *arena, const char *id,
                      int64_t end_at, const char *vnodes)
{
    struct records list;
    struct record *rec = record(&list, arena, FACT_RESV_SUBMITTED, OBJ_RESV, id);

    record_change_num(rec, arena, RESV_A_RESERVE_START, 0);
    record_change_num(rec, arena, RESV_A_RESERVE_END, end_at);
    record_change(rec, arena, RESV_A_RESV_NODES, NULL, vnodes);
    apply(m, rec);
}

static void make_later(struct model *m, struct arena *arena, int index,
                       const char *vnodes)
{
    struct records list;
    struct record *rec = record(&list, arena, FACT_CREATED, OBJ_OCCURRENCE,
                                arena_printf(arena, "S2[%d].svr", index));

    record_change_num(rec, arena, OCCURRENCE_A_INDEX, index);
    record_change_num(rec, arena, OCCURRENCE_A_START, (int64_t)index * HOUR_S);
    record_change_num(rec, arena, OCCURRENCE_A_END, (int64_t)index * HOUR_S + 1800);
    record_change(rec, arena, OCCURRENCE_A_RESV_NODES, NULL, vnodes);
    apply(m, rec);
}

static struct model *make(struct arena *arena, int n)
{
    struct model *m = model_new("svr");
    const char *vnodes = "";

    make_vnodes(m, arena);
    for (int i = 0; i < VNODES; i++)
        vnodes = arena_printf(arena, "%s%s(n%d:ncpus=1)", vnodes, i ? "+" : "", i);
    make_resv(m, arena, "R1.svr", INT64_C(400) * 86400, vnodes);
    make_resv(m, arena, "S2.svr", 1800, vnodes);
    for (int i = 2; i <= n; i++)
        make_later(m, arena, i, vnodes);
    return m;
}

/* Each occurrence on each of its vnodes, once; nanoseconds for one of them. */
static int64_t ask(const struct model *m, int n)
{
    const struct resv *r = model_resv(m, "S2.svr");
    struct arena *arena = arena_new();
    struct timespec from, to;
    size_t sum = 0;

    clock_gettime(CLOCK_MONOTONIC, &from);
    for (const struct occurrence *oc = r->later; oc; oc = oc->next) {
        arena_clear(arena);
        for (size_t i = 0; i < oc->bookings.n; i++)
            sum +=
                claims_on(oc->bookings.v[i].node, oc, occurrence_window(oc), 1, arena)
                    .n;
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    arena_free(arena);
    if (sum != (size_t)(n - 1) * VNODES) { /* the long one, on each */
        fprintf(stderr, "claims: %zu claims\n", sum);
        exit(1);
    }
    return ((to.tv_sec - from.tv_sec) * INT64_C(1000000000) + to.tv_nsec -
            from.tv_nsec) /
           ((int64_t)(n - 1) * VNODES);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int rounds = argc == 3 && strcmp(argv[1], "--rounds") == 0 ? atoi(argv[2]) : 5;
    struct arena *arena = arena_new();
    struct model *few = make(arena, SHORT), *many = make(arena, LONG);
    int64_t few_ns[MOST_ROUNDS], many_ns[MOST_ROUNDS];

    if (rounds < 1 || rounds > MOST_ROUNDS)
        return 2;
    for (int i = 0; i < rounds; i++) {
        few_ns[i] = ask(few, SHORT);
        many_ns[i] = ask(many, LONG);
    }
    qsort(few_ns, (size_t)rounds, sizeof(*few_ns), by_size);
    qsort(many_ns, (size_t)rounds, sizeof(*many_ns), by_size);
    printf("occurrences %d: %" PRId64 " ns, %d: %" PRId64 " ns, ratio %.2f\n", SHORT,
           few_ns[rounds / 2], LONG, many_ns[rounds / 2],
           (double)many_ns[rounds / 2] / (double)few_ns[rounds / 2]);
    model_free(few);
    model_free(many);
    arena_free(arena);
    return 0;
}
