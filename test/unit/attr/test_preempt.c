/* Unit tests of the words of preempt_order and preempt_prio (scheduling.md 22).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/preempt.h"

#include "../unit.h"

#include <string.h>

static void test_methods_by_what_is_left(void)
{
    static const struct {
        const char *order;
        int left;
        const char *methods;
    } cases[] = {
        { "SCR", -1, "SCR" },
        { "SCR", 0, "SCR" },
        { "SCR 80 SC 50 S", 100, "SCR" },
        { "SCR 80 SC 50 S", 81, "SCR" },
        { "SCR 80 SC 50 S", 80, "SC" },
        { "SCR 80 SC 50 S", 51, "SC" },
        { "SCR 80 SC 50 S", 50, "S" },
        { "SCR 80 SC 50 S", 0, "S" },
        { "SCR 80 SC 50 S", -1, "SCR" }, /* nobody knows */
        { "  D\t10  R ", 10, "R" },
        /* What nobody may set is read as far as it goes. */
        { "", 50, "" },
        { "SSR", 50, "SR" },
        { "xyz", 50, "" },
        { "S 50", 20, "" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct preempt_methods got = preempt_methods_for(cases[i].order, cases[i].left);

        if (got.n != strlen(cases[i].methods))
            fprintf(stderr, "%s, %d left: %zu methods\n", cases[i].order, cases[i].left,
                    got.n);
        CU_ASSERT_EQUAL_FATAL(got.n, strlen(cases[i].methods));
        CU_ASSERT_EQUAL(memcmp(got.v, cases[i].methods, got.n), 0);
    }
}

static void test_what_is_left(void)
{
    CU_ASSERT_EQUAL(preempt_percent_left(0, 5), -1);
    CU_ASSERT_EQUAL(preempt_percent_left(100, 0), 100);
    CU_ASSERT_EQUAL(preempt_percent_left(100, 1), 99);
    CU_ASSERT_EQUAL(preempt_percent_left(1000, 1), 99); /* rounded down */
    CU_ASSERT_EQUAL(preempt_percent_left(100, 100), 0);
    CU_ASSERT_EQUAL(preempt_percent_left(100, 1000), 0);
    CU_ASSERT_EQUAL(preempt_percent_left(INT64_MAX, -5), 100);
}

static void test_levels(void)
{
    static const struct {
        const char *prio;
        size_t n;
        uint32_t v[4];
    } cases[] = {
        { "express_queue, normal_jobs", 2, { PREEMPT_EXPRESS, PREEMPT_NORMAL } },
        { "normal_jobs", 1, { PREEMPT_NORMAL } },
        { "express_queue + fairshare,normal_jobs ,server_softlimits+queue_softlimits",
          3,
          { PREEMPT_EXPRESS | PREEMPT_FAIRSHARE, PREEMPT_NORMAL,
            PREEMPT_SERVER_SOFT | PREEMPT_QUEUE_SOFT } },
        { "", 0, { 0 } },
        { ",,", 0, { 0 } },
        { "nonsense, fairshare", 1, { PREEMPT_FAIRSHARE } },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct preempt_levels got = preempt_levels_read(cases[i].prio);

        CU_ASSERT_EQUAL_FATAL(got.n, cases[i].n);
        for (size_t k = 0; k < got.n; k++)
            CU_ASSERT_EQUAL(got.v[k], cases[i].v[k]);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "methods go by what is left", test_methods_by_what_is_left },
        { "what is left is rounded down", test_what_is_left },
        { "levels are read", test_levels },
    };

    return unit_main("preempt", cases, ARRAY_LEN(cases));
}
