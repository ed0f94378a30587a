/* vnode_limit.c - see vnode_limit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "scheduler/plan/vnode_limit.h"

#include <string.h>

/* The jobs on a vnode that has limits. */
struct on_vnode {
    size_t vnode;
    enum plan_failure full; /* for the owner that was asked about last */
    size_t noted;           /* by the last call of note() that came here */
    size_t n, cap;
    const struct snap_job **jobs;
};

struct vnode_limits {
    size_t n;       /* vnodes with limits */
    size_t n_notes; /* calls of note() */
    struct on_vnode *v;
    struct on_vnode **of; /* [vnode], NULL: it has none */
    /* The owner that was asked about last: most jobs that wait follow one of the same
     * owner, and since then only vnodes have changed on which jobs were noted. */
    const struct snap_job *asked; /* a job of his; NULL: nobody has asked */
    bool *closed;                 /* [vnode] for him */
    size_t first;                 /* of v, the first one that is closed; n: none */
};

static bool has_limits(const struct snap_vnode *v)
{
    return v->max_running.is_set || v->max_user_run.is_set || v->max_group_run.is_set;
}

static bool is_reached(const struct maybe_number *limit, int64_t n)
{
    return limit->is_set && n >= limit->value;
}

static enum plan_failure why_full(const struct snap_vnode *v, const struct on_vnode *on,
                                  const struct snap_job *j)
{
    int64_t of_user = 0, of_group = 0;

    for (size_t i = 0; i < on->n; i++) {
        of_user += str_same(on->jobs[i]->user, j->user);
        of_group += str_same(on->jobs[i]->group, j->group);
    }
    return is_reached(&v->max_running, (int64_t)on->n) ? FAIL_VNODE_LIMIT
           : is_reached(&v->max_user_run, of_user)     ? FAIL_VNODE_USER_LIMIT
           : is_reached(&v->max_group_run, of_group)   ? FAIL_VNODE_GROUP_LIMIT
                                                       : FAIL_NONE;
}

/* Is the vnode full for the owner that was asked about last? */
static void judge(const struct planner *pl, struct on_vnode *on)
{
    struct vnode_limits *l = pl->vnode_limits;
    size_t i = (size_t)(on - l->v);

    on->full = why_full(&pl->s->vnodes[on->vnode], on, l->asked);
    l->closed[on->vnode] = on->full != FAIL_NONE;
    if (on->full && i < l->first)
        l->first = i;
}

static void note(struct planner *pl, const struct snap_job *j,
                 const struct placement *at)
{
    struct vnode_limits *l = pl->vnode_limits;

    l->n_notes++;
    for (size_t c = 0; c < at->n; c++)
        for (size_t i = 0; i < at->chunks[c].n; i++) {
            struct on_vnode *on = l->of[at->chunks[c].pieces[i].vnode];

            /* A job counts once, on how ever many chunks of it the vnode has. */
            if (!on || on->noted == l->n_notes)
                continue;
            on->noted = l->n_notes;
            on->jobs =
                arena_grow(pl->arena, on->jobs, on->n, &on->cap, 8, sizeof(*on->jobs));
            on->jobs[on->n++] = j;
            if (l->asked)
                judge(pl, on);
        }
}

/* Vnodes with limits, and who is on them; NULL when there are none. */
static struct vnode_limits *limits_of(struct planner *pl)
{
    const struct snapshot *s = pl->s;
    struct vnode_limits *l = pl->vnode_limits;

    if (l)
        return l->n > 0 ? l : NULL;
    l = pl->vnode_limits = ARENA_NEW(pl->arena, struct vnode_limits);
    for (size_t i = 0; i < s->n_vnodes; i++)
        l->n += has_limits(&s->vnodes[i]);
    if (l->n == 0)
        return NULL;
    l->v = ARENA_ARRAY(pl->arena, struct on_vnode, l->n);
    l->of = ARENA_ARRAY(pl->arena, struct on_vnode *, s->n_vnodes);
    l->closed = ARENA_ARRAY(pl->arena, bool, s->n_vnodes);
    for (size_t i = 0, n = 0; i < s->n_vnodes; i++)
        if (has_limits(&s->vnodes[i])) {
            l->v[n].vnode = i;
            l->of[i] = &l->v[n++];
        }
    /* A suspended job counts nowhere. */
    for (size_t i = 0; i < s->n_jobs; i++)
        if (pl->links->jobs[i].has_vnodes && s->jobs[i].state != 'S')
            note(pl, &s->jobs[i], &pl->links->jobs[i].at);
    return l;
}

static bool is_same_owner(const struct snap_job *a, const struct snap_job *b)
{
    return a && str_same(a->user, b->user) && str_same(a->group, b->group);
}

static void ask_anew(const struct planner *pl, const struct snap_job *j)
{
    struct vnode_limits *l = pl->vnode_limits;

    l->asked = j;
    l->first = l->n;
    for (size_t i = 0; i < l->n; i++)
        judge(pl, &l->v[i]);
}

#ifdef HF_CHECKS
/* What is kept of the owner is what a question would find. */
static void check_kept(const struct planner *pl, const struct snap_job *j)
{
    const struct vnode_limits *l = pl->vnode_limits;
    size_t first = l->n;

    for (size_t i = l->n; i-- > 0;) {
        const struct on_vnode *on = &l->v[i];

        MUST(on->full == why_full(&pl->s->vnodes[on->vnode], on, j));
        MUST(l->closed[on->vnode] == (on->full != FAIL_NONE));
        first = on->full ? i : first;
    }
    MUST(l->first == first);
}
#endif

const bool *vnode_limit_closes(struct planner *pl, const struct snap_job *j,
                               enum plan_failure *why)
{
    struct vnode_limits *l = limits_of(pl);

    *why = FAIL_NONE;
    if (!l)
        return NULL;
    if (!is_same_owner(l->asked, j))
        ask_anew(pl, j);
#ifdef HF_CHECKS
    check_kept(pl, j);
#endif
    if (l->first == l->n)
        return NULL;
    *why = l->v[l->first].full;
    return l->closed;
}

enum plan_failure vnode_limit_at(struct planner *pl, const struct snap_job *j,
                                 const struct placement *at)
{
    struct vnode_limits *l = limits_of(pl);
    enum plan_failure why = FAIL_NONE;

    for (size_t c = 0; l && c < at->n; c++)
        for (size_t i = 0; i < at->chunks[c].n && !why; i++) {
            size_t vnode = at->chunks[c].pieces[i].vnode;

            if (l->of[vnode])
                why = why_full(&pl->s->vnodes[vnode], l->of[vnode], j);
        }
    return why;
}

void vnode_limit_took(struct planner *pl, const struct snap_job *j,
                      const struct placement *found)
{
    if (limits_of(pl))
        note(pl, j, found);
}
