/* denials.h - why reservations were denied, for a day (doc/extensions.md, ResvWhy).
 *
 * These are reservations that are gone and were never confirmed. Why one that lives has
 * not got what it wants is in its own attributes (resv_record.h). The journal has every
 * denial with its reason for as long as journals are kept; here it can be asked for.
 * Bounded in number and in length; the oldest goes first. It is no part of the model:
 * after a restart the shell fills it from the journal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_DENIALS_H
#define SERVER_DECIDE_DENIALS_H

#include "server/model/record.h"

#define DENIALS_KEPT_S    86400
#define DENIALS_MAX       10000
#define DENIAL_REASON_MAX 1000 /* characters; the rest is cut off */

struct denial {
    int64_t at;
    const char *owner;  /* "user@host"; "": not known */
    const char *reason; /* "": the scheduler gave none */
};

/* How much of a reason is kept. */
size_t denial_reason_length(const char *reason);

struct denials;

/* No denial is kept at first. */
struct denials *denials_new(void);
void denials_free(struct denials *d); /* NULL is fine */

/* Why a reservation that ends for that reason, and was never confirmed, did not come
 * about. NULL: somebody has deleted it, which is no denial. Never freed. */
const char *denial_of_ending(enum reason reason);

/* The reservation was denied at that instant; 'reason' NULL: the scheduler gave none.
 * An older denial of it is forgotten, and so are those of all that were denied a day
 * before. */
void denials_add(struct denials *d, const char *id, const char *owner,
                 const char *reason, int64_t at);

/* The last denial of the reservation, NULL: there was none within a day. Good until the
 * next call of denials_add(). */
const struct denial *denials_find(const struct denials *d, const char *id,
                                  int64_t now_at);

#endif
