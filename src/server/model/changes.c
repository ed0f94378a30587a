/* changes.c - see changes.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/model/changes.h"

#include <stdlib.h>
#include <utlist.h>

struct gone {
    uint64_t seq;
    enum obj_kind kind;
    char *id;
};

struct changes {
    /* By changed_prev and changed_next; the one that changed last is at the end. */
    struct object *first[OBJ_KIND_COUNT];
    /* The last deletions: number i is in v[i % CHANGES_MAX_GONE]. */
    size_t n_gone, cap;
    struct gone *v;
    uint64_t forgotten_seq; /* of the last deletion that is not known any more */
};

struct changes *changes_new(void)
{
    return xcalloc(1, sizeof(struct changes));
}

static size_t oldest_gone(const struct changes *c)
{
    return c->n_gone > CHANGES_MAX_GONE ? c->n_gone - CHANGES_MAX_GONE : 0;
}

static struct gone *gone_at(const struct changes *c, size_t i)
{
    return &c->v[i % CHANGES_MAX_GONE];
}

void changes_free(struct changes *c)
{
    if (!c)
        return;
    for (size_t i = oldest_gone(c); i < c->n_gone; i++)
        free(gone_at(c, i)->id);
    free(c->v);
    free(c);
}

void changes_add(struct changes *c, struct object *o)
{
    DL_APPEND2(c->first[o->kind], o, changed_prev, changed_next);
}

void changes_move(struct changes *c, struct object *o)
{
    struct object **first = &c->first[o->kind];

    /* One record makes an object look new several times. History has left the list. */
    if (!o->changed_prev || (*first)->changed_prev == o)
        return;
    DL_DELETE2(*first, o, changed_prev, changed_next);
    DL_APPEND2(*first, o, changed_prev, changed_next);
}

/* Others, such as later occurrences, would only push out what is asked for. */
static bool is_remembered(enum obj_kind kind)
{
    return kind == OBJ_NODE || kind == OBJ_QUEUE || kind == OBJ_RESV || kind == OBJ_JOB;
}

/* Room for one more: the array grows up to its limit, then the oldest one goes. */
static void make_room(struct changes *c)
{
    if (c->n_gone >= CHANGES_MAX_GONE) {
        struct gone *oldest = gone_at(c, c->n_gone);

        c->forgotten_seq = oldest->seq;
        free(oldest->id);
    } else if (c->n_gone == c->cap) {
        c->cap = MIN_OF(MAX_OF(2 * c->cap, (size_t)16), (size_t)CHANGES_MAX_GONE);
        c->v = xrealloc(c->v, c->cap * sizeof(*c->v));
    }
}

void changes_drop(struct changes *c, struct object *o)
{
    DL_DELETE2(c->first[o->kind], o, changed_prev, changed_next);
    o->changed_prev = NULL; /* in a list every object has one */
}

void changes_remove(struct changes *c, struct object *o, uint64_t seq)
{
    if (!o->changed_prev)
        return;
    changes_drop(c, o);
    if (!is_remembered(o->kind))
        return;
    make_room(c);
    *gone_at(c, c->n_gone++) = (struct gone){ seq, o->kind, xstrdup(o->id) };
}

void changes_forget(struct changes *c, uint64_t seq)
{
    c->forgotten_seq = MAX_OF(c->forgotten_seq, seq);
}

bool changes_are_known(const struct model *m, uint64_t since)
{
    return since >= m->changes->forgotten_seq && since >= m->defs_seq &&
           since <= m->seq;
}

/* The list of changes is walked from its end back to what was seen already. */
static const struct object *before(const struct object *first, const struct object *o,
                                   uint64_t since)
{
    const struct object *prev = o == first ? NULL : o->changed_prev;

    return prev && prev->shown_seq > since ? prev : NULL;
}

static const struct object *last_changed(const struct object *first, uint64_t since)
{
    const struct object *last = first ? first->changed_prev : NULL;

    return last && last->shown_seq > since ? last : NULL;
}

bool changes_are_more(const struct model *m, enum obj_kind kind, uint64_t since,
                      size_t most)
{
    const struct object *first = m->changes->first[kind];
    const struct object *o = last_changed(first, since);

    for (; o && most > 0; o = before(first, o, since))
        most--;
    return o != NULL;
}

static int by_creation(const void *a, const void *b)
{
    const struct object *const *x = a, *const *y = b;

    return ((*x)->created_seq > (*y)->created_seq) -
           ((*x)->created_seq < (*y)->created_seq);
}

static const struct object **all_of(const struct model *m, enum obj_kind kind,
                                    struct arena *arena, size_t *ret_n)
{
    const struct object **v =
        ARENA_ARRAY(arena, const struct object *, model_n_live(m, kind) + 1);

    *ret_n = 0;
    MODEL_EACH_LIVE(m, kind, o)
    v[(*ret_n)++] = o;
    return v;
}

const struct object **changes_since(const struct model *m, enum obj_kind kind,
                                    uint64_t since, struct arena *arena, size_t *ret_n)
{
    const struct object *first = m->changes->first[kind], *o;
    const struct object **v;
    size_t n = 0;

    if (since == 0)
        return all_of(m, kind, arena, ret_n);
    for (o = last_changed(first, since); o; o = before(first, o, since))
        n++;
    v = ARENA_ARRAY(arena, const struct object *, n + 1);
    n = 0;
    for (o = last_changed(first, since); o; o = before(first, o, since))
        v[n++] = o;
    /* Who asks puts new objects behind all others, so they must come in the order in
     * which the server has them, which is not that of their last changes. */
    qsort(v, n, sizeof(*v), by_creation);
    *ret_n = n;
    return v;
}

/* The first deletion after 'since'. */
static size_t first_gone(const struct changes *c, uint64_t since)
{
    size_t i = c->n_gone;

    while (i > oldest_gone(c) && gone_at(c, i - 1)->seq > since)
        i--;
    return i;
}

const char **changes_gone(const struct model *m, enum obj_kind kind, uint64_t since,
                          struct arena *arena, size_t *ret_n)
{
    const struct changes *c = m->changes;
    size_t i = first_gone(c, since);
    const char **v = ARENA_ARRAY(arena, const char *, c->n_gone - i + 1);

    *ret_n = 0;
    for (; i < c->n_gone; i++)
        if (gone_at(c, i)->kind == kind)
            v[(*ret_n)++] = arena_strdup(arena, gone_at(c, i)->id);
    return v;
}

static void check_kind(const struct model *m, enum obj_kind kind)
{
    const struct object *first = m->changes->first[kind];
    uint64_t seq = 0;
    size_t n = 0;

    for (const struct object *o = first; o; o = o->changed_next, n++) {
        MUST(o->kind == kind && o->shown_seq >= seq);
        seq = o->shown_seq;
    }
    MUST(n == model_n_live(m, kind));
}

void changes_check(const struct model *m)
{
    for (int kind = 0; kind < OBJ_KIND_COUNT; kind++)
        check_kind(m, (enum obj_kind)kind);
}
