/* batch_sum.c - what a batch comes to.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/store/batch_sum.h"

#include <string.h>
#include <uthash.h>

struct value {
    const char *key; /* "attr\nresource" */
    const struct store_change *last;
    UT_hash_handle hh;
};

struct object {
    const char *key; /* "kind\nid" */
    const char *kind, *id;
    bool was;     /* the batch needs it to exist before */
    bool removed; /* the object that was there before is removed by the batch */
    bool is;      /* it exists after the batch */
    uint64_t seq; /* of the record that made it in this batch */
    struct value *values;
    UT_hash_handle hh;
};

static struct object *object_of(struct object **all, const struct store_record *r,
                                struct arena *arena)
{
    const char *key = arena_printf(arena, "%s\n%s", r->kind, r->id);
    struct object *o;

    HASH_FIND_STR(*all, key, o);
    if (o)
        return o;
    o = ARENA_NEW(arena, struct object);
    o->key = key;
    o->kind = r->kind;
    o->id = r->id;
    o->was = o->is = r->op != STORE_CREATE;
    HASH_ADD_KEYPTR(hh, *all, o->key, strlen(o->key), o);
    return o;
}

/* Remember the change as the last one of its attribute; changes before it do not
 * count. */
static void value_set(struct object *o, const struct store_change *c,
                      struct arena *arena)
{
    const char *key = arena_printf(arena, "%s\n%s", c->attr, c->resource);
    struct value *v;

    HASH_FIND_STR(o->values, key, v);
    if (!v) {
        v = ARENA_NEW(arena, struct value);
        v->key = key;
        HASH_ADD_KEYPTR(hh, o->values, v->key, strlen(v->key), v);
    }
    v->last = c;
}

/* False when the record does not fit what the batch has made of the object. */
static bool take(struct object *o, const struct store_record *r, struct arena *arena)
{
    if (o->is != (r->op != STORE_CREATE))
        return false;
    o->is = r->op != STORE_REMOVE;
    /* An object that is made, or made again, begins without values. */
    if (r->op != STORE_CHANGE) {
        o->removed = o->removed || (o->was && r->op == STORE_REMOVE);
        o->seq = r->seq;
        HASH_CLEAR(hh, o->values);
    }
    for (size_t i = 0; i < r->n && o->is; i++)
        value_set(o, &r->changes[i], arena);
    return true;
}

/* Put the object into the lists where it belongs. One that was removed and made
 * again is in two of them: the old one goes, a new one comes. */
static void tell_object(const struct object *o, struct arena *arena, struct net *net)
{
    struct net_object it = { .kind = o->kind, .id = o->id, .seq = o->seq };
    struct store_change *v;

    if (o->removed)
        net->gone[net->n_gone++] = it;
    else if (o->was)
        net->needed[net->n_needed++] = it;
    MUST(o->was || o->is || !o->removed);
    if (!o->is || (o->was && !o->removed))
        return;
    v = ARENA_ARRAY(arena, struct store_change, HASH_COUNT(o->values) + 1);
    for (struct value *value = o->values; value; value = value->hh.next)
        v[it.n++] = *value->last;
    it.values = v;
    net->made[net->n_made++] = it;
}

/* Put the values into the list, unless they go with an object that is made. */
static void tell_values(const struct object *o, struct net *net)
{
    if (!o->was || o->removed)
        return;
    for (struct value *v = o->values; v; v = v->hh.next)
        net->set[net->n_set++] =
            (struct net_value){ o->kind, o->id, v->last->attr, v->last->resource,
                                v->last->after };
}

static void tell(struct object *all, const struct store_batch *batch,
                 struct arena *arena, struct net *net)
{
    size_t n_values = 1, n_objects = batch->n_records + 1;

    for (size_t i = 0; i < batch->n_records; i++)
        n_values += batch->records[i].n;
    *net = (struct net){
        .needed = ARENA_ARRAY(arena, struct net_object, n_objects),
        .gone = ARENA_ARRAY(arena, struct net_object, n_objects),
        .made = ARENA_ARRAY(arena, struct net_object, n_objects),
        .set = ARENA_ARRAY(arena, struct net_value, n_values),
    };
    for (struct object *o = all; o; o = o->hh.next) {
        tell_object(o, arena, net);
        tell_values(o, net);
    }
    MUST(net->n_made < n_objects && net->n_set < n_values);
}

int net_of(const struct store_batch *batch, struct arena *arena, struct net *ret,
           struct diag *why)
{
    struct object *all = NULL;
    int err = 0;

    for (size_t i = 0; i < batch->n_records && !err; i++) {
        const struct store_record *r = &batch->records[i];

        if (!take(object_of(&all, r, arena), r, arena))
            err = diag_set(why, PBSE_INTERNAL,
                           "record %" PRIu64 " (%s of %s %s): "
                           "it contradicts the records before it",
                           r->seq, r->fact, r->kind, r->id);
    }
    if (!err)
        tell(all, batch, arena, ret);
    for (struct object *o = all; o; o = o->hh.next)
        HASH_CLEAR(hh, o->values);
    HASH_CLEAR(hh, all);
    return err;
}
