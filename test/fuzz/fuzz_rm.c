/* Fuzz target: questions to a MoM about its host, and their answers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/rm.h"

#include "fuzz.h"

const char fuzz_frames[] = "rm.txt";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *a = arena_new();
    struct buf b = { 0 };
    struct rm_request rq, again;
    struct rm_reply reply;

    if (rm_request_decode((const char *)data, len, a, &rq) == DIS_OK) {
        FUZZ_CHECK(arena_used_bytes(a) <= WIRE_MOST_BYTES(len));
        rm_request_encode(&b, &rq);
        FUZZ_CHECK(rm_request_decode(b.data, b.len, a, &again) == DIS_OK);
        FUZZ_CHECK(again.command == rq.command && again.texts.n == rq.texts.n);
    } else {
        FUZZ_CHECK(arena_used_bytes(a) == 0);
    }
    if (rm_reply_decode((const char *)data, len, a, &reply) == DIS_OK) {
        buf_clear(&b);
        rm_reply_encode(&b, &reply);
        FUZZ_CHECK(rm_reply_decode(b.data, b.len, a, &reply) == DIS_OK);
    }
    buf_fini(&b);
    arena_free(a);
    return 0;
}
