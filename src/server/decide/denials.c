/* denials.c - see denials.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/denials.h"

#include "lib/base/must.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

struct entry {
    struct denial denial;
    char *id, *owner, *reason;
    struct entry *prev, *next; /* in order of time, the oldest first */
    UT_hash_handle hh;
};

struct denials {
    struct entry *by_id;
    struct entry *first;
    size_t n;
};

const char *denial_of_ending(enum reason reason)
{
    switch (reason) {
    case REASON_EXPIRED:
        return "no scheduler confirmed it while it was waited for";
    case REASON_JOB_STAYS:
        return "the job that it was made for did not wait any more";
    case REASON_END_REACHED:
        return "no scheduler confirmed it before its time had passed";
    default:
        return NULL;
    }
}

size_t denial_reason_length(const char *reason)
{
    size_t len = strnlen(reason, DENIAL_REASON_MAX + 1);

    if (len <= DENIAL_REASON_MAX)
        return len;
    /* The cut is made at a blank, so that neither a character of several bytes nor a
     * number is divided; a text without blanks is cut as it is. */
    for (len = DENIAL_REASON_MAX; len > 0 && reason[len] != ' '; len--)
        continue;
    return len > 0 ? len : DENIAL_REASON_MAX;
}

struct denials *denials_new(void)
{
    return xcalloc(1, sizeof(struct denials));
}

static void drop(struct denials *d, struct entry *e)
{
    HASH_DEL(d->by_id, e);
    DL_DELETE(d->first, e);
    d->n--;
    free(e->id);
    free(e->owner);
    free(e->reason);
    free(e);
}

void denials_free(struct denials *d)
{
    if (!d)
        return;
    while (d->first)
        drop(d, d->first);
    free(d);
}

static char *cut(const char *text)
{
    char *copy = xstrdup(text);

    copy[denial_reason_length(text)] = '\0';
    return copy;
}

static bool is_old(const struct entry *e, int64_t now_at)
{
    return now_at - e->denial.at > DENIALS_KEPT_S;
}

static struct entry *find(const struct denials *d, const char *id)
{
    struct entry *e;

    HASH_FIND_STR(d->by_id, id, e);
    return e;
}

void denials_add(struct denials *d, const char *id, const char *owner,
                 const char *reason, int64_t at)
{
    struct entry *e = find(d, id);

    if (e)
        drop(d, e);
    /* This is the only place where old ones go: nothing has to look for them, and none
     * is shown after its day. */
    while (d->first && (d->n >= DENIALS_MAX || is_old(d->first, at)))
        drop(d, d->first);
    e = xcalloc(1, sizeof(*e));
    e->id = xstrdup(id);
    e->owner = xstrdup(owner);
    e->reason = cut(reason ? reason : "");
    e->denial = (struct denial){ .at = at, .owner = e->owner, .reason = e->reason };
    HASH_ADD_KEYPTR(hh, d->by_id, e->id, strlen(e->id), e);
    DL_APPEND(d->first, e);
    d->n++;
    MUST(d->n <= DENIALS_MAX);
}

const struct denial *denials_find(const struct denials *d, const char *id,
                                  int64_t now_at)
{
    const struct entry *e = find(d, id);

    return e && !is_old(e, now_at) ? &e->denial : NULL;
}
