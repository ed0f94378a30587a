/* object_rows.c - see object_rows.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/object_rows.h"

#include "lib/store/made_text.h"

#include <stdlib.h>
#include <string.h>

struct object_rows {
    store_each_fn each;
    void *arg;
    struct diag *why;
    struct arena *arena; /* of the object in the making */
    struct store_record record;
    bool open; /* there is one */
    struct value_list made, later, all;
};

struct object_rows *object_rows_new(store_each_fn each, void *arg, struct diag *why)
{
    struct object_rows *r = xcalloc(1, sizeof(*r));

    r->each = each;
    r->arg = arg;
    r->why = why;
    r->arena = arena_new();
    return r;
}

void object_rows_free(struct object_rows *r)
{
    if (!r)
        return;
    value_list_fini(&r->made);
    value_list_fini(&r->later);
    value_list_fini(&r->all);
    arena_free(r->arena);
    free(r);
}

bool object_rows_is_at(const struct object_rows *r, uint64_t seq)
{
    return r->open && r->record.seq == seq;
}

/* Both lists as one, in the order of their names, those of one name together and the
 * later one last. */
static void merge(struct object_rows *r)
{
    size_t i = 0, k = 0;

    r->all.n = 0;
    while (i < r->made.n || k < r->later.n)
        if (k == r->later.n ||
            (i < r->made.n && value_order(&r->made.v[i], &r->later.v[k]) <= 0))
            value_list_add(&r->all, &r->made.v[i++]);
        else
            value_list_add(&r->all, &r->later.v[k++]);
}

/* A list that somebody has edited may have another order. What is in order costs one
 * look at each. */
static void sort(struct value_list *list)
{
    for (size_t i = 1; i < list->n; i++) {
        struct store_change c = list->v[i];
        size_t at = i;

        for (; at > 0 && value_order(&list->v[at - 1], &c) > 0; at--)
            list->v[at] = list->v[at - 1];
        list->v[at] = c;
    }
}

/* Of each name the last one stays, and nothing when that is NULL. */
static void keep_last(struct value_list *list)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        const struct store_change *c = &list->v[i];

        if (c->after && (i + 1 == list->n || value_order(c, c + 1) != 0))
            list->v[n++] = *c;
    }
    list->n = n;
}

static int hand_over(struct object_rows *r)
{
    if (!r->open)
        return 0;
    r->open = false;
    merge(r);
    sort(&r->all);
    keep_last(&r->all);
    r->record.n = r->all.n;
    r->record.changes = r->all.v;
    return r->each(r->arg, &r->record);
}

int object_rows_begin(struct object_rows *r, uint64_t seq, const char *kind,
                      const char *id, const char *made)
{
    int err = hand_over(r);

    if (err)
        return err;
    arena_clear(r->arena);
    r->later.n = 0;
    r->record = (struct store_record){
        .seq = seq,
        .actor = "",
        .fact = "loaded",
        .op = STORE_CREATE,
        .kind = arena_strdup(r->arena, kind),
        .id = arena_strdup(r->arena, id),
    };
    if (!made_from_text(made, r->arena, &r->made))
        return diag_set(r->why, PBSE_SYSTEM,
                        "the store's %.20s %.80s has values that cannot be read "
                        "(objects.made): it was edited or is damaged, restore a backup",
                        kind, id);
    r->open = true;
    return 0;
}

void object_rows_change(struct object_rows *r, const char *attr, const char *resource,
                        const char *value)
{
    const struct store_change c = {
        .attr = arena_strdup(r->arena, attr),
        .resource = arena_strdup(r->arena, resource),
        .after = arena_strdup(r->arena, value),
    };

    MUST(r->open);
    value_list_add(&r->later, &c);
}

int object_rows_end(struct object_rows *r)
{
    return hand_over(r);
}
