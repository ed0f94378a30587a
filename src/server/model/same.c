/* same.c - is the model what its attributes say, and are two models the same?
 *
 * model_check() makes a copy of the model from its stored attributes alone, as a
 * restart would, and compares: links and sums that have drifted show up as a
 * difference. So the check and the comparison are one thing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/history.h"
#include "server/model/job_array.h"
#include "server/model/job_order.h"
#include "server/model/job_tally.h"
#include "server/model/link_priv.h"
#include "server/model/route_wait.h"

#include <string.h>

struct compare {
    struct arena *arena;
    struct buf *why;
};

static bool differs(struct compare *c, const struct object *o, const char *what)
{
    /* The first difference is named; the others mostly follow from it. */
    if (c->why)
        buf_printf(c->why, "%s %s: %s", kind_name(o->kind), o->id, what);
    return false;
}

/* A member that is not there counts as zero. */
static bool within(const struct resources *a, const struct resources *b)
{
    for (size_t i = 0; i < a->n; i++) {
        const char *name = a->v[i].def->name;

        /* Amounts are compared by name, because another model has definitions of its
         * own. */
        if (resources_amount(a, name, 0) != resources_amount(b, name, 0))
            return false;
    }
    return true;
}

static bool same_sums(const struct resources *a, const struct resources *b)
{
    return within(a, b) && within(b, a);
}

static bool same_members(struct compare *c, const struct attr_type *type,
                         const struct attr_value *a, const struct attr_value *b)
{
    const struct attr_members x = attr_value_members(type, a, c->arena);
    const struct attr_members y = attr_value_members(type, b, c->arena);

    if (x.n != y.n)
        return false;
    for (size_t i = 0; i < x.n; i++)
        if (!str_same(x.v[i].name, y.v[i].name) || !str_same(x.v[i].text, y.v[i].text))
            return false;
    return true;
}

static bool same_value(struct compare *c, const struct attr_type *type,
                       const struct attr_value *a, const struct attr_value *b)
{
    if (a->set != b->set)
        return false;
    if (!a->set)
        return true;
    if (attr_type_has_members(type))
        return same_members(c, type, a, b);
    return str_same(attr_value_text(type, a, c->arena),
                    attr_value_text(type, b, c->arena));
}

static bool same_attrs(struct compare *c, const struct object *a,
                       const struct object *b)
{
    const struct attr_table *t = kind_table(a->kind);

    for (size_t i = 0; i < t->n; i++) {
        /* What is not stored cannot come back with a restart. */
        if (t->rows[i].flags & ATTR_NOT_SAVED)
            continue;
        if (!same_value(c, t->rows[i].type, obj_attrs_get(&a->attrs, i),
                        obj_attrs_get(&b->attrs, i)))
            return differs(c, a, t->rows[i].name);
    }
    return true;
}

#define SAME_ID(a, b)                                                                  \
    (((a) == NULL) == ((b) == NULL) && (!(a) || str_same((a)->obj.id, (b)->obj.id)))

static bool same_bookings(const struct bookings *a, const struct bookings *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!SAME_ID(a->v[i].node, b->v[i].node) ||
            a->v[i].n_parts != b->v[i].n_parts ||
            !same_sums(&a->v[i].amount, &b->v[i].amount))
            return false;
    return true;
}

static bool same_node(struct compare *c, const struct node *a, const struct node *b)
{
    if (a->n_occurrences != b->n_occurrences || a->n_jobs != b->n_jobs)
        return differs(c, &a->obj, "number of links");
    for (size_t i = 0; i < a->n_occurrences; i++)
        if (!str_same(a->occurrences[i]->values->id, b->occurrences[i]->values->id))
            return differs(c, &a->obj, "occurrences");
    for (size_t i = 0; i < a->n_jobs; i++)
        if (!SAME_ID(a->jobs[i], b->jobs[i]))
            return differs(c, &a->obj, "jobs");
    if (a->n_by_admin != b->n_by_admin)
        return differs(c, &a->obj, "jobs suspended by administrators");
    if (a->n_awaited != b->n_awaited)
        return differs(c, &a->obj, "number of jobs that await it");
    for (size_t i = 0; i < a->n_awaited; i++)
        if (!SAME_ID(a->awaited[i], b->awaited[i]))
            return differs(c, &a->obj, "jobs that await it");
    if (!same_sums(&a->assigned.shown, &b->assigned.shown))
        return differs(c, &a->obj, "assigned");
    if (a->n_referrers != b->n_referrers)
        return differs(c, &a->obj, "referrers");
    return true;
}

static bool same_queue(struct compare *c, const struct queue *a, const struct queue *b)
{
    if (!SAME_ID(a->resv, b->resv))
        return differs(c, &a->obj, "reservation");
    if (a->n_jobs != b->n_jobs || memcmp(a->n_state, b->n_state, sizeof(a->n_state)))
        return differs(c, &a->obj, "job counts");
    if (a->n_subjobs != b->n_subjobs)
        return differs(c, &a->obj, "subjobs that run");
    if (a->n_nodes != b->n_nodes)
        return differs(c, &a->obj, "vnodes");
    if (!tallies_same(&a->tallies, &b->tallies))
        return differs(c, &a->obj, "tallies");
    if (!route_wait_same(a, b) || a->n_away != b->n_away)
        return differs(c, &a->obj, "jobs to be routed");
    if (!job_order_same_queue(a, b))
        return differs(c, &a->obj, "jobs");
    if (!same_sums(&a->assigned.shown, &b->assigned.shown))
        return differs(c, &a->obj, "assigned");
    return true;
}

static bool same_occurrence(struct compare *c, const struct occurrence *a,
                            const struct occurrence *b)
{
    if (!same_bookings(&a->bookings, &b->bookings))
        return differs(c, a->values, "bookings");
    if (a->counted != b->counted)
        return differs(c, a->values, "counted");
    return true;
}

static bool same_resv(struct compare *c, const struct resv *a, const struct resv *b)
{
    if (!SAME_ID(a->queue, b->queue))
        return differs(c, &a->obj, "queue");
    if (a->n_later != b->n_later)
        return differs(c, &a->obj, "number of occurrences");
    return same_occurrence(c, &a->current, &b->current);
}

static bool same_later(struct compare *c, const struct later *a, const struct later *b)
{
    const struct occurrence *x = a->occurrence.next;
    const struct occurrence *y = b->occurrence.next;

    if (a->stray != b->stray || !SAME_ID(a->occurrence.resv, b->occurrence.resv))
        return differs(c, &a->obj, "reservation");
    if (!x != !y || (x && !str_same(x->values->id, y->values->id)))
        return differs(c, &a->obj, "the one after it");
    return same_occurrence(c, &a->occurrence, &b->occurrence);
}

static bool same_jobs(struct job *const *a, size_t n_a, struct job *const *b,
                      size_t n_b)
{
    for (size_t i = 0; n_a == n_b && i < n_a; i++)
        if (!SAME_ID(a[i], b[i]))
            return false;
    return n_a == n_b;
}

static bool same_job(struct compare *c, const struct job *a, const struct job *b)
{
    if (!same_bookings(&a->bookings, &b->bookings))
        return differs(c, &a->obj, "bookings");
    if (!SAME_ID(a->queue, b->queue) || !SAME_ID(a->resv, b->resv))
        return differs(c, &a->obj, "queue");
    if (a->counted_in_vnodes != b->counted_in_vnodes)
        return differs(c, &a->obj, "counted");
    if (!same_jobs(a->parents, a->n_parents, b->parents, b->n_parents) ||
        !same_jobs(a->children, a->n_children, b->children, b->n_children))
        return differs(c, &a->obj, "dependencies");
    if (a->past != b->past)
        return differs(c, &a->obj, "history");
    if (a->hot != b->hot || a->awaits.n != b->awaits.n)
        return differs(c, &a->obj, "hot start");
    if (!arrays_same(a->array, b->array) || !SAME_ID(a->parent, b->parent))
        return differs(c, &a->obj, "array");
    return true;
}

static bool same_object(struct compare *c, const struct object *a,
                        const struct object *b)
{
    /* Objects are compared in pairs along the lists, so their order is part of the
     * comparison. */
    if (!str_same(a->id, b->id))
        return differs(c, a, "order of creation");
    /* Many later occurrences are one row of the store, which has one number. */
    if (a->kind != OBJ_OCCURRENCE && a->made_seq != b->made_seq)
        return differs(c, a, "number of the record that made it");
    if (!same_attrs(c, a, b))
        return false;
    switch (a->kind) {
    case OBJ_NODE:
        return same_node(c, TO_NODE(a), TO_NODE(b));
    case OBJ_QUEUE:
        return same_queue(c, TO_QUEUE(a), TO_QUEUE(b));
    case OBJ_OCCURRENCE:
        return same_later(c, TO_LATER(a), TO_LATER(b));
    case OBJ_RESV:
        return same_resv(c, TO_RESV(a), TO_RESV(b));
    case OBJ_JOB:
        return same_job(c, TO_JOB(a), TO_JOB(b));
    default:
        return true;
    }
}

static bool same_kind(struct compare *c, const struct model *a, const struct model *b,
                      int kind)
{
    const struct object *x = a->kinds[kind].first;
    const struct object *y = b->kinds[kind].first;

    for (; x && y; x = x->next, y = y->next)
        if (!same_object(c, x, y))
            return false;
    if (x || y)
        return differs(c, x ? x : y, "only in one");
    return true;
}

static bool same_past(const struct ranks *a, const struct ranks *b)
{
    const struct job *x = history_next(a, NULL), *y = history_next(b, NULL);

    for (; x && y; x = history_next(a, x), y = history_next(b, y))
        if (!SAME_ID(x, y))
            return false;
    return !x && !y;
}

static bool same_history(const struct history *a, const struct history *b)
{
    return same_past(&a->kept, &b->kept) && same_past(&a->guests, &b->guests) &&
           a->n == b->n;
}

static bool same_models(struct compare *c, const struct model *a, const struct model *b)
{
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        if (!same_kind(c, a, b, kind))
            return false;
    if (a->n_jobs != b->n_jobs || memcmp(a->n_state, b->n_state, sizeof(a->n_state)))
        return differs(c, a->server, "job counts");
    if (a->n_subjobs != b->n_subjobs)
        return differs(c, a->server, "subjobs that run");
    if (!tallies_same(&a->tallies, &b->tallies))
        return differs(c, a->server, "tallies");
    if (!tasks_same(a, b))
        return differs(c, a->server, "task numbers");
    if (!job_order_same(a, b))
        return differs(c, a->server, "order of jobs");
    if (!same_history(&a->history, &b->history))
        return differs(c, a->server, "history");
    if (a->n_awaited != b->n_awaited)
        return differs(c, a->server, "awaited vnodes");
    if (a->n_hot != b->n_hot)
        return differs(c, a->server, "hot jobs");
    if (!same_sums(&a->assigned.shown, &b->assigned.shown))
        return differs(c, a->server, "assigned");
    return true;
}

bool model_same(const struct model *a, const struct model *b, struct buf *why)
{
    struct compare c = { .arena = arena_new(), .why = why };
    bool same = same_models(&c, a, b);

    arena_free(c.arena);
    return same;
}

static void copy_attr(struct record *rec, struct arena *arena, int attr,
                      const struct attr_type *type, const struct attr_value *v)
{
    struct attr_members members;

    if (!attr_type_has_members(type)) {
        record_change(rec, arena, attr, NULL, attr_value_text(type, v, arena));
        return;
    }
    members = attr_value_members(type, v, arena);
    for (size_t i = 0; i < members.n; i++)
        record_change(rec, arena, attr, members.v[i].name, members.v[i].text);
}

struct record *record_of_object(const struct object *o, struct arena *arena)
{
    const struct attr_table *t = kind_table(o->kind);
    struct records list = { 0 };
    struct record *rec = record_add(&list, arena, FACT_LOADED, o->kind,
                                    arena_strdup(arena, o->id), "", 0);

    rec->seq = o->made_seq;
    for (size_t i = 0; i < t->n; i++)
        /* The record is what a store would hand over at a start. */
        if (obj_attrs_get(&o->attrs, i)->set && !(t->rows[i].flags & ATTR_NOT_SAVED))
            copy_attr(rec, arena, (int)i, t->rows[i].type, obj_attrs_get(&o->attrs, i));
    return rec;
}

static int by_creation(const struct object *a, const struct object *b)
{
    return a->created_seq < b->created_seq ? -1 : 1;
}

struct model *model_rebuild(const struct model *m)
{
    struct arena *arena = arena_new();
    struct model *copy = model_new(m->server->id);
    const struct object *next[OBJ_KIND_COUNT];

    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        next[kind] = m->kinds[kind].first;
    for (;;) {
        const struct object *o = NULL;

        /* The oldest object that is left comes next, as from a store. */
        for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
            if (next[kind] && (!o || by_creation(next[kind], o) < 0))
                o = next[kind];
        if (!o)
            break;
        next[o->kind] = o->next;
        model_apply(copy, record_of_object(o, arena));
        arena_clear(arena);
    }
    model_loaded(copy, m->seq);
    arena_free(arena);
    return copy;
}

void model_check(const struct model *m)
{
    struct model *copy = model_rebuild(m);
    struct buf why = { 0 };
    bool same = model_same(m, copy, &why);

    changes_check(m);
    if (!same)
        /* The words are in sight of a debugger, and of the core. */
        model_differs(why.data);
    buf_fini(&why);
    model_free(copy);
}

/* A place for a debugger to stop, with the words in sight. */
void model_differs(const char *why)
{
    (void)why;
    MUST(!"links and sums equal their recounts");
}
