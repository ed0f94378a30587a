/* bundles.h - occurrences that were made together, as one object of the store.
 *
 * The confirmation of a long series makes thousands of occurrences that differ in their
 * times and, at most, in their vnodes. A row for each value of each of them kept
 * everybody's next change waiting, so the store has one object for up to BUNDLE_MOST of
 * them, a bundle: kind "occurrences", id "S5[2-257].svr". Its attributes are
 *
 *     times             the starts, each with "+" and its length where that is not the
 *                       length of the one before: 1795249795+3600,1795336195
 *     resv_nodes        the vnodes, as lib/attr/execvnodes.h has them
 *     gone.17           there is no occurrence 17 any more
 *     retry.17          a value that occurrence 17 has got later, under its own name;
 *     Resource_List.17.ncpus    an empty one stands for none
 *
 * What is here stands between the rows of records.h and the store: the core knows
 * nothing of bundles, and an occurrence that has a row of its own, as all had in former
 * layouts, stays as it is. doc/design/041-standing.md has the reasons.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_BUNDLES_H
#define SERVER_SHELL_BUNDLES_H

#include "lib/store/store.h"

/* With so many, the values of a bundle are whole in the journal (STORE_JOURNAL_BYTES).
 */
#define BUNDLE_MOST  256
#define BUNDLE_BYTES 12000 /* of vnodes; more only where all have the same ones */

/* The kind of a bundle in the store. */
#define BUNDLE_KIND  "occurrences"

struct bundles;

/* Where the rows go, in order of their numbers; 'turn' is the arena that was given with
 * the records that became the row, and the row's list of changes is in it. */
struct bundles_to {
    void (*row)(void *arg, const struct store_record *row, const struct arena *turn);
    void *arg;
};

/* No bundle is known at first; bundles_load() tells of those of the store. */
struct bundles *bundles_new(void);
void bundles_free(struct bundles *b);

/* One more row that the core has decided, in order of numbers. It is handed on as it
 * is, or becomes a change of a bundle; or it is kept, since it may become one row with
 * those that follow in the same turn. */
void bundles_put(struct bundles *b, const struct store_record *row, struct arena *turn,
                 const struct bundles_to *to);

/* Hand on what is kept: before a transaction ends, and with it the turns' arenas. */
void bundles_flush(struct bundles *b, const struct bundles_to *to);

/* A bundle that the store has: 'each' gets a row of kind "occurrence" for each of its
 * occurrences, in order, and the table 'b' (or NULL) takes it up. Returns the first
 * value of 'each' that is not 0; PBSE_SYSTEM with words when the bundle cannot be read.
 */
int bundles_load(struct bundles *b, const struct store_record *row, store_each_fn each,
                 void *arg, struct diag *why) MUST_CHECK;

#endif
