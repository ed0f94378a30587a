/* job.c - jobs: start those that fit now and stay out of the way of what is promised,
 * and say of the others why they wait.
 *
 * Jobs of running reservations come first and see nothing but their reservation. Within
 * a plan what is free only shrinks, so jobs that ask for the same as one that failed
 * fail with it, without a search; and a search goes on where the one for a job that
 * asked for the same has ended (alike.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/jobs.h"

#include "lib/base/instant.h"
#include "scheduler/plan/length.h"
#include "scheduler/plan/level.h"
#include "scheduler/plan/plan_check.h"
#include "scheduler/plan/rules.h"
#include "scheduler/plan/vnode_limit.h"
#include "scheduler/plan/waiting.h"

#include <stdlib.h>
#include <string.h>

static struct failure *find_failure(struct jobs *jobs, const struct failure *like)
{
    struct failure *found;

    HASH_FIND(hh, jobs->failures, &like->key, sizeof(like->key), found);
    return found;
}

static void remember(struct jobs *jobs, const struct failure *fail)
{
    struct failure *copy = arena_copy(jobs->pl->arena, fail, sizeof(*fail));

    MUST(fail->kind != FAIL_NONE && !find_failure(jobs, fail));
    copy->words = ARENA_NEW(jobs->pl->arena, struct failure_words);
    HASH_ADD(hh, jobs->failures, key, sizeof(copy->key), copy);
}

/* Without a hook there is nothing to wait for but the MoM (scheduling.md 19). */
static enum plan_wait how_to_wait(const struct snapshot *s)
{
    if (str_same(s->run_wait, "execjob_hook"))
        return PLAN_WAIT_STARTS;
    if (str_same(s->run_wait, "runjob_hook") && s->has_runjob_hook)
        return PLAN_WAIT_HOOKS;
    return PLAN_WAIT_NONE;
}

struct plan_step *jobs_run(struct planner *pl, const struct snap_job *j, const char *id,
                           const struct placement *found, const struct shrunk *shrunk)
{
    struct plan_step *step;
    bool shrinks = job_may_shrink(j) && shrink_step(pl, j, shrunk);

    MUST(found->n > 0);
    step = plan_add(pl, PLAN_RUN_JOB, id);
    step->vnodes = placement_print(pl->w, found);
    step->considered = shrinks;
    step->waits = how_to_wait(pl->s);
    return step;
}

/* Who fails with this job: those that ask for the same at the same place, and as long
 * where that matters. The key is compared as bytes. */
static struct failure failure_like(const struct planner *pl, const struct snap_job *j,
                                   const char *queue)
{
    const struct job_link *link = link_of_job(pl, j);
    const struct resv_link *resv = link->resv ? link_of_resv(pl, link->resv) : NULL;
    struct failure fail;

    /* HASH_FIND compares the bytes of the key, those between its members included. */
    memset(&fail, 0, sizeof(fail));
    fail.key.request = j->request;
    if (resv)
        fail.key.where = link->resv;
    else if (queue)
        fail.key.where = link->queue;
    /* Inside a reservation the walltime does not matter: everything there is free
     * until the reservation ends. It matters for what the reservation does not name. */
    if (!resv || (resv->has_vnodes && room_asks_beside(pl->w, resv, j->request)))
        fail.key.walltime_s = job_full_s(pl, j);
    fail.key.least_s = job_may_shrink(j) ? j->min_walltime_s + 1 : 0;
    return fail;
}

/* Who failed before as this job would: for the sake of vnodes that are closed to
 * nobody, or to its owner too. */
static const struct failure *known_failure(struct jobs *jobs, const struct snap_job *j,
                                           struct failure like)
{
    const struct failure *known = find_failure(jobs, &like);

    if (known || link_of_job(jobs->pl, j)->resv)
        return known;
    like.key.owner = vnode_limit_owner(jobs->pl, j);
    return like.key.owner ? find_failure(jobs, &like) : NULL;
}

/* Look for vnodes inside the job's reservation, whose room is made at its first job. */
static enum plan_failure search_resv(struct jobs *jobs, const struct snap_job *j,
                                     const char *id, struct placement *found,
                                     struct failure *fail)
{
    struct planner *pl = jobs->pl;
    struct plan_short why = { 0 };
    enum plan_failure failure;

    room_enter(pl, &jobs->room, link_of_job(pl, j)->resv, job_end_at(pl, j));
    if (!jobs->room.link->has_vnodes)
        return FAIL_RESV_STATE;
    failure = room_search(pl, &jobs->room, j, id, job_end_at(pl, j), found, &why);
    fail->resource = why.resource;
    return failure;
}

/* What the job that waits means for those behind it, and why it waits. */
static void waits_on(struct jobs *jobs, const struct snap_job *j, const char *id,
                     const char *queue, const struct failure *fail)
{
    struct planner *pl = jobs->pl;
    bool by_vnodes = fail->kind != FAIL_LIMIT && fail->kind != FAIL_QUEUE_SHORT;
    struct estimate est = { 0 };

    if (!jobs->asked)
        est = top_jobs_failed(&jobs->top, pl, j, id, queue,
                              job_end_at(pl, j) - pl->now_at, by_vnodes, fail->never);
    if (est.start_at > 0)
        starts_add(&jobs->starts, pl->arena, est.start_at);
    jobs_say_why(jobs, j, fail, &est);
    jobs->last_waiting = j->id;
    jobs->last_passed = SIZE_MAX;
}

/* The next one is an array that has begun in this plan: it keeps its place. */
static bool is_in_array(const struct jobs *jobs)
{
    return jobs->next < jobs->n && jobs->list[jobs->next] == jobs->sub.array;
}

/* Bring those that are left into order. */
static void order(struct jobs *jobs)
{
    size_t from = jobs->next + is_in_array(jobs);

    rules_order(jobs->pl, &jobs->list[from], jobs->n - from);
    for (size_t i = from; i < jobs->n; i++)
        jobs->levels[i] = level_of(jobs->pl, jobs->list[i]);
}

void jobs_begin_anew(struct jobs *jobs)
{
    HASH_CLEAR(hh, jobs->failures);
    alike_fini(&jobs->alike);
    if (jobs->levels_fall)
        order(jobs);
    jobs->pause = true;
}

/* It cannot start, unless others leave. Returns what that has cost. */
static size_t fails(struct jobs *jobs, const struct snap_job *j, const char *id,
                    const char *queue, const struct failure *fail, bool *ret_started)
{
    *ret_started = jobs_start_by_preemption(jobs, j, id, fail);
    if (!*ret_started)
        waits_on(jobs, j, id, queue, fail);
    return *ret_started ? SEARCH_COST : 1;
}

/* When it would end at the earliest: one that may be shortened can keep out of the way
 * of what limits count later. */
static int64_t least_end_at(const struct planner *pl, const struct snap_job *j)
{
    return job_may_shrink(j) ? instant_after(pl->now_at, MAX_OF(j->min_walltime_s, 1))
                             : job_end_at(pl, j);
}

static int64_t end_of(const struct planner *pl, const struct snap_job *j,
                      const struct shrunk *shrunk)
{
    return MIN_OF(job_end_at(pl, j), instant_after(pl->now_at, shrunk->length_s));
}

static void take_notes(struct jobs *jobs, struct plan_step *step)
{
    step->n_notes = jobs->notes.n;
    step->notes = jobs->notes.v;
    jobs->notes = (struct plan_notes){ 0 };
}

/* Start the job, or the subjob of that id of an array, or say why it waits. Returns
 * what it has cost. */
static size_t try_job(struct jobs *jobs, const struct snap_job *j, const char *id,
                      bool *ret_started)
{
    struct planner *pl = jobs->pl;
    bool inside = link_of_job(pl, j)->resv != NULL;
    const char *queue = inside ? NULL : jobs_queue_with_vnodes(pl, j);
    struct failure fail = failure_like(pl, j, queue);
    const struct failure *known = known_failure(jobs, j, fail);
    struct job_field field = { .jobs = jobs, .j = j, .queue = queue, .fail = &fail };
    struct shrunk shrunk = { .length_s = job_full_s(pl, j) };
    struct placement found = { 0 };
    struct limit_words words;

    *ret_started = false;
    MUST(j->request && j->request->valid); /* rules_refuse() has seen to it */
    if (!jobs->asked && top_jobs_hold(&jobs->top, pl, j)) {
        fail.kind = FAIL_STRICT;
        fail.words = &jobs->words[fail.kind];
        jobs_say_why(jobs, j, &fail, NULL);
        return 1;
    }
    /* So are limits, which hold for its owner. */
    if (!jobs->asked && !limit_fit(pl, j, least_end_at(pl, j), &words)) {
        fail.kind = FAIL_LIMIT;
        fail.resource = words.comment;
        fail.numbers = words.log;
        fail.of_owner = !words.of_all;
        return fails(jobs, j, id, queue, &fail, ret_started);
    }
    /* What the queue and the server have left is a matter of this job's sums: no other
     * one fails with it. */
    fail.kind = queue_fit(pl, j, &fail.resource, &fail.numbers, &fail.never);
    if (fail.kind)
        return fails(jobs, j, id, queue, &fail, ret_started);
    if (known)
        return fails(jobs, j, id, queue, known, ret_started);
    fail.kind = inside ? search_resv(jobs, j, id, &found, &fail)
                       : jobs_search_field(&field, id, &found, &shrunk);
    if (fail.kind == FAIL_NONE) {
        take_notes(jobs, jobs_run(pl, j, id, &found, &shrunk));
        vnode_limit_took(pl, j, &found);
        queue_fit_took(pl, j);
        limit_fit_took(pl, j, end_of(pl, j, &shrunk));
        *ret_started = true;
        return SEARCH_COST;
    }
    /* What the vnodes' limits close depends on whose the job is. */
    if (field.closed)
        fail.key.owner = vnode_limit_owner(pl, j);
    remember(jobs, &fail);
    return SEARCH_COST + fails(jobs, j, id, queue, &fail, ret_started);
}

/* The array stays the next one as long as its subjobs are started. */
static size_t try_array(struct jobs *jobs, const struct snap_job *j)
{
    struct failure limit = { .kind = FAIL_SUBJOB_LIMIT };
    bool started = false;
    const char *id;
    size_t cost = 1;

    if (jobs->sub.array != j)
        subjobs_begin(&jobs->sub, jobs->pl, j, jobs->only);
    id = subjobs_next(&jobs->sub, jobs->pl->arena);
    if (id && subjobs_limited(&jobs->sub))
        jobs_say_why(jobs, j, &limit, NULL);
    else if (id)
        cost = try_job(jobs, j, id, &started);
    if (started)
        subjobs_started(&jobs->sub);
    else
        jobs->next++;
    return cost;
}

bool jobs_wait(struct planner *pl)
{
    return links_next(pl->links->waits, pl->s->n_jobs, 0) != SIZE_MAX;
}

/* A job that has started may have brought its owner over a soft limit, and others of
 * his behind their place. All of his are looked at then, so that the next time is that
 * of another owner. */
static void keep_order(struct jobs *jobs)
{
    if (jobs->levels_fall && !is_in_array(jobs) &&
        level_of(jobs->pl, jobs->list[jobs->next]) < jobs->levels[jobs->next])
        order(jobs);
}

/* Those behind a job go first, the others of its level after them. When it is gone
 * nobody knows where it stood, and the order stays. */
static void put_last(struct jobs *jobs, const char *last_id)
{
    const struct snap_job **list;
    size_t at = 0, from, to;

    while (at < jobs->n && strcmp(jobs->list[at]->id, last_id) != 0)
        at++;
    if (at == jobs->n)
        return;
    for (from = at; from > 0 && jobs->levels[from - 1] == jobs->levels[at]; from--)
        continue;
    for (to = at; to < jobs->n && jobs->levels[to] == jobs->levels[at]; to++)
        continue;
    at++;
    list = arena_copy(jobs->pl->arena, &jobs->list[from], (to - from) * sizeof(*list));
    memcpy(&jobs->list[from], &list[at - from], (to - at) * sizeof(*list));
    memcpy(&jobs->list[from + to - at], list, (at - from) * sizeof(*list));
}

/* The next job that waits; SIZE_MAX: none does. What a command names may be a job that
 * no plan looks at otherwise, and all are looked through for it. */
static size_t next_waiting(const struct planner *pl, const char *job_id, size_t from)
{
    if (!job_id)
        return links_next(pl->links->waits, pl->s->n_jobs, from);
    while (from < pl->s->n_jobs && !rules_waits(pl, job_id, &pl->s->jobs[from]))
        from++;
    return from < pl->s->n_jobs ? from : SIZE_MAX;
}

/* Whose time is it in which a job waits that its owner's limits would hold if those
 * before it ran? Whether they start in this plan does not matter, and neither does
 * where the plan begins. */
static void look_beyond(struct jobs *jobs)
{
    struct planner *pl = jobs->pl;

    if (!pl->s->counts_eligible || !limit_fit_is_of_owner(pl) || jobs->asked)
        return;
    jobs->beyond = ARENA_ARRAY(pl->arena, bool, pl->s->n_jobs + 1);
    for (size_t i = 0; i < jobs->n; i++)
        jobs->beyond[jobs->list[i] - pl->s->jobs] =
            limit_fit_is_beyond(pl, jobs->list[i]);
}

/* List the jobs anew, and say of those that a rule refuses why they wait. */
static void list_anew(struct jobs *jobs, const struct sched_look *look)
{
    struct planner *pl = jobs->pl;
    const char *job_id = look->job_id;
    size_t n = pl->s->n_jobs;

    jobs->list = ARENA_ARRAY(pl->arena, const struct snap_job *,
                             (job_id ? n : links_count(pl->links->waits, n)) + 1);
    for (size_t i = next_waiting(pl, job_id, 0); i < n;
         i = next_waiting(pl, job_id, i + 1)) {
        const struct snap_job *j = &pl->s->jobs[i];
        struct failure fail = { 0 };

        fail.kind = rules_refuse(pl, job_id != NULL, j);
        fail.words = &jobs->words[fail.kind];
        if (fail.kind)
            jobs_say_why(jobs, j, &fail, NULL);
        else
            jobs->list[jobs->n++] = j;
    }
    jobs->levels_fall = pl->p->preemptive && limit_fit_is_soft(pl);
    jobs->levels = ARENA_ARRAY(pl->arena, int64_t, jobs->n + 1);
    order(jobs);
    look_beyond(jobs);
    /* A strict order is the same in each plan. */
    if (look->last_id && !pl->p->strict_ordering && !pl->p->strict_fifo)
        put_last(jobs, look->last_id);
}

/* As put_last(): all have one level here. */
static void put_last_kept(struct jobs *jobs, const char *last_id)
{
    const struct snap_job **list = jobs->list;
    struct waiter **waiters = jobs->waiters;
    size_t at = 0, n = jobs->n;

    while (at < n && strcmp(list[at]->id, last_id) != 0)
        at++;
    if (at++ == n)
        return;
    jobs->list = ARENA_ARRAY(jobs->pl->arena, const struct snap_job *, n + 1);
    jobs->waiters = ARENA_ARRAY(jobs->pl->arena, struct waiter *, n + 1);
    for (size_t i = 0; i < n; i++) {
        jobs->list[i] = list[(at + i) % n];
        jobs->waiters[i] = waiters[(at + i) % n];
    }
}

/* Is it told nothing new? */
static bool is_told(const struct jobs *jobs, const struct waiter *w)
{
    return jobs->news_only && waiting_is_told(jobs->pl, w);
}

static void pass_over(struct jobs *jobs, const struct snap_job *j,
                      const struct waiter *w)
{
    if (jobs->check)
        plan_check_passed(jobs->check, j->id, waiting_words(w));
}

/* Say of those that a rule refuses why they wait, in the order of the server. */
static void say_refused(struct jobs *jobs)
{
    struct planner *pl = jobs->pl;
    size_t n = pl->s->n_jobs;

    for (size_t i = next_waiting(pl, NULL, 0); i < n;
         i = next_waiting(pl, NULL, i + 1)) {
        struct waiter *w = waiting_at(pl, i);
        struct failure fail = { .kind = waiting_refused(pl, w) };

        if (!fail.kind)
            continue;
        if (is_told(jobs, w)) {
            pass_over(jobs, &pl->s->jobs[i], w);
            continue;
        }
        fail.words = &jobs->words[fail.kind];
        jobs->who = w;
        jobs_say_why(jobs, &pl->s->jobs[i], &fail, NULL);
    }
    jobs->who = NULL;
}

/* What is kept of them has the order. */
static void list_kept(struct jobs *jobs, const struct sched_look *look)
{
    struct planner *pl = jobs->pl;
    size_t n = waiting_begin(pl);

    jobs->news_only = look->news_only;
    jobs->list = ARENA_ARRAY(pl->arena, const struct snap_job *, n + 1);
    jobs->waiters = ARENA_ARRAY(pl->arena, struct waiter *, n + 1);
    jobs->n = waiting_list(pl, jobs->list, jobs->waiters);
    if (jobs->n < n)
        say_refused(jobs);
    if (look->last_id)
        put_last_kept(jobs, look->last_id);
}

struct jobs *jobs_new(struct planner *pl, const struct sched_look *look,
                      struct plan_check *check)
{
    struct jobs *jobs = ARENA_NEW(pl->arena, struct jobs);

    jobs->pl = pl;
    jobs->asked = look->job_id != NULL;
    jobs->only = look->job_id;
    jobs->last_passed = SIZE_MAX;
    jobs->check = check;
    jobs->tells_sets = look->tells_sets;
    if (!jobs->asked && !pl->plain && waiting_serves(pl)) {
        list_kept(jobs, look);
        return jobs;
    }
    if (!jobs->asked && !pl->plain)
        waiting_forget(pl);
    list_anew(jobs, look);
    return jobs;
}

const char *jobs_last_waiting(const struct jobs *jobs)
{
    return jobs->last_passed == SIZE_MAX ? jobs->last_waiting
                                         : jobs->list[jobs->last_passed]->id;
}

/* The next job, which nothing is known of yet in this state. Returns the cost. */
static size_t try_next(struct jobs *jobs)
{
    const struct snap_job *j = jobs->list[jobs->next];
    bool started;

    if (j->array)
        return try_array(jobs, j);
    jobs->next++;
    if (rules_resumes(j) || link_of_job(jobs->pl, j)->rests)
        return jobs_try_resume(jobs, j);
    return try_job(jobs, j, j->id, &started);
}

/* Has a step from 'from' on changed what others find? */
static bool steps_change(const struct plan *plan, size_t from)
{
    for (size_t i = from; i < plan->n; i++)
        if (plan->steps[i].kind != PLAN_COMMENT_JOB || plan->steps[i].est_start_at > 0)
            return true;
    return false;
}

/* The next job where something is kept of it: why another one of its crowd waits is why
 * it waits, as long as nothing has changed since that was found. */
static size_t try_kept(struct jobs *jobs)
{
    struct planner *pl = jobs->pl;
    const struct snap_job *j = jobs->list[jobs->next];
    struct waiter *w = jobs->waiters[jobs->next];
    const struct failure *why = waiting_why(pl, w);
    size_t n = pl->plan->n, cost = 1;

    if (is_told(jobs, w)) {
        pass_over(jobs, j, w);
        jobs->last_passed = jobs->next++;
        return 0;
    }
    jobs->who = w;
    if (why) {
        jobs_say_why(jobs, j, why, NULL);
        jobs->last_passed = jobs->next++;
    } else {
        cost = try_next(jobs);
        if (steps_change(pl->plan, n))
            waiting_changed(pl);
    }
    jobs->who = NULL;
    return cost;
}

bool jobs_go_on(struct jobs *jobs, size_t effort)
{
    size_t spent = 0;

    jobs->pause = false;
    while (jobs->next < jobs->n && spent < effort && !jobs->pause) {
        if (jobs->list[jobs->next]->put_off) {
            jobs->next++;
            continue;
        }
        if (jobs->waiters) {
            spent += try_kept(jobs);
            continue;
        }
        keep_order(jobs);
        spent += try_next(jobs);
    }
    return jobs->next < jobs->n || jobs->pause;
}

void jobs_fini(struct jobs *jobs)
{
    preempt_fini(jobs->preempting);
    HASH_CLEAR(hh, jobs->failures);
    limit_fit_fini(jobs->pl);
    vnode_limit_fini(jobs->pl);
    alike_fini(&jobs->alike);
}
