/* is.c - see is.h.
 *
 * Messages whose body is plain are rows of field tables over struct is_message; the
 * batch messages and the state block, whose shape depends on what was asked, are
 * written out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/is.h"

#define PROTOCOL         4
#define VERSION          4
#define LIST_VERSION     4 /* of a vnode list */
#define OLD_LIST_VERSION 3 /* without type and flags */
/* The capacity of a job's id in every message (wire.md 1). */
#define MAX_JOB_ID       275

static const struct wire_field range_fields[] = {
    WIRE_FIELD(WIRE_ULONG, struct is_range, low_ip, 0),
    WIRE_FIELD(WIRE_ULONG, struct is_range, extra, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field running_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct is_running, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_INT, struct is_running, substate, 0),
    WIRE_FIELD(WIRE_LONG, struct is_running, run_version, 0),
    WIRE_FIELD(WIRE_INT, struct is_running, node_id, 0),
    WIRE_FIELD(WIRE_STRING, struct is_running, exec_vnode, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field update_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct is_job_update, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_OPT_STRING, struct is_job_update, comment, 0),
    WIRE_FIELD(WIRE_INT, struct is_job_update, status, 0),
    WIRE_FIELD(WIRE_INT, struct is_job_update, run_version, 0),
    WIRE_FIELD(WIRE_ATTRS, struct is_job_update, attrs, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field hello_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct is_message, mom_port, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field addrs_fields[] = {
    WIRE_FIELD_RECORDS(struct is_message, n_ranges, ranges, range_fields,
                       struct is_range),
    WIRE_FIELDS_END,
};

static const struct wire_field reply_hello_fields[] = {
    WIRE_FIELD(WIRE_INT, struct is_message, need_inventory, 0),
    WIRE_FIELD_RECORDS(struct is_message, n_ranges, ranges, range_fields,
                       struct is_range),
    WIRE_FIELDS_END,
};

static const struct wire_field register_fields[] = {
    WIRE_FIELD_RECORDS(struct is_message, n_running, running, running_fields,
                       struct is_running),
    WIRE_FIELDS_END,
};

static const struct wire_field updates_fields[] = {
    WIRE_FIELD_RECORDS(struct is_message, n_updates, updates, update_fields,
                       struct is_job_update),
    WIRE_FIELDS_END,
};

static const struct wire_field obit_reply_fields[] = {
    WIRE_FIELD(WIRE_STRINGS, struct is_message, acks, MAX_JOB_ID),
    WIRE_FIELD(WIRE_STRINGS, struct is_message, rejects, MAX_JOB_ID),
    WIRE_FIELDS_END,
};

static const struct wire_field discard_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct is_message, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_INT, struct is_message, run_version, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field idle_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct is_message, stands, 0),
    WIRE_FIELD(WIRE_STRING, struct is_message, job_id, MAX_JOB_ID),
    WIRE_FIELDS_END,
};

static const struct wire_field action_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct is_job_action, job_id, MAX_JOB_ID),
    WIRE_FIELD(WIRE_ULONG, struct is_job_action, id, 0),
    WIRE_FIELD(WIRE_INT, struct is_job_action, run_version, 0),
    WIRE_FIELD(WIRE_INT, struct is_job_action, action, 0),
    WIRE_FIELD(WIRE_UINT, struct is_job_action, hook_user, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field actions_fields[] = {
    WIRE_FIELD_RECORDS(struct is_message, n_actions, actions, action_fields,
                       struct is_job_action),
    WIRE_FIELDS_END,
};

static const struct wire_field hook_update_fields[] = {
    WIRE_FIELD(WIRE_ULONG, struct is_message, action_id, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field acked_fields[] = {
    WIRE_FIELD(WIRE_ULONG, struct is_acked, id, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field ack_fields[] = {
    WIRE_FIELD(WIRE_INT, struct is_message, acked_type, 0),
    WIRE_FIELD_RECORDS(struct is_message, n_acked, acked, acked_fields,
                       struct is_acked),
    WIRE_FIELDS_END,
};

static const struct wire_field msgid_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct is_message, msgid, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field no_fields[] = { WIRE_FIELDS_END };

/* What a message begins with; NULL: the body is handed over raw. */
static const struct wire_field *const bodies[] = {
    [IS_CMD] = msgid_fields,
    [IS_CMD_REPLY] = msgid_fields,
    [IS_CLUSTER_ADDRS] = addrs_fields,
    [IS_UPDATE] = no_fields,
    [IS_RESCUSED] = updates_fields,
    [IS_JOBOBIT] = updates_fields,
    [IS_OBITREPLY] = obit_reply_fields,
    [IS_REPLYHELLO] = reply_hello_fields,
    [IS_SHUTDOWN] = no_fields,
    [IS_IDLE] = idle_fields,
    [IS_REGISTERMOM] = register_fields,
    [IS_UPDATE2] = no_fields,
    [IS_DISCARD_JOB] = discard_fields,
    [IS_DISCARD_DONE] = discard_fields,
    [IS_UPDATE_FROM_HOOK] = hook_update_fields,
    [IS_RESCUSED_FROM_HOOK] = updates_fields,
    [IS_HOOK_JOB_ACTION] = actions_fields,
    [IS_HOOK_ACTION_ACK] = ack_fields,
    [IS_UPDATE_FROM_HOOK2] = hook_update_fields,
    [IS_HELLOSVR] = hello_fields,
};

static const struct wire_field *body_fields(enum is_command command)
{
    /* A number from a partner may be any: above the table there is no body, as for the
     * gaps in it. get_head() has refused those below 0. */
    return (size_t)command < ARRAY_LEN(bodies) ? bodies[command] : NULL;
}

/* An older MoM writes name and value only. Type and flags stay 0 then, since decoding
 * fills a zeroed struct. */
static const struct wire_field old_attr_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct is_vnode_attr, name, 0),
    WIRE_FIELD(WIRE_STRING, struct is_vnode_attr, value, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field attr_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct is_vnode_attr, name, 0),
    WIRE_FIELD(WIRE_STRING, struct is_vnode_attr, value, 0),
    WIRE_FIELD(WIRE_INT, struct is_vnode_attr, type, 0),
    WIRE_FIELD(WIRE_INT, struct is_vnode_attr, flags, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field old_vnode_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct is_vnode, name, 0),
    WIRE_FIELD_RECORDS(struct is_vnode, n, attrs, old_attr_fields,
                       struct is_vnode_attr),
    WIRE_FIELDS_END,
};

static const struct wire_field vnode_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct is_vnode, name, 0),
    WIRE_FIELD_RECORDS(struct is_vnode, n, attrs, attr_fields, struct is_vnode_attr),
    WIRE_FIELDS_END,
};

static const struct wire_field host_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct is_state, state, 0),
    WIRE_FIELD(WIRE_UINT, struct is_state, pcpus, 0),
    WIRE_FIELD(WIRE_UINT, struct is_state, acpus, 0),
    WIRE_FIELD(WIRE_ULONG, struct is_state, mem_kb, 0),
    WIRE_FIELD(WIRE_STRING, struct is_state, arch, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field old_list_fields[] = {
    WIRE_FIELD(WIRE_LONG, struct is_state, modtime, 0),
    WIRE_FIELD_RECORDS(struct is_state, n_vnodes, vnodes, old_vnode_fields,
                       struct is_vnode),
    WIRE_FIELDS_END,
};

static const struct wire_field list_fields[] = {
    WIRE_FIELD(WIRE_LONG, struct is_state, modtime, 0),
    WIRE_FIELD_RECORDS(struct is_state, n_vnodes, vnodes, vnode_fields,
                       struct is_vnode),
    WIRE_FIELDS_END,
};

static void put_state(struct buf *out, const struct is_state *st)
{
    wire_encode(out, host_fields, st);
    /* Nothing in the bytes says whether a list follows: the reader knows it from the
     * command, or from what it has asked for. */
    if (st->has_vnodes) {
        dis_put_uint(out, LIST_VERSION);
        wire_encode(out, list_fields, st);
    }
    if (st->version)
        dis_put_string(out, st->version);
}

/* Read a list of vnodes in either version; the older one has attributes without
 * type. */
static enum dis_error get_vnodes(struct dis_in *in, struct is_state *ret)
{
    uint32_t version;
    enum dis_error e = dis_get_uint(in, &version);

    /* The entries of another version cannot be told apart, so none is read. */
    if (!e && version != LIST_VERSION && version != OLD_LIST_VERSION)
        e = DIS_PROTOCOL;
    if (!e)
        e = wire_decode(in, version == LIST_VERSION ? list_fields : old_list_fields,
                        ret);
    return e;
}

/* Read what a MoM says of its host. The version of the MoM at the end may be missing.
 */
static enum dis_error get_state(struct dis_in *in, bool has_vnodes,
                                struct is_state *ret)
{
    enum dis_error e = wire_decode(in, host_fields, ret);

    ret->has_vnodes = has_vnodes;
    if (!e && has_vnodes)
        e = get_vnodes(in, ret);
    if (!e && in->at != in->end)
        e = dis_get_string(in, 0, &ret->version);
    return e;
}

bool is_has_state(const struct is_message *msg)
{
    return msg->command == IS_UPDATE || msg->command == IS_UPDATE2 ||
           msg->command == IS_REGISTERMOM;
}

/* Is there a part of it that nobody here looks into? */
static bool has_raw(enum is_command command)
{
    return !body_fields(command) || body_fields(command) == hook_update_fields;
}

void is_encode(struct buf *out, const struct is_message *msg)
{
    const struct wire_field *fields = body_fields(msg->command);

    /* A body that was not known when it was read is raw, and goes out as it came. */
    MUST(msg->command != IS_UPDATE || !msg->state.has_vnodes); /* it has no list */
    dis_put_int(out, PROTOCOL);
    dis_put_int(out, VERSION);
    dis_put_int(out, (int64_t)msg->command);
    if (fields)
        wire_encode(out, fields, msg);
    if (has_raw(msg->command) && msg->raw.len > 0)
        buf_add(out, msg->raw.data, msg->raw.len);
    if (msg->command == IS_CMD)
        batch_encode_request(out, &msg->request);
    if (msg->command == IS_CMD_REPLY)
        batch_put_reply_part(out, &msg->reply);
    if (is_has_state(msg))
        put_state(out, &msg->state);
}

static enum dis_error get_head(struct dis_in *in, enum is_command *ret)
{
    int32_t protocol, version, command = 0;
    enum dis_error e = dis_get_int(in, &protocol);

    if (!e)
        e = dis_get_int(in, &version);
    if (!e && (protocol != PROTOCOL || version != VERSION))
        e = DIS_PROTOCOL;
    if (!e)
        e = dis_get_int(in, &command);
    /* Below 0 it is no command of any version, and would be no index either. */
    if (!e && command < 0)
        e = DIS_PROTOCOL;
    *ret = (enum is_command)command;
    return e;
}

static enum dis_error get_body(struct dis_in *in, bool inventory,
                               struct is_message *ret, bool *known)
{
    const struct wire_field *fields = body_fields(ret->command);
    enum dis_error e;

    if (!fields) {
        wire_take_rest(in, &ret->raw);
        return DIS_OK;
    }
    e = wire_decode(in, fields, ret);
    if (e)
        return e;
    switch (ret->command) {
    case IS_CMD:
        /* The command carries a whole batch request, with its own type and version. */
        e = batch_read_request(in, &ret->request, known);
        /* An unknown request may have any body, so all that is left is its. */
        if (!e && !*known)
            in->at = in->end;
        return e;
    case IS_CMD_REPLY:
        return batch_read_reply_part(in, &ret->reply);
    case IS_UPDATE:
        return get_state(in, false, &ret->state);
    case IS_UPDATE2:
        return get_state(in, true, &ret->state);
    case IS_REGISTERMOM:
        return get_state(in, inventory, &ret->state);
    case IS_UPDATE_FROM_HOOK:
    case IS_UPDATE_FROM_HOOK2:
        wire_take_rest(in, &ret->raw);
        return DIS_OK;
    default:
        return DIS_OK;
    }
}

bool is_of_other_version(const char *data, size_t len, int32_t *ret)
{
    struct dis_in in = { .at = data, .end = data + len };
    int32_t protocol, version;

    if (dis_get_int(&in, &protocol) || dis_get_int(&in, &version) ||
        protocol != PROTOCOL || version == VERSION)
        return false;
    *ret = version;
    return true;
}

enum dis_error is_decode(const char *data, size_t len, bool inventory,
                         struct arena *arena, struct is_message *ret, bool *known)
{
    const struct arena_mark mark = arena_mark(arena);
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    struct is_message got = { 0 };
    bool got_known = true;
    enum dis_error e = get_head(&in, &got.command);

    if (!e)
        e = get_body(&in, inventory, &got, &got_known);
    /* One message is one frame: bytes behind it show that it was read in a wrong way.
     */
    if (!e && in.at != in.end)
        e = DIS_PROTOCOL;
    if (e) {
        arena_rewind(arena, &mark);
        return e;
    }
    *ret = got;
    *known = got_known;
    return DIS_OK;
}

void is_copy(const struct is_message *from, struct arena *arena, struct is_message *ret)
{
    struct buf bytes = { 0 };
    bool known;
    enum dis_error e;

    /* Encoding and decoding copies every field of every kind of message, without a
     * function for each. */
    is_encode(&bytes, from);
    e = is_decode(bytes.data, bytes.len, from->state.has_vnodes, arena, ret, &known);
    MUST(!e && known); /* it was decoded once */
    (void)e;
    buf_fini(&bytes);
}

static void dump_state(struct buf *out, const struct is_state *st)
{
    buf_add_char(out, ' ');
    wire_dump(out, host_fields, st);
    if (st->has_vnodes) {
        buf_add_char(out, ' ');
        wire_dump(out, list_fields, st);
    }
    buf_printf(out, " version=%s", st->version ? st->version : "-");
}

void is_dump(struct buf *out, const struct is_message *msg)
{
    const struct wire_field *fields = body_fields(msg->command);

    buf_printf(out, "IS %d ", (int)msg->command);
    if (fields)
        wire_dump(out, fields, msg);
    if (has_raw(msg->command))
        wire_dump_text(out, msg->raw.data, msg->raw.len);
    if (msg->command == IS_CMD) {
        buf_add_char(out, ' ');
        batch_dump_request(out, &msg->request);
    }
    if (msg->command == IS_CMD_REPLY) {
        buf_add_char(out, ' ');
        batch_dump_reply(out, &msg->reply);
    }
    if (is_has_state(msg))
        dump_state(out, &msg->state);
}
