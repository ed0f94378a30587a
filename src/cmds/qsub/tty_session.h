/* tty_session.h - the user's terminal while an interactive job runs: in raw mode, its
 * keys to the job and the job's output to it (cli.md 3.8, steps 6 to 9).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QSUB_TTY_SESSION_H
#define CMDS_QSUB_TTY_SESSION_H

#include "lib/wire/terminal.h"

/* This terminal, as the MoM is told. Standard input is one. */
void tty_describe(struct terminal *ret);

/* Carry bytes between the terminal and the job at 'fd' until either is gone, or the
 * user ends the session. The terminal is what it was before when this returns. 0, or
 * the number of the signal that ended it. */
int tty_session(int fd);

#endif
