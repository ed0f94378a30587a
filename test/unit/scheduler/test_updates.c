/* Unit tests of scheduler/shell/updates.c: when comments of jobs are written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/updates.h"

#include "../unit.h"

/* Would a comment be sent in a cycle that begins then? */
static bool sends(struct updates *u, int64_t now_at)
{
    struct plan_step step = { .kind = PLAN_COMMENT_JOB };

    updates_begin(u, now_at);
    step = updates_hold_back(u, &step);
    if (!step.unchanged)
        updates_sent(u);
    return !step.unchanged;
}

static void test_without_a_period(void)
{
    struct updates u = { 0 };

    for (int64_t at = 1000; at < 1003; at++)
        CU_ASSERT_TRUE(sends(&u, at));
    CU_ASSERT_TRUE(sends(&u, 1002)); /* the same second */
}

static void test_a_period(void)
{
    struct updates u = { 0 };

    updates_set_period(&u, "60");
    CU_ASSERT_TRUE(sends(&u, 1000)); /* the first cycle */
    CU_ASSERT_FALSE(sends(&u, 1001));
    CU_ASSERT_FALSE(sends(&u, 1059));
    CU_ASSERT_TRUE(sends(&u, 1060));
    CU_ASSERT_FALSE(sends(&u, 1061));
    updates_set_period(&u, "60"); /* as it was */
    CU_ASSERT_FALSE(sends(&u, 1062));
    updates_set_period(&u, "30"); /* another one: the next cycle sends */
    CU_ASSERT_TRUE(sends(&u, 1063));
    CU_ASSERT_FALSE(sends(&u, 1064));
    CU_ASSERT_TRUE(sends(&u, 900)); /* the clock was set back */
    updates_set_period(&u, NULL);
    CU_ASSERT_TRUE(sends(&u, 901));
    CU_ASSERT_TRUE(sends(&u, 902));
}

/* A cycle that had nothing to say does not use the period up. */
static void test_only_what_is_sent_counts(void)
{
    struct updates u = { 0 };

    updates_set_period(&u, "60");
    updates_begin(&u, 1000);
    CU_ASSERT_TRUE(sends(&u, 1010));
    CU_ASSERT_FALSE(sends(&u, 1069));
    CU_ASSERT_TRUE(sends(&u, 1070));
}

/* With other attributes of the job its comment leaves as well, and puts nothing off. */
static void test_what_goes_along(void)
{
    static const struct plan_step rows[] = {
        { .kind = PLAN_COMMENT_JOB, .accrue_type = "1" },
        { .kind = PLAN_COMMENT_JOB, .topjob = "True" },
        { .kind = PLAN_RUN_JOB },
    };
    struct updates u = { 0 };

    updates_set_period(&u, "60");
    CU_ASSERT_TRUE(sends(&u, 1000));
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct plan_step step;

        updates_begin(&u, 1030);
        step = updates_hold_back(&u, &rows[i]);
        CU_ASSERT_FALSE(step.unchanged);
        CU_ASSERT_FALSE(step.est_known);
        updates_sent(&u);
    }
    CU_ASSERT_TRUE(sends(&u, 1060));
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "without a period each cycle writes", test_without_a_period },
        { "with one comments wait for it", test_a_period },
        { "only what is sent counts", test_only_what_is_sent_counts },
        { "a comment goes along with other attributes", test_what_goes_along },
    };

    return unit_main("updates", cases, ARRAY_LEN(cases));
}
