/* holders.c - see holders.h.
 *
 * Each reservation and each job has one stake. Its memo in a snapshot that is kept
 * leads to it, and is new when the server has shown the object again: so a stake that
 * is found holds as long as its window is the same. What lies before now makes no
 * difference, and is left as it is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "scheduler/plan/holders.h"

#include "lib/base/instant.h"
#include "scheduler/plan/ceiling.h"
#include "scheduler/plan/length.h"
#include "scheduler/plan/rules.h"
#include "scheduler/plan/series.h"

#include <utlist.h>

#define MINUTE_S 60

/* What one of them has by the snapshot. */
struct claim {
    const struct request *rq;   /* NULL: amounts only, beside a reservation's own */
    const struct placement *at; /* NULL: nothing */
    int64_t start_at, end_at;
};

/* True while the vnodes of the reservation are not free for others. */
static bool resv_is_booked(const struct snap_resv *r)
{
    switch (r->state) {
    case RESV_CONFIRMED:
    case RESV_RUNNING:
    case RESV_DEGRADED:
    case RESV_BEING_ALTERED:
    case RESV_BEING_DELETED: /* until its jobs are gone */
    case RESV_DELETING_JOBS:
        return r->nodes != NULL;
    default:
        return false;
    }
}

/* A running reservation has its vnodes from now on; one that is past its end has them
 * as long as it is there; one that is being altered keeps what it had until its
 * question is answered. */
static struct claim claim_of_resv(const struct planner *pl, const struct snap_resv *r)
{
    const struct request *rq = r->state == RESV_BEING_ALTERED && r->request_orig
                                   ? r->request_orig
                                   : r->request;
    const struct resv_link *link = link_of_resv(pl, r);
    int64_t start_at = resv_is_running(pl, r) ? pl->now_at : r->old_start_at;

    return (struct claim){
        .rq = rq ? rq : &world_anyhow,
        .at = resv_is_booked(r) && link->has_vnodes ? &link->at : NULL,
        .start_at = start_at,
        .end_at = r->old_end_at > start_at ? r->old_end_at : start_at + 1,
    };
}

static bool is_stopped(const struct snap_job *j)
{
    return j->state == 'S' || j->state == 'U';
}

/* From when on the rest of its walltime counts. Nobody knows when a job goes on that is
 * suspended or that its host has stopped, but not before now. The next whole minute is
 * taken for all looks until then: so not each second changes the book, and what is
 * planned behind the job is still right when the server hears of it. */
static int64_t job_from(const struct planner *pl, const struct snap_job *j)
{
    if (is_stopped(j))
        return instant_after(pl->now_at, MINUTE_S - pl->now_at % MINUTE_S);
    return j->runs_from_at ? j->runs_from_at
           : j->started_at ? j->started_at
                           : pl->now_at;
}

/* When the job will give back what it has: when its walltime is over. A job that is
 * late is taken to end in the next second. */
static int64_t job_end(const struct planner *pl, const struct snap_job *j)
{
    int64_t from_at = job_from(pl, j);
    int64_t end_at = instant_after(from_at, job_left_s(pl, j));

    return end_at > pl->now_at ? end_at : pl->now_at + 1;
}

/* Has its reservation booked what the job uses? */
static bool is_inside(const struct planner *pl, const struct snap_resv *r)
{
    return r && resv_is_booked(r) && resv_is_running(pl, r) &&
           link_of_resv(pl, r)->has_vnodes;
}

/* When a job of a reservation that ends then gives back what it has. */
static int64_t end_inside(const struct planner *pl, const struct snap_job *j,
                          int64_t resv_end_at)
{
    return MAX_OF(MIN_OF(job_end(pl, j), resv_end_at), pl->now_at + 1);
}

int64_t holders_end_inside(const struct planner *pl, const struct snap_job *j,
                           int64_t end_at)
{
    const struct snap_resv *r = link_of_job(pl, j)->resv;

    return is_inside(pl, r) ? MAX_OF(MIN_OF(end_at, r->old_end_at), pl->now_at + 1)
                            : end_at;
}

int64_t holders_end_at(const struct planner *pl, const struct snap_job *j)
{
    return holders_end_inside(pl, j, job_end(pl, j));
}

/* A job of a running reservation uses what the reservation has booked already. Only
 * what the reservation does not name is booked for the job: 'beside'. A suspended job
 * has given its vnodes free, but for what it has kept of them. */
static struct claim claim_of_job(const struct planner *pl, const struct snap_job *j,
                                 struct placement *beside)
{
    const struct job_link *link = link_of_job(pl, j);
    struct claim c = { .start_at = pl->now_at, .end_at = job_end(pl, j) };
    bool stands = j->state == 'S';
    const struct placement *at = stands ? &link->kept : &link->at;

    if (!link->has_vnodes || (stands && !link->keeps))
        return c;
    if (is_inside(pl, link->resv)) {
        c.end_at = end_inside(pl, j, link->resv->old_end_at);
        if (link_beside(pl->w, link_of_resv(pl, link->resv), at, beside))
            c.at = beside;
        return c;
    }
    /* A job that stands keeps nobody off its vnodes. */
    c.rq = stands ? NULL : j->request ? j->request : &world_anyhow;
    c.at = at;
    return c;
}

bool holders_beside(const struct planner *pl, const struct snap_job *j, int64_t end_at,
                    struct placement *ret, struct span *ret_more)
{
    const struct claim c = claim_of_job(pl, j, ret);

    MUST(link_of_job(pl, j)->resv);
    *ret_more =
        (struct span){ .start_at = c.end_at, .end_at = end_inside(pl, j, end_at) };
    return c.at == ret && ret_more->start_at < ret_more->end_at;
}

/* What is kept of the element; NULL: nothing. links_new() has seen to it that its memo
 * is of this snapshot's vnodes. */
static struct stake *known(const struct planner *pl, const struct snap_memo *memo)
{
    return pl->w->book->lasting && memo ? memo->stake : NULL;
}

/* Is what is booked what has to be, from now on? */
static bool is_right(const struct planner *pl, const struct stake *st,
                     const struct claim *c)
{
    const struct booking *h = st->own;

    if (st->spoilt || st->inside != !c->rq || !h != !c->at)
        return false;
    if (!h)
        return true;
    /* What lies beside a reservation's own is found anew each time. */
    return !st->inside && h->end_at == c->end_at &&
           (h->start_at == c->start_at ||
            (h->start_at <= pl->now_at && c->start_at <= pl->now_at));
}

/* A new stake in the place of what was known of the element. */
static struct stake *begin(struct planner *pl, const char *id, const struct claim *c,
                           struct snap_memo *memo)
{
    struct stake *st = known(pl, memo);
    struct demand d;

    if (st)
        book_end_stake(pl->w->book, st);
    st = book_stake(pl->w->book, pl->arena);
    if (pl->w->book->lasting)
        memo->stake = st;
    st->inside = !c->rq;
    if (!c->at)
        return st;
    d = world_demand(pl->w, st->arena, c->rq, c->at);
    /* The element's own text goes with it, before its stake does. */
    st->own = world_take_for(pl->w, st, arena_strdup(st->arena, id), &d, c->start_at,
                             c->end_at);
    return st;
}

/* From when on another plan would find something else of a reservation that is not
 * shown again, because time has passed. */
static int64_t resv_steady_until(const struct planner *pl, const struct snap_resv *r,
                                 const struct claim *c)
{
    bool is_running = resv_is_running(pl, r);

    if (!is_running && r->state == RESV_BEING_ALTERED && r->old_start_at > pl->now_at)
        return r->old_start_at;
    return is_running && c->at ? c->end_at : INT64_MAX;
}

static void book_resv(struct planner *pl, size_t i)
{
    const struct snap_resv *r = &pl->s->resvs[i];
    struct book *l = pl->w->book;
    struct claim c = claim_of_resv(pl, r);
    struct stake *st = known(pl, r->memo);

    l->steady_until = MIN_OF(l->steady_until, resv_steady_until(pl, r, &c));
    pl->series[i] = NULL;
    if (!st && !c.at && !r->standing)
        return;
    if (!st || !is_right(pl, st, &c)) {
        st = begin(pl, r->id, &c, r->memo);
        if (r->standing)
            series_book(pl, r, st);
    }
    st->turn = l->turn;
    pl->series[i] = st->series;
}

/* Nobody knows when it gives back its vnodes, which are none of a reservation's. */
static bool is_endless(const struct planner *pl, const struct snap_job *j)
{
    const struct job_link *link = link_of_job(pl, j);

    return j->walltime_s < 0 && link->has_vnodes && !link->resv;
}

/* Its end depends on whether soft_walltimes count. */
static bool is_soft(const struct planner *pl, const struct snap_job *j)
{
    return job_has_soft(j) && link_of_job(pl, j)->has_vnodes;
}

/* Note of the job what plans look for among all. */
static void note_job(struct planner *pl, size_t i, struct stake *st)
{
    const struct snap_job *j = &pl->s->jobs[i];
    bool endless = is_endless(pl, j);
    struct booking *h = st ? st->own : NULL;

    links_put(pl->links->waits, i, rules_waits(pl, NULL, j));
    links_put(pl->links->endless, i, endless);
    links_put(pl->links->soft, i, is_soft(pl, j));
    if (!h || h->endless == endless)
        return;
    h->endless = endless;
    for (size_t k = 0; k < h->n; k++)
        ceilings_spoil(pl->w->book, h->made[k].vnode);
}

/* A job that nobody has seen start ends later in each plan, and one that is stopped in
 * each minute. */
static int64_t job_steady_until(const struct planner *pl, const struct snap_job *j,
                                const struct claim *c)
{
    if (!j->started_at && !j->runs_from_at)
        return pl->now_at + 1;
    return is_stopped(j) ? MIN_OF(job_from(pl, j), c->end_at) : c->end_at;
}

/* Has the end of a job that has vnodes to do with its soft_walltime? */
static bool has_soft(const struct planner *pl)
{
    return links_next(pl->links->soft, pl->s->n_jobs, 0) != SIZE_MAX;
}

/* The estimate of another scheduler's job is not ours to change, and subjobs have
 * none. */
static bool is_told(const struct planner *pl, const struct snap_job *j)
{
    int64_t length_s = job_extended_s(pl, j);

    return length_s < 0 || length_s == j->estimated.soft_walltime_s || j->array_id ||
           !link_of_job(pl, j)->queue;
}

void holders_extend(struct planner *pl)
{
    const size_t n = pl->s->n_jobs;

    for (size_t i = links_next(pl->links->soft, n, 0); i < n;
         i = links_next(pl->links->soft, n, i + 1)) {
        const struct snap_job *j = &pl->s->jobs[i];

        if (!is_told(pl, j))
            plan_add(pl, PLAN_EXTEND_JOB, j->id)->walltime =
                length_text(pl->arena, job_extended_s(pl, j));
    }
}

static void book_job(struct planner *pl, size_t i)
{
    const struct snap_job *j = &pl->s->jobs[i];
    struct book *l = pl->w->book;
    struct placement beside;
    struct claim c = claim_of_job(pl, j, &beside);
    struct stake *st = known(pl, j->memo);

    if (c.at)
        l->steady_until = MIN_OF(l->steady_until, job_steady_until(pl, j, &c));
    if (!st && !c.at) {
        note_job(pl, i, NULL);
        return;
    }
    if (!st || !is_right(pl, st, &c))
        st = begin(pl, j->id, &c, j->memo);
    note_job(pl, i, st);
    l->unsteady = l->unsteady || (st->inside && st->own);
    st->turn = l->turn;
}

static void book_all(struct planner *pl)
{
    struct book *l = pl->w->book;

    l->unsteady = false;
    l->steady_until = INT64_MAX;
    for (size_t i = 0; i < pl->s->n_resvs; i++)
        book_resv(pl, i);
    for (size_t i = 0; i < pl->s->n_jobs; i++)
        book_job(pl, i);
    if (l->lasting)
        book_sweep(l);
}

/* Only what the snapshot has been told since the last plan. */
static void book_news(struct planner *pl)
{
    const struct snap_news *jobs = snap_news(pl->s, OBJECT_JOB);
    const struct snap_news *resvs = snap_news(pl->s, OBJECT_RESV);
    void **orphans;
    size_t n = snap_orphans(pl->s, &orphans);

    for (size_t i = 0; i < n; i++)
        book_end_stake(pl->w->book, orphans[i]);
    for (size_t i = 0; i < resvs->n; i++)
        book_resv(pl, resvs->v[i]);
    for (size_t i = 0; i < jobs->n; i++)
        book_job(pl, jobs->v[i]);
}

/* Does what is booked of everything else still hold? */
static bool is_steady(const struct planner *pl)
{
    const struct book *l = pl->w->book;

    return l->lasting && !pl->links->anew && !l->unsteady &&
           (l->is_soft == pl->soft || !has_soft(pl)) && pl->now_at >= l->looked_at &&
           pl->now_at < l->steady_until;
}

#ifdef HF_CHECKS
static size_t count_from(const struct book *l, size_t vnode, int64_t now_at)
{
    const struct entry *b;
    size_t n = 0;

    DL_FOREACH (l->entries[vnode], b)
        n += b->of->end_at > now_at;
    return n;
}

/* Both have the same occurrences on the same vnodes. */
static bool same_series(const struct series *a, const struct series *b)
{
    if (!a || !b)
        return a == b;
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (!str_same(a->v[i].on ? a->v[i].on->text : NULL,
                      b->v[i].on ? b->v[i].on->text : NULL))
            return false;
    return a->n == b->n;
}

/* What is kept and what would be made anew are the same from now on. */
static void check_against_new(const struct planner *pl)
{
    struct world w = *pl->w;
    struct planner fresh = *pl;

    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];

        MUST(links_has(pl->links->waits, i) == rules_waits(pl, NULL, j));
        MUST(links_has(pl->links->endless, i) == is_endless(pl, j));
        MUST(links_has(pl->links->soft, i) == is_soft(pl, j));
    }
    fresh.w = &w;
    fresh.series = ARENA_ARRAY(pl->arena, struct series *, pl->s->n_resvs + 1);
    world_open_book(&w, pl->arena, false);
    book_all(&fresh);
    for (size_t i = 0; i <= world_server(&w); i++) {
        if (!w.line[i] && !pl->w->line[i])
            continue;
        MUST(timeline_same(world_line(pl->w, i), world_line(&w, i), w.now_at));
        MUST(count_from(pl->w->book, i, w.now_at) == count_from(w.book, i, w.now_at));
        MUST(book_has_endless(pl->w->book, i) == book_has_endless(w.book, i));
    }
    for (size_t i = 0; i < pl->s->n_resvs; i++)
        MUST(same_series(pl->series[i], fresh.series[i]));
    book_fini(w.book);
}
#endif

void holders_book(struct planner *pl)
{
    struct book *l = pl->w->book;
    const struct snap_news *vnodes = l->lasting ? snap_news(pl->s, OBJECT_NODE) : NULL;

    MUST(pl->links && !l->passing);
    l->turn++;
    pl->series = pl->links->series;
    if (is_steady(pl))
        book_news(pl);
    else
        book_all(pl);
    l->looked_at = pl->now_at;
    l->is_soft = pl->soft;
    if (!l->lasting)
        return;
    for (size_t i = 0; i < vnodes->n; i++)
        ceilings_spoil(l, vnodes->v[i]);
    snap_news_taken(pl->s);
#ifdef HF_CHECKS
    check_against_new(pl);
#endif
}
