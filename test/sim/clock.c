/* clock.c - see clock.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <stdlib.h>

void clock_fini(struct clock *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->heap[i].drop)
            c->heap[i].drop(c->heap[i].arg);
    free(c->heap);
    *c = (struct clock){ 0 };
}

static bool before(const struct event *a, const struct event *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

static void swap(struct event *a, struct event *b)
{
    struct event t = *a;

    *a = *b;
    *b = t;
}

void clock_post(struct clock *c, int64_t at_ms, event_fn fn, void *arg,
                event_drop_fn drop)
{
    size_t i = c->n++;

    if (c->n > c->cap) {
        c->cap = c->cap ? 2 * c->cap : 64;
        c->heap = xrealloc(c->heap, c->cap * sizeof(*c->heap));
    }
    c->heap[i] = (struct event){ MAX_OF(at_ms, c->now_ms), c->order++, fn, drop, arg };
    for (; i > 0 && before(&c->heap[i], &c->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&c->heap[i], &c->heap[(i - 1) / 2]);
}

int64_t clock_next_ms(const struct clock *c)
{
    return c->n ? c->heap[0].at_ms : INT64_MAX;
}

static struct event take(struct clock *c)
{
    struct event first = c->heap[0];
    size_t i = 0;

    c->heap[0] = c->heap[--c->n];
    for (;;) {
        size_t low = i;

        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < c->n; k++)
            if (before(&c->heap[k], &c->heap[low]))
                low = k;
        if (low == i)
            return first;
        swap(&c->heap[i], &c->heap[low]);
        i = low;
    }
}

void clock_step(struct clock *c, struct sim *s)
{
    struct event e = take(c);

    c->now_ms = MAX_OF(c->now_ms, e.at_ms);
    e.fn(s, e.arg);
    if (e.drop)
        e.drop(e.arg);
}
