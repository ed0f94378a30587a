/* test_occurrence_index.c - occurrences of a standing reservation that are addressed by
 * their index: what is shown of one, and what becomes of a series that loses one
 * (doc/extensions.md, ResvAct; doc/design/052-one-occurrence.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "server/model/occurrence.h"

#include <string.h>

#define DAY    86400
#define FIRST  1795248000
#define SERIES "reserve_start=1795248000|Resource_List.walltime=600|"
#define FOUR                                                                           \
    SERIES "Resource_List.select=1:ncpus=2|reserve_timezone=UTC|reserve_standing=1|"   \
           "reserve_rrule=FREQ=DAILY;COUNT=4"

#define MAP "4#(vn[1]:ncpus=2){1}(vn[0]:ncpus=2){0,2-3}"

/* S1, four days, confirmed on MAP, asked about by a scheduler of ours. */
static void make(struct world *w)
{
    world_new(w);
    world_attach_ours(w);
    world_submit(w, "user1", FOUR);
    world_confirm(w, "S1.svr", MAP);
    CU_ASSERT_EQUAL(world_reply_code(w, CONN_SCHED), 0);
    world_sched_done(w);
    world_clear(w);
}

/* The effects until now are forgotten. */
static const char *shown(struct world *w, const char *attr)
{
    world_clear(w);
    return world_shown(w, "root", "S1", attr, NULL, NULL);
}

static const char *of(struct world *w, uint32_t occurrence, const char *attr)
{
    return world_occurrence_shown(w, "S1", occurrence, attr, NULL);
}

static const char *attr_of(struct world *w, int attr)
{
    return world_attr(w, OBJ_RESV, "S1", attr, NULL);
}

static void delete (struct world *w, const char *user, uint32_t occurrence)
{
    world_clear(w);
    world_act(w, user, RESV_ACT_DELETE, 0, occurrence, "S1.svr", "");
}

static void test_what_is_shown_of_one(void)
{
    struct world w;

    make(&w);
    EXPECT_TEXT(of(&w, 3, "name"), "S1[3].svr");
    EXPECT_TEXT(of(&w, 3, "reserve_index"), "3");
    EXPECT_TEXT(of(&w, 3, "reserve_count"), "4");
    EXPECT_TEXT(of(&w, 3, "reserve_start"), "1795420800");
    EXPECT_TEXT(of(&w, 3, "reserve_end"), "1795421400");
    EXPECT_TEXT(of(&w, 3, "reserve_duration"), "600");
    EXPECT_TEXT(of(&w, 2, "resv_nodes"), "(vn[1]:ncpus=2)");
    EXPECT_TEXT(of(&w, 2, "Reserve_Owner"), "user1@svr");
    EXPECT_TEXT(world_occurrence_shown(&w, "S1", 2, "Resource_List", "select"),
                "1:ncpus=2");
    EXPECT_TEXT(of(&w, 1, "name"), "S1[1].svr");
    EXPECT_TEXT(of(&w, 1, "resv_nodes"), "(vn[0]:ncpus=2)");
    world_go(&w, FIRST);
    EXPECT_TEXT(of(&w, 1, "reserve_state"), "5");
    EXPECT_TEXT(of(&w, 2, "reserve_state"), "2");
    /* Each has a state of its own. */
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    EXPECT_TEXT(of(&w, 2, "reserve_state"), "10");
    EXPECT_TEXT(of(&w, 3, "reserve_substate"), "2");
    EXPECT_TEXT(of(&w, 1, "reserve_substate"), "5");
    world_free(&w);
}

/* Those that are left from an index on, in their order. */
static void test_all_from_one_on(void)
{
    const struct wire_reply *reply;
    struct world w;

    make(&w);
    world_act(&w, "user2", RESV_ACT_STATUS, RESV_ACT_FROM, 1, "S1", "");
    reply = world_reply(&w, CONN_OTHER);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
    CU_ASSERT_EQUAL_FATAL(reply->objects.n, 4);
    EXPECT_TEXT(reply->objects.v[0].name, "S1[1].svr");
    EXPECT_TEXT(reply->objects.v[3].name, "S1[4].svr");
    delete (&w, "user1", 3);
    world_clear(&w);
    world_act(&w, "user2", RESV_ACT_STATUS, RESV_ACT_FROM, 2, "S1.svr",
              "reserve_start=");
    reply = world_reply(&w, CONN_OTHER);
    CU_ASSERT_EQUAL_FATAL(reply->objects.n, 2);
    EXPECT_TEXT(reply->objects.v[1].name, "S1[4].svr");
    CU_ASSERT_EQUAL(reply->objects.v[1].attrs.n, 1);
    world_clear(&w);
    world_act(&w, "user2", RESV_ACT_STATUS, RESV_ACT_FROM, 5, "S1.svr", "");
    CU_ASSERT_EQUAL(world_reply(&w, CONN_OTHER)->objects.n, 0);
    world_free(&w);
}

/* Some at once, so that no reply is as long as a series can be. */
static void test_a_long_series_is_shown_in_parts(void)
{
    const struct wire_reply *reply;
    struct world w;

    world_new(&w);
    world_reserve(&w, 1, FIRST, 60);
    world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_RESERVE_STANDING, NULL, "1");
    world_fact(&w, FACT_SET, OBJ_RESV, "R1.svr", RESV_A_RESERVE_COUNT, NULL, "301");
    for (int i = 2; i <= 301; i++)
        world_later(&w, i, FIRST + i * 3600, 60, "(vn[0]:ncpus=2)");
    world_clear(&w);
    world_act(&w, "user1", RESV_ACT_STATUS, RESV_ACT_FROM, 1, "R1", "");
    reply = world_reply(&w, CONN_OTHER);
    CU_ASSERT_EQUAL_FATAL(reply->objects.n, 200);
    EXPECT_TEXT(reply->objects.v[199].name, "R1[200].svr");
    world_clear(&w);
    world_act(&w, "user1", RESV_ACT_STATUS, RESV_ACT_FROM, 201, "R1", "");
    CU_ASSERT_EQUAL(world_reply(&w, CONN_OTHER)->objects.n, 101);
    world_free(&w);
}

static void test_refusals(void)
{
    static const struct {
        const char *story, *user, *id, *attrs;
        uint32_t what, flags, occurrence;
        int code;
    } cases[] = {
        { "the status of none", "user1", "S1", "", RESV_ACT_STATUS, 0, 0, PBSE_NOSUP },
        { "of one that is not there", "user1", "S1", "", RESV_ACT_STATUS, 0, 5,
          PBSE_UNKRESVID },
        { "of an unknown reservation", "user1", "S9", "", RESV_ACT_STATUS, 0, 1,
          PBSE_UNKRESVID },
        { "of one that is no series", "user1", "R2", "", RESV_ACT_STATUS, 0, 1,
          PBSE_UNKRESVID },
        { "an attribute that nobody knows", "user1", "S1", "colour=", RESV_ACT_STATUS,
          0, 1, PBSE_NOATTR },
        { "a huge index", "user1", "S1", "", RESV_ACT_STATUS, 0, UINT32_MAX,
          PBSE_UNKRESVID },
        { "from none on", "user1", "S1", "", RESV_ACT_STATUS, RESV_ACT_FROM, 0,
          PBSE_NOSUP },
        { "deleting from one on", "user1", "S1", "", RESV_ACT_DELETE, RESV_ACT_FROM, 2,
          PBSE_NOSUP },
        { "a dry run of one that is not there", "user1", "S1", "", RESV_ACT_DELETE,
          RESV_ACT_DRY_RUN, 5, PBSE_UNKRESVID },
        { "deleting somebody else's", "user2", "S1", "", RESV_ACT_DELETE, 0, 2,
          PBSE_PERM },
        { "deleting one that is not there", "user1", "S1", "", RESV_ACT_DELETE, 0, 5,
          PBSE_UNKRESVID },
        { "deleting one of no series", "user2", "R2", "", RESV_ACT_DELETE, 0, 1,
          PBSE_UNKRESVID },
        { "deleting one of an unconfirmed series", "user1", "S3", "", RESV_ACT_DELETE,
          0, 1, PBSE_BADSTATE },
    };
    struct world w;
    uint64_t seq;

    make(&w);
    world_submit(&w, "user2",
                 SERIES "Resource_List.select=1:ncpus=1"); /* R2, unconfirmed */
    world_submit(&w, "user1", FOUR);                       /* S3, likewise */
    seq = svr_model(w.s)->seq;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        world_clear(&w);
        world_act(&w, cases[i].user, cases[i].what, cases[i].flags, cases[i].occurrence,
                  cases[i].id, cases[i].attrs);
        if (world_reply_code(&w, CONN_OTHER) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].story,
                    world_reply_code(&w, CONN_OTHER));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), cases[i].code);
        CU_ASSERT_EQUAL(svr_model(w.s)->seq, seq);
    }
    world_free(&w);
}

/* The others keep their index, and schedulers their places. */
static void test_a_later_one_is_deleted(void)
{
    struct world w;

    make(&w);
    delete (&w, "user1", 2);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), 0);
    EXPECT_TEXT(world_account(&w, 'k', 0), "requestor=user1@svr");
    CU_ASSERT_EQUAL(
        world_count_log(&w, "occurrence 2/4 deleted at request of user1@svr"), 1);
    CU_ASSERT_EQUAL(world_count_mail(&w, "Occurrence removed"), 1);
    CU_ASSERT_EQUAL(world_count_mail(&w, "PBS Reservation Id: S1[2].svr"), 1);
    EXPECT_TEXT(of(&w, 2, "name"), "");
    EXPECT_TEXT(of(&w, 3, "reserve_start"), "1795420800");
    EXPECT_TEXT(shown(&w, "reserve_count"), "4");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600,-,1795420800+600,1795507200+600");
    /* Schedulers of PBS count places: the one that is gone has a neighbour's vnodes. */
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"), "4#(vn[0]:ncpus=2){0-3}");
    world_restart(&w);
    world_go(&w, FIRST + 600);
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX), "3");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_START), "1795420800");
    world_free(&w);
}

static void test_the_last_one_is_deleted_first(void)
{
    struct world w;

    make(&w);
    delete (&w, "root", 4);
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600,1795334400+600,1795420800+600,-");
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"), MAP);
    world_clear(&w);
    world_go(&w, FIRST + 2 * DAY + 600);
    EXPECT_TEXT(world_phase(&w, "S1"), "gone");
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'F', 0));
    world_free(&w);
}

/* It has not begun: its turn is over, and the next one is shown. */
static void test_the_current_one_is_deleted(void)
{
    struct world w;

    make(&w);
    delete (&w, "user1", 1);
    EXPECT_TEXT(world_account(&w, 'k', 0), "requestor=user1@svr");
    CU_ASSERT_EQUAL(
        world_count_log(&w, "occurrence 1/4 deleted at request of user1@svr"), 1);
    CU_ASSERT_EQUAL(world_count_log(&w, "reached end of occurrence 1/4"), 0);
    CU_ASSERT_EQUAL(world_count_mail(&w, "PBS Reservation Id: S1[1].svr"), 1);
    EXPECT_TEXT(world_phase(&w, "S1"), "2/2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX), "2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESV_NODES), "(vn[1]:ncpus=2)");
    EXPECT_TEXT(of(&w, 1, "name"), "");
    world_free(&w);
}

/* Its jobs are killed as at its end, whatever on_end says, and then the next one has
 * its turn; a crash in between changes nothing. */
static void test_the_running_one_is_deleted(void)
{
    struct world w;

    make(&w);
    world_fact(&w, FACT_SET, OBJ_RESV, "S1.svr", RESV_A_ON_END, NULL, "requeue");
    world_go(&w, FIRST);
    world_job(&w, "5.svr", "S1", "(vn[0]:ncpus=2)", NULL);
    world_job(&w, "6.svr", "S1", NULL, NULL);
    delete (&w, "user1", 1);
    EXPECT_TEXT(world_phase(&w, "S1"), "9/5");
    EXPECT_TEXT(world_account(&w, 'A', 0),
                "Deleting running job at end of reservation occurrence");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "S1", QUEUE_A_STARTED, NULL), "False");
    /* It is over already. */
    delete (&w, "user1", 1);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_BADSTATE);
    world_restart(&w);
    EXPECT_TEXT(world_phase(&w, "S1"), "9/5");
    world_job_end(&w, "5.svr");
    EXPECT_TEXT(world_phase(&w, "S1"), "2/2");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX), "2");
    CU_ASSERT_PTR_NOT_NULL(model_job(svr_model(w.s), "6.svr"));
    world_free(&w);
}

/* With the last one that is left the reservation ends, as if it had been deleted. */
static void test_the_only_one_left_is_deleted(void)
{
    struct world w;

    make(&w);
    for (uint32_t i = 2; i <= 4; i++)
        delete (&w, "user1", i);
    EXPECT_TEXT(shown(&w, "reserve_occurrences"), "1795248000+600,-,-,-");
    world_job(&w, "6.svr", "S1", NULL, NULL);
    delete (&w, "user1", 1);
    EXPECT_TEXT(world_phase(&w, "S1"), "gone");
    EXPECT_TEXT(world_account(&w, 'k', 0), "requestor=user1@svr");
    CU_ASSERT_EQUAL(world_count_log(&w, "deleted at request of user1@svr"), 0);
    CU_ASSERT_PTR_NULL(model_job(svr_model(w.s), "6.svr"));
    world_free(&w);
}

/* A scheduler answers for all places, those of deleted ones as well. */
static void test_a_series_with_a_gap_is_made_anew(void)
{
    struct world w;

    make(&w);
    delete (&w, "user1", 3);
    world_vnode(&w, "vn[1]", NODE_OFFLINE);
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600,1795334400+600!,-,1795507200+600");
    world_clear(&w);
    world_confirm(&w, "S1.svr", "3#(vn[2]:ncpus=2){1}(){0,2}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADATVAL);
    world_clear(&w);
    world_confirm(&w, "S1.svr", "4#(vn[2]:ncpus=2){1}(){0,2-3}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), 0);
    EXPECT_TEXT(of(&w, 2, "resv_nodes"), "(vn[2]:ncpus=2)");
    EXPECT_TEXT(of(&w, 4, "resv_nodes"), "(vn[0]:ncpus=2)");
    /* The degraded one is deleted: nothing is sought any more. */
    world_vnode(&w, "vn[2]", NODE_OFFLINE);
    CU_ASSERT_NOT_EQUAL(strlen(attr_of(&w, RESV_A_RESERVE_RETRY)), 0);
    delete (&w, "user1", 2);
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_RETRY), "");
    EXPECT_TEXT(shown(&w, "reserve_substate"), "2");
    world_free(&w);
}

/* Whoever waits for an alteration of the current one hears that there is none. */
static void test_a_deleted_one_is_not_altered(void)
{
    struct world w;

    make(&w);
    world_modify(&w, "user1", "S1.svr", "reserve_duration=1200|interactive=50", NULL);
    world_clear(&w);
    world_act(&w, "root", RESV_ACT_DELETE, 0, 1, "S1.svr", "");
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "S1.svr DENIED");
    EXPECT_TEXT(attr_of(&w, RESV_A_ALTER_DENIED), "the occurrence is deleted");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_DURATION), "600");
    world_free(&w);
}

/* Alterations. */

static void alter(struct world *w, const char *user, uint32_t occurrence,
                  const char *attrs, uint32_t flags)
{
    world_clear(w);
    world_act(w, user, RESV_ACT_ALTER, flags, occurrence, "S1.svr", attrs);
}

/* A scheduler says yes to the question that is open, with its number. */
static void say_yes(struct world *w, const char *vnodes)
{
    const char *seq = attr_of(w, RESV_A_HF_ALTER_SEQ);

    world_confirm_at(
        w, NULL, "S1.svr", vnodes, 0,
        arena_printf(w->arena, "PBS_RESV_CONFIRM_SUCCESS:seq=%s:partition=pbs-default",
                     seq));
}

static void say_no(struct world *w)
{
    const char *seq = attr_of(w, RESV_A_HF_ALTER_SEQ);

    world_deny_with(
        w, "S1.svr",
        arena_printf(w->arena, "PBS_RESV_CONFIRM_FAIL:seq=%s:reason=too late", seq));
}

/* The reservation is what it was, and only the scheduler sees the question. */
static void test_a_later_one_is_altered(void)
{
    struct world w;

    make(&w);
    alter(&w, "user1", 3,
          "reserve_start=1795424400|reserve_duration=1200|interactive=90", 0);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), -1); /* it waits */
    CU_ASSERT_PTR_NOT_NULL(strstr(world_log_of(&w, "S1[3].svr"),
                                  "Attempting to modify reservation start="));
    EXPECT_TEXT(shown(&w, "reserve_state"), "2");
    EXPECT_TEXT(shown(&w, "reserve_start"), "1795248000");
    EXPECT_TEXT(shown(&w, "alter_occurrence"), "3:1795424400+1200");
    EXPECT_TEXT(shown(&w, "alter_schedselect"), "1:ncpus=2");
    EXPECT_TEXT(of(&w, 3, "reserve_state"), "11");
    EXPECT_TEXT(of(&w, 3, "reserve_start"), "1795424400");
    EXPECT_TEXT(of(&w, 3, "reserve_duration"), "1200");
    EXPECT_TEXT(of(&w, 2, "reserve_state"), "2");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600,1795334400+600,1795420800+600,1795507200+600");
    /* One alteration at a time. */
    alter(&w, "user1", 2, "reserve_duration=60", 0);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_BADSTATE);
    world_clear(&w);
    say_yes(&w, "1#(vn[3]:ncpus=2){0}");
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "S1[3].svr CONFIRMED");
    EXPECT_TEXT(world_account(&w, 'Y', 0),
                "requestor=Scheduler@svr start=1795424400 end=1795425600 "
                "nodes=(vn[3]:ncpus=2) count=4");
    CU_ASSERT_EQUAL(world_count_log(&w, "Reservation alter confirmed"), 1);
    CU_ASSERT_EQUAL(world_count_mail(&w, "PBS Reservation Id: S1[3].svr"), 1);
    EXPECT_TEXT(shown(&w, "alter_occurrence"), "");
    EXPECT_TEXT(shown(&w, "alter_seq"), "0");
    EXPECT_TEXT(shown(&w, "reserve_occurrences"),
                "1795248000+600,1795334400+600,1795424400+1200,1795507200+600");
    EXPECT_TEXT(shown(&w, "reserve_execvnodes"),
                "4#(vn[3]:ncpus=2){2}(vn[1]:ncpus=2){1}(vn[0]:ncpus=2){0,3}");
    /* Schedulers of PBS compute the others from where the rule begins. */
    world_clear(&w);
    EXPECT_TEXT(
        world_shown(&w, "root", "S1", "reserve_standing_revert", "start_time", NULL),
        "1795248000");
    world_restart(&w);
    world_go(&w, FIRST + DAY + 600);
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_START), "1795424400");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_DURATION), "1200");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESV_NODES), "(vn[3]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "S1", RESV_A_RESOURCE_LIST, "walltime"),
                "00:20:00");
    world_go(&w, 1795425600);
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX), "4");
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_DURATION), "600");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "S1", RESV_A_RESOURCE_LIST, "walltime"),
                "00:10:00");
    world_free(&w);
}

static void test_its_select_shrinks(void)
{
    struct world w;

    world_new(&w);
    world_attach_ours(&w);
    world_submit(&w, "user1",
                 SERIES "Resource_List.select=2:ncpus=2|reserve_timezone=UTC|"
                        "reserve_standing=1|reserve_rrule=FREQ=DAILY;COUNT=3");
    world_confirm(&w, "S1.svr", "3#(vn[0]:ncpus=2)+(vn[1]:ncpus=2){0-2}");
    world_sched_done(&w);
    alter(&w, "user1", 2, "Resource_List.select=3:ncpus=2", 0);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_SELECT_NOT_SUBSET);
    alter(&w, "user1", 2, "Resource_List.select=1:ncpus=2", 0);
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "S1[2].svr ALTER REQUESTED");
    EXPECT_TEXT(shown(&w, "alter_schedselect"), "1:ncpus=2");
    say_yes(&w, "1#(vn[4]:ncpus=2){0}");
    EXPECT_TEXT(shown(&w, "reserve_occurrence_schedselects"), "2=9:1:ncpus=2");
    EXPECT_TEXT(shown(&w, "schedselect"), "2:ncpus=2");
    EXPECT_TEXT(world_occurrence_shown(&w, "S1", 2, "Resource_List", "ncpus"), "2");
    EXPECT_TEXT(world_occurrence_shown(&w, "S1", 3, "Resource_List", "ncpus"), "4");
    /* In its turn the limits of the queue follow; then those of the series are back. */
    world_restart(&w);
    world_go(&w, FIRST + 600);
    EXPECT_TEXT(attr_of(&w, RESV_A_SCHEDSELECT), "1:ncpus=2");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "S1", QUEUE_A_RESOURCES_MAX, "ncpus"), "2");
    EXPECT_TEXT(shown(&w, "reserve_standing_schedselect"), "2:ncpus=2");
    world_go(&w, FIRST + DAY + 600);
    EXPECT_TEXT(attr_of(&w, RESV_A_SCHEDSELECT), "2:ncpus=2");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "S1", QUEUE_A_RESOURCES_MAX, "ncpus"), "4");
    world_free(&w);
}

/* The order of the series is kept, and the current one is not in the way of itself. */
static void test_alterations_that_are_refused(void)
{
    static const struct {
        const char *story, *user, *attrs;
        uint32_t occurrence, flags;
        int code;
    } cases[] = {
        { "up to the next one", "user1", "reserve_end=1795507200", 3, 0,
          PBSE_STDG_RESV_OCCR_CONFLICT },
        { "the last second before it", "user1", "reserve_end=1795507199", 3, 0, 0 },
        { "behind the next one", "user1",
          "reserve_start=1795514400|reserve_duration=60", 3, 0,
          PBSE_STDG_RESV_OCCR_CONFLICT },
        { "from the end of the one before", "user1", "reserve_start=1795335000", 3, 0,
          PBSE_STDG_RESV_OCCR_CONFLICT },
        { "a second after it", "user1", "reserve_start=1795335001", 3, 0, 0 },
        { "before the current one ends", "user1", "reserve_start=1795248600", 2, 0,
          PBSE_STDG_RESV_OCCR_CONFLICT },
        { "the last one as far as it likes", "user1", "reserve_end=1805507199", 4, 0,
          0 },
        { "into the past", "user1", "reserve_start=1795247000", 2, 0, PBSE_BADTSPEC },
        { "an end before the start", "user1", "reserve_end=1795420700", 3, 0,
          PBSE_BADTSPEC },
        { "somebody else's", "user2", "reserve_duration=60", 3, 0, PBSE_PERM },
        { "force without being a manager", "user1", "reserve_duration=60", 3,
          RESV_ACT_FORCE, PBSE_PERM },
        { "a name, which is the series'", "user1", "Reserve_Name=x", 3, 0,
          PBSE_ATTRRO },
        { "users", "user1", "Authorized_Users=user2", 3, 0, PBSE_ATTRRO },
        { "on_end", "user1", "on_end=hold", 3, 0, PBSE_ATTRRO },
        { "a push without being a manager", "user1", "reserve_duration=60", 3,
          RESV_ACT_PUSH, PBSE_PERM },
        { "one that is not there", "user1", "reserve_duration=60", 7, 0,
          PBSE_UNKRESVID },
        { "nothing at all", "user1", "interactive=5", 3, 0, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w);
        alter(&w, cases[i].user, cases[i].occurrence, cases[i].attrs, cases[i].flags);
        if (world_reply_code(&w, CONN_OTHER) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].story,
                    world_reply_code(&w, CONN_OTHER));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), cases[i].code);
        if (cases[i].code)
            EXPECT_TEXT(attr_of(&w, RESV_A_HF_ALTER_SEQ), "");
        world_free(&w);
    }
}

/* Its own neighbours may have been deleted. */
static void test_a_gap_makes_room(void)
{
    struct world w;

    make(&w);
    delete (&w, "user1", 3);
    alter(&w, "user1", 2, "reserve_end=1795420900", 0);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), 0);
    say_yes(&w, "1#(vn[1]:ncpus=2){0}");
    EXPECT_TEXT(of(&w, 2, "reserve_end"), "1795420900");
    world_free(&w);
}

static void test_a_no_changes_nothing(void)
{
    struct world w;

    make(&w);
    alter(&w, "user1", 3, "reserve_duration=1200|interactive=60", 0);
    say_no(&w);
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "S1[3].svr DENIED");
    EXPECT_TEXT(attr_of(&w, RESV_A_ALTER_DENIED), "too late");
    EXPECT_TEXT(of(&w, 3, "reserve_duration"), "600");
    EXPECT_TEXT(of(&w, 3, "reserve_state"), "2");
    /* The time limit. */
    alter(&w, "user1", 3, "reserve_duration=1200|interactive=5", 0);
    world_go(&w, w.now_at + 5);
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "S1[3].svr UNCONFIRMED");
    world_server(&w, SERVER_A_RESV_ANSWER_TIME, NULL, "30");
    world_go(&w, w.now_at + 40);
    EXPECT_TEXT(attr_of(&w, RESV_A_ALTER_DENIED), "no scheduler answered within 30 s");
    /* A restart. */
    alter(&w, "user1", 3, "reserve_duration=1200", 0);
    world_restart(&w);
    EXPECT_TEXT(attr_of(&w, RESV_A_HF_ALTER_SEQ), "");
    EXPECT_TEXT(of(&w, 3, "reserve_duration"), "600");
    world_free(&w);
}

/* By force it is made on the vnodes that it has, and says whom it is in the way of. */
static void test_force(void)
{
    struct world w;

    make(&w);
    world_submit(&w, "user2",
                 "reserve_start=1795421400|Resource_List.walltime=600|"
                 "Resource_List.select=1:ncpus=2");
    world_confirm(&w, "R2.svr", "(vn[0]:ncpus=2)");
    world_sched_done(&w);
    alter(&w, "root", 3, "reserve_duration=900", RESV_ACT_FORCE);
    say_no(&w);
    EXPECT_TEXT(of(&w, 3, "reserve_duration"), "900");
    EXPECT_TEXT(of(&w, 3, "resv_nodes"), "(vn[0]:ncpus=2)");
    EXPECT_TEXT(of(&w, 3, "oversubscribed_resv"), "R2.svr");
    EXPECT_TEXT(of(&w, 2, "oversubscribed_resv"), "");
    world_go(&w, FIRST + DAY + 600);
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_DURATION), "900");
    EXPECT_TEXT(shown(&w, "oversubscribed_resv"), "R2.svr");
    world_free(&w);
}

/* Its turn comes, it is deleted, or the series, while somebody waits. */
static void test_what_ends_the_question(void)
{
    struct world w;

    make(&w);
    alter(&w, "user1", 2, "reserve_duration=1200|interactive=90000", 0);
    /* The end of the current one is no matter of it, but its turn is. */
    world_server(&w, SERVER_A_RESV_ANSWER_TIME, NULL, "90000");
    world_go(&w, FIRST + 600);
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX), "2");
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "S1[2].svr DENIED");
    EXPECT_TEXT(attr_of(&w, RESV_A_ALTER_DENIED), "its turn has come");
    alter(&w, "user1", 4, "reserve_duration=1200", 0);
    world_go(&w, FIRST + DAY + 600);
    EXPECT_TEXT(attr_of(&w, RESV_A_RESERVE_INDEX), "3");
    EXPECT_TEXT(of(&w, 4, "reserve_state"), "11");
    delete (&w, "root", 4);
    EXPECT_TEXT(attr_of(&w, RESV_A_ALTER_DENIED), "the occurrence is deleted");
    EXPECT_TEXT(attr_of(&w, RESV_A_HF_ALTER_SEQ), "");
    world_free(&w);
    make(&w);
    alter(&w, "user1", 2, "reserve_duration=1200|interactive=60", 0);
    world_clear(&w);
    world_act(&w, "root", RESV_ACT_DELETE, 0, 0, "S1.svr", "");
    EXPECT_TEXT(world_phase(&w, "S1"), "gone");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_UNKRESVID);
    world_free(&w);
}

/* A scheduler of another make is not asked, and an answer without the number is none.
 */
static void test_a_stranger_is_not_asked(void)
{
    struct world w;

    world_new(&w); /* with a scheduler that has not said that it is ours */
    world_submit(&w, "user1", FOUR);
    world_confirm(&w, "S1.svr", MAP);
    world_sched_done(&w);
    alter(&w, "user1", 3, "reserve_duration=1200", 0);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_NOSUP);
    alter(&w, "root", 3, "reserve_duration=1200", RESV_ACT_FORCE);
    CU_ASSERT_EQUAL(world_reply_code(&w, 99), 0);
    EXPECT_TEXT(of(&w, 3, "reserve_duration"), "1200");
    world_free(&w);
    make(&w);
    alter(&w, "user1", 3, "reserve_duration=1200", 0);
    world_clear(&w);
    world_confirm(&w, "S1.svr", "1#(vn[3]:ncpus=2){0}");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    world_clear(&w);
    world_deny(&w, "S1.svr");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    EXPECT_TEXT(of(&w, 3, "reserve_state"), "11");
    /* Nor is a yes for less than was asked, or on vnodes of others. */
    say_yes(&w, "1#(vn[3]:ncpus=1){0}");
    EXPECT_TEXT(of(&w, 3, "reserve_state"), "11");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "an occurrence is shown as a reservation is", test_what_is_shown_of_one },
        { "all that are left are shown from an index on", test_all_from_one_on },
        { "a long series is shown in parts", test_a_long_series_is_shown_in_parts },
        { "what cannot be asked is refused", test_refusals },
        { "a later occurrence is deleted alone", test_a_later_one_is_deleted },
        { "the last one is deleted before the others",
          test_the_last_one_is_deleted_first },
        { "the turn of the current one is over when it is deleted",
          test_the_current_one_is_deleted },
        { "the running one ends when it is deleted", test_the_running_one_is_deleted },
        { "the reservation ends with the only one left",
          test_the_only_one_left_is_deleted },
        { "a series with a gap is made anew", test_a_series_with_a_gap_is_made_anew },
        { "a deleted one is not altered", test_a_deleted_one_is_not_altered },
        { "a later occurrence is altered alone", test_a_later_one_is_altered },
        { "a later occurrence shrinks", test_its_select_shrinks },
        { "alterations of one are refused", test_alterations_that_are_refused },
        { "a gap makes room", test_a_gap_makes_room },
        { "a no changes nothing", test_a_no_changes_nothing },
        { "a later occurrence is altered by force", test_force },
        { "what ends the question", test_what_ends_the_question },
        { "a stranger is not asked", test_a_stranger_is_not_asked },
    };

    return unit_main("server/occurrence_index", cases, ARRAY_LEN(cases));
}
