/* Unit tests of the extension of ConfirmResv.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/confirm.h"

#include "../unit.h"

#include <string.h>

static void same_text(const char *got, const char *expect)
{
    CU_ASSERT_STRING_EQUAL(got ? got : "(none)", expect ? expect : "(none)");
}

static void test_read(void)
{
    static const struct {
        const char *text;
        struct wire_confirm expect;
    } cases[] = {
        { "PBS_RESV_CONFIRM_SUCCESS", { .yes = true } },
        { "PBS_RESV_CONFIRM_SUCCESS:partition=p1", { .yes = true, .partition = "p1" } },
        { "PBS_RESV_CONFIRM_SUCCESS:seq=7:partition=p1",
          { .yes = true, .has_seq = true, .seq = 7, .partition = "p1" } },
        { "PBS_RESV_CONFIRM_SUCCESS:partition=", { .yes = true } },
        { "PBS_RESV_CONFIRM_SUCCESS:other=x:seq=0",
          { .yes = true, .has_seq = true, .seq = 0 } },
        { "PBS_RESV_CONFIRM_SUCCESS:seq=1:seq=2",
          { .yes = true, .has_seq = true, .seq = 1 } },
        { "PBS_RESV_CONFIRM_SUCCESS:seq=", { .yes = true } },
        { "PBS_RESV_CONFIRM_SUCCESS:seq=abc",
          { .yes = true, .has_seq = true, .seq = -1 } },
        { "PBS_RESV_CONFIRM_SUCCESS:seq=-4",
          { .yes = true, .has_seq = true, .seq = -1 } },
        { "PBS_RESV_CONFIRM_SUCCESS:seq=99999999999999999999",
          { .yes = true, .has_seq = true, .seq = -1 } },
        { "PBS_RESV_CONFIRM_FAIL", { .yes = false } },
        { "PBS_RESV_CONFIRM_FAIL:seq=3:reason=vn[0]: held, until 12:30",
          { .has_seq = true, .seq = 3, .reason = "vn[0]: held, until 12:30" } },
        { "PBS_RESV_CONFIRM_FAIL:reason=busy:seq=9:partition=q",
          { .reason = "busy:seq=9:partition=q" } },
        { "PBS_RESV_CONFIRM_FAIL:reason=", { .yes = false } },
    };
    struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct wire_confirm *expect = &cases[i].expect;
        struct wire_confirm got;

        CU_ASSERT_TRUE_FATAL(wire_confirm_read(cases[i].text, arena, &got));
        CU_ASSERT_EQUAL(got.yes, expect->yes);
        CU_ASSERT_EQUAL(got.has_seq, expect->has_seq);
        CU_ASSERT_EQUAL(got.seq, expect->seq);
        same_text(got.partition, expect->partition);
        same_text(got.reason, expect->reason);
    }
    arena_free(arena);
}

static void test_refused(void)
{
    static const char *const texts[] = { NULL, "", "yes", "PBS_RESV_CONFIRM",
                                         ":PBS_RESV_CONFIRM_SUCCESS" };
    struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct wire_confirm got = { .seq = 5 };

        CU_ASSERT_FALSE(wire_confirm_read(texts[i], arena, &got));
        CU_ASSERT_EQUAL(got.seq, 5);
    }
    arena_free(arena);
}

static void test_text(void)
{
    static const struct {
        struct wire_confirm c;
        const char *expect;
    } cases[] = {
        { { .yes = true, .partition = "pbs-default" },
          "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default" },
        { { .yes = true, .has_seq = true, .seq = 2, .partition = "p" },
          "PBS_RESV_CONFIRM_SUCCESS:seq=2:partition=p" },
        { { .yes = true, .reason = "none is sent with a yes" },
          "PBS_RESV_CONFIRM_SUCCESS" },
        { { .yes = false }, "PBS_RESV_CONFIRM_FAIL" },
        { { .has_seq = true, .seq = 4, .reason = "a: b" },
          "PBS_RESV_CONFIRM_FAIL:seq=4:reason=a: b" },
    };
    struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        CU_ASSERT_STRING_EQUAL(wire_confirm_text(&cases[i].c, arena), cases[i].expect);
    arena_free(arena);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "fields of an answer are read, a reason to its end", test_read },
        { "what begins with neither word is no answer", test_refused },
        { "an answer is written as schedulers send it", test_text },
    };

    return unit_main("confirm", cases, ARRAY_LEN(cases));
}
