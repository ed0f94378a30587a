/* usecp.h - where a path of another host is to be found on this one: by $usecp of the
 * configuration, or because it is the same host (execution.md 22).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_USECP_H
#define MOM_SHELL_USECP_H

#include "mom/shell/plan.h"

/* The local path of "host:path"; NULL when it is on another host. Taken from 'arena',
 * or a part of 'remote'. */
const char *usecp_path(const struct plan_host *h, const char *remote,
                       struct arena *arena);

#endif
