/* verify.h - attribute values are judged before a request travels (cli.md 2).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_VERIFY_H
#define CMDS_COMMON_VERIFY_H

#include "cmds/common/cmd.h"

struct attr_table;

/* True when every value is one that the attribute's row takes. Resource lists, names
 * that the table does not know, and attributes without an option of their own in 'map'
 * are left to the library and the server. Else "<cmd>: illegal -X value" and 'usage' are
 * printed, or that a name is too long. */
bool cmd_verify(const char *cmd, const struct attr_table *table,
                const struct attropl *list, const struct cmd_option *map, size_t n,
                const char *usage);

#endif
