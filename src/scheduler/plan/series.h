/* series.h - standing reservations in a plan: each occurrence is a claim of its own.
 *
 * The current occurrence is booked as an advance reservation is, under the id of the
 * reservation. Each later one is booked under a name of its own, "S5[3].svr", which
 * denials show.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_SERIES_H
#define SCHEDULER_PLAN_SERIES_H

#include "scheduler/plan/question.h"

#include <uthash.h>

/* The vnodes of one occurrence or of many: equal texts are read once. */
struct series_vnodes {
    const char *text;
    bool readable; /* the text is an exec_vnode */
    bool usable;   /* found in this plan: all of its vnodes are there */
    struct placement at;
    struct demand demand;
    UT_hash_handle hh; /* by text, while a series is read */
};

struct series_one {
    int64_t number; /* 1: the first of the series */
    const char *id;
    int64_t start_at, end_at;
    const struct series_vnodes *on; /* NULL: it has none that can be read */
    struct booking *booked;         /* NULL: nothing; of the current one always */
    const struct request *request;  /* its own; NULL: that of the series */
};

struct series {
    struct stake *stake;  /* whose it is, and in whose memory */
    size_t n;             /* 0: the occurrences are not known */
    size_t n_left;        /* as many there are by the server's count: n or more */
    struct series_one *v; /* the current one, then the later ones in order */
};

/* Read the occurrences of a standing reservation, and book the later ones, as part of
 * its stake. */
void series_book(struct planner *pl, const struct snap_resv *r, struct stake *st);

/* The series of the reservation, which is a standing one. */
static inline struct series *series_of(const struct planner *pl,
                                       const struct snap_resv *r)
{
    MUST(r->standing && pl->series[r - pl->s->resvs]);
    return pl->series[r - pl->s->resvs];
}

/* Does the server want other vnodes for its i-th occurrence now? */
bool series_one_is_due(const struct planner *pl, const struct snap_resv *r, size_t i);

/* Is a standing reservation that is being altered not confirmed yet? Our server says so
 * by occurrences none of which has vnodes; it asks about all of them then. */
bool series_is_unconfirmed(const struct snap_resv *r);

/* Does the server ask for one of its occurrences, which it has to tell
 * (r->occurrences)? Nothing need be booked yet. */
bool series_is_due(const struct planner *pl, const struct snap_resv *r);

/* The later occurrence that an open alteration is about; NULL: there is none. */
struct series_one *series_altered(const struct planner *pl, const struct snap_resv *r);

/* question_find() for an alteration of a later occurrence. After a yes it is booked
 * where it will be, and after a no the world is as it was. */
void series_find_altered(struct question *q, struct verdict *v);

/* question_find() for a series that is new or degraded. After a yes its later
 * occurrences are booked where they will be, and v->series has the vnodes of all. */
void series_find(struct question *q, struct verdict *v);

#endif
