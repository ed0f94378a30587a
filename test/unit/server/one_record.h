/* one_record.h - a record in a few words, for tests of the model alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_UNIT_SERVER_ONE_RECORD_H
#define TEST_UNIT_SERVER_ONE_RECORD_H

#include "server/model/model.h"

#include <stdarg.h>
#include <string.h>

/* Its changes are "name", "value" pairs (a member as "name.member"; "" unsets), ended
 * by NULL. Everything is in the arena; the caller gives it its number. */
static inline struct record *one_record(struct arena *arena, enum fact fact,
                                        enum obj_kind kind, const char *id,
                                        va_list changes)
{
    struct records list = { 0 };
    struct record *rec = record_add(&list, arena, fact, kind, id, "root@svr", 1);
    const char *name;

    while ((name = va_arg(changes, const char *))) {
        const char *value = va_arg(changes, const char *);
        char *attr = arena_strdup(arena, name);
        char *member = strchr(attr, '.');

        if (member)
            *member++ = '\0';
        record_change(rec, arena, attr_find_any(kind_table(kind), attr), member,
                      *value ? value : NULL);
    }
    return rec;
}

#endif
