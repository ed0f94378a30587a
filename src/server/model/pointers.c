/* pointers.c - the arrays of pointers that a vnode has: reservations and jobs on it,
 * jobs that await it, vnodes that borrow from it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/link_priv.h"

#include <stdlib.h>
#include <string.h>

void *array_insert(void *array, size_t *n, void *item, size_t at)
{
    void **v = array;

    /* There is room up to the next power of two, so that a long array is not copied
     * once for each of its pointers. Removing keeps the room. */
    if ((*n & (*n - 1)) == 0)
        v = xrealloc(array, (*n > 0 ? 2 * *n : 1) * sizeof(*v));
    memmove(v + at + 1, v + at, (*n - at) * sizeof(*v));
    v[at] = item;
    (*n)++;
    return v;
}

void *array_remove(void *array, size_t *n, const void *item)
{
    void **v = array;

    for (size_t i = 0; i < *n; i++)
        if (v[i] == item) {
            memmove(v + i, v + i + 1, (*n - i - 1) * sizeof(*v));
            (*n)--;
            break;
        }
    /* An empty array is NULL, so nothing has to be freed when its owner goes. */
    if (*n > 0)
        return v;
    free(v);
    return NULL;
}

size_t place_of_job(struct job *const *v, size_t n, const struct job *j)
{
    /* A new job belongs mostly at the end. */
    while (n > 0 && v[n - 1]->obj.created_seq > j->obj.created_seq)
        n--;
    return n;
}
