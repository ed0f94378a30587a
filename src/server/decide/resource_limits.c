/* resource_limits.c - see resource_limits.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resource_limits.h"

#include <string.h>
#include <strings.h>

/* select, place and nodes say how, not how much. */
static bool is_amount(const struct resource_def *def)
{
    return strcasecmp(def->name, "select") != 0 &&
           strcasecmp(def->name, "place") != 0 && strcasecmp(def->name, "nodes") != 0;
}

/* -1 below, 0 equal, 1 above. */
static int against_limit(const struct resource_value *limit,
                         const struct resource_value *asked)
{
    MUST(limit->def->type == asked->def->type);

    /* The asked amount is compared with the limit by the type's own order, since sizes
     * and times are not plain numbers. */
    int cmp = limit->def->type->compare(&asked->value, &limit->value);

    return (cmp > 0) - (cmp < 0);
}

static bool has_member(const struct strings *list, const char *member)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i], member) == 0)
            return true;
    return false;
}

static bool has_members(const struct strings *list, const struct strings *members)
{
    for (size_t i = 0; i < members->n; i++)
        if (!has_member(list, members->v[i]))
            return false;
    return true;
}

/* What is equal to its limit keeps it. A list has no more and no less: it keeps both
 * limits when it has all of their members. */
static bool breaks(const struct resource_value *limit, const struct resources *asked,
                   const char *name, enum limit_side side)
{
    const struct resource_value *w = resources_find(asked, name);

    if (w && limit->def->type == &attr_strings)
        return !has_members(&w->value.u.list, &limit->value.u.list);
    return w && against_limit(limit, w) == (int)side;
}

/* A job that may be shortened may get each walltime between its two. */
static bool breaks_lengths(const struct resource_value *limit,
                           const struct resources *asked, enum limit_side side)
{
    return strcasecmp(limit->def->name, "walltime") == 0 &&
           (breaks(limit, asked, "min_walltime", side) ||
            breaks(limit, asked, "max_walltime", side));
}

bool resource_limits_broken(const struct resources *limits,
                            const struct resources *skip, const struct resources *asked,
                            enum limit_side side)
{
    for (size_t i = 0; i < limits->n; i++) {
        const struct resource_value *limit = &limits->v[i];

        if (!is_amount(limit->def) || (skip && resources_find(skip, limit->def->name)))
            continue;
        if (breaks(limit, asked, limit->def->name, side) ||
            breaks_lengths(limit, asked, side))
            return true;
    }
    return false;
}
