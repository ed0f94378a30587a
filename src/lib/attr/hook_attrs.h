/* hook_attrs.h - Hooks: indexes of their attributes, in the order of replies.
 *
 * A row that only our own daemons keep is a line here and a line at the end of the
 * table in hook_attrs.c; a row that clients see is also a line in its ordered index.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_ATTR_HOOK_ATTRS_H
#define LIB_ATTR_HOOK_ATTRS_H

#include "lib/attr/row.h"

enum hook_attr {
    HOOK_A_HOOK_NAME,
    HOOK_A_TYPE,
    HOOK_A_ENABLED,
    HOOK_A_EVENT,
    HOOK_A_USER,
    HOOK_A_ALARM,
    HOOK_A_FREQ,
    HOOK_A_ORDER,
    HOOK_A_DEBUG,
    HOOK_A_FAIL_ACTION,
    HOOK_A_PENDING_DELETE,
    HOOK_A_HF_SCRIPT,
    HOOK_A_HF_CONFIG,
    HOOK_A_COUNT
};

extern const struct attr_row hook_rows[HOOK_A_COUNT];

#endif
