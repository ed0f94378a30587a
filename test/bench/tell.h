/* tell.h - what a server tells a scheduler, made up: objects with attributes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_BENCH_TELL_H
#define TEST_BENCH_TELL_H

#include "lib/wire/batch.h"

#include <stdarg.h>

/* Add an attribute whose value is written as by printf(); all lives in 'arena'. */
static inline void PRINTF_LIKE(5, 6)
    tell_attr(struct arena *arena, struct wire_object *o, const char *name,
              const char *resource, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    wire_attrs_add(&o->attrs, arena, name, resource, arena_vprintf(arena, format, ap),
                   WIRE_OP_SET);
    va_end(ap);
}

#endif
