/* rules.h - the rules themselves, by room; the rows are in rules/table.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_RULES_RULES_H
#define SERVER_RULES_RULES_H

#include "server/rules/rule.h"

/* reservations: rules/resv_*.c */

/* jobs: rules/job_*.c */

/* vnodes: rules/node_*.c */

#endif
