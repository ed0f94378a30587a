/* numbers.h - small numbers that are taken, of which the lowest free one is asked for.
 *
 * A number may be taken more than once; it is free when it was dropped as often. All of
 * this costs the logarithm of the highest number that was taken.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_NUMBERS_H
#define LIB_BASE_NUMBERS_H

#include "lib/base/base.h"

/* A zeroed struct has no number taken. */
struct numbers {
    size_t n;        /* how often any number is taken */
    size_t cap;      /* a power of two, or 0: the numbers below it have a place */
    uint32_t *times; /* how often each of these is taken */
    /* A binary tree: full[1] is the root, those below full[i] are full[2i] and
     * full[2i+1], and full[cap + number] is a leaf: the number is taken. An inner place
     * is full when both below it are. */
    bool *full;
};

/* Free what was taken; a zeroed struct is fine. */
void numbers_fini(struct numbers *ns);

/* Take a number once more. What it costs in memory follows the highest one, so the
 * caller sees to it that it is not too high. */
void numbers_take(struct numbers *ns, size_t number);

/* Take it once less; it must be taken. */
void numbers_drop(struct numbers *ns, size_t number);

/* The lowest number that is not taken and not below 'from'. */
size_t numbers_free(const struct numbers *ns, size_t from);

/* The same numbers are taken, each as often. */
bool numbers_same(const struct numbers *a, const struct numbers *b);

#endif
