/* value.h - attribute values: what a type accepts, prints, adds and subtracts.
 *
 * A type is a table of operations (attributes.md 3); nobody switches on an attribute's
 * name to know its type. A value owns its memory. A zeroed value is unset.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_VALUE_H
#define LIB_ATTR_VALUE_H

#include "lib/base/attrs.h"
#include "lib/base/buf.h"
#include "lib/base/diag.h"

struct resource_def;  /* resource.h */
struct resource_defs; /* resource.h */
struct attr_type;
struct list_kind; /* list_edit.h */

/* A size as it was written: number << shift, in bytes or 8-byte words. */
struct size_value {
    uint64_t number;
    uint8_t shift; /* 0, 10, 20, 30, 40, 50 */
    bool words;
};

struct strings {
    size_t n;
    char **v;
};

/* One member of a resource list. */
struct resource_value;

/* One entry of an entity limit: "[u:bob=3]" (attributes.md 5). */
struct limit {
    char kind;      /* u, g, p, o */
    char *name;     /* "bob", "PBS_GENERIC", "PBS_ALL" */
    char *resource; /* canonical spelling; NULL for limits of the number of jobs */
    char *value;    /* canonical text; NULL only in what '-=' takes away */
};

struct limits {
    size_t n;
    struct limit *v; /* ordered by kind, name, resource */
};

struct resources {
    size_t n;
    struct resource_value *v; /* sorted by name without regard to case */
};

struct attr_value {
    bool set;
    union {
        int64_t num; /* bool, char, long, 64-bit, duration (s), time (epoch) */
        double real; /* float */
        char *str;   /* string and all that keep the text */
        struct size_value size;
        struct strings list; /* array of strings, ACL */
        struct resources res;
        struct limits limits;
    } u;
};

struct resource_value {
    const struct resource_def *def;
    struct attr_value value;
};

/* What a type can do. 'resource' is non-NULL for resource lists only. On failure a
 * PBSE code is returned and *v is as before. */
struct attr_type {
    const char *name;  /* as in the tables: "long", "duration", ... */
    uint8_t wire_type; /* wire.md 8.2: 1 long ... 15 entity limit */
    /* The value is a list of texts ('u.list'), and how it is ordered; else NULL. */
    const struct list_kind *list;
    bool has_grammar; /* a text that += and -= can spoil: what they leave is decoded
                       * again before it becomes the value */
    int (*decode)(struct attr_value *v, const struct resource_defs *defs,
                  const char *resource, const char *text);
    /* The same for what '-=' takes away; NULL: 'decode' does it. */
    int (*decode_less)(struct attr_value *v, const struct resource_defs *defs,
                       const char *resource, const char *text);
    /* Append the canonical text of a set value that is no resource list. */
    void (*print)(const struct attr_value *v, struct buf *out);
    int (*add)(struct attr_value *v, const struct attr_value *more);      /* += */
    int (*subtract)(struct attr_value *v, const struct attr_value *less); /* -= */
    int (*compare)(const struct attr_value *a, const struct attr_value *b);
    void (*clear)(struct attr_value *v);
    void (*copy)(struct attr_value *to, const struct attr_value *from);
};

extern const struct attr_type attr_bool, attr_long, attr_int64, attr_float, attr_size,
    attr_duration, attr_time, attr_string, attr_char, attr_strings, attr_acl_user,
    attr_acl_host, attr_acl_group, attr_resources, attr_hold, attr_entity_limit,
    attr_jobname;

/* Variants: a duration printed as plain seconds (reserve_duration); strings with
 * backslashes before special characters (Variable_List); a project name; the state bits
 * of a vnode (node_state.h); booleans of hooks, in any case, printed in lower case; a
 * limit per entity and resource (max_run_res); and the text-like types of resources. */
extern const struct attr_type attr_seconds, attr_variables, attr_project,
    attr_node_state, attr_bool_words, attr_entity_limit_resource, attr_select,
    attr_place, attr_nodes;

/* The type of that name in the tables, NULL when there is none. */
const struct attr_type *attr_type_find(const char *name);
/* All of them, in the order that numbers in corpora count by. */
extern const struct attr_type *const attr_types[];
extern const size_t attr_n_types;

/* Decode 'text' and combine it with *v by 'op' (SET, INCR, DECR; others act as SET).
 * All or nothing. For a resource list 'resource' names the member; an unknown one is
 * PBSE_UNKRESC. */
int attr_value_set(const struct attr_type *type, struct attr_value *v,
                   const struct resource_defs *defs, const char *resource,
                   const char *text, enum wire_op op) MUST_CHECK;

/* Unset the whole value, or one member of a resource list. */
void attr_value_unset(const struct attr_type *type, struct attr_value *v,
                      const char *resource);

/* Append what a status reply shows: one entry, or one per member of a resource list.
 * Texts are taken from 'arena'. Nothing for an unset value. */
void attr_value_encode(const struct attr_type *type, const struct attr_value *v,
                       const char *name, struct wire_attrs *out, struct arena *arena);

/* True for types whose values have one text per resource: resource lists and limits per
 * entity and resource. */
bool attr_type_has_members(const struct attr_type *type);

/* The canonical text of one member, NULL when it is not there. What it gives can be set
 * again with attr_value_set(.., resource, text, WIRE_OP_SET). */
const char *attr_value_member(const struct attr_type *type, const struct attr_value *v,
                              const char *resource, struct arena *arena);

/* One member: the name of its resource and its canonical text. */
struct attr_member {
    const char *name;
    const char *text;
};

struct attr_members {
    size_t n;
    struct attr_member *v;              /* as they are first seen in printing */
    const struct attr_member **by_name; /* the same without regard to case */
};

/* All members of a value, none for an unset one. Names, texts and arrays belong to
 * 'arena', so they outlive the value. Time: of the order of n log n comparisons for n
 * members of a list, or n entries of limits. */
struct attr_members attr_value_members(const struct attr_type *type,
                                       const struct attr_value *v, struct arena *arena);

/* The text of the member with that name, without regard to case; NULL: there is none.
 */
const char *attr_members_find(const struct attr_members *members, const char *name);

/* True when the value has a member with that name, without regard to case. Never true
 * for a type without members. */
bool attr_value_has_member(const struct attr_type *type, const struct attr_value *v,
                           const char *resource);

/* The canonical text in the arena; NULL when unset. Not for types with members. */
const char *attr_value_text(const struct attr_type *type, const struct attr_value *v,
                            struct arena *arena);

/* Members of a resource list. Amounts: plain number of the resource's unit; sizes are
 * rounded up to KiB. NULL or 'missing' when the member is not there. */
const struct resource_value *resources_find(const struct resources *r,
                                            const char *name);
int64_t resources_amount(const struct resources *r, const char *name, int64_t missing);

/* Add every consumable member of 'what' to 'total', making members as needed. A sum
 * beyond the range of its type becomes the largest value, so nothing can be taken away
 * from it again: sums that follow what comes and goes are in resource_sums.h. */
void resources_add(struct resources *total, const struct resources *what);
/* The same for the members that have one of 'flags' (enum resource_flag): a vnode
 * counts RESOURCE_NODE | RESOURCE_FIRST, a queue and the server RESOURCE_QUEUE. */
void resources_add_flagged(struct resources *total, const struct resources *what,
                           uint32_t flags);
/* Zero of a type that counts; that of a size is "0kb". */
void attr_set_zero(const struct attr_type *type, struct attr_value *v);
void resources_clear(struct resources *r);
void resources_copy(struct resources *to, const struct resources *from);

/* The member of a resource, made unset when it is not there. The pointer is good until
 * the next change of the list. */
struct attr_value *resources_member(struct resources *r,
                                    const struct resource_def *def);
void resources_remove(struct resources *r, const char *name);

/* A size in KiB, rounded up. */
int64_t size_kib(const struct size_value *s);

/* The limit of that very entity, NULL when there is none. 'resource' in its canonical
 * spelling; NULL for limits of the number of jobs. */
const struct limit *limits_find(const struct attr_value *v, char kind, const char *name,
                                const char *resource);

/* Append "[u:bob=3]". */
void limit_print(const struct limit *limit, struct buf *out);

/* Grammars used elsewhere too; PBSE_BADATVAL when 'text' is not one. */
int duration_parse(const char *text, int64_t *ret_s) MUST_CHECK;
int size_parse(const char *text, struct size_value *ret) MUST_CHECK;
int bool_parse(const char *text, bool *ret) MUST_CHECK;
void duration_print(int64_t s, struct buf *out); /* HH:MM:SS */

#endif
