/* know.c - see know.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/know.h"

#include "server/decide/config.h"

#include <string.h>

/* The same thing may be looked up twice before the handler returns. */
static void note(const struct request *rq, const struct need *need)
{
    struct needs *needs = rq->knows.needs;

    MUST(need->kind != NEED_NOTHING);
    for (size_t i = 0; i < needs->n; i++)
        if (needs->v[i].kind == need->kind && str_same(needs->v[i].name, need->name) &&
            str_same(needs->v[i].detail, need->detail))
            return;
    /* What has no room is asked for when the request is decided afresh. */
    if (needs->n < NEEDS_MAX)
        needs->v[needs->n++] = need_copy(need, rq->arena);
}

static const struct finding *known_beforehand(const struct request *rq,
                                              const struct need *need)
{
    struct finding *f = ARENA_NEW(rq->arena, struct finding);

    return rq->cfg->known && rq->cfg->known(rq->cfg->arg, need, rq->arena, f) ? f
                                                                              : NULL;
}

const struct finding *request_know(const struct request *rq, const struct need *need)
{
    struct need own = *need;
    /* Only tests know something beforehand; a daemon has to find it out. */
    const struct finding *f = known_beforehand(rq, need);

    if (!f && rq->knows.learned) {
        /* A private answer, like the content of a file, is for the request that asked
         * and for no other. */
        own.asker = need_is_private(need->kind) ? rq->knows.number : 0;
        f = facts_use(rq->knows.learned, &own, rq->now_at);
    }
    /* Answers about accounts and hosts are the same for everybody and are shared while
     * they are fresh. */
    if (!f && !need_is_private(need->kind))
        f = facts_find(rq->knows.facts, need, rq->now_at);
    if (!f)
        note(rq, need);
    return f;
}

int request_groups(const struct request *rq, const char *user, struct wire_strings *ret,
                   struct diag *why)
{
    const struct need need = { .kind = NEED_GROUPS, .name = user };
    const struct finding *f = request_know(rq, &need);

    if (!f)
        return NEEDED;
    /* The account may well exist. The client is told to try again and not that there is
     * no such user. */
    if (f->failed)
        return diag_set(
            why, PBSE_SYSTEM,
            "%s: the groups of %.64s are not known in time, try again later",
            pbse_text(PBSE_SYSTEM), user);
    if (!f->found || f->groups.n == 0)
        return diag_code(why, PBSE_BADUSER);
    *ret = f->groups;
    return 0;
}

static int is_found(const struct request *rq, const struct need *need, int code,
                    struct diag *why)
{
    const struct finding *f = request_know(rq, need);

    if (!f)
        return NEEDED;
    return f->found ? 0 : diag_code(why, code);
}

int request_equivalent(const struct request *rq, const char *user,
                       const char *user_at_host, struct diag *why)
{
    const char *own = rq->cfg->server_host;
    const struct need need = { .kind = NEED_EQUIVALENT,
                               .name = user,
                               .detail = user_at_host,
                               .data = own,
                               .len = strlen(own) + 1 };

    return is_found(rq, &need, PBSE_BADUSER, why);
}

int request_host(const struct request *rq, const char *host, int code, struct diag *why)
{
    const struct need need = { .kind = NEED_ADDRS, .name = host };

    return is_found(rq, &need, code, why);
}

int request_full_name(const struct request *rq, const char *host, int code,
                      struct diag *why)
{
    const struct need need = { .kind = NEED_FULL_NAME, .name = host };

    return is_found(rq, &need, code, why);
}

/* The name comes from a user: a long one is no zone, and is not looked for. */
#define ZONE_NAME_MAX 100

int request_zone(const struct request *rq, const char *name, const struct zone **ret,
                 struct diag *why)
{
    const struct need need = { .kind = NEED_ZONE, .name = name };
    const struct finding *f;

    if (!name || !*name || strlen(name) > ZONE_NAME_MAX)
        return diag_code(why, PBSE_BAD_ICAL_TZ);
    f = request_know(rq, &need);
    if (!f)
        return NEEDED;
    if (f->failed)
        return diag_set(
            why, PBSE_SYSTEM,
            "%s: the time zone %s could not be read in time, try again later",
            pbse_text(PBSE_SYSTEM), name);
    *ret = f->found ? zone_parse(name, f->data, f->len, rq->arena) : NULL;
    return *ret ? 0 : diag_code(why, PBSE_BAD_ICAL_TZ);
}
