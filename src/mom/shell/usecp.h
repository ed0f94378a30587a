/* usecp.h - where a path of another host is to be found on this one: by $usecp of the
 * configuration, or because it is the same host (execution.md 22).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_USECP_H
#define MOM_SHELL_USECP_H

#include "mom/shell/plan.h"

/* The local path of "host:path"; NULL when it is on another host. Taken from 'arena',
 * or a part of 'remote'. A host that no line names and that is neither "localhost" nor
 * this host by its short or full name is looked up, which may wait for the name
 * service: it is this one when it has this host's addresses and no others. */
const char *usecp_path(const struct plan_host *h, const char *remote,
                       struct arena *arena);

#endif
