/* links.c - what follows from the attributes: which queue a job is in, which vnodes a
 * reservation or a running job holds, and how much is assigned because of it.
 *
 * Whoever is linked, unlinked or counted looks new to a status (shown_seq).
 *
 * Resources follow links (reservations.md 18): a vnode's sum is over the running
 * reservations on it and the jobs outside of them; the server's likewise, over what
 * their Resource_List says; a queue's is over its running jobs. Every sum changes by
 * count_*() of one object only, and an object is taken off before it changes. What is
 * held of a resource that a vnode borrows from another is summed there (indirect.h), so
 * that what is on a vnode is taken off, too, before its references change.
 *
 * A queued job that a hot start puts back awaits its old vnodes: it holds nothing, and
 * they know whom to wake.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/ids.h"
#include "server/model/job_state.h"
#include "server/model/job_tally.h"
#include "server/model/priv.h"
#include "server/model/resv_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utlist.h>

bool attr_moves_links(enum obj_kind kind, int attr)
{
    if (kind == OBJ_RESV)
        return attr == RESV_A_RESERVE_STATE || attr == RESV_A_RESV_NODES ||
               attr == RESV_A_RESOURCE_LIST;
    if (kind == OBJ_JOB)
        return attr == JOB_A_JOB_STATE || attr == JOB_A_EXEC_VNODE ||
               attr == JOB_A_RESOURCE_LIST || attr == JOB_A_QUEUE ||
               attr == JOB_A_EUSER || attr == JOB_A_EGROUP || attr == JOB_A_PROJECT ||
               attr == JOB_A_HF_HOT_VNODES;
    if (kind == OBJ_NODE)
        return attr == NODE_A_MOM || attr == NODE_A_QUEUE || attr == NODE_A_HF_INDIRECT;
    return false;
}

/* --- holds: an exec_vnode as amounts per vnode ----------------------------------- */

static struct hold *hold_of(struct holds *holds, struct node *n)
{
    for (size_t i = 0; i < holds->n; i++)
        if (holds->v[i].node == n)
            return &holds->v[i];
    holds->v = xrealloc(holds->v, (holds->n + 1) * sizeof(*holds->v));
    holds->v[holds->n] = (struct hold){ .node = n };
    return &holds->v[holds->n++];
}

static void hold_add(struct model *m, struct hold *hold, const struct chunk_resource *r)
{
    struct attr_value v = { .set = hold->amount.n > 0, .u.res = hold->amount };

    if (!r->def || !(r->def->flags & RESOURCE_CONSUMABLE))
        return;
    if (attr_value_set(&attr_resources, &v, m->defs, r->name, r->value, WIRE_OP_INCR))
        return; /* not a number: it counts for nothing */
    hold->amount = v.u.res;
}

/* Vnodes that are not there hold nothing. */
static void holds_make(struct model *m, const char *text, struct holds *ret)
{
    struct exec_vnode ev;

    if (!text || *text == '\0')
        return;
    arena_clear(m->scratch);
    if (exec_vnode_parse(text, m->defs, m->scratch, &ev, NULL))
        return;
    for (size_t i = 0; i < ev.n; i++)
        for (size_t k = 0; k < ev.chunks[i].n; k++) {
            const struct vnode_share *share = &ev.chunks[i].shares[k];
            struct object *o = find_object(m, OBJ_NODE, share->vnode);

            if (!o)
                continue;
            struct hold *hold = hold_of(ret, STRUCT_OF(o, struct node, obj));

            hold->n_parts++;
            for (size_t r = 0; r < share->n; r++)
                hold_add(m, hold, &share->res[r]);
        }
}

static void holds_drop(struct holds *holds)
{
    for (size_t i = 0; i < holds->n; i++)
        resources_clear(&holds->v[i].amount);
    free(holds->v);
    *holds = (struct holds){ 0 };
}

/* --- pointer arrays of a vnode, in order of creation ------------------------------ */

static void *array_insert(void *array, size_t *n, void *item, size_t at)
{
    void **v = xrealloc(array, (*n + 1) * sizeof(*v));

    memmove(v + at + 1, v + at, (*n - at) * sizeof(*v));
    v[at] = item;
    (*n)++;
    return v;
}

static void *array_remove(void *array, size_t *n, const void *item)
{
    void **v = array;

    for (size_t i = 0; i < *n; i++)
        if (v[i] == item) {
            memmove(v + i, v + i + 1, (*n - i - 1) * sizeof(*v));
            (*n)--;
            break;
        }
    if (*n > 0)
        return v;
    free(v);
    return NULL;
}

static void node_add_resv(const struct model *m, struct node *n, struct resv *r)
{
    size_t at = n->n_resvs;

    while (at > 0 && n->resvs[at - 1]->obj.created_seq > r->obj.created_seq)
        at--;
    n->resvs = array_insert(n->resvs, &n->n_resvs, r, at);
    looks_new(m, &n->obj);
}

static void node_remove_resv(const struct model *m, struct node *n, struct resv *r)
{
    n->resvs = array_remove(n->resvs, &n->n_resvs, r);
    looks_new(m, &n->obj);
}

/* Where a job belongs among others by order of creation. */
static size_t job_place(struct job *const *v, size_t n, const struct job *j)
{
    while (n > 0 && v[n - 1]->obj.created_seq > j->obj.created_seq)
        n--;
    return n;
}

static void node_add_job(const struct model *m, struct node *n, struct job *j)
{
    n->jobs = array_insert(n->jobs, &n->n_jobs, j, job_place(n->jobs, n->n_jobs, j));
    looks_new(m, &n->obj);
}

static void node_remove_job(const struct model *m, struct node *n, struct job *j)
{
    n->jobs = array_remove(n->jobs, &n->n_jobs, j);
    looks_new(m, &n->obj);
}

/* --- sums ---------------------------------------------------------------------------
 */

static struct node *home_of(struct node *n, const char *resource)
{
    for (size_t i = 0; i < n->n_borrowed; i++)
        if (strcasecmp(n->borrowed[i].resource, resource) == 0)
            return n->borrowed[i].home;
    return n;
}

/* At the vnode itself, but for what it borrows: that at its home. */
static void hold_count(const struct model *m, const struct hold *h, int sign)
{
    looks_new(m, &h->node->obj);
    if (h->node->n_borrowed == 0) {
        resources_accumulate(&h->node->assigned, &h->amount, sign);
        return;
    }
    for (size_t i = 0; i < h->amount.n; i++) {
        const struct resources one = { 1, &h->amount.v[i] };
        struct node *home = home_of(h->node, h->amount.v[i].def->name);

        resources_accumulate(&home->assigned, &one, sign);
        looks_new(m, &home->obj);
    }
}

static void holds_count(const struct model *m, const struct holds *holds, int sign)
{
    for (size_t i = 0; i < holds->n; i++)
        hold_count(m, &holds->v[i], sign);
}

/* The members that servers and queues count (attributes.md 6.3). */
static void list_count(struct model *m, struct resources *total, const struct object *o,
                       int attr, int sign)
{
    const struct resources *list = obj_resources(o, attr);
    struct resources some = { 0 };

    if (list->n == 0)
        return;
    arena_clear(m->scratch);
    some.v = ARENA_ARRAY(m->scratch, struct resource_value, list->n);
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].def->flags & RESOURCE_QUEUE)
            some.v[some.n++] = list->v[i];
    resources_accumulate(total, &some, sign);
}

/* A reservation counts from its start until it is purged. */
static bool resv_counts(const struct resv *r)
{
    int64_t state = obj_num(&r->obj, RESV_A_RESERVE_STATE, 0);

    return state == RESV_RUNNING || state == RESV_BEING_DELETED ||
           state == RESV_DELETING_JOBS;
}

static void resv_count(struct model *m, struct resv *r, int sign)
{
    holds_count(m, &r->holds, sign);
    list_count(m, &m->assigned, &r->obj, RESV_A_RESOURCE_LIST, sign);
}

static void job_count_outside(struct model *m, struct job *j)
{
    if (!job_is_at_mom(j) || (j->resv && j->resv->counted))
        return;
    holds_count(m, &j->holds, 1);
    list_count(m, &m->assigned, &j->obj, JOB_A_RESOURCE_LIST, 1);
    j->counted_in_vnodes = true;
}

static void job_uncount_outside(struct model *m, struct job *j)
{
    if (!j->counted_in_vnodes)
        return;
    holds_count(m, &j->holds, -1);
    list_count(m, &m->assigned, &j->obj, JOB_A_RESOURCE_LIST, -1);
    j->counted_in_vnodes = false;
}

/* A job belongs to the reservation of its queue. */
static void job_set_resv(struct model *m, struct job *j, struct resv *r)
{
    job_uncount_outside(m, j);
    j->resv = r;
    job_count_outside(m, j);
}

static void queue_jobs_set_resv(struct model *m, struct queue *q, struct resv *r)
{
    struct job *j;

    DL_FOREACH2(q->jobs, j, queue_next)
    job_set_resv(m, j, r);
}

/* --- a hot start --------------------------------------------------------------------
 */

static void add_awaits(struct model *m, struct job *j)
{
    holds_make(m, obj_str(&j->obj, JOB_A_HF_HOT_VNODES, NULL), &j->awaits);
    for (size_t i = 0; i < j->awaits.n; i++) {
        struct node *n = j->awaits.v[i].node;

        n->awaited = array_insert(n->awaited, &n->n_awaited, j,
                                  job_place(n->awaited, n->n_awaited, j));
    }
}

static void remove_awaits(struct job *j)
{
    for (size_t i = 0; i < j->awaits.n; i++) {
        struct node *n = j->awaits.v[i].node;

        n->awaited = array_remove(n->awaited, &n->n_awaited, j);
    }
    holds_drop(&j->awaits);
}

/* A job that is held or waits for its time is none of a hot start's for now. */
static void link_hot(struct model *m, struct job *j)
{
    bool queued = job_state(j) == 'Q';

    j->hot = obj_is_set(&j->obj, JOB_A_HF_HOT_VNODES) && (queued || job_is_at_mom(j));
    m->n_hot += j->hot;
    if (j->hot && queued)
        add_awaits(m, j);
}

static void unlink_hot(struct model *m, struct job *j)
{
    remove_awaits(j);
    m->n_hot -= j->hot;
    j->hot = false;
}

/* A vnode that comes may be one that jobs await. */
static void find_awaits(struct model *m)
{
    struct object *o;

    if (m->n_hot == 0)
        return;
    DL_FOREACH(m->kinds[OBJ_JOB].first, o)
    {
        struct job *j = STRUCT_OF(o, struct job, obj);

        if (!j->linked || !j->hot)
            continue;
        unlink_hot(m, j);
        link_hot(m, j);
    }
}

static void drop_await(struct job *j, const struct node *n)
{
    for (size_t i = 0; i < j->awaits.n; i++) {
        if (j->awaits.v[i].node != n)
            continue;
        resources_clear(&j->awaits.v[i].amount);
        j->awaits.v[i] = j->awaits.v[--j->awaits.n];
        return;
    }
}

/* One that goes is not awaited any more. */
static void drop_awaited(struct node *n)
{
    for (size_t i = 0; i < n->n_awaited; i++)
        drop_await(n->awaited[i], n);
    free(n->awaited);
    n->awaited = NULL;
    n->n_awaited = 0;
}

/* --- links of each kind --------------------------------------------------------------
 */

/* "R7" is the queue of R7.svr, and of no S7.svr. */
static bool is_queue_of(const struct resv *r, const char *queue)
{
    size_t len = strcspn(r->obj.id, ".");

    return strlen(queue) == len && strncmp(queue, r->obj.id, len) == 0;
}

static void link_queue(struct model *m, struct queue *q)
{
    struct object *o = find_object(m, OBJ_RESV, q->obj.id);
    struct resv *r = o ? STRUCT_OF(o, struct resv, obj) : NULL;

    if (!r || !is_queue_of(r, q->obj.id))
        return;
    q->resv = r;
    r->queue = q;
    queue_jobs_set_resv(m, q, r);
}

static void unlink_queue(struct model *m, struct queue *q)
{
    if (!q->resv)
        return;
    q->resv->queue = NULL;
    q->resv = NULL;
    queue_jobs_set_resv(m, q, NULL);
}

/* Count what is counted on the vnode, on or off. */
static void node_count(const struct model *m, const struct node *n, int sign)
{
    for (size_t i = 0; i < n->n_resvs + n->n_jobs; i++) {
        const struct resv *r = i < n->n_resvs ? n->resvs[i] : NULL;
        const struct job *j = r ? NULL : n->jobs[i - n->n_resvs];
        const struct holds *holds = r ? &r->holds : &j->holds;

        if (r ? !r->counted : !j->counted_in_vnodes)
            continue;
        for (size_t k = 0; k < holds->n; k++)
            if (holds->v[k].node == n)
                hold_count(m, &holds->v[k], sign);
    }
}

static void borrow(struct node *n, const char *resource, size_t len, struct node *home)
{
    n->borrowed = xrealloc(n->borrowed, (n->n_borrowed + 1) * sizeof(*n->borrowed));
    n->borrowed[n->n_borrowed++] =
        (struct borrowed){ .resource = xstrndup(resource, len), .home = home };
}

void node_drop_borrowed(struct node *n)
{
    for (size_t i = 0; i < n->n_borrowed; i++)
        free(n->borrowed[i].resource);
    free(n->borrowed);
    n->borrowed = NULL;
    n->n_borrowed = 0;
}

static void lend(struct model *m, struct node *n, const char *reference)
{
    size_t len = strcspn(reference, "=");
    struct object *o =
        find_object(m, OBJ_NODE, reference + len + (reference[len] != 0));
    struct node *home = o ? STRUCT_OF(o, struct node, obj) : NULL;

    if (!home) {
        n->n_dangling++;
        m->n_dangling++;
        return;
    }
    /* A home knows each of them once. */
    home->referrers = array_remove(home->referrers, &home->n_referrers, n);
    home->referrers =
        array_insert(home->referrers, &home->n_referrers, n, home->n_referrers);
    borrow(n, reference, len, home);
}

static void link_references(struct model *m, struct node *n)
{
    const struct attr_value *v = obj_attr(&n->obj, NODE_A_HF_INDIRECT);

    for (size_t i = 0; v->set && i < v->u.list.n; i++)
        lend(m, n, v->u.list.v[i]);
    node_count(m, n, 1);
}

static void unlink_references(struct model *m, struct node *n)
{
    node_count(m, n, -1);
    for (size_t i = 0; i < n->n_borrowed; i++) {
        struct node *home = n->borrowed[i].home;

        home->referrers = array_remove(home->referrers, &home->n_referrers, n);
    }
    node_drop_borrowed(n);
    m->n_dangling -= n->n_dangling;
    n->n_dangling = 0;
}

/* A new vnode may be one that others refer to already. */
static void adopt_references(struct model *m)
{
    struct object *o;

    if (m->n_dangling == 0)
        return;
    DL_FOREACH(m->kinds[OBJ_NODE].first, o)
    {
        struct node *n = STRUCT_OF(o, struct node, obj);

        if (n->n_dangling == 0)
            continue;
        unlink_references(m, n);
        link_references(m, n);
    }
}

void node_removed(struct model *m, struct node *n)
{
    while (n->n_referrers > 0) {
        struct node *borrower = n->referrers[0];

        unlink_references(m, borrower);
        link_references(m, borrower);
    }
}

static int node_order(const struct node *a, const struct node *b)
{
    return a->obj.created_seq < b->obj.created_seq ? -1 : 1;
}

static struct host *host_make(struct model *m, const char *name)
{
    struct host *h;

    HASH_FIND_STR(m->hosts, name, h);
    if (h)
        return h;
    h = xcalloc(1, sizeof(*h));
    h->name = xstrdup(name);
    HASH_ADD_KEYPTR(hh, m->hosts, h->name, strlen(h->name), h);
    return h;
}

static void link_node(struct model *m, struct node *n)
{
    const struct attr_value *mom = obj_attr(&n->obj, NODE_A_MOM);
    struct object *q = find_object(m, OBJ_QUEUE, obj_str(&n->obj, NODE_A_QUEUE, ""));

    link_references(m, n);
    adopt_references(m);
    if (q) {
        n->queue = STRUCT_OF(q, struct queue, obj);
        n->queue->n_nodes++;
        looks_new(m, q);
    }
    find_awaits(m);
    if (!mom->set || mom->u.list.n == 0)
        return;
    n->host = host_make(m, mom->u.list.v[0]);
    if (++n->host->n == 2) /* its first vnode is no longer alone */
        looks_new(m, &n->host->nodes->obj);
    /* A new one is nearly always the last; looking for its place would make a host of
     * many vnodes cost their square. */
    if (n->host->nodes && node_order(n->host->nodes->host_prev, n) < 0)
        DL_APPEND2(n->host->nodes, n, host_prev, host_next);
    else
        DL_INSERT_INORDER2(n->host->nodes, n, node_order, host_prev, host_next);
}

static void unlink_node(struct model *m, struct node *n)
{
    struct host *h = n->host;

    unlink_references(m, n);
    if (n->queue) {
        n->queue->n_nodes--;
        looks_new(m, &n->queue->obj);
    }
    n->queue = NULL;
    drop_awaited(n);
    if (!h)
        return;
    DL_DELETE2(h->nodes, n, host_prev, host_next);
    n->host = NULL;
    if (--h->n == 1)
        looks_new(m, &h->nodes->obj);
    if (h->n > 0)
        return;
    HASH_DELETE(hh, m->hosts, h);
    free(h->name);
    free(h);
}

static void link_resv(struct model *m, struct resv *r)
{
    char name[ID_MAX_RESV + 1];
    struct object *o;

    holds_make(m, obj_str(&r->obj, RESV_A_RESV_NODES, NULL), &r->holds);
    for (size_t i = 0; i < r->holds.n; i++)
        node_add_resv(m, r->holds.v[i].node, r);
    r->counted = resv_counts(r);
    if (r->counted)
        resv_count(m, r, 1);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(r->obj.id, "."), r->obj.id);
    o = find_object(m, OBJ_QUEUE, name);
    if (o)
        link_queue(m, STRUCT_OF(o, struct queue, obj));
}

static void unlink_resv(struct model *m, struct resv *r)
{
    if (r->counted)
        resv_count(m, r, -1);
    r->counted = false;
    if (r->queue)
        unlink_queue(m, r->queue);
    for (size_t i = 0; i < r->holds.n; i++)
        node_remove_resv(m, r->holds.v[i].node, r);
    holds_drop(&r->holds);
}

static int job_order(const struct job *a, const struct job *b)
{
    return a->obj.created_seq < b->obj.created_seq ? -1 : 1;
}

static bool job_is_history(const struct job *j)
{
    int64_t state = obj_num(&j->obj, JOB_A_JOB_STATE, 'T');

    return state == 'M' || state == 'F';
}

static void queue_add_job(struct model *m, struct queue *q, struct job *j)
{
    struct job *last = q->jobs ? q->jobs->queue_prev : NULL;

    j->queue = q;
    if (!last || last->obj.created_seq < j->obj.created_seq)
        DL_APPEND2(q->jobs, j, queue_prev, queue_next);
    else
        DL_INSERT_INORDER2(q->jobs, j, job_order, queue_prev, queue_next);
    q->n_jobs += !job_is_history(j);
    q->n_state[job_state_index((int)obj_num(&j->obj, JOB_A_JOB_STATE, 'T'))]++;
    if (job_is_at_mom(j))
        list_count(m, &q->assigned, &j->obj, JOB_A_RESOURCE_LIST, 1);
    tallies_add(&q->tallies, j);
    looks_new(m, &q->obj);
}

static void queue_remove_job(struct model *m, struct queue *q, struct job *j)
{
    if (job_is_at_mom(j))
        list_count(m, &q->assigned, &j->obj, JOB_A_RESOURCE_LIST, -1);
    tallies_remove(&q->tallies, j);
    q->n_state[job_state_index((int)obj_num(&j->obj, JOB_A_JOB_STATE, 'T'))]--;
    q->n_jobs -= !job_is_history(j);
    DL_DELETE2(q->jobs, j, queue_prev, queue_next);
    j->queue = NULL;
    looks_new(m, &q->obj);
}

static void link_job(struct model *m, struct job *j)
{
    struct object *o = find_object(m, OBJ_QUEUE, obj_str(&j->obj, JOB_A_QUEUE, ""));

    j->linked = true;
    m->n_jobs += !job_is_history(j);
    tallies_add(&m->tallies, j);
    m->n_state[job_state_index((int)obj_num(&j->obj, JOB_A_JOB_STATE, 'T'))]++;
    if (job_is_at_mom(j))
        holds_make(m, obj_str(&j->obj, JOB_A_EXEC_VNODE, NULL), &j->holds);
    for (size_t i = 0; i < j->holds.n; i++)
        node_add_job(m, j->holds.v[i].node, j);
    if (o)
        queue_add_job(m, STRUCT_OF(o, struct queue, obj), j);
    else
        m->n_orphans++;
    job_set_resv(m, j, j->queue ? j->queue->resv : NULL);
    link_hot(m, j);
}

static void unlink_job(struct model *m, struct job *j)
{
    if (!j->linked)
        return;
    j->linked = false;
    m->n_jobs -= !job_is_history(j);
    tallies_remove(&m->tallies, j);
    m->n_state[job_state_index((int)obj_num(&j->obj, JOB_A_JOB_STATE, 'T'))]--;
    job_uncount_outside(m, j);
    j->resv = NULL;
    if (j->queue)
        queue_remove_job(m, j->queue, j);
    else
        m->n_orphans--;
    for (size_t i = 0; i < j->holds.n; i++)
        node_remove_job(m, j->holds.v[i].node, j);
    holds_drop(&j->holds);
    unlink_hot(m, j);
}

/* A new queue takes in the jobs that name it. */
static void adopt_jobs(struct model *m, struct queue *q)
{
    struct object *o;

    if (m->n_orphans == 0)
        return;
    DL_FOREACH(m->kinds[OBJ_JOB].first, o)
    {
        struct job *j = STRUCT_OF(o, struct job, obj);

        if (!j->linked || j->queue || !str_same(obj_str(o, JOB_A_QUEUE, ""), q->obj.id))
            continue;
        unlink_job(m, j);
        link_job(m, j);
    }
}

/* A queue that goes leaves its jobs (history, if any) without one. */
static void orphan_jobs(struct model *m, struct queue *q)
{
    struct job *j, *next;

    DL_FOREACH_SAFE2(q->jobs, j, next, queue_next)
    {
        queue_remove_job(m, q, j);
        m->n_orphans++;
    }
}

void link_object(struct model *m, struct object *o)
{
    if (o->kind == OBJ_QUEUE) {
        link_queue(m, STRUCT_OF(o, struct queue, obj));
        adopt_jobs(m, STRUCT_OF(o, struct queue, obj));
    } else if (o->kind == OBJ_NODE)
        link_node(m, STRUCT_OF(o, struct node, obj));
    else if (o->kind == OBJ_RESV)
        link_resv(m, STRUCT_OF(o, struct resv, obj));
    else if (o->kind == OBJ_JOB)
        link_job(m, STRUCT_OF(o, struct job, obj));
}

void unlink_object(struct model *m, struct object *o)
{
    if (o->kind == OBJ_QUEUE) {
        unlink_queue(m, STRUCT_OF(o, struct queue, obj));
        orphan_jobs(m, STRUCT_OF(o, struct queue, obj));
    } else if (o->kind == OBJ_NODE)
        unlink_node(m, STRUCT_OF(o, struct node, obj));
    else if (o->kind == OBJ_RESV)
        unlink_resv(m, STRUCT_OF(o, struct resv, obj));
    else if (o->kind == OBJ_JOB)
        unlink_job(m, STRUCT_OF(o, struct job, obj));
}
