/* world.h - a small server for targets that feed a whole core: one vnode with its MoM,
 * a job that runs, one that waits, a reservation, a scheduler.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_FUZZ_WORLD_H
#define TEST_FUZZ_WORLD_H

#include "test/unit/server/harness.h"

#define FUZZ_MOM_STREAM 11
#define FUZZ_MOM_HOST   "127.0.0.1"
#define FUZZ_MOM_PORT   15002

struct rig *fuzz_world(void);

/* The world's end: what was stored makes the same model again. */
void fuzz_world_end(struct rig *r);

/* A message of the MoM. */
void fuzz_world_mom(struct rig *r, const struct is_message *msg);

#endif
