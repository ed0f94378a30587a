/* inquiries.c - see inquiries.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/inquiries.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct inquiry *inquiries_find(const struct inquiries *all, const struct need *need)
{
    /* Kind, name and asker make the key, so a private question is found by its own
     * asker only. */
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

    /* The data may be as large as a script, and the answer does not depend on it any
     * more. */
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

void asker_init(struct asker *a, struct inquiries *all, const struct object *o)
{
    *a = (struct asker){ .all = all, .number = ++all->last_number, .o = o };
}

static bool waits_for(const struct asker *who, const struct inquiry *q)
{
    const struct awaits *a;

    /* An asker waits for a few things at most. */
    DL_FOREACH2 (who->awaits, a, own_next) {
        if (a->of == q)
            return true;
    }
    return false;
}

static void wait_for(struct asker *who, struct inquiry *q)
{
    struct awaits *a = xcalloc(1, sizeof(*a));

    a->of = q;
    a->who = who;
    DL_APPEND(q->first, a);
    DL_APPEND2(who->awaits, a, own_prev, own_next);
}

/* Rules look again, and ask again, whenever their object changes. */
bool asker_ask(struct asker *a, struct need *need, int64_t until_at)
{
    struct inquiry *q;
    bool is_new;

    MUST(need->kind != NEED_NOTHING);
    need->asker = need_is_private(need->kind) ? a->number : 0;
    q = inquiries_find(a->all, need);
    is_new = !q;
    if (is_new)
        q = begin(a->all, need, until_at);
    /* Somebody else may have asked already; then both wait for one answer. */
    if (!waits_for(a, q))
        wait_for(a, q);
    return is_new;
}

void asker_learn(struct asker *a, const struct need *need, const struct finding *f,
                 int64_t until_at)
{
    if (!a->learned)
        a->learned = facts_new(0);
    facts_learn(a->learned, need, f, until_at);
}

size_t asker_bytes(const struct asker *a)
{
    return a->learned ? facts_bytes(a->learned) : 0;
}

static struct asker *waits_no_longer(struct awaits *a)
{
    struct asker *who = a->who;

    DL_DELETE(a->of->first, a);
    DL_DELETE2(who->awaits, a, own_prev, own_next);
    free(a);
    return who;
}

struct asker *inquiry_take(struct inquiry *q)
{
    return q->first ? waits_no_longer(q->first) : NULL;
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

/* What was asked for one alone ends with it: nobody else can use the answer. */
void asker_fini(struct asker *a)
{
    while (a->awaits) {
        struct inquiry *q = a->awaits->of;

        waits_no_longer(a->awaits);
        /* An answer about a host or an account is worth keeping for others, even when
         * nobody waits for it. */
        if (!q->first && need_is_private(q->need.kind))
            inquiries_end(a->all, q);
    }
    facts_free(a->learned);
    a->learned = NULL;
}

void inquiries_fini(struct inquiries *all)
{
    /* Whoever waits has been ended before. */
    while (all->oldest)
        inquiries_end(all, all->oldest);
}
