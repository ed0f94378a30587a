/* Fuzz target: zoneinfo files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/zone.h"

#include "fuzz.h"

#define MOST_S (7 * 24 * 3600)

const char fuzz_frames[] = "";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const int64_t times[] = { INT64_MIN,   -4000000000, -1,         0,
                                     1795247571,  1805247571,  1815247571, 4102444800,
                                     99999999999, INT64_MAX };
    struct arena *arena = arena_new();
    const struct zone *z = zone_parse("Fuzz", data, len, arena);

    FUZZ_CHECK(arena_used_bytes(arena) <= 3 * len + 4096);
    for (size_t i = 0; z && i < ARRAY_LEN(times); i++) {
        int64_t offset_s = zone_offset_s(z, times[i]);

        FUZZ_CHECK(offset_s > -MOST_S && offset_s < MOST_S);
        if (times[i] > INT64_MIN && times[i] < INT64_MAX) {
            int64_t off = zone_instant(z, times[i]) - times[i];

            FUZZ_CHECK(off > -MOST_S && off < MOST_S);
        }
    }
    arena_free(arena);
    return 0;
}
