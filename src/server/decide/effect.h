/* effect.h - what leaves the core: records to be stored, and all that may leave when a
 * record is durable.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_EFFECT_H
#define SERVER_DECIDE_EFFECT_H

#include "lib/base/log.h"
#include "lib/wire/batch.h"
#include "lib/wire/is.h"
#include "lib/wire/job_ended.h"
#include "server/decide/request.h"
#include "server/model/record.h"

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
    EFFECT_CALL,     /* to a client that waits at a port for the end of its job */
    EFFECT_FIND_OUT, /* something about the world outside: svr_learned() */
    EFFECT_EXIT,     /* leave the main loop when all before is done */
};

struct effect {
    enum effect_kind kind;
    uint64_t seq; /* may leave when this record number is durable; 0: at any time */
    union {
        struct record *record;
        struct {
            uint64_t conn;
            struct wire_reply reply;
            bool reads_only; /* what it answers has changed nothing */
        } reply;
        uint64_t close_conn;
        struct need need;
        uint64_t listing_conn;
        struct {
            uint64_t conn; /* a scheduler's secondary one */
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
            bool to_owner;  /* nobody is named: it is the owner, "user@host" */
            const char *subject;
            const char *text;
        } mail;
        struct {
            const char *user; /* the job's owner, who has named the host */
            const char *host;
            uint16_t port;
            struct job_ended told;
        } call;
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

/* Event bits and object classes: lib/base/log.h. */
void effect_log(struct effects *out, uint64_t seq, uint32_t event, uint32_t obj_class,
                const char *object, const char *fmt, ...) PRINTF_LIKE(6, 7);
void effect_account(struct effects *out, uint64_t seq, int64_t at, char type,
                    const char *id, const char *fmt, ...) PRINTF_LIKE(6, 7);
/* Append an effect of that kind, told when record 'seq' is durable. */
struct effect *effect_add(struct effects *out, enum effect_kind kind, uint64_t seq);

#endif
