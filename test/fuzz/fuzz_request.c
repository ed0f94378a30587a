/* Fuzz target: batch requests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/batch.h"

#include "fuzz.h"

const char fuzz_frames[] = "requests.txt";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *a = arena_new();
    struct buf b = { 0 };
    struct wire_request rq, again;
    bool known;
    bool good = batch_decode_request((const char *)data, len, a, &rq, &known) == DIS_OK;

    FUZZ_CHECK(arena_used_bytes(a) <= WIRE_MOST_BYTES(len));
    if (good) {
        batch_dump_request(&b, &rq);
        buf_clear(&b);
        if (known) {
            batch_encode_request(&b, &rq);
            if (batch_decode_request(b.data, b.len, a, &again, &known) != DIS_OK)
                __builtin_trap();
        }
    }
    buf_fini(&b);
    arena_free(a);
    return 0;
}
