/* Fuzz target: batch replies.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/batch.h"

#include "fuzz.h"

const char fuzz_frames[] = "replies.txt";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *a = arena_new();
    struct buf b = { 0 };
    struct wire_reply reply, again;
    bool good = batch_decode_reply((const char *)data, len, a, &reply) == DIS_OK;

    FUZZ_CHECK(arena_used_bytes(a) <= WIRE_MOST_BYTES(len));
    if (good) {
        batch_dump_reply(&b, &reply);
        buf_clear(&b);
        batch_encode_reply(&b, &reply);
        if (batch_decode_reply(b.data, b.len, a, &again) != DIS_OK)
            __builtin_trap();
    }
    buf_fini(&b);
    arena_free(a);
    return 0;
}
