/* value.c - what all types share: operators, encoding, members.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/value.h"

#include "lib/attr/resource.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* In no special order. Rows of attributes name their type by address; by name it is
 * asked for by what reads tables and by the tests, which go through all of them. */
const struct attr_type *const attr_types[] = {
    &attr_bool,
    &attr_long,
    &attr_int64,
    &attr_float,
    &attr_size,
    &attr_duration,
    &attr_time,
    &attr_string,
    &attr_char,
    &attr_strings,
    &attr_acl_user,
    &attr_acl_host,
    &attr_acl_group,
    &attr_resources,
    &attr_hold,
    &attr_entity_limit,
    &attr_jobname,
    &attr_seconds,
    &attr_variables,
    &attr_project,
    &attr_node_state,
    &attr_bool_words,
    &attr_entity_limit_resource,
    &attr_select,
    &attr_place,
    &attr_nodes,
};
const size_t attr_n_types = ARRAY_LEN(attr_types);

const struct attr_type *attr_type_find(const char *name)
{
    for (size_t i = 0; i < attr_n_types; i++)
        if (strcmp(attr_types[i]->name, name) == 0)
            return attr_types[i];
    return NULL;
}

void attr_set_zero(const struct attr_type *type, struct attr_value *v)
{
    *v = (struct attr_value){ .set = true };
    /* Sizes start in KiB, the smallest unit that sums have. */
    if (type == &attr_size)
        v->u.size.shift = 10;
}

/* Add 'other' to the value or take it away. What is added to nothing is copied. */
static int combine(const struct attr_type *type, struct attr_value *v,
                   const struct attr_value *other, enum wire_op op)
{
    /* Taking away from nothing leaves nothing; each type sees to that itself. */
    if (op == WIRE_OP_DECR)
        return type->subtract(v, other);
    if (v->set)
        return type->add(v, other);
    type->copy(v, other);
    return 0;
}

/* The same for a type with a grammar: the result must be a value of the grammar too. So
 * it is made on a copy, which takes the value's place when it can be read. */
static int combine_and_read(const struct attr_type *type, struct attr_value *v,
                            const struct resource_defs *defs, const char *resource,
                            const struct attr_value *other, enum wire_op op)
{
    struct attr_value next = { 0 }, again = { 0 };
    int err;

    MUST(type->wire_type == attr_string.wire_type); /* next.u.str is its text */
    /* Until the result has been read nothing of *v is touched, since the client may
     * be told that it was refused. */
    type->copy(&next, v);
    err = combine(type, &next, other, op);
    if (!err && next.set)
        err = type->decode(&again, defs, resource, next.u.str);
    if (!err) {
        type->clear(v);
        *v = next;
    } else {
        type->clear(&next);
    }
    type->clear(&again);
    return err;
}

int attr_value_set(const struct attr_type *type, struct attr_value *v,
                   const struct resource_defs *defs, const char *resource,
                   const char *text, enum wire_op op)
{
    struct attr_value other = { 0 };
    int err;

    /* Every other operator sets, and decoders leave *v alone when they refuse the text.
     */
    if (op != WIRE_OP_INCR && op != WIRE_OP_DECR)
        return type->decode(v, defs, resource, text);
    /* What is taken away may be less than a value: a limit can be named without its
     * number. */
    if (op == WIRE_OP_DECR && type->decode_less)
        err = type->decode_less(&other, defs, resource, text);
    else
        err = type->decode(&other, defs, resource, text);
    if (err)
        return err;
    err = type->has_grammar ? combine_and_read(type, v, defs, resource, &other, op)
                            : combine(type, v, &other, op);
    /* What was added has been copied. */
    type->clear(&other);
    return err;
}

static void unset_limits_of(struct attr_value *v, const char *resource)
{
    struct attr_value rest = { 0 }, less = { .set = true };

    /* The entries of the resource, borrowed, are what is taken away. */
    MUST(v->set);
    less.u.limits.v = xcalloc(v->u.limits.n, sizeof(*less.u.limits.v));
    for (size_t i = 0; i < v->u.limits.n; i++)
        if (strcasecmp(v->u.limits.v[i].resource, resource) == 0)
            less.u.limits.v[less.u.limits.n++] = v->u.limits.v[i];
    /* The result is made on a copy: 'less' must not lose its texts meanwhile. */
    attr_entity_limit_resource.copy(&rest, v);
    (void)attr_entity_limit_resource.subtract(&rest, &less);
    attr_entity_limit_resource.clear(v);
    *v = rest;
    /* Only the array is freed: its texts were those of *v. */
    free(less.u.limits.v);
}

void attr_value_unset(const struct attr_type *type, struct attr_value *v,
                      const char *resource)
{
    /* Of a type without members the name of one does not matter. */
    if (!resource || !attr_type_has_members(type)) {
        type->clear(v);
        return;
    }
    if (!v->set)
        return;
    if (type == &attr_entity_limit_resource) {
        unset_limits_of(v, resource);
        return;
    }
    resources_remove(&v->u.res, resource);
    /* An attribute that has lost its last member is not set, and is left out of
     * status replies. */
    if (v->u.res.n == 0)
        type->clear(v);
}

static const char *text_of(const struct attr_type *type, const struct attr_value *v,
                           struct arena *arena)
{
    struct buf out = { 0 };
    const char *text;

    /* Most values of a status are plain texts, which need no buffer. */
    if (type->print == attr_string.print)
        return arena_strdup(arena, v->u.str);
    type->print(v, &out);
    text = arena_strndup(arena, out.data ? out.data : "", out.len);
    buf_fini(&out);
    return text;
}

/* The name of the resource is not part of it: it stands beside the text on the wire. */
static const char *text_of_limit(const struct limit *limit, struct arena *arena)
{
    struct buf out = { 0 };
    const char *text;

    limit_print(limit, &out);
    text = arena_strndup(arena, out.data, out.len);
    buf_fini(&out);
    return text;
}

void attr_value_encode(const struct attr_type *type, const struct attr_value *v,
                       const char *name, struct wire_attrs *out, struct arena *arena)
{
    const char *text;

    if (!v->set)
        return;
    /* One entry on the wire for each member, as clients of PBS expect. */
    if (type == &attr_resources) {
        for (size_t i = 0; i < v->u.res.n; i++)
            wire_attrs_add(
                out, arena, name, v->u.res.v[i].def->name,
                text_of(v->u.res.v[i].def->type, &v->u.res.v[i].value, arena),
                WIRE_OP_SET);
        return;
    }
    if (type == &attr_entity_limit || type == &attr_entity_limit_resource) {
        for (size_t i = 0; i < v->u.limits.n; i++) {
            const struct limit *l = &v->u.limits.v[i];

            wire_attrs_add(out, arena, name,
                           l->resource ? arena_strdup(arena, l->resource) : NULL,
                           text_of_limit(l, arena), WIRE_OP_SET);
        }
        return;
    }
    /* A list without members counts as set, but a status reply shows no entry for it.
     */
    text = text_of(type, v, arena);
    if (*text)
        wire_attrs_add(out, arena, name, NULL, text, WIRE_OP_SET);
}

const char *attr_value_text(const struct attr_type *type, const struct attr_value *v,
                            struct arena *arena)
{
    return v->set ? text_of(type, v, arena) : NULL;
}

bool attr_type_has_members(const struct attr_type *type)
{
    return type == &attr_resources || type == &attr_entity_limit_resource;
}

static const char *limits_member(const struct attr_value *v, const char *resource,
                                 struct arena *arena)
{
    struct buf out = { 0 };
    const char *text;

    for (size_t i = 0; i < v->u.limits.n; i++) {
        if (strcasecmp(v->u.limits.v[i].resource, resource) != 0)
            continue;
        if (out.len > 0)
            buf_add_char(&out, ',');
        limit_print(&v->u.limits.v[i], &out);
    }
    /* Entries print as one text here, since the store has one row per member. */
    text = out.len > 0 ? arena_strndup(arena, out.data, out.len) : NULL;
    buf_fini(&out);
    return text;
}

const char *attr_value_member(const struct attr_type *type, const struct attr_value *v,
                              const char *resource, struct arena *arena)
{
    const struct resource_value *rv;

    if (!v->set)
        return NULL;
    if (type == &attr_entity_limit_resource)
        return limits_member(v, resource, arena);
    MUST(type == &attr_resources); /* the others have no members */
    rv = resources_find(&v->u.res, resource);
    return rv && rv->value.set ? text_of(rv->def->type, &rv->value, arena) : NULL;
}

static void add_member(struct attr_members *to, const char *name, const char *text,
                       struct arena *arena)
{
    MUST(name && text);
    to->v[to->n++] = (struct attr_member){ arena_strdup(arena, name), text };
}

static struct attr_members members_of_list(const struct resources *list,
                                           struct arena *arena)
{
    struct attr_members ret = { .v = ARENA_ARRAY(arena, struct attr_member, list->n) };

    for (size_t i = 0; i < list->n; i++) {
        const struct resource_value *rv = &list->v[i];

        if (rv->value.set)
            add_member(&ret, rv->def->name, text_of(rv->def->type, &rv->value, arena),
                       arena);
    }
    return ret;
}

/* By resource; those of one resource in the order in which they are printed, which is
 * that of the array. */
static int by_resource(const void *a, const void *b)
{
    const struct limit *x = *(const struct limit *const *)a;
    const struct limit *y = *(const struct limit *const *)b;
    int cmp = strcasecmp(x->resource, y->resource);

    return cmp ? cmp : (x > y) - (x < y);
}

/* The entries of one resource, which stand side by side after sorting. */
struct limit_group {
    const struct limit **v;
    size_t n;
};

static int by_first_entry(const void *a, const void *b)
{
    const struct limit_group *x = a, *y = b;

    return (x->v[0] > y->v[0]) - (x->v[0] < y->v[0]);
}

static const char *text_of_group(const struct limit_group *group, struct arena *arena)
{
    struct buf out = { 0 };
    const char *text;

    MUST(group->n > 0);
    for (size_t i = 0; i < group->n; i++) {
        if (i > 0)
            buf_add_char(&out, ',');
        limit_print(group->v[i], &out);
    }
    text = arena_strndup(arena, out.data, out.len);
    buf_fini(&out);
    return text;
}

/* Groups of entries, in the order of each group's first one. Any manager may set limits
 * of thousands of resources, and all requests wait while they are walked over: so the
 * entries are sorted, and none is compared with all others. */
static struct limit_group *group_limits(const struct limits *l, size_t *ret_n,
                                        struct arena *arena)
{
    const struct limit **sorted = ARENA_ARRAY(arena, const struct limit *, l->n);
    struct limit_group *groups = ARENA_ARRAY(arena, struct limit_group, l->n);
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        sorted[i] = &l->v[i];
    qsort(sorted, l->n, sizeof(struct limit *), by_resource);
    for (size_t i = 0; i < l->n; i++) {
        if (i == 0 || strcasecmp(sorted[i]->resource, sorted[i - 1]->resource) != 0)
            groups[n++].v = &sorted[i];
        groups[n - 1].n++;
    }
    qsort(groups, n, sizeof(*groups), by_first_entry);
    *ret_n = n;
    return groups;
}

static struct attr_members members_of_limits(const struct limits *l,
                                             struct arena *arena)
{
    struct attr_members ret = { 0 };
    size_t n;
    const struct limit_group *groups = group_limits(l, &n, arena);

    ret.v = ARENA_ARRAY(arena, struct attr_member, n);
    for (size_t i = 0; i < n; i++)
        add_member(&ret, groups[i].v[0]->resource, text_of_group(&groups[i], arena),
                   arena);
    return ret;
}

static int by_member_name(const void *a, const void *b)
{
    const struct attr_member *x = *(const struct attr_member *const *)a;
    const struct attr_member *y = *(const struct attr_member *const *)b;

    return strcasecmp(x->name, y->name);
}

struct attr_members attr_value_members(const struct attr_type *type,
                                       const struct attr_value *v, struct arena *arena)
{
    struct attr_members ret;

    MUST(attr_type_has_members(type));
    /* An unset value has no arrays, and its union may hold anything. */
    if (!v->set)
        return (struct attr_members){ 0 };
    ret = type == &attr_resources ? members_of_list(&v->u.res, arena)
                                  : members_of_limits(&v->u.limits, arena);
    ret.by_name = ARENA_ARRAY(arena, const struct attr_member *, ret.n);
    for (size_t i = 0; i < ret.n; i++)
        ret.by_name[i] = &ret.v[i];
    qsort(ret.by_name, ret.n, sizeof(struct attr_member *), by_member_name);
    return ret;
}

const char *attr_members_find(const struct attr_members *members, const char *name)
{
    const struct attr_member key = { .name = name }, *wanted = &key;
    const struct attr_member **found;

    if (members->n == 0)
        return NULL;
    found = bsearch(&wanted, members->by_name, members->n, sizeof(struct attr_member *),
                    by_member_name);
    return found ? (*found)->text : NULL;
}

bool attr_value_has_member(const struct attr_type *type, const struct attr_value *v,
                           const char *resource)
{
    const struct resource_value *rv;

    if (!v->set || !attr_type_has_members(type))
        return false;
    if (type == &attr_resources) {
        rv = resources_find(&v->u.res, resource);
        return rv && rv->value.set;
    }
    for (size_t i = 0; i < v->u.limits.n; i++)
        if (strcasecmp(v->u.limits.v[i].resource, resource) == 0)
            return true;
    return false;
}
