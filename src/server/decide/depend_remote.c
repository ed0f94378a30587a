/* depend_remote.c - see depend_remote.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/depend_remote.h"

#include "lib/attr/job_attrs.h"
#include "server/decide/config.h"
#include "server/decide/job_transfer.h"
#include "server/decide/know.h"

#include <inttypes.h>
#include <string.h>

static const enum depend_type wire_types[] = {
    DEPEND_AFTER,  DEPEND_AFTEROK,  DEPEND_AFTERNOTOK,  DEPEND_AFTERANY,
    DEPEND_BEFORE, DEPEND_BEFOREOK, DEPEND_BEFORENOTOK, DEPEND_BEFOREANY,
    DEPEND_ON,     DEPEND_RUNONE,
};

enum depend_type depend_type_from_wire(uint32_t number)
{
    return number < ARRAY_LEN(wire_types) ? wire_types[number] : DEPEND_TYPE_COUNT;
}

uint32_t depend_type_to_wire(enum depend_type type)
{
    uint32_t number = 0;

    while (number < ARRAY_LEN(wire_types) && wire_types[number] != type)
        number++;
    MUST(number < ARRAY_LEN(wire_types)); /* each type has one */
    return number;
}

/* The answer to a message with another 'at' is none to this one: what rules have
 * learned stays known while anything else that they asked is not answered. */
static const struct finding *ask(const struct request *rq, const char *server,
                                 const struct body_register_dep *body, int64_t at)
{
    struct need need = {
        .kind = NEED_TOLD,
        .name = arena_printf(rq->arena, "%s %s %u %u %" PRId64, body->child_id,
                             body->parent_id, body->type, body->operation, at),
        .detail = arena_printf(rq->arena, "@%s", server),
    };

    need.data = server_request(BATCH_REGISTER_DEP, rq->cfg->root_user, body, NULL,
                               rq->arena, &need.len);
    return request_know(rq, &need);
}

/* The user of "user@host", as the message has it. */
static const char *user_of(const char *owner, struct arena *arena)
{
    return arena_strndup(arena, owner, strcspn(owner, "@"));
}

static const struct finding *register_at(const struct request *rq, const char *child,
                                         const char *owner, enum depend_type type,
                                         const char *parent, const char *server,
                                         int64_t at)
{
    const struct body_register_dep body = {
        .owner = user_of(owner, rq->arena),
        .parent_id = parent,
        .child_id = arena_printf(rq->arena, "%s@%s:%u", child, rq->cfg->server_host,
                                 rq->cfg->server_port),
        .type = depend_type_to_wire(type),
        .operation = DEPEND_OP_REGISTER,
    };

    return ask(rq, server, &body, at);
}

const struct finding *depend_register(const struct request *rq, const char *child,
                                      const char *owner, const struct depend_entry *e)
{
    return register_at(rq, child, owner, e->type, e->job, e->server, 0);
}

const struct finding *depend_confirm(const struct request *rq, const struct job *job,
                                     const struct waiter *w)
{
    return register_at(rq, job->obj.id, obj_str(&job->obj, JOB_A_JOB_OWNER, ""),
                       w->type, w->job, w->server, w->at);
}

const struct finding *depend_tell_server(const struct request *rq,
                                         const struct job *job, const struct waiter *w,
                                         enum depend_operation op, int64_t at)
{
    const char *owner = obj_str(&job->obj, JOB_A_JOB_OWNER, "");
    const struct body_register_dep body = {
        .owner = user_of(owner, rq->arena),
        .parent_id = job->obj.id,
        .child_id = w->job,
        .type = depend_type_to_wire(w->type),
        .operation = (uint32_t)op,
    };

    return ask(rq, w->server, &body, at);
}

const struct finding *depend_ask_server(const struct request *rq, const char *job,
                                        const char *server, int64_t at)
{
    struct body_status body = { .id = job };
    struct need need = {
        .kind = NEED_TOLD,
        .name = arena_printf(rq->arena, "depend of %s %" PRId64, job, at),
        .detail = arena_printf(rq->arena, "@%s", server),
    };

    wire_attrs_add(&body.wanted, rq->arena, job_rows[JOB_A_DEPEND].name, NULL, "",
                   WIRE_OP_SET);
    need.data = server_request(BATCH_STATUS_JOB, rq->cfg->root_user, &body, NULL,
                               rq->arena, &need.len);
    return request_know(rq, &need);
}

bool depend_is_answered(const struct finding *answer)
{
    return answer->found || (!answer->failed && !code_says_nothing(answer->code));
}
