/* Fuzz target: TPP packets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/tpp.h"

#include "fuzz.h"

const char fuzz_frames[] = "tpp.txt";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *a = arena_new();
    struct buf b = { 0 };
    struct tpp_packet pkt, again;
    size_t total;

    if (tpp_peek((const char *)data, len, len, &total) == TPP_READY &&
        tpp_decode((const char *)data, total, a, &pkt)) {
        tpp_encode(&b, &pkt);
        FUZZ_CHECK(arena_used_bytes(a) <= total + 16);
        if (!tpp_decode(b.data, b.len, a, &again))
            __builtin_trap();
    }
    buf_fini(&b);
    arena_free(a);
    return 0;
}
