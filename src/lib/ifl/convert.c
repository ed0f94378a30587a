/* convert.c - lists of the public header to lists of the wire and back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <stdlib.h>
#include <string.h>

/* An entry without a name says nothing and is left out. */
static void add(struct wire_attrs *to, struct arena *arena, const struct attropl *from,
                const char *value, uint32_t op)
{
    bool member = from->resource && *from->resource;

    if (from->name && *from->name)
        wire_attrs_add(to, arena, from->name, member ? from->resource : NULL,
                       value ? value : "", op);
}

struct wire_attrs ifl_attrs(const struct attropl *list, struct arena *arena)
{
    struct wire_attrs to = { 0 };

    for (; list; list = list->next)
        add(&to, arena, list, list->value, (uint32_t)list->op);
    return to;
}

struct wire_attrs ifl_attrs_set(const struct attropl *list, struct arena *arena)
{
    struct wire_attrs to = { 0 };

    for (; list; list = list->next)
        add(&to, arena, list, list->value, WIRE_OP_SET);
    return to;
}

struct wire_attrs ifl_wanted(const struct attrl *list, struct arena *arena)
{
    struct wire_attrs to = { 0 };

    for (; list; list = list->next)
        add(&to, arena, (const struct attropl *)(const void *)list, "", WIRE_OP_SET);
    return to;
}

static void attrl_free(struct attrl *list)
{
    while (list) {
        struct attrl *next = list->next;

        free(list->name);
        free(list->resource);
        free(list->value);
        free(list);
        list = next;
    }
}

void ifl_statfree(struct batch_status *list)
{
    while (list) {
        struct batch_status *next = list->next;

        free(list->name);
        free(list->text);
        attrl_free(list->attribs);
        free(list);
        list = next;
    }
}

void ifl_delstatfree(struct batch_deljob_status *list)
{
    while (list) {
        struct batch_deljob_status *next = list->next;

        free(list->name);
        free(list);
        list = next;
    }
}

static struct attrl *attrl_new(const struct wire_attr *from)
{
    struct attrl *a = calloc(1, sizeof(*a));

    if (!a)
        return NULL;
    a->op = (enum batch_op)from->op;
    a->name = strdup(from->name);
    a->value = strdup(from->value);
    a->resource = from->resource ? strdup(from->resource) : NULL;
    if (a->name && a->value && (!from->resource || a->resource))
        return a;
    attrl_free(a);
    return NULL;
}

static struct batch_status *status_new(const struct wire_object *from)
{
    struct batch_status *st = calloc(1, sizeof(*st));
    struct attrl **end;
    bool ok;

    if (!st)
        return NULL;
    st->name = strdup(from->name);
    ok = st->name != NULL;
    end = &st->attribs;
    for (size_t i = 0; i < from->attrs.n && ok; i++) {
        *end = attrl_new(&from->attrs.v[i]);
        ok = *end != NULL;
        if (ok)
            end = &(*end)->next;
    }
    if (ok)
        return st;
    ifl_statfree(st);
    return NULL;
}

int ifl_status_list(const struct wire_objects *objects, struct batch_status **ret)
{
    struct batch_status *list = NULL, **end = &list;

    for (size_t i = 0; i < objects->n; i++) {
        *end = status_new(&objects->v[i]);
        if (!*end) {
            ifl_statfree(list);
            return PBSE_SYSTEM;
        }
        end = &(*end)->next;
    }
    *ret = list;
    return 0;
}
