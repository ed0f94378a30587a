/* xmem.c - allocation that ends the process rather than return NULL, or, for a step
 * that xmem_try() runs, ends the step.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a failed allocation of this thread goes to; NULL outside of xmem_try(). */
static _Thread_local jmp_buf *way_out;

static void *not_null(void *p)
{
    if (!p && way_out)
        longjmp(*way_out, 1);
    if (!p)
        abort();
    return p;
}

bool xmem_try(void (*step)(void *arg), void *arg)
{
    /* Steps may be nested: the way of the outer one is put back at the end, whether
     * this one was completed or not. */
    jmp_buf *const outer = way_out;
    jmp_buf here;
    bool had = setjmp(here) == 0;

    if (had) {
        way_out = &here;
        step(arg);
    }
    way_out = outer;
    return had;
}

void *xmalloc(size_t size_bytes)
{
    /* malloc(0) may return NULL, which would look like a lack of memory. */
    return not_null(malloc(size_bytes ? size_bytes : 1));
}

void *xcalloc(size_t n, size_t size_bytes)
{
    return not_null(calloc(n ? n : 1, size_bytes ? size_bytes : 1));
}

void *xrealloc(void *p, size_t size_bytes)
{
    return not_null(realloc(p, size_bytes ? size_bytes : 1));
}

char *xstrdup(const char *s)
{
    return not_null(strdup(s));
}

char *xstrndup(const char *s, size_t len)
{
    return not_null(strndup(s, len));
}

char *xasprintf(const char *fmt, ...)
{
    va_list ap;
    char *s;
    int len;

    va_start(ap, fmt);
    /* The first pass only measures. It uses 'ap' up, so the second begins anew. */
    len = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    MUST(len >= 0);
    s = xmalloc((size_t)len + 1);
    va_start(ap, fmt);
    vsnprintf(s, (size_t)len + 1, fmt, ap);
    va_end(ap);
    return s;
}

bool str_same(const char *a, const char *b)
{
    /* Two NULLs are the same; NULL and an empty text are not. */
    if (!a || !b)
        return a == b;
    return strcmp(a, b) == 0;
}

bool str_list_has(const char *list, const char *word)
{
    size_t len = strlen(word);

    while (list) {
        size_t n = strcspn(list, ",");

        if (n == len && strncmp(list, word, len) == 0)
            return true;
        list = list[n] ? list + n + 1 : NULL;
    }
    return false;
}
