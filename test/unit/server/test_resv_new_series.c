/* test_resv_new_series.c - a standing reservation that is not confirmed is altered: its
 * first occurrence, which is asked about with all others (reservations.md 13.4, 13.7,
 * doc/design/040-occurrences.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include <string.h>

#define NEEDS                                                                          \
    "reserve_start=1795248000|Resource_List.walltime=600"                              \
    "|Resource_List.select=2:ncpus=2|reserve_timezone=UTC|reserve_standing=1"          \
    "|reserve_rrule="
#define THREE      NEEDS "FREQ=DAILY;COUNT=3"

#define AS_IT_WAS  "1795248000+600,1795334400+600,1795420800+600"
#define TWO_VNODES "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)"

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

static const char *later(struct world *w, const char *id, int attr)
{
    return world_attr(w, OBJ_OCCURRENCE, id, attr, NULL);
}

/* S1, three days, unconfirmed. */
static void make(struct world *w, const char *attrs)
{
    world_new(w);
    world_attach_ours(w);
    world_submit(w, "user1", attrs);
    world_clear(w);
}

static void test_first_one_is_asked_about_with_all(void)
{
    struct world w;

    make(&w, THREE);
    world_modify(&w, "user1", "S1.svr", "reserve_duration=1200", NULL);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), 0);
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "S1.svr ALTER REQUESTED");
    EXPECT_TEXT(shown(&w, "reserve_state"), "11");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+1200,1795334400+600,1795420800+600");
    EXPECT_TEXT(world_phase(&w, "S1"), "1/1");
    world_free(&w);
}

static void test_a_yes_confirms_all_of_it(void)
{
    struct world w;

    make(&w, THREE);
    world_modify(&w, "user1", "S1.svr", "reserve_duration=1200", NULL);
    world_clear(&w);
    world_confirm(&w, "S1.svr",
                  "3#" TWO_VNODES "{0-1}(vn[2]:ncpus=2)+(vn[3]:ncpus=2){2}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TEXT(world_phase(&w, "S1"), "2/2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_END), "1795249200");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX), "1");
    EXPECT_TEXT(attr_of(&w, RESV_A_HF_STARTS), "");
    EXPECT_TEXT(later(&w, "S1[2].svr", OCCURRENCE_A_END), "1795335000");
    EXPECT_TEXT(later(&w, "S1[3].svr", OCCURRENCE_A_RESV_NODES),
                "(vn[2]:ncpus=2)+(vn[3]:ncpus=2)");
    CU_ASSERT_EQUAL(world_count_log(&w, "Reservation alter confirmed"), 1);
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'Y', 0));
    world_restart(&w);
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+1200,1795334400+600,1795420800+600");
    /* the next one has the length of the series again */
    world_go(&w, 1795334400);
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_DURATION), "600");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "S1", RESV_A_RESOURCE_LIST, "walltime"),
                "00:10:00");
    world_free(&w);
}

static void test_a_no_leaves_what_was_submitted(void)
{
    struct world w;

    make(&w, THREE);
    world_modify(&w, "user1", "S1.svr", "reserve_duration=1200", NULL);
    world_deny(&w, "S1.svr");
    CU_ASSERT_EQUAL(world_count_log(&w, "Reservation alter denied"), 1);
    EXPECT_TEXT(world_phase(&w, "S1"), "1/1");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"), AS_IT_WAS);
    world_confirm(&w, "S1.svr", "3#" TWO_VNODES "{0-2}");
    EXPECT_TEXT(world_phase(&w, "S1"), "2/2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_END), "1795248600");
    world_free(&w);
}

/* Whoever wants less of the first one wants as much as before of the others. */
static void test_fewer_chunks_of_the_first_one(void)
{
    struct world w;

    make(&w, THREE);
    world_modify(&w, "user1", "S1.svr", "Resource_List.select=1:ncpus=2", NULL);
    EXPECT_TEXT(shown(&w, "schedselect"), "1:ncpus=2");
    EXPECT_TEXT(shown(&w, "schedselect_orig"), "2:ncpus=2");
    world_clear(&w);
    world_confirm(&w, "S1.svr", "3#(vn[0]:ncpus=2){0-2}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_clear(&w);
    world_confirm(&w, "S1.svr", "3#(vn[0]:ncpus=2){0}" TWO_VNODES "{1-2}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TEXT(attr_of(&w, RESV_A_SCHEDSELECT), "1:ncpus=2");
    EXPECT_TEXT(attr_of(&w, RESV_A_HF_SERIES_SCHEDSELECT), "2:ncpus=2");
    EXPECT_TEXT(later(&w, "S1[2].svr", OCCURRENCE_A_SCHEDSELECT), "");
    world_go(&w, 1795334400);
    EXPECT_TEXT(attr_of(&w, RESV_A_SCHEDSELECT), "2:ncpus=2");
    world_free(&w);
}

/* What is not given is that of the first occurrence, which the rule says. */
static void test_times_are_those_of_the_first_one(void)
{
    struct world w;

    make(&w, NEEDS "FREQ=DAILY;COUNT=2;BYHOUR=23");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_START), "1795248000");
    world_modify(&w, "user1", "S1.svr", "reserve_end=1795302900", NULL);
    EXPECT_TEXT(shown(&w, "reserve_occurrences"), "1795302000+900,1795388400+600");
    world_confirm_at(&w, NULL, "S1.svr", "2#" TWO_VNODES "{0-1}", 1795302000,
                     "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default");
    EXPECT_TEXT(world_phase(&w, "S1"), "2/2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_START), "1795302000");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_END), "1795302900");
    world_free(&w);
}

/* Of a series whose start is not its first one, a select alone gives it that start. */
static void test_a_select_alone_gives_it_its_start(void)
{
    struct world w;

    make(&w, NEEDS "FREQ=DAILY;COUNT=2;BYHOUR=23");
    world_modify(&w, "user1", "S1.svr", "Resource_List.select=1:ncpus=2", NULL);
    world_confirm(&w, "S1.svr", "2#(vn[0]:ncpus=2){0}" TWO_VNODES "{1}");
    EXPECT_TEXT(world_phase(&w, "S1"), "2/2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_START), "1795302000");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_END), "1795302600");
    world_free(&w);
}

static void test_force_changes_what_is_asked_about(void)
{
    struct world w;

    make(&w, THREE);
    world_modify(&w, "mgr1", "S1.svr", "reserve_duration=1200", "force");
    world_deny(&w, "S1.svr");
    EXPECT_TEXT(world_phase(&w, "S1"), "1/1");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+1200,1795334400+600,1795420800+600");
    world_restart(&w);
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+1200,1795334400+600,1795420800+600");
    world_confirm(&w, "S1.svr", "3#" TWO_VNODES "{0-2}");
    EXPECT_TEXT(world_phase(&w, "S1"), "2/2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_END), "1795249200");
    EXPECT_TEXT(later(&w, "S1[2].svr", OCCURRENCE_A_END), "1795335000");
    world_free(&w);
}

static void test_answers_that_do_not_hold(void)
{
    static const struct {
        const char *story, *map;
        int code;
    } cases[] = {
        { "about the first one alone", "1#" TWO_VNODES "{0}", PBSE_BADATVAL },
        { "no map", TWO_VNODES, PBSE_BADATVAL },
        { "the third one has too little", "3#" TWO_VNODES "{0-1}(vn[0]:ncpus=2){2}",
          PBSE_BADSTATE },
        { "the longer one meets somebody", "3#(vn[3]:ncpus=2)+(vn[4]:ncpus=2){0-2}",
          PBSE_BADSTATE },
    };
    struct world w;

    make(&w, THREE);
    world_submit(&w, "user2",
                 "reserve_start=1795248900|Resource_List.walltime=60"
                 "|Resource_List.select=1:ncpus=2");
    world_confirm(&w, "R2.svr", "(vn[4]:ncpus=2)");
    world_modify(&w, "user1", "S1.svr", "reserve_duration=1200", NULL);
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
    world_free(&w);
}

static void test_what_is_refused(void)
{
    static const struct {
        const char *attrs, *extend;
        int code;
    } cases[] = {
        { "reserve_end=1795334400", NULL, PBSE_STDG_RESV_OCCR_CONFLICT },
        { "reserve_start=1795334400|reserve_duration=60", NULL,
          PBSE_STDG_RESV_OCCR_CONFLICT },
        { "reserve_duration=86400", NULL, PBSE_STDG_RESV_OCCR_CONFLICT },
        { "Resource_List.select=3:ncpus=2", NULL, PBSE_SELECT_NOT_SUBSET },
        { "reserve_start=1795247570", NULL, PBSE_BADTSPEC },
        { "Resource_List.select=1:ncpus=2", "force", PBSE_NOSUP },
        { "reserve_end=1795334399", NULL, 0 },
    };
    struct world w;

    make(&w, THREE);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        world_clear(&w);
        world_modify(&w, cases[i].extend ? "mgr1" : "user1", "S1.svr", cases[i].attrs,
                     cases[i].extend);
        if (world_reply_code(&w, CONN_OTHER) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].attrs,
                    world_reply_code(&w, CONN_OTHER));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), cases[i].code);
    }
    world_free(&w);
}

/* Nothing is promised of it yet, so nobody is moved for it; the same goes for its first
 * occurrence by its index. */
static void test_nobody_is_moved_for_it(void)
{
    static const struct {
        const char *user;
        uint32_t occurrence;
        int code;
    } cases[] = {
        { "mgr1", 0, PBSE_NOSUP },
        { "mgr1", 1, PBSE_NOSUP },
        { "mgr1", 2, PBSE_UNKRESVID },
        { "user1", 0, PBSE_PERM },
    };
    struct world w;

    make(&w, THREE);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        world_clear(&w);
        world_act(&w, cases[i].user, RESV_ACT_ALTER, RESV_ACT_PUSH, cases[i].occurrence,
                  "S1.svr", "reserve_duration=700");
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), cases[i].code);
        EXPECT_TEXT(attr_of(&w, RESV_A_HF_ALTER_SEQ), "");
    }
    EXPECT_TEXT(shown(&w, "reserve_occurrences"), AS_IT_WAS);
    world_clear(&w);
    world_act(&w, "mgr1", RESV_ACT_ALTER, RESV_ACT_PUSH, 0, "S1.svr", "Priority=7");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_NOSUP);
    world_free(&w);
}

/* It would answer for one occurrence alone. */
static void test_a_stranger_is_not_asked(void)
{
    struct world w;

    world_new(&w);
    world_submit(&w, "user1", THREE);
    world_modify(&w, "user1", "S1.svr", "reserve_duration=1200", NULL);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_NOSUP);
    world_clear(&w);
    world_modify(&w, "mgr1", "S1.svr", "reserve_duration=1200", "force");
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "S1.svr CONFIRMED");
    EXPECT_TEXT(world_phase(&w, "S1"), "1/1");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+1200,1795334400+600,1795420800+600");
    world_free(&w);
}

/* A restart forgets what was wanted, and asks about the series as it was. */
static void test_a_restart_forgets_it(void)
{
    struct world w;

    make(&w, THREE);
    world_modify(&w, "user1", "S1.svr", "reserve_duration=1200", NULL);
    world_restart(&w);
    EXPECT_TEXT(world_phase(&w, "S1"), "1/1");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"), AS_IT_WAS);
    EXPECT_TEXT(shown(&w, "reserve_state"), "1");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the first one is asked about with all",
          test_first_one_is_asked_about_with_all },
        { "a yes confirms all of it", test_a_yes_confirms_all_of_it },
        { "a no leaves what was submitted", test_a_no_leaves_what_was_submitted },
        { "fewer chunks of the first one", test_fewer_chunks_of_the_first_one },
        { "times are those of the first one", test_times_are_those_of_the_first_one },
        { "a select alone gives it its start", test_a_select_alone_gives_it_its_start },
        { "force changes what is asked about", test_force_changes_what_is_asked_about },
        { "answers that do not hold", test_answers_that_do_not_hold },
        { "what is refused", test_what_is_refused },
        { "nobody is moved for it", test_nobody_is_moved_for_it },
        { "a stranger is not asked", test_a_stranger_is_not_asked },
        { "a restart forgets it", test_a_restart_forgets_it },
    };

    return unit_main("resv_new_series", cases, ARRAY_LEN(cases));
}
