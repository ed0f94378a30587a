/* sched_link.h - the links to the schedulers: who is registered, whether a cycle runs,
 * and which commands wait for its end (wire.md 12.3).
 *
 * Nothing here outlives the process. Commands that come up are merged: one slot for
 * configure, one for the others (the latest wins), a queue for named jobs. At the end
 * of a cycle configure goes first, then the named jobs, then the other one. A deferred
 * run does not make the server forget the other command. Commands that start a cycle
 * leave only while the scheduling attribute of the scheduler is on; the first one after
 * the server's start is always SCHED_FIRST, whatever woke the scheduler.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_DECIDE_SCHED_LINK_H
#define SERVER_DECIDE_SCHED_LINK_H

#include "lib/wire/sched_command.h"
#include "server/model/model.h"

struct effects;

struct sched_job { /* a job named by a deferred run */
    char *id;
    struct sched_job *prev, *next;
};

struct sched_link {
    char *name;
    uint64_t conn[2];  /* registered connections: primary, secondary; 0: none */
    char *host;        /* of the first registration */
    bool attached;     /* both are there */
    bool cycling;      /* a command was sent and its end not read */
    bool began_unsure; /* the command was sent while vnodes were awaited */
    bool was_lost;     /* shown as down until the first end of a cycle */
    bool greeted;      /* has been attached since the server started */
    unsigned n_configure;
    int32_t pending; /* enum sched_command, 0: none; may wait for scheduling to be on */
    struct sched_job *jobs;
    char *running_job; /* of the command 11 that is being carried out */
    int64_t cycle_at;  /* when the last command was sent */
    UT_hash_handle hh;
};

struct sched_links {
    struct sched_link *by_name;
};

/* A zeroed struct is empty. */
void sched_links_fini(struct sched_links *links);

/* NULL when no scheduler of that name has ever registered. */
struct sched_link *sched_link_find(const struct sched_links *links, const char *name);
struct sched_link *sched_link_make(struct sched_links *links, const char *name);

/* The link that a connection is registered for, NULL: it is none. */
struct sched_link *sched_link_of_conn(const struct sched_links *links, uint64_t conn);

/* What a status shows: "idle", "scheduling", "down". */
const char *sched_link_state(const struct sched_links *links, const char *name);

/* The scheduler that owns a partition (NULL: the default one), or NULL. */
const struct object *sched_of_partition(const struct model *m, const char *partition);

/* A command (enum sched_command), or a run of that job, to be sent when the link is
 * free; merged with what waits. */
void sched_link_wake(struct sched_link *l, int32_t command);
void sched_link_run_job(struct sched_link *l, const char *job_id);
/* True while a scheduler carries out the deferred run of that job. */
bool sched_links_run_job(const struct sched_links *links, const char *job_id);
/* Drop a named job that has not been sent. */
void sched_link_forget_job(struct sched_link *l, const char *job_id);

/* Send the next command when nothing is on its way and it may leave; quit and restart
 * always. */
void sched_link_pump(struct sched_link *l, const struct model *m, int64_t now_at,
                     struct effects *out);

/* Forget the connections; pending commands stay for the next registration. */
void sched_link_reset(struct sched_link *l);

#endif
