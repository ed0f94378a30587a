/* Unit tests of the reply to AnswerResvs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/answers.h"

#include "lib/base/diag.h"

#include "../unit.h"

#include <string.h>

static void test_who_is_not_named_was_taken(void)
{
    struct arena *arena = arena_new();
    struct wire_reply reply = { .choice = REPLY_STATUS };

    wire_answers_refuse(&reply.objects, arena, 1, "R2.svr", PBSE_BADSTATE, "not so");
    CU_ASSERT_EQUAL(wire_answers_reply(&reply, 0).code, 0);
    CU_ASSERT_EQUAL(wire_answers_reply(&reply, 1).code, PBSE_BADSTATE);
    CU_ASSERT_STRING_EQUAL(wire_answers_reply(&reply, 1).text, "not so");
    CU_ASSERT_EQUAL(wire_answers_reply(&reply, 2).code, 0);
    arena_free(arena);
}

static void test_a_refusal_of_all(void)
{
    const struct wire_reply reply = { .code = PBSE_SAVE_ERR,
                                      .choice = REPLY_TEXT,
                                      .text = "in doubt" };

    CU_ASSERT_EQUAL(wire_answers_reply(&reply, 0).code, PBSE_SAVE_ERR);
    CU_ASSERT_STRING_EQUAL(wire_answers_reply(&reply, 7).text, "in doubt");
}

/* A server that says it amiss has not taken the answer. */
static void test_what_makes_no_sense(void)
{
    static const struct {
        const char *place, *code;
        int expect;
    } cases[] = {
        { "1", NULL, PBSE_PROTOCOL }, { "1", "0", PBSE_PROTOCOL },
        { "1", "x", PBSE_PROTOCOL },  { NULL, "15016", 0 },
        { "0", "15016", 0 },          { "-1", "15016", 0 },
        { "2", "15016", 0 },          { "1", "15016", 15016 },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena *arena = arena_new();
        struct wire_reply reply = { .choice = REPLY_STATUS };
        struct wire_object *o =
            wire_objects_add(&reply.objects, arena, OBJECT_RESV, "R1.svr");

        if (cases[i].place)
            wire_attrs_add(&o->attrs, arena, "place", NULL, cases[i].place,
                           WIRE_OP_SET);
        if (cases[i].code)
            wire_attrs_add(&o->attrs, arena, "code", NULL, cases[i].code, WIRE_OP_SET);
        CU_ASSERT_EQUAL(wire_answers_reply(&reply, 0).code, cases[i].expect);
        arena_free(arena);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "who is not named was taken", test_who_is_not_named_was_taken },
        { "a refusal of all is one of each", test_a_refusal_of_all },
        { "what makes no sense is a refusal", test_what_makes_no_sense },
    };

    return unit_main("answers", cases, ARRAY_LEN(cases));
}
