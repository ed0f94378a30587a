/* script_copy.h - the copy of a script that is sent. The server gets what was read,
 * also from a pipe, and directives that go on in the next line are one line in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_QSUB_SCRIPT_COPY_H
#define CMDS_QSUB_SCRIPT_COPY_H

#include "cmds/qsub/qsub.h"

/* Copy the script at 'path' (NULL: standard input) to a file of our own in the scratch
 * directory (cli.md 1.8), while its directives are carried out. The path of the copy,
 * for script_copy_remove(), or NULL with the exit status in *code after the reason was
 * printed. A signal that ends the program removes the copy as well. */
char *script_copy_take(struct qsub *q, const char *path, int *code);

/* Remove the copy and free its path, which becomes NULL; nothing for a NULL. */
void script_copy_remove(char **script);

#endif
