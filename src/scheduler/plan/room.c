/* room.c - see room.h.
 *
 * Amounts are counted like those of the world: by world_slot(), with the presence on a
 * vnode in slot RES_PRESENCE.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/room.h"

/* What the reservation has on its vnodes is free for its jobs, before any of them is
 * counted. */
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

/* Take what a job uses. A job that wants a vnode alone takes the presence of
 * everybody, so that no other job gets on it. 'place' NULL: of one that stands, whose
 * presence keeps nobody off. */
static void take_from_room(struct world *w, struct room *room,
                           const struct place *place, const struct placement *at)
{
    for (size_t c = 0; c < at->n; c++) {
        for (size_t i = 0; i < at->chunks[c].n; i++) {
            const struct piece *piece = &at->chunks[c].pieces[i];

            if (place)
                room->free[piece->vnode * w->n_res + RES_PRESENCE] -=
                    world_use(w, piece->vnode, place) == USE_SHARED ? 1 : PRESENCE_ALL;
            for (size_t r = 1; r < w->n_res; r++)
                room->free[world_slot(w, piece->vnode, r)] -= piece->amounts[r];
        }
    }
}

/* A reservation that has not started (only qrun starts its jobs then) is limited to
 * what others leave free now until the job's end. What the reservation itself has
 * booked is set aside while the timelines are asked. */
static void limit_to_world(struct planner *pl, struct room *room, int64_t end_at)
{
    struct world *w = pl->w;

    world_drop(w, room->resv->id);
    for (size_t v = 0; v < w->n; v++) {
        if (!room->has[v])
            continue;
        for (size_t r = 0; r < w->n_res; r++) {
            size_t slot = world_slot(w, v, r);
            int64_t least = world_least(w, slot / w->n_res, r, w->now_at, end_at);

            if (least < room->free[slot])
                room->free[slot] = least;
        }
    }
    world_restore(w, room->resv->id);
}

void room_enter(struct planner *pl, struct room *room, const struct snap_resv *r,
                int64_t end_at)
{
    struct world *w = pl->w;

    if (room->resv == r)
        return;
    *room = (struct room){ .resv = r, .link = link_of_resv(pl, r) };
    if (!room->link->has_vnodes)
        return;
    room->has = arena_zero(w->arena, w->n * sizeof(bool) + 1);
    room->free = arena_zero(w->arena, w->n * w->n_res * sizeof(int64_t) + 1);
    add_to_room(w, room, &room->link->at);
    if (!resv_is_running(pl, r))
        limit_to_world(pl, room, end_at);
    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];
        const struct job_link *link = &pl->links->jobs[i];

        if (!link->has_vnodes || link->resv != r || !j->request)
            continue;
        if (j->state != 'S')
            take_from_room(w, room, &j->request->place, &link->at);
        else if (link->keeps)
            take_from_room(w, room, NULL, &link->kept);
    }
}

static bool room_has_presence(const struct world *w, const struct room *room,
                              size_t vnode, const struct place *place)
{
    if (world_use(w, vnode, place) == USE_SHARED)
        return room->free[vnode * w->n_res + RES_PRESENCE] >= 1;
    return room->free[vnode * w->n_res + RES_PRESENCE] >= PRESENCE_ALL;
}

bool room_asks_beside(const struct world *w, const struct resv_link *resv,
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
                    free[slot] =
                        world_least(w, slot / w->n_res, res, w->now_at, end_at);
            }
        }
}

/* The job has its vnodes: what it uses beside the reservation is gone for all. */
static void take_beside(struct world *w, struct room *room, const struct snap_job *j,
                        const char *id, const struct placement *found, int64_t end_at)
{
    struct placement beside;

    take_from_room(w, room, &j->request->place, found);
    if (link_beside(w, room->link, found, &beside))
        world_book(w, id, NULL, &beside, w->now_at, end_at);
}

enum plan_failure room_search(struct planner *pl, struct room *room,
                              const struct snap_job *j, const char *id, int64_t end_at,
                              struct placement *found, struct plan_short *why)
{
    struct world *w = pl->w;
    struct pool pool = { .asker = ASKER_JOB };
    enum plan_failure failure;
    struct fit f;

    MUST(room->resv && room->has && link_of_job(pl, j)->resv == room->resv);
    /* The job is killed with its reservation, whatever its walltime says. */
    end_at = MAX_OF(MIN_OF(end_at, room->resv->old_end_at), w->now_at + 1);
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
    if (room_asks_beside(w, room->link, j->request))
        open_beside(w, room, j->request, end_at, pool.free);
    pool.room = &room->link->at;
    if (j->request->place.group) /* the site's own sets do not divide reservations */
        pool.sets = pool_sets(&pool, w, j->request, NULL);
    failure = pool_fit(&pool, w, j->request, NULL, NULL, &f, why);
    if (failure)
        return failure;
    for (size_t i = 0; i < f.n_placed; i++)
        *placement_add(found, w->arena) = placed_keep(w, &f.placed[i]);
    take_beside(w, room, j, id, found, end_at);
    return FAIL_NONE;
}

/* What a placement takes, less what the job has of it already, by world_slot(). */
static int64_t *more_than_kept(struct world *w, const struct job_link *link)
{
    int64_t *sums = arena_zero(w->arena, w->n * w->n_res * sizeof(*sums) + 1);

    for (size_t pass = 0; pass < 2; pass++) {
        const struct placement *at = pass == 0 ? &link->at : &link->kept;

        for (size_t c = 0; c < at->n && (pass == 0 || link->keeps); c++)
            for (size_t i = 0; i < at->chunks[c].n; i++)
                for (size_t r = 1; r < w->n_res; r++)
                    sums[world_slot(w, at->chunks[c].pieces[i].vnode, r)] +=
                        (pass == 0 ? 1 : -1) * at->chunks[c].pieces[i].amounts[r];
    }
    return sums;
}

static bool has_room(struct world *w, const struct room *room,
                     const struct place *place, const struct job_link *link,
                     const char **ret_short)
{
    const int64_t *wanted = more_than_kept(w, link);

    for (size_t c = 0; c < link->at.n; c++)
        for (size_t i = 0; i < link->at.chunks[c].n; i++) {
            size_t v = link->at.chunks[c].pieces[i].vnode;

            *ret_short = "";
            if (!room->has[v] || !w->s->vnodes[v].usable ||
                !room_has_presence(w, room, v, place))
                return false;
            for (size_t r = 1; r < w->n_res; r++) {
                *ret_short = w->s->res.v[r].name;
                if (link_names(w, room->link, v, r) &&
                    wanted[world_slot(w, v, r)] > room->free[world_slot(w, v, r)])
                    return false;
            }
        }
    return true;
}

bool room_goes_on(struct planner *pl, struct room *room, const struct snap_job *j,
                  int64_t end_at, const char **ret_short)
{
    const struct job_link *link = link_of_job(pl, j);
    struct world *w = pl->w;
    struct placement beside;
    bool fits = true;

    MUST(room->resv == link->resv && (link->has_vnodes || link->rests));
    end_at = MAX_OF(MIN_OF(end_at, room->resv->old_end_at), w->now_at + 1);
    if (!has_room(w, room, &j->request->place, link, ret_short))
        return false;
    *ret_short = "";
    if (link_beside(w, room->link, &link->at, &beside)) {
        struct demand d = world_demand(w, w->arena, NULL, &beside);

        world_drop(w, j->id);
        fits = world_has(w, &d, w->now_at, end_at);
        if (fits)
            (void)world_take(w, j->id, &d, w->now_at, end_at);
        else
            world_restore(w, j->id);
    }
    /* What it had kept is a part of what it has again. */
    if (fits)
        take_from_room(w, room, &j->request->place, &link->at);
    return fits;
}
