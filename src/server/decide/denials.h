/* denials.h - why reservations were denied, for a day (doc/extensions.md, ResvWhy).
 *
 * The journal has every denial with its reason for as long as journals are kept; here
 * is the last one of each reservation, so that it can be asked for when the reservation
 * is gone. Bounded in number and in length; the oldest goes first. It is no part of the
 * model: after a restart the shell fills it from the journal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_DENIALS_H
#define SERVER_DECIDE_DENIALS_H

#include "lib/base/base.h"

#define DENIALS_KEPT_S    86400
#define DENIALS_MAX       10000
#define DENIAL_REASON_MAX 1000 /* characters; the rest is cut off */

struct denial {
    int64_t at;
    const char *owner;  /* "user@host"; "": not known */
    const char *reason; /* "": the scheduler gave none */
};

struct denials;

struct denials *denials_new(void);
void denials_free(struct denials *d); /* NULL is fine */

/* The reservation was denied, or not given other vnodes, at that instant. An older
 * denial of it is forgotten, and so are those of all that were denied a day before. */
void denials_add(struct denials *d, const char *id, const char *owner,
                 const char *reason, int64_t at);

/* The last denial of the reservation, NULL: there was none within a day. Good until the
 * next call of denials_add(). */
const struct denial *denials_find(const struct denials *d, const char *id,
                                  int64_t now_at);

#endif
