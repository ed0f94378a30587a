/* placement_set.c - see placement_set.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/placement_set.h"

#include "scheduler/plan/fit.h"

#include <stdlib.h>
#include <string.h>

/* A set by its name, while they are made. */
struct named_set {
    const char *name;
    size_t index;
    UT_hash_handle hh;
};

struct maker {
    struct world *w;
    struct placement_sets *sets;
    struct named_set *names; /* uthash */
};

const char *placement_set_keys(const struct snapshot *s, const struct request *rq,
                               const struct snap_queue *queue)
{
    if (rq->place.group)
        return rq->place.group;
    if (!s->group_enable)
        return NULL;
    return queue && queue->group_key ? queue->group_key : s->group_key;
}

static size_t add_set(struct maker *mk, const char *name)
{
    struct placement_sets *sets = mk->sets;
    struct named_set *entry = arena_zero(mk->w->arena, sizeof(*entry));

    ARENA_ROOM(mk->w->arena, sets, v, 8);
    sets->v[sets->n] = (struct placement_set){ .name = name };
    *entry = (struct named_set){ .name = name, .index = sets->n };
    HASH_ADD_KEYPTR(hh, mk->names, name, strlen(name), entry);
    return sets->n++;
}

static void join_set(struct maker *mk, size_t vnode, const char *name)
{
    struct named_set *known;
    struct placement_set *set;
    size_t index;

    HASH_FIND_STR(mk->names, name, known);
    index = known ? known->index : add_set(mk, name);
    set = &mk->sets->v[index];
    if (set->n > 0 && set->vnodes[set->n - 1] == vnode)
        return; /* its list has the value twice */
    ARENA_ROOM(mk->w->arena, set, vnodes, 8);
    set->vnodes[set->n++] = vnode;
}

/* The vnode joins a set for each of its values of one resource. */
static void join_sets_of(struct maker *mk, size_t vnode, const char *key, size_t len)
{
    struct world *w = mk->w;
    const char *name = arena_strndup(w->arena, key, len);
    size_t res = snap_res_find(w->s, name);
    const char *text = res == SIZE_MAX ? NULL : fit_offered_text(w, vnode, res);

    if (!text || !*text) {
        if (!w->s->only_explicit_psets)
            join_set(mk, vnode, arena_printf(w->arena, "%s=\"\"", name));
        return;
    }
    while (*text) {
        size_t value_len;

        text += strspn(text, ", ");
        value_len = strcspn(text, ",");
        if (value_len > 0)
            join_set(mk, vnode,
                     arena_printf(w->arena, "%s=%.*s", name, (int)value_len, text));
        text += value_len;
    }
}

static void join_sets(struct maker *mk, size_t vnode)
{
    const char *key = mk->sets->keys;

    while (*key) {
        size_t len;

        key += strspn(key, ", ");
        len = strcspn(key, ", ");
        if (len > 0)
            join_sets_of(mk, vnode, key, len);
        key += len;
    }
}

static void add_sizes(const struct world *w, struct placement_set *set, size_t first,
                      const int64_t *amounts)
{
    static const char *const counted[] = { "ncpus", "mem" };

    for (size_t i = 0; i < ARRAY_LEN(counted); i++) {
        size_t res = snap_res_find(w->s, counted[i]);

        set->size[first + i] = 0;
        for (size_t k = 0; res != SIZE_MAX && k < set->n; k++)
            set->size[first + i] += amounts[world_slot(w, set->vnodes[k], res)];
    }
}

static int compare_sets(const void *a, const void *b, void *arg)
{
    const struct placement_sets *sets = arg;
    size_t i = *(const size_t *)a;
    size_t k = *(const size_t *)b;

    for (size_t at = 0; at < ARRAY_LEN(sets->v->size); at++)
        if (sets->v[i].size[at] != sets->v[k].size[at])
            return sets->v[i].size[at] < sets->v[k].size[at] ? -1 : 1;
    return i < k ? -1 : i > k;
}

void placement_sets_order(const struct world *w, struct placement_sets *sets,
                          const int64_t *free)
{
    for (size_t i = 0; i < sets->n; i++)
        add_sizes(w, &sets->v[i], 2, free);
    if (sets->n > 0)
        qsort_r(sets->order, sets->n, sizeof(*sets->order), compare_sets, sets);
}

static struct placement_sets *make_sets(struct world *w, const char *keys,
                                        const char *queue)
{
    struct placement_sets *sets = arena_zero(w->arena, sizeof(*sets));
    struct maker mk = { .w = w, .sets = sets };

    sets->keys = keys;
    sets->queue = queue;
    for (size_t i = 0; i < w->n; i++) {
        const struct snap_vnode *v = &w->s->vnodes[w->order[i]];

        if (!v->stale && str_same(v->queue, queue))
            join_sets(&mk, w->order[i]);
    }
    HASH_CLEAR(hh, mk.names);
    sets->order = arena_alloc(w->arena, sets->n * sizeof(*sets->order) + 1);
    for (size_t i = 0; i < sets->n; i++) {
        sets->order[i] = i;
        add_sizes(w, &sets->v[i], 0, w->total);
    }
    return sets;
}

struct placement_sets *placement_sets_find(struct world *w, const char *keys,
                                           const char *queue)
{
    struct placement_sets *sets = w->sets;

    MUST(keys && *keys);
    while (sets && !(strcmp(sets->keys, keys) == 0 && str_same(sets->queue, queue)))
        sets = sets->next;
    if (sets)
        return sets;
    sets = make_sets(w, keys, queue);
    sets->next = w->sets;
    w->sets = sets;
    return sets;
}
