/* status.c - status of every kind, through one encoder (wire.md 7.2 K, 8.2).
 *
 * Queues, vnodes, reservations and jobs may be many: they are listed step by step
 * (walk.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/config.h"
#include "server/requests/handlers.h"
#include "server/requests/walk.h"

#include <string.h>

static bool wants_all(const char *id)
{
    /* "@server" asks the server that the client is connected to. */
    return *id == '\0' || *id == '@';
}

static void show_resource(const struct request *rq, const struct resource_def *def,
                          struct decision *out)
{
    const char *extend = rq->wire->extend;
    /* The library of PBS asks for the numbers of the wire by the letter p. */
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
    /* Who may see which of them is settings'. */
    out->shows_seq = MAX_OF(m->defs_seq, m->settings_seq);
    /* Asked for all, a hidden resource is left out; asked for by its name, it is
     * refused. */
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

/* All objects of the kind whatever the id says; there are few, and they are looked at
 * afresh. */
static int status_daemons(const struct model *m, const struct request *rq,
                          enum obj_kind kind, struct decision *out)
{
    const struct body_status *body = rq->body;
    struct asked asked;
    int err = asked_parse(&body->wanted, kind, rq->arena, &asked, &out->why);

    if (err)
        return err;
    MUST(out->reply.objects.n == 0); /* the reply has these objects and no others */
    out->reply.choice = REPLY_STATUS;
    MODEL_EACH (m, kind, o) {
        show_object(m, rq, o, show_object_type(kind), &asked, out);
    }
    return 0;
}

int handle_status(const struct model *m, const struct request *rq, struct decision *out)
{
    switch (rq->wire->number) {
    case BATCH_STATUS_SERVER:
        return status_daemons(m, rq, OBJ_SERVER, out);
    case BATCH_STATUS_SCHED:
        return status_daemons(m, rq, OBJ_SCHED, out);
    case BATCH_STATUS_RESOURCE:
        return status_resources(m, rq, rq->body, out);
    case BATCH_STATUS_HOOK:
        return handle_status_hook(m, rq, out);
    default:
        return decide_listing(m, rq, out);
    }
}
