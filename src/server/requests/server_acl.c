/* server_acl.c - see server_acl.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/server_acl.h"

#include "lib/attr/acl.h"
#include "server/decide/config.h"

#include <stdio.h>
#include <strings.h>

#define ADDRS_MAX 16

struct addresses {
    size_t n;
    uint32_t v[ADDRS_MAX];
};

static struct addresses addresses_of(const struct svr_config *cfg, const char *host)
{
    struct addresses a = { 0 };

    if (cfg->host_addrs)
        a.n = cfg->host_addrs(cfg->arg, host, a.v, ADDRS_MAX);
    return a;
}

static bool share_one(const struct addresses *a, const struct addresses *b)
{
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++)
            if (a->v[i] == b->v[k])
                return true;
    return false;
}

static bool is_mom_host(const struct model *m, const struct svr_config *cfg,
                        const char *host, const struct addresses *at)
{
    const struct host *h, *next;

    if (model_host(m, host))
        return true;
    HASH_ITER (hh, m->hosts, h, next) {
        struct addresses mom = addresses_of(cfg, h->name);

        if (strcasecmp(h->name, host) == 0 || share_one(&mom, at))
            return true;
    }
    return false;
}

static bool subnet_allows(const struct attr_value *acl, const struct addresses *at,
                          const char *own_host)
{
    char text[16];

    for (size_t i = 0; i < at->n; i++) {
        snprintf(text, sizeof(text), "%u.%u.%u.%u", at->v[i] >> 24,
                 at->v[i] >> 16 & 0xff, at->v[i] >> 8 & 0xff, at->v[i] & 0xff);
        if (acl_allows_host(acl, text, own_host))
            return true;
    }
    return false;
}

static bool host_passes(const struct model *m, const struct svr_config *cfg,
                        const char *host)
{
    const struct attr_value *acl = obj_attr(m->server, SERVER_A_ACL_HOSTS);
    struct addresses at;

    if (strcasecmp(host, cfg->server_host) == 0 ||
        acl_allows_host(acl, host, cfg->server_host))
        return true;
    at = addresses_of(cfg, host);
    if (subnet_allows(acl, &at, cfg->server_host))
        return true;
    return obj_num(m->server, SERVER_A_ACL_HOST_MOMS_ENABLE, 0) &&
           is_mom_host(m, cfg, host, &at);
}

int server_lets_in(const struct model *m, const struct svr_config *cfg,
                   const struct requester *who)
{
    const struct object *s = m->server;

    if (obj_num(s, SERVER_A_ACL_HOST_ENABLE, 0) && !(who->rights & WHO_DAEMON) &&
        !who->server_uid && !host_passes(m, cfg, who->host))
        return PBSE_BADHOST;
    if (obj_num(s, SERVER_A_ACL_USER_ENABLE, 0) &&
        !(who->rights & (WHO_STAFF | WHO_DAEMON)) &&
        !acl_allows_user(obj_attr(s, SERVER_A_ACL_USERS), who->user, who->host))
        return PBSE_PERM;
    return 0;
}
