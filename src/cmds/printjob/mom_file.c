/* mom_file.c - a job as its MoM has it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/printjob/printjob.h"

#include "lib/attr/job_attrs.h"

#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bits of svrflgs: the job is here, and processes of it may be. */
#define HERE          0x01
#define HAS_PROCESSES 0x20

#define RUNNING       42
#define SUSPENDED     43
#define PRERUN        41

static const char *attr(const struct job_record *r, const char *name)
{
    const char *value = wire_attrs_value(&r->attrs, name, NULL);

    return value ? value : "";
}

/* A job that has ended here is shown as on its way out. */
static bool may_run(const struct job_record *r)
{
    return r->phase == PRERUN || r->phase == RUNNING || r->phase == SUSPENDED;
}

/* -1: this host does not know the name. */
static int64_t uid_of(const char *user)
{
    const struct passwd *pw = *user ? getpwnam(user) : NULL;

    return pw ? (int64_t)pw->pw_uid : -1;
}

static int64_t gid_of(const char *group)
{
    const struct group *gr = *group ? getgrnam(group) : NULL;

    return gr ? (int64_t)gr->gr_gid : -1;
}

static void show_task(const struct job_record *r, const char *path, uint32_t number,
                      int32_t session, int32_t vnode, bool lives)
{
    printf("task file %s, task %08" PRIX32 "\n\n", path, number);
    printf("\tparentjobid:\t%s\n\tparentnode:\t-1\n", r->id);
    printf("\tmyvnode:\t%" PRId32 "\n\tparenttask:\t0\n", vnode);
    printf("\ttask:\t\t%" PRIu32 "\n", number);
    printf("\tstatus:\t\t%s\n", lives ? "1\tTI_STATE_RUNNING" : "0");
    printf("\tsid:\t\t%" PRId32 "\n\texitstat:\t%" PRId32 "\n\n", session,
           number == 1 && r->status_is_set ? r->status : 0);
}

void show_mom_file(const struct job_record *r, const char *path, bool with_attrs)
{
    const struct shown_job head = {
        .id = r->id,
        .letter = may_run(r) ? 'R' : 'E',
        .substate = r->phase,
        .flags = HERE | (may_run(r) ? HAS_PROCESSES : 0),
        .stime = r->since_at,
        .file_base = r->id,
        .queue = "",
    };

    show_head(&head);
    printf("union type mom:\n\tsvraddr\t%" PRIu32 "\n\texitst\t%" PRId32 "\n", r->ms_ip,
           r->status_is_set ? r->status : 0);
    printf("\tuid\t%" PRId64 "\n\tgid\t%" PRId64 "\n", uid_of(attr(r, "euser")),
           gid_of(attr(r, "egroup")));
    if (with_attrs)
        show_attrs(&r->attrs);
    /* On another host than the first, the top task is not this MoM's. */
    if (!r->is_sister && r->session > 0)
        show_task(r, path, 1, r->session, 0, may_run(r));
    for (size_t i = 0; i < r->n_stored; i++)
        show_task(r, path, r->tasks[i].number, r->tasks[i].session, r->tasks[i].vnode,
                  may_run(r));
}
