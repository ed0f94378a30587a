/* candidate.h - jobs that may be made to leave for others, in the order in which they
 * are taken (scheduling.md 22): those of the lowest level first, and of one level the
 * one that started last.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_CANDIDATE_H
#define SCHEDULER_PLAN_CANDIDATE_H

#include "scheduler/plan/victims.h"

struct candidate {
    const struct snap_job *job;
    int64_t level;
    bool looked_at; /* the two that follow are known */
    bool has_method;
    struct demand keeps;  /* what it keeps of its vnodes when it is suspended */
    bool out;             /* it has left them in this plan */
    bool barred;          /* not in this choice: somebody would rise above the job */
    struct booking *kept; /* that, while it is out; NULL: nothing */
};

/* A question that was answered with no. */
struct vain {
    const char *key;
    UT_hash_handle hh;
};

struct preempting {
    size_t n;
    struct candidate *v; /* lowest level first, then latest start */
    uint64_t version;    /* of the counts that the levels were read from */
    bool made;
    int64_t attempts;
    struct vain *vain;
    bool *may_use; /* [vnode] by the job that is asked about */
    size_t *at;    /* [vnode] 1 + its place in the demand of the place that was found */
};

/* The level of who asks: that of its job, or above all. */
int64_t level_of_preemptor(struct planner *pl, const struct preemptor *who);

/* Could anybody be preempted for the job? *p is made when it is missing, in the plan's
 * memory, and brought into order when levels have changed. */
bool candidates_for(struct planner *pl, struct preempting **p,
                    const struct preemptor *who);

/* Is there a method that the server may try, on vnodes that are of use afterwards? */
bool candidate_may_leave(const struct planner *pl, struct candidate *c);

/* It leaves the world and all counts, but for what it keeps when it is suspended; and
 * is put back as it was. */
void candidate_leaves(struct planner *pl, struct candidate *c);
void candidate_comes_back(struct planner *pl, struct candidate *c);

#endif
