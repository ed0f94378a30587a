/* question.h - one open question about a reservation while it is planned: what is
 * asked, and what the search has found.
 *
 * Searching and saying are two steps, so that the questions of one proposal can be
 * searched together before any of them is answered (together.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_QUESTION_H
#define SCHEDULER_PLAN_QUESTION_H

#include "scheduler/plan/plan.h"

struct series_one;

struct question {
    struct planner *pl;
    const struct snap_resv *r;
    bool degraded; /* to be reconfirmed */
    bool altered;
    bool is_new; /* it has not been confirmed; of a series all occurrences are sought */
    struct series_one *later; /* altered: of a series, which comes later; NULL: the
                                 current one */
    bool running;             /* and stays so: its vnodes are bound */
    bool away;                /* some of the vnodes found are down or offline today */
    int64_t start_at;         /* the window that is needed */
    int64_t end_at;
    const struct request *rq; /* what is searched */
    int64_t *checks; /* what complete searches may cost together; NULL: one of them as
                        much as all others */
};

struct verdict {
    enum plan_failure failure; /* FAIL_NONE: a yes */
    struct placement found;    /* of a yes; lives as long as the world */
    struct plan_short why;     /* of a no, as far as it is known */
    const char *advice;        /* of a no: what else to do, NULL: nothing */
    size_t
        n_places; /* of a yes with other times than were asked for: struct plan_step */
    const struct plan_place *places;
    const char *map; /* of a yes to a series: the vnodes of all occurrences */
};

/* What is asked about the reservation, which is_open. */
struct question question_about(struct planner *pl, const struct snap_resv *r);

/* Search vnodes for it. After a yes what the reservation has in the world is dropped,
 * and what was found is not booked yet; after a no the world is as it was. */
struct verdict question_find(struct question *q);

/* The same for the current occurrence of a series alone, or for an advance reservation.
 */
void question_find_current(struct question *q, struct verdict *v);

/* One search anywhere through the window. False with the failure in *v, and the first
 * start that would fit. */
bool question_search(struct question *q, struct placement *found,
                     struct verdict *v) MUST_CHECK;

/* Complete the reason of a search that failed: is it a matter of time, and are jobs
 * without a walltime in the way? */
void question_explain(const struct question *q, struct verdict *v);

/* Would the window cross dedicated time, and was not promised before? */
bool question_crosses(const struct question *q);

/* Add the step that answers it. What a yes gives is booked in the place of what the
 * reservation had. */
void question_say(const struct question *q, const struct verdict *v);

#endif
