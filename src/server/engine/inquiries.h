/* inquiries.h - what is being found out, and who waits for it (doc/design/032): parked
 * requests, and rules that have something to say about an object when they know more.
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

/* Who has asked, until it has decided. */
struct asker {
    struct inquiries *all;
    uint64_t number;       /* never used again */
    struct facts *learned; /* good for it until it has decided; NULL: nothing */
    struct awaits *awaits; /* the answers that it waits for */
    /* Whose rules ask; NULL: it is the asker of a parked request. */
    const struct object *o;
};

/* It waits for that answer. */
struct awaits {
    struct inquiry *of;
    struct asker *who;
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
    uint64_t last_number; /* of an asker */
};

/* A zeroed struct is empty. Nobody may wait any longer. */
void inquiries_fini(struct inquiries *all);

/* A new asker, who has asked nothing yet; 'o' NULL: a request. 'all' and 'o' outlive
 * it. */
void asker_init(struct asker *a, struct inquiries *all, const struct object *o);
/* It waits for nothing any longer, and what it has learned is forgotten. */
void asker_fini(struct asker *a);

/* It waits for the answer to 'need' (copied, need->asker is filled in); fine when it
 * does already. True when nobody has asked that yet, so that it has to be found out:
 * 'until_at' is for this case. */
bool asker_ask(struct asker *a, struct need *need, int64_t until_at) MUST_CHECK;

/* It knows that from now on, until then, or until it has decided (INT64_MAX). */
void asker_learn(struct asker *a, const struct need *need, const struct finding *f,
                 int64_t until_at);
/* Bytes of memory of what it has learned. */
size_t asker_bytes(const struct asker *a);

/* One of those who wait for the answer, the one who asked first; it waits for it no
 * longer. NULL: nobody waits. */
struct asker *inquiry_take(struct inquiry *q);

/* The one about that, NULL when nothing of the kind is being found out. */
struct inquiry *inquiries_find(const struct inquiries *all, const struct need *need);

/* It is over; nobody may wait for it any longer. */
void inquiries_end(struct inquiries *all, struct inquiry *q);

#endif
