/* held.h - replies that wait for a fact about an object, or for a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_HELD_H
#define SERVER_ENGINE_HELD_H

#include "server/decide/request.h"

struct held {
    uint64_t conn;
    uint32_t number;                    /* of the request */
    uint64_t seq;                       /* the last record when it began to wait */
    char *who;                          /* "user@host", for the log */
    struct hold_reply hold;             /* its id is owned */
    struct held *prev, *next;           /* of the same object, oldest first */
    struct held *time_prev, *time_next; /* all with a limit, by until_at */
};

struct held_object;

struct holds_table {
    struct held_object *by_object; /* uthash by kind and id */
    struct held *timed;
    size_t n;
};

/* A zeroed struct is empty. */
void held_fini(struct holds_table *t);

/* Keep it; 'hold' is copied. */
void held_add(struct holds_table *t, uint64_t conn, uint32_t number, const char *who,
              uint64_t seq, const struct hold_reply *hold);

/* Those that wait for an object: the first, the others by ->next. */
struct held *held_first(const struct holds_table *t, enum obj_kind kind,
                        const char *id);

/* The one whose time is over at 'now_at', NULL when there is none. */
struct held *held_overdue(const struct holds_table *t, int64_t now_at);
int64_t held_deadline(const struct holds_table *t);

/* One that began to wait after record 'seq', NULL when there is none. */
struct held *held_after(const struct holds_table *t, uint64_t seq);

/* Forget one that has been answered. */
void held_remove(struct holds_table *t, struct held *h);
/* Drop those of a connection that has ended. */
void held_drop_conn(struct holds_table *t, uint64_t conn);

#endif
