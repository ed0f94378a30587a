/* dry_resv.c - see dry_resv.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/dry_resv.h"

#include "server/model/occurrence.h"

#include <string.h>

struct making {
    const struct model *m;
    const struct records *const *lists;
    size_t n_lists;
    struct arena *arena;
};

static void change(struct edit *e, const struct change *c)
{
    int err = 0;

    if (c->after)
        err = edit_set(e, c->attr, c->resource, c->after, WIRE_OP_SET, NULL);
    else
        edit_unset(e, c->attr, c->resource);
    MUST(!err); /* a record has texts that the model could take */
}

static void change_all(const struct making *mk, enum obj_kind kind, const char *id,
                       struct edit *e)
{
    for (size_t i = 0; i < mk->n_lists; i++)
        for (size_t k = 0; k < mk->lists[i]->n; k++) {
            const struct record *rec = mk->lists[i]->v[k];

            if (rec->kind != kind || strcmp(rec->id, id) != 0)
                continue;
            for (size_t c = 0; c < rec->n_changes; c++)
                change(e, &rec->changes[c]);
        }
}

/* The attributes that the edit has are the object's, as long as the edit lives. */
static struct object object_of(const struct making *mk, enum obj_kind kind,
                               const char *id, struct edit *e)
{
    size_t n = kind_table(kind)->n;
    struct object o = { .kind = kind, .id = arena_strdup(mk->arena, id) };

    change_all(mk, kind, id, e);
    o.attrs = obj_attrs_blank(n, mk->arena);
    for (size_t i = 0; i < n; i++)
        if (edit_value(e, (int)i)->set)
            obj_attrs_view_put(&o.attrs, i, *edit_value(e, (int)i), mk->arena);
    return o;
}

static void make_queue(const struct making *mk, struct dry_resv *d)
{
    const char *name = obj_str(&d->r.obj, RESV_A_QUEUE, "");

    edit_init(&d->queue_edit, mk->m, OBJ_QUEUE, NULL);
    d->queue.obj = object_of(mk, OBJ_QUEUE, name, &d->queue_edit);
    d->queue.resv = &d->r;
    d->r.queue = &d->queue;
}

void dry_resv_init(struct dry_resv *d, const struct model *m, const char *id,
                   const struct resv *was, const struct records *const *lists,
                   size_t n_lists, struct arena *arena)
{
    const struct making mk = {
        .m = m, .lists = lists, .n_lists = n_lists, .arena = arena
    };

    memset(d, 0, sizeof(*d));
    if (was)
        d->r = *was;
    edit_init(&d->edit, m, OBJ_RESV, was ? &was->obj : NULL);
    d->r.obj = object_of(&mk, OBJ_RESV, id, &d->edit);
    d->r.obj.created_seq = was ? was->obj.created_seq : UINT64_MAX;
    d->r.stands_for = was;
    d->r.current.resv = &d->r;
    d->r.current.values = &d->r.obj;
    if (!was)
        make_queue(&mk, d);
}

void dry_later_init(struct dry_later *d, const struct model *m,
                    const struct occurrence *was, const struct records *const *lists,
                    size_t n_lists, struct arena *arena)
{
    const struct making mk = {
        .m = m, .lists = lists, .n_lists = n_lists, .arena = arena
    };

    MUST(!occurrence_is_current(was));
    *d = (struct dry_later){ .oc = *was };
    edit_init(&d->edit, m, OBJ_OCCURRENCE, was->values);
    d->obj = object_of(&mk, OBJ_OCCURRENCE, was->values->id, &d->edit);
    d->oc.values = &d->obj;
}

void dry_later_fini(struct dry_later *d)
{
    edit_fini(&d->edit);
}

void dry_resv_fini(struct dry_resv *d)
{
    if (!d->r.stands_for)
        edit_fini(&d->queue_edit);
    edit_fini(&d->edit);
}
