/* Fuzz target: packets and single DIS values, floats included.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/dis.h"
#include "lib/wire/packet.h"

#include "fuzz.h"

const char fuzz_frames[] = "commands.txt";

static void try_double(struct dis_in in)
{
    struct buf b = { 0 };
    double value;

    if (dis_get_double(&in, &value) == DIS_OK &&
        dis_put_double(&b, value, 15) == DIS_OK) {
        in.at = b.data;
        in.end = b.data + b.len;
        if (dis_get_double(&in, &value) == DIS_NON_DIGIT)
            __builtin_trap();
    }
    buf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *a = arena_new();
    struct dis_in in = { (const char *)data, (const char *)data + len, a };
    struct packet p;
    const char *s;
    int64_t number;

    try_double(in);
    while (in.at < in.end) {
        const char *before = in.at;

        if (dis_get_long(&in, &number) != DIS_OK &&
            dis_get_string(&in, 0, &s) != DIS_OK)
            break;
        if (in.at <= before)
            __builtin_trap();
    }
    if (packet_peek((const char *)data, len, 1000, &p) == PACKET_READY &&
        p.total_bytes > len)
        __builtin_trap();
    arena_free(a);
    return 0;
}
