/* Fuzz target: a MoM's messages to a server's core, divided by bytes 0xff.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "test/fuzz/world.h"

#include "fuzz.h"

const char fuzz_frames[] = "is.txt";

/* Messages are copied: their memory is the world's. */
static void give(struct rig *r, const uint8_t *data, size_t len)
{
    const char *own = arena_copy(r->arena, data, len);
    struct is_message msg;
    bool known;

    if (is_decode(own, len, true, r->arena, &msg, &known) == DIS_OK ||
        is_decode(own, len, false, r->arena, &msg, &known) == DIS_OK)
        fuzz_world_mom(r, &msg);
    rig_advance(r, r->now_at + 1);
}

static bool is_worth_a_world(const uint8_t *data, size_t len)
{
    struct arena *a = arena_new();
    struct is_message msg;
    bool known;
    bool worth = is_decode((const char *)data, len, true, a, &msg, &known) == DIS_OK;

    arena_free(a);
    return worth;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const uint8_t *end = data + len;
    const uint8_t *cut = memchr(data, 0xff, len);
    struct rig *r;

    if (!is_worth_a_world(data, (size_t)((cut ? cut : end) - data)))
        return 0;
    r = fuzz_world();
    for (int i = 0; i < 20 && data < end; i++) {
        cut = memchr(data, 0xff, (size_t)(end - data));
        give(r, data, (size_t)((cut ? cut : end) - data));
        data = cut ? cut + 1 : end;
    }
    fuzz_world_end(r);
    return 0;
}
