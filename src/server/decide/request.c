/* request.c - what handlers share: rights, records, replies, log lines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/request.h"

#include "lib/attr/acl.h"
#include "server/decide/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

uint32_t requester_rights(const struct model *m, const char *user, const char *host,
                          bool server_uid)
{
    const struct object *s = m->server;
    uint32_t rights = WHO_USER;

    /* Who runs the server could change its store as well. */
    if (server_uid)
        return rights | WHO_STAFF;
    /* Being a manager makes nobody an operator; a list may name a user twice. */
    if (obj_is_set(s, SERVER_A_MANAGERS) &&
        acl_allows_user(obj_attr(s, SERVER_A_MANAGERS), user, host))
        rights |= WHO_MANAGER;
    if (obj_is_set(s, SERVER_A_OPERATORS) &&
        acl_allows_user(obj_attr(s, SERVER_A_OPERATORS), user, host))
        rights |= WHO_OPERATOR;
    return rights;
}

bool requester_is_owner(const struct model *m, const struct requester *who,
                        const char *owner)
{
    size_t len = strcspn(owner, "@");

    if (strlen(who->user) != len || strncmp(who->user, owner, len) != 0)
        return false;
    /* With flatuid a user is the same person on every host; without it the files of
     * the server's host may say so of one. */
    if (owner[len] == '\0' || obj_num(m->server, SERVER_A_FLATUID, 0) ||
        who->equivalent)
        return true;
    return strcasecmp(owner + len + 1, who->host) == 0;
}

/* Units of work in one slice of a long request, unless the configuration says
 * otherwise. */
#define SLICE_COST 2000

size_t config_slice_cost(const struct svr_config *cfg)
{
    return cfg->slice_cost ? cfg->slice_cost : SLICE_COST;
}

size_t request_slice_cost(const struct request *rq)
{
    /* The same bound for rules and requests, so none of them has longer turns. */
    return config_slice_cost(rq->cfg);
}

struct requester requester_named(const struct model *m, const char *user_at_host,
                                 struct arena *arena)
{
    size_t len = strcspn(user_at_host, "@");
    struct requester who = {
        .user = arena_strndup(arena, user_at_host, len),
        .host = arena_strdup(arena, user_at_host[len] ? user_at_host + len + 1 : ""),
    };

    /* No connection proves anything of somebody who has not asked. */
    who.rights = requester_rights(m, who.user, who.host, false);
    return who;
}

struct record *decide(struct decision *out, const struct request *rq, enum fact fact,
                      enum obj_kind kind, const char *id)
{
    return record_add(&out->records, out->arena, fact, kind,
                      arena_strdup(out->arena, id), rq->actor, rq->now_at);
}

const char *log_server_name(const struct svr_config *cfg, struct arena *arena)
{
    /* PBS names the server in its log by the short name of its host. */
    return arena_printf(arena, "Server@%.*s", (int)strcspn(cfg->server_host, "."),
                        cfg->server_host);
}

void decide_log(struct decision *out, uint32_t event, uint32_t obj_class,
                const char *object, const char *fmt, ...)
{
    va_list ap;

    /* The lines wait in the decision, since a request that is parked says nothing. */
    out->logs = arena_grow(out->arena, out->logs, out->n_logs, &out->cap_logs, 4,
                           sizeof(*out->logs));
    va_start(ap, fmt);
    out->logs[out->n_logs++] = (struct log_line){
        .event = event,
        .obj_class = obj_class,
        .object = arena_strdup(out->arena, object),
        .text = arena_vprintf(out->arena, fmt, ap),
    };
    va_end(ap);
}

void reply_text(struct decision *out, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    out->reply.choice = REPLY_TEXT;
    out->reply.text = arena_vprintf(out->arena, fmt, ap);
    va_end(ap);
}

void reply_id(struct decision *out, enum reply_choice choice, const char *id)
{
    out->reply.choice = choice;
    /* Replies with an id have it in the place of a text. They may leave when the
     * request, or the job that is being sent, is gone. */
    out->reply.text = arena_strdup(out->arena, id);
}
