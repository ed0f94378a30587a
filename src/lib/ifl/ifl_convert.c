/* ifl_convert.c - lists of the public header to lists of the wire and back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/ifl/ifl.h"

#include <stdlib.h>
#include <string.h>

/* An entry without a name is left out. The texts stay the caller's: a request is
 * encoded before the call returns. */
static int convert(int c, const struct attropl *list, bool values, bool as_set,
                   struct wire_attrs *ret)
{
    struct wire_attrs to = { 0 };
    const struct attropl *a;
    size_t n = 0;

    for (a = list; a; a = a->next)
        n++;
    /* calloc() of nothing may return NULL, which means here that there is no memory. */
    to.v = calloc(n ? n : 1, sizeof(*to.v));
    if (!to.v)
        return ifl_set_error(c, PBSE_SYSTEM, NULL);
    for (a = list; a; a = a->next)
        if (a->name && *a->name)
            to.v[to.n++] = (struct wire_attr){
                .name = a->name,
                .resource = a->resource && *a->resource ? a->resource : NULL,
                .value = values && a->value ? a->value : "",
                .op = as_set ? WIRE_OP_SET : (uint32_t)a->op,
            };
    *ret = to;
    return 0;
}

int ifl_attrs(int c, const struct attropl *list, bool as_set, struct wire_attrs *ret)
{
    return convert(c, list, true, as_set, ret);
}

int ifl_wanted(int c, const struct attrl *list, struct wire_attrs *ret)
{
    /* pbs_ifl.h lays out both structs alike, so that one walk serves both. */
    return convert(c, (const struct attropl *)(const void *)list, false, true, ret);
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

/* 'text' is in the public header and always NULL here (wire.md 15.1), but a program
 * that built a list itself may have put something there. */
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

struct attrl *ifl_attrl_new(const char *name, const char *resource, const char *value,
                            enum batch_op op)
{
    struct attrl *a = calloc(1, sizeof(*a));

    if (!a)
        return NULL;
    a->op = op;
    a->name = strdup(name);
    a->value = strdup(value);
    a->resource = resource ? strdup(resource) : NULL;
    if (a->name && a->value && (!resource || a->resource))
        return a;
    attrl_free(a); /* what could not be copied is NULL, which free() takes */
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
        const struct wire_attr *a = &from->attrs.v[i];

        *end = ifl_attrl_new(a->name, a->resource, a->value, (enum batch_op)a->op);
        ok = *end != NULL;
        /* The list ends with NULL after each step, so that it can be freed at any. */
        if (ok)
            end = &(*end)->next;
    }
    if (ok)
        return st;
    ifl_statfree(st);
    return NULL;
}

int ifl_status_list(const struct wire_objects *objects, struct batch_status ***end)
{
    for (size_t i = 0; i < objects->n; i++) {
        **end = status_new(&objects->v[i]);
        /* The entries so far are in the caller's list, and are freed with it. */
        if (!**end)
            return PBSE_SYSTEM;
        *end = &(**end)->next;
    }
    return 0;
}
