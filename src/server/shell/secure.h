/* secure.h - whose the server's directories are, looked at before it trusts them
 * (operations.md 2.1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_SECURE_H
#define SERVER_SHELL_SECURE_H

#include "lib/base/diag.h"
#include "lib/io/logfile.h"

/* Make the private directories of PBS_HOME that are missing, with their modes.
 * PBSE_SYSTEM with words otherwise. */
int secure_make_dirs(const char *home, struct diag *why) MUST_CHECK;

/* Look at what the server trusts, and at the file 'environment' (pbs_environment):
 * nothing that others could have written or replaced.
 * The uid that runs the server may own what root may. Every issue becomes a line of the
 * log that names the path and says what is wrong; 'why' has the first with what to do
 * about it. 0, or the number of issues. */
int secure_check(const char *home, const char *environment, struct logfile *log,
                 struct diag *why) MUST_CHECK;

#endif
