/* facts.c - see facts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/facts.h"

#include "lib/base/instant.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

/* How long an answer is good: an account that was changed is known anew after a minute,
 * a service that failed is asked again soon. */
#define GOOD_S        60
#define GOOD_FAILED_S 5
/* Names come from clients: not without limit. */
#define FACTS_MAX     4096

struct fact_known {
    char *key; /* the kind's digit and the name */
    int64_t until_at;
    struct finding finding;         /* owned */
    struct fact_known *prev, *next; /* oldest first */
    UT_hash_handle hh;
};

struct facts {
    struct fact_known *by_key, *oldest;
};

struct facts *facts_new(void)
{
    return xcalloc(1, sizeof(struct facts));
}

static void forget(struct facts *f, struct fact_known *k)
{
    HASH_DEL(f->by_key, k);
    DL_DELETE(f->oldest, k);
    for (size_t i = 0; i < k->finding.groups.n; i++)
        free((char *)k->finding.groups.v[i]);
    free(k->finding.groups.v);
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

static char *key_of(const struct need *need)
{
    return xasprintf("%d%s", (int)need->kind, need->name);
}

static struct fact_known *find(const struct facts *f, const struct need *need)
{
    char *key = key_of(need);
    struct fact_known *k;

    HASH_FIND_STR(f->by_key, key, k);
    free(key);
    return k;
}

const struct finding *facts_find(const struct facts *f, const struct need *need,
                                 int64_t now_at)
{
    const struct fact_known *k = find(f, need);

    return k && now_at < k->until_at ? &k->finding : NULL;
}

static void copy_groups(struct wire_strings *to, const struct wire_strings *from)
{
    to->n = from->n;
    to->v = xcalloc(from->n + 1, sizeof(*to->v));
    for (size_t i = 0; i < from->n; i++)
        to->v[i] = xstrdup(from->v[i]);
}

void facts_learn(struct facts *f, const struct need *need,
                 const struct finding *finding, int64_t now_at)
{
    struct fact_known *k = find(f, need);

    if (k)
        forget(f, k);
    while (HASH_COUNT(f->by_key) >= FACTS_MAX)
        forget(f, f->oldest);
    k = xcalloc(1, sizeof(*k));
    k->key = key_of(need);
    k->until_at = instant_after(now_at, finding->failed ? GOOD_FAILED_S : GOOD_S);
    k->finding.failed = finding->failed;
    k->finding.found = finding->found;
    copy_groups(&k->finding.groups, &finding->groups);
    HASH_ADD_KEYPTR(hh, f->by_key, k->key, strlen(k->key), k);
    DL_APPEND(f->oldest, k);
}
