/* check_why.h - which reservations were denied and why, kept outside of the server, and
 * what is said to those who ask (doc/extensions.md, ResvWhy).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_CHECK_WHY_H
#define TEST_SIM_CHECK_WHY_H

#include "server/engine/svr.h"

#include <uthash.h>

struct sim;
struct conn;

/* A reservation that was submitted. */
struct why {
    char *id;
    char *owner; /* without the host */
    uint64_t seq;
    char *said; /* the reason in the answer that is carried out now, NULL: none */
    uint64_t denied_seq; /* of the record that denied it; 0: nobody has */
    int64_t denied_at;
    char *reason; /* NULL: none was given */
    UT_hash_handle hh;
};

struct whys {
    struct why *list; /* in the order of their submission */
};

void whys_fini(struct whys *w);
/* What was decided later is not stored: its numbers are given again. */
void whys_forget_after(struct whys *w, uint64_t seq);

/* A request is about to be carried out, with 'reply' when it was answered at once. */
void why_requested(struct sim *s, const struct conn *c, const struct wire_request *rq,
                   const struct wire_reply *reply, struct arena *arena);
/* A record is about to be applied to 'm'. */
void check_why_record(struct sim *s, const struct model *m, const struct record *rec);

/* Users and a manager ask about all that were denied. */
void ask_why_all(struct sim *s);

#endif
