/* resv_conflict.c - see resv_conflict.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/decide/resv_conflict.h"

#include "server/decide/resv_queue.h"
#include "server/decide/resv_record.h"
#include "server/model/occurrence.h"

#include "server/model/resource_request.h"

#include <stdlib.h>
#include <string.h>

struct takeover {
    const struct model *m;
    const struct resv *maint;
    const char *actor;
    int64_t now_at;
    struct decision *out;
    size_t n_hosts; /* of the vnodes that are taken, sorted */
    const char **hosts;
    size_t n,
        cap; /* occurrences that lose some, each as often as it has such a vnode */
    struct occurrence **found;
};

static bool can_lose(const struct takeover *t, const struct occurrence *oc)
{
    return oc->resv != t->maint && !resv_is_maintenance(oc->resv) &&
           phase_is_confirmed(occurrence_phase(oc));
}

/* The index of a vnode keeps those that run without an end, since they have the vnode
 * until they are cleaned up. They are not in the way of what begins after their end. */
static bool is_met(const struct takeover *t, const struct occurrence *oc,
                   struct window window)
{
    struct window own = occurrence_window(oc);

    if (oc->counted)
        own.end_at = MAX_OF(own.end_at, t->now_at + 1);
    return own.start_at < window.end_at && own.end_at > window.start_at;
}

static void find_on(struct takeover *t, const struct node *n, struct window window)
{
    size_t n_there;
    struct occurrence **there = occurrence_times_find(
        &n->times, window.start_at, window.end_at, t->out->arena, &n_there);

    for (size_t i = 0; i < n_there; i++) {
        if (!can_lose(t, there[i]) || !is_met(t, there[i], window))
            continue;
        ARENA_ROOM(t->out->arena, t, found, 8);
        t->found[t->n++] = there[i];
    }
}

static int by_host(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int by_order(const void *x, const void *y)
{
    const struct occurrence *a = *(struct occurrence *const *)x;
    const struct occurrence *b = *(struct occurrence *const *)y;

    return occurrence_is_before(a, b) ? -1 : occurrence_is_before(b, a);
}

/* What pbs_rsub goes by, too; one MoM may have vnodes that say different hosts. A vnode
 * that says none is nobody's neighbour. */
static const char *host_of(const struct takeover *t, const struct node *n)
{
    const struct resources *has = obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE);

    return resources_text(has, "host", t->out->arena);
}

static bool is_taken(const struct takeover *t, const char *vnode)
{
    const struct node *n = model_node(t->m, vnode);
    const char *host = n ? host_of(t, n) : NULL;

    return host && bsearch(&host, t->hosts, t->n_hosts, sizeof(char *), by_host);
}

/* What is left, in order; parentheses that lose all of their vnodes go. */
static struct exec_vnode what_is_left(const struct takeover *t,
                                      const struct exec_vnode *all)
{
    struct arena *arena = t->out->arena;
    struct exec_vnode ret = { .chunks =
                                  ARENA_ARRAY(arena, struct exec_chunk, all->n + 1) };

    for (size_t i = 0; i < all->n; i++) {
        const struct exec_chunk *from = &all->chunks[i];
        struct exec_chunk *to = &ret.chunks[ret.n];

        *to = (struct exec_chunk){ .parts = ARENA_ARRAY(arena, struct vnode_part,
                                                        from->n + 1) };
        for (size_t k = 0; k < from->n; k++)
            if (!is_taken(t, from->parts[k].vnode))
                to->parts[to->n++] = from->parts[k];
        ret.n += to->n > 0;
    }
    return ret;
}

static const char *text_of_left(const struct takeover *t, const struct occurrence *oc)
{
    struct arena *arena = t->out->arena;
    struct exec_vnode all, left;
    int err = exec_vnode_parse(occurrence_vnodes(oc), t->m->defs, arena, &all, NULL);

    if (err) /* a resource of it is gone: nothing of the text can be kept */
        return NULL;
    left = what_is_left(t, &all);
    return left.n > 0 ? exec_vnode_print(&left, arena) : NULL;
}

static void stop_queue(const struct takeover *t, const struct resv *r)
{
    bool enabled = r->queue && obj_num(&r->queue->obj, QUEUE_A_ENABLED, 0);

    resv_queue_switch(t->m, r, enabled, false, REASON_NONE, t->now_at, t->out);
}

static struct record *about(const struct takeover *t, enum fact fact,
                            const struct object *o)
{
    struct record *rec =
        record_add(&t->out->records, t->out->arena, fact, o->kind,
                   arena_strdup(t->out->arena, o->id), t->actor, t->now_at);

    rec->note = arena_printf(t->out->arena, "its vnodes go to %s", t->maint->obj.id);
    return rec;
}

static void take_from_later(const struct takeover *t, const struct occurrence *oc)
{
    struct arena *arena = t->out->arena;
    struct record *rec = about(t, FACT_RESV_CONFLICT, oc->values);

    later_record_phase(rec, arena, resv_next(occurrence_phase(oc), RESV_EV_CONFLICT));
    record_change(rec, arena, OCCURRENCE_A_RESV_NODES, NULL, text_of_left(t, oc));
}

/* 'later': it loses some of a later occurrence, too. */
static void take_from_current(const struct takeover *t, const struct resv *r,
                              bool later)
{
    struct arena *arena = t->out->arena;
    enum resv_phase to = resv_next(resv_phase(r), RESV_EV_CONFLICT);
    const char *left = text_of_left(t, &r->current);
    struct record *rec;

    MUST(phase_is_in_conflict(to));
    if (!left)
        stop_queue(t, r);
    rec = about(t, FACT_RESV_CONFLICT, &r->obj);
    record_change_phase(rec, arena, to);
    record_change(rec, arena, RESV_A_RESV_NODES, NULL, left);
    /* One that has begun is not asked about again (reservations.md 14.5). */
    if (later || phase_is_replaced(to))
        resv_record_retry_now(rec, arena, r, t->now_at);
    else if (!resv_later_is_degraded(r))
        resv_record_unsought(rec, arena);
    record_change_num(rec, arena, RESV_A_MTIME, t->now_at);
}

/* All that one reservation loses, in the order of its occurrences. */
static void take_from(const struct takeover *t, struct occurrence *const *found,
                      size_t n)
{
    const struct resv *r;
    bool current;

    MUST(n > 0);
    r = found[0]->resv;
    current = occurrence_is_current(found[0]);
    for (size_t i = current; i < n; i++)
        take_from_later(t, found[i]);
    if (current)
        take_from_current(t, r, n > 1);
    else
        resv_record_retry_now(about(t, FACT_RESV_RETRY, &r->obj), t->out->arena, r,
                              t->now_at);
}

/* Each once, reservation by reservation. */
static void take_from_all(struct takeover *t)
{
    size_t n = 0, from = 0;

    qsort(t->found, t->n, sizeof(struct occurrence *), by_order);
    for (size_t i = 0; i < t->n; i++)
        if (i == 0 || t->found[i] != t->found[i - 1])
            t->found[n++] = t->found[i];
    for (size_t i = 1; i <= n; i++) {
        if (i < n && t->found[i]->resv == t->found[from]->resv)
            continue;
        take_from(t, &t->found[from], i - from);
        from = i;
    }
}

static const struct node *node_of(const struct takeover *t,
                                  const struct vnode_part *part)
{
    const struct node *n = model_node(t->m, part->vnode);

    MUST(n); /* the answer was read */
    return n;
}

void resv_conflict_record(const struct model *m, const struct resv *maint,
                          const struct exec_vnode *vnodes, struct window window,
                          const char *actor, int64_t now_at, struct decision *out)
{
    struct takeover t = {
        .m = m, .maint = maint, .actor = actor, .now_at = now_at, .out = out
    };
    size_t n_parts = 0;

    MUST(resv_is_maintenance(maint));
    for (size_t i = 0; i < vnodes->n; i++)
        n_parts += vnodes->chunks[i].n;
    t.hosts = ARENA_ARRAY(out->arena, const char *, n_parts + 1);
    for (size_t i = 0; i < vnodes->n; i++)
        for (size_t k = 0; k < vnodes->chunks[i].n; k++) {
            const struct node *n = node_of(&t, &vnodes->chunks[i].parts[k]);

            const char *host = host_of(&t, n);

            find_on(&t, n, window);
            if (host)
                t.hosts[t.n_hosts++] = host;
        }
    if (t.n == 0)
        return;
    qsort(t.hosts, t.n_hosts, sizeof(char *), by_host);
    take_from_all(&t);
}
