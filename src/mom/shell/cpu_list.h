/* cpu_list.h - a set of processors, as the kernel writes one: "0-3,8".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_CPU_LIST_H
#define MOM_SHELL_CPU_LIST_H

#include "lib/base/base.h"

#define CPU_LIST_MAX 8192 /* as many as Linux knows */

struct cpu_list {
    uint64_t bits[CPU_LIST_MAX / 64];
};

/* An empty text is the empty set. False for anything that is not a list, with *ret
 * unspecified. */
bool cpu_list_parse(const char *text, struct cpu_list *ret) MUST_CHECK;
/* Take from 'from' what is in 'less'. */
void cpu_list_subtract(struct cpu_list *from, const struct cpu_list *less);
/* Add what is in 'more'. */
void cpu_list_add(struct cpu_list *to, const struct cpu_list *more);
int64_t cpu_list_count(const struct cpu_list *l);
/* Keep the 'n' lowest. False, and nothing has changed, when there are not so many. */
bool cpu_list_first(struct cpu_list *l, int64_t n) MUST_CHECK;
/* False when it does not fit. */
bool cpu_list_print(const struct cpu_list *l, char *text, size_t size) MUST_CHECK;

#endif
