/* attrs.c - see attrs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/attrs.h"

#include <string.h>
#include <strings.h>

void wire_attrs_add(struct wire_attrs *list, struct arena *arena, const char *name,
                    const char *resource, const char *value, uint32_t op)
{
    ARENA_ROOM(arena, list, v, 16);
    list->v[list->n++] = (struct wire_attr){
        .name = name,
        .resource = resource,
        .value = value,
        .op = op,
    };
}

const struct wire_attr *wire_attrs_find(const struct wire_attrs *list, const char *name,
                                        const char *resource)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct wire_attr *a = &list->v[i];

        if (strcasecmp(a->name, name) != 0)
            continue;
        if (!resource || (a->resource && strcasecmp(a->resource, resource) == 0))
            return a;
    }
    return NULL;
}

const char *wire_attrs_value(const struct wire_attrs *list, const char *name,
                             const char *resource)
{
    const struct wire_attr *a = wire_attrs_find(list, name, resource);

    return a ? a->value : NULL;
}
