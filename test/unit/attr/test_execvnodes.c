/* test_execvnodes.c - the vnodes of each occurrence of a series as one text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/execvnodes.h"
#include "lib/base/rnd.h"

#include "../unit.h"

#include <string.h>

#define MOST   10000
#define ROUNDS 2000

static struct arena *arena;

static void test_printing(void)
{
    static const struct {
        const char *vnodes[6];
        const char *expected;
    } cases[] = {
        { { "(a:ncpus=1)" }, "1#(a:ncpus=1){0}" },
        { { "(a)", "(a)", "(a)" }, "3#(a){0-2}" },
        { { "(a)", "(b)", "(a)" }, "3#(b){1}(a){0,2}" },
        { { "(a)", "(b)", "(c)", "(a)", "(a)" }, "5#(c){2}(b){1}(a){0,3-4}" },
        { { "(a)+(b)", "(a)", "(a)+(b)" }, "3#(a){1}(a)+(b){0,2}" },
    };

    arena = arena_new();
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        size_t n = 0;

        while (n < 6 && cases[i].vnodes[n])
            n++;
        CU_ASSERT_STRING_EQUAL(execvnodes_print(cases[i].vnodes, n, arena),
                               cases[i].expected);
    }
    arena_free(arena);
}

static void test_reading(void)
{
    struct execvnodes map;

    arena = arena_new();
    CU_ASSERT_EQUAL_FATAL(
        execvnodes_parse("4#(b:x=1)+(c){1,3}(a){0}(d){2-2}", 4, arena, &map, NULL), 0);
    CU_ASSERT_EQUAL(map.n, 4);
    CU_ASSERT_EQUAL(map.n_texts, 3);
    CU_ASSERT_STRING_EQUAL(map.texts[map.which[0]], "(a)");
    CU_ASSERT_STRING_EQUAL(map.texts[map.which[1]], "(b:x=1)+(c)");
    CU_ASSERT_STRING_EQUAL(map.texts[map.which[2]], "(d)");
    CU_ASSERT_EQUAL(map.which[1], map.which[3]);
    arena_free(arena);
}

static void test_what_is_none(void)
{
    static const char *const texts[] = {
        "",
        "#",
        "3",
        "3#",
        "0#",
        "0#(a){0}",
        "-1#(a){0}",
        "1 #(a){0}",
        "1#{0}",
        "1#(a)",
        "1#(a){",
        "1#(a){}",
        "1#(a){0",
        "1#(a){0}x",
        "1#(a){0}{0}",
        "1#(a){0,}",
        "1#(a){1}",
        "1#(a){-0}",
        "2#(a){0}",         /* nobody has 1 */
        "2#(a){0-1}(b){1}", /* two have 1 */
        "2#(a){0,0-1}",     /* likewise */
        "2#(a){1-0}",       /* backwards */
        "3#(a){0-}",
        "3#(a){0-1-2}",
        "10001#(a){0-10000}", /* too many */
        "99999999999999999999#(a){0}",
        "1#(a){99999999999999999999}",
    };
    struct execvnodes map;
    struct diag why;

    arena = arena_new();
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        int err = execvnodes_parse(texts[i], MOST, arena, &map, &why);

        if (err != PBSE_BADATVAL)
            fprintf(stderr, "%s: %d\n", texts[i], err);
        CU_ASSERT_EQUAL(err, PBSE_BADATVAL);
    }
    arena_free(arena);
}

/* Whatever is printed is read to the same. */
static void test_there_and_back(void)
{
    static const char *const texts[] = { "(a)", "(b)", "(a)+(b)", "(c:ncpus=2)" };
    struct rnd rnd = rnd_seeded(7);

    for (int round = 0; round < ROUNDS; round++) {
        const char *vnodes[40];
        size_t n = (size_t)rnd_range(&rnd, 1, 40);
        struct execvnodes map;

        arena = arena_new();
        for (size_t i = 0; i < n; i++)
            vnodes[i] = arena_strdup(arena, texts[rnd_range(&rnd, 0, 3)]);
        CU_ASSERT_EQUAL_FATAL(execvnodes_parse(execvnodes_print(vnodes, n, arena), MOST,
                                               arena, &map, NULL),
                              0);
        CU_ASSERT_EQUAL_FATAL(map.n, n);
        CU_ASSERT(map.n_texts <= 4);
        for (size_t i = 0; i < n; i++)
            CU_ASSERT_STRING_EQUAL(map.texts[map.which[i]], vnodes[i]);
        arena_free(arena);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "equal vnodes are merged, the last one met comes first", test_printing },
        { "each position has its text", test_reading },
        { "what is no such text is refused", test_what_is_none },
        { "what is printed is read to the same", test_there_and_back },
    };

    return unit_main("attr/execvnodes", cases, sizeof(cases) / sizeof(*cases));
}
