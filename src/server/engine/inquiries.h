/* inquiries.h - what is being found out, and which parked requests wait for it
 * (doc/design/032).
 *
 * The same thing is asked once, however many wait for it. An inquiry stays until there
 * is an answer, or until its time is over, also when nobody waits any longer: whoever
 * comes, asks and goes does not make the server ask again each time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_INQUIRIES_H
#define SERVER_ENGINE_INQUIRIES_H

#include "server/decide/facts.h"

#include <uthash.h>

struct parked;

/* That request waits for that answer. */
struct awaits {
    struct inquiry *of;
    struct parked *who;
    struct awaits *prev, *next;         /* who waits for the same */
    struct awaits *own_prev, *own_next; /* what the same one waits for */
};

struct inquiry {
    char *key;
    struct arena *arena; /* of 'need' */
    struct need need;
    int64_t until_at; /* it is given up then */
    struct awaits *first;
    struct inquiry *prev, *next; /* oldest first */
    UT_hash_handle hh;
};

struct inquiries {
    struct inquiry *by_key, *oldest;
};

/* A zeroed struct is empty. Nobody may wait any longer. */
void inquiries_fini(struct inquiries *all);

/* 'p' waits for the answer to 'need' (copied); '*own' is the list of what it waits for.
 * True when nobody has asked that yet: 'until_at' is for this case. */
bool inquiries_add(struct inquiries *all, const struct need *need, int64_t until_at,
                   struct parked *p, struct awaits **own) MUST_CHECK;

/* It waits for nothing any longer. */
void inquiries_leave(struct inquiries *all, struct awaits **own);

/* The one about that, NULL when nothing of the kind is being found out. */
struct inquiry *inquiries_find(const struct inquiries *all, const struct need *need);

/* It is over; nobody may wait for it any longer. */
void inquiries_end(struct inquiries *all, struct inquiry *q);

#endif
