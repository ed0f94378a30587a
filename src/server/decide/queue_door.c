/* queue_door.c - see queue_door.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/queue_door.h"

#include "lib/attr/acl.h"
#include "lib/attr/indices.h"
#include "lib/attr/queue_attrs.h"
#include "lib/attr/server_attrs.h"
#include "server/decide/config.h"
#include "server/decide/resource_limits.h"

static bool acl_on(const struct queue *q, int switch_attr)
{
    return obj_num(&q->obj, switch_attr, 0) != 0;
}

/* The host of submission or that of the request has to be in the list (attributes.md
 * 4). */
static bool host_passes(const struct request *rq, const struct queue *q,
                        const struct job_account *acct)
{
    const struct attr_value *acl = obj_attr(&q->obj, QUEUE_A_ACL_HOSTS);
    const char *own = rq->cfg->server_host;

    return acl_allows_host(acl, rq->who->host, own) ||
           (acct->from_host && acl_allows_host(acl, acct->from_host, own));
}

bool queue_has_room_after(const struct queue *q, size_t n)
{
    const struct object *o = &q->obj;

    /* The number counts all jobs of the queue in every state. */
    return !obj_is_set(o, QUEUE_A_MAX_QUEUABLE) ||
           (int64_t)(q->n_jobs + n) < obj_num(o, QUEUE_A_MAX_QUEUABLE, 0);
}

int queue_has_room(const struct queue *q, struct diag *why)
{
    return queue_has_room_after(q, 0) ? 0 : diag_code(why, PBSE_MAXQUED);
}

int queue_takes_routed(const struct request *rq, const struct queue *q,
                       const struct job_account *acct, struct diag *why)
{
    const struct object *o = &q->obj;
    const struct requester *who = rq->who;

    if (who->rights & WHO_MANAGER)
        return 0;
    if (acl_on(q, QUEUE_A_ACL_HOST_ENABLE) && !host_passes(rq, q, acct))
        return diag_code(why, PBSE_BADHOST);
    if (acl_on(q, QUEUE_A_ACL_USER_ENABLE) &&
        !acl_allows_user(obj_attr(o, QUEUE_A_ACL_USERS), who->user, who->host))
        return diag_code(why, PBSE_PERM);
    if (acl_on(q, QUEUE_A_ACL_GROUP_ENABLE) &&
        !acl_allows_group(obj_attr(o, QUEUE_A_ACL_GROUPS), acct->groups.v,
                          acct->groups.n))
        return diag_code(why, PBSE_PERM);
    /* No job carries a credential in this version, so a queue that requires one admits
     * nobody. */
    if (obj_is_set(o, QUEUE_A_REQUIRE_CRED_ENABLE) &&
        obj_num(o, QUEUE_A_REQUIRE_CRED_ENABLE, 0))
        return diag_code(why, PBSE_BADCRED);
    return 0;
}

int queue_takes_size(const struct queue *q, const char *indices, struct diag *why)
{
    struct index_range range;

    if (!indices || !obj_is_set(&q->obj, QUEUE_A_MAX_ARRAY_SIZE) ||
        index_range_parse(indices, &range) != 0)
        return 0;
    return (int64_t)index_range_count(&range) <=
                   obj_num(&q->obj, QUEUE_A_MAX_ARRAY_SIZE, INT64_MAX)
               ? 0
               : diag_code(why, PBSE_MaxArraySize);
}

int queue_takes_owner(const struct request *rq, const struct queue *q,
                      const struct job_account *acct, struct diag *why)
{
    int err = queue_takes_size(q, acct->indices, why);

    if (err)
        return err;
    /* Nobody may pass by the route, managers included; the lists are for other users
     * only. */
    if (obj_num(&q->obj, QUEUE_A_FROM_ROUTE_ONLY, 0))
        return diag_code(why, PBSE_QACESS);
    return queue_takes_routed(rq, q, acct, why);
}

int queue_lets_in(const struct request *rq, const struct queue *q,
                  const struct job_account *acct, struct diag *why)
{
    int err;

    if (!obj_num(&q->obj, QUEUE_A_ENABLED, 0))
        return diag_code(why, PBSE_QUNOENB);
    if ((err = queue_has_room(q, why)))
        return err;
    return queue_takes_owner(rq, q, acct, why);
}

int job_keeps_limits(const struct model *m, const struct queue *q,
                     const struct resources *asked, struct diag *why)
{
    const struct resources *max = obj_resources(&q->obj, QUEUE_A_RESOURCES_MAX);

    /* The queue's own limit of a resource takes the place of the server's. */
    if (resource_limits_broken(obj_resources(&q->obj, QUEUE_A_RESOURCES_MIN), NULL,
                               asked, LIMIT_LEAST) ||
        resource_limits_broken(max, NULL, asked, LIMIT_MOST) ||
        resource_limits_broken(obj_resources(m->server, SERVER_A_RESOURCES_MAX), max,
                               asked, LIMIT_MOST))
        return diag_code(why, PBSE_EXCQRESC);
    return 0;
}
