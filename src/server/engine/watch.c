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

static struct watch *watch_of(struct watches *w, const struct object *o)
{
    struct watch *x = find(w, o);

    if (!x) {
        x = xcalloc(1, sizeof(*x));
        x->o = o;
        x->deadline_at = INT64_MAX;
        HASH_ADD_PTR(w->by_object, o, x);
    }
    return x;
}

void watch_touch(struct watches *w, const struct object *o)
{
    struct watch *x = watch_of(w, o);

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

static void clean(struct watches *w, struct watch *x)
{
    if (x->dirty)
        DL_DELETE(w->dirty[x->list], x);
    x->dirty = false;
}

static void forget(struct watches *w, struct watch *x)
{
    watch_knows_enough(x);
    heap_remove(w, x);
    /* The lists must not keep a pointer to what is freed. */
    clean(w, x);
    HASH_DELETE(hh, w->by_object, x);
    free(x);
}

static struct queue_sweep *find_queue_sweep(const struct watches *w,
                                            const struct queue *q)
{
    struct queue_sweep *s;

    DL_FOREACH (w->queue_sweeps, s)
        if (s->queue == q)
            return s;
    return NULL;
}

static void end_queue_sweep(struct watches *w, struct queue_sweep *s)
{
    DL_DELETE(w->queue_sweeps, s);
    free(s);
}

void watch_forget(struct watches *w, const struct object *o)
{
    struct kind_sweep *sweep = &w->sweeps[o->kind];
    struct queue_sweep *of_queue =
        o->kind == OBJ_QUEUE ? find_queue_sweep(w, TO_QUEUE(o)) : NULL;
    struct watch *x = find(w, o);

    if (sweep->on && sweep->next == o)
        sweep->next = object_next_live(o);
    if (of_queue)
        end_queue_sweep(w, of_queue);
    if (x)
        forget(w, x);
}

static uint64_t next_seq(const struct kind_sweep *s)
{
    return s->next ? s->next->created_seq : UINT64_MAX;
}

void watch_sweep(struct watches *w, enum obj_kind kind)
{
    struct kind_sweep *s = &w->sweeps[kind];

    w->sweeps_now = true;
    if (s->on) {
        /* It goes on where it is, and comes back to this place. */
        s->end_seq = next_seq(s);
        s->wraps = true;
        return;
    }
    *s = (struct kind_sweep){ .on = true,
                              .next = model_first_live(w->m, kind),
                              .end_seq = UINT64_MAX };
}

void watch_sweep_queue(struct watches *w, const struct queue *q)
{
    struct queue_sweep *s = find_queue_sweep(w, q);

    if (!queue_job_behind(q, RANK_PLACE_FIRST))
        return;
    w->sweeps_now = true;
    if (s) {
        s->end = s->at;
        s->wraps = true;
        return;
    }
    s = xcalloc(1, sizeof(*s));
    *s = (struct queue_sweep){ .queue = q,
                               .at = RANK_PLACE_FIRST,
                               .end = RANK_PLACE_LAST };
    DL_APPEND(w->queue_sweeps, s);
}

/* Has the job still to be given by the sweep of its queue? */
static bool is_ahead_in_queue(const struct queue_sweep *s, const struct job *j)
{
    struct rank_place place = j->in_queue.place;
    bool behind_at = rank_is_before(s->at, place);
    bool up_to_end = !rank_is_before(s->end, place);

    return s->wraps ? behind_at || up_to_end : behind_at && up_to_end;
}

/* The next job of the sweep, NULL: it is over. */
static const struct object *queue_sweep_take(struct watches *w, struct queue_sweep *s)
{
    const struct job *j = queue_job_behind(s->queue, s->at);

    if (!j && s->wraps) {
        s->wraps = false;
        s->at = RANK_PLACE_FIRST;
        j = queue_job_behind(s->queue, s->at);
    }
    if (!j || !is_ahead_in_queue(s, j)) {
        end_queue_sweep(w, s);
        return NULL;
    }
    s->at = j->in_queue.place;
    return &j->obj;
}

/* Has the object still to be given by the sweep of its kind? */
static bool is_ahead(const struct watches *w, const struct object *o)
{
    const struct kind_sweep *s = &w->sweeps[o->kind];
    bool behind_next, before_end;

    if (!s->on) /* then what was next may be gone */
        return false;
    behind_next = o->created_seq >= next_seq(s);
    before_end = o->created_seq < s->end_seq;
    return s->wraps ? behind_next || before_end : behind_next && before_end;
}

/* The next object of the sweep, NULL: it is over. */
static const struct object *sweep_take(struct watches *w, enum obj_kind kind)
{
    struct kind_sweep *s = &w->sweeps[kind];
    const struct object *o;

    if (!s->next && s->wraps) {
        s->wraps = false;
        s->next = model_first_live(w->m, kind);
    }
    o = s->next;
    if (!o || !is_ahead(w, o)) {
        *s = (struct kind_sweep){ .on = false };
        return NULL;
    }
    s->next = object_next_live(o);
    return o;
}

static const struct object *next_swept(struct watches *w)
{
    const struct object *o = NULL;

    for (int kind = 0; kind < OBJ_KIND_COUNT && !o; kind++)
        if (w->sweeps[kind].on)
            o = sweep_take(w, (enum obj_kind)kind);
    while (w->queue_sweeps && !o)
        o = queue_sweep_take(w, w->queue_sweeps);
    return o;
}

static struct watch *take_swept(struct watches *w)
{
    const struct object *o = next_swept(w);
    struct watch *x = o ? watch_of(w, o) : NULL;

    if (x)
        clean(w, x);
    return x;
}

struct watch *watch_take(struct watches *w)
{
    struct watch *x = w->dirty[w->list];

    /* Only the turn that has begun a sweep, and turns for the rest, go on with it. */
    if (!x)
        return w->list == WATCH_PUT_OFF || w->sweeps_now ? take_swept(w) : NULL;
    MUST(x->dirty && x->list == w->list);
    clean(w, x);
    return x;
}

static bool any_sweep(const struct watches *w)
{
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        if (w->sweeps[kind].on)
            return true;
    return w->queue_sweeps != NULL;
}

void watches_put_off(struct watches *w)
{
    struct watch *x;

    w->list = WATCH_NOW;
    w->sweeps_now = false;
    DL_FOREACH (w->dirty[WATCH_NOW], x)
        /* Each entry knows its list, because it may be removed from it at any time. */
        x->list = WATCH_PUT_OFF;
    DL_CONCAT(w->dirty[WATCH_PUT_OFF], w->dirty[WATCH_NOW]);
    w->dirty[WATCH_NOW] = NULL;
}

bool watches_are_put_off(const struct watches *w)
{
    return w->dirty[WATCH_PUT_OFF] != NULL || any_sweep(w);
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
    while (w->queue_sweeps)
        end_queue_sweep(w, w->queue_sweeps);
    free(w->heap);
    *w = (struct watches){ 0 };
}

bool watch_is_pending(const struct watches *w, const struct object *o, int64_t now_at)
{
    const struct watch *x = find(w, o);
    const struct queue_sweep *s =
        o->kind == OBJ_JOB ? find_queue_sweep(w, TO_JOB(o)->queue) : NULL;

    return is_ahead(w, o) || (s && is_ahead_in_queue(s, TO_JOB(o))) ||
           (x && (x->dirty || x->deadline_at <= now_at));
}
