/* arena.h - memory with one lifetime.
 *
 * What a request, a reply or a scheduling pass needs is taken from one arena and
 * given back whole. Allocation never returns NULL (see base.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_ARENA_H
#define LIB_BASE_ARENA_H

#include "lib/base/base.h"

struct arena;

/* An empty arena. The caller ends it with arena_free(); arena_free(NULL) is fine. */
struct arena *arena_new(void) MUST_CHECK;
struct arena *arena_try_new(void) MUST_CHECK; /* NULL: no memory */
void arena_free(struct arena *a);

/* Give everything back but keep the first block, for reuse by the next pass. */
void arena_clear(struct arena *a);

/* Bytes handed out since the last clear: a decoder's own limit can ask. */
size_t arena_used_bytes(const struct arena *a);

/* Aligned for any type; arena_zero() is filled with zero bytes. Live until the arena
 * is cleared or freed. */
void *arena_alloc(struct arena *a, size_t size_bytes) MUST_CHECK;
void *arena_zero(struct arena *a, size_t size_bytes) MUST_CHECK;
void *arena_copy(struct arena *a, const void *p, size_t size_bytes) MUST_CHECK;

/* Texts, NUL-terminated. arena_strdup(a, NULL) is NULL. */
char *arena_strdup(struct arena *a, const char *s) MUST_CHECK;
char *arena_strndup(struct arena *a, const char *s, size_t len) MUST_CHECK;
char *arena_printf(struct arena *a, const char *fmt, ...) MUST_CHECK PRINTF_LIKE(2, 3);

#define ARENA_NEW(a, type)      ((type *)arena_zero((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_zero((a), sizeof(type) * (n)))

#endif
