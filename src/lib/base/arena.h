/* arena.h - memory with one lifetime.
 *
 * What a request, a reply or a scheduling pass needs is taken from one arena and
 * given back whole. Allocation never returns NULL (see base.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_ARENA_H
#define LIB_BASE_ARENA_H

#include "lib/base/base.h"

#include <stdarg.h>

struct arena;
struct block; /* private to arena.c */

/* An empty arena. The caller ends it with arena_free(); arena_free(NULL) is fine. */
struct arena *arena_new(void) MUST_CHECK;
struct arena *arena_new_small(void) MUST_CHECK; /* for one of many: 256 B at first */
struct arena *arena_try_new(void) MUST_CHECK;   /* NULL: no memory */
void arena_free(struct arena *a);

/* Give everything back but keep the first block, for reuse by the next pass. */
void arena_clear(struct arena *a);

/* Give back what was taken since the mark was set, for a step that failed. Marks are
 * returned to in reverse order; clearing the arena ends them all. */
struct arena_mark {
    struct block *newest;
    char *front, *back;
    size_t used_bytes;
};
struct arena_mark arena_mark(const struct arena *a) MUST_CHECK;
void arena_rewind(struct arena *a, const struct arena_mark *mark);

/* Bytes handed out since the last clear, as asked for but for the alignment. Taken from
 * the system are at most three times as many and the first block's 4 KiB (of a small
 * arena 256 B), in blocks of which none is larger than that block, the largest thing
 * asked for, or the sum before it. */
size_t arena_used_bytes(const struct arena *a);

/* Aligned for any type; arena_zero() is filled with zero bytes. Live until the arena
 * is cleared or freed. */
void *arena_alloc(struct arena *a, size_t size_bytes) MUST_CHECK;
void *arena_zero(struct arena *a, size_t size_bytes) MUST_CHECK;
void *arena_copy(struct arena *a, const void *p, size_t size_bytes) MUST_CHECK;

/* Texts cost their characters and the NUL that is put behind them, no alignment.
 * arena_text() copies bytes of any kind; arena_strdup(a, NULL) is NULL. arena_strndup()
 * ends at a NUL or after 'len' bytes; NULL with 0, an empty buffer, is the empty text.
 */
char *arena_text(struct arena *a, const char *p, size_t len) MUST_CHECK;
char *arena_strdup(struct arena *a, const char *s) MUST_CHECK;
char *arena_strndup(struct arena *a, const char *s, size_t len) MUST_CHECK;
char *arena_printf(struct arena *a, const char *fmt, ...) MUST_CHECK PRINTF_LIKE(2, 3);
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) MUST_CHECK;

/* Room for one element more in an array that grows by doubling: 'v' has 'n' elements in
 * use and room for '*cap', at first for 'first'. Returns where it is now; an array that
 * was outgrown stays in the arena. */
void *arena_grow(struct arena *a, void *v, size_t n, size_t *cap, size_t first,
                 size_t size_bytes) MUST_CHECK;

/* The same for a list with the members n, cap and 'v'. */
#define ARENA_ROOM(a, list, v, first)                                                  \
    ((list)->v = arena_grow((a), (list)->v, (list)->n, &(list)->cap, (first),          \
                            sizeof(*(list)->v)))

#define ARENA_NEW(a, type)      ((type *)arena_zero((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_zero((a), sizeof(type) * (n)))

#endif
