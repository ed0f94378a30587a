/* formula.h - the job sort formula: is it one? (scheduling.md 24)
 *
 * A formula is one expression in the syntax of Python: numbers, the operators of
 * arithmetic, comparison and logic, "x if c else y", calls and lists. Its names are the
 * resources that are numbers, a few terms of jobs, and the functions of Python's math.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_FORMULA_H
#define LIB_ATTR_FORMULA_H

#include "lib/attr/resource.h"

/* 0; or 15123 for what is no expression, else by the first wrong name 15124 (unknown)
 * or 15125 (a resource that is no number). What fails only when it is computed, as a
 * division by zero does, is no mistake. Time: linear in the text. */
int formula_check(const char *text, const struct resource_defs *defs,
                  struct diag *why) MUST_CHECK;

#endif
