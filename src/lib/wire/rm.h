/* rm.h - questions to a MoM about its host, and their answers, as structs (tpp.md 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_WIRE_RM_H
#define LIB_WIRE_RM_H

#include "lib/wire/field.h"

#define RM_PROTOCOL 1

enum rm_command {
    RM_CLOSE = 1,
    RM_REQUEST = 2,
    RM_CONFIG = 3,
    RM_SHUTDOWN = 4,
};

/* Behind the "=? " of an answer. */
enum rm_error {
    RM_ERR_UNKNOWN = 15201,  /* nobody knows that name */
    RM_ERR_BADPARAM = 15202, /* what stands in its brackets is none of its words */
    RM_ERR_NOPARAM = 15203,  /* it is about something that was not named */
    RM_ERR_EXIST = 15204,    /* there is no such thing */
    RM_ERR_SYSTEM = 15205,   /* the host does not tell */
    RM_ERR_TOO_LONG = 15014, /* the value has more than RM_MAX_VALUE bytes */
};
#define RM_MAX_VALUE 65535

struct rm_request {
    int32_t command;
    struct wire_strings texts; /* REQUEST: the names; CONFIG: a file, or none */
};

struct rm_reply {
    bool is_ok;
    struct wire_strings texts; /* an answer for each name, or what was wrong */
};

/* DIS payload <-> struct. Texts of a decoded one lie in the arena, which keeps nothing
 * of one that is refused: what does not begin with protocol 1, version 1 is
 * DIS_PROTOCOL. What stands behind a command that takes no texts is read and ignored,
 * as PBS does. */
void rm_request_encode(struct buf *out, const struct rm_request *rq);
enum dis_error rm_request_decode(const char *data, size_t len, struct arena *arena,
                                 struct rm_request *ret) MUST_CHECK;
void rm_reply_encode(struct buf *out, const struct rm_reply *reply);
enum dis_error rm_reply_decode(const char *data, size_t len, struct arena *arena,
                               struct rm_reply *ret) MUST_CHECK;

#endif
