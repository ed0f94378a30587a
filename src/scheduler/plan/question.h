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

struct question {
    struct planner *pl;
    const struct snap_resv *r;
    bool degraded; /* to be reconfirmed */
    bool altered;
    bool running;     /* and stays so: its vnodes are bound */
    bool away;        /* some of the vnodes found are down or offline today */
    int64_t start_at; /* the window that is needed */
    int64_t end_at;
};

struct verdict {
    enum plan_failure failure; /* FAIL_NONE: a yes */
    struct placement found;    /* of a yes; lives as long as the world */
    struct plan_short why;     /* of a no, as far as it is known */
    const char *advice;        /* of a no: what else to do, NULL: nothing */
};

/* What is asked about the reservation, which is_open. */
struct question question_about(struct planner *pl, const struct snap_resv *r);

/* Search vnodes for it. After a yes what the reservation has in the world is dropped,
 * and what was found is not booked yet; after a no the world is as it was. */
struct verdict question_find(struct question *q);

/* Add the step that answers it. What a yes gives is booked in the place of what the
 * reservation had. */
void question_say(const struct question *q, const struct verdict *v);

#endif
