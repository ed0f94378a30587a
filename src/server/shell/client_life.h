/* client_life.h - the life of a connection: one state, and a table of what may happen
 * in it. Pure: clients.c does what a state stands for, and is the only writer.
 *
 * Whose the connection is stands beside it (client.user, client.rank): a stranger's
 * life is that of everybody else, but for the requests that are refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_CLIENT_LIFE_H
#define SERVER_SHELL_CLIENT_LIFE_H

#include <stdbool.h>

enum life {
    LIFE_NONE,       /* no state: the event is not possible */
    LIFE_READY,      /* its requests are served as they come */
    LIFE_RESTING,    /* the others' turn; served again in the next one */
    LIFE_CHOKED,     /* it has to read its replies first */
    LIFE_STARVED,    /* the disk is slower than its user asks */
    LIFE_LOOKING,    /* name services are asked what its request or its peer needs */
    LIFE_HANDSHAKE,  /* a token of a handshake is awaited */
    LIFE_SHAKING,    /* a thread looks at one */
    LIFE_WAITING,    /* it is owed a reply */
    LIFE_GATHERING,  /* that reply is long and is being put together */
    LIFE_READING,    /* a part of it is written as it is taken */
    LIFE_REGISTERED, /* a scheduler's secondary one; owed the reply to that */
    LIFE_COMMANDS,   /* the same, answered: no requests, commands and ends of cycles */
    LIFE_CLOSING,    /* nothing more is served, what was said before is written */
    LIFE_COUNT
};

enum life_event {
    LIFE_EV_ASKED,      /* a request that will be answered, or its next slice */
    LIFE_EV_ANSWERED,   /* the reply is on its way */
    LIFE_EV_GATHER,     /* a part of a long reply is to be put together */
    LIFE_EV_GATHERED,   /* it has had its turn in that */
    LIFE_EV_READ,       /* a part may be written */
    LIFE_EV_REGISTERED, /* as a scheduler's secondary connection */
    LIFE_EV_REST,       /* it has had its share of this turn */
    LIFE_EV_RESUME,     /* it is its turn again */
    LIFE_EV_CHOKE,      /* too much is unread */
    LIFE_EV_ROOM,       /* most of it has been read */
    LIFE_EV_STARVE,     /* too much is unsaved */
    LIFE_EV_EASE,       /* something was saved */
    LIFE_EV_LOOK,       /* it has to be known whose or where from it is */
    LIFE_EV_FOUND,      /* that is known, or nobody knows */
    LIFE_EV_SHAKE,      /* a handshake begins */
    LIFE_EV_TOKEN,      /* a token came */
    LIFE_EV_SEEN,       /* it was looked at */
    LIFE_EV_SHOOK,      /* the handshake has succeeded */
    LIFE_EV_CLOSE,
    LIFE_EVENTS
};

/* Where an event leads. LIFE_NONE: it is not possible, and the caller's mistake. */
enum life life_next(enum life from, enum life_event event);

/* Packets wait in the connection, unread by us. */
bool life_holds(enum life life);
/* We are told when the peer has taken most of the output. */
bool life_wants_room(enum life life);

#endif
