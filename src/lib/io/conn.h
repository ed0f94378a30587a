/* conn.h - a framed connection: whole frames in, queued bytes out, nobody waits.
 *
 * Bytes are read without blocking into a bounded buffer. Whole frames go to 'frame' in
 * order; a frame that starts and does not end within 'partial_ms' is the sender's
 * fault, told through 'bad'. Output is queued up to 'max_output_bytes' and written as
 * the peer takes it; a peer that takes nothing for 'stall_ms' is dropped.
 *
 * Frames are PKTV1 packets by default; another framing (TPP) gives its own parser.
 *
 * conn_free() may be called from inside any callback of the same connection.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_CONN_H
#define LIB_IO_CONN_H

#include "lib/base/buf.h"
#include "lib/base/shares.h"
#include "lib/io/loop.h"
#include "lib/wire/packet.h"

struct conn;

/* Looks for one whole frame at the front of 'data', cheaply: it is asked again after
 * each read. packet_peek() is one. */
typedef enum packet_status (*conn_parse_fn)(const char *data, size_t len,
                                            size_t max_bytes, struct packet *ret);

enum conn_end {
    CONN_EOF,      /* the peer closed */
    CONN_ERROR,    /* read or write error: errno value in conn_errno() */
    CONN_REFUSED,  /* an outgoing connection failed: errno value in conn_errno() */
    CONN_IDLE,     /* nothing read for idle_ms */
    CONN_STALLED,  /* the peer takes no output */
    CONN_OVERFLOW, /* more output than max_output_bytes */
    CONN_FINISHED, /* conn_finish() and everything was written */
};

enum conn_fault {
    CONN_BAD_BYTES, /* the parser refused the bytes */
    CONN_PARTIAL,   /* the rest of a frame did not come in time */
    CONN_CUT,       /* the peer closed in the middle of a frame */
};

struct conn_events {
    /* An outgoing connection is up. May be NULL. */
    void (*opened)(void *arg, struct conn *c);
    /* One frame. f->data is valid during the call only. */
    void (*frame)(void *arg, struct conn *c, const struct packet *f);
    /* Wrong input. Nothing more is read; the owner may still send and must then call
     * conn_finish() or conn_free(). NULL: the connection is treated as closed. */
    void (*bad)(void *arg, struct conn *c, enum conn_fault fault);
    /* It is over; the owner calls conn_free() now or later. Called at most once, never
     * from inside conn_send() or conn_new(), and never after conn_free(). */
    void (*closed)(void *arg, struct conn *c, enum conn_end end);
    /* Asked for with conn_want_room(): there is room for more output. May be NULL. */
    void (*room)(void *arg, struct conn *c);
};

struct conn_config {
    const struct conn_events *events; /* must outlive the connection */
    void *arg;
    conn_parse_fn parse;     /* NULL: packet_peek */
    size_t max_frame_bytes;  /* 0: CONN_MAX_FRAME_BYTES */
    size_t max_output_bytes; /* 0: CONN_MAX_OUTPUT_BYTES */
    /* Frames, and about how many bytes of them, that are handed over in one turn of the
     * loop: the rest has its turn when others had theirs, and meanwhile nothing is
     * read. 0: any number. */
    size_t turn_frames, turn_bytes;
    int64_t partial_ms; /* 0: CONN_PARTIAL_MS, < 0: no limit */
    int64_t idle_ms;    /* without input, while it is not held; <= 0: no limit */
    int64_t stall_ms;   /* 0: CONN_STALL_MS, < 0: no limit */
    /* Where the memory of the buffers is counted: input that is not handed over yet,
     * output that is not taken yet. Must outlive the connection; NULL: nowhere. */
    struct budget *budget;
    bool connecting; /* fd is from net_connect(): not yet connected */
};

#define CONN_MAX_FRAME_BYTES  (64u << 20)
#define CONN_MAX_OUTPUT_BYTES (512u << 20)
#define CONN_ROOM_BYTES       (64u << 10)
#define CONN_PARTIAL_MS       30000
#define CONN_IDLE_MS          900000
#define CONN_STALL_MS         30000

/* Takes over 'fd' and makes it non-blocking. Never NULL. */
struct conn *conn_new(struct loop *l, int fd, const struct conn_config *cfg);
/* End at once; what was not written is lost. conn_free(NULL) is fine. */
void conn_free(struct conn *c);

/* Queue bytes as they are, or one PKTV1 packet around them. Writing is tried at once.
 * Ignored once the connection is over. */
void conn_send(struct conn *c, const void *p, size_t len);
void conn_send_packet(struct conn *c, enum packet_type type, const void *p, size_t len);

/* While wanted, room() is called from the loop, once a turn, when the peer has taken
 * all but CONN_ROOM_BYTES of the output: for long output that is made as it is taken.
 */
void conn_want_room(struct conn *c, bool wanted);

/* From now on payloads of PKTV1 packets are encrypted: those that conn_send_packet()
 * is given, and those that come. What cannot be decrypted is CONN_BAD_BYTES. Both
 * functions append to 'out' and return false when the connection is of no use. 'arg'
 * must outlive the connection. Bytes of conn_send() are never touched. */
struct conn_cipher {
    bool (*seal)(void *arg, const void *data, size_t len, struct buf *out);
    bool (*open)(void *arg, const void *data, size_t len, struct buf *out);
    void *arg;
};
void conn_set_cipher(struct conn *c, const struct conn_cipher *cipher);
bool conn_is_encrypted(const struct conn *c);

/* Read no more; when all output is written, closed(CONN_FINISHED). */
void conn_finish(struct conn *c);

/* While held, a little more is read but not handed over, so that the end of the peer is
 * still noticed (unless it has sent much). Releasing hands over what came meanwhile,
 * from the loop. */
void conn_hold(struct conn *c, bool held);

/* The frames so far are the beginning of a larger message: partial_ms keeps running
 * from the first call on until it is false again. */
void conn_expect_more(struct conn *c, bool expected);

void conn_set_idle(struct conn *c, int64_t idle_ms); /* <= 0: no limit */
/* A frame that announces more bytes than this ends the connection. */
void conn_set_max_frame(struct conn *c, size_t max_bytes);

/* The descriptor, which stays the connection's; the errno value that broke it, 0 when
 * none did; the bytes that the peer has not taken yet. */
int conn_fd(const struct conn *c);
int conn_errno(const struct conn *c);
size_t conn_unsent_bytes(const struct conn *c);
/* What it takes of its budget; another budget counts it from now on (NULL: none). */
size_t conn_held_bytes(const struct conn *c);
void conn_set_budget(struct conn *c, struct budget *budget);

#endif
