/* job_paths.c - see job_paths.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/requests/job_paths.h"

#include "lib/attr/job_attrs.h"

#include <string.h>

const char *job_variable(const struct edit *job, const char *name)
{
    const struct attr_value *v = edit_value(job, JOB_A_VARIABLE_LIST);
    size_t len = strlen(name);

    for (size_t i = 0; v->set && i < v->u.list.n; i++)
        if (strncmp(v->u.list.v[i], name, len) == 0 && v->u.list.v[i][len] == '=')
            return v->u.list.v[i] + len + 1;
    return NULL;
}

static void give_path(struct edit *job, int attr, char letter, uint64_t number,
                      const char *host, struct arena *arena)
{
    const char *of_submission = job_variable(job, "PBS_O_HOST");
    const char *dir = job_variable(job, "PBS_O_WORKDIR");

    if (edit_value(job, attr)->set)
        return;
    if (!dir)
        dir = job_variable(job, "PBS_O_HOME");
    if (!dir)
        dir = "";
    edit_set_str(job, attr,
                 arena_printf(arena, "%s:%s%s%s.%c%" PRIu64,
                              of_submission ? of_submission : host, dir,
                              *dir ? "/" : "", edit_str(job, JOB_A_JOB_NAME, "none"),
                              letter, number));
}

void job_paths_default(struct edit *job, uint64_t number, const char *host,
                       struct arena *arena)
{
    give_path(job, JOB_A_ERROR_PATH, 'e', number, host, arena);
    give_path(job, JOB_A_OUTPUT_PATH, 'o', number, host, arena);
}
