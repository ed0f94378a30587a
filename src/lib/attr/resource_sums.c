/* resource_sums.c - see resource_sums.h.
 *
 * Sums are kept in the type of the resource, so that they are shown in the unit in
 * which the amounts were written. When one leaves the range, or is a float that its
 * type cannot say exactly, its exact value is kept beside it until it can be said
 * again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/resource_sums.h"

#include "lib/attr/resource.h"

#include <stdlib.h>
#include <strings.h>

/* Wide enough for the sum of a million of the largest sizes, 2^64 * 2^50 words, which
 * are 2^107 KiB each. */
__extension__ typedef __int128 exact_number;

struct sum_beyond {
    const struct resource_def *def;
    exact_number amount; /* in KiB for sizes, in FLOAT_UNITS for floats */
};

/* Floats are counted in units so small that 0.01 is a whole number of them, as it is
 * stored, and up to an amount of which a million fit into the sum. */
#define FLOAT_UNITS 0x1p60
#define FLOAT_MOST  0x1p46

static bool is_float(const struct resource_def *def)
{
    return def->type == &attr_float;
}

static exact_number exact_units(double real)
{
    return (exact_number)(MIN_OF(MAX_OF(real, -FLOAT_MOST), FLOAT_MOST) * FLOAT_UNITS);
}

/* Sizes below one KiB count as the next (attributes.md 3). */
static exact_number exact_kib(const struct size_value *s)
{
    exact_number bytes = (exact_number)s->number << s->shift;

    return ((s->words ? bytes * 8 : bytes) + 1023) >> 10;
}

static exact_number exact_of(const struct resource_def *def, const struct attr_value *v)
{
    MUST(v->set);
    if (is_float(def))
        return exact_units(v->u.real);
    return def->type == &attr_size ? exact_kib(&v->u.size) : v->u.num;
}

/* A sum of floats may have more digits than its type, and may be larger than one amount
 * counts; then it is not taken for its value. */
static bool show_float(exact_number sum, struct attr_value *v)
{
    *v = (struct attr_value){ .set = true };
    v->u.real = (double)sum / FLOAT_UNITS;
    return exact_units(v->u.real) == sum;
}

/* The value nearest to the exact sum; true when it is that very sum. */
static bool show_number(const struct resource_def *def, exact_number sum,
                        struct attr_value *v)
{
    const bool is_size = def->type == &attr_size;
    const exact_number least = is_size ? 0 : INT64_MIN;
    const exact_number most = is_size ? (exact_number)UINT64_MAX : INT64_MAX;
    const exact_number shown = MIN_OF(MAX_OF(sum, least), most);

    *v = (struct attr_value){ .set = true };
    if (is_size)
        v->u.size = (struct size_value){ .number = (uint64_t)shown, .shift = 10 };
    else
        v->u.num = (int64_t)shown;
    return shown == sum;
}

static bool show_exact(const struct resource_def *def, exact_number sum,
                       struct attr_value *v)
{
    return is_float(def) ? show_float(sum, v) : show_number(def, sum, v);
}

static struct sum_beyond *find_beyond(const struct resource_sums *sums,
                                      const struct resource_def *def)
{
    for (size_t i = 0; i < sums->n_beyond; i++)
        if (sums->beyond[i].def == def)
            return &sums->beyond[i];
    return NULL;
}

static struct sum_beyond *make_beyond(struct resource_sums *sums,
                                      const struct resource_def *def,
                                      exact_number amount)
{
    MUST(!find_beyond(sums, def));
    sums->beyond = xrealloc(sums->beyond, (sums->n_beyond + 1) * sizeof(*sums->beyond));
    sums->beyond[sums->n_beyond] = (struct sum_beyond){ def, amount };
    return &sums->beyond[sums->n_beyond++];
}

static void drop_beyond(struct resource_sums *sums, struct sum_beyond *b)
{
    /* The last one takes its place, since they are in no order. */
    *b = sums->beyond[--sums->n_beyond];
    if (sums->n_beyond > 0)
        return;
    free(sums->beyond);
    sums->beyond = NULL;
}

/* The type's own sum; false leaves *sum unchanged: the result is not in the range. The
 * operators of plain numbers do not refuse it (number_ops.h), so it is asked before.
 * Sums of floats lose what is small beside what is large, so they never are. */
static bool sum_in_range(const struct resource_def *def, struct attr_value *sum,
                         const struct attr_value *amount, int sign)
{
    int64_t result;

    if (is_float(def))
        return false;
    if (def->type->add == attr_long.add &&
        (sign > 0 ? __builtin_add_overflow(sum->u.num, amount->u.num, &result)
                  : __builtin_sub_overflow(sum->u.num, amount->u.num, &result)))
        return false;
    return (sign > 0 ? def->type->add(sum, amount)
                     : def->type->subtract(sum, amount)) == 0;
}

static void count_member(struct resource_sums *sums, const struct resource_value *rv,
                         int sign)
{
    const struct resource_def *def = rv->def;
    struct attr_value *sum = resources_member(&sums->shown, def);
    struct sum_beyond *b = find_beyond(sums, def);

    if (!sum->set)
        attr_set_zero(def->type, sum);
    if (!b && sum_in_range(def, sum, &rv->value, sign))
        return;
    if (!b)
        b = make_beyond(sums, def, exact_of(def, sum));
    b->amount += sign * exact_of(def, &rv->value);
    /* Small sizes are rounded one by one, and together in another way: what is left of
     * them at the end may be below zero by that much. */
    if (def->type == &attr_size && b->amount < 0)
        b->amount = 0;
    if (show_exact(def, b->amount, sum))
        drop_beyond(sums, b);
}

void resource_sums_count(struct resource_sums *sums, const struct resources *what,
                         int sign)
{
    MUST(sign == 1 || sign == -1);
    MUST(what != &sums->shown); /* the array moves */
    for (size_t i = 0; i < what->n; i++)
        if (what->v[i].def->flags & RESOURCE_CONSUMABLE && what->v[i].value.set)
            count_member(sums, &what->v[i], sign);
}

void resource_sums_remove(struct resource_sums *sums, const char *name)
{
    for (size_t i = sums->n_beyond; i-- > 0;)
        if (strcasecmp(sums->beyond[i].def->name, name) == 0)
            drop_beyond(sums, &sums->beyond[i]);
    resources_remove(&sums->shown, name);
}

void resource_sums_clear(struct resource_sums *sums)
{
    resources_clear(&sums->shown);
    free(sums->beyond);
    *sums = (struct resource_sums){ 0 };
}
