/* type_resources.c - resource lists: members ordered by name, each of its own type.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resource.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The place of 'name' among the members, or the place where it belongs. */
static size_t place_of(const struct resources *r, const char *name, bool *found)
{
    /* Members are ordered without regard to case, as names of resources are compared,
     * so halving finds "Mem" where "mem" stands. */
    size_t lo = 0, hi = r->n;

    *found = false;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int cmp = strcasecmp(name, r->v[mid].def->name);

        if (cmp == 0) {
            *found = true;
            return mid;
        }
        if (cmp < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

const struct resource_value *resources_find(const struct resources *r, const char *name)
{
    bool found;
    size_t at = place_of(r, name, &found);

    return found ? &r->v[at] : NULL;
}

struct attr_value *resources_member(struct resources *r, const struct resource_def *def)
{
    bool found;
    size_t at = place_of(r, def->name, &found);

    MUST(def && def->type);
    if (found)
        return &r->v[at].value;
    /* Grown when n + 1 is a power of two, so that the capacity needs no field. */
    if ((r->n & (r->n + 1)) == 0)
        r->v = xrealloc(r->v, 2 * (r->n + 1) * sizeof(*r->v));
    memmove(&r->v[at + 1], &r->v[at], (r->n - at) * sizeof(*r->v));
    MUST(at == 0 || strcasecmp(r->v[at - 1].def->name, def->name) < 0); /* is sorted */
    r->v[at] = (struct resource_value){ .def = def };
    r->n++;
    return &r->v[at].value;
}

void resources_remove(struct resources *r, const char *name)
{
    bool found;
    size_t at = place_of(r, name, &found);

    if (!found)
        return;
    r->v[at].def->type->clear(&r->v[at].value);
    r->n--;
    memmove(&r->v[at], &r->v[at + 1], (r->n - at) * sizeof(*r->v));
    if (r->n == 0) /* the value is unset then, and nobody would free it */
        resources_clear(r);
}

void resources_clear(struct resources *r)
{
    for (size_t i = 0; i < r->n; i++)
        r->v[i].def->type->clear(&r->v[i].value);
    free(r->v);
    *r = (struct resources){ 0 };
}

void resources_copy(struct resources *to, const struct resources *from)
{
    MUST(to != from); /* what 'to' had before is not freed */
    *to = (struct resources){ 0 };
    for (size_t i = 0; i < from->n; i++) {
        struct attr_value *v = resources_member(to, from->v[i].def);

        from->v[i].def->type->copy(v, &from->v[i].value);
    }
}

/* The number without its fraction; a number beyond the range becomes the largest one.
 */
static int64_t whole(double real)
{
    if (!(real > -0x1p63))
        return INT64_MIN;
    return real < 0x1p63 ? (int64_t)real : INT64_MAX;
}

int64_t resources_amount(const struct resources *r, const char *name, int64_t missing)
{
    const struct resource_value *rv = resources_find(r, name);

    if (!rv || !rv->value.set)
        return missing;
    /* The numbers of the wire stand for groups of types: 5 is a size, 14 a float, 1 a
     * long, a duration or a time, 9 a 64-bit integer and 11 a boolean. Texts and lists
     * have no amount. */
    switch (rv->def->type->wire_type) {
    case 5:
        return size_kib(&rv->value.u.size);
    case 14:
        return whole(rv->value.u.real);
    case 1:
    case 9:
    case 11:
        return rv->value.u.num;
    default:
        return missing;
    }
}

/* What is too large for the type: the largest that it shows. */
static void set_largest(const struct resource_def *def, struct attr_value *v)
{
    *v = (struct attr_value){ .set = true };
    if (def->type == &attr_size)
        v->u.size = (struct size_value){ .number = UINT64_MAX, .shift = 10 };
    else if (def->type == &attr_float)
        v->u.real = DBL_MAX;
    else
        v->u.num = INT64_MAX;
}

void resources_add_flagged(struct resources *total, const struct resources *what,
                           uint32_t flags)
{
    MUST(total != what); /* the array moves */
    for (size_t i = 0; i < what->n; i++) {
        const struct resource_def *def = what->v[i].def;
        struct attr_value *sum;

        if (!(def->flags & flags) || !what->v[i].value.set)
            continue;
        sum = resources_member(total, def);
        if (!sum->set)
            attr_set_zero(def->type, sum);
        if (def->type->add(sum, &what->v[i].value) != 0)
            set_largest(def, sum);
    }
}

void resources_add(struct resources *total, const struct resources *what)
{
    resources_add_flagged(total, what, RESOURCE_CONSUMABLE);
}

static int decode_resources(struct attr_value *v, const struct resource_defs *defs,
                            const char *resource, const char *text)
{
    const struct resource_def *def = resource ? resource_find(defs, resource) : NULL;
    struct attr_value fresh = { 0 }, *member;
    int err;

    if (!def)
        return PBSE_UNKRESC;
    /* The text is read into a fresh value, so that a refused one leaves the member as
     * it was. */
    err = resource_decode(def, defs, &fresh, text);
    if (err)
        return err;
    if (!v->set)
        *v = (struct attr_value){ .set = true };
    if (!fresh.set) { /* an empty text */
        resources_remove(&v->u.res, def->name);
        v->set = v->u.res.n > 0;
        return 0;
    }
    /* The memory of the fresh value goes over to the list. */
    member = resources_member(&v->u.res, def);
    def->type->clear(member);
    *member = fresh;
    return 0;
}

static int decode_less_resources(struct attr_value *v, const struct resource_defs *defs,
                                 const char *resource, const char *text)
{
    const struct resource_def *def = resource ? resource_find(defs, resource) : NULL;
    struct attr_value fresh = { 0 };
    int err;

    if (!def)
        return PBSE_UNKRESC;
    /* A type that reads both in the same way has no reader of its own for -=. */
    if (!def->type->decode_less)
        return decode_resources(v, defs, resource, text);
    err = def->type->decode_less(&fresh, defs, NULL, text);
    if (err)
        return err;
    *v = (struct attr_value){ .set = true };
    *resources_member(&v->u.res, def) = fresh;
    return 0;
}

static void print_resources(const struct attr_value *v, struct buf *out)
{
    for (size_t i = 0; i < v->u.res.n; i++) {
        buf_printf(out, "%s%s=", i ? "," : "", v->u.res.v[i].def->name);
        v->u.res.v[i].def->type->print(&v->u.res.v[i].value, out);
    }
}

static void clear_resources(struct attr_value *v)
{
    if (v->set)
        resources_clear(&v->u.res);
    *v = (struct attr_value){ 0 };
}

static void copy_resources(struct attr_value *to, const struct attr_value *from)
{
    *to = (struct attr_value){ .set = from->set };
    if (from->set)
        resources_copy(&to->u.res, &from->u.res);
}

/* Combine *v with 'other', member by member. When one of them is refused, *v is as it
 * was. */
static int combine(struct attr_value *v, const struct attr_value *other, bool add)
{
    struct attr_value sum;
    int err = 0;

    copy_resources(&sum, v);
    sum.set = true;
    for (size_t i = 0; !err && i < other->u.res.n; i++) {
        const struct resource_value *rv = &other->u.res.v[i];
        struct attr_value *member = resources_member(&sum.u.res, rv->def);

        /* A member that *v did not have is taken over as it is. */
        if (add && !member->set)
            rv->def->type->copy(member, &rv->value);
        else if (add)
            err = rv->def->type->add(member, &rv->value);
        else
            err = rv->def->type->subtract(member, &rv->value);
        /* Each side alone was not negative, but their difference may be. */
        if (!err && rv->def->flags & RESOURCE_NOT_NEGATIVE && member->u.num < 0)
            err = PBSE_BADATVAL;
        if (!err && !member->set)
            resources_remove(&sum.u.res, rv->def->name);
    }
    if (err) {
        clear_resources(&sum);
        return err;
    }
    clear_resources(v);
    /* A list without members is unset, and clearing an unset value frees nothing; so
     * its memory is freed here. */
    sum.set = sum.u.res.n > 0;
    if (!sum.set)
        resources_clear(&sum.u.res);
    *v = sum;
    return 0;
}

static int add_resources(struct attr_value *v, const struct attr_value *more)
{
    return combine(v, more, true);
}

static int subtract_resources(struct attr_value *v, const struct attr_value *less)
{
    return combine(v, less, false);
}

static int compare_resources(const struct attr_value *a, const struct attr_value *b)
{
    const struct resources *x = &a->u.res, *y = &b->u.res;

    for (size_t i = 0; i < x->n && i < y->n; i++) {
        /* Both lists are ordered by name: the first difference decides. */
        int cmp = strcasecmp(x->v[i].def->name, y->v[i].def->name);

        if (!cmp)
            cmp = x->v[i].def->type->compare(&x->v[i].value, &y->v[i].value);
        if (cmp)
            return cmp;
    }
    return (x->n > y->n) - (x->n < y->n);
}

const struct attr_type attr_resources = {
    .name = "resource list",
    .wire_type = 6,
    .decode = decode_resources,
    .decode_less = decode_less_resources,
    .print = print_resources,
    .add = add_resources,
    .subtract = subtract_resources,
    .compare = compare_resources,
    .clear = clear_resources,
    .copy = copy_resources,
};
