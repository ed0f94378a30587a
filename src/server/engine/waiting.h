/* waiting.h - replies that wait for a fact about an object, or for a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_WAITING_H
#define SERVER_ENGINE_WAITING_H

#include "server/decide/request.h"

struct waiting_reply {
    uint64_t conn;
    uint32_t number;                   /* of the request */
    uint64_t seq;                      /* the last record when it began to wait */
    char *who;                         /* "user@host", for the log */
    struct wait_for wait_for;          /* its id is owned */
    struct waiting_reply *prev, *next; /* of the same object, oldest first */
    struct waiting_reply *time_prev, *time_next; /* all with a limit, by until_at */
};

struct waiting_for;

struct waiting_table {
    struct waiting_for *by_object; /* uthash by kind and id */
    struct waiting_reply *timed;
    size_t n;
};

/* A zeroed struct is empty. */
void waiting_fini(struct waiting_table *t);

/* Keep it; 'wait_for' is copied. */
void waiting_add(struct waiting_table *t, uint64_t conn, uint32_t number,
                 const char *who, uint64_t seq, const struct wait_for *wait_for);

/* Those that wait for an object: the first, the others by ->next. */
struct waiting_reply *waiting_first(const struct waiting_table *t, enum obj_kind kind,
                                    const char *id);

/* The one whose time is over at 'now_at', NULL when there is none. */
struct waiting_reply *waiting_overdue(const struct waiting_table *t, int64_t now_at);
int64_t waiting_deadline(const struct waiting_table *t);

/* One that began to wait after record 'seq', NULL when there is none. */
struct waiting_reply *waiting_after(const struct waiting_table *t, uint64_t seq);

/* Forget one that has been answered. */
void waiting_remove(struct waiting_table *t, struct waiting_reply *w);
/* Drop those of a connection that has ended. */
void waiting_drop_conn(struct waiting_table *t, uint64_t conn);

#endif
