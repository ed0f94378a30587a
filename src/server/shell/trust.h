/* trust.h - hosts whose reserved ports count, and what hosts are called.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_TRUST_H
#define SERVER_SHELL_TRUST_H

#include "server/shell/shell.h"

#include <netinet/in.h>

/* Configured: this host, PBS_TRUSTED_HOSTS, the server pair, routers, hosts of nodes.
 * May ask the system's name services; answers are kept (accounts.h). */
bool trust_has(struct shell *sh, struct in_addr addr);

/* May the scheduler of that name run there: on this host, on one of PBS_TRUSTED_HOSTS,
 * or on the one that its object names as sched_host? Names are looked up as above. */
bool trust_has_sched(struct shell *sh, const char *sched, struct in_addr addr);

/* The name of a host: this one's own, else the one its address and the name itself
 * agree on, else the address as text. */
void trust_host_name(struct shell *sh, struct in_addr addr, char *name, size_t size);

#endif
