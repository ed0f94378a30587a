/* resource.h - resource definitions: built-in ones and those of the site.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_RESOURCE_H
#define LIB_ATTR_RESOURCE_H

#include "lib/attr/value.h"

enum resource_flag {
    RESOURCE_HOST = 1 << 0,       /* h: chunk-level */
    RESOURCE_CONSUMABLE = 1 << 1, /* n, f or q: summed from the select */
    RESOURCE_FIRST = 1 << 2,      /* f: on the first vnode only */
    RESOURCE_QUEUE = 1 << 3,      /* q: counted at server and queue */
    RESOURCE_INVISIBLE = 1 << 4,  /* i */
    RESOURCE_READONLY = 1 << 5,   /* r */
    RESOURCE_MOM = 1 << 6,        /* m: sent to the MoM */
    RESOURCE_BUILTIN = 1 << 7,
    RESOURCE_ALTER_RUNNING = 1 << 8, /* may be altered while the job runs */
    RESOURCE_NODE = 1 << 9,          /* n: counted on every vnode */
    RESOURCE_NOT_NEGATIVE = 1 << 10,
};

struct resource_def {
    char *name;
    const struct attr_type *type;
    uint32_t flags;       /* enum resource_flag */
    uint32_t wire_flags;  /* the number StatusRsc shows with extension "p" */
    uint16_t read, write; /* enum attr_who bits (row.h) */
};

/* All definitions, found by name without regard to case, iterated in the order of
 * StatusRsc. Definitions stay where they are until resource_defs_free(). */
struct resource_defs;

struct resource_defs *resource_defs_new(void);    /* holds the built-in ones */
void resource_defs_free(struct resource_defs *d); /* NULL is fine */
/* A letter, then letters, digits, '_' and '-': what a resource may be called. */
bool resource_name_is_valid(const char *name);

/* NULL for an unknown name. */
const struct resource_def *resource_find(const struct resource_defs *d,
                                         const char *name);
/* All of them by their places, 0 to the count less one. */
size_t resource_count(const struct resource_defs *d);
const struct resource_def *resource_at(const struct resource_defs *d, size_t i);

/* Add or remove one of the site's; codes and texts of attributes.md 6. */
int resource_define(struct resource_defs *d, const char *name, const char *type,
                    const char *flags, struct diag *why) MUST_CHECK;
/* Change type and flags of one of the site's; either may be NULL: unchanged. */
int resource_redefine(struct resource_defs *d, const char *name, const char *type,
                      const char *flags, struct diag *why) MUST_CHECK;
int resource_undefine(struct resource_defs *d, const char *name,
                      struct diag *why) MUST_CHECK;
/* Would that change of a definition change its type, or what counts it? */
bool resource_is_recounted(const struct resource_defs *d, const char *name,
                           const char *type, const char *flags);

/* Decode a value of the resource: its type's grammar and, where it counts things, not
 * below zero. 0 or PBSE_BADATVAL; *v is as before then. */
int resource_decode(const struct resource_def *def, const struct resource_defs *defs,
                    struct attr_value *v, const char *text) MUST_CHECK;

/* The name of the type that travels as that number (wire.md 8.2), NULL when a site's
 * resource cannot have it, and the letters of the flags that travel as those bits. */
const char *resource_type_of_number(int32_t wire_type);
void resource_flags_of_number(uint32_t wire_flags, struct buf *out);

/* The text forms of type and flag ("long", "hn"). */
const char *resource_type_name(const struct resource_def *def);
void resource_flags_print(const struct resource_def *def, struct buf *out);

#endif
