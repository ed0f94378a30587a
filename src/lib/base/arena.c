/* arena.c - blocks that double in size, chained newest first.
 *
 * Invariant: the chain is never empty; the last block of the chain is the first one
 * made and survives arena_clear().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK_BYTES  4096
#define LARGEST_STEP_BYTES (1024 * 1024)

struct block {
    struct block *older;
    size_t size_bytes;
    size_t used_bytes;
    max_align_t data[];
};

struct arena {
    struct block *newest;
    size_t used_bytes;
};

static struct block *block_new(size_t size_bytes, struct block *older)
{
    struct block *b = xmalloc(sizeof(*b) + size_bytes);

    b->older = older;
    b->size_bytes = size_bytes;
    b->used_bytes = 0;
    return b;
}

struct arena *arena_new(void)
{
    struct arena *a = xcalloc(1, sizeof(*a));

    a->newest = block_new(FIRST_BLOCK_BYTES, NULL);
    return a;
}

struct arena *arena_try_new(void)
{
    struct arena *a = calloc(1, sizeof(*a));
    struct block *b = malloc(sizeof(*b) + FIRST_BLOCK_BYTES);

    if (!a || !b) {
        free(a);
        free(b);
        return NULL;
    }
    *b = (struct block){ .size_bytes = FIRST_BLOCK_BYTES };
    a->newest = b;
    return a;
}

void arena_clear(struct arena *a)
{
    while (a->newest->older) {
        struct block *older = a->newest->older;

        free(a->newest);
        a->newest = older;
    }
    a->newest->used_bytes = 0;
    a->used_bytes = 0;
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    arena_clear(a);
    free(a->newest);
    free(a);
}

size_t arena_used_bytes(const struct arena *a)
{
    return a->used_bytes;
}

void *arena_alloc(struct arena *a, size_t size_bytes)
{
    const size_t align = _Alignof(max_align_t);
    size_t rounded = (size_bytes + align - 1) / align * align;
    struct block *b = a->newest;
    void *p;

    assert(rounded >= size_bytes);
    if (b->size_bytes - b->used_bytes < rounded) {
        size_t next = MIN_OF(b->size_bytes * 2, (size_t)LARGEST_STEP_BYTES);

        b = a->newest = block_new(MAX_OF(next, rounded), b);
    }
    p = (char *)b->data + b->used_bytes;
    b->used_bytes += rounded;
    a->used_bytes += rounded;
    return p;
}

void *arena_zero(struct arena *a, size_t size_bytes)
{
    return memset(arena_alloc(a, size_bytes), 0, size_bytes);
}

void *arena_copy(struct arena *a, const void *p, size_t size_bytes)
{
    void *copy = arena_alloc(a, size_bytes);

    if (size_bytes > 0)
        memcpy(copy, p, size_bytes);
    return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return s ? arena_copy(a, s, strlen(s) + 1) : NULL;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
    size_t n = strnlen(s, len);
    char *copy = arena_alloc(a, n + 1);

    memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    char *s;
    int len;

    va_start(ap, fmt);
    len = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    assert(len >= 0);
    s = arena_alloc(a, (size_t)len + 1);
    va_start(ap, fmt);
    vsnprintf(s, (size_t)len + 1, fmt, ap);
    va_end(ap);
    return s;
}
