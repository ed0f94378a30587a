/* resvport.h - who may vouch for whom from a reserved port (wire.md 4.2).
 *
 * A set-uid helper on the client's host connects from a port below 1024 and says whose
 * a connection from that host is. Such a port proves only that somebody with root's
 * rights on that host speaks, so it counts for hosts that the administrator configured,
 * and for this one request. About sockets of the server's own host the kernel is asked
 * as well (sockowner.h), and its word counts more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_AUTH_RESVPORT_H
#define LIB_AUTH_RESVPORT_H

#include "lib/base/diag.h"

#define RESVPORT_METHOD "resvport" /* in PBS_AUTH_METHOD and Authenticate */
#define RESVPORT_END    1024       /* ports below it are reserved */

struct resvport_vouch {
    bool supported;          /* the method is one of PBS_SUPPORTED_AUTH_METHODS */
    const char *method;      /* as asked for */
    bool encrypts;           /* an encryption handshake is to follow */
    unsigned helper_port;    /* source port of who vouches; 0: not over TCP */
    bool helper_trusted;     /* its host is configured */
    const char *user;        /* whom it vouches for */
    const char *owner;       /* whose the named connection is: NULL when there is no
                                such connection, "" when it is nobody's yet */
    const char *kernel_says; /* NULL: the socket at the other end was made by 'user',
                                or is on another host; else what is wrong with it */
};

/* 0: the named connection is that user's from now on, if it was nobody's. PBSE_NOSUP or
 * PBSE_BADCRED, the reason in *why for the log only: the asking connection is closed.
 */
int resvport_check(const struct resvport_vouch *v, struct diag *why) MUST_CHECK;

#endif
