/* restrict_judge.c - whom $restrict_user leaves alone; see restrict.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/restrict.h"

#include <stdlib.h>

#define MOST_GENERATIONS 64

static int by_uid(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static bool has_uid(const uint32_t *uids, size_t n, uint32_t uid)
{
    return n > 0 && bsearch(&uid, uids, n, sizeof(*uids), by_uid);
}

static int by_pid(const void *a, const void *b)
{
    const struct proc_entry *x = a, *y = b;

    return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Copies of files run as their users, also of those whose job is still to come. */
static bool descends_from_mom(const struct restrict_rules *rules,
                              const struct proc_entry *all, size_t n,
                              const struct proc_entry *p)
{
    for (int i = 0; p && i < MOST_GENERATIONS; i++) {
        const struct proc_entry parent = { .pid = p->parent };

        if (p->pid == rules->mom_pid || p->parent == rules->mom_pid)
            return true;
        p = bsearch(&parent, all, n, sizeof(*all), by_pid);
    }
    return false;
}

enum restrict_verdict restrict_judge(const struct restrict_rules *rules,
                                     const struct proc_entry *all, size_t n, size_t i)
{
    const struct proc_entry *p = &all[i];

    MUST(i < n && (i == 0 || all[i - 1].pid < p->pid));
    if (p->uid <= rules->max_system_uid || p->session == rules->mom_session ||
        has_uid(rules->exempt, rules->n_exempt, p->uid) ||
        descends_from_mom(rules, all, n, p))
        return RESTRICT_LEAVE;
    return has_uid(rules->owners, rules->n_owners, p->uid) ? RESTRICT_ALIEN
                                                           : RESTRICT_KILL;
}
