/* rules.h - grammars of single attributes, which clients check and servers often do not
 * (cli.md 2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IFL_RULES_H
#define LIB_IFL_RULES_H

#include "lib/base/base.h"

/* Does the request (its number) bring values, or criteria for jobs? */
bool rules_apply(uint32_t number);
bool rules_select(uint32_t number);

/* True when there is a rule for the attribute in such a request and no other check is
 * wanted: *code is 0, or what is wrong with 'text' (PBSE_BADATVAL, PBSE_JOBNBIG,
 * PBSE_ATVALERANGE). */
bool rules_check(uint32_t number, const char *attr, const char *text, int *code);

/* True when a queue may be called so; its length is the business of another check. */
bool rules_queue_name(const char *name);

#endif
