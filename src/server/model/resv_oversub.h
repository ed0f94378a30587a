/* resv_oversub.h - who else was promised what an occurrence of a reservation holds.
 *
 * Derived from the model whenever somebody asks, so it is right at once when another
 * one moves, ends or is given other vnodes. A reservation that every scheduler agreed
 * to is in nobody's way; one that was forced may be.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_RESV_OVERSUB_H
#define SERVER_MODEL_RESV_OVERSUB_H

#include "server/model/occurrence.h"

struct oversub {
    size_t n_jobs;
    const char **jobs; /* ids, in order of creation */
    size_t n_resvs;
    const char **resvs; /* names of occurrences, likewise */
};

/* Jobs outside and other occurrences that meet it on a vnode which is then promised
 * beyond what it has, or which one of them is to have alone. Texts are the objects'. */
struct oversub resv_oversub(const struct occurrence *oc, int64_t now_at,
                            struct arena *arena);

/* What somebody would have. */
struct held {
    const struct occurrence *own; /* whose claims are not in the way; NULL: nobody's */
    const struct bookings *bookings;
    struct window window;
    const struct resources *list; /* Resource_List, for place */
};

/* The same if an occurrence had that. */
struct oversub resv_oversub_if(const struct held *held, int64_t now_at,
                               struct arena *arena);

/* One list as a text, "R2.svr,R3.svr"; NULL when it is empty. */
const char *oversub_text(const char *const *ids, size_t n, struct arena *arena);

#endif
