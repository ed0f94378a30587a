/* waiting_order.c - jobs that wait, in the order in which they are tried.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "scheduler/plan/waiting_priv.h"

#include <stdlib.h>
#include <string.h>

/* More changes than this part of the jobs, and all are looked through at once. */
enum {
    MANY_PARTS = 16
};

struct waiting *waiting_new(void)
{
    struct waiting *k = xcalloc(1, sizeof(*k));

    k->moved = k->unranked = true;
    k->n_left = SIZE_MAX;
    k->era = 1;
    return k;
}

void waiting_free(struct waiting *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->n_slots; i++) {
        crowd_leave(k, &k->slots[i]);
        free(k->slots[i].rank.by_key);
    }
    free(k->slots);
    free(k->free);
    free(k->order);
    free(k->of_job);
    free(k->news);
    free(k);
}

/* Room for one element more. */
static void *room(void *v, size_t n, size_t *cap, size_t size_bytes)
{
    if (n < *cap)
        return v;
    *cap = MAX_OF(*cap * 2, n + 32);
    return xrealloc(v, *cap * size_bytes);
}

static void note_news(struct waiting *k, const struct snap_news *jobs)
{
    k->n_left = MIN_OF(k->n_left, jobs->n_left);
    for (size_t i = 0; i < jobs->n; i++) {
        k->news = room(k->news, k->n_news, &k->cap_news, sizeof(*k->news));
        k->news[k->n_news++] = jobs->v[i];
    }
}

void waiting_note_news(struct planner *pl)
{
    struct waiting *k = pl->w->waiting;

    if (!k)
        return;
    k->moved = k->moved || pl->links->anew;
    k->unranked = k->unranked || pl->links->queues_anew;
    if (!k->moved)
        note_news(k, snap_news(pl->s, OBJECT_JOB));
    /* Plans that do not ask for the jobs leave their news, and these are not to pile
     * up. Where jobs have moved, or so many are new, all are looked through, whatever
     * is noted: waiting_update() takes it up otherwise. */
    k->moved = k->moved || k->n_news > pl->s->n_jobs;
}

static void rank(const struct waiting *k, struct planner *pl, struct waiter *w)
{
    MUST(k->n_keys == pl->p->n_job_keys);
    rules_rank(pl, &pl->s->jobs[w->job], &w->rank);
}

/* A slot for the job, which has no place in the order yet. */
static size_t add_slot(struct waiting *k, struct planner *pl, size_t job)
{
    struct snap_memo *memo = pl->s->jobs[job].memo;
    struct waiter *w;
    size_t slot;

    if (k->n_free > 0) {
        slot = k->free[--k->n_free];
    } else {
        k->slots = room(k->slots, k->n_slots, &k->cap_slots, sizeof(*k->slots));
        slot = k->n_slots++;
        k->slots[slot].rank = (struct job_rank){ 0 };
        k->slots[slot].rank.by_key = xcalloc(k->n_keys + 1, sizeof(double));
    }
    w = &k->slots[slot];
    w->serial = ++k->serial;
    w->turn = k->turn;
    w->job = job;
    w->is_free = false;
    crowd_join(k, pl, w);
    rank(k, pl, w);
    *memo = (struct snap_memo){ .version = memo->version,
                                .what = memo->what,
                                .stake = memo->stake,
                                .waiter = slot + 1,
                                .serial = w->serial };
    k->of_job[job] = slot + 1;
    return slot;
}

static void free_slot(struct waiting *k, size_t slot)
{
    struct waiter *w = &k->slots[slot];

    MUST(!w->is_free);
    crowd_leave(k, w);
    w->is_free = true;
    w->serial = 0;
    k->free = room(k->free, k->n_free, &k->cap_free, sizeof(*k->free));
    k->free[k->n_free++] = slot;
}

/* The first place in the order that is not before the rank. */
static size_t place_of(const struct waiting *k, const struct job_rank *r)
{
    size_t low = 0, high = k->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (rules_compare(&k->slots[k->order[mid]].rank, r) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void insert(struct waiting *k, size_t slot)
{
    size_t at = place_of(k, &k->slots[slot].rank);

    k->order = room(k->order, k->n, &k->cap, sizeof(*k->order));
    memmove(&k->order[at + 1], &k->order[at], (k->n - at) * sizeof(*k->order));
    k->order[at] = slot;
    k->n++;
}

/* The job that had this place waits no longer, or was shown again. */
static void take_out(struct waiting *k, size_t job)
{
    size_t slot = k->of_job[job], at;

    if (!slot)
        return;
    at = place_of(k, &k->slots[slot - 1].rank);
    MUST(at < k->n && k->order[at] == slot - 1);
    k->n--;
    memmove(&k->order[at], &k->order[at + 1], (k->n - at) * sizeof(*k->order));
    k->of_job[job] = 0;
    free_slot(k, slot - 1);
}

/* Room for the jobs of the snapshot. */
static void make_room(struct waiting *k, size_t n_jobs)
{
    if (n_jobs > k->cap_jobs) {
        k->cap_jobs = MAX_OF(k->cap_jobs * 2, n_jobs + 32);
        k->of_job = xrealloc(k->of_job, k->cap_jobs * sizeof(*k->of_job));
    }
    if (n_jobs > k->n_jobs)
        memset(&k->of_job[k->n_jobs], 0, (n_jobs - k->n_jobs) * sizeof(*k->of_job));
    k->n_jobs = n_jobs;
}

static void take_up_news(struct waiting *k, struct planner *pl)
{
    for (size_t i = k->n_left; i < k->n_jobs; i++)
        take_out(k, i);
    for (size_t i = 0; i < k->n_news; i++)
        if (k->news[i] < k->n_jobs)
            take_out(k, k->news[i]);
    make_room(k, pl->s->n_jobs);
    for (size_t i = 0; i < k->n_news; i++) {
        size_t job = k->news[i];

        if (job < k->n_jobs && links_has(pl->links->waits, job) && !k->of_job[job])
            insert(k, add_slot(k, pl, job));
    }
}

static int compare_slots(const void *a, const void *b, void *arg)
{
    const struct waiting *k = arg;

    return rules_compare(&k->slots[*(const size_t *)a].rank,
                         &k->slots[*(const size_t *)b].rank);
}

static void sort(struct waiting *k)
{
    bool sorted = true;

    for (size_t i = 1; i < k->n && sorted; i++)
        sorted = compare_slots(&k->order[i - 1], &k->order[i], k) < 0;
    if (!sorted)
        qsort_r(k->order, k->n, sizeof(*k->order), compare_slots, k);
}

/* The slot of the job of that place, by its memo; SIZE_MAX: it has none. */
static size_t find_slot(const struct waiting *k, const struct planner *pl, size_t job)
{
    const struct snap_memo *memo = pl->s->jobs[job].memo;
    size_t slot = memo->waiter - 1;

    return memo->waiter && slot < k->n_slots && k->slots[slot].serial == memo->serial
               ? slot
               : SIZE_MAX;
}

/* Leave out those that no job of the snapshot leads to any more. */
static void drop_lost(struct waiting *k)
{
    size_t n = 0;

    for (size_t i = 0; i < k->n; i++)
        if (k->slots[k->order[i]].turn == k->turn)
            k->order[n++] = k->order[i];
        else
            free_slot(k, k->order[i]);
    k->n = n;
}

/* Look all jobs of the snapshot through. */
static void look_through(struct waiting *k, struct planner *pl)
{
    size_t n = pl->s->n_jobs;

    k->turn++;
    k->n_jobs = 0;
    make_room(k, n);
    for (size_t i = links_next(pl->links->waits, n, 0); i < n;
         i = links_next(pl->links->waits, n, i + 1)) {
        size_t slot = find_slot(k, pl, i);

        if (slot == SIZE_MAX)
            continue;
        k->slots[slot].turn = k->turn;
        k->slots[slot].job = k->slots[slot].rank.place = i;
        k->of_job[i] = slot + 1;
    }
    drop_lost(k);
    for (size_t i = links_next(pl->links->waits, n, 0); i < n;
         i = links_next(pl->links->waits, n, i + 1)) {
        if (k->of_job[i])
            continue;
        k->order = room(k->order, k->n, &k->cap, sizeof(*k->order));
        k->order[k->n] = add_slot(k, pl, i);
        k->n++;
    }
}

static void rank_all(struct waiting *k, struct planner *pl)
{
    for (size_t i = 0; i < k->n; i++)
        rank(k, pl, &k->slots[k->order[i]]);
}

#ifdef HF_CHECKS
/* Each job that waits is there once, with its rank, in order. */
static void check(const struct waiting *k, struct planner *pl)
{
    struct job_rank r = { .by_key =
                              ARENA_ARRAY(pl->arena, double, pl->p->n_job_keys + 1) };

    MUST(k->n == links_count(pl->links->waits, pl->s->n_jobs));
    for (size_t i = 0; i < k->n; i++) {
        const struct waiter *w = &k->slots[k->order[i]];

        MUST(links_has(pl->links->waits, w->job));
        MUST(k->of_job[w->job] == k->order[i] + 1);
        rules_rank(pl, &pl->s->jobs[w->job], &r);
        MUST(rules_compare(&r, &w->rank) == 0);
        MUST(i == 0 || rules_compare(&k->slots[k->order[i - 1]].rank, &w->rank) < 0);
        MUST(crowd_is_right(pl, w));
    }
}
#endif

void waiting_update(struct waiting *k, struct planner *pl)
{
    /* What a formula or a key says of a job may grow with time, and a formula may go.
     */
    bool ranks = k->unranked || pl->formula || k->had_formula || k->n_keys > 0;
    bool through = k->moved || ranks || k->n_news > k->n_jobs / MANY_PARTS + 32;

    if (through)
        look_through(k, pl);
    else
        take_up_news(k, pl);
    if (ranks)
        rank_all(k, pl);
    if (through)
        sort(k);
    k->had_formula = pl->formula != NULL;
    k->moved = k->unranked = false;
    k->n_left = SIZE_MAX;
    k->n_news = 0;
#ifdef HF_CHECKS
    check(k, pl);
#endif
}
