/* cmd.h - what every command does: the version, connecting, saying what went wrong.
 *
 * Texts and exit codes: cli.md 1.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_CMD_H
#define CMDS_COMMON_CMD_H

#include "include/pbs_ifl.h"
#include "lib/attr/row.h"
#include "lib/base/base.h"

/* "--version" as the only argument prints the version, and "--help" as the only one
 * prints 'usage' (both on stdout); true when the command has nothing left to do. */
bool cmd_told(int argc, char **argv, const char *usage);

/* The end of every command: writes what is left of the output. When some of it could
 * not be written (a full disk, a closed stdout) says so, and a success becomes 1. */
int cmd_finish(const char *cmd, int code) MUST_CHECK;

/* Why a connection failed, the line that comes before the command's own (cli.md 1.5).
 */
void cmd_print_connect_error(void);

/* Connect to 'server' ("" or NULL: the default). On failure prints the library's line
 * and "<cmd>: cannot connect to server <name> (errno=<n>)" and returns -1. */
int cmd_connect(const char *cmd, const char *server);

/* The same for the commands that say "could not connect to server <name> (<n>)". */
int cmd_connect_operator(const char *cmd, const char *server);

/* The text of the last reply, or NULL when there is none. */
const char *cmd_error_text(int conn);

/* "<cmd>: <text> <object>" or "<cmd>: Server returned error <n> for <kind> <object>".
 */
void cmd_print_error(const char *cmd, int conn, const char *kind, const char *object);

/* What the shell sees of an error number. */
int cmd_exit_code(int error);

/* True when an attribute of the failed request is known to be wrong; its option's
 * letter is looked up in 'map' and "<cmd>: illegal -X value", a line that explains it
 * from the attributes of 'table' and 'usage' are printed. */
struct cmd_option {
    const char *attr;
    const char *resource; /* NULL: any */
    char letter;
};
bool cmd_print_bad_attribute(const char *cmd, int conn, const struct cmd_option *map,
                             size_t n, const struct attr_table *table,
                             const char *usage);

#endif
