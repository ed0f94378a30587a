/* lookups.c - see lookups.h.
 *
 * Answers are kept for a minute (facts.h), so that a user who asks often is not looked
 * up each time. What a seeker has learned stays true for it until it ends: one that
 * needs several answers would otherwise ask for ever if the first one expired before
 * the last one came. Time is the monotonic clock's, in seconds: an administrator who
 * sets the clock changes nobody's wait.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/shell/lookups.h"

#include "lib/auth/auth.h"
#include "server/shell/find_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <utlist.h>

#define MEMORY_MAX 4096 /* answers: addresses come from strangers */

struct lookups {
    struct shell *sh;
    int64_t patience_s;
    struct facts *lasting; /* root, and who runs the server */
    struct facts *known;
    struct inquiries inquiries;
    struct loop_timer *give_up; /* the oldest inquiry */
};

static const struct finding nobody_knows = { .failed = true };

static int64_t now_s(void)
{
    return clock_mono_ms() / 1000;
}

static void watch_oldest(struct lookups *l)
{
    const struct inquiry *q = l->inquiries.oldest;

    if (q)
        loop_timer_set(l->give_up, MAX_OF(q->until_at - now_s(), 0) * 1000);
    else
        loop_timer_clear(l->give_up);
}

/* The inquiry may have been given up; its answer is kept all the same. */
static void learn(struct lookups *l, const struct need *need, const struct finding *f)
{
    struct inquiry *q = inquiries_find(&l->inquiries, need);
    struct asker *a;

    facts_learn(l->known, need, f, facts_good_until(f, now_s()));
    /* Nobody waits for it any more. */
    if (!q)
        return;
    while ((a = inquiry_take(q)) != NULL) { /* each may end others that wait */
        struct seeker *who = STRUCT_OF(a, struct seeker, asker);

        asker_learn(a, &q->need, f, INT64_MAX);
        if (!seeker_waits(who))
            who->go_on(who);
    }
    inquiries_end(&l->inquiries, q);
    watch_oldest(l);
}

static void on_found(void *arg, const struct need *need, const struct finding *f)
{
    learn(arg, need, f);
}

static void on_late(void *arg)
{
    struct lookups *l = arg;
    struct inquiry *q;

    while ((q = l->inquiries.oldest) != NULL && q->until_at <= now_s()) {
        struct arena *arena = arena_new();
        /* The copy outlives the inquiry, which ends with its answer. */
        const struct need need = need_copy(&q->need, arena);

        learn(l, &need, &nobody_knows);
        arena_free(arena);
    }
    watch_oldest(l);
}

static const struct finding *find_known(const struct lookups *l,
                                        const struct seeker *who,
                                        const struct need *need)
{
    /* What never changes is looked at first, then what the seeker itself has learned,
     * and then what everybody shares. */
    const struct finding *f = facts_find(l->lasting, need, 0);

    if (!f && who->asker.learned)
        f = facts_find(who->asker.learned, need, 0);
    return f ? f : facts_find(l->known, need, now_s());
}

const struct finding *lookup(struct lookups *l, struct seeker *who,
                             const struct need *need)
{
    const struct finding *f = find_known(l, who, need);
    struct need asked = *need;

    MUST(!need_is_private(need->kind) && who->go_on);
    if (f)
        return f;
    if (!inquiries_find(&l->inquiries, need) &&
        !find_out_begin(l->sh->find_out, need, on_found, l))
        return &nobody_knows; /* too much is asked */
    /* Most seekers never have to wait, and have no asker until they do. */
    if (!who->asker.all)
        asker_init(&who->asker, &l->inquiries, NULL);
    if (asker_ask(&who->asker, &asked, now_s() + l->patience_s))
        watch_oldest(l);
    return NULL;
}

bool seeker_waits(const struct seeker *who)
{
    return who->asker.awaits != NULL;
}

bool seeker_is_back(const struct seeker *who)
{
    return who->asker.learned != NULL;
}

void seeker_end(struct seeker *who)
{
    if (who->asker.all)
        asker_fini(&who->asker);
    /* The same connection may look something else up later. */
    who->asker = (struct asker){ 0 };
}

static void know_user(struct lookups *l, uid_t uid)
{
    char key[24], name[AUTH_USER_MAX + 1];
    const struct need need = { .kind = NEED_USER, .name = key };
    const struct finding f = { .found = true, .words = name };
    struct diag why;

    snprintf(key, sizeof(key), "%lu", (unsigned long)uid);
    /* Root and the server's own user must get in while no name service answers. */
    if (auth_user_name(uid, name, sizeof(name), &why) == 0)
        facts_learn(l->lasting, &need, &f, INT64_MAX);
}

struct lookups *lookups_new(struct shell *sh, int64_t patience_s)
{
    struct lookups *l = xcalloc(1, sizeof(*l));

    l->sh = sh;
    l->patience_s = patience_s;
    l->lasting = facts_new(0);
    l->known = facts_new(MEMORY_MAX);
    l->give_up = loop_timer_new(sh->loop, on_late, l);
    know_user(l, 0);
    know_user(l, geteuid());
    return l;
}

void lookups_free(struct lookups *l)
{
    if (!l)
        return;
    inquiries_fini(&l->inquiries);
    loop_timer_free(l->give_up);
    facts_free(l->known);
    facts_free(l->lasting);
    free(l);
}
