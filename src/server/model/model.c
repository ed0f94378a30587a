/* model.c - the objects, and the one function that changes them.
 *
 * model_apply() takes the links of the object away, changes its attributes, and makes
 * the links again. Reservations and occurrences are keyed by the text between the first
 * character and the first dot, so that every spelling of wire.md 10.6 finds them;
 * everything else by its whole id.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "server/model/model.h"

#include "lib/attr/bounds.h"
#include "lib/attr/ids.h"
#include "server/model/history.h"
#include "server/model/job_array.h"
#include "server/model/job_order.h"
#include "server/model/model_priv.h"
#include "server/model/node_life.h"
#include "server/model/reads.h"
#include "server/model/route_wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utlist.h>

struct key {
    const char *p;
    size_t len;
};

static struct key object_key(enum obj_kind kind, const char *id)
{
    if (kind != OBJ_RESV && kind != OBJ_OCCURRENCE)
        return (struct key){ id, strlen(id) };
    if (*id == '\0')
        return (struct key){ id, 0 };
    /* The letter may be written R, S or M, and the server may be left out. */
    return (struct key){ id + 1, strcspn(id + 1, ".") };
}

struct object *find_object(const struct model *m, enum obj_kind kind, const char *id)
{
    struct key key = object_key(kind, id);
    struct object *o = NULL;

    /* There is one server, whatever name it is asked for by. */
    if (kind == OBJ_SERVER)
        return m->server;
    if (key.len > 0)
        HASH_FIND(hh, m->kinds[kind].by_id, key.p, key.len, o);
    return o;
}

const struct object *model_find(const struct model *m, enum obj_kind kind,
                                const char *id)
{
    return find_object(m, kind, id);
}

const struct node *model_node(const struct model *m, const char *name)
{
    return TO_NODE(find_object(m, OBJ_NODE, name));
}

const struct queue *model_queue(const struct model *m, const char *name)
{
    return TO_QUEUE(find_object(m, OBJ_QUEUE, name));
}

const struct resv *model_resv(const struct model *m, const char *id)
{
    return TO_RESV(find_object(m, OBJ_RESV, id));
}

const struct job *model_job(const struct model *m, const char *id)
{
    return TO_JOB(find_object(m, OBJ_JOB, id));
}

const struct object *model_first_live(const struct model *m, enum obj_kind kind)
{
    if (kind == OBJ_JOB)
        return m->live ? &m->live->obj : NULL;
    return m->kinds[kind].first;
}

const struct object *object_next_live(const struct object *o)
{
    const struct job *next;

    if (o->kind != OBJ_JOB)
        return o->next;
    MUST(!TO_JOB(o)->past); /* it has left the list */
    next = TO_JOB(o)->list_next;
    return next ? &next->obj : NULL;
}

size_t model_n_live(const struct model *m, enum obj_kind kind)
{
    return m->kinds[kind].n - (kind == OBJ_JOB ? m->history.n : 0);
}

const struct host *model_host(const struct model *m, const char *name)
{
    struct host *h;

    HASH_FIND_STR(m->hosts, name, h);
    return h;
}

static size_t object_size(enum obj_kind kind)
{
    switch (kind) {
    case OBJ_QUEUE:
        return sizeof(struct queue);
    case OBJ_NODE:
        return sizeof(struct node);
    case OBJ_RESV:
        return sizeof(struct resv);
    case OBJ_OCCURRENCE:
        return sizeof(struct later);
    case OBJ_JOB:
        return sizeof(struct job);
    default:
        return sizeof(struct object);
    }
}

static struct other_name *other_name(struct model *m, const char *name)
{
    /* A site changes its server's name seldom, and has few servers: the list is short.
     */
    for (size_t i = 0; i < m->n_other_names; i++)
        if (strcmp(m->other_names[i].name, name) == 0)
            return &m->other_names[i];
    m->other_names =
        xrealloc(m->other_names, (m->n_other_names + 1) * sizeof(*m->other_names));
    m->other_names[m->n_other_names] = (struct other_name){ .name = xstrdup(name) };
    return &m->other_names[m->n_other_names++];
}

/* Has it come from another server? */
static bool is_guest(const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (rec->changes[i].attr == JOB_A_HOP_COUNT && rec->changes[i].after)
            return strtoll(rec->changes[i].after, NULL, 10) > 1;
    return false;
}

/* The server was renamed: its older jobs keep their ids (attributes.md 10). Or the job
 * has come from another server. A subjob has the name of its array. */
static void note_server_of_job(struct model *m, const struct record *rec)
{
    const char *dot = strchr(rec->id, '.');
    const char *index = strchr(rec->id, '[');
    struct other_name *name;

    if (!dot || strcmp(dot + 1, m->server->id) == 0 || (index && index[1] != ']'))
        return;
    name = other_name(m, dot + 1);
    name->was_ours |= !is_guest(rec);
}

static struct object *object_new(struct model *m, enum obj_kind kind, const char *id)
{
    struct object *o = xcalloc(1, object_size(kind));
    struct key key;

    o->kind = kind;
    o->id = xstrdup(id);
    obj_attrs_init(&o->attrs, kind_table(kind)->n);
    /* The order of creation is the order of lists, and a restart makes the same numbers
     * again. */
    o->created_seq = ++m->created;
    if (kind == OBJ_RESV)
        STRUCT_OF(o, struct resv, obj)->current =
            (struct occurrence){ .resv = STRUCT_OF(o, struct resv, obj), .values = o };
    if (kind == OBJ_OCCURRENCE)
        STRUCT_OF(o, struct later, obj)->occurrence.values = o;
    /* The key points into the object's own id, which lives as long. */
    key = object_key(kind, o->id);
    HASH_ADD_KEYPTR(hh, m->kinds[kind].by_id, key.p, key.len, o);
    DL_APPEND(m->kinds[kind].first, o);
    if (kind == OBJ_JOB)
        DL_APPEND2(m->live, STRUCT_OF(o, struct job, obj), list_prev, list_next);
    changes_add(m->changes, o);
    m->kinds[kind].n++;
    return o;
}

/* Out of the tables; still intact. */
static void object_remove(struct model *m, struct object *o)
{
    HASH_DELETE(hh, m->kinds[o->kind].by_id, o);
    DL_DELETE(m->kinds[o->kind].first, o);
    if (o->kind == OBJ_JOB)
        job_order_leave(m, STRUCT_OF(o, struct job, obj));
    if (o->kind == OBJ_JOB && !STRUCT_OF(o, struct job, obj)->past)
        DL_DELETE2(m->live, STRUCT_OF(o, struct job, obj), list_prev, list_next);
    changes_remove(m->changes, o, m->seq);
    if (o->kind == OBJ_JOB)
        job_removed(STRUCT_OF(o, struct job, obj));
    m->kinds[o->kind].n--;
}

static void queue_clear(struct queue *q)
{
    resource_sums_clear(&q->assigned);
    route_wait_free(q);
}

static void object_free(struct object *o)
{
    const struct attr_table *t;

    if (!o)
        return;
    t = kind_table(o->kind);
    for (size_t i = 0; i < t->n; i++)
        if (obj_attrs_get(&o->attrs, i)->set)
            t->rows[i].type->clear(obj_attrs_at(&o->attrs, i));
    if (o->kind == OBJ_NODE) {
        resource_sums_clear(&STRUCT_OF(o, struct node, obj)->assigned);
        node_drop_borrowed(STRUCT_OF(o, struct node, obj));
        free(STRUCT_OF(o, struct node, obj)->referrers);
    }
    if (o->kind == OBJ_QUEUE)
        queue_clear(STRUCT_OF(o, struct queue, obj));
    if (o->kind == OBJ_JOB)
        array_free(STRUCT_OF(o, struct job, obj));
    obj_attrs_fini(&o->attrs);
    free(o->id);
    free(o);
}

static void drop_late(struct model *m, struct late_value *late)
{
    DL_DELETE(m->late, late);
    free(late->resource);
    free(late->text);
    free(late);
}

static int by_name(const void *a, const void *b)
{
    const struct resource_def *const *x = a, *const *y = b;

    return strcasecmp((*x)->name, (*y)->name);
}

static void find_counted(struct model *m)
{
    size_t n = resource_count(m->defs);

    m->counted = xrealloc(m->counted, n * sizeof(*m->counted));
    m->n_counted = 0;
    for (size_t i = 0; i < n; i++)
        if (resource_at(m->defs, i)->flags & (RESOURCE_NODE | RESOURCE_FIRST))
            m->counted[m->n_counted++] = resource_at(m->defs, i);
    /* Vnodes show these resources in the order of their names. */
    qsort(m->counted, m->n_counted, sizeof(*m->counted), by_name);
}

struct model *model_new(const char *server_name)
{
    struct model *m = xcalloc(1, sizeof(*m));

    m->defs = resource_defs_new();
    find_counted(m);
    m->scratch = arena_new();
    m->changes = changes_new();
    m->server = object_new(m, OBJ_SERVER, server_name);
    return m;
}

static void kind_free(struct model *m, enum obj_kind kind)
{
    struct object *o, *next;

    DL_FOREACH_SAFE (m->kinds[kind].first, o, next) {
        unlink_object(m, o);
        object_remove(m, o);
        object_free(o);
    }
}

void model_free(struct model *m)
{
    struct object *o;

    if (!m)
        return;
    object_free(m->gone);
    /* Values that were never applied point to objects that go below. */
    while (m->late)
        drop_late(m, m->late);
    kind_free(m, OBJ_JOB);
    kind_free(m, OBJ_OCCURRENCE); /* they are in a list of the reservation */
    kind_free(m, OBJ_RESV);
    DL_FOREACH (m->kinds[OBJ_NODE].first, o)
        unlink_object(m, o); /* vnodes borrow from one another */
    kind_free(m, OBJ_NODE);  /* links are to queues */
    /* What is left has no links to anything that has gone. */
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        kind_free(m, (enum obj_kind)kind);
    resource_sums_clear(&m->assigned);
    for (size_t i = 0; i < m->n_other_names; i++)
        free(m->other_names[i].name);
    free(m->other_names);
    free(m->counted);
    resource_defs_free(m->defs);
    changes_free(m->changes);
    deadlines_fini(&m->to_tell);
    arena_free(m->scratch);
    free(m);
}

/* True while a vnode is not heard of and counts as it was before. */
static bool is_awaited(const struct object *o)
{
    return o->kind == OBJ_NODE &&
           (node_state_stored(STRUCT_OF(o, struct node, obj)) & NODE_LAST_KNOWN);
}

/* 'text' NULL: there is no such value any more. Non-zero: the text cannot be read. */
static int set_value(struct model *m, struct object *o, int attr, const char *resource,
                     const char *text)
{
    const struct attr_type *type = kind_table(o->kind)->rows[attr].type;

    /* What never was needs no place to be unset in. */
    if (!text && !o->attrs.place[attr])
        return 0;

    struct attr_value *v = obj_attrs_put(&o->attrs, (size_t)attr);
    /* The size of a job is part of its user's budget (object_size.h). */
    size_t before = o->kind == OBJ_JOB ? attr_value_bytes(type, v) : 0;
    int err = 0;

    m->n_awaited -= is_awaited(o);
    if (text)
        err = attr_value_set(type, v, m->defs, resource, text, WIRE_OP_SET);
    else
        attr_value_unset(type, v, resource);
    m->n_awaited += is_awaited(o);
    if (o->kind == OBJ_JOB)
        job_takes_bytes(m, STRUCT_OF(o, struct job, obj), before,
                        attr_value_bytes(type, v));
    return err;
}

static void apply_change(struct model *m, struct object *o, const struct change *c)
{
    int err = set_value(m, o, c->attr, c->resource, c->after);

    MUST(err == 0); /* the handler has checked the text */
    (void)err;
}

/* Objects are loaded in order of creation, and an object may be older than a resource
 * that it uses: such values wait for model_loaded(). */
static bool is_late(const struct model *m, const struct change *c)
{
    return c->after && c->resource && !resource_find(m->defs, c->resource);
}

static void keep_late(struct model *m, struct object *o, const struct change *c)
{
    struct late_value *late = xcalloc(1, sizeof(*late));

    late->o = o;
    late->attr = c->attr;
    late->resource = xstrdup(c->resource);
    late->text = xstrdup(c->after);
    DL_APPEND(m->late, late);
}

static void apply_late(struct model *m)
{
    while (m->late) {
        struct late_value *late = m->late;

        /* All resources are defined by now, since every object has been loaded. */
        int err = set_value(m, late->o, late->attr, late->resource, late->text);

        MUST(err == 0); /* load_check_all() */
        (void)err;
        drop_late(m, late);
    }
}

/* Nobody uses a resource whose counting or type changes, or that goes: what the sums
 * have of it is zero, and of the old type. */
static void drop_sums(struct model *m, const char *resource)
{
    struct object *o;

    resource_sums_remove(&m->assigned, resource);
    DL_FOREACH (m->kinds[OBJ_QUEUE].first, o) {
        resource_sums_remove(&STRUCT_OF(o, struct queue, obj)->assigned, resource);
        looks_new(m, o);
    }
    DL_FOREACH (m->kinds[OBJ_NODE].first, o) {
        resource_sums_remove(&STRUCT_OF(o, struct node, obj)->assigned, resource);
        looks_new(m, o);
    }
}

/* A resource of the site makes, changes or ends its definition. */
static void apply_definition(struct model *m, const struct object *o, bool removes)
{
    const char *type = obj_str(o, RESOURCE_A_TYPE, "string");
    const char *flags = obj_str(o, RESOURCE_A_FLAG, "");
    int err;

    if (removes || resource_is_recounted(m->defs, o->id, type, flags))
        drop_sums(m, o->id);
    if (removes)
        err = resource_undefine(m->defs, o->id, NULL);
    else if (resource_find(m->defs, o->id))
        err = resource_redefine(m->defs, o->id, type, flags, NULL);
    else
        err = resource_define(m->defs, o->id, type, flags, NULL);
    MUST(err == 0); /* the handler has tried it on a copy */
    (void)err;
    /* The list holds pointers to definitions, which may have moved. */
    find_counted(m);
}

static bool moves_links(const struct record *rec)
{
    if (fact_creates(rec->fact) || fact_removes(rec->fact))
        return true;
    for (size_t i = 0; i < rec->n_changes; i++)
        /* Most changes, such as a usage report, touch no link, and then nothing is
         * taken apart. */
        if (kind_table(rec->kind)->rows[rec->changes[i].attr].flags & ATTR_LINKS)
            return true;
    return false;
}

/* Whatever links are made of says that they follow it. */
static void link_again(struct model *m, struct object *o)
{
#ifdef HF_CHECKS
    const struct attr_table *t = kind_table(o->kind);

    reads_begin(o);
    link_object(m, o);
    for (size_t i = 0; i < t->n; i++)
        MUST(!reads_has(o, (int)i) || t->rows[i].flags & ATTR_LINKS);
    reads_end(o);
#else
    link_object(m, o);
#endif
}

static bool changes_settings(const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        /* The next number changes with every job and is shown to nobody. */
        if (rec->changes[i].attr != SERVER_A_HF_NEXT_NUMBER)
            return rec->kind == OBJ_SERVER;
    return false;
}

/* What is shown of all objects may be more than before, or less. */
static bool changes_looks(const struct record *rec)
{
    for (size_t i = 0; i < rec->n_changes; i++)
        if (kind_table(rec->kind)->rows[rec->changes[i].attr].flags & ATTR_LOOKS)
            return true;
    return false;
}

/* Which record somebody has seen who looks at a kind as a whole. */
static void note_seq(struct model *m, const struct record *rec)
{
    /* Records that are loaded have an older one, or none. */
    if (rec->seq > m->seq)
        m->seq = rec->seq;
    if (fact_creates(rec->fact) || fact_removes(rec->fact) || fact_retires(rec->fact))
        m->kinds[rec->kind].members_seq = m->seq;
    if (rec->kind == OBJ_RESOURCE)
        m->defs_seq = m->seq;
    if (changes_settings(rec))
        m->settings_seq = m->seq;
    if (changes_looks(rec))
        m->looks_seq = m->seq;
}

static struct object *target(struct model *m, const struct record *rec)
{
    struct object *o = find_object(m, rec->kind, rec->id);

    /* An object that is there already, such as the server, only gets its values. */
    if (!o && fact_creates(rec->fact)) {
        o = object_new(m, rec->kind, rec->id);
        o->made_seq = rec->seq;
        if (rec->kind == OBJ_JOB)
            note_server_of_job(m, rec);
    }
    MUST(o);
    return o;
}

/* The object that the record is about. */
static struct object *begin_record(struct model *m, const struct record *rec)
{
    struct object *o = target(m, rec);

    /* The object that the last record removed was kept for those who still had to tell
     * of it. */
    object_free(m->gone);
    m->gone = NULL;
    note_seq(m, rec);
    return o;
}

/* What the object links to may not be there yet: model_loaded() makes all links. */
const struct change *model_load(struct model *m, const struct record *rec)
{
    struct object *o = begin_record(m, rec);

    MUST(rec->fact == FACT_LOADED);
    for (size_t i = 0; i < rec->n_changes; i++) {
        const struct change *c = &rec->changes[i];

        if (is_late(m, c))
            keep_late(m, o, c);
        else if (set_value(m, o, c->attr, c->resource, c->after))
            return c;
    }
    o->version = rec->seq;
    looks_new(m, o);
    if (rec->kind == OBJ_RESOURCE)
        apply_definition(m, o, false);
    return NULL;
}

void model_apply(struct model *m, const struct record *rec)
{
    struct object *o;
    bool links = moves_links(rec);

    if (rec->fact == FACT_LOADED) {
        const struct change *bad = model_load(m, rec);

        MUST(!bad);
        (void)bad;
        return;
    }
    MUST(rec->seq > 0); /* its place in the journal */
    o = begin_record(m, rec);
    if (links) {
        /* Neighbours before the change look new, and so do those after it. */
        ends_look_new(m, o);
        unlink_object(m, o);
    }
    for (size_t i = 0; i < rec->n_changes; i++)
        apply_change(m, o, &rec->changes[i]);
    o->version = rec->seq;
    looks_new(m, o);
    /* The definition changes when the object has its new values, and is taken back
     * while it still has its name. */
    if (rec->kind == OBJ_RESOURCE)
        apply_definition(m, o, fact_removes(rec->fact));
    if (fact_removes(rec->fact)) {
        object_remove(m, o);
        m->n_awaited -= is_awaited(o);
        if (o->kind == OBJ_NODE)
            node_removed(m, STRUCT_OF(o, struct node, obj));
        else if (o->kind == OBJ_RESV)
            resv_removed(m, STRUCT_OF(o, struct resv, obj));
        m->gone = o;
    } else if (links) {
        link_again(m, o);
        ends_look_new(m, o);
    }
}

void model_loaded(struct model *m, uint64_t seq)
{
    struct object *o;

    m->seq = seq;
    m->loading = true;
    changes_forget(m->changes, seq);
    apply_late(m);
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        DL_FOREACH (m->kinds[kind].first, o) {
            /* Linking one object may have linked another one already; taken away first,
             * each is linked exactly once. */
            unlink_object(m, o);
            link_object(m, o);
        }
    m->loading = false;
}
