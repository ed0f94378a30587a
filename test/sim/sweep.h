/* sweep.h - one scenario again and again, with a process killed at the next place each
 * time: the server around each of its commits, the scheduler at each thing that it
 * hears or says and at each commit of the server, a MoM behind each thing that it says
 * to another MoM or before it takes what another one has said, and the router when it
 * has such a message. A scenario that says so is about messages between MoMs and the
 * server, too: a job that was being started is then often started once more. Of two
 * servers each is killed around each of its commits, when it asks the other one, when
 * it is asked and when it is answered; and each of these messages is lost or late once.
 *
 * A scenario may be about doubled and late messages instead: each that a MoM says to
 * another one, or to the server and is told by it, is so once. Or it is about hosts
 * that are lost: that of a MoM which dies is not heard of again before the scenario is
 * over.
 *
 * Otherwise what is killed comes back soon. A command that was cut off before anything
 * of it was durable is given once more, as its user would; one whose effect is durable
 * is not. So the scenario's expectations hold in every run, when they leave some
 * seconds between a command and what comes of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_SWEEP_H
#define TEST_SIM_SWEEP_H

#include "clock.h"

struct sim;
struct planner;
struct client;
struct effects;
struct mom_host;

enum sweep_kind {
    SWEEP_BEFORE_COMMIT, /* what was decided is not durable */
    SWEEP_AFTER_COMMIT,  /* it is, and nobody has been told */
    SWEEP_TWICE, /* before it, and then after the first commit of the new life */
    SWEEP_SCHEDULER,
    SWEEP_MEANWHILE, /* the scheduler, while the server commits */
    SWEEP_MOM_SAYS,
    SWEEP_MOM_HEARS,
    SWEEP_ROUTER,
    SWEEP_MOM_TELLS,
    SWEEP_MOM_IS_TOLD,
    SWEEP_ROUTER_OF_SERVER,
    SWEEP_ASKS,    /* a server that has asked the other one */
    SWEEP_ASKED,   /* the one that is asked, before it takes the request */
    SWEEP_LEARNS,  /* the one that has asked, before it takes the answer */
    SWEEP_REQUEST, /* nobody dies, and the request is lost, */
    SWEEP_ANSWER,  /* or the answer, */
    SWEEP_LATE,    /* or it comes when nobody waits for an answer any more */
    SWEEP_DOUBLE,  /* nobody dies, and a MoM says something to another one twice, */
    SWEEP_SLOW,    /* or that and all that she says behind it comes late */
    SWEEP_DOUBLE_OF_SERVER, /* the same of messages between MoMs and the server */
    SWEEP_SLOW_OF_SERVER,
    SWEEP_KINDS
};

/* A zeroed one kills nobody and counts. */
struct sweep {
    enum sweep_kind kind;
    size_t at;        /* the kill comes at this place, from 1 on; 0: nowhere */
    bool of_server;   /* messages between MoMs and the server are places too */
    bool of_weather;  /* it is about doubled and late messages, */
    bool loses_hosts; /* or about hosts that are lost */
    bool is_on;       /* from second 0 on until the faults stop */
    bool has_killed;  /* it has come there */
    bool has_killed_again;
    size_t n[SWEEP_KINDS]; /* places passed so far */
    void *line;            /* of the scenario that is being carried out, NULL: none */
    event_fn do_line;
};

const char *sweep_name(enum sweep_kind kind);
/* Places of this kind are swept in the scenario that has just been gone through. */
bool sweep_is_about(const struct sweep *whole, enum sweep_kind kind);

/* The server's commit comes next: says how it dies, as shell->crash does. */
void sweep_commit(struct sim *s);
/* It has died by that: it will be started again. */
void sweep_server_died(struct sim *s);
/* The scheduler has heard or said something. */
void sweep_scheduler(struct sim *s, struct planner *p);

/* A MoM has said something to another one; true: it dies of it. */
bool sweep_mom_says(struct sim *s, struct mom_host *h);
/* It has got such a message; true: it is dead, and has not taken it. */
bool sweep_mom_hears(struct sim *s, struct mom_host *h);

/* A MoM, or the server, is about to say something to another MoM, or to the other one:
 * its connection may stand still from now on. True: it says it twice. */
bool sweep_doubles(struct sim *s, size_t leaf, bool of_server);

/* The same of messages to and from the server. */
bool sweep_mom_tells(struct sim *s, struct mom_host *h);
bool sweep_mom_is_told(struct sim *s, struct mom_host *h);

/* A server has asked the other one: it may die of it. */
void sweep_peer_asks(struct sim *s);
/* A server is asked by the other one; true: it is dead, and has not taken it. */
bool sweep_peer_asked(struct sim *s);
/* The answer has come to the server that has asked; true: it is dead. */
bool sweep_peer_learns(struct sim *s);

/* What a server is about to ask. */
enum sweep_loss {
    SWEEP_LOSES_NOTHING,
    SWEEP_LOSES_REQUEST,
    SWEEP_LOSES_ANSWER,
    SWEEP_IS_LATE
};
enum sweep_loss sweep_peer_loses(struct sim *s);

/* A line of the scenario comes while the server is away: it will be carried out later.
 */
bool sweep_delays(struct sim *s, void *line);
/* The requests of a client make records. */
void sweep_note_turn(struct sim *s, uint64_t conn, const struct effects *turn);
/* A client was told that nobody knows, since the other server was away: it is told so
 * once in a sweep, and its user tries it again. */
void sweep_client_refused(struct sim *s, struct client *c);
/* A client that was not answered has lost its connection. */
void sweep_client_cut_off(struct sim *s, struct client *c);

#endif
