/* zone.h - a time zone as an object that is passed in.
 *
 * The shell reads a zoneinfo file and hands over its bytes (lib/io/zonefile.h); nothing
 * here opens one or asks the environment. Equal bytes, equal answers, whatever the
 * machine's own zone is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_CAL_ZONE_H
#define LIB_CAL_ZONE_H

#include "lib/base/arena.h"

struct zone;

/* The zone that the contents of a zoneinfo file (RFC 8536, versions 1 to 4) describe,
 * in the arena; NULL when they are none. */
struct zone *zone_parse(const char *name, const void *data, size_t len,
                        struct arena *arena) MUST_CHECK;

/* The name it was given. */
const char *zone_name(const struct zone *z);

/* How far its clocks are ahead of UTC at an instant. Logarithmic. */
int64_t zone_offset_s(const struct zone *z, int64_t at);

/* The instant at which its clocks show 'local_s' (the civil time, counted as if it were
 * UTC). What they show twice means the first time; what they never show is taken by the
 * offset before the gap, so that 02:30 becomes 03:30. */
int64_t zone_instant(const struct zone *z, int64_t local_s);

#endif
