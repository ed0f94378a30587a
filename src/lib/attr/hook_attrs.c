/* hook_attrs.c - Hooks: every attribute, declared once (attributes.md 1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/hook_attrs.h"

#include "lib/attr/check.h"
#include "lib/attr/who.h"

/* clang-format off */
const struct attr_row hook_rows[HOOK_A_COUNT] = {
    [HOOK_A_HOOK_NAME] = {
        .name = "hook_name",
        .type = &attr_string,
        .read = WHO_MANAGER,
        .write = 0,
        .doc = "Name of the hook.",
    },
    [HOOK_A_TYPE] = {
        .name = "type",
        .type = &attr_string,
        .read = WHO_MANAGER,
        .write = WHO_MANAGER,
        .dflt = "site",
        .doc = "Site or pbs.",
    },
    [HOOK_A_ENABLED] = {
        .name = "enabled",
        .type = &attr_bool_words,
        .read = WHO_MANAGER,
        .write = WHO_MANAGER,
        .dflt = "true",
        .doc = "Hook runs.",
    },
    [HOOK_A_EVENT] = {
        .name = "event",
        .type = &attr_string,
        .read = WHO_MANAGER,
        .write = WHO_MANAGER,
        .doc = "Events, printed in bit-definition order.",
    },
    [HOOK_A_USER] = {
        .name = "user",
        .type = &attr_string,
        .read = WHO_MANAGER,
        .write = WHO_MANAGER,
        .dflt = "pbsadmin",
        .doc = "Who runs it.",
    },
    [HOOK_A_ALARM] = {
        .name = "alarm",
        .type = &attr_long,
        .read = WHO_MANAGER,
        .write = WHO_MANAGER,
        .dflt = "30",
        .doc = "Seconds it may run.",
    },
    [HOOK_A_FREQ] = {
        .name = "freq",
        .type = &attr_long,
        .read = WHO_MANAGER,
        .write = WHO_MANAGER,
        .dflt = "120",
        .doc = "Period in seconds.",
    },
    [HOOK_A_ORDER] = {
        .name = "order",
        .type = &attr_long,
        .read = WHO_MANAGER,
        .write = WHO_MANAGER,
        .dflt = "1",
        .doc = "Execution order, low first.",
    },
    [HOOK_A_DEBUG] = {
        .name = "debug",
        .type = &attr_bool_words,
        .read = WHO_MANAGER,
        .write = WHO_MANAGER,
        .dflt = "false",
        .doc = "Keep the input and output files.",
    },
    [HOOK_A_FAIL_ACTION] = {
        .name = "fail_action",
        .type = &attr_string,
        .read = WHO_MANAGER,
        .write = WHO_MANAGER,
        .dflt = "none",
        .doc = "What to do when it fails.",
    },
    [HOOK_A_PENDING_DELETE] = {
        .name = "pending_delete",
        .type = &attr_long,
        .read = 0,
        .write = 0,
        .doc = "A deletion is in progress.",
    },
    [HOOK_A_HF_SCRIPT] = {
        .name = "hf_script",
        .type = &attr_string,
        .flags = ATTR_INTERNAL,
        .doc = "The script, with backslashes and NULs escaped.",
    },
    [HOOK_A_HF_CONFIG] = {
        .name = "hf_config",
        .type = &attr_string,
        .flags = ATTR_INTERNAL,
        .doc = "The configuration file, escaped likewise.",
    },
};

/* Rows that clients see, ordered by name without regard to case. */
static const uint16_t hook_order[] = {
    HOOK_A_ALARM,
    HOOK_A_DEBUG,
    HOOK_A_ENABLED,
    HOOK_A_EVENT,
    HOOK_A_FAIL_ACTION,
    HOOK_A_FREQ,
    HOOK_A_HOOK_NAME,
    HOOK_A_ORDER,
    HOOK_A_PENDING_DELETE,
    HOOK_A_TYPE,
    HOOK_A_USER,
};
/* clang-format on */

const struct attr_table hook_table = {
    .kind = "hook",
    .macro_prefix = "HOOK",
    .rows = hook_rows,
    .n = HOOK_A_COUNT,
    .order = hook_order,
    .n_order = ARRAY_LEN(hook_order),
};
