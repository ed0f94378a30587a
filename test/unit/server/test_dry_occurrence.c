/* Unit tests of dry runs about one occurrence of a series: what would become of that
 * one, and nothing of the others (doc/design/046-dry-run.md, 052).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dry_world.h"

#include <string.h>

#define FOUR                                                                           \
    "reserve_start=1795248000|Resource_List.walltime=600|"                             \
    "Resource_List.select=1:ncpus=2|reserve_timezone=UTC|reserve_standing=1|"          \
    "reserve_rrule=FREQ=DAILY;COUNT=4"
#define FIRST 1795248000
#define MAP   "4#(vn[1]:ncpus=2){1}(vn[0]:ncpus=2){0,2-3}"

/* S1, four days, its second one on vn[1]; the day of the third one R2 is on vn[0] when
 * it is over. */
static void make(struct world *w)
{
    dry_make(w);
    world_submit(w, "user1", FOUR);
    world_confirm(w, "S1.svr", MAP);
    world_submit(w, "user2",
                 "reserve_start=1795421400|reserve_end=1795422000|"
                 "Resource_List.select=1:ncpus=2");
    world_confirm(w, "R2.svr", "(vn[0]:ncpus=2)");
    world_sched_done(w);
    world_clear(w);
}

static void test_alterations(void)
{
    static const struct {
        const char *story, *user, *attrs;
        uint32_t flags, occurrence;
        const char *vnodes, *extend; /* of the answer; NULL: nobody is asked */
        const char *expect;
    } cases[] = {
        { "elsewhere", "user1", "reserve_end=1795422000", 0, 3, "(vn[4]:ncpus=2)", YES,
          "verdict=confirm;reserve_start=1795420800;reserve_end=1795422000;"
          "resv_nodes=(vn[4]:ncpus=2);vnodes_released=vn[0];vnodes_gained=vn[4]" },
        { "where it is", "user1", "reserve_duration=60", 0, 2, "1#(vn[1]:ncpus=2){0}",
          YES,
          "verdict=confirm;reserve_start=1795334400;reserve_end=1795334460;"
          "resv_nodes=(vn[1]:ncpus=2);vnodes_kept=vn[1]" },
        { "only by force", "user1", "reserve_end=1795422000", 0, 3, "null",
          NO ":reason=held",
          "verdict=force;reason=held;reserve_start=1795420800;reserve_end=1795422000;"
          "resv_nodes=(vn[0]:ncpus=2);vnodes_kept=vn[0];oversubscribed_resv=R2.svr" },
        { "a manager insists", "mgr1", "reserve_end=1795422000", RESV_ACT_FORCE, 3,
          "null", NO ":reason=held",
          "verdict=force;reason=held;reserve_start=1795420800;reserve_end=1795422000;"
          "resv_nodes=(vn[0]:ncpus=2);vnodes_kept=vn[0];oversubscribed_resv=R2.svr" },
        { "nothing changes", "user1", "interactive=5", 0, 3, NULL, NULL,
          "verdict=confirm;reserve_start=1795420800;reserve_end=1795421400;"
          "resv_nodes=(vn[0]:ncpus=2);vnodes_kept=vn[0]" },
        { "into its neighbour", "user1", "reserve_end=1795507200", 0, 3, NULL, NULL,
          "15179 Requested time(s) will interfere with a later occurrence" },
        { "somebody else's", "user2", "reserve_duration=60", 0, 3, NULL, NULL,
          "15007 Unauthorized Request " },
        { "one that is not there", "user1", "reserve_duration=60", 0, 5, NULL, NULL,
          "15084 Unknown Reservation Id" },
        { "a name, which is the series'", "user1", "Reserve_Name=x", 0, 3, NULL, NULL,
          "15003 Cannot set attribute, read only or insufficient permission  "
          "Reserve_Name" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;
        uint64_t seq;

        make(&w);
        seq = svr_model(w.s)->seq;
        dry_try_one(&w, cases[i].user, RESV_ACT_ALTER, cases[i].flags,
                    cases[i].occurrence, "S1", cases[i].attrs);
        if (cases[i].extend)
            dry_answer(&w, cases[i].vnodes, 0, cases[i].extend);
        EXPECT_TEXT(dry_verdict_text(&w), cases[i].expect);
        if (cases[i].extend)
            dry_expect_nothing(&w, seq);
        CU_ASSERT_EQUAL(svr_model(w.s)->seq, seq);
        world_free(&w);
    }
}

/* A scheduler is shown what it would be shown of the real one. */
static void test_what_a_scheduler_is_shown(void)
{
    const struct wire_object *o;
    struct world w;

    make(&w);
    dry_try_one(&w, "user1", RESV_ACT_ALTER, 0, 3, "S1", "reserve_duration=60");
    o = dry_next(&w, "", "", 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    EXPECT_TEXT(o->name, "S1.svr");
    EXPECT_TEXT(wire_attrs_value(&o->attrs, "alter_occurrence", NULL),
                "3:1795420800+60");
    EXPECT_TEXT(wire_attrs_value(&o->attrs, "reserve_state", NULL), "2");
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "root", "S1", "alter_occurrence", NULL, NULL), "");
    world_free(&w);
}

static void test_names(void)
{
    struct world w;

    make(&w);
    dry_try_one(&w, "user1", RESV_ACT_DELETE, 0, 3, "S1", "");
    EXPECT_TEXT(dry_verdict_name(&w), "S1[3].svr");
    dry_try_one(&w, "user1", RESV_ACT_DELETE, 0, 1, "S1", "");
    EXPECT_TEXT(dry_verdict_name(&w), "S1[1].svr");
    dry_try(&w, "user1", RESV_ACT_DELETE, 0, "S1", "");
    EXPECT_TEXT(dry_verdict_name(&w), "S1.svr");
    world_free(&w);
}

/* Of a later one its vnodes, of the current one its jobs, too; of the reservation all.
 */
static void test_deletions(void)
{
    struct world w;
    uint64_t seq;

    make(&w);
    world_go(&w, FIRST);
    world_job(&w, "5.svr", "S1", "(vn[0]:ncpus=2)", NULL);
    seq = svr_model(w.s)->seq;
    dry_try_one(&w, "user1", RESV_ACT_DELETE, 0, 2, "S1", "");
    EXPECT_TEXT(dry_verdict_text(&w), "verdict=confirm;vnodes_released=vn[1]");
    dry_expect_nothing(&w, seq);
    dry_try_one(&w, "user1", RESV_ACT_DELETE, 0, 1, "S1", "");
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=confirm;vnodes_released=vn[0];jobs_deleted=5.svr");
    dry_expect_nothing(&w, seq);
    dry_try(&w, "user1", RESV_ACT_DELETE, 0, "S1", "");
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=confirm;vnodes_released=vn[0],vn[1];jobs_deleted=5.svr");
    dry_expect_nothing(&w, seq);
    EXPECT_TEXT(world_phase(&w, "S1.svr"), "5/5");
    dry_try_one(&w, "user1", RESV_ACT_DELETE, 0, 5, "S1", "");
    EXPECT_TEXT(dry_verdict_text(&w), "15084 Unknown Reservation Id");
    world_free(&w);
}

/* With the last one the reservation goes. */
static void test_the_last_one(void)
{
    struct world w;

    make(&w);
    for (uint32_t i = 2; i <= 4; i++)
        world_act(&w, "user1", RESV_ACT_DELETE, 0, i, "S1.svr", "");
    dry_try_one(&w, "user1", RESV_ACT_DELETE, 0, 1, "S1", "");
    EXPECT_TEXT(dry_verdict_text(&w), "verdict=confirm;vnodes_released=vn[0]");
    EXPECT_TEXT(world_phase(&w, "S1.svr"), "2/2");
    world_free(&w);
}

/* The real one gets what its dry run was told. */
static void test_the_real_one_gets_the_same(void)
{
    struct world w;

    make(&w);
    dry_try_one(&w, "user1", RESV_ACT_ALTER, 0, 3, "S1", "reserve_end=1795422000");
    dry_answer(&w, "(vn[4]:ncpus=2)", 0, YES);
    world_sched_done(&w);
    dry_act(&w, "user1", RESV_ACT_ALTER, 0, 3, "S1", "reserve_end=1795422000");
    world_confirm_at(
        &w, NULL, "S1.svr", "1#(vn[4]:ncpus=2){0}", 0,
        arena_printf(w.arena, "PBS_RESV_CONFIRM_SUCCESS:seq=%s",
                     world_attr(&w, OBJ_RESV, "S1.svr", RESV_A_HF_ALTER_SEQ, NULL)));
    EXPECT_TEXT(
        world_attr(&w, OBJ_OCCURRENCE, "S1[3].svr", OCCURRENCE_A_RESV_NODES, NULL),
        "(vn[4]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_OCCURRENCE, "S1[3].svr", OCCURRENCE_A_END, NULL),
                "1795422000");
    world_free(&w);
}

/* It is deleted while the scheduler thinks, whose answer is about nothing then. */
static void test_it_goes_meanwhile(void)
{
    struct world w;

    make(&w);
    dry_try_one(&w, "user1", RESV_ACT_ALTER, 0, 3, "S1", "reserve_duration=60");
    world_act(&w, "user1", RESV_ACT_DELETE, 0, 3, "S1.svr", "");
    dry_answer(&w, "(vn[0]:ncpus=2)", 0, YES);
    EXPECT_TEXT(dry_verdict_text(&w), "15084 Unknown Reservation Id");
    world_free(&w);
}

/* A scheduler of another make knows nothing of later occurrences. */
static void test_strangers(void)
{
    struct world w;
    uint64_t seq;

    make(&w);
    dry_attach(&w, "");
    seq = svr_model(w.s)->seq;
    dry_try_one(&w, "user1", RESV_ACT_ALTER, 0, 3, "S1", "reserve_duration=60");
    EXPECT_TEXT(dry_verdict_text(&w), "15029 No support for requested service: the "
                                      "scheduler knows nothing of later occurrences");
    dry_try_one(&w, "mgr1", RESV_ACT_ALTER, RESV_ACT_FORCE, 3, "S1",
                "reserve_duration=60");
    EXPECT_TEXT(dry_verdict_text(&w),
                "verdict=force;reason=the scheduler is of another make and is not "
                "asked;"
                "reserve_start=1795420800;reserve_end=1795420860;"
                "resv_nodes=(vn[0]:ncpus=2);vnodes_kept=vn[0]");
    dry_expect_nothing(&w, seq);
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "alterations tell of that one", test_alterations },
        { "its scheduler is shown the question", test_what_a_scheduler_is_shown },
        { "the verdict has the name that was asked for", test_names },
        { "deletions", test_deletions },
        { "with the last one the reservation goes", test_the_last_one },
        { "the real one gets the same", test_the_real_one_gets_the_same },
        { "it may go meanwhile", test_it_goes_meanwhile },
        { "a stranger is never asked", test_strangers },
    };

    return unit_main("server/dry_occurrence", cases, ARRAY_LEN(cases));
}
