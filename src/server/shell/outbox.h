/* outbox.h - effects on their way out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_OUTBOX_H
#define SERVER_SHELL_OUTBOX_H

#include "lib/base/shares.h"
#include "server/shell/shell.h"

/* Nothing waits to leave at first; free drops what does, which nobody was told. */
struct outbox *outbox_new(struct shell *sh);
void outbox_free(struct outbox *o);

/* Where the inputs of this turn put their effects. */
struct effects *outbox_effects(struct outbox *o);

/* The turn is over: send its records to the store, and let go what may leave. */
void outbox_end_turn(struct outbox *o);

/* Nothing happens now: what is only to be tidied up in the store may go there. 'now_at'
 * as accounting_settle() takes it. */
void outbox_idle(struct outbox *o, int64_t now_at);

/* A commit ended; called by the committer in the loop. */
void outbox_committed(struct outbox *o, uint64_t seq);

/* The store has been lost for long: whoever waits for it is told so, and so is who asks
 * from now on for what is not durable, until a commit ends. */
void outbox_give_up(struct outbox *o);

/* So many records wait for the store that long requests had better wait too: whoever
 * asks for something meanwhile waits for all that was decided before. */
#define OUTBOX_MOST_UNSAVED 256
bool outbox_is_behind(const struct outbox *o);

/* The effects of this turn take 'bytes' for the party of that share, until they have
 * left: they are counted in its budget 'unsaved', and clients_eased() tells the end. */
void outbox_charge(struct outbox *o, struct shares *all, struct share *s, size_t bytes);

/* Nothing waits any more. */
bool outbox_is_empty(const struct outbox *o);

#endif
