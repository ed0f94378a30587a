/* Unit tests of ModifyResv: each row of the tables of reservations.md 13.4 and 13.6,
 * the proposal beside the reservation, its answers, and what is promised twice.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include "server/model/resv_oversub.h"

#include <string.h>

#define START 1795248000
#define YES   "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default"
#define NO    "PBS_RESV_CONFIRM_FAIL"

/* R1 holds vn[0] and vn[1]. */
enum situation {
    UN,        /* START to START + 600, nobody has answered */
    CO,        /* the same, confirmed */
    DG,        /* vn[1] is gone */
    RN,        /* from NOW to NOW + 600 */
    RN_JOB,    /* a job runs on vn[0] */
    RN_STANDS, /* and is suspended */
    RN_EXITS,  /* or exiting */
    RN_HELD,   /* a job waits in it */
    RN_DG,     /* vn[1] is gone */
    BD         /* it is being deleted; the job has not gone yet */
};

static void in_state(struct world *w, const char *job, const char *state,
                     const char *substate)
{
    world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, job, JOB_A_JOB_STATE, NULL, state);
    world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, job, JOB_A_SUBSTATE, NULL, substate);
}

static void make(struct world *w, enum situation s)
{
    bool runs = s >= RN;

    world_new(w);
    if (s == UN) {
        world_submit(w, "user1",
                     "reserve_start=1795248000|Resource_List.walltime=600|"
                     "Resource_List.select=2:ncpus=2");
        world_clear(w);
        return;
    }
    world_reserve(w, 2, runs ? NOW : START, 600);
    if (s == RN_JOB || s == RN_STANDS || s == RN_EXITS || s == BD)
        world_job(w, "5.svr", "R1", "(vn[0]:ncpus=2)", NULL);
    if (s == RN_STANDS)
        in_state(w, "5.svr", "R", "43");
    if (s == RN_EXITS)
        in_state(w, "5.svr", "E", "51");
    if (s == RN_HELD)
        world_job(w, "5.svr", "R1", NULL, NULL);
    if (s == DG || s == RN_DG)
        world_vnode(w, "vn[1]", NODE_OFFLINE);
    if (s == BD)
        world_delete(w, "user1", "R1");
    if (runs)
        world_go(w, NOW + 100);
    world_clear(w);
}

static const char *window(struct world *w)
{
    return arena_printf(w->arena, "%s-%s=%s",
                        world_attr(w, OBJ_RESV, "R1", RESV_A_RESERVE_END, NULL),
                        world_attr(w, OBJ_RESV, "R1", RESV_A_RESERVE_START, NULL),
                        world_attr(w, OBJ_RESV, "R1", RESV_A_RESERVE_DURATION, NULL));
}

/* The tables. */

static void test_what_is_refused(void)
{
    static const struct {
        const char *story;
        enum situation in;
        const char *user, *attrs, *extend;
        int code;
        const char *text;
    } cases[] = {
        /* who */
        { "a stranger", CO, "user2", "Reserve_Name=x", NULL, PBSE_PERM, NULL },
        { "force by the owner", CO, "user1", "reserve_duration=60", "force", PBSE_PERM,
          NULL },
        { "force of nothing for the scheduler", CO, "mgr1", "Reserve_Name=x", "force",
          PBSE_NOSUP, NULL },
        { "force of a select", CO, "mgr1", "Resource_List.select=1:ncpus=2", "force",
          PBSE_NOSUP, NULL },
        { "force of times and a select", CO, "mgr1",
          "reserve_duration=60|Resource_List.select=1:ncpus=2", "force", PBSE_NOSUP,
          NULL },
        /* the start */
        { "a start now, unconfirmed", UN, "user1", "reserve_start=1795247571", NULL,
          PBSE_BADTSPEC, NULL },
        { "a start now", CO, "user1", "reserve_start=1795247571", NULL, PBSE_BADTSPEC,
          NULL },
        { "a start now, degraded", DG, "user1", "reserve_start=1795247571", NULL,
          PBSE_BADTSPEC, NULL },
        { "a start in the past, running", RN, "user1", "reserve_start=1795247571", NULL,
          PBSE_BADTSPEC, NULL },
        { "a start, with a job", RN_JOB, "user1", "reserve_start=1795247700", NULL,
          PBSE_RESV_NOT_EMPTY, "Reservation not empty" },
        { "a start, with a job that is suspended", RN_STANDS, "user1",
          "reserve_start=1795247700", NULL, PBSE_RESV_NOT_EMPTY, NULL },
        { "a start, with a job that is exiting", RN_EXITS, "user1",
          "reserve_start=1795247700", NULL, PBSE_RESV_NOT_EMPTY, NULL },
        { "a start in the past, with a job", RN_JOB, "user1", "reserve_start=5", NULL,
          PBSE_RESV_NOT_EMPTY, NULL },
        { "end and duration, with a job", RN_JOB, "user1",
          "reserve_end=1795248900|reserve_duration=60", NULL, PBSE_RESV_NOT_EMPTY,
          NULL },
        { "end and duration into the past, running", RN, "user1",
          "reserve_end=1795247900|reserve_duration=600", NULL, PBSE_BADTSPEC, NULL },
        /* derivations that fail */
        { "an end before the start", CO, "user1", "reserve_end=1795247999", NULL,
          PBSE_BADTSPEC, "Bad time specification(s)" },
        { "an end at the start", CO, "user1", "reserve_end=1795248000", NULL,
          PBSE_BADTSPEC, NULL },
        { "a start at the end", CO, "user1", "reserve_start=1795248600", NULL,
          PBSE_BADTSPEC, NULL },
        { "no duration", CO, "user1", "reserve_duration=0", NULL, PBSE_BADTSPEC, NULL },
        { "all three disagree", CO, "user1",
          "reserve_start=1795248000|reserve_end=1795248600|reserve_duration=601", NULL,
          PBSE_BADTSPEC, NULL },
        { "a derived start in the past", CO, "user1",
          "reserve_end=1795248600|reserve_duration=9000", NULL, PBSE_BADTSPEC, NULL },
        /* values */
        { "no time", CO, "user1", "reserve_end=soon", NULL, PBSE_BADATVAL,
          "Illegal attribute or resource value reserve_end" },
        { "no duration at all", CO, "user1", "reserve_duration=", NULL, PBSE_BADATVAL,
          NULL },
        { "no seconds to wait", CO, "user1", "interactive=0", NULL, PBSE_BADATVAL,
          "Illegal attribute or resource value interactive" },
        { "mail points", CO, "user1", "Mail_Points=xyz", NULL, PBSE_BADATVAL,
          "Illegal attribute or resource value Mail_Points" },
        { "another resource", CO, "user1", "Resource_List.ncpus=1", NULL, PBSE_BADATVAL,
          "Illegal attribute or resource value Resource_List.ncpus" },
        { "walltime", RN, "user1", "Resource_List.walltime=60", NULL, PBSE_BADATVAL,
          NULL },
        { "an unknown attribute", CO, "user1", "no_such=1", NULL, PBSE_NOATTR, NULL },
        { "not alterable", CO, "user1", "delete_idle_time=60", NULL, PBSE_ATTRRO,
          NULL },
        { "read only", CO, "mgr1", "reserve_state=5", NULL, PBSE_ATTRRO, NULL },
        { "its own bookkeeping", CO, "mgr1", "hf_alter_seq=5", NULL, PBSE_NOATTR,
          NULL },
        /* the select */
        { "more chunks", CO, "user1", "Resource_List.select=3:ncpus=2", NULL,
          PBSE_SELECT_NOT_SUBSET,
          "New select must be made up of a subset of the original chunks" },
        { "other chunks", RN, "user1", "Resource_List.select=1:ncpus=1", NULL,
          PBSE_SELECT_NOT_SUBSET, NULL },
        { "no select", CO, "user1", "Resource_List.select=1:ncpus=x", NULL,
          PBSE_BADATVAL, "Illegal attribute or resource value Resource_List.select" },
        { "no chunks", CO, "user1", "Resource_List.select=0:ncpus=2", NULL,
          PBSE_SELECT_NOT_SUBSET, NULL },
        { "spread out", CO, "user1", "Resource_List.select=1:ncpus=2+1:ncpus=2", NULL,
          PBSE_SELECT_NOT_SUBSET, NULL },
        { "an unknown resource", CO, "user1", "Resource_List.select=1:foo=2", NULL,
          PBSE_UNKRESC, NULL },
        /* when */
        { "while it is deleted", BD, "user1", "Reserve_Name=x", NULL, PBSE_BADSTATE,
          "Request invalid for state of job" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;
        uint64_t seq;

        make(&w, cases[i].in);
        seq = svr_model(w.s)->seq;
        world_modify(&w, cases[i].user, "R1.svr", cases[i].attrs, cases[i].extend);
        if (world_reply_code(&w, CONN_OTHER) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].story,
                    world_reply_code(&w, CONN_OTHER));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), cases[i].code);
        CU_ASSERT_EQUAL(svr_model(w.s)->seq, seq);
        if (cases[i].text)
            EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), cases[i].text);
        world_free(&w);
    }
}

/* The window after a yes, or why it cannot be (times as offsets from START, or from NOW
 * for one that runs). */
static void test_how_times_follow(void)
{
    static const struct {
        const char *story;
        enum situation in;
        const char *attrs, *expect, *phase;
    } cases[] = {
        { "-R: the end stays", CO, "reserve_start=1795248100",
          "1795248600-1795248100=500", "2/2" },
        { "-E: the start stays", CO, "reserve_end=1795248700",
          "1795248700-1795248000=700", "2/2" },
        { "-D: the start stays", CO, "reserve_duration=60", "1795248060-1795248000=60",
          "2/2" },
        { "-D in words", CO, "reserve_duration=01:00:00", "1795251600-1795248000=3600",
          "2/2" },
        { "-R -E", CO, "reserve_start=1795248100|reserve_end=1795248200",
          "1795248200-1795248100=100", "2/2" },
        { "-R -D", CO, "reserve_start=1795248100|reserve_duration=50",
          "1795248150-1795248100=50", "2/2" },
        { "-E -D", CO, "reserve_end=1795248300|reserve_duration=50",
          "1795248300-1795248250=50", "2/2" },
        { "-R -E -D", CO,
          "reserve_start=1795248250|reserve_end=1795248300|reserve_duration=50",
          "1795248300-1795248250=50", "2/2" },
        { "degraded, -E", DG, "reserve_end=1795248700", "1795248700-1795248000=700",
          "2/2" },
        { "unconfirmed, -E", UN, "reserve_end=1795248700", "1795248700-1795248000=700",
          "2/2" },
        { "running, -E", RN, "reserve_end=1795249000", "1795249000-1795247571=1429",
          "5/5" },
        { "running, -D", RN_JOB, "reserve_duration=900", "1795248471-1795247571=900",
          "5/5" },
        { "running, -E with a job", RN_JOB, "reserve_end=1795249000",
          "1795249000-1795247571=1429", "5/5" },
        { "running, -R goes back", RN, "reserve_start=1795248100",
          "1795248171-1795248100=71", "2/2" },
        { "running, -R with a job that waits", RN_HELD, "reserve_start=1795248100",
          "1795248171-1795248100=71", "2/2" },
        { "running, -E -D goes back", RN, "reserve_end=1795249000|reserve_duration=600",
          "1795249000-1795248400=600", "2/2" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, cases[i].in);
        world_modify(&w, "user1", "R1.svr", cases[i].attrs, NULL);
        EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "R1.svr ALTER REQUESTED");
        CU_ASSERT_STRING_NOT_EQUAL(world_phase(&w, "R1.svr"), "gone");
        world_confirm(&w, "R1.svr",
                      cases[i].in == DG ? "(vn[0]:ncpus=2)+(vn[2]:ncpus=2)"
                                        : "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)");
        if (strcmp(window(&w), cases[i].expect) != 0)
            fprintf(stderr, "%s\n", cases[i].story);
        EXPECT_TEXT(window(&w), cases[i].expect);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), cases[i].phase);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTERED), 1);
        CU_ASSERT_EQUAL(world_count_log(&w, "Reservation alter confirmed"), 1);
        CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'Y', 0));
        world_free(&w);
    }
}

/* The proposal. */

static void test_it_is_shown_and_not_made(void)
{
    struct world w;

    make(&w, CO);
    world_modify(&w, "user1", "R1.svr",
                 "reserve_end=1795248700|Resource_List.select=1:ncpus=2|Reserve_Name=n",
                 NULL);
    CU_ASSERT_TRUE(world_has_record(&w, FACT_RESV_ALTER_ASKED, OBJ_RESV, "R1.svr"));
    CU_ASSERT_TRUE(world_commanded(&w, 15));
    CU_ASSERT_EQUAL(world_count_log(&w,
                                    "Attempting to modify reservation end=Sat Nov 21 "
                                    "08:11:40 2026 select=1:ncpus=2"),
                    1);
    /* within */
    EXPECT_TEXT(window(&w), "1795248600-1795248000=600");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_SCHEDSELECT, NULL), "2:ncpus=2");
    /* without */
    static const struct {
        const char *user, *attr, *resource, *expect;
    } shown[] = {
        { "user2", "reserve_state", NULL, "11" },
        { "user2", "reserve_substate", NULL, "2" },
        { "user2", "reserve_start", NULL, "1795248000" },
        { "user2", "reserve_end", NULL, "1795248700" },
        { "user2", "reserve_duration", NULL, "700" },
        { "user2", "Resource_List", "select", "1:ncpus=2" },
        { "user2", "Resource_List", "ncpus", "2" },
        { "user2", "Resource_List", "nodect", "1" },
        { "user2", "Resource_List", "walltime", "00:11:40" },
        { "user2", "resv_nodes", NULL, "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)" },
        { "user2", "Reserve_Name", NULL, "NULL" },
        { "user2", "schedselect", NULL, "" },
        { "user2", "reserve_alter_revert", "start_time", "" },
        { "mgr1", "schedselect", NULL, "1:ncpus=2" },
        { "mgr1", "schedselect_orig", NULL, "2:ncpus=2" },
        { "mgr1", "reserve_alter_revert", "start_time", "1795248000" },
        { "mgr1", "reserve_alter_revert", "walltime", "00:10:00" },
        { "mgr1", "reserve_alter_revert", "select", "2:ncpus=2" },
        { "mgr1", "alter_seq", NULL, "" },
    };
    for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
        world_clear(&w);
        EXPECT_TEXT(world_shown(&w, shown[i].user, "R1.svr", shown[i].attr,
                                shown[i].resource, NULL),
                    shown[i].expect);
    }
    world_clear(&w);
    CU_ASSERT_STRING_NOT_EQUAL(
        world_shown(&w, "root", "R1.svr", "alter_seq", NULL, NULL), "0");
    world_modify(&w, "user1", "R1.svr", "Reserve_Name=x", NULL);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_BADSTATE);
    world_free(&w);
}

/* Names, lists and times of one request come together or not at all. */
static void test_all_of_it_is_one(void)
{
    struct world w;

    for (int yes = 0; yes < 2; yes++) {
        make(&w, CO);
        world_modify(&w, "user1", "R1.svr",
                     "reserve_duration=700|Reserve_Name=n|Authorized_Users=+user2|"
                     "Authorized_Groups=g1|Mail_Points=ce",
                     NULL);
        if (yes)
            world_confirm(&w, "R1.svr", "(vn[3]:ncpus=2)+(vn[4]:ncpus=2)");
        else
            world_deny(&w, "R1.svr");
        EXPECT_TEXT(window(&w),
                    yes ? "1795248700-1795248000=700" : "1795248600-1795248000=600");
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_NAME, NULL),
                    yes ? "n" : "NULL");
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_AUTHORIZED_USERS, NULL),
                    yes ? "+user2" : "user1@svr");
        EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_USERS, NULL),
                    yes ? "+user2" : "user1@svr");
        EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_GROUP_ENABLE, NULL),
                    yes ? "True" : "");
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESV_NODES, NULL),
                    yes ? "(vn[3]:ncpus=2)+(vn[4]:ncpus=2)"
                        : "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)");
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_HF_ALTER_SEQ, NULL), "");
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_HF_ALTER_EDIT, NULL), "");
        CU_ASSERT_EQUAL(world_count_log(&w, "Reservation alter denied"), (size_t)!yes);
        CU_ASSERT_EQUAL(world_account(&w, 'Y', 0) != NULL, yes);
        CU_ASSERT_EQUAL(world_count_mail(&w, "Reservation transitioned"), (size_t)yes);
        world_free(&w);
    }
}

static void test_what_needs_no_scheduler(void)
{
    static const struct {
        enum situation in;
        const char *attrs, *reply;
    } cases[] = {
        { CO, "Reserve_Name=n", "R1.svr ALTER REQUESTED" },
        { CO, "Reserve_Name=n|interactive=9", "R1.svr CONFIRMED" },
        { RN_JOB, "Authorized_Users=user2,user3|interactive=9", "R1.svr CONFIRMED" },
        { UN, "Mail_Points=b|interactive=9", "R1.svr UNCONFIRMED" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, cases[i].in);
        world_modify(&w, "user1", "R1.svr", cases[i].attrs, NULL);
        EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), cases[i].reply);
        CU_ASSERT_FALSE(world_commanded(&w, 15));
        CU_ASSERT_PTR_NULL(world_account(&w, 'Y', 0));
        world_free(&w);
    }
}

static void test_lists_of_the_queue_follow(void)
{
    struct world w;

    make(&w, CO);
    world_modify(&w, "user1", "R1.svr", "Authorized_Groups=g1,g2", NULL);
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_GROUPS, NULL), "g1,g2");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_GROUP_ENABLE, NULL),
                "True");
    world_modify(&w, "user1", "R1.svr", "Authorized_Groups=", NULL);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_AUTHORIZED_GROUPS, NULL), "");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_GROUPS, NULL), "");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_GROUP_ENABLE, NULL), "");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_USERS, NULL), "user1@svr");
    world_free(&w);
}

/* Answers. */

static void test_who_waits_hears(void)
{
    static const struct {
        const char *story;
        const char *answer; /* extension, NULL: none comes */
        const char *expect;
    } cases[] = {
        { "a yes", YES, "R1.svr CONFIRMED" },
        { "a no", NO, "R1.svr DENIED" },
        { "nothing", NULL, "R1.svr UNCONFIRMED" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, CO);
        world_modify(&w, "user1", "R1.svr", "reserve_duration=700|interactive=30",
                     NULL);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), -1);
        if (cases[i].answer)
            world_confirm_at(&w, NULL, "R1.svr", "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)", 0,
                             cases[i].answer);
        else
            world_go(&w, NOW + 30);
        EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), cases[i].expect);
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_INTERACTIVE, NULL),
                    i == 0 ? "30" : "");
        world_free(&w);
    }
}

static void test_a_yes_must_hold(void)
{
    static const struct {
        const char *story;
        enum situation in;
        const char *attrs, *vnodes;
        uint64_t start_at;
        int code;
    } cases[] = {
        { "moved before the start", CO, "reserve_duration=700",
          "(vn[2]:ncpus=2)+(vn[3]:ncpus=2)", START, 0 },
        { "of an older question", CO, "reserve_start=1795248100",
          "(vn[2]:ncpus=2)+(vn[3]:ncpus=2)", START, PBSE_BADSTATE },
        { "running, moved", RN, "reserve_duration=700",
          "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)", NOW, PBSE_BADSTATE },
        { "running, stays", RN, "reserve_duration=700",
          "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)", NOW, 0 },
        { "running degraded, the lost one replaced", RN_DG, "reserve_duration=700",
          "(vn[0]:ncpus=2)+(vn[3]:ncpus=2)", NOW, 0 },
        { "running degraded, the lost one kept", RN_DG, "reserve_duration=700",
          "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)", NOW, PBSE_BADSTATE },
        { "smaller, the one with the job stays", RN_JOB,
          "Resource_List.select=1:ncpus=2", "(vn[0]:ncpus=2)", NOW, 0 },
        { "smaller, the one with the job goes", RN_JOB,
          "Resource_List.select=1:ncpus=2", "(vn[1]:ncpus=2)", NOW, PBSE_BADSTATE },
        { "an unknown vnode", CO, "reserve_duration=700", "(vn[9]:ncpus=2)", START,
          PBSE_SYSTEM },
        { "more than there is", CO, "reserve_duration=700", "(vn[2]:ncpus=3)", START,
          PBSE_BADSTATE },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, cases[i].in);
        world_modify(&w, "user1", "R1.svr", cases[i].attrs, NULL);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), 0);
        world_confirm_at(&w, NULL, "R1.svr", cases[i].vnodes, cases[i].start_at, YES);
        if (world_reply_code(&w, CONN_SCHED) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].story,
                    world_reply_code(&w, CONN_SCHED));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), cases[i].code);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTERED),
                        (size_t)(cases[i].code == 0));
        world_free(&w);
    }
}

static void test_answers_carry_their_number(void)
{
    struct world w;
    const char *seq;

    make(&w, CO);
    world_modify(&w, "user1", "R1.svr", "reserve_duration=700", NULL);
    seq = world_attr(&w, OBJ_RESV, "R1", RESV_A_HF_ALTER_SEQ, NULL);
    world_deny_with(&w, "R1.svr", NO ":seq=0:reason=of before");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), PBSE_BADSTATE);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTER_DENIED), 0);
    world_deny_with(&w, "R1.svr",
                    arena_printf(w.arena, NO ":seq=%s:reason=short of: cpus", seq));
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTER_DENIED), 1);
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user2", "R1.svr", "alter_denied", NULL, "why"),
                "short of: cpus");
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user2", "R1.svr", "alter_denied", NULL, NULL), "");
    world_free(&w);
}

static void test_nobody_answers(void)
{
    struct world w;

    make(&w, CO);
    world_server(&w, SERVER_A_RESV_ANSWER_TIME, NULL, "50");
    world_modify(&w, "user1", "R1.svr", "reserve_duration=700", NULL);
    world_go(&w, NOW + 49);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTER_DENIED), 0);
    world_go(&w, NOW + 50);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTER_DENIED), 1);
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "alter_denied", NULL, "why"),
                "no scheduler answered within 50 s");
    EXPECT_TEXT(window(&w), "1795248600-1795248000=600");
    world_free(&w);
}

/* The server goes while the question is open: it is dropped, the owner gets a mail, and
 * another alteration may be asked for. */
static void test_a_restart_drops_it(void)
{
    for (int force = 0; force < 2; force++) {
        struct world w;

        make(&w, CO);
        world_modify(&w, force ? "mgr1" : "user1", "R1.svr", "reserve_duration=700",
                     force ? "force" : NULL);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTER_ASKED), 1);
        world_clear(&w);
        world_restart(&w);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTER_DENIED), 1);
        CU_ASSERT_EQUAL(world_count_mail(&w, "Alteration dropped, nothing was changed"),
                        1);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
        EXPECT_TEXT(window(&w), "1795248600-1795248000=600");
        EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "alter_denied", NULL, "why"),
                    "the server was started again");
        world_modify(&w, "user1", "R1.svr", "reserve_duration=700", NULL);
        CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTER_ASKED), 1);
        world_free(&w);
    }
}

/* Its promise holds while the question is open: it starts and ends in time. */
static void test_life_goes_on_meanwhile(void)
{
    struct world w;

    make(&w, CO);
    world_server(&w, SERVER_A_RESV_ANSWER_TIME, NULL, "5000");
    world_modify(&w, "user1", "R1.svr", "reserve_end=1795249000|interactive=3000",
                 NULL);
    world_go(&w, START);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "reserve_state", NULL, NULL), "11");
    world_go(&w, START + 600);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "R1.svr BEING DELETED");
    world_free(&w);
}

/* The start was to move; meanwhile it came, and a job with it. */
static void test_a_late_yes(void)
{
    struct world w;

    make(&w, CO);
    world_modify(&w, "user1", "R1.svr", "reserve_start=1795248100", NULL);
    world_go(&w, START);
    world_job(&w, "5.svr", "R1", "(vn[0]:ncpus=2)", NULL);
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[3]:ncpus=2)+(vn[4]:ncpus=2)");
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTER_DENIED), 1);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    EXPECT_TEXT(window(&w), "1795248600-1795248000=600");
    world_free(&w);
}

static void test_running_one_moved_out(void)
{
    struct world w;

    make(&w, RN);
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 2);
    world_modify(&w, "user1", "R1.svr", "reserve_start=1795248100", NULL);
    world_confirm(&w, "R1.svr", "(vn[2]:ncpus=2)+(vn[3]:ncpus=2)");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "2/2");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 0);
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[2]"), 0);
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_STARTED, NULL), "False");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ENABLED, NULL), "True");
    world_clear(&w);
    world_go(&w, 1795248100);
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'B', 0));
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[2]"), 2);
    world_free(&w);
}

static void test_an_end_that_has_come(void)
{
    struct world w;

    make(&w, RN);
    world_modify(&w, "user1", "R1.svr", "reserve_end=1795247600", NULL);
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "R1.svr ALTER REQUESTED");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
    EXPECT_TEXT(world_account(&w, 'Y', 0), "requestor=@ start=1795247571 "
                                           "end=1795247600 nodes=(vn[0]:ncpus=2)+"
                                           "(vn[1]:ncpus=2)");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 0);
    world_free(&w);
}

/* Nobody has answered when the reservation ends by itself: who waits hears of the end,
 * and the log says that it was not altered, also by force. */
static void test_the_end_comes_before_an_answer(void)
{
    for (int force = 0; force < 2; force++) {
        struct world w;

        make(&w, RN);
        world_modify(&w, "mgr1", "R1.svr", "reserve_end=1795248700|interactive=9000",
                     force ? "force" : NULL);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), -1); /* who asked waits */
        world_clear(&w);
        world_go(&w, obj_num(&model_resv(svr_model(w.s), "R1.svr")->obj,
                             RESV_A_RESERVE_END, 0));
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "gone");
        EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "R1.svr BEING DELETED");
        CU_ASSERT_EQUAL(
            world_count_log(&w, "Reservation alter denied: its end has passed"), 1);
        world_free(&w);

        make(&w, RN);
        world_modify(&w, "mgr1", "R1.svr", "reserve_end=1795248700|interactive=9000",
                     force ? "force" : NULL);
        world_clear(&w);
        world_delete(&w, "user1", "R1.svr");
        CU_ASSERT_EQUAL(
            world_count_log(&w, "Reservation alter denied: its end has passed"), 0);
        world_free(&w);
    }
}

static void test_smaller_in_a_series(void)
{
    struct world w;

    make(&w, CO);
    world_later(&w, 2, START + 3600, 600, "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)");
    world_modify(&w, "user1", "R1.svr", "Resource_List.select=1:ncpus=2", NULL);
    world_confirm_at(&w, NULL, "R1.svr", "(vn[0]:ncpus=2)", START, YES);
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_SCHEDSELECT, NULL), "1:ncpus=2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_HF_SERIES_SCHEDSELECT, NULL),
                "2:ncpus=2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_HF_SERIES_RESOURCES, "select"),
                "2:ncpus=2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_HF_SERIES_RESOURCES, "ncpus"),
                "4");
    world_restart(&w);
    world_free(&w);
}

static void test_smaller(void)
{
    struct world w;

    make(&w, RN_DG);
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_RESOURCES_MAX, "ncpus"), "4");
    world_modify(&w, "user1", "R1.svr", "Resource_List.select=1:ncpus=2", NULL);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "5/5");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESOURCE_LIST, "select"),
                "1:ncpus=2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESOURCE_LIST, "ncpus"), "2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESOURCE_LIST, "nodect"), "1");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_SCHEDSELECT, NULL), "1:ncpus=2");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_RESOURCES_MAX, "ncpus"), "2");
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_RESOURCES_AVAILABLE, "ncpus"),
                "2");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[1]"), 0);
    world_clear(&w);
    world_modify(&w, "user1", "R1.svr", "Resource_List.select=2:ncpus=2", NULL);
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), PBSE_SELECT_NOT_SUBSET);
    world_free(&w);
}

/* Force. */

/* R2 has vn[0] after R1. */
static void make_two(struct world *w)
{
    make(w, CO);
    world_submit(w, "user2",
                 "reserve_start=1795248600|Resource_List.walltime=600|"
                 "Resource_List.select=1:ncpus=2");
    world_confirm(w, "R2.svr", "(vn[0]:ncpus=2)");
    world_clear(w);
}

/* While vnodes are awaited a no says little: the question is put again in 5 s. */
static void test_a_no_after_a_restart_is_not_final(void)
{
    struct world w;

    make(&w, CO);
    world_restart_silent(&w);
    world_modify(&w, "user1", "R1.svr", "reserve_end=1795248700", NULL);
    world_clear(&w);
    world_deny(&w, "R1.svr");
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTER_DENIED), 0);
    world_sched_done(&w); /* the next cycle can begin */
    world_go(&w, w.now_at + 4);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 0);
    world_go(&w, w.now_at + 1);
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ASKED), 1);
    CU_ASSERT_TRUE(world_commanded(&w, 15));
    for (int i = 0; i < 5; i++)
        world_vnode(&w, arena_printf(w.arena, "vn[%d]", i), 0);
    world_sched_done(&w); /* of the cycle that began before they reported */
    world_deny(&w, "R1.svr");
    CU_ASSERT_EQUAL(world_count_fact(&w, FACT_RESV_ALTER_DENIED), 1);
    EXPECT_TEXT(window(&w), "1795248600-1795248000=600");
    world_free(&w);
}

static void test_forced_against_a_no(void)
{
    struct world w;

    make_two(&w);
    world_modify(&w, "mgr1", "R1.svr", "reserve_end=1795248700|interactive=60",
                 "force");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), -1);
    world_deny(&w, "R1.svr");
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "R1.svr CONFIRMED");
    EXPECT_TEXT(window(&w), "1795248700-1795248000=700");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESV_NODES, NULL),
                "(vn[0]:ncpus=2)+(vn[1]:ncpus=2)");
    EXPECT_TEXT(world_account(&w, 'Y', 0),
                "requestor=Scheduler@svr start=1795248000 end=1795248700 "
                "nodes=(vn[0]:ncpus=2)+(vn[1]:ncpus=2)");
    CU_ASSERT_EQUAL(
        world_count_log(&w, "Reservation oversubscribes vnodes reservations=R2.svr"),
        1);
    CU_ASSERT_EQUAL(world_count_log(&w,
                                    "Reservation meets R2.svr on vn[0] from Sat Nov "
                                    "21 08:10:00 2026 to Sat Nov 21 08:11:40 2026"),
                    1);
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user2", "R1.svr", "oversubscribed_resv", NULL, NULL),
                "R2.svr");
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user2", "R1.svr", "oversubscribed_on", NULL, NULL),
                "R2.svr on vn[0] from @1795248600 to @1795248700");
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user2", "R1.svr", "oversubscribed_jobs", NULL, NULL),
                "");
    /* until the other one is out of the way */
    world_modify(&w, "user2", "R2.svr", "reserve_start=1795248700", NULL);
    world_confirm(&w, "R2.svr", "(vn[0]:ncpus=2)");
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user2", "R1.svr", "oversubscribed_resv", NULL, NULL),
                "");
    world_free(&w);
}

/* What it has for the same window nobody is asked about again, promised twice or not.
 */
static void test_promised_twice_and_reconfirmed(void)
{
    static const struct {
        const char *story;
        uint64_t start_at; /* of the yes; 0: as it is */
        int code;
    } cases[] = {
        { "the same window", 0, 0 },
        { "one second later", START + 1, PBSE_BADSTATE },
        { "one second earlier", START - 1, PBSE_BADSTATE },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make_two(&w);
        world_modify(&w, "mgr1", "R1.svr", "reserve_end=1795248700", "force");
        world_deny(&w, "R1.svr"); /* vn[0] is R2's as well for 100 s */
        world_vnode(&w, "vn[1]", NODE_OFFLINE);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), "10/10");
        world_clear(&w);
        world_confirm_at(&w, NULL, "R1.svr", "(vn[0]:ncpus=2)+(vn[2]:ncpus=2)",
                         cases[i].start_at, YES);
        if (world_reply_code(&w, CONN_SCHED) != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].story,
                    world_reply_code(&w, CONN_SCHED));
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_SCHED), cases[i].code);
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"),
                               cases[i].code ? "10/10" : "2/2");
        world_free(&w);
    }
}

static void test_forced_with_a_yes(void)
{
    struct world w;

    make_two(&w);
    world_modify(&w, "mgr1", "R1.svr", "reserve_end=1795248700", "force");
    EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "R1.svr ALTER REQUESTED");
    world_confirm(&w, "R1.svr", "(vn[2]:ncpus=2)+(vn[3]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESV_NODES, NULL),
                "(vn[2]:ncpus=2)+(vn[3]:ncpus=2)");
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "oversubscribed_resv", NULL, NULL),
                "");
    world_free(&w);
}

static void test_forced_without_a_scheduler(void)
{
    static const struct {
        enum situation in;
        const char *phase;
    } cases[] = { { UN, "1/1" }, { CO, "2/2" }, { DG, "10/10" }, { RN_DG, "5/10" } };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        make(&w, cases[i].in);
        svr_client_gone(w.s, w.now_at, CONN_SCHED, &w.out);
        world_clear(&w);
        world_modify(&w, "mgr1", "R1.svr", "reserve_duration=900", "force");
        EXPECT_TEXT(world_reply_text(&w, CONN_OTHER), "R1.svr CONFIRMED");
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_DURATION, NULL),
                    "900");
        CU_ASSERT_STRING_EQUAL(world_phase(&w, "R1.svr"), cases[i].phase);
        if (cases[i].in == CO)
            CU_ASSERT_EQUAL(
                strncmp(world_account(&w, 'Y', 0), "requestor=@ start=", 18), 0);
        if (cases[i].in == UN)
            CU_ASSERT_PTR_NULL(world_account(&w, 'Y', 0));
        world_modify(&w, "user1", "R1.svr", "reserve_duration=950", NULL);
        EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1", RESV_A_RESERVE_DURATION, NULL),
                    "900"); /* not forced: it waits */
        world_free(&w);
    }
}

static void test_jobs_in_the_way_are_listed(void)
{
    struct world w;

    make(&w, CO);
    world_job(&w, "7.svr", NULL, "(vn[0]:ncpus=1)", "00:05:00");
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "oversubscribed_jobs", NULL, NULL),
                "");
    world_modify(&w, "mgr1", "R1.svr", "reserve_start=1795247600|reserve_duration=60",
                 "force");
    world_deny(&w, "R1.svr");
    CU_ASSERT_EQUAL(world_count_log(&w, "Reservation oversubscribes vnodes jobs=7.svr"),
                    1);
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "oversubscribed_jobs", NULL, NULL),
                "7.svr");
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "oversubscribed_on", NULL, NULL),
                "7.svr on vn[0] from @1795247600 to @1795247660");
    world_job_end(&w, "7.svr");
    world_clear(&w);
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "oversubscribed_jobs", NULL, NULL),
                "");
    EXPECT_TEXT(world_shown(&w, "user1", "R1.svr", "oversubscribed_on", NULL, NULL),
                "");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a refused request changes nothing", test_what_is_refused },
        { "times that are not given follow", test_how_times_follow },
        { "a proposal is shown and not made", test_it_is_shown_and_not_made },
        { "all of a request is one proposal", test_all_of_it_is_one },
        { "what needs no scheduler is answered at once", test_what_needs_no_scheduler },
        { "the lists of the queue follow", test_lists_of_the_queue_follow },
        { "who waits hears the answer", test_who_waits_hears },
        { "a yes must hold", test_a_yes_must_hold },
        { "answers carry the number of their question",
          test_answers_carry_their_number },
        { "after the answer time it is denied", test_nobody_answers },
        { "life goes on while it is asked", test_life_goes_on_meanwhile },
        { "a yes that comes too late is a no", test_a_late_yes },
        { "a running one moved out waits again", test_running_one_moved_out },
        { "an end that has come needs nobody", test_an_end_that_has_come },
        { "a smaller one and its queue", test_smaller },
        { "a smaller one in a series", test_smaller_in_a_series },
        { "a restart drops it", test_a_restart_drops_it },
        { "a no after a restart is not final", test_a_no_after_a_restart_is_not_final },
        { "the end comes before an answer", test_the_end_comes_before_an_answer },
        { "force against a no", test_forced_against_a_no },
        { "promised twice, it is made again where it is",
          test_promised_twice_and_reconfirmed },
        { "force with a yes", test_forced_with_a_yes },
        { "force without a scheduler", test_forced_without_a_scheduler },
        { "jobs in the way are listed", test_jobs_in_the_way_are_listed },
    };

    return unit_main("resv_alter", cases, ARRAY_LEN(cases));
}
