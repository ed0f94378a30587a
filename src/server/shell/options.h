/* options.h - the command line of pbs_server (operations.md 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_OPTIONS_H
#define SERVER_SHELL_OPTIONS_H

#include "server/shell/shell.h"

/* Returns -1 to go on, else the exit status: the words were printed. */
int options_parse(int argc, char **argv, struct options *ret);

/* Ports and home override pbs.conf: they are handed over through the environment, which
 * pbs.conf yields to. */
void options_to_env(const struct options *opt);

#endif
