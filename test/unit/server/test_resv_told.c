/* test_resv_told.c - what is told of a reservation and its queue, in which order: the
 * log lines by which suites follow a reservation, and its accounting records
 * (reservations.md 6, 21).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resv_world.h"

#include <string.h>

#define START  (NOW + 100)
#define OPENED "attributes set:  at request of pbs_server@svr\n"

/* Lines of the log about the queue R1, the reservation R1.svr and the server. */
static const char *order_of_log(const struct world *w)
{
    char *text = arena_strdup(w->arena, "");

    for (size_t i = 0; i < w->out.n; i++) {
        const struct effect *e = &w->out.v[i];

        if (e->kind == EFFECT_LOG && strncmp(e->u.log.object, "R1", 2) == 0)
            text = arena_printf(w->arena, "%s%s: %.22s\n", text, e->u.log.object,
                                e->u.log.text);
    }
    return text;
}

static void submit(struct world *w, const char *more)
{
    world_submit(w, "user1",
                 arena_printf(w->arena,
                              "reserve_start=%d|Resource_List.walltime=60|"
                              "Resource_List.select=1:ncpus=2:mem=1gb%s",
                              START, more));
    CU_ASSERT_EQUAL_FATAL(world_reply_code(w, CONN_USER), 0);
}

static void test_the_queue_is_told_from_its_birth_to_its_end(void)
{
    struct world w;

    world_new(&w);
    submit(&w, "|Authorized_Groups=g1");
    EXPECT_TEXT(world_log_of(&w, "R1"),
                "created at request of pbs_server@svr\n"
                "attributes set: resources_available.mem = 1gb\n"
                "attributes set: resources_available.ncpus = 2\n"
                "attributes set: resources_max.mem = 1gb\n"
                "attributes set: resources_max.ncpus = 2\n"
                "attributes set: queue_type = Execution\n"
                "attributes set: enabled = False\n"
                "attributes set: started = False\n"
                "attributes set: acl_users = user1@svr\n"
                "attributes set: acl_user_enable = True\n"
                "attributes set: acl_groups = g1\n"
                "attributes set: acl_group_enable = True\n");
    CU_ASSERT_PTR_NOT_NULL(strstr(
        order_of_log(&w), "R1: attributes set: acl_gr\nR1.svr: New reservation"));
    world_clear(&w);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    EXPECT_TEXT(order_of_log(&w), "R1: attributes set:  at re\n"
                                  "R1: attributes set: enable\n"
                                  "R1.svr: Reservation confirmed\n");
    EXPECT_TEXT(world_log_of(&w, "R1"), OPENED "attributes set: enabled = True\n");
    world_clear(&w);
    world_go(&w, START);
    EXPECT_TEXT(world_log_of(&w, "R1"), OPENED "attributes set: started = True\n");
    world_clear(&w);
    world_go(&w, START + 60);
    EXPECT_TEXT(world_log_of(&w, "R1"), "deleted at request of pbs_server@svr\n");
    world_free(&w);
}

static void test_a_restart_tells_confirmed_ones_again(void)
{
    struct world w;

    world_new(&w);
    submit(&w, "");
    world_clear(&w);
    world_restart(&w);
    EXPECT_TEXT(world_log_of(&w, "R1"), "");
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    world_clear(&w);
    world_restart(&w);
    EXPECT_TEXT(world_log_of(&w, "R1"), OPENED "attributes set: enabled = True\n");
    world_free(&w);
}

/* Neither times nor users that are altered are told of the queue. */
static void test_alterations_are_not_told_of_the_queue(void)
{
    struct world w;

    world_new(&w);
    submit(&w, "");
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    world_sched_done(&w);
    world_clear(&w);
    world_modify(&w, "user1", "R1.svr", "Authorized_Users=user2", NULL);
    EXPECT_TEXT(world_attr(&w, OBJ_QUEUE, "R1", QUEUE_A_ACL_USERS, NULL), "user2");
    world_modify(&w, "user1", "R1.svr",
                 arena_printf(w.arena, "reserve_end=%d", START + 90), NULL);
    world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
    EXPECT_TEXT(world_attr(&w, OBJ_RESV, "R1.svr", RESV_A_RESERVE_DURATION, NULL),
                "90");
    EXPECT_TEXT(world_log_of(&w, "R1"), "");
    world_free(&w);
}

/* The order of a B record's resources does not depend on the order of the request. */
static void test_the_shape_comes_last(void)
{
    static const char *const cases[] = {
        "|Resource_List.select=1:ncpus=2:mem=1gb|Resource_List.place=excl",
        "|Resource_List.place=excl|Resource_List.select=1:ncpus=2:mem=1gb",
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;
        const char *b;

        world_new(&w);
        world_submit(&w, "user1",
                     arena_printf(w.arena,
                                  "Resource_List.walltime=60|reserve_start=%d%s", START,
                                  cases[i]));
        world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
        world_go(&w, START);
        b = world_account(&w, 'B', 0);
        CU_ASSERT_PTR_NOT_NULL_FATAL(b);
        EXPECT_TEXT(strstr(b, " Resource_List"),
                    " Resource_List.mem=1gb Resource_List.ncpus=2 "
                    "Resource_List.nodect=1 Resource_List.select=1:ncpus=2:mem=1gb "
                    "Resource_List.place=excl Resource_List.walltime=00:01:00 ");
        world_free(&w);
    }
}

/* With jobs in it the queue is closed in the name of who ends the reservation. */
static void test_a_queue_with_jobs_is_closed(void)
{
    static const struct {
        const char *user; /* NULL: the end comes */
        const char *by;
    } cases[] = { { "mgr1", "mgr1@svr" },
                  { "user1", "user1@svr" },
                  { NULL, "root@svr" } };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;

        world_new(&w);
        submit(&w, "");
        world_confirm(&w, "R1.svr", "(vn[0]:ncpus=2)");
        world_go(&w, START);
        world_job(&w, "8.svr", "R1", "(vn[0]:ncpus=2)", NULL);
        world_job(&w, "9.svr", "R1", NULL, NULL);
        world_clear(&w);
        if (cases[i].user)
            world_delete(&w, cases[i].user, "R1.svr");
        else
            world_go(&w, START + 60);
        EXPECT_TEXT(world_log_of(&w, "R1"),
                    arena_printf(w.arena,
                                 "attributes set:  at request of %s\n"
                                 "attributes set: enabled = False\n"
                                 "attributes set: started = False\n",
                                 cases[i].by));
        for (size_t k = 0; k < 2; k++) /* of both jobs, the running one too */
            EXPECT_TEXT(world_account(&w, 'D', k),
                        arena_printf(w.arena, "requestor=%s", cases[i].by));
        CU_ASSERT_EQUAL(world_count_log(&w, arena_printf(w.arena,
                                                         "Job to be deleted at request "
                                                         "of %s",
                                                         cases[i].by)),
                        2);
        world_clear(&w);
        world_delete(&w, "mgr1", "R1.svr"); /* once more */
        EXPECT_TEXT(world_log_of(&w, "R1"), "");
        world_free(&w);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "the queue is told from its birth to its end",
          test_the_queue_is_told_from_its_birth_to_its_end },
        { "a restart tells confirmed ones again",
          test_a_restart_tells_confirmed_ones_again },
        { "alterations are not told of the queue",
          test_alterations_are_not_told_of_the_queue },
        { "the shape of a request comes last in B", test_the_shape_comes_last },
        { "a queue with jobs is closed", test_a_queue_with_jobs_is_closed },
    };

    return unit_main("resv_told", cases, ARRAY_LEN(cases));
}
