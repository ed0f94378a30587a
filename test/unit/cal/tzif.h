/* tzif.h - zoneinfo files as bytes, for tests: some changes, and the rule behind them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_CAL_TZIF_H
#define TEST_UNIT_CAL_TZIF_H

#include "lib/base/buf.h"
#include "lib/cal/zone.h"

#include <string.h>

struct tzif_change {
    int64_t at;
    uint8_t type; /* index in offsets */
};

static inline void tzif_number(struct buf *b, uint64_t v, size_t n_bytes)
{
    while (n_bytes-- > 0)
        buf_add_char(b, (char)(v >> (8 * n_bytes)));
}

static inline void tzif_header(struct buf *b, char version, size_t n_times,
                               size_t n_types)
{
    static const char rest[15];

    buf_add(b, "TZif", 4);
    buf_add_char(b, version);
    buf_add(b, rest, sizeof(rest));
    for (int i = 0; i < 3; i++)
        tzif_number(b, 0, 4);
    tzif_number(b, n_times, 4);
    tzif_number(b, n_types, 4);
    tzif_number(b, 4, 4); /* characters of names */
}

static inline void tzif_block(struct buf *b, const struct tzif_change *changes,
                              size_t n, const int32_t *offsets, size_t n_offsets,
                              size_t time_bytes)
{
    for (size_t i = 0; i < n; i++)
        tzif_number(b, (uint64_t)changes[i].at, time_bytes);
    for (size_t i = 0; i < n; i++)
        buf_add_char(b, (char)changes[i].type);
    for (size_t i = 0; i < n_offsets; i++) {
        tzif_number(b, (uint32_t)offsets[i], 4);
        tzif_number(b, 0, 2);
    }
    buf_add(b, "ABC", 4);
}

/* Version 2: an empty first block, then the real one and the rule. */
static inline void tzif_make(struct buf *b, const struct tzif_change *changes, size_t n,
                             const int32_t *offsets, size_t n_offsets, const char *rule)
{
    tzif_header(b, '2', 0, n_offsets);
    tzif_block(b, changes, 0, offsets, n_offsets, 4);
    tzif_header(b, '2', n, n_offsets);
    tzif_block(b, changes, n, offsets, n_offsets, 8);
    buf_printf(b, "\n%s\n", rule);
}

/* A zone that knows its rule only. */
static inline struct zone *tzif_zone(const char *rule, int32_t first_s,
                                     struct arena *arena)
{
    struct buf b = { 0 };
    struct zone *z;

    tzif_make(&b, NULL, 0, &first_s, 1, rule);
    z = zone_parse(rule, b.data, b.len, arena);
    buf_fini(&b);
    return z;
}

#endif
