/* askers.h - who asks for tasks, and what each waits for: so the end of a stream, or of
 * a task's connection, costs what was asked there and not what there is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_JOB_ASKERS_H
#define MOM_JOB_ASKERS_H

#include "mom/job/state.h"

/* Each of these is noted once, with the stream that its own field names, and forgotten
 * before it is freed. Forgetting what was not noted does nothing. */
void askers_note_order(struct mom *m, struct spawned *t);
void askers_note_watcher(struct mom *m, struct watcher *w);
void askers_note_asked(struct mom *m, struct asked *a);
void askers_forget_order(struct spawned *t);
void askers_forget_watcher(struct watcher *w);
void askers_forget_asked(struct asked *a);

/* All that was asked there; NULL: nothing. */
struct askers *askers_find(const struct mom *m, uint64_t stream);

#endif
