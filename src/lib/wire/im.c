/* im.c - see im.h. Every body is a row of fields over struct im_message; two are
 * completed by hand: a join may carry a credential, and arguments that are empty need
 * a form of their own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/im.h"

#include "lib/base/must.h"

#include <string.h>

#define VERSION 5
#define VERSION_EMPTY                                                                  \
    6 /* SPAWN_TASK whose arguments are counted, to be empty as well */
#define MAX_JOB_ID               275 /* wire.md 1 */
#define MAX_COOKIE               64

#define FIELD(kind, member, max) WIRE_FIELD(kind, struct im_message, member, max)

static const struct wire_field head_fields[] = {
    FIELD(WIRE_STRING, job_id, MAX_JOB_ID),
    FIELD(WIRE_STRING, cookie, MAX_COOKIE),
    FIELD(WIRE_INT, command, 0),
    FIELD(WIRE_INT, event, 0),
    FIELD(WIRE_UINT, task, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field no_fields[] = { WIRE_FIELDS_END };

static const struct wire_field recov_fields[] = {
    FIELD(WIRE_INT, n_nodes, 0),
    FIELD(WIRE_INT, stdout_port, 0),
    FIELD(WIRE_INT, stderr_port, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field join_fields[] = {
    FIELD(WIRE_INT, n_nodes, 0),
    FIELD(WIRE_INT, stdout_port, 0),
    FIELD(WIRE_INT, stderr_port, 0),
    FIELD(WIRE_INT, credtype, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field cred_fields[] = {
    FIELD(WIRE_BYTES, cred, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field attrs_fields[] = {
    FIELD(WIRE_ATTRS, attrs, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field spawn_fields[] = {
    FIELD(WIRE_INT, from_vnode, 0),     FIELD(WIRE_INT, target_vnode, 0),
    FIELD(WIRE_UINT, unused, 0),        FIELD(WIRE_STRINGS_TO_EMPTY, args, 0),
    FIELD(WIRE_STRINGS_TO_END, env, 0), WIRE_FIELDS_END,
};

static const struct wire_field spawn_empty_fields[] = {
    FIELD(WIRE_INT, from_vnode, 0),     FIELD(WIRE_INT, target_vnode, 0),
    FIELD(WIRE_UINT, unused, 0),        FIELD(WIRE_STRINGS, args, 0),
    FIELD(WIRE_STRINGS_TO_END, env, 0), WIRE_FIELDS_END,
};

static const struct wire_field get_tasks_fields[] = {
    FIELD(WIRE_INT, from_vnode, 0),
    FIELD(WIRE_INT, target_vnode, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field signal_fields[] = {
    FIELD(WIRE_INT, from_vnode, 0),
    FIELD(WIRE_UINT, target_task, 0),
    FIELD(WIRE_INT, signo, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field obit_fields[] = {
    FIELD(WIRE_INT, from_vnode, 0),
    FIELD(WIRE_UINT, target_task, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field get_info_fields[] = {
    FIELD(WIRE_INT, from_vnode, 0),
    FIELD(WIRE_UINT, target_task, 0),
    FIELD(WIRE_STRING, name, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field get_resc_fields[] = {
    FIELD(WIRE_INT, from_vnode, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field send_resc_fields[] = {
    FIELD(WIRE_STRING, host, 0),
    FIELD(WIRE_ULONG, cput_s, 0),
    FIELD(WIRE_ULONG, mem_kb, 0),
    FIELD(WIRE_ULONG, cpupercent, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field error_fields[] = {
    FIELD(WIRE_INT, code, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field error2_fields[] = {
    FIELD(WIRE_INT, code, 0),
    FIELD(WIRE_STRING, text, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field killed_fields[] = {
    FIELD(WIRE_ULONG, cput_s, 0),
    FIELD(WIRE_ULONG, mem_kb, 0),
    FIELD(WIRE_ULONG, cpupercent, 0),
    FIELD(WIRE_ATTRS_OR_END, attrs, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field polled_fields[] = {
    FIELD(WIRE_INT, kill_recommended, 0), FIELD(WIRE_ULONG, cput_s, 0),
    FIELD(WIRE_ULONG, mem_kb, 0),         FIELD(WIRE_ULONG, cpupercent, 0),
    FIELD(WIRE_ATTRS_OR_END, attrs, 0),   WIRE_FIELDS_END,
};

static const struct wire_field task_fields[] = {
    FIELD(WIRE_UINT, target_task, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field tasks_fields[] = {
    FIELD(WIRE_NUMBERS_TO_END, tasks, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field exit_fields[] = {
    FIELD(WIRE_INT, exit_status, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field info_fields[] = {
    FIELD(WIRE_BYTES, info, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field text_fields[] = {
    FIELD(WIRE_STRING, text, 0),
    WIRE_FIELDS_END,
};

/* What follows the head of each message, and what the answer to it holds. NULL: nobody
 * here reads it, and it is kept as it came. */
static const struct {
    const char *name;
    const struct wire_field *body, *answer;
} rows[] = {
    [IM_JOIN_JOB] = { "JOIN_JOB", join_fields, no_fields },
    [IM_KILL_JOB] = { "KILL_JOB", no_fields, killed_fields },
    [IM_SPAWN_TASK] = { "SPAWN_TASK", spawn_fields, task_fields },
    [IM_GET_TASKS] = { "GET_TASKS", get_tasks_fields, tasks_fields },
    [IM_SIGNAL_TASK] = { "SIGNAL_TASK", signal_fields, no_fields },
    [IM_OBIT_TASK] = { "OBIT_TASK", obit_fields, exit_fields },
    [IM_POLL_JOB] = { "POLL_JOB", no_fields, polled_fields },
    [IM_GET_INFO] = { "GET_INFO", get_info_fields, info_fields },
    [IM_GET_RESC] = { "GET_RESC", get_resc_fields, text_fields },
    [IM_ABORT_JOB] = { "ABORT_JOB", no_fields, no_fields },
    [IM_SUSPEND] = { "SUSPEND", no_fields, no_fields },
    [IM_RESUME] = { "RESUME", no_fields, no_fields },
    [IM_CHECKPOINT] = { "CHECKPOINT", no_fields, no_fields },
    [IM_CHECKPOINT_ABORT] = { "CHECKPOINT_ABORT", no_fields, no_fields },
    [IM_RESTART] = { "RESTART", no_fields, no_fields },
    [IM_DELETE_JOB] = { "DELETE_JOB", no_fields, no_fields },
    [IM_REQUEUE] = { "REQUEUE", no_fields, no_fields },
    [IM_DELETE_JOB_REPLY] = { "DELETE_JOB_REPLY", no_fields, no_fields },
    [IM_SETUP_JOB] = { "SETUP_JOB", NULL, NULL },
    [IM_DELETE_JOB2] = { "DELETE_JOB2", no_fields, no_fields },
    [IM_SEND_RESC] = { "SEND_RESC", send_resc_fields, no_fields },
    [IM_UPDATE_JOB] = { "UPDATE_JOB", attrs_fields, no_fields },
    [IM_EXEC_PROLOGUE] = { "EXEC_PROLOGUE", no_fields, no_fields },
    [IM_RECONNECT_TO_MS] = { "RECONNECT_TO_MS", no_fields, no_fields },
    [IM_JOIN_RECOV_JOB] = { "JOIN_RECOV_JOB", recov_fields, no_fields },
    [IM_ERROR] = { "ERROR", error_fields, NULL },
    [IM_ERROR2] = { "ERROR2", error2_fields, NULL },
};

const char *im_command_name(enum im_command command)
{
    if (command == IM_ALL_OKAY)
        return "ALL_OKAY";
    if ((size_t)command >= ARRAY_LEN(rows) || !rows[command].name)
        return "?";
    return rows[command].name;
}

static const struct wire_field *body_of(enum im_command command)
{
    /* Above the table there is no body, as for the gaps in it; below 0 get_head() lets
     * nothing through. */
    return (size_t)command < ARRAY_LEN(rows) ? rows[command].body : NULL;
}

static const struct wire_field *answer_to(enum im_command asked)
{
    return (size_t)asked < ARRAY_LEN(rows) ? rows[asked].answer : NULL;
}

static bool has_empty_argument(const struct im_message *msg)
{
    for (size_t i = 0; i < msg->args.n; i++)
        if (!msg->args.v[i][0])
            return true;
    return false;
}

static void put_body(struct buf *out, const struct im_message *msg, bool empty)
{
    const struct wire_field *fields = msg->command == IM_ALL_OKAY
                                          ? answer_to(msg->asked)
                                      : empty ? spawn_empty_fields
                                              : body_of(msg->command);

    if (!fields) {
        if (msg->raw.len > 0)
            buf_add(out, msg->raw.data, msg->raw.len);
        return;
    }
    wire_encode(out, fields, msg);
    if (msg->command != IM_JOIN_JOB)
        return;
    if (msg->credtype)
        wire_encode(out, cred_fields, msg);
    wire_encode(out, attrs_fields, msg);
}

void im_encode(struct buf *out, const struct im_message *msg)
{
    bool empty = msg->command == IM_SPAWN_TASK && has_empty_argument(msg);

    MUST((int)msg->command >= 0);
    dis_put_int(out, IM_PROTOCOL);
    dis_put_int(out, empty ? VERSION_EMPTY : VERSION);
    wire_encode(out, head_fields, msg);
    put_body(out, msg, empty);
}

static enum dis_error get_head(struct dis_in *in, struct im_message *ret, bool *empty)
{
    int32_t protocol, version = 0;
    enum dis_error e = dis_get_int(in, &protocol);

    if (!e)
        e = dis_get_int(in, &version);
    if (!e && (protocol != IM_PROTOCOL || version < VERSION || version > VERSION_EMPTY))
        e = DIS_PROTOCOL;
    if (!e)
        e = wire_decode(in, head_fields, ret);
    /* Below 0 it is no command of any version, and would be no index either. */
    if (!e && (int)ret->command < 0)
        e = DIS_PROTOCOL;
    *empty = version == VERSION_EMPTY;
    return e;
}

static enum dis_error get_body(struct dis_in *in, struct im_message *ret, bool empty)
{
    const struct wire_field *fields = empty && ret->command == IM_SPAWN_TASK
                                          ? spawn_empty_fields
                                          : body_of(ret->command);
    enum dis_error e;

    if (!fields) {
        wire_take_rest(in, &ret->raw);
        return DIS_OK;
    }
    e = wire_decode(in, fields, ret);
    if (!e && ret->command == IM_JOIN_JOB && ret->credtype)
        e = wire_decode(in, cred_fields, ret);
    if (!e && ret->command == IM_JOIN_JOB)
        e = wire_decode(in, attrs_fields, ret);
    return e;
}

enum dis_error im_decode(const char *data, size_t len, struct arena *arena,
                         struct im_message *ret)
{
    const struct arena_mark mark = arena_mark(arena);
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    struct im_message got = { 0 };
    bool empty;
    enum dis_error e = get_head(&in, &got, &empty);

    if (!e)
        e = get_body(&in, &got, empty);
    /* One message is one frame: bytes behind it show that it was read in a wrong way.
     */
    if (!e && in.at != in.end)
        e = DIS_PROTOCOL;
    if (e)
        arena_rewind(arena, &mark);
    else
        *ret = got;
    return e;
}

enum dis_error im_decode_answer(struct im_message *msg, enum im_command asked,
                                struct arena *arena)
{
    const struct wire_field *fields = answer_to(asked);
    struct im_message got = *msg;
    enum dis_error e;

    MUST(msg->command == IM_ALL_OKAY);
    e = fields ? wire_decode_whole(&msg->raw, fields, arena, &got) : DIS_PROTOCOL;
    if (e)
        return e;
    got.asked = asked;
    *msg = got;
    return DIS_OK;
}

int32_t im_protocol_of(const char *data, size_t len)
{
    struct dis_in in = { .at = data, .end = data + len };
    int32_t protocol;

    return dis_get_int(&in, &protocol) == DIS_OK ? protocol : -1;
}

void im_dump(struct buf *out, const struct im_message *msg)
{
    const struct wire_field *fields =
        msg->command == IM_ALL_OKAY ? answer_to(msg->asked) : body_of(msg->command);

    buf_printf(out, "IM %s ", im_command_name(msg->command));
    wire_dump(out, head_fields, msg);
    buf_add_char(out, ' ');
    if (fields)
        wire_dump(out, fields, msg);
    else
        wire_dump_text(out, msg->raw.data, msg->raw.len);
    if (msg->command == IM_JOIN_JOB) {
        buf_add_char(out, ' ');
        wire_dump(out, attrs_fields, msg);
    }
}
