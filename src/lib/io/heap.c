/* heap.c - see heap.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/heap.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

/* glibc raises the size from which a block has pages of its own by itself, to up to
 * 32 MiB, as soon as such a block was freed once. Setting it keeps it where it is. */
void heap_set_up(void)
{
    mallopt(M_MMAP_THRESHOLD, (int)HEAP_OWN_BYTES);
    mallopt(M_TRIM_THRESHOLD, (int)HEAP_FREE_BYTES);
}

/* 0 when nobody says. */
static size_t resident_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    size_t pages = 0;

    if (f && fscanf(f, "%*u %zu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* What those that are kept do not explain. */
static size_t surplus_of(size_t resident, size_t n_kept)
{
    size_t explained = n_kept * HEAP_OBJECT_BYTES;

    return resident > explained ? resident - explained : 0;
}

bool heap_is_to_look(struct heap_watch *w, size_t resident, size_t n_kept)
{
    size_t surplus = surplus_of(resident, n_kept);

    w->surplus = MIN_OF(w->surplus, surplus);
    /* What a look has left is mostly in use, and more of it makes looks rarer: all of
     * them together cost as much as the memory has grown. */
    return surplus > w->surplus + w->surplus / 2 + HEAP_FREE_BYTES;
}

void heap_give_back(struct heap_watch *w, int64_t now_ms, size_t n_kept)
{
    if (w->looked_ms && now_ms < w->looked_ms + HEAP_LOOK_MS)
        return;
    w->looked_ms = now_ms;
    if (!heap_is_to_look(w, resident_bytes(), n_kept))
        return;
    malloc_trim(HEAP_FREE_BYTES / 4);
    w->surplus = surplus_of(resident_bytes(), n_kept);
}
