/* numbers.c - see numbers.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/numbers.h"

#include <stdlib.h>

void numbers_fini(struct numbers *ns)
{
    free(ns->times);
    free(ns->full);
    *ns = (struct numbers){ 0 };
}

/* The leaf has changed: so do those above it, as far as it makes a difference. */
static void leaf_changed(struct numbers *ns, size_t number)
{
    /* The tree lies in one array: the leaves begin at 'cap', and the parent of a
     * node has half its index. */
    size_t i = ns->cap + number;

    ns->full[i] = ns->times[number] > 0;
    for (i /= 2; i > 0; i /= 2) {
        bool full = ns->full[2 * i] && ns->full[2 * i + 1];

        /* Whatever is above a node that stays as it was stays too. */
        if (ns->full[i] == full)
            return;
        ns->full[i] = full;
    }
}

static void make_room(struct numbers *ns, size_t number)
{
    struct numbers more = { .n = ns->n, .cap = ns->cap ? ns->cap : 16 };

    /* Doubling keeps the tree complete: 'cap' is always a power of two. */
    while (more.cap <= number)
        more.cap *= 2;
    more.times = xcalloc(more.cap, sizeof(*more.times));
    more.full = xcalloc(2 * more.cap, sizeof(*more.full));
    for (size_t i = 0; i < ns->cap; i++) {
        more.times[i] = ns->times[i];
        if (more.times[i])
            leaf_changed(&more, i);
    }
    numbers_fini(ns);
    *ns = more;
}

void numbers_take(struct numbers *ns, size_t number)
{
    if (number >= ns->cap)
        make_room(ns, number);
    ns->n++;
    if (ns->times[number]++ == 0)
        leaf_changed(ns, number);
}

void numbers_drop(struct numbers *ns, size_t number)
{
    MUST(number < ns->cap && ns->times[number] > 0);
    ns->n--;
    if (--ns->times[number] == 0)
        leaf_changed(ns, number);
}

size_t numbers_free(const struct numbers *ns, size_t from)
{
    size_t i = ns->cap + from;

    /* All numbers beyond the tree are free. */
    if (from >= ns->cap)
        return from;
    while (ns->full[i]) {
        while (i % 2) /* the right one: what follows it is beside one above it */
            i /= 2;
        if (i == 0)
            return ns->cap;
        i++;
    }
    /* The node has a free leaf below it: go down, to the left where that is not full.
     */
    while (i < ns->cap)
        i = ns->full[2 * i] ? 2 * i + 1 : 2 * i;
    return i - ns->cap;
}

bool numbers_same(const struct numbers *a, const struct numbers *b)
{
    const struct numbers *longer = a->cap > b->cap ? a : b;
    size_t both = MIN_OF(a->cap, b->cap);

    if (a->n != b->n)
        return false;
    /* Both may have the same numbers and trees of different sizes. */
    for (size_t i = 0; i < longer->cap; i++)
        if (i < both ? a->times[i] != b->times[i] : longer->times[i] > 0)
            return false;
    return true;
}
