/* zones.h - a few time zones by name, as the bytes of zoneinfo files, for servers in
 * tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_CAL_ZONES_H
#define TEST_UNIT_CAL_ZONES_H

#include "tzif.h"

/* The bytes in the arena and *ret_len; NULL when there is no zone of that name. */
static inline const char *zone_bytes(const char *name, struct arena *arena,
                                     size_t *ret_len)
{
    static const struct {
        const char *name, *rule;
        int32_t first_s;
    } zones[] = {
        { "UTC", "UTC0", 0 },
        { "America/New_York", "EST5EDT,M3.2.0,M11.1.0", -18000 },
        { "Australia/Sydney", "AEST-10AEDT,M10.1.0,M4.1.0/3", 36000 },
    };

    for (size_t i = 0; i < ARRAY_LEN(zones); i++) {
        struct buf b = { 0 };
        const char *copy;

        if (strcmp(zones[i].name, name) != 0)
            continue;
        tzif_make(&b, NULL, 0, &zones[i].first_s, 1, zones[i].rule);
        copy = arena_copy(arena, b.data, b.len);
        *ret_len = b.len;
        buf_fini(&b);
        return copy;
    }
    return NULL;
}

#endif
