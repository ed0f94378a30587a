/* job_groups.h - the groups of jobs in the kernel (cgroup.h), where $cgroups names a
 * directory for them. Without one every function here does nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_JOB_GROUPS_H
#define MOM_SHELL_JOB_GROUPS_H

#include "mom/shell/shell.h"

/* Take the directory, and say in the log what of it cannot be had. */
void job_groups_open(struct shell *s);
void job_groups_close(struct shell *s);

/* Before a process of the job starts: make the job's group and set its limits, for the
 * first of the job ('is_first') also when there is a group of an earlier run. *ret_door
 * is a descriptor of the caller's, by which the process gets in (cgroup_door()); -1:
 * there are no groups. PBSE_SYSTEM with words: the job would have no limits, so it must
 * not start. */
int job_groups_enter(struct shell *s, const char *job_id, bool is_first, int *ret_door,
                     struct diag *why) MUST_CHECK;
/* Take the processes of a session that runs already into the job's group. */
void job_groups_adopt(struct shell *s, const char *job_id, int32_t session);

/* The job may have more or less of this host than it had: so may its group. */
void job_groups_limit(struct shell *s, const char *job_id);
/* SIGHUP: the controllers and the number of processes of the configuration hold for the
 * jobs that run, too; another directory waits for the next start. */
void job_groups_reread(struct shell *s);

/* Tell the core what the kernel has counted for the job: '*used' is what was found in
 * /proc, and stands in for what the kernel does not count. False: the job has no
 * group. */
bool job_groups_tell_use(struct shell *s, const char *job_id,
                         const struct mom_usage *used, struct mom_out *out);

/* SIGKILL to all of the job. */
void job_groups_kill(struct shell *s, const char *job_id);

/* The core has forgotten the job: end what is left of it, and remove its group as soon
 * as nothing is. */
void job_groups_drop(struct shell *s, const char *job_id);
/* When all jobs that were on record are known: groups of jobs that are not go. */
void job_groups_sweep(struct shell *s);

#endif
