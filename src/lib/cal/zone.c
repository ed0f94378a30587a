/* zone.c - the table of a zoneinfo file, and the rule behind its last entry.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/cal/zone.h"

#include "lib/cal/zone_rule.h"

#include <string.h>

#define MAGIC        "TZif"
#define HEADER_BYTES 44
#define TYPE_BYTES   6
#define MOST_S       (26 * 3600) /* an offset is never further from UTC */
#define DAY_S        86400

struct zone {
    const char *name;
    int64_t first_s; /* offset before the first change */
    size_t n;
    int64_t *at; /* rising */
    int32_t *offset_s;
    bool has_rule; /* behind the last change */
    struct zone_rule rule;
};

/* The counts of a header, in the order in which they stand there. */
struct counts {
    size_t utc, std, leap, times, types, chars;
};

static uint64_t big_endian(const uint8_t *p, size_t n_bytes)
{
    uint64_t v = 0;

    for (size_t i = 0; i < n_bytes; i++)
        v = v << 8 | p[i];
    return v;
}

static bool read_header(const uint8_t *p, size_t len, struct counts *ret)
{
    if (len < HEADER_BYTES || memcmp(p, MAGIC, strlen(MAGIC)) != 0)
        return false;
    *ret = (struct counts){
        .utc = big_endian(p + 20, 4),
        .std = big_endian(p + 24, 4),
        .leap = big_endian(p + 28, 4),
        .times = big_endian(p + 32, 4),
        .types = big_endian(p + 36, 4),
        .chars = big_endian(p + 40, 4),
    };
    return true;
}

/* The size of a block of changes. The counts have 32 bits each and the sum 64, so
 * that it cannot overflow. */
static size_t block_bytes(const struct counts *c, size_t time_bytes)
{
    return c->times * (time_bytes + 1) + c->types * TYPE_BYTES + c->chars +
           c->leap * (time_bytes + 4) + c->std + c->utc;
}

/* The offset of type 'i'; one that no place on earth has is refused. */
static bool read_offset(const uint8_t *types, size_t n, size_t i, int32_t *ret)
{
    if (i >= n)
        return false;
    *ret = (int32_t)big_endian(types + i * TYPE_BYTES, 4);
    return *ret >= -MOST_S && *ret <= MOST_S;
}

/* Read the block of changes at 'p'; the caller has seen that all of its bytes are
 * there. Times that do not ascend are refused, since they are searched later. */
static bool read_block(struct zone *z, const uint8_t *p, const struct counts *c,
                       size_t time_bytes, struct arena *arena)
{
    const uint8_t *indices = p + c->times * time_bytes;
    const uint8_t *types = indices + c->times;
    int32_t first;

    if (!read_offset(types, c->types, 0, &first))
        return false;
    z->first_s = first;
    z->n = c->times;
    z->at = ARENA_ARRAY(arena, int64_t, z->n);
    z->offset_s = ARENA_ARRAY(arena, int32_t, z->n);
    for (size_t i = 0; i < z->n; i++) {
        uint64_t at = big_endian(p + i * time_bytes, time_bytes);

        z->at[i] = time_bytes == 4 ? (int32_t)at : (int64_t)at;
        if ((i > 0 && z->at[i] <= z->at[i - 1]) ||
            !read_offset(types, c->types, indices[i], &z->offset_s[i]))
            return false;
    }
    return true;
}

/* Read the rule for all times after the last change: "\nEST5EDT,M3.2.0,M11.1.0\n". The
 * line may be empty; the last offset then holds for ever. */
static bool read_footer(struct zone *z, const uint8_t *p, size_t len,
                        struct arena *arena)
{
    const uint8_t *end;
    const char *text;

    if (len < 2 || *p != '\n')
        return false;
    end = memchr(p + 1, '\n', len - 1);
    if (!end)
        return false;
    text = arena_strndup(arena, (const char *)p + 1, (size_t)(end - p - 1));
    z->has_rule = *text != '\0';
    return !z->has_rule || zone_rule_parse(text, &z->rule);
}

struct zone *zone_parse(const char *name, const void *data, size_t len,
                        struct arena *arena)
{
    const uint8_t *p = data;
    struct zone *z = ARENA_NEW(arena, struct zone);
    struct counts c;
    size_t block;

    z->name = arena_strdup(arena, name);
    if (!read_header(p, len, &c))
        return NULL;
    block = block_bytes(&c, 4);
    if (block > len - HEADER_BYTES)
        return NULL;
    if (p[4] < '2')
        return read_block(z, p + HEADER_BYTES, &c, 4, arena) ? z : NULL;
    /* From version 2 on the file has a second block, with times of eight bytes, and the
     * rule behind it. */
    p += HEADER_BYTES + block;
    len -= HEADER_BYTES + block;
    if (!read_header(p, len, &c))
        return NULL;
    block = block_bytes(&c, 8);
    if (block > len - HEADER_BYTES || !read_block(z, p + HEADER_BYTES, &c, 8, arena) ||
        !read_footer(z, p + HEADER_BYTES + block, len - HEADER_BYTES - block, arena))
        return NULL;
    return z;
}

const char *zone_name(const struct zone *z)
{
    return z->name;
}

int64_t zone_offset_s(const struct zone *z, int64_t at)
{
    size_t low = 0, high = z->n;

    MUST(z->n == 0 || z->offset_s);
    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (z->at[mid] <= at)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == z->n && z->has_rule)
        return zone_rule_offset_s(&z->rule, at);
    return low == 0 ? z->first_s : z->offset_s[low - 1];
}

int64_t zone_instant(const struct zone *z, int64_t local_s)
{
    int64_t before = zone_offset_s(z, local_s - DAY_S);
    int64_t after = zone_offset_s(z, local_s + DAY_S);

    /* When clocks change, a local time may stand for two instants or for none. The
     * offset that held before is tried first: of two instants this gives the earlier
     * one, and a time that is skipped becomes the same span after the change. */
    if (zone_offset_s(z, local_s - before) == before)
        return local_s - before;
    if (zone_offset_s(z, local_s - after) == after)
        return local_s - after;
    return local_s - before;
}
