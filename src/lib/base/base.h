/* base.h - what every file of Holdfast may assume.
 *
 * Fixed-size types, compiler attributes and the few macros that are used everywhere.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_BASE_H
#define LIB_BASE_BASE_H

#include "lib/base/must.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MUST_CHECK         __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a)  __attribute__((format(printf, f, a)))
#define NORETURN           __attribute__((noreturn))
#define UNUSED             __attribute__((unused))

#define ARRAY_LEN(a)       (sizeof(a) / sizeof((a)[0]))
#define MIN_OF(a, b)       ((a) < (b) ? (a) : (b))
#define MAX_OF(a, b)       ((a) > (b) ? (a) : (b))
#define STRUCT_OF(p, t, m) ((t *)(void *)((char *)(p)-offsetof(t, m)))

/* Memory that is never NULL: a daemon stops when memory runs out, its records make
 * that safe. libpbs calls what uses these through xmem_try() only. The caller frees
 * with free(). */
void *xmalloc(size_t size_bytes) MUST_CHECK;
void *xcalloc(size_t n, size_t size_bytes) MUST_CHECK;
void *xrealloc(void *p, size_t size_bytes) MUST_CHECK;
char *xstrdup(const char *s) MUST_CHECK;
char *xstrndup(const char *s, size_t len) MUST_CHECK;
char *xasprintf(const char *fmt, ...) MUST_CHECK PRINTF_LIKE(1, 2);

/* Run step(arg) where running out of memory is no end: false when the functions above
 * could not serve it, and then it was left where it stood. What it had taken is lost
 * unless 'arg' knows it; so a step takes no locks and opens nothing. For the calling
 * thread alone; may be nested. */
bool xmem_try(void (*step)(void *arg), void *arg) MUST_CHECK;

/* True when both are NULL or both hold the same text. */
bool str_same(const char *a, const char *b);

/* True when 'word' is one of the words of a list with commas between (NULL: no word),
 * which has no blanks. */
bool str_list_has(const char *list, const char *word);

#endif
