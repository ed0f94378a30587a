/* test_edges.c - every edge leads there and back, and rules look along edges that begin
 * where they do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/edges.h"
#include "server/rules/rule.h"

#include "../unit.h"

#include <stdio.h>

/* A small complex in which no edge is without an end: a reservation that runs with its
 * queue, jobs in it and outside, a queue with a vnode, two hosts, a vnode that borrows,
 * and a hot start that puts jobs back where others are, or a later occurrence will be.
 */
/* clang-format off */
static const struct {
    enum obj_kind kind;
    const char *id;
    struct { int attr; const char *resource, *text; } set[5];
} objects[] = {
    { OBJ_SERVER, "svr", { { SERVER_A_HF_HOT_UNTIL, NULL, "2000000000" } } },
    { OBJ_QUEUE, "workq", { { QUEUE_A_STARTED, NULL, "True" } } },
    { OBJ_QUEUE, "route", { { QUEUE_A_QUEUE_TYPE, NULL, "Route" } } },
    { OBJ_QUEUE, "R1", { { QUEUE_A_STARTED, NULL, "True" } } },
    { OBJ_NODE, "a0", { { NODE_A_MOM, NULL, "a" },
                        { NODE_A_RESOURCES_AVAILABLE, "ncpus", "4" } } },
    { OBJ_NODE, "a1", { { NODE_A_MOM, NULL, "a" }, { NODE_A_QUEUE, NULL, "workq" } } },
    { OBJ_NODE, "a2", { { NODE_A_MOM, NULL, "a" },
                        { NODE_A_HF_INDIRECT, NULL, "mem=a0" } } },
    { OBJ_NODE, "b0", { { NODE_A_MOM, NULL, "b" } } },
    { OBJ_RESV, "R1.svr", { { RESV_A_RESERVE_STATE, NULL, "5" },
                            { RESV_A_RESV_NODES, NULL,
                              "(a0:ncpus=1:mem=1kb)+(b0:ncpus=1)" } } },
    { OBJ_OCCURRENCE, "R1[2].svr", { { OCCURRENCE_A_INDEX, NULL, "2" },
                                     { OCCURRENCE_A_RESV_NODES, NULL, "(a1:ncpus=1)" } } },
    { OBJ_JOB, "1.svr", { { JOB_A_JOB_STATE, NULL, "R" }, { JOB_A_QUEUE, NULL, "R1" },
                          { JOB_A_EXEC_VNODE, NULL, "(a0:ncpus=1)" } } },
    { OBJ_JOB, "2.svr", { { JOB_A_JOB_STATE, NULL, "R" },
                          { JOB_A_QUEUE, NULL, "workq" },
                          { JOB_A_EXEC_VNODE, NULL, "(a2:ncpus=1:mem=1kb)" } } },
    { OBJ_JOB, "3.svr", { { JOB_A_JOB_STATE, NULL, "Q" },
                          { JOB_A_QUEUE, NULL, "workq" },
                          { JOB_A_HF_HOT_VNODES, NULL, "(a2:ncpus=1)" } } },
    { OBJ_JOB, "4.svr", { { JOB_A_JOB_STATE, NULL, "Q" },
                          { JOB_A_QUEUE, NULL, "R1" },
                          { JOB_A_HF_HOT_VNODES, NULL, "(b0:ncpus=1)" } } },
    { OBJ_JOB, "5.svr", { { JOB_A_JOB_STATE, NULL, "Q" },
                          { JOB_A_QUEUE, NULL, "workq" },
                          { JOB_A_HF_HOT_VNODES, NULL, "(a1:ncpus=1)" } } },
    { OBJ_JOB, "7.svr", { { JOB_A_JOB_STATE, NULL, "H" },
                          { JOB_A_QUEUE, NULL, "workq" },
                          { JOB_A_DEPEND, NULL, "afterok:3.svr@svr" } } },
    { OBJ_JOB, "8.svr", { { JOB_A_JOB_STATE, NULL, "H" },
                          { JOB_A_QUEUE, NULL, "workq" },
                          { JOB_A_DEPEND, NULL, "afterok:9.svr@svr" } } },
    { OBJ_JOB, "9.svr", { { JOB_A_JOB_STATE, NULL, "F" },
                          { JOB_A_QUEUE, NULL, "workq" },
                          { JOB_A_HF_WAITERS, NULL, "afterok 5.far far" } } },
    { OBJ_JOB, "6.svr", { { JOB_A_JOB_STATE, NULL, "F" },
                          { JOB_A_QUEUE, NULL, "workq" } } },
    { OBJ_JOB, "10.svr", { { JOB_A_JOB_STATE, NULL, "Q" },
                           { JOB_A_QUEUE, NULL, "route" },
                           { JOB_A_QUEUE_TYPE, NULL, "R" } } },
    { OBJ_JOB, "7[].svr", { { JOB_A_JOB_STATE, NULL, "B" },
                            { JOB_A_QUEUE, NULL, "workq" },
                            { JOB_A_ARRAY_INDICES_SUBMITTED, NULL, "1-3" } } },
    { OBJ_JOB, "7[2].svr", { { JOB_A_JOB_STATE, NULL, "X" },
                             { JOB_A_QUEUE, NULL, "workq" },
                             { JOB_A_ARRAY_ID, NULL, "7[].svr" },
                             { JOB_A_ARRAY_INDEX, NULL, "2" } } },
};
/* clang-format on */

static struct model *small_complex(struct arena *arena)
{
    struct model *m = model_new("svr");

    for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
        struct records list = { 0 };
        struct record *rec = record_add(&list, arena, FACT_LOADED, objects[i].kind,
                                        objects[i].id, "root@svr", 0);

        for (size_t k = 0; k < ARRAY_LEN(objects[i].set) && objects[i].set[k].text; k++)
            record_change(rec, arena, objects[i].set[k].attr,
                          objects[i].set[k].resource, objects[i].set[k].text);
        model_apply(m, rec);
    }
    model_loaded(m, 1);
    return m;
}

struct search {
    const struct object *what;
    bool found;
    size_t n;
};

static void look_for(void *arg, const struct object *to)
{
    struct search *s = arg;

    s->n++;
    s->found |= to == s->what;
}

static struct search search(const struct model *m, enum edge e,
                            const struct object *from, const struct object *what)
{
    struct search s = { .what = what };

    edge_each(m, e, from, look_for, &s);
    return s;
}

/* Whoever is at the end of an edge finds its way back, and nobody else does. */
static size_t check_pairs(const struct model *m, enum edge e)
{
    size_t n = 0;

    MODEL_EACH (m, edge_from(e), from)
        MODEL_EACH (m, edge_to(e), to) {
            struct search there = search(m, e, from, to);
            struct search back = search(m, edge_back(e), to, from);

            if (there.found != back.found)
                printf("%s: %s, %s\n", edge_name(e), from->id, to->id);
            CU_ASSERT_EQUAL(there.found, back.found);
            n += there.found;
        }
    return n;
}

static void every_edge_leads_there_and_back(void)
{
    struct arena *arena = arena_new();
    struct model *m = small_complex(arena);

    for (enum edge e = 0; e < EDGE_COUNT; e++) {
        CU_ASSERT_EQUAL(edge_back(edge_back(e)), e);
        CU_ASSERT_EQUAL(edge_from(edge_back(e)), edge_to(e));
        if (check_pairs(m, e) == 0) {
            printf("nothing at the end of: %s\n", edge_name(e));
            CU_FAIL("the complex of this test lacks a link");
        }
    }
    model_free(m);
    arena_free(arena);
}

/* A later occurrence is given another vnode: its reservation, the vnode that it had and
 * the one that it has look new in a status, and nobody else. */
static void a_later_occurrence_makes_its_ends_look_new(void)
{
    static const struct {
        enum obj_kind kind;
        const char *id;
        bool looks_new;
    } rows[] = {
        { OBJ_RESV, "R1.svr", true }, { OBJ_NODE, "a0", false },
        { OBJ_NODE, "a1", true },     { OBJ_NODE, "a2", true },
        { OBJ_NODE, "b0", false },    { OBJ_QUEUE, "workq", false },
    };
    struct arena *arena = arena_new();
    struct model *m = small_complex(arena);
    struct records list = { 0 };
    struct record *rec =
        record_add(&list, arena, FACT_SET, OBJ_OCCURRENCE, "R1[2].svr", "root@svr", 0);

    record_change(rec, arena, OCCURRENCE_A_RESV_NODES, NULL, "(a2:ncpus=1)");
    rec->seq = 9;
    model_apply(m, rec);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct object *o = model_find(m, rows[i].kind, rows[i].id);

        if ((o->shown_seq == 9) != rows[i].looks_new)
            printf("%s\n", rows[i].id);
        CU_ASSERT_EQUAL(o->shown_seq == 9, rows[i].looks_new);
    }
    model_free(m);
    arena_free(arena);
}

/* Which kinds are worth keeping once they were shown. */
static void edges_say_how_long_a_status_lasts(void)
{
    static const enum lasts lasts[OBJ_KIND_COUNT] = {
        [OBJ_SERVER] = LASTS_NEVER, [OBJ_SCHED] = LASTS_NEVER,
        [OBJ_HOOK] = LASTS_NEVER,   [OBJ_RESOURCE] = LASTS_NEVER,
        [OBJ_RESV] = LASTS_A_WHILE, [OBJ_QUEUE] = LASTS,
        [OBJ_NODE] = LASTS,         [OBJ_JOB] = LASTS,
        [OBJ_OCCURRENCE] = LASTS,   [OBJ_REQUEST] = LASTS_NEVER,
    };

    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        CU_ASSERT_EQUAL(kind_lasts((enum obj_kind)kind), lasts[kind]);
}

static void edges_have_names_of_their_own(void)
{
    for (enum edge e = 0; e < EDGE_COUNT; e++) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(edge_name(e));
        for (enum edge other = 0; other < e; other++)
            CU_ASSERT_STRING_NOT_EQUAL(edge_name(e), edge_name(other));
    }
}

static void rules_look_along_edges_that_begin_where_they_do(void)
{
    for (size_t i = 0; i < n_rule_rows; i++)
        for (enum edge e = 0; e < EDGE_COUNT; e++)
            if (rule_rows[i].looks & SEES(e))
                CU_ASSERT_EQUAL(edge_from(e), rule_rows[i].kind);
}

/* What is far away is met through nothing. */
static void an_edge_has_its_own_ends_only(void)
{
    struct arena *arena = arena_new();
    struct model *m = small_complex(arena);
    const struct object *b0 = model_find(m, OBJ_NODE, "b0");
    const struct object *job1 = model_find(m, OBJ_JOB, "1.svr");

    CU_ASSERT_EQUAL(search(m, EDGE_JOB_NODES, job1, b0).n, 1);
    CU_ASSERT_FALSE(search(m, EDGE_JOB_NODES, job1, b0).found);
    CU_ASSERT_EQUAL(search(m, EDGE_NODE_JOBS, b0, job1).n, 0);
    CU_ASSERT_TRUE(
        search(m, EDGE_JOB_HOT_JOBS, job1, model_find(m, OBJ_JOB, "3.svr")).found);
    CU_ASSERT_FALSE(
        search(m, EDGE_JOB_HOT_JOBS, job1, model_find(m, OBJ_JOB, "4.svr")).found);
    model_free(m);
    arena_free(arena);
}

static const struct unit_case cases[] = {
    { "every edge leads there and back", every_edge_leads_there_and_back },
    { "a later occurrence makes its ends look new",
      a_later_occurrence_makes_its_ends_look_new },
    { "edges say how long a status lasts", edges_say_how_long_a_status_lasts },
    { "edges have names of their own", edges_have_names_of_their_own },
    { "rules look along edges that begin where they do",
      rules_look_along_edges_that_begin_where_they_do },
    { "an edge has its own ends only", an_edge_has_its_own_ends_only },
};

int main(void)
{
    return unit_main("edges", cases, ARRAY_LEN(cases));
}
