/* Unit tests of standing reservations in plans: all occurrences of a new one, those of
 * an old one that lost their vnodes, and what others may do beside them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#include "../cal/tzif.h"

#define UN     "reserve_state=1 reserve_substate=1"
#define CO     "reserve_state=2 reserve_substate=2"
#define CO_10  "reserve_state=2 reserve_substate=10"
#define DG     "reserve_state=10 reserve_substate=10"
#define RN_10  "reserve_state=5 reserve_substate=10"
#define FREE   "Resource_List.place=free"
#define SERIES "S5.svr"
#define PERIOD 1000
#define LENGTH 100

/* S5 from NOW + first on, every PERIOD seconds for LENGTH; 'due' has an entry for each
 * occurrence, "!" where other vnodes are wanted, "0" where they are wanted since it has
 * none, "-" where it has none and none are wanted. 'map' NULL: none yet. */
struct told {
    const char *state;
    int first;
    const char *due; /* "..!0" */
    const char *map;
    const char *nodes;
    const char *select;
    const char *place;
    const char *more;
};

static void add_series(struct scene *sc, struct told t)
{
    struct buf text = { 0 };
    size_t n = strlen(t.due);

    buf_printf(&text,
               "%s reserve_start=%d reserve_end=%d queue=S5 schedselect=%s %s %s",
               t.state, NOW + t.first, NOW + t.first + LENGTH, t.select,
               t.place ? t.place : FREE, t.more ? t.more : "");
    buf_printf(&text, " alter_seq=0 reserve_standing=1 reserve_count=%zu", n);
    if (!t.more || !strstr(t.more, "reserve_retry="))
        buf_printf(&text, " reserve_retry=%d", NOW);
    if (t.map)
        buf_printf(&text, " reserve_index=1 reserve_execvnodes=%s", t.map);
    if (t.nodes)
        buf_printf(&text, " resv_nodes=%s", t.nodes);
    buf_printf(&text, " reserve_occurrences=");
    for (size_t i = 0; i < n; i++) {
        if (t.due[i] == 'x') { /* somebody has deleted it */
            buf_printf(&text, ",-");
            continue;
        }
        buf_printf(&text, "%s%d+%d%s%s", i ? "," : "", NOW + t.first + (int)i * PERIOD,
                   LENGTH, strchr("!0", t.due[i]) ? "!" : "",
                   strchr("-0", t.due[i]) ? "-" : "");
    }
    scene_add(sc, OBJECT_RESV, SERIES, text.data);
    scene_queue(sc, "S5", strstr(t.state, "reserve_state=5") != NULL);
    buf_fini(&text);
}

/* A confirmed reservation of another id, on one vnode. */
static void add_other(struct scene *sc, int n, int start, int end, const char *nodes)
{
    char more[128];

    snprintf(more, sizeof(more), "resv_nodes=%s %s", nodes, FREE);
    scene_resv(sc, n, CO, NOW + start, NOW + end, "1:ncpus=2", more);
}

static void test_the_same_vnodes_for_all(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 3, 2);
    add_other(&sc, 1, 2000, 2300, "(n1:ncpus=2)");
    add_series(&sc, (struct told){ UN, 200, "...", .select = "2:ncpus=2" });
    scene_plan(&sc);
    /* n1 is taken when the third one is, and so is not in any of them. */
    ASSERT_SAID(&sc, SERIES, "3#(n2:ncpus=2)+(n3:ncpus=2){0-2}");
    CU_ASSERT_EQUAL(scene_step(&sc, SERIES)->start_at, NOW + 200);
    CU_ASSERT_EQUAL(scene_step(&sc, SERIES)->n_occurrences, 3);
    scene_free(&sc);
}

static void test_each_its_own_vnodes(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    add_other(&sc, 1, 1200, 1300, "(n1:ncpus=2)");
    add_other(&sc, 2, 2200, 2300, "(n2:ncpus=2)");
    add_series(&sc, (struct told){ UN, 200, "....", .select = "1:ncpus=2" });
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "4#(n2:ncpus=2){1}(n1:ncpus=2){0,2-3}");
    scene_free(&sc);
}

static void test_all_or_none(void)
{
    struct scene sc = scene_new();
    const struct plan_step *step;

    scene_hosts(&sc, 2, 2);
    add_other(&sc, 1, 2200, 2300, "(n1:ncpus=2)");
    add_other(&sc, 2, 2100, 2210, "(n2:ncpus=2)");
    add_series(&sc, (struct told){ UN, 200, "....", .select = "1:ncpus=2" });
    /* What the series did not get is free for the next one. */
    scene_resv(&sc, 6, UN, NOW + 200, NOW + 300, "2:ncpus=2", FREE);
    scene_plan(&sc);
    step = scene_step(&sc, SERIES);
    CU_ASSERT_EQUAL_FATAL(step->kind, PLAN_DENY_RESV);
    CU_ASSERT_STRING_EQUAL(step->reason,
                           "Job would conflict with reservation or top job");
    CU_ASSERT_STRING_EQUAL(step->advice, "; occurrence 3 of 4 does not fit");
    CU_ASSERT_EQUAL(step->start_at, 0);
    CU_ASSERT_STRING_EQUAL(step->why.holder, "R1.svr");
    ASSERT_SAID(&sc, "R6.svr", "(n1:ncpus=2)+(n2:ncpus=2)");
    scene_free(&sc);
}

static void test_others_go_around_every_occurrence(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    add_series(&sc,
               (struct told){ CO, 200, "....", "4#(n2:ncpus=2){1}(n1:ncpus=2){0,2-3}",
                              "(n1:ncpus=2)", "1:ncpus=2" });
    scene_resv(&sc, 6, UN, NOW + 2250, NOW + 2260, "1:ncpus=1", FREE);
    scene_resv(&sc, 7, UN, NOW + 1200, NOW + 1201, "2:ncpus=1",
               "Resource_List.place=scatter:excl");
    scene_resv(&sc, 8, UN, NOW + 1300, NOW + 2200, "2:ncpus=2", FREE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R6.svr", "(n2:ncpus=1)");
    CU_ASSERT_EQUAL(scene_step(&sc, "R7.svr")->kind, PLAN_DENY_RESV);
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, "R7.svr")->why.holder, "S5[2].svr");
    ASSERT_SAID(&sc, "R8.svr", "(n1:ncpus=2)+(n2:ncpus=2)");
    scene_free(&sc);
}

/* A job that would end after the current occurrence, within the second one. */
static void test_jobs_see_later_occurrences_alone(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    scene_queue(&sc, "workq", true);
    add_series(&sc, (struct told){ CO, 200, "..", "2#(n1:ncpus=2){1}(n2:ncpus=2){0}",
                                   "(n2:ncpus=2)", "1:ncpus=2" });
    scene_job(&sc, "1.svr", "workq", "1:ncpus=1",
              "Resource_List.ncpus=1 Resource_List.walltime=1100 "
              "Resource_List.place=free");
    scene_job(&sc, "2.svr", "workq", "1:ncpus=1",
              "Resource_List.ncpus=1 Resource_List.walltime=1300 "
              "Resource_List.place=free");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n1:ncpus=1)");
    ASSERT_SAID(&sc, "2.svr",
                "Not Running: Job would conflict with reservation or top job");
    scene_free(&sc);
}

/* What the current one has is in resv_nodes, whatever the map says. */
static void test_a_later_one_is_remade_alone(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "state=down");
    scene_vnode(&sc, "n2", "n2", 2, "");
    scene_vnode(&sc, "n3", "n3", 2, "");
    add_series(&sc, (struct told){ CO_10, 200, "..!.",
                                   "4#(n1:ncpus=2){2-3}(n3:ncpus=2){1}(n2:ncpus=2){0}",
                                   "(n3:ncpus=2)", "1:ncpus=2" });
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "4#(n1:ncpus=2){3}(n2:ncpus=2){2}(n3:ncpus=2){0-1}");
    CU_ASSERT_TRUE(scene_step(&sc, SERIES)->degraded);
    CU_ASSERT_EQUAL(scene_step(&sc, SERIES)->start_at, NOW + 200);
    scene_free(&sc);
}

/* It is searched as if it had nothing, so that it can stay on what is left of it; while
 * nothing is found, it keeps all of it. */
static void test_its_own_vnodes_are_free_for_it(void)
{
    for (int n_hosts = 2; n_hosts <= 3; n_hosts++) {
        struct scene sc = scene_new();

        scene_vnode(&sc, "n1", "n1", 2, "state=down");
        scene_vnode(&sc, "n2", "n2", 2, "");
        if (n_hosts == 3)
            scene_vnode(&sc, "n3", "n3", 2, "");
        add_series(&sc, (struct told){ CO_10, 200, ".!",
                                       "2#(n1:ncpus=2)+(n2:ncpus=2){1}(n2:ncpus=2){0}",
                                       "(n2:ncpus=2)", "2:ncpus=2" });
        scene_resv(&sc, 6, UN, NOW + 1200, NOW + 1300, "1:ncpus=1", FREE);
        scene_plan(&sc);
        if (n_hosts == 3)
            ASSERT_SAID(&sc, SERIES, "2#(n2:ncpus=2)+(n3:ncpus=2){1}(n2:ncpus=2){0}");
        else
            CU_ASSERT_EQUAL(scene_step(&sc, SERIES)->kind, PLAN_DENY_RESV);
        CU_ASSERT_EQUAL(scene_step(&sc, "R6.svr")->kind, PLAN_DENY_RESV);
        scene_free(&sc);
    }
}

/* Nothing is due, or nothing is found. */
static void test_what_is_not_remade(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "state=down");
    scene_vnode(&sc, "n2", "n2", 2, "");
    add_series(&sc,
               (struct told){ CO_10, 200, "...", "3#(n1:ncpus=2){2}(n2:ncpus=2){0-1}",
                              "(n2:ncpus=2)", "1:ncpus=2", .more = "reserve_retry=1" });
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "nothing");
    scene_free(&sc);

    sc = scene_new();
    scene_vnode(&sc, "n1", "n1", 2, "state=down");
    scene_vnode(&sc, "n2", "n2", 2, "");
    add_other(&sc, 1, 2000, 2300, "(n2:ncpus=1)");
    add_series(&sc,
               (struct told){ CO_10, 200, "..!", "3#(n1:ncpus=2){2}(n2:ncpus=2){0-1}",
                              "(n2:ncpus=2)", "1:ncpus=2" });
    scene_resv(&sc, 6, UN, NOW + 2200, NOW + 2300, "1:ncpus=1", FREE);
    scene_plan(&sc);
    CU_ASSERT_EQUAL_FATAL(scene_step(&sc, SERIES)->kind, PLAN_DENY_RESV);
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, SERIES)->advice,
                           "; occurrence 3 of 3 does not fit");
    scene_free(&sc);
}

/* What can be mended is mended, the rest keeps what it has. */
static void test_one_of_two_is_remade(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "state=down");
    scene_vnode(&sc, "n2", "n2", 2, "");
    add_other(&sc, 1, 1200, 1300, "(n2:ncpus=2)");
    add_series(&sc, (struct told){ DG, 200, "!!!", "3#(n1:ncpus=2){0-2}",
                                   "(n1:ncpus=2)", "1:ncpus=2" });
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "3#(n1:ncpus=2){1}(n2:ncpus=2){0,2}");
    scene_free(&sc);
}

/* Maintenance took all that the second one had; what the map says of it is a
 * neighbour's, and books nothing. */
static void test_a_later_one_without_vnodes(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    add_other(&sc, 1, 1150, 1250, "(n2:ncpus=2)");
    add_series(&sc,
               (struct told){ CO_10, 200, ".0.", "3#(n1:ncpus=2){0-2}", "(n1:ncpus=2)",
                              "1:ncpus=2", .more = "reserve_retry=2000000" });
    scene_resv(&sc, 6, UN, NOW + 1200, NOW + 1300, "1:ncpus=2", FREE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R6.svr", "(n1:ncpus=2)");
    scene_free(&sc);

    sc = scene_new();
    scene_hosts(&sc, 2, 2);
    add_other(&sc, 1, 1150, 1250, "(n1:ncpus=2)");
    add_series(&sc, (struct told){ CO_10, 200, ".0.", "3#(n1:ncpus=2){0-2}",
                                   "(n1:ncpus=2)", "1:ncpus=2" });
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "3#(n2:ncpus=2){1}(n1:ncpus=2){0,2}");
    scene_free(&sc);
}

/* The current one finds no vnodes, or runs and is not to be given any: it stays as it
 * is, and the third one is remade all the same. */
static void test_a_current_one_without_vnodes(void)
{
    static const struct {
        const char *state, *due;
        int first;
    } cases[] = {
        { "reserve_state=10 reserve_substate=12", "0.!", 200 },
        { "reserve_state=5 reserve_substate=12", "-.!", -10 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        int first = cases[i].first;

        scene_vnode(&sc, "n1", "n1", 2, "");
        scene_vnode(&sc, "n2", "n2", 2, "state=down");
        scene_vnode(&sc, "n3", "n3", 2, "");
        add_other(&sc, 1, first, first + LENGTH, "(n1:ncpus=2)");
        add_other(&sc, 2, first, first + LENGTH, "(n3:ncpus=2)");
        add_other(&sc, 3, first + 2 * PERIOD, first + 2 * PERIOD + 1, "(n1:ncpus=2)");
        add_series(&sc, (struct told){ cases[i].state, first, cases[i].due,
                                       "3#(n2:ncpus=2){2}(n1:ncpus=2){0-1}", NULL,
                                       "1:ncpus=2" });
        scene_plan(&sc);
        ASSERT_SAID(&sc, SERIES, "3#(n3:ncpus=2){2}(n1:ncpus=2){1}(){0}");
        scene_free(&sc);
    }
}

/* The running one keeps its job's vnode and gets another for the lost one. */
static void test_the_running_one_keeps_what_works(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "");
    scene_vnode(&sc, "n2", "n2", 2, "state=down");
    scene_vnode(&sc, "n3", "n3", 2, "");
    add_series(&sc, (struct told){ RN_10, -10, "!.", "2#(n1:ncpus=2)+(n2:ncpus=2){0-1}",
                                   "(n1:ncpus=2)+(n2:ncpus=2)", "2:ncpus=2" });
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES,
                "2#(n1:ncpus=2)+(n2:ncpus=2){1}(n1:ncpus=2)+(n3:ncpus=2){0}");
    scene_free(&sc);
}

static void test_an_alteration_is_of_the_current_one(void)
{
    struct scene sc = scene_new();
    char more[256];

    scene_hosts(&sc, 2, 2);
    snprintf(more, sizeof(more),
             "reserve_standing_schedselect=1:ncpus=2 schedselect_orig=1:ncpus=2 "
             "reserve_alter_revert.start_time=%d reserve_alter_revert.walltime=100",
             NOW + 200);
    add_series(&sc, (struct told){ "reserve_state=11 reserve_substate=2", 200, "..",
                                   "2#(n1:ncpus=2){0-1}", "(n1:ncpus=2)", "2:ncpus=2",
                                   .more = more });
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "1#(n1:ncpus=2)+(n2:ncpus=2){0}");
    CU_ASSERT_TRUE(scene_step(&sc, SERIES)->altered);
    scene_free(&sc);
}

/* The current one may grow only until the next begins, where that has its vnodes. */
static void test_an_alteration_does_not_take_later_vnodes(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    scene_add(
        &sc, OBJECT_RESV, SERIES,
        "reserve_state=11 reserve_substate=2 reserve_start=1000200 "
        "reserve_end=1001250 queue=S5 schedselect=1:ncpus=2 alter_seq=1 "
        "reserve_standing=1 reserve_count=2 reserve_index=1 resv_nodes=(n1:ncpus=2) "
        "Resource_List.place=free reserve_alter_revert.start_time=1000200 "
        "reserve_alter_revert.walltime=100 reserve_execvnodes=2#(n1:ncpus=2){0-1} "
        "reserve_occurrences=1000200+100,1001200+100");
    scene_plan(&sc);
    CU_ASSERT_EQUAL_FATAL(scene_step(&sc, SERIES)->kind, PLAN_DENY_RESV);
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, SERIES)->why.holder, "S5[2].svr");
    scene_free(&sc);
}

/* Two occurrences, of which the first one is altered before the series is confirmed. */
#define NEW_ALTERED                                                                    \
    "reserve_state=11 reserve_substate=1 queue=S5 alter_seq=7 reserve_standing=1 "     \
    "reserve_count=2 Resource_List.place=free "                                        \
    "reserve_alter_revert.start_time=1000200 reserve_alter_revert.walltime=100 "

/* Nothing was promised, so all of it is sought. */
static void test_the_first_one_of_a_new_series_is_altered(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    add_other(&sc, 1, 300, 340, "(n1:ncpus=2)");
    scene_add(&sc, OBJECT_RESV, SERIES,
              NEW_ALTERED "reserve_start=1000200 reserve_end=1000350 "
                          "schedselect=1:ncpus=2 schedselect_orig=1:ncpus=2 "
                          "reserve_occurrences=1000200+150,1001200+100");
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "2#(n2:ncpus=2){0-1}");
    CU_ASSERT_TRUE(scene_step(&sc, SERIES)->altered);
    CU_ASSERT_EQUAL(scene_step(&sc, SERIES)->seq, 7);
    CU_ASSERT_EQUAL(scene_step(&sc, SERIES)->start_at, NOW + 200);
    scene_free(&sc);
}

static void test_the_first_one_may_want_less_than_the_others(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    add_other(&sc, 1, 200, 300, "(n1:ncpus=2)");
    scene_add(&sc, OBJECT_RESV, SERIES,
              NEW_ALTERED "reserve_start=1000200 reserve_end=1000300 "
                          "schedselect=1:ncpus=2 schedselect_orig=2:ncpus=2 "
                          "reserve_occurrences=1000200+100,1001200+100");
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "2#(n1:ncpus=2)+(n2:ncpus=2){1}(n2:ncpus=2){0}");
    scene_free(&sc);
}

/* The alteration is denied for what the others lack, too. */
static void test_a_new_series_is_altered_as_a_whole_or_not(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    add_other(&sc, 1, 1200, 1300, "(n1:ncpus=2)");
    scene_add(&sc, OBJECT_RESV, SERIES,
              NEW_ALTERED "reserve_start=1000200 reserve_end=1000350 "
                          "schedselect=1:ncpus=2 schedselect_orig=1:ncpus=2 "
                          "reserve_occurrences=1000200+150,1001200+100");
    scene_plan(&sc);
    CU_ASSERT_EQUAL_FATAL(scene_step(&sc, SERIES)->kind, PLAN_DENY_RESV);
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, SERIES)->advice,
                           "; occurrence 2 of 2 does not fit");
    CU_ASSERT_TRUE(scene_step(&sc, SERIES)->altered);
    scene_free(&sc);
}

/* What somebody has deleted keeps its place in the answer, and its vnodes are free. */
static void test_a_gap_keeps_its_place(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "state=down");
    scene_vnode(&sc, "n2", "n2", 2, "");
    add_series(&sc, (struct told){ CO_10, 200, ".x!.",
                                   "4#(n1:ncpus=2){1-2}(n2:ncpus=2){0,3}",
                                   "(n2:ncpus=2)", "1:ncpus=2" });
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "4#(){1}(n2:ncpus=2){0,2-3}");
    scene_free(&sc);
    sc = scene_new();
    scene_hosts(&sc, 1, 2);
    add_series(&sc,
               (struct told){ CO, 200, ".x.", "3#(n1:ncpus=2){0-2}", "(n1:ncpus=2)",
                              "1:ncpus=2", .more = "reserve_retry=0" });
    scene_resv(&sc, 1, UN, NOW + 200 + PERIOD, NOW + 200 + PERIOD + LENGTH, "1:ncpus=2",
               FREE);
    scene_resv(&sc, 2, UN, NOW + 200 + 2 * PERIOD, NOW + 200 + 2 * PERIOD + LENGTH,
               "1:ncpus=2", FREE);
    scene_plan(&sc);
    CU_ASSERT_EQUAL(scene_step(&sc, "R1.svr")->kind, PLAN_CONFIRM_RESV);
    CU_ASSERT_EQUAL_FATAL(scene_step(&sc, "R2.svr")->kind, PLAN_DENY_RESV);
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, "R2.svr")->why.holder, "S5[3].svr");
    scene_free(&sc);
}

/* A later one finds another place, or keeps its own; the others are where they were. */
static void test_a_later_one_is_altered(void)
{
    static const struct {
        const char *wanted, *select, *said;
    } cases[] = {
        { "2:1001200+300", "1:ncpus=2", "1#(n1:ncpus=2){0}" },
        { "2:1001300+100", "1:ncpus=1", "1#(n1:ncpus=1){0}" },
        /* R1 is on n1 from then on, and n2 is another occurrence's */
        { "2:1001200+600", "1:ncpus=2", "1#(n2:ncpus=2){0}" },
        { "2:1001200+600", "2:ncpus=2",
          "denied: Job would conflict with reservation or top job" },
        { "7:1001200+600", "1:ncpus=2",
          "denied: Error unrolling standing reservation." },
        { "1:1001200+600", "1:ncpus=2",
          "denied: Error unrolling standing reservation." },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        char more[256];

        scene_hosts(&sc, 2, 2);
        add_other(&sc, 1, 1500, 2300, "(n1:ncpus=2)");
        snprintf(more, sizeof(more),
                 "alter_occurrence=%s alter_schedselect=%s reserve_retry=0",
                 cases[i].wanted, cases[i].select);
        add_series(&sc,
                   (struct told){ CO, 200, "...", "3#(n2:ncpus=2){2}(n1:ncpus=2){0-1}",
                                  "(n1:ncpus=2)", "1:ncpus=2", .more = more });
        scene_plan(&sc);
        ASSERT_SAID(&sc, SERIES, cases[i].said);
        CU_ASSERT_TRUE(scene_step(&sc, SERIES)->altered);
        scene_free(&sc);
    }
}

/* It has a select of its own, and only that many are replaced. */
static void test_one_with_its_own_select_is_made_anew(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "state=down");
    scene_vnode(&sc, "n2", "n2", 2, "");
    scene_vnode(&sc, "n3", "n3", 2, "");
    add_series(&sc, (struct told){ CO_10, 200, ".!!",
                                   "3#(n1:ncpus=1){1}(n1:ncpus=2)+(n3:ncpus=2){2}"
                                   "(n2:ncpus=2)+(n3:ncpus=2){0}",
                                   "(n2:ncpus=2)+(n3:ncpus=2)", "2:ncpus=2",
                                   .more = "reserve_occurrence_schedselects="
                                           "2=9:1:ncpus=1 reserve_retry=0" });
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "3#(n2:ncpus=1){1}(n2:ncpus=2)+(n3:ncpus=2){0,2}");
    scene_free(&sc);
}

static void test_jobs_of_a_series_run_in_the_current_one(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    add_series(&sc, (struct told){ "reserve_state=5 reserve_substate=5", -10, "..",
                                   "2#(n1:ncpus=2){1}(n2:ncpus=2){0}", "(n2:ncpus=2)",
                                   "1:ncpus=2" });
    scene_job(&sc, "1.svr", "S5", "1:ncpus=1",
              "Resource_List.ncpus=1 Resource_List.walltime=5000 "
              "Resource_List.place=free");
    scene_plan(&sc);
    ASSERT_SAID(&sc, "1.svr", "(n2:ncpus=1)");
    scene_free(&sc);
}

/* The current one is over and its server has not gone on to the next yet. */
static void test_between_two_occurrences(void)
{
    struct scene sc = scene_new();

    scene_vnode(&sc, "n1", "n1", 2, "state=down");
    scene_vnode(&sc, "n2", "n2", 2, "");
    add_series(&sc,
               (struct told){ RN_10, -LENGTH, ".!", "2#(n1:ncpus=2){1}(n2:ncpus=2){0}",
                              "(n2:ncpus=2)", "1:ncpus=2" });
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "denied: Reservation would end before it starts");
    scene_free(&sc);
}

/* Lists that cannot be read, maps of another length: nothing is promised by them, and
 * the question is answered. */
static void test_what_cannot_be_read(void)
{
    static const char *const lists[] = {
        "",
        "x",
        "1000200",
        "1000200+0",
        "1000200+",
        "1000200+9,",
        ",1000200+9",
        "1000200+9!!",
        "1000200+9--",
        "1000200+9-!",
        "1000200-9",
        "1000200+9,--",
        "1000200+9,-!",
        "+9",
        "99999999999999999999+9",
        "1000200+99999999999999999999",
    };

    for (size_t i = 0; i < COUNT(lists); i++) {
        struct scene sc = scene_new();
        char text[512];

        scene_hosts(&sc, 1, 2);
        snprintf(text, sizeof(text),
                 UN " reserve_start=1000200 reserve_end=1000300 queue=S5 " FREE
                    " schedselect=1:ncpus=2 alter_seq=0 reserve_standing=1 "
                    "reserve_count=2 reserve_occurrences=%s",
                 lists[i]);
        scene_add(&sc, OBJECT_RESV, SERIES, text);
        scene_plan(&sc);
        ASSERT_SAID(&sc, SERIES, "denied: Error unrolling standing reservation.");
        scene_free(&sc);
    }
}

/* A server of another make tells the rule and the map only. */

#define DAY_S 86400

static void add_rule(struct scene *sc, const char *zone, const char *text)
{
    char all[1024];

    snprintf(all, sizeof(all),
             "queue=S5 reserve_standing=1 schedselect=1:ncpus=2 " FREE
             " reserve_timezone=%s %s",
             zone, text);
    scene_add(sc, OBJECT_RESV, SERIES, all);
}

/* New York, far from a change of its clocks. */
static void give_zone(struct scene *sc)
{
    const int32_t first_s = -5 * 3600;
    struct buf b = { 0 };

    CU_ASSERT_EQUAL_FATAL(snapshot_zone_count(sc->snapshot), 1);
    CU_ASSERT_STRING_EQUAL(snapshot_zone_name(sc->snapshot, 0), "America/New_York");
    tzif_make(&b, NULL, 0, &first_s, 1, "EST5EDT,M3.2.0,M11.1.0");
    snapshot_give_zone(sc->snapshot, 0, b.data, b.len);
    buf_fini(&b);
}

static void test_a_rule_is_unrolled(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    add_other(&sc, 1, 200 + DAY_S, 200 + DAY_S + 100, "(n1:ncpus=2)");
    add_other(&sc, 2, 200 + 2 * DAY_S, 200 + 2 * DAY_S + 100, "(n2:ncpus=2)");
    add_rule(&sc, "America/New_York",
             UN " reserve_rrule=FREQ=DAILY;COUNT=3 reserve_start=1000200 "
                "reserve_end=1000300");
    give_zone(&sc);
    scene_plan(&sc);
    ASSERT_SAID(&sc, SERIES, "3#(n2:ncpus=2){1}(n1:ncpus=2){0,2}");
    CU_ASSERT_FALSE(scene_step(&sc, SERIES)->has_seq);
    scene_free(&sc);

    /* Without its zone, or with a rule that is none, nobody knows when it is. */
    for (int i = 0; i < 2; i++) {
        sc = scene_new();
        scene_hosts(&sc, 2, 2);
        add_rule(&sc, "America/New_York",
                 i ? UN " reserve_rrule=FREQ=DAILY;COUNT=3 reserve_start=1000200 "
                        "reserve_end=1000300"
                   : UN " reserve_rrule=DAILY reserve_start=1000200 "
                        "reserve_end=1000300");
        if (i == 0)
            give_zone(&sc);
        scene_plan(&sc);
        ASSERT_SAID(&sc, SERIES, "denied: Error unrolling standing reservation.");
        scene_free(&sc);
    }
}

/* The second of four is the current one and begins an hour late; the map still has a
 * place for the first one. */
static void test_a_series_under_way_is_unrolled(void)
{
    struct scene sc = scene_new();
    char text[512];

    scene_hosts(&sc, 2, 2);
    snprintf(text, sizeof(text),
             CO " reserve_rrule=FREQ=DAILY;COUNT=4 reserve_start=%d reserve_end=%d "
                "reserve_index=2 reserve_count=4 resv_nodes=(n1:ncpus=2) "
                "reserve_standing_revert.start_time=%d "
                "reserve_standing_revert.walltime=00:01:40 "
                "reserve_standing_revert.select=1:ncpus=2 "
                "reserve_execvnodes=4#(n1:ncpus=2){0-1,3}(n2:ncpus=2){2}",
             NOW + 3600, NOW + 3800, NOW);
    add_rule(&sc, "America/New_York", text);
    give_zone(&sc);
    scene_resv(&sc, 6, UN, NOW + 3700, NOW + 3701, "1:ncpus=1", FREE);
    scene_resv(&sc, 7, UN, NOW + DAY_S + 99, NOW + DAY_S + 101, "1:ncpus=2", FREE);
    scene_resv(&sc, 8, UN, NOW + DAY_S + 100, NOW + 2 * DAY_S, "2:ncpus=2", FREE);
    scene_resv(&sc, 9, UN, NOW + 2 * DAY_S, NOW + 2 * DAY_S + 1, "1:ncpus=1", FREE);
    scene_resv(&sc, 10, UN, NOW + 2 * DAY_S + 100, NOW + 2 * DAY_S + 101, "2:ncpus=2",
               FREE);
    scene_plan(&sc);
    ASSERT_SAID(&sc, "R6.svr", "(n2:ncpus=1)");
    ASSERT_SAID(&sc, "R7.svr", "(n1:ncpus=2)");
    CU_ASSERT_EQUAL(scene_step(&sc, "R8.svr")->kind, PLAN_DENY_RESV); /* R7 */
    ASSERT_SAID(&sc, "R9.svr", "(n2:ncpus=1)");
    ASSERT_SAID(&sc, "R10.svr", "(n1:ncpus=2)+(n2:ncpus=2)");
    scene_free(&sc);
}

/* There, one that finds no other vnodes is a no for all: after a yes the server takes
 * it for granted that all is well. */
static void test_a_foreign_series_is_remade_whole(void)
{
    for (int crowded = 0; crowded < 2; crowded++) {
        struct scene sc = scene_new();

        scene_vnode(&sc, "n1", "n1", 2, "state=down");
        scene_vnode(&sc, "n2", "n2", 2, "");
        if (crowded)
            add_other(&sc, 1, 200 + DAY_S, 300 + DAY_S, "(n2:ncpus=2)");
        add_rule(&sc, "America/New_York",
                 DG " reserve_rrule=FREQ=DAILY;COUNT=3 reserve_start=1000200 "
                    "reserve_end=1000300 reserve_index=1 reserve_count=3 "
                    "resv_nodes=(n1:ncpus=2) reserve_retry=1000000 "
                    "reserve_execvnodes=3#(n1:ncpus=2){0-1}(n2:ncpus=2){2}");
        give_zone(&sc);
        scene_plan(&sc);
        if (crowded) {
            CU_ASSERT_EQUAL(scene_step(&sc, SERIES)->kind, PLAN_DENY_RESV);
        } else {
            ASSERT_SAID(&sc, SERIES, "3#(n2:ncpus=2){0-2}");
        }
        scene_free(&sc);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a new series has the same vnodes for all where they are free",
          test_the_same_vnodes_for_all },
        { "else each occurrence has its own", test_each_its_own_vnodes },
        { "one that does not fit denies all, and is named", test_all_or_none },
        { "others go around every occurrence", test_others_go_around_every_occurrence },
        { "jobs see later occurrences where the current one is not",
          test_jobs_see_later_occurrences_alone },
        { "a degraded later one is re-made alone", test_a_later_one_is_remade_alone },
        { "its own vnodes are free for a later one that is re-made",
          test_its_own_vnodes_are_free_for_it },
        { "what is not due or finds nothing stays", test_what_is_not_remade },
        { "what can be re-made is, the rest stays", test_one_of_two_is_remade },
        { "a later one without vnodes", test_a_later_one_without_vnodes },
        { "a current one without vnodes", test_a_current_one_without_vnodes },
        { "the running one keeps what works", test_the_running_one_keeps_what_works },
        { "an alteration is answered for the current one",
          test_an_alteration_is_of_the_current_one },
        { "an alteration does not take the vnodes of a later one",
          test_an_alteration_does_not_take_later_vnodes },
        { "a deleted occurrence keeps its place", test_a_gap_keeps_its_place },
        { "a later occurrence is altered", test_a_later_one_is_altered },
        { "one with its own select is made anew",
          test_one_with_its_own_select_is_made_anew },
        { "jobs of a series run in the current one",
          test_jobs_of_a_series_run_in_the_current_one },
        { "the first one of a new series is altered",
          test_the_first_one_of_a_new_series_is_altered },
        { "the first one may want less than the others",
          test_the_first_one_may_want_less_than_the_others },
        { "a new series is altered as a whole or not",
          test_a_new_series_is_altered_as_a_whole_or_not },
        { "between two occurrences nothing is re-made", test_between_two_occurrences },
        { "a rule of another make's server is unrolled", test_a_rule_is_unrolled },
        { "so are the later ones of its series under way",
          test_a_series_under_way_is_unrolled },
        { "its degraded series is re-made whole or not at all",
          test_a_foreign_series_is_remade_whole },
        { "occurrences that cannot be read are denied", test_what_cannot_be_read },
    };

    return unit_main("scheduler/series", cases, COUNT(cases));
}
