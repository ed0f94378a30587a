/* reply.c - batch replies: header and the body of each choice (wire.md 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/batch.h"

#define PROTOCOL_TYPE    2
#define PROTOCOL_VERSION 2

/* There is one table for each shape of a body: choices whose body is a single text
 * share theirs. */
static const struct wire_field null_fields[] = { WIRE_FIELDS_END };

static const struct wire_field string_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct wire_reply, text, 0),
    WIRE_FIELDS_END,
};

/* Texts are what users may have written, as a job's script: they may hold any byte, and
 * end at a first NUL. */
static const struct wire_field text_fields[] = {
    WIRE_FIELD(WIRE_TEXT, struct wire_reply, text, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field ids_fields[] = {
    WIRE_FIELD(WIRE_STRINGS, struct wire_reply, ids, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field object_fields[] = {
    WIRE_FIELD(WIRE_UINT, struct wire_object, type, 0),
    WIRE_FIELD(WIRE_STRING, struct wire_object, name, 0),
    /* The reader of clients ignores the size that an entry announces (wire.md 6), so a
     * reply with a wrong one is taken here, too. */
    WIRE_FIELD(WIRE_ATTRS_LAX, struct wire_object, attrs, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field objects_fields[] = {
    WIRE_FIELD_RECORDS(struct wire_reply, objects.n, objects.v, object_fields,
                       struct wire_object),
    WIRE_FIELDS_END,
};

/* Preemption and deletion share a struct, since both answer a list of jobs; the second
 * field of an entry is a text for one and a number for the other. */
static const struct wire_field preempted_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct wire_deleted_job, id, 0),
    WIRE_FIELD(WIRE_STRING, struct wire_deleted_job, order, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field deleted_fields[] = {
    WIRE_FIELD(WIRE_STRING, struct wire_deleted_job, id, 0),
    WIRE_FIELD(WIRE_UINT, struct wire_deleted_job, code, 0),
    WIRE_FIELDS_END,
};

static const struct wire_field preempt_fields[] = {
    WIRE_FIELD_RECORDS(struct wire_reply, deleted.n, deleted.v, preempted_fields,
                       struct wire_deleted_job),
    WIRE_FIELDS_END,
};

static const struct wire_field delete_fields[] = {
    WIRE_FIELD_RECORDS(struct wire_reply, deleted.n, deleted.v, deleted_fields,
                       struct wire_deleted_job),
    WIRE_FIELDS_END,
};

static const struct wire_field *const choices[] = {
    [REPLY_NULL] = null_fields,
    [REPLY_QUEUE] = string_fields,
    [REPLY_RDY_TO_COMMIT] = string_fields,
    [REPLY_COMMIT] = string_fields,
    [REPLY_SELECT] = ids_fields,
    [REPLY_STATUS] = objects_fields,
    [REPLY_TEXT] = text_fields,
    [REPLY_LOCATE] = string_fields,
    [REPLY_RESC_QUERY] = null_fields, /* four arrays under one count: by hand below */
    [REPLY_PREEMPT] = preempt_fields,
    [REPLY_DELETE] = delete_fields,
};

struct wire_object *wire_objects_add(struct wire_objects *list, struct arena *arena,
                                     uint32_t type, const char *name)
{
    /* The array may move: a pointer to an earlier object is good until the next call.
     */
    ARENA_ROOM(arena, list, v, 16);
    MUST(list->n < list->cap);
    list->v[list->n] = (struct wire_object){ .type = type, .name = name };
    return &list->v[list->n++];
}

/* Four arrays under one count: available, allocated, reserved, down. */
static void put_resources(struct buf *out, const struct wire_resc_query *q)
{
    MUST(q->n == 0 || q->numbers);
    dis_put_uint(out, q->n);
    /* All of the first array come before the second one begins. */
    for (size_t i = 0; i < q->n * 4; i++)
        dis_put_uint(out, q->numbers[i]);
}

static enum dis_error read_resources(struct dis_in *in, struct wire_resc_query *ret)
{
    uint32_t n;
    enum dis_error e = dis_get_uint(in, &n);

    if (e)
        return e;
    /* Each entry is four numbers of at least two bytes. A count that the bytes left
     * cannot hold is refused before memory is taken. */
    if (n > (size_t)(in->end - in->at) / 8)
        return DIS_EOD;
    ret->n = n;
    ret->numbers = ARENA_ARRAY(in->arena, uint32_t, (size_t)n * 4);
    for (size_t i = 0; i < (size_t)n * 4 && !e; i++)
        e = dis_get_uint(in, &ret->numbers[i]);
    return e;
}

void batch_put_reply_part(struct buf *out, const struct wire_reply *reply)
{
    /* The choice is of our making here. One that was read was checked by the reader. */
    MUST(reply->choice >= REPLY_NULL && reply->choice <= REPLY_DELETE);
    dis_put_int(out, reply->code);
    dis_put_int(out, reply->aux);
    dis_put_uint(out, reply->choice);
    dis_put_uint(out, reply->more ? 1 : 0);
    /* Objects that were encoded before, as for a listing that is kept, are copied. */
    if (reply->encoded.data) {
        dis_put_uint(out, reply->encoded.n);
        buf_add(out, reply->encoded.data, reply->encoded.len);
        return;
    }
    wire_encode(out, choices[reply->choice], reply);
    if (reply->choice == REPLY_RESC_QUERY)
        put_resources(out, &reply->resources);
}

void batch_put_status_head(struct buf *out, size_t n, bool more)
{
    /* With 'data' set and of length 0, encoding ends behind the number of objects. The
     * caller puts that many objects behind it. */
    const struct wire_reply head = {
        .choice = REPLY_STATUS,
        .more = more,
        .encoded = { .n = n, .data = "" },
    };

    batch_encode_reply(out, &head);
}

void batch_put_object(struct buf *out, const struct wire_object *o)
{
    MUST(o->name);
    wire_encode(out, object_fields, o);
}

void batch_open_reply(struct wire_reply *reply, struct arena *arena)
{
    const struct wire_encoded *from = &reply->encoded;
    struct dis_in in = { .at = from->data, .arena = arena };
    struct wire_objects got = { .n = from->n, .cap = from->n };
    enum dis_error e = DIS_OK;

    if (!from->data)
        return;
    in.end = from->data + from->len; /* here, where the pointer is not NULL */
    got.v = ARENA_ARRAY(arena, struct wire_object, got.n);
    for (size_t i = 0; i < got.n && !e; i++)
        e = wire_decode(&in, object_fields, &got.v[i]);
    /* The bytes never left the process: batch_put_object() made them. */
    MUST(!e && in.at == in.end); /* we wrote it */
    reply->objects = got;
    reply->encoded = (struct wire_encoded){ 0 };
}

void batch_encode_reply(struct buf *out, const struct wire_reply *reply)
{
    dis_put_uint(out, PROTOCOL_TYPE);
    dis_put_uint(out, PROTOCOL_VERSION);
    batch_put_reply_part(out, reply);
}

enum dis_error batch_read_reply_part(struct dis_in *in, struct wire_reply *ret)
{
    const struct arena_mark mark = arena_mark(in->arena);
    struct wire_reply got = { .text = "" };
    uint32_t more = 0;
    enum dis_error e = dis_get_int(in, &got.code);

    if (!e)
        e = dis_get_int(in, &got.aux);
    if (!e)
        e = dis_get_uint(in, &got.choice);
    if (!e)
        e = dis_get_uint(in, &more);
    /* The choice is an index of tables from here on, so no other number gets there. */
    if (!e && (got.choice < REPLY_NULL || got.choice > REPLY_DELETE))
        e = DIS_PROTOCOL;
    if (!e)
        e = wire_decode(in, choices[got.choice], &got);
    if (!e && got.choice == REPLY_RESC_QUERY)
        e = read_resources(in, &got.resources);
    if (e) {
        arena_rewind(in->arena, &mark);
        return e;
    }
    /* Every number but 0 says that another part follows; only 1 is ever written. */
    got.more = more != 0;
    /* The array has no room left, and wire_objects_add() must not believe that it has.
     */
    got.objects.cap = got.objects.n;
    *ret = got;
    return DIS_OK;
}

enum dis_error batch_read_reply(struct dis_in *in, struct wire_reply *ret)
{
    /* A copy is read from, so that 'in' stays where it is when the reply is refused. */
    struct dis_in ahead = *in;
    uint32_t type, version;
    enum dis_error e = dis_get_uint(&ahead, &type);

    if (!e)
        e = dis_get_uint(&ahead, &version);
    if (!e && (type != PROTOCOL_TYPE || version != PROTOCOL_VERSION))
        e = DIS_PROTOCOL;
    if (!e)
        e = batch_read_reply_part(&ahead, ret);
    if (!e)
        in->at = ahead.at;
    return e;
}

enum dis_error batch_decode_reply(const char *data, size_t len, struct arena *arena,
                                  struct wire_reply *ret)
{
    const struct arena_mark mark = arena_mark(arena);
    struct dis_in in = { .at = data, .end = data + len, .arena = arena };
    struct wire_reply got;
    enum dis_error e = batch_read_reply(&in, &got);

    /* A frame holds one reply. Bytes behind it mean that the two sides count in another
     * way, and that nothing of what was read can be relied on. */
    if (!e && in.at != in.end)
        e = DIS_PROTOCOL;
    if (e)
        arena_rewind(arena, &mark);
    else
        *ret = got;
    return e;
}

void batch_dump_reply(struct buf *out, const struct wire_reply *reply)
{
    MUST(reply->choice >= REPLY_NULL && reply->choice <= REPLY_DELETE);
    buf_printf(out, "code=%" PRId32 " aux=%" PRId32 " choice=%" PRIu32 " part=%d",
               reply->code, reply->aux, reply->choice, reply->more ? 1 : 0);
    if (choices[reply->choice]->kind != WIRE_END) {
        buf_add_char(out, ' ');
        wire_dump(out, choices[reply->choice], reply);
    }
    /* Another choice has no resources, so that nothing is printed for it. */
    for (size_t i = 0; i < reply->resources.n * 4; i++)
        buf_printf(out, " %" PRIu32, reply->resources.numbers[i]);
}

void batch_random_reply(uint64_t *seed, enum reply_choice choice, struct arena *arena,
                        struct wire_reply *ret)
{
    *ret = (struct wire_reply){ .choice = choice, .text = "" };
    /* Both numbers travel with a sign, so one of them is made negative. */
    ret->code = (int32_t)wire_random_below(seed, 20000);
    ret->aux = -(int32_t)wire_random_below(seed, 100);
    ret->more = wire_random_below(seed, 2) == 1;
    wire_random(seed, choices[choice], ret, arena);
    /* No table has this body, so it is made here as it is read above. */
    if (choice != REPLY_RESC_QUERY)
        return;
    ret->resources.n = wire_random_below(seed, 5);
    ret->resources.numbers = ARENA_ARRAY(arena, uint32_t, ret->resources.n * 4);
    for (size_t i = 0; i < ret->resources.n * 4; i++)
        ret->resources.numbers[i] = wire_random_below(seed, UINT32_MAX);
}
