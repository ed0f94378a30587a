/* dry_moved.h - whom a push would move, out of the records of a dry run that nobody
 * takes up (doc/design/046-dry-run.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_DRY_MOVED_H
#define SERVER_DECIDE_DRY_MOVED_H

#include "server/decide/dry_verdict.h"

/* The occurrence that this record moves to make room, as the model has it; NULL: it is
 * a record of something else. */
const struct occurrence *dry_moved(const struct model *m, const struct record *rec);

/* Say of each of them, in the order of the records, from when to when it would be moved
 * and which vnodes it would have: attributes moved_from, moved_to and moved_nodes, with
 * its id or its name as their resource. Texts are copied into 'arena'. */
void dry_moved_say(const struct model *m, const struct dry_verdict *v,
                   struct arena *arena, struct wire_attrs *to);

#endif
