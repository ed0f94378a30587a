/* show.c - the encoder of status replies, and what it computes for the server, queues,
 * vnodes and schedulers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "server/requests/show.h"

#include "lib/attr/bounds.h"
#include "lib/attr/job_attrs.h"
#include "server/decide/accrual.h"
#include "server/decide/config.h"
#include "server/decide/sched_link.h"
#include "server/model/depend.h"
#include "server/model/edges.h"
#include "server/model/history.h"
#include "server/model/hook_event.h"
#include "server/model/hot_start.h"
#include "server/model/indirect.h"
#include "server/model/job_array.h"
#include "server/model/job_suspend.h"
#include "server/model/node_life.h"
#include "server/model/occurrence.h"
#include "server/model/reads.h"
#include "server/model/waiters.h"

#include <string.h>
#include <strings.h>

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

/* What doc/extensions.md lists, as names joined by commas. */
#define EXTENSIONS                                                                     \
    EXTENSION_CHANGES "," EXTENSION_WHY "," EXTENSION_ON_END "," EXTENSION_AUTO_EXTEND \
                      "," EXTENSION_DRY_RUN "," EXTENSION_OCCURRENCE                   \
                      "," EXTENSION_PUSH "," EXTENSION_RELEASE "," EXTENSION_ANSWERS

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
bool show_is_lasting(const struct request *rq, const struct object *o)
{
    /* The time that makes the job eligible passes while nothing changes. */
    if (o->kind == OBJ_JOB && accrual_grows(o))
        return false;
    switch (kind_lasts(o->kind)) {
    case LASTS:
        return true;
    case LASTS_A_WHILE:
        MUST(o->kind == OBJ_RESV); /* another kind needs a function of its own */
        return resv_show_is_lasting(rq, o);
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

    MUST(asked->all || asked->n > 0); /* an empty list asks for all */
    for (size_t i = 0; i < n; i++)
        show_attr(m, rq, o, asked->all ? i : (size_t)asked->rows[i], out);
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

static const char *state_count(const struct request *rq, const size_t *n)
{
    return arena_printf(rq->arena,
                        "Transit:%zu Queued:%zu Held:%zu Waiting:%zu Running:%zu "
                        "Exiting:%zu Begun:%zu ",
                        n[job_state_index('T')], n[job_state_index('Q')],
                        n[job_state_index('H')], n[job_state_index('W')],
                        n[job_state_index('R')], n[job_state_index('E')],
                        n[job_state_index('B')]);
}

static int64_t total(const size_t *n_state, size_t n_subjobs)
{
    size_t sum = 0;

    for (size_t i = 0; i < strlen(JOB_STATE_LETTERS); i++)
        sum += n_state[i];
    return (int64_t)(sum - n_subjobs);
}

static const char *server_state(const struct model *m, const struct request *rq)
{
    /* The order matters: an end hides everything else, and a hot start hides what the
     * scheduler does. */
    if (rq->view->stopping == STOP_DELAYED)
        return "Terminating_Delay";
    if (rq->view->stopping)
        return "Terminating";
    if (hot_start_is_on(m))
        return "Hot_Start";
    if (!obj_num(m->server, SERVER_A_SCHEDULING, 1))
        return "Idle";
    if (strcmp(sched_link_state(rq->view->links, "default"), "scheduling") == 0)
        return "Scheduling";
    return "Active";
}

/* Schedulers wait differently for a server that will ask a hook. */
static bool has_runjob_hook(const struct model *m)
{
    MODEL_EACH (m, OBJ_HOOK, o) {
        if (obj_num(o, HOOK_A_ENABLED, 1) &&
            (hook_events_of(obj_str(o, HOOK_A_EVENT, "")) & HOOK_RUNJOB))
            return true;
    }
    return false;
}

bool show_server(const struct model *m, const struct request *rq,
                 const struct object *o, int attr, struct wire_attrs *out)
{
    switch (attr) {
    case SERVER_A_SERVER_STATE:
        show_text(rq, o, attr, server_state(m, rq), out);
        return true;
    case SERVER_A_SERVER_HOST:
        show_text(rq, o, attr, rq->cfg->server_host, out);
        return true;
    case SERVER_A_TOTAL_JOBS:
        show_num(rq, o, attr, total(m->n_state, m->n_subjobs), out);
        return true;
    case SERVER_A_STATE_COUNT:
        show_text(rq, o, attr, state_count(rq, m->n_state), out);
        return true;
    case SERVER_A_RESOURCES_ASSIGNED:
        show_resources(rq, o, attr, &m->assigned.shown, out);
        return true;
    /* There is no licensing; the numbers are what clients of PBS expect of a server
     * without limits. */
    case SERVER_A_LICENSE_COUNT:
        show_text(rq, o, attr,
                  "Avail_Global:1000000 Avail_Local:1000000 Used:0 High_Use:0", out);
        return true;
    case SERVER_A_PBS_VERSION:
        show_text(rq, o, attr, rq->cfg->version, out);
        return true;
    case SERVER_A_HAS_RUNJOB_HOOK:
        show_num(rq, o, attr, has_runjob_hook(m), out);
        return true;
    case SERVER_A_HOLDFAST_EXTENSIONS:
        show_text(rq, o, attr, EXTENSIONS, out);
        return true;
    case SERVER_A_HOLDFAST_VERSION:
        show_text(rq, o, attr, rq->cfg->holdfast_version, out);
        return true;
    default:
        return false;
    }
}

bool show_queue(const struct model *m, const struct request *rq, const struct object *o,
                int attr, struct wire_attrs *out)
{
    MUST(o->kind == OBJ_QUEUE);

    const struct queue *q = TO_QUEUE(o);

    (void)m;
    switch (attr) {
    case QUEUE_A_TOTAL_JOBS:
        show_num(rq, o, attr,
                 total(q->n_state, q->n_subjobs) + (int64_t)history_of_queue(m, o->id),
                 out);
        return true;
    case QUEUE_A_STATE_COUNT:
        show_text(rq, o, attr, state_count(rq, q->n_state), out);
        return true;
    case QUEUE_A_RESOURCES_ASSIGNED:
        show_resources(rq, o, attr, &q->assigned.shown, out);
        return true;
    /* The attribute is shown only when vnodes belong to the queue. */
    case QUEUE_A_HASNODES:
        if (q->n_nodes > 0)
            show_num(rq, o, attr, 1, out);
        return true;
    default:
        return false;
    }
}

bool show_sched(const struct model *m, const struct request *rq, const struct object *o,
                int attr, struct wire_attrs *out)
{
    (void)m;
    if (attr != SCHED_A_STATE)
        return false;
    show_text(rq, o, attr, sched_link_state(rq->view->links, o->id), out);
    return true;
}

static int64_t job_slots(const struct job *j, const struct node *n)
{
    for (size_t i = 0; i < j->bookings.n; i++)
        if (j->bookings.v[i].node == n)
            /* A job without cpus on the vnode is shown there all the same. */
            return MAX_OF(resources_amount(&j->bookings.v[i].amount, "ncpus", 0), 1);
    return 1;
}

/* "152.svr/0, 152.svr/1": one entry per slot. */
static void show_node_jobs(const struct request *rq, const struct node *n, int attr,
                           struct wire_attrs *out)
{
    struct buf text = { 0 };
    int64_t slot = 0;

    for (size_t i = 0; i < n->n_jobs; i++)
        for (int64_t k = job_slots(n->jobs[i], n); k > 0; k--)
            buf_printf(&text, "%s%s/%" PRId64, text.len ? ", " : "", n->jobs[i]->obj.id,
                       slot++);
    if (text.len > 0)
        show_text(rq, &n->obj, attr, arena_strdup(rq->arena, text.data), out);
    buf_fini(&text);
}

/* Parts of an occurrence that lie on the vnode; only the current one is shown. */
static size_t parts_on(const struct occurrence *oc, const struct node *n)
{
    if (!occurrence_is_current(oc))
        return 0;
    for (size_t i = 0; i < oc->bookings.n; i++)
        if (oc->bookings.v[i].node == n)
            return oc->bookings.v[i].n_parts;
    return 0;
}

/* The newest reservation comes first, each as often as it has parts there
 * (reservations.md 18). */
static void show_node_resv(const struct request *rq, const struct node *n, int attr,
                           struct wire_attrs *out)
{
    struct buf text = { 0 };

    MUST(n->n_occurrences == 0 || n->occurrences);
    for (size_t i = n->n_occurrences; i > 0; i--)
        for (size_t k = parts_on(n->occurrences[i - 1], n); k > 0; k--)
            buf_printf(&text, "%s%s", text.len ? ", " : "",
                       n->occurrences[i - 1]->resv->obj.id);
    if (text.len > 0)
        show_text(rq, &n->obj, attr, arena_strdup(rq->arena, text.data), out);
    buf_fini(&text);
}

/* Built-in resources that vnodes count are always there, zero when idle. One of the
 * site is there once somebody has used it on this vnode, until the server's next start
 * (attributes.md 6.3), or where it is a reference. */
static void show_node_assigned(const struct model *m, const struct request *rq,
                               const struct node *n, int attr, struct wire_attrs *out)
{
    const struct attr_value *references = obj_attr(&n->obj, NODE_A_HF_INDIRECT);
    bool all = show_sees_invisible(rq->who->rights);

    for (size_t i = 0; i < m->n_counted; i++) {
        const struct resource_def *def = m->counted[i];
        const struct resource_value *rv = resources_find(&n->assigned.shown, def->name);
        const char *text = def->type == &attr_size ? "0kb" : "0";
        const char *to;

        /* The same members are hidden here as in the list of what is available. */
        if ((def->flags & RESOURCE_INVISIBLE) && !all)
            continue;
        if (rv)
            text = attr_value_text(def->type, &rv->value, rq->arena);
        to = references->set ? node_reference(references, def->name) : NULL;
        if (!rv && !to && model_find(m, OBJ_RESOURCE, def->name))
            continue;
        /* The amount is counted at the vnode that has the resource, and is asked for
         * there. */
        if (to)
            text = arena_printf(rq->arena, "@%s", to);
        wire_attrs_add(out, rq->arena, node_table.rows[attr].name, def->name, text,
                       WIRE_OP_SET);
    }
}

static void sort_by_resource(struct wire_attrs *list, size_t from)
{
    MUST(from <= list->n);
    /* A vnode has a few resources, so inserting one after the other is fast enough and
     * keeps equal names in their order. */
    for (size_t i = from + 1; i < list->n; i++)
        for (size_t k = i;
             k > from && strcasecmp(list->v[k - 1].resource, list->v[k].resource) > 0;
             k--) {
            struct wire_attr a = list->v[k];

            list->v[k] = list->v[k - 1];
            list->v[k - 1] = a;
        }
}

/* The vnode's own values, and in their places those that are another vnode's. */
static void show_node_available(const struct request *rq, const struct node *n,
                                int attr, struct wire_attrs *out)
{
    const struct attr_value *references = obj_attr(&n->obj, NODE_A_HF_INDIRECT);
    struct wire_attrs own = { 0 };
    const char *resource, *to;
    size_t at = out->n;

    encode_list(rq, &node_table.rows[attr],
                obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE), &own);
    for (size_t i = 0; (resource = node_reference_at(references, i, rq->arena, &to));
         i++)
        wire_attrs_add(&own, rq->arena, node_table.rows[attr].name, resource, to,
                       WIRE_OP_SET);
    for (size_t i = 0; i < own.n; i++)
        wire_attrs_add(out, rq->arena, own.v[i].name, own.v[i].resource, own.v[i].value,
                       WIRE_OP_SET);
    MUST(out->n == at + own.n); /* what was there before stays where it is */
    sort_by_resource(out, at);
}

bool show_node(const struct model *m, const struct request *rq, const struct object *o,
               int attr, struct wire_attrs *out)
{
    MUST(o->kind == OBJ_NODE);

    const struct node *n = TO_NODE(o);

    switch (attr) {
    case NODE_A_STATE:
        show_text(rq, o, attr, node_state_text(node_state(n), rq->arena), out);
        return true;
    case NODE_A_JOBS:
        show_node_jobs(rq, n, attr, out);
        return true;
    case NODE_A_RESV:
        show_node_resv(rq, n, attr, out);
        return true;
    case NODE_A_RESOURCES_ASSIGNED:
        show_node_assigned(m, rq, n, attr, out);
        return true;
    /* Without references the stored value is the whole truth. */
    case NODE_A_RESOURCES_AVAILABLE:
        if (!obj_is_set(o, NODE_A_HF_INDIRECT))
            return false;
        show_node_available(rq, n, attr, out);
        return true;
    case NODE_A_IN_MULTIVNODE_HOST:
        if (n->host && n->host->n > 1)
            show_num(rq, o, attr, 1, out);
        return true;
    /* PBS's schedulers place nothing on a vnode without the letter. */
    case NODE_A_LICENSE:
        show_text(rq, o, attr, "l", out);
        return true;
    default:
        return false;
    }
}

/* Add what a job that waits says of this one, from the other side. */
static void add_child(const struct request *rq, const struct job *child,
                      const struct job *j, struct depend_list *all)
{
    const char *text = obj_str(&child->obj, JOB_A_DEPEND, NULL);
    struct depend_list list;

    if (!text || !depend_parse(text, rq->arena, &list))
        return;
    for (size_t i = 0; i < list.n; i++) {
        struct depend_entry e = { .job = child->obj.id };

        if (!str_same(list.v[i].job, j->obj.id) || list.v[i].type == DEPEND_RUNONE)
            continue; /* runone stands on both sides */
        e.type = depend_other_side(list.v[i].type);
        depend_add(all, rq->arena, &e);
    }
}

/* Those of other servers; a port has no place in the text. */
static void add_waiters(const struct request *rq, const struct job *j,
                        struct depend_list *all)
{
    const struct waiters list = waiters_of(j, rq->arena);

    for (size_t i = 0; i < list.n; i++) {
        const struct waiter *w = &list.v[i];
        const struct depend_entry e = {
            .type = depend_other_side(w->type),
            .job = w->job,
            .server = arena_strndup(rq->arena, w->server, strcspn(w->server, ":")),
        };

        depend_add(all, rq->arena, &e);
    }
}

/* What the job waits for, and who waits for it. */
static void show_depend(const struct request *rq, const struct job *j,
                        struct wire_attrs *out)
{
    const char *own = obj_str(&j->obj, JOB_A_DEPEND, NULL);
    struct depend_list all = { 0 };
    const char *text;

    if (own && !depend_parse(own, rq->arena, &all))
        all.n = 0;
    for (size_t i = 0; i < j->n_children; i++)
        add_child(rq, j->children[i], j, &all);
    add_waiters(rq, j, &all);
    text = depend_text(&all, rq->cfg->server_name, rq->arena);
    if (text)
        show_text(rq, &j->obj, JOB_A_DEPEND, text, out);
}

/* Shown while the server counts, with what has passed since the last change. */
static void show_eligible(const struct request *rq, const struct object *o,
                          struct wire_attrs *out)
{
    if (obj_is_set(o, JOB_A_ACCRUE_TYPE))
        show_num(rq, o, JOB_A_ELIGIBLE_TIME, accrual_total_s(o, rq->now_at), out);
}

bool show_job(const struct model *m, const struct request *rq, const struct object *o,
              int attr, struct wire_attrs *out)
{
    const struct job_array *a = TO_JOB(o)->array;

    (void)m;
    /* Where its submitter waits is nobody's business (attributes.md 7). */
    if ((attr == JOB_A_INTERACTIVE || attr == JOB_A_BLOCK ||
         attr == JOB_A_FORWARD_X11_PORT) &&
        obj_is_set(o, attr))
        show_text(rq, o, attr, "True", out);
    /* To clients a suspended job is in a state of its own. */
    else if (attr == JOB_A_JOB_STATE && job_is_suspended(TO_JOB(o)))
        show_text(rq, o, attr, "S", out);
    /* One that has given nothing back keeps all that it has. */
    else if (attr == JOB_A_EXEC_VNODE_KEPT && job_is_suspended(TO_JOB(o)))
        show_text(rq, o, attr, job_booked_text(TO_JOB(o)), out);
    /* Everything else is stored. */
    else if (attr == JOB_A_DEPEND && job_is_awaited(TO_JOB(o)))
        show_depend(rq, TO_JOB(o), out);
    else if (attr == JOB_A_ELIGIBLE_TIME)
        show_eligible(rq, o, out);
    else if (a && attr == JOB_A_ARRAY_STATE_COUNT)
        show_text(rq, o, attr, array_state_count(TO_JOB(o), rq->arena), out);
    else if (a && attr == JOB_A_ARRAY_INDICES_REMAINING)
        show_text(rq, o, attr, array_indices_remaining(a, rq->arena), out);
    else
        return false;
    return true;
}
