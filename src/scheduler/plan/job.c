/* job.c - jobs: start those that fit now and stay out of the way of what is promised,
 * and say of the others why they wait.
 *
 * Jobs of running reservations come first and see nothing but their reservation. Within
 * a plan what is free only shrinks, so jobs that ask for the same as one that failed
 * fail with it, without a search; and a search goes on where the one for a job that
 * asked for the same has ended (alike.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/alike.h"
#include "scheduler/plan/level.h"
#include "scheduler/plan/resume.h"
#include "scheduler/plan/room.h"
#include "scheduler/plan/rules.h"
#include "scheduler/plan/shrink.h"
#include "scheduler/plan/subjobs.h"
#include "scheduler/plan/top_job.h"
#include "scheduler/plan/victims.h"
#include "scheduler/plan/vnode_limit.h"

#include <stdlib.h>
#include <string.h>

/* Why a job waits, and the key of the other jobs that wait for the same reason. */
struct failure {
    struct {
        const struct request *request;
        const void *where; /* the reservation, or the queue that has its own vnodes */
        int64_t walltime_s;
        int64_t least_s; /* 1 more than the min_walltime of who may be shortened */
    } key;
    enum plan_failure kind;
    bool never;
    bool of_owner; /* a limit of its owner, its group or its project */
    const char *resource;
    const char *numbers;
    UT_hash_handle hh;
};

struct jobs {
    struct planner *pl;
    bool asked; /* command 11 */
    struct failure *failures;
    const char *last_waiting;      /* the last one that was tried in vain, or NULL */
    struct room room;              /* of the reservation that was looked at last */
    struct alike alike;            /* of what was searched outside of reservations */
    const char *only;              /* what is to be run alone, NULL: all */
    struct subjobs sub;            /* of the array that is looked at now */
    struct top_jobs top;           /* and who waits for others */
    struct starts starts;          /* of what is promised to others */
    size_t n, next;                /* jobs, and the first that was not tried yet */
    const struct snap_job **list;  /* in the order of policy, */
    int64_t *levels;               /* [n] which they had then, and */
    bool levels_fall;              /* which change as jobs start */
    struct preempting *preempting; /* whom they may preempt; NULL: nobody has asked */
    struct plan_notes notes;       /* of the job that is looked at */
    bool pause;                    /* the slice ends here */
};

/* What it costs to try a job, in jobs whose failure is known already. */
#define SEARCH_COST 32

/* The queue whose own vnodes its jobs use; NULL: the vnodes of no queue. */
static const char *queue_with_vnodes(const struct planner *pl, const struct snap_job *j)
{
    const struct snap_queue *q = link_of_job(pl, j)->queue;

    return q && pl->links->queue_has_vnodes[q - pl->s->queues] ? q->name : NULL;
}

/* True when the job would fit if it lasted one second only. Then it waits for its
 * walltime's sake: a reservation that begins later is in its way. */
static bool fits_now(struct planner *pl, const struct snap_job *j, const char *queue)
{
    struct pool pool = { .asker = ASKER_JOB,
                         .queue = queue,
                         .start_at = pl->now_at,
                         .end_at = pl->now_at + 1 };
    struct placement found = { 0 };
    struct plan_short why = { 0 };

    pool.sets = pool_sets(&pool, pl->w, j->request, link_of_job(pl, j)->queue);
    return pool_search(&pool, pl->w, j->request, &found, &why) == FAIL_NONE;
}

/* A job, and the vnodes outside of all reservations that it may have. */
struct field {
    struct jobs *jobs;
    const struct snap_job *j;
    const char *queue;
    struct failure *fail;
    const bool *closed; /* [vnode] by its limits, NULL: none is */
};

static struct pool pool_until(const struct field *f, int64_t end_at)
{
    struct planner *pl = f->jobs->pl;
    struct pool pool = {
        .asker = ASKER_JOB,
        .queue = f->queue,
        .start_at = pl->now_at,
        .end_at = end_at,
        .closed = f->closed,
    };

    pool.sets = pool_sets(&pool, pl->w, f->j->request, link_of_job(pl, f->j)->queue);
    return pool;
}

static enum plan_failure failed(const struct field *f, enum plan_failure failure,
                                const struct plan_short *why)
{
    f->fail->resource = why->resource;
    f->fail->never = failure == FAIL_SETS_TOO_SMALL;
    return failure;
}

/* Would it fit until then? */
static enum plan_failure try_until(void *arg, int64_t end_at)
{
    const struct field *f = arg;
    struct planner *pl = f->jobs->pl;
    struct placement found = { 0 };
    struct plan_short why = { 0 };
    struct pool pool;

    if (policy_crossed(pl->p, pl->now_at, end_at))
        return FAIL_CROSSES_DEDICATED;
    pool = pool_until(f, end_at);
    return failed(f, pool_search(&pool, pl->w, f->j->request, &found, &why), &why);
}

/* Take the vnodes for the job until then: at once, so that the next job finds what is
 * left. */
static enum plan_failure take_until(const struct field *f, const char *id,
                                    int64_t end_at, struct placement *found)
{
    struct planner *pl = f->jobs->pl;
    const struct request *rq = f->j->request;
    struct plan_short why = { 0 };
    enum plan_failure failure;
    struct pool pool;

    if (policy_crossed(pl->p, pl->now_at, end_at))
        return FAIL_CROSSES_DEDICATED;
    pool = pool_until(f, end_at);
    failure = alike_search(&f->jobs->alike, pl->w, &pool, rq, found)
                  ? FAIL_NONE
                  : pool_search(&pool, pl->w, rq, found, &why);
    if (failure)
        return failed(f, failure, &why);
    world_book(pl->w, id, &rq->place, found, pool.start_at, pool.end_at);
    quick_fit_took(pl, found);
    return FAIL_NONE;
}

/* Is it the limits of vnodes that are in the way? */
static bool would_fit_open(struct field *f)
{
    const bool *closed = f->closed;
    bool fits;

    f->closed = NULL;
    fits = try_until(f, job_end_at(f->jobs->pl, f->j)) == FAIL_NONE;
    f->closed = closed;
    return fits;
}

/* Look for vnodes outside of all reservations. The sums over all vnodes come first:
 * they are cheap, and they have comments of their own. 'ret' says how long it may last.
 */
static enum plan_failure search_field(struct field *f, const char *id,
                                      struct placement *found, struct shrunk *ret)
{
    struct planner *pl = f->jobs->pl;
    struct failure *fail = f->fail;
    enum plan_failure limit = FAIL_NONE,
                      failure = quick_fit(pl, f->j, f->queue, &fail->resource,
                                          &fail->numbers, &fail->never);

    if (failure)
        return failure;
    if (!f->jobs->asked)
        f->closed = vnode_limit_closes(pl, f->j, &limit);
    failure = take_until(f, id, job_end_at(pl, f->j), found);
    if (failure && job_may_shrink(f->j)) {
        failure = shrink_to_fit(pl, f->j, &f->jobs->starts, failure, try_until, f, ret);
        if (!failure)
            failure = take_until(f, id, pl->now_at + ret->length_s, found);
    }
    if (!failure)
        vnode_limit_took(pl, f->j, found);
    if (!failure || failure == FAIL_CROSSES_DEDICATED)
        return failure;
    if (f->closed && would_fit_open(f))
        return limit;
    return fits_now(pl, f->j, f->queue) ? FAIL_CONFLICT : failure;
}

/* 'est' NULL: it is no top job. The estimate of a subjob is its array's, and only jobs
 * are marked (scheduling.md 25). */
static void say_when(struct plan_step *step, const struct snap_job *j,
                     const struct estimate *est)
{
    bool top = est && est->tried;

    if (!j->array && top != j->topjob)
        step->topjob = top ? "True" : "False";
    if (!top)
        return;
    step->top = true;
    step->est_start_at = est->start_at;
    step->est_vnodes = est->vnodes;
    step->est_known = est->start_at == j->estimated.start_at &&
                      str_same(est->vnodes, j->estimated.vnodes);
}

/* The time is the job's own while its owner's limits hold it, soft ones are exceeded,
 * or it is worth too little; else it makes the job eligible (scheduling.md 30). Of what
 * cannot be read nothing is known. */
static void say_accrual(struct plan_step *step, struct planner *pl,
                        const struct snap_job *j, const struct failure *fail)
{
    int64_t type;

    if (!pl->s->counts_eligible || fail->kind == FAIL_JOB_SELECT ||
        (j->state != 'Q' && j->state != 'B'))
        return;
    type =
        fail->of_owner || fail->kind == FAIL_FORMULA || limit_fit_soft(pl, j) ? 1 : 2;
    if (j->accrue_type != type)
        step->accrue_type = type == 1 ? "1" : "2";
}

static void say_why(struct jobs *jobs, const struct snap_job *j,
                    const struct failure *fail, const struct estimate *est)
{
    struct planner *pl = jobs->pl;
    struct plan_step *step = plan_add(pl, PLAN_COMMENT_JOB, j->id);

    step->failure = fail->kind;
    step->never = fail->never;
    step->early = failure_is_early(fail->kind);
    step->log =
        failure_log(pl->arena, fail->kind, ASKER_JOB, fail->resource, fail->numbers);
    step->reason = arena_printf(
        pl->arena, "%s%s", fail->never ? "Can Never Run: " : "Not Running: ",
        failure_comment(pl->arena, fail->kind, fail->resource, fail->numbers));
    /* The comment of an array that has begun says when (scheduling.md 12, note 1). */
    step->unchanged = !pl->p->update_comments || j->state == 'B' ||
                      (j->array && jobs->sub.array == j && jobs->sub.n_started > 0) ||
                      str_same(step->reason, j->comment);
    step->n_notes = jobs->notes.n;
    step->notes = jobs->notes.v;
    jobs->notes = (struct plan_notes){ 0 };
    say_when(step, j, est);
    say_accrual(step, pl, j, fail);
}

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
    HASH_ADD(hh, jobs->failures, key, sizeof(copy->key), copy);
}

/* Start the job on the vnodes that were found. */
static struct plan_step *run(struct planner *pl, const struct snap_job *j,
                             const char *id, const struct placement *found,
                             const struct shrunk *shrunk)
{
    struct plan_step *step;
    bool shrinks = job_may_shrink(j) && shrink_step(pl, j, shrunk);

    MUST(found->n > 0);
    step = plan_add(pl, PLAN_RUN_JOB, id);
    step->vnodes = placement_print(pl->w, found);
    step->considered = shrinks;
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
        fail.key.walltime_s = job_full_s(j);
    fail.key.least_s = job_may_shrink(j) ? j->min_walltime_s + 1 : 0;
    return fail;
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
    bool by_vnodes = fail->kind != FAIL_LIMIT && !failure_is_of_sums(fail->kind);
    struct estimate est = { 0 };

    if (!jobs->asked)
        est = top_jobs_failed(&jobs->top, pl, j, id, queue,
                              job_end_at(pl, j) - pl->now_at, by_vnodes, fail->never);
    if (est.start_at > 0)
        starts_add(&jobs->starts, pl->arena, est.start_at);
    say_why(jobs, j, fail, &est);
    jobs->last_waiting = j->id;
}

/* Can others help who leave? Not where the vnodes will never do, and not against the
 * times and orders of the administrator (scheduling.md 22.2). */
static bool others_may_help(const struct failure *fail)
{
    switch (fail->kind) {
    case FAIL_NO_VNODES:
    case FAIL_IN_USE:
    case FAIL_SHORT:
    case FAIL_LIMIT:
    case FAIL_QUEUE_SHORT:
    case FAIL_SERVER_SHORT:
    case FAIL_CONFLICT:
    case FAIL_SET_BUSY:
    case FAIL_FEW_FREE_VNODES:
        return !fail->never;
    default:
        return false;
    }
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

/* More is free than before: what was known of failures does not hold any more, and the
 * levels of the others may have risen. Whoever carries the plan out has to know whether
 * the victims have left, before anything else is decided on it. */
static void begin_anew(struct jobs *jobs)
{
    HASH_CLEAR(hh, jobs->failures);
    alike_fini(&jobs->alike);
    if (jobs->levels_fall)
        order(jobs);
    jobs->pause = true;
}

/* Make others leave for the job, whose failure is no longer known then. 'own' and
 * 'found' as in victims.h. */
static bool preempt(struct jobs *jobs, const struct snap_job *j, const char *id,
                    const struct demand *own, struct placement *found)
{
    struct planner *pl = jobs->pl;
    const struct preemptor who = {
        .job = j,
        .id = id,
        .asked = jobs->asked,
        .own = own,
        .queue = queue_with_vnodes(pl, j),
        .end_at = job_end_at(pl, j),
    };
    bool done = preempt_for(pl, &jobs->preempting, &who, found, &jobs->notes);

    /* The step has the notes. */
    if (done)
        jobs->notes = (struct plan_notes){ 0 };
    return done;
}

/* Start the job on what others leave; false: they do not. */
static bool start_by_preemption(struct jobs *jobs, const struct snap_job *j,
                                const char *id, const struct failure *fail)
{
    const struct shrunk full = { .length_s = job_full_s(j) };
    struct planner *pl = jobs->pl;
    struct placement found = { 0 };
    struct plan_step *step;

    if (!others_may_help(fail) || !preempt(jobs, j, id, NULL, &found))
        return false;
    world_book(pl->w, id, &j->request->place, &found, pl->now_at, job_end_at(pl, j));
    quick_fit_took(pl, &found);
    if (!jobs->asked)
        vnode_limit_took(pl, j, &found);
    step = run(pl, j, id, &found, &full);
    step->preempts = step->considered = true;
    queue_fit_took(pl, j);
    limit_fit_took(pl, j);
    begin_anew(jobs);
    return true;
}

static enum plan_failure resume_resv(struct jobs *jobs, const struct snap_job *j,
                                     struct failure *fail)
{
    struct planner *pl = jobs->pl;

    room_enter(pl, &jobs->room, link_of_job(pl, j)->resv, job_end_at(pl, j));
    if (!jobs->room.link->has_vnodes)
        return FAIL_RESV_STATE;
    if (room_goes_on(pl, &jobs->room, j, job_end_at(pl, j), &fail->resource))
        return FAIL_NONE;
    return *fail->resource ? FAIL_SHORT : FAIL_NO_VNODES;
}

/* Let the job go on where others have what it needs; false: they do not leave. */
static bool resume_by_preemption(struct jobs *jobs, const struct snap_job *j,
                                 const struct failure *fail)
{
    struct planner *pl = jobs->pl;
    const struct job_link *link = link_of_job(pl, j);
    struct demand d;
    bool done;

    if (!link->has_vnodes || link->resv || !others_may_help(fail) ||
        !resume_may_use(pl, link))
        return false;
    d = world_demand(pl->w, pl->arena, &j->request->place, &link->at);
    world_drop(pl->w, j->id);
    done = preempt(jobs, j, j->id, &d, NULL);
    if (done)
        resume_take(pl, j, &d);
    else
        world_restore(pl->w, j->id);
    return done;
}

static struct plan_step *resume(struct planner *pl, const struct snap_job *j)
{
    struct plan_step *step = plan_add(pl, PLAN_RUN_JOB, j->id);

    step->vnodes = j->exec_vnode;
    step->resumes = rules_resumes(j);
    return step;
}

/* Let the job go on, from a suspension or from its checkpoint, or say why it stands.
 * What it needs is where it is, so that nothing follows for others who ask for the
 * same. */
static size_t try_resume(struct jobs *jobs, const struct snap_job *j)
{
    struct planner *pl = jobs->pl;
    const struct job_link *link = link_of_job(pl, j);
    struct failure fail = { 0 };
    struct limit_words words;
    struct plan_step *step;

    if (!link->has_vnodes && !link->rests)
        fail.kind = FAIL_NO_VNODES;
    else if (!limit_fit(pl, j, &words))
        fail = (struct failure){ .kind = FAIL_LIMIT,
                                 .resource = words.comment,
                                 .numbers = words.log };
    else
        fail.kind = queue_fit(pl, j, &fail.resource, &fail.numbers, &fail.never);
    if (!fail.kind)
        fail.kind = link->resv ? resume_resv(jobs, j, &fail) : resume_field(pl, j);
    if (fail.kind && !resume_by_preemption(jobs, j, &fail)) {
        struct estimate est = { 0 };

        if (fail.kind != FAIL_LIMIT && !failure_is_of_sums(fail.kind))
            est = top_jobs_stands(pl, j);
        say_why(jobs, j, &fail, &est);
        jobs->last_waiting = j->id;
        return SEARCH_COST;
    }
    step = resume(pl, j);
    step->preempts = step->considered = fail.kind != FAIL_NONE;
    queue_fit_took(pl, j);
    limit_fit_took(pl, j);
    if (fail.kind)
        begin_anew(jobs);
    return SEARCH_COST;
}

/* It cannot start, unless others leave. Returns what that has cost. */
static size_t fails(struct jobs *jobs, const struct snap_job *j, const char *id,
                    const char *queue, const struct failure *fail, bool *ret_started)
{
    *ret_started = start_by_preemption(jobs, j, id, fail);
    if (!*ret_started)
        waits_on(jobs, j, id, queue, fail);
    return *ret_started ? SEARCH_COST : 1;
}

/* Start the job, or the subjob of that id of an array, or say why it waits. Returns
 * what it has cost. */
static size_t try_job(struct jobs *jobs, const struct snap_job *j, const char *id,
                      bool *ret_started)
{
    struct planner *pl = jobs->pl;
    bool inside = link_of_job(pl, j)->resv != NULL;
    const char *queue = inside ? NULL : queue_with_vnodes(pl, j);
    struct failure fail = failure_like(pl, j, queue);
    struct failure *known = find_failure(jobs, &fail);
    struct field field = { .jobs = jobs, .j = j, .queue = queue, .fail = &fail };
    struct shrunk shrunk = { .length_s = job_full_s(j) };
    struct placement found = { 0 };
    struct limit_words words;

    *ret_started = false;
    MUST(j->request && j->request->valid); /* rules_refuse() has seen to it */
    if (!jobs->asked && top_jobs_hold(&jobs->top, pl, j)) {
        fail.kind = FAIL_STRICT;
        say_why(jobs, j, &fail, NULL);
        return 1;
    }
    /* So are limits, which hold for its owner. */
    if (!jobs->asked && !limit_fit(pl, j, &words)) {
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
                       : search_field(&field, id, &found, &shrunk);
    if (fail.kind == FAIL_NONE) {
        (void)run(pl, j, id, &found, &shrunk);
        queue_fit_took(pl, j);
        limit_fit_took(pl, j);
        *ret_started = true;
        return SEARCH_COST;
    }
    /* What the vnodes' limits close depends on whose the job is. */
    if (!field.closed)
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
        say_why(jobs, j, &limit, NULL);
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

struct jobs *jobs_new(struct planner *pl, const char *job_id, const char *last_id)
{
    struct jobs *jobs = ARENA_NEW(pl->arena, struct jobs);
    size_t n = pl->s->n_jobs;

    jobs->pl = pl;
    jobs->asked = job_id != NULL;
    jobs->only = job_id;
    jobs->list = ARENA_ARRAY(pl->arena, const struct snap_job *,
                             (job_id ? n : links_count(pl->links->waits, n)) + 1);
    for (size_t i = next_waiting(pl, job_id, 0); i < n;
         i = next_waiting(pl, job_id, i + 1)) {
        const struct snap_job *j = &pl->s->jobs[i];
        struct failure fail = { 0 };

        fail.kind = rules_refuse(pl, job_id != NULL, j);
        if (fail.kind)
            say_why(jobs, j, &fail, NULL);
        else
            jobs->list[jobs->n++] = j;
    }
    jobs->levels_fall = pl->p->preemptive && limit_fit_is_soft(pl);
    jobs->levels = ARENA_ARRAY(pl->arena, int64_t, jobs->n + 1);
    order(jobs);
    /* A strict order is the same in each plan. */
    if (last_id && !pl->p->strict_ordering && !pl->p->strict_fifo)
        put_last(jobs, last_id);
    return jobs;
}

const char *jobs_last_waiting(const struct jobs *jobs)
{
    return jobs->last_waiting;
}

bool jobs_go_on(struct jobs *jobs, size_t effort)
{
    size_t spent = 0;
    bool started;

    jobs->pause = false;
    while (jobs->next < jobs->n && spent < effort && !jobs->pause) {
        const struct snap_job *j;

        keep_order(jobs);
        j = jobs->list[jobs->next];
        if (j->array)
            spent += try_array(jobs, j);
        else if (rules_resumes(j) || link_of_job(jobs->pl, j)->rests)
            spent += try_resume(jobs, jobs->list[jobs->next++]);
        else
            spent += try_job(jobs, jobs->list[jobs->next++], j->id, &started);
    }
    return jobs->next < jobs->n || jobs->pause;
}

void jobs_fini(struct jobs *jobs)
{
    preempt_fini(jobs->preempting);
    HASH_CLEAR(hh, jobs->failures);
    limit_fit_fini(jobs->pl);
    alike_fini(&jobs->alike);
}
