/* route_wait.c - see route_wait.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/route_wait.h"

#include "server/model/job_tally.h"
#include "server/model/link_priv.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* No name of a user or a group has a '/', so no two classes have one key. */
static char *key_of(const struct job *j)
{
    struct buf text = { 0 };
    char *key;

    buf_printf(&text, "%s/%s/%s", tally_name_of(j, 'u'), tally_name_of(j, 'g'),
               tally_name_of(j, 'p'));
    key = xstrdup(text.data);
    buf_fini(&text);
    return key;
}

size_t route_class_from(const struct queue *q, const char *key)
{
    size_t low = 0, high = q->n_classes;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (strcmp(q->classes[mid]->key, key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

size_t route_class_of(const struct queue *q, const struct job *j)
{
    char *key = key_of(j);
    size_t at = route_class_from(q, key);

    free(key);
    return at;
}

static struct route_class *class_of(struct queue *q, const struct job *j)
{
    char *key = key_of(j);
    size_t at = route_class_from(q, key);
    struct route_class *c;

    if (at < q->n_classes && strcmp(q->classes[at]->key, key) == 0) {
        free(key);
        return q->classes[at];
    }
    c = xcalloc(1, sizeof(*c));
    c->key = key;
    q->classes = array_insert(q->classes, &q->n_classes, c, at);
    return c;
}

static bool is_older(const struct job *a, const struct job *b)
{
    return a->obj.created_seq < b->obj.created_seq;
}

/* A new one is the youngest, and one that was tried in vain is among the oldest. */
static void list_it(struct route_class *c, struct job *j)
{
    struct job *at = c->first;

    if (!at || is_older(at->route_prev, j)) {
        DL_APPEND2(c->first, j, route_prev, route_next);
        return;
    }
    while (is_older(at, j)) /* the last one is not */
        at = at->route_next;
    DL_PREPEND_ELEM2(c->first, at, j, route_prev, route_next);
}

void route_wait_add(struct queue *q, struct job *j)
{
    MUST(!j->route_class && j->queue == q);
    if (!obj_num(&j->obj, JOB_A_HF_ROUTE_TRIED, 0))
        return;
    j->route_class = class_of(q, j);
    list_it(j->route_class, j);
}

static void class_free(struct route_class *c)
{
    free(c->key);
    free(c);
}

void route_wait_remove(struct queue *q, struct job *j)
{
    struct route_class *c = j->route_class;

    if (!c)
        return;
    DL_DELETE2(c->first, j, route_prev, route_next);
    j->route_class = NULL;
    if (c->first)
        return;
    q->classes = array_remove(q->classes, &q->n_classes, c);
    class_free(c);
}

void route_wait_free(struct queue *q)
{
    for (size_t i = 0; i < q->n_classes; i++)
        class_free(q->classes[i]);
    free(q->classes);
}

static bool class_same(const struct route_class *a, const struct route_class *b)
{
    const struct job *x = a->first, *y = b->first;

    for (; x && y; x = x->route_next, y = y->route_next)
        if (strcmp(x->obj.id, y->obj.id) != 0)
            return false;
    return !x && !y && strcmp(a->key, b->key) == 0;
}

bool route_wait_same(const struct queue *a, const struct queue *b)
{
    for (size_t i = 0; i < a->n_classes && i < b->n_classes; i++)
        if (!class_same(a->classes[i], b->classes[i]))
            return false;
    return a->n_classes == b->n_classes;
}
