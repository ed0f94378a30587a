/* draft.c - attributes being set, before anybody is told.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/draft.h"

#include <stdlib.h>
#include <string.h>

void draft_init(struct draft *d, const struct attr_table *table, const struct model *m,
                const struct object *from, struct arena *arena)
{
    *d = (struct draft){
        .table = table,
        .defs = m->defs,
        .arena = arena,
        .value = xcalloc(table->n, sizeof(*d->value)),
        .touched = ARENA_ARRAY(arena, bool, table->n),
    };
    for (size_t i = 0; from && i < table->n; i++)
        if (obj_is_set(from, (int)i))
            table->rows[i].type->copy(&d->value[i], obj_attr(from, (int)i));
}

void draft_fini(struct draft *d)
{
    for (size_t i = 0; i < d->table->n; i++)
        d->table->rows[i].type->clear(&d->value[i]);
    free(d->value);
    d->value = NULL;
}

int attr_refuse(struct diag *why, int code, const char *name, const char *resource)
{
    const char *text = pbse_text(code);

    return diag_set(why, code, "%s %s%s%s", text ? text : "", name, resource ? "." : "",
                    resource ? resource : "");
}

/* A value of a resource that its reader may not set. */
static bool resource_is_forbidden(const struct draft *d, const char *resource,
                                  uint32_t rights)
{
    const struct resource_def *def = resource ? resource_find(d->defs, resource) : NULL;

    return def && !(def->write & rights);
}

int draft_take(struct draft *d, const struct wire_attr *a, uint32_t rights,
               struct diag *why)
{
    int i = attr_find(d->table, a->name);
    const struct attr_row *row;
    int err;

    if (i < 0)
        return attr_refuse(why, PBSE_NOATTR, a->name, a->resource);
    row = &d->table->rows[i];
    if (!(row->write & rights) || resource_is_forbidden(d, a->resource, rights)) {
        if (rights & WHO_DAEMON)
            return 0; /* a daemon tells more than is asked for */
        return attr_refuse(why, PBSE_ATTRRO, a->name, a->resource);
    }
    if (a->op == WIRE_OP_UNSET)
        attr_value_unset(row->type, &d->value[i], a->resource);
    else if ((err = attr_value_set(row->type, &d->value[i], d->defs, a->resource,
                                   a->value, a->op)))
        return attr_refuse(why, err, a->name, a->resource);
    d->touched[i] = true;
    return 0;
}

int draft_check(const struct draft *d, struct diag *why)
{
    for (size_t i = 0; i < d->table->n; i++) {
        const struct attr_row *row = &d->table->rows[i];
        int err = 0;

        if (d->touched[i] && d->value[i].set && row->check)
            err = row->check(&d->value[i], why);
        if (err)
            return err;
    }
    return 0;
}

void draft_set(struct draft *d, int attr, const char *resource, const char *text)
{
    int err = attr_value_set(d->table->rows[attr].type, &d->value[attr], d->defs,
                             resource, text, WIRE_OP_SET);

    assert(!err);
    (void)err;
    d->touched[attr] = true;
}

void draft_set_num(struct draft *d, int attr, int64_t value)
{
    struct buf b = { 0 };

    buf_printf(&b, "%" PRId64, value);
    draft_set(d, attr, NULL, b.data);
    buf_fini(&b);
}

void draft_unset(struct draft *d, int attr, const char *resource)
{
    attr_value_unset(d->table->rows[attr].type, &d->value[attr], resource);
    d->touched[attr] = true;
}

bool draft_is_set(const struct draft *d, int attr)
{
    return d->value[attr].set;
}

const char *draft_str(const struct draft *d, int attr, const char *unset)
{
    if (!d->value[attr].set)
        return unset;
    return attr_value_text(d->table->rows[attr].type, &d->value[attr], d->arena);
}

int64_t draft_num(const struct draft *d, int attr, int64_t unset)
{
    return d->value[attr].set ? d->value[attr].u.num : unset;
}

struct resources *draft_resources(struct draft *d, int attr)
{
    d->touched[attr] = true;
    d->value[attr].set = true;
    return &d->value[attr].u.res;
}

static void record_members(const struct draft *d, size_t i, struct record *rec)
{
    const struct attr_type *type = d->table->rows[i].type;
    const char *name;

    for (size_t k = 0; (name = attr_value_member_name(type, &d->value[i], k)); k++)
        record_change(rec, d->arena, (int)i, arena_strdup(d->arena, name),
                      attr_value_member(type, &d->value[i], name, d->arena));
}

void draft_record(const struct draft *d, struct record *rec)
{
    for (size_t i = 0; i < d->table->n; i++) {
        const struct attr_type *type = d->table->rows[i].type;

        if (!d->touched[i])
            continue;
        if (attr_type_has_members(type) && d->value[i].set)
            record_members(d, i, rec);
        else
            record_change(rec, d->arena, (int)i, NULL,
                          d->value[i].set
                                  ? attr_value_text(type, &d->value[i], d->arena)
                                  : NULL);
    }
}
