/* why.h - why the server says no to a reservation, for people (doc/extensions.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_WHY_H
#define CMDS_COMMON_WHY_H

#include "include/pbs_ifl.h"

#include <stdbool.h>
#include <stdio.h>

/* Does the server tell why? Asks it. */
bool why_is_told(int conn);

/* Print a reason: an instant in it, "@1795249571", as local time; no line end. */
void why_print_reason(FILE *f, const char *reason);

/* The same of an instant in digits. */
void why_print_time(FILE *f, const char *digits);

/* Print what the server knows of the reservation, as sentences, a line each, all of
 * which begin with 'before'. */
void why_print(FILE *f, const char *before, const struct batch_status *why);

/* After an answer to a request that waited, which ends in DENIED: one line on standard
 * error with the reason, where the server tells it. */
void why_explain_denial(const char *cmd, int conn, const char *answer);

#endif
