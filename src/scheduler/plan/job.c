/* job.c - jobs: start those that fit now and stay out of the way of what is promised,
 * and say of the others why they wait.
 *
 * Jobs of running reservations come first and see nothing but their reservation. Within
 * a plan what is free only shrinks, so jobs that ask for the same as one that failed
 * fail with it, without a search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/plan.h"
#include "scheduler/plan/rules.h"

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
    const struct resv_link *link;
    bool *has;     /* [vnode] */
    int64_t *free; /* [vnode * n_res] */
};

struct jobs {
    struct planner *pl;
    struct failure *failures;
    struct room room; /* of the reservation asked for last */
};

static int64_t end_of(const struct planner *pl, const struct snap_job *j)
{
    int64_t length_s = j->walltime_s < 0 ? WALLTIME_NONE_S : j->walltime_s;

    if (length_s < 1)
        length_s = 1;
    if (length_s > 10 * (int64_t)WALLTIME_NONE_S)
        length_s = 10 * (int64_t)WALLTIME_NONE_S;
    return pl->now_at + length_s;
}

/* The room of a reservation. */

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

    if (jobs->room.resv == r)
        return;
    jobs->room = (struct room){ .resv = r, .link = link_of_resv(pl, r) };
    if (!jobs->room.link->has_vnodes)
        return;
    jobs->room.has = arena_zero(w->arena, w->n * sizeof(bool) + 1);
    jobs->room.free = arena_zero(w->arena, w->n * w->n_res * sizeof(int64_t) + 1);
    add_to_room(w, &jobs->room, &jobs->room.link->at);
    if (!resv_is_running(pl, r))
        limit_to_world(pl, &jobs->room, end_at);
    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];
        const struct job_link *link = &pl->links->jobs[i];

        if (link->has_vnodes && link->resv == r && j->state != 'S' && j->request)
            take_from_room(w, &jobs->room, &j->request->place, &link->at);
    }
}

static bool room_has_presence(const struct world *w, const struct room *room,
                              size_t vnode, const struct place *place)
{
    if (world_use(w, vnode, place) == USE_SHARED)
        return room->free[vnode * w->n_res + RES_PRESENCE] >= 1;
    return room->free[vnode * w->n_res + RES_PRESENCE] >= PRESENCE_ALL;
}

/* Does the request ask for what the reservation does not name on all of its vnodes? */
static bool asks_beside(const struct world *w, const struct resv_link *resv,
                        const struct request *rq)
{
    for (size_t c = 0; c < rq->n; c++)
        for (size_t i = 0; i < rq->chunks[c].n; i++) {
            const struct need *n = &rq->chunks[c].needs[i];

            if (fit_is_counted(w, n) && !resv->named_everywhere[n->res])
                return true;
        }
    return false;
}

/* Of what the reservation does not name on a vnode the job may have what everybody
 * leaves there until its end. */
static void open_beside(const struct world *w, const struct room *room,
                        const struct request *rq, int64_t end_at, int64_t *free)
{
    for (size_t c = 0; c < rq->n; c++)
        for (size_t i = 0; i < rq->chunks[c].n; i++) {
            size_t res = rq->chunks[c].needs[i].res;

            if (!fit_is_counted(w, &rq->chunks[c].needs[i]))
                continue;
            for (size_t v = 0; v < w->n; v++) {
                size_t slot = world_slot(w, v, res);

                if (room->has[v] && !link_names(w, room->link, v, res))
                    free[slot] = timeline_least(w->line[slot / w->n_res], res,
                                                w->now_at, end_at);
            }
        }
}

/* The job has its vnodes: what it uses beside the reservation is gone for all. */
static void take_beside(struct world *w, struct room *room, const struct snap_job *j,
                        const struct placement *found, int64_t end_at)
{
    struct placement beside;

    take_from_room(w, room, &j->request->place, found);
    if (link_beside(w, room->link, found, &beside))
        world_hold(w, j->id, NULL, &beside, w->now_at, end_at);
}

static enum plan_failure search_room(struct jobs *jobs, const struct snap_job *j,
                                     struct placement *found, struct plan_short *why)
{
    struct world *w = jobs->pl->w;
    struct room *room = &jobs->room;
    struct pool pool = { .asker = ASKER_JOB };
    int64_t end_at = MIN_OF(end_of(jobs->pl, j), room->resv->old_end_at);
    struct fit f;

    end_at = MAX_OF(end_at, w->now_at + 1);
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
    if (asks_beside(w, room->link, j->request))
        open_beside(w, room, j->request, end_at, pool.free);
    fit_init(&f, w, j->request, NULL, pool.free, pool.eligible, w->order, w->n);
    if (!fit_find(&f))
        return pool_explain(&pool, &f, why);
    for (size_t i = 0; i < f.n_placed; i++)
        *placement_add(found, w->arena) = placed_keep(w, &f.placed[i]);
    take_beside(w, room, j, found, end_at);
    return FAIL_NONE;
}

/* The open field. */

/* The queue whose own vnodes its jobs use; NULL: the vnodes of no queue. */
static const char *queue_with_vnodes(const struct planner *pl, const struct snap_job *j)
{
    const struct snap_queue *q = link_of_job(pl, j)->queue;

    return q && pl->links->queue_has_vnodes[q - pl->s->queues] ? q->name : NULL;
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

/* One job. */

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

/* Who fails with this job: those that ask for the same at the same place, and as long
 * where that matters. The key is compared as bytes. */
static struct failure failure_like(const struct planner *pl, const struct snap_job *j,
                                   const char *queue)
{
    const struct job_link *link = link_of_job(pl, j);
    const struct resv_link *resv = link->resv ? link_of_resv(pl, link->resv) : NULL;
    struct failure fail;

    memset(&fail, 0, sizeof(fail));
    fail.key.request = j->request;
    if (resv)
        fail.key.where = link->resv;
    else if (queue)
        fail.key.where = link->queue;
    if (!resv || (resv->has_vnodes && asks_beside(pl->w, resv, j->request)))
        fail.key.walltime_s = j->walltime_s;
    return fail;
}

static enum plan_failure search_resv(struct jobs *jobs, const struct snap_job *j,
                                     struct placement *found, struct failure *fail)
{
    struct plan_short why = { 0 };
    enum plan_failure failure;

    enter_room(jobs, link_of_job(jobs->pl, j)->resv, end_of(jobs->pl, j));
    if (!jobs->room.link->has_vnodes)
        return FAIL_RESV_STATE;
    failure = search_room(jobs, j, found, &why);
    fail->resource = why.resource;
    return failure;
}

static void try_job(struct jobs *jobs, const struct snap_job *j)
{
    struct planner *pl = jobs->pl;
    bool inside = link_of_job(pl, j)->resv != NULL;
    const char *queue = inside ? NULL : queue_with_vnodes(pl, j);
    struct failure fail = failure_like(pl, j, queue);
    struct failure *known = find_failure(jobs, &fail);
    struct placement found = { 0 };

    if (known) {
        say_why(jobs, j, known);
        return;
    }
    fail.kind = inside ? search_resv(jobs, j, &found, &fail)
                       : search_field(pl, j, queue, &found, &fail);
    if (fail.kind == FAIL_NONE) {
        run(pl, j, &found);
        return;
    }
    remember(jobs, &fail);
    say_why(jobs, j, &fail);
}

/* All of them. */

bool jobs_wait(struct planner *pl)
{
    for (size_t i = 0; i < pl->s->n_jobs; i++)
        if (rules_waits(pl, NULL, &pl->s->jobs[i]))
            return true;
    return false;
}

void plan_jobs(struct planner *pl, const char *job_id)
{
    struct jobs jobs = { .pl = pl };
    const struct snap_job **list =
        arena_alloc(pl->arena, pl->s->n_jobs * sizeof(*list) + 1);
    size_t n = 0;

    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];
        struct failure fail = { 0 };

        if (!rules_waits(pl, job_id, j))
            continue;
        fail.kind = rules_refuse(pl, job_id != NULL, j);
        if (fail.kind)
            say_why(&jobs, j, &fail);
        else
            list[n++] = j;
    }
    rules_order(pl, list, n);
    for (size_t i = 0; i < n; i++)
        try_job(&jobs, list[i]);
    HASH_CLEAR(hh, jobs.failures);
}
