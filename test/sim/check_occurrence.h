/* check_occurrence.h - occurrences of a series that are altered and deleted by their
 * index: what was asked of one becomes of it, and of no other one; they keep their
 * order; and one that was deleted does not come back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_OCCURRENCE_H
#define TEST_SIM_CHECK_OCCURRENCE_H

#include "server/engine/svr.h"

struct sim;

/* One whose deletion was asked for. */
struct deleted {
    char *name; /* "S5[3].svr" */
    bool told;  /* a client was told that it is deleted */
    struct deleted *prev, *next;
};

/* A client asks for it, and was told so. */
void occurrence_delete_asked(struct sim *s, const char *resv_id, uint32_t index);
void occurrence_deleted(struct sim *s, const char *resv_id, uint32_t index);

/* Has anybody asked for the deletion of that occurrence? */
bool occurrence_may_be_gone(const struct sim *s, const char *resv_id, int64_t index);

void occurrences_fini(struct sim *s);

/* A record is about to be applied to 'm', and was. */
void check_occurrence_before(struct sim *s, const struct model *m,
                             const struct record *rec);
void check_occurrence_after(struct sim *s, const struct model *m,
                            const struct record *rec);

/* The turn is over. */
void check_occurrences_settled(struct sim *s, const struct model *m);

#endif
