/* field_random.c - random bodies for tests: full of edges, always within the limits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/field.h"

#include <string.h>

/* Small, since what is looked for are edges of single fields; thousands of bodies are
 * made in a second. */
#define MOST_ENTRIES     4
#define MOST_TEXT_LENGTH 12

/* Tests say which seed failed, so the numbers must be the same on every host: no
 * generator of the C library promises that. */
/* splitmix64 */
static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t wire_random_below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)(next(seed) % limit);
}

/* Small numbers, the largest, and everything between. */
static uint64_t number(uint64_t *seed)
{
    switch (wire_random_below(seed, 4)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return wire_random_below(seed, 20);
    default:
        return next(seed) >> wire_random_below(seed, 64);
    }
}

static const char *bytes(uint64_t *seed, struct arena *arena, size_t len, bool any)
{
    char *s = arena_alloc(arena, len + 1);

    for (size_t i = 0; i < len; i++)
        /* A text has any byte but NUL, as it may come from a partner. */
        s[i] = (char)(any ? next(seed) : 1 + wire_random_below(seed, 255));
    s[len] = '\0';
    return s;
}

static const char *text(uint64_t *seed, struct arena *arena, size_t least, size_t max)
{
    size_t most = max && max < MOST_TEXT_LENGTH ? max : MOST_TEXT_LENGTH;
    size_t len = least + wire_random_below(seed, (uint32_t)(most - least + 1));

    /* Now and then the text is as long as the limit allows, where an error of one byte
     * would show. */
    if (max && wire_random_below(seed, 8) == 0)
        len = max;
    return bytes(seed, arena, len, false);
}

static void attrs(uint64_t *seed, struct arena *arena, struct wire_attrs *to)
{
    uint32_t n = wire_random_below(seed, MOST_ENTRIES);

    for (uint32_t i = 0; i < n; i++) {
        /* Each text is drawn in a statement of its own: the order in which arguments of
         * a call are evaluated differs between compilers. */
        const char *name = text(seed, arena, 1, 0);
        const char *resource =
            wire_random_below(seed, 2) ? text(seed, arena, 1, 0) : NULL;
        const char *value = text(seed, arena, 0, 0);

        wire_attrs_add(to, arena, name, resource, value, wire_random_below(seed, 11));
    }
}

static void strings(uint64_t *seed, struct arena *arena, const struct wire_field *f,
                    struct wire_strings *to)
{
    to->n = wire_random_below(seed, MOST_ENTRIES);
    to->v = ARENA_ARRAY(arena, const char *, to->n);
    for (size_t i = 0; i < to->n; i++)
        /* Never empty: an empty string ends a list without a count. */
        to->v[i] = text(seed, arena, 1, f->max);
}

static void numbers(uint64_t *seed, struct arena *arena, struct wire_numbers *to)
{
    to->n = wire_random_below(seed, MOST_ENTRIES);
    to->v = ARENA_ARRAY(arena, uint32_t, to->n);
    for (size_t i = 0; i < to->n; i++)
        to->v[i] = 1 + wire_random_below(seed, UINT32_MAX - 1); /* a 0 ends a list */
}

static void records(uint64_t *seed, struct arena *arena, const struct wire_field *f,
                    char *base)
{
    size_t n = wire_random_below(seed, MOST_ENTRIES);
    char *record = arena_zero(arena, n * f->record_bytes);

    *(size_t *)(void *)(base + f->offset) = n;
    *(char **)(void *)(base + f->other) = record;
    for (size_t i = 0; i < n; i++, record += f->record_bytes)
        wire_random(seed, f->fields, record, arena);
}

static void fill(uint64_t *seed, const struct wire_field *f, char *base,
                 struct arena *arena)
{
    void *at = base + f->offset;
    struct wire_bytes *b = at;

    switch (f->kind) {
    case WIRE_END:
    case WIRE_SIZE: /* set by wire_random(), when the bytes that it counts are there */
        break;
    case WIRE_UINT:
        *(uint32_t *)at = (uint32_t)number(seed);
        break;
    case WIRE_INT:
        *(int32_t *)at = (int32_t)number(seed);
        break;
    case WIRE_ULONG:
    case WIRE_LONG:
        *(uint64_t *)at = number(seed);
        break;
    case WIRE_STRING:
    case WIRE_TEXT:
    case WIRE_OPT_LEN_STRING:
        *(const char **)at = text(seed, arena, 0, f->max);
        break;
    case WIRE_LEN_STRING:
        *(const char **)at = text(seed, arena, 1, f->max);
        break;
    case WIRE_OPT_STRING:
        *(const char **)at =
            wire_random_below(seed, 2) ? text(seed, arena, 0, f->max) : NULL;
        break;
    case WIRE_BYTES:
        b->len = wire_random_below(seed, 100);
        b->data = bytes(seed, arena, b->len, true);
        break;
    case WIRE_ATTRS:
    case WIRE_ATTRS_LAX:
    case WIRE_ATTRS_OR_END:
        attrs(seed, arena, at);
        break;
    case WIRE_STRINGS:
    case WIRE_STRINGS_TO_EMPTY:
    case WIRE_STRINGS_TO_END:
        strings(seed, arena, f, at);
        break;
    case WIRE_NUMBERS_TO_END:
    case WIRE_NUMBERS_TO_ZERO:
        numbers(seed, arena, at);
        break;
    case WIRE_RECORDS:
        records(seed, arena, f, base);
        break;
    }
}

void wire_random(uint64_t *seed, const struct wire_field *fields, void *to,
                 struct arena *arena)
{
    const struct wire_field *f;
    char *base = to;

    for (f = fields; f->kind != WIRE_END; f++)
        fill(seed, f, base, arena);
    for (f = fields; f->kind != WIRE_END; f++)
        if (f->kind == WIRE_SIZE) {
            const struct wire_bytes *b = (const void *)(base + f->other);

            *(uint32_t *)(void *)(base + f->offset) = (uint32_t)b->len;
        }
}
