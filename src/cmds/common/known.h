/* known.h - operands whose server is known by name (cli.md 1.3, rule 3).
 *
 * An identifier that names another server by its ".SERVER" part is taken there. When no
 * host is called like that, the text was no identifier: "5.log" is more likely a file
 * than a job. What stands behind '@' is judged when the command connects. These
 * functions read as those of operand.h and may wait for the name service.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_KNOWN_H
#define CMDS_COMMON_KNOWN_H

#include "cmds/common/operand.h"

/* operand_job(), and a host that is called like the server. */
bool known_job(const char *text, char id[OPERAND_MAX], char server[OPERAND_MAX]);

/* operand_occurrence(), and a host that is called like the server. */
bool known_occurrence(const char *text, char id[OPERAND_MAX], char server[OPERAND_MAX],
                      int *ret);

#endif
