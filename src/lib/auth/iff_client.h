/* iff_client.h - let the set-uid helper pbs_iff vouch for a TCP connection
 * (wire.md 4.2).
 *
 * The owner waits for the helper's answer as it waits for everything else. libpbs links
 * this: no xmalloc, no event loop.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_AUTH_IFF_CLIENT_H
#define LIB_AUTH_IFF_CLIENT_H

#include "lib/io/conf.h"

#include <sys/types.h>

struct iff_client {
    int from;  /* poll() it for reading; -1 when none is running */
    pid_t pid; /* of the helper */
    /* private */
    size_t got;
    char bytes[4];
};

/* Start the helper of conf->exec for the connected socket 'fd', which leads to
 * host:port and is none of 0, 1 and 2. 0, or -1 when it cannot be started. */
int iff_client_start(const struct conf *conf, int fd, const char *host, unsigned port,
                     struct iff_client *ret) MUST_CHECK;

enum iff_state {
    IFF_GOES_ON, /* nothing yet, or not all of it */
    IFF_TOLD,    /* *code is what the server said, 0: it has vouched */
    IFF_SILENT,  /* it has ended without a word */
};

/* Read what the helper has written; does not wait. */
enum iff_state iff_client_read(struct iff_client *c, int *code) MUST_CHECK;

/* End a helper that was started. 'late': do not wait for its end. */
void iff_client_end(struct iff_client *c, bool late);

#endif
