/* status.c - status of every kind, through one encoder (wire.md 7.2 K, 8.2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/handlers.h"
#include "server/requests/show.h"
#include "server/svr.h"

#include <ctype.h>
#include <string.h>

static bool wants_all(const char *id)
{
    return *id == '\0' || *id == '@';
}

static int status_all(const struct model *m, const struct request *rq,
                      enum obj_kind kind, uint32_t type, const struct wanted *wanted,
                      struct decision *out)
{
    MODEL_EACH(m, kind, o)
    {
        show_object(m, rq, o, type, wanted, out);
    }
    return 0;
}

struct status_row {
    uint32_t number;
    enum obj_kind kind;
    uint32_t type;      /* enum wire_object_type */
    int unknown;        /* code for an unknown id */
    bool id_is_ignored; /* all objects whatever the id says */
};

static const struct status_row status_rows[] = {
    { BATCH_STATUS_SERVER, OBJ_SERVER, OBJECT_SERVER, 0, true },
    { BATCH_STATUS_SCHED, OBJ_SCHED, OBJECT_SCHED, 0, true },
    { BATCH_STATUS_QUEUE, OBJ_QUEUE, OBJECT_QUEUE, PBSE_UNKQUE, false },
    { BATCH_STATUS_NODE, OBJ_NODE, OBJECT_NODE, PBSE_UNKNODE, false },
    { BATCH_STATUS_RESV, OBJ_RESV, OBJECT_RESV, PBSE_UNKRESVID, false },
    { BATCH_STATUS_JOB, OBJ_JOB, OBJECT_JOB, PBSE_UNKJOBID, false },
};

static const struct status_row *status_row(uint32_t number)
{
    for (size_t i = 0; i < ARRAY_LEN(status_rows); i++)
        if (status_rows[i].number == number)
            return &status_rows[i];
    return NULL;
}

/* --- jobs
 * ------------------------------------------------------------------------------ */

/* Other people's jobs are nobody's business when query_other_jobs is off. */
static bool may_see(const struct model *m, const struct request *rq,
                    const struct job *j)
{
    if ((rq->who->rights & (WHO_STAFF | WHO_DAEMON)) ||
        obj_num(m->server, SERVER_A_QUERY_OTHER_JOBS, 1))
        return true;
    return requester_is_owner(m, rq->who, obj_str(&j->obj, JOB_A_JOB_OWNER, ""));
}

static int status_queue_jobs(const struct model *m, const struct request *rq,
                             const char *name, const struct wanted *wanted,
                             struct decision *out)
{
    size_t len = strcspn(name, "@");
    const struct queue *q = model_queue(m, arena_strndup(rq->arena, name, len));

    if (!q)
        return diag_code(&out->why, PBSE_UNKQUE);
    for (const struct job *j = q->jobs; j; j = j->queue_next)
        if (may_see(m, rq, j))
            show_object(m, rq, &j->obj, OBJECT_JOB, wanted, out);
    return 0;
}

/* A comma list: unknown ones are skipped as long as one is known. */
static int status_job_list(const struct model *m, const struct request *rq,
                           const char *list, const struct wanted *wanted,
                           struct decision *out)
{
    bool known = false;
    bool hidden = false;

    while (*list) {
        size_t len = strcspn(list, ",");
        const struct job *j = model_job(m, arena_strndup(rq->arena, list, len));

        if (j && may_see(m, rq, j)) {
            known = true;
            show_object(m, rq, &j->obj, OBJECT_JOB, wanted, out);
        } else if (j) {
            hidden = true;
        }
        list += len + (list[len] == ',');
    }
    if (known)
        return 0;
    return diag_code(&out->why, hidden ? PBSE_PERM : PBSE_UNKJOBID);
}

static int status_jobs(const struct model *m, const struct request *rq,
                       const struct body_status *body, const struct wanted *wanted,
                       struct decision *out)
{
    const char *extend = rq->wire->extend;

    if (extend && strchr(extend, 'x') &&
        !obj_num(m->server, SERVER_A_JOB_HISTORY_ENABLE, 0))
        return diag_code(&out->why, PBSE_JOBHISTNOTSET);
    if (isdigit((unsigned char)*body->id))
        return status_job_list(m, rq, body->id, wanted, out);
    if (!wants_all(body->id))
        return status_queue_jobs(m, rq, body->id, wanted, out);
    MODEL_EACH(m, OBJ_JOB, o)
    {
        if (may_see(m, rq, TO_JOB(o)))
            show_object(m, rq, o, OBJECT_JOB, wanted, out);
    }
    return 0;
}

/* --- resources
 * ------------------------------------------------------------------ */

static void show_resource(const struct request *rq, const struct resource_def *def,
                          struct decision *out)
{
    const char *extend = rq->wire->extend;
    bool numbers = extend && strchr(extend, 'p');
    struct wire_object *o =
        wire_objects_add(&out->reply.objects, out->arena, OBJECT_RESOURCE, def->name);
    struct buf flags = { 0 };

    if (numbers) {
        wire_attrs_add(&o->attrs, out->arena, "type", NULL,
                       arena_printf(out->arena, "%u", def->type->wire_type), 0);
        wire_attrs_add(&o->attrs, out->arena, "flag", NULL,
                       arena_printf(out->arena, "%u", def->wire_flags), 0);
        return;
    }
    wire_attrs_add(&o->attrs, out->arena, "type", NULL, resource_type_name(def), 0);
    resource_flags_print(def, &flags);
    if (flags.len > 0)
        wire_attrs_add(&o->attrs, out->arena, "flag", NULL,
                       arena_strndup(out->arena, flags.data, flags.len), 0);
    buf_fini(&flags);
}

static bool may_see_resource(const struct request *rq, const struct resource_def *def)
{
    return !(def->flags & RESOURCE_INVISIBLE) ||
           (rq->who->rights & (WHO_STAFF | WHO_DAEMON));
}

static int status_resources(const struct model *m, const struct request *rq,
                            const struct body_status *body, struct decision *out)
{
    const struct resource_def *def;

    out->reply.choice = REPLY_STATUS;
    if (wants_all(body->id)) {
        for (size_t i = 0; i < resource_count(m->defs); i++) {
            def = resource_at(m->defs, i);
            if (may_see_resource(rq, def))
                show_resource(rq, def, out);
        }
        return 0;
    }
    def = resource_find(m->defs, body->id);
    if (!def)
        return diag_code(&out->why, PBSE_UNKRESC);
    if (!may_see_resource(rq, def))
        return diag_code(&out->why, PBSE_PERM);
    show_resource(rq, def, out);
    return 0;
}

/* --- the request
 * ---------------------------------------------------------------------------- */

static int status_objects(const struct model *m, const struct request *rq,
                          const struct status_row *row, struct decision *out)
{
    const struct body_status *body = rq->body;
    const struct object *o = NULL;
    struct wanted wanted;
    int err;

    if (row->kind != OBJ_JOB && !row->id_is_ignored && !wants_all(body->id)) {
        o = model_find(m, row->kind, body->id);
        if (!o)
            return diag_code(&out->why, row->unknown);
    }
    err = wanted_parse(&body->wanted, row->kind, rq->arena, &wanted, &out->why);
    if (err)
        return err;
    out->reply.choice = REPLY_STATUS;
    if (row->kind == OBJ_JOB)
        return status_jobs(m, rq, body, &wanted, out);
    if (!o)
        return status_all(m, rq, row->kind, row->type, &wanted, out);
    show_object(m, rq, o, row->type, &wanted, out);
    return 0;
}

int handle_status(const struct model *m, const struct request *rq, struct decision *out)
{
    if (rq->wire->number == BATCH_STATUS_RESOURCE)
        return status_resources(m, rq, rq->body, out);
    if (rq->wire->number == BATCH_STATUS_HOOK)
        return handle_status_hook(m, rq, out);
    return status_objects(m, rq, status_row(rq->wire->number), out);
}
