/* host.h - the executor that has this host: processes, sessions, the users' files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_HOST_H
#define MOM_SHELL_HOST_H

#include "mom/executor.h"

struct shell;

/* Good as long as 's'; tasks_recover() comes before its first effect. */
struct executor host_executor(struct shell *s);

#endif
