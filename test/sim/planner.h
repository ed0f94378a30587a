/* planner.h - the scheduler's process around its real core: registers, asks for the
 * states as a real one does, plans, and sends what it decided.
 *
 * It may be away, think for long (its answers are then made on an old picture), and say
 * things twice or again much later.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_PLANNER_H
#define TEST_SIM_PLANNER_H

#include "puller.h"
#include "scheduler/sched.h"

struct sim;

enum planner_state {
    PLANNER_OFF,
    PLANNER_CONNECTING,
    PLANNER_REGISTERING, /* first, then second connection */
    PLANNER_IDLE,
    PLANNER_ASKING,   /* status requests, one after the other */
    PLANNER_THINKING, /* planning takes its time */
    PLANNER_ACTING,   /* the steps of the plan */
    PLANNER_TRYING,   /* the next dry run, after the answer to the last one */
};

struct planner {
    const char *name; /* of its scheduler object */
    enum planner_state state;
    bool wanted; /* comes back when its connections end */
    uint64_t life;
    uint64_t conn[2];
    bool second; /* REGISTERING: the second connection is being registered */
    int64_t think_ms;
    int answer_twice_percent;
    int old_answer_percent;
    int wrong_percent;      /* vnodes of answers that are not the planned ones */
    int wrong_vnode;        /* ... but this one; -1: any */
    bool old_answer_wanted; /* the next cycle begins with an answer of an earlier one */

    /* a cycle */
    struct arena *arena;
    struct policy *policy;
    struct snapshot *snapshot; /* of the pass; may be what is kept */
    bool keeps;                /* it asks the server for what has changed */
    int reads_twice_percent;   /* ... and takes an answer twice */
    struct snapshot *kept;     /* NULL: nothing */
    char *job_id;              /* of command 11 */
    size_t asked;              /* index of the status request that is not answered */
    struct plan plan;
    size_t step;
    bool answers_many; /* what it says about reservations, in one request */
    size_t n_sent;     /* steps in the request that is not answered */
    bool may_cut;      /* it says so when it registers, and that it knows of dry runs */
    struct arena *trial_arena;
    struct wire_object *trial; /* that the pass is for; NULL: none */
    bool cut;                  /* the server wants the cycle to end */
    bool step_twice;
    int n_restarts;
    size_t n_again;
    struct planner_names {
        size_t n;
        char **v;
    } answered,        /* reservations that were answered in this cycle, */
        spared,        /* jobs that have not left, */
        put_off;       /* and those that have not run, though others left */
    uint64_t seen_seq; /* of the model when the pass began */
    bool refused;
    bool failed; /* others have not left for a job: the rest of the plan is void */
    bool confirmed;

    struct puller puller; /* of jobs of the other server */

    /* an answer of an earlier cycle, as bytes */
    char *old_bytes;
    size_t old_len;
};

/* The name is static. */
void planner_init(struct planner *p, const char *name);
void planner_fini(struct planner *p);

void planner_start(struct sim *s, struct planner *p);
void planner_stop(struct sim *s, struct planner *p);

/* What the other server has in the queue that is pulled from is known, or will not be.
 */
void planner_pulled(struct sim *s, struct planner *p);
/* The job of the next step is here, or is not. */
void planner_moved(struct sim *s, struct planner *p, bool is_here);

#endif
