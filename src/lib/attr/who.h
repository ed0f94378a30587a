/* who.h - short names for the usual sets of readers and writers in attribute tables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_WHO_H
#define LIB_ATTR_WHO_H

#include "lib/attr/row.h"

#define EVERYONE     (WHO_USER | WHO_OPERATOR | WHO_MANAGER)
#define ALL          (EVERYONE | WHO_DAEMON)
#define STAFF        (WHO_OPERATOR | WHO_MANAGER)
#define STAFF_DAEMON (STAFF | WHO_DAEMON)

#endif
