/* rm.c - see rm.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/rm.h"

#define VERSION 1
#define OKAY    100
#define FAILED  999

static const struct wire_field request_fields[] = {
    WIRE_FIELD(WIRE_INT, struct rm_request, command, 0),
    WIRE_FIELD(WIRE_STRINGS_TO_END, struct rm_request, texts, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field reply_fields[] = {
    WIRE_FIELD(WIRE_STRINGS_TO_END, struct rm_reply, texts, 0),
    WIRE_FIELDS_END,
};

void rm_request_encode(struct buf *out, const struct rm_request *rq)
{
    dis_put_int(out, RM_PROTOCOL);
    dis_put_int(out, VERSION);
    wire_encode(out, request_fields, rq);
}

enum dis_error rm_request_decode(const char *data, size_t len, struct arena *arena,
                                 struct rm_request *ret)
{
    const struct arena_mark mark = arena_mark(arena);
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    struct rm_request got = { 0 };
    int32_t protocol = 0, version = 0;
    enum dis_error e = dis_get_int(&in, &protocol);

    if (!e)
        e = dis_get_int(&in, &version);
    if (!e && (protocol != RM_PROTOCOL || version != VERSION))
        e = DIS_PROTOCOL;
    if (!e)
        e = wire_decode(&in, request_fields, &got);
    if (e)
        arena_rewind(arena, &mark);
    else
        *ret = got;
    return e;
}

void rm_reply_encode(struct buf *out, const struct rm_reply *reply)
{
    dis_put_int(out, reply->is_ok ? OKAY : FAILED);
    wire_encode(out, reply_fields, reply);
}

enum dis_error rm_reply_decode(const char *data, size_t len, struct arena *arena,
                               struct rm_reply *ret)
{
    const struct arena_mark mark = arena_mark(arena);
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    struct rm_reply got = { 0 };
    int32_t status = 0;
    enum dis_error e = dis_get_int(&in, &status);

    if (!e && status != OKAY && status != FAILED)
        e = DIS_PROTOCOL;
    if (!e)
        e = wire_decode(&in, reply_fields, &got);
    if (e) {
        arena_rewind(arena, &mark);
    } else {
        got.is_ok = status == OKAY;
        *ret = got;
    }
    return e;
}
