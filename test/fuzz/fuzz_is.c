/* Fuzz target: messages between server and MoM, with and without a vnode list wanted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/is.h"

#include "fuzz.h"

const char fuzz_frames[] = "is.txt";

static void try(const uint8_t *data, size_t len, bool inventory)
{
    struct arena *a = arena_new();
    struct buf b = { 0 };
    struct is_message msg, again;
    bool known;
    bool good =
        is_decode((const char *)data, len, inventory, a, &msg, &known) == DIS_OK;

    FUZZ_CHECK(arena_used_bytes(a) <= WIRE_MOST_BYTES(len));
    if (good) {
        is_dump(&b, &msg);
        buf_clear(&b);
        if (known) {
            is_encode(&b, &msg);
            if (is_decode(b.data, b.len, inventory, a, &again, &known) != DIS_OK)
                __builtin_trap();
        }
    }
    buf_fini(&b);
    arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    try(data, len, false);
    try(data, len, true);
    return 0;
}
