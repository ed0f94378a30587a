/* job.c - jobs: start those that fit now and stay out of the way of what is promised,
 * and say of the others why they wait.
 *
 * Jobs of running reservations come first and see nothing but their reservation. Within
 * a plan what is free only shrinks, so jobs that ask for the same as one that failed
 * fail with it, without a search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* A failure, and who shares it. */
struct failure {
    struct {
        const struct request *request;
        const void *where; /* the reservation, or the queue that has its own vnodes */
        int64_t walltime_s;
    } key;
    enum plan_failure kind;
    bool never;
    const char *resource;
    const char *numbers;
    UT_hash_handle hh;
};

/* What a reservation's jobs may use. */
struct room {
    const struct snap_resv *resv;
    bool valid;
    bool *has;     /* [vnode] */
    int64_t *free; /* [vnode * n_res] */
};

struct jobs {
    struct planner *pl;
    struct failure *failures;
    struct room room; /* of the reservation asked for last */
    const char *only; /* command 11 */
};

/* --- the room of a reservation --- */

static void add_to_room(struct world *w, struct room *room,
                        const struct placement *nodes)
{
    for (size_t c = 0; c < nodes->n; c++) {
        for (size_t i = 0; i < nodes->chunks[c].n; i++) {
            const struct piece *piece = &nodes->chunks[c].pieces[i];

            room->has[piece->vnode] = true;
            room->free[piece->vnode * w->n_res + RES_PRESENCE] = PRESENCE_ALL;
            for (size_t r = 1; r < w->n_res; r++)
                room->free[world_slot(w, piece->vnode, r)] += piece->amounts[r];
        }
    }
}

static void take_from_room(struct world *w, struct room *room,
                           const struct place *place, const struct placement *at)
{
    for (size_t c = 0; c < at->n; c++) {
        for (size_t i = 0; i < at->chunks[c].n; i++) {
            const struct piece *piece = &at->chunks[c].pieces[i];

            room->free[piece->vnode * w->n_res + RES_PRESENCE] -=
                world_use(w, piece->vnode, place) == USE_SHARED ? 1 : PRESENCE_ALL;
            for (size_t r = 1; r < w->n_res; r++)
                room->free[world_slot(w, piece->vnode, r)] -= piece->amounts[r];
        }
    }
}

/* A reservation that has not started (qrun only) has what others leave it now. */
static void limit_to_world(struct planner *pl, struct room *room, int64_t end_at)
{
    struct world *w = pl->w;

    world_drop(w, room->resv->id);
    for (size_t v = 0; v < w->n; v++) {
        if (!room->has[v])
            continue;
        for (size_t r = 0; r < w->n_res; r++) {
            size_t slot = world_slot(w, v, r);
            int64_t least =
                timeline_least(w->line[slot / w->n_res], r, w->now_at, end_at);

            if (least < room->free[slot])
                room->free[slot] = least;
        }
    }
    world_restore(w, room->resv->id);
}

static void enter_room(struct jobs *jobs, const struct snap_resv *r, int64_t end_at)
{
    struct planner *pl = jobs->pl;
    struct world *w = pl->w;
    struct placement at;

    if (jobs->room.resv == r)
        return;
    jobs->room = (struct room){ .resv = r };
    jobs->room.has = arena_zero(w->arena, w->n * sizeof(bool) + 1);
    jobs->room.free = arena_zero(w->arena, w->n * w->n_res * sizeof(int64_t) + 1);
    jobs->room.valid = placement_read(w, r->nodes, &at);
    if (!jobs->room.valid)
        return;
    add_to_room(w, &jobs->room, &at);
    if (!resv_is_running(pl, r))
        limit_to_world(pl, &jobs->room, end_at);
    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];

        if (job_is_placed(j) && j->state != 'S' && str_same(j->queue, r->queue) &&
            j->request && placement_read(w, j->exec_vnode, &at))
            take_from_room(w, &jobs->room, &j->request->place, &at);
    }
}

static bool room_has_presence(const struct world *w, const struct room *room,
                              size_t vnode, const struct place *place)
{
    if (world_use(w, vnode, place) == USE_SHARED)
        return room->free[vnode * w->n_res + RES_PRESENCE] >= 1;
    return room->free[vnode * w->n_res + RES_PRESENCE] >= PRESENCE_ALL;
}

static enum plan_failure search_room(struct jobs *jobs, const struct snap_job *j,
                                     struct placement *found, struct plan_short *why)
{
    struct world *w = jobs->pl->w;
    struct room *room = &jobs->room;
    struct pool pool = { .asker = ASKER_JOB };
    struct fit f;

    pool.free = arena_copy(world_scratch(w), room->free,
                           w->n * w->n_res * sizeof(*room->free) + 1);
    pool.eligible = arena_zero(w->scratch, w->n * sizeof(bool) + 1);
    for (size_t v = 0; v < w->n; v++) {
        if (!room->has[v] || !w->s->vnodes[v].usable || w->s->vnodes[v].busy)
            continue;
        pool.eligible[v] = room_has_presence(w, room, v, &j->request->place);
        pool.n_eligible += pool.eligible[v];
        pool.n_in_use += !pool.eligible[v];
    }
    fit_init(&f, w, j->request, NULL, pool.free, pool.eligible, w->order, w->n);
    if (!fit_find(&f))
        return pool_explain(&pool, &f, why);
    for (size_t i = 0; i < f.n_placed; i++)
        *placement_add(found, w->arena) = placed_keep(w, &f.placed[i]);
    take_from_room(w, room, &j->request->place, found);
    return FAIL_NONE;
}

/* --- the open field --- */

static int64_t end_of(const struct planner *pl, const struct snap_job *j)
{
    int64_t length_s = j->walltime_s < 0 ? WALLTIME_NONE_S : j->walltime_s;

    if (length_s < 1)
        length_s = 1;
    if (length_s > 10 * (int64_t)WALLTIME_NONE_S)
        length_s = 10 * (int64_t)WALLTIME_NONE_S;
    return pl->now_at + length_s;
}

/* The queue whose own vnodes its jobs use; NULL: the vnodes of no queue. */
static const char *queue_with_vnodes(const struct planner *pl, const struct snap_job *j)
{
    for (size_t v = 0; pl->queues_of_vnodes && v < pl->w->n; v++)
        if (j->queue && str_same(pl->s->vnodes[v].queue, j->queue))
            return j->queue;
    return NULL;
}

/* Would it run if only the next second counted? Then time is what it lacks. */
static bool fits_now(struct planner *pl, const struct snap_job *j, const char *queue)
{
    struct pool pool = { .asker = ASKER_JOB,
                         .queue = queue,
                         .start_at = pl->now_at,
                         .end_at = pl->now_at + 1 };
    struct placement found = { 0 };
    struct plan_short why;

    return pool_search(&pool, pl->w, j->request, &found, &why) == FAIL_NONE;
}

static enum plan_failure search_field(struct planner *pl, const struct snap_job *j,
                                      const char *queue, struct placement *found,
                                      struct failure *fail)
{
    struct pool pool = { .asker = ASKER_JOB,
                         .queue = queue,
                         .start_at = pl->now_at,
                         .end_at = end_of(pl, j) };
    struct plan_short why = { 0 };
    enum plan_failure failure =
        quick_fit(pl, j, queue, &fail->resource, &fail->numbers, &fail->never);

    if (failure)
        return failure;
    if (policy_crossed(pl->p, pool.start_at, pool.end_at))
        return FAIL_CROSSES_DEDICATED;
    failure = pool_search(&pool, pl->w, j->request, found, &why);
    if (!failure) {
        world_hold(pl->w, j->id, &j->request->place, found, pool.start_at, pool.end_at);
        quick_fit_took(pl, found);
        return FAIL_NONE;
    }
    fail->resource = why.resource;
    return fits_now(pl, j, queue) ? FAIL_CONFLICT : failure;
}

/* --- one job --- */

static void say_why(struct jobs *jobs, const struct snap_job *j,
                    const struct failure *fail)
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
                      str_same(step->reason, j->comment);
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

    HASH_ADD(hh, jobs->failures, key, sizeof(copy->key), copy);
}

static void run(struct planner *pl, const struct snap_job *j,
                const struct placement *found)
{
    plan_add(pl, PLAN_RUN_JOB, j->id)->vnodes = placement_print(pl->w, found);
}

static void try_job(struct jobs *jobs, const struct snap_job *j)
{
    struct planner *pl = jobs->pl;
    const struct snap_resv *r = resv_of(pl, j);
    const char *queue = r ? NULL : queue_with_vnodes(pl, j);
    struct placement found = { 0 };
    struct plan_short why = { 0 };
    struct failure fail, *known;

    memset(&fail, 0, sizeof(fail)); /* the key is compared as bytes */
    fail.key.request = j->request;
    fail.key.where =
        r ? (const void *)r : (queue ? snap_queue_find(pl->s, queue) : NULL);
    fail.key.walltime_s = r ? 0 : j->walltime_s;
    known = find_failure(jobs, &fail);
    if (known) {
        say_why(jobs, j, known);
        return;
    }
    if (r) {
        enter_room(jobs, r, end_of(pl, j));
        fail.kind =
            jobs->room.valid ? search_room(jobs, j, &found, &why) : FAIL_RESV_STATE;
        fail.resource = why.resource;
    } else {
        fail.kind = search_field(pl, j, queue, &found, &fail);
    }
    if (fail.kind == FAIL_NONE) {
        run(pl, j, &found);
        return;
    }
    remember(jobs, &fail);
    say_why(jobs, j, &fail);
}

/* --- which jobs, in what order --- */

/* Suspended by a scheduler, not by a user. */
static bool is_to_be_resumed(const struct snap_job *j)
{
    return j->state == 'S' && j->substate == JOB_SUBSTATE_SCHED_SUSPENDED;
}

/* Jobs of routing queues and of other partitions are not ours. */
static const struct snap_queue *queue_of(const struct planner *pl,
                                         const struct snap_job *j)
{
    const struct snap_queue *q = snap_queue_find(pl->s, j->queue);

    return q && q->execution ? q : NULL;
}

/* Does the job wait for this scheduler, whether it is served or not? */
static bool waits(const struct jobs *jobs, const struct snap_job *j)
{
    if (!queue_of(jobs->pl, j))
        return false;
    if (jobs->only)
        return strcmp(j->id, jobs->only) == 0 &&
               (!job_is_placed(j) || is_to_be_resumed(j));
    return j->state == 'Q' || is_to_be_resumed(j) || (j->array && j->state == 'B');
}

/* Is it not the time of the job's queue? Whatever is promised to a reservation is not
 * asked again. */
static enum plan_failure not_its_time(const struct planner *pl,
                                      const struct snap_job *j)
{
    bool dedicated = policy_prefix_has(pl->p->dedicated_prefix, j->queue);

    if (!queue_of(pl, j)->started)
        return FAIL_QUEUE_STOPPED;
    if (resv_of(pl, j))
        return FAIL_NONE;
    if (dedicated != (policy_dedicated_at(pl->p, pl->now_at) != NULL))
        return FAIL_DEDICATED;
    return policy_prefix_has(pl->p->nonprime_prefix, j->queue) ? FAIL_NONPRIME_ONLY
                                                               : FAIL_NONE;
}

/* Why it is not even considered, FAIL_NONE: it is. A request to run one job asks
 * nothing of its queue. */
static enum plan_failure not_considered(const struct jobs *jobs,
                                        const struct snap_job *j)
{
    enum plan_failure failure = jobs->only ? FAIL_NONE : not_its_time(jobs->pl, j);

    if (failure)
        return failure;
    if (j->array)
        return FAIL_JOB_ARRAY;
    if (is_to_be_resumed(j))
        return FAIL_JOB_SUSPENDED;
    return j->request && j->request->valid ? FAIL_NONE : FAIL_JOB_SELECT;
}

struct candidate {
    const struct snap_job *job;
    size_t resv;      /* index of its running reservation, SIZE_MAX: none */
    int64_t priority; /* of its queue, with by_queue */
    size_t queue;     /* likewise its place among the queues */
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;

    if (x->resv != y->resv)
        return x->resv < y->resv ? -1 : 1;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->queue != y->queue)
        return x->queue < y->queue ? -1 : 1;
    if (x->job->rank != y->job->rank)
        return x->job->rank < y->job->rank ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

static struct candidate make_candidate(const struct planner *pl,
                                       const struct snap_job *j)
{
    const struct snap_resv *r = resv_of(pl, j);
    const struct snap_queue *q = snap_queue_find(pl->s, j->queue);
    struct candidate c = { .job = j, .resv = SIZE_MAX };

    if (r)
        c.resv = (size_t)(r - pl->s->resvs);
    else if (q && pl->p->by_queue) {
        c.priority = q->priority;
        c.queue = (size_t)(q - pl->s->queues);
    }
    return c;
}

bool jobs_wait(struct planner *pl)
{
    const struct jobs all = { .pl = pl };

    for (size_t i = 0; i < pl->s->n_jobs; i++)
        if (waits(&all, &pl->s->jobs[i]))
            return true;
    return false;
}

void plan_jobs(struct planner *pl, const char *job_id)
{
    struct jobs jobs = { .pl = pl, .only = job_id };
    struct candidate *list = arena_alloc(pl->arena, pl->s->n_jobs * sizeof(*list) + 1);
    size_t n = 0;

    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];
        struct failure fail = { 0 };

        if (!waits(&jobs, j))
            continue;
        fail.kind = not_considered(&jobs, j);
        if (fail.kind)
            say_why(&jobs, j, &fail);
        else
            list[n++] = make_candidate(pl, j);
    }
    if (n > 0)
        qsort(list, n, sizeof(*list), compare_candidates);
    for (size_t i = 0; i < n; i++)
        try_job(&jobs, list[i].job);
    HASH_CLEAR(hh, jobs.failures);
}
