/* svr.h - the door of the server's core: inputs go in, effects come out.
 *
 * The core reads no clock, socket, file or environment. The shell (or the simulator)
 * feeds it requests, MoM messages and the time, stores the records among the effects
 * in order, and lets every other effect leave when the record number it has seen is
 * durable. A restart is svr_new(), svr_load() for each stored object, svr_start().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SVR_H
#define SERVER_SVR_H

#include "lib/wire/batch.h"
#include "lib/wire/is.h"
#include "server/model/model.h"
#include "server/requests/request.h"

struct svr;

/* What Python says of a script that it compiled. */
enum hook_verdict {
    HOOK_IS_SOUND,
    HOOK_IS_WRONG,
    HOOK_IS_UNKNOWN, /* it could not be asked */
};

/* The directory through which qmgr and the server hand over bodies of hooks (wire.md
 * 7.3), as the shell lets the core see it: texts by base name. A name that is none, a
 * file that is no plain one of the server's own, and one that is too large are
 * PBSE_HOOKERROR with words. 'compile' (may be NULL) says with words what is wrong with
 * a text of the hook 'name', or why nobody knows; kinds are "py", "json", "ini", "xml".
 */
struct hook_files {
    int (*read)(void *arg, const char *name, struct arena *arena, const char **data,
                size_t *len, struct diag *why);
    int (*write)(void *arg, const char *name, const char *data, size_t len,
                 struct diag *why);
    enum hook_verdict (*compile)(void *arg, const char *kind, const char *name,
                                 const char *data, size_t len, struct diag *why);
    void *arg;
};

struct svr_config {
    const char *server_name; /* short name: "svr" in "R7.svr" */
    const char *server_host; /* canonical host name */
    uint32_t server_port;
    uint32_t mom_port;   /* Port of new vnodes that name none; 0: 15002 */
    const char *home;    /* PBS_HOME, for the paths that objects show; may be NULL */
    const char *version; /* pbs_version */
    const char *holdfast_version;
    const char *root_user; /* name of the uid that runs the server: has root's rights */
    /* The shell's knowledge of accounts, a pure table to the core: primary and
     * supplementary group names of a user; returns false for an unknown user. */
    bool (*user_groups)(void *arg, const char *user, struct arena *arena,
                        struct wire_strings *ret);
    /* How far local time is ahead of UTC at an instant, for dates that people read;
     * NULL: UTC is shown. */
    int64_t (*utc_offset_s)(void *arg, int64_t at);
    /* IPv4 addresses of a host, in host byte order: at most 'max' of them, 0 when it is
     * unknown. The shell remembers answers for a while. NULL: only texts like
     * "127.0.0.1" have an address. */
    size_t (*host_addrs)(void *arg, const char *host, uint32_t *ret, size_t max);
    /* True when that is a host's full name: one that resolves to itself. NULL: not
     * checked. */
    bool (*is_full_name)(void *arg, const char *host);
    void *arg;
    const struct hook_files *hook_files; /* NULL: bodies of hooks do not travel */
    /* What one slice of a long status may cost, see listing.h; 0: LISTING_SLICE_BYTES
     */
    size_t listing_slice_bytes;
};

enum effect_kind {
    EFFECT_RECORD,        /* store it; journal row and changed attributes */
    EFFECT_REPLY,         /* to a client connection */
    EFFECT_LISTING,       /* a part of its reply may be read: svr_listing_read() */
    EFFECT_CLOSE,         /* end a client connection after what went before */
    EFFECT_SCHED_COMMAND, /* on a scheduler's secondary connection */
    EFFECT_MOM_MESSAGE,   /* an IS message to a MoM's stream */
    EFFECT_MOM_CLOSE,     /* close that stream */
    EFFECT_ACCOUNT,       /* one accounting line without its time stamp's text */
    EFFECT_LOG,
    EFFECT_MAIL,
    EFFECT_EXIT, /* leave the main loop when all before is done */
};

struct effect {
    enum effect_kind kind;
    uint64_t seq; /* may leave when this record number is durable; 0: at any time */
    union {
        struct record *record;
        struct {
            uint64_t conn;
            struct wire_reply reply;
            bool looks; /* what it answers has changed nothing */
        } reply;
        uint64_t close_conn;
        uint64_t listing_conn;
        struct {
            const char *sched;
            int32_t command;
            const char *job_id; /* command 11 only */
        } sched;
        struct {
            uint64_t stream;  /* the shell's number of the TPP stream; 0: open one */
            const char *host; /* for stream 0: MoM's host and TPP port */
            uint32_t port;
            struct is_message msg;
        } mom;
        struct {
            int64_t at;
            char type; /* 'Y', 'B', 'E', ... */
            const char *id;
            const char *text;
        } account;
        struct log_line log;
        struct {
            const char *to; /* comma list */
            const char *subject;
            const char *text;
        } mail;
    } u;
};

/* Filled by every input. Everything pointed to lives in 'arena', which the caller owns
 * and may free only when all effects have been carried out. */
struct effects {
    struct arena *arena;
    size_t n;
    size_t cap;
    struct effect *v;
};

struct svr *svr_new(const struct svr_config *cfg);
void svr_free(struct svr *s);

/* Recovery: one call per stored object, in order of creation, 'rec' being FACT_LOADED
 * with all its saved attributes; then svr_start(). 'seq' is the last stored number. */
void svr_load(struct svr *s, const struct record *rec);
void svr_loaded(struct svr *s, uint64_t seq);

enum svr_start {
    SVR_HOT,
    SVR_WARM,
    SVR_COLD,
    SVR_CREATE,   /* first start: defaults are made (operations.md 7) */
    SVR_UPDATEDB, /* of other servers, whose stores need it; here: warm */
};
void svr_start(struct svr *s, int64_t now_at, enum svr_start type, struct effects *out);

/* A decoded request of an authenticated client. Connect, Authenticate and Disconnect
 * are the shell's; RegisterSched comes here and its success is told by
 * svr_sched_attached(). */
void svr_request(struct svr *s, int64_t now_at, const struct requester *who,
                 const struct wire_request *rq, struct effects *out);

/* Is that user, not known to be root, a manager or an operator? */
bool svr_is_staff(const struct svr *s, const char *user, const char *host);

/* A client connection ended: held replies to it are dropped. */
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

/* The scheduler's link. attached: both connections are registered. done: it sent +0. */
void svr_sched_attached(struct svr *s, int64_t now_at, const char *sched,
                        uint64_t primary_conn, struct effects *out);
void svr_sched_done(struct svr *s, int64_t now_at, const char *sched,
                    struct effects *out);

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

/* For the shell's start-up, tests and the simulator. */
const struct model *svr_model(const struct svr *s);

/* For tests: what is kept of how objects look in a status is what would be made of them
 * now, for every object and every class of viewers; else says in 'why' (may be NULL)
 * whose is not. */
bool svr_shown_is_right(struct svr *s, int64_t now_at, struct buf *why);

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
