/* Unit tests of lib/base: arenas, buffers, error values, attribute lists.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/arena.h"
#include "lib/base/attrs.h"
#include "lib/base/buf.h"
#include "lib/base/diag.h"
#include "lib/base/instant.h"

#include "../unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void test_arena_keeps_what_it_gave(void)
{
    struct arena *a = arena_new();
    char *texts[500];
    long double *numbers[500]; /* what needs alignment lies between texts */

    for (int i = 0; i < 500; i++) {
        texts[i] = arena_printf(a, "text number %d, padded with %*s", i, i % 97, "");
        numbers[i] = arena_alloc(a, sizeof(*numbers[i]));
        CU_ASSERT_EQUAL((uintptr_t)numbers[i] % _Alignof(max_align_t), 0);
        *numbers[i] = i;
    }
    for (int i = 0; i < 500; i++) {
        char expect[160];

        snprintf(expect, sizeof(expect), "text number %d, padded with %*s", i, i % 97,
                 "");
        CU_ASSERT_STRING_EQUAL(texts[i], expect);
        CU_ASSERT_EQUAL(*numbers[i], i);
    }
    arena_clear(a);
    CU_ASSERT_EQUAL(arena_used_bytes(a), 0);
    char *big = arena_zero(a, 3 * 1024 * 1024);
    CU_ASSERT_EQUAL(big[3 * 1024 * 1024 - 1], 0);
    CU_ASSERT_PTR_NULL(arena_strdup(a, NULL));
    CU_ASSERT_STRING_EQUAL(arena_strndup(a, "abcdef", 3), "abc");
    CU_ASSERT_STRING_EQUAL(arena_strndup(a, NULL, 0), "");
    arena_free(a);
    arena_free(NULL);
}

static void test_texts_of_an_arena_cost_their_bytes(void)
{
    struct arena *a = arena_new();
    size_t sum = 0;

    for (size_t len = 0; len < 100; len++) {
        char *text = arena_text(a,
                                "0123456789 NUL \0 "
                                "0123456789 0123456789 0123456789 0123456789 "
                                "0123456789 0123456789 0123456789 0123456789",
                                len);

        CU_ASSERT_EQUAL(text[len], '\0');
        sum += len + 1;
        CU_ASSERT_EQUAL(arena_used_bytes(a), sum);
    }
    arena_free(a);
}

static void test_a_failed_step_gives_back(void)
{
    struct arena *a = arena_new();
    char *kept = arena_strdup(a, "kept");
    struct arena_mark mark = arena_mark(a);
    char *next = arena_strdup(a, "gone");

    for (size_t len = 1; len < 100000; len *= 2)
        memset(arena_alloc(a, len), 'x', len);
    arena_rewind(a, &mark);
    CU_ASSERT_EQUAL(arena_used_bytes(a), 5);
    CU_ASSERT_PTR_EQUAL(arena_strdup(a, "here"), next);
    CU_ASSERT_STRING_EQUAL(kept, "kept");
    arena_free(a);
}

static void test_an_array_grows_in_its_arena(void)
{
    struct {
        size_t n, cap;
        int *v;
    } list = { 0 };
    struct arena *a = arena_new();

    for (int i = 0; i < 1000; i++) {
        ARENA_ROOM(a, &list, v, 3);
        CU_ASSERT_TRUE_FATAL(list.n < list.cap);
        list.v[list.n++] = i;
        if (i < 4)
            CU_ASSERT_EQUAL(list.cap, i < 3 ? 3 : 6);
    }
    for (int i = 0; i < 1000; i++)
        CU_ASSERT_EQUAL(list.v[i], i);
    arena_free(a);
}

static void test_numbers_in_a_buffer(void)
{
    static const uint64_t numbers[] = { 0, 7, 10, 99, 100, 1234567890, UINT64_MAX };

    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        for (int width = 1; width <= 20; width++) {
            struct buf b = { 0 };
            char text[32];

            snprintf(text, sizeof(text), "%0*" PRIu64, width, numbers[i]);
            buf_add_uint(&b, numbers[i], width);
            CU_ASSERT_STRING_EQUAL(b.data, text);
            buf_fini(&b);
        }
}

static void test_buf_grows_and_is_eaten(void)
{
    struct buf b = { 0 };

    for (int i = 0; i < 1000; i++)
        buf_printf(&b, "%d,", i);
    CU_ASSERT_EQUAL(strncmp(b.data, "0,1,2,3,", 8), 0);
    CU_ASSERT_EQUAL(b.data[b.len], '\0');
    buf_eat(&b, 4);
    CU_ASSERT_EQUAL(strncmp(b.data, "2,3,", 4), 0);
    buf_eat(&b, b.len);
    CU_ASSERT_EQUAL(b.len, 0);
    buf_add(&b, "a\0b", 3);
    CU_ASSERT_EQUAL(b.len, 3);
    CU_ASSERT_EQUAL(memcmp(b.data, "a\0b", 4), 0);

    char *s = buf_take(&b);
    CU_ASSERT_PTR_NULL(b.data);
    free(s);
    s = buf_take(&b);
    CU_ASSERT_STRING_EQUAL(s, "");
    free(s);
    buf_fini(&b);
}

static void test_catalogue_has_the_exact_texts(void)
{
    static const struct {
        int code;
        const char *name, *text;
    } cases[] = {
        { PBSE_NONE, "PBSE_NONE", "" },
        { PBSE_UNKJOBID, "PBSE_UNKJOBID", "Unknown Job Id" },
        { PBSE_PERM, "PBSE_PERM", "Unauthorized Request " },
        { 15084, "PBSE_UNKRESVID", "Unknown Reservation Id" },
        { 15086, "PBSE_BADTSPEC", "Bad time specification(s)" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CU_ASSERT_STRING_EQUAL(pbse_text(cases[i].code), cases[i].text);
        CU_ASSERT_STRING_EQUAL(pbse_name(cases[i].code), cases[i].name);
    }
    CU_ASSERT_PTR_NULL(pbse_text(14999));
    CU_ASSERT_PTR_NULL(pbse_name(99999));
}

static void test_diag_puts_one_blank_before_the_name(void)
{
    struct diag why = { 0 };

    CU_ASSERT_EQUAL(diag_about(&why, PBSE_UNKRESC, "Resource_List.foo"), PBSE_UNKRESC);
    CU_ASSERT_STRING_EQUAL(why.text, "Unknown resource Resource_List.foo");
    diag_about(&why, PBSE_NOATTR, "foo");
    CU_ASSERT_STRING_EQUAL(why.text, "Undefined attribute  foo");
    CU_ASSERT_EQUAL(diag_set(NULL, PBSE_PERM, "%s", "unseen"), PBSE_PERM);
}

static void test_words_of_a_list(void)
{
    static const struct {
        const char *list;
        bool has;
    } rows[] = {
        { NULL, false },         { "", false },           { "why", true },
        { "changes,why", true }, { "why,changes", true }, { "a,why,b", true },
        { "whys", false },       { "a why", false },      { "wh", false },
        { ",why", true },        { "WHY", false },        { "changes,", false },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CU_ASSERT_EQUAL(str_list_has(rows[i].list, "why"), rows[i].has);
    CU_ASSERT_TRUE(str_list_has("a,,b", ""));
}

static void test_attrs_are_found_by_name_and_resource(void)
{
    struct arena *a = arena_new();
    struct wire_attrs list = { 0 };

    for (int i = 0; i < 40; i++)
        wire_attrs_add(&list, a, "filler", NULL, "", WIRE_OP_SET);
    wire_attrs_add(&list, a, "Resource_List", "ncpus", "2", WIRE_OP_SET);
    wire_attrs_add(&list, a, "Resource_List", "mem", "1gb", WIRE_OP_SET);
    CU_ASSERT_EQUAL(list.n, 42);
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&list, "resource_list", "MEM"), "1gb");
    CU_ASSERT_STRING_EQUAL(wire_attrs_value(&list, "Resource_List", NULL), "2");
    CU_ASSERT_PTR_NULL(wire_attrs_value(&list, "Resource_List", "walltime"));
    CU_ASSERT_PTR_NULL(wire_attrs_value(&list, "filler", "ncpus"));
    arena_free(a);
}

static void test_never_is_as_late_as_it_gets(void)
{
    CU_ASSERT_EQUAL(instant_after(10, 5), 15);
    CU_ASSERT_EQUAL(instant_after(10, -15), -5);
    CU_ASSERT_EQUAL(instant_after(10, INT64_MAX - 10), INT64_MAX);
    CU_ASSERT_EQUAL(instant_after(10, INT64_MAX - 9), INT64_MAX);
    CU_ASSERT_EQUAL(instant_after(INT64_MAX, INT64_MAX), INT64_MAX);
    CU_ASSERT_EQUAL(instant_after(-10, INT64_MIN), INT64_MIN);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "an arena keeps what it gave", test_arena_keeps_what_it_gave },
        { "texts of an arena cost their bytes",
          test_texts_of_an_arena_cost_their_bytes },
        { "a failed step gives its memory back", test_a_failed_step_gives_back },
        { "an array grows in its arena", test_an_array_grows_in_its_arena },
        { "a buffer grows and is eaten", test_buf_grows_and_is_eaten },
        { "numbers in a buffer have their digits", test_numbers_in_a_buffer },
        { "the catalogue has the exact texts", test_catalogue_has_the_exact_texts },
        { "a diag puts one blank before the name",
          test_diag_puts_one_blank_before_the_name },
        { "a word is found in a list with commas", test_words_of_a_list },
        { "attributes are found by name and resource",
          test_attrs_are_found_by_name_and_resource },
        { "never is as late as it gets", test_never_is_as_late_as_it_gets },
    };

    return unit_main("base", cases, ARRAY_LEN(cases));
}
