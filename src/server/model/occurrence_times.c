/* occurrence_times.c - see occurrence_times.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/occurrence_times.h"

#include "server/model/link_priv.h"
#include "server/model/occurrence.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CLASSES 64

struct length_class {
    size_t n;
    struct occurrence **v; /* by start */
};

static size_t class_of(struct window w)
{
    int64_t length_s;

    if (__builtin_sub_overflow(w.end_at, w.start_at, &length_s))
        return MOST_CLASSES - 1;
    return length_s < 2 ? 0 : (size_t)(63 - __builtin_clzll((uint64_t)length_s));
}

/* The first of them that begins at or after an instant. */
static size_t first_from(const struct length_class *c, int64_t at)
{
    size_t low = 0, high = c->n;

    /* Bisection: everything below 'low' begins earlier, and nothing from 'high' on
     * does. */
    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (c->v[mid]->booked.start_at < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* What begins earlier than this has ended before 'start_at', in that class. */
static int64_t looks_from(size_t class, int64_t start_at)
{
    int64_t from_at;

    if (class >= 62 ||
        __builtin_sub_overflow(start_at, INT64_C(1) << (class + 1), &from_at))
        return INT64_MIN;
    return from_at;
}

void occurrence_times_add(struct occurrence_times *t, struct occurrence *oc)
{
    size_t class = class_of(oc->booked);
    struct length_class *c;

    if (class >= t->n_classes) {
        t->classes = xrealloc(t->classes, (class + 1) * sizeof(*t->classes));
        memset(t->classes + t->n_classes, 0,
               (class + 1 - t->n_classes) * sizeof(*t->classes));
        t->n_classes = class + 1;
    }
    c = &t->classes[class];
    c->v = array_insert(c->v, &c->n, oc, first_from(c, oc->booked.start_at));
}

/* A class at the end that has no occurrence any more is dropped. */
static void trim(struct occurrence_times *t)
{
    while (t->n_classes > 0 && t->classes[t->n_classes - 1].n == 0)
        t->n_classes--;
    if (t->n_classes > 0)
        return;
    free(t->classes);
    t->classes = NULL;
}

void occurrence_times_remove(struct occurrence_times *t, struct occurrence *oc)
{
    size_t class = class_of(oc->booked);
    struct length_class *c;
    size_t i;

    if (class >= t->n_classes)
        return;
    c = &t->classes[class];
    i = first_from(c, oc->booked.start_at);
    while (i < c->n && c->v[i] != oc && c->v[i]->booked.start_at == oc->booked.start_at)
        i++;
    if (i == c->n || c->v[i] != oc)
        return;
    memmove(c->v + i, c->v + i + 1, (c->n - i - 1) * sizeof(struct occurrence *));
    if (--c->n == 0) {
        free(c->v);
        c->v = NULL;
        trim(t);
    }
}

struct occurrence **occurrence_times_find(const struct occurrence_times *t,
                                          int64_t start_at, int64_t end_at,
                                          struct arena *arena, size_t *ret_n)
{
    size_t from[MOST_CLASSES], to[MOST_CLASSES];
    struct occurrence **found;
    size_t most = 0, n = 0;

    for (size_t i = 0; i < t->n_classes; i++) {
        from[i] = first_from(&t->classes[i], looks_from(i, start_at));
        to[i] = MAX_OF(from[i], first_from(&t->classes[i], end_at));
        most += to[i] - from[i];
    }
    found = ARENA_ARRAY(arena, struct occurrence *, most + 1);
    for (size_t i = 0; i < t->n_classes; i++)
        for (size_t k = from[i]; k < to[i]; k++)
            if (t->classes[i].v[k]->booked.end_at > start_at)
                found[n++] = t->classes[i].v[k];
    *ret_n = n;
    return found;
}
