/* lookups.h - what the shell itself has to know of the site's name services, and who
 * waits for it (doc/design/032).
 *
 * The loop never asks a name service: it looks up what is known, and what is not known
 * is found out by threads (find_out.h). Whoever needs it (a connection, a letter) is
 * told when it may look again, and does what it did before from its beginning.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_LOOKUPS_H
#define SERVER_SHELL_LOOKUPS_H

#include "server/engine/inquiries.h"
#include "server/shell/shell.h"

/* Somebody who looks things up. One that is zeroed but for go_on() has asked nothing.
 */
struct seeker {
    /* All that it waits for is known; never called from inside of lookup(). It may end
     * this seeker and others. */
    void (*go_on)(struct seeker *who);
    struct asker asker; /* what it has learned stays true for it until seeker_end() */
};

#define LOOKUP_PATIENCE_S 30

/* An answer that does not come in 'patience_s' seconds is one that nobody could give.
 * Finds out at once, before there is a loop to be held up, who root and the uid that
 * runs the server are: these two get in whatever the name services do. */
struct lookups *lookups_new(struct shell *sh, int64_t patience_s);
/* NULL is fine. Nobody may wait any longer. */
void lookups_free(struct lookups *l);

/* What is known about that: one of the kinds that are the same for everybody. Good for
 * this turn of the loop. NULL: it is being found out, and go_on() follows. */
const struct finding *lookup(struct lookups *l, struct seeker *who,
                             const struct need *need);

/* True while something that it has asked for is being found out. */
bool seeker_waits(const struct seeker *who);
/* It has learned something, so that it asks again from its beginning. */
bool seeker_is_back(const struct seeker *who);
/* It waits for nothing any more and has learned nothing. */
void seeker_end(struct seeker *who);

#endif
