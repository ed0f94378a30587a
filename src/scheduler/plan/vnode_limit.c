/* vnode_limit.c - see vnode_limit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "scheduler/plan/vnode_limit.h"

#include <string.h>
#include <uthash.h>

/* Jobs that the limits of vnodes take for the same. */
struct owner {
    size_t number;
    UT_hash_handle hh;
};

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
    struct on_vnode **of;            /* [vnode], NULL: it has none */
    bool of_users, of_groups;        /* some limit what one user or one group has */
    struct owner *owners;            /* by user and group, as far as these matter */
    const struct snap_job *numbered; /* a job of the owner who was numbered last */
    size_t number;
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

/* Those with limits, and whose jobs these tell apart. */
static void count_vnodes(const struct snapshot *s, struct vnode_limits *l)
{
    for (size_t i = 0; i < s->n_vnodes; i++) {
        const struct snap_vnode *v = &s->vnodes[i];

        l->n += has_limits(v);
        l->of_users = l->of_users || v->max_user_run.is_set;
        l->of_groups = l->of_groups || v->max_group_run.is_set;
    }
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
    count_vnodes(s, l);
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

/* The number of a user and a group; each that is new gets the next one. */
static size_t number_of(struct planner *pl, const char *user, const char *group)
{
    struct vnode_limits *l = pl->vnode_limits;
    const char *name = arena_printf(pl->arena, "%s\n%s", user, group);
    struct owner *o;

    HASH_FIND_STR(l->owners, name, o);
    if (o)
        return o->number;
    o = ARENA_NEW(pl->arena, struct owner);
    o->number = HASH_COUNT(l->owners) + 1;
    HASH_ADD_KEYPTR(hh, l->owners, name, strlen(name), o);
    return o->number;
}

size_t vnode_limit_owner(struct planner *pl, const struct snap_job *j)
{
    struct vnode_limits *l = limits_of(pl);

    if (!l || !(l->of_users || l->of_groups))
        return 0;
    if (is_same_owner(l->numbered, j))
        return l->number;
    l->number = number_of(pl, l->of_users && j->user ? j->user : "",
                          l->of_groups && j->group ? j->group : "");
    l->numbered = j;
    return l->number;
}

void vnode_limit_fini(struct planner *pl)
{
    if (pl->vnode_limits)
        HASH_CLEAR(hh, pl->vnode_limits->owners);
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
