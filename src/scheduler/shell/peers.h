/* peers.h - queues whose jobs are run as if they were in a queue of the own server:
 * peer_queue of sched_config (scheduling.md 28).
 *
 * A cycle asks the other servers for the jobs that wait there, and they are planned
 * with the others. A job that can run is moved first; one that is refused is tried ever
 * more seldom. A server that cannot be reached, or is slow, costs a few seconds once a
 * minute.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SHELL_PEERS_H
#define SCHEDULER_SHELL_PEERS_H

#include "scheduler/shell/shell.h"

struct peers;
struct peer_job;

/* No server is known at first. */
struct peers *peers_new(void);
void peers_free(struct peers *p); /* NULL is fine */

/* A cycle begins; 'pull': jobs of others are looked at in it. */
void peers_begin(struct peers *p, bool pull);
/* It is over: connections are closed. */
void peers_end(struct peers *p);

/* Append the jobs that wait in queues of other servers to 'pulled', each as one of the
 * local queue; jobs of stopped queues of the own server are made so in 'jobs'. */
void peers_ask(struct shell *sh, struct arena *arena, const struct wire_objects *queues,
               struct wire_objects *jobs, struct wire_objects *pulled);

/* The job of that id when it is one of those, NULL. */
const struct peer_job *peers_find(const struct peers *p, const char *id);

/* Move the job into the local queue. False: it has stayed where it is, and the log says
 * why. */
bool peers_pull(struct shell *sh, const struct peer_job *job,
                struct arena *arena) MUST_CHECK;

#endif
