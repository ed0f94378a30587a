/* xmem.c - allocation that ends the process rather than return NULL.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *not_null(void *p)
{
    if (!p)
        abort();
    return p;
}

void *xmalloc(size_t size_bytes)
{
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
    len = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    assert(len >= 0);
    s = xmalloc((size_t)len + 1);
    va_start(ap, fmt);
    vsnprintf(s, (size_t)len + 1, fmt, ap);
    va_end(ap);
    return s;
}

bool str_same(const char *a, const char *b)
{
    if (!a || !b)
        return a == b;
    return strcmp(a, b) == 0;
}
