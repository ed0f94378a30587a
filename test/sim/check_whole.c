/* check_whole.c - what is done to all vnodes is done to all of them, or is being done
 * still (doc/design/006).
 *
 * Scenarios and stories give all vnodes comments that begin with "all-", and none to a
 * single one. A vnode that is made later has no such comment.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim.h"

#include <string.h>

static const char *comment_for_all(const struct object *o)
{
    const char *comment = obj_str(o, NODE_A_COMMENT, NULL);

    return comment && strncmp(comment, "all-", 4) == 0 ? comment : NULL;
}

void check_whole(struct sim *s, const struct model *m)
{
    const char *first = NULL;
    bool oldest = true;

    /* Somebody is at it. */
    if (m->kinds[OBJ_REQUEST].n > 0)
        return;
    MODEL_EACH (m, OBJ_NODE, o) {
        const char *comment = comment_for_all(o);

        if (oldest)
            first = comment;
        oldest = false;
        /* Vnodes are in order of creation: those without one come last. */
        if (comment && !str_same(comment, first))
            check_failed(s, CHECK_WHOLE, "vnode %s has the comment %s, others have %s",
                         o->id, comment, first ? first : "none");
    }
}
