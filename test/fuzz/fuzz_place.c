/* Fuzz target: place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/select.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *arena = arena_new();
    char *text = fuzz_text(data, len);
    struct place p = { 0 };
    struct diag why = { 0 };

    if (place_parse(text, arena, &p, &why) == 0) {
        FUZZ_CHECK(p.arrange <= PLACE_VSCATTER && p.share <= PLACE_EXCLHOST);
        FUZZ_CHECK(p.share_given || p.share == PLACE_SHARED);
        FUZZ_CHECK(!p.group || *p.group);
    } else {
        FUZZ_CHECK(why.code != 0);
    }
    free(text);
    arena_free(arena);
    return 0;
}
