/* start.h - from an empty process to a running server, and back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SHELL_START_H
#define SERVER_SHELL_START_H

#include "server/shell/shell.h"

/* Settings, home and lock. Returns -1 to go on, else the exit status. */
int start_prepare(struct shell *sh);
/* Logs, store and core, recovery. After going into the background. Likewise. */
int start_recover(struct shell *sh);
/* Listen and connect. Likewise. */
int start_network(struct shell *sh);
/* Give everything back, in the right order. */
void start_undo(struct shell *sh);

#endif
