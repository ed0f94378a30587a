/* policy.h - the settings of sched_config that plans obey (scheduling.md 5).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_POLICY_POLICY_H
#define SCHEDULER_POLICY_POLICY_H

#include "scheduler/sched.h"

#define POLICY_SORT_KEYS_MAX 20

/* A key of node_sort_key. */
struct sort_key {
    char *resource; /* "sort_priority": the vnode's Priority */
    bool high_first;
};

struct policy {
    bool by_queue;
    bool update_comments;
    size_t n_sort_keys;
    struct sort_key sort_keys[POLICY_SORT_KEYS_MAX];
    char *resources;      /* comma list of what is compared, NULL: everything */
    char *unset_infinite; /* comma list of what counts as infinite when unset */
};

/* True when 'name' is one of the comma-separated words of 'list' (may be NULL). */
bool policy_list_has(const char *list, const char *name);

#endif
