/* resv_claims.h - what is promised on a vnode: each occurrence and each job on it is
 * an amount during a span of time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_MODEL_RESV_CLAIMS_H
#define SERVER_MODEL_RESV_CLAIMS_H

#include "server/model/occurrence.h"

struct claim {
    const struct object *by;             /* the job, or the reservation */
    const struct occurrence *occurrence; /* which of the reservation; NULL for a job */
    int64_t start_at;
    int64_t end_at;
    const struct resources *amount; /* what of the vnode */
    /* Its Resource_List, for place. NULL: it does not say whether the vnode may be
     * shared. The reservation of this job does so in another claim of the list, or the
     * job is suspended. */
    const struct resources *list;
};

struct claims {
    size_t n, cap;
    struct claim *v;
};

/* Those on the vnode that meet the window, but for 'own' (may be NULL) and its jobs:
 * those of its reservation when it is the current one.
 * Jobs inside a running reservation use what it has claimed already, and claim what it
 * does not name there. A job ends with its walltime; without one, nobody knows. */
struct claims claims_on(const struct node *n, const struct occurrence *own,
                        struct window window, int64_t now_at, struct arena *arena);

/* What is claimed of an amount that the server has for all together, by Resource_List
 * (doc/design/082): by occurrences that have vnodes, in order of creation, and by jobs
 * outside, in no order. Cost: one look at each. */
struct claims claims_of_resvs(const struct model *m, const struct occurrence *own,
                              struct window window, const char *resource,
                              int64_t now_at, struct arena *arena);
struct claims claims_of_jobs(const struct model *m, const struct occurrence *own,
                             struct window window, const char *resource, int64_t now_at,
                             struct arena *arena);

/* Append the claims of 'others' to the list. Cost: their number, amortised. */
void claims_join(struct claims *list, const struct claims *others, struct arena *arena);

/* The sum of one resource at an instant, and the greatest sum from 'from_at' on: that
 * can only be there or where a claim begins. */
int64_t claims_at(const struct claims *list, const char *resource, int64_t at);
int64_t claims_most(const struct claims *list, const char *resource, int64_t from_at);

/* Does who asks with this Resource_List want the vnode alone? Its 'sharing' may settle
 * it, or say what holds when place does not. */
bool claim_is_exclusive(const struct node *n, const struct resources *list,
                        struct arena *arena);

/* What is held on the vnode; nothing when it is not among them. */
const struct resources *bookings_on(const struct bookings *list, const struct node *n);
/* The shares of an exec_vnode's text, summed by vnode, for whoever asks what would be
 * booked: vnodes that are not there book nothing, and a text that cannot be read books
 * nothing at all. 'ret' begins empty; bookings_drop() ends it. */
void bookings_read(const struct model *m, const char *text, struct arena *scratch,
                   struct bookings *ret);
void bookings_drop(struct bookings *list);

/* Is the vnode among them, with whatever amounts? */
bool bookings_has(const struct bookings *list, const struct node *n);

#endif
