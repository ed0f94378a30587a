/* formula_code.h - the job sort formula, compiled once and computed for each job
 * (scheduling.md 24).
 *
 * The formula is one expression of Python's syntax about numbers. It becomes a list of
 * steps for a machine with a stack: nothing of it is ever run as a program, what it
 * may name is a table here, and its length, its depth and its stack are bounded.
 * Numbers are doubles. Lists are understood as the one argument of min, max and sum
 * only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_FORMULA_CODE_H
#define SCHEDULER_PLAN_FORMULA_CODE_H

#include "lib/base/base.h"

struct arena;

#define FORMULA_STEPS_MAX 4096
#define FORMULA_DEPTH_MAX 100

struct formula_step {
    uint8_t kind;
    uint8_t n;        /* a call: of arguments */
    int32_t distance; /* a jump: to the step so far from here */
    size_t index;     /* of a name, an operator or a function */
    double number;
};

/* In the arena with which it was compiled. */
struct formula_code {
    size_t n, cap;
    struct formula_step *steps;
    size_t n_names, cap_names;
    const char **names; /* that are neither constants nor functions, each once */
};

/* NULL when the text is no formula, or one that this machine does not understand;
 * '*why' then says what is the matter. Time: the square of its length at the most,
 * which is bounded. */
const struct formula_code *formula_compile(const char *text, struct arena *arena,
                                           const char **why) MUST_CHECK;

/* The value for a job of which values[i] is that of names[i]. False: Python would raise
 * an exception, whose text is in '*why'. A value that is no number is one as well. */
bool formula_compute(const struct formula_code *code, const double *values, double *ret,
                     const char **why) MUST_CHECK;

#endif
