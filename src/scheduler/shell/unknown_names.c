/* unknown_names.c - names in sched_config that no resource of the server has
 * (scheduling.md 5.1). They are told when the server has said which there are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/shell/shell.h"

#include "lib/attr/resource.h"
#include "scheduler/policy/policy.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct names {
    struct shell *sh;
    struct resource_defs *built_in;
};

static bool is_known(const struct names *n, const char *name)
{
    if (resource_find(n->built_in, name))
        return true;
    for (size_t i = 0; i < n->sh->resources.n; i++)
        if (strcasecmp(n->sh->resources.v[i].name, name) == 0)
            return true;
    return false;
}

static void tell_keys(const struct names *n, const char *whose,
                      const struct sort_key *keys, size_t n_keys,
                      const char *const *words)
{
    for (size_t i = 0; i < n_keys; i++) {
        const char *const *word = words;

        while (*word && strcmp(*word, keys[i].resource) != 0)
            word++;
        if (!*word && !is_known(n, keys[i].resource))
            logfile_printf(n->sh->log, LOG_EV_SCHED, LOG_IN_FILE, "sched_config",
                           "prime %s sorting resource %s is not a valid resource",
                           whose, keys[i].resource);
    }
}

static void tell_compared(const struct names *n, const char *list)
{
    char *copy = xstrdup(list ? list : ""), *save = NULL;

    for (char *name = strtok_r(copy, ", \t", &save); name;
         name = strtok_r(NULL, ", \t", &save))
        if (!is_known(n, name))
            logfile_write(n->sh->log, LOG_EV_SCHED, LOG_IN_FILE, name,
                          "Unknown Resource");
    free(copy);
}

void shell_tell_unknown_names(struct shell *sh)
{
    /* What jobs and vnodes are sorted by besides resources. */
    static const char *const of_jobs[] = { "job_priority",     "sort_priority",
                                           "eligible_time",    "queue_priority",
                                           "accrue_type",      "fair_share_perc",
                                           "preempt_priority", NULL };
    static const char *const of_vnodes[] = { "sort_priority", "last_used_time", NULL };
    struct names n = { .sh = sh, .built_in = resource_defs_new() };

    MUST(sh->policy);
    tell_keys(&n, "job", sh->policy->job_keys, sh->policy->n_job_keys, of_jobs);
    tell_keys(&n, "node", sh->policy->sort_keys, sh->policy->n_sort_keys, of_vnodes);
    tell_compared(&n, sh->policy->resources);
    resource_defs_free(n.built_in);
}
