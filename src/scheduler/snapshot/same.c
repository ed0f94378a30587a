/* same.c - do two snapshots say the same? A kept one is compared with a fresh one by
 * tests, and by a daemon that is told to.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/snapshot/snapshot.h"

#include <string.h>

/* The slots of resources differ, since they are given in the order in which names are
 * read first; so values are found by name. */
struct pair {
    const struct snapshot *a, *b;
};

static bool same_list(const struct pair *p, const struct res_values *a,
                      const struct res_values *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(p->a->res.v[a->v[i].res].name, p->b->res.v[b->v[i].res].name) != 0 ||
            a->v[i].amount != b->v[i].amount || !str_same(a->v[i].text, b->v[i].text))
            return false;
    return true;
}

static bool same_request(const struct request *a, const struct request *b)
{
    return a && b ? strcmp(a->key, b->key) == 0 : a == b;
}

static bool same_number(const struct maybe_number *a, const struct maybe_number *b)
{
    return a->is_set == b->is_set && a->value == b->value;
}

bool snap_derives_same(const struct snapshot *s, const struct snap_vnode *a,
                       const struct snap_vnode *b)
{
    const struct pair p = { s, s };

    return str_same(a->name, b->name) && str_same(a->host, b->host) &&
           str_same(a->queue, b->queue) && a->sharing == b->sharing &&
           a->priority == b->priority && same_list(&p, &a->available, &b->available);
}

static bool same_vnode(const struct pair *p, const void *va, const void *vb)
{
    const struct snap_vnode *a = va, *b = vb;

    return str_same(a->name, b->name) && str_same(a->host, b->host) &&
           str_same(a->queue, b->queue) && str_same(a->partition, b->partition) &&
           a->usable == b->usable && a->busy == b->busy && a->idle == b->idle &&
           a->may_return == b->may_return && a->stale == b->stale &&
           a->resv_enable == b->resv_enable && a->no_multinode == b->no_multinode &&
           a->sharing == b->sharing && a->priority == b->priority &&
           a->last_used_at == b->last_used_at &&
           same_number(&a->max_running, &b->max_running) &&
           same_number(&a->max_user_run, &b->max_user_run) &&
           same_number(&a->max_group_run, &b->max_group_run) &&
           same_list(p, &a->available, &b->available);
}

static bool same_limits(const struct snap_limits *a, const struct snap_limits *b)
{
    for (size_t i = 0; a->n == b->n && i < a->n; i++)
        if (a->v[i].kind != b->v[i].kind || a->v[i].amount != b->v[i].amount ||
            !str_same(a->v[i].name, b->v[i].name))
            return false;
    return a->n == b->n;
}

static bool same_queue(const struct pair *p, const void *va, const void *vb)
{
    const struct snap_queue *a = va, *b = vb;

    return str_same(a->name, b->name) && str_same(a->partition, b->partition) &&
           str_same(a->group_key, b->group_key) && a->execution == b->execution &&
           a->started == b->started && a->priority == b->priority &&
           same_list(p, &a->available, &b->available) &&
           same_limits(&a->limits, &b->limits) && same_limits(&a->soft, &b->soft) &&
           same_number(&a->backfill_depth, &b->backfill_depth);
}

static bool same_occurrences(const struct snap_resv *a, const struct snap_resv *b)
{
    if (a->occurrences.n != b->occurrences.n)
        return false;
    for (size_t i = 0; i < a->occurrences.n; i++) {
        const struct snap_occurrence *x = &a->occurrences.v[i];
        const struct snap_occurrence *y = &b->occurrences.v[i];

        if (x->start_at != y->start_at || x->end_at != y->end_at ||
            x->degraded != y->degraded || x->bare != y->bare ||
            !same_request(x->request, y->request))
            return false;
    }
    return true;
}

static bool same_map(const struct execvnodes *a, const struct execvnodes *b)
{
    if (a->n != b->n || a->n_texts != b->n_texts)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!str_same(a->texts[a->which[i]], b->texts[b->which[i]]))
            return false;
    return true;
}

static bool same_times(const struct snap_resv *a, const struct snap_resv *b)
{
    return a->start_at == b->start_at && a->end_at == b->end_at &&
           a->old_start_at == b->old_start_at && a->old_end_at == b->old_end_at &&
           a->may_push == b->may_push && a->may_shorten == b->may_shorten &&
           a->knows_old_end == b->knows_old_end && same_number(&a->retry, &b->retry) &&
           a->series_start_at == b->series_start_at &&
           a->series_length_s == b->series_length_s && same_occurrences(a, b) &&
           a->later.index == b->later.index && a->later.start_at == b->later.start_at &&
           a->later.end_at == b->later.end_at &&
           same_request(a->later.request, b->later.request);
}

static bool same_resv(const struct pair *p UNUSED, const void *va, const void *vb)
{
    const struct snap_resv *a = va, *b = vb;

    return str_same(a->id, b->id) && str_same(a->queue, b->queue) &&
           str_same(a->partition, b->partition) &&
           same_request(a->request, b->request) &&
           same_request(a->request_orig, b->request_orig) &&
           same_request(a->request_series, b->request_series) &&
           str_same(a->nodes, b->nodes) && a->state == b->state &&
           a->substate == b->substate && same_number(&a->question, &b->question) &&
           a->standing == b->standing && a->index == b->index && a->count == b->count &&
           str_same(a->rule, b->rule) && str_same(a->zone, b->zone) &&
           same_times(a, b) && same_map(&a->map, &b->map);
}

static bool same_job(const struct pair *p, const void *va, const void *vb)
{
    const struct snap_job *a = va, *b = vb;

    return str_same(a->id, b->id) && str_same(a->queue, b->queue) &&
           same_request(a->request, b->request) &&
           str_same(a->exec_vnode, b->exec_vnode) && str_same(a->comment, b->comment) &&
           a->state == b->state && a->substate == b->substate && a->array == b->array &&
           str_same(a->array_id, b->array_id) && str_same(a->remaining, b->remaining) &&
           same_number(&a->max_subjobs, &b->max_subjobs) &&
           str_same(a->kept, b->kept) && a->ran_s == b->ran_s &&
           a->runs_from_at == b->runs_from_at && a->walltime_s == b->walltime_s &&
           a->soft_walltime_s == b->soft_walltime_s &&
           a->min_walltime_s == b->min_walltime_s &&
           a->max_walltime_s == b->max_walltime_s && a->started_at == b->started_at &&
           a->preempted_at == b->preempted_at && a->rank == b->rank &&
           str_same(a->targets, b->targets) && a->no_rerun == b->no_rerun &&
           a->no_checkpoint == b->no_checkpoint && a->priority == b->priority &&
           str_same(a->user, b->user) && str_same(a->group, b->group) &&
           str_same(a->project, b->project) && a->topjob == b->topjob &&
           a->accrue_type == b->accrue_type &&
           a->topjob_ineligible == b->topjob_ineligible &&
           a->estimated.start_at == b->estimated.start_at &&
           str_same(a->estimated.vnodes, b->estimated.vnodes) &&
           a->estimated.soft_walltime_s == b->estimated.soft_walltime_s &&
           same_list(p, &a->asked, &b->asked);
}

typedef bool (*same_fn)(const struct pair *p, const void *a, const void *b);

/* All elements begin with their name. */
static const char *name_at(const struct snapshot *s, const struct snap_kind *kind,
                           size_t i)
{
    return *(const char *const *)snap_at((struct snapshot *)s, kind, i);
}

static bool same_kind(const struct pair *p, const struct snap_kind *kind, same_fn same,
                      struct diag *why)
{
    struct snapshot *a = (struct snapshot *)p->a, *b = (struct snapshot *)p->b;
    size_t n_a = *snap_count(a, kind), n_b = *snap_count(b, kind);

    for (size_t i = 0; i < MIN_OF(n_a, n_b); i++)
        if (!same(p, snap_at(a, kind, i), snap_at(b, kind, i))) {
            (void)diag_set(why, PBSE_INTERNAL, "%s and %s differ", name_at(a, kind, i),
                           name_at(b, kind, i));
            return false;
        }
    if (n_a != n_b)
        (void)diag_set(why, PBSE_INTERNAL, "one has %zu objects of type %u, one %zu",
                       n_a, (unsigned)kind->type, n_b);
    return n_a == n_b;
}

bool snapshot_same(const struct snapshot *a, const struct snapshot *b, struct diag *why)
{
    static const same_fn same[N_SNAP_KINDS] = { same_vnode, same_queue, same_resv,
                                                same_job };
    const struct pair p = { a, b };

    for (size_t i = 0; i < N_SNAP_KINDS; i++)
        if (!same_kind(&p, &snap_kinds[i], same[i], why))
            return false;
    if (a->retry_time_s == b->retry_time_s && a->group_enable == b->group_enable &&
        str_same(a->group_key, b->group_key) && same_limits(&a->limits, &b->limits) &&
        same_limits(&a->soft, &b->soft) &&
        str_same(a->suspend_releases, b->suspend_releases) &&
        same_number(&a->backfill_depth, &b->backfill_depth) &&
        a->counts_eligible == b->counts_eligible && str_same(a->formula, b->formula))
        return true;
    (void)diag_set(why, PBSE_INTERNAL, "the servers differ");
    return false;
}
