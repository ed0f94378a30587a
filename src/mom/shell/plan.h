/* plan.h - how a job will be run, worked out before anything is forked: account,
 * program, environment, files, limits (execution.md 11 to 15).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_PLAN_H
#define MOM_SHELL_PLAN_H

#include "lib/base/attrs.h"
#include "lib/base/diag.h"
#include "lib/io/conf.h"
#include "lib/io/site_env.h"
#include "lib/wire/field.h"
#include "mom/shell/config.h"

#include <sys/resource.h>
#include <sys/types.h>

/* Reasons why a job does not start (execution.md 20). */
enum {
    START_FAILED_EARLY = -1,
    START_FAILED = -2,
    START_RETRY = -3,
    START_BAD_USER = -10,
    START_INSECURE = -21,
};

#define PLAN_LIMITS_MAX 5 /* a kind of the kernel's has one entry */

struct plan_limit {
    int resource; /* RLIMIT_... */
    rlim_t value;
};

struct plan {
    const char *job_id;
    const char *user, *group;
    uid_t uid;
    gid_t gid;
    const char *home;
    const char *jobdir; /* a directory of its own that it works in; NULL: its home */
    const char *program;
    bool is_searched; /* along PATH of 'envp' */
    char **argv;
    char **envp;
    const char *input;  /* written to its stdin; NULL: /dev/null */
    const char *script; /* given to the user before the start; NULL: none */
    struct plan_output {
        const char *path;    /* NULL: joined with the other */
        bool is_users;       /* it lies in a directory of the user's: in the home or the
                                job's directory, or where it would have been delivered */
        const char *earlier; /* what an earlier run on another host has written, which
                                comes first: there need not be such a file */
    } out, err;
    struct plan_remote { /* a task of a sister writes to the mother superior */
        uint32_t ip;     /* host order; 0: it writes into the files above */
        uint16_t out_port, err_port;
        const char *cookie;
    } remote;
    const char *remark;        /* the first line of the error output; NULL: none */
    const char *not_direct[2]; /* destinations of output and error output that it is
                                  about; NULL: not of that one */
    const char *tmpdir;
    const char *nodefile;
    mode_t umask;
    int nice; /* added to the priority; 0: nothing */
    size_t n_limits;
    struct plan_limit limits[PLAN_LIMITS_MAX];
};

struct plan_host { /* what plans need to know of this MoM */
    const struct conf *conf;
    const struct config *config;
    const char *home; /* PBS_MOM_HOME */
    const char *host; /* short name */
    uint32_t rm_port;
    const char *checkpoint_dir;         /* of images */
    const char *full_name;              /* with its domain; NULL: the short one */
    const struct site_env *environment; /* what pbs_environment says; NULL: nothing */
};

struct plan_terminal { /* of an interactive job */
    const char *type;
    const char *display; /* for X programs; NULL: none */
};

/* 0, or one of the reasons with words. Everything is taken from 'arena'; the node file
 * is written. 'terminal': that of an interactive job, whose shell reads what is typed;
 * NULL: a batch job, whose shell reads its script. */
int plan_make(const struct plan_host *host, const char *job_id,
              const struct wire_attrs *attrs, const struct plan_terminal *terminal,
              struct arena *arena, struct plan *ret, struct diag *why) MUST_CHECK;

/* A task that was spawned beside the top task. */
struct plan_task {
    uint32_t number;
    int32_t vnode;
    const struct wire_strings *args; /* one at least: the program */
    const struct wire_strings *env;  /* beside and above the job's */
    struct plan_remote remote;       /* without a cookie */
};

/* The same for such a task; the node file is written on hosts of sisters. */
int plan_make_task(const struct plan_host *host, const char *job_id,
                   const struct wire_attrs *attrs, const struct plan_task *task,
                   struct arena *arena, struct plan *ret, struct diag *why) MUST_CHECK;

/* Write the node file of a job that runs anew. 0, or one of the reasons. */
int plan_nodefile(const struct plan_host *host, const char *job_id,
                  const struct wire_attrs *attrs, struct arena *arena,
                  struct diag *why) MUST_CHECK;

/* Files that a job which has ended well shall not leave behind (Remove_Files): those
 * that nobody delivers, at most PLAN_REMOVED_MAX. Their number; *ret says whom to be
 * for that. 0 when the user is not known. */
#define PLAN_REMOVED_MAX 2
size_t plan_removed(const struct plan_host *host, const char *job_id,
                    const struct wire_attrs *attrs, struct arena *arena,
                    struct plan *ret, const char **paths);

/* Of a job on several hosts: no process gets more than what the job has of this host,
 * which its Resource_List does not say. */
void plan_share(struct plan *p, const struct mom_share *share);

/* Only whose job it is: user, group, uid, gid and home of *ret. For jobs that have
 * begun: where the group has gone since, the gid is that of the primary one. 0, or a
 * reason with words. */
int plan_account(const struct wire_attrs *attrs, struct arena *arena, struct plan *ret,
                 struct diag *why) MUST_CHECK;

/* Where the job's output (or error output) goes while it runs; NULL when it is joined.
 */
const char *plan_file(const struct plan_host *host, const char *job_id,
                      const struct wire_attrs *attrs, const char *user_home, bool error,
                      struct arena *arena);

#endif
