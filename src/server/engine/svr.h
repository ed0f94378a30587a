/* svr.h - the door of the server's core: inputs go in, effects come out.
 *
 * The core reads no clock, socket, file or environment. The shell (or the simulator)
 * feeds it requests, MoM messages and the time, stores the records among the effects
 * in order, and lets every other effect leave when the record number it has seen is
 * durable. A restart is svr_new(), svr_load() for each stored object, svr_start().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_SVR_H
#define SERVER_ENGINE_SVR_H

#include "lib/wire/batch.h"
#include "lib/wire/is.h"
#include "server/decide/config.h"
#include "server/decide/effect.h"
#include "server/decide/request.h"
#include "server/model/model.h"

struct svr;

/* A server without objects, before its start; 'cfg' is copied with its texts. Free
 * takes all objects along and tells nobody; NULL is fine. */
struct svr *svr_new(const struct svr_config *cfg);
void svr_free(struct svr *s);

/* Recovery: one call per stored object, in order of creation, 'rec' being FACT_LOADED
 * with all its saved attributes; then svr_start(). 'seq' is the last stored number.
 * svr_load() returns a change that cannot be read, as model_load() does. */
const struct change *svr_load(struct svr *s, const struct record *rec);
void svr_loaded(struct svr *s, uint64_t seq);

enum svr_start {
    SVR_HOT,
    SVR_WARM,
    SVR_COLD,
    SVR_CREATE,   /* first start: defaults are made (operations.md 7) */
    SVR_UPDATEDB, /* of other servers, whose stores need it; here: warm */
};
/* The start, once and before any other input: what became due while no server ran is
 * decided now, and its effects are appended to *out. */
void svr_start(struct svr *s, int64_t now_at, enum svr_start type, struct effects *out);

/* What became of a request. */
enum svr_outcome {
    SVR_ANSWERED,  /* its reply is among the effects */
    SVR_SILENT,    /* nobody is answered */
    SVR_WAITS,     /* its reply comes when something has happened */
    SVR_FORWARDED, /* a MoM's answer will be its reply */
    SVR_PARKED,    /* it goes on in a later turn: svr_go_on() */
    SVR_LISTED,    /* EFFECT_LISTING among the effects: its reply is read in parts */
    SVR_GATHERING, /* the same later: svr_listing_go_on() until there is one */
    SVR_CLOSED,    /* it is answered, and EFFECT_CLOSE follows */
    SVR_SCHEDULER, /* answered; the connection is a scheduler's primary one now */
    SVR_COMMANDS,  /* answered; it is the secondary one: no further requests on it */
};

/* A decoded request of an authenticated client. Connect, Authenticate and Disconnect
 * are the shell's; RegisterSched comes here: what it is worth is said by the outcome.
 */
enum svr_outcome svr_request(struct svr *s, int64_t now_at, const struct requester *who,
                             const struct wire_request *rq, struct effects *out);

/* Is that user, not known to be root, a manager or an operator? */
bool svr_is_staff(const struct svr *s, const char *user, const char *host);

/* Bytes of memory that the core keeps for a connection: the job that it is sending,
 * until it is committed, and its request that is parked, with what it has learned. */
size_t svr_kept_bytes(const struct svr *s, uint64_t conn);

/* A request that is too long for one turn is parked, and goes on a slice at a time; so
 * does what follows from an input when it is much (doc/design/006). While
 * svr_has_work() is true svr_go_on() carries out one slice of what is next; whoever
 * waits for a parked request is answered with its last one. */
bool svr_has_work(const struct svr *s);
struct svr_fate {
    uint64_t conn; /* of the request that had its turn; 0: of nobody any more */
    enum svr_outcome outcome;
};
struct svr_fate svr_go_on(struct svr *s, int64_t now_at, struct effects *out);

/* The answer to an EFFECT_FIND_OUT, or what became known anyway; copied. Requests that
 * need it are decided afresh by svr_go_on(). An answer that nobody waits for any longer
 * is fine. */
void svr_learned(struct svr *s, int64_t now_at, const struct need *need,
                 const struct finding *finding, struct effects *out);

/* A client connection ended: waiting replies to it are dropped. A parked request of
 * which something is fact already goes on to its end, any other one is dropped. */
void svr_client_gone(struct svr *s, int64_t now_at, uint64_t conn, struct effects *out);

/* A status of many objects is put together in slices, so that others are served in
 * between (listing.h). While it is gathering, svr_listing_go_on() does the next slice;
 * when a part of the reply is whole an EFFECT_LISTING tells it, and when that has left
 * the part is read with svr_listing_read(), as fast as the peer takes it. */
bool svr_listing_is_gathering(const struct svr *s, uint64_t conn);
void svr_listing_go_on(struct svr *s, int64_t now_at, uint64_t conn,
                       struct effects *out);

enum svr_listing {
    SVR_LISTING_SOME, /* there is more of this part */
    SVR_LISTING_PART, /* the next part is being gathered now */
    SVR_LISTING_ALL,  /* that was the reply, or there is none */
};

/* Bytes of objects' looks that only listings hold: nothing else remembers them any
 * more, or ever did. */
size_t svr_listing_held_bytes(const struct svr *s);

/* The rest of the reply is not sent; fine when there is none. */
void svr_listing_drop(struct svr *s, uint64_t conn);

/* Append about 'most_bytes' of the part's packet, header included. */
enum svr_listing svr_listing_read(struct svr *s, uint64_t conn, size_t most_bytes,
                                  struct buf *out);

/* A scheduler sent "+0" on its secondary connection: a cycle is over. */
void svr_sched_done(struct svr *s, int64_t now_at, uint64_t conn, struct effects *out);

/* MoM traffic: a message on a stream ('host' is the peer's TPP address as "10.1.2.3",
 * 'port' its TPP port), the
 * end of a stream, the loss of the router (all vnodes unknown). */
void svr_mom_message(struct svr *s, int64_t now_at, uint64_t stream, const char *host,
                     uint32_t port, const struct is_message *msg, struct effects *out);
void svr_mom_lost(struct svr *s, int64_t now_at, uint64_t stream, struct effects *out);
void svr_router_lost(struct svr *s, int64_t now_at, struct effects *out);
void svr_router_back(struct svr *s, int64_t now_at, struct effects *out);

/* A signal ends the server: nothing is waited for any more, and whoever asked for the
 * end is answered. */
void svr_end(struct svr *s, int64_t now_at, struct effects *out);

/* Carry out everything that is due at 'now_at'; call at or after svr_next_deadline().
 */
void svr_tick(struct svr *s, int64_t now_at, struct effects *out);

/* The next instant at which something becomes due, INT64_MAX when nothing will. */
int64_t svr_next_deadline(const struct svr *s);

/* The journal says that a reservation was denied (decide/denials.h); for the shell's
 * start-up, in the order of time. */
void svr_restore_denial(struct svr *s, const char *id, const char *owner,
                        const char *reason, int64_t at);

/* For the shell's start-up, tests and the simulator. */
const struct model *svr_model(const struct svr *s);

/* For tests: what is kept of how objects look in a status is what would be made of them
 * now, for every object and every class of viewers; else says in 'why' (may be NULL)
 * whose is not. */
bool svr_shown_is_right(struct svr *s, int64_t now_at, struct buf *why);

/* For tests: what a scheduler is told that asks for changes (StatusChanges), whole and
 * without waiting for the store; 0 or the code of its refusal. */
int svr_changes(struct svr *s, int64_t now_at, const struct body_changes *body,
                struct arena *arena, struct wire_objects *ret) MUST_CHECK;

/* For tests: is something left that follows from the inputs so far, and that
 * svr_go_on() carries out? What rules keep true may not be true meanwhile. */
bool svr_is_settling(const struct svr *s);

/* For tests: no rule has anything left to say about any object, but for those whose
 * deadline has come since and that the next tick looks at, and those that were put off
 * and that svr_go_on() looks at. What is missing in the table of who looks at whom
 * shows here; 'why' (may be NULL) names rule and object. */
bool svr_is_settled(const struct svr *s, int64_t now_at, struct buf *why);

/* The store could not commit: changes are refused with 15161 until it is false again.
 */
void svr_set_store_failed(struct svr *s, bool failed);

/* It has been so for long, and 'durable_seq' is all that it has: nobody is to wait for
 * it any longer. Whoever waits for something that follows from a later record is
 * answered with SVR_IN_DOUBT; replies on their way are the shell's. */
void svr_give_up(struct svr *s, int64_t now_at, uint64_t durable_seq,
                 struct effects *out);

/* With code 15161, to who waited for the store in vain: what was decided stays decided,
 * and is carried out when the store is back; a question has changed nothing. */
#define SVR_IN_DOUBT                                                                   \
    "Failed to save in time, refer server logs for details; it may still be done "     \
    "when the store is back: look before asking again"
#define SVR_NOT_SHOWN                                                                  \
    "Failed to save what is to be shown, refer server logs for details; nothing was "  \
    "changed: ask again later"

#endif
