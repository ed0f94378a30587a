/* status.h - what a cycle asks the server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SHELL_STATUS_H
#define SCHEDULER_SHELL_STATUS_H

#include "scheduler/shell/shell.h"

/* Ask for all objects of a kind with the attributes named (NULL: all), or by a request
 * of the caller's. A refusal is an error whose words begin with 'what'; after it the
 * link is still good. */
int status_all(struct shell *sh, uint32_t number, const char *const *names,
               const char *extend, const char *what, struct arena *arena,
               struct wire_objects *ret, struct diag *why) MUST_CHECK;

/* Everything a plan needs, into 's'. */
int status_snapshot(struct shell *sh, struct arena *arena, struct snapshot *s,
                    struct diag *why) MUST_CHECK;

#endif
