/* check_ends.h - the end of a reservation is the one that somebody asked for, or a
 * later one that its jobs need; and what has no job goes with an extension that says so
 * (doc/design/049-auto-extend.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_ENDS_H
#define TEST_SIM_CHECK_ENDS_H

#include "server/engine/svr.h"

struct sim;

/* From that record on somebody wants it to end then. */
struct asked_end {
    char *id;
    uint64_t seq;
    int64_t end_at;
    struct asked_end *prev, *next;
};

struct ends {
    struct asked_end *asked; /* the latest first */
};

void ends_fini(struct ends *e);
/* What was asked later is not stored. */
void ends_forget_after(struct ends *e, uint64_t seq);

/* How many chunks are left of a running reservation when what has no job is given back.
 */
size_t ends_busy_chunks(const struct model *m, const struct resv *r);

/* A record is about to be applied to 'm', and was. What alteration it grants is known
 * (check_alter.h). */
void check_ends_before(struct sim *s, const struct model *m, const struct record *rec);
void check_ends_after(struct sim *s, const struct model *m, const struct record *rec);

/* Rules have settled. */
void check_ends_settled(struct sim *s, const struct model *m);

#endif
