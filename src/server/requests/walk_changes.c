/* walk_changes.c - what has changed since a record, for a scheduler that keeps what it
 * was shown (doc/design/042-mirror.md): class by class the objects that are gone, each
 * without attributes, then those that look different, whole and in the order of the
 * server; last a mark with the number to ask with the next time.
 *
 * What has changed is listed in the first step. Where it is so much that a list would
 * take long, all of the kind are gone through in steps, and the others passed over.
 *
 * A walk takes several turns, so an object may be newer than the mark. It comes again
 * the next time, which does no harm since objects are whole.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/changes.h"
#include "server/requests/walk.h"

#include <string.h>

/* What it costs to list a changed object, in the units of request_slice_cost(). */
#define LIST_COST 4

/* One class of objects. The lists hold names, since objects may go between two steps.
 */
struct class
{
    enum obj_kind kind;
    struct asked asked;
    size_t n_gone, n_changed;
    const char **gone;
    const char **changed; /* NULL: none, or all of the kind are gone through */
    bool goes_through;
};

struct walk_changes {
    uint64_t since;
    uint64_t seq;      /* of the mark */
    uint64_t seen_seq; /* when the walk began, or last left out what has gone since */
    size_t n;
    struct class *v;
    size_t at;   /* class */
    size_t next; /* in its lists, one behind the other */
    bool begun, marked;
};

static const enum obj_kind kinds[] = { OBJ_SERVER, OBJ_NODE, OBJ_QUEUE, OBJ_RESV,
                                       OBJ_JOB };

static bool find_kind(uint32_t type, enum obj_kind *ret)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (show_object_type(kinds[i]) == type) {
            *ret = kinds[i];
            return true;
        }
    return false;
}

static bool has_kind(const struct walk_changes *c, enum obj_kind kind)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i].kind == kind)
            return true;
    return false;
}

static void list_changed(const struct walk *w, struct class *cl)
{
    uint64_t since = w->changes->since;
    size_t most = request_slice_cost(w->rq) / LIST_COST;
    const struct object **v;

    cl->goes_through = since == 0 || changes_are_more(w->m, cl->kind, since, most);
    if (since > 0)
        cl->gone = changes_gone(w->m, cl->kind, since, w->arena, &cl->n_gone);
    if (cl->goes_through)
        return;
    v = changes_since(w->m, cl->kind, since, w->rq->arena, &cl->n_changed);
    cl->changed = ARENA_ARRAY(w->arena, const char *, cl->n_changed + 1);
    for (size_t i = 0; i < cl->n_changed; i++)
        cl->changed[i] = arena_strdup(w->arena, v[i]->id);
}

static int open_class(struct walk *w, const struct wire_class *from, struct diag *why)
{
    struct walk_changes *c = w->changes;
    struct class *cl = &c->v[c->n];
    int err;

    if (!find_kind(from->type, &cl->kind) || has_kind(c, cl->kind))
        return diag_code(why, PBSE_IVALREQ);
    err = asked_parse(&from->wanted, cl->kind, w->arena, &cl->asked, why);
    if (!err)
        c->n++;
    return err;
}

static void begin_class(struct walk *w)
{
    const struct walk_changes *c = w->changes;

    if (c->at == c->n)
        return;
    w->kind = c->v[c->at].kind;
    w->asked = c->v[c->at].asked;
    w->next = c->v[c->at].goes_through ? model_first_live(w->m, w->kind) : NULL;
}

/* A walk that is opened to see whether it may be has no list made. */
static void begin(struct walk *w)
{
    struct walk_changes *c = w->changes;

    MUST(c->seq == w->m->seq); /* the mark says what the lists have seen */
    c->begun = true;
    for (size_t i = 0; i < c->n; i++)
        list_changed(w, &c->v[i]);
    begin_class(w);
}

/* Few settings decide what is shown of all objects. The others are shown with the
 * server, which has changed with them. */
static bool is_known(const struct model *m, uint64_t since)
{
    return since == 0 || (changes_are_known(m, since) && since >= m->looks_seq);
}

int changes_open(struct walk *w, struct diag *why)
{
    const struct body_changes *body = w->rq->body;
    int err = 0;

    if (!w->rq->who->scheduler)
        return diag_code(why, PBSE_PERM);
    if (body->n_classes == 0 || body->n_classes > ARRAY_LEN(kinds))
        return diag_code(why, PBSE_IVALREQ);
    if (!is_known(w->m, body->since))
        return diag_code(why, PBSE_BADSTATE);
    w->changes = ARENA_NEW(w->arena, struct walk_changes);
    w->changes->since = body->since;
    w->changes->seq = w->changes->seen_seq = w->m->seq;
    w->changes->v = ARENA_ARRAY(w->arena, struct class, body->n_classes);
    for (size_t i = 0; !err && i < body->n_classes; i++)
        err = open_class(w, &body->classes[i], why);
    return err;
}

static enum walk_step say_gone(struct walk *w, const char *id)
{
    w->other = (struct wire_object){ .type = show_object_type(w->kind), .name = id };
    w->other_seq = w->changes->seq;
    return WALK_OTHER;
}

static enum walk_step say_mark(struct walk *w)
{
    struct walk_changes *c = w->changes;
    struct arena *arena = w->rq->arena;

    c->marked = true;
    w->other = (struct wire_object){ .type = OBJECT_MARK, .name = "" };
    w->other_seq = c->seq;
    wire_attrs_add(&w->other.attrs, arena, "since", NULL,
                   arena_printf(arena, "%" PRIu64, c->since), WIRE_OP_SET);
    wire_attrs_add(&w->other.attrs, arena, "seq", NULL,
                   arena_printf(arena, "%" PRIu64, c->seq), WIRE_OP_SET);
    return WALK_OTHER;
}

/* One that has gone since the walk began, or is over, is passed over: the next walk
 * tells it. */
static enum walk_step meet(struct walk *w, const struct object *o,
                           const struct object **ret)
{
    if (!o || (o->kind == OBJ_JOB && TO_JOB(o)->past)) {
        w->changes->seen_seq = w->m->seq;
        return WALK_PAST;
    }
    MUST(o->kind == w->kind);
    *ret = o;
    return WALK_AT;
}

uint64_t changes_seen(const struct walk *w)
{
    const struct walk_changes *c = w->changes;

    /* Without a list of names nobody notices what has gone before its turn. */
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i].goes_through)
            return w->m->seq;
    return c->seen_seq;
}

enum walk_step changes_next(struct walk *w, const struct object **ret)
{
    struct walk_changes *c = w->changes;
    const struct class *cl;
    size_t i;

    if (!c->begun)
        begin(w);
    cl = &c->v[c->at];
    i = c->next++;
    if (c->at == c->n)
        return c->marked ? WALK_END : say_mark(w);
    if (i < cl->n_gone)
        return say_gone(w, cl->gone[i]);
    if (i - cl->n_gone < cl->n_changed)
        return meet(w, model_find(w->m, cl->kind, cl->changed[i - cl->n_gone]), ret);
    if (w->next) {
        const struct object *o = w->next;

        w->next = object_next_live(o);
        return c->since == 0 || o->shown_seq > c->since ? meet(w, o, ret) : WALK_PAST;
    }
    c->at++;
    c->next = 0;
    begin_class(w);
    return WALK_PAST;
}
