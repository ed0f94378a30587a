/* unit.h - what every unit test program shares: run the cases, say the counts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_UNIT_H
#define TEST_UNIT_UNIT_H

#include <CUnit/Basic.h>

struct unit_case {
    const char *name; /* finishes the sentence "it is true that ..." */
    void (*run)(void);
};

/* Run all cases as one suite; the program's exit status. CUnit's own summary lines are
 * what ./check counts. */
static inline int unit_main(const char *suite, const struct unit_case *cases, size_t n)
{
    CU_pSuite s;
    unsigned failed;

    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    s = CU_add_suite(suite, NULL, NULL);
    for (size_t i = 0; i < n; i++)
        if (!s || !CU_add_test(s, cases[i].name, cases[i].run))
            return 2;
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    failed = CU_get_number_of_tests_failed();
    printf("unit: %u passed, %u failed\n", CU_get_number_of_tests_run() - failed,
           failed);
    CU_cleanup_registry();
    return failed ? 1 : 0;
}

#endif
