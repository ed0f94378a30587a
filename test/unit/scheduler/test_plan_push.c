/* Unit tests of alterations that make room for themselves: who is moved, and how far
 * (doc/design/050-push.md); and of extensions that are content with less.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene.h"

#define CO     "reserve_state=2 reserve_substate=2"
#define RUNS   "reserve_state=5 reserve_substate=5"
#define FREE   "Resource_List.place=free "
#define UNIT_S 100

/* R1 runs on n1 .. until unit 1 of time and is to run until 'end'. */
static void extended(struct scene *sc, int end, const char *select, const char *nodes,
                     const char *allows)
{
    char more[512];

    snprintf(more, sizeof(more),
             FREE "alter_seq=7 %s resv_nodes=%s "
                  "reserve_alter_revert.start_time=%d reserve_alter_revert.walltime=%d",
             allows, nodes, NOW - UNIT_S, 2 * UNIT_S);
    scene_resv(sc, 1, "reserve_state=11 reserve_substate=5", NOW - UNIT_S,
               NOW + end * UNIT_S, select, more);
}

/* A follower of 'ncpus' on a vnode, from one unit of time to another. */
static void follower(struct scene *sc, int n, int from, int to, int ncpus,
                     const char *vnode, const char *more)
{
    char select[64], text[512];

    snprintf(select, sizeof(select), "1:ncpus=%d", ncpus);
    snprintf(text, sizeof(text), FREE "alter_seq=0 resv_nodes=(%s:ncpus=%d) %s", vnode,
             ncpus, more);
    scene_resv(sc, n, CO, NOW + from * UNIT_S, NOW + to * UNIT_S, select, text);
}

/* "R1.svr 0-3 (n1:ncpus=2), R2.svr 3-5 ...", the places of the yes to R1, in units of
 * time behind now; or what was said of it. */
static const char *places(struct scene *sc)
{
    const struct plan_step *step = scene_step(sc, "R1.svr");
    const char *text = "";

    if (!step || step->n_places == 0)
        return scene_said(sc, "R1.svr");
    for (size_t i = 0; i < step->n_places; i++) {
        const struct plan_place *p = &step->places[i];

        text = arena_printf(sc->arena, "%s%s%s %g-%g %s", text, i ? ", " : "", p->id,
                            (double)(p->start_at - NOW) / UNIT_S,
                            (double)(p->end_at - NOW) / UNIT_S, p->vnodes);
    }
    return text;
}

#define ASSERT_PLACES(sc, expect)                                                      \
    do {                                                                               \
        const char *places_ = places(sc);                                              \
        if (strcmp(places_, expect) != 0)                                              \
            fprintf(stderr, "%s:%d: %s\n", __func__, __LINE__, places_);               \
        CU_ASSERT_STRING_EQUAL(places_, expect);                                       \
    } while (0)

static void test_the_next_one_is_moved_by_the_least(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    extended(&sc, 3, "1:ncpus=2", "(n1:ncpus=2)", "alter_allows=push");
    follower(&sc, 2, 2, 4, 1, "n1", "");
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "R1.svr -1-3 (n1:ncpus=2), R2.svr 3-5 (n1:ncpus=1)");
    scene_free(&sc);
}

static void test_nobody_is_moved_without_the_word(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    extended(&sc, 3, "1:ncpus=2", "(n1:ncpus=2)", "");
    follower(&sc, 2, 2, 4, 1, "n1", "");
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "denied: Job would conflict with reservation or top job");
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, "R1.svr")->why.holder, "R2.svr");
    scene_free(&sc);
}

static void test_where_there_is_room_nobody_is_moved(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    extended(&sc, 3, "1:ncpus=2", "(n1:ncpus=2)", "alter_allows=push");
    follower(&sc, 2, 3, 4, 2, "n1", "");
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "(n1:ncpus=2)");
    scene_free(&sc);
}

/* R1 was given its end by force: a push with the times that it has makes room for it.
 */
static void test_what_was_forced_is_put_right(void)
{
    static const struct {
        const char *allows, *places;
    } rows[] = {
        { "alter_allows=push", "R1.svr -1-3 (n1:ncpus=2), R2.svr 3-5 (n1:ncpus=1)" },
        { "", "(n1:ncpus=2)" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene sc = scene_new();
        char more[256];

        scene_hosts(&sc, 1, 2);
        snprintf(more, sizeof(more),
                 FREE "alter_seq=7 %s resv_nodes=(n1:ncpus=2) "
                      "reserve_alter_revert.start_time=%d "
                      "reserve_alter_revert.walltime=%d",
                 rows[i].allows, NOW - UNIT_S, 4 * UNIT_S);
        scene_resv(&sc, 1, "reserve_state=11 reserve_substate=5", NOW - UNIT_S,
                   NOW + 3 * UNIT_S, "1:ncpus=2", more);
        follower(&sc, 2, 2, 4, 1, "n1", "");
        scene_plan(&sc);
        ASSERT_PLACES(&sc, rows[i].places);
        scene_free(&sc);
    }
}

static void test_who_fits_elsewhere_keeps_its_time(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    extended(&sc, 3, "1:ncpus=2", "(n1:ncpus=2)", "alter_allows=push");
    follower(&sc, 2, 2, 4, 1, "n1", "");
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "R1.svr -1-3 (n1:ncpus=2), R2.svr 2-4 (n2:ncpus=1)");
    scene_free(&sc);
}

/* Whoever is pushed pushes those behind it, and only as far as it has to. */
static void test_a_chain(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    extended(&sc, 4, "1:ncpus=2", "(n1:ncpus=2)", "alter_allows=push");
    follower(&sc, 2, 2, 4, 2, "n1", "");
    follower(&sc, 3, 5, 6, 2, "n1", "");
    follower(&sc, 4, 9, 10, 2, "n1", "");
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "R1.svr -1-4 (n1:ncpus=2), R2.svr 4-6 (n1:ncpus=2), "
                       "R3.svr 6-7 (n1:ncpus=2)");
    scene_free(&sc);
}

/* R4 would fit into the gap before R2, but R2 was there first. */
static void test_nobody_overtakes(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    extended(&sc, 4, "1:ncpus=2", "(n1:ncpus=2)", "alter_allows=push");
    follower(&sc, 2, 2, 4, 2, "n1", "");
    scene_add(&sc, OBJECT_RESV, "M3.svr",
              CO " reserve_start=1000500 reserve_end=1000600 queue=M3 alter_seq=0 "
                 "schedselect=1:ncpus=2 resv_nodes=(n1:ncpus=2)");
    follower(&sc, 4, 4, 5, 2, "n1", "");
    /* R1 until 4 pushes R2 behind M3 (5-6); R4 stays where it is, before it. */
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "R1.svr -1-4 (n1:ncpus=2), R2.svr 6-8 (n1:ncpus=2)");
    scene_free(&sc);

    sc = scene_new();
    scene_hosts(&sc, 1, 2);
    extended(&sc, 4, "1:ncpus=2", "(n1:ncpus=2)", "alter_allows=push");
    follower(&sc, 2, 2, 3, 2, "n1", "");
    scene_add(&sc, OBJECT_RESV, "M3.svr",
              CO " reserve_start=1000450 reserve_end=1000600 queue=M3 alter_seq=0 "
                 "schedselect=1:ncpus=2 resv_nodes=(n1:ncpus=2)");
    scene_resv(&sc, 4, CO, NOW + 350, NOW + 390, "1:ncpus=2",
               FREE "alter_seq=0 resv_nodes=(n1:ncpus=2)");
    /* The gap from 4 to 4.5 is too short for R2 and long enough for R4. */
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "R1.svr -1-4 (n1:ncpus=2), R2.svr 6-7 (n1:ncpus=2), "
                       "R4.svr 7-7.4 (n1:ncpus=2)");
    scene_free(&sc);
}

/* One that has not begun goes where it disturbs the fewest, and others follow. */
static void test_one_that_waits_makes_room_too(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    scene_resv(&sc, 1, "reserve_state=11 reserve_substate=2", NOW + 100, NOW + 400,
               "1:ncpus=2",
               FREE "alter_seq=7 alter_allows=push resv_nodes=(n1:ncpus=2) "
                    "reserve_alter_revert.start_time=1000100 "
                    "reserve_alter_revert.walltime=100");
    follower(&sc, 2, 3, 4, 1, "n1", "");
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "R1.svr 1-4 (n1:ncpus=2), R2.svr 4-5 (n1:ncpus=1)");
    scene_free(&sc);
}

static const char *holder(struct scene *sc)
{
    const struct plan_step *step = scene_step(sc, "R1.svr");

    return step->why.holder ? step->why.holder : "nobody";
}

/* Who may not be moved is the reason of the denial. */
static void test_who_is_not_moved(void)
{
    static const struct {
        const char *story, *state, *id, *more;
        int from;
        const char *advice; /* beside the holder */
    } cases[] = {
        { "it runs", RUNS, "R2.svr", "", -1, "" },
        { "maintenance", CO, "M2.svr", "", 2, "" },
        { "in conflict with maintenance", "reserve_state=2 reserve_substate=12",
          "R2.svr", "", 2, "" },
        { "it is being altered", "reserve_state=11 reserve_substate=2", "R2.svr",
          "reserve_alter_revert.start_time=1000200 reserve_alter_revert.walltime=200 "
          "alter_seq=9",
          2, "" },
        { "the server does not tell its occurrences", CO, "R2.svr",
          "reserve_standing=1 reserve_count=2 reserve_index=1", 2, "" },
        { "its next occurrence has no vnodes to leave", CO, "R2.svr",
          "reserve_standing=1 reserve_count=2 reserve_index=1 "
          "reserve_occurrences=1000200+200,1000450+200!- "
          "reserve_execvnodes=2#(n1:ncpus=2){0-1}",
          2, "; R2.svr would meet its next occurrence" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        char text[512];

        scene_hosts(&sc, 1, 4);
        extended(&sc, 3, "1:ncpus=3", "(n1:ncpus=3)", "alter_allows=push");
        snprintf(text, sizeof(text),
                 "%s " FREE "reserve_start=%d reserve_end=%d queue=Q2 "
                 "schedselect=1:ncpus=2 resv_nodes=(n1:ncpus=2) %s",
                 cases[i].state, NOW + cases[i].from * UNIT_S, NOW + 4 * UNIT_S,
                 cases[i].more);
        scene_add(&sc, OBJECT_RESV, cases[i].id, text);
        scene_plan(&sc);
        if (strcmp(holder(&sc), cases[i].id) != 0 ||
            strcmp(scene_step(&sc, "R1.svr")->advice, cases[i].advice) != 0)
            fprintf(stderr, "%s: %s, %s%s\n", cases[i].story, places(&sc), holder(&sc),
                    scene_step(&sc, "R1.svr")->advice);
        CU_ASSERT_STRING_EQUAL(holder(&sc), cases[i].id);
        CU_ASSERT_STRING_EQUAL(scene_step(&sc, "R1.svr")->advice, cases[i].advice);
        scene_free(&sc);
    }
}

/* S2 of two cpus, the current one on that vnode and the others on n1; more about it. */
static void series(struct scene *sc, const char *vnode, const char *occurrences, int n,
                   const char *more)
{
    char text[1024];

    snprintf(text, sizeof(text),
             "%s " FREE "queue=S2 schedselect=1:ncpus=2 alter_seq=0 reserve_standing=1 "
             "reserve_index=1 reserve_count=%d resv_nodes=(%s:ncpus=2) "
             "reserve_occurrences=%s "
             "reserve_execvnodes=%d#(n1:ncpus=2){1-%d}(%s:ncpus=2){0} %s",
             strstr(more, "reserve_start=9") ? RUNS : CO, n, vnode, occurrences, n,
             n - 1, vnode, more);
    scene_add(sc, OBJECT_RESV, "S2.svr", text);
}

/* Of a series that runs the next one is moved, and it pushes the one behind it. */
static void test_later_occurrences_are_moved(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 4);
    extended(&sc, 3, "1:ncpus=3", "(n1:ncpus=3)", "alter_allows=push");
    scene_resv(&sc, 9, CO, NOW + 50, NOW + 2000, "1:ncpus=3",
               FREE "alter_seq=0 resv_nodes=(n2:ncpus=3)");
    series(&sc, "n2", "999900+150,1000200+200,1000450+200,1000900+100", 4,
           "reserve_start=999900 reserve_end=1000050");
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "R1.svr -1-3 (n1:ncpus=3), S2[2].svr 3-5 (n1:ncpus=2), "
                       "S2[3].svr 5.01-7.01 (n1:ncpus=2)");
    scene_free(&sc);
}

/* It is in the way by its time, not by its vnodes, and keeps these. */
static void test_its_own_next_one_is_moved(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    scene_add(&sc, OBJECT_RESV, "R1.svr",
              "reserve_state=11 reserve_substate=5 " FREE
              "queue=R1 schedselect=1:ncpus=2 alter_seq=7 alter_allows=push "
              "reserve_standing=1 reserve_index=1 reserve_count=3 "
              "resv_nodes=(n1:ncpus=2) reserve_start=999900 reserve_end=1000300 "
              "reserve_alter_revert.start_time=999900 "
              "reserve_alter_revert.walltime=200 "
              "reserve_occurrences=999900+200,1000200+100,1000350+100 "
              "reserve_execvnodes=3#(n1:ncpus=2){0}(n2:ncpus=2){1-2}");
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "R1.svr -1-3 (n1:ncpus=2), R1[2].svr 3.01-4.01 (n1:ncpus=2), "
                       "R1[3].svr 4.02-5.02 (n1:ncpus=2)");
    scene_free(&sc);
}

/* Who is in the way of that one is another reservation, and its own next one. */
static void test_a_later_one_pushes(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 2);
    series(&sc, "n1", "1000100+100,1000300+100,1000700+100", 3,
           "reserve_start=1000100 reserve_end=1000200 alter_allows=push "
           "alter_occurrence=2:1000300+350 alter_schedselect=1:ncpus=2");
    follower(&sc, 3, 5, 6, 2, "n1", "");
    scene_plan(&sc);
    {
        const struct plan_step *step = scene_step(&sc, "S2.svr");

        CU_ASSERT_EQUAL_FATAL(step->n_places, 3);
        CU_ASSERT_STRING_EQUAL(step->places[0].id, "S2[2].svr");
        CU_ASSERT_EQUAL(step->places[0].end_at, NOW + 650);
        CU_ASSERT_STRING_EQUAL(step->places[1].id, "R3.svr");
        CU_ASSERT_EQUAL(step->places[1].start_at, NOW + 650);
        CU_ASSERT_STRING_EQUAL(step->places[2].id, "S2[3].svr");
        CU_ASSERT_EQUAL(step->places[2].start_at, NOW + 750);
    }
    scene_free(&sc);
}

/* A later one that has lost vnodes is moved as well; one that is being altered is not.
 */
static void test_which_later_ones_are_moved(void)
{
    static const struct {
        const char *story, *occurrences, *more, *expect;
    } cases[] = {
        { "it is degraded", "999900+150,1000200+200!,1001900+100", "",
          "R1.svr -1-3 (n1:ncpus=3), S2[2].svr 3-5 (n1:ncpus=2)" },
        { "another one is being altered", "999900+150,1000200+200,1001900+100",
          "alter_occurrence=3:1001900+50 alter_schedselect=1:ncpus=2",
          "denied: Job would conflict with reservation or top job" },
        { "it was deleted", "999900+150,-,1000200+200", "",
          "R1.svr -1-3 (n1:ncpus=3), S2[3].svr 3-5 (n1:ncpus=2)" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();

        scene_hosts(&sc, 2, 4);
        scene_resv(&sc, 9, CO, NOW + 50, NOW + 9000, "1:ncpus=4",
                   FREE "alter_seq=0 resv_nodes=(n2:ncpus=4)");
        extended(&sc, 3, "1:ncpus=3", "(n1:ncpus=3)", "alter_allows=push");
        series(&sc, "n2", cases[i].occurrences, 3,
               arena_printf(sc.arena, "reserve_start=999900 reserve_end=1000050 %s",
                            cases[i].more));
        scene_plan(&sc);
        if (strcmp(places(&sc), cases[i].expect) != 0)
            fprintf(stderr, "%s: %s\n", cases[i].story, places(&sc));
        CU_ASSERT_STRING_EQUAL(places(&sc), cases[i].expect);
        scene_free(&sc);
    }
}

/* After a no all occurrences are where they were. */
static void test_nothing_is_left_of_a_series(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 4);
    scene_resv(&sc, 9, CO, NOW + 50, NOW + 9000, "1:ncpus=4",
               FREE "alter_seq=0 resv_nodes=(n2:ncpus=4)");
    extended(&sc, 3, "1:ncpus=3", "(n1:ncpus=3)", "alter_allows=push");
    series(&sc, "n2", "999900+150,1000200+200,1000450+200,1000700+100!-", 4,
           "reserve_start=999900 reserve_end=1000050");
    scene_resv(&sc, 4, "reserve_state=1 reserve_substate=1", NOW + 200, NOW + 400,
               "1:ncpus=3", FREE "alter_seq=0");
    scene_resv(&sc, 5, "reserve_state=1 reserve_substate=1", NOW + 450, NOW + 650,
               "1:ncpus=3", FREE "alter_seq=0");
    scene_resv(&sc, 6, "reserve_state=1 reserve_substate=1", NOW + 400, NOW + 450,
               "1:ncpus=4", FREE "alter_seq=0");
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "denied: Job would conflict with reservation or top job");
    CU_ASSERT_STRING_EQUAL(scene_step(&sc, "R1.svr")->advice,
                           "; S2[3].svr would meet its next occurrence");
    ASSERT_SAID(&sc, "R4.svr",
                "denied: Job would conflict with reservation or top job");
    ASSERT_SAID(&sc, "R5.svr",
                "denied: Job would conflict with reservation or top job");
    ASSERT_SAID(&sc, "R6.svr", "(n1:ncpus=4)");
    scene_free(&sc);
}

/* One that was deleted keeps its place in the list, and is in nobody's way. */
static void test_a_series_with_a_gap(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 4);
    extended(&sc, 3, "1:ncpus=3", "(n1:ncpus=3)", "alter_allows=push");
    scene_add(&sc, OBJECT_RESV, "S2.svr",
              CO " " FREE "reserve_start=1000200 reserve_end=1000400 queue=S2 "
                 "schedselect=1:ncpus=2 resv_nodes=(n1:ncpus=2) reserve_standing=1 "
                 "reserve_count=3 reserve_index=1 "
                 "reserve_occurrences=1000200+200,-,1009000+200 "
                 "reserve_execvnodes=3#(n1:ncpus=2){0-2}");
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "R1.svr -1-3 (n1:ncpus=3), S2.svr 3-5 (n1:ncpus=2)");
    scene_free(&sc);
}

/* A job outside is no reservation: it is not moved. */
static void test_jobs_are_not_moved(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 1, 4);
    scene_queue(&sc, "workq", true);
    extended(&sc, 3, "1:ncpus=3", "(n1:ncpus=3)", "alter_allows=push");
    scene_job(&sc, "5.svr", "workq", "1:ncpus=1",
              "job_state=R exec_vnode=(n1:ncpus=1) stime=1000000 "
              "Resource_List.walltime=00:04:00 Resource_List.ncpus=1");
    follower(&sc, 2, 2, 3, 1, "n1", "");
    /* There is a cpu for the job and one for R2 in turn: R2 is in the way, 5.svr not.
     */
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "R1.svr -1-3 (n1:ncpus=3), R2.svr 2.4-3.4 (n1:ncpus=1)");
    scene_free(&sc);
}

/* It may be a week, and no more. */
static void test_how_far(void)
{
    for (int over = 0; over <= 1; over++) {
        struct scene sc = scene_new();
        const int start = NOW + 200;

        scene_hosts(&sc, 1, 2);
        scene_resv(&sc, 1, "reserve_state=11 reserve_substate=5", NOW - 100,
                   start + PUSH_FARTHEST_S + over, "1:ncpus=2",
                   FREE "alter_seq=7 alter_allows=push resv_nodes=(n1:ncpus=2) "
                        "reserve_alter_revert.start_time=999900 "
                        "reserve_alter_revert.walltime=200");
        scene_resv(&sc, 2, CO, start, start + 100, "1:ncpus=2",
                   FREE "alter_seq=0 resv_nodes=(n1:ncpus=2)");
        scene_plan(&sc);
        CU_ASSERT_EQUAL(scene_step(&sc, "R1.svr")->n_places, over ? 0 : 2);
        if (over)
            CU_ASSERT_STRING_EQUAL(
                scene_step(&sc, "R1.svr")->advice,
                "; R2.svr finds no place within 7 days of its start");
        scene_free(&sc);
    }
}

static void test_how_many(void)
{
    for (int over = 0; over <= 1; over++) {
        struct scene sc = scene_new();

        scene_hosts(&sc, 1, 2);
        extended(&sc, 2, "1:ncpus=2", "(n1:ncpus=2)", "alter_allows=push");
        for (int i = 0; i < PUSH_MOST + over; i++)
            follower(&sc, i + 2, i + 1, i + 2, 2, "n1", "");
        scene_plan(&sc);
        CU_ASSERT_EQUAL(scene_step(&sc, "R1.svr")->n_places, over ? 0 : 1 + PUSH_MOST);
        scene_free(&sc);
    }
}

/* After a no everybody is where he was: the next question sees it. */
static void test_nothing_is_left_of_a_trial(void)
{
    struct scene sc = scene_new();

    scene_hosts(&sc, 2, 2);
    extended(&sc, 6, "2:ncpus=2", "(n1:ncpus=2)+(n2:ncpus=2)", "alter_allows=push");
    follower(&sc, 2, 2, 4, 2, "n1", "");
    scene_add(&sc, OBJECT_RESV, "M3.svr",
              CO " reserve_start=1000500 reserve_end=1000600 queue=M3 alter_seq=0 "
                 "schedselect=1:ncpus=2 resv_nodes=(n2:ncpus=2)");
    scene_resv(&sc, 4, "reserve_state=1 reserve_substate=1", NOW + 200, NOW + 500,
               "2:ncpus=1", FREE "alter_seq=0");
    scene_resv(&sc, 5, "reserve_state=1 reserve_substate=1", NOW + 400, NOW + 500,
               "2:ncpus=2", FREE "alter_seq=0");
    scene_plan(&sc);
    ASSERT_PLACES(&sc, "denied: Job would conflict with reservation or top job");
    CU_ASSERT_STRING_EQUAL(holder(&sc), "M3.svr");
    ASSERT_SAID(&sc, "R4.svr", "(n2:ncpus=1)+(n2:ncpus=1)");
    ASSERT_SAID(&sc, "R5.svr",
                "denied: Job would conflict with reservation or top job");
    scene_free(&sc);
}

/* A shorter extension. */

static void test_as_much_as_there_is(void)
{
    static const struct {
        const char *story;
        int from; /* of the one in the way */
        const char *expect;
    } cases[] = {
        { "the whole", 3, "(n1:ncpus=2)" },
        { "until the next one", 2, "R1.svr -1-2 (n1:ncpus=2)" },
        { "nothing", 1, "denied: Job would conflict with reservation or top job" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();

        scene_hosts(&sc, 1, 2);
        extended(&sc, 3, "1:ncpus=2", "(n1:ncpus=2)", "alter_allows=shorter");
        follower(&sc, 2, cases[i].from, 4, 1, "n1", "");
        scene_plan(&sc);
        ASSERT_PLACES(&sc, cases[i].expect);
        scene_free(&sc);
    }
}

/* What jobs would go on using beside their reservation is asked for and given back: it
 * is booked once for the reservation that is confirmed. */
static void test_what_jobs_use_beside_is_booked_once(void)
{
    static const struct {
        int ncpus; /* of another reservation at that time */
        const char *said;
    } cases[] = {
        { 2, "(n2:ncpus=2)" },
        { 3, "denied: Job would conflict with reservation or top job" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        char select[32];

        scene_hosts(&sc, 2, 3);
        extended(&sc, 3, "1:ncpus=3", "(n1:ncpus=3)", "");
        scene_job(&sc, "5.svr", "R1", "1:ncpus=1",
                  "job_state=R exec_vnode=(n2:ncpus=1) stime=1000000 "
                  "Resource_List.walltime=01:00:00 Resource_List.ncpus=1");
        snprintf(select, sizeof(select), "1:ncpus=%d", cases[i].ncpus);
        scene_resv(&sc, 5, "reserve_state=1 reserve_substate=1 alter_seq=0",
                   NOW + 5 * UNIT_S / 2, NOW + 14 * UNIT_S / 5, select, FREE);
        scene_plan(&sc);
        ASSERT_SAID(&sc, "R1.svr", "(n1:ncpus=3)");
        ASSERT_SAID(&sc, "R5.svr", cases[i].said);
        scene_free(&sc);
    }
}

/* Nobody is served by a shorter window that has not begun: who asked for that one may
 * ask again. */
static void test_only_what_runs_is_shortened(void)
{
    static const struct {
        const char *state, *expect;
        int start; /* of the reservation that is altered */
    } cases[] = {
        { "reserve_state=11 reserve_substate=5", "R1.svr 0-2 (n1:ncpus=2)", 0 },
        { "reserve_state=11 reserve_substate=2",
          "denied: Job would conflict with reservation or top job", 1 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene sc = scene_new();
        int start = NOW + cases[i].start * UNIT_S;
        char more[256];

        snprintf(more, sizeof(more),
                 FREE "alter_seq=7 alter_allows=shorter resv_nodes=(n1:ncpus=2) "
                      "reserve_alter_revert.start_time=%d "
                      "reserve_alter_revert.walltime=%d",
                 start, UNIT_S / 2);
        scene_hosts(&sc, 1, 2);
        scene_resv(&sc, 1, cases[i].state, start, NOW + 3 * UNIT_S, "1:ncpus=2", more);
        follower(&sc, 2, 2, 4, 1, "n1", "");
        scene_plan(&sc);
        ASSERT_PLACES(&sc, cases[i].expect);
        scene_free(&sc);
    }
}

/* An answer with other times has a request of its own; others may share one. */
static void test_which_answers_share_a_request(void)
{
    static const char UN[] = "reserve_state=1 reserve_substate=1";
    struct scene sc = scene_new();
    const struct body_answer_resvs *body;
    struct wire_request rq;
    size_t n = 0, n_shared = 0;

    scene_hosts(&sc, 3, 2);
    extended(&sc, 3, "1:ncpus=2", "(n1:ncpus=2)", "alter_allows=push");
    follower(&sc, 2, 2, 4, 1, "n1", "");
    scene_resv(&sc, 5, UN, NOW + 100, NOW + 200, "1:ncpus=2",
               "Resource_List.place=free");
    scene_resv(&sc, 6, UN, NOW + 100, NOW + 200, "1:ncpus=2",
               "Resource_List.place=free");
    scene_resv(&sc, 7, UN, NOW + 100, NOW + 200, "1:ncpus=3",
               "Resource_List.place=free");
    scene_plan(&sc);
    CU_ASSERT_EQUAL_FATAL(sc.plan.n, 4);
    for (size_t i = 0; i<sc.plan.n; i += n> 0 ? n : 1) {
        n = plan_answers(&sc.plan, i);
        CU_ASSERT_EQUAL(n == 0, sc.plan.steps[i].n_places > 0);
        if (n < 2)
            continue;
        n_shared += n;
        plan_answers_request(&sc.plan.steps[i], n, sc.arena, &rq);
        CU_ASSERT_EQUAL_FATAL(rq.number, BATCH_ANSWER_RESVS);
        body = rq.body;
        CU_ASSERT_EQUAL_FATAL(body->n, n);
        CU_ASSERT_STRING_EQUAL(body->answers[0].id, "R5.svr");
        CU_ASSERT_STRING_EQUAL(body->answers[0].vnodes, "(n2:ncpus=2)");
        CU_ASSERT_EQUAL(body->answers[0].start_at, NOW + 100);
        CU_ASSERT_STRING_EQUAL(body->answers[0].extend,
                               "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default");
        CU_ASSERT_STRING_EQUAL(body->answers[n - 1].vnodes, "null");
    }
    CU_ASSERT_EQUAL(n_shared, 3);
    CU_ASSERT_EQUAL(plan_answers(&sc.plan, sc.plan.n), 0);
    scene_free(&sc);
}

/* One request has no more answers than a server takes. */
static void test_how_many_share_a_request(void)
{
    static struct plan_step steps[ANSWERS_MOST + 5];
    struct plan plan = { .n = ARRAY_LEN(steps), .steps = steps };
    static char long_text[(1 << 20) + 1];

    for (size_t i = 0; i < ARRAY_LEN(steps); i++)
        steps[i] = (struct plan_step){ .kind = PLAN_CONFIRM_RESV,
                                       .id = "R1.svr",
                                       .vnodes = "(n1:ncpus=1)" };
    CU_ASSERT_EQUAL(plan_answers(&plan, 0), ANSWERS_MOST);
    CU_ASSERT_EQUAL(plan_answers(&plan, ANSWERS_MOST), 5);
    steps[3].kind = PLAN_RUN_JOB;
    CU_ASSERT_EQUAL(plan_answers(&plan, 0), 3);
    CU_ASSERT_EQUAL(plan_answers(&plan, 3), 0);
    memset(long_text, 'x', sizeof(long_text) - 1);
    steps[1].vnodes = long_text;
    CU_ASSERT_EQUAL(plan_answers(&plan, 0), 2);
}

/* What is sent. */
static void test_the_request(void)
{
    struct scene sc = scene_new();
    struct wire_request rq;
    const struct body_offer_resv *body;

    scene_hosts(&sc, 1, 2);
    extended(&sc, 3, "1:ncpus=2", "(n1:ncpus=2)", "alter_allows=push");
    follower(&sc, 2, 2, 4, 1, "n1", "");
    scene_plan(&sc);
    CU_ASSERT_TRUE_FATAL(plan_step_request(scene_step(&sc, "R1.svr"), sc.arena, &rq));
    CU_ASSERT_EQUAL_FATAL(rq.number, BATCH_OFFER_RESV);
    body = rq.body;
    CU_ASSERT_EQUAL(body->seq, 7);
    CU_ASSERT_STRING_EQUAL(body->partition, "pbs-default");
    CU_ASSERT_EQUAL_FATAL(body->n, 2);
    CU_ASSERT_STRING_EQUAL(body->offers[1].id, "R2.svr");
    CU_ASSERT_EQUAL(body->offers[1].start_at, NOW + 300);
    CU_ASSERT_EQUAL(body->offers[1].end_at, NOW + 500);
    CU_ASSERT_STRING_EQUAL(body->offers[1].vnodes, "(n1:ncpus=1)");
    scene_free(&sc);
}

/* Against an oracle: small complexes at random, in seconds. Of all ways to place the
 * followers the right one moves the first follower by the least, of those the second
 * one, and so on. With one host that is unique; with several, where it matters on which
 * host somebody is, each is asked whether it could have been earlier beside those
 * before it. Some of the followers are occurrences of one series, and some of that of
 * R1. */

enum {
    FOLLOWERS_MAX = 6,
    HOSTS_MAX = 3,
    UNITS_MAX = 60
};

enum group {
    ALONE,
    OF_R1,
    OF_S2,
    N_GROUPS
};

struct one {
    enum group group;
    char id[32];
    int from, length, ncpus, host;
    int to;      /* start found */
    int to_host; /* likewise */
    bool moved;
};

struct small {
    int hosts, cpus, n;
    int old_end, end, ncpus; /* of R1, on host 0 */
    struct one v[FOLLOWERS_MAX];
    struct one fixed;
};

static int below(unsigned *seed, int n)
{
    return rand_r(seed) % n;
}

/* What is used on a host at a time: R1 with its new end, what is fixed, and the first
 * 'n' followers where they are now. */
static int used(const struct small *s, size_t n, int host, int at)
{
    int sum = host == 0 && at < s->end ? s->ncpus : 0;

    if (host == s->fixed.host && at >= s->fixed.from &&
        at < s->fixed.from + s->fixed.length)
        sum += s->fixed.ncpus;
    for (size_t i = 0; i < n; i++)
        if (s->v[i].to_host == host && at >= s->v[i].to &&
            at < s->v[i].to + s->v[i].length)
            sum += s->v[i].ncpus;
    return sum;
}

static bool has_room(const struct small *s, size_t n, const struct one *f, int host,
                     int at)
{
    for (int t = at; t < at + f->length; t++)
        if (used(s, n, host, t) + f->ncpus > s->cpus)
            return false;
    return true;
}

/* May the i-th one begin there: is it not before one that was before it on its host, is
 * there now and was moved? */
static bool overtakes(const struct small *s, size_t i, int host, int at)
{
    for (size_t k = 0; k < i; k++)
        if (s->v[k].moved && s->v[k].host == s->v[i].host && s->v[k].to_host == host &&
            s->v[k].to > at)
            return true;
    return false;
}

/* The one before it in its series; -1: there is none. */
static int before(const struct small *s, int i)
{
    for (int k = i - 1; k >= 0 && s->v[i].group != ALONE; k--)
        if (s->v[k].group == s->v[i].group)
            return k;
    return -1;
}

/* May the i-th one begin there, for the occurrence before it? */
static bool keeps_order(const struct small *s, int i, int at)
{
    int k = before(s, i);

    if (k < 0)
        return s->v[i].group != OF_R1 || at > s->end;
    return at > s->v[k].to + s->v[k].length ||
           (at == s->v[i].from && s->v[k].to == s->v[k].from);
}

/* Place the followers from the i-th one on: the first way that is found is the right
 * one. */
static bool place_all(struct small *s, size_t i)
{
    struct one *f = &s->v[i];

    if (i == (size_t)s->n)
        return true;
    for (int at = f->from; at < UNITS_MAX; at++)
        for (int host = 0; host < s->hosts; host++) {
            f->moved = at != f->from || host != f->host;
            f->to = at;
            f->to_host = host;
            if (has_room(s, i, f, host, at) && keeps_order(s, (int)i, at) &&
                (!f->moved || !overtakes(s, i, host, at)) && place_all(s, i + 1))
                return true;
        }
    return false;
}

/* What all occurrences of a series have in common, and where its last one ends. */
struct groups {
    int ncpus[N_GROUPS], end[N_GROUPS], n[N_GROUPS];
};

static void join_group(struct groups *g, struct one *f, unsigned *seed)
{
    enum group group = (enum group)below(seed, N_GROUPS);
    bool joins = group != ALONE && f->from > g->end[group];

    f->group = joins ? group : ALONE;
    f->ncpus = joins ? g->ncpus[group] : f->ncpus;
}

static void count_in(struct groups *g, struct one *f, int number)
{
    int nth = ++g->n[f->group];

    g->end[f->group] = f->from + f->length;
    if (f->group == ALONE)
        snprintf(f->id, sizeof(f->id), "R%d.svr", number);
    else if (f->group == OF_S2 && nth == 1)
        snprintf(f->id, sizeof(f->id), "S2.svr");
    else
        snprintf(f->id, sizeof(f->id), "%s[%d].svr", f->group == OF_R1 ? "R1" : "S2",
                 f->group == OF_R1 ? nth + 1 : nth);
}

static int compare_ones(const void *va, const void *vb)
{
    const struct one *a = va, *b = vb;

    return a->from != b->from ? a->from - b->from : strcmp(a->id, b->id);
}

/* Nobody stands on anybody before: each follower finds its place among the others. */
static void make_small(struct small *s, unsigned *seed, int hosts)
{
    struct groups g = { .end = { [OF_R1] = 2 } };

    *s = (struct small){ .hosts = hosts, .cpus = 1 + below(seed, 3), .old_end = 2 };
    s->ncpus = 1 + below(seed, s->cpus);
    g.ncpus[OF_R1] = s->ncpus;
    g.ncpus[OF_S2] = 1 + below(seed, s->cpus);
    s->fixed = (struct one){ .from = 6 + below(seed, 6),
                             .length = below(seed, 3),
                             .ncpus = 1 + below(seed, s->cpus),
                             .host = below(seed, hosts) };
    s->end = s->old_end;
    for (int i = 0; i < FOLLOWERS_MAX; i++) {
        struct one *f = &s->v[s->n];

        f->from = (s->n > 0 ? f[-1].from : 1) + below(seed, 3);
        f->length = 1 + below(seed, 3);
        f->ncpus = 1 + below(seed, s->cpus);
        f->host = below(seed, hosts);
        join_group(&g, f, seed);
        f->to = f->from;
        f->to_host = f->host;
        if (f->from > 0 && has_room(s, (size_t)s->n, f, f->host, f->from)) {
            count_in(&g, f, 10 + i);
            s->n++;
        }
    }
    s->end = s->old_end + 1 + below(seed, 6);
    qsort(s->v, (size_t)s->n, sizeof(s->v[0]), compare_ones);
}

/* The attributes that tell the occurrences of a group; "" when it has no more than the
 * one 'first' ("0+2 (n1:ncpus=1)"). */
static const char *told_series(struct scene *sc, const struct small *s,
                               enum group group, const char *first, const char *on)
{
    const char *windows = first, *map = "";
    int n = 0;

    if (*on)
        map = arena_printf(sc->arena, "%s{%d}", on, n++);
    for (int i = 0; i < s->n; i++) {
        const struct one *f = &s->v[i];

        if (f->group != group)
            continue;
        windows = arena_printf(sc->arena, "%s%s%d+%d", windows, n ? "," : "",
                               NOW + f->from, f->length);
        map = arena_printf(sc->arena, "%s(n%d:ncpus=%d){%d}", map, f->host + 1,
                           f->ncpus, n++);
    }
    return arena_printf(sc->arena,
                        "reserve_standing=1 reserve_index=1 reserve_count=%d "
                        "reserve_occurrences=%s reserve_execvnodes=%d#%s",
                        n, windows, n, map);
}

static bool has_group(const struct small *s, enum group group)
{
    for (int i = 0; i < s->n; i++)
        if (s->v[i].group == group)
            return true;
    return false;
}

static void tell_altered(struct scene *sc, const struct small *s)
{
    const char *on = arena_printf(sc->arena, "(n1:ncpus=%d)", s->ncpus);
    const char *first = arena_printf(sc->arena, "%d+%d", NOW, s->old_end);

    scene_resv(
        sc, 1, "reserve_state=11 reserve_substate=5", NOW, NOW + s->end,
        arena_printf(sc->arena, "1:ncpus=%d", s->ncpus),
        arena_printf(sc->arena,
                     FREE "alter_seq=7 alter_allows=push resv_nodes=%s "
                          "reserve_alter_revert.start_time=%d "
                          "reserve_alter_revert.walltime=%d %s",
                     on, NOW, s->old_end,
                     has_group(s, OF_R1) ? told_series(sc, s, OF_R1, first, on) : ""));
}

static void tell_one(struct scene *sc, const struct one *f, const char *more)
{
    scene_add(sc, OBJECT_RESV, f->id,
              arena_printf(sc->arena,
                           CO " " FREE "reserve_start=%d reserve_end=%d queue=Q%s "
                              "schedselect=1:ncpus=%d alter_seq=0 "
                              "resv_nodes=(n%d:ncpus=%d) %s",
                           NOW + f->from, NOW + f->from + f->length, f->id, f->ncpus,
                           f->host + 1, f->ncpus, more));
}

static void tell(struct scene *sc, const struct small *s)
{
    bool told = false;

    scene_hosts(sc, s->hosts, s->cpus);
    tell_altered(sc, s);
    if (s->fixed.length > 0) {
        struct one fixed = s->fixed;

        snprintf(fixed.id, sizeof(fixed.id), "M99.svr");
        tell_one(sc, &fixed, "");
    }
    for (int i = 0; i < s->n; i++) {
        bool of_s2 = s->v[i].group == OF_S2;

        if (s->v[i].group == ALONE || (of_s2 && !told))
            tell_one(sc, &s->v[i], of_s2 ? told_series(sc, s, OF_S2, "", "") : "");
        told |= of_s2;
    }
}

static struct one *find_one(struct small *s, const char *id)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->v[i].id, id) == 0)
            return &s->v[i];
    CU_ASSERT_PTR_NULL_FATAL(id); /* nobody else is moved */
    return NULL;
}

/* Where everybody is after the plan; false: it was denied. */
static bool read_plan(struct scene *sc, struct small *s)
{
    const struct plan_step *step = scene_step(sc, "R1.svr");

    CU_ASSERT_PTR_NOT_NULL_FATAL(step);
    for (int i = 0; i < s->n; i++) {
        s->v[i].to = s->v[i].from;
        s->v[i].to_host = s->v[i].host;
        s->v[i].moved = false;
    }
    for (size_t i = 1; i < step->n_places; i++) {
        const struct plan_place *p = &step->places[i];
        struct one *f = find_one(s, p->id);

        f->to = (int)(p->start_at - NOW);
        f->to_host = p->vnodes[2] - '1';
        f->moved = true;
        CU_ASSERT_EQUAL(p->end_at - p->start_at, f->length);
        CU_ASSERT_TRUE(f->to >= f->from);
    }
    return step->kind == PLAN_CONFIRM_RESV;
}

static bool nothing_is_sold_twice(const struct small *s)
{
    for (int host = 0; host < s->hosts; host++)
        for (int at = 0; at < UNITS_MAX; at++)
            if (used(s, (size_t)s->n, host, at) > s->cpus)
                return false;
    return true;
}

/* None that was moved could be earlier beside those before it. */
static bool each_is_least(const struct small *s)
{
    for (int i = 0; i < s->n; i++)
        for (int at = s->v[i].from; s->v[i].moved && at < s->v[i].to; at++)
            for (int host = 0; host < s->hosts; host++)
                if (has_room(s, (size_t)i, &s->v[i], host, at) &&
                    keeps_order(s, i, at) && !overtakes(s, (size_t)i, host, at))
                    return false;
    return true;
}

static bool all_keep_order(const struct small *s)
{
    for (int i = 0; i < s->n; i++)
        if (!keeps_order(s, i, s->v[i].to))
            return false;
    return true;
}

static bool same_starts(const struct small *a, const struct small *b)
{
    for (int i = 0; i < a->n; i++)
        if (a->v[i].to != b->v[i].to)
            return false;
    return true;
}

static void test_against_the_oracle(void)
{
    unsigned n_pushed = 0, n_denied = 0;

    for (unsigned i = 0; i < 3000; i++) {
        unsigned seed = i;
        struct scene sc = scene_new();
        struct small s, best;
        bool yes, possible, right;

        make_small(&s, &seed, 1 + (int)(i % HOSTS_MAX));
        best = s;
        possible = has_room(&s, 0, &(struct one){ .length = 0 }, 0, 0) &&
                   used(&s, 0, 0, s.fixed.from) <= s.cpus && place_all(&best, 0);
        tell(&sc, &s);
        scene_plan(&sc);
        yes = read_plan(&sc, &s);
        right = yes == possible;
        if (yes)
            right = right && nothing_is_sold_twice(&s) && all_keep_order(&s) &&
                    each_is_least(&s) && (s.hosts > 1 || same_starts(&s, &best));
        if (!right)
            fprintf(stderr, "case %u of %d hosts, %d cpus, R1 %d until %d: %s\n", i,
                    s.hosts, s.cpus, s.ncpus, s.end, places(&sc));
        CU_ASSERT_TRUE(right);
        n_pushed += scene_step(&sc, "R1.svr")->n_places > 0;
        n_denied += !yes;
        scene_free(&sc);
    }
    /* The cases are worth something. */
    CU_ASSERT_TRUE(n_pushed > 1000);
    CU_ASSERT_TRUE(n_denied > 50);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the next one is moved by the least",
          test_the_next_one_is_moved_by_the_least },
        { "nobody is moved without the word", test_nobody_is_moved_without_the_word },
        { "where there is room nobody is moved",
          test_where_there_is_room_nobody_is_moved },
        { "what was forced is put right", test_what_was_forced_is_put_right },
        { "who fits elsewhere keeps its time", test_who_fits_elsewhere_keeps_its_time },
        { "a chain", test_a_chain },
        { "nobody overtakes", test_nobody_overtakes },
        { "one that waits makes room too", test_one_that_waits_makes_room_too },
        { "which answers share a request", test_which_answers_share_a_request },
        { "how many share a request", test_how_many_share_a_request },
        { "who is not moved", test_who_is_not_moved },
        { "later occurrences are moved", test_later_occurrences_are_moved },
        { "its own next one is moved", test_its_own_next_one_is_moved },
        { "a later one pushes", test_a_later_one_pushes },
        { "which later ones are moved", test_which_later_ones_are_moved },
        { "nothing is left of a series", test_nothing_is_left_of_a_series },
        { "a series with a gap", test_a_series_with_a_gap },
        { "jobs are not moved", test_jobs_are_not_moved },
        { "how far", test_how_far },
        { "how many", test_how_many },
        { "nothing is left of a trial", test_nothing_is_left_of_a_trial },
        { "what jobs use beside is booked once",
          test_what_jobs_use_beside_is_booked_once },
        { "only what runs is shortened", test_only_what_runs_is_shortened },
        { "as much as there is", test_as_much_as_there_is },
        { "the request", test_the_request },
        { "against the oracle", test_against_the_oracle },
    };

    return unit_main("scheduler/plan_push", cases, COUNT(cases));
}
