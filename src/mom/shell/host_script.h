/* host_script.h - a command of the administrator that tells what a host has
 * (execution.md 8).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MOM_SHELL_HOST_SCRIPT_H
#define MOM_SHELL_HOST_SCRIPT_H

#include "lib/base/base.h"
#include "lib/base/buf.h"

#include <pthread.h>
#include <sys/types.h>

#define HOST_PARAMS 8 /* most of one question */

/* A word of the question in brackets, "[key=value]". */
struct host_param {
    const char *key, *value;
};

/* What runs at present for one question, so that another thread can end it. */
struct host_running {
    pthread_mutex_t lock;
    pid_t pid;    /* 0: nothing */
    bool is_over; /* nothing begins any more */
};

void host_running_init(struct host_running *r);
void host_running_fini(struct host_running *r);
/* From any thread: kill what runs, with all of its process group; host_script_run()
 * then returns false, and so does each later one. */
void host_running_stop(struct host_running *r);

/* May the MoM run that command? One whose first word is a path has to be a file that
 * script_look() (script.h) calls fit. The word is copied to 'file', with 0 or an errno:
 * what is wrong with it. */
bool host_script_is_fit(const char *command, char *file, size_t size,
                        int *ret_errno) MUST_CHECK;

/* The command as the shell is to read it: "%key" becomes a reference to the variable of
 * that parameter in the environment (host_script_run()), in quotes, so that the shell
 * takes the value for one word and never for a part of the command, whoever has sent
 * it. The key ends where no letter, digit or underscore follows; a word that no
 * parameter has stays. False: a parameter has no place in it. */
bool host_script_fill(const char *command, size_t n, const struct host_param *params,
                      struct buf *out) MUST_CHECK;

/* Have /bin/sh run 'command' with the rights of the MoM until 'until_ms' of
 * host_script_now(), and append the first line of its output without the line end,
 * 'most' bytes of it at most. False: it did not begin, did not end in time, or did not
 * end well; or the line has a NUL byte. When it has ended, or its time is over, what is
 * left of its process group is killed; so it is when this process ends meanwhile, in
 * whatever way. Waits for it: for threads that serve nothing else. */
bool host_script_run(struct host_running *r, const char *command, size_t n,
                     const struct host_param *params, int64_t until_ms, size_t most,
                     struct buf *out) MUST_CHECK;
/* Milliseconds of a clock that nobody sets. */
int64_t host_script_now(void);

#endif
