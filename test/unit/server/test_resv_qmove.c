/* Tests of reservations for jobs that wait (src/server/decide/resv_qmove.c,
 * reservations.md 16): who may ask, what the reservation has, and what becomes of the
 * job.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include <stdio.h>
#include <string.h>

#define OPEN "reserve_start=1893488460|"

/* Jobs: 1 and 2 wait, of user1 and user2; 3 runs; 4 has no walltime. */
static void make(struct world *w)
{
    world_new(w);
    for (int i = 1; i <= 4; i++) {
        char id[16];

        snprintf(id, sizeof(id), "%d.svr", i);
        world_job(w, id, NULL, i == 3 ? "(vn[4]:ncpus=1)" : NULL,
                  i == 4 ? NULL : "600");
        world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, id, JOB_A_JOB_OWNER, NULL,
                   i == 2 ? "user2@svr" : "user1@svr");
        world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, id, JOB_A_RESOURCE_LIST, "select",
                   "1:ncpus=2");
        world_fact(w, FACT_JOB_MODIFIED, OBJ_JOB, id, JOB_A_RESOURCE_LIST, "ncpus",
                   "2");
    }
    world_clear(w);
}

static void who_may_ask_and_what_for(void)
{
    static const struct {
        const char *user, *attrs;
        int code;
    } rows[] = {
        { "user1", "qmove=9.svr", PBSE_UNKJOBID },
        { "user1", "qmove=", PBSE_UNKJOBID },
        { "user1", "qmove=2.svr", PBSE_PERM },
        { "user1", "qmove=3.svr", PBSE_BADSTATE },
        { "user1", "qmove=4.svr", PBSE_BADTSPEC },
        { "user1", "qmove=1.svr|reserve_start=1795248000", PBSE_BADTSPEC },
        { "user1", "qmove=1.svr|reserve_end=1795248600", PBSE_BADTSPEC },
        { "user1", "qmove=1.svr|reserve_job=3.svr", PBSE_NOSUP },
        { "user1", "qmove=1.svr|reserve_standing=1", PBSE_NOSUP },
        { "user1", "qmove=1.svr|reserve_index=3", PBSE_ATTRRO },
        { "user1", "qmove=1.svr", 0 },
        { "user1", "qmove=1", 0 },
        { "user1",
          OPEN "qmove=1.svr|Resource_List.ncpus=2|Resource_List.select=1:ncpus=2", 0 },
        { "user1", "qmove=4.svr|Resource_List.walltime=60", 0 },
        { "mgr1", "qmove=2.svr", 0 },
        { "user2", "qmove=2.svr", 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;
        int code;

        make(&w);
        world_submit(&w, rows[i].user, rows[i].attrs);
        code = world_reply_code(&w, CONN_USER);
        if (code != rows[i].code)
            fprintf(stderr, "%s, %s: %d\n", rows[i].user, rows[i].attrs, code);
        CU_ASSERT_EQUAL(code, rows[i].code);
        /* Who is refused has changed nothing. */
        EXPECT_TEXT(world_phase(&w, "R5.svr"), code ? "gone" : "1/1");
        world_free(&w);
    }
}

static void it_has_what_the_job_asks_for(void)
{
    struct world w;

    make(&w);
    world_submit(&w, "user1", "qmove=1.svr");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R5.svr", RESV_A_SCHEDSELECT, NULL),
                "1:ncpus=2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R5.svr", RESV_A_RESERVE_DURATION, NULL),
                "600");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R5.svr", RESV_A_RESERVE_START, NULL),
                "1893488460");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R5.svr", RESV_A_QMOVE, NULL), "1.svr");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R5.svr", RESV_A_DELETE_IDLE_TIME, NULL),
                "00:10:00");
    world_free(&w);
}

/* Times of a reservation that has none yet cannot be altered; its name can. */
static void it_has_no_times_to_alter(void)
{
    static const struct {
        const char *attrs;
        int code;
    } rows[] = {
        { "reserve_duration=60", PBSE_BADSTATE },
        { "reserve_start=1795248000", PBSE_BADSTATE },
        { "reserve_end=1795248600", PBSE_BADSTATE },
        { "Resource_List.select=1:ncpus=2", PBSE_BADSTATE },
        { "Reserve_Name=later", 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;

        make(&w);
        world_submit(&w, "user1", "qmove=1.svr");
        world_clear(&w);
        world_modify(&w, "user1", "R5.svr", rows[i].attrs, NULL);
        CU_ASSERT_EQUAL(world_reply_code(&w, CONN_OTHER), rows[i].code);
        EXPECT_TEXT(world_phase(&w, "R5.svr"), "1/1");
        world_free(&w);
    }
}

static void it_is_confirmed_and_the_job_moves(void)
{
    struct world w;

    make(&w);
    world_submit(&w, "user1", "qmove=1.svr|interactive=-10");
    world_confirm_at(
        &w,
        &(struct requester){
            .user = "root", .host = "svr", .server_uid = true, .conn = CONN_SCHED },
        "R5.svr", "(vn[0]:ncpus=2)", NOW + 100, "PBS_RESV_CONFIRM_SUCCESS");
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R5.svr CONFIRMED");
    EXPECT_TEXT(world_phase(&w, "R5.svr"), "2/2");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R5.svr", RESV_A_RESERVE_START, NULL),
                arena_printf(w.arena, "%d", NOW + 100));
    EXPECT_TEXT(world_attr(&w, OBJ_JOB, "1.svr", JOB_A_QUEUE, NULL), "R5");
    EXPECT_TEXT(world_attr(&w, OBJ_JOB, "1.svr", JOB_A_RESERVE_ID, NULL), "R5.svr");
    CU_ASSERT_PTR_NOT_NULL(world_account(&w, 'Q', 0));
    /* It is nobody else's to take. */
    world_clear(&w);
    world_submit(&w, "user1", "qmove=1.svr");
    CU_ASSERT_EQUAL(world_reply_code(&w, CONN_USER), PBSE_RESV_FROM_RESVJOB);
    world_free(&w);
}

static void without_the_job_it_ends(void)
{
    struct world w;

    make(&w);
    world_submit(&w, "user1", "qmove=1.svr|interactive=-10");
    world_job_end(&w, "1.svr");
    world_confirm(&w, "R5.svr", "(vn[0]:ncpus=2)");
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R5.svr FAILED");
    EXPECT_TEXT(world_phase(&w, "R5.svr"), "gone");
    CU_ASSERT_EQUAL(world_assigned(&w, "vn[0]"), 0);
    world_free(&w);
}

/* The job was altered while the question was open. */
static void a_job_that_has_grown_stays(void)
{
    static const struct {
        const char *resource, *value;
        bool moves;
    } rows[] = {
        { "ncpus", "2", true },
        { "ncpus", "1", true },
        { "ncpus", "3", false },
        { "walltime", "601", true }, /* no limit of the queue: -D may be less */
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;

        make(&w);
        world_submit(&w, "user1", "qmove=1.svr|interactive=-10");
        world_fact(&w, FACT_JOB_MODIFIED, OBJ_JOB, "1.svr", JOB_A_RESOURCE_LIST,
                   rows[i].resource, rows[i].value);
        world_confirm(&w, "R5.svr", "(vn[0]:ncpus=2)");
        EXPECT_TEXT(world_reply_text(&w, CONN_USER),
                    rows[i].moves ? "R5.svr CONFIRMED" : "R5.svr FAILED");
        EXPECT_TEXT(world_attr(&w, OBJ_JOB, "1.svr", JOB_A_RESERVE_ID, NULL),
                    rows[i].moves ? "R5.svr" : "");
        world_free(&w);
    }
}

/* The first yes moves the job, and the second reservation has none. */
static void a_job_moves_once(void)
{
    struct world w;

    make(&w);
    world_submit(&w, "user1", "qmove=1.svr");
    world_submit(&w, "user1", "qmove=1.svr");
    world_confirm(&w, "R5.svr", "(vn[0]:ncpus=2)");
    world_confirm(&w, "R6.svr", "(vn[1]:ncpus=2)");
    EXPECT_TEXT(world_phase(&w, "R5.svr"), "2/2");
    EXPECT_TEXT(world_phase(&w, "R6.svr"), "gone");
    EXPECT_TEXT(world_attr(&w, OBJ_JOB, "1.svr", JOB_A_QUEUE, NULL), "R5");
    world_free(&w);
}

static void after_a_restart_the_job_moves_too(void)
{
    struct world w;

    make(&w);
    world_submit(&w, "user1", "qmove=1.svr|interactive=-1000");
    world_clear(&w);
    world_restart(&w);
    world_confirm(&w, "R5.svr", "(vn[0]:ncpus=2)");
    EXPECT_TEXT(world_phase(&w, "R5.svr"), "2/2");
    EXPECT_TEXT(world_attr(&w, OBJ_JOB, "1.svr", JOB_A_QUEUE, NULL), "R5");
    world_free(&w);
}

static void nobody_waits_for_ever(void)
{
    struct world w;

    make(&w);
    world_submit(&w, "user1", "qmove=1.svr|interactive=-10");
    world_go(&w, NOW + 11);
    EXPECT_TEXT(world_reply_text(&w, CONN_USER), "R5.svr delete, wait period expired");
    EXPECT_TEXT(world_phase(&w, "R5.svr"), "gone");
    EXPECT_TEXT(world_attr(&w, OBJ_JOB, "1.svr", JOB_A_RESERVE_ID, NULL), "");
    world_free(&w);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "who may ask, and what for", who_may_ask_and_what_for },
        { "it has what the job asks for", it_has_what_the_job_asks_for },
        { "it has no times to alter before it is confirmed", it_has_no_times_to_alter },
        { "it is confirmed at the start that the scheduler says, and the job moves",
          it_is_confirmed_and_the_job_moves },
        { "without the job it ends", without_the_job_it_ends },
        { "a job that has grown stays where it is", a_job_that_has_grown_stays },
        { "a job moves once", a_job_moves_once },
        { "after a restart the job moves, too", after_a_restart_the_job_moves_too },
        { "nobody waits for ever", nobody_waits_for_ever },
    };

    return unit_main("server/resv_qmove", cases, ARRAY_LEN(cases));
}
