/* list_edit.c - see list_edit.h.
 *
 * All members that the list has or had stand in one array in the order of their
 * arrival. When they are sorted by text, equal ones come together. Each group of equal
 * members is walked once, and a member that takes away removes the first one that is
 * still there. Members are sorted and not hashed, so that nobody can choose texts for
 * which it is slow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/list_edit.h"

#include <stdlib.h>
#include <string.h>

#define NEVER SIZE_MAX

struct list_edit {
    const struct attr_type *type;
    size_t n, cap;
    size_t n_first;   /* members that were there at the beginning */
    size_t begin;     /* what came before was replaced */
    size_t failed_at; /* the first operation that brought a text twice; NEVER: none */
    bool set;         /* the value was, or is set by now */
    bool was_set;
    bool any_less; /* something was taken away behind 'begin' */
    struct list_part *v;
};

/* Take over the members of a value; the value is empty afterwards. */
static void take(struct list_edit *l, struct attr_value *from, bool less, size_t when)
{
    size_t n = from->set ? from->u.list.n : 0;

    if (l->n + n > l->cap) {
        l->cap = MAX_OF(2 * l->cap, l->n + n);
        l->v = xrealloc(l->v, l->cap * sizeof(*l->v));
    }
    MUST(l->n + n <= l->cap);
    for (size_t i = 0; i < n; i++, l->n++)
        l->v[l->n] = (struct list_part){
            .text = from->u.list.v[i], .at = l->n, .when = when, .less = less
        };
    if (from->set)
        free(from->u.list.v);
    *from = (struct attr_value){ 0 };
}

struct list_edit *list_edit_begin(const struct attr_type *type, struct attr_value *v)
{
    struct list_edit *l = xcalloc(1, sizeof(*l));

    MUST(type->list);
    l->type = type;
    l->failed_at = NEVER;
    l->set = l->was_set = v->set;
    take(l, v, false, 0);
    l->n_first = l->n;
    return l;
}

static int by_text(const void *a, const void *b)
{
    const struct list_part *x = *(const struct list_part *const *)a;
    const struct list_part *y = *(const struct list_part *const *)b;
    int cmp = strcmp(x->text, y->text);

    return cmp ? cmp : (x->at > y->at) - (x->at < y->at);
}

/* Settle one group of equal texts, in the order of their arrival. */
static void settle_group(struct list_edit *l, struct list_part **group, size_t n)
{
    size_t first = 0, n_live = 0;

    for (size_t i = 0; i < n; i++) {
        if (!group[i]->less) {
            if (l->type->list->by_order && n_live > 0)
                l->failed_at = MIN_OF(l->failed_at, group[i]->when);
            n_live++;
        } else if (n_live > 0) {
            while (group[first]->less || group[first]->gone)
                first++;
            MUST(first < i); /* one that is left came before */
            group[first]->gone = true;
            n_live--;
        }
    }
}

/* Find the members that were removed, and those that came twice, since 'begin'. */
static void settle(struct list_edit *l)
{
    size_t n = l->n - l->begin, end;
    struct list_part **sorted;

    MUST(l->begin <= l->n && l->n_first <= l->n);
    if (n == 0 || (!l->any_less && !l->type->list->by_order))
        return;
    sorted = xcalloc(n, sizeof(struct list_part *));
    for (size_t i = 0; i < n; i++)
        sorted[i] = &l->v[l->begin + i];
    qsort(sorted, n, sizeof(struct list_part *), by_text);
    for (size_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n && strcmp(sorted[end]->text, sorted[i]->text) == 0;)
            end++;
        settle_group(l, &sorted[i], end - i);
    }
    free(sorted);
}

void list_edit_apply(struct list_edit *l, struct attr_value *other, enum wire_op op,
                     size_t when)
{
    if (op != WIRE_OP_DECR)
        l->set = true;
    if (op != WIRE_OP_DECR && op != WIRE_OP_INCR) {
        settle(l); /* a text that came twice before counts, though it is replaced */
        l->begin = l->n;
        l->any_less = false;
    }
    l->any_less |= op == WIRE_OP_DECR;
    take(l, other, op == WIRE_OP_DECR, when);
}

static struct attr_value value_of(struct list_part **parts, size_t n, bool set)
{
    struct attr_value v = { .set = set };
    size_t cap = 1;

    /* The capacity of a list is the next power of two (type_strings.c). */
    while (cap <= n)
        cap *= 2;
    if (n > 0)
        v.u.list.v = xcalloc(cap, sizeof(char *));
    for (size_t i = 0; i < n; i++) {
        v.u.list.v[i] = parts[i]->text;
        parts[i]->text = NULL;
    }
    v.u.list.n = n;
    return v;
}

/* The parts that make the value: the first ones after a failure, else what is left. */
static size_t collect(struct list_edit *l, struct list_part **ret)
{
    bool failed = l->failed_at != NEVER;
    size_t from = failed ? 0 : l->begin, to = failed ? l->n_first : l->n, n = 0;

    for (size_t i = from; i < to; i++)
        if (failed || (!l->v[i].less && !l->v[i].gone))
            ret[n++] = &l->v[i];
    return n;
}

int list_edit_end(struct list_edit *l, struct attr_value *v, size_t *when)
{
    struct list_part **left = xcalloc(l->n + 1, sizeof(struct list_part *));
    bool failed;
    size_t n;

    settle(l);
    failed = l->failed_at != NEVER;
    n = collect(l, left);
    MUST(n <= l->n); /* which is the room that 'left' has */
    if (!failed && l->type->list->by_order)
        qsort(left, n, sizeof(struct list_part *), l->type->list->by_order);
    *v = value_of(left, n, failed ? l->was_set : l->set);
    if (failed && when)
        *when = l->failed_at;
    free(left);
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i].text);
    free(l->v);
    free(l);
    return failed ? PBSE_DUPLIST : 0;
}
