/* inquiries.c - see inquiries.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/inquiries.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct inquiry *inquiries_find(const struct inquiries *all, const struct need *need)
{
    char *key = need_key(need);
    struct inquiry *q;

    HASH_FIND_STR(all->by_key, key, q);
    free(key);
    return q;
}

static struct inquiry *begin(struct inquiries *all, const struct need *need,
                             int64_t until_at)
{
    struct need bare = *need;
    struct inquiry *q = xcalloc(1, sizeof(*q));

    bare.data = NULL; /* it is on its way to whoever finds out */
    bare.len = 0;
    q->arena = arena_new();
    q->key = need_key(need);
    q->need = need_copy(&bare, q->arena);
    q->until_at = until_at;
    HASH_ADD_KEYPTR(hh, all->by_key, q->key, strlen(q->key), q);
    DL_APPEND(all->oldest, q);
    return q;
}

bool inquiries_add(struct inquiries *all, const struct need *need, int64_t until_at,
                   struct parked *p, struct awaits **own)
{
    struct inquiry *q = inquiries_find(all, need);
    bool is_new = !q;
    struct awaits *a = xcalloc(1, sizeof(*a));

    MUST(need->kind != NEED_NOTHING);
    if (!q)
        q = begin(all, need, until_at);
    a->of = q;
    a->who = p;
    DL_APPEND(q->first, a);
    DL_APPEND2(*own, a, own_prev, own_next);
    return is_new;
}

void inquiries_end(struct inquiries *all, struct inquiry *q)
{
    MUST(!q->first);
    HASH_DEL(all->by_key, q);
    DL_DELETE(all->oldest, q);
    arena_free(q->arena);
    free(q->key);
    free(q);
}

/* What was asked for one request alone ends with it: nobody else can use the answer. */
void inquiries_leave(struct inquiries *all, struct awaits **own)
{
    while (*own) {
        struct awaits *a = *own;
        struct inquiry *q = a->of;

        DL_DELETE(q->first, a);
        DL_DELETE2(*own, a, own_prev, own_next);
        free(a);
        if (!q->first && need_is_private(q->need.kind))
            inquiries_end(all, q);
    }
}

void inquiries_fini(struct inquiries *all)
{
    while (all->oldest)
        inquiries_end(all, all->oldest);
}
