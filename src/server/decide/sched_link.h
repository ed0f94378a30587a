/* sched_link.h - the links to the schedulers: who is registered, whether a cycle runs,
 * and which commands wait for its end (wire.md 12).
 *
 * A scheduler registers two connections, the primary and then the secondary one. Where
 * its link stands is one state, what happens to it is one event, and a table says which
 * may come in which state. The connection may be a local socket or TCP: what proves
 * that it is a scheduler's is the shell's (requester.may_schedule), all that follows is
 * here and in engine/svr_sched.c.
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

enum sched_state {
    SCHED_NOT,  /* no state: the event is not possible */
    SCHED_AWAY, /* nobody is registered */
    SCHED_HALF, /* the primary connection is */
    SCHED_IDLE, /* both are */
    SCHED_BUSY, /* a command was sent and its end not read */
    SCHED_STATES
};

enum sched_event {
    SCHED_EV_REGISTER, /* one more connection */
    SCHED_EV_COMMAND,  /* one is sent */
    SCHED_EV_DONE,     /* "+0": the end of a cycle, or one end too many */
    SCHED_EV_GONE,     /* one of its connections has ended */
    SCHED_EVENTS
};

/* Where an event leads; SCHED_NOT: it is refused, or is our mistake. */
enum sched_state sched_next(enum sched_state from, enum sched_event event);

struct sched_link {
    char *name;
    enum sched_state state;
    uint64_t conn[2];  /* registered connections: primary, secondary; 0: none */
    char *host;        /* of the first registration */
    bool began_unsure; /* the command was sent while vnodes were awaited */
    bool was_lost;     /* shown as down until the first end of a cycle */
    bool greeted;      /* has been attached since the server started */
    unsigned n_configure;
    int32_t pending; /* enum sched_command, 0: none; may wait for scheduling to be on */
    struct sched_job *jobs;
    char *running_job; /* of the command 11 that is being carried out */
    int64_t cycle_at;  /* when the last command was sent */
    bool may_cut;      /* it is ours: REGISTER_MAY_CUT */
    bool may_try;      /* it knows of dry runs: REGISTER_MAY_TRY */
    bool may_offer;    /* ... and of those of a push: REGISTER_MAY_OFFER */
    bool tries;        /* dry runs wait for it (dry_run.h) */
    bool tried;        /* the last command was for these */
    bool hurry;        /* a question about a reservation waits for the cycle's end */
    bool in_cycle;     /* the command that runs is no configure and no named job */
    bool is_cut;       /* that cycle was told to end early */
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

/* Both connections are there. */
bool sched_link_is_up(const struct sched_link *l);

/* May this connection, which comes from 'host', be registered for that scheduler? 0 or,
 * in the order of wire.md 12.1: 15230 both are there, 15004 it is registered already,
 * 15007 the first one comes from elsewhere. */
int sched_link_may_register(const struct sched_links *links, const char *name,
                            uint64_t conn, const char *host);
/* It is registered. With the second one the commands that greet a scheduler wait to be
 * sent: configure twice and a first cycle after the server's start, later configure and
 * a cycle, so that open questions are asked again. 'may': what it has said that it
 * knows, REGISTER_MAY_*, with commas between; NULL: nothing. */
void sched_link_register(struct sched_link *l, uint64_t conn, const char *host,
                         const char *may);
/* The scheduler has said that a cycle is over. */
void sched_link_done(struct sched_link *l);
/* One of its connections has ended. Returns the other one, which has to end too, 0:
 * there is none. Pending commands stay for the next registration. */
uint64_t sched_link_gone(struct sched_link *l, uint64_t conn);

/* The link that a connection is registered for, NULL: it is none. */
struct sched_link *sched_link_of_conn(const struct sched_links *links, uint64_t conn);

/* What a status shows: "idle", "scheduling", "down". */
const char *sched_link_state(const struct sched_links *links, const char *name);

/* The scheduler that owns a partition (NULL: the default one), or NULL. */
const struct object *sched_of_partition(const struct model *m, const char *partition);

/* A command (enum sched_command), or a run of that job, to be sent when the link is
 * free; merged with what waits. */
void sched_link_wake(struct sched_link *l, int32_t command);
/* The same about a reservation, for which somebody waits: a cycle that runs is told to
 * end early, so that a long list of jobs does not keep the question waiting. A cycle
 * for a named job is not: somebody waits for that, too. */
void sched_link_ask(struct sched_link *l, int32_t command);
/* A dry run waits for it, which says that it knows of them. Somebody waits for that as
 * for a question about a reservation. */
void sched_link_try(struct sched_link *l);
void sched_link_run_job(struct sched_link *l, const char *job_id);
/* True while a scheduler carries out the deferred run of that job. */
bool sched_links_run_job(const struct sched_links *links, const char *job_id);
/* Drop a named job that has not been sent. */
void sched_link_forget_job(struct sched_link *l, const char *job_id);

/* Whoever waits for the store is told that it is lost, and so is a scheduler in a cycle
 * that asks for the status: another cycle follows when that can be shown. */
void sched_links_look_again(struct sched_links *links);

/* When commands are sent. */
struct sched_turn {
    const struct model *m;
    bool store_failed; /* what was decided may not be on disk for long */
    int64_t now_at;
};

/* Send the next command when nothing is on its way and it may leave; quit and restart
 * always. A command that names nothing need not wait for what was decided to be on
 * disk, unless the store fails. */
void sched_link_pump(struct sched_link *l, const struct sched_turn *turn,
                     struct effects *out);

#endif
