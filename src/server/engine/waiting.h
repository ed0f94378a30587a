/* waiting.h - replies that wait for a fact about an object, or for a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_WAITING_H
#define SERVER_ENGINE_WAITING_H

#include "server/decide/request.h"

struct waiting_group;

struct waiting_reply {
    uint64_t conn;
    uint32_t number;                   /* of the request */
    uint64_t seq;                      /* the last record when it began to wait */
    char *who;                         /* "user@host", for the log */
    struct wait_for wait_for;          /* its id is owned */
    struct waiting_group *group;       /* whose reply it is a part of, or NULL */
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

/* Keep it; 'wait_for' is copied. It is the table's. */
struct waiting_reply *waiting_add(struct waiting_table *t, uint64_t conn,
                                  uint32_t number, const char *who, uint64_t seq,
                                  const struct wait_for *wait_for);

/* Several waits of one connection whose answers are one reply: the first failure of
 * them. Who has made it holds it and may add to it until it is closed; then it lasts as
 * long as one of the waits does. */
struct waiting_group *waiting_group_new(void);
void waiting_group_add(struct waiting_group *g, struct waiting_reply *w);
/* Nothing is added any more; 'code', when that is not 0, is told before all other
 * failures. True when nothing waits any more: 'reply', which lives in 'arena', is then
 * what the connection is told. */
bool waiting_group_close(struct waiting_group *g, int code, struct wire_reply *reply,
                         struct arena *arena) MUST_CHECK;
/* It is given up by who holds it; NULL is fine. */
void waiting_group_leave(struct waiting_group *g);

/* 'w' is answered with 'reply', which lives in 'arena'. True when that ends all that
 * the connection waits for: 'reply' is then what it is told. The caller removes 'w' in
 * any case. */
bool waiting_takes(struct waiting_reply *w, struct wire_reply *reply,
                   struct arena *arena) MUST_CHECK;

/* Those that wait for an object: the first, the others by ->next. */
struct waiting_reply *waiting_first(const struct waiting_table *t, enum obj_kind kind,
                                    const char *id);

/* The one whose time is over at 'now_at', NULL when there is none. */
struct waiting_reply *waiting_overdue(const struct waiting_table *t, int64_t now_at);
int64_t waiting_deadline(const struct waiting_table *t);

/* The first of those with a limit that a connection waits for, NULL when there is none.
 * Linear in the waits that have a limit. */
struct waiting_reply *waiting_of_conn(const struct waiting_table *t, uint64_t conn);

/* One that began to wait after record 'seq', NULL when there is none. */
struct waiting_reply *waiting_after(const struct waiting_table *t, uint64_t seq);

/* Forget one that has been answered; with all of its group, which is given up. */
void waiting_remove(struct waiting_table *t, struct waiting_reply *w);
void waiting_remove_all(struct waiting_table *t, struct waiting_reply *w);
/* Drop those of a connection that has ended. */
void waiting_drop_conn(struct waiting_table *t, uint64_t conn);

#endif
