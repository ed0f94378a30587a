/* Unit tests of lib/attr/formula: what a job sort formula may be.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/formula.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

static void test_formulas(void)
{
    static const struct {
        const char *text;
        int code;
    } cases[] = {
        { "ncpus", 0 },
        { " 5*ncpus + 0.05 * walltime ", 0 },
        { "NCPUS", 0 },
        { "(ncpus+nodect)*2 if mem > 1e3 else -walltime**.5", 0 },
        { "queue_priority + 10*(eligible_time/3600.) + job_priority", 0 },
        { "fairshare_perc * fair_share_perc / fairshare_factor", 0 },
        { "fairshare_tree_usage+accrue_type", 0 },
        { "sqrt(ncpus) + max(1, log(mem, 2),) - min([ncpus, 2])", 0 },
        { "lic if lic else 0 if ncpus else 1", 0 },
        { "not ncpus or ncpus<3 and lic != 2", 0 },
        { "1_000 // 7 % 3 << 2 | 1 & ~ncpus ^ 5", 0 },
        { "1/0", 0 },
        { "--1", 0 },
        { "min((1, 2))", 0 },
        { "[1, ncpus][1]", 0 },
        { "ncpus*\nmem", 0 },
        { "1+(", PBSE_BAD_FORMULA },
        { "1+", PBSE_BAD_FORMULA },
        { "", PBSE_BAD_FORMULA },
        { "   ", PBSE_BAD_FORMULA },
        { "()", PBSE_BAD_FORMULA },
        { "ncpus mem", PBSE_BAD_FORMULA },
        { "ncpus)", PBSE_BAD_FORMULA },
        { "(ncpus", PBSE_BAD_FORMULA },
        { "ncpus = 3", PBSE_BAD_FORMULA },
        { "1 if ncpus", PBSE_BAD_FORMULA },
        { "if ncpus else 2", PBSE_BAD_FORMULA },
        { "2e", PBSE_BAD_FORMULA },
        { "2x", PBSE_BAD_FORMULA },
        { "1..2", PBSE_BAD_FORMULA },
        { "import os", PBSE_BAD_FORMULA },
        { "ncpus; mem", PBSE_BAD_FORMULA },
        { "ncpus # mem", PBSE_BAD_FORMULA },
        { "\"ncpus\"", PBSE_BAD_FORMULA },
        { "'ncpus'", PBSE_BAD_FORMULA },
        { "(1).__class__", PBSE_BAD_FORMULA },
        { "max(1,,2)", PBSE_BAD_FORMULA },
        { "nosuch*(", PBSE_BAD_FORMULA },
        { "ncpus*x", PBSE_BAD_FORMULA_KW },
        { "__import__(1)", PBSE_BAD_FORMULA_KW },
        { "colour", PBSE_BAD_FORMULA_TYPE },
        { "ncpus + flag", PBSE_BAD_FORMULA_TYPE },
        { "select", PBSE_BAD_FORMULA_TYPE },
        { "x + colour", PBSE_BAD_FORMULA_KW },
        { "colour + x", PBSE_BAD_FORMULA_TYPE },
    };
    struct resource_defs *defs = resource_defs_new();
    struct diag why;

    CU_ASSERT_EQUAL(resource_define(defs, "lic", "long", "", &why), 0);
    CU_ASSERT_EQUAL(resource_define(defs, "colour", "string", "", &why), 0);
    CU_ASSERT_EQUAL(resource_define(defs, "flag", "boolean", "", &why), 0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int code = formula_check(cases[i].text, defs, &why);

        if (code != cases[i].code)
            fprintf(stderr, "%s: %d\n", cases[i].text, code);
        CU_ASSERT_EQUAL(code, cases[i].code);
        if (code)
            CU_ASSERT_EQUAL(why.code, code);
    }
    resource_defs_free(defs);
}

/* Nesting has an end before the stack has. */
static void test_depth(void)
{
    static char text[200001];
    struct resource_defs *defs = resource_defs_new();
    struct diag why;

    memset(text, '(', sizeof(text) - 1);
    CU_ASSERT_EQUAL(formula_check(text, defs, &why), PBSE_BAD_FORMULA);
    memset(text, '-', sizeof(text) - 1);
    text[sizeof(text) - 2] = '1';
    CU_ASSERT_EQUAL(formula_check(text, defs, &why), 0);
    for (size_t i = 0; i + 1 < sizeof(text); i++)
        text[i] = "1 if 1 else "[i % 12];
    CU_ASSERT_EQUAL(formula_check(text, defs, &why), PBSE_BAD_FORMULA);
    CU_ASSERT_EQUAL(formula_check("((((((((((ncpus))))))))))", defs, &why), 0);
    resource_defs_free(defs);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a formula is an expression of known numbers", test_formulas },
        { "a formula that nests without end is none", test_depth },
    };

    return unit_main("formula", cases, ARRAY_LEN(cases));
}
