/* heap.h - memory that is not needed any more goes back to the system.
 *
 * The C library keeps what was freed for the next use, and after a burst that may be
 * all the memory which the burst took. Blocks of HEAP_OWN_BYTES and more are mapped on
 * their own here, and go back when they are freed; what lies free between smaller ones
 * goes back when somebody looks.
 *
 * A look walks over what lies free, a millisecond for some ten thousand pieces, and
 * much of that may be holes between what is kept, which cannot go back. So there is one
 * only when there is more memory than before that what is kept does not explain.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_HEAP_H
#define LIB_IO_HEAP_H

#include "lib/base/base.h"

#define HEAP_OWN_BYTES    ((size_t)512 << 10)
/* So much may lie free. */
#define HEAP_FREE_BYTES   ((size_t)16 << 20)
#define HEAP_LOOK_MS      10000
/* What a kept object explains: a job, with the holes around it. */
#define HEAP_OBJECT_BYTES ((size_t)6 << 10)

/* A zeroed struct has never looked. */
struct heap_watch {
    int64_t looked_ms;
    size_t surplus; /* that the last look has left, or less since */
};

/* Once, at the start of a daemon. */
void heap_set_up(void);

/* Is there to be a look, with so much resident memory and so many objects that are
 * kept? */
bool heap_is_to_look(struct heap_watch *w, size_t resident, size_t n_kept);

/* Called as often as one likes; 'now_ms' by the monotonic clock. */
void heap_give_back(struct heap_watch *w, int64_t now_ms, size_t n_kept);

#endif
