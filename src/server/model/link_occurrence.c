/* link_occurrence.c - an occurrence, the vnodes that are booked for it, and its place
 * in the series.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "server/model/link_priv.h"
#include "server/model/occurrence.h"
#include "server/model/resv_claims.h"

#include <stdio.h>
#include <string.h>
#include <utlist.h>

bool occurrence_is_before(const struct occurrence *a, const struct occurrence *b)
{
    if (a->resv != b->resv)
        return a->resv->obj.created_seq < b->resv->obj.created_seq;
    if (occurrence_index(a) != occurrence_index(b))
        return occurrence_index(a) < occurrence_index(b);
    /* Two occurrences of one index are possible for a moment only, while one takes the
     * place of the other. */
    return a->values->created_seq < b->values->created_seq;
}

static void node_add(struct node *n, struct occurrence *oc)
{
    size_t at = n->n_occurrences;

    /* A new occurrence belongs mostly at the end, so its place is looked for from
     * there. */
    while (at > 0 && occurrence_is_before(oc, n->occurrences[at - 1]))
        at--;
    n->occurrences = array_insert(n->occurrences, &n->n_occurrences, oc, at);
    occurrence_times_add(&n->times, oc);
}

static void node_remove(struct node *n, struct occurrence *oc)
{
    n->occurrences = array_remove(n->occurrences, &n->n_occurrences, oc);
    occurrence_times_remove(&n->times, oc);
}

void occurrence_book(struct model *m, struct occurrence *oc, const char *vnodes)
{
    oc->booked = occurrence_window(oc);
    /* A running occurrence has its vnodes until it has ended, which may be later than
     * its window says. */
    if (oc->counted)
        oc->booked.end_at = INT64_MAX;
    bookings_make(m, vnodes, &oc->bookings);
    for (size_t i = 0; i < oc->bookings.n; i++)
        node_add(oc->bookings.v[i].node, oc);
}

void occurrence_unbook(struct occurrence *oc)
{
    for (size_t i = 0; i < oc->bookings.n; i++)
        node_remove(oc->bookings.v[i].node, oc);
    bookings_drop(&oc->bookings);
}

/* The reservation that "S5[3].svr" belongs to. */
static struct resv *series_of(const struct model *m, const struct later *l)
{
    char id[ID_MAX_RESV + 1];
    struct object *o;

    /* The text before the bracket is the reservation's id without its server. */
    snprintf(id, sizeof(id), "%.*s", (int)strcspn(l->obj.id, "["), l->obj.id);
    o = find_object(m, OBJ_RESV, id);
    return o ? STRUCT_OF(o, struct resv, obj) : NULL;
}

/* They come in order of the series, so the place is found from behind. */
static void series_add(struct resv *r, struct occurrence *oc)
{
    struct occurrence *after = r->later ? r->later->prev : NULL;

    for (size_t n = r->n_later; n > 0 && occurrence_is_before(oc, after); n--)
        after = n > 1 ? after->prev : NULL;
    if (after)
        DL_APPEND_ELEM(r->later, after, oc);
    else
        DL_PREPEND(r->later, oc);
    r->n_later++;
}

void link_later(struct model *m, struct later *l)
{
    struct occurrence *oc = &l->occurrence;

    MUST(!oc->resv && !l->stray);
    oc->resv = series_of(m, l);
    if (!oc->resv) {
        /* The reservation is not there, for example while a store is loaded: the
         * occurrence waits for it. */
        l->stray = true;
        m->n_stray++;
        return;
    }
    series_add(oc->resv, oc);
    occurrence_book(m, oc, obj_str(&l->obj, OCCURRENCE_A_RESV_NODES, NULL));
}

void unlink_later(struct model *m, struct later *l)
{
    struct occurrence *oc = &l->occurrence;

    if (l->stray)
        m->n_stray--;
    l->stray = false;
    /* A stray occurrence has no bookings and is in no series. */
    if (!oc->resv)
        return;
    occurrence_unbook(oc);
    DL_DELETE(oc->resv->later, oc);
    oc->prev = oc->next = NULL;
    oc->resv->n_later--;
    oc->resv = NULL;
}

void adopt_strays(struct model *m)
{
    struct object *o;

    DL_FOREACH (m->kinds[OBJ_OCCURRENCE].first, o) {
        struct later *l = STRUCT_OF(o, struct later, obj);

        /* Each stray is asked for its own reservation, since any may have come. */
        if (!l->stray || !series_of(m, l))
            continue;
        unlink_later(m, l);
        link_later(m, l);
    }
}

void resv_removed(struct model *m, struct resv *r)
{
    struct queue *q = queue_of_resv(m, r);

    /* Without its reservation an occurrence becomes a stray, so that nothing points to
     * what is freed. */
    while (r->later) {
        struct later *l = STRUCT_OF(r->later, struct later, occurrence);

        unlink_later(m, l);
        link_later(m, l);
    }
    /* Jobs that are in its queue still are in no reservation now, and are counted at
     * the vnodes again. */
    if (q && q->jobs_resv == r)
        queue_jobs_follow(m, q);
}
