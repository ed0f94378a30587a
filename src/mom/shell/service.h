/* service.h - the MoM's service port, where servers of another make send jobs whose
 * script or output is large (wire.md 13). Ours sends all jobs over the router network.
 *
 * Served are connections from a server's address and a reserved port, while
 * PBS_SUPPORTED_AUTH_METHODS has resvport. Whoever else connects is refused and costs a
 * place among few, a few bytes, and a few seconds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_SERVICE_H
#define MOM_SHELL_SERVICE_H

#include "lib/base/diag.h"
#include "lib/wire/batch.h"

struct service;
struct shell;

/* Listen on 'addr' (NULL: all). PBSE_SYSTEM with words. */
int service_open(struct shell *s, const char *addr, unsigned port, struct service **ret,
                 struct diag *why) MUST_CHECK;
/* NULL is fine. The core is not told of connections that end with it. */
void service_free(struct service *sv);

/* The core's answer, and its end of a connection (MOM_CONNECTION numbers). A connection
 * that is gone is ignored. */
void service_reply(struct service *sv, uint64_t connection,
                   const struct wire_reply *reply);
void service_close(struct service *sv, uint64_t connection);

#endif
