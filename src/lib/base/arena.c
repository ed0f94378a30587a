/* arena.c - blocks with two ends, chained newest first.
 *
 * What needs alignment is taken from the front of a block, texts from its back: between
 * them nothing is lost to padding. A new block is as large as all that was handed out
 * before, so that memory follows what is used and a small arena stays small.
 *
 * Invariants: the chain is never empty; the last block of the chain is the first one
 * made and survives arena_clear(); 'front' of a block is aligned for any type.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK_BYTES  4096
#define SMALL_BLOCK_BYTES  256
#define LARGEST_STEP_BYTES (1024 * 1024)

struct block {
    struct block *older;
    size_t size_bytes;
    char *front, *back; /* what lies between is free */
    max_align_t data[];
};

struct arena {
    struct block *newest;
    size_t used_bytes;
    size_t first_bytes; /* of the first block: none is smaller */
};

static void block_empty(struct block *b)
{
    b->front = (char *)b->data;
    b->back = b->front + b->size_bytes;
}

static struct block *block_new(size_t size_bytes, struct block *older)
{
    struct block *b = xmalloc(sizeof(*b) + size_bytes);

    b->older = older;
    b->size_bytes = size_bytes;
    block_empty(b);
    return b;
}

static struct arena *new_with(size_t first_bytes)
{
    struct arena *a = xcalloc(1, sizeof(*a));

    a->first_bytes = first_bytes;
    a->newest = block_new(first_bytes, NULL);
    return a;
}

struct arena *arena_new(void)
{
    return new_with(FIRST_BLOCK_BYTES);
}

struct arena *arena_new_small(void)
{
    return new_with(SMALL_BLOCK_BYTES);
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
    block_empty(b);
    a->first_bytes = FIRST_BLOCK_BYTES;
    a->newest = b;
    return a;
}

/* Up to the block that stays. */
static void free_newer(struct arena *a, const struct block *stays)
{
    while (a->newest != stays) {
        struct block *older = a->newest->older;

        free(a->newest);
        a->newest = older;
    }
}

void arena_clear(struct arena *a)
{
    while (a->newest->older)
        free_newer(a, a->newest->older);
    block_empty(a->newest);
    a->used_bytes = 0;
}

struct arena_mark arena_mark(const struct arena *a)
{
    const struct block *b = a->newest;

    return (struct arena_mark){ a->newest, b->front, b->back, a->used_bytes };
}

void arena_rewind(struct arena *a, const struct arena_mark *mark)
{
    /* The mark was taken of this arena since it was last cleared. */
    MUST(mark->newest && mark->used_bytes <= a->used_bytes);
    free_newer(a, mark->newest);
    a->newest->front = mark->front;
    a->newest->back = mark->back;
    a->used_bytes = mark->used_bytes;
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

/* A block with so much room. */
static struct block *block_for(struct arena *a, size_t size_bytes)
{
    struct block *b = a->newest;
    size_t step;

    if ((size_t)(b->back - b->front) < size_bytes) {
        /* A request larger than a step gets a block of its own size. */
        step = MAX_OF(a->used_bytes, a->first_bytes);
        step = MIN_OF(step, (size_t)LARGEST_STEP_BYTES);
        b = a->newest = block_new(MAX_OF(step, size_bytes), b);
    }
    a->used_bytes += size_bytes;
    return b;
}

void *arena_alloc(struct arena *a, size_t size_bytes)
{
    const size_t align = _Alignof(max_align_t);
    size_t rounded = (size_bytes + align - 1) / align * align;
    struct block *b;
    void *p;

    /* A size near the largest one wraps around when it is rounded up. */
    MUST(rounded >= size_bytes);
    b = block_for(a, rounded);
    p = b->front;
    b->front += rounded;
    return p;
}

/* Room for so many characters and the NUL that is behind them. */
static char *text_room(struct arena *a, size_t len)
{
    struct block *b;

    MUST(len < SIZE_MAX);
    b = block_for(a, len + 1);
    b->back -= len + 1;
    b->back[len] = '\0';
    return b->back;
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

char *arena_text(struct arena *a, const char *p, size_t len)
{
    char *copy = text_room(a, len);

    if (len > 0)
        memcpy(copy, p, len);
    return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return s ? arena_text(a, s, strlen(s)) : NULL;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
    /* An empty buffer has no text to count in. */
    return arena_text(a, s, len > 0 ? strnlen(s, len) : 0);
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
    va_list again;
    char *s;
    int len;

    /* Measuring uses up one list of arguments, so it works on a copy. */
    va_copy(again, ap);
    len = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    MUST(len >= 0);
    s = text_room(a, (size_t)len);
    vsnprintf(s, (size_t)len + 1, fmt, ap);
    return s;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    char *s;

    va_start(ap, fmt);
    s = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return s;
}

void *arena_grow(struct arena *a, void *v, size_t n, size_t *cap, size_t first,
                 size_t size_bytes)
{
    /* Old arrays are left to the arena: all of them together are smaller than the new
     * one. */
    size_t wanted = *cap ? 2 * *cap : first;
    void *more;

    if (n < *cap)
        return v;
    MUST(size_bytes > 0 && wanted > n && wanted <= SIZE_MAX / size_bytes);
    more = arena_alloc(a, wanted * size_bytes);
    if (n > 0)
        memcpy(more, v, n * size_bytes);
    *cap = wanted;
    return more;
}
