/* iff.h - inside pbs_iff, the set-uid helper of clients over TCP (wire.md 4.2).
 *
 * Everything here is chosen by whoever started it: arguments, environment, descriptors,
 * signals. Root's rights are used for opening the file of slots and for binding a port,
 * and given up for good before anything is read from the server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_PBS_IFF_IFF_H
#define CMDS_PBS_IFF_IFF_H

#include "lib/base/base.h"

#include <netinet/in.h>
#include <stdint.h>

enum {
    IFF_OK = 0,
    IFF_USAGE = 1,   /* arguments, host, a socket that is not the caller's */
    IFF_REFUSED = 1, /* with code and text on stdout */
    IFF_TALK = 2,    /* the server was not understood, or said something else */
    IFF_SELF = 3,    /* no account, no address of the socket */
    IFF_CONNECT = 4,
};

/* A reserved port is held no longer than this, from the wait for it to the answer. */
#define IFF_TOTAL_MS 10000

struct iff_args {
    bool test;        /* -t: vouch for our own connection */
    const char *addr; /* -i or PBS_IFF_CLIENT_ADDR; NULL: none */
    const char *host;
    unsigned port;
    int fd;           /* -1: none */
    bool lport_given; /* then 'lport' is the vouched port as the kernel keeps it */
    in_port_t lport;  /* network order */
    const char *encrypt_method; /* "": none */
    const char *user;           /* account of the real uid */
};

/* Each returns one of the values above; a message was printed. */

/* args.c */
int iff_parse(int argc, char **argv, struct iff_args *ret) MUST_CHECK;

/* own.c: the addresses at both ends of the caller's socket, after checking that it is
 * one to that server, in this network, and the one whose port was named. */
int iff_own_socket(const struct iff_args *a, struct sockaddr_in *local,
                   struct sockaddr_in *peer) MUST_CHECK;
/* The server's address when there is no socket (-t). */
int iff_resolve(const struct iff_args *a, struct sockaddr_in *ret) MUST_CHECK;

/* server.c: may this be talked to? The settings (PBS_CONF_FILE, which only root can
 * have written) name the servers. */
int iff_check_server(const struct sockaddr_in *server) MUST_CHECK;

/* slot.c: wait until 'until_ms' for one of the caller's few places; it ends with this
 * process. */
int iff_take_slot(int64_t until_ms) MUST_CHECK;

/* port.c: a connection from a reserved port of 'from' (INADDR_ANY: any address). The
 * rights of root are gone afterwards, whatever happened. */
int iff_connect(struct in_addr from, const struct sockaddr_in *to, int64_t until_ms,
                int *fd) MUST_CHECK;

/* talk.c: vouch for 'port'; *code and *text (malloc'd, may be NULL) are the answer. */
int iff_vouch(int fd, const struct iff_args *a, unsigned port, int64_t until_ms,
              int *code, char **text) MUST_CHECK;

/* Milliseconds from now to 'until_ms' of the monotonic clock; 0 when that is over. */
int iff_left_ms(int64_t until_ms);

#endif
