/* check_promise.c - no vnode is promised beyond its resources in any interval, and jobs
 * of a reservation use no more than it holds of what it names. Each resource that
 * vnodes count is summed by itself.
 *
 * A reservation counts from its start (from now when it runs) to its end, a job outside
 * of reservations from now to the end of its walltime. Who overstays (a job that does
 * not die) promises nothing to anybody, so nothing counts behind its own end.
 *
 * A reservation that was forced to be altered, or was made out of a job, may meet
 * others: then it has to list them, and they it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/server_attrs.h"
#include "server/model/job_state.h"
#include "server/model/occurrence.h"
#include "server/model/resv_oversub.h"
#include "server/model/resv_state.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* A job without walltime may last as long as it likes. */
#define FOREVER_S (5 * 365 * 86400LL)

struct share {
    const char *id;
    const struct object *o;
    const struct resv *resv;     /* NULL: a job */
    const struct occurrence *oc; /* of it, which this share is */
    const struct resv *inside; /* a job uses the vnode beside this one, which lets it */
    int64_t from_at;
    int64_t until_at;
    int64_t amount; /* of the resource that is looked at */
    bool alone;     /* place=excl */
};

#define SHARES_MAX 256

struct shares {
    const char *resource;
    bool overstayers; /* who has not left counts as long as it is there */
    size_t n;
    struct share v[SHARES_MAX];
};

static int64_t amount_on(const struct bookings *holds, const struct node *n,
                         const char *resource)
{
    int64_t sum = 0;

    for (size_t i = 0; i < holds->n; i++)
        if (holds->v[i].node == n)
            sum += resources_amount(&holds->v[i].amount, resource, 0);
    return sum;
}

static bool wants_alone(const struct object *o, int attr)
{
    const struct resource_value *v = resources_find(obj_resources(o, attr), "place");

    return v && v->value.u.str && strstr(v->value.u.str, "excl") != NULL;
}

/* One made from a job may be over before it begins: while its job is being ended the
 * vnodes are its own all the same. So it is at the end of an occurrence, until the next
 * one has its turn. */
static bool is_over(enum resv_phase phase)
{
    return phase == PHASE_ENDING || phase == PHASE_BETWEEN ||
           phase == PHASE_BETWEEN_DEGRADED || phase == PHASE_BETWEEN_CONFLICT;
}

static bool has_begun(const struct resv *r)
{
    return obj_is_set(&r->obj, RESV_A_HF_BEGUN_AT) || is_over(resv_phase(r));
}

static void add(struct shares *all, struct share one, int64_t now_at)
{
    /* An occurrence that comes later has nothing on the vnode yet. */
    bool there = !one.resv || (has_begun(one.resv) && occurrence_is_current(one.oc));

    if (all->overstayers && there && one.from_at <= now_at)
        one.until_at = MAX_OF(one.until_at, now_at + 1);
    /* What is over is in nobody's way, also when a server that was down meanwhile has
     * not come to it yet. */
    if (MAX_OF(one.from_at, now_at) < one.until_at && all->n < SHARES_MAX)
        all->v[all->n++] = one;
}

/* It is deleted before it begins, while its queued jobs are: it had nothing on the
 * vnode but its promise. */
static bool had_only_a_promise(const struct resv *r, const struct node *n,
                               int64_t now_at)
{
    if (resv_phase(r) != PHASE_ENDING || obj_is_set(&r->obj, RESV_A_HF_BEGUN_AT) ||
        obj_num(&r->obj, RESV_A_RESERVE_START, 0) <= now_at)
        return false;
    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv == r)
            return false;
    return true;
}

static void add_resv(struct shares *all, const struct occurrence *oc, int64_t amount,
                     int64_t now_at)
{
    enum resv_phase phase = occurrence_phase(oc);
    bool runs = phase_is_running(phase) || is_over(phase);

    if (!phase_is_confirmed(phase) && !is_over(phase))
        return;
    add(all,
        (struct share){
            .id = oc->values->id,
            .o = oc->values,
            .resv = oc->resv,
            .oc = oc,
            .from_at = runs ? now_at : occurrence_start_at(oc, 0),
            .until_at = occurrence_end_at(oc, 0),
            .amount = amount,
            .alone = wants_alone(&oc->resv->obj, RESV_A_RESOURCE_LIST),
        },
        now_at);
}

static void add_resvs(struct shares *all, const struct node *n, int64_t now_at)
{
    for (size_t i = 0; i < n->n_occurrences; i++) {
        const struct occurrence *oc = n->occurrences[i];

        if (!had_only_a_promise(oc->resv, n, now_at))
            add_resv(all, oc, amount_on(&oc->bookings, n, all->resource), now_at);
    }
}

static int64_t job_end_at(const struct job *j, int64_t now_at)
{
    int64_t walltime_s =
        resources_amount(obj_resources(&j->obj, JOB_A_RESOURCE_LIST), "walltime", 0);

    /* The time that it was suspended does not count. */
    return obj_num(&j->obj, JOB_A_RUNS_FROM, obj_num(&j->obj, JOB_A_STIME, now_at)) +
           (walltime_s > 0 ? walltime_s : FOREVER_S) -
           obj_num(&j->obj, JOB_A_RAN_TIME, 0);
}

/* Suspended, and not by an administrator: in this complex it keeps nothing then. */
static bool gave_back(const struct job *j)
{
    int64_t substate = obj_num(&j->obj, JOB_A_SUBSTATE, 0);

    return job_state(j) == 'R' && (substate == 43 || substate == 45) &&
           strcmp(obj_str(&j->obj, JOB_A_HF_SUSPEND, ""), "admin-suspend") != 0;
}

/* One that was suspended and ends without having gone on has nothing of the vnode. */
static bool ends_with_nothing(const struct job *j, const struct node *n)
{
    if (job_state(j) != 'E' || !obj_is_set(&j->obj, JOB_A_HF_SUSPEND))
        return false;
    for (size_t i = 0; i < j->bookings.n; i++)
        if (j->bookings.v[i].node == n && j->bookings.v[i].amount.n > 0)
            return false;
    return true;
}

/* One that qrun put into a reservation that has not begun is outside until then; nobody
 * promised it anything. */
static bool is_outside(const struct shares *all, const struct job *j)
{
    return !j->resv || (all->overstayers && !has_begun(j->resv));
}

static int64_t outside_until(const struct job *j, int64_t now_at)
{
    int64_t end_at = job_end_at(j, now_at);

    return j->resv ? MIN_OF(end_at, obj_num(&j->resv->obj, RESV_A_RESERVE_START, 0))
                   : end_at;
}

/* Does a job inside a reservation use what that does not name on the vnode? It is the
 * vnode's own, and a job's share like that of one outside. */
static bool is_beside(const struct job *j, const struct node *n, const char *resource)
{
    for (size_t i = 0; i < j->resv->current.bookings.n; i++)
        if (j->resv->current.bookings.v[i].node == n)
            return !resources_find(&j->resv->current.bookings.v[i].amount, resource);
    return true; /* maintenance has taken the vnode: check_inside() */
}

static void add_beside(struct shares *all, const struct node *n, const struct job *j,
                       int64_t now_at)
{
    const struct share one = {
        .id = j->obj.id,
        .o = &j->obj,
        .inside = j->resv,
        .from_at = now_at,
        .until_at = MIN_OF(job_end_at(j, now_at),
                           obj_num(&j->resv->obj, RESV_A_RESERVE_END, 0)),
        .amount = amount_on(&j->bookings, n, all->resource),
    };

    if (one.amount > 0)
        add(all, one, now_at);
}

static void add_jobs(struct shares *all, const struct node *n, const struct resv *own,
                     int64_t now_at)
{
    for (size_t i = 0; i < n->n_jobs; i++) {
        const struct job *j = n->jobs[i];
        const struct share one = {
            .id = j->obj.id,
            .o = &j->obj,
            .from_at = now_at,
            .until_at = outside_until(j, now_at),
            .amount = amount_on(&j->bookings, n, all->resource),
            .alone = wants_alone(&j->obj, JOB_A_RESOURCE_LIST),
        };

        if (gave_back(j) || ends_with_nothing(j, n))
            continue;
        if (own && j->resv == own)
            continue;
        if (is_outside(all, j))
            add(all, one, now_at);
        else if (has_begun(j->resv) && is_beside(j, n, all->resource))
            add_beside(all, n, j, now_at);
    }
}

/* Who is in whose way. */

static int64_t vnode_has(const struct node *n, const char *resource)
{
    return resources_amount(obj_resources(&n->obj, NODE_A_RESOURCES_AVAILABLE),
                            resource, 0);
}

/* The next resource that vnodes count, behind *i; NULL behind the last. */
static const char *next_counted(const struct model *m, size_t *i)
{
    while (*i < resource_count(m->defs)) {
        const struct resource_def *def = resource_at(m->defs, (*i)++);

        if (def->flags & (RESOURCE_NODE | RESOURCE_FIRST))
            return def->name;
    }
    return NULL;
}

static bool is_at(const struct share *x, int64_t at)
{
    return x->from_at <= at && at < x->until_at;
}

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
    if (own->amount == 0 || !is_at(own, at))
        return;
    for (size_t i = 0; i < all->n; i++)
        sum += is_at(&all->v[i], at) ? all->v[i].amount : 0;
    for (size_t i = 0; sum > has && i < all->n; i++)
        if (is_at(&all->v[i], at) && all->v[i].amount > 0)
            marks[i] = true;
}

static void mark(const struct node *n, const struct shares *all,
                 const struct share *own, bool *marks)
{
    for (size_t i = 0; i < all->n; i++) {
        mark_short(all, own, vnode_has(n, all->resource), all->v[i].from_at, marks);
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

    add_resvs(&all, n, now_at);
    add_jobs(&all, n, r, now_at);
    own = share_of(&all, &r->obj);
    if (own)
        mark(n, &all, own, marks);
    add_marked(f, &all, marks, r, kind);
}

/* What the server has for all together. */

static void add_occurrence_of_server(struct shares *all, const struct occurrence *oc,
                                     int64_t now_at)
{
    int64_t amount = resources_amount(occurrence_resources(oc), all->resource, 0);

    if (oc->bookings.n > 0 && amount > 0)
        add_resv(all, oc, amount, now_at);
}

static void add_all_of_server(struct shares *all, const struct model *m,
                              const struct resv *own, int64_t now_at)
{
    const struct occurrence *oc;

    MODEL_EACH (m, OBJ_RESV, o) {
        add_occurrence_of_server(all, &TO_RESV(o)->current, now_at);
        DL_FOREACH (TO_RESV(o)->later, oc)
            add_occurrence_of_server(all, oc, now_at);
    }
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        const struct job *j = TO_JOB(o);
        const struct share one = {
            .id = o->id,
            .o = o,
            .from_at = now_at,
            .until_at = outside_until(j, now_at),
            .amount = resources_amount(obj_resources(o, JOB_A_RESOURCE_LIST),
                                       all->resource, 0),
        };

        if (job_is_at_mom(j) && one.amount > 0 && !gave_back(j) && j->resv != own &&
            is_outside(all, j))
            add(all, one, now_at);
    }
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

    add_all_of_server(&all, m, r, now_at);
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

/* Exemptions. */

static bool has_id(const char *const *ids, size_t n, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(ids[i], id) == 0)
            return true;
    return false;
}

static void check_listed(struct sim *s, const struct occurrence *oc,
                         const struct share *other)
{
    struct arena *arena = arena_new();
    struct oversub list = resv_oversub(shell_model(s), oc, sim_now_at(s), arena);
    /* Occurrences of a series are listed by their own names. */
    const char *name = other->oc ? occurrence_name(other->oc, arena) : other->id;

    if (phase_is_confirmed(occurrence_phase(oc)) &&
        !has_id(list.jobs, list.n_jobs, name) &&
        !has_id(list.resvs, list.n_resvs, name))
        check_failed(s, CHECK_LISTED, "%s meets %s and does not list it",
                     occurrence_name(oc, arena), name);
    arena_free(arena);
}

static bool may_overlap(const struct sim *s, const struct node *n,
                        const struct share *x)
{
    const struct occurrence *oc = x->inside ? &x->inside->current : NULL;

    if (!x->resv && run_goes_on_late(s, TO_JOB(x->o)))
        return true;
    if (x->resv)
        oc = x->oc;
    return oc && alter_may_overlap(s, oc, n->obj.id);
}

/* What those have who may not overlap. */
static int64_t regular_amount(const struct sim *s, const struct node *n,
                              const struct shares *all, int64_t at)
{
    int64_t sum = 0;

    for (size_t i = 0; i < all->n; i++)
        if (is_at(&all->v[i], at) && !may_overlap(s, n, &all->v[i]))
            sum += all->v[i].amount;
    return sum;
}

/* All reservations among them list all others. */
static void check_all_listed(struct sim *s, const struct shares *all, int64_t at)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < all->n; k++) {
            const struct share *a = &all->v[i], *b = &all->v[k];

            if (i != k && a->resv && is_at(a, at) && is_at(b, at) && a->amount &&
                b->amount)
                check_listed(s, a->oc, b);
        }
}

static void check_pair(struct sim *s, const struct node *n, const struct share *a,
                       const struct share *b, int64_t at)
{
    if (!may_overlap(s, n, a) && !may_overlap(s, n, b))
        check_failed(s, CHECK_PROMISE,
                     "%s at second %" PRId64
                     ": %s and %s, and one of them wants it alone",
                     n->obj.id, at - SIM_EPOCH_S, a->id, b->id);
    if (a->resv)
        check_listed(s, a->oc, b);
    if (b->resv)
        check_listed(s, b->oc, a);
}

/* A reservation and a job in it are on the vnode together. */
static bool are_one(const struct share *a, const struct share *b)
{
    return (a->resv && (b->inside == a->resv)) || (b->resv && a->inside == b->resv) ||
           (a->inside && a->inside == b->inside);
}

/* Sums change for the worse only where a share begins. */
static void check_instant(struct sim *s, const struct node *n, const struct shares *all,
                          const struct share *first)
{
    int64_t has = vnode_has(n, all->resource);
    int64_t at = first->from_at;
    int64_t sum = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct share *x = &all->v[i];

        if (!is_at(x, at))
            continue;
        sum += x->amount;
        if (x != first && (x->alone || first->alone) && !are_one(x, first))
            check_pair(s, n, x, first, at);
    }
    if (sum <= has)
        return;
    if (regular_amount(s, n, all, at) > has || regular_amount(s, n, all, at) == sum)
        check_failed(s, CHECK_PROMISE,
                     "%s has %" PRId64 " of %s and is promised %" PRId64
                     " at second %" PRId64 ", the last to %s",
                     n->obj.id, has, all->resource, sum, at - SIM_EPOCH_S, first->id);
    check_all_listed(s, all, at);
}

/* Inside of reservations. */

/* Jobs of a reservation on the vnode against its share there. */
static void check_inside(struct sim *s, const struct node *n, const struct resv *r,
                         const char *resource)
{
    int64_t has = amount_on(&r->current.bookings, n, resource);
    int64_t used = 0;

    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv == r)
            used += amount_on(&n->jobs[i]->bookings, n, resource);
    if (used > has)
        check_failed(s, CHECK_INSIDE,
                     "%s holds %" PRId64 " of %s of %s and its jobs use %" PRId64,
                     r->obj.id, has, resource, n->obj.id, used);
}

/* Jobs go on on a vnode that maintenance has taken, and nowhere else beside. */
static void check_taken(struct sim *s, const struct node *n, const struct resv *r)
{
    const struct entry *e = ledger_find(&s->ledger, r->obj.id);

    for (size_t i = 0; i < r->current.bookings.n; i++)
        if (r->current.bookings.v[i].node == n)
            return;
    if (!e || !e->was_taken_from)
        check_failed(s, CHECK_INSIDE, "%s has a job on %s and holds nothing there",
                     r->obj.id, n->obj.id);
}

static void check_node(struct sim *s, const struct node *n, const char *resource)
{
    struct shares all = { .resource = resource };

    add_resvs(&all, n, sim_now_at(s));
    add_jobs(&all, n, NULL, sim_now_at(s));
    for (size_t i = 0; i < all.n; i++)
        check_instant(s, n, &all, &all.v[i]);
    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv && has_begun(n->jobs[i]->resv))
            check_taken(s, n, n->jobs[i]->resv);
    for (size_t i = 0; i < n->n_jobs; i++)
        if (n->jobs[i]->resv && !is_beside(n->jobs[i], n, resource))
            check_inside(s, n, n->jobs[i]->resv, resource);
}

void check_promise(struct sim *s, const struct model *m)
{
    MODEL_EACH (m, OBJ_NODE, o) {
        const struct node *n = TO_NODE(o);
        const char *resource;
        size_t i = 0;

        if (n->n_occurrences == 0 && n->n_jobs == 0)
            continue;
        while ((resource = next_counted(m, &i)))
            check_node(s, n, resource);
    }
}

/* Books. */

/* What a job that gave something back still has: what it was given less that. */
static int64_t kept(const struct model *m, const struct job *j, int64_t given,
                    const char *resource, struct arena *arena)
{
    const char *text = obj_str(&j->obj, JOB_A_RESOURCES_RELEASED, NULL);
    struct exec_vnode back = { 0 };

    if (!text || exec_vnode_parse(text, m->defs, arena, &back, NULL))
        return 0; /* all of it */
    return given - exec_vnode_amount(&back, NULL, resource);
}

/* What a job has by what it was given, without the books of the server. */
static void check_job_has(struct sim *s, const struct model *m, const struct job *j,
                          const char *resource)
{
    const char *text = obj_str(&j->obj, JOB_A_EXEC_VNODE, "");
    struct arena *arena = arena_new();
    struct exec_vnode ev = { 0 };
    int64_t given = 0, has = 0;

    if (exec_vnode_parse(text, m->defs, arena, &ev, NULL) == 0)
        given = exec_vnode_amount(&ev, NULL, resource);
    if (gave_back(j))
        given = kept(m, j, given, resource, arena);
    for (size_t i = 0; i < j->bookings.n; i++)
        has += resources_amount(&j->bookings.v[i].amount, resource, 0);
    if (job_state(j) == 'R' && has != given)
        check_failed(s, CHECK_BOOKS, "%s has %" PRId64 " of %s, and should %" PRId64,
                     j->obj.id, has, resource, given);
    arena_free(arena);
}

/* Nobody is given what processes still use: those of a job that gave its vnodes back
 * stand, unless they are being ended. */
static void check_stands(struct sim *s, const struct job *j)
{
    int32_t run = (int32_t)obj_num(&j->obj, JOB_A_RUN_VERSION, 0);

    if (!gave_back(j) || obj_is_set(&j->obj, JOB_A_HF_KILL_BY) ||
        obj_is_set(&j->obj, JOB_A_HF_REQUEUE))
        return;
    for (int i = 0; i < s->cluster.n_hosts; i++) {
        const struct run *r = host_run(&s->hosts[i], j->obj.id, run);

        if (r && r->state == RUN_ON && !r->is_stopped && !r->was_signalled)
            check_failed(s, CHECK_BOOKS, "%s is suspended, and runs on %s", j->obj.id,
                         s->hosts[i].name);
    }
}

static void check_jobs_have(struct sim *s, const struct model *m)
{
    MODEL_EACH_LIVE(m, OBJ_JOB, o)
    {
        const struct job *j = TO_JOB(o);

        if (!obj_is_set(o, JOB_A_EXEC_VNODE))
            continue;
        check_job_has(s, m, j, "ncpus");
        check_job_has(s, m, j, "mem");
        check_stands(s, j);
    }
}

/* A job of a reservation that has begun uses what that has. */
static int64_t running_amount(const struct node *n, const char *resource)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n->n_occurrences; i++)
        if (occurrence_is_current(n->occurrences[i]) &&
            has_begun(n->occurrences[i]->resv))
            sum += amount_on(&n->occurrences[i]->bookings, n, resource);
    for (size_t i = 0; i < n->n_jobs; i++)
        if (!n->jobs[i]->resv || !has_begun(n->jobs[i]->resv))
            sum += amount_on(&n->jobs[i]->bookings, n, resource);
    return sum;
}

void check_books(struct sim *s, const struct model *m)
{
    check_jobs_have(s, m);
    MODEL_EACH (m, OBJ_NODE, o) {
        const struct node *n = TO_NODE(o);
        const char *resource;
        size_t i = 0;

        while ((resource = next_counted(m, &i))) {
            int64_t is = resources_amount(&n->assigned.shown, resource, 0);

            if (is != running_amount(n, resource))
                check_failed(s, CHECK_BOOKS,
                             "%s has %" PRId64 " of %s assigned, and %" PRId64
                             " are in use",
                             o->id, is, resource, running_amount(n, resource));
        }
    }
}
