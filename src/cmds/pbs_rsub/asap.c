/* asap.c - see asap.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/pbs_rsub/asap.h"

#include "cmds/common/attr_list.h"
#include "cmds/common/cmd.h"

#include <stdio.h>
#include <string.h>

static bool waits(const struct batch_status *job)
{
    for (const struct attrl *a = job->attribs; a; a = a->next)
        if (strcmp(a->name, "job_state") == 0)
            return !strchr("RTE", *a->value);
    return true;
}

/* Counts made of the select, which a server makes anew. */
static bool is_made(const char *resource)
{
    return strcmp(resource, "nodect") == 0 || strcmp(resource, "neednodes") == 0;
}

static void copy(const struct batch_status *job, struct attropl **attrs)
{
    for (const struct attrl *a = job->attribs; a; a = a->next)
        if (strcmp(a->name, "Resource_List") == 0 && a->resource &&
            !is_made(a->resource) && !attrs_get(*attrs, a->name, a->resource))
            attrs_set(attrs, a->name, a->resource, a->value);
}

int rsub_asap_copy(const char *cmd, int conn, const char *job_id,
                   struct attropl **attrs)
{
    struct batch_status *job = pbs_statjob(conn, job_id, NULL, NULL);
    int code = 0;

    if (!job && pbs_errno != PBSE_UNKJOBID && pbs_errno != 0) {
        code = cmd_exit_code(pbs_errno);
        cmd_print_error(cmd, conn, NULL, NULL);
    } else if (!job) {
        fprintf(stderr, "Job %s does not exist\n", job_id);
        code = 2;
    } else if (!waits(job)) {
        fprintf(stderr, "Job not in qmove state\n");
        code = 2;
    } else {
        copy(job, attrs);
    }
    pbs_statfree(job);
    return code;
}
