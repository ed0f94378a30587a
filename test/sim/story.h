/* story.h - a seed becomes a scenario.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_STORY_H
#define TEST_SIM_STORY_H

#include "lib/base/buf.h"

/* The text of the scenario that a seed makes. */
void story_write(uint64_t seed, struct buf *out);
/* story_two.c: the same of two servers. */
void story_write_two(uint64_t seed, struct buf *out);

#endif
