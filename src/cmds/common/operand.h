/* operand.h - job, reservation and destination operands (cli.md 1.3, 1.4).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CMDS_COMMON_OPERAND_H
#define CMDS_COMMON_OPERAND_H

#include "lib/base/base.h"

#define OPERAND_MAX 600

/* "5", "5.svr", "5[3]@host", ..: the id to send (with ".<default server>" added when
 * there is none) and the server to contact ("" for the default). False when the text is
 * no job identifier, or when there is no default server to add. */
bool operand_job(const char *text, char id[OPERAND_MAX], char server[OPERAND_MAX]);

/* The same for "R12", "S3.svr@host". */
bool operand_resv(const char *text, char id[OPERAND_MAX], char server[OPERAND_MAX]);

/* The same for one of its occurrences, "S3[2]", "S3[2].svr@host": *ret is its index, or
 * OPERAND_ALL for "S3[]", or OPERAND_WHOLE for "S3". The id is that of the reservation.
 */
#define OPERAND_WHOLE (-1)
#define OPERAND_ALL   0
bool operand_occurrence(const char *text, char id[OPERAND_MAX],
                        char server[OPERAND_MAX], int *ret);

/* "[queue][@server[:port]]"; false when malformed. */
bool operand_destination(const char *text, char queue[OPERAND_MAX],
                         char server[OPERAND_MAX]);

#endif
