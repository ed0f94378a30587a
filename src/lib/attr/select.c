/* select.c - select: grammar, checks, schedselect, sums, subsets (attributes.md 7, 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/select.h"

#include "lib/attr/chunk.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct chunks {
    size_t n, cap;
    struct chunk *v;
};

static bool read_pairs(const char **p, struct arena *arena, struct chunk *chunk)
{
    struct pairs pairs = { 0 };

    for (;;) {
        if (!chunk_read_pair(p, ":+", arena, &pairs))
            return false;
        if (**p != ':')
            break;
        ++*p;
    }
    chunk->n = pairs.n;
    chunk->res = pairs.v;
    return true;
}

static bool read_chunk(const char **p, struct arena *arena, struct chunk *chunk)
{
    *p += strspn(*p, " \t");
    /* A chunk without a number is asked for once; 'counted' keeps the two apart. */
    *chunk = (struct chunk){ .count = 1 };
    if (isdigit((unsigned char)**p)) {
        chunk->counted = true;
        if (!chunk_read_count(p, &chunk->count))
            return false;
        /* A number alone is a chunk without resources: the defaults of the queue and of
         * the server fill it later. */
        if (**p != ':')
            return true;
        ++*p;
    }
    return read_pairs(p, arena, chunk);
}

static void add_chunk(struct chunks *list, struct arena *arena, struct chunk chunk)
{
    ARENA_ROOM(arena, list, v, 4);
    list->v[list->n++] = chunk;
}

static bool read_select(const char *p, struct arena *arena, struct select *ret)
{
    struct chunks chunks = { 0 };
    struct chunk chunk;

    for (;;) {
        if (!read_chunk(&p, arena, &chunk))
            return false;
        add_chunk(&chunks, arena, chunk);
        p += strspn(p, " \t");
        if (!*p)
            break;
        if (*p++ != '+')
            return false;
    }
    *ret = (struct select){ .n = chunks.n, .chunks = chunks.v };
    return true;
}

static int refuse(struct diag *why, int code, const char *resource)
{
    return diag_set(why, code, "%s: %s", pbse_text(code), resource);
}

/* A resource may stand in a chunk once only. */
static bool is_repeated(const struct chunk *chunk, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcasecmp(chunk->res[k].name, chunk->res[i].name) == 0)
            return true;
    return false;
}

static int check_value(const struct chunk_resource *res,
                       const struct resource_defs *defs)
{
    struct attr_value v = { 0 };
    int err = resource_decode(res->def, defs, &v, res->value);

    res->def->type->clear(&v);
    return err;
}

static int check_chunk(struct chunk *chunk, const struct resource_defs *defs,
                       struct diag *why)
{
    for (size_t i = 0; i < chunk->n; i++) {
        struct chunk_resource *res = &chunk->res[i];

        res->def = resource_find(defs, res->name);
        if (!res->def)
            return refuse(why, PBSE_UNKRESC, res->name);
        /* What counts for the whole job (no flag h) cannot be asked for by the chunk.
         */
        if (!(res->def->flags & RESOURCE_HOST))
            return refuse(why, PBSE_INVALSELECTRESC, res->name);
        if (is_repeated(chunk, i))
            return refuse(why, PBSE_DUPRESC, res->name);
        if (check_value(res, defs))
            return diag_code(why, PBSE_BADATVAL);
    }
    return 0;
}

/* True when all chunks say the same of the resource: an environment is provisioned on
 * all vnodes of a job or on none. */
static bool is_same_everywhere(const struct select *sel, const char *name)
{
    MUST(sel->n > 0); /* the others are held against the first one */

    const char *first = chunk_value_in(&sel->chunks[0], name);

    for (size_t i = 1; i < sel->n; i++)
        if (!str_same(first, chunk_value_in(&sel->chunks[i], name)))
            return false;
    return true;
}

static int64_t total_count(const struct select *sel)
{
    int64_t total = 0;

    for (size_t i = 0; i < sel->n; i++)
        total += sel->chunks[i].count;
    return total;
}

static int sum_chunks(const struct select *sel, struct resources *sum);

/* Refuse a select whose sums are beyond the range, so that select_sum() cannot fail
 * later. */
static int check_sums(const struct select *sel)
{
    struct resources sum = { 0 };
    int err = sum_chunks(sel, &sum);

    resources_clear(&sum);
    return err;
}

int select_parse(const char *text, const struct resource_defs *defs,
                 struct arena *arena, struct select *ret, struct diag *why)
{
    struct select sel;

    if (!read_select(text, arena, &sel))
        return diag_code(why, PBSE_BADATVAL);
    /* Without definitions only the grammar is checked, as for a text that is to be
     * kept. */
    if (defs) {
        for (size_t i = 0; i < sel.n; i++) {
            int err = check_chunk(&sel.chunks[i], defs, why);

            if (err)
                return err;
        }
        /* Each count may be 0, but not all of them: such a job would run nowhere. */
        if (total_count(&sel) == 0 || check_sums(&sel))
            return diag_code(why, PBSE_BADATVAL);
        if (!is_same_everywhere(&sel, "aoe") || !is_same_everywhere(&sel, "eoe"))
            return diag_code(why, PBSE_IVAL_AOECHUNK);
    }
    *ret = sel;
    return 0;
}

bool select_has_bare_chunk(const struct select *sel)
{
    for (size_t i = 0; i < sel->n; i++)
        if (sel->chunks[i].n == 0)
            return true;
    return false;
}

int select_check_writer(const struct select *sel, uint32_t who, struct diag *why)
{
    for (size_t i = 0; i < sel->n; i++) {
        const struct chunk *chunk = &sel->chunks[i];

        /* A resource that was not looked up has no writers to check against. */
        for (size_t k = 0; k < chunk->n; k++)
            if (chunk->res[k].def && !(chunk->res[k].def->write & who))
                return refuse(why, PBSE_INVALSELECTRESC, chunk->res[k].name);
    }
    return 0;
}

/* Multiply a value by the count of its chunk; PBSE_BADATVAL when it leaves the
 * range. */
static int multiply(const struct resource_def *def, struct attr_value *v, int64_t count)
{
    bool overflow = false;

    MUST(count >= 0);
    if (def->type == &attr_size)
        overflow = __builtin_mul_overflow(v->u.size.number, (uint64_t)count,
                                          &v->u.size.number);
    else if (def->type == &attr_float)
        overflow = !isfinite(v->u.real *= (double)count);
    else
        overflow = __builtin_mul_overflow(v->u.num, count, &v->u.num);
    return overflow ? PBSE_BADATVAL : 0;
}

/* Numbers stay at the end of their range when they are added (number_ops.h): what does
 * not add up is refused here, as it is within one chunk. */
static int add_value(const struct resource_def *def, struct attr_value *sum,
                     const struct attr_value *v)
{
    int64_t unused;

    if (def->type != &attr_size && def->type != &attr_float &&
        __builtin_add_overflow(sum->u.num, v->u.num, &unused))
        return PBSE_BADATVAL;
    return def->type->add(sum, v);
}

/* 'sum' plus 'count' times the value of one pair. */
static int add_times(struct resources *sum, const struct chunk_resource *res,
                     int64_t count)
{
    struct attr_value v = { 0 }, *member;
    int err = resource_decode(res->def, NULL, &v, res->value);

    if (!err)
        err = multiply(res->def, &v, count);
    if (err)
        return err;
    member = resources_member(sum, res->def);
    if (member->set)
        return add_value(res->def, member, &v);
    *member = v;
    return 0;
}

static int sum_chunks(const struct select *sel, struct resources *sum)
{
    int err = 0;

    for (size_t i = 0; i < sel->n; i++) {
        const struct chunk *chunk = &sel->chunks[i];

        for (size_t k = 0; !err && k < chunk->n; k++)
            if (chunk->res[k].def && chunk->res[k].def->flags & RESOURCE_CONSUMABLE)
                err = add_times(sum, &chunk->res[k], chunk->count);
    }
    return err;
}

void select_sum(const struct select *sel, const struct resource_defs *defs,
                struct resources *res)
{
    struct resources sum = { 0 };
    const struct resource_def *nodect = resource_find(defs, "nodect");
    struct attr_value *member;
    int err = sum_chunks(sel, &sum);

    /* select_parse() refused what does not add up. */
    MUST(!err);
    member = resources_member(&sum, nodect);
    *member = (struct attr_value){ .set = true, .u.num = total_count(sel) };
    for (size_t i = 0; i < sum.n; i++) {
        member = resources_member(res, sum.v[i].def);
        sum.v[i].def->type->clear(member);
        sum.v[i].def->type->copy(member, &sum.v[i].value);
    }
    resources_clear(&sum);
}
