/* relay.h - connections to a port of ours carried on to a place of somebody else's: the
 * X clients of an interactive job to the user's X server, in two steps, at the job's
 * host and at the user's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_IO_RELAY_H
#define LIB_IO_RELAY_H

#include "lib/base/base.h"

#include <netinet/in.h>

#define RELAY_MAX     64 /* connections at a time; others wait to be accepted */
#define RELAY_FIRST_S 10 /* in which a caller shows by its first bytes what it is */

/* What the first bytes of a caller say of it. */
enum relay_look {
    RELAY_MORE, /* not enough yet */
    RELAY_FITS,
    RELAY_UNFIT,
};

struct relay {
    int listen_fd;
    int until_fd; /* a pipe: the relay ends when its other end is closed */
    /* May that caller come in? NULL: everybody. */
    bool (*may)(void *arg, int fd, const struct sockaddr_in *from);
    /* What do the first 'n' bytes of a caller say? It is asked again whenever more have
     * come, before 'reach' is called; a caller that does not fit, or says nothing for
     * RELAY_FIRST_S, is sent away. NULL: nobody looks. */
    enum relay_look (*look)(void *arg, const char *bytes, size_t n);
    /* A connection to where the bytes go; -1: the caller is sent away. */
    int (*reach)(void *arg);
    void *arg;
};

/* Carry until the end of 'until_fd'. Neither end of a connection can hold up another
 * one: each direction has one piece under way. Meant for a process of its own. */
void relay_run(const struct relay *r);

/* Listen at the first free port from 'first' to 'last' of the loopback address; -1 with
 * errno. *ret is the port. */
int relay_listen_local(unsigned first, unsigned last, unsigned *ret) MUST_CHECK;

#endif
