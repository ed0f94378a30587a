/* parked.h - requests that are decided in later turns (doc/design/006).
 *
 * A request that is too long for one turn is copied, byte for byte as it came, and its
 * handler is asked again, a slice at a time, until it is done. What it remembers
 * between two slices is its progress (decide/request.h). Others are served in
 * between; parked requests of different users have their slices in turns, and those of
 * one user one after the other. One that waits for an object has no turn until it is
 * woken.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_PARKED_H
#define SERVER_ENGINE_PARKED_H

#include "server/decide/request.h"
#include "server/engine/inquiries.h"

/* Parked requests of one user at a time, and bytes of them: the first one may have as
 * many as it likes. */
#define PARKED_MAX_OF_USER       100
#define PARKED_MAX_BYTES_OF_USER ((size_t)64 << 20)

struct waiting_group;

struct parked {
    uint64_t conn;       /* 0: its client has gone, or is not answered anyway */
    struct arena *arena; /* of the copy, and of its progress */
    size_t bytes;        /* of the request on the wire, and of what it has learned */
    struct wire_request wire;
    struct requester who; /* as the shell knows it */
    struct progress progress;
    bool let_in; /* the server's access lists have let it pass */
    bool began;  /* something of it is fact already */
    bool
        waits; /* for an object, a waiting reply (waiting.h) knows which; or for answers
                */
    struct asker asker; /* what it has learned, and waits for */
    struct waiting_group
        *group; /* what its reply waits for so far, or NULL (waiting.h) */
    struct parked *prev, *next; /* of the same user, oldest first */
    struct parked_user *user;
    UT_hash_handle hh; /* by connection */
};

/* Whose requests they are. */
struct parked_user {
    char *name; /* "user@host" */
    size_t n;
    size_t bytes;                    /* of the requests */
    struct parked *first;            /* of those that wait for their turn */
    struct parked_user *prev, *next; /* who is next has waited longest */
};

struct parked_table {
    struct parked *by_conn;
    struct parked_user *users;
    size_t n_ready; /* that do not wait */
};

/* A zeroed struct is empty. */
void parked_fini(struct parked_table *t);

/* Keep a copy of the request; NULL when its user has too many of them. One that is not
 * answered ('silent') has no connection: its client goes on meanwhile. What it has to
 * know is among 'inquiries', which outlive it. */
struct parked *parked_add(struct parked_table *t, const struct request *rq, bool silent,
                          struct inquiries *inquiries);
/* Go on with one that an earlier life of the server has kept (kept_request.h): the
 * limits have let it pass then. Nobody waits for its answer. */
struct parked *parked_carry_on(struct parked_table *t, const struct request *rq,
                               const char *kept, struct inquiries *inquiries);
/* It is over. */
void parked_remove(struct parked_table *t, struct parked *p);

/* Whose turn it is: the oldest one that does not wait of the user who is next; NULL:
 * all wait. That user goes behind the others. */
struct parked *parked_turn(struct parked_table *t);

/* It has no turn until it is woken; both are fine for one that does or has already. */
void parked_wait(struct parked_table *t, struct parked *p);
void parked_wake(struct parked_table *t, struct parked *p);

/* It waits for that answer, too; until then when nobody else has asked. True in that
 * case: it has to be found out. need->asker is filled in. */
bool parked_ask(struct parked_table *t, struct parked *p, struct need *need,
                int64_t until_at) MUST_CHECK;
/* There is an answer that it has waited for: it is woken when it was the last one. */
void parked_learn(struct parked_table *t, struct parked *p, const struct need *need,
                  const struct finding *finding);

/* Bytes of memory of the parked request of a connection, 0 when it has none. */
size_t parked_bytes(const struct parked_table *t, uint64_t conn);

/* The one of a connection, NULL when it has none. */
struct parked *parked_find(const struct parked_table *t, uint64_t conn);
/* The connection has ended: a request that began goes on for nobody, any other one is
 * dropped. */
void parked_client_gone(struct parked_table *t, uint64_t conn);

/* An object is about to leave the model, or (retires) to become history. */
void parked_leave(const struct parked_table *t, const struct object *o, bool retires);
/* A job has another place in the order of jobs than it had. */
void parked_moved(const struct parked_table *t, const struct job *job,
                  struct rank_place was);

/* Copy a request's body and its requester, so that they live as long as 'arena'.
 * Returns its bytes on the wire. */
size_t request_copy(const struct request *rq, struct arena *arena,
                    struct wire_request *wire, struct requester *who);

#endif
