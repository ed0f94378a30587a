/* Fuzz target: messages of tasks, and replies to each of their questions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/task.h"

#include "fuzz.h"

const char fuzz_frames[] = "tm.txt";

static void try_request(const char *data, size_t len)
{
    struct arena *a = arena_new();
    struct task_request rq, again;
    struct buf b = { 0 };

    if (task_request_decode(data, len, a, &rq) == DIS_OK) {
        FUZZ_CHECK(arena_used_bytes(a) <= WIRE_MOST_BYTES(len));
        task_request_dump(&b, &rq);
        buf_clear(&b);
        task_request_encode(&b, &rq);
        FUZZ_CHECK(task_request_decode(b.data, b.len, a, &again) == DIS_OK);
        FUZZ_CHECK(again.event == rq.event && again.args.n == rq.args.n);
    } else {
        FUZZ_CHECK(arena_used_bytes(a) == 0);
    }
    buf_fini(&b);
    arena_free(a);
}

static void try_reply(const char *data, size_t len, enum task_command asked)
{
    struct arena *a = arena_new();
    struct task_reply reply;
    struct buf b = { 0 };

    if (task_reply_decode(data, len, a, &reply) == DIS_OK &&
        task_reply_decode_body(&reply, asked, a) == DIS_OK) {
        FUZZ_CHECK(arena_used_bytes(a) <= WIRE_MOST_BYTES(len));
        task_reply_encode(&b, &reply, asked);
        FUZZ_CHECK(task_reply_decode(b.data, b.len, a, &reply) == DIS_OK);
        FUZZ_CHECK(task_reply_decode_body(&reply, asked, a) == DIS_OK);
    }
    buf_fini(&b);
    arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    try_request((const char *)data, len);
    for (int asked = TASK_INIT; asked <= TASK_ATTACH; asked++)
        try_reply((const char *)data, len, (enum task_command)asked);
    return 0;
}
