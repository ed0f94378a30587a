/* resolver.h - addresses of hosts, asked for in threads: a name service that does not
 * answer must not keep the scheduler from a signal that ends it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SHELL_RESOLVER_H
#define SCHEDULER_SHELL_RESOLVER_H

#include "lib/base/diag.h"

#include <netinet/in.h>

struct resolver;

/* No host is known at first, and no thread runs. */
struct resolver *resolver_new(void);
/* Does not wait for a service that has not answered. NULL is fine. */
void resolver_free(struct resolver *r);

/* The first IPv4 address of the host, in network order. Waits for the service, for
 * 30 seconds at most and until a signal asks the daemon to end. A host whose answer did
 * not come is not asked about a second time meanwhile: who asks again waits for the
 * same answer. PBSE_BADHOST when the host has no address, PBSE_SYSTEM when nobody could
 * say, with words. */
int resolver_ask(struct resolver *r, const char *host, struct in_addr *ret,
                 struct diag *why) MUST_CHECK;

#endif
