/* conflicts.c - whom a reservation meets, as check_shown.c compares it with what the
 * server shows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/server_attrs.h"
#include "server/model/occurrence.h"
#include "server/model/resv_state.h"
#include "shares.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

/* Do these two want what only one of them can have? */
static bool collide(const struct share *a, const struct share *b)
{
    return a->from_at < b->until_at && b->from_at < a->until_at &&
           (a->alone || b->alone);
}

/* Who else has some of the vnode at an instant when too much of it is promised. */
static void mark_short(const struct shares *all, const struct share *own, int64_t has,
                       int64_t at, bool *marks)
{
    int64_t sum = 0;

    /* Who has nothing of what is short is in nobody's way. */
    if (own->amount == 0 || !share_is_at(own, at))
        return;
    for (size_t i = 0; i < all->n; i++)
        sum += share_is_at(&all->v[i], at) ? all->v[i].amount : 0;
    for (size_t i = 0; sum > has && i < all->n; i++)
        if (share_is_at(&all->v[i], at) && all->v[i].amount > 0)
            marks[i] = true;
}

static void mark(const struct node *n, const struct shares *all,
                 const struct share *own, bool *marks)
{
    for (size_t i = 0; i < all->n; i++) {
        mark_short(all, own, vnode_has_of(n, all->resource), all->v[i].from_at, marks);
        if (collide(own, &all->v[i]))
            marks[i] = true;
    }
}

static const struct share *share_of(const struct shares *all, const struct object *o)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].o == o)
            return &all->v[i];
    return NULL;
}

/* Occurrences by creation of their reservations, then in the order of the series; jobs
 * by creation. */
static int by_creation(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    if (x->oc && y->oc)
        return occurrence_is_before(x->oc, y->oc) ? -1 : 1;
    return (x->o->created_seq > y->o->created_seq) -
           (x->o->created_seq < y->o->created_seq);
}

struct finds {
    size_t n;
    struct share v[SHARES_MAX];
};

static void add_marked(struct finds *f, const struct shares *all, const bool *marks,
                       const struct resv *own, enum obj_kind kind)
{
    for (size_t i = 0; i < all->n && f->n < SHARES_MAX; i++) {
        const struct share *one = &all->v[i];
        size_t k = 0;

        while (k < f->n && f->v[k].o != one->o)
            k++;
        if (marks[i] && one->o != &own->obj &&
            (one->oc != NULL) == (kind == OBJ_RESV) && k == f->n)
            f->v[f->n++] = *one;
    }
}

/* Those in the way of a reservation on one vnode, for one resource. */
static void add_conflicts(struct finds *f, const struct resv *r, const struct node *n,
                          const char *resource, enum obj_kind kind, int64_t now_at)
{
    struct shares all = { .resource = resource, .overstayers = true };
    bool marks[SHARES_MAX] = { false };
    const struct share *own;

    shares_of_resvs(&all, n, now_at);
    shares_of_jobs(&all, n, r, now_at);
    own = share_of(&all, &r->obj);
    if (own)
        mark(n, &all, own, marks);
    add_marked(f, &all, marks, r, kind);
}

static void add_server_conflicts(struct finds *f, const struct model *m,
                                 const struct resv *r,
                                 const struct resource_value *limit, enum obj_kind kind,
                                 int64_t now_at)
{
    struct shares all = { .resource = limit->def->name, .overstayers = true };
    const struct resources list = { 1, (struct resource_value *)limit };
    bool marks[SHARES_MAX] = { false };
    const struct share *own;

    shares_of_server(&all, m, r, now_at);
    own = share_of(&all, &r->obj);
    for (size_t i = 0; own && i < all.n; i++)
        mark_short(&all, own, resources_amount(&list, limit->def->name, 0),
                   all.v[i].from_at, marks);
    add_marked(f, &all, marks, r, kind);
}

static void add_all_server_conflicts(struct finds *f, const struct model *m,
                                     const struct resv *r, enum obj_kind kind,
                                     int64_t now_at)
{
    const struct resources *has =
        obj_resources(m->server, SERVER_A_RESOURCES_AVAILABLE);

    for (size_t i = 0; r->current.bookings.n > 0 && i < has->n; i++)
        if (has->v[i].def->flags & RESOURCE_QUEUE)
            add_server_conflicts(f, m, r, &has->v[i], kind, now_at);
}

void promise_conflicts(const struct sim *s, const struct resv *r, enum obj_kind kind,
                       struct buf *out)
{
    struct arena *arena = arena_new();
    struct finds f = { 0 };

    for (size_t i = 0; phase_is_confirmed(resv_phase(r)) && i < r->current.bookings.n;
         i++) {
        const char *resource;
        size_t k = 0;

        while ((resource = next_counted(shell_model(s), &k)))
            add_conflicts(&f, r, r->current.bookings.v[i].node, resource, kind,
                          sim_now_at(s));
    }
    if (phase_is_confirmed(resv_phase(r)))
        add_all_server_conflicts(&f, shell_model(s), r, kind, sim_now_at(s));
    qsort(f.v, f.n, sizeof(f.v[0]), by_creation);
    for (size_t i = 0; i < f.n; i++)
        buf_printf(out, "%s%s", i ? "," : "",
                   f.v[i].oc ? occurrence_name(f.v[i].oc, arena) : f.v[i].id);
    arena_free(arena);
}
