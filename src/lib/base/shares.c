/* shares.c - see shares.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/shares.h"

#include <stdlib.h>
#include <string.h>
/* When memory runs out, uthash would end the process in its own way; xmalloc() does
 * what xmem_try() asks for. */
#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

struct share_entry {
    struct share share;
    UT_hash_handle hh;
};

void budget_recount(struct budget *b, size_t before, size_t after)
{
    for (; b; b = b->part_of) {
        MUST(b->bytes >= before);
        /* The change goes all the way up, so that no sum is ever counted again from its
         * parts. */
        b->bytes = b->bytes - before + after;
    }
}

struct share *share_find(const struct shares *all, const char *key)
{
    struct share_entry *e;

    HASH_FIND_STR(all->by_key, key, e);
    return e ? &e->share : NULL;
}

static struct share *share_new(struct shares *all, const char *key)
{
    struct share_entry *e = xcalloc(1, sizeof(*e));

    /* The hash keeps a pointer to the key, which must live as long as the share. */
    e->share.key = xstrdup(key);
    e->share.memory.part_of = &all->memory;
    e->share.unsaved.part_of = &all->unsaved;
    HASH_ADD_KEYPTR(hh, all->by_key, e->share.key, strlen(key), e);
    return &e->share;
}

struct share *share_hold(struct shares *all, const char *key)
{
    struct share *s = share_find(all, key);

    if (!s)
        s = share_new(all, key);
    s->n++;
    return s;
}

static void end_if_empty(struct shares *all, struct share *s)
{
    struct share_entry *e = STRUCT_OF(s, struct share_entry, share);

    /* Who has left may still have work that is not durable; his share lives as long as
     * that. */
    if (s->n > 0 || s->unsaved.bytes > 0)
        return;
    MUST(s->memory.bytes == 0);
    HASH_DEL(all->by_key, e);
    /* The key is const for users of the share only. */
    free((char *)s->key);
    free(e);
}

void share_drop(struct shares *all, struct share *s)
{
    if (!s)
        return;
    MUST(s->n > 0);
    s->n--;
    end_if_empty(all, s);
}

void share_unsaved(struct shares *all, struct share *s, size_t before, size_t after)
{
    budget_recount(&s->unsaved, before, after);
    end_if_empty(all, s);
}

/* uthash iterates in the order of additions. */
static struct share *next_share(const struct share *s)
{
    struct share_entry *e = STRUCT_OF(s, struct share_entry, share)->hh.next;

    return e ? &e->share : NULL;
}

static struct share *first_share(const struct shares *all)
{
    return all->by_key ? &all->by_key->share : NULL;
}

struct share *shares_with_most(const struct shares *all)
{
    struct share *most = first_share(all);

    /* Among equals the first one stays, so the choice does not depend on the hash.
     */
    for (struct share *s = most; s; s = next_share(s))
        if (s->n > most->n)
            most = s;
    return most;
}

struct share *shares_with_most_memory(const struct shares *all)
{
    struct share *most = first_share(all);

    for (struct share *s = most; s; s = next_share(s))
        if (s->memory.bytes > most->memory.bytes)
            most = s;
    return most;
}
