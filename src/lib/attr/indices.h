/* indices.h - the indices of a job array: the range that it was submitted with, lists
 * of ranges as requests name them, and sets of them (attributes.md 10, 14.2).
 *
 * An index has a place in its range: the first one has place 0. A set has one bit for
 * each place, so an array of 100,000 takes 12.5 KB however its subjobs end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_INDICES_H
#define LIB_ATTR_INDICES_H

#include "lib/base/buf.h"

/* The most places of one range, whatever a site allows: bounds memory. */
#define INDEX_MAX_PLACES 10000000

#define INDEX_NO_PLACE   SIZE_MAX

struct index_range { /* first, first + step, ... up to last */
    int64_t first;
    int64_t last; /* >= first; it need not be met */
    int64_t step; /* >= 1 */
};

/* What an array may be submitted with: X-Y[:Z] with X < Y, Z >= 1. Returns 0,
 * PBSE_BADATVAL, or PBSE_ATVALERANGE for a number that is none of a long's. */
int index_range_parse(const char *text, struct index_range *ret) MUST_CHECK;

/* The next range of "3,5-8,10-20:2": *at moves behind it and behind its comma. False
 * when there is none, or it cannot be read; the list ended well when **at is 0. */
bool index_list_next(const char **at, struct index_range *ret) MUST_CHECK;

/* How many indices it has, which may be more than INDEX_MAX_PLACES. */
uint64_t index_range_count(const struct index_range *r);
/* INDEX_NO_PLACE when the index is none of the range. */
size_t index_range_place(const struct index_range *r, int64_t index);
int64_t index_range_at(const struct index_range *r, size_t place);
/* The first place of 'r' at 'place' or behind it whose index is one of 'list', too;
 * INDEX_NO_PLACE when there is none. Time: what lies between the two at worst, divided
 * by the larger one of the steps. */
size_t index_range_next(const struct index_range *r, const struct index_range *list,
                        size_t place);

struct index_set {
    struct index_range range;
    size_t n_places;
    size_t n; /* members */
    uint64_t *bits;
};

/* All places of the range, of which there are INDEX_MAX_PLACES at most, or none. */
void index_set_init(struct index_set *s, const struct index_range *range, bool all);
void index_set_fini(struct index_set *s);

/* 'place' counts from 0 and must be below the number of places of the range. */
bool index_set_has(const struct index_set *s, size_t place);
void index_set_put(struct index_set *s, size_t place, bool member);
/* The same of all places from 'first' to 'last'. */
void index_set_put_run(struct index_set *s, size_t first, size_t last, bool member);
void index_set_copy(struct index_set *ret, const struct index_set *from);
/* The first member at 'place' or behind it, INDEX_NO_PLACE when there is none. */
size_t index_set_next(const struct index_set *s, size_t place);
/* The first place at 'place' or behind it that is no member; at most n_places. */
size_t index_set_run_end(const struct index_set *s, size_t place);

/* As clients see it: ranges with the step of the array, "-" when it is empty. */
void index_set_print(const struct index_set *s, struct buf *out);

#endif
