/* peers.h - what one server asks the other: a conversation for each job that is handed
 * over and for each thing that is told, as src/server/shell/hand_over.c has it.
 *
 * One request after the other, each when the last one was answered, on a connection of
 * its own; nobody waits for longer than PEER_WAIT_MS. In rough weather messages are
 * late, and then they may arrive when nobody waits any more; a request or its answer
 * is lost with the connection; and the first request of a conversation may arrive a
 * second time, from one whose sender has died.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIM_PEERS_H
#define TEST_SIM_PEERS_H

#include "server/decide/need.h"

struct sim;
struct talk;

#define PEER_WAIT_MS 20000

struct peers {
    struct talk *list; /* all that were begun: messages of theirs may still come */
    bool are_cut_off;  /* the servers cannot reach each other */
    bool have_lost;    /* the server has lost who waits for one of its jobs */
};

/* The server of 's' asks that of s->other. */
void peers_ask(struct sim *s, const struct need *need);
/* The server of 's' has died. */
void peers_asker_died(struct sim *s);
void peers_cut_off(struct sim *s, bool are_cut_off);
/* The server of 's' loses who of the other one waits for its job, as if its store had
 * been lost and made anew without that: the other one knows nothing of it. */
void peers_lose_waiters(struct sim *s, const char *job_id);
void peers_fini(struct peers *p);

#endif
