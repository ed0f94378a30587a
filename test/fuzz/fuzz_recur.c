/* Fuzz target: recurrence rules. The first byte chooses the zone and the length.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/recur.h"

#include "test/unit/cal/tzif.h"

#include "fuzz.h"

#define START_AT 1795247571
#define MOST     50

const char fuzz_frames[] = "";

static void check(const struct recur *r, const struct zone *z, int64_t duration_s,
                  struct arena *arena)
{
    int64_t *at = ARENA_ARRAY(arena, int64_t, MOST);
    size_t n_listed = recur_list(r, z, START_AT, INT64_MAX, MOST, at), n = 0;
    struct diag why = { 0 };
    int64_t *starts = ARENA_ARRAY(arena, int64_t, RECUR_MAX);
    int code = recur_expand(r, z, START_AT, duration_s, starts, &n, &why);

    FUZZ_CHECK(code == why.code && (code || n > 0));
    for (size_t i = 0; code == 0 && i < MIN_OF(n, n_listed); i++)
        FUZZ_CHECK(starts[i] == at[i]);
    for (size_t i = 0; i < n_listed; i++) {
        FUZZ_CHECK(at[i] >= START_AT && (i == 0 || at[i] > at[i - 1]));
        if (code == 0 && i > 0 && at[i] - START_AT < RECUR_HORIZON_S)
            FUZZ_CHECK(at[i] - at[i - 1] >= duration_s);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char *const zones[] = { "UTC0", "EST5EDT,M3.2.0,M11.1.0",
                                         "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0" };
    struct arena *arena;
    struct recur *r;
    char *text;

    if (len < 1)
        return 0;
    arena = arena_new();
    text = fuzz_text(data + 1, len - 1);
    if (recur_parse(text, arena, &r, NULL) == 0) {
        const struct zone *z = tzif_zone(zones[data[0] % ARRAY_LEN(zones)], 0, arena);

        check(r, z, INT64_C(1) << data[0] / 16, arena);
    }
    free(text);
    arena_free(arena);
    return 0;
}
