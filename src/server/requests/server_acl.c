/* server_acl.c - see server_acl.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/server_acl.h"

#include "lib/attr/acl.h"
#include "server/decide/config.h"
#include "server/decide/host_book.h"
#include "server/decide/know.h"

#include <stdio.h>
#include <strings.h>

static bool subnet_allows(const struct attr_value *acl, const struct finding *at,
                          const char *own_host)
{
    char text[16];

    for (size_t i = 0; i < at->n_addrs; i++) {
        /* Entries of subnets are written in dots, so the address is compared as
         * text. */
        snprintf(text, sizeof(text), "%u.%u.%u.%u", at->addrs[i] >> 24,
                 at->addrs[i] >> 16 & 0xff, at->addrs[i] >> 8 & 0xff,
                 at->addrs[i] & 0xff);
        if (acl_allows_host(acl, text, own_host))
            return true;
    }
    return false;
}

static bool is_mom_host(const struct request *rq, const struct finding *at)
{
    for (size_t i = 0; i < at->n_addrs; i++)
        if (host_book_has(rq->view->hosts, at->addrs[i]))
            return true;
    return false;
}

/* A host that is none of those that are known may be one that nobody has said anything
 * about yet. */
static int mom_host_passes(const struct model *m, const struct request *rq,
                           const struct finding *at)
{
    const struct need rest = { .kind = NEED_MOM_HOSTS, .name = "" };

    /* The switch lets hosts with MoMs in, whose jobs submit and ask. */
    if (!obj_num(m->server, SERVER_A_ACL_HOST_MOMS_ENABLE, 0))
        return PBSE_BADHOST;
    if (model_host(m, rq->who->host) || is_mom_host(rq, at))
        return 0;
    if (host_book_is_open(rq->view->hosts) && !request_know(rq, &rest))
        return NEEDED;
    return PBSE_BADHOST;
}

static int host_passes(const struct model *m, const struct request *rq)
{
    const struct attr_value *acl = obj_attr(m->server, SERVER_A_ACL_HOSTS);
    const char *host = rq->who->host, *own = rq->cfg->server_host;
    const struct need need = { .kind = NEED_ADDRS, .name = host };
    const struct finding *at;

    /* The server's own host is always let in: an administrator could lock everybody out
     * otherwise. */
    if (strcasecmp(host, own) == 0 || acl_allows_host(acl, host, own))
        return 0;
    /* Only an entry of addresses could help now, so the addresses are asked for
     * last. */
    at = request_know(rq, &need);
    if (!at)
        return NEEDED;
    return subnet_allows(acl, at, own) ? 0 : mom_host_passes(m, rq, at);
}

int server_lets_in(const struct model *m, const struct request *rq)
{
    const struct requester *who = rq->who;
    const struct object *s = m->server;
    int err = 0;

    /* Daemons and the server's own user are never locked out. */
    if (obj_num(s, SERVER_A_ACL_HOST_ENABLE, 0) && !(who->rights & WHO_DAEMON) &&
        !who->server_uid)
        err = host_passes(m, rq);
    if (err)
        return err;
    if (obj_num(s, SERVER_A_ACL_USER_ENABLE, 0) &&
        !(who->rights & (WHO_STAFF | WHO_DAEMON)) &&
        !acl_allows_user(obj_attr(s, SERVER_A_ACL_USERS), who->user, who->host))
        return PBSE_PERM;
    return 0;
}
