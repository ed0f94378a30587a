/* Fuzz target: the extension of ConfirmResv. What is read is written as a text that
 * reads the same.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/confirm.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

static int same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = fuzz_text(data, len);
    struct arena *arena = arena_new();
    struct wire_confirm first, again;

    if (wire_confirm_read(text, arena, &first)) {
        FUZZ_CHECK(!first.partition || *first.partition);
        FUZZ_CHECK(!first.reason || *first.reason);
        FUZZ_CHECK(wire_confirm_read(wire_confirm_text(&first, arena), arena, &again));
        FUZZ_CHECK(first.yes == again.yes && first.has_seq == again.has_seq);
        FUZZ_CHECK(first.away == again.away && (first.yes || !first.away));
        FUZZ_CHECK(first.seq == again.seq && same(first.partition, again.partition));
        FUZZ_CHECK(same(first.yes ? NULL : first.reason, again.reason));
    }
    arena_free(arena);
    free(text);
    return 0;
}
