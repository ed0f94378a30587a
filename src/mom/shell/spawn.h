/* spawn.h - a job's processes: a shepherd that outlives the MoM, and the job's session.
 *
 * The MoM forks a shepherd, the shepherd forks the job. The job finds out how it will
 * be run (plan.h), which may take as long as the service that knows its user's account,
 * prepares itself as its user and reports its session, the MoM writes that down and
 * says go, the job's program starts. The shepherd waits for it and writes how it ended
 * into a file, so that the end is known even when the MoM was killed meanwhile. A job
 * that never got its go because the MoM died ends with START_RETRY.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_SPAWN_H
#define MOM_SHELL_SPAWN_H

#include "mom/mom.h"
#include "mom/shell/plan.h"

#define SPAWN_TEXT_BYTES 1000
#define SPAWN_DIR_BYTES  1024

/* What the job says through 'report_fd': remarks for the log, and then once whether it
 * starts. */
struct spawn_report {
    int event; /* of a remark; 0: it is the last report */
    int32_t session;
    bool restarted; /* a job that goes on from its image is restored; behind the last */
    int32_t status; /* why it does not start, 0 if it does */
    char jobdir[SPAWN_DIR_BYTES]; /* where it works; "": not known. Of a task beside the
                                     top task: what it has made */
    char text[SPAWN_TEXT_BYTES];  /* for the log; also when it starts */
};

struct spawned {
    pid_t shepherd;
    int report_fd; /* reading does not wait */
    int go_fd;     /* one byte lets the job begin; closing it ends the job */
};

/* The image that a job goes on from. */
struct spawn_restart {
    const char *path;
    int32_t session; /* that it was made of */
};

/* What a job's plan is made of. The new processes have copies of all of it. */
struct spawn_order {
    const struct plan_host *host;
    const char *job_id;
    const struct wire_attrs *attrs;
    struct mom_share share;              /* of this host */
    const struct plan_task *task;        /* NULL: the top task */
    const struct spawn_restart *restart; /* NULL: it begins */
    const char *script; /* becomes the job's file of it; NULL: there is one, or none is
                           needed */
    size_t script_len;
    int hold_fd;  /* the shepherd keeps it open as long as it lives; -1: nothing */
    int group_fd; /* the job's group (cgroup_door()); -1: there is none */
};

/* PBSE_SYSTEM with words when there is no process or pipe to be had. */
int spawn_start(const struct spawn_order *o, const char *exit_path, struct spawned *ret,
                struct diag *why) MUST_CHECK;

/* What a shepherd wrote of a job that could not be restored (execution.md 20). */
#define SPAWN_RESTART_FAILED (-7)
/* What a shepherd wrote: the exit status, what was used, and whether its job has left
 * no process behind, in whatever session. False while there is nothing. */
bool spawn_read_exit(const char *exit_path, int32_t *status, struct mom_usage *used,
                     bool *ret_left_none);

#endif
