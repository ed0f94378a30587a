/* resv_queue_log.c - the log lines about the queue of a reservation, by which suites
 * and log readers follow a reservation (reservations.md 6).
 *
 * An administrator's changes of queues are told by their request. What the server does
 * to the queue of a reservation is told here, as if the server had asked itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/react/reactions.h"

/* The attributes that are told, in the order of their lines. */
static const int told[] = {
    QUEUE_A_RESOURCES_AVAILABLE,
    QUEUE_A_RESOURCES_MAX,
    QUEUE_A_QUEUE_TYPE,
    QUEUE_A_ENABLED,
    QUEUE_A_STARTED,
    QUEUE_A_ACL_USERS,
    QUEUE_A_ACL_USER_ENABLE,
    QUEUE_A_ACL_GROUPS,
    QUEUE_A_ACL_GROUP_ENABLE,
    QUEUE_A_ACL_HOSTS,
    QUEUE_A_ACL_HOST_ENABLE,
};

static void at_request_of(const struct reaction *r, const char *what, const char *user,
                          const char *host)
{
    effect_log(r->out, r->rec->seq, LOG_EV_ADMIN, LOG_IN_QUEUE, r->rec->id,
               "%s at request of %s%s%s", what, user, host ? "@" : "",
               host ? host : "");
}

static void log_value(const struct reaction *r, int attr, const char *resource,
                      const char *value)
{
    effect_log(r->out, r->rec->seq, LOG_EV_ADMIN, LOG_IN_QUEUE, r->rec->id,
               "attributes set: %s%s%s = %s", queue_table.rows[attr].name,
               resource ? "." : "", resource ? resource : "", value);
}

static void log_changes(const struct reaction *r)
{
    MUST(r->rec->kind == OBJ_QUEUE); /* told[] has the rows of queues */
    /* The order of the lines is that of the table, whatever order the record has. */
    for (size_t i = 0; i < ARRAY_LEN(told); i++)
        for (size_t k = 0; k < r->rec->n_changes; k++) {
            const struct change *c = &r->rec->changes[k];

            if (c->attr == told[i] && c->after)
                log_value(r, c->attr, c->resource, c->after);
        }
}

/* Both switches are told, also one that was off already. */
static void log_closed(const struct reaction *r)
{
    at_request_of(r, "attributes set: ", r->rec->actor, NULL);
    log_value(r, QUEUE_A_ENABLED, NULL, "False");
    log_value(r, QUEUE_A_STARTED, NULL, "False");
}

void log_queue_created(const struct reaction *r)
{
    if (r->rec->reason != REASON_RESV_KEEPS)
        return;
    at_request_of(r, "created", "pbs_server", r->cfg->server_name);
    log_changes(r);
}

void log_queue_set(const struct reaction *r)
{
    if (r->rec->reason == REASON_RESV_CLOSES)
        log_closed(r);
    /* Changes without that reason are told by the request that made them. */
    if (r->rec->reason != REASON_RESV_KEEPS)
        return;
    at_request_of(r, "attributes set: ", "pbs_server", r->cfg->server_host);
    log_changes(r);
}

void log_queue_deleted(const struct reaction *r)
{
    if (r->rec->reason == REASON_RESV_KEEPS)
        at_request_of(r, "deleted", "pbs_server", r->cfg->server_host);
}
