/* watch.c - see watch.h. The heap is ordered by deadline, kind, creation: a full key,
 * so that equal inputs give equal outputs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/watch.h"

#include <stdlib.h>
#include <utlist.h>

static struct watch *find(const struct watches *w, const struct object *o)
{
    struct watch *x;

    HASH_FIND_PTR(w->by_object, &o, x);
    return x;
}

static bool before(const struct watch *a, const struct watch *b)
{
    if (a->deadline_at != b->deadline_at)
        return a->deadline_at < b->deadline_at;
    if (a->o->kind != b->o->kind)
        return a->o->kind < b->o->kind;
    return a->o->created_seq < b->o->created_seq;
}

static void put(struct watches *w, size_t at, struct watch *x)
{
    w->heap[at] = x;
    /* 0 stands for "not in the heap". */
    x->heap_at = at + 1;
}

static void sift_up(struct watches *w, size_t at)
{
    struct watch *x = w->heap[at];

    while (at > 0 && before(x, w->heap[(at - 1) / 2])) {
        put(w, at, w->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(w, at, x);
}

static void sift_down(struct watches *w, size_t at)
{
    struct watch *x = w->heap[at];

    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < w->n && before(w->heap[child + 1], w->heap[child]))
            child++;
        if (child >= w->n || !before(w->heap[child], x))
            break;
        put(w, at, w->heap[child]);
        at = child;
    }
    put(w, at, x);
}

static void heap_remove(struct watches *w, struct watch *x)
{
    size_t at = x->heap_at - 1;
    struct watch *last;

    if (x->heap_at == 0)
        return;
    MUST(at < w->n && w->heap[at] == x);
    x->heap_at = 0;
    last = w->heap[--w->n];
    if (last == x)
        return;
    put(w, at, last);
    /* The last entry takes the place and may belong further up or further down; one of
     * the two does nothing. */
    sift_up(w, at);
    sift_down(w, last->heap_at - 1);
}

static void heap_add(struct watches *w, struct watch *x)
{
    MUST(x->heap_at == 0 && x->deadline_at != INT64_MAX);
    if (w->n == w->cap) {
        w->cap = w->cap ? 2 * w->cap : 64;
        w->heap = xrealloc(w->heap, w->cap * sizeof(*w->heap));
    }
    put(w, w->n++, x);
    sift_up(w, w->n - 1);
}

void watch_touch(struct watches *w, const struct object *o)
{
    struct watch *x = find(w, o);

    if (!x) {
        x = xcalloc(1, sizeof(*x));
        x->o = o;
        x->deadline_at = INT64_MAX;
        HASH_ADD_PTR(w->by_object, o, x);
    }
    /* An object that is listed keeps its place, so none is starved by being touched
     * again and again. */
    if (x->dirty)
        return;
    x->dirty = true;
    /* While the rest of an earlier turn is settled, what it touches belongs to that
     * rest. */
    x->list = w->list;
    DL_APPEND(w->dirty[x->list], x);
}

void watch_again(struct watches *w, const struct object *o)
{
    /* An object that has gone has no watch any more. */
    if (find(w, o))
        watch_touch(w, o);
}

size_t watches_count(const struct watches *w)
{
    return HASH_COUNT(w->by_object);
}

const struct watch *watch_find(const struct watches *w, const struct object *o)
{
    return find(w, o);
}

struct asker *watch_asker(struct watch *x, struct inquiries *inquiries)
{
    if (!x->asker) {
        x->asker = xcalloc(1, sizeof(*x->asker));
        asker_init(x->asker, inquiries, x->o);
    }
    return x->asker;
}

void watch_knows_enough(struct watch *x)
{
    if (!x->asker)
        return;
    asker_fini(x->asker);
    free(x->asker);
    x->asker = NULL;
}

static void forget(struct watches *w, struct watch *x)
{
    watch_knows_enough(x);
    heap_remove(w, x);
    /* The lists must not keep a pointer to what is freed. */
    if (x->dirty)
        DL_DELETE(w->dirty[x->list], x);
    HASH_DELETE(hh, w->by_object, x);
    free(x);
}

void watch_forget(struct watches *w, const struct object *o)
{
    struct watch *x = find(w, o);

    if (x)
        forget(w, x);
}

struct watch *watch_take(struct watches *w)
{
    struct watch *x = w->dirty[w->list];

    if (!x)
        return NULL;
    MUST(x->dirty && x->list == w->list);
    DL_DELETE(w->dirty[x->list], x);
    x->dirty = false;
    return x;
}

void watches_put_off(struct watches *w)
{
    struct watch *x;

    w->list = WATCH_NOW;
    DL_FOREACH (w->dirty[WATCH_NOW], x)
        /* Each entry knows its list, because it may be removed from it at any time. */
        x->list = WATCH_PUT_OFF;
    DL_CONCAT(w->dirty[WATCH_PUT_OFF], w->dirty[WATCH_NOW]);
    w->dirty[WATCH_NOW] = NULL;
}

bool watches_are_put_off(const struct watches *w)
{
    return w->dirty[WATCH_PUT_OFF] != NULL;
}

void watches_resume(struct watches *w)
{
    MUST(!w->dirty[WATCH_NOW]); /* the turn before has put it off */
    w->list = WATCH_PUT_OFF;
}

void watch_set_deadline(struct watches *w, struct watch *x, int64_t deadline_at)
{
    if (x->deadline_at == deadline_at)
        return;
    heap_remove(w, x);
    x->deadline_at = deadline_at;
    if (deadline_at != INT64_MAX)
        heap_add(w, x);
}

void watch_due(struct watches *w, int64_t now_at)
{
    while (w->n > 0 && w->heap[0]->deadline_at <= now_at) {
        struct watch *x = w->heap[0];

        MUST(x->heap_at == 1);
        /* The deadline has done its work. The rules set the next one when they have
         * looked. */
        watch_set_deadline(w, x, INT64_MAX);
        watch_touch(w, x->o);
    }
}

int64_t watch_deadline(const struct watches *w)
{
    return w->n > 0 ? w->heap[0]->deadline_at : INT64_MAX;
}

void watches_fini(struct watches *w)
{
    struct watch *x, *next;

    HASH_ITER (hh, w->by_object, x, next)
        forget(w, x);
    free(w->heap);
    *w = (struct watches){ 0 };
}

bool watch_is_pending(const struct watches *w, const struct object *o, int64_t now_at)
{
    const struct watch *x = find(w, o);

    return x && (x->dirty || x->deadline_at <= now_at);
}
