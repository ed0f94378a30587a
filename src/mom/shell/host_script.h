/* host_script.h - a command of the administrator that tells what a host has
 * (execution.md 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_HOST_SCRIPT_H
#define MOM_SHELL_HOST_SCRIPT_H

#include "lib/base/base.h"
#include "lib/base/buf.h"

/* Have /bin/sh run 'command' with the rights of the MoM, for at most 'limit_ms', and
 * append the first line of its output without the line end, 'most' bytes of it at most.
 * False: it did not begin, did not end in time (all of its process group is killed
 * then), or did not end well; or the line has a NUL byte. Waits for it: for threads
 * that serve nothing else. */
bool host_script_run(const char *command, int limit_ms, size_t most,
                     struct buf *out) MUST_CHECK;

#endif
