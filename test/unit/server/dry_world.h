/* dry_world.h - dry runs in the small cluster of resv_world.h: who asks, what the
 * played scheduler is shown and says, and the verdict as a text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_SERVER_DRY_WORLD_H
#define TEST_UNIT_SERVER_DRY_WORLD_H

#include "resv_world.h"

#define YES "PBS_RESV_CONFIRM_SUCCESS:partition=pbs-default"
#define NO  "PBS_RESV_CONFIRM_FAIL"

/* world_new(), and the default scheduler is ours. */
void dry_make(struct world *w);

/* The default scheduler goes and comes again, and says that it knows these words. */
void dry_attach(struct world *w, const char *may);

/* Requests that are parked have all their turns. */
void dry_go_on(struct world *w);

/* A ResvAct, all of whose turns are served; the effects before it are forgotten.
 * 'occurrence' 0: none. */
void dry_act(struct world *w, const char *user, uint32_t what, uint32_t flags,
             uint32_t occurrence, const char *id, const char *attrs);

/* The same as a dry run. */
void dry_try(struct world *w, const char *user, uint32_t what, uint32_t flags,
             const char *id, const char *attrs);
void dry_try_one(struct world *w, const char *user, uint32_t what, uint32_t flags,
                 uint32_t occurrence, const char *id, const char *attrs);

/* The scheduler asks for the next dry run, after that answer to the one before; "": it
 * answers nothing. The object that it is given, NULL when there is none. */
const struct wire_object *dry_next(struct world *w, const char *number,
                                   const char *vnodes, uint64_t start_at,
                                   const char *extend);
const char *dry_number(const struct wire_object *o);

/* The answer to the only one that is open. */
void dry_answer(struct world *w, const char *vnodes, uint64_t start_at,
                const char *extend);

/* The same, with a yes that moves others. */
void dry_offer(struct world *w, size_t n, const struct wire_offer *offers);

/* The verdict as "name=value;..." in the order of the reply, "waits", or the refusal.
 */
const char *dry_verdict_text(struct world *w);

/* The name of the object in the verdict. */
const char *dry_verdict_name(struct world *w);

/* Nothing was recorded since 'seq', told, mailed or logged, and nobody waits. */
void dry_expect_nothing(struct world *w, uint64_t seq);

#endif
