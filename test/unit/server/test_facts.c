/* test_facts.c - what facts cause is one row each (react/react_table.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/react.h"

#include "../unit.h"

#include <string.h>

static bool says_anything(const struct react_row *row)
{
    return row->log || row->account || row->mail || row->wake || row->answer;
}

/* The kind that the first word of a fact's name is about; OBJ_KIND_COUNT for facts
 * about objects of all kinds. */
static enum obj_kind kind_of(enum fact fact)
{
    const char *name = fact_name(fact);
    enum obj_kind kind = OBJ_KIND_COUNT;

    for (int k = 0; k < OBJ_KIND_COUNT; k++) {
        const char *word = kind_name((enum obj_kind)k);

        if (strncmp(name, word, strlen(word)) == 0 && name[strlen(word)] == '.')
            kind = (enum obj_kind)k;
    }
    return kind;
}

static void test_a_fact_is_told_of_its_own_kind_only(void)
{
    for (int f = 0; f < FACT_COUNT; f++)
        for (int k = 0; k < OBJ_KIND_COUNT; k++) {
            enum obj_kind own = kind_of((enum fact)f);

            /* A later occurrence has facts of a reservation, since it becomes one. */
            if (own == OBJ_RESV && k == OBJ_OCCURRENCE)
                continue;
            if (own != OBJ_KIND_COUNT && own != (enum obj_kind)k)
                CU_ASSERT_FALSE(
                    says_anything(react_row((enum fact)f, (enum obj_kind)k)));
        }
}

/* Facts that nobody is told of are few and known: a new fact needs a row or a place
 * here. */
static void test_facts_without_a_row_are_known(void)
{
    static const enum fact silent[] = { FACT_LOADED,      FACT_RESV_HEALED,
                                        FACT_JOB_USAGE,   FACT_JOB_FORGOTTEN,
                                        FACT_ARRAY_TOOK,  FACT_SUBJOB_MADE,
                                        FACT_SUBJOB_TAKEN };

    for (int f = 0; f < FACT_COUNT; f++) {
        bool told = false, expected = true;

        for (int k = 0; k < OBJ_KIND_COUNT; k++)
            told |= says_anything(react_row((enum fact)f, (enum obj_kind)k));
        for (size_t i = 0; i < ARRAY_LEN(silent); i++)
            expected &= silent[i] != (enum fact)f;
        if (told != expected)
            fprintf(stderr, "%s\n", fact_name((enum fact)f));
        CU_ASSERT_EQUAL(told, expected);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "a fact is told of its own kind only",
          test_a_fact_is_told_of_its_own_kind_only },
        { "facts without a row are known", test_facts_without_a_row_are_known },
    };

    return unit_main("facts", cases, ARRAY_LEN(cases));
}
