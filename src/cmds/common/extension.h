/* extension.h - what only our own server understands, and whether this one does
 * (doc/extensions.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_EXTENSION_H
#define CMDS_COMMON_EXTENSION_H

#include "include/pbs_ifl.h"

#include <stdbool.h>

/* Does the server's holdfast_extensions name it? Asks the server. False too when it
 * cannot be asked. */
bool extension_is_offered(int conn, const char *name);

/* The same; false after a line on standard error that says that 'words' were not sent.
 */
bool extension_may_ask(const char *cmd, int conn, const char *name, const char *words);

/* May all these attributes be sent to the server? False after a line on standard error
 * when one of them belongs to an extension that the server does not offer. Asks the
 * server only when there is such an attribute. */
bool extension_may_send(const char *cmd, int conn, const struct attropl *attrs);

/* May a request about one occurrence of a series be sent to the server? Likewise. */
bool extension_knows_occurrences(const char *cmd, int conn);

#endif
