/* same_user.c - see same_user.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/same_user.h"

#include "server/decide/config.h"
#include "server/decide/know.h"

#include <string.h>
#include <strings.h>

static bool is_of_this_host(const struct request *rq, const struct requester *who)
{
    return who->at_home || strcasecmp(who->host, rq->cfg->server_host) == 0;
}

static int ask_files(const struct request *rq, const struct requester *who,
                     const char *account, struct diag *why)
{
    return request_equivalent(
        rq, account, arena_printf(rq->arena, "%s@%s", who->user, who->host), why);
}

int user_may_run_as(const struct model *m, const struct request *rq,
                    const struct requester *who, const char *account, struct diag *why)
{
    MUST(strcmp(account, "root") != 0); /* acl_roots says whose jobs run as root */
    /* A server that hands a job over says whose it is; the sites have equal accounts
     * (operations.md 9). */
    if (strcmp(who->user, account) == 0 && (rq->who->peer || is_of_this_host(rq, who) ||
                                            obj_num(m->server, SERVER_A_FLATUID, 0)))
        return 0;
    return ask_files(rq, who, account, why);
}

int requester_is_account(const struct model *m, const struct request *rq,
                         struct diag *why)
{
    const struct requester *who = rq->who;

    if (is_of_this_host(rq, who) || obj_num(m->server, SERVER_A_FLATUID, 0))
        return diag_code(why, PBSE_BADUSER);
    return ask_files(rq, who, who->user, why);
}
