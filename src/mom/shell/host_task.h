/* host_task.h - a task as the host has it: a session, and the shepherd that waits for
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_HOST_TASK_H
#define MOM_SHELL_HOST_TASK_H

#include "mom/shell/proc.h"
#include "mom/shell/shell.h"

#define uthash_malloc(size)    xmalloc(size)
#define uthash_free(ptr, size) free(ptr)
#include <uthash.h>

struct task {
    struct shell *shell;
    char *key; /* the job's id, of a spawned task with its number behind it */
    char *job_id;
    uint32_t number; /* 0: the top task */
    int run_version;
    int32_t session;
    char mark[PROC_MARK_BYTES]; /* of the session, proc_session_mark() */
    pid_t shepherd;             /* while 'child' is watched */
    int report_fd, go_fd;       /* -1: closed */
    uint64_t names;             /* of records that its shepherd writes to disk */
    struct loop_fd *report;
    struct loop_child *child;
    bool adopted;
    int leader_fd; /* then: of the session's first process, while it is watched; -1 */
    struct loop_fd *leader;
    bool is_leaderless;       /* or: it is among s->leaderless, */
    uint64_t n_looks;         /* ... and was there by that one of s->n_looks */
    struct task *prev, *next; /* ... or among s->ended */
    bool attached;            /* and has no shepherd */
    struct mom_usage seen;    /* then: by the last sample */
    bool unsaved;       /* it did not begin, for its record could not be written */
    bool dropped;       /* the core forgot the job: clean up when the shepherd ends */
    bool is_killed;     /* by SIGKILL, and its shepherd has not ended yet */
    bool is_restarting; /* it reports once more when it is restored */
    unsigned missing;
    size_t place; /* among the figures of the last sample; TASK_NO_PLACE */
    UT_hash_handle hh;
};

/* It has come behind the begin of the last sample. */
#define TASK_NO_PLACE SIZE_MAX

/* The one with that key; with a job's id, its top task. NULL: there is none. */
struct task *task_find(struct shell *s, const char *key);
/* The one that was spawned with that number. */
struct task *task_find_spawned(struct shell *s, const char *job_id, uint32_t number);
/* A new one among s->tasks; 'number' is 0 for the top task. */
struct task *task_add(struct shell *s, const char *job_id, uint32_t number,
                      int run_version);
/* The file that its shepherd writes its end to. */
const char *task_exit_path(const struct task *t, char path[PATH_MAX]);
/* Tell the core that the processes of the task have ended, with the status that the
 * shepherd has written, or with what can be said without it. */
void task_tell_exit(struct task *t, struct mom_out *out);
/* The core does not hear of it any more. */
void task_unlist(struct task *t);
/* It is not in s->tasks any more. */
void task_free(struct task *t);
/* adopted.c: its end is not looked for any more. */
void adopted_release(struct task *t);

#endif
