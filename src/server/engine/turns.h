/* turns.h - which records make the next transaction, and what may leave when.
 *
 * The inputs of one turn put their effects into one list. When the turn has ended, its
 * records wait for the store and its other effects for the records that they have seen.
 * This is the order in which both happen; it is the same in the daemon, where a thread
 * commits and sockets are written, and in the simulator. Nothing here has a clock, a
 * store or a socket.
 *
 *  - Transactions take records in the order in which they were decided, one transaction
 *    at a time. All turns that wait share the next one, up to a size.
 *  - Effects leave in the order of their turns, each when the records that it has seen
 *    are durable.
 *  - A turn that has nothing for the store and speaks of nothing that is not durable
 *    leaves at once. So does a reply or a command to a scheduler that speaks of nothing
 *    that is not durable, and a question to the outside world (EFFECT_FIND_OUT): they
 *    wait for nobody. (A connection has one request at a time: its replies cannot
 *    overtake each other. A scheduler has one command at a time; the one that cuts a
 *    cycle means nothing to a scheduler that has not begun it.)
 *  - After turns_give_up(), until a transaction ends, nobody waits: what is due to
 * clients leaves as a refusal. Everything else stays in line, for what was decided will
 * be done.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_TURNS_H
#define SERVER_ENGINE_TURNS_H

#include "server/decide/effect.h"

struct turns;

/* Called when a turn is over and everything of it has left (or turns_free() ends it):
 * 'kept' is what the caller kept with it. Its effects still live. */
typedef void (*turns_over_fn)(void *arg, void *kept);

/* 'durable_seq' is the last record that the store has. 'over' may be NULL. The caller
 * ends it. */
struct turns *turns_new(uint64_t durable_seq, turns_over_fn over, void *arg);
void turns_free(struct turns *ts);

/* Where the inputs of this turn put their effects; another list after turns_end(). */
struct effects *turns_effects(struct turns *ts);

/* What the caller keeps with this turn; NULL at its beginning. */
void **turns_kept(struct turns *ts);

/* This turn is over, the next one begins. */
void turns_end(struct turns *ts);

/* The store. */

/* Is there a turn whose records and accounting lines were not taken yet? */
bool turns_wait_for_store(const struct turns *ts);

/* Hand out what goes into the next transaction, in order: records and accounting lines.
 * 'arena' lives as long as the effect, which is until its turn has left. There must be
 * no transaction under way. */
typedef void (*turns_work_fn)(void *arg, const struct effect *e, struct arena *arena);
void turns_take_work(struct turns *ts, turns_work_fn fn, void *arg);

/* A transaction with what was taken is under way; it has ended, and 'seq' is its last
 * record (0: it had none). One that fails is tried again, and has not ended. */
void turns_commit_begins(struct turns *ts);
void turns_commit_ended(struct turns *ts, uint64_t seq);
bool turns_are_committing(const struct turns *ts);

/* Nobody waits for the transaction under way any longer. */
void turns_give_up(struct turns *ts);
bool turns_are_given_up(const struct turns *ts);

/* The last record that is durable, and the last that was decided, also in this turn. */
uint64_t turns_durable(const struct turns *ts);
uint64_t turns_decided(const struct turns *ts);

/* What leaves. */

struct turns_leaving {
    const struct effect *effect;
    struct effects *of; /* the list that it is in, with its arena */
    bool given_up;      /* its client is told that it is in doubt instead */
};

/* The next effect that leaves, which lives until the next call; false: nothing may.
 * Carrying it out may add effects to the current turn, and end that turn. */
bool turns_next(struct turns *ts, struct turns_leaving *ret);

/* Nothing waits any more, and the current turn is empty. */
bool turns_are_empty(const struct turns *ts);

/* All effects, in order, of the turns of which something waits and of the current one;
 * for checks. */
void turns_each_waiting(const struct turns *ts,
                        void (*fn)(void *arg, const struct effect *e), void *arg);

#endif
