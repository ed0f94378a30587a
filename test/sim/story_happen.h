/* story_happen.h - what can happen in a story. Each function writes the lines of one
 * happening, which begins in that second, and remembers what it made.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_STORY_HAPPEN_H
#define TEST_SIM_STORY_HAPPEN_H

#include "story_tell.h"

/* story_users.c. */
void story_reserve(struct story *t, int64_t second);
void story_reserve_from_job(struct story *t, int64_t second);
void story_reserve_for_job(struct story *t, int64_t second);
void story_maintain(struct story *t, int64_t second);
void story_alter_recent(struct story *t, int64_t second);
void story_alter_together(struct story *t, int64_t second);
void story_submit(struct story *t, int64_t second);
void story_delete(struct story *t, int64_t second);
void story_run(struct story *t, int64_t second);
void story_look(struct story *t, int64_t second);
void story_ask_why(struct story *t, int64_t second);

/* story_faults.c. */
void story_vnode(struct story *t, int64_t second);
void story_mom(struct story *t, int64_t second);
void story_router(struct story *t, int64_t second);
void story_sched(struct story *t, int64_t second);
void story_server(struct story *t, int64_t second);
void story_store(struct story *t, int64_t second);
void story_settings(struct story *t, int64_t second);
void story_reserve_and_die(struct story *t, int64_t second);

#endif
