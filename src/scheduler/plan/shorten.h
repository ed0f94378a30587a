/* shorten.h - an extension that has no room is answered with as much of it as has
 * (auto_extend, doc/design/049-auto-extend.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_SHORTEN_H
#define SCHEDULER_PLAN_SHORTEN_H

#include "scheduler/plan/question.h"

/* The extension of a running reservation that 'q' asks about found no room, and its
 * question is content with less: make *v a yes to the latest end that has, or leave the
 * no. Linear in the logarithm of the extension, a search each. */
void shorten_find(struct question *q, struct verdict *v);

#endif
