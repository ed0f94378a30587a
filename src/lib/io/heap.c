/* heap.c - see heap.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/heap.h"

#include <malloc.h>

static int64_t looked_ms;

/* glibc raises the size from which a block has pages of its own by itself, to up to
 * 32 MiB, as soon as such a block was freed once. Setting it keeps it where it is. */
void heap_set_up(void)
{
    mallopt(M_MMAP_THRESHOLD, (int)HEAP_OWN_BYTES);
    mallopt(M_TRIM_THRESHOLD, (int)HEAP_FREE_BYTES);
}

void heap_give_back(int64_t now_ms)
{
    if (looked_ms && now_ms < looked_ms + HEAP_LOOK_MS)
        return;
    looked_ms = now_ms;
    if (mallinfo2().fordblks > HEAP_FREE_BYTES)
        malloc_trim(HEAP_FREE_BYTES / 4);
}
