/* crowd.h - who may have a connection when there are many, and who goes for whom.
 *
 * Each connection has a rank. Strangers, on whose connections nobody has proved who he
 * is, have room of their own and go for each other: the oldest of the address that has
 * most of them first. Users have the room that is left when the room of strangers, of
 * staff and of root is taken away, and each user has a limit. So whatever one user or
 * one host does, another one gets in. Pure: clients.c does what is answered here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_CROWD_H
#define SERVER_SHELL_CROWD_H

#include "lib/base/shares.h"

enum crowd_rank {
    CROWD_STRANGER, /* nobody has been authenticated on it */
    CROWD_USER,
    CROWD_STAFF,       /* a manager, an operator, who may register a scheduler */
    CROWD_ROOT,        /* root of this host, or the uid that runs the server */
    CROWD_TURNED_AWAY, /* is being told that there is no room: takes none */
    CROWD_RANKS
};

struct crowd {
    size_t max;      /* connections in all */
    size_t for_root; /* of them, kept for root */
    size_t for_staff;
    size_t max_strangers, max_host_strangers;
    size_t max_user; /* connections of one user */
    size_t n[CROWD_RANKS];
    struct budget memory;  /* of all connections */
    struct budget unsaved; /* of all that was decided for them, see lib/base/shares.h */
    struct shares strangers; /* by address */
    struct shares users;     /* by name */
    struct shares staff;     /* by name: staff and root */
    struct shares turned_away;
};

/* Limits out of 'max'; the others are what the settings say, and are made smaller where
 * the table is small: strangers have a quarter at most, staff an eighth, one user half
 * of the room that is there for users. */
void crowd_init(struct crowd *w, size_t max);

/* How many connections there are, those not counted that are turned away. */
size_t crowd_size(const struct crowd *w);
/* How many of users there may be at a time. */
size_t crowd_room_for_users(const struct crowd *w);

enum crowd_verdict {
    CROWD_COME_IN,
    CROWD_FOR_STRANGER, /* when the oldest stranger of 'whose' went */
    CROWD_FOR_IDLE,     /* when an idle connection of the user 'whose' went */
    CROWD_USER_FULL,    /* that user has as many as one may have */
    CROWD_FULL,
};

/* May a connection of that rank and key (a user, an address) come in? *whose is set
 * with the verdicts that name it. */
enum crowd_verdict crowd_asks(const struct crowd *w, enum crowd_rank rank,
                              const char *key, const struct share **whose);

/* Where the share of a connection of that rank is. */
struct shares *crowd_shares(struct crowd *w, enum crowd_rank rank);

/* It is in; its share. It has left. */
struct share *crowd_enter(struct crowd *w, enum crowd_rank rank, const char *key);
void crowd_leave(struct crowd *w, enum crowd_rank rank, struct share *s);

#endif
