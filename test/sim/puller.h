/* puller.h - a scheduler that runs jobs of the other server (peer_queue of
 * sched_config, scheduling.md 28), as src/scheduler/shell/peers.c does it.
 *
 * A pass asks the other server for the jobs that wait in a queue of it, behind all that
 * its own server is asked. A job that can run is moved first, and run when the other
 * server says that it has left. A request is lost with its connection, or its answer,
 * or nobody waits for it any more: the job is left alone then, wherever it is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_PULLER_H
#define TEST_SIM_PULLER_H

#include "scheduler/sched.h"

struct planner;
struct sim;

/* A zeroed one pulls nothing. */
struct puller {
    char *remote,
        *local;       /* queues of the other server and of the own one; NULL: none */
    uint64_t conn;    /* at the other server; 0: none */
    uint64_t request; /* the number of that which is not answered; 0: none */
    uint64_t n_requests;
    bool asked;               /* in this pass */
    bool moves;               /* the request moves a job */
    char *moved;              /* the job that has come last in this pass */
    struct wire_objects jobs; /* of the pass, in the planner's arena */
};

/* Jobs of the queue 'remote' of the other server run as if they were in 'local'. */
void puller_set(struct planner *p, const char *remote, const char *local);
void puller_fini(struct puller *u);

/* Nothing of an earlier pass counts. */
void puller_begin(struct planner *p);
/* Its scheduler has died, or the cycle is over. */
void puller_hang_up(struct sim *s, struct planner *p);

/* True: planner_pulled() is called when the answer is there, or none will come. */
bool puller_asks(struct sim *s, struct planner *p);

enum pull {
    PULL_NOT,  /* the step is carried out as every other one */
    PULL_SKIP, /* nothing is to be sent */
    PULL_WAIT, /* planner_moved() is called when it is known whether the job has come */
};

enum pull puller_step(struct sim *s, struct planner *p, const struct plan_step *step);

#endif
