/* endless.c - see endless.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/endless.h"

#include <string.h>

/* How many jobs a denial names. */
enum {
    NAMED_MAX = 5
};

struct endless_job {
    const char *id;
    UT_hash_handle hh;
};

/* Jobs that book vnodes on their own: those of a reservation end with it. */
static struct endless_job *list_jobs(const struct planner *pl)
{
    struct endless_job *jobs = NULL;

    for (size_t i = 0; i < pl->s->n_jobs; i++) {
        const struct snap_job *j = &pl->s->jobs[i];
        struct endless_job *entry;

        if (j->walltime_s >= 0 || !link_of_job(pl, j)->has_vnodes ||
            link_of_job(pl, j)->resv)
            continue;
        entry = arena_zero(pl->arena, sizeof(*entry));
        entry->id = j->id;
        HASH_ADD_KEYPTR(hh, jobs, entry->id, strlen(entry->id), entry);
    }
    return jobs;
}

static bool fits_without(struct planner *pl, const struct endless_job *jobs,
                         const struct request *rq, int64_t start_at, int64_t end_at)
{
    struct pool pool = { .asker = ASKER_RESV, .start_at = start_at, .end_at = end_at };
    struct placement found = { 0 };
    struct plan_short why = { 0 };
    enum plan_failure failure;

    pool.sets = pool_sets(&pool, pl->w, rq, NULL);
    for (const struct endless_job *job = jobs; job; job = job->hh.next)
        world_drop(pl->w, job->id);
    failure = pool_search(&pool, pl->w, rq, &found, &why);
    for (const struct endless_job *job = jobs; job; job = job->hh.next)
        world_restore(pl->w, job->id);
    return failure == FAIL_NONE;
}

static const char *name_them(const struct planner *pl, const struct endless_job *jobs)
{
    const char *text = "; jobs without a walltime may never give back their vnodes:";
    size_t n = 0;

    for (const struct endless_job *job = jobs; job && n < NAMED_MAX; job = job->hh.next)
        text = arena_printf(pl->arena, "%s%s %s", text, n++ > 0 ? "," : "", job->id);
    if (HASH_COUNT(jobs) > n)
        text = arena_printf(pl->arena, "%s and %zu more", text,
                            (size_t)HASH_COUNT(jobs) - n);
    return text;
}

const char *endless_advice(struct planner *pl, const struct request *rq,
                           int64_t start_at, int64_t end_at)
{
    struct endless_job *jobs = list_jobs(pl);
    const char *advice = "";

    if (jobs && fits_without(pl, jobs, rq, start_at, end_at))
        advice = name_them(pl, jobs);
    HASH_CLEAR(hh, jobs);
    return advice;
}
