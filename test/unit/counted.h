/* counted.h - an allocator that counts, for tests of how much is taken.
 *
 * Included by one file of a program that is linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc: what the program itself and the
 * static libraries in it take is counted, what shared libraries take is not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_COUNTED_H
#define TEST_UNIT_COUNTED_H

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

/* Since counted_begin(); what was given back is not taken off. */
static struct {
    size_t largest, sum;
} counted;

static inline void counted_begin(void)
{
    counted.largest = counted.sum = 0;
}

static inline void counted_add(size_t size)
{
    counted.sum += size;
    if (size > counted.largest)
        counted.largest = size;
}

void *__wrap_malloc(size_t size)
{
    counted_add(size);
    return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    counted_add(n * size);
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    counted_add(size);
    return __real_realloc(p, size);
}

#endif
