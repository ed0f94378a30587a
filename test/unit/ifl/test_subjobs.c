/* Unit tests of the subjobs that libpbs makes (wire.md 8.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include "../unit.h"

#include <stdlib.h>
#include <string.h>

struct text_attr {
    const char *name, *value;
};

static struct batch_status *object(const char *name, const char *remaining,
                                   struct batch_status *next)
{
    struct batch_status *st = calloc(1, sizeof(*st));
    const struct text_attr list[] = {
        { "Job_Name", "arr" }, { "job_state", "B" },
        { "substate", "20" },  { "array_indices_remaining", remaining },
        { "array", "True" },   { "array_state_count", "Queued:9" }
    };
    struct attrl **end = &st->attribs;

    st->next = next;
    st->name = strdup(name);
    for (size_t i = 0; i < ARRAY_LEN(list); i++) {
        *end = ifl_attrl_new(list[i].name, NULL, list[i].value, SET);
        end = &(*end)->next;
    }
    return st;
}

static void expect_names(const struct batch_status *list, const char *names)
{
    char text[512] = "";

    for (; list; list = list->next) {
        strcat(text, list->name);
        strcat(text, " ");
    }
    CU_ASSERT_STRING_EQUAL(text, names);
}

static const char *value_of(const struct batch_status *st, const char *name)
{
    for (const struct attrl *a = st->attribs; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return a->value;
    return "(none)";
}

static void test_what_remains_is_made_and_sorted(void)
{
    struct batch_status *list = object(
        "1.x", "",
        object("7[].x", "2,4-8:2,9",
               object("7[5].x", "", object("7[1].x", "", object("8.x", "", NULL)))));
    const struct batch_status *made;

    CU_ASSERT_EQUAL(ifl_fill_subjobs(list), 0);
    expect_names(list,
                 "1.x 7[].x 7[1].x 7[2].x 7[4].x 7[5].x 7[6].x 7[8].x 7[9].x 8.x ");
    made = list->next->next->next;
    CU_ASSERT_STRING_EQUAL(value_of(made, "Job_Name"), "arr");
    CU_ASSERT_STRING_EQUAL(value_of(made, "job_state"), "Q");
    CU_ASSERT_STRING_EQUAL(value_of(made, "substate"), "10");
    CU_ASSERT_STRING_EQUAL(value_of(made, "array"), "(none)");
    CU_ASSERT_STRING_EQUAL(value_of(made, "array_state_count"), "(none)");
    CU_ASSERT_STRING_EQUAL(value_of(list->next, "job_state"), "B");
    pbs_statfree(list);
}

static void test_a_subjob_is_not_made_twice(void)
{
    struct batch_status *list =
        object("7[].x", "1-3", object("7[2].x", "", object("70[1].x", "", NULL)));

    CU_ASSERT_EQUAL(ifl_fill_subjobs(list), 0);
    expect_names(list, "7[].x 7[1].x 7[2].x 7[3].x 70[1].x ");
    CU_ASSERT_STRING_EQUAL(value_of(list->next->next, "job_state"), "B");
    pbs_statfree(list);
}

static void test_odd_answers_do_no_harm(void)
{
    static const char *const odd[] = { "",    "-",   "x",     "1-",
                                       "3-1", "1:0", "1-5:",  "1 2",
                                       "-1",  ",",   "1-2-3", "99999999999999999999" };

    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        struct batch_status *list = object("7[].x", odd[i], NULL);

        CU_ASSERT_EQUAL(ifl_fill_subjobs(list), 0);
        pbs_statfree(list);
    }
    CU_ASSERT_EQUAL(ifl_fill_subjobs(NULL), 0);
}

/* A short answer must not become gigabytes. */
static void test_an_answer_does_not_grow_without_bounds(void)
{
    struct batch_status *list = object("7[].x", "0-9999999,0-9999999", NULL);
    char *large = malloc(1 << 20);

    memset(large, 'v', (1 << 20) - 1);
    large[(1 << 20) - 1] = '\0';
    free(list->attribs->value);
    list->attribs->value = large;
    CU_ASSERT_EQUAL(ifl_fill_subjobs(list), PBSE_PROTOCOL);
    CU_ASSERT_PTR_NULL(list->next);
    pbs_statfree(list);
}

int main(void)
{
    static const struct unit_case tests[] = {
        { "what remains is made and sorted", test_what_remains_is_made_and_sorted },
        { "a subjob is not made twice", test_a_subjob_is_not_made_twice },
        { "odd answers do no harm", test_odd_answers_do_no_harm },
        { "an answer does not grow without bounds",
          test_an_answer_does_not_grow_without_bounds },
    };

    return unit_main("ifl subjobs", tests, ARRAY_LEN(tests));
}
