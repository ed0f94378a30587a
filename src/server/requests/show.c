/* show.c - the encoder of status replies. What is computed for each kind of object is
 * in server_show.c, node_show.c, job_show.c, resv_show.c and hook_show.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "server/requests/show.h"

#include "lib/attr/bounds.h"
#include "lib/attr/job_attrs.h"
#include "server/decide/accrual.h"
#include "server/model/edges.h"
#include "server/model/occurrence.h"
#include "server/model/reads.h"

#include <string.h>

int asked_parse(const struct wire_attrs *list, enum obj_kind kind, struct arena *arena,
                struct asked *ret, struct diag *why)
{
    const struct attr_table *t = kind_table(kind);
    struct asked w = { .all = list->n == 0 };
    bool *named = ARENA_ARRAY(arena, bool, t->n);

    /* The bound comes first: each name is looked up, and all of them come from the
     * client. */
    if (list->n > REQUEST_MAX_ENTRIES)
        return diag_set(why, PBSE_IVALREQ, "%s: more than %d attributes",
                        pbse_text(PBSE_IVALREQ), REQUEST_MAX_ENTRIES);
    w.rows = ARENA_ARRAY(arena, int, MIN_OF(list->n, t->n));
    for (size_t i = 0; i < list->n; i++) {
        int attr = attr_find(t, list->v[i].name);

        if (attr < 0)
            return diag_about(why, PBSE_NOATTR, list->v[i].name);
        MUST((size_t)attr < t->n);
        /* A name that is given twice is shown once. */
        if (!named[attr])
            w.rows[w.n++] = attr;
        named[attr] = true;
    }
    MUST(w.n <= MIN_OF(list->n, t->n)); /* which is the room that w.rows has */
    *ret = w;
    return 0;
}

static show_fn show_of_kind(enum obj_kind kind)
{
    MUST(kind < OBJ_KIND_COUNT);

    static const show_fn of_kind[OBJ_KIND_COUNT] = {
        [OBJ_SERVER] = show_server, [OBJ_SCHED] = show_sched, [OBJ_QUEUE] = show_queue,
        [OBJ_NODE] = show_node,     [OBJ_RESV] = show_resv,   [OBJ_JOB] = show_job,
        [OBJ_HOOK] = show_hook,
    };

    return of_kind[kind];
}

uint32_t show_object_type(enum obj_kind kind)
{
    MUST(kind != OBJ_OCCURRENCE); /* clients see it as a part of its reservation */

    static const uint32_t of_kind[OBJ_KIND_COUNT] = {
        [OBJ_SERVER] = OBJECT_SERVER,     [OBJ_SCHED] = OBJECT_SCHED,
        [OBJ_QUEUE] = OBJECT_QUEUE,       [OBJ_NODE] = OBJECT_NODE,
        [OBJ_RESV] = OBJECT_RESV,         [OBJ_JOB] = OBJECT_JOB,
        [OBJ_RESOURCE] = OBJECT_RESOURCE, [OBJ_HOOK] = OBJECT_HOOK,
    };

    return of_kind[kind];
}

bool show_may_read(const struct model *m, const struct attr_row *row, uint32_t rights)
{
    if (row->flags & ATTR_INTERNAL)
        return false;
    /* Daemons need what they may write, whatever users may see of it. */
    if ((rights & WHO_DAEMON) && ((row->read | row->write) & WHO_DAEMON))
        return true;
    if ((row->flags & ATTR_HIDDEN) && !(rights & WHO_DAEMON) &&
        !obj_num(m->server, SERVER_A_SHOW_HIDDEN_ATTRIBS, 0))
        return false;
    return row->read & rights;
}

bool show_sees_invisible(uint32_t rights)
{
    /* Flag i of a resource hides it from users, and from nobody else. */
    return rights & (WHO_STAFF | WHO_DAEMON);
}

/* What a status of a kind shows of others is what the edges say (model/edges.h). */
bool show_is_lasting(const struct model *m, const struct request *rq,
                     const struct object *o)
{
    /* The time that makes the job eligible passes while nothing changes. */
    if (o->kind == OBJ_JOB && accrual_grows(o))
        return false;
    switch (kind_lasts(o->kind)) {
    case LASTS:
        return true;
    case LASTS_A_WHILE:
        MUST(o->kind == OBJ_RESV); /* another kind needs a function of its own */
        return resv_show_is_lasting(m, rq, o);
    case LASTS_NEVER:
        break;
    }
    return false;
}

/* Members with flag i are not for ordinary users. */
static void encode_list(const struct request *rq, const struct attr_row *row,
                        const struct resources *res, struct wire_attrs *out)
{
    bool all = show_sees_invisible(rq->who->rights);

    for (size_t i = 0; i < res->n; i++) {
        const struct resource_value *rv = &res->v[i];

        if (all || !(rv->def->flags & RESOURCE_INVISIBLE))
            wire_attrs_add(out, rq->arena, row->name, rv->def->name,
                           attr_value_text(rv->def->type, &rv->value, rq->arena),
                           WIRE_OP_SET);
    }
}

static void show_stored(const struct request *rq, const struct attr_row *row,
                        const struct attr_value *v, struct wire_attrs *out)
{
    /* An attribute without a value is left out of the reply. */
    if (!v->set)
        return;
    if (row->type == &attr_resources)
        encode_list(rq, row, &v->u.res, out);
    else
        attr_value_encode(row->type, v, row->name, out, rq->arena);
}

static void show_attr(const struct model *m, const struct request *rq,
                      const struct object *o, size_t attr, struct wire_attrs *out)
{
    MUST(attr < kind_table(o->kind)->n);

    const struct attr_row *row = &kind_table(o->kind)->rows[attr];
    show_fn show = show_of_kind(o->kind);

    if (!show_may_read(m, row, rq->who->rights))
        return;
    /* The kind's own function computes what is not stored; it returns false for the
     * rest. */
    if (!show || !show(m, rq, o, (int)attr, out))
        show_stored(rq, row, obj_attrs_get(&o->attrs, attr), out);
}

static void put_all(const struct model *m, const struct request *rq,
                    const struct object *o, const struct asked *asked,
                    struct wire_attrs *out)
{
    size_t n = asked->all ? kind_table(o->kind)->n : asked->n;
    struct request mine = *rq;
    struct look look = { 0 };

    MUST(asked->all || asked->n > 0); /* an empty list asks for all */
    if (!mine.look)
        mine.look = &look;
    for (size_t i = 0; i < n; i++)
        show_attr(m, &mine, o, asked->all ? i : (size_t)asked->rows[i], out);
}

void show_put(const struct model *m, const struct request *rq, const struct object *o,
              const struct asked *asked, struct wire_attrs *out)
{
#ifdef HF_CHECKS
    /* What is shown of others than the server is kept by those who were shown it, also
     * when a setting changes, unless its row says that it matters. */
    const struct attr_table *t = kind_table(OBJ_SERVER);

    reads_begin(m->server);
    put_all(m, rq, o, asked, out);
    for (size_t i = 0; i < t->n; i++)
        MUST(o == m->server || !reads_has(m->server, (int)i) ||
             t->rows[i].flags & ATTR_LOOKS);
    reads_end(m->server);
#else
    put_all(m, rq, o, asked, out);
#endif
}

void show_object(const struct model *m, const struct request *rq,
                 const struct object *o, uint32_t type, const struct asked *asked,
                 struct decision *out)
{
    /* The reply outlives the request, so the name is copied into the decision's
     * arena. */
    struct wire_object *to = wire_objects_add(&out->reply.objects, out->arena, type,
                                              arena_strdup(out->arena, o->id));

    show_put(m, rq, o, asked, &to->attrs);
}

void show_encode(const struct model *m, const struct request *rq,
                 const struct object *o, const struct asked *asked, struct buf *out)
{
    struct wire_object to = { .type = show_object_type(o->kind), .name = o->id };

    show_put(m, rq, o, asked, &to.attrs);
    batch_put_object(out, &to);
}

void show_text(const struct request *rq, const struct object *o, int attr,
               const char *text, struct wire_attrs *out)
{
    wire_attrs_add(out, rq->arena, kind_table(o->kind)->rows[attr].name, NULL, text,
                   WIRE_OP_SET);
}

void show_num(const struct request *rq, const struct object *o, int attr, int64_t num,
              struct wire_attrs *out)
{
    const struct attr_row *row = &kind_table(o->kind)->rows[attr];
    struct attr_value v = { .set = true, .u.num = num };

    MUST(!row->type->list && !attr_type_has_members(row->type)); /* v.u.num is it */
    attr_value_encode(row->type, &v, row->name, out, rq->arena);
}

void show_resources(const struct request *rq, const struct object *o, int attr,
                    const struct resources *res, struct wire_attrs *out)
{
    MUST(kind_table(o->kind)->rows[attr].type == &attr_resources);
    encode_list(rq, &kind_table(o->kind)->rows[attr], res, out);
}
