/* formula_math.h - the operators, functions and constants of the job sort formula, as
 * Python has them for numbers (scheduling.md 24).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_FORMULA_MATH_H
#define SCHEDULER_PLAN_FORMULA_MATH_H

#include "lib/base/base.h"

#define FORMULA_ARGS_MAX 32

/* Operators with one operand, in the order of "-", "+", "~"; and "not". */
#define FORMULA_NOT      3

/* Is it a constant: True, pi, inf, ...? */
bool formula_constant(const char *name, double *ret);

/* The number of a function or of an operator between two operands. SIZE_MAX: there is
 * no such function. An operator that does not exist is a mistake of ours. */
size_t formula_function(const char *name);
size_t formula_operator(const char *token);

/* May it be called with so many arguments, may they be one list? */
bool formula_takes(size_t function, size_t n_args);
bool formula_takes_list(size_t function);

/* What comes out. Where Python would raise an exception its text is put into '*why',
 * unless one is there already, and the value means nothing. */
double formula_unary(size_t op, double x, const char **why);
double formula_binary(size_t op, double x, double y, const char **why);
double formula_call(size_t function, const double *args, size_t n, const char **why);

#endif
