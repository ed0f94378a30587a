/* resv_user.c - which user and group a reservation belongs to.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_user.h"

#include "server/decide/config.h"
#include "server/decide/know.h"

#include <string.h>

/* "name[@host]": the entry for the server's host, else the first without a host, else
 * NULL. */
static const char *entry_for_host(const struct attr_value *list, const char *host,
                                  struct arena *arena)
{
    const char *plain = NULL;

    for (size_t i = 0; list->set && i < list->u.list.n; i++) {
        const char *entry = list->u.list.v[i];
        const char *at = strchr(entry, '@');

        /* An entry for this host wins over any that is for all hosts. */
        if (at && strcmp(at + 1, host) == 0)
            return arena_strndup(arena, entry, (size_t)(at - entry));
        if (!at && !plain)
            plain = entry;
    }
    return plain ? arena_strdup(arena, plain) : NULL;
}

static bool is_member(const struct wire_strings *groups, const char *group)
{
    for (size_t i = 0; i < groups->n; i++)
        if (strcmp(groups->v[i], group) == 0)
            return true;
    return false;
}

static bool is_refused(const struct request *rq, const struct job *job,
                       const char *user)
{
    if (job)
        return strcmp(user, obj_str(&job->obj, JOB_A_EUSER, "")) != 0;
    /* Nobody reserves for another user, and nobody for root. */
    return strcmp(user, "root") == 0 || strcmp(user, rq->who->user) != 0;
}

int resv_account_find(const struct request *rq, const struct edit *e,
                      const struct job *job, struct resv_account *ret, struct diag *why)
{
    const struct svr_config *cfg = rq->cfg;
    const char *user = job ? obj_str(&job->obj, JOB_A_EUSER, "") : rq->who->user;
    struct resv_account got = { 0 };
    int err;

    got.user =
        entry_for_host(edit_value(e, RESV_A_USER_LIST), cfg->server_host, rq->arena);
    if (!got.user)
        got.user = user;
    if (is_refused(rq, job, got.user))
        return diag_code(why, PBSE_R_UID);
    /* A user without an account here gets the code that PBS has for reservations. */
    if ((err = request_groups(rq, got.user, &got.groups, why)))
        return err == PBSE_BADUSER ? diag_code(why, PBSE_R_UID) : err;
    got.group =
        entry_for_host(edit_value(e, RESV_A_GROUP_LIST), cfg->server_host, rq->arena);
    if (!got.group)
        /* A reservation made of a job has the job's group. */
        got.group =
            job ? obj_str(&job->obj, JOB_A_EGROUP, got.groups.v[0]) : got.groups.v[0];
    else if (!is_member(&got.groups, got.group))
        return diag_code(why, PBSE_BADGRP);
    *ret = got;
    return 0;
}
