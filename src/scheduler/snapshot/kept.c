/* kept.c - a snapshot that lasts from one plan to the next, and is told only what has
 * changed (doc/design/042-mirror.md).
 *
 * The elements stand in the same arrays as in any snapshot, in the order of the server.
 * Each has an arena of its own, so that its memory goes with it. What another scheduler
 * has is known by name alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/snapshot/snapshot.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE SIZE_MAX

/* The requests that an object uses. Most have one; a series may have one for each
 * occurrence that was altered. */
struct uses {
    size_t n, cap;
    struct request **v; /* in the object's arena */
};

struct kept_object {
    char *name;
    struct arena *arena;
    size_t index; /* of the element; NOWHERE: the object is another scheduler's */
    struct uses uses;
    UT_hash_handle hh;
};

struct kept_kind {
    struct kept_object *by_name;
    size_t cap;
    struct kept_object **at; /* [element of the kind], NULL: it is gone */
    size_t n_gone;
};

struct snap_kept {
    struct kept_kind kinds[N_SNAP_KINDS];
    struct kept_object server;
    struct kept_object trial;     /* what snap_read_trial() has read */
    struct kept_object *reading;  /* NULL between objects */
    uint64_t seq;                 /* of the last mark */
    void *derived;                /* by plans from the vnodes; NULL: nothing */
    void (*derived_fini)(void *); /* called before its arena is freed */
    struct arena *derived_arena;
    uint64_t version; /* counts what was derived */
    struct snap_news news[N_SNAP_KINDS];
    size_t n_orphans, cap_orphans;
    void **orphans;
};

void snapshot_keep(struct snapshot *s)
{
    MUST(!s->kept && s->n_vnodes + s->n_queues + s->n_resvs + s->n_jobs == 0);
    s->kept = xcalloc(1, sizeof(*s->kept));
}

void *snap_derived(const struct snapshot *s)
{
    return s->kept ? s->kept->derived : NULL;
}

struct arena *snap_derived_arena(const struct snapshot *s)
{
    MUST(snap_derived(s));
    return s->kept->derived_arena;
}

uint64_t snap_derived_version(const struct snapshot *s)
{
    return s->kept ? s->kept->version : 0;
}

static void drop_derived(struct snap_kept *k)
{
    if (k->derived)
        k->derived_fini(k->derived);
    arena_free(k->derived_arena);
    k->derived_arena = NULL;
    k->derived = NULL;
    k->n_orphans = 0;
}

static struct snap_news *news_of(const struct snapshot *s, const struct snap_kind *kind)
{
    return &s->kept->news[kind - snap_kinds];
}

const struct snap_news *snap_news(const struct snapshot *s, uint32_t type)
{
    MUST(s->kept);
    return news_of(s, snap_kind_of(type));
}

void snap_news_taken(const struct snapshot *s)
{
    for (size_t i = 0; i < N_SNAP_KINDS; i++) {
        s->kept->news[i].moved = false;
        s->kept->news[i].n = 0;
        s->kept->news[i].n_left = SIZE_MAX;
    }
    s->kept->n_orphans = 0;
}

size_t snap_orphans(const struct snapshot *s, void ***ret)
{
    *ret = s->kept->orphans;
    return s->kept->n_orphans;
}

void snap_forget_places(struct snapshot *s, uint32_t type)
{
    if (s->kept)
        news_of(s, snap_kind_of(type))->moved = true;
}

static void note_news(const struct snapshot *s, const struct snap_kind *kind,
                      size_t index)
{
    struct snap_news *news = news_of(s, kind);

    if (news->n == news->cap) {
        news->cap = news->cap ? news->cap * 2 : 32;
        news->v = xrealloc(news->v, news->cap * sizeof(*news->v));
    }
    news->v[news->n++] = index;
}

static const struct snap_memo *memo_of(const struct snap_kind *kind,
                                       const void *element)
{
    if (kind->type == OBJECT_RESV)
        return ((const struct snap_resv *)element)->memo;
    return kind->type == OBJECT_JOB ? ((const struct snap_job *)element)->memo : NULL;
}

/* The element is about to lose its memo. */
static void note_orphan(struct snap_kept *k, const struct snap_kind *kind,
                        const void *element)
{
    const struct snap_memo *memo = memo_of(kind, element);

    /* A stake in a book that is gone is gone with it. */
    if (!memo || !memo->stake || !k->derived || memo->version != k->version)
        return;
    if (k->n_orphans == k->cap_orphans) {
        k->cap_orphans = k->cap_orphans ? k->cap_orphans * 2 : 32;
        k->orphans = xrealloc(k->orphans, k->cap_orphans * sizeof(*k->orphans));
    }
    k->orphans[k->n_orphans++] = memo->stake;
}

struct arena *snap_derive(const struct snapshot *s)
{
    /* A snapshot that is not kept is planned on once: there is nobody to derive for. */
    if (!s->kept)
        return NULL;
    drop_derived(s->kept);
    /* What others have made of the derived, such as links by index, is known by this
     * number to be of an older one. */
    s->kept->version++;
    s->kept->derived_arena = arena_new();
    return s->kept->derived_arena;
}

void snap_derived_set(const struct snapshot *s, void *derived, void (*fini)(void *))
{
    MUST(s->kept && !s->kept->derived && s->kept->derived_arena);
    s->kept->derived = derived;
    s->kept->derived_fini = fini;
}

struct arena *snap_arena(const struct snapshot *s)
{
    return s->kept && s->kept->reading ? s->kept->reading->arena : s->arena;
}

void snap_kept_use(struct snapshot *s, struct request *rq)
{
    struct kept_object *o = s->kept->reading;

    MUST(o);
    ARENA_ROOM(o->arena, &o->uses, v, 1);
    o->uses.v[o->uses.n++] = rq;
    rq->n_uses++;
}

/* Give back what the object has; it stays known by name. */
static void empty_object(struct snapshot *s, struct kept_object *o)
{
    for (size_t i = 0; i < o->uses.n; i++)
        snap_request_release(s, o->uses.v[i]);
    o->uses = (struct uses){ 0 };
    arena_free(o->arena);
    o->arena = NULL;
}

static void free_object(struct snapshot *s, struct kept_object *o)
{
    empty_object(s, o);
    free(o->name);
    free(o);
}

void snap_kept_free(struct snapshot *s)
{
    if (!s->kept)
        return;
    for (size_t i = 0; i < N_SNAP_KINDS; i++) {
        struct kept_kind *k = &s->kept->kinds[i];
        struct kept_object *o, *next;

        HASH_ITER (hh, k->by_name, o, next) {
            HASH_DEL(k->by_name, o);
            free_object(s, o);
        }
        free(k->at);
        free(s->kept->news[i].v);
    }
    free(s->kept->orphans);
    empty_object(s, &s->kept->server);
    drop_derived(s->kept);
    MUST(!s->requests); /* each had a user, and all are gone */
    free(s->kept);
    s->kept = NULL;
}

/* What plans have derived from the vnodes holds when this one, which was 'before', says
 * the same of what they look at. */
static void check_derived(struct snapshot *s, const struct snap_kind *kind,
                          const void *before, const void *now)
{
    if (kind->type == OBJECT_NODE && !snap_derives_same(s, before, now))
        drop_derived(s->kept);
}

/* Read into the element. What the object had before is given back afterwards, so that a
 * request that stays the same is not read again. */
static bool read_object(struct snapshot *s, const struct snap_kind *kind,
                        struct kept_object *o, void *place,
                        const struct wire_object *from)
{
    struct kept_object before = *o;
    char was[sizeof(struct snap_resv) + sizeof(struct snap_vnode)];
    bool mine;

    MUST(kind->size_bytes <= sizeof(was));
    memcpy(was, place, kind->size_bytes);
    o->arena = arena_new_small();
    o->uses = (struct uses){ 0 };
    s->kept->reading = o;
    mine = kind->read(s, memset(place, 0, kind->size_bytes), from);
    s->kept->reading = NULL;
    if (before.arena) {
        check_derived(s, kind, was, place);
        note_orphan(s->kept, kind, was);
    }
    empty_object(s, &before);
    return mine;
}

bool snap_read_trial(struct snapshot *s, struct snap_resv *place,
                     const struct wire_object *from)
{
    const struct snap_kind *kind = snap_kind_of(OBJECT_RESV);
    bool mine;

    if (!s->kept)
        return kind->read(s, place, from);
    MUST(!s->kept->trial.arena); /* one at a time */
    s->kept->trial.arena = arena_new_small();
    s->kept->reading = &s->kept->trial;
    mine = kind->read(s, place, from);
    s->kept->reading = NULL;
    return mine;
}

void snap_forget_trial(struct snapshot *s)
{
    if (s->kept)
        empty_object(s, &s->kept->trial);
}

/* The last element belongs to 'o'. */
static void note_last(struct snapshot *s, const struct snap_kind *kind,
                      struct kept_kind *k, struct kept_object *o)
{
    if (kind->type == OBJECT_NODE)
        drop_derived(s->kept);
    o->index = *snap_count(s, kind) - 1;
    if (o->index >= k->cap) {
        k->cap = k->cap ? k->cap * 2 : 32;
        k->at = xrealloc(k->at, k->cap * sizeof(struct kept_object *));
    }
    k->at[o->index] = o;
    note_news(s, kind, o->index);
}

/* Its element is left out when the patch is complete: see close_gaps(). */
static void leave_place(struct snapshot *s, struct kept_kind *k, struct kept_object *o)
{
    const struct snap_kind *kind = &snap_kinds[k - s->kept->kinds];

    MUST(k->at[o->index] == o);
    if (kind->type == OBJECT_NODE)
        drop_derived(s->kept);
    note_orphan(s->kept, kind, snap_at(s, kind, o->index));
    k->at[o->index] = NULL;
    k->n_gone++;
    o->index = NOWHERE;
}

static void patch_gone(struct snapshot *s, struct kept_kind *k, struct kept_object *o)
{
    if (!o)
        return; /* it came and went since the last time */
    if (o->index != NOWHERE)
        leave_place(s, k, o);
    HASH_DEL(k->by_name, o);
    free_object(s, o);
}

static void patch_new(struct snapshot *s, const struct snap_kind *kind,
                      struct kept_kind *k, const struct wire_object *from)
{
    struct kept_object *o = xcalloc(1, sizeof(*o));
    bool mine = read_object(s, kind, o, snap_append(s, kind), from);

    o->name = xstrdup(from->name);
    HASH_ADD_KEYPTR(hh, k->by_name, o->name, strlen(o->name), o);
    if (mine) {
        note_last(s, kind, k, o);
        return;
    }
    --*snap_count(s, kind);
    empty_object(s, o);
    o->index = NOWHERE;
}

/* False: it has become ours, and nobody knows between which others it stands. */
static bool patch_known(struct snapshot *s, const struct snap_kind *kind,
                        struct kept_kind *k, struct kept_object *o,
                        const struct wire_object *from)
{
    bool was_mine = o->index != NOWHERE;
    void *place = was_mine ? snap_at(s, kind, o->index) : snap_append(s, kind);
    bool mine = read_object(s, kind, o, place, from);

    if (!was_mine)
        --*snap_count(s, kind);
    else
        note_news(s, kind, o->index);
    if (!mine) {
        if (was_mine)
            leave_place(s, k, o);
        empty_object(s, o);
    }
    return !mine || was_mine;
}

static void patch_server(struct snapshot *s, const struct wire_object *from)
{
    struct kept_object *o = &s->kept->server;

    empty_object(s, o);
    o->arena = arena_new_small();
    snap_forget_server(s);
    s->kept->reading = o;
    snap_add_server(s, from);
    s->kept->reading = NULL;
}

/* Those at the end are gone, and others have not moved for it. What was new of them is
 * no news any more. */
static void note_cut(struct snap_news *news, size_t n)
{
    size_t n_kept = 0;

    news->n_left = MIN_OF(news->n_left, n);
    for (size_t i = 0; i < news->n; i++)
        if (news->v[i] < n)
            news->v[n_kept++] = news->v[i];
    news->n = n_kept;
}

/* Move elements together over those that are gone. */
static void close_gaps(struct snapshot *s, const struct snap_kind *kind,
                       struct kept_kind *k)
{
    size_t n = *snap_count(s, kind);
    size_t to = 0;

    for (size_t i = 0; k->n_gone > 0 && i < n; i++) {
        if (!k->at[i])
            continue;
        if (to < i) {
            memcpy(snap_at(s, kind, to), snap_at(s, kind, i), kind->size_bytes);
            k->at[to] = k->at[i];
            k->at[to]->index = to;
            news_of(s, kind)->moved = true;
        }
        to++;
    }
    MUST(k->n_gone == 0 || to == n - k->n_gone);
    *snap_count(s, kind) -= k->n_gone;
    if (k->n_gone > 0)
        note_cut(news_of(s, kind), *snap_count(s, kind));
    k->n_gone = 0;
}

uint64_t snapshot_seq(const struct snapshot *s)
{
    MUST(s->kept);
    return s->kept->seq;
}

void snapshot_classes(struct arena *arena, struct body_changes *ret)
{
    static const uint32_t types[] = { OBJECT_SERVER, OBJECT_RESV, OBJECT_NODE,
                                      OBJECT_QUEUE, OBJECT_JOB };

    ret->n_classes = ARRAY_LEN(types);
    ret->classes = ARENA_ARRAY(arena, struct wire_class, ARRAY_LEN(types));
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        ret->classes[i].type = types[i];
        snapshot_wants(types[i], true, arena, &ret->classes[i].wanted);
    }
}

/* The number of the mark at the end. False: there is none, or it does not follow the
 * one that came last, so that something may have been missed. */
static bool read_mark(const struct snapshot *s, const struct wire_objects *objects,
                      uint64_t *ret)
{
    const struct wire_object *mark =
        objects->n > 0 ? &objects->v[objects->n - 1] : NULL;
    const char *since, *seq;

    if (!mark || mark->type != OBJECT_MARK)
        return false;
    since = wire_attrs_value(&mark->attrs, "since", NULL);
    seq = wire_attrs_value(&mark->attrs, "seq", NULL);
    if (!since || !seq || strtoull(since, NULL, 10) != s->kept->seq)
        return false;
    *ret = strtoull(seq, NULL, 10);
    return *ret >= s->kept->seq;
}

bool snapshot_patch(struct snapshot *s, const struct wire_objects *objects)
{
    bool fine = true;
    uint64_t seq;

    MUST(s->kept);
    if (!read_mark(s, objects, &seq))
        return false;
    s->kept->seq = seq;
    for (size_t i = 0; i < objects->n; i++) {
        const struct wire_object *from = &objects->v[i];
        const struct snap_kind *kind = snap_kind_of(from->type);
        struct kept_kind *k;
        struct kept_object *o;

        if (from->type == OBJECT_SERVER)
            patch_server(s, from);
        if (!kind)
            continue;
        k = &s->kept->kinds[kind - snap_kinds];
        HASH_FIND_STR(k->by_name, from->name, o);
        if (from->attrs.n == 0)
            patch_gone(s, k, o);
        else if (!o)
            patch_new(s, kind, k, from);
        else if (!patch_known(s, kind, k, o, from))
            fine = false;
    }
    for (size_t i = 0; i < N_SNAP_KINDS; i++)
        close_gaps(s, &snap_kinds[i], &s->kept->kinds[i]);
    return fine;
}
