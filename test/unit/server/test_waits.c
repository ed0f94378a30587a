/* test_waits.c - replies that wait (engine/waiting.h): which of them go together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"

#include "server/engine/waiting.h"

static struct waiting_reply *waits(struct waiting_table *t, uint64_t conn,
                                   const char *job, int64_t until_at)
{
    const struct wait_for wait_for = {
        .why = WAIT_FOR_RUN, .kind = OBJ_JOB, .id = job, .until_at = until_at
    };

    return waiting_add(t, conn, 1, "ann@svr", 5, &wait_for);
}

/* The deferred run of a job may be nobody's, and then it has no connection. */
static void who_has_no_connection_waits_alone(void)
{
    struct waiting_table t = { 0 };
    struct waiting_reply *w = waits(&t, 0, "1.svr", 0);

    waits(&t, 0, "2.svr", 0);
    waits(&t, 7, "1.svr", 0);
    waiting_drop_conn(&t, 0);
    CU_ASSERT_EQUAL(t.n, 3);
    waiting_remove_all(&t, w);
    CU_ASSERT_EQUAL(t.n, 2);
    CU_ASSERT_PTR_NOT_NULL_FATAL(waiting_first(&t, OBJ_JOB, "1.svr"));
    CU_ASSERT_EQUAL(waiting_first(&t, OBJ_JOB, "1.svr")->conn, 7);
    CU_ASSERT_PTR_NOT_NULL(waiting_first(&t, OBJ_JOB, "2.svr"));
    waiting_drop_conn(&t, 7);
    CU_ASSERT_PTR_NULL(waiting_first(&t, OBJ_JOB, "1.svr"));
    waiting_fini(&t);
    CU_ASSERT_EQUAL(t.n, 0);
}

/* One who waits by itself goes by itself; a group goes as a whole, and nobody else. */
static void a_group_goes_as_a_whole(void)
{
    struct waiting_table t = { 0 };
    struct waiting_group *g = waiting_group_new();
    struct waiting_reply *first = waits(&t, 8, "1.svr", 0);
    struct waiting_reply *alone = waits(&t, 9, "1.svr", 50);

    waiting_group_add(g, first);
    waiting_group_add(g, waits(&t, 8, "2.svr", 20));
    waiting_group_leave(g);
    waits(&t, 9, "2.svr", 40);
    CU_ASSERT_EQUAL(waiting_deadline(&t), 20);
    waiting_remove_all(&t, first);
    CU_ASSERT_EQUAL(t.n, 2);
    CU_ASSERT_PTR_NULL(waiting_of_conn(&t, 8));
    CU_ASSERT_EQUAL(waiting_deadline(&t), 40);
    waiting_remove_all(&t, alone);
    CU_ASSERT_EQUAL(t.n, 1);
    CU_ASSERT_PTR_NOT_NULL(waiting_of_conn(&t, 9));
    CU_ASSERT_PTR_NOT_NULL(waiting_first(&t, OBJ_JOB, "2.svr"));
    waiting_fini(&t);
    CU_ASSERT_EQUAL(waiting_deadline(&t), INT64_MAX);
}

/* Those that began after what is durable, until none is left. */
static void who_came_after_a_record_is_found(void)
{
    struct waiting_table t = { 0 };
    struct waiting_reply *w;
    size_t n = 0;

    for (uint64_t i = 1; i <= 4; i++)
        waits(&t, i, "1.svr", 0)->seq = i;
    for (; (w = waiting_after(&t, 2)); n++)
        waiting_remove_all(&t, w);
    CU_ASSERT_EQUAL(n, 2);
    CU_ASSERT_EQUAL(t.n, 2);
    waiting_fini(&t);
}

static const struct unit_case cases[] = {
    { "who has no connection waits alone", who_has_no_connection_waits_alone },
    { "a group goes as a whole", a_group_goes_as_a_whole },
    { "who came after a record is found", who_came_after_a_record_is_found },
};

int main(void)
{
    return unit_main("replies that wait", cases, ARRAY_LEN(cases));
}
