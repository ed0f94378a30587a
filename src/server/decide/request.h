/* request.h - what a handler sees and what it returns.
 *
 * A handler is a pure function of the model, the request and the time. It answers with
 * a decision: records to be stored and applied, and a reply or a refusal. A refusal
 * (non-zero return, words in out->why) must leave out->records empty.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_REQUEST_H
#define SERVER_DECIDE_REQUEST_H

#include "lib/wire/batch.h"
#include "server/decide/act.h"
#include "server/decide/facts.h"
#include "server/model/model.h"

struct host_book;
struct needs;
struct svr_config;
struct pending_jobs;
struct denials;
struct sched_links;

/* A requester, as the shell authenticated it. */
struct requester {
    const char *user;
    const char *host;
    /* root, or the uid that runs the server, known for certain: by peer credentials of
     * the local socket. */
    bool server_uid;
    /* It asks from an address of the server's own host, whatever name that has. */
    bool at_home;
    /* root on the server's host as a reserved port vouches for it: manager and
     * operator, and nothing of what only server_uid may do (hooks, acl_roots). */
    bool host_root;
    /* RegisterSched only: this user may register the scheduler that is named, from the
     * host that it asks from. It is no other right. */
    bool may_schedule;
    /* Another server, which hands jobs over: it speaks for their owners. */
    bool peer;
    uint64_t conn; /* the shell's number of the connection, 0: the server itself */
    /* Filled in by svr_request(); the shell leaves them zero. */
    uint32_t rights; /* enum attr_who bits, see requester_rights() */
    bool equivalent; /* it is the account of its name at the server's host */
    bool scheduler;  /* a registered scheduler's primary connection */
};

/* What the engine knows besides the model; it lasts as long as the process. */
struct svr_view {
    enum server_stop stopping;
    const struct sched_links *links;    /* sched_link.h */
    const struct host_book *hosts;      /* host_book.h */
    const struct pending_jobs *pending; /* jobs being sent: job_pending.h */
    const struct denials *denials;      /* denials.h */
    uint64_t next_number; /* numbers below it may be told: next_number.h */
};

/* What a handler remembers of a request that takes several turns (doc/design/006). The
 * handler makes 'state' in its first slice, of memory in 'arena' or with a 'drop'. */
struct progress {
    struct arena *arena; /* lives as long as the request */
    void *state;         /* the handler's own; NULL before its first slice */
    const char *kept; /* the OBJ_REQUEST with which it is carried out to its end, also
                       * by another life of the server (kept_request.h), or NULL */
    /* An object is about to leave the model; may be NULL. */
    void (*leave)(void *state, const struct object *o, bool retires);
    /* A job has another place in the order of jobs than before; may be NULL. */
    void (*moved)(void *state, const struct job *job, struct rank_place was);
    /* The request is over, or nobody waits for it any longer; may be NULL. */
    void (*drop)(void *state);
    /* It has waited for an object (ACT_ASK_AGAIN), at the longest until then.
     */
    int64_t waits_until_at;
    struct dry_run *dry; /* that it waits for (dry_run.h), or NULL: the handler's own */
};

/* What a decision may go by of the world outside (know.h). */
struct knowledge {
    const struct facts *facts; /* what was found out so far, for everybody */
    struct facts *learned;     /* and for who decides here; NULL: nothing */
    uint64_t number;           /* of who has asked before, as in struct need; else 0 */
    struct needs *needs;       /* what has to be known first, filled in by know.h */
};

struct request {
    const struct wire_request *wire;
    const void *body; /* == wire->body */
    const struct requester *who;
    const char *actor; /* "user@host" in the arena */
    uint32_t terms;    /* of a ResvAct: enum resv_act_flag bits */
    int64_t now_at;
    struct arena *arena;
    const struct svr_config *cfg; /* names and accounts of the server */
    const struct svr_view *view;
    /* Of a series, by its index, that the request is about (ResvAct); 0: none is named.
     * Handlers look at it where the table of resv_act.c says so. */
    uint32_t occurrence;
    /* NULL: the request has come in this turn. A handler that finds it too long for one
     * turn then decides nothing and asks for ACT_GO_ON. */
    struct progress *progress;
    struct knowledge knows;
    /* Of a look at an object (show.h), else NULL. */
    struct look *look;
};

/* About what one slice of a request may cost: config_slice_cost(). */
size_t request_slice_cost(const struct request *rq);

#define SHOWS_ANYTHING UINT64_MAX

struct decision {
    struct arena *arena;
    struct records records;
    /* choice 0 becomes a Null reply, code 0; not looked at when an act answers */
    struct wire_reply reply;
    /* The reply shows nothing that is newer than this record, so it waits for no later
     * one; SHOWS_ANYTHING unless the handler knows better. */
    uint64_t shows_seq;
    struct acts acts;
    struct diag why;
    const char *why_text; /* words longer than why.text holds, or NULL */
    /* Lines for the server's log that come with a refusal or a success. They follow
     * those of the records, unless they say what is attempted. */
    bool logs_lead;
    size_t n_logs, cap_logs;
    struct log_line {
        uint32_t event;     /* event class bits, operations.md 13 */
        uint32_t obj_class; /* enum log_class */
        const char *object;
        const char *text;
    } * logs;
};

/* Helpers for handlers. */
void decide_log(struct decision *out, uint32_t event, uint32_t obj_class,
                const char *object, const char *fmt, ...) PRINTF_LIKE(5, 6);
void reply_text(struct decision *out, const char *fmt, ...) PRINTF_LIKE(2, 3);
void reply_id(struct decision *out, enum reply_choice choice, const char *id);

/* "Server@" and the short host name: the object of log lines about the server. */
const char *log_server_name(const struct svr_config *cfg, struct arena *arena);

/* Rights of a user by root, managers and operators lists (attributes.md 13). */
uint32_t requester_rights(const struct model *m, const char *user, const char *host,
                          bool server_uid);

/* Somebody whom the server itself asks for: "user@host", with the rights that the lists
 * give; texts in the arena. */
struct requester requester_named(const struct model *m, const char *user_at_host,
                                 struct arena *arena);

/* The owner test of attributes.md 13: 'owner' is "user@host". */
bool requester_is_owner(const struct model *m, const struct requester *who,
                        const char *owner);

#define WHO_STAFF  (WHO_OPERATOR | WHO_MANAGER)
#define WHO_ANYONE (WHO_USER | WHO_OPERATOR | WHO_MANAGER | WHO_DAEMON)

/* A record about an object by the requester, appended to the decision. */
struct record *decide(struct decision *out, const struct request *rq, enum fact fact,
                      enum obj_kind kind, const char *id);

#endif
