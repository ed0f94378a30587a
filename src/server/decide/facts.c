/* facts.c - see facts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/facts.h"

#include "lib/base/instant.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#define GOOD_S        60
#define GOOD_FAILED_S 5

struct fact_known {
    struct arena *arena; /* of the finding */
    char *key;
    int64_t until_at;
    struct finding finding;
    size_t bytes;
    bool is_used;
    struct fact_known *prev, *next;           /* oldest first */
    struct fact_known *used_prev, *used_next; /* of those that are used */
    UT_hash_handle hh;
};

struct facts {
    struct fact_known *by_key, *oldest, *used;
    size_t most;
    size_t bytes;
};

struct facts *facts_new(size_t most)
{
    struct facts *f = xcalloc(1, sizeof(*f));

    /* 0 stands for no bound on the number of answers. */
    f->most = most;
    return f;
}

static void forget(struct facts *f, struct fact_known *k)
{
    /* The table and the list by age are left together, so they always have the same
     * entries. */
    HASH_DEL(f->by_key, k);
    DL_DELETE(f->oldest, k);
    if (k->is_used)
        DL_DELETE2(f->used, k, used_prev, used_next);
    MUST(f->bytes >= k->bytes);
    f->bytes -= k->bytes;
    arena_free(k->arena);
    free(k->key);
    free(k);
}

void facts_free(struct facts *f)
{
    if (!f)
        return;
    while (f->oldest)
        forget(f, f->oldest);
    free(f);
}

static struct fact_known *find(const struct facts *f, const struct need *need)
{
    /* Name, kind and asker are one text, so one table serves all kinds. */
    char *key = need_key(need);
    struct fact_known *k;

    HASH_FIND_STR(f->by_key, key, k);
    free(key);
    return k;
}

const struct finding *facts_find(const struct facts *f, const struct need *need,
                                 int64_t now_at)
{
    const struct fact_known *k = find(f, need);

    /* What is too old is not forgotten here: the caller's table is const, and room is
     * made when something is learned. */
    return k && now_at < k->until_at ? &k->finding : NULL;
}

const struct finding *facts_use(struct facts *f, const struct need *need,
                                int64_t now_at)
{
    struct fact_known *k = find(f, need);

    if (!k || now_at >= k->until_at)
        return NULL;
    if (!k->is_used)
        DL_APPEND2(f->used, k, used_prev, used_next);
    k->is_used = true;
    return &k->finding;
}

void facts_begin_use(struct facts *f)
{
    while (f->used) {
        f->used->is_used = false;
        DL_DELETE2(f->used, f->used, used_prev, used_next);
    }
}

void facts_forget_used(struct facts *f)
{
    while (f->used)
        forget(f, f->used);
}

void facts_forget_old(struct facts *f, int64_t now_at)
{
    while (f->oldest && f->oldest->until_at <= now_at)
        forget(f, f->oldest);
}

void facts_learn(struct facts *f, const struct need *need,
                 const struct finding *finding, int64_t until_at)
{
    struct fact_known *k = find(f, need);

    /* A newer answer takes the place of the older one and becomes the newest. */
    if (k)
        forget(f, k);
    /* The bound is on entries; the oldest go first. 0 stands for no bound. */
    while (f->most && HASH_COUNT(f->by_key) >= f->most)
        forget(f, f->oldest);
    k = xcalloc(1, sizeof(*k));
    k->arena = arena_new();
    k->key = need_key(need);
    k->until_at = until_at;
    k->finding = finding_copy(finding, k->arena);
    k->bytes = arena_used_bytes(k->arena) + sizeof(*k);
    f->bytes += k->bytes;
    HASH_ADD_KEYPTR(hh, f->by_key, k->key, strlen(k->key), k);
    DL_APPEND(f->oldest, k);
}

int64_t facts_good_until(const struct finding *finding, int64_t now_at)
{
    /* A failure is kept for a short time only, so that a server that is back is asked
     * again soon. */
    return instant_after(now_at, finding->failed ? GOOD_FAILED_S : GOOD_S);
}

size_t facts_bytes(const struct facts *f)
{
    return f->bytes;
}
