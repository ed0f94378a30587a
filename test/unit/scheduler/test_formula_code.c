/* Unit tests of the machine that computes job sort formulas (scheduling.md 24). What is
 * expected is what Python 3 says of the same text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/formula_code.h"

#include "lib/base/arena.h"

#include "../unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ncpus 4, mem 1024, walltime 90; everything else is 0. */
static bool compute(struct arena *arena, const char *text, double *ret,
                    const char **why)
{
    const struct formula_code *code = formula_compile(text, arena, why);
    double *values;

    if (!code)
        return false;
    values = ARENA_ARRAY(arena, double, code->n_names + 1);
    for (size_t i = 0; i < code->n_names; i++)
        values[i] = strcmp(code->names[i], "ncpus") == 0      ? 4
                    : strcmp(code->names[i], "mem") == 0      ? 1024
                    : strcmp(code->names[i], "walltime") == 0 ? 90
                                                              : 0;
    return formula_compute(code, values, ret, why);
}

static void values_are_pythons(void)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        { "ncpus", 4 },
        { " 5*ncpus + 0.05 * walltime ", 24.5 },
        { "(ncpus+nodect)*2 if mem > 1e3 else -walltime**.5", 8 },
        { "(ncpus+nodect)*2 if mem > 1e4 else -walltime**2", -8100 },
        { "-2**2", -4 },
        { "2**-1", 0.5 },
        { "2**3**2", 512 },
        { "--1", 1 },
        { "7//2", 3 },
        { "-7//2", -4 },
        { "-7%3", 2 },
        { "7%-3", -2 },
        { "-7.5%2", 0.5 },
        { "7/2", 3.5 },
        { "10-4-3", 3 },
        { "2+3*4", 14 },
        { "1<<4|3", 19 },
        { "~5", -6 },
        { "6^3&1", 7 },
        { "-8>>1", -4 },
        { "1_000", 1000 },
        { "2e-3", 0.002 },
        { "1.", 1 },
        { ".5", 0.5 },
        { "0 or 7", 7 },
        { "3 and 0", 0 },
        { "3 and 5", 5 },
        { "2 or 1/0", 2 },
        { "0 and 1/0", 0 },
        { "not 0", 1 },
        { "not not 5", 1 },
        { "1 if 0 else 2 if 0 else 3", 3 },
        { "(1 if 1 else 2) + (3 if 0 else 4)", 5 },
        { "1 if ncpus > 2 and mem > 2 else 1/0", 1 },
        { "ncpus<3", 0 },
        { "ncpus<=4", 1 },
        { "ncpus!=4", 0 },
        { "True+True", 2 },
        { "min(3, 1, 2)", 1 },
        { "max([ncpus, 9, 2,])", 9 },
        { "sum([1, 2, 3])", 6 },
        { "round(2.5)", 2 },
        { "round(3.14159, 2)", 3.14 },
        { "log(8, 2)", 3 },
        { "sqrt(ncpus) + pow(2, 3)", 10 },
        { "abs(-3) + int(2.9) + int(-2.9)", 3 },
        { "ceil(1.2) + floor(1.8)", 3 },
        { "max(1, log(mem, 2),)", 10 },
        { "degrees(pi)", 180 },
        { "unknown_resource", 0 },
        { "-0.0 if ncpus else 1", 0 },
    };
    struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *why = "";
        double value = -12345;
        bool good = compute(arena, cases[i].text, &value, &why);

        if (!good || fabs(value - cases[i].value) > 1e-9)
            fprintf(stderr, "%s: %g, not %g %s\n", cases[i].text, value, cases[i].value,
                    why ? why : "");
        CU_ASSERT_TRUE(good && fabs(value - cases[i].value) <= 1e-9);
    }
    arena_free(arena);
}

static void exceptions_have_words(void)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        { "1/0", "division by zero" },
        { "1//0", "division by zero" },
        { "1%0", "division by zero" },
        { "ncpus/(ncpus-4)", "division by zero" },
        { "sqrt(-1)", "math domain error" },
        { "log(0)", "math range error" },
        { "exp(1000)", "math range error" },
        { "0**-1", "0.0 cannot be raised to a negative power" },
        { "1<<-1", "negative shift count" },
        { "1.5|1", "unsupported operand type: 'float'" },
        { "nan", "the value is no number" },
        { "inf-inf", "the value is no number" },
        /* What is no formula for this machine. */
        { "1<2<3", "a chain of comparisons is not computed" },
        { "factorial(3)", "factorial() is not computed" },
        { "[1,2][0]", "an operand is missing" },
        { "(1,2)", "a list is not computed" },
        { "min()", "min() has a wrong number of arguments" },
        { "sqrt(1,2)", "sqrt() has a wrong number of arguments" },
        { "1+", "an operand is missing" },
        { "", "an operand is missing" },
        { "1 2", "something stands behind the formula" },
        { "1 if 2", "an else is missing" },
        { "max(1;2)", "a comma is missing" },
    };
    struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *why = NULL;
        double value;

        CU_ASSERT_FALSE(compute(arena, cases[i].text, &value, &why));
        if (!why || strcmp(why, cases[i].why) != 0)
            fprintf(stderr, "%s: %s\n", cases[i].text, why ? why : "nothing");
        CU_ASSERT_TRUE(why && strcmp(why, cases[i].why) == 0);
    }
    arena_free(arena);
}

static const char *times(struct arena *arena, const char *before, int n,
                         const char *text, const char *after)
{
    char *all = ARENA_ARRAY(
        arena, char, strlen(before) + (size_t)n * strlen(text) + strlen(after) + 1);
    char *at = stpcpy(all, before);

    for (int i = 0; i < n; i++)
        at = stpcpy(at, text);
    strcpy(at, after);
    return all;
}

/* Whatever somebody writes, memory and stack are bounded. */
static void hostile_formulas_end(void)
{
    struct arena *arena = arena_new();
    const char *why;
    double value;

    CU_ASSERT_FALSE(compute(arena, times(arena, "", 100000, "(", "1"), &value, &why));
    CU_ASSERT_STRING_EQUAL(why, "the formula is nested too deeply");
    CU_ASSERT_FALSE(compute(arena, times(arena, "", 100000, "-", "1"), &value, &why));
    CU_ASSERT_STRING_EQUAL(why, "the formula is nested too deeply");
    CU_ASSERT_FALSE(compute(arena, times(arena, "1", 100000, "**1", ""), &value, &why));
    CU_ASSERT_FALSE(
        compute(arena, times(arena, "1", 100000, " if 1 else 1", ""), &value, &why));
    CU_ASSERT_FALSE(compute(arena, times(arena, "1", 100000, "+1", ""), &value, &why));
    CU_ASSERT_STRING_EQUAL(why, "the formula is too long");
    CU_ASSERT_FALSE(
        compute(arena, times(arena, "1", 100000, " or 1", ""), &value, &why));
    CU_ASSERT_FALSE(
        compute(arena, times(arena, "", 100000, "not ", "1"), &value, &why));
    CU_ASSERT_FALSE(
        compute(arena, times(arena, "max(1", 100, ",1", ")"), &value, &why));
    CU_ASSERT_STRING_EQUAL(why, "a call has too many arguments");
    CU_ASSERT_FALSE(compute(arena, times(arena, "", 100, "1", ""), &value, &why));
    CU_ASSERT_STRING_EQUAL(why, "a number is too long");
    /* The deepest and fullest stack that is understood. */
    CU_ASSERT_TRUE(compute(arena,
                           times(arena, "", 20,
                                 "0 or 1|2^3&4<<0+1*max(1,1,1,1,1,1,1,1,1,1,1,1,1,1,(",
                                 times(arena, "1", 20, "))", "")),
                           &value, &why));
    CU_ASSERT_TRUE(compute(arena, times(arena, "1", 2000, "+1", ""), &value, &why));
    CU_ASSERT_EQUAL(value, 2001);
    arena_free(arena);
}

/* Any bytes at all: it ends, and says what was wrong. */
static void random_texts(void)
{
    static const char *const words[] = { "1",    "+",  "-",   "(",     ")",    "[",
                                         "]",    ",",  "if ", "else ", "or ",  "and ",
                                         "not ", "**", "max", "ncpus", "<",    "~",
                                         " ",    "0",  "/",   "1e",    "\xff", "." };
    unsigned seed = 7;
    int n_good = 0;

    for (int i = 0; i < 20000; i++) {
        struct arena *arena = arena_new();
        char text[128] = "";
        const char *why = NULL;
        double value;

        for (int k = 0; k < 1 + i % 12; k++) {
            seed = seed * 1103515245 + 12345;
            strcat(text, words[(seed >> 16) % ARRAY_LEN(words)]);
        }
        if (compute(arena, text, &value, &why))
            n_good++;
        else
            CU_ASSERT_PTR_NOT_NULL(why);
        arena_free(arena);
    }
    CU_ASSERT_TRUE(n_good > 0);
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "values are Python's", values_are_pythons },
        { "exceptions have words", exceptions_have_words },
        { "hostile formulas end", hostile_formulas_end },
        { "random texts", random_texts },
    };

    return unit_main("formula_code", cases, ARRAY_LEN(cases));
}
