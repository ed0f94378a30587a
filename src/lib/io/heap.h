/* heap.h - memory that is not needed any more goes back to the system.
 *
 * The C library keeps what was freed for the next use, and after a burst that may be
 * all the memory which the burst took. Blocks of HEAP_OWN_BYTES and more are mapped on
 * their own here, and go back when they are freed; what lies free between smaller ones
 * goes back when somebody looks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_HEAP_H
#define LIB_IO_HEAP_H

#include "lib/base/base.h"

#define HEAP_OWN_BYTES  ((size_t)512 << 10)
/* So much may lie free, and a look every so often is enough: it walks over what lies
 * free, a millisecond for some ten thousand pieces. */
#define HEAP_FREE_BYTES ((size_t)16 << 20)
#define HEAP_LOOK_MS    10000

/* Once, at the start of a daemon. */
void heap_set_up(void);

/* Called as often as one likes; 'now_ms' by the monotonic clock. */
void heap_give_back(int64_t now_ms);

#endif
