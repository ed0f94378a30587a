/* names.c - see names.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/names.h"

#include <string.h>

void names_init(struct names *names, struct arena *arena, size_t max)
{
    *names = (struct names){ .max = max };
    names->v = ARENA_ARRAY(arena, struct names_entry, max + 1);
}

void names_fini(struct names *names)
{
    HASH_CLEAR(hh, names->table);
}

void names_add(struct names *names, const char *name, size_t index)
{
    struct names_entry *entry;

    MUST(names->n < names->max && !names->asked);
    if (!name)
        return;
    HASH_FIND_STR(names->table, name, entry);
    if (entry)
        return;
    entry = &names->v[names->n++];
    *entry = (struct names_entry){ .name = name, .index = index };
    HASH_ADD_KEYPTR(hh, names->table, entry->name, strlen(name), entry);
}

size_t names_find(struct names *names, const char *name)
{
    struct names_entry *entry;

    if (names->asked && strcmp(names->asked, name) == 0)
        return names->answer;
    HASH_FIND_STR(names->table, name, entry);
    names->asked = name;
    names->answer = entry ? entry->index : SIZE_MAX;
    return names->answer;
}
