/* resv_queue.c - the queue of a reservation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_queue.h"

#include "server/model/resource_request.h"

#include <string.h>

/* The name in whose records the server keeps the queues of reservations. */
static const char *queue_actor(const struct model *m, struct arena *arena)
{
    return arena_printf(arena, "pbs_server@%s", m->server->id);
}

/* A list of the reservation and where it lands in the queue. */
static const struct mirror {
    int resv;
    int queue;
    int enable;
    bool always; /* checked even when there is no list */
} mirrors[] = {
    { RESV_A_AUTHORIZED_USERS, QUEUE_A_ACL_USERS, QUEUE_A_ACL_USER_ENABLE, true },
    { RESV_A_AUTHORIZED_GROUPS, QUEUE_A_ACL_GROUPS, QUEUE_A_ACL_GROUP_ENABLE, false },
    { RESV_A_AUTHORIZED_HOSTS, QUEUE_A_ACL_HOSTS, QUEUE_A_ACL_HOST_ENABLE, false },
};

static int mirror_lists(struct edit *queue, const struct edit *resv,
                        struct arena *arena, struct diag *why)
{
    for (size_t i = 0; i < ARRAY_LEN(mirrors); i++) {
        const struct mirror *mi = &mirrors[i];
        const char *text = attr_value_text(resv_rows[mi->resv].type,
                                           edit_value(resv, mi->resv), arena);
        int err;

        /* Without its list a check would let nobody in. */
        if (!text && !mi->always)
            continue;
        edit_set_num(queue, mi->enable, 1);
        err = text ? edit_set(queue, mi->queue, NULL, text, WIRE_OP_SET, why) : 0;
        if (err)
            return diag_code(why, err);
    }
    return 0;
}

int resv_queue_check(const struct model *m, const struct edit *resv,
                     struct arena *arena, struct diag *why)
{
    struct edit queue;
    int err;

    edit_init(&queue, m, OBJ_QUEUE, NULL);
    err = mirror_lists(&queue, resv, arena, why);
    edit_fini(&queue);
    return err;
}

/* The queue limits all of Resource_List but the shape of the request. */
static void limit(struct edit *queue, const struct edit *resv, struct arena *arena)
{
    const struct resources *list = &edit_value(resv, RESV_A_RESOURCE_LIST)->u.res;

    for (size_t i = 0; i < list->n; i++) {
        const char *name = list->v[i].def->name;
        const char *text = resources_text(list, name, arena);
        int err;

        /* The shape (select, place) says how chunks lie and is no amount. */
        if (resource_is_shape(name))
            continue;
        err = edit_set(queue, QUEUE_A_RESOURCES_MAX, name, text, WIRE_OP_SET, NULL);
        MUST(!err);
        err =
            edit_set(queue, QUEUE_A_RESOURCES_AVAILABLE, name, text, WIRE_OP_SET, NULL);
        MUST(!err);
        (void)err;
    }
}

void resv_queue_create(const struct model *m, const struct request *rq,
                       const struct edit *resv, const char *name, struct decision *out)
{
    struct edit queue;
    struct record *rec;
    int err;

    edit_init(&queue, m, OBJ_QUEUE, NULL);
    edit_set_str(&queue, QUEUE_A_QUEUE_TYPE, "Execution");
    /* Jobs may come when the reservation is confirmed, and run when it begins. */
    edit_set_num(&queue, QUEUE_A_ENABLED, 0);
    edit_set_num(&queue, QUEUE_A_STARTED, 0);
    err = mirror_lists(&queue, resv, rq->arena, NULL); /* resv_queue_check() said yes */
    MUST(!err);
    (void)err;
    limit(&queue, resv, rq->arena);
    rec = record_add(&out->records, out->arena, FACT_CREATED, OBJ_QUEUE, name,
                     queue_actor(m, out->arena), rq->now_at);
    rec->reason = REASON_RESV_KEEPS;
    edit_commit(&queue, out->arena, rec);
    edit_fini(&queue);
}

struct record *resv_queue_record(const struct model *m, const struct resv *r,
                                 enum fact fact, enum reason reason, int64_t now_at,
                                 struct decision *out)
{
    struct record *rec;

    if (!r->queue)
        return NULL;
    /* The record outlives the queue that it ends. */
    rec = record_add(&out->records, out->arena, fact, OBJ_QUEUE,
                     arena_strdup(out->arena, r->queue->obj.id),
                     queue_actor(m, out->arena), now_at);
    rec->reason = reason;
    return rec;
}

void resv_queue_close(const struct model *m, const struct resv *r, const char *actor,
                      int64_t now_at, struct decision *out)
{
    enum reason reason = REASON_NONE;
    struct record *rec;

    if (!r->queue || (!obj_num(&r->queue->obj, QUEUE_A_ENABLED, 0) &&
                      !obj_num(&r->queue->obj, QUEUE_A_STARTED, 0)))
        return;
    if (r->queue->n_jobs > 0) /* else its removal is all there is to tell */
        reason = REASON_RESV_CLOSES;
    rec = resv_queue_record(m, r, FACT_SET, reason, now_at, out);
    rec->actor = actor;
    record_change(rec, out->arena, QUEUE_A_ENABLED, NULL, "False");
    record_change(rec, out->arena, QUEUE_A_STARTED, NULL, "False");
}

void resv_queue_switch(const struct model *m, const struct resv *r, bool enabled,
                       bool started, enum reason reason, int64_t now_at,
                       struct decision *out)
{
    bool was_enabled = r->queue && obj_num(&r->queue->obj, QUEUE_A_ENABLED, 0);
    bool was_started = r->queue && obj_num(&r->queue->obj, QUEUE_A_STARTED, 0);
    struct record *rec;

    /* Nothing is recorded, and nobody told, when both switches are right already. */
    if (!r->queue || (enabled == was_enabled && started == was_started))
        return;
    rec = resv_queue_record(m, r, FACT_SET, reason, now_at, out);
    if (enabled != was_enabled)
        record_change(rec, out->arena, QUEUE_A_ENABLED, NULL,
                      enabled ? "True" : "False");
    if (started != was_started)
        record_change(rec, out->arena, QUEUE_A_STARTED, NULL,
                      started ? "True" : "False");
}

/* A list that is gone takes its switch along; the users' is always checked. */
static void follow_list(struct edit *queue, const struct mirror *mi,
                        const struct edit *resv, struct arena *arena)
{
    const char *text =
        attr_value_text(resv_rows[mi->resv].type, edit_value(resv, mi->resv), arena);
    int err = 0;

    if (!resv->touched[mi->resv])
        return;
    if (text) {
        edit_set_num(queue, mi->enable, 1);
        err = edit_set(queue, mi->queue, NULL, text, WIRE_OP_SET, NULL);
    } else {
        edit_unset(queue, mi->queue, NULL);
        if (!mi->always)
            edit_unset(queue, mi->enable, NULL);
    }
    MUST(!err); /* resv_queue_check() said yes */
    (void)err;
}

static void follow_limits(struct edit *queue, const struct edit *resv,
                          struct arena *arena)
{
    const struct resources *was = obj_resources(resv->o, RESV_A_RESOURCE_LIST);

    if (!resv->touched[RESV_A_RESOURCE_LIST])
        return;
    /* The old limits go first: the new list may have fewer resources. */
    for (size_t i = 0; i < was->n; i++) {
        if (resource_is_shape(was->v[i].def->name))
            continue;
        edit_unset(queue, QUEUE_A_RESOURCES_MAX, was->v[i].def->name);
        edit_unset(queue, QUEUE_A_RESOURCES_AVAILABLE, was->v[i].def->name);
    }
    limit(queue, resv, arena);
}

void resv_queue_follow(const struct model *m, const struct resv *r,
                       const struct edit *resv, int64_t now_at, struct decision *out)
{
    struct edit queue;
    struct record *rec;

    if (!r->queue)
        return;
    edit_init(&queue, m, OBJ_QUEUE, &r->queue->obj);
    for (size_t i = 0; i < ARRAY_LEN(mirrors); i++)
        follow_list(&queue, &mirrors[i], resv, out->arena);
    follow_limits(&queue, resv, out->arena);
    rec = resv_queue_record(m, r, FACT_SET, REASON_NONE, now_at, out);
    /* The change concerned nothing that the queue has. */
    if (!edit_commit(&queue, out->arena, rec))
        out->records.n--; /* nothing to tell */
    edit_fini(&queue);
}
