/* task.c - see task.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/task.h"

#include "lib/base/must.h"

#define PROTOCOL               2
#define VERSION                2
#define OLD_VERSION            1
#define OKAY                   0
#define FAILED                 999
#define MAX_JOB_ID             275 /* wire.md 1 */
#define MAX_COOKIE             64

#define ASK(kind, member, max) WIRE_FIELD(kind, struct task_request, member, max)
#define SAY(kind, member, max) WIRE_FIELD(kind, struct task_reply, member, max)

static const struct wire_field head_fields[] = {
    ASK(WIRE_STRING, job_id, MAX_JOB_ID),
    ASK(WIRE_STRING, cookie, MAX_COOKIE),
    ASK(WIRE_INT, command, 0),
    ASK(WIRE_INT, event, 0),
    ASK(WIRE_UINT, task, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field no_fields[] = { WIRE_FIELDS_END };

static const struct wire_field vnode_fields[] = {
    ASK(WIRE_UINT, vnode, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field spawn_fields[] = {
    ASK(WIRE_UINT, vnode, 0),
    ASK(WIRE_STRINGS, args, 0),
    ASK(WIRE_STRINGS_TO_EMPTY, env, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field signal_fields[] = {
    ASK(WIRE_UINT, vnode, 0),
    ASK(WIRE_UINT, target_task, 0),
    ASK(WIRE_UINT, signo, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field obit_fields[] = {
    ASK(WIRE_UINT, vnode, 0),
    ASK(WIRE_UINT, target_task, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field post_fields[] = {
    ASK(WIRE_STRING, name, 0),
    ASK(WIRE_BYTES, info, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field get_fields[] = {
    ASK(WIRE_UINT, vnode, 0),
    ASK(WIRE_UINT, target_task, 0),
    ASK(WIRE_STRING, name, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field attach_fields[] = {
    ASK(WIRE_UINT, uid, 0),
    ASK(WIRE_UINT, pid, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field one_vnode_fields[] = {
    WIRE_FIELD(WIRE_INT, struct task_vnode, number, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field init_reply_fields[] = {
    WIRE_FIELD_RECORDS(struct task_reply, n_vnodes, vnodes, one_vnode_fields,
                       struct task_vnode),
    SAY(WIRE_STRING, parent_job, MAX_JOB_ID),
    SAY(WIRE_INT, parent_vnode, 0),
    SAY(WIRE_UINT, parent_task, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field tasks_reply_fields[] = {
    SAY(WIRE_NUMBERS_TO_ZERO, tasks, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field task_reply_fields[] = {
    SAY(WIRE_UINT, task, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field exit_reply_fields[] = {
    SAY(WIRE_INT, exit_status, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field text_reply_fields[] = {
    SAY(WIRE_STRING, text, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field info_reply_fields[] = {
    SAY(WIRE_BYTES, info, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field error_fields[] = {
    SAY(WIRE_INT, code, 0),
    WIRE_FIELDS_END,
};

static const struct {
    enum task_command command;
    const struct wire_field *body, *reply;
} rows[] = {
    { TASK_INIT, no_fields, init_reply_fields },
    { TASK_TASKS, vnode_fields, tasks_reply_fields },
    { TASK_SPAWN, spawn_fields, task_reply_fields },
    { TASK_SIGNAL, signal_fields, no_fields },
    { TASK_OBIT, obit_fields, exit_reply_fields },
    { TASK_RESOURCES, vnode_fields, text_reply_fields },
    { TASK_POSTINFO, post_fields, no_fields },
    { TASK_GETINFO, get_fields, info_reply_fields },
    { TASK_REGISTER, no_fields, no_fields },
    { TASK_FINALIZE, no_fields, no_fields },
    { TASK_ATTACH, attach_fields, task_reply_fields },
};

/* NULL: the command is not known. */
static const struct wire_field *body_of(enum task_command command)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].command == command)
            return rows[i].body;
    return NULL;
}

static const struct wire_field *reply_to(enum task_command command)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].command == command)
            return rows[i].reply;
    return NULL;
}

static enum dis_error get_protocol(struct dis_in *in, int32_t *version)
{
    int32_t protocol;
    enum dis_error e = dis_get_int(in, &protocol);

    if (!e)
        e = dis_get_int(in, version);
    if (!e && (protocol != PROTOCOL || *version < OLD_VERSION || *version > VERSION))
        e = DIS_PROTOCOL;
    return e;
}

void task_request_encode(struct buf *out, const struct task_request *rq)
{
    const struct wire_field *body = body_of(rq->command);

    MUST(rq->version == VERSION || rq->version == OLD_VERSION);
    dis_put_int(out, PROTOCOL);
    dis_put_int(out, rq->version);
    wire_encode(out, head_fields, rq);
    if (body)
        wire_encode(out, body, rq);
    else if (rq->raw.len > 0)
        buf_add(out, rq->raw.data, rq->raw.len);
}

enum dis_error task_request_decode(const char *data, size_t len, struct arena *arena,
                                   struct task_request *ret)
{
    const struct arena_mark mark = arena_mark(arena);
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    struct task_request got = { 0 };
    const struct wire_field *body = NULL;
    enum dis_error e = get_protocol(&in, &got.version);

    if (!e)
        e = wire_decode(&in, head_fields, &got);
    if (!e)
        body = body_of(got.command);
    if (!e && body)
        e = wire_decode(&in, body, &got);
    else if (!e)
        wire_take_rest(&in, &got.raw);
    if (!e && in.at != in.end)
        e = DIS_PROTOCOL;
    if (e)
        arena_rewind(arena, &mark);
    else
        *ret = got;
    return e;
}

void task_reply_encode(struct buf *out, const struct task_reply *reply,
                       enum task_command asked)
{
    const struct wire_field *body = reply->failed ? error_fields : reply_to(asked);

    MUST(body); /* who answers knows what was asked */
    dis_put_int(out, PROTOCOL);
    dis_put_int(out, reply->version);
    dis_put_int(out, reply->failed ? FAILED : OKAY);
    dis_put_int(out, reply->event);
    wire_encode(out, body, reply);
}

enum dis_error task_reply_decode(const char *data, size_t len, struct arena *arena,
                                 struct task_reply *ret)
{
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    struct task_reply got = { 0 };
    int32_t status = 0;
    enum dis_error e = get_protocol(&in, &got.version);

    if (!e)
        e = dis_get_int(&in, &status);
    if (!e && status != OKAY && status != FAILED)
        e = DIS_PROTOCOL;
    if (!e)
        e = dis_get_int(&in, &got.event);
    if (e)
        return e;
    got.failed = status == FAILED;
    wire_take_rest(&in, &got.raw);
    *ret = got;
    return DIS_OK;
}

enum dis_error task_reply_decode_body(struct task_reply *reply, enum task_command asked,
                                      struct arena *arena)
{
    const struct wire_field *body = reply->failed ? error_fields : reply_to(asked);
    struct task_reply got = *reply;
    enum dis_error e =
        body ? wire_decode_whole(&reply->raw, body, arena, &got) : DIS_PROTOCOL;

    if (!e)
        *reply = got;
    return e;
}

void task_request_dump(struct buf *out, const struct task_request *rq)
{
    const struct wire_field *body = body_of(rq->command);

    buf_add_str(out, "TM ");
    wire_dump(out, head_fields, rq);
    buf_add_char(out, ' ');
    if (body)
        wire_dump(out, body, rq);
    else
        wire_dump_text(out, rq->raw.data, rq->raw.len);
}
