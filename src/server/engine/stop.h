/* stop.h - the end of the server: it may wait for jobs, and so may those who asked for
 * it (operations.md 12). Nothing of it outlives the process.
 *
 * What becomes of running jobs (decide/job_of_end.h) is decided from the oldest to the
 * newest, so many in a turn, while others are served (doc/design/006). A job of which
 * nothing is decided yet keeps the server like one that is being ended. When the server
 * is killed in between, or told to end at once, such a job is left running, and the
 * next start finds it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ENGINE_STOP_H
#define SERVER_ENGINE_STOP_H

#include "server/decide/request.h"
#include "server/model/model.h"

struct turn;

/* Who asked for the end and has not been answered. */
struct stop {
    size_t n;
    uint64_t *conns;
    bool quit_moms;
    const struct job *next; /* of this one and those behind it nothing is decided;
                               NULL: of all it is */
    char *actor;            /* who has them decided */
    const struct job
        *awaited; /* the last one that was found to keep the server, or NULL
                   */
};

/* The request on 'conn' (0: nobody) wants the end of that kind. It is answered when
 * stop_if_done() finds no job to wait for. */
void stop_begin(struct turn *t, uint64_t conn, enum server_stop how, bool quit_moms);

/* What becomes of all running jobs is to be decided, at the request of 'actor'; again
 * when it has been before, since the manner may be another one now. The first of them
 * are decided by stop_begin(), which follows. */
void stop_end_jobs(struct turn *t, const char *actor);
/* Decide one slice of what is left; fine when nothing is. */
void stop_decide_jobs(struct turn *t);
/* Some are left for later turns. */
bool stop_has_work(const struct stop *s);
/* An object is about to leave the model, or to become history. */
void stop_leave(struct stop *s, const struct object *o);

/* The server ends in order: the next start goes on with the next number
 * (next_number.h). */
void stop_keeps_number(struct turn *t);

/* Every turn ends with it: answer and leave when nothing is waited for any more. */
void stop_if_done(struct turn *t);

/* Free the list of those who wait; nobody is answered. */
void stop_fini(struct stop *s);

#endif
