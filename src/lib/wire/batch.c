/* batch.c - batch requests: header, body, extension (wire.md 5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/batch.h"

#include <string.h>

#define PROTOCOL_TYPE    2
#define PROTOCOL_VERSION 2
#define OLDEST_VERSION   1 /* that is taken, wire.md 1: no partner ever sent 0 */
#define MAX_USER         256

void batch_encode_request(struct buf *out, const struct wire_request *rq)
{
    const struct batch_row *row = batch_row(rq->number);
    bool extended = rq->extend && *rq->extend;

    /* Only numbers of the table are sent: what another server is asked is ours. */
    MUST(row);
    dis_put_uint(out, PROTOCOL_TYPE);
    dis_put_uint(out, PROTOCOL_VERSION);
    dis_put_uint(out, rq->number);
    dis_put_string(out, rq->user);
    if (row->fields) {
        MUST(rq->body);
        wire_encode(out, row->fields, rq->body);
    }
    if (row->no_extension)
        return;
    dis_put_uint(out, extended ? 1 : 0);
    if (extended)
        dis_put_string(out, rq->extend);
}

/* Read the header. A type or version of another protocol ends the message: nothing
 * behind it would mean what we think. */
static enum dis_error read_head(struct dis_in *in, struct wire_request *ret)
{
    uint32_t type, version;
    enum dis_error e = dis_get_uint(in, &type);

    if (!e && type != PROTOCOL_TYPE)
        e = DIS_PROTOCOL;
    if (!e)
        e = dis_get_uint(in, &version);
    if (!e && (version < OLDEST_VERSION || version > PROTOCOL_VERSION))
        e = DIS_PROTOCOL;
    if (!e)
        e = dis_get_uint(in, &ret->number);
    if (!e)
        e = dis_get_string(in, MAX_USER + 1, &ret->user); /* one more: wire.md 11.3 */
    return e;
}

/* Read the extension: a flag, and a string where the flag is not 0. */
static enum dis_error read_extension(struct dis_in *in, const char **ret)
{
    uint32_t flag;
    enum dis_error e = dis_get_uint(in, &flag);

    /* The extension has no limit of its own; that of the whole message holds. */
    return e || flag == 0 ? e : dis_get_string(in, 0, ret);
}

/* Read body and extension as the row of the request says. */
static enum dis_error read_rest(struct dis_in *in, const struct batch_row *row,
                                struct wire_request *ret)
{
    MUST(!row->fields || row->body_size_bytes > 0);

    enum dis_error e = DIS_OK;

    if (row->fields) {
        void *body = arena_zero(in->arena, row->body_size_bytes);

        e = wire_decode(in, row->fields, body);
        ret->body = body;
    }
    if (!e && !row->no_extension)
        e = read_extension(in, &ret->extend);
    return e;
}

enum dis_error batch_read_request(struct dis_in *in, struct wire_request *ret,
                                  bool *known)
{
    const struct arena_mark mark = arena_mark(in->arena);
    struct dis_in ahead = *in;
    struct wire_request got = { 0 };
    const struct batch_row *row = NULL;
    enum dis_error e = read_head(&ahead, &got);

    MUST(in->arena && in->at <= in->end);
    if (!e)
        row = batch_row(got.number);
    if (row)
        e = read_rest(&ahead, row, &got);
    if (e) {
        /* A refused message leaves nothing behind, neither in 'in' nor in the arena. */
        arena_rewind(in->arena, &mark);
        return e;
    }
    MUST(ahead.at > in->at && ahead.at <= in->end);
    in->at = ahead.at;
    *ret = got;
    *known = row != NULL;
    return DIS_OK;
}

enum dis_error batch_decode_request(const char *data, size_t len, struct arena *arena,
                                    struct wire_request *ret, bool *known)
{
    const struct arena_mark mark = arena_mark(arena);
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    struct wire_request got;
    bool got_known;
    enum dis_error e = batch_read_request(&in, &got, &got_known);

    /* The body of an unknown request cannot be told from bytes that are too many. */
    if (!e && got_known && in.at != in.end)
        e = DIS_PROTOCOL;
    if (e) {
        arena_rewind(arena, &mark);
        return e;
    }
    *ret = got;
    *known = got_known;
    return DIS_OK;
}

void batch_dump_request(struct buf *out, const struct wire_request *rq)
{
    const struct batch_row *row = batch_row(rq->number);

    buf_printf(out, "%" PRIu32 "(%s) user=", rq->number, row ? row->name : "?");
    wire_dump_text(out, rq->user, strlen(rq->user));
    if (row && row->fields && rq->body) {
        buf_add_char(out, ' ');
        wire_dump(out, row->fields, rq->body);
    }
    if (rq->extend) {
        buf_add_str(out, " extend=");
        wire_dump_text(out, rq->extend, strlen(rq->extend));
    }
}
