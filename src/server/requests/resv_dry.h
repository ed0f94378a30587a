/* resv_dry.h - dry runs: what would become of a request about a reservation
 * (doc/design/046-dry-run.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUESTS_RESV_DRY_H
#define SERVER_REQUESTS_RESV_DRY_H

#include "server/requests/handlers.h"

/* The attribute of a dry run that says which vnodes maintenance would be confirmed
 * with: it is taken out of the request, since an ordinary one has it in a second
 * request. */
#define DRY_RUN_VNODES "resv_nodes"

/* Handle 'rq' with 'handle', as if it were meant, and answer with what would follow;
 * nothing is recorded. 'vnodes' is the value of DRY_RUN_VNODES, or NULL. Refused as the
 * request would be; 15029 with the reason when a scheduler has to be asked and none can
 * be. Until it has answered, the request is parked. */
int resv_dry_run(const struct model *m, const struct request *rq, handler_fn handle,
                 const char *vnodes, struct decision *out) MUST_CHECK;

#endif
