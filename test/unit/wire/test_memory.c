/* What decoding takes is bounded by the bytes that are there, whatever they promise:
 * every request and reply, messages of MoMs and packets of routers, with random bodies,
 * with the most entries that so many bytes can hold, and with each number of them
 * replaced by a large one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/is.h"
#include "lib/wire/tpp.h"

#include "../counted.h"
#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS_EACH       10
#define MANY              1000
#define MOST_REQUEST      101
#define LONG_BYTES        1000
#define TAIL_BYTES        4000
#define ARENA_FIRST_BYTES 4096
#define BLOCK_HEAD_BYTES  64 /* at most: what the arena puts before a block */

/* A message of a kind, decoded into 'arena'. True: it was good. */
typedef bool decode_fn(const char *data, size_t len, struct arena *arena);

static bool as_request(const char *data, size_t len, struct arena *arena)
{
    struct wire_request rq;
    bool known;

    return batch_decode_request(data, len, arena, &rq, &known) == DIS_OK;
}

static bool as_next_request(const char *data, size_t len, struct arena *arena)
{
    struct dis_in in = { data, data + len, arena };
    struct wire_request rq;
    bool known;

    return batch_read_request(&in, &rq, &known) == DIS_OK;
}

static bool as_next_reply(const char *data, size_t len, struct arena *arena)
{
    struct dis_in in = { data, data + len, arena };
    struct wire_reply reply;

    return batch_read_reply(&in, &reply) == DIS_OK;
}

static bool as_reply(const char *data, size_t len, struct arena *arena)
{
    struct wire_reply reply;

    return batch_decode_reply(data, len, arena, &reply) == DIS_OK;
}

static bool as_is(const char *data, size_t len, struct arena *arena)
{
    struct is_message msg;
    bool known;

    return is_decode(data, len, true, arena, &msg, &known) == DIS_OK;
}

static bool as_tpp(const char *data, size_t len, struct arena *arena)
{
    struct tpp_packet pkt;

    return tpp_decode(data, len, arena, &pkt);
}

/* The bytes alone in memory, so that a sanitizer sees a step beyond them. 'most' is
 * what may be taken from the arena, and so the largest piece of memory but for the
 * first block; the sum in blocks is what arena.h says. A refused message has taken
 * nothing in the end. */
static void check_bytes(decode_fn *decode, const char *data, size_t len, size_t most)
{
    char *alone = malloc(len ? len : 1);
    struct arena *arena;
    size_t used;
    bool good;

    memcpy(alone, data, len);
    arena = arena_new();
    counted_begin();
    good = decode(alone, len, arena);
    used = arena_used_bytes(arena);
    if (used > most)
        fprintf(stderr, "%zu bytes for %.60s\n", used, alone);
    CU_ASSERT_TRUE(used <= (good ? most : 0));
    CU_ASSERT_TRUE(counted.largest <=
                   MAX_OF(most, (size_t)ARENA_FIRST_BYTES) + BLOCK_HEAD_BYTES);
    CU_ASSERT_TRUE(counted.sum <=
                   3 * most + ARENA_FIRST_BYTES + 16 * (size_t)BLOCK_HEAD_BYTES);
    arena_free(arena);
    free(alone);
}

static void check_message(decode_fn *decode, const struct buf *b)
{
    check_bytes(decode, b->data, b->len, WIRE_MOST_BYTES(b->len));
}

/* Each number of the message, and what looks like one inside texts, becomes as many as
 * there are bytes behind it by 'each'; 0: far more than that. Many bytes are behind. */
static void check_numbers(decode_fn *decode, const struct buf *b, size_t each)
{
    static const char tail[TAIL_BYTES] = "nothing that could be decoded";

    for (size_t at = 0; at < b->len; at++) {
        struct dis_in in = { .at = b->data + at, .end = b->data + b->len };
        struct buf other = { 0 };
        uint64_t was;

        if (dis_get_ulong(&in, &was))
            continue;
        buf_add(&other, b->data, at);
        dis_put_uint(&other, each ? ((size_t)(in.end - in.at) + TAIL_BYTES) / each
                                  : UINT32_MAX);
        buf_add(&other, in.at, (size_t)(in.end - in.at));
        buf_add(&other, tail, sizeof(tail));
        check_message(decode, &other);
        buf_fini(&other);
    }
}

/* As it is, cut in the middle, and lying about each of its numbers. */
static void check_hostile(decode_fn *decode, struct buf *b)
{
    static const size_t each[] = { 0, 1, 2, 4, 6, 8, 10 };

    check_message(decode, b);
    check_bytes(decode, b->data, b->len / 2, WIRE_MOST_BYTES(b->len / 2));
    for (size_t i = 0; b->len <= LONG_BYTES && i < ARRAY_LEN(each); i++)
        check_numbers(decode, b, each[i]);
}

/* Requests. */

static void test_requests(void)
{
    uint64_t seed = 20261122;

    for (uint32_t number = 0; number <= MOST_REQUEST; number++) {
        const struct batch_row *row = batch_row(number);

        for (int round = 0; row && round < ROUNDS_EACH; round++) {
            struct arena *arena = arena_new();
            void *body = arena_zero(arena, row->body_size_bytes);
            struct wire_request rq = { number, "root", body, "extended" };
            struct buf b = { 0 };

            if (row->fields)
                wire_random(&seed, row->fields, body, arena);
            batch_encode_request(&b, &rq);
            check_hostile(as_request, &b);
            check_hostile(as_next_request, &b);
            buf_fini(&b);
            arena_free(arena);
        }
    }
}

/* Every list of the struct holds 'n' entries that are as short as they can be. */
static void fill_lists(const struct wire_field *fields, char *base, size_t n,
                       struct arena *arena)
{
    for (const struct wire_field *f = fields; f->kind != WIRE_END; f++) {
        void *at = base + f->offset;

        if (f->kind == WIRE_ATTRS || f->kind == WIRE_ATTRS_LAX) {
            for (size_t i = 0; i < n; i++)
                wire_attrs_add(at, arena, "", NULL, "", 0);
        } else if (f->kind == WIRE_STRINGS || f->kind == WIRE_STRINGS_TO_EMPTY) {
            struct wire_strings *list = at;

            list->n = n;
            list->v = ARENA_ARRAY(arena, const char *, n);
            for (size_t i = 0; i < n; i++)
                list->v[i] = f->kind == WIRE_STRINGS ? "" : "x";
        } else if (f->kind == WIRE_RECORDS) {
            *(size_t *)at = n;
            *(void **)(void *)(base + f->other) =
                arena_zero(arena, n * f->record_bytes);
        } else if (f->kind == WIRE_LEN_STRING) {
            *(const char **)at = "x";
        }
    }
}

static void test_requests_of_short_entries(void)
{
    for (uint32_t number = 0; number <= MOST_REQUEST; number++) {
        const struct batch_row *row = batch_row(number);

        if (!row || !row->fields)
            continue;
        for (size_t n = 1; n <= MANY; n *= MANY) {
            struct arena *arena = arena_new();
            void *body = arena_zero(arena, row->body_size_bytes);
            struct wire_request rq = { number, "root", body, NULL };
            struct buf b = { 0 };

            fill_lists(row->fields, body, n, arena);
            batch_encode_request(&b, &rq);
            check_hostile(as_request, &b);
            check_hostile(as_next_request, &b);
            buf_fini(&b);
            arena_free(arena);
        }
    }
}

/* A request that is put together from many words costs its words, not more. */
static void test_texts_cost_their_bytes(void)
{
    struct arena *arena = arena_new();
    struct body_message body = { .job_id = "1.svr", .text = "" };
    struct wire_request rq = { BATCH_MESSAGE_JOB, "root", &body, NULL };
    struct buf b = { 0 };

    body.text = memset(arena_zero(arena, 100001), 'x', 100000);
    batch_encode_request(&b, &rq);
    check_bytes(as_request, b.data, b.len, b.len + 64);
    buf_fini(&b);
    arena_free(arena);
}

/* Replies. */

static void test_replies(void)
{
    uint64_t seed = 20261122;

    for (uint32_t choice = REPLY_NULL; choice <= REPLY_DELETE; choice++)
        for (int round = 0; round < ROUNDS_EACH; round++) {
            struct arena *arena = arena_new();
            struct wire_reply reply;
            struct buf b = { 0 };

            batch_random_reply(&seed, choice, arena, &reply);
            batch_encode_reply(&b, &reply);
            check_hostile(as_reply, &b);
            check_hostile(as_next_reply, &b);
            buf_fini(&b);
            arena_free(arena);
        }
}

static void check_reply(const struct wire_reply *reply)
{
    struct buf b = { 0 };

    batch_encode_reply(&b, reply);
    check_hostile(as_reply, &b);
    check_hostile(as_next_reply, &b);
    buf_fini(&b);
}

static void test_replies_of_short_entries(void)
{
    static struct wire_object objects[MANY];
    static struct wire_deleted_job deleted[MANY];
    static const char *ids[MANY];
    static uint32_t numbers[4 * MANY];
    static struct wire_attr attrs[2] = { { "", NULL, "", 0 }, { "", NULL, "", 0 } };

    for (size_t i = 0; i < MANY; i++)
        ids[i] = "";
    for (size_t n_attrs = 0; n_attrs <= 2; n_attrs++) {
        for (size_t i = 0; i < MANY; i++)
            objects[i] = (struct wire_object){ 0, "", { n_attrs, n_attrs, attrs } };
        check_reply(&(struct wire_reply){ .choice = REPLY_STATUS,
                                          .objects = { MANY, MANY, objects } });
    }
    check_reply(&(struct wire_reply){ .choice = REPLY_SELECT, .ids = { MANY, ids } });
    check_reply(
        &(struct wire_reply){ .choice = REPLY_DELETE, .deleted = { MANY, deleted } });
    check_reply(
        &(struct wire_reply){ .choice = REPLY_PREEMPT, .deleted = { MANY, deleted } });
    check_reply(&(struct wire_reply){ .choice = REPLY_RESC_QUERY,
                                      .resources = { MANY, numbers } });
}

/* Messages between server and MoM. */

static void check_is(const struct is_message *msg)
{
    struct buf b = { 0 };

    is_encode(&b, msg);
    check_hostile(as_is, &b);
    buf_fini(&b);
}

static void test_is_messages(void)
{
    static struct is_range ranges[] = { { 0x0a000001, 0 }, { 0x0a000100, 255 } };
    static struct is_vnode_attr vnode_attrs[] = {
        { "resources_available.ncpus", "4", 1, 0 }, { "sharing", "", 2, 0 }
    };
    static struct is_vnode vnodes[] = { { "n1", 2, vnode_attrs }, { "n2", 0, NULL } };
    static struct is_running running[] = { { "1.svr", 42, 1, 2, "(n1:ncpus=1)" } };
    static struct wire_attr used[] = { { "resources_used", "cput", "1", 0 } };
    static struct is_job_update updates[] = { { "1.svr", "why", 0, 1, { 1, 1, used } },
                                              { "2.svr", NULL, 0, 1, { 0 } } };
    static const char *ids[] = { "1.svr", "2.svr" };
    const struct body_id body = { "1.svr" };
    const struct is_message messages[] = {
        { .command = IS_CMD,
          .msgid = "7:1:x",
          .request = { BATCH_LOCATE_JOB, "root", &body, NULL } },
        { .command = IS_CMD_REPLY,
          .msgid = "7:1:x",
          .reply = { .choice = REPLY_TEXT, .text = "no" } },
        { .command = IS_CLUSTER_ADDRS, .n_ranges = 2, .ranges = ranges },
        { .command = IS_REPLYHELLO, .n_ranges = 2, .ranges = ranges },
        { .command = IS_REGISTERMOM,
          .n_running = 1,
          .running = running,
          .state = { .arch = "linux",
                     .has_vnodes = true,
                     .n_vnodes = 2,
                     .vnodes = vnodes,
                     .version = "1" } },
        { .command = IS_UPDATE, .state = { .arch = "linux", .version = "1" } },
        { .command = IS_JOBOBIT, .n_updates = 2, .updates = updates },
        { .command = IS_OBITREPLY, .acks = { 2, ids }, .rejects = { 1, ids } },
        { .command = IS_DISCARD_JOB, .job_id = "1.svr", .run_version = 1 },
        { .command = IS_HOOK_CHECKSUMS, .raw = { "+3+4abc", 7 } },
        { .command = IS_HELLOSVR, .mom_port = 15002 },
    };

    for (size_t i = 0; i < ARRAY_LEN(messages); i++)
        check_is(&messages[i]);
}

static void test_is_messages_of_short_entries(void)
{
    static struct is_range ranges[MANY];
    static struct is_vnode vnodes[MANY];
    static struct is_vnode_attr attrs[1];
    static struct is_running running[MANY];
    static struct is_job_update updates[MANY];

    check_is(&(struct is_message){
        .command = IS_CLUSTER_ADDRS, .n_ranges = MANY, .ranges = ranges });
    check_is(&(struct is_message){
        .command = IS_JOBOBIT, .n_updates = MANY, .updates = updates });
    check_is(&(struct is_message){
        .command = IS_REGISTERMOM, .n_running = MANY, .running = running });
    for (size_t n = 0; n <= 1; n++) {
        for (size_t i = 0; i < MANY; i++)
            vnodes[i] = (struct is_vnode){ .n = n, .attrs = attrs };
        check_is(&(struct is_message){
            .command = IS_UPDATE2,
            .state = { .has_vnodes = true, .n_vnodes = MANY, .vnodes = vnodes } });
    }
}

/* The old list of vnodes has the shortest entries of all: eight bytes for a vnode and
 * its one attribute. */
static void test_the_old_vnode_list(void)
{
    struct buf b = { 0 };

    buf_add_str(&b, "+4+42+12+0+0+0+0+0+3+0");
    dis_put_uint(&b, MANY);
    for (int i = 0; i < MANY; i++)
        buf_add_str(&b, "+0+1+0+0");
    check_hostile(as_is, &b);
    buf_fini(&b);
}

/* Packets. */

/* What is decoded of a packet is literally no larger than its bytes. */
static void test_tpp_packets(void)
{
    static struct tpp_addr addrs[TPP_MAX_ADDRS];
    static struct tpp_member members[MANY];
    const struct tpp_packet packets[] = {
        { .type = TPP_JOIN, .n_addrs = 2, .addrs = addrs },
        { .type = TPP_JOIN, .n_addrs = TPP_MAX_ADDRS, .addrs = addrs },
        { .type = TPP_LEAVE, .n_addrs = 2, .addrs = addrs },
        { .type = TPP_DATA, .payload = "payload", .payload_len = 7 },
        { .type = TPP_CTL_MSG, .text = "no route" },
        { .type = TPP_MCAST_DATA, .n_members = MANY, .members = members },
        { .type = TPP_MCAST_DATA, .n_members = 3, .members = members },
        { .type = TPP_MCAST_DATA, .n_members = 1u << 30, .info = "x", .info_len = 1 },
    };

    for (size_t i = 0; i < ARRAY_LEN(packets); i++) {
        struct buf b = { 0 };

        tpp_encode(&b, &packets[i]);
        check_bytes(as_tpp, b.data, b.len, b.len + 16);
        for (size_t at = 4; at < MIN_OF(b.len, (size_t)64); at++) {
            char was = b.data[at];

            b.data[at] = (char)0xff;
            check_bytes(as_tpp, b.data, b.len, b.len + 16);
            b.data[at] = was;
        }
        buf_fini(&b);
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        { "requests take what their bytes allow", test_requests },
        { "also those of the shortest entries", test_requests_of_short_entries },
        { "texts cost their bytes", test_texts_cost_their_bytes },
        { "replies take what their bytes allow", test_replies },
        { "also those of the shortest entries", test_replies_of_short_entries },
        { "messages of MoMs take what their bytes allow", test_is_messages },
        { "also those of the shortest entries", test_is_messages_of_short_entries },
        { "also the old vnode list", test_the_old_vnode_list },
        { "packets take no more than their bytes", test_tpp_packets },
    };

    return unit_main("wire/memory", cases, ARRAY_LEN(cases));
}
