/* names.c - see names.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/names.h"

#include <stdlib.h>
#include <string.h>

void names_init(struct names *names, struct arena *arena, size_t max)
{
    *names = (struct names){ .max = max };
    names->v = arena_alloc(arena, max * sizeof(*names->v) + 1);
}

static int compare_entries(const void *a, const void *b)
{
    const struct names_entry *x = a;
    const struct names_entry *y = b;
    int c = strcmp(x->name, y->name);

    return c ? c : x->index < y->index ? -1 : x->index > y->index;
}

void names_add(struct names *names, const char *name, size_t index)
{
    MUST(names->n < names->max && !names->sorted);
    if (name)
        names->v[names->n++] = (struct names_entry){ name, index };
}

void names_sort(struct names *names)
{
    if (names->n > 0)
        qsort(names->v, names->n, sizeof(*names->v), compare_entries);
    names->sorted = true;
}

size_t names_find(const struct names *names, const char *name)
{
    size_t low = 0, high = names->n;

    MUST(names->sorted);
    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (strcmp(names->v[mid].name, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < names->n && strcmp(names->v[low].name, name) == 0 ? names->v[low].index
                                                                   : SIZE_MAX;
}
