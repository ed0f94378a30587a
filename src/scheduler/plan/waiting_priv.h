/* waiting_priv.h - what is kept of jobs that wait from the inside, for crowd.c,
 * waiting_order.c and waiting.c.
 *
 * A job that waits has a slot, whose number stands in the memo of the job's element, so
 * that the slot is found when elements have moved. A memo is new when the server has
 * shown the element again; the slot of before is given back then. A slot that was given
 * back and taken again has another serial number, so that no old memo leads to it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLAN_WAITING_PRIV_H
#define SCHEDULER_PLAN_WAITING_PRIV_H

#include "scheduler/plan/rules.h"
#include "scheduler/plan/waiting.h"

/* Jobs that are alike in all that decides whether they run. */
struct crowd {
    char *key;
    size_t len;
    size_t n;          /* jobs that belong to it */
    uint64_t asked_at; /* the look that has asked the rules */
    enum plan_failure refused;
    /* Why they wait, in the state of a look that has this number: */
    uint64_t known_at;
    struct failure fail; /* in the arena of that look */
    struct failure_words words;
    /* What was told last. */
    uint64_t number; /* another one whenever that is something else */
    uint64_t era;
    char *log, *comment;
    bool never;
    int64_t accrues;
    enum plan_failure kind;
    UT_hash_handle hh;
};

struct waiter {
    uint64_t serial;
    uint64_t turn; /* of the last pass that has found it */
    size_t job;    /* place in the snapshot */
    bool is_free;
    struct crowd *crowd; /* NULL: it is asked for itself, and told each time */
    uint64_t told;       /* the number of what its crowd was told; 0: nothing, or the
                            server does not show it yet */
    struct job_rank rank;
};

struct waiting {
    struct crowd *crowds;
    size_t n_slots, cap_slots; /* those that were ever used */
    struct waiter *slots;
    size_t n_free, cap_free;
    size_t *free; /* slots to be used again */
    size_t n, cap;
    size_t *order; /* [n] slots in the order in which jobs are tried */
    size_t n_jobs, cap_jobs;
    size_t *of_job; /* [n_jobs] 1 + the slot of the job of that place, 0: none */
    uint64_t serial, turn, look;
    uint64_t state;     /* counts the states that looks have seen */
    uint64_t n_numbers; /* things that were told */
    uint64_t era;       /* another one when all is to be told anew */
    bool had_formula;   /* at the last look */
    size_t n_keys;      /* of policy */
    /* News since the last look: */
    bool moved;    /* jobs have other places */
    bool unranked; /* queues or reservations are others */
    size_t n_left; /* jobs from that place on have been gone; SIZE_MAX: none has */
    size_t n_news, cap_news;
    size_t *news; /* places of jobs that are new or were shown again */
};

/* crowd.c */

/* Is the job asked for itself? Its subjobs, the place where it stands and what it had
 * before are its own. */
bool crowd_is_none(const struct planner *pl, const struct snap_job *j);

/* The job, whose place is set, becomes one of its crowd; or leaves it, and a crowd that
 * nobody belongs to is gone. */
void crowd_join(struct waiting *k, const struct planner *pl, struct waiter *w);
void crowd_leave(struct waiting *k, struct waiter *w);

/* Is the job in the crowd that it belongs to? */
bool crowd_is_right(const struct planner *pl, const struct waiter *w);

/* waiting_order.c */

/* Take up the news. */
void waiting_update(struct waiting *k, struct planner *pl);

#endif
