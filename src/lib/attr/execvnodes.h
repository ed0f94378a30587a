/* execvnodes.h - the vnodes of each occurrence of a series as one text
 * (reservations.md 9.3):
 *
 *     3#(n2:ncpus=1){1}(n1:ncpus=1){0,2}
 *
 * The number of occurrences comes first; then each exec_vnode once, with the positions
 * that have it. Positions count from 0 within the text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_EXECVNODES_H
#define LIB_ATTR_EXECVNODES_H

#include "lib/base/arena.h"
#include "lib/base/diag.h"

/* In the place of an exec_vnode of an answer: this occurrence stays as it is. */
#define EXECVNODES_SAME "()"

struct execvnodes {
    size_t n;           /* occurrences, at least 1 */
    size_t *which;      /* [n] index of its text */
    size_t n_texts;     /* different exec_vnodes, as far as the text merges them */
    const char **texts; /* none is empty; whether they can be read is not checked */
};

/* Read such a text of at most 'most' occurrences; all of *ret is in the arena.
 * PBSE_BADATVAL when it is none, or a position is missing, named twice or not below the
 * number of occurrences; *ret is then undefined. Linear in the text and in the number
 * of occurrences. */
int execvnodes_parse(const char *text, size_t most, struct arena *arena,
                     struct execvnodes *ret, struct diag *why) MUST_CHECK;

/* The text of n > 0 exec_vnodes in the order of their occurrences, in the arena. Equal
 * ones are merged, and what is met last comes first, as PBS has it. Linear in what is
 * read and written; pointers that are equal are not read twice in a row. */
const char *execvnodes_print(const char *const *vnodes, size_t n,
                             struct arena *arena) MUST_CHECK;

#endif
