/* trust.h - hosts whose reserved ports count, and what hosts are called.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_TRUST_H
#define SERVER_SHELL_TRUST_H

#include "server/shell/shell.h"

#include <netinet/in.h>

struct seeker;

enum trust {
    TRUST_NO,
    TRUST_LATER, /* a name service is asked: 'who' is told when to ask again */
    TRUST_YES,
};

/* Configured: this host, PBS_TRUSTED_HOSTS, the server pair, routers, hosts of nodes.
 * What name services have to say of them is looked up for 'who' (lookups.h). */
enum trust trust_has(struct shell *sh, struct seeker *who, struct in_addr addr);

/* May another server be there, which hands jobs over and speaks for their owners: on
 * this host, on one of PBS_TRUSTED_HOSTS, or the other one of the server pair? Hosts of
 * vnodes and routers are none. */
enum trust trust_has_server(struct shell *sh, struct seeker *who, struct in_addr addr);

/* May the scheduler of that name run there: on this host, on one of PBS_TRUSTED_HOSTS,
 * or on the one that its object names as sched_host? */
enum trust trust_has_sched(struct shell *sh, struct seeker *who, const char *sched,
                           struct in_addr addr);

/* The name of a host: this one's own, else the one its address and the name itself
 * agree on, else the address as text. 'size' is at least INET_ADDRSTRLEN. False: later,
 * and 'who' is told when. */
bool trust_host_name(struct shell *sh, struct seeker *who, struct in_addr addr,
                     char *name, size_t size) MUST_CHECK;

#endif
