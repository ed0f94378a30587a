/* setting.h - one setting of sched_config: its name, how its value is read, and what
 * becomes of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_POLICY_SETTING_H
#define SCHEDULER_POLICY_SETTING_H

#include "scheduler/policy/policy.h"

struct setting {
    const char *name;
    /* Read the value into the policy. What is not fine leaves the setting as it was,
     * with the words for the log in 'why'. */
    enum policy_line (*read)(struct policy *p, const struct setting *row,
                             const char *value, struct diag *why);
    size_t offset;       /* in struct policy, of what 'read' sets; else 0 */
    bool by_prime;       /* may differ in prime and non-prime time */
    bool unserved;       /* no plan obeys it yet, which is said unless its value is */
    const char *usual;   /* this one: it asks for nothing that plans do not do */
    const char *instead; /* obsolete: what to use; "": nothing; NULL: not obsolete */
};

/* The row of that name, NULL: there is no such setting. */
const struct setting *setting_find(const char *name, size_t len);

/* Remember that the setting asks for something that is not served. */
void setting_note(struct policy *p, const struct setting *row);

#endif
