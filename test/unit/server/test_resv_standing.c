/* test_resv_standing.c - a standing reservation in the server: what is refused, how it
 * is confirmed with the vnodes of every occurrence, what is shown, and what happens
 * when a later occurrence loses a vnode (reservations.md 9,
 * doc/design/041-standing.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "server/model/occurrence.h"

#include <string.h>

#define DAY    86400
#define FIRST  1795248000
#define SOON   "reserve_start=1795248000"
#define NEEDS  "|Resource_List.walltime=600|Resource_List.select=1:ncpus=2"
#define ZONE   "|reserve_timezone=UTC|reserve_standing=1"
#define SERIES SOON NEEDS ZONE "|reserve_rrule="
#define THREE  SERIES "FREQ=DAILY;COUNT=3"

#define MAP    "3#(vn[1]:ncpus=2){1}(vn[0]:ncpus=2){0,2}"

/* The effects until now are forgotten. */
static const char *shown(struct world *w, const char *attr)
{
    world_clear(w);
    return world_shown(w, "root", "S1", attr, NULL, NULL);
}

static const char *attr_of(struct world *w, int attr)
{
    return world_attr(w, OBJ_RESV, "S1", attr, NULL);
}

static size_t n_later(const struct world *w)
{
    const struct resv *r = model_resv(svr_model(w->s), "S1");

    return r ? r->n_later : 0;
}

/* S1, three days, confirmed on MAP. */
static void make(struct world *w)
{
    world_new(w);
    world_submit(w, "user1", THREE);
    world_confirm(w, "S1.svr", MAP);
    CU_ASSERT_EQUAL(world_reply_code(w, CONN_SCHED), 0);
    world_clear(w);
}

static void test_refusals(void)
{
    static const struct {
        const char *story, *attrs;
        int code;
    } cases[] = {
        { "no zone", SOON NEEDS "|reserve_rrule=FREQ=DAILY;COUNT=2", PBSE_BAD_ICAL_TZ },
        { "an unknown zone",
          SOON NEEDS "|reserve_timezone=Mars/Base|reserve_rrule=FREQ=DAILY;COUNT=2",
          PBSE_BAD_ICAL_TZ },
        { "an unknown zone before a bad rule",
          SOON NEEDS "|reserve_timezone=Mars/Base|reserve_rrule=x", PBSE_BAD_ICAL_TZ },
        { "no rule", SOON NEEDS ZONE, PBSE_BAD_RRULE_SYNTAX },
        { "no frequency", SERIES "COUNT=2", PBSE_BAD_RRULE_SYNTAX },
        { "a part that is refused", SERIES "FREQ=MONTHLY;COUNT=2;BYMONTHDAY=1",
          PBSE_BAD_RRULE_SYNTAX },
        { "neither COUNT nor UNTIL", SERIES "FREQ=DAILY", PBSE_BAD_RRULE_SYNTAX2 },
        { "both", SERIES "FREQ=DAILY;COUNT=2;UNTIL=20280101T000000Z",
          PBSE_BAD_RRULE_SYNTAX },
        { "67 characters",
          SERIES "FREQ=WEEKLY;COUNT=10;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=1,2,3,4,5,6,7",
          PBSE_BAD_RRULE_SYNTAX },
        { "no occurrence", SERIES "FREQ=DAILY;UNTIL=20200101T000000Z", PBSE_BADTSPEC },
        { "longer than its period", SERIES "FREQ=MINUTELY;COUNT=2",
          PBSE_BAD_RRULE_MINUTELY },
        { "too many", SERIES "FREQ=HOURLY;COUNT=10001", PBSE_BADTSPEC },
        { "overlapping",
          SOON "|Resource_List.walltime=7200|Resource_List.select=1" ZONE
               "|reserve_rrule=FREQ=DAILY;COUNT=4;BYHOUR=9,10",
          PBSE_BADTSPEC },
        { "a start in the past",
          "reserve_start=1795247570" NEEDS ZONE "|reserve_rrule=FREQ=DAILY;COUNT=2",
          PBSE_BADTSPEC },
        { "a map of one's own", THREE "|reserve_execvnodes=1#(vn[0]){0}", PBSE_ATTRRO },
        { "a count of one's own", THREE "|reserve_count=9", PBSE_ATTRRO },
        { "occurrences of one's own", THREE "|reserve_occurrences=1+1", PBSE_ATTRRO },
    };
    struct world w;

    world_new(&w);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        world_clear(&w);
        world_submit(&w, "user1", cases[i].attrs);
        if (world_reply_code(&w, CONN_USER) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].story,
                    world_reply_code(&w, CONN_USER));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_USER), cases[i].code);
        CU_ASSERT_EQUAL(svr_model(w.s)->kinds[OBJ_RESV].n, 0);
    }
    world_free(&w);
}

static void test_submission(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", THREE);
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "S1.svr UNCONFIRMED");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_COUNT), "3");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_STANDING), "1");
    EXPECT_TEXT(attr_of(&w, RESV_A_QUEUE), "S1");
    CU_ASSERT_PTR_NOT_NULL(strstr(world_log_of(&w, "S1.svr"),
                                  " recurrence_rrule=FREQ=DAILY;COUNT=3 timezone=UTC"));
    EXPECT_TEXT(world_account(&w, 'U', 0),
                "requestor=user1@svr recurrence_rrule=FREQ=DAILY;COUNT=3 timezone=UTC");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600,1795334400+600,1795420800+600");
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"), "");
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user1", "S1", "reserve_occurrences", NULL, NULL), "");
    world_restart(&w);
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600,1795334400+600,1795420800+600");
    world_free(&w);
}

/* It is an advance reservation, at the time that the rule says. */
static void test_one_occurrence(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", SERIES "FREQ=DAILY;COUNT=1;BYHOUR=23");
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R1.svr UNCONFIRMED");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_STANDING, NULL), "");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_COUNT, NULL), "1");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_START, NULL),
                "1795302000");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_END, NULL), "1795302600");
    world_free(&w);
}

static void test_confirmation(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", THREE "|interactive=10");
    world_clear(&w);
    world_confirm(&w, "S1.svr", MAP);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "S1.svr CONFIRMED");
    EXPECT_TEXT(world_phase(&w, "S1"), "2/2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX), "1");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESV_NODES), "(vn[0]:ncpus=2)");
    EXPECT_TEXT(attr_of(&w, RESV_A_HF_STARTS), "");
    CU_ASSERT_EQUAL(n_later(&w), 2);
    CU_ASSERT_EQUAL(world_count_log(&w, "Reservation confirmed"), 1);
    EXPECT_TEXT(world_account(&w, 'Y', 0), "requestor=Scheduler@svr start=1795248000 "
                                           "end=1795248600 nodes=(vn[0]:ncpus=2) "
                                           "count=3");
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"), MAP);
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600,1795334400+600,1795420800+600");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "S1", QUEUE_A_ENABLED, NULL), "True");
    world_restart(&w);
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"), MAP);
    world_free(&w);
}

/* The first date of the rule is not the one that was given. */
static void test_the_rule_says_the_start(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", SERIES "FREQ=DAILY;COUNT=2;BYHOUR=23");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_START), "1795248000");
    /* the window that was given passes while nobody answers */
    world_go(&w, FIRST + 3600);
    EXPECT_TEXT(world_phase(&w, "S1"), "1/1");
    world_confirm_at(&w, NULL, "S1.svr", "2#(vn[0]:ncpus=2){0-1}", 1795302000,
                     "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default");
    EXPECT_TEXT(world_phase(&w, "S1"), "2/2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_START), "1795302000");
    world_free(&w);
}

/* All occurrences or none: nothing changes. */
static void test_answers_that_do_not_hold(void)
{
    static const struct {
        const char *story, *map;
        int code;
    } cases[] = {
        { "no map", "(vn[0]:ncpus=2)", PBSE_BADATVAL },
        { "too few", "2#(vn[0]:ncpus=2){0-1}", PBSE_BADATVAL },
        { "too many", "4#(vn[0]:ncpus=2){0-3}", PBSE_BADATVAL },
        { "one is missing", "3#(vn[0]:ncpus=2){0,2}", PBSE_BADATVAL },
        { "a vnode that is not there", "3#(vn[0]:ncpus=2){0,2}(vn[9]:ncpus=2){1}",
          PBSE_SYSTEM },
        { "one stays as it is", "3#(vn[0]:ncpus=2){0,2}(){1}", PBSE_BADATVAL },
        { "the second one is full", "3#(vn[0]:ncpus=2){0,2}(vn[4]:ncpus=2){1}",
          PBSE_BADSTATE },
        { "less than is asked for", "3#(vn[0]:ncpus=2){0,2}(vn[1]:ncpus=1){1}",
          PBSE_BADSTATE },
    };
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", THREE);
    world_submit(&w, "user2",
                 "reserve_start=1795334400|Resource_List.walltime=60"
                 "|Resource_List.select=1:ncpus=2");
    world_confirm(&w, "R2.svr", "(vn[4]:ncpus=2)");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        uint64_t seq = svr_model(w.s)->seq;

        world_clear(&w);
        world_confirm(&w, "S1.svr", cases[i].map);
        if (world_reply_code(&w, CONN_SCHED) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].story,
                    world_reply_code(&w, CONN_SCHED));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), cases[i].code);
        CU_ASSERT_EQUAL(svr_model(w.s)->seq, seq);
    }
    world_clear(&w);
    world_deny(&w, "S1.svr");
    EXPECT_TEXT(world_phase(&w, "S1"), "gone");
    CU_ASSERT_EQUAL(world_count_log(&w, "Reservation denied"), 1);
    world_free(&w);
}

/* Deleted while it waits, while it runs, and before it is confirmed. */
static void test_deletion(void)
{
    static const int64_t at[] = { 0, FIRST - 100, FIRST + 100, FIRST + DAY + 100 };

    for (size_t i = 0; i < ARRAY_LEN(at); i++) {
        struct world w;

        if (at[i] == 0) {
            world_new(&w);
            world_submit(&w, "user1", THREE);
        } else {
            make(&w);
            world_go(&w, at[i]);
        }
        world_clear(&w);
        world_delete(&w, "user1", "S1.svr");
        EXPECT_TEXT(world_phase(&w, "S1"), "gone");
        CU_ASSERT_EQUAL(svr_model(w.s)->kinds[OBJ_OCCURRENCE].n, 0);
        CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'k', 0));
        world_free(&w);
    }
}

/* From the first start to the last end; each begins with a B. */
static void test_life(void)
{
    struct world w;

    make(&w);
    for (int i = 0; i < 3; i++) {
        world_clear(&w);
        world_go(&w, FIRST + i * DAY);
        EXPECT_TEXT(world_phase(&w, "S1"), "5/5");
        EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX),
                    arena_printf(w.arena, "%d", i + 1));
        EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_COUNT), "3");
        CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'B', 0));
        CU_ASSERT_EQUAL(world_assigned(&w, i == 1 ? "vn[1]" : "vn[0]"), 2);
    }
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"), "1#(vn[0]:ncpus=2){0}");
    world_clear(&w);
    world_go(&w, FIRST + 3 * DAY);
    EXPECT_TEXT(world_phase(&w, "S1"), "gone");
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'F', 0));
    world_free(&w);
}

/* A vnode of the second one goes away and comes back. */
static void test_health_of_a_later_one(void)
{
    struct world w;

    make(&w);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(world_log_of(&w, "S1.svr"), "An attempt to reconfirm reservation"));
    EXPECT_TEXT(shown(&w, "reserve_state"), "2");
    EXPECT_TEXT(shown(&w, "reserve_substate"), "10");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600,1795334400+600!,1795420800+600");
    CU_ASSERT_NOT_EQUAL(strlen(attr_of(&w, RESV_A_RESERVE_RETRY)), 0);
    world_restart(&w);
    EXPECT_TEXT(shown(&w, "reserve_substate"), "10");
    world_vnode(&w, "vn[1]", 0);
    EXPECT_TEXT(shown(&w, "reserve_substate"), "2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_RETRY), "");
    world_free(&w);
}

/* The same while the first one runs: RN/10 in a status, which it is not itself. */
static void test_a_later_one_lacks_vnodes_while_one_runs(void)
{
    struct world w;

    make(&w);
    world_go(&w, FIRST);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    EXPECT_TEXT(shown(&w, "reserve_state"), "5");
    EXPECT_TEXT(shown(&w, "reserve_substate"), "10");
    EXPECT_TEXT(world_phase(&w, "S1"), "5/5");
    world_vnode(&w, "vn[1]", 0);
    EXPECT_TEXT(shown(&w, "reserve_substate"), "5");
    world_free(&w);
}

/* It is asked about at its retry time, and moves alone. */
static void test_a_later_one_is_made_anew(void)
{
    struct world w;

    make(&w);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    world_clear(&w);
    world_go(&w, FIRST - 1);
    world_sched_done(&w);
    world_go(&w, FIRST + 1200);
    CU_ASSERT_TRUE(world_has_record(&w, FACT_RESV_ASKED, OBJ_RESV, "S1.svr"));
    EXPECT_TEXT(world_phase(&w, "S1"), "10/10"); /* the second one has its turn */
    world_free(&w);

    make(&w);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    world_clear(&w);
    world_confirm(&w, "S1.svr", "3#(vn[2]:ncpus=2){1}(vn[0]:ncpus=2){0,2}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'Y', 0));
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"),
                "3#(vn[2]:ncpus=2){1}(vn[0]:ncpus=2){0,2}");
    EXPECT_TEXT(shown(&w, "reserve_substate"), "2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_RETRY), "");
    world_free(&w);
}

/* Current and later ones are degraded; one of them finds other vnodes. */
static void test_some_are_made_anew(void)
{
    struct world w;

    make(&w);
    world_vnode(&w, "vn[0]", NODE_OFFLINE);
    EXPECT_TEXT(world_phase(&w, "S1"), "10/10");
    world_confirm(&w, "S1.svr",
                  "3#(vn[3]:ncpus=2){2}(vn[1]:ncpus=2){1}(vn[0]:ncpus=2){0}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TEXT(world_phase(&w, "S1"), "10/10");
    CU_ASSERT_NOT_EQUAL(strlen(attr_of(&w, RESV_A_RESERVE_RETRY)), 0);
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600!,1795334400+600,1795420800+600");
    /* What is well does not move, whatever is offered. */
    world_confirm(&w, "S1.svr",
                  "3#(vn[4]:ncpus=2){2}(vn[2]:ncpus=2){0}(vn[1]:ncpus=2){1}");
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"),
                "3#(vn[3]:ncpus=2){2}(vn[1]:ncpus=2){1}(vn[2]:ncpus=2){0}");
    EXPECT_TEXT(world_phase(&w, "S1"), "2/2");
    world_free(&w);
}

/* An alteration is answered with a map of the current one. */
static void test_alteration(void)
{
    struct world w;

    make(&w);
    world_modify(&w, "user1", "S1.svr", "reserve_duration=1200", NULL);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), 0);
    world_confirm(&w, "S1.svr", "1#(vn[2]:ncpus=2){0}");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_END), "1795249200");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+1200,1795334400+600,1795420800+600");
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"),
                "3#(vn[0]:ncpus=2){2}(vn[1]:ncpus=2){1}(vn[2]:ncpus=2){0}");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX), "1");
    world_go(&w, FIRST + DAY);
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_DURATION), "600");
    world_free(&w);
}

static void test_alterations_that_are_refused(void)
{
    static const struct {
        const char *attrs;
        int code;
    } cases[] = {
        { "reserve_end=1795334400",
          PBSE_STDG_RESV_OCCR_CONFLICT }, /* equal is too late */
        { "reserve_start=1795334500", PBSE_STDG_RESV_OCCR_CONFLICT },
        { "reserve_duration=90000", PBSE_STDG_RESV_OCCR_CONFLICT },
        { "reserve_end=1795334399", 0 },
    };
    struct world w;

    make(&w);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        world_clear(&w);
        world_modify(&w, "user1", "S1.svr", cases[i].attrs, NULL);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), cases[i].code);
        CU_ASSERT_EQUAL(world_count_log(&w, "Requested time(s) will interfere with a "
                                            "later occurrence"),
                        cases[i].code ? 1 : 0);
    }
    world_free(&w);
}

static void maintain(struct world *w, const char *id, const char *times,
                     const char *vnodes)
{
    static const struct requester mgr = { .user = "mgr1",
                                          .host = "svr",
                                          .conn = CONN_OTHER };

    world_submit_as(w, &mgr, "m", "",
                    arena_printf(w->arena, "%s|Resource_List.select=1", times));
    world_confirm_at(w, &mgr, id, vnodes, 0, "PBS_RESV_CONFIRM_SUCCESS");
    CU_ASSERT_EQUAL(world_reply_code(w, CONN_OTHER), 0);
}

#define SECOND_DAY "reserve_start=1795334300|reserve_end=1795334500"

/* It takes the vnodes of the second one, and other ones are sought at once. */
static void test_maintenance_over_a_later_one(void)
{
    static const char told[] = "1795248000+600,1795334400+600!-,1795420800+600";
    struct world w;

    make(&w);
    world_sched_done(&w);
    maintain(&w, "M2.svr", SECOND_DAY, "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)");
    CU_ASSERT_TRUE(world_commanded(&w, 15));
    EXPECT_TEXT(shown(&w, "reserve_occurrences"), told);
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"), "3#(vn[0]:ncpus=2){0-2}");
    EXPECT_TEXT(shown(&w, "reserve_substate"), "10");
    EXPECT_TEXT(world_phase(&w, "S1"), "2/2"); /* as it is stored */
    CU_ASSERT_NOT_EQUAL(strlen(attr_of(&w, RESV_A_RESERVE_RETRY)), 0);
    world_restart(&w);
    EXPECT_TEXT(shown(&w, "reserve_occurrences"), told);

    /* The vnode that it lost is in use, all others keep what they have. */
    world_clear(&w);
    world_confirm(&w, "S1.svr", "3#(vn[1]:ncpus=2){1}(vn[0]:ncpus=2){0,2}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    EXPECT_TEXT(shown(&w, "reserve_occurrences"), told);
    world_clear(&w);
    world_confirm(&w, "S1.svr", "3#(vn[2]:ncpus=2){1}(){0,2}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"),
                "3#(vn[2]:ncpus=2){1}(vn[0]:ncpus=2){0,2}");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600,1795334400+600,1795420800+600");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_RETRY), "");
    world_free(&w);
}

/* Nothing is found: it has its turn in conflict, and so it starts. */
static void test_a_turn_in_conflict(void)
{
    struct world w;

    make(&w);
    maintain(&w, "M2.svr", SECOND_DAY, "(vn[1]:ncpus=2)");
    world_deny(&w, "S1.svr");
    world_go(&w, FIRST + 600);
    EXPECT_TEXT(world_phase(&w, "S1"), "10/12");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESV_NODES), "");
    CU_ASSERT_NOT_EQUAL(strlen(attr_of(&w, RESV_A_RESERVE_RETRY)), 0);
    world_restart(&w);
    world_go(&w, FIRST + DAY);
    EXPECT_TEXT(world_phase(&w, "S1"), "5/12");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"), "1795334400+600-,1795420800+600");
    world_go(&w, FIRST + 2 * DAY);
    EXPECT_TEXT(world_phase(&w, "S1"), "5/5");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 2);
    world_free(&w);
}

/* It takes the vnodes of the current one and of the one behind it. */
static void test_maintenance_over_two(void)
{
    struct world w;

    make(&w);
    world_go(&w, FIRST);
    EXPECT_TEXT(world_phase(&w, "S1"), "5/5");
    maintain(&w, "M2.svr", "reserve_start=1795248010|reserve_end=1795334500",
             "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)");
    EXPECT_TEXT(world_phase(&w, "S1"), "5/12");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600-,1795334400+600!-,1795420800+600");
    /* The current one runs and is not replaced; the next one is. */
    world_clear(&w);
    world_confirm(&w, "S1.svr",
                  "3#(vn[3]:ncpus=2){0}(vn[2]:ncpus=2){1}(vn[0]:ncpus=2){2}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TEXT(world_phase(&w, "S1"), "5/12");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESV_NODES), "");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600-,1795334400+600,1795420800+600");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_RETRY), "");
    world_free(&w);
}

static const char *resource(struct world *w, const char *name)
{
    return world_attr(w, OBJ_RESV, "S1", RESV_A_RESOURCE_LIST, name);
}

/* The current occurrence has another length, and the next one has everything that the
 * series asks for: what both have alike, too. */
static void test_the_next_one_has_what_the_series_asks_for(void)
{
    struct world w;

    make(&w);
    world_modify(&w, "user1", "S1.svr", "reserve_duration=900", NULL);
    world_confirm(&w, "S1.svr", "1#(vn[0]:ncpus=2){0}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TEXT(resource(&w, "walltime"), "00:15:00");
    world_clear(&w);
    world_go(&w, FIRST + 1000);
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX), "2");
    EXPECT_TEXT(resource(&w, "walltime"), "00:10:00");
    EXPECT_TEXT(resource(&w, "select"), "1:ncpus=2");
    EXPECT_TEXT(resource(&w, "ncpus"), "2");
    EXPECT_TEXT(resource(&w, "nodect"), "1");
    EXPECT_TEXT(resource(&w, "place"), "free");
    world_free(&w);
}

/* reserve_standing_revert as managers see it: "select start_time walltime". */
static const char *revert(struct world *w, const char *user)
{
    static const char *const parts[] = { "select", "start_time", "walltime" };
    static char text[128];
    size_t len = 0;

    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        world_clear(w);
        len += (size_t)snprintf(
            text + len, sizeof(text) - len, "%s%s", i ? " " : "",
            world_shown(w, user, "S1", "reserve_standing_revert", parts[i], NULL));
    }
    return text;
}

/* From the first alteration on, also a denied one, and for good (reservations.md 9.7).
 */
static void test_what_the_series_had(void)
{
    struct world w;

    make(&w);
    EXPECT_TEXT(revert(&w, "mgr1"), "  ");
    world_modify(&w, "user1", "S1.svr", "reserve_start=1795248060|reserve_duration=900",
                 NULL);
    EXPECT_TEXT(revert(&w, "mgr1"), "1:ncpus=2 1795248000 00:10:00");
    EXPECT_TEXT(revert(&w, "user1"), "  ");
    world_deny(&w, "S1.svr");
    EXPECT_TEXT(revert(&w, "mgr1"), "1:ncpus=2 1795248000 00:10:00");
    world_modify(&w, "user1", "S1.svr", "reserve_start=1795248060|reserve_duration=900",
                 NULL);
    world_confirm(&w, "S1.svr", "1#(vn[0]:ncpus=2){0}");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_START), "1795248060");
    EXPECT_TEXT(revert(&w, "mgr1"), "1:ncpus=2 1795248000 00:10:00");
    world_restart(&w);
    world_go(&w, FIRST + 1000);
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX), "2");
    EXPECT_TEXT(revert(&w, "mgr1"), "1:ncpus=2 1795248000 00:10:00");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "refusals", test_refusals },
        { "submission", test_submission },
        { "one occurrence", test_one_occurrence },
        { "confirmation", test_confirmation },
        { "the rule says the start", test_the_rule_says_the_start },
        { "answers that do not hold", test_answers_that_do_not_hold },
        { "deletion", test_deletion },
        { "the next one has what the series asks for",
          test_the_next_one_has_what_the_series_asks_for },
        { "life", test_life },
        { "health of a later one", test_health_of_a_later_one },
        { "a later one lacks vnodes while one runs",
          test_a_later_one_lacks_vnodes_while_one_runs },
        { "a later one is made anew", test_a_later_one_is_made_anew },
        { "some are made anew", test_some_are_made_anew },
        { "maintenance over a later one", test_maintenance_over_a_later_one },
        { "a turn in conflict", test_a_turn_in_conflict },
        { "maintenance over two", test_maintenance_over_two },
        { "alteration", test_alteration },
        { "alterations that are refused", test_alterations_that_are_refused },
        { "what the series had", test_what_the_series_had },
    };

    return unit_main("resv_standing", cases, ARRAY_LEN(cases));
}
