/* story_tell.h - what the parts of a story share: the complex that it is about, and
 * random numbers, of which each part may have its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_STORY_TELL_H
#define TEST_SIM_STORY_TELL_H

#include "story.h"

#include "lib/base/rnd.h"

#define BOOKINGS_MAX 64

struct story {
    struct rnd rnd;
    struct buf *out;
    int n_vnodes;
    int n_hosts;
    int ncpus;
    bool two_scheds;
    int64_t last_s; /* of the time in which things happen */
    int n_resvs;
    int n_jobs;
    struct booking {
        int64_t start_s;
        int64_t length_s;
        int interval_s;  /* of a series: from one occurrence to the next; 0: none */
        char select[64]; /* "2:ncpus=2", "2:ncpus=2+1:ncpus=1" */
    } bookings[BOOKINGS_MAX]; /* of the reservations, by number */
};

/* One draw a statement: arguments are evaluated in the compiler's order, and a seed
 * must tell one story. */
static inline int pick(struct story *t, int low, int high)
{
    return (int)rnd_range(&t->rnd, low, high);
}

static inline bool chance(struct story *t, int percent)
{
    return rnd_percent(&t->rnd, percent);
}

/* A number up to 'n', mostly one of the last: what it names is more likely there. */
static inline int recent(struct story *t, int n)
{
    return chance(t, 80) ? pick(t, MAX_OF(1, n - 3), n) : pick(t, 1, n);
}

/* A line begins: "at 17.250 ". */
static inline void at(struct story *t, int64_t second)
{
    buf_printf(t->out, "at %" PRId64 ".%03d ", second, pick(t, 0, 999));
}

static inline struct booking *booking(struct story *t, int n)
{
    return &t->bookings[n % BOOKINGS_MAX];
}

/* story_users.c: "2:ncpus=2" of up to 'most' chunks, into 'b'; of some requests, that
 * they are tried first; what is left of the select of 'b' when it is made smaller. */
void story_select(struct story *t, int most, struct booking *b);
void story_add_dry(struct story *t, int64_t second, int n);
void story_add_smaller(struct story *t, const struct booking *b);
/* Somebody alters "Rn" in that second, mostly around what it has. */
void story_alter(struct story *t, int64_t second, int n);

/* story_jobs.c: ends that keep jobs; queues; vnodes given back; suspensions;
 * dependencies; history. */
void story_ends(const struct story *of, uint64_t seed);
void story_moves(const struct story *of, uint64_t seed);
void story_releases(const struct story *of, uint64_t seed);
void story_stops(const struct story *of, uint64_t seed);
void story_depends(const struct story *of, uint64_t seed);
void story_history(const struct story *of, uint64_t seed);

/* story_series.c: occurrences that are altered and deleted by their index. */
void story_occurrences(const struct story *of, uint64_t seed);

/* story_hooks.c: hooks whose words change all the time. */
void story_hooks(const struct story *of, uint64_t seed);

/* story_extend.c: reservations that have jobs in them around their end, and are made
 * longer and smaller. */
void story_extensions(const struct story *of, uint64_t seed);

/* story_staff.c: what is done to jobs and to subjobs; what administrators change of
 * vnodes, one or all at once, and owners of reservations; who loses vnodes to
 * maintenance and is altered then; clocks that change. */
void story_job_acts(const struct story *of, uint64_t seed);
void story_limits(const struct story *of, uint64_t seed);
void story_conflicts(const struct story *of, uint64_t seed);
void story_all_vnodes(const struct story *of, uint64_t seed);
void story_clocks(const struct story *of, uint64_t seed);

/* story_turns.c: series whose occurrences are too short for the jobs in them. */
void story_turns(const struct story *of, uint64_t seed);

/* story_fit.c: what the server has for all together; jobs that may be shortened, and
 * vnodes with limits of jobs. */
void story_sums(const struct story *of, uint64_t seed);
void story_fits(const struct story *of, uint64_t seed);

/* story_errs.c: schedulers that err while reservations with jobs are made smaller. */
void story_errors(const struct story *of, uint64_t seed);

/* story_together.c: several reservations altered by one proposal. */
void story_proposals(const struct story *of, uint64_t seed);

/* story_push.c: a reservation that gets more time and pushes those behind it. */
void story_pushes(const struct story *of, uint64_t seed);

/* story_busy.c: hosts that have too much to do or are typed at, and jobs of several
 * hosts that are suspended meanwhile. */
void story_busy(const struct story *of, uint64_t seed);
/* story_scripts.c: scripts of MoMs at the ends of jobs. */
void story_scripts(const struct story *of, uint64_t seed);

/* story_hosts.c: hosts whose disk is full, which know no users, whose clock is set. */
void story_hosts(const struct story *of, uint64_t seed);

/* story_preempt.c: jobs of higher levels for which others leave. */
void story_preemption(const struct story *of, uint64_t seed);

#endif
