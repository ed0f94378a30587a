/* shown.c - see shown.h.
 *
 * Classes: three rights besides that of a user make eight combinations; those that may
 * read the same rows of a kind, and the same resources, share a class, named by the
 * smallest of them. They are found anew when the setting changes that hides rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/engine/shown.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Room for about as many pieces as there may be: a hash table that grows while it is
 * large stops everything for milliseconds. */
#undef HASH_INITIAL_NUM_BUCKETS_LOG2
#undef HASH_INITIAL_NUM_BUCKETS
#define HASH_INITIAL_NUM_BUCKETS_LOG2 18U
#define HASH_INITIAL_NUM_BUCKETS      262144U

#define N_RIGHTS                      8 /* operator, manager, daemon: present or not */

struct piece {
    struct shown shown; /* first: a piece is known by it */
    unsigned n_holders;
    bool kept;
    uint64_t key; /* which object, which class */
    uint64_t epoch;
    struct piece *prev, *next; /* most recently used first */
    UT_hash_handle hh;
    char bytes[];
};

struct shown_cache {
    size_t max_bytes, kept_bytes, held_bytes;
    struct piece *by_key, *recent;
    uint64_t epoch; /* counts changes of what follows */
    uint64_t defs_seq, looks_seq;
    uint8_t class_of[OBJ_KIND_COUNT][N_RIGHTS];
    struct arena *scratch; /* of one encoding */
    struct buf bytes;
};

struct shown_cache *shown_cache_new(size_t max_bytes)
{
    struct shown_cache *c = xcalloc(1, sizeof(*c));

    c->max_bytes = max_bytes;
    c->scratch = arena_new();
    return c;
}

static size_t piece_bytes(const struct piece *p)
{
    return sizeof(*p) + p->shown.len;
}

/* Out of the cache; it goes when nobody holds it. */
static void drop(struct shown_cache *c, struct piece *p)
{
    HASH_DEL(c->by_key, p);
    DL_DELETE(c->recent, p);
    p->kept = false;
    c->kept_bytes -= piece_bytes(p);
    /* A reply that is being sent still points to it. */
    if (p->n_holders > 0)
        c->held_bytes += piece_bytes(p);
    else
        free(p);
}

void shown_cache_free(struct shown_cache *c)
{
    if (!c)
        return;
    while (c->recent)
        drop(c, c->recent);
    MUST(c->held_bytes == 0);
    arena_free(c->scratch);
    buf_fini(&c->bytes);
    free(c);
}

static uint32_t rights_of(unsigned i)
{
    return WHO_USER | i * WHO_OPERATOR;
}

static bool read_the_same(const struct model *m, const struct attr_table *t, uint32_t a,
                          uint32_t b)
{
    if (show_sees_invisible(a) != show_sees_invisible(b))
        return false;
    for (size_t i = 0; i < t->n; i++)
        if (show_may_read(m, &t->rows[i], a) != show_may_read(m, &t->rows[i], b))
            return false;
    return true;
}

static uint8_t find_class(const struct model *m, enum obj_kind kind, unsigned rights)
{
    unsigned same = 0;

    /* The search ends at 'rights' itself at the latest. */
    while (!read_the_same(m, kind_table(kind), rights_of(same), rights_of(rights)))
        same++;
    return (uint8_t)same;
}

static void find_classes(struct shown_cache *c, const struct model *m)
{
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        for (unsigned i = 0; i < N_RIGHTS; i++)
            c->class_of[kind][i] = find_class(m, (enum obj_kind)kind, i);
}

/* What all looks depend on besides the object itself. */
static void check_epoch(struct shown_cache *c, const struct model *m)
{
    /* Nothing has changed on which all pieces depend, which is nearly always so. */
    if (c->epoch > 0 && c->defs_seq == m->defs_seq && c->looks_seq == m->looks_seq)
        return;
    /* Pieces of an older epoch are dropped when somebody asks for them, and not all at
     * once. */
    c->epoch++;
    c->defs_seq = m->defs_seq;
    c->looks_seq = m->looks_seq;
    find_classes(c, m);
}

static uint64_t key_of(const struct object *o, unsigned class)
{
    return o->created_seq * N_RIGHTS + class;
}

/* A piece of the bytes that were encoded. */
static struct piece *piece_new(const struct shown_cache *c, uint64_t seq)
{
    struct piece *p = xmalloc(sizeof(*p) + c->bytes.len);

    *p = (struct piece){ .shown = { .len = c->bytes.len, .data = p->bytes, .seq = seq },
                         .epoch = c->epoch };
    memcpy(p->bytes, c->bytes.data, c->bytes.len);
    return p;
}

/* The request for a look at one object, whose texts are needed only until they are
 * encoded. */
static struct request begin_look(struct shown_cache *c, const struct request *rq,
                                 struct look *look)
{
    struct request mine = *rq;

    arena_clear(c->scratch);
    mine.arena = c->scratch;
    *look = (struct look){ 0 };
    mine.look = look;
    return mine;
}

/* 'mine' is that of the look. */
static struct piece *encode(struct shown_cache *c, const struct model *m,
                            const struct request *mine, const struct asked *asked,
                            const struct object *o)
{
    buf_clear(&c->bytes);
    show_encode(m, mine, o, asked, &c->bytes);
    return piece_new(c, o->shown_seq);
}

static void keep(struct shown_cache *c, struct piece *p, uint64_t key)
{
    p->key = key;
    p->kept = true;
    HASH_ADD(hh, c->by_key, key, sizeof(p->key), p);
    DL_PREPEND(c->recent, p);
    c->kept_bytes += piece_bytes(p);
    /* The piece that was not used for the longest time goes first; the new one stays in
     * any case. */
    while (c->kept_bytes > c->max_bytes && c->recent->prev != p)
        drop(c, c->recent->prev);
}

/* What is kept and still right, or NULL. */
static struct piece *find(struct shown_cache *c, const struct object *o, uint64_t key)
{
    struct piece *p;

    HASH_FIND(hh, c->by_key, &key, sizeof(key), p);
    /* A piece is right while its object looks as it did and the epoch is the same. */
    if (p && p->shown.seq == o->shown_seq && p->epoch == c->epoch)
        return p;
    if (p)
        drop(c, p);
    return NULL;
}

const struct shown *shown_get(struct shown_cache *c, const struct model *m,
                              const struct request *rq, const struct asked *asked,
                              const struct object *o, bool *ret_made,
                              size_t *ret_looked_at)
{
    struct look look;
    const struct request mine = begin_look(c, rq, &look);
    /* A reply that names attributes, or shows what changes all the time, is made for
     * one client only. */
    bool lasting = asked->all && show_is_lasting(m, &mine, o);
    struct piece *p = NULL;
    uint64_t key;

    check_epoch(c, m);
    key = key_of(o, c->class_of[o->kind][rq->who->rights / WHO_OPERATOR % N_RIGHTS]);
    if (lasting)
        p = find(c, o, key);
    *ret_made = p == NULL;
    /* What was used last comes to the front of the list. */
    if (p) {
        DL_DELETE(c->recent, p);
        DL_PREPEND(c->recent, p);
    } else {
        p = encode(c, m, &mine, asked, o);
        if (lasting)
            keep(c, p, key);
        else
            c->held_bytes += piece_bytes(p);
    }
    p->n_holders++;
    *ret_looked_at = look.n_looked_at;
    return &p->shown;
}

const struct shown *shown_other(struct shown_cache *c, const struct wire_object *o,
                                uint64_t seq)
{
    struct piece *p;

    buf_clear(&c->bytes);
    batch_put_object(&c->bytes, o);
    p = piece_new(c, seq);
    p->n_holders = 1;
    c->held_bytes += piece_bytes(p);
    return &p->shown;
}

void shown_release(struct shown_cache *c, const struct shown *s)
{
    struct piece *p = STRUCT_OF(s, struct piece, shown);

    if (--p->n_holders > 0 || p->kept)
        return;
    c->held_bytes -= piece_bytes(p);
    free(p);
}

void shown_forget(struct shown_cache *c, const struct object *o)
{
    /* Every class of viewers may have a piece of the object. */
    for (unsigned i = 0; i < N_RIGHTS; i++) {
        uint64_t key = key_of(o, i);
        struct piece *p;

        HASH_FIND(hh, c->by_key, &key, sizeof(key), p);
        if (p)
            drop(c, p);
    }
}

size_t shown_kept_bytes(const struct shown_cache *c)
{
    return c->kept_bytes;
}

size_t shown_held_bytes(const struct shown_cache *c)
{
    return c->held_bytes;
}

bool shown_is_right(struct shown_cache *c, const struct model *m,
                    const struct request *rq, const struct object *o)
{
    const struct asked all = { .all = true };
    struct look look;
    size_t n;
    bool made;
    const struct shown *kept = shown_get(c, m, rq, &all, o, &made, &n);
    const struct request mine = begin_look(c, rq, &look);
    struct piece *fresh = made ? NULL : encode(c, m, &mine, &all, o);
    bool same = !fresh || (fresh->shown.len == kept->len &&
                           memcmp(fresh->shown.data, kept->data, kept->len) == 0);

    /* It was never put into the cache, so nobody else holds it. */
    free(fresh);
    shown_release(c, kept);
    return same;
}
